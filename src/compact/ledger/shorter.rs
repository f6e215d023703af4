//! Shortens a record that exists as text only.
//!
//! Its blocks stay blocks: a cut through the tags would turn the rest of a list into words of the user, for a reader
//! and for the next compaction. Lines leave block by block, the oldest first; what the user decided leaves last.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::earlier::left_out;
use super::line::{NEXT, OF_USER, begin};
use super::render::Block;
use super::story::ARROW;
use crate::compact::reduce::common_cap;
use crate::history::record::SUMMARY_END;
use crate::tokens::Tokenizer;
use crate::tool_result::shorten;

/// Minimum tokens of a text in a record.
const TEXT: u64 = 40;
/// Bytes of a message of the user that is cut to its beginning.
const BEGINNING: usize = 240;

/// Blocks in the order in which their lines leave; after the first three also texts become shorter.
const ORDER: [&[Option<Block>]; 7] = [
    &[None],
    &[Some(Block::Read), Some(Block::Facts)],
    &[Some(Block::Commands), Some(Block::Errors), Some(Block::Decisions)],
    &[Some(Block::Changed), Some(Block::Todo)],
    &[Some(Block::Actions)],
    &[Some(Block::Users)],
    &[Some(Block::Decisions), Some(Block::Constraints)],
];
const TEXTS_AFTER: usize = 3;

/// The list of words without lines of their own.
const NAMES: &str = "names";

/// A line of a record, or the text of a block that is no list.
struct Row<'r> {
    text: Cow<'r, str>,
    place: Place,
    tokens: u64,
    /// Whether an entry begins with it.
    begins: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Outside of all blocks, or a tag.
    Frame,
    /// A list; `None` for the names.
    List(Option<Block>),
    Text,
}

/// The number of entries that left, by their list.
type Left = BTreeMap<Option<Block>, usize>;

/// Returns a record in at most `max` tokens, or its frame if that alone has more.
pub(in crate::compact) fn shorter(record: &str, max: u64, tokenizer: &dyn Tokenizer) -> Option<String> {
    let end = record.find(SUMMARY_END)?;
    let (inside, behind) = record.split_at(end);
    let mut rows = rows(inside, tokenizer);
    let mut left = BTreeMap::new();
    let mut aim = max;
    loop {
        let text = fitted(&mut rows, &mut left, aim.saturating_sub(tokenizer.count(behind)), tokenizer) + behind;
        let tokens = tokenizer.count(&text);
        // Counts of lines do not add up exactly.
        match tokens.checked_sub(max) {
            None | Some(0) => return Some(text),
            Some(_) if aim == 0 => return Some(text),
            Some(over) => aim = aim.saturating_sub(over),
        }
    }
}

fn rows<'r>(record: &'r str, tokenizer: &dyn Tokenizer) -> Vec<Row<'r>> {
    let mut rows: Vec<Row> = Vec::new();
    let mut open: Option<(&str, Place)> = None;
    for line in record.lines() {
        let tag = line.strip_prefix('<').and_then(|line| line.strip_suffix('>'));
        let closed = open.filter(|(name, _)| tag.and_then(|tag| tag.strip_prefix('/')) == Some(name));
        let place = match (open, tag) {
            (Some((_, place)), _) if closed.is_none() => place,
            _ => Place::Frame,
        };
        if closed.is_some() {
            open = None;
        } else if let (None, Some(tag)) = (open, tag.filter(|_| !rows.is_empty())) {
            let name = tag.split(' ').next().unwrap_or(tag);
            let place = match Block::of_name(name) {
                Some(block) => Place::List(Some(block)),
                None if name == NAMES => Place::List(None),
                None => Place::Text,
            };
            open = Some((name, place));
        }
        if let (Place::Text, Some(last)) = (place, rows.last_mut().filter(|last| last.place == Place::Text)) {
            last.text.to_mut().push('\n');
            last.text.to_mut().push_str(line);
            continue;
        }
        let begins = match place {
            Place::List(Some(Block::Users)) => line.starts_with('['),
            Place::List(_) => !line.starts_with(NEXT),
            _ => false,
        };
        rows.push(Row { text: line.into(), place, tokens: 0, begins });
    }
    rows.iter_mut().for_each(|row| row.tokens = tokenizer.count(&row.text) + 1);
    rows
}

/// Removes and shortens rows until they have at most `max` tokens, counts what left, and writes the rest.
fn fitted(rows: &mut Vec<Row<'_>>, left: &mut Left, max: u64, tokenizer: &dyn Tokenizer) -> String {
    for (step, blocks) in ORDER.iter().enumerate() {
        if step == TEXTS_AFTER {
            shorten_texts(rows, max, tokenizer);
        }
        for &block in *blocks {
            if block == Some(Block::Users) {
                begin_messages(rows, max, tokenizer);
            }
            let is_last = step + 1 == ORDER.len();
            while sum(rows) > max
                && let Some((from, to)) = oldest(rows, Place::List(block), is_last)
            {
                *left.entry(block).or_insert(0) += 1;
                rows.drain(from..to);
            }
        }
    }
    write(rows, left)
}

fn sum(rows: &[Row<'_>]) -> u64 {
    rows.iter().map(|row| row.tokens).sum()
}

/// Returns the index behind the entry of the row at `at`.
fn end_of_entry(rows: &[Row<'_>], at: usize) -> usize {
    let next = rows.iter().skip(at + 1).position(|row| row.place != rows[at].place || row.begins);
    next.map_or(rows.len(), |next| at + 1 + next)
}

/// Returns the rows of the first entry of a list. Decisions of the user are none unless `all` is set.
fn oldest(rows: &[Row<'_>], place: Place, all: bool) -> Option<(usize, usize)> {
    let mut at = 0;
    while at < rows.len() {
        let end = end_of_entry(rows, at);
        let entry = &rows[at..end];
        let is_kept = !all && entry.iter().any(|row| row.text.contains(OF_USER));
        if rows[at].place == place && left_out(&rows[at].text).is_none() && !is_kept {
            return Some((at, end));
        }
        at = if rows[at].place == place { end } else { at + 1 };
    }
    None
}

/// Shortens the longest texts in the middle, to one common length.
fn shorten_texts(rows: &mut [Row<'_>], max: u64, tokenizer: &dyn Tokenizer) {
    let over = sum(rows).saturating_sub(max);
    let texts = || rows.iter().filter(|row| row.place == Place::Text);
    let sizes: Vec<u64> = texts().map(|row| row.tokens).collect();
    let cap = common_cap(&sizes, over, TEXT);
    for row in rows.iter_mut().filter(|row| over > 0 && row.place == Place::Text) {
        if let Some(short) = shorten(&row.text, cap, "", tokenizer) {
            (row.text, row.tokens) = (short.text.into(), short.tokens + 1);
        }
    }
}

/// Shortens messages of the user to their beginnings, the oldest first.
fn begin_messages(rows: &mut Vec<Row<'_>>, max: u64, tokenizer: &dyn Tokenizer) {
    let mut at = 0;
    while sum(rows) > max && at < rows.len() {
        if rows[at].place == Place::List(Some(Block::Users)) && rows[at].begins {
            let end = end_of_entry(rows, at);
            // The outcome is one line.
            let outcome = usize::from(rows[end - 1].text.starts_with(ARROW));
            let words: Vec<&str> = rows[at..end - outcome].iter().map(|row| &*row.text).collect();
            let short = begin(&words.join("\n"), BEGINNING);
            rows.drain(at + 1..end - outcome);
            (rows[at].tokens, rows[at].text) = (tokenizer.count(&short) + 1, short.into());
        }
        at += 1;
    }
}

/// Writes rows. Lists without entries leave with their tags, and lists that lost some say how many.
fn write(rows: &[Row<'_>], left: &Left) -> String {
    let mut out = String::new();
    for (at, row) in rows.iter().enumerate() {
        let next = rows.get(at + 1);
        let is_empty = |place: Place| !rows.iter().any(|row| row.place == place && left_out(&row.text).is_none());
        match row.place {
            Place::Frame => {
                let tag = row.text.strip_prefix('<').and_then(|tag| tag.strip_suffix('>'));
                let of = tag.map_or("", |tag| tag.trim_start_matches('/'));
                let block = Block::of_name(of);
                let is_list = block.is_some() || of == NAMES;
                if is_list && is_empty(Place::List(block)) {
                    continue;
                }
                out.push_str(&row.text);
                let count = left.get(&block).filter(|_| is_list && block.is_some() && tag == Some(of));
                if let Some(count) = count {
                    let before = next.and_then(|next| left_out(&next.text)).unwrap_or(0);
                    out.push_str(&format!("\n({} more left out)", before + count));
                }
            }
            Place::List(block)
                if left_out(&row.text).is_some() && (left.contains_key(&block) || is_empty(row.place)) =>
            {
                continue;
            }
            _ => out.push_str(&row.text),
        }
        out.push('\n');
    }
    out
}

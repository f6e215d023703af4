//! The ledger as text: plain lines in tagged blocks, newest last.
//!
//! Every entry first gets its short form: one line, whole if it is not long. [`page`](super::page) decides which lines are shown. Entries
//! without a line are counted in their block, with the ids between which they lie, so that an agent can ask for them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::Ledger;
use super::line::{Line, vital_lines};
use super::page::{FRAMES, Page, VITAL, most_lines, of_constraints};
use crate::tokens::Tokenizer;

/// How many tokens the record's lines may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// Messages of the user.
    pub user: u64,
    /// Everything else, as far as there is room ...
    pub ledger: u64,
    /// ... and up to this, lines of their own for as many entries as a record should have.
    pub entries: u64,
    /// What such lines may take though there is no room.
    pub least: u64,
    /// What all of it may take before the view is above its target.
    pub room: u64,
}

impl Shares {
    /// The same with lines of their own that give way to `tokens` of the text beside them, down to what is `vital`.
    pub fn yielding(self, tokens: u64, vital: u64) -> Shares {
        let entries = self.entries.saturating_sub(tokens).max(vital.min(self.entries));
        Shares { entries, least: self.least.min(entries), ..self }
    }
}

/// The blocks, in the order in which they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Block {
    Users,
    Constraints,
    Todo,
    Changed,
    Actions,
    Errors,
    Commands,
    Decisions,
    Facts,
    Read,
}

pub(super) const BLOCKS: [Block; 10] = [
    Block::Users,
    Block::Constraints,
    Block::Todo,
    Block::Changed,
    Block::Actions,
    Block::Errors,
    Block::Commands,
    Block::Decisions,
    Block::Facts,
    Block::Read,
];

impl Block {
    /// The tag.
    pub fn name(self) -> &'static str {
        match self {
            Block::Users => "user-messages",
            Block::Constraints => "constraints",
            Block::Todo => "todo",
            Block::Changed => "changed-files",
            Block::Actions => "actions",
            Block::Errors => "errors",
            Block::Commands => "commands",
            Block::Decisions => "decisions",
            Block::Facts => "facts",
            Block::Read => "read-files",
        }
    }

    pub(super) fn of_name(name: &str) -> Option<Block> {
        BLOCKS.into_iter().find(|block| block.name() == name)
    }
}

/// What became of the entries of one block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    pub block: Block,
    /// Lines of their own.
    pub lines: usize,
    /// Lines that are shorter than their entry.
    pub shortened: usize,
    /// Entries without a line: counted, and to be had by recall.
    pub left_out: usize,
}

/// Tokens that the lines of what must not leave take, and the blocks around all; `most` at most.
pub fn vital(ledger: &Ledger, most: u64, tokenizer: &dyn Tokenizer) -> u64 {
    let (lines, _) = vital_lines(ledger, most_lines(most));
    let of = |constraints: bool, most: u64| {
        let mut sum = 0;
        // The newest are those that stay.
        for line in lines.iter().rev().filter(|line| VITAL.contains(&line.block)) {
            if (line.block == Block::Constraints) == constraints && sum < most {
                sum += tokenizer.count(&line.short) + 1;
            }
        }
        sum.min(most)
    };
    (FRAMES + of(true, of_constraints(most)) + of(false, most)).min(most)
}

/// What the blocks of a ledger would take, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wanted {
    /// Whatever the room.
    pub floor: u64,
    /// Beyond it for lines that a record should have.
    pub lines: u64,
    /// Beyond both for the user's words.
    pub words: u64,
}

/// What the blocks would take with all the room that they could use.
pub fn wanted(ledger: &Ledger, shares: Shares, tokenizer: &dyn Tokenizer) -> Wanted {
    let shares = Shares { room: u64::MAX, ..shares };
    let mut page = Page::new(ledger, shares, false, tokenizer);
    page.floor(ledger);
    let floor = page.users + page.lists;
    page.fill_lines(ledger);
    let lines = page.users + page.lists - floor;
    // More than their share they cannot have.
    let mut words = 0;
    for request in &ledger.requests {
        if words >= shares.user {
            break;
        }
        words += tokenizer.count(&request.text);
    }
    Wanted { floor, lines, words: words.min(shares.user).saturating_sub(page.users) }
}

/// The blocks of a ledger as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocks {
    pub text: String,
    /// What became of the entries.
    pub shown: Vec<Shown>,
    /// Tokens that are there only because there was room for them.
    pub spare: u64,
}

/// The blocks of a ledger within `shares`. Where the agent can look messages up by id (`recalls`) they name those of the entries without a line.
pub fn blocks(ledger: &Ledger, shares: Shares, recalls: bool, tokenizer: &dyn Tokenizer) -> Blocks {
    blocks_with(ledger, shares, recalls, tokenizer, ([0, 0], |_: &str, _| (String::new(), 0)))
}

/// The same with text that the record shows behind the lists. `reserves` are tokens that the lists keep free for it: before their own lines
/// have any room, and before they take more than their shares. The function writes it within the tokens that it is given; the lists take
/// the rest.
pub fn blocks_with(
    ledger: &Ledger,
    shares: Shares,
    recalls: bool,
    tokenizer: &dyn Tokenizer,
    (reserves, beside): ([u64; 2], impl FnOnce(&str, u64) -> (String, u64)),
) -> Blocks {
    let [first, all] = reserves;
    let mut page = Page::new(ledger, shares, true, tokenizer);
    page.floor(ledger);
    page.shares.room = shares.room.saturating_sub(first);
    page.fill_requests(ledger);
    page.fill_lines(ledger);
    page.shares.room = shares.room.saturating_sub(all);
    page.fill_room(ledger);
    if all == 0 {
        return write(ledger, &page, recalls);
    }
    page.shares.room = shares.room;
    let lists = write(ledger, &page, recalls);
    let (text, tokens) = beside(&lists.text, page.room());
    page.shares.room = shares.room.saturating_sub(tokens);
    page.fill_room(ledger);
    let mut blocks = write(ledger, &page, recalls);
    blocks.text.push_str(&text);
    blocks.spare += tokens;
    blocks
}

fn write(ledger: &Ledger, page: &Page, recalls: bool) -> Blocks {
    let tokenizer = page.tokenizer;
    let mut room = page.own().min(page.room());
    let mut of_changed = page.within(page.shares.entries);
    let mut out = String::new();
    let mut shown = Vec::new();
    for block in BLOCKS {
        let all: Vec<&Line> = page.lines.iter().filter(|line| line.block == block).collect();
        // Of sentences that are no facts none is missing.
        let is_missing = |line: &&Line| line.form.is_none() && block != Block::Facts;
        let missing: Vec<&Line> = all.iter().copied().filter(is_missing).collect();
        let earlier = ledger.left_out.get(block.name()).copied().unwrap_or(0);
        let older = page.older.iter().find(|(of, ..)| *of == block);
        let left_out = missing.len() + earlier + older.map_or(0, |(_, count, _)| *count);
        if all.iter().all(|line| line.form.is_none()) && left_out == 0 {
            continue;
        }
        let lines = all.iter().filter(|line| line.form.is_some()).count();
        let is_short = |line: &&&Line| line.form.is_some_and(|form| form < line.longer.len());
        let shortened = all.iter().filter(is_short).count();
        shown.push(Shown { block, lines, shortened, left_out });
        // In talk the facts are all that was chosen, and nobody looks up what a count alone tells of.
        if lines == 0 && ledger.tools.is_empty() && !recalls {
            continue;
        }
        out.push_str(&format!("<{}>\n", block.name()));
        let folder = page.folder.as_ref().filter(|_| matches!(block, Block::Changed | Block::Read));
        out.extend(folder.into_iter().flat_map(|line| [line, "\n"]));
        if left_out > 0 {
            let oldest = older.map(|(.., id)| id).or(missing.first().map(|line| &line.id));
            let ids = match (oldest, missing.last().map_or(oldest, |line| Some(&line.id))) {
                _ if !recalls => String::new(),
                (Some(oldest), Some(newest)) if oldest != newest => {
                    format!(", between {oldest} and {newest}; recall them by id")
                }
                (Some(only), _) => format!(", recall {only}"),
                _ => ", in an earlier record".to_string(),
            };
            out.push_str(&format!("({left_out} more left out{ids})\n"));
            if matches!(block, Block::Changed | Block::Read) {
                let room = if block == Block::Changed { &mut of_changed } else { &mut room };
                for folder in folders(&missing) {
                    let cost = tokenizer.count(&folder) + 1;
                    if cost > *room {
                        break;
                    }
                    *room -= cost;
                    out.push_str(&folder);
                    out.push('\n');
                }
            }
        }
        let mut previous = None;
        for line in &all {
            let Some(form) = line.form else { continue };
            out.push_str(&line.text(form, previous.is_some_and(|before| line.continues(before))));
            out.push('\n');
            previous = Some(*line);
        }
        out.push_str(&format!("</{}>\n", block.name()));
    }
    Blocks { text: out, shown, spare: page.spare }
}

/// Files that found no place, by folder: `(src/ui/: 7 files)`, the fullest first.
fn folders(missing: &[&Line]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in missing {
        let path = line.short.strip_prefix("- ").unwrap_or(&line.short);
        let path = path.rsplit_once(" (").map_or(path, |(path, _)| path);
        *counts.entry(path.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    // Folders come by name.
    crate::rank::sort(&mut counts, |(_, files)| !(*files as u64));
    counts
        .into_iter()
        .map(|(folder, n)| format!("({}/: {n} files)", if folder.is_empty() { "." } else { folder }))
        .collect()
}

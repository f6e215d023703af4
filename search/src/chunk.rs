//! Cuts a text into chunks of at most a number of tokens, without losing a byte.
//!
//! A chunk ends at a natural boundary: at the border of a definition if a parser found any, else at a blank line with
//! little indentation. Among equal boundaries a hash of the line decides, not its position, so that chunks after an
//! edit stay the same. Start reading at [`chunks`].

use crate::bytes::checksum;
use espalier_core::error::{Code, Error, Result};
use espalier_core::tokens::{Tokenizer, is_cut};

/// Minimum budget. Below it a chunk would have a few words, and one character can have several tokens.
pub const MIN_BUDGET: u32 = 16;

/// A definition that a parser found: its name and its bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// Its name in the header path of chunks inside it, for example `class Basket`.
    pub name: String,
    pub start: usize,
    pub end: usize,
}

/// Options of cutting a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChunkOptions {
    /// Maximum tokens of a chunk.
    pub max_tokens: u32,
}

impl Default for ChunkOptions {
    fn default() -> ChunkOptions {
        ChunkOptions { max_tokens: 250 }
    }
}

/// A part of a text. Chunks are contiguous: joined they are the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chunk {
    /// In bytes.
    pub start: usize,
    pub end: usize,
    /// In UTF-16 code units.
    pub start_utf16: usize,
    pub end_utf16: usize,
    /// First and last line that are not blank, from 0, both included.
    pub first_line: u32,
    pub last_line: u32,
    /// Tokens of the text, counted alone.
    pub tokens: u32,
    /// Names of the definitions that began before the chunk and contain its start, joined with ` > `.
    pub header: String,
}

/// A line with the blank lines after it, or a part of a line that exceeds the budget.
struct Piece {
    start: usize,
    tokens: u64,
    /// Quality of its start as a cut; the second number decides between equal ones.
    border: (u32, u32),
    /// True if counts before and after its start add up.
    adds_up: bool,
}

/// Cuts `text` into chunks. `definitions` may nest and come in any order; those outside the text are ignored.
///
/// # Errors
/// [`Code::BadOption`] if the budget is below [`MIN_BUDGET`], [`Code::BadInput`] if the text has 4 GB.
pub fn chunks<T: Tokenizer + ?Sized>(
    text: &str,
    definitions: &[Definition],
    options: ChunkOptions,
    tokenizer: &T,
) -> Result<Vec<Chunk>> {
    let budget = u64::from(options.max_tokens);
    if options.max_tokens < MIN_BUDGET {
        let message = format!("chunks need a budget of at least {MIN_BUDGET} tokens, not {budget}");
        return Err(Error::new(Code::BadOption, message).at("maxTokens"));
    }
    if u32::try_from(text.len()).is_err() {
        return Err(Error::new(Code::BadInput, "a text of 4 GB or more cannot be indexed"));
    }
    let units = units(text.as_bytes());
    let borders = borders(text.as_bytes(), &units, definitions);
    let pieces = pieces(text, budget, &units, &borders, tokenizer);
    let mut headers = Headers::of(definitions);
    let mut found = Vec::new();
    let (mut first, mut utf16, mut line) = (0, 0, 0);
    while first < pieces.len() {
        let fitting = fitting(text, &pieces, first, budget, tokenizer);
        let next = best_border(&pieces, first, fitting, budget);
        let end = pieces.get(next).map_or(text.len(), |piece| piece.start);
        let start = pieces[first].start;
        let part = &text[start..end];
        let exact = pieces[first + 1..next].iter().all(|piece| piece.adds_up);
        let tokens = if exact { sum(&pieces[first..next]) } else { tokenizer.count(part) };
        let length = part.encode_utf16().count();
        let (before, lines) = (line_ends(part) - line_ends(part.trim_start()), line_ends(part.trim_end()));
        let is_blank = part.trim_start().is_empty();
        found.push(Chunk {
            start,
            end,
            start_utf16: utf16,
            end_utf16: utf16 + length,
            first_line: if is_blank { line } else { line + before },
            last_line: line + lines,
            tokens: u32::try_from(tokens).unwrap_or(u32::MAX),
            header: headers.path(start),
        });
        utf16 += length;
        line += line_ends(part);
        first = next;
    }
    Ok(found)
}

fn line_ends(text: &str) -> u32 {
    text.bytes().filter(|byte| *byte == b'\n').count() as u32
}

fn sum(pieces: &[Piece]) -> u64 {
    pieces.iter().map(|piece| piece.tokens).sum()
}

/// Returns the index after the last piece that fits together with those from `first`.
fn fitting<T: Tokenizer + ?Sized>(text: &str, pieces: &[Piece], first: usize, budget: u64, tokenizer: &T) -> usize {
    let (mut next, mut total, mut exact) = (first + 1, pieces[first].tokens, true);
    while let Some(piece) = pieces.get(next).filter(|piece| total + piece.tokens <= budget) {
        total += piece.tokens;
        exact &= piece.adds_up;
        next += 1;
    }
    // Parts whose counts do not add up can rarely have a few more tokens together than apart.
    let start = pieces[first].start;
    while !exact && next > first + 1 {
        let end = pieces.get(next).map_or(text.len(), |piece| piece.start);
        let over = tokenizer.count(&text[start..end]).saturating_sub(budget);
        if over == 0 {
            break;
        }
        let mut dropped = 0;
        while next > first + 1 && dropped < over {
            next -= 1;
            dropped += pieces[next].tokens.max(1);
        }
    }
    next
}

/// Returns the best cut up to `fitting`, in the upper quarter of the budget. Shorter chunks keep more definitions
/// whole, but lack the context that says what a definition is about, and are found less often (`benches/README.md`).
fn best_border(pieces: &[Piece], first: usize, fitting: usize, budget: u64) -> usize {
    if fitting == pieces.len() {
        return fitting;
    }
    let mut best = (fitting, pieces[fitting].border);
    let mut total = sum(&pieces[first..fitting]);
    for at in (first + 1..fitting).rev() {
        total -= pieces[at].tokens;
        if total * 4 < budget * 3 {
            break;
        }
        let border = pieces[at].border;
        if border > best.1 {
            best = (at, border);
        }
    }
    best.0
}

fn pieces<T: Tokenizer + ?Sized>(
    text: &str,
    budget: u64,
    units: &[Unit],
    borders: &[u32],
    tokenizer: &T,
) -> Vec<Piece> {
    let cuts = tokenizer.has_cuts();
    let mut pieces = Vec::with_capacity(units.len());
    for (unit, border) in units.iter().zip(borders) {
        let start = unit.start;
        let body = &text[start..unit.end];
        let border = (*border, checksum(0, body.trim_end().as_bytes()) as u32);
        let adds_up = cuts && start > 0 && (is_cut(text, start) || is_indented(body));
        let tokens = tokenizer.count(body);
        if tokens <= budget {
            pieces.push(Piece { start, tokens, border, adds_up });
        } else {
            split(text, start..unit.end, budget, border, &mut pieces, tokenizer);
        }
    }
    pieces
}

/// True for a line that begins with spaces, followed by a printable ASCII character. After a line end, those spaces are
/// a piece of their own.
fn is_indented(body: &str) -> bool {
    let text = body.trim_start_matches([' ', '\t']);
    text.len() < body.len() && matches!(text.as_bytes().first(), Some(0x21..0x7F))
}

/// A line with the blank lines after it; the first one of a text also has those before it.
struct Unit {
    start: usize,
    end: usize,
    is_blank_behind: bool,
}

fn units(bytes: &[u8]) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    let mut has_text = false;
    let mut start = 0;
    while start < bytes.len() {
        let rest = &bytes[start..];
        let end = rest.iter().position(|byte| *byte == b'\n').map_or(bytes.len(), |at| start + at + 1);
        let is_blank = bytes[start..end].trim_ascii().is_empty();
        match units.last_mut() {
            Some(unit) if is_blank || !has_text => {
                unit.end = end;
                unit.is_blank_behind = has_text;
            }
            _ => units.push(Unit { start, end, is_blank_behind: false }),
        }
        has_text |= !is_blank;
        start = end;
    }
    units
}

/// Returns the quality of a cut before each unit: less indentation is better, after a blank line is better, the border
/// of a definition is best.
fn borders(bytes: &[u8], units: &[Unit], definitions: &[Definition]) -> Vec<u32> {
    let mut borders: Vec<u32> = Vec::with_capacity(units.len());
    for (at, unit) in units.iter().enumerate() {
        let is_behind_blank = at.checked_sub(1).is_none_or(|before| units[before].is_blank_behind);
        borders.push(2 * (32 - indent(&bytes[unit.start..unit.end]).min(32)) as u32 + 9 * u32::from(is_behind_blank));
    }
    let mut open: Vec<usize> = Vec::new();
    let mut depths = vec![u32::MAX; units.len()];
    for one in sorted(definitions, bytes.len()) {
        while open.last().is_some_and(|end| *end <= one.start) {
            open.pop();
        }
        let depth = open.len() as u32;
        let first = units.partition_point(|unit| unit.end <= one.start);
        let behind = units.partition_point(|unit| unit.start < one.end);
        for at in [with_comments(bytes, units, first, depths.get(first).is_some_and(|known| *known <= depth)), behind] {
            if let Some(known) = depths.get_mut(at) {
                *known = depth.min(*known);
            }
        }
        open.push(one.end);
    }
    for (border, depth) in borders.iter_mut().zip(depths) {
        if depth != u32::MAX {
            *border += 1000 - 100 * depth.min(8);
        }
    }
    borders
}

fn indent(line: &[u8]) -> usize {
    line.iter().take(128).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}

/// Returns the first of the comments and attributes directly above the unit `first`, at most 64 lines.
fn with_comments(bytes: &[u8], units: &[Unit], first: usize, is_known: bool) -> usize {
    let Some(unit) = units.get(first).filter(|_| !is_known) else { return first };
    let own = indent(&bytes[unit.start..unit.end]);
    let mut at = first;
    while let Some(before) = at.checked_sub(1).filter(|before| first - before <= 64) {
        let Unit { start, end, is_blank_behind, .. } = units[before];
        let line = &bytes[start..end];
        let indent = indent(line);
        let text = &line[indent..];
        let is_comment =
            ["//", "#", "/*", "*", "@", "--", "\"\"\""].iter().any(|mark| text.starts_with(mark.as_bytes()));
        if is_blank_behind || !is_comment || indent < own {
            break;
        }
        at = before;
    }
    at
}

/// Returns the definitions inside the text, in the order of their starts, outer ones first.
fn sorted(definitions: &[Definition], len: usize) -> Vec<&Definition> {
    let mut sorted: Vec<&Definition> = definitions.iter().filter(|one| one.start < one.end && one.end <= len).collect();
    sorted.sort_by_key(|one| (one.start, usize::MAX - one.end));
    sorted
}

/// Cuts a unit that alone exceeds the budget, between words if possible.
fn split<T: Tokenizer + ?Sized>(
    text: &str,
    range: std::ops::Range<usize>,
    budget: u64,
    border: (u32, u32),
    pieces: &mut Vec<Piece>,
    tokenizer: &T,
) {
    // Enough for any text except runs of one sign, so that a tokenizer that uses bisection stays linear.
    let window = usize::try_from(budget).unwrap_or(usize::MAX).saturating_mul(16);
    let mut start = range.start;
    while start < range.end {
        let limit = text.floor_char_boundary(start.saturating_add(window).min(range.end));
        let part = &text[start..limit];
        let fit = tokenizer.prefix_within(part, budget);
        let first = part.chars().next().map_or(1, char::len_utf8);
        let mut end = start + fit.offset.max(first);
        if end < range.end
            && let Some(space) = text[start..end].rfind([' ', '\t', ';', ',', '\n'])
            && space * 4 >= (end - start) * 3
        {
            end = start + space + 1;
        }
        let tokens = if end == start + fit.offset { fit.tokens } else { tokenizer.count(&text[start..end]) };
        let border = if start == range.start { border } else { (0, checksum(0, &text.as_bytes()[start..end]) as u32) };
        pieces.push(Piece { start, tokens, border, adds_up: false });
        start = end;
    }
}

/// Maximum names of a header path: the inner ones.
const MAX_PATH: usize = 8;

/// The definitions around ascending offsets.
struct Headers<'a> {
    sorted: Vec<&'a Definition>,
    next: usize,
    open: Vec<&'a Definition>,
}

impl<'a> Headers<'a> {
    fn of(definitions: &'a [Definition]) -> Headers<'a> {
        Headers { sorted: sorted(definitions, usize::MAX), next: 0, open: Vec::new() }
    }

    /// Returns the path of the definitions that began before `start` and end after it.
    fn path(&mut self, start: usize) -> String {
        while let Some(one) = self.sorted.get(self.next).filter(|one| one.start < start) {
            while self.open.last().is_some_and(|last| last.end <= one.start) {
                self.open.pop();
            }
            self.open.push(one);
            self.next += 1;
        }
        while self.open.last().is_some_and(|last| last.end <= start) {
            self.open.pop();
        }
        let inner = &self.open[self.open.len().saturating_sub(MAX_PATH)..];
        let names: Vec<&str> = inner.iter().filter(|one| one.end > start).map(|one| one.name.as_str()).collect();
        names.join(" > ")
    }
}

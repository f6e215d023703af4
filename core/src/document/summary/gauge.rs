//! Counts texts in the unit of a budget.

use crate::tokens::{Fit, Tokenizer, last_cut, meet};

/// The unit of a budget.
#[derive(Clone, Copy)]
pub enum Gauge<'g> {
    /// Tokens.
    Tokens(&'g dyn Tokenizer),
    /// UTF-16 code units.
    Characters,
}

impl Gauge<'_> {
    /// Returns the count of a text.
    pub fn count(&self, text: &str) -> i64 {
        match self {
            Gauge::Tokens(tokenizer) => tokenizer.count(text) as i64,
            Gauge::Characters if text.is_ascii() => text.len() as i64,
            Gauge::Characters => text.encode_utf16().count() as i64,
        }
    }

    /// Returns whether a text always counts as much as its parts together.
    pub(super) fn adds_up(&self) -> bool {
        matches!(self, Gauge::Characters)
    }

    /// Returns the count of the digits of a number.
    pub(super) fn number(&self, number: u32) -> i64 {
        match self {
            Gauge::Tokens(tokenizer) if !tokenizer.has_cuts() => self.count(&number.to_string()),
            Gauge::Tokens(_) => i64::from(number.checked_ilog10().unwrap_or(0) / 3 + 1),
            Gauge::Characters => i64::from(number.checked_ilog10().unwrap_or(0) + 1),
        }
    }

    /// Returns the end of a line that can share a token with the next line, and nothing before it; empty if there is no
    /// such token.
    pub(super) fn tail<'t>(&self, line: &'t str) -> &'t str {
        let text = line.trim_end_matches(['\r', '\n']);
        let word = text.trim_end_matches(|last: char| last.is_ascii_punctuation());
        match self {
            Gauge::Characters => "",
            _ if text.ends_with(|last: char| last.is_ascii_alphanumeric()) => "",
            Gauge::Tokens(tokenizer)
                if tokenizer.has_cuts() && word.ends_with(|last: char| last.is_ascii_alphanumeric()) =>
            {
                &line[word.len()..]
            }
            _ => &line[last_cut(line.as_bytes()).unwrap_or(0)..],
        }
    }

    /// Returns whether two texts certainly count the same together and apart: a line ends between them, and no token
    /// continues across it.
    pub(super) fn splits(&self, before: &str, behind: &str) -> bool {
        match self {
            Gauge::Characters => true,
            Gauge::Tokens(tokenizer) => tokenizer.has_cuts() && cut_between(before, behind),
        }
    }

    /// Returns the byte at which the longest beginning ends that counts at most `most`.
    pub(super) fn beginning(&self, text: &str, most: i64) -> usize {
        let most = most.max(0) as u64;
        match self {
            Gauge::Tokens(tokenizer) => tokenizer.prefix_within(text, most).offset,
            Gauge::Characters => units_within(text.chars(), most),
        }
    }

    /// Returns the byte at which the longest end begins that counts at most `most`.
    pub(super) fn end(&self, text: &str, most: i64) -> usize {
        let most = most.max(0) as u64;
        match self {
            Gauge::Tokens(tokenizer) => {
                let Fit { offset, .. } = tokenizer.suffix_within(text, most);
                offset
            }
            Gauge::Characters => text.len() - units_within(text.chars().rev(), most),
        }
    }
}

/// Returns whether no token crosses the place between two texts. White space up to its last line break is a piece of
/// its own, so a text behind it counts as if it began there. Only slashes can join punctuation on the line before.
fn cut_between(before: &str, behind: &str) -> bool {
    let ends = before.trim_end_matches(['\r', '\n']);
    let begins = behind.trim_start_matches([' ', '\t']).as_bytes();
    let text = begins.first().is_some_and(u8::is_ascii_graphic);
    let apart = begins.len() < behind.len() || ends.ends_with(|last: char| last.is_ascii_alphanumeric());
    ends.len() < before.len() && (text && apart || meet(b'\n', behind.as_bytes()))
}

/// Counts a text that is assembled from stretches, most of which are already counted.
pub(super) struct Tally<'g> {
    gauge: Gauge<'g>,
    sum: i64,
    /// The stretch that may not add up with the next one, and its count if that is known.
    open: String,
    known: Option<i64>,
    /// A buffer for stretches that are written first.
    room: String,
}

impl<'g> Tally<'g> {
    pub fn new(gauge: Gauge<'g>) -> Tally<'g> {
        Tally { gauge, sum: 0, open: String::new(), known: None, room: String::new() }
    }

    /// Adds the next stretch of the text.
    pub fn add(&mut self, text: &str, known: Option<i64>) {
        if self.open.is_empty() || self.gauge.splits(&self.open, text) {
            self.sum = self.count();
            self.open.clear();
            self.known = known;
        } else {
            self.known = None;
        }
        self.open += text;
    }

    /// Adds a stretch that `write` writes.
    pub fn add_written(&mut self, write: impl FnOnce(&mut String), known: Option<i64>) {
        let mut text = std::mem::take(&mut self.room);
        text.clear();
        write(&mut text);
        self.add(&text, known);
        self.room = text;
    }

    /// Returns the count of the text so far.
    pub fn count(&self) -> i64 {
        self.sum + self.known.unwrap_or_else(|| self.gauge.count(&self.open))
    }
}

/// Returns the bytes of the first characters that have at most `most` UTF-16 units.
fn units_within(characters: impl Iterator<Item = char>, most: u64) -> usize {
    let mut units = 0;
    let within = characters.take_while(|character| {
        units += character.len_utf16() as u64;
        units <= most
    });
    within.map(char::len_utf8).sum()
}

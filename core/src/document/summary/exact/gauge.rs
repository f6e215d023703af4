//! What a budget is counted in.

use crate::tokens::{Fit, Tokenizer, last_cut, meet};

/// Counts texts.
#[derive(Clone, Copy)]
pub enum Gauge<'g> {
    /// In tokens.
    Tokens(&'g dyn Tokenizer),
    /// In UTF-16 code units.
    Characters,
}

impl Gauge<'_> {
    /// What a text counts.
    pub fn count(&self, text: &str) -> i64 {
        match self {
            Gauge::Tokens(tokenizer) => tokenizer.count(text) as i64,
            Gauge::Characters if text.is_ascii() => text.len() as i64,
            Gauge::Characters => text.encode_utf16().count() as i64,
        }
    }

    /// True if texts count what their parts count, wherever they are cut.
    pub(super) fn adds_up(&self) -> bool {
        matches!(self, Gauge::Characters)
    }

    /// What the digits of a number count.
    pub(super) fn number(&self, number: u32) -> i64 {
        match self {
            Gauge::Tokens(tokenizer) if !tokenizer.has_cuts() => self.count(&number.to_string()),
            Gauge::Tokens(_) => i64::from(number.checked_ilog10().unwrap_or(0) / 3 + 1),
            Gauge::Characters => i64::from(number.checked_ilog10().unwrap_or(0) + 1),
        }
    }

    /// The end of a line with which a text behind it may share a token, and nothing before it; empty if there is no such token.
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

    /// True if two texts surely count together what they count apart: a line ends between them, and no token goes on behind it.
    pub(super) fn splits(&self, before: &str, behind: &str) -> bool {
        match self {
            Gauge::Characters => true,
            Gauge::Tokens(tokenizer) => tokenizer.has_cuts() && cut_between(before, behind),
        }
    }

    /// The byte up to which the longest beginning reaches that counts at most `most`.
    pub(super) fn beginning(&self, text: &str, most: i64) -> usize {
        let most = most.max(0) as u64;
        match self {
            Gauge::Tokens(tokenizer) => tokenizer.prefix_within(text, most).offset,
            Gauge::Characters => units_within(text.chars(), most),
        }
    }

    /// The byte at which the longest end begins that counts at most `most`.
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

/// White space is a piece of its own up to the last line break in it, so that a text goes on behind that as if it began there. Only slashes
/// can belong to what stands before, if that is punctuation.
fn cut_between(before: &str, behind: &str) -> bool {
    let ends = before.trim_end_matches(['\r', '\n']);
    let begins = behind.trim_start_matches([' ', '\t']).as_bytes();
    let text = begins.first().is_some_and(u8::is_ascii_graphic);
    let apart = begins.len() < behind.len() || ends.ends_with(|last: char| last.is_ascii_alphanumeric());
    ends.len() < before.len() && (text && apart || meet(b'\n', behind.as_bytes()))
}

/// What a text counts that is put together from stretches, most of which have been counted.
pub(super) struct Tally<'g> {
    gauge: Gauge<'g>,
    sum: i64,
    /// What may not add up with what comes next, and what it counts if that is known.
    open: String,
    known: Option<i64>,
    /// Room for a stretch that has to be written first.
    room: String,
}

impl<'g> Tally<'g> {
    pub fn new(gauge: Gauge<'g>) -> Tally<'g> {
        Tally { gauge, sum: 0, open: String::new(), known: None, room: String::new() }
    }

    /// The next stretch of the text.
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

    /// The same where the stretch is no part of a text that there is.
    pub fn add_written(&mut self, write: impl FnOnce(&mut String), known: Option<i64>) {
        let mut text = std::mem::take(&mut self.room);
        text.clear();
        write(&mut text);
        self.add(&text, known);
        self.room = text;
    }

    /// What it all counts.
    pub fn count(&self) -> i64 {
        self.sum + self.known.unwrap_or_else(|| self.gauge.count(&self.open))
    }
}

/// Bytes of the first characters that have at most so many UTF-16 units.
fn units_within(characters: impl Iterator<Item = char>, most: u64) -> usize {
    let mut units = 0;
    let within = characters.take_while(|character| {
        units += character.len_utf16() as u64;
        units <= most
    });
    within.map(char::len_utf8).sum()
}

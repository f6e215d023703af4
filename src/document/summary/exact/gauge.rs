//! What a budget is counted in.

use crate::tokens::{Fit, Tokenizer};

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

/// Bytes of the first characters that have at most so many UTF-16 units.
fn units_within(characters: impl Iterator<Item = char>, most: u64) -> usize {
    let mut units = 0;
    let within = characters.take_while(|character| {
        units += character.len_utf16() as u64;
        units <= most
    });
    within.map(char::len_utf8).sum()
}

//! Shortening tool results: exact limits, whole characters, kept error lines, JSON that stays JSON.

mod budget;
mod compat;
mod reduce;
mod repeats;
mod schema;
mod tables;
mod tape;
mod truncate;

use espalier::tokens::Tokenizer;

/// This many UTF-16 units are a token.
struct Chars(usize);

impl Tokenizer for Chars {
    fn count(&self, text: &str) -> u64 {
        text.chars().map(char::len_utf16).sum::<usize>().div_ceil(self.0) as u64
    }
}

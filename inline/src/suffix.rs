//! Decides which suffix a request sends: the document's, or that of the previous request again.

use espalier_core::tokens::{Encoding, Tokenizer};
use foldhash::fast::FixedState;
use std::hash::BuildHasher;

/// Number of tokens at the beginning that are compared.
const COMPARED: usize = 50;

/// A tokenizer that can also return the first tokens of a text.
pub trait Tokens: Tokenizer {
    /// Returns at most the first `max` tokens of `text` as numbers: equal tokens have equal numbers.
    ///
    /// The default implementation compares words and signs.
    fn first_ids(&self, text: &str, max: usize) -> Vec<u32> {
        let mut ids = Vec::new();
        let mut rest = text;
        while ids.len() < max {
            let Some(first) = rest.chars().next() else { break };
            let is_other = |character: char| !character.is_alphanumeric();
            let end = match rest.find(is_other) {
                Some(0) => first.len_utf8(),
                Some(end) => end,
                None => rest.len(),
            };
            ids.push(FixedState::with_seed(0).hash_one(&rest[..end]) as u32);
            rest = &rest[end..];
        }
        ids
    }
}

impl Tokens for Encoding {
    fn first_ids(&self, text: &str, max: usize) -> Vec<u32> {
        let fit = Encoding::prefix_within(self, text, max as u64);
        let mut ids = self.encode(&text[..fit.offset]);
        ids.truncate(max);
        ids
    }
}

/// Returns the number of insertions, removals and replacements between two lists.
///
/// ```
/// assert_eq!(espalier_inline::edit_distance(&[5, 1, 2, 3], &[1, 2, 3]), 1);
/// ```
pub fn edit_distance(a: &[u32], b: &[u32]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// True if two suffixes with these first tokens are so similar that the previous one is sent again.
pub fn is_reusable(previous: &[u32], next: &[u32]) -> bool {
    let previous = &previous[..previous.len().min(COMPARED)];
    let next = &next[..next.len().min(COMPARED)];
    match (previous.first(), next.first()) {
        (Some(a), Some(b)) if a == b => 100 * edit_distance(previous, next) < 10 * next.len(),
        _ => false,
    }
}

/// Returns the suffix of the previous request if it should be sent again.
pub fn reuse<'a>(previous: &'a str, next: &str, tokens: &(impl Tokens + ?Sized)) -> Option<&'a str> {
    if previous == next {
        return Some(previous);
    }
    is_reusable(&tokens.first_ids(previous, COMPARED), &tokens.first_ids(next, COMPARED)).then_some(previous)
}

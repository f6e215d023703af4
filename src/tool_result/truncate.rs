//! The whole way of a text that is too long.

use serde::Serialize;

use super::middle::{Cutting, Marker, cut};
use super::seam::Snap;
use super::{HEAD_SHARE, clean, json};
use crate::tokens::Tokenizer;

/// What is worth keeping besides both ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Keep {
    /// Nothing.
    #[default]
    Ends,
    /// Lines about errors, for up to a fifth of the room.
    Errors,
}

/// How a text is shortened.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// Most tokens of the result, marker included.
    pub limit: u64,
    /// Share of the head, 0 to 1; see [`HEAD_SHARE`].
    pub head: f64,
    pub keep: Keep,
    pub snap: Snap,
    /// Cut JSON as JSON.
    pub json: bool,
    /// Take out escape sequences and repetitions first.
    pub clean: bool,
    pub marker: Marker<'a>,
}

impl Rules<'_> {
    /// The defaults: ends at lines, JSON as JSON, noise first.
    pub fn new(limit: u64) -> Rules<'static> {
        let marker = Marker::Counts { recall: "" };
        Rules { limit, head: HEAD_SHARE, keep: Keep::Ends, snap: Snap::Lines, json: true, clean: true, marker }
    }
}

/// A text within its limit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Truncated {
    /// Absent if the input stays as it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Tokens of the result, and of the input.
    pub tokens: u64,
    pub before: u64,
    /// Tokens and lines that are missing.
    pub cut: u64,
    pub lines: usize,
    /// Lines about errors that were kept from the middle.
    pub errors: usize,
    /// Noise that was taken out.
    pub escapes: usize,
    pub repeated: usize,
    /// It was cut as JSON, and still is.
    pub json: bool,
}

/// Shortens a text to at most `rules.limit` tokens. The result never has more tokens than the input.
///
/// ```
/// use espalier::tokens::Tokenizer;
/// use espalier::tool_result::{Rules, truncate};
/// struct Words;
/// impl Tokenizer for Words {
///     fn count(&self, text: &str) -> u64 {
///         text.split_whitespace().count() as u64
///     }
/// }
/// let short = truncate(&"tick\n".repeat(1_000), Rules::new(10), &Words);
/// assert_eq!(short.text.as_deref(), Some("tick [1000 times]\n"));
/// ```
pub fn truncate(text: &str, rules: Rules, tokenizer: &dyn Tokenizer) -> Truncated {
    let before = tokenizer.count(text);
    let mut done = Truncated {
        text: None,
        tokens: before,
        before,
        cut: 0,
        lines: 0,
        errors: 0,
        escapes: 0,
        repeated: 0,
        json: false,
    };
    if before <= rules.limit {
        return done;
    }
    if rules.json
        && let Some(short) = json::shorten(text, rules.limit, tokenizer)
    {
        done.tokens = tokenizer.count(&short);
        return Truncated { cut: before - done.tokens, json: true, text: Some(short), ..done };
    }
    let cleaned = if rules.clean { clean::clean(text) } else { None };
    let (text, whole) = match &cleaned {
        Some(cleaned) => {
            (done.escapes, done.repeated) = (cleaned.escapes, cleaned.repeated);
            (cleaned.text.as_str(), tokenizer.count(&cleaned.text))
        }
        None => (text, before),
    };
    if whole <= rules.limit {
        return Truncated { text: Some(text.to_string()), tokens: whole, ..done };
    }
    let Rules { limit, head, keep, snap, marker, .. } = rules;
    let short = cut(text, whole, Cutting { limit, head, snap, keep, marker }, tokenizer);
    Truncated {
        text: Some(short.text),
        tokens: short.tokens,
        cut: short.cut,
        lines: short.lines,
        errors: short.errors,
        ..done
    }
}

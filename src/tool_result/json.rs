//! JSON that is cut and still JSON: long lists keep their first and last items, long texts their ends.

use serde_json::Value;

use super::seam::{Snap, end_of_head, start_of_tail};
use crate::tokens::Tokenizer;

/// Most items of a list, then most characters of a text, that are tried, from the most to the least.
const STEPS: [(usize, usize); 10] =
    [(200, 4_000), (100, 2_000), (50, 1_000), (25, 600), (12, 400), (8, 240), (5, 160), (3, 100), (2, 60), (1, 40)];

/// `text` as compact JSON of at most `limit` tokens, if it is JSON (an object or a list) and can be made that short.
///
/// ```
/// use espalier::tokens::Tokenizer;
/// use espalier::tool_result::json::shorten;
/// struct Quarters;
/// impl Tokenizer for Quarters {
///     fn count(&self, text: &str) -> u64 {
///         text.len().div_ceil(4) as u64
///     }
/// }
/// let list = format!("[{}0]", "1,".repeat(999));
/// let short = shorten(&list, 30, &Quarters).unwrap();
/// assert!(short.starts_with("[1,1,") && short.contains("\"[cut: ") && short.ends_with(",0]"));
/// assert!(serde_json::from_str::<Vec<serde_json::Value>>(&short).is_ok());
/// assert!(shorten("no JSON", 30, &Quarters).is_none());
/// ```
pub fn shorten(text: &str, limit: u64, tokenizer: &dyn Tokenizer) -> Option<String> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let value: Value = serde_json::from_str(text).ok()?;
    let at = |items: usize, characters: usize| {
        let out = cut(&value, items, characters).to_string();
        // More than eight bytes a token are rare enough not to count what cannot fit.
        ((out.len() as u64 / 64) <= limit && tokenizer.count(&out) <= limit).then_some(out)
    };
    let fits = STEPS.iter().position(|&(items, characters)| at(items, characters).is_some())?;
    // Between this step and the one above it, as many items as go.
    let (low, characters) = STEPS[fits];
    let (mut low, mut high) = (low, fits.checked_sub(1).map_or(longest(&value) + 1, |above| STEPS[above].0));
    let mut best = at(low, characters)?;
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        match at(middle, characters) {
            Some(out) => (low, best) = (middle, out),
            None => high = middle,
        }
    }
    Some(best)
}

/// Items of the longest list.
fn longest(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(longest).max().unwrap_or(0).max(items.len()),
        Value::Object(fields) => fields.values().map(longest).max().unwrap_or(0),
        _ => 0,
    }
}

// Recursion is safe here: the parser takes no more than 128 levels.
fn cut(value: &Value, items: usize, characters: usize) -> Value {
    match value {
        Value::Array(list) if list.len() > items + 1 => {
            let head = items.div_ceil(2);
            let tail = items - head;
            let note = Value::String(format!("[cut: {} items]", list.len() - items));
            let first = list[..head].iter().map(|item| cut(item, items, characters));
            let last = list[list.len() - tail..].iter().map(|item| cut(item, items, characters));
            Value::Array(first.chain([note]).chain(last).collect())
        }
        Value::Array(list) => list.iter().map(|item| cut(item, items, characters)).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, field)| (name.clone(), cut(field, items, characters))).collect())
        }
        Value::String(text) if text.len() > characters + 40 => {
            let end = end_of_head(text, characters / 2, Snap::Characters);
            let start = start_of_tail(text, text.len() - characters / 2, Snap::Characters);
            let missing = text[end..start].chars().count();
            Value::String(format!("{}[cut: {missing} characters]{}", &text[..end], &text[start..]))
        }
        other => other.clone(),
    }
}

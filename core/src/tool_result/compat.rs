//! Copilot Chat's rule (0.58): converts tokens to characters by the average of the whole text; 40 % come from the
//! beginning, 60 % from the end.

use crate::tokens::Tokenizer;

/// The marker between the two parts.
pub const MARKER: &str = "\n[Tool response was too long and was truncated.]\n";

/// Cuts `text` as Copilot Chat does; `None` if it stays whole. With a limit below 50 the result could be longer than
/// its input. Lengths are in UTF-16 units. The only difference is that a surrogate pair is never split.
///
/// ```
/// use espalier::tokens::Tokenizer;
/// use espalier::tool_result::compat::truncate;
/// struct Quarters;
/// impl Tokenizer for Quarters {
///     fn count(&self, text: &str) -> u64 {
///         text.len().div_ceil(4) as u64
///     }
/// }
/// assert_eq!(truncate(&"abcd".repeat(101), 100, &Quarters).map(|short| short.len()), Some(253));
/// assert_eq!(truncate(&"abcd".repeat(99), 100, &Quarters), None);
/// ```
pub fn truncate(text: &str, limit: u64, tokenizer: &dyn Tokenizer) -> Option<String> {
    let length: usize = text.chars().map(char::len_utf16).sum();
    if limit == 0 || (length as u64) < limit {
        return None;
    }
    let tokens = tokenizer.count(text);
    if tokens < limit {
        return None;
    }
    let kept = limit.saturating_sub(MARKER.len() as u64) as f64;
    let target = round(length as f64 / tokens as f64 * kept);
    let head = round(target * super::HEAD_SHARE);
    let head_end = offset(text, head as usize, false);
    let tail_start = offset(text, length.saturating_sub((target - head) as usize), true);
    Some(format!("{}{MARKER}{}", &text[..head_end], &text[tail_start..]))
}

/// Rounds as JavaScript does: halves go up.
fn round(value: f64) -> f64 {
    (value + 0.5).floor()
}

/// Returns the byte offset after `units` UTF-16 units; inside a pair, the pair's end or start.
fn offset(text: &str, units: usize, up: bool) -> usize {
    let mut passed = 0;
    for (at, c) in text.char_indices() {
        if passed >= units {
            return at;
        }
        if passed + c.len_utf16() > units && !up {
            return at;
        }
        passed += c.len_utf16();
    }
    text.len()
}

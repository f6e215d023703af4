//! Positions at which counts add up: `count(a + b) = count(a) + count(b)`, whatever lies on either side.
//!
//! A cut is before a space or tab that follows a printable ASCII character, and before a line end that follows an ASCII letter
//! or digit. In both patterns white space can only begin a piece or follow white space in it, with one exception (line ends
//! behind punctuation), so a piece ends at every cut; and no piece before it looks past it.

/// True if `at` is a cut of `text`.
///
/// ```
/// use espalier::tokens::is_cut;
/// assert!(is_cut("two words", 3));
/// assert!(!is_cut("two words", 4));
/// assert!(!is_cut("end.\n", 4)); // the line end may belong to the punctuation
/// ```
pub fn is_cut(text: &str, at: usize) -> bool {
    at > 0 && at < text.len() && between(text.as_bytes()[at - 1], text.as_bytes()[at])
}

#[inline(always)]
fn between(before: u8, behind: u8) -> bool {
    match behind {
        b' ' | b'\t' => (0x21..0x7F).contains(&before),
        b'\r' | b'\n' => before.is_ascii_alphanumeric(),
        _ => false,
    }
}

/// The first cut of `text` at or behind `from`.
pub(super) fn first(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    (from.max(1)..bytes.len()).find(|at| between(bytes[at - 1], bytes[*at]))
}

/// The last cut of `text` at or before `to`.
pub(super) fn last(text: &str, to: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    last_cut(&bytes[..bytes.len().min(to.saturating_add(1))])
}

/// The last cut inside a text (or the beginning of one) given as UTF-8 bytes. It is always between two characters.
pub fn last_cut(bytes: &[u8]) -> Option<usize> {
    (1..bytes.len()).rev().find(|at| between(bytes[at - 1], bytes[*at]))
}

/// Length of the first window of `text`: up to the last cut that keeps it within `size` bytes, else up to the first cut behind
/// that, else everything.
pub(super) fn window(text: &str, size: usize) -> usize {
    if text.len() <= size {
        return text.len();
    }
    last(text, size).or_else(|| first(text, size)).unwrap_or(text.len())
}

//! Positions at which counts add up: `count(a + b) = count(a) + count(b)`, whatever text is on either side.
//!
//! There is a cut before a space or tab that follows a printable ASCII character, before a line end that follows an
//! ASCII letter or digit, and after a line end if the next character is neither white space nor a slash. In both
//! patterns white space can only begin a piece or follow white space in it, with one exception (line ends and slashes
//! after punctuation), so a piece ends at every cut; and no piece before a cut depends on text after it.

/// True if `at` is a cut of `text`.
///
/// ```
/// use espalier::tokens::is_cut;
/// assert!(is_cut("two words", 3));
/// assert!(!is_cut("two words", 4));
/// assert!(!is_cut("end.\nNext", 4)); // the line end may belong to the punctuation
/// assert!(is_cut("end.\nNext", 5));
/// ```
pub fn is_cut(text: &str, at: usize) -> bool {
    at > 0 && at < text.len() && cuts(text.as_bytes(), at)
}

/// True if a text that ends with the byte `before` and one that begins with `behind` meet in a cut.
pub fn meet(before: u8, behind: &[u8]) -> bool {
    match behind {
        [] => false,
        [first] => cuts(&[before, *first], 1),
        [first, second, ..] => cuts(&[before, *first, *second], 1),
    }
}

#[inline(always)]
fn cuts(bytes: &[u8], at: usize) -> bool {
    let before = bytes[at - 1];
    match bytes[at] {
        b' ' | b'\t' => (0x21..0x7F).contains(&before),
        b'\r' | b'\n' => before.is_ascii_alphanumeric(),
        behind => matches!(before, b'\r' | b'\n') && goes_on(behind, bytes.get(at + 1).copied()),
    }
}

/// True if the character that begins with these bytes is certainly neither white space nor a slash. White space beyond
/// ASCII begins with C2, E1, E2 or E3 80.
#[inline(always)]
fn goes_on(first: u8, second: Option<u8>) -> bool {
    match first {
        b'/' => false,
        0x21..0x7F | 0xC3..=0xDF | 0xE4..=0xFF => true,
        0xE3 => second.is_some_and(|byte| byte > 0x80),
        _ => false,
    }
}

/// Returns the first cut of `text` at or after `from`.
pub(super) fn first(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    (from.max(1)..bytes.len()).find(|&at| cuts(bytes, at))
}

/// Returns the last cut of `text` at or before `to`.
pub(super) fn last(text: &str, to: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    last_cut(&bytes[..bytes.len().min(to.saturating_add(1))])
}

/// Returns the last cut inside a text (or the beginning of one) given as UTF-8 bytes. It is always between two
/// characters.
pub fn last_cut(bytes: &[u8]) -> Option<usize> {
    (1..bytes.len()).rev().find(|&at| cuts(bytes, at))
}

/// Returns the length of the first window of `text`: up to the last cut within `size` bytes, else up to the first cut
/// after that, else everything.
pub(super) fn window(text: &str, size: usize) -> usize {
    if text.len() <= size {
        return text.len();
    }
    last(text, size).or_else(|| first(text, size)).unwrap_or(text.len())
}

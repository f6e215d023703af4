//! Chooses where to cut a text: at the end of a line if one is near, else between words, else between two visible
//! characters.

use unicode_segmentation::GraphemeCursor;

/// Maximum distance that a cut may move to a better position, as a share of the kept text.
const REACH: f64 = 0.2;

/// Says whether cuts look for line ends and words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Snap {
    Lines,
    /// Only keeps characters whole, so that every token is used.
    Characters,
}

/// Returns the end of a beginning of `text` with at most `max` bytes.
///
/// ```
/// use espalier::tool_result::seam::{Snap, end_of_head};
/// let text = "first line\nsecond line\nthird";
/// assert_eq!(end_of_head(text, 12, Snap::Lines), 11);
/// assert_eq!(end_of_head(text, 20, Snap::Lines), 17); // between two words
/// assert_eq!(end_of_head(text, 20, Snap::Characters), 20);
/// ```
pub fn end_of_head(text: &str, max: usize, snap: Snap) -> usize {
    let max = character(text, text.floor_char_boundary(max), false);
    if snap == Snap::Characters || max == text.len() {
        return max;
    }
    let near = &text[text.ceil_char_boundary((max as f64 * (1.0 - REACH)).ceil() as usize)..max];
    let from = max - near.len();
    let line = near.rfind('\n').map(|at| from + at + 1);
    // A word ends here if white space follows.
    let whole = text[max..].starts_with(char::is_whitespace).then_some(max);
    let word = || near.rfind(char::is_whitespace).map(|at| from + at).filter(|at| *at > 0);
    line.or(whole).or_else(word).unwrap_or(max)
}

/// Returns the start of an end of `text` that begins at `min` bytes or later.
pub fn start_of_tail(text: &str, min: usize, snap: Snap) -> usize {
    let min = character(text, text.ceil_char_boundary(min), true);
    if snap == Snap::Characters || min == 0 || text[..min].ends_with('\n') {
        return min;
    }
    let reach = ((text.len() - min) as f64 * REACH) as usize;
    let near = &text[min..text.floor_char_boundary(min + reach)];
    let line = near.find('\n').map(|at| min + at + 1);
    let whole = text[..min].ends_with(char::is_whitespace).then_some(min);
    let word = || near.char_indices().find(|(_, c)| c.is_whitespace()).map(|(at, c)| min + at + c.len_utf8());
    line.or(whole).or_else(word).unwrap_or(min)
}

/// Returns the boundary between two visible characters nearest to `at`, after or before it.
fn character(text: &str, at: usize, behind: bool) -> usize {
    let mut cursor = GraphemeCursor::new(at, text.len(), true);
    match cursor.is_boundary(text, 0) {
        Ok(false) => {
            let found = if behind { cursor.next_boundary(text, 0) } else { cursor.prev_boundary(text, 0) };
            found.ok().flatten().unwrap_or(if behind { text.len() } else { 0 })
        }
        _ => at,
    }
}

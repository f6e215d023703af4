//! Chooses where to cut a text: at the end of a line if one is near, else between words, else between two visible
//! characters.

use unicode_segmentation::GraphemeCursor;

/// Max distance that a cut may move to a better position, as a share of the kept text.
const REACH: f64 = 0.2;

/// Says whether cuts look for line ends and words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Snap {
    Lines,
    /// Only keeps characters whole, so that every token is used.
    Characters,
}

/// Returns the end of a beginning of `text` with at most `most` bytes.
///
/// ```
/// use espalier::tool_result::seam::{Snap, end_of_head};
/// let text = "first line\nsecond line\nthird";
/// assert_eq!(end_of_head(text, 12, Snap::Lines), 11);
/// assert_eq!(end_of_head(text, 20, Snap::Lines), 17); // between two words
/// assert_eq!(end_of_head(text, 20, Snap::Characters), 20);
/// ```
pub fn end_of_head(text: &str, most: usize, snap: Snap) -> usize {
    let most = character(text, text.floor_char_boundary(most), false);
    if snap == Snap::Characters || most == text.len() {
        return most;
    }
    let near = &text[text.ceil_char_boundary((most as f64 * (1.0 - REACH)).ceil() as usize)..most];
    let from = most - near.len();
    let line = near.rfind('\n').map(|at| from + at + 1);
    // A word ends here if white space follows.
    let whole = text[most..].starts_with(char::is_whitespace).then_some(most);
    let word = || near.rfind(char::is_whitespace).map(|at| from + at).filter(|at| *at > 0);
    line.or(whole).or_else(word).unwrap_or(most)
}

/// Returns the start of an end of `text` that begins at `least` bytes or later.
pub fn start_of_tail(text: &str, least: usize, snap: Snap) -> usize {
    let least = character(text, text.ceil_char_boundary(least), true);
    if snap == Snap::Characters || least == 0 || text[..least].ends_with('\n') {
        return least;
    }
    let reach = ((text.len() - least) as f64 * REACH) as usize;
    let near = &text[least..text.floor_char_boundary(least + reach)];
    let line = near.find('\n').map(|at| least + at + 1);
    let whole = text[..least].ends_with(char::is_whitespace).then_some(least);
    let word = || near.char_indices().find(|(_, c)| c.is_whitespace()).map(|(at, c)| least + at + c.len_utf8());
    line.or(whole).or_else(word).unwrap_or(least)
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

//! Sentences and lines.

use std::borrow::Cow;

/// Sentences and lines, trimmed.
pub fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let mut rest = line;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let end = rest
                .match_indices(['.', '!', '?'])
                .map(|(at, mark)| at + mark.len())
                .find(|&end| rest[end..].starts_with(' '))
                .unwrap_or(rest.len());
            let (sentence, more) = rest.split_at(end);
            rest = more.trim_start();
            Some(sentence.trim())
        })
        .filter(|sentence| !sentence.is_empty())
    })
}

/// A text as one line of at most `bytes` bytes, blanks collapsed.
pub fn one_line(text: &str, bytes: usize) -> String {
    // Only as much as can be shown is looked at.
    let window = &text[..text.floor_char_boundary(bytes.saturating_mul(4).saturating_add(64))];
    let line = window.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= bytes && window.len() == text.len() { line } else { stem(&line, bytes) }
}

/// A text as one line, its blanks as they are: what was written can be found again by searching for it.
pub fn flat(text: &str, bytes: usize) -> String {
    let text = text.trim();
    let short = &text[..text.floor_char_boundary(bytes)];
    let mut out = String::with_capacity(short.len() + 3);
    for (at, line) in short.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).enumerate() {
        if at > 0 {
            out.push(' ');
            out.push_str(line.trim());
        } else {
            out.push_str(line.trim_end());
        }
    }
    if short.len() < text.len() { out + ELLIPSIS } else { out }
}

/// What ends a line that was cut.
pub const ELLIPSIS: &str = "…";

/// The first `bytes` bytes, and a mark that there was more.
pub fn stem(line: &str, bytes: usize) -> String {
    let end = line.floor_char_boundary(bytes);
    if end == line.len() { line.to_string() } else { format!("{}{ELLIPSIS}", line[..end].trim_end()) }
}

/// True if one of `words` (lower case) stands in `text` as a word or phrase of its own, whatever its case (ASCII). One walk, no copy.
pub fn has_word(text: &str, words: &[&str]) -> bool {
    let bytes = text.as_bytes();
    let mut inside = false;
    for (at, c) in text.char_indices() {
        let starts = !inside;
        inside = c.is_alphanumeric();
        if !starts || !inside {
            continue;
        }
        let first = bytes[at].to_ascii_lowercase();
        let found = words.iter().any(|word| {
            let word = word.as_bytes();
            let end = at + word.len();
            word.first() == Some(&first)
                && bytes.get(at..end).is_some_and(|there| there.eq_ignore_ascii_case(word))
                && !text.get(end..).and_then(|rest| rest.chars().next()).is_some_and(char::is_alphanumeric)
        });
        if found {
            return true;
        }
    }
    false
}

/// The text with straight apostrophes; mostly it has no others and is not copied.
pub fn straight(text: &str) -> Cow<'_, str> {
    if text.contains('’') { Cow::Owned(text.replace('’', "'")) } else { Cow::Borrowed(text) }
}

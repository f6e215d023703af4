//! Offsets, lines and white space as JavaScript has them.

/// Returns the length of `text` in UTF-16 code units.
pub fn utf16_len(text: &str) -> usize {
    count_units(text.as_bytes())
}

fn count_units(bytes: &[u8]) -> usize {
    // Every byte that begins a character is one unit, a character of four bytes is two.
    sum(bytes, |byte| u8::from(byte & 0xC0 != 0x80) + u8::from(byte >= 0xF0))
}

/// Returns the number of line feeds in `text`.
pub fn count_feeds(text: &str) -> usize {
    sum(text.as_bytes(), |byte| u8::from(byte == b'\n'))
}

/// Adds up what `of` says of each byte, at most 2. In chunks whose sums fit in a byte, many bytes are added at once.
fn sum(bytes: &[u8], of: impl Fn(u8) -> u8) -> usize {
    let of_chunk = |chunk: &[u8]| usize::from(chunk.iter().fold(0u8, |sum, &byte| sum.wrapping_add(of(byte))));
    bytes.chunks(127).map(of_chunk).sum()
}

/// Returns the byte offset of a UTF-16 offset: at most the end of `text`, and before a character that the
/// offset would split.
pub fn byte_offset(text: &str, utf16: usize) -> usize {
    let mut units = 0;
    let mut start = 0;
    for chunk in text.as_bytes().chunks(4_096) {
        let of_chunk = count_units(chunk);
        if units + of_chunk > utf16 {
            break;
        }
        (units, start) = (units + of_chunk, start + chunk.len());
    }
    for (index, byte) in text.bytes().enumerate().skip(start) {
        if byte & 0xC0 == 0x80 {
            continue;
        }
        let next = units + 1 + usize::from(byte >= 0xF0);
        if next > utf16 {
            return index;
        }
        units = next;
    }
    text.len()
}

/// Returns the longest end of `text` with at most `units` UTF-16 code units.
pub fn last_units(text: &str, units: usize) -> &str {
    if text.len() <= units {
        return text;
    }
    let mut left = units;
    for (index, character) in text.char_indices().rev() {
        match left.checked_sub(character.len_utf16()) {
            Some(rest) => left = rest,
            None => return &text[index + character.len_utf8()..],
        }
    }
    text
}

/// Returns the longest beginning of `text` with at most `units` UTF-16 code units.
pub fn first_units(text: &str, units: usize) -> &str {
    if text.len() <= units {
        return text;
    }
    let mut left = units;
    for (index, character) in text.char_indices() {
        match left.checked_sub(character.len_utf16()) {
            Some(rest) => left = rest,
            None => return &text[..index],
        }
    }
    text
}

/// Says whether `String.prototype.trim` removes a character.
pub fn is_space(character: char) -> bool {
    character == '\u{FEFF}' || character.is_whitespace() && character != '\u{85}'
}

/// Splits a prompt's prefix into the text to send and the white space of a blank last line, which models
/// continue badly.
///
/// ```
/// assert_eq!(espalier_inline::trim_last_line("a\n\t\t"), ("a\n", "\t\t"));
/// ```
pub fn trim_last_line(text: &str) -> (&str, &str) {
    let start = text.rfind('\n').map_or(0, |feed| feed + 1);
    if text[start..].chars().all(is_space) { text.split_at(start) } else { (text, "") }
}

/// Calls `visit` with each line, which keeps all line feeds behind it: an empty line belongs to the line before it.
pub fn lines_with_feeds<'a>(text: &'a str, mut visit: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let mut start = 0;
    for index in 1..bytes.len() {
        if bytes[index - 1] == b'\n' && bytes[index] != b'\n' {
            visit(&text[start..index]);
            start = index;
        }
    }
    if start < bytes.len() {
        visit(&text[start..]);
    }
}

/// Returns the text from `lines` lines before the end of `text`: its last line counts, complete or not.
pub fn last_lines(text: &str, lines: usize) -> &str {
    if lines == 0 {
        return "";
    }
    let feed = text.bytes().enumerate().rev().filter(|(_, byte)| *byte == b'\n').nth(lines - 1);
    feed.map_or(text, |(index, _)| &text[index + 1..])
}

/// Returns a name as one line: control characters become spaces.
pub fn one_line(name: &str) -> String {
    name.chars().map(|character| if character.is_control() { ' ' } else { character }).collect()
}

#[cfg(test)]
mod tests {
    use super::{byte_offset, first_units, last_units, utf16_len};

    #[test]
    fn offsets_of_both_kinds() {
        let text = "aé中🦀\n".repeat(1_500);
        let mut units = 0;
        for (index, character) in text.char_indices() {
            assert_eq!(byte_offset(&text, units), index);
            if character.len_utf16() == 2 {
                assert_eq!(byte_offset(&text, units + 1), index);
            }
            units += character.len_utf16();
        }
        assert_eq!((byte_offset(&text, units), byte_offset(&text, usize::MAX)), (text.len(), text.len()));
        assert_eq!(utf16_len(&text), units);
        assert_eq!((first_units("a🦀b", 2), last_units("a🦀b", 2)), ("a", "b"));
        assert_eq!((first_units("a🦀b", 3), last_units("a🦀b", 3)), ("a🦀", "🦀b"));
    }
}

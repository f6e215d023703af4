//! Offsets, lines and white space as JavaScript has them.

/// Returns the length of `text` in UTF-16 code units.
pub fn utf16_len(text: &str) -> usize {
    // Every byte that begins a character is one unit, a character of four bytes is two.
    text.bytes().map(|byte| usize::from(byte & 0xC0 != 0x80) + usize::from(byte >= 0xF0)).sum()
}

/// Returns the byte offset of a UTF-16 offset: at most the end of `text`, and before a character that the
/// offset would split.
pub fn byte_offset(text: &str, utf16: usize) -> usize {
    let mut units = 0;
    for (index, byte) in text.bytes().enumerate() {
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

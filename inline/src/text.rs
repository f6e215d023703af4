//! Offsets, lines and white space by JavaScript's rules.

/// Returns the length of `text` in UTF-16 code units.
pub fn utf16_len(text: &str) -> usize {
    count_units(text.as_bytes())
}

fn count_units(bytes: &[u8]) -> usize {
    // Every byte that begins a character is one unit; a character of four bytes is two. Reads eight bytes at a time:
    // engines without vector instructions run this at every keystroke, too.
    let (words, rest) = bytes.as_chunks::<8>();
    let mut units = words.len() * 8;
    for word in words {
        let word = u64::from_le_bytes(*word);
        if word & (ONES << 7) != 0 {
            let [first, second, third, fourth] = [word >> 7, word >> 6, word >> 5, word >> 4];
            units -= (first & !second & ONES).count_ones() as usize;
            units += (first & second & third & fourth & ONES).count_ones() as usize;
        }
    }
    units + rest.iter().map(|byte| usize::from(byte & 0xC0 != 0x80) + usize::from(*byte >= 0xF0)).sum::<usize>()
}

/// The lowest bit of each of eight bytes.
const ONES: u64 = 0x0101_0101_0101_0101;

/// Returns the number of line feeds in `text`.
pub fn count_feeds(text: &str) -> usize {
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let mut feeds = 0;
    for word in words {
        // The highest bit of each byte of `low` is set unless the byte's other bits are 0.
        let differs = u64::from_le_bytes(*word) ^ (ONES * u64::from(b'\n'));
        let low = (differs & (ONES * 0x7F)) + ONES * 0x7F;
        feeds += (!(low | differs) & (ONES << 7)).count_ones() as usize;
    }
    feeds + rest.iter().filter(|byte| **byte == b'\n').count()
}

/// Returns the length of the beginning that two texts share, in bytes.
pub fn shared_len(a: &[u8], b: &[u8]) -> usize {
    let (of_a, of_b) = (a.as_chunks::<32>().0, b.as_chunks::<32>().0);
    let same = 32 * of_a.iter().zip(of_b).take_while(|(a, b)| a == b).count();
    same + a[same..].iter().zip(&b[same..]).take_while(|(a, b)| a == b).count()
}

/// Returns the byte offset of a UTF-16 offset: at most the end of `text`, and the start of a character that the offset
/// would split.
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

/// True if `String.prototype.trim` removes the character.
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

/// Calls `visit` with each line, including all line feeds after it: an empty line belongs to the line before it.
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
    use super::{byte_offset, count_feeds, first_units, last_units, shared_len, utf16_len};

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
        for start in (0..text.len()).filter(|&start| start < 40 && text.is_char_boundary(start)) {
            assert_eq!(utf16_len(&text[start..]), text[start..].encode_utf16().count());
            assert_eq!(count_feeds(&text[start..]), text[start..].matches('\n').count());
        }
        assert_eq!(count_feeds("\u{8A}\n\u{10A}\u{B}\n\n\t\n"), 4);
        for same in [0, 1, 31, 32, 33, 64, 70] {
            let other = format!("{}#", &"x".repeat(80)[..same]);
            assert_eq!(shared_len("x".repeat(80).as_bytes(), other.as_bytes()), same);
        }
        assert_eq!((first_units("a🦀b", 2), last_units("a🦀b", 2)), ("a", "b"));
        assert_eq!((first_units("a🦀b", 3), last_units("a🦀b", 3)), ("a🦀", "🦀b"));
    }
}

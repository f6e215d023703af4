//! Classes of characters, as far as the split patterns of the encodings distinguish them.

use super::padded::{FILL, Padded};
use std::sync::OnceLock;

/// A class is a small number, so that tables of them stay small and ranges of classes can be tested in one comparison.
pub(super) type Class = u8;

/// Punctuation, symbols, controls and all unassigned code points.
pub(super) const OTHER: Class = 0;
/// Upper and title case letters (Lu, Lt).
pub(super) const UPPER: Class = 1;
/// Lower case letters (Ll).
pub(super) const LOWER: Class = 2;
/// Letters without case (Lm, Lo).
pub(super) const LETTER: Class = 3;
/// Marks (M).
pub(super) const MARK: Class = 4;
/// Numbers (N).
pub(super) const NUMBER: Class = 5;
/// White space other than line ends.
pub(super) const SPACE: Class = 6;
/// Carriage return and line feed.
pub(super) const NEWLINE: Class = 7;
/// A byte of a character outside ASCII, whose class needs a look-up.
pub(super) const WIDE: Class = 8;
/// The padding behind the text.
pub(super) const END: Class = 9;

/// Classes of single bytes.
pub(super) static BYTES: [Class; 256] = byte_classes();

const fn byte_classes() -> [Class; 256] {
    let mut table = [WIDE; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = match byte as u8 {
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            b'0'..=b'9' => NUMBER,
            b'\r' | b'\n' => NEWLINE,
            b'\t' | 0x0B | 0x0C | b' ' => SPACE,
            _ => OTHER,
        };
        byte += 1;
    }
    table[FILL as usize] = END;
    table
}

/// Ranges of code points from U+0080 on, in ascending order; code points outside all ranges are [`OTHER`]. Each range
/// is two variable-length numbers (seven bits a byte, low ones first): the distance from the end of the previous range,
/// and (length - 1) x 8 + class. `vocabulary/src/bin/classes.rs` writes them from regex-syntax, the tables that
/// tiktoken uses.
pub(super) static RANGES: &[u8] = include_bytes!("classes.bin");

/// True for letters (Unicode's general category L).
///
/// ```
/// use espalier::tokens::is_letter;
/// assert!(is_letter('ß') && is_letter('中') && !is_letter('Ⓐ') && !is_letter('_') && !is_letter('\u{301}'));
/// ```
pub fn is_letter(character: char) -> bool {
    matches!(Classes::get().of(character as u32), UPPER | LOWER | LETTER)
}

/// Number of pages of 256 code points. One more than Unicode needs, so that every number that four bytes of UTF-8 can
/// encode has a page.
const PAGES: usize = 0x2000;

/// Classes of all code points, in two levels: equal pages are stored once.
pub(super) struct Classes {
    page_of: [u8; PAGES],
    pages: Vec<[Class; 256]>,
}

impl Classes {
    /// Returns the one table of the process, unpacked on first use.
    pub fn get() -> &'static Classes {
        static TABLE: OnceLock<Classes> = OnceLock::new();
        TABLE.get_or_init(Classes::unpack)
    }

    fn unpack() -> Classes {
        let mut classes = Classes { page_of: [0; PAGES], pages: vec![[OTHER; 256]] };
        let mut current = (0usize, [OTHER; 256]);
        current.1[..128].copy_from_slice(&BYTES[..128]);
        let mut ranges = Ranges { bytes: RANGES, next: 0x80 };
        while let Some((start, end, class)) = ranges.read() {
            let mut at = start;
            while at <= end {
                if at >> 8 != current.0 {
                    classes.keep(current);
                    current = (at >> 8, [OTHER; 256]);
                }
                let last = end.min(at | 0xFF);
                current.1[at & 0xFF..=last & 0xFF].fill(class);
                at = last + 1;
            }
        }
        classes.keep(current);
        classes
    }

    fn keep(&mut self, (number, page): (usize, [Class; 256])) {
        let index = self.pages.iter().position(|kept| *kept == page).unwrap_or_else(|| {
            self.pages.push(page);
            self.pages.len() - 1
        });
        // A test ensures that there are fewer than 256 different pages.
        self.page_of[number & (PAGES - 1)] = index as u8;
    }

    /// Returns the class of a code point.
    #[inline(always)]
    pub fn of(&self, code: u32) -> Class {
        self.pages[self.page_of[(code >> 8) as usize & (PAGES - 1)] as usize][code as usize & 0xFF]
    }

    /// Returns the class of the character that begins at `at`, and the start of the next one. [`END`] in the padding.
    #[inline(always)]
    pub fn at(&self, text: Padded, at: usize) -> (Class, usize) {
        let first = text.byte(at);
        let class = BYTES[first as usize];
        if class != WIDE {
            return (class, at + 1);
        }
        self.wide(text, at)
    }

    /// Handles a character outside ASCII. A function of its own, because it would otherwise be inlined in a dozen
    /// places, and engines take longer to optimise larger code.
    #[inline(never)]
    fn wide(&self, text: Padded, at: usize) -> (Class, usize) {
        let first = u32::from(text.byte(at));
        let tail = |offset: usize| u32::from(text.byte(at + offset) & 0x3F);
        if first < 0xE0 {
            return (self.of((first & 0x1F) << 6 | tail(1)), at + 2);
        }
        if first < 0xF0 {
            return (self.of((first & 0x0F) << 12 | tail(1) << 6 | tail(2)), at + 3);
        }
        (self.of((first & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3)), at + 4)
    }
}

/// Reads [`RANGES`].
struct Ranges<'a> {
    bytes: &'a [u8],
    next: usize,
}

impl Ranges<'_> {
    /// Returns the next range: first and last code point, class.
    fn read(&mut self) -> Option<(usize, usize, Class)> {
        let start = self.next + self.number()?;
        let rest = self.number()?;
        let end = start + (rest >> 3);
        self.next = end + 1;
        Some((start, end, (rest & 7) as Class))
    }

    fn number(&mut self) -> Option<usize> {
        let (mut value, mut shift) = (0, 0);
        loop {
            let (byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            value |= ((byte & 0x7F) as usize) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_fit_their_numbers() {
        assert!(Classes::get().pages.len() <= 256, "{} pages", Classes::get().pages.len());
    }

    #[test]
    fn classes_of_well_known_characters() {
        let check = |c: char, class: Class| assert_eq!(Classes::get().of(c as u32), class, "{c:?}");
        check('A', UPPER);
        check('ß', LOWER);
        check('ǅ', UPPER);
        check('あ', LETTER);
        check('ʰ', LETTER);
        check('\u{301}', MARK);
        check('²', NUMBER);
        check('\u{85}', SPACE);
        check('\u{3000}', SPACE);
        check('\u{FEFF}', OTHER);
        check('😀', OTHER);
        check('\u{10FFFF}', OTHER);
    }
}

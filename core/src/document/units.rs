//! Conversion between UTF-16 code units and bytes; and lines.

/// Returns the byte at which each UTF-16 unit of a text begins, and the end of the text. The second unit of a pair has
/// the byte of the first. Empty for ASCII, where units are bytes.
pub fn bytes(text: &str) -> Vec<u32> {
    if text.is_ascii() {
        return Vec::new();
    }
    let mut bytes = Vec::with_capacity(text.len() + 1);
    for (at, character) in text.char_indices() {
        bytes.extend(std::iter::repeat_n(at as u32, character.len_utf16()));
    }
    bytes.push(text.len() as u32);
    bytes
}

/// Returns the offsets of the line feeds in bytes.
pub fn feeds(text: &str) -> Vec<u32> {
    let feeds = text.bytes().zip(0..).filter(|(byte, _)| *byte == b'\n');
    feeds.map(|(_, at)| at).collect()
}

/// The bytes between two known places.
const STRIDE: usize = 64;

/// Converts bytes of one text to UTF-16 units in constant time, and back.
///
/// ```
/// use espalier::document::units::Units;
/// let text = "a😀b";
/// let units = Units::new(text);
/// assert_eq!((units.of(text, 0), units.of(text, 1), units.of(text, 5), units.of(text, 6)), (0, 1, 3, 4));
/// assert_eq!((units.byte(text, 1), units.byte(text, 3), units.byte(text, 9)), (1, 5, 6));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Units {
    /// The units before every 64th byte; empty for ASCII.
    known: Vec<u32>,
}

impl Units {
    /// Reads a text once.
    pub fn new(text: &str) -> Units {
        if text.is_ascii() {
            return Units::default();
        }
        let mut units = 0;
        let before = |bytes| {
            let before = units;
            units += widths(bytes);
            before
        };
        Units { known: text.as_bytes().chunks(STRIDE).map(before).collect() }
    }

    /// Returns the UTF-16 unit at a byte of the text; the end for bytes behind it.
    pub fn of(&self, text: &str, byte: u32) -> u32 {
        let at = (byte as usize).min(text.len());
        if self.known.is_empty() {
            return at as u32;
        }
        let place = (at / STRIDE).min(self.known.len() - 1);
        let between = text.as_bytes().get(place * STRIDE..at).unwrap_or_default();
        self.known[place] + widths(between)
    }
}

impl Units {
    /// Returns the byte at which the character of a UTF-16 unit begins; the end for units behind the text.
    pub fn byte(&self, text: &str, unit: u32) -> u32 {
        if self.known.is_empty() {
            return unit.min(text.len() as u32);
        }
        let place = self.known.partition_point(|before| *before <= unit).saturating_sub(1);
        let mut units = self.known[place];
        let rest = text.as_bytes().iter().enumerate().skip(place * STRIDE);
        for (at, byte) in rest {
            units += width(*byte);
            if unit < units {
                return at as u32;
            }
        }
        text.len() as u32
    }
}

/// Counts the units of the characters that begin in a stretch, eight bytes at a time.
fn widths(bytes: &[u8]) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (words, rest) = bytes.as_chunks::<8>();
    let of = |word: &[u8; 8]| {
        let word = u64::from_le_bytes(*word);
        let high = word >> 7 & ONES;
        let twice = high & word >> 6 & word >> 5 & word >> 4;
        8 + twice.count_ones() - (high & !(word >> 6)).count_ones()
    };
    words.iter().map(of).sum::<u32>() + rest.iter().map(|byte| width(*byte)).sum::<u32>()
}

/// Returns the units of a character by its first byte; 0 for other bytes.
fn width(byte: u8) -> u32 {
    match byte {
        0x80..=0xbf => 0,
        0xf0.. => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::Units;

    #[test]
    fn units_are_those_of_utf16_at_every_byte() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..200 {
            let text: String =
                (0..rng.usize(..200)).map(|_| ['a', '~', 'é', '…', '日', '😀'][rng.usize(..6)]).collect();
            let units = Units::new(&text);
            let mut before = 0;
            for (at, character) in text.char_indices() {
                assert_eq!(units.of(&text, at as u32), before, "{text} {at}");
                before += character.len_utf16() as u32;
            }
            assert_eq!(units.of(&text, text.len() as u32), before);
        }
    }
}

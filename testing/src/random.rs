//! Random texts with many fragments that split and merge: the same ones on every run.

/// A small generator of random numbers (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next_u64(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// Returns a number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (((self.next_u64() >> 32) * limit as u64) >> 32) as usize
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Returns a text of up to `fragments` fragments.
    pub fn text(&mut self, fragments: usize) -> String {
        let mut text = String::new();
        for _ in 0..=self.below(fragments) {
            self.fragment(&mut text);
        }
        text
    }

    fn fragment(&mut self, text: &mut String) {
        match self.below(16) {
            0..=3 => text.push_str(self.pick(&WORDS)),
            4..=5 => text.push_str(self.pick(&SPACES)),
            6..=7 => text.push(self.pick(&MARKS_AND_SIGNS)),
            8 => text.push(self.below(0x80) as u8 as char),
            9 => text.extend(char::from_u32(self.below(0x3000) as u32)),
            10 => text.extend(char::from_u32(self.below(0x11_0000) as u32)),
            11 => {
                let character = self.pick(&MARKS_AND_SIGNS);
                let times = 1 + self.below(12);
                text.extend(std::iter::repeat_n(character, times));
            }
            12 => (0..=self.below(8)).for_each(|_| text.push((b'0' + self.below(10) as u8) as char)),
            13 => (0..=self.below(12)).for_each(|_| {
                let letter = (b'a' + self.below(26) as u8) as char;
                text.push(if self.below(3) == 0 { letter.to_ascii_uppercase() } else { letter });
            }),
            14 => (0..=self.below(6)).for_each(|_| text.extend(char::from_u32(0x4E00 + self.below(0x5000) as u32))),
            _ => text.push_str(self.pick(&CONTRACTIONS)),
        }
    }
}

const WORDS: [&str; 24] = [
    "the",
    " hello",
    "World",
    " don't",
    "XMLHttpRequest",
    "camelCaseName",
    " ÉCOLE",
    "straße",
    "привет",
    " Москва",
    "日本語",
    "한국어",
    "ไทย",
    "नमस्ते",
    "العربية",
    "ǅungla",
    "ʰʷa",
    "<|endoftext|>",
    "<|im_start|>",
    "function",
    "return",
    "==>",
    "://",
    "/*",
];
const SPACES: [&str; 16] = [
    " ", "  ", "   ", "\n", "\r\n", "\n\n", "\t", " \n", "\n ", "\u{A0}", "\u{3000}", "\u{85}", "\u{FEFF}", "\u{2028}",
    "\u{B}", " \t ",
];
const MARKS_AND_SIGNS: [char; 24] = [
    '\u{301}',
    '\u{308}',
    '\u{93F}',
    '\u{200D}',
    '\u{FE0F}',
    '😀',
    '👍',
    '!',
    '.',
    '/',
    '\'',
    '"',
    '_',
    '-',
    '=',
    '²',
    'Ⅷ',
    '٣',
    'ª',
    'ſ',
    '\u{0}',
    '\u{7F}',
    '\u{FFFD}',
    '\u{10FFFF}',
];
const CONTRACTIONS: [&str; 14] =
    ["'s", "'S", "'ſ", "'t", "'re", "'RE", "'ve", "'m", "'ll", "'Ll", "'d", "'", "''", "'x"];

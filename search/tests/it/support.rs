//! Tokenizers that need no vocabulary, and random sources.

use espalier_core::tokens::Tokenizer;

/// A token for each word and each sign.
pub struct Words;

impl Tokenizer for Words {
    fn count(&self, text: &str) -> u64 {
        let mut count = 0;
        let mut in_word = false;
        for character in text.chars() {
            let is_word = character.is_alphanumeric();
            count += u64::from(!(is_word && in_word || matches!(character, ' ' | '\t')));
            in_word = is_word;
        }
        count
    }
}

/// Counts of parts that do not add up: a third of the bytes, rounded up.
pub struct Thirds;

impl Tokenizer for Thirds {
    fn count(&self, text: &str) -> u64 {
        text.len().div_ceil(3) as u64
    }
}

const PARTS: [&str; 22] = [
    "oak",
    "pine",
    "birchTree",
    "HTMLParser",
    "MAX_TOKEN_COUNT",
    "élanVital",
    "utf8",
    "x86_64",
    "中文字符",
    "$scope",
    "naïve2",
    "Größe",
    "parseURLs",
    "3birch",
    "_private",
    "ab",
    "oak",
    "the",
    "tree.leaf",
    "ΔeltaValue",
    "Ⓐlpha",
    "tōkyō",
];

/// Returns lines of words that repeat across texts.
pub fn text(random: &mut fastrand::Rng, lines: usize) -> String {
    let mut text = String::new();
    for _ in 0..lines {
        let indent = random.usize(..4) * 2;
        text.extend(std::iter::repeat_n(' ', indent));
        for _ in 0..random.usize(..9) {
            text.push_str(PARTS[random.usize(..PARTS.len())]);
            text.push_str([" ", "", ", ", "(", ") "][random.usize(..5)]);
        }
        text.push_str(["\n", "\n", "\n", "\r\n", "\n\n", "\n \n\n"][random.usize(..6)]);
    }
    text
}

//! Words of code for comparing snippets, without stop words.

/// The characters of words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Alphabet {
    /// ASCII letters and digits, as in Copilot Chat.
    Ascii,
    /// Letters and digits of every script.
    Unicode,
}

/// Words of programming languages, then of English; compared in their exact case. Sorted for binary search.
#[rustfmt::skip]
const STOP_WORDS: [&str; 128] = [
    "TODO", "a", "about", "above", "after", "again", "all", "an", "and", "any", "are", "as", "assert", "at",
    "be", "because", "been", "before", "being", "below", "between", "both", "break", "but", "by", "can",
    "case", "catch", "class", "const", "continue", "def", "did", "do", "does", "doing", "don", "down",
    "during", "each", "else", "enum", "few", "finally", "for", "from", "function", "further", "had", "has",
    "have", "having", "here", "how", "if", "import", "in", "into", "is", "it", "its", "just", "match", "more",
    "most", "new", "no", "not", "now", "of", "off", "on", "once", "only", "or", "other", "our", "out", "over",
    "own", "raise", "repeat", "return", "s", "same", "should", "so", "some", "static", "struct", "such",
    "super", "switch", "t", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "through", "to", "too", "try", "under", "until", "up", "var", "very", "was", "we", "were",
    "what", "when", "where", "which", "while", "who", "why", "will", "with", "would", "you",
];

fn is_stop_word(word: &str) -> bool {
    // The longest is `continue`.
    word.len() <= 8 && STOP_WORDS.binary_search(&word).is_ok()
}

/// Calls `visit` with each word of `text` that is not a stop word, in order.
///
/// ```
/// let mut found = Vec::new();
/// espalier_inline::words("return élan_2 + If", espalier_inline::Alphabet::Ascii, |word| found.push(word));
/// assert_eq!(found, ["lan", "2", "If"]);
/// ```
pub fn words<'a>(text: &'a str, alphabet: Alphabet, mut visit: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        let start = index;
        while index < bytes.len() {
            match bytes[index] {
                byte if byte.is_ascii_alphanumeric() => index += 1,
                0x80.. if alphabet == Alphabet::Unicode => match text[index..].chars().next() {
                    Some(wide) if wide.is_alphanumeric() => index += wide.len_utf8(),
                    _ => break,
                },
                _ => break,
            }
        }
        if index > start {
            let word = &text[start..index];
            if !is_stop_word(word) {
                visit(word);
            }
        } else {
            index += 1;
            while !text.is_char_boundary(index) {
                index += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::STOP_WORDS;

    #[test]
    fn stop_words_can_be_searched() {
        assert!(STOP_WORDS.is_sorted());
        assert!(STOP_WORDS.iter().all(|word| word.len() <= 8));
    }
}

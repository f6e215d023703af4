//! Messages of the user, and the sentences in them that constrain the work.

use super::quoted::own_words;
use super::text::{has_word, sentences, straight};

/// A message of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub id: String,
    pub text: String,
    /// It stands in an earlier record and may be shortened there.
    pub is_earlier: bool,
}

/// A sentence that constrains the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraint {
    pub id: String,
    pub sentence: String,
}

/// Stands in the place of a message's id for a fact that was pinned in words.
pub const PINNED: &str = "pinned";

/// Longer sentences are texts, not rules, in bytes.
const LONGEST: usize = 400;

/// Words that make a sentence a rule rather than a wish.
const MARKERS: [&str; 18] = [
    "must",
    "mustn't",
    "never",
    "always",
    "only",
    "don't",
    "dont",
    "do not",
    "prefer",
    "make sure",
    "should not",
    "shouldn't",
    "instead of",
    "rather than",
    "no need",
    "ensure",
    "required",
    "forbidden",
];

/// Rules of one message. More of them are a text that was pasted.
pub const PER_MESSAGE: usize = 40;

/// The sentences of a text that constrain the work, quoted ones left out; `more` are the host's own markers, in lower
/// case.
pub fn constraints<'a>(text: &'a str, more: &'a [String]) -> impl Iterator<Item = &'a str> {
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let sentences = own_words(text).into_iter().flat_map(sentences);
    sentences.filter(|sentence| sentence.len() <= LONGEST && !is_quotation(sentence)).filter(move |sentence| {
        has_word(&straight(sentence), &MARKERS) || !more.is_empty() && has_word(&sentence.to_lowercase(), &more)
    })
}

/// True for a sentence that is quoted as a whole.
fn is_quotation(sentence: &str) -> bool {
    const PAIRS: [(char, char); 5] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('`', '`')];
    let bare = sentence.trim_end_matches(['.', '!', '?', ',', ';', ':']);
    PAIRS.iter().any(|&(open, close)| {
        bare.strip_prefix(open).is_some_and(|rest| rest.strip_suffix(close).is_some_and(|inner| !inner.contains(close)))
    })
}

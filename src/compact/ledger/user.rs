//! Messages of the user, and the sentences in them that constrain the work.

use super::quoted::own_words;
use super::text::{one_line, sentences};
use crate::compact::facts::rules::{is_question, is_rule};
use crate::compact::facts::score::needs_previous;

/// A message of the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub id: String,
    pub text: String,
    /// It stands in an earlier record and may be shortened there.
    pub is_earlier: bool,
    /// All that it says was replaced by a later message.
    pub is_replaced: bool,
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

/// Rules of one message. More of them are a text that was pasted.
pub const PER_MESSAGE: usize = 40;

/// The sentences of a text that constrain the work, quoted ones left out; `more` are the host's own markers, in lower
/// case. One that goes on with the sentence before it brings that along.
pub fn constraints(text: &str, more: &[String]) -> Vec<String> {
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let mut out: Vec<String> = Vec::new();
    for stretch in own_words(text) {
        // The sentence before, and whether it is the end of the newest rule.
        let mut previous: Option<(&str, bool)> = None;
        for sentence in sentences(stretch) {
            let is_one = sentence.len() <= LONGEST && !is_quotation(sentence) && is_rule(sentence, &more);
            if is_one {
                let bare = sentence.trim_start_matches(['-', '*', '•', ' ']);
                match previous
                    .filter(|(before, _)| needs_previous(sentence) && before.len() + sentence.len() <= LONGEST)
                {
                    Some((_, true)) if let Some(rule) = out.last_mut() => {
                        rule.push(' ');
                        rule.push_str(bare);
                    }
                    Some((before, _)) if !is_question(before) => {
                        out.push(format!("{} {bare}", before.trim_start_matches(['-', '*', '•', ' '])));
                    }
                    _ => out.push(bare.to_string()),
                }
            }
            previous = Some((sentence, is_one));
        }
    }
    out.into_iter().map(|rule| one_line(&rule, usize::MAX)).collect()
}

/// True for a sentence that is quoted as a whole.
fn is_quotation(sentence: &str) -> bool {
    const PAIRS: [(char, char); 5] = [('"', '"'), ('“', '”'), ('„', '“'), ('«', '»'), ('`', '`')];
    let bare = sentence.trim_end_matches(['.', '!', '?', ',', ';', ':']);
    PAIRS.iter().any(|&(open, close)| {
        bare.strip_prefix(open).is_some_and(|rest| rest.strip_suffix(close).is_some_and(|inner| !inner.contains(close)))
    })
}

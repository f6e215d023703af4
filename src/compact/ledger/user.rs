//! User messages, and the sentences in them that constrain the work.

use super::quoted::own_words;
use super::text::{has_word, one_line, sentences, straight};
use crate::compact::facts::languages::listed;
use crate::compact::facts::rules::{is_question, is_rule};
use crate::compact::facts::score::needs_previous;
use crate::compact::facts::words::{Kind, Word, words};

/// A user message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub id: String,
    pub text: String,
    /// True if it is in an earlier record, possibly shortened.
    pub is_earlier: bool,
    /// True if a later message replaced all of its sentences.
    pub is_replaced: bool,
}

impl Request {
    /// Returns a request with this text, which may come from an earlier record.
    pub fn new(id: &str, text: String, is_earlier: bool) -> Request {
        Request { id: id.to_string(), text, is_earlier, is_replaced: false }
    }
}

/// Maximum words of a message that only acknowledges or continues.
const CHATTER_WORDS: usize = 6;
/// Words of such messages beside those without a meaning of their own, in lower case.
const CHATTER: &str = " ok k yep wow great nice cool perfect good awesome excellent super lovely lol haha hmm hm ah oh hi hello hey \
thank thx continue proceed done danke weiter gut merci bien gracias obrigado спасибо хорошо 好的 谢谢 ";
/// Words that make a short message a correction.
const REFUSALS: &str = " no not never stop cannot nein nicht nie kein non pas jamais nunca não не нет никогда ";

impl Request {
    /// True unless the message only acknowledges or continues, as "ok" and "wow, great" do.
    pub fn has_content(&self) -> bool {
        // A longer text has content, and reading all of it costs time.
        if self.text.len() > 120 {
            return true;
        }
        let words = words(&self.text);
        let refuses =
            |word: &Word| listed(REFUSALS, word.text) || word.text.ends_with("n't") || word.text.ends_with("n’t");
        let says_little = |word: &Word| word.kind == Kind::Stop || listed(CHATTER, word.text);
        words.len() > CHATTER_WORDS || !words.iter().all(|word| says_little(word) && !refuses(word))
    }
}

/// A sentence that constrains the work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraint {
    pub id: String,
    pub sentence: String,
}

/// Words that make a rule hold for good, in lower case.
const ABSOLUTE: &str = " never always must forever permanently nie niemals immer muss müssen stets jamais toujours doit doivent nunca jamás \
siempre debe deben sempre deve devem никогда всегда должен должна должны обязательно ";
const ABSOLUTE_PIECES: [&str; 12] =
    ["绝不", "永远", "始终", "必须", "从不", "一律", "絶対", "常に", "必ず", "절대", "항상", "반드시"];
/// Phrases that make it hold for the moment.
const PASSING: [&str; 28] = [
    "for now",
    "right now",
    "just now",
    "at the moment",
    "this time",
    "this one",
    "today",
    "tonight",
    "yet",
    "vorerst",
    "noch nicht",
    "momentan",
    "im moment",
    "diesmal",
    "heute",
    "erst mal",
    "erstmal",
    "pour l'instant",
    "pour le moment",
    "cette fois",
    "aujourd'hui",
    "por ahora",
    "de momento",
    "esta vez",
    "por enquanto",
    "desta vez",
    "сегодня",
    "на этот раз",
];
const PASSING_PIECES: [&str; 10] =
    ["暂时", "目前", "这次", "今天", "今は", "今回", "とりあえず", "지금은", "이번", "일단"];

/// Returns the order in which rules stay: 0 for those that hold for good or name something, 2 for those of the moment.
pub(super) fn durability(sentence: &str) -> u8 {
    let words = words(sentence);
    let is_explicit =
        words.iter().any(|word| matches!(word.kind, Kind::Name | Kind::Figure) || listed(ABSOLUTE, word.text))
            || ABSOLUTE_PIECES.iter().any(|piece| sentence.contains(piece));
    let is_passing = has_word(&straight(&sentence.to_lowercase()), &PASSING)
        || PASSING_PIECES.iter().any(|piece| sentence.contains(piece));
    match (is_explicit, is_passing) {
        (true, false) => 0,
        (false, true) => 2,
        _ => 1,
    }
}

/// Replaces the message id of a fact that was pinned in words.
pub const PINNED: &str = "pinned";

/// Maximum bytes of a rule; longer sentences are texts.
const MAX_BYTES: usize = 400;

/// Maximum rules of one message. With more, the text was pasted.
pub const PER_MESSAGE: usize = 40;

/// Returns the sentences of a text that constrain the work, without quoted ones; `more` holds the host's own markers,
/// in lower case. A sentence that continues the previous one includes it.
pub fn constraints(text: &str, more: &[String]) -> Vec<String> {
    let more: Vec<&str> = more.iter().map(String::as_str).collect();
    let mut out: Vec<String> = Vec::new();
    for stretch in own_words(text) {
        // The previous sentence, and whether it ends the newest rule.
        let mut previous: Option<(&str, bool)> = None;
        for sentence in sentences(stretch) {
            let is_one = sentence.len() <= MAX_BYTES && !is_quotation(sentence) && is_rule(sentence, &more);
            if is_one {
                let bare = sentence.trim_start_matches(['-', '*', '•', ' ']);
                match previous
                    .filter(|(before, _)| needs_previous(sentence) && before.len() + sentence.len() <= MAX_BYTES)
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

//! Decisions: answers to questions, calls that the user approved or refused, and choices that the assistant states.

use super::quoted::own_words;
use super::text::{has_word, one_line, sentences, straight};
use crate::compact::facts::languages::{is_opener, listed};
use crate::compact::facts::rules::is_question;
use crate::compact::facts::words::{Kind, words};

/// Who decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    User,
    Assistant,
}

impl By {
    pub fn as_str(self) -> &'static str {
        match self {
            By::User => "user",
            By::Assistant => "assistant",
        }
    }
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    pub id: String,
    pub by: By,
    pub sentence: String,
}

/// Maximum bytes of a sentence that is kept.
pub const SENTENCE_BYTES: usize = 300;

/// Words that announce a decision, in lower case.
const MARKERS: [&str; 60] = [
    "decided to",
    "decided on",
    "decided against",
    "the decision is",
    "i'll go with",
    "i will go with",
    "going with",
    "let's go with",
    "we'll go with",
    "we'll use",
    "we will use",
    "i chose",
    "we chose",
    "i opted",
    "we opted",
    "opted for",
    "settled on",
    "agreed to",
    "agreed on",
    "agreed that",
    "the root cause",
    "turns out",
    "entschieden",
    "entschlossen",
    "beschlossen",
    "wir nehmen",
    "ich nehme",
    "die ursache",
    "vereinbart",
    "stellt sich heraus",
    "décidé",
    "j'ai choisi",
    "nous avons choisi",
    "opté",
    "on part sur",
    "la cause",
    "convenu",
    "il s'avère",
    "decidí",
    "decidimos",
    "decidido",
    "elegí",
    "optamos",
    "opté por",
    "acordamos",
    "la causa",
    "resulta que",
    "decidi",
    "escolhi",
    "escolhemos",
    "optei",
    "combinamos",
    "a causa",
    "acontece que",
    "решил",
    "решили",
    "решено",
    "выбрал",
    "договорились",
    "причина в",
];
/// The same for languages without spaces, or with endings on words.
const PIECES: [&str; 16] = [
    "决定",
    "选择了",
    "选用",
    "采用",
    "根本原因",
    "原因是",
    "商定",
    "決定",
    "決めました",
    "採用し",
    "を選びました",
    "原因は",
    "결정했",
    "선택했",
    "채택",
    "원인은",
];

/// Returns the assistant's sentences that state a decision.
pub fn settled(text: &str) -> impl Iterator<Item = String> {
    own_words(text).into_iter().flat_map(sentences).filter(|s| s.len() <= SENTENCE_BYTES && settles(s)).map(|s| {
        let bare = s.trim_start_matches(['-', '*', '•', ' ']);
        one_line(bare, SENTENCE_BYTES)
    })
}

/// Maximum decisions of one message of the user. With more, the text was pasted.
const PER_MESSAGE: usize = 8;
/// Words with which a sentence chooses what it names, in lower case.
const CHOICES: &str = " use choose pick take adopt target nimm nehmt nehmen nutze nutzt benutze verwende verwendet wähle utilise utilisez prends \
prenez choisis choisissez usa usad use utiliza utilice elige elija escolha escolhe utilize используй используйте возьми возьмите выбери выберите ";

/// Words before a choice, in lower case.
const LET_US: &str = " let's lets we'll ";
/// Number of words behind a choice, one of which must be a name.
const NAMED: usize = 3;

/// Returns the user's sentences that state a decision, or begin by choosing something with a name.
pub fn chosen(text: &str) -> impl Iterator<Item = String> {
    let is_chosen = |sentence: &&str| {
        sentence.len() <= SENTENCE_BYTES && !is_question(sentence) && (settles(sentence) || chooses(sentence))
    };
    let bare = |sentence: &str| one_line(sentence.trim_start_matches(['-', '*', '•', ' ']), SENTENCE_BYTES);
    own_words(text).into_iter().flat_map(sentences).filter(is_chosen).map(bare).take(PER_MESSAGE)
}

fn chooses(sentence: &str) -> bool {
    let words = words(sentence);
    let first = words.iter().position(|word| !is_opener(word.text) && !listed(LET_US, word.text));
    let Some((choice, rest)) = first.and_then(|first| words[first..].split_first()) else { return false };
    listed(CHOICES, choice.text) && rest.iter().take(NAMED).any(|word| word.kind == Kind::Name)
}

fn settles(sentence: &str) -> bool {
    let lower = || has_word(&straight(&sentence.to_lowercase()), &MARKERS);
    let is_settled = if sentence.is_ascii() {
        has_word(sentence, &MARKERS)
    } else {
        PIECES.iter().any(|piece| sentence.contains(piece)) || lower()
    };
    is_settled && !is_question(sentence)
}

/// Texts by which hosts report that the user refused a call.
const REFUSALS: [&str; 8] = [
    "user rejected",
    "rejected by the user",
    "user denied",
    "denied by the user",
    "user declined",
    "declined by the user",
    "doesn't want to proceed",
    "user cancelled",
];

/// Texts by which hosts report that the user approved a call.
const APPROVALS: [&str; 8] = [
    "user approved",
    "approved by the user",
    "user accepted",
    "accepted by the user",
    "user allowed",
    "allowed by the user",
    "user confirmed",
    "confirmed by the user",
];

/// Bytes at the beginning of a result in which hosts report the user's verdict.
const HEAD_BYTES: usize = 600;

/// Returns the line of a result that reports the user's refusal or approval.
pub fn verdict(result: &str) -> Option<String> {
    let head = &result[..result.floor_char_boundary(HEAD_BYTES)];
    // The output of the call may contain anything.
    let first = || head.lines().find(|line| !line.trim().is_empty());
    let approved = || first().filter(|line| has_word(&straight(line), &APPROVALS));
    refusal(result).or_else(|| approved().map(|line| one_line(line, SENTENCE_BYTES)))
}

/// Returns the line of a result that reports the user's refusal.
pub fn refusal(result: &str) -> Option<String> {
    let head = &result[..result.floor_char_boundary(HEAD_BYTES)];
    let refused = head.lines().find(|line| has_word(&straight(line), &REFUSALS));
    refused.map(|line| one_line(line, SENTENCE_BYTES))
}

/// Returns the verdict on a call together with the call's subject.
///
/// ```
/// use espalier::compact::ledger::decision::of_call;
/// assert_eq!(of_call("rm -r build", "The user approved this command."), "`rm -r build`: The user approved this command.");
/// ```
pub fn of_call(subject: &str, said: &str) -> String {
    if subject.is_empty() || said.contains(subject) { said.to_string() } else { format!("`{subject}`: {said}") }
}

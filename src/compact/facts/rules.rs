//! Finds the user's sentences that tell the agent how to act beyond one step: prohibitions, limits, standing orders,
//! wishes.
//!
//! A marker alone makes no rule: "it only fails on Mondays" describes the world, "I don't have the number" the speaker.
//! So markers have kinds ([`Class`]), and the words before a marker decide whether it counts.

use std::sync::OnceLock;

use super::languages::exact;
use crate::map::HashMap;

/// The role of a phrase in its sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Makes a rule wherever it is, unless the speaker is its subject.
    Strong,
    /// Makes a rule at the beginning of a clause.
    Order,
    /// Makes a rule in a sentence that begins with an order.
    Weak,
    /// What the speaker prefers or does not want.
    Choice,
    /// What the speaker wants; a rule if it excludes something.
    Wish,
    /// Begins a condition.
    If,
    /// The speaker, or somebody else who acts.
    Subject,
    /// Names the topic, so the sentence is no order.
    Topic,
    /// Begins what somebody says, or the reason for something.
    Report,
    /// A common phrase that is no rule.
    Phrase,
}

/// Phrases of languages with spaces between words, by class, in lower case, separated by bars.
const PHRASES: [(Class, &str); 10] = [
    (Class::Strong, super::phrases::STRONG),
    (Class::Order, super::phrases::ORDER),
    (Class::Weak, super::phrases::WEAK),
    (Class::Choice, super::phrases::CHOICE),
    (Class::Wish, super::phrases::WISH),
    (Class::If, super::phrases::IF),
    (Class::Subject, super::phrases::SUBJECT),
    (Class::Report, super::phrases::REPORT),
    (Class::Phrase, super::phrases::PHRASE),
    (Class::Topic, super::phrases::TOPIC),
];

type Lexicon = HashMap<u32, Vec<(Class, Vec<u32>)>>;

fn lexicon() -> &'static Lexicon {
    static LEXICON: OnceLock<Lexicon> = OnceLock::new();
    LEXICON.get_or_init(|| {
        let mut out = Lexicon::default();
        for (class, phrases) in PHRASES {
            for phrase in phrases.split('|') {
                let keys: Vec<u32> = tokens(phrase).iter().map(|token| token.key).collect();
                if let Some((&first, rest)) = keys.split_first() {
                    out.entry(first).or_default().push((class, rest.to_vec()));
                }
            }
        }
        out
    })
}

struct Token<'a> {
    text: &'a str,
    key: u32,
    /// The first word of a clause.
    begins: bool,
    /// True if the clause does not merely follow a comma or a conjunction.
    is_apart: bool,
}

/// Returns the words of a sentence, and where clauses begin.
fn tokens(sentence: &str) -> Vec<Token<'_>> {
    let mut out: Vec<Token> = Vec::new();
    let (mut begins, mut is_apart) = (true, true);
    let mut rest = sentence;
    let is_inner = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '`' | '_' | '/');
    while let Some(start) = rest.find(is_inner) {
        let between = &rest[..start];
        is_apart |= between.contains([';', ':', '—', '–', '.', '!']) || between.contains(" - ");
        begins |= is_apart || between.contains([',', '(', '¡', '¿']);
        let run = &rest[start..];
        let mut end = run.find(|c| !is_inner(c)).unwrap_or(run.len());
        // File names continue after a full stop, compounds after a hyphen.
        while run[end..].starts_with(['.', '-']) && run[end + 1..].starts_with(char::is_alphanumeric) {
            end += 1 + run[end + 1..].find(|c| !is_inner(c)).unwrap_or(run.len() - end - 1);
        }
        // "l'échéance" is two words.
        if let Some((at, mark)) = run[..end].char_indices().find(|(_, c)| matches!(c, '\'' | '’'))
            && super::languages::is_elided(&run[..at])
        {
            end = at + mark.len_utf8();
        }
        let text = run[..end].trim_matches(['\'', '’']);
        rest = &run[end..];
        if !text.is_empty() {
            let key = exact(text);
            out.push(Token { text, key, begins, is_apart });
            begins = super::languages::is_opener(text);
            is_apart &= begins;
            is_apart |= super::languages::concludes(text);
        }
    }
    out
}

/// True for a question.
pub fn is_question(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？' | '؟'));
    const PARTICLES: [&str; 12] =
        ["吗", "呢", "ですか", "ますか", "でしょうか", "のか", "나요", "까요", "인가요", "은가요", "ㄴ가요", "할까"];
    let bare = sentence.trim_end_matches(|c: char| !c.is_alphanumeric());
    end.ends_with(['?', '？', '؟']) || PARTICLES.iter().any(|particle| bare.ends_with(particle))
}

/// True if a sentence tells the agent how to act; `more` holds further markers, in lower case.
///
/// ```
/// use espalier::compact::facts::rules::is_rule;
/// assert!(is_rule("Don't touch the lexer.", &[]) && is_rule("不要改动表结构。", &[]));
/// assert!(!is_rule("I don't have the number.", &[]) && !is_rule("It only fails on Mondays.", &[]));
/// ```
pub fn is_rule(sentence: &str, more: &[&str]) -> bool {
    if is_question(sentence) {
        return false;
    }
    if !more.is_empty() && crate::compact::ledger::text::has_word(&sentence.to_lowercase(), more) {
        return true;
    }
    match super::languages::without_spaces(sentence) {
        Some(is_rule) => is_rule,
        None => of_words(&tokens(sentence)),
    }
}

fn of_words(tokens: &[Token]) -> bool {
    let lexicon = lexicon();
    let found = |at: usize| {
        let phrases = lexicon.get(&tokens[at].key).map_or(&[][..], Vec::as_slice);
        let is_there = move |rest: &[u32]| {
            rest.len() < tokens.len() - at && rest.iter().zip(&tokens[at + 1..]).all(|(key, token)| *key == token.key)
        };
        phrases.iter().filter(move |(_, rest)| is_there(rest)).map(|(class, rest)| (*class, rest.len() + 1))
    };
    let begins = |at: usize| tokens[at].begins;
    let is_stated =
        |at: usize| at < tokens.len() && found(at).any(|(class, _)| matches!(class, Class::Subject | Class::Topic));
    let speaks = |at: usize| at < tokens.len() && found(at).any(|(class, words)| class == Class::Subject && words == 1);
    // Courtesies before the first word that counts.
    let first = (0..tokens.len()).find(|&at| !super::languages::is_opener(tokens[at].text)).unwrap_or(0);
    let asks = tokens[first.min(tokens.len())..]
        .first_chunk()
        .is_some_and(|words: &[Token; 3]| super::languages::asks([words[0].text, words[1].text, words[2].text]));
    let mut has_subject = asks;
    let mut is_statement = asks;
    let mut is_personal = false;
    let mut is_condition = false;
    let mut wishes = false;
    let begins_task = tokens.get(first).is_some_and(|token| super::languages::begins_task(token.text));
    // The requirement of one step is no rule for later steps.
    let is_of_step = |at: usize| begins_task && at > first && super::languages::goes_with_task(tokens[at].text);
    let mut at = 0;
    while at < tokens.len() {
        let starts_clause = begins(at) && at > 0;
        // Another clause has a subject of its own.
        has_subject &= !starts_clause;
        // Of phrases of equal length, the one of the first class.
        let longest = found(at).reduce(|one, other| if other.1 > one.1 { other } else { one });
        let behind = || tokens.get(at + longest.map_or(1, |(_, words)| words));
        let is_answer = tokens
            .get(at + 1)
            .is_some_and(|next| begins(at + 1) && !super::languages::is_opener(tokens[at].text) && next.begins)
            && super::languages::is_answer(tokens[at].text);
        let tells = || {
            super::languages::is_past(behind().map(|token| token.text))
                || super::languages::tells(tokens[at..].iter().map(|token| token.text))
                || super::languages::reports(tokens[at..].iter().map(|token| token.text))
        };
        match longest.map(|(class, _)| class) {
            Some(Class::Phrase) => has_subject = true,
            Some(Class::Report) => return false,
            Some(Class::Choice) => return true,
            Some(Class::Wish) => (wishes, has_subject) = (true, true),
            // "Erwähne mein Alter nicht": what the order is about.
            Some(Class::Subject)
                if at == first + 1 && super::languages::is_possessive(tokens[first].text, tokens[at].text) => {}
            Some(Class::Subject) => {
                has_subject = true;
                is_statement |= at == first;
                is_personal |= at == first;
            }
            Some(Class::Topic) => is_statement |= at == first,
            Some(Class::If) => is_condition |= at == first,
            Some(Class::Strong)
                if (wishes || !has_subject)
                    && !is_of_step(at)
                    && !tokens[..at].iter().any(|token| super::languages::is_russian_past(token.text)) =>
            {
                return true;
            }
            Some(Class::Order)
                if begins(at)
                    && !has_subject
                    && !is_answer
                    && !is_of_step(at)
                    // "Stop" alone refers to what is running now.
                    && (is_condition || at + 1 < tokens.len() || !tokens[at].is_apart)
                    && (tokens[at].text.eq_ignore_ascii_case("leave")
                        || !speaks(at + longest.map_or(1, |(_, words)| words)))
                    && (!is_personal || tokens[at].is_apart) =>
            {
                if !tells() {
                    return true;
                }
                is_statement = true;
            }
            Some(Class::Weak | Class::Order) if is_condition && starts_clause && !has_subject => return true,
            Some(Class::Weak | Class::Order)
                if wishes && !is_mild(tokens, at) && !tokens[at].text.eq_ignore_ascii_case("be") =>
            {
                return true;
            }
            Some(Class::Weak | Class::Order)
                if !has_subject
                    && behind()
                        .is_some_and(|token| super::languages::is_russian_order(tokens[at].text, token.text)) =>
            {
                return true;
            }
            Some(Class::Weak | Class::Order)
                if !has_subject
                    && !is_statement
                    && !is_answer
                    && !is_of_step(at)
                    && (begins(at) || found(at).any(|(class, _)| class == Class::Weak))
                    && is_order(tokens, first, at)
                    && !tells() =>
            {
                return true;
            }
            None if is_condition
                && starts_clause
                && !has_subject
                && !super::languages::is_opener(tokens[at].text)
                && !is_stated(at + 1)
                && super::languages::is_order_in_clause(tokens[at].text) =>
            {
                return true;
            }
            _ => {}
        }
        at += longest.map_or(1, |(_, words)| words);
    }
    false
}

/// True for a marker that limits nothing, unless a figure follows it.
fn is_mild(tokens: &[Token], marker: usize) -> bool {
    let is_figure = |token: &Token| token.text.starts_with(|c: char| c.is_ascii_digit());
    super::languages::is_mild(tokens[marker].text) && !tokens.iter().skip(marker + 1).take(2).any(is_figure)
}

/// True if a sentence seems to begin with an order: a word that is no subject, followed by its object.
fn is_order(tokens: &[Token], first: usize, marker: usize) -> bool {
    let word = tokens[first].text;
    if marker <= first || word.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let next = tokens.get(marker + 1).map(|token| token.text);
    if super::languages::begins_task(word)
        && (is_mild(tokens, marker) || !tokens[marker].begins)
        && !super::languages::lasts(tokens[marker].text, next)
        || word.eq_ignore_ascii_case("make") && is_mild(tokens, marker)
    {
        return false;
    }
    let is_plain = super::languages::tells_language(tokens[marker].text)
        && !super::languages::is_adverb(word)
        && super::languages::is_order(word, None);
    is_plain || super::languages::is_order(word, tokens.get(first + 1).map(|token| token.text))
}

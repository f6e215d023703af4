//! Finds the user's sentences that tell the agent how to act beyond one step: prohibitions, limits, standing orders,
//! wishes.
//!
//! A marker alone makes no rule: "it only fails on Mondays" describes the world, "I don't have the number" the speaker.
//! So markers have kinds ([`Class`]), and the words before a marker decide whether it counts.

use std::sync::OnceLock;

use super::languages::{self, exact};
use super::pieces;
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
            && languages::is_elided(&run[..at])
        {
            end = at + mark.len_utf8();
        }
        let text = run[..end].trim_matches(['\'', '’']);
        rest = &run[end..];
        if !text.is_empty() {
            let key = exact(text);
            out.push(Token { text, key, begins, is_apart });
            begins = languages::is_opener(text);
            is_apart &= begins;
            is_apart |= languages::concludes(text);
        }
    }
    out
}

/// True for a question.
pub fn is_question(sentence: &str) -> bool {
    let end = sentence.trim_end_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '?' | '？' | '؟'));
    const PARTICLES: [&str; 13] = [
        "吗",
        "嗎",
        "呢",
        "ですか",
        "ますか",
        "でしょうか",
        "のか",
        "나요",
        "까요",
        "인가요",
        "은가요",
        "ㄴ가요",
        "할까",
    ];
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
    // English sentences name things in other scripts.
    let wide = sentence.chars().filter(|c| *c >= '\u{2e80}').count();
    pieces::is_rule(sentence) || wide * 4 < sentence.chars().count() && of_words(&tokens(sentence))
}

fn of_words(tokens: &[Token]) -> bool {
    let mut reading = Reading::new(tokens);
    let mut at = 0;
    while at < tokens.len() {
        let (class, words) = reading.longest(at);
        if let Some(is_rule) = reading.read(at, class, words) {
            return is_rule;
        }
        at += words;
    }
    false
}

/// What is known of a sentence while its words are read from the left.
struct Reading<'a> {
    tokens: &'a [Token<'a>],
    /// The first word that is no courtesy.
    first: usize,
    /// The sentence begins with the name of a task.
    begins_task: bool,
    /// The clause has a subject, so its verb is no order.
    has_subject: bool,
    /// The sentence describes something.
    is_statement: bool,
    /// The sentence begins with its subject.
    is_personal: bool,
    /// The sentence begins with a condition.
    is_condition: bool,
    /// The speaker wants something.
    wishes: bool,
}

impl<'a> Reading<'a> {
    fn new(tokens: &'a [Token<'a>]) -> Reading<'a> {
        let first = tokens.iter().position(|token| !languages::is_opener(token.text)).unwrap_or(0);
        let asks = tokens[first.min(tokens.len())..]
            .first_chunk()
            .is_some_and(|words: &[Token; 3]| languages::asks([words[0].text, words[1].text, words[2].text]));
        Reading {
            tokens,
            first,
            begins_task: tokens.get(first).is_some_and(|token| languages::begins_task(token.text)),
            has_subject: asks,
            is_statement: asks,
            is_personal: false,
            is_condition: false,
            wishes: false,
        }
    }

    /// Returns the phrases that begin at a word, each with its number of words.
    fn phrases(&self, at: usize) -> impl Iterator<Item = (Class, usize)> {
        let behind = &self.tokens[at + 1..];
        let is_there = move |rest: &[u32]| {
            rest.len() <= behind.len() && rest.iter().zip(behind).all(|(key, token)| *key == token.key)
        };
        let phrases = lexicon().get(&self.tokens[at].key).map_or(&[][..], Vec::as_slice);
        phrases.iter().filter(move |(_, rest)| is_there(rest)).map(|(class, rest)| (*class, rest.len() + 1))
    }

    /// Returns the class of the longest phrase at a word, of equally long ones the first, and its number of words. A
    /// word that begins no phrase has no class.
    fn longest(&self, at: usize) -> (Option<Class>, usize) {
        let longest = self.phrases(at).reduce(|one, other| if other.1 > one.1 { other } else { one });
        longest.map_or((None, 1), |(class, words)| (Some(class), words))
    }

    /// Reads a phrase. Returns whether the sentence is a rule, as soon as that is known.
    fn read(&mut self, at: usize, class: Option<Class>, words: usize) -> Option<bool> {
        // Another clause has a subject of its own.
        self.has_subject &= !self.starts_clause(at);
        let is_rule = match class {
            Some(Class::Report) => return Some(false),
            Some(Class::Choice) => true,
            Some(Class::Strong) => self.is_strong(at),
            Some(Class::Order) if self.orders(at, words) => {
                let tells = self.tells(at, words);
                self.is_statement |= tells;
                !tells
            }
            Some(Class::Order | Class::Weak) => self.is_weak(at, words),
            None => self.is_conditional_order(at),
            Some(class) => {
                self.describe(at, class);
                false
            }
        };
        is_rule.then_some(true)
    }

    /// Notes a phrase that makes no rule itself.
    fn describe(&mut self, at: usize, class: Class) {
        let is_first = at == self.first;
        match class {
            Class::Phrase => self.has_subject = true,
            Class::Wish => (self.wishes, self.has_subject) = (true, true),
            Class::If => self.is_condition |= is_first,
            Class::Topic => self.is_statement |= is_first,
            // "Erwähne mein Alter nicht": what the order is about.
            Class::Subject
                if at == self.first + 1 && languages::is_possessive(self.text(self.first), self.text(at)) => {}
            Class::Subject => {
                self.has_subject = true;
                self.is_statement |= is_first;
                self.is_personal |= is_first;
            }
            Class::Strong | Class::Order | Class::Weak | Class::Choice | Class::Report => {}
        }
    }

    /// True for a strong marker that the speaker is not the subject of.
    fn is_strong(&self, at: usize) -> bool {
        (self.wishes || !self.has_subject)
            && !self.is_of_step(at)
            && !self.tokens[..at].iter().any(|token| languages::is_russian_past(token.text))
    }

    /// True for a marker at the beginning of a clause that orders something, unless the clause tells of the past.
    fn orders(&self, at: usize, words: usize) -> bool {
        let token = &self.tokens[at];
        token.begins
            && !self.has_subject
            && !self.is_answer(at)
            && !self.is_of_step(at)
            // "Stop" alone refers to what is running now.
            && (self.is_condition || at + 1 < self.tokens.len() || !token.is_apart)
            && (token.text.eq_ignore_ascii_case("leave") || !self.speaks(at + words))
            && (!self.is_personal || token.is_apart)
    }

    /// True for a weak marker, or one of orders elsewhere than at the beginning of a clause, that makes a rule here.
    fn is_weak(&self, at: usize, words: usize) -> bool {
        let text = self.text(at);
        let is_wish = self.wishes && !is_mild(self.tokens, at) && !text.eq_ignore_ascii_case("be");
        if is_wish || self.has_subject {
            return is_wish;
        }
        let next = self.tokens.get(at + words);
        self.is_condition && self.starts_clause(at)
            || next.is_some_and(|next| languages::is_russian_order(text, next.text))
            || !self.is_statement
                && !self.is_answer(at)
                && !self.is_of_step(at)
                && (self.tokens[at].begins || self.phrases(at).any(|(class, _)| class == Class::Weak))
                && is_order(self.tokens, self.first, at)
                && !self.tells(at, words)
    }

    /// True for the verb of an order behind a condition: "if it fails, retry".
    fn is_conditional_order(&self, at: usize) -> bool {
        self.is_condition
            && self.starts_clause(at)
            && !self.has_subject
            && !languages::is_opener(self.text(at))
            && !self.is_stated(at + 1)
            && languages::is_order_in_clause(self.text(at))
    }

    fn text(&self, at: usize) -> &'a str {
        self.tokens[at].text
    }

    fn starts_clause(&self, at: usize) -> bool {
        at > 0 && self.tokens[at].begins
    }

    /// True for the requirement of one step, which is no rule for later steps.
    fn is_of_step(&self, at: usize) -> bool {
        self.begins_task && at > self.first && languages::goes_with_task(self.text(at))
    }

    /// True for a word that answers a question: "no, …".
    fn is_answer(&self, at: usize) -> bool {
        let is_apart = self.tokens.get(at + 1).is_some_and(|next| next.begins);
        is_apart && !languages::is_opener(self.text(at)) && languages::is_answer(self.text(at))
    }

    /// True if the words from a marker on tell what was, or what somebody says.
    fn tells(&self, at: usize, words: usize) -> bool {
        let texts = || self.tokens[at..].iter().map(|token| token.text);
        languages::is_past(self.tokens.get(at + words).map(|token| token.text))
            || languages::tells(texts())
            || languages::reports(texts())
    }

    /// True if a word is a subject or a topic.
    fn is_stated(&self, at: usize) -> bool {
        at < self.tokens.len() && self.phrases(at).any(|(class, _)| matches!(class, Class::Subject | Class::Topic))
    }

    /// True if a single word is a subject.
    fn speaks(&self, at: usize) -> bool {
        at < self.tokens.len() && self.phrases(at).any(|found| found == (Class::Subject, 1))
    }
}

/// True for a marker that limits nothing, unless a figure follows it.
fn is_mild(tokens: &[Token], marker: usize) -> bool {
    let is_figure = |token: &Token| token.text.starts_with(|c: char| c.is_ascii_digit());
    languages::is_mild(tokens[marker].text) && !tokens.iter().skip(marker + 1).take(2).any(is_figure)
}

/// True if a sentence seems to begin with an order: a word that is no subject, followed by its object.
fn is_order(tokens: &[Token], first: usize, marker: usize) -> bool {
    let word = tokens[first].text;
    if marker <= first || word.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    let next = tokens.get(marker + 1).map(|token| token.text);
    if languages::begins_task(word)
        && (is_mild(tokens, marker) || !tokens[marker].begins)
        && !languages::lasts(tokens[marker].text, next)
        || word.eq_ignore_ascii_case("make") && is_mild(tokens, marker)
    {
        return false;
    }
    let is_plain = languages::tells_language(tokens[marker].text)
        && !languages::is_adverb(word)
        && languages::is_order(word, None);
    is_plain || languages::is_order(word, tokens.get(first + 1).map(|token| token.text))
}

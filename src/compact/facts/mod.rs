//! Facts: the most informative sentences of a history for their tokens, on any subject and in any language.
//!
//! In: texts of messages and who wrote them ([`Facts::add`]). Out: sentences in the order of worth ([`Facts::ranked`]).
//! [`segment`] finds sentences, [`words`] their words, [`score`] their worth, [`newest`] those that a later one
//! replaces; [`languages`] has the words that rules know, [`changes`] those that announce new values.

pub mod changes;
pub mod languages;
pub mod newest;
mod phrases;
pub mod pieces;
pub mod rules;
pub mod score;
pub mod segment;
pub mod words;

mod excerpt;

pub use excerpt::excerpt;
pub use segment::sentences;

use crate::compact::ledger::text::one_line;
use crate::map::HashMap;
use newest::Frame;
use words::{Kind, words};

/// Who wrote a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    User,
    Assistant,
    Tool,
    /// An earlier record, whose sentences were chosen before.
    Record,
}

/// A sentence that may be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Sentence {
    /// Index of its text, and its place in it.
    pub text_index: usize,
    pub speaker: Speaker,
    pub sentence: String,
    /// True if it continues the sentence before it and cannot be understood without it.
    pub needs_previous: bool,
    /// Words by key, each once, in order.
    words: Vec<(Kind, u32)>,
    is_question: bool,
    is_rule: bool,
    /// True if a later sentence says the same or replaces it.
    is_replaced: bool,
    is_changed: bool,
    frame: Frame,
    /// Equal for sentences that differ only in their figures, and for equal ones.
    shape: u32,
    exact: u32,
    tokens: f64,
    /// See [`score::promise`].
    promise: f64,
}

/// Maximum bytes of a sentence that is a fact.
const MAX_BYTES: usize = 600;
/// Maximum sentences taken from one text: the first and the last ones.
const PER_TEXT: usize = 400;
/// Maximum bytes of a tool result from which facts are taken: longer ones are files, pages and listings.
const MAX_RESULT_BYTES: usize = 2_000;

/// Sentences of a history.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    ids: Vec<String>,
    sentences: Vec<Sentence>,
    /// The sentences that contain a word.
    postings: HashMap<u32, Vec<u32>>,
    /// The newest sentence of a frame, and of equal sentences.
    frames: HashMap<u32, usize>,
    /// Orders for settings with one value at a time.
    settings: Vec<u32>,
    newest: HashMap<u32, usize>,
    /// Sentences that were replaced, each with the one that replaced it, in order of replacement.
    replaced: Vec<(usize, usize)>,
    /// Number of occurrences of a sentence, by its shape and by itself.
    shapes: HashMap<u32, u32>,
    exacts: HashMap<u32, u32>,
}

/// A fact in the order of worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact<'a> {
    /// Index among all sentences, in the order of the conversation.
    pub index: usize,
    pub id: &'a str,
    pub speaker: Speaker,
    pub sentence: &'a str,
    /// True if a later sentence replaced it.
    pub is_changed: bool,
}

/// Maximum bytes of a word. Longer ones without an address are keys, hashes and encoded files.
const WORD_BYTES: usize = 120;

fn is_data(word: &str) -> bool {
    word.len() > WORD_BYTES && word.is_ascii() && !word.contains("://")
}

/// Returns a line without the marks of a list, a heading or a quotation. Asterisks of bold text stay: they come in
/// pairs.
fn without_bullet(text: &str) -> &str {
    let mut text = text.trim();
    loop {
        let rest = text.trim_start_matches(['-', '•', '#', '>', ' ']);
        let rest = rest.strip_prefix("* ").unwrap_or(rest);
        if rest.len() == text.len() {
            return text;
        }
        text = rest;
    }
}

impl Facts {
    /// Adds the sentences of one text, in time proportional to its length.
    pub fn add(&mut self, id: &str, speaker: Speaker, text: &str) {
        if speaker != Speaker::Tool || text.len() <= MAX_RESULT_BYTES {
            self.add_sentences(id, &Facts::sentences_of(speaker, text));
        }
    }

    /// Adds the sentences of one text, as [`Facts::sentences_of`] returned them.
    pub fn add_sentences(&mut self, id: &str, sentences: &[Sentence]) {
        let text_index = self.ids.len();
        self.ids.push(id.to_string());
        for sentence in sentences {
            self.store(Sentence { text_index, ..sentence.clone() });
        }
    }

    /// Returns the sentences of one text that may be shown, in time proportional to its length.
    pub fn sentences_of(speaker: Speaker, text: &str) -> Vec<Sentence> {
        let stretches = crate::compact::ledger::quoted::own_words(text);
        let all: Vec<&str> = stretches.into_iter().flat_map(sentences).collect();
        let is_kept = |at: usize| at < PER_TEXT / 2 || at + PER_TEXT / 2 >= all.len();
        let mut out: Vec<Sentence> = Vec::new();
        for (at, sentence) in all.iter().enumerate().filter(|(at, _)| is_kept(*at)) {
            // Behind the sentences that are left out, the previous one is missing.
            let follows = at != PER_TEXT / 2 && !out.is_empty();
            out.extend(Facts::read(0, speaker, sentence, follows));
        }
        out
    }

    /// Adds one sentence as it is.
    pub fn add_sentence(&mut self, id: &str, speaker: Speaker, sentence: &str) {
        // Sentences of one message follow each other.
        let is_next = self.ids.last().is_some_and(|last| last == id)
            && self.sentences.last().is_some_and(|last| last.speaker == speaker);
        if !is_next {
            self.ids.push(id.to_string());
        }
        if let Some(sentence) = Facts::read(self.ids.len() - 1, speaker, sentence, false) {
            self.store(sentence);
        }
    }

    /// Parses a sentence into the stored form; returns `None` for one without content. `follows`: the previous sentence
    /// is stored.
    fn read(text_index: usize, speaker: Speaker, text: &str, follows: bool) -> Option<Sentence> {
        let text = without_bullet(text);
        if text.len() > MAX_BYTES || text.len() < 2 || text.split(' ').any(is_data) {
            return None;
        }
        let sentence = one_line(text, usize::MAX);
        let all = words(&sentence);
        let first = all.first()?;
        let (mut shape, mut exact) = (0u32, 0u32);
        let mut kept: Vec<(Kind, u32)> = Vec::with_capacity(all.len());
        for word in &all {
            exact = newest::mix(exact, word.key);
            shape = newest::mix(shape, if word.kind == Kind::Figure { 7 } else { word.key });
            if word.kind != Kind::Stop {
                kept.push((word.kind, word.key));
            }
        }
        // Names of one family share a key: "spike/a" and "spike/b".
        kept.extend(all.iter().filter_map(|word| newest::family(word.text)).map(|key| (Kind::Stop, key)));
        kept.sort_unstable_by_key(|(_, key)| *key);
        kept.dedup_by_key(|(_, key)| *key);
        let is_rule = matches!(speaker, Speaker::User | Speaker::Record) && rules::is_rule(&sentence, &[]);
        let is_order = is_rule || languages::is_order(first.text, all.get(1).map(|word| word.text));
        let tokens = words::tokens(&sentence);
        Some(Sentence {
            text_index,
            speaker,
            promise: score::promise(speaker, &kept, tokens),
            needs_previous: follows && score::goes_on(&sentence, first.text, &all),
            is_question: rules::is_question(&sentence),
            is_rule,
            is_replaced: false,
            is_changed: false,
            frame: newest::frame(&sentence, &all, is_order, is_rule),
            words: kept,
            shape,
            exact,
            tokens,
            sentence,
        })
    }

    fn store(&mut self, sentence: Sentence) {
        let index = self.sentences.len();
        let changed = newest::replaced_by(self, &sentence, index);
        for (_, key) in &sentence.words {
            self.postings.entry(*key).or_default().push(index as u32);
        }
        if sentence.frame.orders && sentence.frame.types.iter().any(|(kind, _)| newest::SETTINGS.contains(kind)) {
            self.settings.push(index as u32);
        }
        *self.shapes.entry(sentence.shape).or_default() += 1;
        *self.exacts.entry(sentence.exact).or_default() += 1;
        // Of equal sentences the newest stays.
        let same = self.newest.insert(sentence.exact, index);
        self.frames.insert(sentence.frame.key, index);
        self.sentences.push(sentence);
        self.changed(&changed, index);
        self.retire(same, index);
    }

    /// Marks sentences whose value a later one replaces.
    pub fn replace(&mut self, changed: &[usize]) {
        self.changed(changed, usize::MAX);
    }

    fn changed(&mut self, changed: &[usize], by: usize) {
        for &at in changed {
            self.sentences[at].is_changed = true;
        }
        self.retire(changed.iter().copied(), by);
    }

    fn retire(&mut self, all: impl IntoIterator<Item = usize>, by: usize) {
        for at in all {
            if !std::mem::replace(&mut self.sentences[at].is_replaced, true) {
                self.replaced.push((at, by));
            }
        }
    }

    /// Returns the sentences of a user's text that may replace others.
    pub fn replacing(text: &str) -> Box<[Sentence]> {
        let stretches = crate::compact::ledger::quoted::own_words(text);
        let read = |text: &str| Facts::read(usize::MAX, Speaker::User, text, false);
        let all = stretches.into_iter().flat_map(sentences).take(PER_TEXT).filter_map(read);
        all.filter(newest::may_replace_any).collect()
    }

    /// Returns the sentences that those of a later text replace.
    pub fn replaced_by(&self, later: &[Sentence]) -> Vec<usize> {
        let end = self.sentences.len();
        later.iter().flat_map(|sentence| newest::replaced_by(self, sentence, end)).collect()
    }

    /// Returns all sentences in the order of the conversation.
    pub fn all(&self) -> Vec<Fact<'_>> {
        (0..self.sentences.len()).map(|index| self.fact(index)).collect()
    }

    /// The text of a sentence.
    pub fn text_of(&self, index: usize) -> usize {
        self.sentences[index].text_index
    }

    fn fact(&self, index: usize) -> Fact<'_> {
        let sentence = &self.sentences[index];
        Fact {
            index,
            id: &self.ids[sentence.text_index],
            speaker: sentence.speaker,
            sentence: &sentence.sentence,
            is_changed: sentence.is_changed,
        }
    }

    /// Returns the sentences that are not replaced.
    pub fn candidates(&self) -> Vec<usize> {
        (0..self.sentences.len()).filter(|&index| !self.sentences[index].is_replaced).collect()
    }

    /// Returns the sentences that were replaced after the first `from` replacements, each with the one that replaced it
    /// if that is among them.
    pub fn replaced(&self, from: usize) -> impl Iterator<Item = (Fact<'_>, Option<Fact<'_>>)> {
        let by = |by: usize| (by < self.sentences.len()).then(|| self.fact(by));
        self.replaced.iter().skip(from).map(move |&(index, other)| (self.fact(index), by(other)))
    }

    /// True if all sentences of the newest text with this id were replaced.
    pub fn is_replaced(&self, id: &str) -> bool {
        let Some(text) = self.ids.iter().rposition(|other| other == id) else { return false };
        let from = self.sentences.partition_point(|sentence| sentence.text_index < text);
        let mut of_text = self.sentences[from..].iter().take_while(|sentence| sentence.text_index == text).peekable();
        of_text.peek().is_some() && of_text.all(|sentence| sentence.is_changed || sentence.needs_previous)
    }

    /// Returns the number of replaced sentences.
    pub fn replaced_count(&self) -> usize {
        self.replaced.len()
    }

    /// Returns facts of at most about `tokens` tokens, the best ones first.
    pub fn ranked(&self, tokens: u64) -> Vec<Fact<'_>> {
        let candidates = score::promising(self, self.candidates());
        let order = score::order(self, candidates, tokens as f64);
        order.into_iter().map(|index| self.fact(index)).collect()
    }
}

//! Facts: the sentences of a history that say most for their tokens, whatever they are about and in any language.
//!
//! In: texts of messages, with who wrote them ([`Facts::add`]). Out: sentences in the order in which they should be shown
//! ([`Facts::ranked`]). [`segment`] finds sentences, [`words`] their words, [`score`] what they are worth, [`newest`] which of
//! them a later one replaces; [`languages`] has the words that rules know.

pub mod languages;
pub mod newest;
pub mod score;
pub mod segment;
pub mod words;

mod excerpt;

pub use excerpt::excerpt;
pub use segment::sentences;

use crate::map::HashMap;
use words::{Kind, words};

/// Who wrote a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    User,
    Assistant,
    Tool,
    /// An earlier record: sentences that were chosen before.
    Record,
}

/// A sentence that may be shown.
#[derive(Debug, Clone, PartialEq)]
pub struct Sentence {
    /// Index of its text, and its place in it.
    pub text_index: usize,
    pub speaker: Speaker,
    pub sentence: String,
    /// It goes on with the sentence before it and cannot be understood without it.
    pub needs_previous: bool,
    /// Words by key, each once, in order.
    words: Vec<(Kind, u32)>,
    /// The same for sentences that differ in their figures alone, and for equal ones.
    shape: u32,
    exact: u32,
    tokens: f64,
}

/// Longest sentence that is a fact, in bytes.
const LONGEST: usize = 600;
/// Sentences taken from one text: the first and the last ones.
const PER_TEXT: usize = 400;
/// Longest result of a tool that facts are taken from, in bytes: longer ones are files, pages and listings.
const LONGEST_RESULT: usize = 2_000;

/// Sentences of a history.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Facts {
    ids: Vec<String>,
    sentences: Vec<Sentence>,
    /// In how many sentences a word is.
    uses: HashMap<u32, u32>,
    /// How often a sentence came, by its shape and by itself.
    shapes: HashMap<u32, u32>,
    exacts: HashMap<u32, u32>,
}

/// A fact in the order of worth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact<'a> {
    /// Place among all sentences: the order in which they were said.
    pub index: usize,
    pub id: &'a str,
    pub speaker: Speaker,
    pub sentence: &'a str,
}

impl Facts {
    /// Takes in the sentences of one text. Costs what the text is long.
    pub fn add(&mut self, id: &str, speaker: Speaker, text: &str) {
        if speaker == Speaker::Tool && text.len() > LONGEST_RESULT {
            return;
        }
        let text_index = self.ids.len();
        let from = self.sentences.len();
        for stretch in crate::compact::ledger::quoted::own_words(text) {
            for sentence in sentences(stretch) {
                self.push(text_index, speaker, sentence);
            }
        }
        let beyond = (self.sentences.len() - from).saturating_sub(PER_TEXT);
        if beyond > 0 {
            let middle = from + PER_TEXT / 2;
            self.sentences.drain(middle..middle + beyond);
            self.sentences[middle].needs_previous = false;
        }
        self.ids.push(id.to_string());
    }

    /// Takes in one sentence as it stands.
    pub fn add_sentence(&mut self, id: &str, speaker: Speaker, sentence: &str) {
        self.push(self.ids.len(), speaker, sentence);
        self.ids.push(id.to_string());
    }

    fn push(&mut self, text_index: usize, speaker: Speaker, sentence: &str) {
        let sentence = sentence.trim_start_matches(['-', '*', '•', '#', '>', ' ']).trim();
        if sentence.len() > LONGEST || sentence.len() < 2 {
            return;
        }
        let all = words(sentence);
        let Some(first) = all.first() else { return };
        let needs_previous = self.sentences.last().is_some_and(|last| last.text_index == text_index)
            && score::goes_on(sentence, first.text, &all);
        let (mut shape, mut exact) = (0u32, 0u32);
        let mut kept: Vec<(Kind, u32)> = Vec::with_capacity(all.len());
        for word in &all {
            exact = exact.rotate_left(5).wrapping_mul(0x9e37_79b1) ^ word.key;
            let of_shape = if word.kind == Kind::Figure { 7 } else { word.key };
            shape = shape.rotate_left(5).wrapping_mul(0x9e37_79b1) ^ of_shape;
            if word.kind != Kind::Stop {
                kept.push((word.kind, word.key));
            }
        }
        kept.sort_unstable_by_key(|(_, key)| *key);
        kept.dedup_by_key(|(_, key)| *key);
        for (_, key) in &kept {
            *self.uses.entry(*key).or_default() += 1;
        }
        *self.shapes.entry(shape).or_default() += 1;
        *self.exacts.entry(exact).or_default() += 1;
        let tokens = words::tokens(sentence);
        self.sentences.push(Sentence {
            text_index,
            speaker,
            sentence: sentence.to_string(),
            needs_previous,
            words: kept,
            shape,
            exact,
            tokens,
        });
    }

    /// All sentences, as they were said.
    pub fn all(&self) -> Vec<Fact<'_>> {
        (0..self.sentences.len()).map(|index| self.fact(index)).collect()
    }

    fn fact(&self, index: usize) -> Fact<'_> {
        let sentence = &self.sentences[index];
        Fact { index, id: &self.ids[sentence.text_index], speaker: sentence.speaker, sentence: &sentence.sentence }
    }

    /// Returns facts of at most about `tokens` tokens, the best ones first.
    pub fn ranked(&self, tokens: u64) -> Vec<Fact<'_>> {
        let is_old = newest::replaced(self);
        let candidates = score::candidates(self, &is_old);
        let order = score::order(self, candidates, tokens as f64);
        order.into_iter().map(|index| self.fact(index)).collect()
    }
}

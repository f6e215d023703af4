//! Ranks chunks for a query: term by term into one sum per chunk, then selects the best.

use crate::inverted::GONE;
use crate::variations::is_grammar;
use crate::{Index, Scoring, Words, terms_of, words};
use espalier_core::map::HashMap;

/// The text of a search, and the limits of its result.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Query<'a> {
    /// Words in any form: a question, keywords, code.
    pub text: &'a str,
    /// Maximum number of chunks in the result.
    pub max_results: usize,
    /// Keeps scores of at least best x (1 - max_spread); applied after `max_results`.
    pub max_spread: Option<f64>,
    /// True if each hit reports what each term contributed to its score.
    pub contributions: bool,
}

impl<'a> Query<'a> {
    /// Returns a query for at most 128 chunks.
    pub fn of(text: &'a str) -> Query<'a> {
        Query { text, max_results: 128, max_spread: None, contributions: false }
    }
}

/// A chunk in the result; [`Index::locate`] returns its location.
#[derive(Debug, Clone, PartialEq)]
pub struct Hit {
    pub chunk: u32,
    pub score: f64,
    /// In the order of the query's terms; empty unless [`Query::contributions`] is set.
    pub contributions: Vec<Contribution>,
}

/// A part of a score.
#[derive(Debug, Clone, PartialEq)]
pub struct Contribution {
    pub term: String,
    pub score: f64,
}

/// The weight of a query's term.
#[derive(Clone, Copy)]
struct Weight {
    term: u32,
    /// The factor that does not depend on the chunk.
    factor: f64,
}

impl Index {
    /// Returns chunks for a query, best first; none if the index knows no term of the query.
    ///
    /// Chunks with equal scores are ordered by path and position, under [`Scoring::TfIdf`] by insertion.
    pub fn search(&self, query: &Query<'_>) -> Vec<Hit> {
        let weights = self.weights(query.text);
        if weights.is_empty() || query.max_results == 0 {
            return Vec::new();
        }
        let mut scores = vec![0.0; self.inverted.chunks.len()];
        for weight in &weights {
            self.each_score(*weight, |chunk, score| scores[chunk as usize] += score);
        }
        let found = (0u32..).zip(&scores).filter(|(_, score)| **score > 0.0).map(|(chunk, score)| (chunk, *score));
        let mut best = self.best(found.collect(), query.max_results);
        if let (Some(spread), Some((_, top))) = (query.max_spread, best.first().copied()) {
            best.retain(|(_, score)| *score >= top * (1.0 - spread));
        }
        let hit = |(chunk, score)| Hit { chunk, score, contributions: Vec::new() };
        let mut hits: Vec<Hit> = best.into_iter().map(hit).collect();
        if query.contributions {
            self.add_contributions(&weights, &mut hits);
        }
        hits
    }

    /// Returns the terms of a query that the index has, without duplicates, in the order of first occurrence.
    fn weights(&self, text: &str) -> Vec<Weight> {
        let mut counts: Vec<(u32, u32)> = Vec::new();
        let mut places: HashMap<u32, usize> = HashMap::default();
        for word in asked_words(text, self.profile.words) {
            terms_of(word, self.profile.words, |term| {
                let Some(term) = self.inverted.terms.find(term) else { return };
                let place = *places.entry(term).or_insert(counts.len());
                match counts.get_mut(place) {
                    Some(known) => known.1 += 1,
                    None => counts.push((term, 1)),
                }
            });
        }
        let total = f64::from(self.alive);
        let weight = |(term, count): (u32, u32)| {
            let chunks = f64::from(self.inverted.chunks_with(term));
            let idf = match self.profile.scoring {
                _ if chunks == 0.0 => 0.0,
                Scoring::TfIdf => ((total + 1.0) / chunks).ln(),
                Scoring::Bm25 { .. } => (1.0 + (total - chunks + 0.5) / (chunks + 0.5)).ln(),
            };
            let factor = match self.profile.scoring {
                Scoring::TfIdf => idf * idf * f64::from(count),
                Scoring::Bm25 { k1, .. } => idf * f64::from(count) * (k1 + 1.0),
            };
            Weight { term, factor }
        };
        counts.into_iter().map(weight).filter(|weight| weight.factor > 0.0).collect()
    }

    fn each_score(&self, weight: Weight, mut visit: impl FnMut(u32, f64)) {
        let lengths = &self.inverted.lengths;
        match self.profile.scoring {
            Scoring::TfIdf => self.inverted.each(weight.term, |chunk, count| {
                if lengths[chunk as usize] != GONE {
                    visit(chunk, f64::from(count) * weight.factor);
                }
            }),
            Scoring::Bm25 { k1, b } => {
                let average = (self.inverted.total_length as f64 / f64::from(self.alive.max(1))).max(1.0);
                let (fixed, per_term) = (k1 * (1.0 - b), k1 * b / average);
                self.inverted.each(weight.term, |chunk, count| {
                    let length = lengths[chunk as usize];
                    if length != GONE {
                        let count = f64::from(count);
                        visit(chunk, weight.factor * count / (count + fixed + per_term * f64::from(length)));
                    }
                });
            }
        }
    }

    /// Returns the best `max`, in order.
    fn best(&self, found: Vec<(u32, f64)>, max: usize) -> Vec<(u32, f64)> {
        let file = |chunk: u32| self.files.get(self.inverted.chunks[chunk as usize].file as usize)?.as_ref();
        match self.profile.scoring {
            Scoring::TfIdf => ranked(found, max, |chunk| file(chunk).map(|file| file.sequence)),
            Scoring::Bm25 { .. } => ranked(found, max, |chunk| file(chunk).map(|file| &*file.path)),
        }
    }

    fn add_contributions(&self, weights: &[Weight], hits: &mut [Hit]) {
        let places: HashMap<u32, usize> = hits.iter().enumerate().map(|(place, hit)| (hit.chunk, place)).collect();
        for weight in weights {
            self.each_score(*weight, |chunk, score| {
                if let Some(place) = places.get(&chunk) {
                    let term = self.inverted.terms.get(weight.term).to_string();
                    hits[*place].contributions.push(Contribution { term, score });
                }
            });
        }
    }

    /// Returns the terms of a chunk with their counts, in no order.
    pub fn terms_of_chunk(&self, chunk: u32) -> Vec<(&str, u32)> {
        let Some(stored) = self.inverted.chunks.get(chunk as usize) else { return Vec::new() };
        let Some(Some(file)) = self.files.get(stored.file as usize) else { return Vec::new() };
        let mut forward = self.inverted.forward(&file.content.terms);
        let mut found = Vec::new();
        for position in 0..=stored.position {
            for _ in 0..forward.chunk() {
                match forward.term() {
                    Some((term, count)) if position == stored.position => {
                        found.push((self.inverted.terms.get(term), count));
                    }
                    Some(_) => {}
                    None => return found,
                }
            }
        }
        found
    }
}

/// Returns the best `max`: ordered by score, then by the key of their file, then by number, which ascends within a
/// file.
fn ranked<K: Ord>(mut found: Vec<(u32, f64)>, max: usize, key: impl Fn(u32) -> K) -> Vec<(u32, f64)> {
    if max < found.len() {
        // The score alone excludes most chunks; only for the others it is worth reading the file.
        let by_score = |one: &(u32, f64), other: &(u32, f64)| other.1.total_cmp(&one.1);
        let min = found.select_nth_unstable_by(max - 1, by_score).1.1;
        found.retain(|(_, score)| *score >= min);
    }
    let mut keyed: Vec<(f64, K, u32)> = found.into_iter().map(|(chunk, score)| (score, key(chunk), chunk)).collect();
    let order = |one: &(f64, K, u32), other: &(f64, K, u32)| {
        other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)).then(one.2.cmp(&other.2))
    };
    if max < keyed.len() {
        keyed.select_nth_unstable_by(max, order);
        keyed.truncate(max);
    }
    keyed.sort_unstable_by(order);
    keyed.into_iter().map(|(score, _, chunk)| (chunk, score)).collect()
}

/// Returns the words of a query without its grammar, if it has other words. In code "where" and "does" are rare: a
/// chunk with such a comment came before the code that the question is about.
fn asked_words(text: &str, rules: Words) -> Vec<&str> {
    let mut all = Vec::new();
    words(text, rules, |word| all.push(word));
    let is_asked = |word: &&str| !is_grammar(&word.to_lowercase()) || !stands_alone(text, word);
    if rules != Words::CopilotChat && all.iter().any(is_asked) {
        all.retain(is_asked);
    }
    all
}

/// True if a word of `text` stands as in a sentence. `has(`, `.with`, `` `for` `` and `WHERE` are code.
fn stands_alone(text: &str, word: &str) -> bool {
    let start = word.as_ptr() as usize - text.as_ptr() as usize;
    let mut behind = text[start + word.len()..].chars();
    let is_end = |next: Option<char>| next.is_none_or(char::is_whitespace);
    let is_over = match behind.next() {
        Some('\'' | '’') => true,
        Some('.' | ',' | '?' | '!' | ';' | ':') => is_end(behind.next()),
        next => is_end(next),
    };
    let is_constant = word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase());
    is_over && is_end(text[..start].chars().next_back()) && !is_constant
}

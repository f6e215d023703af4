//! Messages of a conversation, found by words.
//!
//! In: each message as one text; an answer to a call also has the subject of the call. Out: the rounds that answer a
//! question best, each with the message that does. One document of the index is one message, one chunk some of its
//! lines.

use crate::bytes::checksum;
use crate::variations::question;
use crate::{Index, Profile, Query, Words};
use espalier_core::error::Result;
use espalier_core::map::HashMap;
use std::collections::BTreeMap;

/// Maximum bytes of a piece: some lines, or a part of one.
const PIECE: usize = 1_000;
/// Maximum bytes of a message's subject, which precedes each of its pieces.
const ABOUT: usize = 100;
/// Maximum number of pieces that are ranked for a question.
const CANDIDATES: usize = 2_000;
/// Minimum bytes of a text that is shown only once, however often it occurs.
const LONG: usize = 60;

/// Weight of instructions: they mention everything, and answer almost nothing.
const SYSTEM: f64 = 0.7;
/// Weight of the user's messages, if the question names the user.
const ASKED_USER: f64 = 1.5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Speaker {
    System,
    User,
    Assistant,
    Tool,
}

/// A message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Message<'a> {
    pub id: &'a str,
    /// Ascending with the messages, and unique.
    pub number: u32,
    /// Number of the first message of its round: a call and its results are one round.
    pub round: u32,
    pub speaker: Speaker,
    /// The subject of a result: name and arguments of its call.
    pub about: &'a str,
    pub text: &'a str,
}

/// A round in the result.
#[derive(Debug, Clone, PartialEq)]
pub struct FoundMessage<'a> {
    /// The best match in the round.
    pub id: &'a str,
    pub score: f64,
    /// Position of the match in its text, in UTF-16 code units.
    pub start: usize,
    pub end: usize,
    /// The other messages of the round, in order.
    pub with: Vec<&'a str>,
    /// Messages with the same text, newest first.
    pub repeats: Vec<&'a str>,
}

/// The messages of a conversation, searchable by words.
///
/// ```
/// use espalier_search::{Message, Messages, Speaker};
/// # fn main() -> espalier_core::error::Result<()> {
/// let mut messages = Messages::default();
/// let said = |number, id, text| Message { id, number, round: number, speaker: Speaker::User, about: "", text };
/// messages.put(said(0, "m0", "Please fix the parser."))?;
/// messages.put(said(1, "m1", "The tokenizer dropped the last character."))?;
/// assert_eq!(messages.search("Which characters were dropped?", 5)[0].id, "m1");
/// # Ok(()) }
/// ```
pub struct Messages {
    index: Index,
    rows: HashMap<Box<str>, Row>,
    by_number: BTreeMap<u32, Box<str>>,
}

struct Row {
    number: u32,
    round: u32,
    speaker: Speaker,
    /// Checksum of the text, if it is long.
    sum: Option<u64>,
    /// Start and end of each piece, in UTF-16 code units.
    pieces: Box<[(u32, u32)]>,
}

impl Default for Messages {
    fn default() -> Messages {
        // Questions are expanded with other forms of their words, which count less than the words.
        let profile = Profile { words: Words::Espalier, context: false, ..Profile::ESPALIER };
        Messages { index: Index::new(profile), rows: HashMap::default(), by_number: BTreeMap::new() }
    }
}

impl Messages {
    /// Adds a message, or replaces the one with its id.
    ///
    /// # Errors
    /// Those of [`Index::put_chunks`].
    pub fn put(&mut self, message: Message<'_>) -> Result<()> {
        let Message { id, number, round, speaker, about, text } = message;
        self.remove(id);
        let about = &about[..about.floor_char_boundary(ABOUT)];
        let ranges = pieces(text);
        let mut pieces = Vec::with_capacity(ranges.len());
        let mut texts: Vec<String> = Vec::with_capacity(ranges.len());
        let (mut counted, mut units) = (0, 0);
        for (start, end) in ranges {
            units += text[counted..start].encode_utf16().count();
            let first = units;
            units += text[start..end].encode_utf16().count();
            counted = end;
            pieces.push((number_of(first), number_of(units)));
            texts.push(format!("{about}\n{}", &text[start..end]));
        }
        if texts.is_empty() && !about.is_empty() {
            pieces.push((0, 0));
            texts.push(about.to_string());
        }
        let borrowed: Vec<&str> = texts.iter().map(String::as_str).collect();
        self.index.put_chunks(id, "", &borrowed)?;
        let sum = (text.len() >= LONG).then(|| checksum(speaker as u64, text.as_bytes()));
        self.rows.insert(id.into(), Row { number, round, speaker, sum, pieces: pieces.into() });
        self.by_number.insert(number, id.into());
        Ok(())
    }

    /// Removes a message. Returns false if it was not there.
    pub fn remove(&mut self, id: &str) -> bool {
        let Some(row) = self.rows.remove(id) else { return false };
        self.by_number.remove(&row.number);
        self.index.remove(id)
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the number of pieces of all messages.
    pub fn pieces(&self) -> usize {
        self.index.state().chunks
    }

    /// Returns the rounds that answer a question, best first; of two with equal scores the newer first.
    pub fn search(&self, query: &str, max: usize) -> Vec<FoundMessage<'_>> {
        let mut found: Vec<FoundMessage<'_>> = Vec::new();
        let mut by_round: HashMap<u32, usize> = HashMap::default();
        let mut by_text: HashMap<u64, usize> = HashMap::default();
        for (score, id, row, piece) in self.rank_messages(query) {
            if let Some(&at) = row.sum.and_then(|sum| by_text.get(&sum)) {
                if found[at].id != id {
                    found[at].repeats.push(id);
                }
                continue;
            }
            if found.len() < max && !by_round.contains_key(&row.round) {
                let (start, end) =
                    row.pieces.get(piece).map_or((0, 0), |(start, end)| (*start as usize, *end as usize));
                by_round.insert(row.round, found.len());
                if let Some(sum) = row.sum {
                    by_text.insert(sum, found.len());
                }
                let with = self.round_of(row, id);
                found.push(FoundMessage { id, score, start, end, with, repeats: Vec::new() });
            }
        }
        for one in &mut found {
            one.repeats.sort_by_key(|id| std::cmp::Reverse(self.rows.get(*id).map(|row| row.number)));
        }
        found
    }

    /// Returns messages with their best piece, best first.
    fn rank_messages(&self, query: &str) -> Vec<(f64, &str, &Row, usize)> {
        let asked = question(query, self.index.profile().words);
        let query = Query { text: &asked.text, max_results: CANDIDATES, max_spread: None, contributions: true };
        let mut counts: HashMap<String, f64> = HashMap::default();
        crate::words(&asked.text, self.index.profile().words, |word| {
            crate::terms_of(word, self.index.profile().words, |term| {
                *counts.entry(term.to_string()).or_insert(0.0) += 1.0;
            });
        });
        let mut best: HashMap<&str, (f64, &Row, usize)> = HashMap::default();
        let mut by_word = vec![0.0_f64; asked.words];
        for hit in self.index.search(&query) {
            by_word.fill(0.0);
            // Among a word and its forms only the best counts.
            for one in &hit.contributions {
                let score = one.score / counts.get(&one.term).copied().unwrap_or(1.0);
                for (word, weight) in asked.terms.get(&one.term).into_iter().flatten() {
                    by_word[*word] = by_word[*word].max(weight * score);
                }
            }
            let Some(place) = self.index.locate(hit.chunk) else { continue };
            let Some((id, row)) = self.rows.get_key_value(place.path) else { continue };
            let weight = match row.speaker {
                Speaker::System => SYSTEM,
                Speaker::User if asked.is_about_user => ASKED_USER,
                _ => 1.0,
            };
            let score = weight * by_word.iter().sum::<f64>();
            let known = best.entry(id).or_insert((score, row, place.position as usize));
            // Hits are not in the order of this score; among equal pieces the first is used.
            if score > known.0 || (score == known.0 && (place.position as usize) < known.2) {
                *known = (score, row, place.position as usize);
            }
        }
        let mut list: Vec<(f64, &str, &Row, usize)> =
            best.into_iter().map(|(id, (score, row, piece))| (score, id, row, piece)).collect();
        list.sort_by(|one, other| other.0.total_cmp(&one.0).then(other.2.number.cmp(&one.2.number)));
        list
    }

    /// Returns the other messages of a round, which are contiguous.
    fn round_of(&self, row: &Row, id: &str) -> Vec<&str> {
        let from_first = self.by_number.range(row.round..).map(|(_, id)| &**id);
        let of_round = from_first.take_while(|id| self.rows.get(*id).is_some_and(|one| one.round == row.round));
        of_round.filter(|one| *one != id).collect()
    }
}

fn number_of(units: usize) -> u32 {
    u32::try_from(units).unwrap_or(u32::MAX)
}

/// Returns start and end of each piece: as many lines as fit; a longer line is cut between words. Blank pieces are left
/// out.
fn pieces(text: &str) -> Vec<(usize, usize)> {
    let mut found: Vec<(usize, usize)> = Vec::new();
    let mut add = |start: usize, end: usize| {
        if !text[start..end].trim().is_empty() {
            found.push((start, end));
        }
    };
    let mut start = 0;
    let mut end = 0;
    for line in text.split_inclusive('\n') {
        if end + line.len() - start > PIECE && end > start {
            add(start, end);
            start = end;
        }
        end += line.len();
        while end - start > PIECE {
            let limit = text.floor_char_boundary(start + PIECE);
            let space = text[start..limit].rfind([' ', '\t', ',', ';']).filter(|space| *space > PIECE / 2);
            let cut = space.map_or(limit, |space| start + space + 1);
            add(start, cut);
            start = cut;
        }
    }
    if end > start {
        add(start, end);
    }
    found
}

//! Recall: returns the originals of hidden messages, and the edits that hid them.

use std::rc::Rc;

use serde::Serialize;

use super::Log;
use super::entry::{id_of, seq_of, stands_in};
use super::fold::Shown;
use super::text::{text_of, units_before};
use crate::error::{Code, Error, Result};
use crate::message::Message;
use crate::validity::pairs::origin_id;

/// Where a message is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Place {
    /// In the view, unchanged.
    Shown,
    /// In the view, changed.
    Changed,
    /// Replaced by a summary.
    Covered,
    Dropped,
    /// Removed by a rewind.
    Rewound,
}

/// An original, and where it is now.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recalled<'a> {
    pub message: &'a Message,
    /// Tokens of the original.
    pub tokens: u64,
    pub place: Place,
    /// Ids of the edits or the rewind that changed or hid it.
    pub by: Vec<String>,
    /// The places where a query was found; empty without a query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<Hit>,
}

/// The first place of a query's word in a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    pub part: usize,
    /// In UTF-16 code units of the part's text.
    pub offset: usize,
    pub word: String,
}

impl Log {
    /// Returns the originals behind an id: of a message, of an edit's targets, of the messages that a summary replaces
    /// (`e7:summary`, or its reply `e7:reply`), or of a range (`m3..m9`).
    ///
    /// # Errors
    /// [`Code::UnknownId`].
    pub fn recall(&self, id: &str) -> Result<Vec<Recalled<'_>>> {
        let unknown =
            |id: &str| Error::new(Code::UnknownId, format!("the log has nothing with the id {id:?}")).at("id");
        let found = |id: &str| self.store.slots.get(id).or_else(|| self.store.slots.get(origin_id(id))).copied();
        if let Some(slot) = found(id) {
            return Ok(vec![self.recalled(slot)]);
        }
        if let Some((from, to)) = id.split_once("..") {
            let slot = |id: &str| found(id).ok_or_else(|| unknown(id));
            return Ok((slot(from)?..=slot(to)?).map(|slot| self.recalled(slot)).collect());
        }
        let of_summary = stands_in(id);
        let laid = seq_of(of_summary.unwrap_or(id)).and_then(|seq| self.state.edits.get(&seq));
        let laid = laid.filter(|laid| of_summary.is_none() || laid.span.is_some()).ok_or_else(|| unknown(id))?;
        let mut slots = match &laid.span {
            Some(span) => (span.start..=span.end).collect(),
            None => laid.slots.clone(),
        };
        crate::rank::sort(&mut slots, |slot| *slot as u64);
        slots.dedup();
        Ok(slots.into_iter().map(|slot| self.recalled(slot)).collect())
    }

    /// Returns up to `most` messages with the most words of `query`, in upper or lower case, the newer first among
    /// equals. Searches rewound messages as well.
    pub fn search(&self, query: &str, most: usize) -> Vec<Recalled<'_>> {
        let mut words: Vec<String> = query.split_whitespace().map(str::to_lowercase).collect();
        crate::rank::sort_by(&mut words, |one, other| one.cmp(other));
        words.dedup();
        let mut found: Vec<(usize, usize, Vec<Hit>)> = Vec::new();
        for slot in (0..self.state.slots.len()).rev() {
            let mut hits: Vec<Hit> = Vec::new();
            let mut held = 0;
            let texts: Vec<_> = self.store.message(slot).parts.iter().map(|part| Folded::new(&text_of(part))).collect();
            for word in &words {
                let before = hits.len();
                hits.extend(
                    texts
                        .iter()
                        .enumerate()
                        .filter_map(|(part, text)| Some(Hit { part, offset: text.find(word)?, word: word.clone() })),
                );
                held += usize::from(hits.len() > before);
            }
            if held > 0 {
                found.push((held, slot, hits));
            }
        }
        // The sort is stable, and the list is newest first.
        crate::rank::sort(&mut found, |(held, ..)| !(*held as u64));
        found.truncate(most);
        found.into_iter().map(|(_, slot, hits)| Recalled { hits, ..self.recalled(slot) }).collect()
    }

    /// Returns whether this is the id of a summary of this log.
    pub fn has_summary(&self, id: &str) -> bool {
        let seq = id.strip_suffix(":summary").and_then(seq_of);
        seq.and_then(|seq| self.state.edits.get(&seq)).is_some_and(|edit| edit.span.is_some())
    }

    /// Returns the messages that a summary replaces, oldest first, or `None` if the id is not that of a summary. A
    /// request between them beside the summary is there without parts: what follows belongs to it.
    pub fn behind(&self, id: &str) -> Option<Vec<Rc<Message>>> {
        let seq = seq_of(id.strip_suffix(":summary")?)?;
        let span = self.state.edits.get(&seq)?.span.as_ref()?;
        let of = |slot| {
            let message = self.store.shared(slot);
            match self.state.slots[slot].shown {
                Shown::Covered(_) => Some(Rc::clone(message)),
                Shown::Whole | Shown::Changed(_) if message.is_request() => Some(Rc::new(message.without_parts())),
                _ => None,
            }
        };
        Some((span.start..=span.end).filter_map(of).collect())
    }

    fn recalled(&self, slot: usize) -> Recalled<'_> {
        let it = &self.state.slots[slot];
        let (place, by) = match &it.shown {
            Shown::Whole => (Place::Shown, vec![]),
            Shown::Rewound(by) => (Place::Rewound, vec![id_of(*by)]),
            Shown::Dropped(by) => (Place::Dropped, vec![id_of(*by)]),
            Shown::Covered(by) => {
                let outer = self.state.covered_by(&self.store, slot).unwrap_or(*by);
                (Place::Covered, vec![id_of(outer)])
            }
            Shown::Changed(_) => {
                let in_force = it.touched.iter().filter(|(seq, _)| self.state.edits[seq].in_force());
                let mut by: Vec<usize> = in_force.map(|(seq, _)| *seq).collect();
                by.extend(self.state.lead(&self.store, slot).map(|(_, lead)| lead.by));
                by.dedup();
                (Place::Changed, by.into_iter().map(id_of).collect())
            }
        };
        let tokens = self.store.counts[slot].message.tokens;
        Recalled { message: self.store.message(slot), tokens, place, by, hits: vec![] }
    }
}

/// A text with its lower-case form, which maps offsets back to the text.
struct Folded<'a> {
    text: std::borrow::Cow<'a, str>,
    lower: String,
}

impl<'a> Folded<'a> {
    fn new(text: &std::borrow::Cow<'a, str>) -> Folded<'a> {
        Folded { text: text.clone(), lower: text.to_lowercase() }
    }

    /// Returns the offset of a word in the text, in UTF-16 code units.
    fn find(&self, word: &str) -> Option<usize> {
        let at = self.lower.find(word)?;
        // A character's lower case can be longer or shorter, so offsets are mapped by a walk. Only a final sigma has
        // another lower case here, of the same length.
        let mut lower = 0;
        for (byte, character) in self.text.char_indices() {
            if lower >= at {
                return Some(units_before(&self.text, byte));
            }
            lower += character.to_lowercase().map(char::len_utf8).sum::<usize>();
        }
        Some(units_before(&self.text, self.text.len()))
    }
}

//! Recall: the untouched original of whatever an edit hid, and which edit hid it.

use std::rc::Rc;

use serde::Serialize;

use super::Log;
use super::entry::{id_of, seq_of, stands_in};
use super::fold::Shown;
use super::text::{text_of, units_before};
use crate::error::{Code, Error, Result};
use crate::message::Message;

/// Where a message is now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Place {
    /// In the view as it came.
    Shown,
    /// In the view, changed.
    Changed,
    /// A summary stands for it.
    Covered,
    Dropped,
    /// A rewind left it behind.
    Rewound,
}

/// An original and its whereabouts.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Recalled<'a> {
    pub message: &'a Message,
    /// Tokens of it as it came.
    pub tokens: u64,
    pub place: Place,
    /// Ids of the edits or the rewind that changed or hid it.
    pub by: Vec<String>,
    /// Where a query was found, best known as a part and an offset; empty without a query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<Hit>,
}

/// Where a word of a query was found first in a part.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Hit {
    pub part: usize,
    /// In UTF-16 code units of the part's text.
    pub offset: usize,
    pub word: String,
}

impl Log {
    /// The originals behind an id: of a message, of the messages an edit is about, of those a summary stands for (`e7:summary`, its reply `e7:reply`), or of a
    /// range (`m3..m9`).
    ///
    /// # Errors
    /// [`Code::UnknownId`].
    pub fn recall(&self, id: &str) -> Result<Vec<Recalled<'_>>> {
        let unknown =
            |id: &str| Error::new(Code::UnknownId, format!("the log has nothing with the id {id:?}")).at("id");
        if let Some(&slot) = self.store.slots.get(id) {
            return Ok(vec![self.recalled(slot)]);
        }
        if let Some((from, to)) = id.split_once("..") {
            let slot = |id: &str| self.store.slots.get(id).copied().ok_or_else(|| unknown(id));
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

    /// The `most` messages that hold most words of `query`, in whatever case; of two that hold as many the newer first. Rewound messages
    /// are searched as well.
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
        // Messages were looked at newest first.
        crate::rank::sort(&mut found, |(held, ..)| !(*held as u64));
        found.truncate(most);
        found.into_iter().map(|(_, slot, hits)| Recalled { hits, ..self.recalled(slot) }).collect()
    }

    /// Returns true for the id of a message with which an edit of this log replaced others.
    pub fn has_summary(&self, id: &str) -> bool {
        let seq = id.strip_suffix(":summary").and_then(seq_of);
        seq.and_then(|seq| self.state.edits.get(&seq)).is_some_and(|edit| edit.span.is_some())
    }

    /// The messages that a summary in the view stands for, oldest first; `None` for what is no summary.
    pub fn behind(&self, id: &str) -> Option<Vec<Rc<Message>>> {
        let seq = seq_of(id.strip_suffix(":summary")?)?;
        let span = self.state.edits.get(&seq)?.span.as_ref()?;
        let covered = |slot: &usize| matches!(self.state.slots[*slot].shown, Shown::Covered(_));
        Some((span.start..=span.end).filter(covered).map(|slot| Rc::clone(self.store.shared(slot))).collect())
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

/// A text in lower case that knows where its characters came from.
struct Folded<'a> {
    text: std::borrow::Cow<'a, str>,
    lower: String,
}

impl<'a> Folded<'a> {
    fn new(text: &std::borrow::Cow<'a, str>) -> Folded<'a> {
        Folded { text: text.clone(), lower: text.to_lowercase() }
    }

    /// Offset of a word in the text, in UTF-16 code units.
    fn find(&self, word: &str) -> Option<usize> {
        let at = self.lower.find(word)?;
        // Lower case can be longer or shorter, so the way back is walked; by the same rule, but for a final sigma, which keeps its length.
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

//! Prunes a growing conversation: no message is counted twice, and the result contains only what a caller that has the
//! messages does not know.

use std::rc::Rc;

use serde::Serialize;

use super::{Limits, Pruned, cut_draft, fingerprint};
use crate::error::{Code, Error, Result};
use crate::history::draft::{Draft, Meter};
use crate::history::plan::{Fate, MessageFate, PlanItem};
use crate::history::sound::Sound;
use crate::map::HashMap;
use crate::message::Message;
use crate::tokens::Origin;

/// Messages with their counts. The same [`Meter`] counts them all.
#[derive(Default)]
pub struct Held {
    messages: Vec<Rc<Message>>,
    counts: Vec<u64>,
    marks: Vec<u64>,
    origins: Vec<Origin>,
    sound: Sound,
    /// Numbers of the messages.
    ids: HashMap<String, usize>,
}

/// The plan of a pruned request and its messages, in a short form.
#[derive(Debug, PartialEq, Serialize)]
pub struct Brief {
    pub items: Vec<Item>,
    pub rows: Vec<Row>,
}

/// Items of a plan.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Item {
    /// The number of the first of several kept messages, and how many they are.
    Kept(usize, usize),
    One(PlanItem),
}

/// Rows of a report.
#[derive(Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Row {
    /// The number of the first of several messages that are whole or gone, how many they are, their fate and its rule.
    Same(usize, usize, Fate, Option<&'static str>),
    One(MessageFate),
}

impl Held {
    pub fn len(&self) -> usize {
        self.messages.len()
    }

    pub fn is_empty(&self) -> bool {
        self.messages.is_empty()
    }

    /// Removes all messages except the first `length`, then adds these. Returns the tokens of each added one.
    ///
    /// # Errors
    /// [`Code::DuplicateId`], after the removal.
    pub fn splice(&mut self, length: usize, added: Vec<Message>, meter: Meter) -> Result<&[u64]> {
        for message in self.messages.drain(length.min(self.messages.len())..) {
            self.ids.remove(&message.id);
        }
        let length = self.messages.len();
        if length < self.counts.len() {
            self.sound = Sound::default();
            self.messages.iter().for_each(|message| self.sound.push(message, None, meter));
        }
        self.counts.truncate(length);
        self.marks.truncate(length);
        self.origins.truncate(length);
        if let Some(message) = added.iter().find(|message| self.ids.contains_key(&message.id)) {
            let error = Error::new(Code::DuplicateId, format!("two messages have the id {:?}", message.id));
            return Err(error.at("messages"));
        }
        for message in added {
            self.sound.push(&message, None, meter);
            let cost = meter.model.message(&message, meter.tokenizer);
            self.ids.insert(message.id.clone(), self.messages.len());
            self.counts.push(cost.tokens);
            self.origins.push(cost.origin);
            self.marks.push(fingerprint(&message));
            self.messages.push(Rc::new(message));
        }
        Ok(&self.counts[length..])
    }

    /// Prunes the messages. `origin` is that of the tools' counts. `plan` and `messages` of the request are empty: they
    /// are in the brief.
    ///
    /// # Errors
    /// As [`prune`](super::prune).
    pub fn prune(&self, meter: Meter, origin: Origin, limits: &Limits) -> Result<(Pruned, Brief)> {
        let messages = self.messages.iter().map(|message| &**message);
        let draft = Draft::with_counts(messages, &self.counts, meter, self.worst(origin));
        let mut pruned = cut_draft(draft, &self.marks, limits, Some(&self.sound))?;
        let items = self.items(std::mem::take(&mut pruned.plan));
        let rows = self.rows(std::mem::take(&mut pruned.messages));
        Ok((pruned, Brief { items, rows }))
    }

    /// Returns the messages, which are shared, and the tokens of each.
    pub fn counted(&self) -> (Vec<Rc<Message>>, Vec<u64>) {
        (self.messages.clone(), self.counts.clone())
    }

    /// Returns the worst of `origin` and the origins of all counts.
    pub fn worst(&self, origin: Origin) -> Origin {
        self.origins.iter().fold(origin, |worst, &origin| worst.worst(origin))
    }

    fn items(&self, plan: Vec<PlanItem>) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let mut next = 0;
        for item in plan {
            let kept = match &item {
                PlanItem::Keep { id, joins: false } => self.number(id, next),
                _ => None,
            };
            next = kept.map_or(next, |number| number + 1);
            match (kept, items.last_mut()) {
                (Some(number), Some(Item::Kept(first, count))) if *first + *count == number => *count += 1,
                (Some(number), _) => items.push(Item::Kept(number, 1)),
                (None, _) => items.push(Item::One(item)),
            }
        }
        items
    }

    fn rows(&self, fates: Vec<MessageFate>) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let mut next = 0;
        for fate in fates {
            let known = self.number(&fate.id, next).filter(|&number| {
                let left = if fate.fate == Fate::Kept { fate.before } else { 0 };
                let is_whole_or_gone = matches!(fate.fate, Fate::Kept | Fate::Dropped) && fate.after == left;
                is_whole_or_gone && fate.before == self.counts[number] && fate.role == self.messages[number].role
            });
            next = known.map_or(next, |number| number + 1);
            match (known, rows.last_mut()) {
                (Some(number), Some(Row::Same(first, count, same, rule)))
                    if *first + *count == number && (*same, *rule) == (fate.fate, fate.rule) =>
                {
                    *count += 1;
                }
                (Some(number), _) => rows.push(Row::Same(number, 1, fate.fate, fate.rule)),
                (None, _) => rows.push(Row::One(fate)),
            }
        }
        rows
    }

    /// Returns the number of a message, which is `next` more often than not.
    fn number(&self, id: &str, next: usize) -> Option<usize> {
        let is_next = self.messages.get(next).is_some_and(|message| message.id == id);
        if is_next { Some(next) } else { self.ids.get(id).copied() }
    }
}

//! Stores the entries of a log and the counts of every message. It only grows.

use std::rc::Rc;

use super::entry::{Edit, Entry};
use crate::history::draft::Meter;
use crate::map::HashMap;
use crate::message::{Message, Part};
use crate::tokens::{Cost, CostModel, Origin};

/// One entry with the host's time.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Milliseconds, by the host's clock. Nothing depends on it, since clocks jump.
    pub time: i64,
    pub entry: Entry,
    /// The counts in the line of a message; see [`Counts::told`].
    pub told: Option<Box<str>>,
}

/// Tokens of one message as it was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    pub message: Cost,
    /// Tokens of each part.
    pub parts: Box<[u64]>,
}

impl Counts {
    /// Counts a message and its parts. Texts are counted only once if the sum of the parts is exact.
    pub fn of(message: &Message, meter: Meter) -> Counts {
        let mut sum = Cost::ZERO;
        let mut parts = Vec::with_capacity(message.parts.len());
        for part in &message.parts {
            let cost = meter.model.part(message.role, part, meter.tokenizer);
            sum += cost;
            parts.push(cost.tokens);
        }
        let texts = message.parts.iter().filter(|part| matches!(part, Part::Text { .. })).count();
        let is_one = !message.parts.contains(&Part::Boundary);
        // Several texts are joined before they are counted, and the other models have their own formula for a whole
        // message.
        let adds_up = meter.model == CostModel::Espalier && texts < 2 && is_one;
        let whole = if adds_up {
            let bare = Message { parts: vec![], id: String::new(), role: message.role, name: message.name.clone() };
            sum + meter.model.message(&bare, meter.tokenizer)
        } else {
            meter.model.message(message, meter.tokenizer)
        };
        Counts { message: whole, parts: parts.into() }
    }

    /// Returns the counts for the line of a message, with their encoding and cost model. Returns `None` if another
    /// count may differ: with a tokenizer of the host, an estimate, or media.
    pub fn told(&self, message: &Message, meter: Meter) -> Option<Box<str>> {
        let is_media = |part: &Part| matches!(part, Part::Image { .. } | Part::Document { .. });
        let has_media = message.parts.iter().any(|part| match part {
            Part::ToolResult { content, .. } => content.iter().any(is_media),
            part => is_media(part),
        });
        if has_media || self.message.origin != Origin::Exact {
            return None;
        }
        let mut told = format!("{} {} {}", meter.tokenizer.known_as()?, meter.model.name(), self.message.tokens);
        for part in &self.parts {
            told.push(' ');
            told.push_str(&part.to_string());
        }
        Some(told.into())
    }

    /// Reads the counts in the line of a message, if they were made with the current encoding and cost model.
    fn read(told: &str, message: &Message, meter: Meter) -> Option<Counts> {
        let mut words = told.split(' ');
        if words.next() != Some(meter.tokenizer.known_as()?) || words.next() != Some(meter.model.name()) {
            return None;
        }
        // Numbers of 32 bits cannot overflow when they are added up.
        let mut numbers = words.map(|word| word.parse::<u32>().ok().map(u64::from));
        let tokens = numbers.next()??;
        let parts: Box<[u64]> = numbers.collect::<Option<_>>()?;
        (parts.len() == message.parts.len()).then(|| Counts { message: Cost::exact(tokens), parts })
    }
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Store {
    pub records: Vec<Record>,
    /// Positions of the message entries. The index of a message here is its *slot*.
    pub messages: Vec<usize>,
    /// By slot.
    pub counts: Vec<Counts>,
    /// Slots by message id, of all messages ever added.
    pub slots: HashMap<String, usize>,
}

impl Store {
    /// Stores an entry and returns its position. Counts the message of a new entry (`is_new`).
    pub fn push(&mut self, mut record: Record, is_new: bool, meter: Meter) -> usize {
        let seq = self.records.len();
        if let Entry::Message { message } = &record.entry {
            self.slots.insert(message.id.clone(), self.messages.len());
            self.messages.push(seq);
            let known = record.told.as_deref().and_then(|told| Counts::read(told, message, meter));
            let counts = known.unwrap_or_else(|| Counts::of(message, meter));
            if is_new {
                record.told = counts.told(message, meter);
            }
            self.counts.push(counts);
        }
        self.records.push(record);
        seq
    }

    /// Returns the message in a slot.
    pub fn message(&self, slot: usize) -> &Message {
        self.shared(slot)
    }

    /// Returns the message in a slot as a shared pointer.
    pub fn shared(&self, slot: usize) -> &Rc<Message> {
        match &self.records[self.messages[slot]].entry {
            Entry::Message { message } => message,
            _ => unreachable!("slots are made for message entries only"),
        }
    }

    /// Returns the edit at a position.
    pub fn edit(&self, seq: usize) -> Option<&Edit> {
        match &self.records.get(seq)?.entry {
            Entry::Edit { edit } => Some(edit),
            _ => None,
        }
    }
}

//! What a log remembers: the entries as they came, and the counts of every message. Only ever grows.

use std::rc::Rc;

use super::entry::{Edit, Entry};
use crate::history::draft::Meter;
use crate::map::HashMap;
use crate::message::{Message, Part};
use crate::tokens::{Cost, CostModel, Origin};

/// One entry with the host's time of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// Milliseconds, as the host said. Nothing depends on it: clocks jump.
    pub time: i64,
    pub entry: Entry,
    /// What the line of a message says of its tokens; see [`Counts::told`].
    pub told: Option<Box<str>>,
}

/// Tokens of one message as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    pub message: Cost,
    /// Each part by itself.
    pub parts: Box<[u64]>,
}

impl Counts {
    /// Counts a message and its parts, every text once where that is the same.
    pub fn of(message: &Message, meter: Meter) -> Counts {
        let mut sum = Cost::ZERO;
        let mut parts = Vec::with_capacity(message.parts.len());
        for part in &message.parts {
            let cost = meter.model.part(message.role, part, meter.tokenizer);
            sum += cost;
            parts.push(cost.tokens);
        }
        let texts = message.parts.iter().filter(|part| matches!(part, Part::Text { .. })).count();
        // Several texts are joined before they are counted; the other models have a formula of their own for the whole.
        let adds_up = meter.model == CostModel::Espalier && texts < 2;
        let whole = if adds_up {
            let bare = Message { parts: vec![], id: String::new(), role: message.role, name: message.name.clone() };
            sum + meter.model.message(&bare, meter.tokenizer)
        } else {
            meter.model.message(message, meter.tokenizer)
        };
        Counts { message: whole, parts: parts.into() }
    }

    /// The counts for the line of a message, after what they were counted with. Nothing where they may come out otherwise another time: by a
    /// tokenizer of the host's, by estimate, or by how a model sees pictures.
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

    /// Counts as the line of a message has them, if they were made with what is counted with now.
    fn read(told: &str, message: &Message, meter: Meter) -> Option<Counts> {
        let mut words = told.split(' ');
        if words.next() != Some(meter.tokenizer.known_as()?) || words.next() != Some(meter.model.name()) {
            return None;
        }
        // Sums of what fits into 32 bits are far from any end.
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
    /// Positions of the message entries; a message's place here is its *slot*.
    pub messages: Vec<usize>,
    /// By slot.
    pub counts: Vec<Counts>,
    /// Slots by message id, of all messages there ever were.
    pub slots: HashMap<String, usize>,
}

impl Store {
    /// Remembers an entry and returns its position. A message that `is_new` gets its counts.
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

    /// The message in a slot.
    pub fn message(&self, slot: usize) -> &Message {
        self.shared(slot)
    }

    /// The same, to be held on to.
    pub fn shared(&self, slot: usize) -> &Rc<Message> {
        match &self.records[self.messages[slot]].entry {
            Entry::Message { message } => message,
            _ => unreachable!("slots are made for message entries only"),
        }
    }

    /// The edit at a position.
    pub fn edit(&self, seq: usize) -> Option<&Edit> {
        match &self.records.get(seq)?.entry {
            Entry::Edit { edit } => Some(edit),
            _ => None,
        }
    }
}

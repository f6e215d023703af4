//! Pins in force, for the host and the ledger.

use serde::Serialize;

use super::Log;
use super::entry::{Entry, Pin, id_of};
use super::text::{pinned_text, text_of};

/// An active pin, with its content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pinned {
    pub id: String,
    #[serde(flatten)]
    pub pin: Pin,
    /// The pinned text, if the pin is a part, a range of it, or a fact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Tokens that the pin keeps in the view: those of the message, the part or the text.
    pub tokens: u64,
    /// True while a rewind hides its message.
    pub rewound: bool,
}

impl Log {
    /// Returns all pins in force, in log order.
    pub fn pins(&self) -> Vec<Pinned> {
        let meter = self.counting.meter();
        let rows = self.state.pins.iter().filter_map(|(&seq, &slot)| {
            let Entry::Pin { pin } = &self.store.records.get(seq)?.entry else { return None };
            let part = slot.zip(pin.part).and_then(|(slot, part)| self.store.message(slot).parts.get(part));
            let text = match (part, pin.range) {
                (Some(part), Some(range)) => pinned_text(part, range),
                (Some(part), None) => Some(text_of(part).into_owned()),
                _ => pin.fact.clone(),
            };
            let tokens = match (slot, pin.part, pin.range) {
                (Some(slot), None, _) => self.store.counts[slot].message.tokens,
                (Some(slot), Some(part), None) => self.store.counts[slot].parts.get(part).copied().unwrap_or(0),
                _ => text.as_deref().map_or(0, |text| meter.text(text)),
            };
            let rewound = slot.is_some_and(|slot| !self.is_live(slot));
            Some(Pinned { id: id_of(seq), pin: pin.clone(), text, tokens, rewound })
        });
        rows.collect()
    }
}

//! How the history of a log begins.

use serde::Deserialize;

use super::Log;
use super::entry::Entry;
use crate::history::opening::{Opening, opening};

/// What the first note of a conversation says of the messages that it was opened with.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Note {
    /// Their number.
    opened: Option<usize>,
    /// The id of one that the host knows to be a record of another system.
    earlier: Option<String>,
}

impl Log {
    /// The record that another system left at the beginning, and its environment turn. Messages that came one by one are none: a user may
    /// write anything. Without a note the log was opened with the messages that came at the same time as the first one, if they are several.
    pub fn opening(&self) -> Opening {
        let store = &self.store;
        let note = match store.records.first().map(|record| &record.entry) {
            Some(Entry::Note { json }) => serde_json::from_str(json).unwrap_or_default(),
            _ => Note::default(),
        };
        let time = |slot: &usize| store.messages.get(*slot).map(|&seq| store.records[seq].time);
        let together = || match (0..store.messages.len()).take_while(|slot| time(slot) == time(&0)).count() {
            1 => 0,
            count => count,
        };
        let messages = (0..store.messages.len()).map(|slot| store.message(slot));
        let mut found = opening(messages, note.earlier.as_deref());
        let slot = |id: &str| store.slots.get(id).copied();
        let is_given = |id: &str| slot(id).is_some_and(|slot| slot < note.opened.unwrap_or_else(together));
        found.record = found.record.filter(|record| is_given(&record.id));
        found
    }
}

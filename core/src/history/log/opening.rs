//! Reads the beginning of a log's history.

use serde::Deserialize;

use super::Log;
use super::entry::Entry;
use crate::history::opening::{Opening, opening};

/// The first note of a conversation, which describes the messages that it was opened with.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Note {
    /// Number of these messages.
    opened: Option<usize>,
    /// Id of the message that the host knows to be a record of another system.
    earlier: Option<String>,
}

impl Log {
    /// Returns the record that another system left at the beginning, and its environment turn. Messages that were added
    /// one by one do not count, since a user may write anything. Without a note, the log was opened with the messages
    /// that have the same time as the first one, if they are several.
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

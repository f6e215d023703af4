//! Tracks how much of a view its provider accepts, so that a request checks new messages only.

use crate::history::draft::Draft;
use crate::history::mend::{Receiver, accepts};

/// State since the last change other than an added message, for one receiver. The view needs no repair of its own.
#[derive(Debug, Default)]
pub(super) struct ValidPrefix {
    receiver: Option<Receiver>,
    /// The log's count of changes when this state began.
    changes: u64,
    /// Number of entries that need no further check.
    known: usize,
}

impl ValidPrefix {
    /// Returns whether `receiver` accepts a draft of the log's view. `changes` counts the changes of the view except
    /// added messages; `turn` is the number of entries before the newest turn of the assistant.
    pub fn of(&mut self, draft: &Draft, changes: u64, turn: usize, receiver: &Receiver) -> bool {
        let is_same = self.changes == changes && self.receiver.as_ref() == Some(receiver);
        let known = if is_same { self.known } else { 0 };
        let accepts = accepts(draft, receiver, known);
        if !is_same {
            self.receiver = Some(receiver.clone());
        }
        (self.changes, self.known) = (changes, if accepts { turn } else { 0 });
        accepts
    }
}

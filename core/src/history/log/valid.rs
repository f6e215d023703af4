//! Tracks how much of a view its provider accepts, so that a request checks new messages only.

use crate::history::draft::Draft;
use crate::history::mend::{Receiver, accepts};
use crate::map::HashSet;
use crate::message::{Message, Part, Role};

/// State since the last change other than an added message, for one receiver. Call ids of the view must be unique.
#[derive(Debug, Default)]
pub(super) struct ValidPrefix {
    receiver: Option<Receiver>,
    /// The log's count of changes when this state began.
    changes: u64,
    /// Number of entries before the newest turn of the assistant that begins while no call waits for its result.
    known: usize,
    /// Number of entries that were accepted.
    seen: usize,
    /// Ids of calls without a result.
    waiting: HashSet<String>,
    after_assistant: bool,
}

impl ValidPrefix {
    /// Returns whether `receiver` accepts a draft of the log's view. `changes` counts the changes of the view except
    /// added messages.
    pub fn of(&mut self, draft: &Draft, changes: u64, receiver: &Receiver) -> bool {
        let is_same = self.changes == changes && self.receiver.as_ref() == Some(receiver);
        if !is_same || self.seen > draft.entries.len() {
            *self = ValidPrefix { receiver: Some(receiver.clone()), changes, ..ValidPrefix::default() };
        }
        if !accepts(draft, receiver, self.known) {
            *self = ValidPrefix::default();
            return false;
        }
        for (at, entry) in draft.entries.iter().enumerate().skip(self.seen) {
            self.push(at, &entry.message);
        }
        self.seen = draft.entries.len();
        true
    }

    fn push(&mut self, at: usize, message: &Message) {
        let is_assistant = message.role == Role::Assistant;
        if is_assistant && !self.after_assistant && self.waiting.is_empty() {
            self.known = at;
        }
        if !message.role.is_frame() {
            self.after_assistant = is_assistant;
        }
        for part in &message.parts {
            match part {
                Part::ToolCall { call_id, .. } => {
                    self.waiting.insert(call_id.clone());
                }
                Part::ToolResult { call_id, .. } => {
                    self.waiting.remove(call_id);
                }
                _ => {}
            }
        }
    }
}

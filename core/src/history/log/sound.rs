//! Whether a view has anything to repair, told message by message: most views have not, and need not be walked for it again and again.

use crate::history::draft::{Draft, is_empty};
use crate::map::{HashMap, HashSet};
use crate::message::{Message, Part, Role};

/// What is known of the view since something else than a message was added. Says yes only where repair would change nothing; what is
/// merely odd counts as unsound and is looked at by repair itself.
#[derive(Debug, Default)]
pub(super) struct Sound {
    /// Of the log, when this was begun.
    changes: u64,
    /// Messages of the view that were looked at.
    seen: usize,
    is_sound: bool,
    /// Ids of all calls.
    used: HashSet<String>,
    /// Calls of the newest round that have no result yet, with the number of the assistant's message that made each.
    waiting: HashMap<String, usize>,
    /// How many messages of the assistant were looked at.
    spoken: usize,
    /// How many of the waiting calls its newest message made.
    newest: usize,
    /// The newest message is the assistant's; the assistant's newest makes calls.
    after_assistant: bool,
    calls: bool,
}

impl Sound {
    /// Whether there is nothing to repair in a draft of the log's view. `changes` counts what was done to the view beside adding messages.
    pub fn of(&mut self, draft: &Draft, changes: u64) -> bool {
        if self.changes != changes || self.seen > draft.entries.len() || self.seen == 0 {
            *self = Sound { changes, is_sound: true, ..Sound::default() };
        }
        for entry in &draft.entries[self.seen..] {
            self.push(&entry.message);
        }
        self.seen = draft.entries.len();
        // What is still waiting is running now, if the newest message asked for it.
        let runs = self.calls && (draft.meter.by_items || self.newest == self.waiting.len());
        self.is_sound && (self.waiting.is_empty() || runs)
    }

    fn push(&mut self, message: &Message) {
        if message.role.is_frame() || !self.is_sound {
            return;
        }
        let is_assistant = message.role == Role::Assistant;
        let mut answers = false;
        self.is_sound = !is_empty(&message.parts);
        if is_assistant {
            // Formats that send one item for each call go on while calls wait.
            self.is_sound &= self.after_assistant || self.waiting.is_empty();
            self.calls = false;
            self.spoken += 1;
            self.newest = 0;
        }
        for part in &message.parts {
            match part {
                Part::ToolCall { call_id, .. } if is_assistant => {
                    self.calls = true;
                    self.is_sound &= self.used.insert(call_id.clone());
                    self.waiting.insert(call_id.clone(), self.spoken);
                    self.newest += 1;
                }
                Part::ToolResult { call_id, .. } => {
                    answers = true;
                    let by = self.waiting.remove(call_id);
                    self.is_sound &= by.is_some();
                    self.newest -= usize::from(by == Some(self.spoken));
                }
                _ => {}
            }
        }
        if !is_assistant && !answers {
            self.is_sound &= self.waiting.is_empty();
        }
        self.after_assistant = is_assistant;
    }
}

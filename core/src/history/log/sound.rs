//! Tracks message by message whether a view needs repair. Most views do not, and need not be searched again and again.

use crate::history::draft::{Draft, is_empty};
use crate::history::pairs::may_repeat_ids;
use crate::map::{HashMap, HashSet};
use crate::message::{Message, Part, Role};

/// State since the last change other than an added message. It reports a view as valid only if repair would change
/// nothing. Unusual views are left to repair itself.
#[derive(Debug, Default)]
pub(super) struct Sound {
    /// The log's count of changes when this state began.
    changes: u64,
    /// Number of checked messages of the view.
    seen: usize,
    /// Number of messages before the newest turn of the assistant that begins while no call waits for its result.
    turn: usize,
    is_sound: bool,
    /// Ids of all calls.
    used: HashSet<String>,
    /// Unanswered calls of the newest round, with the number of the assistant message that made each.
    waiting: HashMap<String, usize>,
    /// Number of checked assistant messages.
    spoken: usize,
    /// Number of unanswered calls of the newest assistant message.
    newest: usize,
    /// Whether the newest message is the assistant's, and whether the newest assistant message has calls.
    after_assistant: bool,
    calls: bool,
}

impl Sound {
    /// Returns whether a draft of the log's view needs no repair. `changes` counts the changes of the view except added
    /// messages.
    pub fn of(&mut self, draft: &Draft, changes: u64) -> bool {
        if self.changes != changes || self.seen > draft.entries.len() || self.seen == 0 {
            *self = Sound { changes, is_sound: true, ..Sound::default() };
        }
        for (at, entry) in draft.entries.iter().enumerate().skip(self.seen) {
            self.push(at, &entry.message, may_repeat_ids(draft));
        }
        self.seen = draft.entries.len();
        // Unanswered calls are still running if the newest message made them.
        let runs = self.calls && (draft.meter.by_items || self.newest == self.waiting.len());
        self.is_sound && (self.waiting.is_empty() || runs)
    }

    /// Number of messages before the newest turn of the assistant. Every call in them has its result.
    pub fn turn(&self) -> usize {
        self.turn
    }

    fn push(&mut self, at: usize, message: &Message, may_repeat_ids: bool) {
        if message.role.is_frame() || !self.is_sound {
            return;
        }
        let is_assistant = message.role == Role::Assistant;
        let mut answers = false;
        self.is_sound = !is_empty(&message.parts);
        if is_assistant {
            if !self.after_assistant && self.waiting.is_empty() {
                self.turn = at;
            }
            // Formats with one item per call continue while calls wait.
            self.is_sound &= self.after_assistant || self.waiting.is_empty();
            self.calls = false;
            self.spoken += 1;
            self.newest = 0;
        }
        for part in &message.parts {
            match part {
                Part::ToolCall { call_id, .. } if is_assistant => {
                    self.calls = true;
                    let is_new = self.used.insert(call_id.clone());
                    self.is_sound &= is_new || may_repeat_ids && !self.waiting.contains_key(call_id);
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

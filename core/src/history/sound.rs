//! Tracks message by message whether a growing conversation needs repair. Most do not, and need not be searched again
//! and again.

use super::draft::{Meter, is_empty};
use crate::map::{HashMap, HashSet};
use crate::message::{Message, Part, Role};

/// What is known of the messages so far. It reports them as sound only if [`repair`](super::pairs::repair) would change
/// nothing. Unusual conversations are left to repair itself.
#[derive(Debug, Default)]
pub struct Sound {
    /// Number of the message with which the newest turn of the assistant begins while no call waits for its result.
    turn: usize,
    /// True if a message needs repair, whatever follows it.
    is_broken: bool,
    /// Ids of all calls.
    used: HashSet<String>,
    /// Ids of calls and results that a repair decided about: with more of them, it may decide otherwise.
    barred: HashSet<String>,
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
    /// Returns whether the messages need no repair.
    pub fn is_sound(&self, meter: Meter) -> bool {
        // Unanswered calls are still running if the newest message made them.
        let runs = self.calls && (meter.by_items || self.newest == self.waiting.len());
        !self.is_broken && (self.waiting.is_empty() || runs)
    }

    /// Number of the message with which the newest turn of the assistant begins. Every call before it has its result.
    pub fn turn(&self) -> usize {
        self.turn
    }

    /// Reports later messages with the calls and results of this message as unsound.
    pub fn bar(&mut self, message: &Message) {
        self.barred.extend(message.parts.iter().filter_map(id).cloned());
    }

    /// Takes the next message. No turn begins at one without a number.
    pub fn push(&mut self, message: &Message, number: Option<usize>, meter: Meter) {
        if message.role.is_frame() || self.is_broken {
            return;
        }
        let is_assistant = message.role == Role::Assistant;
        let mut answers = false;
        let is_barred = || message.parts.iter().filter_map(id).any(|id| self.barred.contains(id));
        let mut is_sound = !is_empty(&message.parts) && (self.barred.is_empty() || !is_barred());
        if is_assistant {
            if !self.after_assistant && self.waiting.is_empty() {
                self.turn = number.unwrap_or(self.turn);
            }
            // Formats with one item per call continue while calls wait.
            is_sound &= self.after_assistant || self.waiting.is_empty();
            self.calls = false;
            self.spoken += 1;
            self.newest = 0;
        }
        for part in &message.parts {
            match part {
                Part::ToolCall { call_id, .. } if is_assistant => {
                    self.calls = true;
                    let is_new = self.used.insert(call_id.clone());
                    is_sound &= is_new || meter.may_repeat_ids() && !self.waiting.contains_key(call_id);
                    self.waiting.insert(call_id.clone(), self.spoken);
                    self.newest += 1;
                }
                Part::ToolResult { call_id, .. } => {
                    answers = true;
                    let by = self.waiting.remove(call_id);
                    is_sound &= by.is_some();
                    self.newest -= usize::from(by == Some(self.spoken));
                }
                _ => {}
            }
        }
        if !is_assistant && !answers {
            is_sound &= self.waiting.is_empty();
        }
        self.is_broken = !is_sound;
        self.after_assistant = is_assistant;
    }
}

fn id(part: &Part) -> Option<&String> {
    match part {
        Part::ToolCall { call_id, .. } | Part::ToolResult { call_id, .. } => Some(call_id),
        _ => None,
    }
}

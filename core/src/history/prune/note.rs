//! Adds lines that say how many messages were left out, for hosts that want the model to know.

use super::is_prune_rule;
use crate::history::draft::Draft;
use crate::history::plan::Becomes;
use crate::history::plan::Fate;
use crate::message::{Part, Role};
use crate::validity::pairs::recall_id;

/// A line that was inserted into a message.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Note {
    /// Id of the message with the line.
    pub id: String,
    pub text: String,
    /// Tokens that the line adds.
    pub tokens: u64,
}

/// Adds a line for each removed stretch to the user's next message. A stretch behind the newest user message is named
/// in that one.
pub(super) fn annotate(draft: &mut Draft) -> Vec<Note> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut stretch: Option<Stretch> = None;
    let mut newest = None;
    for (at, entry) in draft.entries.iter().enumerate() {
        if entry.is_in() {
            let speaks = entry.message.role == Role::User
                && entry
                    .message
                    .parts
                    .iter()
                    .any(|part| matches!(part, Part::Text { text } if !text.trim().is_empty()));
            if speaks {
                newest = Some(at);
                lines.extend(stretch.take().map(|stretch| (at, stretch.line("earlier"))));
            }
        } else if !entry.is_new && entry.fate == Fate::Dropped && entry.rule.is_some_and(is_prune_rule) {
            let id = recall_id(&entry.message);
            stretch = Some(match stretch {
                Some(stretch) => Stretch { count: stretch.count + 1, last: id.to_string(), ..stretch },
                None => Stretch { count: 1, first: id.to_string(), last: id.to_string() },
            });
        }
    }
    if let (Some(at), Some(stretch)) = (newest, stretch) {
        lines.push((at, stretch.line("later")));
    }
    let mut notes: Vec<Note> = Vec::new();
    for (at, line) in lines {
        let mut is_first = true;
        let tokens = draft.annotate(at, "note", |part| match part {
            Part::Text { text } if is_first && !text.trim().is_empty() => {
                is_first = false;
                Some(Becomes::text(format!("{line}\n{text}")))
            }
            _ => None,
        });
        notes.push(Note { id: draft.entries[at].message.id.clone(), text: line, tokens });
    }
    notes
}

struct Stretch {
    count: usize,
    first: String,
    last: String,
}

impl Stretch {
    fn line(&self, when: &str) -> String {
        let messages = if self.count == 1 { "message was" } else { "messages were" };
        let range = if self.first == self.last { self.first.clone() } else { format!("{}..{}", self.first, self.last) };
        format!("[{} {when} {messages} left out; recall {range}]", self.count)
    }
}

//! The entries of a log: one for every event of a conversation.
//!
//! Entries name messages by the host's ids and other entries by `e<seq>`. Data that only the host understands (usage,
//! jobs, notes) is stored as JSON text, byte for byte, so that numbers and key order stay the host's.

use std::rc::Rc;

use serde::{Deserialize, Serialize, Serializer};

use crate::history::edit::{Author, Kind, Target, Thinking};
use crate::message::Message;

use crate::tagged::needed;

/// One event. Entries never change; an undo is an entry of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Entry {
    /// A message was added at the end.
    Message {
        /// Shared with the views of the log.
        #[serde(serialize_with = "shared")]
        message: Rc<Message>,
    },
    /// The provider's report of a request, as JSON text of the host.
    Usage {
        json: String,
    },
    /// A compaction was planned. Has no effect on the view.
    Plan {
        json: String,
    },
    Edit {
        edit: Box<Edit>,
    },
    /// Takes back an edit or a rewind. If the target is a revoke, restores what that revoke took back.
    Revoke {
        target: String,
    },
    Pin {
        pin: Pin,
    },
    /// Removes a pin.
    Unpin {
        target: String,
    },
    /// Removes all messages behind `to` from the view, and edits that reach past it; without `to`, all messages.
    Rewind {
        to: Option<String>,
    },
    /// A background job started, ended or was cancelled, as JSON text of the host.
    Job {
        json: String,
    },
    Checkpoint {
        checkpoint: Checkpoint,
    },
    /// What one request left out to fit. Has no effect on the view.
    Trim {
        json: String,
    },
    Note {
        json: String,
    },
}

crate::tagged! {
    Entry {
        message = "message": Message,
        json = "json": String,
        edit = "edit": Box<Edit>,
        target = "target": String,
        pin = "pin": Pin,
        to = "to": Option<String>,
        checkpoint = "checkpoint": Checkpoint,
    }
    "message" [message] => Entry::Message { message: Rc::new(needed(message, "message")?) },
    "usage" [json] => Entry::Usage { json: needed(json, "json")? },
    "plan" [json] => Entry::Plan { json: needed(json, "json")? },
    "edit" [edit] => Entry::Edit { edit: needed(edit, "edit")? },
    "revoke" [target] => Entry::Revoke { target: needed(target, "target")? },
    "pin" [pin] => Entry::Pin { pin: needed(pin, "pin")? },
    "unpin" [target] => Entry::Unpin { target: needed(target, "target")? },
    "rewind" [to] => Entry::Rewind { to: to.flatten() },
    "job" [json] => Entry::Job { json: needed(json, "json")? },
    "checkpoint" [checkpoint] => Entry::Checkpoint { checkpoint: needed(checkpoint, "checkpoint")? },
    "trim" [json] => Entry::Trim { json: needed(json, "json")? },
    "note" [json] => Entry::Note { json: needed(json, "json")? },
}

/// Serializes a shared message like a message.
fn shared<S: Serializer>(message: &Rc<Message>, to: S) -> Result<S::Ok, S::Error> {
    (**message).serialize(to)
}

/// Entries that hold only JSON text of the host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum RecordKind {
    Usage,
    Plan,
    Job,
    Trim,
    Note,
}

impl RecordKind {
    /// Returns the entry of this kind.
    pub fn entry(self, json: String) -> Entry {
        match self {
            RecordKind::Usage => Entry::Usage { json },
            RecordKind::Plan => Entry::Plan { json },
            RecordKind::Job => Entry::Job { json },
            RecordKind::Trim => Entry::Trim { json },
            RecordKind::Note => Entry::Note { json },
        }
    }
}

/// One recorded change of what the model sees. Its id is that of its entry.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Edit {
    pub kind: Kind,
    /// Changed or dropped messages and parts; empty for `replace_range`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub targets: Vec<Target>,
    /// For `replace_range`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<Range>,
    /// For `supersede`: id of the message that makes the targets unnecessary.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub newer: Option<String>,
    /// Stable name of the rule.
    pub rule: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    #[serde(default)]
    pub author: Author,
    /// Tokens of the targets before the edit. The log sets it.
    #[serde(default)]
    pub tokens_before: u64,
    /// Tokens of what replaces the targets. The log sets it.
    #[serde(default)]
    pub tokens_after: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// The messages that the edit was made from. If they have changed, the edit is refused as stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumed: Option<Consumed>,
    /// The origin of the edit (model, usage, quality), as JSON text of the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
}

/// The range of a `replace_range` and its replacement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Range {
    /// First and last message. The range is extended to whole groups and to older ranges that it overlaps.
    pub from: String,
    pub to: String,
    /// The message that replaces the range. Its id is always set to `e<seq>:summary`.
    pub summary: Message,
    /// The model's answer to the summary, which follows it, with the id `e<seq>:reply`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Message>,
    /// Reasoning in the range (or moved out of it before) with which a remaining message begins. Removed if the range
    /// grows to include that message. A range around an older one takes over the older one's reasoning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Thinking>,
    /// Messages inside the range that stay, with their whole groups. System messages, the newest request and pinned
    /// messages stay without being listed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carried: Vec<String>,
}

/// The messages that an edit was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Consumed {
    pub ids: Vec<String>,
    /// [`super::Log::fingerprint`] of these messages when the edit was made.
    pub hash: String,
}

/// Content that must survive all edits: a message, a part of it, a range of a part's text, or a fact in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pin {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    /// Start and end in the part's text, in UTF-16 code units; extends to whole characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub range: Option<(usize, usize)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fact: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// A stored copy of a summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Checkpoint {
    /// Counts up from 1. A number is never used twice, even after a rewind.
    pub number: u32,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Ids of the edits that it was stored for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<String>,
}

/// Returns the id of the entry at `seq`.
///
/// ```
/// assert_eq!(espalier::history::log::id_of(7), "e7");
/// ```
pub fn id_of(seq: usize) -> String {
    format!("e{seq}")
}

/// Returns the entry whose edit inserted this message: `e7` for `e7:summary` and for `e7:reply`.
pub(super) fn stands_in(id: &str) -> Option<&str> {
    id.strip_suffix(":summary").or_else(|| id.strip_suffix(":reply"))
}

/// Returns the position that an entry id names.
pub(super) fn seq_of(id: &str) -> Option<usize> {
    let digits = id.strip_prefix('e')?;
    let seq = digits.parse().ok()?;
    // `e07` and `e+7` are no entry ids.
    (id_of(seq) == id).then_some(seq)
}

//! What a log is made of: one entry for everything that happened to a conversation.
//!
//! Entries name messages by the host's ids and other entries by `e<seq>`. What only the host understands (usage, jobs, notes) rides along
//! as JSON text, as it was given: numbers and key order are the host's and stay so.

use std::rc::Rc;

use serde::{Deserialize, Serialize, Serializer};

pub use crate::history::edit::Author;
use crate::history::edit::Thinking;
use crate::message::Message;
pub use crate::message::edit::Becomes;
use crate::tagged::needed;

/// One thing that happened. Nothing in a log is ever changed; what takes something back is an entry of its own.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Entry {
    /// A message was added at the end.
    Message {
        /// Shared with whoever works on a view of it.
        #[serde(serialize_with = "shared")]
        message: Rc<Message>,
    },
    /// What the provider reported of a request. JSON text of the host's.
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
    /// Takes back an edit or a rewind, or, aimed at a revoke, brings back what that took back.
    Revoke {
        target: String,
    },
    Pin {
        pin: Pin,
    },
    /// Takes a pin away.
    Unpin {
        target: String,
    },
    /// All messages behind `to` leave the view, and edits that reach past it; without `to` all messages do.
    Rewind {
        to: Option<String>,
    },
    /// A background job started, ended, was cancelled. JSON text of the host's.
    Job {
        json: String,
    },
    Checkpoint {
        checkpoint: Checkpoint,
    },
    /// What was left out of one request to make it fit. Has no effect on the view.
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

/// A message that is shared is written as the message.
fn shared<S: Serializer>(message: &Rc<Message>, to: S) -> Result<S::Ok, S::Error> {
    (**message).serialize(to)
}

/// Entries that hold nothing but JSON text of the host's.
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
    /// The entry of this kind.
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

/// What an edit does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The groups from..to become one summary message and the messages that are carried.
    ReplaceRange,
    /// A tool result becomes a placeholder.
    ClearResult,
    /// The same for a read that is repeated or outdated; the edit names the newer message.
    Supersede,
    /// Long texts in the arguments of an old call are shortened; the JSON stays valid and keeps its keys.
    ClearArguments,
    /// A text or result is cut in the middle.
    Truncate,
    /// A text or result is stored elsewhere; a preview stays.
    Offload,
    /// Pictures and documents become a note.
    DropMedia,
    /// Reasoning is not sent any more.
    DropReasoning,
    /// Groups are not sent any more.
    Drop,
    /// Stand-ins for what is missing. Belongs to one request and is never part of a log; a view is repaired each time it is made.
    Repair,
}

impl Kind {
    /// The stable name.
    pub fn as_str(self) -> &'static str {
        match self {
            Kind::ReplaceRange => "replace_range",
            Kind::ClearResult => "clear_result",
            Kind::Supersede => "supersede",
            Kind::ClearArguments => "clear_arguments",
            Kind::Truncate => "truncate",
            Kind::Offload => "offload",
            Kind::DropMedia => "drop_media",
            Kind::DropReasoning => "drop_reasoning",
            Kind::Drop => "drop",
            Kind::Repair => "repair",
        }
    }
}

/// One recorded change of what the model gets to see. Its id is that of its entry.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Edit {
    pub kind: Kind,
    /// What is changed or dropped; empty for `replace_range`.
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
    /// Tokens of the targets as they stood; the log fills it in.
    #[serde(default)]
    pub tokens_before: u64,
    /// Tokens of what stands for them; the log fills it in.
    #[serde(default)]
    pub tokens_after: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// What it was made from. If that is given and has changed, the edit is refused as stale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub consumed: Option<Consumed>,
    /// Where it comes from (model, usage, quality), as JSON text of the host's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub json: Option<String>,
}

/// One message or part that an edit is about.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Target {
    pub message: String,
    /// Index among the parts of the host's message; absent for `drop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    /// What the part becomes; absent for `drop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Becomes>,
}

/// What `replace_range` replaces, and by what.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Range {
    /// First and last message. Both grow outward: to whole groups, and around older ranges that they meet.
    pub from: String,
    pub to: String,
    /// The message in the place of the range. Its id is `e<seq>:summary`, whatever it was given with.
    pub summary: Message,
    /// The model's answer to it, behind it: `e<seq>:reply`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<Message>,
    /// A thought in the range (or one that came from it already) that a message which stays begins with. Goes if the range grows around
    /// that message; a range around an older one takes over what that has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thinking: Option<Thinking>,
    /// Messages inside the range that stay, with their whole groups. System messages, the newest request and what is pinned stay
    /// without being named.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub carried: Vec<String>,
}

/// What an edit was made from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Consumed {
    pub ids: Vec<String>,
    /// [`super::Log::fingerprint`] of these messages when it was made.
    pub hash: String,
}

/// What must survive all edits: a message, a part of it, a range of a part's text, or a fact in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Pin {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    /// Start and end in the part's text, in UTF-16 code units.
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
    /// Counts up from 1 and is never used twice, also not after a rewind.
    pub number: u32,
    pub title: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Ids of the edits that it was stored for.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub edits: Vec<String>,
}

/// The id of the entry at `seq`.
///
/// ```
/// assert_eq!(espalier::history::log::id_of(7), "e7");
/// ```
pub fn id_of(seq: usize) -> String {
    format!("e{seq}")
}

/// The entry whose message this is, in the place of others: `e7` of `e7:summary` and of `e7:reply`.
pub(super) fn stands_in(id: &str) -> Option<&str> {
    id.strip_suffix(":summary").or_else(|| id.strip_suffix(":reply"))
}

/// The position that an entry id names.
pub(super) fn seq_of(id: &str) -> Option<usize> {
    let digits = id.strip_prefix('e')?;
    let seq = digits.parse().ok()?;
    // `e07` and `e+7` are no ids of entries.
    (id_of(seq) == id).then_some(seq)
}

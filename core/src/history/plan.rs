//! Plans: what JavaScript is to do with the host's objects, and the account of it.
//!
//! A plan names messages by id and parts by index; it never carries content that the host already has.

use serde::{Deserialize, Serialize};

use crate::message::{Message, Role};

/// What to do with one message. Items come in the order of the resulting conversation; a message of the input that no item
/// names is gone.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PlanItem {
    /// The host's own object, untouched.
    Keep { id: String },
    /// A copy of the host's object in which only these parts remain, in this order.
    Edit { id: String, parts: Vec<PartEdit> },
    /// A message that the host did not have.
    Insert { message: Message },
}

/// What to do with one part; `part` is its index in the message. A call or result that got another id and another content has one
/// edit that says both.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PartEdit {
    Keep {
        part: usize,
    },
    /// Replaces the text of a text part, or the whole content of a tool result by one text.
    Text {
        part: usize,
        text: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<String>,
    },
    /// Replaces the JSON text of a call's arguments.
    Arguments {
        part: usize,
        arguments: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<String>,
    },
    /// Replaces some of what a tool result holds; one item for each of its content parts, in order.
    Content {
        part: usize,
        items: Vec<ItemEdit>,
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<String>,
    },
    /// Puts a text in the place of a picture or document.
    Note {
        part: usize,
        text: String,
    },
    /// Gives a call or a result another call id.
    CallId {
        part: usize,
        call_id: String,
    },
    /// A part of another message of the host's, unchanged: part `part` of message `from`.
    Carried {
        from: String,
        part: usize,
    },
}

/// What to do with one item of a tool result's content.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum ItemEdit {
    Keep,
    /// A text in its place.
    Text {
        text: String,
    },
}

impl PartEdit {
    /// Which part of the message it is about; of none (`usize::MAX`) if it is another message's.
    pub fn part(&self) -> usize {
        match self {
            PartEdit::Keep { part }
            | PartEdit::Text { part, .. }
            | PartEdit::Arguments { part, .. }
            | PartEdit::Content { part, .. }
            | PartEdit::Note { part, .. }
            | PartEdit::CallId { part, .. } => *part,
            PartEdit::Carried { .. } => usize::MAX,
        }
    }

    /// The call id it gives, if any.
    pub fn call_id(&self) -> Option<&String> {
        match self {
            PartEdit::Keep { .. } | PartEdit::Note { .. } | PartEdit::Carried { .. } => None,
            PartEdit::Text { call_id, .. }
            | PartEdit::Arguments { call_id, .. }
            | PartEdit::Content { call_id, .. } => call_id.as_ref(),
            PartEdit::CallId { call_id, .. } => Some(call_id),
        }
    }
}

/// Tokens of a request, split. `total` = `frame` + `conversation` + `tools`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Number of messages.
    pub messages: usize,
    /// Tokens of the whole request.
    pub total: u64,
    /// System and developer messages, and what the list itself costs.
    pub frame: u64,
    /// All other messages.
    pub conversation: u64,
    /// Tool definitions.
    pub tools: u64,
}

/// Why something went or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Removal {
    /// Ids of the messages, in order.
    pub ids: Vec<String>,
    /// Stable name of the rule.
    pub rule: &'static str,
    /// One sentence for people.
    pub why: String,
    /// Tokens freed.
    pub tokens: u64,
    /// Where the original is: the host keeps it under these ids.
    pub recall: String,
}

impl Removal {
    /// A removal whose handle is the range of ids itself.
    pub fn new(ids: Vec<String>, rule: &'static str, why: impl Into<String>, tokens: u64) -> Removal {
        let recall = match ids.as_slice() {
            [] => String::new(),
            [only] => only.clone(),
            [first, .., last] => format!("{first}..{last}"),
        };
        Removal { ids, rule, why: why.into(), tokens, recall }
    }
}

/// What became of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    Kept,
    Changed,
    Dropped,
    /// A summary stands for it.
    Covered,
    Inserted,
}

/// One row of a report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageFate {
    pub id: String,
    pub role: Role,
    /// Tokens before; 0 if inserted.
    pub before: u64,
    /// Tokens after; 0 if gone.
    pub after: u64,
    pub fate: Fate,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
}

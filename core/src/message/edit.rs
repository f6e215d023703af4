//! The edit language: what a plan does to messages and to their parts.
//!
//! Pruning, compaction, repair and the event log all write it. A plan names messages by id and parts by index; it never
//! carries content that the host already has.

use serde::Serialize;

use super::{Message, Part, texts};
use crate::tagged::needed;

/// What to do with one message. Items come in the order of the resulting conversation. A message of the input that no
/// item names is gone; one that several items name is taken apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum PlanItem {
    /// The host's own object, untouched (`===`).
    Keep {
        id: String,
        /// It becomes one message with the item before it, if the format can join them.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        joins: bool,
    },
    /// A copy of the host's object with these parts, in this order.
    Edit {
        id: String,
        parts: Vec<PartEdit>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        joins: bool,
    },
    /// A message that the host did not have.
    Insert {
        message: Message,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        joins: bool,
    },
}

impl PlanItem {
    /// Keeps a message as one of its own.
    pub fn keep(id: impl Into<String>) -> PlanItem {
        PlanItem::Keep { id: id.into(), joins: false }
    }

    /// Edits a message, as one of its own.
    pub fn edit(id: impl Into<String>, parts: Vec<PartEdit>) -> PlanItem {
        PlanItem::Edit { id: id.into(), parts, joins: false }
    }

    /// Inserts a message, as one of its own.
    pub fn insert(message: Message) -> PlanItem {
        PlanItem::Insert { message, joins: false }
    }
}

/// What to do with one part: it is kept, except for what the other fields change.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartEdit {
    /// Index in the neutral message's `parts`.
    pub part: usize,
    /// Id of the message that has the part, if that is another one. The part comes first here: it is the thought of a
    /// turn of which a summary took the beginning.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<Becomes>,
    /// Another id of a call or a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Another name of the tool, of a call or a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl PartEdit {
    /// Keeps a part.
    pub fn keep(part: usize) -> PartEdit {
        PartEdit { part, ..PartEdit::default() }
    }

    /// Replaces the content of a part.
    pub fn to(part: usize, to: Becomes) -> PartEdit {
        PartEdit { to: Some(to), ..PartEdit::keep(part) }
    }

    /// Gives a call or a result another id.
    pub fn call_id(part: usize, id: impl Into<String>) -> PartEdit {
        PartEdit { call_id: Some(id.into()), ..PartEdit::keep(part) }
    }

    /// Gives the tool of a call or a result another name.
    pub fn name(part: usize, name: impl Into<String>) -> PartEdit {
        PartEdit { name: Some(name.into()), ..PartEdit::keep(part) }
    }

    /// Takes over part `part` of the message `from`.
    pub fn carried(from: impl Into<String>, part: usize) -> PartEdit {
        PartEdit { from: Some(from.into()), ..PartEdit::keep(part) }
    }

    /// True if the part is kept as it is.
    pub fn is_kept(&self) -> bool {
        *self == PartEdit::keep(self.part)
    }

    /// Adds a change, whatever its index; `part` is the part as this edit left it. Returns the part afterwards, and
    /// nothing if it goes.
    pub fn then(&mut self, part: &Part, change: PartEdit) -> Option<Part> {
        let PartEdit { to, call_id, name, .. } = change;
        let mut part = match to {
            Some(to) => self.becomes(part, to)?,
            None => part.clone(),
        };
        if let (Some(id), Part::ToolCall { call_id, .. } | Part::ToolResult { call_id, .. }) = (&call_id, &mut part) {
            call_id.clone_from(id);
        }
        match (&name, &mut part) {
            (Some(new), Part::ToolCall { name, .. }) => name.clone_from(new),
            (Some(_), Part::ToolResult { name: old, .. }) => old.clone_from(&name),
            _ => {}
        }
        self.call_id = call_id.or_else(|| self.call_id.take());
        self.name = name.or_else(|| self.name.take());
        Some(part)
    }

    fn becomes(&mut self, part: &Part, to: Becomes) -> Option<Part> {
        let after = to.applied(part)?;
        self.to = Some(match (self.to.take(), to) {
            // A note that replaces a picture stays a note.
            (Some(Becomes::Note { .. }), Becomes::Text { text }) => Becomes::Note { text },
            // The whole content of the result is one text already, so that text changes.
            (Some(Becomes::Text { .. }), Becomes::Content { .. }) => Becomes::Text { text: content_text(&after) },
            (Some(Becomes::Content { items: earlier }), Becomes::Content { items }) => {
                Becomes::Content { items: items.into_iter().zip(earlier).map(|(item, was)| item.or(was)).collect() }
            }
            (_, to) => to,
        });
        Some(after)
    }
}

impl From<Becomes> for PartEdit {
    fn from(to: Becomes) -> PartEdit {
        PartEdit::to(0, to)
    }
}

/// What the content of a part becomes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum Becomes {
    /// Another text of a text or reasoning part, or one text as the content of a tool result.
    Text { text: String },
    /// Other arguments of a call, as JSON text.
    Arguments { arguments: String },
    /// For each item of a tool result's content: the text that replaces it, or `null` if it stays.
    Content { items: Vec<Option<String>> },
    /// A text that replaces a picture or document.
    Note { text: String },
    /// Nothing.
    Gone,
}

crate::tagged! {
    Becomes {
        text = "text": String,
        arguments = "arguments": String,
        items = "items": Vec<Option<String>>,
    }
    "text" [text] => Becomes::Text { text: needed(text, "text")? },
    "arguments" [arguments] => Becomes::Arguments { arguments: needed(arguments, "arguments")? },
    "content" [items] => Becomes::Content { items: needed(items, "items")? },
    "note" [text] => Becomes::Note { text: needed(text, "text")? },
    "gone" [] => Becomes::Gone,
}

impl Becomes {
    /// Another text, or one text as the content of a tool result.
    pub fn text(text: impl Into<String>) -> Becomes {
        Becomes::Text { text: text.into() }
    }

    /// A text that replaces a picture or document.
    pub fn note(text: impl Into<String>) -> Becomes {
        Becomes::Note { text: text.into() }
    }

    /// Returns the part after the change; nothing if it goes.
    pub fn applied(&self, part: &Part) -> Option<Part> {
        let mut part = part.clone();
        match (self, &mut part) {
            (Becomes::Gone, _) => return None,
            (Becomes::Text { text }, Part::ToolResult { content, .. }) => {
                *content = vec![Part::Text { text: text.clone() }];
            }
            (Becomes::Text { text } | Becomes::Note { text }, part) => *part = Part::Text { text: text.clone() },
            (Becomes::Arguments { arguments: new }, Part::ToolCall { arguments, .. }) => arguments.clone_from(new),
            (Becomes::Content { items }, Part::ToolResult { content, .. }) => {
                for (inner, text) in content.iter_mut().zip(items) {
                    if let Some(text) = text {
                        *inner = Part::Text { text: text.clone() };
                    }
                }
            }
            (Becomes::Arguments { .. } | Becomes::Content { .. }, _) => {}
        }
        Some(part)
    }
}

fn content_text(part: &Part) -> String {
    if let Part::ToolResult { content, .. } = part { texts(content).into_owned() } else { String::new() }
}

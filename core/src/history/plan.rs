//! Plans for JavaScript ([`PlanItem`]), and the report of what changed.

use serde::{Deserialize, Serialize};

pub use crate::message::edit::{Becomes, PartEdit, PlanItem};

use crate::message::Role;

/// Tokens of a request by kind. `total` is the sum of `frame`, `conversation` and `tools`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Totals {
    /// Number of messages.
    pub messages: usize,
    /// The whole request: frame, conversation, tools and the overhead of the list.
    pub total: u64,
    /// System and developer messages, and the overhead of the list itself.
    pub frame: u64,
    /// All other messages.
    pub conversation: u64,
    /// Tool definitions.
    pub tools: u64,
}

/// Why messages were removed or changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Removal {
    /// Ids of the messages, in order.
    pub ids: Vec<String>,
    /// `orphan-result`, `lost-call`, `double-id`, `empty`, `heavy-picture`, `audience`; `old-turn`, `old-round`,
    /// `old-request`, `current-round`; `reduced-result` (only what its tool's output can spare is missing),
    /// `oversize-result`, `long-result`, `long-arguments`, `media`; `same-result`, `repeated-read`, `edited-read`,
    /// `failed-attempt`, `clear`, `clear-arguments`, `reasoning`, `capped-result`; `summary`, `long-request`,
    /// `long-earlier-record`, `long-record`; …
    pub rule: &'static str,
    /// One sentence for people.
    pub why: String,
    /// Tokens freed.
    pub tokens: u64,
    /// Where to find the removed text: the host keeps the originals under these ids.
    pub recall: String,
}

impl Removal {
    /// Creates a removal that is recalled by its range of ids.
    pub fn new(ids: Vec<String>, rule: &'static str, why: impl Into<String>, tokens: u64) -> Removal {
        let recall = match ids.as_slice() {
            [] => String::new(),
            [only] => only.clone(),
            [first, .., last] => format!("{first}..{last}"),
        };
        Removal { ids, rule, why: why.into(), tokens, recall }
    }
}

/// The outcome for a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Fate {
    Kept,
    Changed,
    Dropped,
    /// Replaced by a summary.
    Covered,
    Inserted,
}

/// The outcome for one message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct MessageFate {
    pub id: String,
    pub role: Role,
    /// Tokens before; 0 if inserted.
    pub before: u64,
    /// Tokens after; 0 if removed.
    pub after: u64,
    pub fate: Fate,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rule: Option<&'static str>,
}

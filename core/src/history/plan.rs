//! Plans: what JavaScript does with the host's objects ([`PlanItem`]), and the report of it.

use serde::{Deserialize, Serialize};

pub use crate::message::edit::{Becomes, PartEdit, PlanItem};

use crate::message::Role;

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

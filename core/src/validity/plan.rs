//! What repair asks JavaScript to do with the host's messages. Unlike the plans of `history`, it may take messages apart, change their
//! order and put neighbours together.

use serde::Serialize;

use crate::message::Message;

/// One item of the resulting conversation, in order. A message that no item names is gone; one that several name is taken apart.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Item {
    /// The host's own message, untouched.
    Keep {
        index: usize,
        /// It becomes one message with the item before it.
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        joins: bool,
    },
    /// A copy with these parts, in this order.
    Edit {
        index: usize,
        parts: Vec<PartPlan>,
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

/// What becomes of one part: it is kept but for the fields that are given.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PartPlan {
    /// Index in the host's message, as it was read.
    pub part: usize,
    /// Another text of a text part.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// A text in the place of a picture or document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
    /// Texts in the place of items of a result, by their index.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<(usize, String)>,
    /// Another id of a call or a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// Another name of the tool, of a call or a result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl PartPlan {
    /// A part that is kept.
    pub fn keep(part: usize) -> PartPlan {
        PartPlan { part, ..PartPlan::default() }
    }

    /// True if it is kept as it is.
    pub fn is_kept(&self) -> bool {
        *self == PartPlan::keep(self.part)
    }
}

/// One row of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The rule that asked for it.
    pub rule: &'static str,
    /// The host's message, if it is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Which part of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    /// What was done, for people.
    pub message: String,
}

//! The position of a mark, and the lifetime of its cache entry.

use serde::{Deserialize, Serialize};

/// How long a cache entry lives after its last use. The shorter one is every provider's default.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub enum Lifetime {
    #[default]
    #[serde(rename = "5m")]
    FiveMinutes,
    #[serde(rename = "1h")]
    OneHour,
}

/// The position of a mark, in the order in which a provider reads a request: tools, then messages (the system prompt is
/// the first of them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Place {
    /// On the definition of the tool with this index.
    Tool(usize),
    /// On part `part` of message `message` (both are indices). `part` is `None` for a message without any other part.
    Message {
        message: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<usize>,
    },
}

impl Place {
    /// Returns the index of its message.
    pub fn message(self) -> Option<usize> {
        match self {
            Place::Tool(_) => None,
            Place::Message { message, .. } => Some(message),
        }
    }
}

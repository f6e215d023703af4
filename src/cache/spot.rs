//! Where a mark can stand, and for how long what it caches is kept.

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

/// Where a mark stands, in the order in which a provider reads a request: tools, then messages (the system prompt is the
/// first of them).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// On the definition of the tool with this index.
    Tool(usize),
    /// On part `part` of message `message` (both are indices). `None` stands for a message that has no part to name.
    Message { message: usize, part: Option<usize> },
}

impl Place {
    /// Index of the message it is in.
    pub fn message(self) -> Option<usize> {
        match self {
            Place::Tool(_) => None,
            Place::Message { message, .. } => Some(message),
        }
    }
}

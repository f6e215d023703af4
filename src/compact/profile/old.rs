//! What happens to old results, pictures and reasoning.

use serde::{Deserialize, Serialize};

use super::Share;

/// The newest results, which no rule clears.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Protect {
    pub results: usize,
    pub rounds: usize,
    /// The newest results that have at most this together.
    pub tokens: Share,
    /// True if all results of the current turn are among them.
    pub turn: bool,
}

/// What happens to old media.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Media {
    /// Pictures and documents outside the tail.
    pub media: MediaPolicy,
    pub reasoning: ReasoningPolicy,
}

/// What happens to old pictures and documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MediaPolicy {
    Keep,
    /// A line replaces them.
    Note,
}

/// Which reasoning is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReasoningPolicy {
    Keep,
    /// Reasoning of turns before the newest request is removed, because providers require the rest.
    OlderTurns,
    /// All outside the tail.
    OutsideTail,
}

/// Maximum tokens of results before they are cut in the middle.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cap {
    /// All results together, newest first; `None`: each counts by itself.
    pub all: Option<u64>,
    /// Maximum tokens of a cut result.
    pub each: Option<u64>,
    /// The same as a share of the limit; the smaller one counts.
    pub each_of_limit: Option<f64>,
}

impl Cap {
    /// Returns the maximum tokens of one result at this limit.
    pub fn of(&self, limit: u64) -> u64 {
        let share = self.each_of_limit.map(|of| (limit as f64 * of) as u64);
        self.each.unwrap_or(u64::MAX).min(share.unwrap_or(u64::MAX))
    }
}

/// How results are cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Clear {
    /// Strings in arguments of more than 2,000 characters are cut to this.
    pub argument_characters: usize,
}

//! What becomes of old results, pictures and reasoning.

use serde::{Deserialize, Serialize};

use super::Share;

/// Results that no rule clears: the newest ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Protect {
    pub results: usize,
    pub rounds: usize,
    /// Those that have no more than this together.
    pub tokens: Share,
    /// All of the turn at hand.
    pub turn: bool,
}

/// What becomes of old media.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Media {
    /// Pictures and documents outside the tail.
    pub media: MediaPolicy,
    pub reasoning: ReasoningPolicy,
}

/// What becomes of old pictures and documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MediaPolicy {
    Keep,
    /// A line in their place.
    Note,
}

/// Which reasoning goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReasoningPolicy {
    Keep,
    /// That of turns before the newest request: providers want the rest back.
    OlderTurns,
    /// All outside the tail.
    OutsideTail,
}

/// What results may have before they are cut in the middle, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cap {
    /// All of them together, newest first; `None`: each counts by itself.
    pub all: Option<u64>,
    /// What is left of one that is cut.
    pub each: Option<u64>,
    /// The same as a share of the limit; the smaller of both counts.
    pub each_of_limit: Option<f64>,
}

impl Cap {
    /// What one result may have at this limit.
    pub fn of(&self, limit: u64) -> u64 {
        let share = self.each_of_limit.map(|of| (limit as f64 * of) as u64);
        self.each.unwrap_or(u64::MAX).min(share.unwrap_or(u64::MAX))
    }
}

/// How clearing is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Clear {
    /// Strings in arguments of more than 2,000 characters are cut to this.
    pub argument_characters: usize,
}

//! How tokens are divided, and the minimum that a step must free.

use serde::{Deserialize, Serialize};

/// A share within bounds, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Share {
    pub share: f64,
    /// Minimum tokens.
    pub min_tokens: u64,
    /// Maximum tokens.
    pub max_tokens: Option<u64>,
}

impl Share {
    /// Returns the tokens for a whole.
    ///
    /// ```
    /// use espalier::compact::profile::Share;
    /// let share = Share { share: 0.15, min_tokens: 0, max_tokens: Some(40_000) };
    /// assert_eq!((share.tokens(120_000), share.tokens(1_000_000)), (18_000, 40_000));
    /// ```
    pub fn tokens(&self, whole: u64) -> u64 {
        // Tenths are no exact binary fractions; results that should be whole numbers stay whole.
        let share = (whole as f64 * self.share + 1e-6).floor() as u64;
        share.min(self.max_tokens.unwrap_or(u64::MAX)).max(self.min_tokens)
    }
}

/// How the tokens for messages are divided.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Shares {
    /// The steps end once a cheap step brings the request down to this.
    pub relief: f64,
    /// What the result of a single compaction fills.
    pub target: f64,
    /// The same in a conversation that goes on: the rest is room for its next turns.
    pub ongoing: f64,
    /// Newest messages that stay verbatim, of the room below the target.
    pub keep_recent: Share,
    /// Files and other things in their latest state, of the room below the target.
    pub working: Share,
    /// Names in use, of the room below the target.
    pub names: Share,
    /// Older messages of the user, verbatim.
    pub users: Share,
    /// The rest of the record.
    pub ledger: Share,
    /// The maximum size of a record that gives every entry a line of its own.
    pub entries: Share,
    /// Error lines that stay when their results are cleared.
    pub error_lines: Share,
    /// The model's text.
    pub summary: Share,
}

/// The minimum that a step must free to be worth the broken cache.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Gain {
    pub stale: Share,
    pub media: Share,
    pub cap: Share,
    pub clear: Share,
    pub summary: Share,
    /// A summary must also free this share of the tokens that it replaces.
    pub covered: f64,
}

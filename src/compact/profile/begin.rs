//! When a compaction begins, what becomes of its result, and what keeps it from being tried again.

use serde::{Deserialize, Serialize};

/// How large a request may be, in tokens, beside what the host says of its model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LimitRule {
    /// What any model is taken to have, whatever its name; one that the host says takes less has less.
    pub window: Option<u64>,
    /// The limit of a model that nothing is known of, where there is no such window.
    pub fallback: Option<u64>,
    /// After a request was refused as too long: what is left free below the limit that was learned, as a share of it.
    pub retry_buffer: f64,
    /// The most that this grows to, doubling with every refusal.
    pub most_retry_buffer: f64,
}

/// How full a request is taken to be. What fits is counted, whatever this says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Measured {
    /// What the request will have, tools included.
    Predicted,
    /// The same, and at least what the server counted of the newest request that it answered.
    AtLeastReported,
    /// What the server counted; the request where it counted nothing since the history was last replaced.
    Reported,
}

/// When a compaction starts by itself, as a share of the limit: with a warm cache at `warm + spread × r`, `r` in [0, 1) drawn by the host,
/// so that many conversations do not start at once; with a cold one at `cold`, since the summary request is then paid in full.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Start {
    pub warm: f64,
    pub spread: f64,
    pub cold: f64,
}

/// What becomes of a finished summary that is not needed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Early {
    /// Kept: it was paid for.
    Parked,
    Dropped,
}

/// Fewest messages of an automatic compaction, and of one by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fewest {
    pub automatic: usize,
    pub manual: usize,
    /// System messages are among those that are counted before one begins.
    pub system: bool,
}

/// What a failure of the model leads to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailureRule {
    /// Requests to wait after one.
    pub requests: u64,
    /// Or new tokens, as a share.
    pub tokens: f64,
    /// New tokens after which a plan that gained nothing is looked at again.
    pub gain_tokens: f64,
    /// After one, no model is asked any more until a compaction succeeds; results are still cut.
    pub flag: bool,
}

/// What the host is told before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookRule {
    /// Also where nothing comes of it.
    pub on_noop: bool,
    /// The trigger is told as `auto` or `manual`, nothing finer.
    pub two_triggers: bool,
    /// It may put off what can wait.
    pub veto: bool,
}

/// How long the host waits, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Timeouts {
    /// For a running job, in front of a request.
    pub wait: u64,
    pub hook: u64,
    /// For one call of the model.
    pub model: u64,
}

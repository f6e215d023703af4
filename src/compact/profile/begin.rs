//! When a compaction begins, what happens to its result, and what prevents another attempt.

use serde::{Deserialize, Serialize};

/// The maximum size of a request in tokens, beside what the host says of its model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LimitRule {
    /// The window assumed for every model, whatever its name. A smaller one that the host states takes precedence.
    pub window: Option<u64>,
    /// The limit of an unknown model, if `window` is not set.
    pub fallback: Option<u64>,
    /// Share of the learned limit that is left free after a request was refused as too long.
    pub retry_buffer: f64,
    /// The maximum of this share, which doubles with every refusal.
    pub max_retry_buffer: f64,
}

/// How the fill level of a request is measured. Whether it fits is always counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Measured {
    /// The predicted size of the request, tools included.
    Predicted,
    /// The same, but at least the server's count of the newest answered request.
    AtLeastReported,
    /// The server's count; the predicted size if the server has reported none since the history was last replaced.
    Reported,
}

/// When a compaction starts by itself, as a share of the limit. With a warm cache at `warm + spread × r`, where the
/// host draws `r` in [0, 1), so that many conversations do not start at once. With a cold one at `cold`, since the
/// summary request then costs its full price.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Start {
    pub warm: f64,
    pub spread: f64,
    pub cold: f64,
}

/// What happens to a finished summary that is not needed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Early {
    /// Kept, since it was paid for.
    Parked,
    Dropped,
}

/// Minimum messages of an automatic compaction, and of a manual one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fewest {
    pub automatic: usize,
    pub manual: usize,
    /// True if system messages count among them.
    pub system: bool,
}

/// The consequences of a failure of the model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailureRule {
    /// Number of requests to wait after a failure.
    pub requests: u64,
    /// Or new tokens to wait for, as a share.
    pub tokens: f64,
    /// New tokens after which a plan without gain is tried again, as a share.
    pub gain_tokens: f64,
    /// If true, after a failure no model is asked until a compaction succeeds; results are still cut.
    pub flag: bool,
}

/// How the host's hooks before and after a compaction are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookRule {
    /// True if they are called even if there is nothing to compact.
    pub on_noop: bool,
    /// True if hooks see the trigger only as `auto` or `manual`.
    pub two_triggers: bool,
    /// True if the hook may put off a compaction that can wait.
    pub veto: bool,
}

/// How long the host waits, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Timeouts {
    /// For a running job, before a request.
    pub wait: u64,
    pub hook: u64,
    /// For one call of the model.
    pub model: u64,
}

//! The host's wishes for a request to the model, and the report of each request and hook.

use serde::{Deserialize, Serialize};

use super::context::Breadcrumb;
use super::form::Form;
use super::models::Rule;
pub use super::profile::Verify;
use crate::effect::{Block, Purpose, Reduced, Shape};

/// What started a compaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Trigger {
    Threshold,
    /// The request does not fit.
    #[default]
    Overflow,
    ProviderError,
    Manual,
    Range,
    ModelSwitch,
    MemoryPressure,
    AgentRequest,
}

impl Trigger {
    /// The name that hosts know.
    pub fn as_str(self) -> &'static str {
        match self {
            Trigger::Threshold => "threshold",
            Trigger::Overflow => "overflow",
            Trigger::ProviderError => "provider_error",
            Trigger::Manual => "manual",
            Trigger::Range => "range",
            Trigger::ModelSwitch => "model_switch",
            Trigger::MemoryPressure => "memory_pressure",
            Trigger::AgentRequest => "agent_request",
        }
    }

    /// True if a person asked for the compaction.
    pub fn is_by_hand(self) -> bool {
        matches!(self, Trigger::Manual | Trigger::Range)
    }

    /// True for triggers whose compactions run beside the conversation, if the profile has background compactions.
    pub fn is_background(self) -> bool {
        matches!(self, Trigger::Threshold | Trigger::MemoryPressure | Trigger::AgentRequest)
    }

    /// True if a hook may put the compaction off: the request fits without it, and no person asked for it.
    pub fn can_wait(self) -> bool {
        !matches!(self, Trigger::Overflow | Trigger::ProviderError | Trigger::Manual)
    }
}

/// The host's wishes for the requests of one compaction.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Asking {
    #[serde(default)]
    pub trigger: Trigger,
    /// The shape to try first. `None` applies the rule: a fork if the cache is warm and the fork fits, else the history
    /// as messages.
    pub shape: Option<Shape>,
    /// True if the provider has the running request cached.
    #[serde(rename = "cacheWarm", default)]
    pub is_warm: bool,
    /// The form of another profile; `None` uses the profile's own.
    #[serde(skip)]
    pub form: Option<&'static Form>,
    #[serde(skip)]
    pub verify: Verify,
    /// Discards a result that fails the quality gate.
    #[serde(default)]
    pub strict: bool,
    /// Writes a record of everything for another session; the conversation stays unchanged.
    #[serde(default)]
    pub is_handover: bool,
    /// The model of the conversation.
    #[serde(skip)]
    pub model: Option<String>,
    /// The model that writes the summary, if it is another one.
    pub asked_model: Option<String>,
    /// The host's rows for the table of models.
    #[serde(rename = "modelRules", default)]
    pub models: Vec<Rule>,
    /// Paragraphs to add to the instructions.
    #[serde(rename = "instructions", default)]
    pub additions: Vec<String>,
    /// True if the host has hooks before and after a compaction.
    #[serde(default)]
    pub pre_hook: bool,
    #[serde(default)]
    pub post_hook: bool,
    #[serde(default)]
    pub blocks: Vec<Block>,
    #[serde(rename = "transcript", default)]
    pub breadcrumb: Breadcrumb,
    /// True if the host can read files.
    #[serde(default)]
    pub reads_files: bool,
}

/// One request to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    pub purpose: Purpose,
    pub shape: Shape,
    pub prompt_tokens: u64,
    /// How much of the covered messages it does not show.
    #[serde(skip_serializing_if = "Reduced::is_empty")]
    pub reduced: Reduced,
    /// Why its answer was unusable.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The outcome of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HookReport {
    /// One of `preCompact` or `postCompact`.
    pub name: &'static str,
    pub outcome: HookOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// How a hook ended. A hook that fails or times out does not stop a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookOutcome {
    Done,
    /// The hook put the compaction off.
    Skipped,
    /// The hook asked to put it off, but the compaction could not wait.
    Overruled,
    Failed,
    Timeout,
}

//! What a host may say about how the model is asked, what stands beside its summary, and who is told.

use serde::{Deserialize, Serialize};

use super::context::Breadcrumb;
use super::form::Form;
use super::models::Rule;
pub use super::profile::Verify;
use crate::effect::{Block, Purpose, Reduced, Shape};

/// What started a compaction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
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

    /// A person asked for it.
    pub fn is_by_hand(self) -> bool {
        matches!(self, Trigger::Manual | Trigger::Range)
    }

    /// It is made beside the conversation, by profiles that make any so.
    pub fn is_background(self) -> bool {
        matches!(self, Trigger::Threshold | Trigger::MemoryPressure | Trigger::AgentRequest)
    }

    /// A hook may put the compaction off: nothing breaks without it, and no person asked for it.
    pub fn can_wait(self) -> bool {
        !matches!(self, Trigger::Overflow | Trigger::ProviderError | Trigger::Manual)
    }
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub struct Asking {
    pub trigger: Trigger,
    /// The shape that is tried first; absent for the rule: a fork while the cache is warm and it fits, else the history as messages.
    pub shape: Option<Shape>,
    /// The provider has the running request cached.
    pub is_warm: bool,
    /// The form of another profile; that of the profile if absent.
    pub form: Option<&'static Form>,
    pub verify: Verify,
    /// A result that falls short of the gate is no result.
    pub strict: bool,
    /// A record of everything is wanted for somebody else; the conversation stays as it is.
    pub is_handover: bool,
    /// The model of the conversation.
    pub model: Option<String>,
    /// The model that is asked, if it is another.
    pub asked_model: Option<String>,
    /// Rows of the host for the table of models.
    pub models: Vec<Rule>,
    /// Paragraphs for the instructions.
    pub additions: Vec<String>,
    /// The host has hooks before and after.
    pub pre_hook: bool,
    pub post_hook: bool,
    pub blocks: Vec<Block>,
    pub breadcrumb: Breadcrumb,
    /// The host can read files.
    pub reads_files: bool,
}

/// One request to the model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Asked {
    pub purpose: Purpose,
    pub shape: Shape,
    pub prompt_tokens: u64,
    /// What it does not show of the messages that it is about.
    #[serde(skip_serializing_if = "Reduced::is_empty")]
    pub reduced: Reduced,
    /// Why its answer was of no use.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What came of a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct HookReport {
    pub name: &'static str,
    pub outcome: HookOutcome,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// How a hook ended. None of these stops a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum HookOutcome {
    Done,
    /// It put the compaction off.
    Skipped,
    /// It wanted to, and the compaction could not wait.
    Overruled,
    Failed,
    Timeout,
}

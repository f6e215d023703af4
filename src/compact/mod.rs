//! Compaction: a summary replaces older history.
//!
//! In: messages, a budget, options. Out: [`Compacted`]: a plan in the host's ids, its edits, and a report of every
//! step. A compaction may ask the host's model a few times, through [effects](crate::effect). Rules alone write the
//! summary if there is no model, or, on demand, if the model fails. Start reading at [`run`], the state machine.
//!
//! The steps run in this order: repair, stale, media, clear, summary (by the model or by rules), fit. A step runs only
//! while the request exceeds its goal, and its changes stay only if they free its minimum. A failure leaves the
//! conversation unchanged.
//!
//! - [`steps`]: the steps that need no model.
//! - [`budget`]: how the tokens are divided.
//! - [`cut`]: which messages the summary covers.
//! - [`request`], [`instructions`], [`form`]: the request to the model.
//! - [`parse`], [`check`]: its answer.
//! - [`asking`], [`models`]: the host's options for that request.
//! - [`context`]: what the host adds to the record.
//! - [`ledger`]: facts collected by rule.
//! - [`offline`]: the summary without a model; `earlier_summaries` in it.
//! - [`quality`], [`literal`]: what of the history survived.
//! - [`invention`]: claims of a summary that the history does not contain.
//! - [`profile`]: the constants of a system.
//! - [`working`]: the latest content of the files in use, and the names around them.
//! - [`summary`]: the message that replaces the covered range.
//! - [`reduce`]: the last resort of the fit.
//! - [`results`]: a budget for all tool results together.
//! - [`placeholder`]: the text that replaces a cleared result.

pub mod asking;
pub mod budget;
pub mod check;
pub mod context;
pub mod cut;
mod earlier_summaries;
pub mod facts;
pub mod form;
pub mod held;
pub mod instructions;
pub mod invention;
pub mod ledger;
pub mod literal;
pub mod models;
pub mod offline;
pub mod parse;
pub mod placeholder;
pub mod profile;
pub mod quality;
pub mod reduce;
pub mod request;
pub mod results;
mod run;
pub mod steps;
pub mod summary;
pub mod working;

pub use run::{Compaction, Counted};

use serde::{Deserialize, Serialize};

use crate::cache::Prices;
use crate::effect::Reduced;
use crate::history::edit::Edit;
use crate::history::mend::{Mended, Receiver, Repair};
use crate::history::plan::{MessageFate, PlanItem, Removal, Totals};
use crate::map::HashSet;
use crate::tokens::Origin;
use crate::validity::Provider;

/// Options of a compaction.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Options {
    /// Maximum input tokens of the result, tool definitions included.
    pub budget: u64,
    /// The target size of the result, as a share of what messages may use. If absent: all of it if the conversation is
    /// larger than the budget ([`target_share`](profile::Shares::target)), else room for the next turns is left
    /// ([`ongoing`](profile::Shares::ongoing)).
    pub target_share: Option<f64>,
    /// The subject that deserves special attention.
    pub focus: Option<String>,
    /// True if the conversation is compacted even if it fits its budget.
    #[serde(default)]
    pub force: bool,
    /// True if rules write the summary after the model fails, instead of changing nothing.
    #[serde(default)]
    pub offline_on_failure: bool,
    /// Ids of messages that stay verbatim.
    #[serde(default)]
    pub keep: HashSet<String>,
    /// True if the host can call a model.
    #[serde(default)]
    pub has_model: bool,
    /// Maximum input tokens of the summarising model. If absent, the whole input is sent, and less after a refusal.
    #[serde(rename = "maxLlmTokens")]
    pub model_limit: Option<u64>,
    /// The host's additions to the ledger's rules.
    #[serde(rename = "ledger", default)]
    pub rules: ledger::Rules,
    /// The constants and switches.
    #[serde(skip)]
    pub profile: profile::Profile,
    /// Names of further tools whose results are never cleared.
    #[serde(default)]
    pub exempt: HashSet<String>,
    /// The host's options for the request to the model, the blocks beside its summary, and the hooks.
    #[serde(skip)]
    pub asking: asking::Asking,
    /// The range that the summary should replace, if the caller chose one. Nothing outside of it changes unless the
    /// result does not fit.
    pub cover: Option<Cover>,
    /// The prices for the cost of the broken cache.
    #[serde(default)]
    pub prices: Prices,
    /// For formats with signed thoughts: a summary inside a turn moves the last thought to the remaining calls. The set
    /// has the ids of messages whose thoughts are not moved: they come from another model, or have no signature. `None`
    /// for all other formats.
    pub thinking: Option<HashSet<String>>,
    /// True for messages in the format of OpenAI Responses, in which each call is a separate item.
    #[serde(skip)]
    pub by_items: bool,
    /// The provider by whose rules the messages are repaired before they are read, see
    /// [`Meter::provider`](crate::history::draft::Meter::provider). For a log, its own.
    #[serde(skip)]
    pub provider: Option<Provider>,
    /// True if the caller sends the result as one request. For a log only: by default its result is a view that the
    /// next requests begin with, in which the newest request stays unchanged.
    #[serde(default)]
    pub is_request: bool,
    /// Whom the result is for; absent if that is not known, and nothing is repaired by a provider's rules then.
    #[serde(skip)]
    pub receiver: Option<Receiver>,
}

/// A range of messages by their ids, both ends included; without `from` it begins at the start, without `to` it ends at
/// the end. It is extended to whole groups.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Cover {
    pub from: Option<String>,
    pub to: Option<String>,
}

/// How a compaction ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    Applied,
    /// The conversation already fits its budget.
    Unchanged,
    /// There is too little to cover, and the conversation fits.
    NothingToCompact,
    ModelFailed,
    Timeout,
    Cancelled,
    EmptySummary,
    NoSummaryTag,
    ToolCallInstead,
    /// The summary was longer than the messages that it replaces.
    Inflated,
    /// The summary freed less than the minimum of a compaction.
    NoGain,
    /// The result failed the quality gate, and the host refuses such results.
    QualityFailed,
    /// A hook postponed the compaction.
    Skipped,
}

impl Status {
    /// Returns the public name.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Applied => "applied",
            Status::Unchanged => "unchanged",
            Status::NothingToCompact => "nothing_to_compact",
            Status::ModelFailed => "model_failed",
            Status::Timeout => "timeout",
            Status::Cancelled => "cancelled",
            Status::EmptySummary => "empty_summary",
            Status::NoSummaryTag => "no_summary_tag",
            Status::ToolCallInstead => "tool_call_instead",
            Status::Inflated => "inflated",
            Status::NoGain => "no_gain",
            Status::QualityFailed => "quality_failed",
            Status::Skipped => "skipped",
        }
    }
}

/// The outcome of one step of the ladder.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Applied,
    NoGain,
    Skipped,
    Failed,
}

/// One step of the ladder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StepReport {
    pub step: &'static str,
    pub outcome: Outcome,
    /// Tokens of the request before and after the step.
    pub tokens_before: u64,
    pub tokens_after: u64,
    /// One sentence for people.
    pub why: String,
}

impl Compacted {
    /// Returns the result in the form that its provider takes.
    fn mended(mut self, mended: Option<Mended>) -> Compacted {
        let Some(Mended { plan, after, repair }) = mended else { return self };
        if after.total != self.after.total {
            self.steps.push(StepReport {
                step: "repair",
                outcome: Outcome::Applied,
                tokens_before: self.after.total,
                tokens_after: after.total,
                why: "the form in which its provider takes the rest".into(),
            });
        }
        Compacted { plan: plan.unwrap_or(self.plan), after, repair: Some(repair), ..self }
    }
}

impl StepReport {
    /// Returns the report of a step that changed nothing.
    fn same(step: &'static str, outcome: Outcome, total: u64, why: String) -> StepReport {
        StepReport { step, outcome, tokens_before: total, tokens_after: total, why }
    }
}

/// The model's part in a compaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelReport {
    pub calls: usize,
    /// Tokens that were sent to it, by our count.
    pub prompt_tokens: u64,
    /// One entry for each request.
    pub asked: Vec<asking::Asked>,
    /// What the summary was written without. Absent if the model was shown all of the covered messages.
    #[serde(skip_serializing_if = "Reduced::is_empty")]
    pub reduced: Reduced,
    /// What is still wrong with its summary, as far as rules can tell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
    /// How the model failed, if no summary of its own was used, and why. The report's `status` says how the compaction
    /// ended all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The target of a summary, in tokens of the whole request.
///
/// The result has at most the target, or at most the floor if that is higher. Content yields in this order: the tail
/// except for the newest round, the text that rules extract, the user's older words, lines beyond those that a record
/// should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Aim {
    /// The frame, and the profile's share of what messages may have.
    pub target: u64,
    pub reached: bool,
    /// The tokens that stay whatever the target: `must_keep`, and the record with the lines that it should have.
    pub floor: u64,
    /// Frame, tools, newest request, newest round, calls without a result and everything after them, kept messages.
    pub must_keep: u64,
}

/// A finished compaction.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Compacted {
    pub status: Status,
    pub plan: Vec<PlanItem>,
    pub edits: Vec<Edit>,
    pub before: Totals,
    pub after: Totals,
    pub origin: Origin,
    /// Everything that was removed or changed, in the order of the decisions.
    pub removed: Vec<Removal>,
    /// One row for every message of the input and every inserted one, in order.
    pub messages: Vec<MessageFate>,
    /// The ladder's steps in order, with their outcomes.
    pub steps: Vec<StepReport>,
    /// What the rules of the receiver changed; `None` without a receiver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repair: Option<Repair>,
    /// The text that replaces the covered messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// The model's title of it, if the profile's sections include one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Ids of the messages that the summary replaces.
    pub covered: Vec<String>,
    /// Ids of messages that were added to a chosen range (`options.cover`).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grown: Vec<String>,
    /// For a hand-over: the summary with the lists kept by rule, as one text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// True if the result fits but exceeds the goal of the cheap steps, so that the next compaction is near.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub low_headroom: bool,
    /// The target of a summary, in tokens of the whole request, and what prevented it: the result has at most `target`,
    /// or at most `floor` if that is more. Absent without a summary, for a chosen range, and for profiles whose
    /// summaries have no lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aim: Option<Aim>,
    /// The collected facts by block of the record. Absent without a summary.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ledger: Vec<ledger::render::Shown>,
    /// What the result retains of the history. Absent without a summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<quality::Quality>,
    /// Present if a model was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelReport>,
    /// The outcomes of the host's hooks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<asking::HookReport>,
    /// Files to restore, with their outcomes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<context::FileReport>,
    /// The blocks of the host.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<context::BlockReport>,
}

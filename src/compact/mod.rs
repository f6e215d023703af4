//! Compaction: a summary replaces older history.
//!
//! In: messages, a budget, options. Out: [`Compacted`]: a plan in the host's ids, its edits, and a report of every
//! step. A compaction may ask the host's model a few times, through [effects](crate::effect). Rules alone write the
//! summary if there is no model, or, on demand, if the model fails. Start with [`run`], the state machine.
//!
//! The steps run in this order: repair, stale, media, clear, summary (by the model or by rules), fit. A step runs only
//! while the request exceeds its goal, and its changes stay only if they free its minimum. A failure leaves the
//! conversation unchanged.
//!
//! - [`steps`]: the steps that need no model.
//! - [`budget`]: how the tokens are divided. - [`cut`]: which messages the summary covers.
//! - [`request`], [`instructions`], [`form`]: the request to the model. - [`parse`], [`check`]: its answer.
//! - [`asking`], [`models`]: the host's wishes for that request. - [`context`]: what the host adds to the record.
//! - [`ledger`]: facts collected by rule. - [`offline`]: the summary without a model.
//! - [`quality`], [`literal`]: what of the history survived. - [`invention`]: what of a summary was never said.
//! - [`profile`]: the constants of a system.
//! - [`working`]: the latest content of the files in use, and the names around them.
//! - [`summary`]: the message that replaces the covered range. - [`reduce`]: the last resort of the fit.
//! - [`results`]: a budget for all tool results together. - [`placeholder`]: the text that replaces a cleared result.

pub mod asking;
pub mod budget;
pub mod check;
pub mod context;
pub mod cut;
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

pub use run::Compaction;

use serde::{Deserialize, Serialize};

use crate::cache::Prices;
use crate::effect::Reduced;
use crate::history::edit::Edit;
use crate::history::plan::{MessageFate, PlanItem, Removal, Totals};
use crate::map::HashSet;
use crate::tokens::Origin;

/// What a compaction is to do.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Input tokens the result may have, tool definitions included.
    pub budget: u64,
    /// What the result fills, as a share of what messages may use. If absent: all of it where the conversation is larger than the budget
    /// ([`target`](profile::Shares::target)), room for the next turns where it is not ([`ongoing`](profile::Shares::ongoing)).
    pub target: Option<f64>,
    /// What to pay special attention to.
    pub focus: Option<String>,
    /// Compact even if the conversation fits its budget.
    pub force: bool,
    /// Summarise by rules when the model fails, instead of changing nothing.
    pub offline_on_failure: bool,
    /// Ids of messages that stay verbatim.
    pub keep: HashSet<String>,
    /// The host can call a model.
    pub has_model: bool,
    /// Input tokens that the summarising model takes. If absent the whole is tried, and less after a refusal.
    pub model_limit: Option<u64>,
    /// What the host adds to the ledger's rules.
    pub rules: ledger::Rules,
    /// The constants and switches.
    pub profile: profile::Profile,
    /// Names of further tools whose results are never cleared.
    pub exempt: HashSet<String>,
    /// How the model is asked, what stands beside its summary, who is told.
    pub asking: asking::Asking,
    /// What the summary is to stand for, where somebody chose that. Nothing outside of it changes unless the result does not fit.
    pub cover: Option<Cover>,
    /// What the price of the broken cache is reckoned with.
    pub prices: Prices,
    /// For formats in which thoughts are signed: a summary inside a turn leaves the last thought to the calls that stay. Not those of these
    /// messages, by id: of another model, or without a signature. Absent for all other formats.
    pub thinking: Option<HashSet<String>>,
    /// True for messages in the format of OpenAI Responses, in which each call is an item of its own.
    pub by_items: bool,
}

/// A range of messages by their ids, both ends included; without one of them from the beginning or to the end. It grows to whole groups.
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
    /// It fits its budget already.
    Unchanged,
    /// Too little to cover, and it fits.
    NothingToCompact,
    ModelFailed,
    Timeout,
    Cancelled,
    EmptySummary,
    NoSummaryTag,
    ToolCallInstead,
    /// The summary was longer than what it stands for.
    Inflated,
    /// The summary freed less than a compaction must.
    NoGain,
    /// The result fell short of the gate, and the host wants none that does.
    QualityFailed,
    /// A hook put it off.
    Skipped,
}

impl Status {
    /// The name that hosts know.
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

/// What came of one step of the ladder.
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

impl StepReport {
    /// A step that changed nothing.
    fn same(step: &'static str, outcome: Outcome, total: u64, why: String) -> StepReport {
        StepReport { step, outcome, tokens_before: total, tokens_after: total, why }
    }
}

/// What the model had to do with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelReport {
    pub calls: usize,
    /// Tokens that were sent to it, by our count.
    pub prompt_tokens: u64,
    /// Request by request.
    pub asked: Vec<asking::Asked>,
    /// What the summary was written without: of all requests whose answers it was made from.
    #[serde(skip_serializing_if = "Reduced::is_empty")]
    pub reduced: Reduced,
    /// What is still wrong with its summary, as far as rules can tell.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub gaps: Vec<String>,
    /// How it failed, and why, whether rules or a model wrote the summary.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<Status>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// What a summary aims at, in tokens of the whole request.
///
/// The result has at most the target, or at most the floor where that is higher: what gives way before then is, in this order, the tail
/// but for the newest round, the text that rules extract, the user's older words, lines beyond those that a record should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Aim {
    /// The frame, and the profile's share of what messages may have.
    pub target: u64,
    pub reached: bool,
    /// What stays whatever the target: `must_keep`, and the record with the lines that it should have.
    pub floor: u64,
    /// Frame, tools, newest request, newest round, calls without a result and what came behind them, what the host keeps.
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
    pub removed: Vec<Removal>,
    pub messages: Vec<MessageFate>,
    pub steps: Vec<StepReport>,
    /// The text that stands for the covered messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    /// What the model calls it, where the profile asks for a title.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Ids of the messages that it stands for.
    pub covered: Vec<String>,
    /// Ids of messages that a chosen range grew to contain.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grown: Vec<String>,
    /// Of a hand-over: the summary with the lists kept by rule, as one text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// It fits, and is above what a cheap step would have to reach: the next compaction is not far.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub low_headroom: bool,
    /// Where it was to get, and where it got; absent unless a summary was to be made.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aim: Option<Aim>,
    /// What became of the ledger's entries, by block; empty without a summary.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ledger: Vec<ledger::render::Shown>,
    /// What of the history the result still holds; with a summary only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<quality::Quality>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<ModelReport>,
    /// What came of the host's hooks.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub hooks: Vec<asking::HookReport>,
    /// Files that were to be put back.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<context::FileReport>,
    /// What the host added.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub blocks: Vec<context::BlockReport>,
}

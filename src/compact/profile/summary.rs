//! Where the covered range ends, how its summary is requested, and what replaces it.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::compact::form;
use crate::effect::Shape;

/// Where the covered range ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cut {
    pub at: CutAt,
    /// Minimum and maximum tail of the boundaries that are considered, as shares of the kept tokens.
    pub window: [f64; 2],
    /// Penalty of a boundary that is not before a request, beside its distance from the target.
    pub inside_turn: f64,
    /// Penalty of a boundary between an edit and the first command after it.
    pub before_check: f64,
    /// Penalty of a boundary after a command that failed and did not succeed later.
    pub open_failure: f64,
    /// For `fraction`: the share of the messages' tokens that is covered.
    pub fraction: f64,
    /// For `fraction`: considers boundaries between rounds if none before a request qualifies.
    pub split_inside_turn: bool,
}

/// Which boundaries are considered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CutAt {
    /// All boundaries between groups, by the tokens of the tail.
    Tokens,
    /// Before the first request after a share of the conversation.
    Fraction,
    /// After the last round but one of the turn, or the last round of earlier turns.
    LastRound,
    /// Like `LastRound`, for a summary that is applied after later rounds: it also covers a single round of the turn.
    /// The engine uses it in place of `LastRound` in background compactions.
    #[serde(skip)]
    Anchor,
    /// Everything so far; later messages follow.
    Snapshot,
}

/// How the summary is requested.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Summary {
    /// When a second call checks the first summary.
    pub verify: Verify,
    /// When the running request itself is used.
    pub fork: ForkRule,
    /// The shapes that are tried otherwise, in order.
    pub overflow_modes: Cow<'static, [Shape]>,
    /// Sent if the summary has a request of its own and the model accepts it.
    pub temperature: f64,
    /// Factor by which a reply may exceed the requested length before it is cut.
    pub overlong: f64,
    /// Maximum length of arguments in the simple form, in UTF-16 units.
    pub argument_units: usize,
    /// Maximum of a result in the simple form, as a share of what [`Cap`] allows.
    pub simple_results: f64,
    /// Maximum tokens of results in the input of a handover.
    pub handoff_results: u64,
    /// Factor on the room of the full form.
    pub full_headroom: f64,
    /// The requested tag, markup and sections.
    pub form: form::Form,
}

/// When the model is asked by the running request with one more message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ForkRule {
    /// While the provider has it cached.
    Warm,
    /// In background compactions, cached or not.
    Background,
    /// Whenever it fits.
    Always,
    Never,
}

/// When a second call is worth its price.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verify {
    /// If a section is empty, something was invented, or a fact that must stay had no room.
    #[default]
    Auto,
    Always,
    Never,
}

/// What replaces the covered range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Replacement {
    pub form: Form,
    /// The model's reply after the summary, if a user message follows it.
    pub acknowledgement: Option<Cow<'static, str>>,
    /// Share of a long user message that its beginning gets.
    pub head_share: f64,
}

/// The form of the message that replaces the covered range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Form {
    /// The summary, and the ledger in tagged blocks.
    Record,
    /// The requests in `<user_message>` tags, and the summary.
    Messages,
    /// The summary alone.
    Summary,
}

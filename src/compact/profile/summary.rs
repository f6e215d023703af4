//! Where the covered range ends, how its summary is asked for, and what stands in its place.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::compact::form;
use crate::effect::Shape;

/// Where the covered range ends.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cut {
    pub at: CutAt,
    /// Boundaries whose tail has this share of what is kept, at least and at most, are looked at.
    pub window: [f64; 2],
    /// What a boundary costs that is not in front of a request, beside its distance from the target.
    pub inside_turn: f64,
    /// And one between an edit and the first command after it.
    pub before_check: f64,
    /// And one behind a command that failed and did not succeed later.
    pub open_failure: f64,
    /// For `fraction`: the share of the messages' tokens that is covered.
    pub fraction: f64,
    /// For `fraction`: boundaries between rounds count where none in front of a request does.
    pub split_inside_turn: bool,
}

/// Which boundaries are looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CutAt {
    /// Any between two groups, by the tokens of the tail.
    Tokens,
    /// In front of the first request behind a share of the conversation.
    Fraction,
    /// Behind the last round but one of the turn, or the last of the turns before.
    LastRound,
    /// The same for a summary that is put to use behind later rounds: a single round of the turn is covered as well. What the engine makes of
    /// `LastRound` beside the conversation.
    #[serde(skip)]
    Anchor,
    /// Everything so far; what comes later follows.
    Snapshot,
}

/// How the summary is asked for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Summary {
    /// When a second call checks the first.
    pub verify: Verify,
    /// When the running request itself is used.
    pub fork: ForkRule,
    /// The shapes that are tried otherwise, one after the other.
    pub overflow_modes: Cow<'static, [Shape]>,
    /// Where the request is one of its own and the model takes it.
    pub temperature: f64,
    /// A reply may exceed the asked length by this factor before it is cut.
    pub overlong: f64,
    /// Arguments in the simple form, in UTF-16 units.
    pub argument_units: usize,
    /// Share of [`Cap::of`] that a result has in the simple form.
    pub simple_results: f64,
    /// Results in the input of a hand-over, in tokens.
    pub handoff_results: u64,
    /// Factor on the room of the full form.
    pub full_headroom: f64,
    /// The tag, markup and sections that are asked for.
    pub form: form::Form,
}

/// When the running request with one more message is what the model is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ForkRule {
    /// While the provider has it cached.
    Warm,
    /// Beside the conversation, cached or not.
    Background,
    /// Wherever it fits.
    Always,
    Never,
}

/// When a second look at the history is paid for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Verify {
    /// If a section is empty, something was invented, or a fact that must stay found no place.
    #[default]
    Auto,
    Always,
    Never,
}

/// What stands for the covered range.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Replacement {
    pub form: Form,
    /// The model's words behind the summary, where a message of the user's follows it.
    pub acknowledgement: Option<Cow<'static, str>>,
    /// Share of a long message of the user that is its beginning.
    pub head: f64,
}

/// The form of the message that stands for the covered range.
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

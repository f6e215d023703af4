//! The one question-and-answer protocol with the host.
//!
//! An operation that needs the host is polled. It returns [`Step::Ask`], numbered effects to carry out in any order, or
//! [`Step::Done`]. The host answers each effect once, by its number, and polls again:
//!
//! ```text
//! loop { match op.poll() { Ask(effects) => for e in effects { op.resume(e.id, carry_out(e)) }, Done(result) => break result } }
//! ```
//!
//! Dropping an operation at any moment loses no data of the caller. Answers to effects that are not open are refused
//! and change nothing, so a late or repeated answer does no harm.

use serde::{Deserialize, Serialize};

use crate::history::plan::{PlanItem, Totals};
use crate::tagged::needed;

/// A numbered effect. Numbers count up from 0 within one operation and are never reused.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ask {
    pub id: u32,
    pub effect: Effect,
}

/// A request to the host.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Effect {
    /// Send this to a language model; the answer is its text.
    CallModel(ModelRequest),
    /// Run the hook of the host.
    RunHook(HookCall),
    /// Read the current content of this file.
    ReadFile { path: String },
}

/// The form in which a model gets the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Shape {
    /// The running request with one more message: a warm cache pays for most of it.
    Fork,
    /// The history as messages, between instructions.
    Full,
    /// The history as text in one message.
    Simple,
}

/// The purpose of a request to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Purpose {
    /// A record of the history.
    Summary,
    /// A better record than the first.
    Verify,
    /// A record for an agent that continues the work elsewhere.
    Handoff,
}

/// A request to the host's model. The host must not run any tool, whatever the answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelRequest {
    pub purpose: Purpose,
    pub shape: Shape,
    /// The messages to send, in order, instructions included; unchanged messages are the host's own.
    pub messages: Vec<PlanItem>,
    /// The instructions alone; empty for a fork, whose last message has them.
    pub system: String,
    /// The last message alone; with [`Shape::Simple`] it is everything beside the instructions.
    pub prompt: String,
    /// Whether the first call of a turn carries the signature of its reasoning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub signatures: bool,
    /// True if the tool definitions are sent as well: without them the calls in the messages would make no sense.
    pub with_tools: bool,
    /// Tokens of the whole request, tool definitions included.
    pub prompt_tokens: u64,
    /// Maximum tokens of the answer; `None` if the running request sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// 0 if the model accepts it; `None` if the running request sets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// What the model is not shown, for the host's report.
    #[serde(skip)]
    pub reduced: Reduced,
}

/// What a request does not show of the covered messages, apart from pictures and thoughts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reduced {
    /// Tokens that are not shown.
    pub tokens: u64,
    /// Number of shortened results, and of results that are only named.
    pub shortened: usize,
    pub left_out: usize,
    /// Number of calls whose arguments are shortened.
    pub arguments: usize,
    /// Number of messages that are not even named.
    pub messages: usize,
}

impl Reduced {
    /// True if everything is shown.
    pub fn is_empty(&self) -> bool {
        *self == Reduced::default()
    }

    /// Returns the sum of both.
    pub fn and(self, other: Reduced) -> Reduced {
        Reduced {
            tokens: self.tokens + other.tokens,
            shortened: self.shortened + other.shortened,
            left_out: self.left_out + other.left_out,
            arguments: self.arguments + other.arguments,
            messages: self.messages + other.messages,
        }
    }
}

/// A hook to run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "name", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum HookCall {
    /// A plan exists, and no model was asked yet.
    PreCompact {
        /// The trigger of the compaction.
        trigger: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        focus: Option<String>,
        /// Ids of the messages that a summary would replace, and their tokens.
        covered: Vec<String>,
        covered_tokens: u64,
        before: Totals,
        budget: u64,
    },
    /// The compaction ended.
    PostCompact {
        trigger: &'static str,
        /// The status as in results.
        status: &'static str,
        before: Totals,
        after: Totals,
        covered: Vec<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
    },
}

/// The answer to an effect.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A model's reply.
    Model {
        text: String,
        /// In the provider's words; `tool_calls` or `tool_use` mean that the model called a tool instead.
        finish_reason: Option<String>,
    },
    /// The wishes of a hook; all empty for one that only observes.
    Hook {
        /// A paragraph for the instructions.
        instructions: Option<String>,
        /// Ids of messages that stay verbatim.
        keep: Vec<String>,
        blocks: Vec<Block>,
        /// Asks to skip the compaction. Respected only if the request fits without it.
        skip: bool,
    },
    /// The text of a file.
    File { text: String },
    /// The effect failed.
    Failed { reason: String, kind: Failure },
    /// The model refused the request as too long.
    TooLong {
        reason: String,
        /// Maximum tokens that it accepts, if the answer says so.
        limit: Option<u64>,
    },
    /// The host cancelled the effect.
    Cancelled,
}

impl Answer {
    /// Interprets a failure by the `code` of its error, which is one of the package's providers or any other. `limit`
    /// is the number of tokens that the model accepts, if the error says so.
    ///
    /// ```
    /// use espalier::effect::{Answer, Failure};
    /// let failed = Answer::failed("busy".into(), "overloaded", None);
    /// assert_eq!(failed, Answer::Failed { reason: "busy".into(), kind: Failure::Unavailable });
    /// ```
    pub fn failed(reason: String, code: &str, limit: Option<f64>) -> Answer {
        let kind = match code {
            "context_length" | "output_reserve" | "body_size" => {
                let is_count = |limit: &f64| code == "context_length" && limit.fract() == 0.0 && *limit >= 0.0;
                return Answer::TooLong { reason, limit: limit.filter(is_count).map(|limit| limit as u64) };
            }
            "timeout" => Failure::Timeout,
            // Errors that every request meets, whatever its form.
            "auth" | "rate_limited" | "overloaded" | "network" | "no_key" | "unavailable" => Failure::Unavailable,
            _ => Failure::Error,
        };
        Answer::Failed { reason, kind }
    }
}

espalier_core::tagged! {
    Answer {
        text = "text": String,
        finish_reason = "finishReason": Option<String>,
        instructions = "instructions": Option<String>,
        keep = "keep": Vec<String>,
        blocks = "blocks": Vec<Block>,
        skip = "skip": bool,
        reason = "reason": String,
        code = "code": Option<String>,
        limit = "limit": Option<f64>,
    }
    "model" [text, finish_reason] => Answer::Model { text: needed(text, "text")?, finish_reason: finish_reason.flatten() },
    "hook" [instructions, keep, blocks, skip] => Answer::Hook {
        instructions: instructions.flatten(),
        keep: keep.unwrap_or_default(),
        blocks: blocks.unwrap_or_default(),
        skip: skip.unwrap_or_default(),
    },
    "file" [text] => Answer::File { text: needed(text, "text")? },
    "failed" [reason, code, limit] => Answer::failed(
        needed(reason, "reason")?,
        &code.flatten().unwrap_or_default(),
        limit.flatten(),
    ),
    "cancelled" [] => Answer::Cancelled,
}

/// State of the host that goes verbatim into a summary and is read again at each compaction.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Block {
    /// `plan`, `todo`, `skill`, `agent`, `memory`, or the host's own word.
    pub kind: String,
    /// The name, for a skill or an agent.
    #[serde(default)]
    pub title: Option<String>,
    pub text: String,
}

/// The kind of a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// An error that another form of the request may avoid.
    Error,
    Timeout,
    /// Currently no request succeeds: no key, too many requests, no network.
    Unavailable,
}

/// The state of an operation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Step<D> {
    /// Effects to carry out. Polling again before answering returns the same effects.
    Ask {
        effects: Vec<Ask>,
    },
    Done {
        result: D,
    },
}

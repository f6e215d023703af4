//! The one question-and-answer protocol with the host.
//!
//! An operation that needs the outside is polled. It answers with [`Step::Ask`]: numbered effects to carry out in any order, or
//! with [`Step::Done`]. The host answers each effect once, by its number, and polls again:
//!
//! ```text
//! loop { match op.poll() { Ask(effects) => for e in effects { op.resume(e.id, carry_out(e)) }, Done(result) => break result } }
//! ```
//!
//! Dropping an operation at any moment loses nothing of the caller's. Answers to effects that are not open are refused and
//! change nothing, so a late or doubled answer does no harm.

use serde::{Deserialize, Serialize};

use crate::history::plan::{PlanItem, Totals};
use crate::tagged::needed;

/// A numbered effect. Numbers count up from 0 within one operation and are never used twice.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ask {
    pub id: u32,
    pub effect: Effect,
}

/// What the host is asked to do.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Effect {
    /// Send this to a language model and answer with its text.
    CallModel(ModelRequest),
    /// Run what the host hooked in here.
    RunHook(HookCall),
    /// Read this file, as it is now.
    ReadFile { path: String },
}

/// How the history is put to a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Shape {
    /// The running request as it is, and one more message: a warm cache pays for most of it.
    Fork,
    /// The history as messages, between instructions.
    Full,
    /// The history as text in one message.
    Simple,
}

/// What a request to a model is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Purpose {
    /// A record of the history.
    Summary,
    /// A better one than the first.
    Verify,
    /// A record for somebody who goes on with the work elsewhere.
    Handoff,
}

/// A request to the host's model. No tool may run, whatever it answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelRequest {
    pub purpose: Purpose,
    pub shape: Shape,
    /// What is sent, in order, instructions included; messages that did not change are the host's own.
    pub messages: Vec<PlanItem>,
    /// The instructions by themselves; empty for a fork, whose last message has them.
    pub system: String,
    /// The last message by itself; with [`Shape::Simple`] that is all there is beside the instructions.
    pub prompt: String,
    /// The tool definitions go along: without them the calls in the messages would make no sense.
    pub with_tools: bool,
    /// Tokens of the whole, tool definitions included.
    pub prompt_tokens: u64,
    /// Tokens the answer may have; absent where the running request says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// 0 where the model takes it; absent where the running request says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// What the model is not shown. The host reads it in the report.
    #[serde(skip)]
    pub reduced: Reduced,
}

/// What of the covered messages a request does not show, pictures and thoughts aside.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reduced {
    /// Tokens that are not shown.
    pub tokens: u64,
    /// Results that are shortened, and results that are only named.
    pub shortened: usize,
    pub left_out: usize,
    /// Calls whose arguments are shortened.
    pub arguments: usize,
    /// Messages that are not even named.
    pub messages: usize,
}

impl Reduced {
    /// True if all of it is shown.
    pub fn is_empty(&self) -> bool {
        *self == Reduced::default()
    }

    /// The sum of both.
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

/// A hook that is due.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "name", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum HookCall {
    /// There is a plan, and nothing was asked of a model yet.
    PreCompact {
        /// What started the compaction.
        trigger: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        focus: Option<String>,
        /// Ids of the messages that a summary would stand for, and their tokens.
        covered: Vec<String>,
        covered_tokens: u64,
        before: Totals,
        budget: u64,
    },
    /// It is over.
    PostCompact {
        trigger: &'static str,
        /// As results name it.
        status: &'static str,
        before: Totals,
        after: Totals,
        covered: Vec<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
    },
}

/// What came of an effect.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// A model's reply.
    Model {
        text: String,
        /// As the provider names it; `tool_calls` or `tool_use` mean that the model called a tool instead.
        finish_reason: Option<String>,
    },
    /// What a hook wants; one that only looks on gives nothing of it.
    Hook {
        /// A paragraph for the instructions.
        instructions: Option<String>,
        /// Ids of messages that stay verbatim.
        keep: Vec<String>,
        blocks: Vec<Block>,
        /// Not now. Heard only where the request would fit without a compaction.
        skip: bool,
    },
    /// The text of a file.
    File { text: String },
    /// The effect failed.
    Failed { reason: String, kind: Failure },
    /// The model would not take so long a request.
    TooLong {
        reason: String,
        /// Tokens it does take, where it says so.
        limit: Option<u64>,
    },
    /// The host gave up on it.
    Cancelled,
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
        kind = "kind": Failure,
        limit = "limit": Option<u64>,
    }
    "model" [text, finish_reason] => Answer::Model { text: needed(text, "text")?, finish_reason: finish_reason.flatten() },
    "hook" [instructions, keep, blocks, skip] => Answer::Hook {
        instructions: instructions.flatten(),
        keep: keep.unwrap_or_default(),
        blocks: blocks.unwrap_or_default(),
        skip: skip.unwrap_or_default(),
    },
    "file" [text] => Answer::File { text: needed(text, "text")? },
    "failed" [reason, kind] => Answer::Failed { reason: needed(reason, "reason")?, kind: kind.unwrap_or_default() },
    "tooLong" [reason, limit] => Answer::TooLong { reason: needed(reason, "reason")?, limit: limit.flatten() },
    "cancelled" [] => Answer::Cancelled,
}

/// State of the host that goes into a summary as it is: never summarised, taken anew at each compaction.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Block {
    /// `plan`, `todo`, `skill`, `agent`, `memory`, or a word of the host's.
    pub kind: String,
    /// Of a skill or an agent, its name.
    #[serde(default)]
    pub title: Option<String>,
    pub text: String,
}

/// How an effect failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Failure {
    /// For a reason that another form of the request may not meet.
    #[default]
    Error,
    Timeout,
    /// No request gets through now: no key, too many requests, no network.
    Unavailable,
}

/// Where an operation stands.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Step<D> {
    /// Carry these out. Polling again before answering gives the same effects.
    Ask {
        effects: Vec<Ask>,
    },
    Done {
        result: D,
    },
}

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
}

/// A request to the host's model.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelRequest {
    /// What the answer is for: `summary`.
    pub purpose: &'static str,
    /// The instructions.
    pub system: String,
    /// What the instructions are about.
    pub prompt: String,
    /// Tokens of both.
    pub prompt_tokens: u64,
    /// Tokens the answer may have.
    pub max_tokens: u64,
    /// 0 where the model takes it.
    pub temperature: f64,
}

/// What came of an effect.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Answer {
    /// A model's reply.
    Model {
        text: String,
        /// As the provider names it; `tool_calls` or `tool_use` mean that the model called a tool instead.
        #[serde(default)]
        finish_reason: Option<String>,
    },
    /// The effect failed.
    Failed {
        reason: String,
        #[serde(default)]
        kind: Failure,
    },
    /// The host gave up on it.
    Cancelled,
}

/// How an effect failed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Failure {
    #[default]
    Error,
    Timeout,
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

//! Cuts conversations: groups, pairs, passes, edits.
//!
//! In: [`crate::message::Message`]s and a [`draft::Meter`] that counts them. Out: a plan with the host's ids, totals,
//! and a report that lists every removal with its rule, its reason, its tokens and where to recall it. The input is
//! never changed. Start with [`prune`].
//!
//! - [`draft`]: the conversation under edit that all passes work on.
//! - [`group`]: rounds, requests, the system prompt.
//! - [`pairs`]: calls and results. [`sound`]: whether there is nothing to repair.
//! - [`prune`]: cuts one request to its budget, for that request only.
//! - [`limits`], [`recovery`]: how much a request may have, and what a refusal teaches.
//! - [`mend`]: the rules of the provider that receives a draft. `written`: messages that are joined when written.
//! - [`edit`]: recorded changes of a history, and the view with these changes.
//! - [`plan`]: the output of the core.
//! - [`record`]: summaries of earlier compactions, and which of them are trusted.
//! - `thought`: the thought that a turn continues from.
//! - [`opening`]: the record that another system left at the beginning, and its environment turn.
//! - [`log`]: all events of a conversation, and the view that they produce.

pub mod draft;
pub mod edit;
pub mod group;
pub mod limits;
pub mod log;
pub mod mend;
pub mod opening;
pub mod pairs;
pub mod plan;
pub mod prune;
pub mod record;
pub mod recovery;
mod rule;
pub mod sound;
pub mod thought;
mod written;

//! What a conversation is cut by: groups, pairs, passes, edits.
//!
//! In: [`crate::message::Message`]s and a [`draft::Meter`] (what counts them). Out: a plan in the host's ids, totals, and a
//! report in which every removal has a rule, a reason, its tokens and a way back. The input is never changed. Start with [`prune`].
//!
//! - [`draft`]: the conversation under edit that all passes work on.
//! - [`group`]: rounds, requests, the frame.
//! - [`pairs`]: calls and results.
//! - [`prune`]: one request cut to its budget, for one request only.
//! - [`limits`], [`recovery`]: how much a request may have, and what is learned when it is refused.
//! - [`mend`]: the rules of the provider that a draft is for; `written`: which messages become one when they are written.
//! - [`edit`]: changes laid over a history, and the view they give.
//! - [`plan`]: what leaves the core.
//! - [`record`]: summaries of earlier compactions, and which of them are believed.
//! - [`opening`]: the record that another system left at the beginning, and its environment turn.
//! - [`log`]: everything that happened to a conversation, and the view it gives.

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
mod written;

//! Validity: what providers refuse, found before they are asked, and mended.
//!
//! In: [`Message`](crate::message::Message)s and the [`Provider`] they are meant for. Out: [`check`] lists what that provider would
//! refuse, by rule, message and part; [`repair`](repair()) gives a plan after which there is nothing left to list. A valid conversation
//! is left alone, byte for byte. Start with [`check`](check()).
//!
//! - [`rules`]: what each provider demands, as data; rules come from the providers' documentation and error texts.
//! - [`family`]: what single models or purposes demand besides, as data that hosts can add to.
//! - [`pairs`]: which result answers which call, the one walk that `history` uses too.
//! - [`check`](check()): the list of findings.
//! - [`repair`](repair()): the changes.
//!
//! [`thin`] is the form in which long conversations cross from JavaScript. What only the bytes on the wire show (signatures of thoughts, cache marks, empty call lists) is looked at in `js/validity`.

mod check;
pub mod family;
mod order;
pub mod pairs;
mod picture;
mod repair;
pub mod rules;
mod slot;
pub mod thin;

pub use check::{Finding, check};
pub use family::{Purpose, Row, Special};
pub use repair::{Change, Lost, Orphans, Pending, Repaired, Settings, repair};
pub use rules::Provider;

use crate::message::Tool;

/// What a conversation is meant for.
#[derive(Debug, Clone)]
pub struct Target {
    pub provider: Provider,
    /// True if the messages are that provider's own; then rules count that the edge would see to when it writes neutral ones (roles
    /// that alternate, results in one message).
    pub wire: bool,
    /// True for messages in the format of OpenAI Responses, in which each call is an item of its own.
    pub by_items: bool,
    /// True for formats in which the results of a call stand in the message of the assistant that made it.
    pub own_results: bool,
    /// The tools of the request, if they are known.
    pub tools: Option<Vec<Tool>>,
    /// Whether calls that may still be running are a finding.
    pub pending: bool,
    /// True if the host has sent messages with these ids, names and pictures before: they are no findings then, only
    /// what a cut can bring about is.
    pub trusts_host: bool,
    /// What model and purpose demand besides.
    pub special: Special,
}

impl Target {
    /// A provider's own messages, any model, tools not known.
    pub fn new(provider: Provider) -> Target {
        let special = Special::default();
        let by_items = provider == Provider::OpenAiResponses;
        Target {
            provider,
            wire: true,
            by_items,
            own_results: false,
            tools: None,
            pending: true,
            trusts_host: false,
            special,
        }
    }
}

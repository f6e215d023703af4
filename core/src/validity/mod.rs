//! Validity: finds what a provider would refuse before the request is sent, and repairs it.
//!
//! In: [`Message`](crate::message::Message)s and the [`Provider`] that receives them. Out: [`check`] lists what that
//! provider would refuse, by rule, message and part. [`repair`](repair()) returns a plan after which the list is empty.
//! A valid conversation stays the same, byte for byte. Start with [`check`](check()).
//!
//! - [`rules`]: the requirements of each provider, as data from the providers' documentation and error texts.
//! - [`family`]: additional requirements of single models or purposes, as data that hosts can add to.
//! - [`pairs`]: which result answers which call. `history` uses the same walk.
//! - [`check`](check()): the list of findings.
//! - [`repair`](repair()): the changes.
//!
//! `js/validity` checks what only the provider's own messages show: signatures of thoughts, cache marks, empty lists of
//! calls.

mod check;
pub mod family;
mod order;
pub mod pairs;
mod picture;
mod repair;
mod repair_calls;
pub mod rules;
mod slot;

pub use check::{Finding, check, is_blank, without_suffix};
pub use family::{Purpose, Row, Special};
pub use repair::{BRIDGE, Change, Lost, Orphans, Pending, Repaired, Settings, media_placeholder, repair};
pub use rules::Provider;

/// The provider that receives a conversation, and the conditions of the request.
#[derive(Debug, Clone, PartialEq)]
pub struct Target {
    pub provider: Provider,
    /// True if the messages are in that provider's own format. Then more rules apply: roles alternate, results are in
    /// one message. When `js/formats` writes neutral messages, it follows these rules itself.
    pub wire: bool,
    /// True for messages in the format of OpenAI Responses, in which each call is an item of its own.
    pub by_items: bool,
    /// True for formats in which the assistant message that makes a call also holds its results.
    pub own_results: bool,
    /// The names of the request's tools; `None` if they are not known.
    pub tools: Option<Vec<String>>,
    /// Whether calls that may still be running are reported.
    pub pending: bool,
    /// True if the host has sent messages with these ids, names and images before. They are not reported then, only
    /// what a cut can cause.
    pub trusts_host: bool,
    /// True for a stored conversation, which may end with the assistant: the user's next message is still to come.
    pub open_end: bool,
    /// Additional requirements of the model and the purpose.
    pub special: Special,
}

impl Target {
    /// Returns a target for messages in the provider's own format, for any model, with unknown tools.
    pub const fn new(provider: Provider) -> Target {
        let special = Special::NONE;
        let by_items = matches!(provider, Provider::OpenAiResponses);
        Target {
            provider,
            wire: true,
            by_items,
            own_results: false,
            tools: None,
            pending: true,
            trusts_host: false,
            open_end: false,
            special,
        }
    }

    /// Returns whether the provider accepts a tool with this name.
    pub(crate) fn takes_tool(&self, name: &str) -> bool {
        self.trusts_host && !name.is_empty() || self.provider.rules().tool_name.takes(name)
    }
}

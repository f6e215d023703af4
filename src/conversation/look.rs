//! How full the next request is.

use serde::{Deserialize, Serialize};

use super::Machine;
use super::window::ratio;
use crate::error::Result;
use crate::history::limits::Source;
use crate::history::log::Log;
use crate::history::plan::Totals;
use crate::history::prune::DropMedia;
use crate::tokens::Origin;

/// The parts of a request around the view.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Around {
    /// Tokens of content outside the view: a system prompt, or all of a prompt tree except the history.
    pub apart: i64,
    /// Tokens of the view that the request does not contain: results that its prompt tree cuts to their share.
    pub cut: i64,
    /// A number in [0, 1) that spreads the start of background compactions.
    pub draw: f64,
}

/// Tokens of the next request.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Usage {
    /// Max input tokens of a request, the base of ratios.
    pub limit: u64,
    pub limit_source: Source,
    /// Tokens of the view, as the provider is expected to count them, including the possible error `bound`.
    pub used: u64,
    /// The included error.
    pub bound: u64,
    pub origin: Origin,
    /// The expected tokens, `used` without `bound`, as a share of `limit`; triggers compare it. For profiles that use
    /// the server's counts, the server's last count (see `Profile.measured`).
    pub ratio: f64,
    pub messages: usize,
    pub frame: i64,
    pub conversation: i64,
    pub tools: u64,
}

/// The current state of the next request.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Look {
    pub usage: Usage,
    /// Maximum tokens of the request, by the provider's count.
    pub request: u64,
    /// Our tokens that are expected to be within `request`.
    pub budget: u64,
    /// Our tokens that are expected to be within the model's window, whatever the user's settings.
    pub window: u64,
    pub overflows: bool,
    /// True if it is full enough for a compaction to start.
    pub starts: bool,
    /// True if the provider has most of it in its cache.
    pub is_warm: bool,
    /// Number of messages in the view, by the profile's rule.
    pub counted: usize,
    /// True if nothing happened since a compaction was applied.
    pub is_compacted: bool,
    /// Set while a request is retried that the provider refused for its bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub drop_media: Option<DropMedia>,
}

impl Machine {
    /// Returns the state of the next request. `view` are the totals of its view, `origin` that of their counts.
    ///
    /// # Errors
    /// As [`Machine::limit`].
    pub fn look(&self, log: &Log, view: Totals, origin: Origin, around: Around) -> Result<Look> {
        let Around { apart, cut, draw } = around;
        let ours = u64::try_from(view.total as i64 + apart - cut).unwrap_or(0);
        let expected = self.expected(ours);
        let limit = self.limit(view.tools)?;
        let used = expected.tokens + expected.bound;
        // The limit includes the bound; triggers use the expected count.
        let reported = self.state.tried.reported.map(|reported| (reported.tokens, reported.sent));
        let ratio = ratio(self.profile.measured.of(expected.tokens, ours, reported), limit.limit);
        let is_warm = log.is_warm();
        Ok(Look {
            usage: Usage {
                limit: limit.limit,
                limit_source: limit.source,
                used,
                bound: expected.bound,
                origin: if origin == Origin::Estimate { origin } else { expected.origin },
                ratio,
                messages: view.messages,
                frame: view.frame as i64 + apart,
                conversation: (view.conversation as i64 - cut).max(0),
                tools: view.tools,
            },
            request: limit.request,
            budget: self.ours(limit.request),
            window: self.ours(self.window()),
            overflows: used > limit.request,
            starts: self.profile.starts(ratio, is_warm, || draw),
            is_warm,
            counted: self.counted(log),
            is_compacted: self.is_compacted(log)?,
            drop_media: self.state.tried.drop_media(),
        })
    }
}

//! Profiles: the constants and switches of a system as data, read by one engine.
//!
//! In: a name, or data that differs from a named profile. Out: [`Profile`]. Printing a profile, changing one field and
//! loading it back changes that behaviour only; an unknown field is refused by name.
//!
//! Sources: Copilot Chat's builds of June and July 2026 (extensions/copilot in microsoft/vscode), gemini-cli at commit
//! 29b3aa8, Copilot CLI's SDK types and changelog; `espalier` is ours. Bugs of those systems are not reproduced.
//!
//! - [`known`]: the four profiles. - [`load`]: reads a profile, and compares two. - The other modules: its fields, by
//!   subject.

mod begin;
pub mod known;
pub mod load;
mod old;
mod rung;
mod share;
mod summary;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

pub use begin::{Early, FailureRule, Fewest, HookRule, LimitRule, Measured, Start, Timeouts};
pub use known::{ALL, COPILOT_CHAT, COPILOT_CLI, ESPALIER, GEMINI_CLI};
pub use load::{Difference, explain};
pub use old::{Cap, Clear, Media, MediaPolicy, Protect, ReasoningPolicy};
pub use rung::Rung;
pub use share::{Gain, Share, Shares};
pub use summary::{Cut, CutAt, ForkRule, Form, Replacement, Summary, Verify};

/// The constants of one system. Shares are shares of the tokens for messages (without the frame), unless noted
/// otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Profile {
    pub name: Cow<'static, str>,
    pub limit: LimitRule,
    pub measured: Measured,
    pub start: Start,
    /// While a job runs, a request at or above this share of the limit waits for it; `None`: only one that does not
    /// fit.
    pub block: Option<f64>,
    /// A finished summary is applied at or above this share of the limit.
    pub apply_min: f64,
    /// What happens to a finished summary below that share.
    pub early: Early,
    pub min_messages: Fewest,
    /// Share of the limit, minus tools, that a request with tools may use.
    pub with_tools: f64,
    /// If true, compactions run beside the conversation; otherwise before the request.
    pub background: bool,
    /// If true, a change of the model cancels a running summary; otherwise it waits.
    pub cancels_on_switch: bool,
    /// The steps in order.
    pub ladder: Cow<'static, [Rung]>,
    pub shares: Shares,
    pub gain: Gain,
    pub protect: Protect,
    pub media: Media,
    pub cap: Cap,
    pub clear: Clear,
    pub cut: Cut,
    pub summary: Summary,
    pub replacement: Replacement,
    pub failure: FailureRule,
    pub hook: HookRule,
    pub timeouts_ms: Timeouts,
}

impl Default for Profile {
    fn default() -> Profile {
        ESPALIER.clone()
    }
}

impl Profile {
    /// Finds a profile by name.
    ///
    /// ```
    /// use espalier::compact::profile::Profile;
    /// assert_eq!(Profile::named("gemini-cli").unwrap().apply_min, 0.0);
    /// assert!(Profile::named("claude-code").is_none());
    /// ```
    pub fn named(name: &str) -> Option<&'static Profile> {
        ALL.into_iter().find(|profile| profile.name == name)
    }

    /// True if a background compaction starts at this ratio. `draw` returns a number in [0, 1) and is called only if it
    /// decides.
    ///
    /// ```
    /// use espalier::compact::profile::ESPALIER;
    /// assert!(ESPALIER.starts(0.80, true, || 0.5));
    /// assert!(!ESPALIER.starts(0.89, false, || unreachable!()));
    /// ```
    pub fn starts(&self, ratio: f64, warm: bool, draw: impl FnOnce() -> f64) -> bool {
        let Start { warm: line, spread, cold } = self.start;
        match warm {
            true if spread > 0.0 => ratio >= line + spread * draw(),
            true => ratio >= line,
            false => ratio >= cold,
        }
    }

    /// True if the ladder has this step.
    pub fn has(&self, rung: Rung) -> bool {
        self.ladder.contains(&rung)
    }
}

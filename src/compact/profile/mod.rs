//! Profiles: the constants and switches of a system as data, read by one engine.
//!
//! In: a name, or data that says what differs from a named profile. Out: [`Profile`]. Printing one, changing a field and loading it back
//! changes that behaviour only; a field that there is none of is refused by name.
//!
//! Sources: Copilot Chat's builds of June and July 2026 (extensions/copilot in microsoft/vscode), gemini-cli at commit 29b3aa8, Copilot CLI's
//! SDK types and changelog; `espalier` is ours. What those systems do by mistake is not reproduced.
//!
//! - [`known`]: the four profiles. - [`load`]: reading one, and telling two apart.

pub mod known;
pub mod load;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::effect::Shape;

pub use known::{ALL, COPILOT_CHAT, COPILOT_CLI, ESPALIER, GEMINI_CLI};
pub use load::{Difference, explain};

/// The constants of one system. Shares are of `A` (what messages may have beside the frame) unless they say otherwise.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Profile {
    pub name: Cow<'static, str>,
    pub limit: LimitRule,
    pub measured: Measured,
    pub start: Start,
    /// With a job running, a request at or above this share of the limit waits for it; `None`: only one that does not fit.
    pub block: Option<f64>,
    /// A finished summary is used at or above this share of the limit.
    pub apply_min: f64,
    /// What happens to it below that.
    pub early: Early,
    pub min_messages: Fewest,
    /// Share of the limit, tools taken off, that a request with tools may use.
    pub with_tools: f64,
    /// Runs beside the conversation; otherwise before the request.
    pub background: bool,
    /// A change of the model gives up the summary that is being made, or waits.
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
    pub timeouts: Timeouts,
}

/// How large a request may be, in tokens, beside what the host says of its model.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct LimitRule {
    /// What any model is taken to have, whatever its name; one that the host says takes less has less.
    pub window: Option<u64>,
    /// The limit of a model that nothing is known of, where there is no such window.
    pub fallback: Option<u64>,
    /// After a request was refused as too long: what is left free below the limit that was learned, as a share of it.
    pub retry_buffer: f64,
    /// The most that this grows to, doubling with every refusal.
    pub most_retry_buffer: f64,
}

/// How full a request is taken to be. What fits is counted, whatever this says.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Measured {
    /// What the request will have, tools included.
    Predicted,
    /// The same, and at least what the server counted of the newest request that it answered.
    AtLeastReported,
    /// What the server counted; the request where it counted nothing since the history was last replaced.
    Reported,
}

/// When a compaction starts by itself, as a share of the limit: with a warm cache at `warm + spread × r`, `r` in [0, 1) drawn by the host,
/// so that many conversations do not start at once; with a cold one at `cold`, since the summary request is then paid in full.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Start {
    pub warm: f64,
    pub spread: f64,
    pub cold: f64,
}

/// What becomes of a finished summary that is not needed yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Early {
    /// Kept: it was paid for.
    Parked,
    Dropped,
}

/// Fewest covered messages of an automatic compaction, and of one by hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fewest {
    pub automatic: usize,
    pub manual: usize,
}

/// One step of the ladder. Calls and results are paired before all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Rung {
    /// Results that newer messages repeat or outdate.
    Stale,
    /// Old pictures, documents and reasoning.
    Media,
    /// Results over what one, or all together, may have are cut in the middle.
    Cap,
    /// All old results and long arguments, in one batch.
    Clear,
    /// The model's summary.
    Summary,
    /// A summary by rules, without a model or when it failed.
    Offline,
    /// Older groups go, then the largest texts are shortened.
    Fit,
}

impl Rung {
    /// All there are.
    pub const ALL: [Rung; 7] =
        [Rung::Stale, Rung::Media, Rung::Cap, Rung::Clear, Rung::Summary, Rung::Offline, Rung::Fit];

    /// Finds one by its name.
    pub fn named(name: &str) -> Option<Rung> {
        Rung::ALL.into_iter().find(|rung| rung.as_str() == name)
    }

    /// The stable name, also of the step in the report.
    pub fn as_str(self) -> &'static str {
        match self {
            Rung::Stale => "stale",
            Rung::Media => "media",
            Rung::Cap => "cap",
            Rung::Clear => "clear",
            Rung::Summary => "summary",
            Rung::Offline => "offline",
            Rung::Fit => "fit",
        }
    }

    /// What it changed so many of, for people.
    pub(super) fn what(self, n: usize) -> &'static str {
        match (self, n) {
            (Rung::Stale, 1) => "result that a newer message repeats or outdates became a line",
            (Rung::Stale, _) => "results that newer messages repeat or outdate became a line each",
            (Rung::Media, 1) => "old picture, document or thought went",
            (Rung::Media, _) => "old pictures, documents and thoughts went",
            (Rung::Cap, 1) => "long result was cut in the middle",
            (Rung::Cap, _) => "long results were cut in the middle",
            (_, 1) => "old result or argument became a line",
            _ => "old results and arguments became a line each",
        }
    }
}

/// A share within bounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Share {
    pub of: f64,
    /// At least so many tokens.
    pub least: u64,
    /// At most so many tokens.
    pub most: Option<u64>,
}

impl Share {
    /// Tokens of a whole.
    ///
    /// ```
    /// use espalier::compact::profile::Share;
    /// let share = Share { of: 0.15, least: 0, most: Some(40_000) };
    /// assert_eq!((share.tokens(120_000), share.tokens(1_000_000)), (18_000, 40_000));
    /// ```
    pub fn tokens(&self, whole: u64) -> u64 {
        // A share of tenths is no exact binary fraction; what is meant to be whole stays whole.
        let share = (whole as f64 * self.of + 1e-6).floor() as u64;
        share.min(self.most.unwrap_or(u64::MAX)).max(self.least)
    }
}

/// How the tokens that messages may have are shared out.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Shares {
    /// A cheap step that gets here ends the ladder.
    pub relief: f64,
    /// What a summary aims for.
    pub target: f64,
    /// Newest messages that stay verbatim.
    pub keep_recent: Share,
    /// Older messages of the user, verbatim.
    pub users: Share,
    /// The rest of the record.
    pub ledger: Share,
    /// What the record may grow to so that every entry has a line of its own.
    pub entries: Share,
    /// Error lines that stay although their results are cleared.
    pub error_lines: Share,
    /// The model's text.
    pub summary: Share,
}

/// What a step must free to be worth the broken cache.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Gain {
    pub stale: Share,
    pub media: Share,
    pub cap: Share,
    pub clear: Share,
    pub summary: Share,
    /// And of the tokens that a summary stands for.
    pub covered: f64,
}

/// Results that no rule clears: the newest ones.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Protect {
    pub results: usize,
    pub rounds: usize,
    /// Those that have no more than this together.
    pub tokens: Share,
    /// All of the turn at hand.
    pub turn: bool,
}

/// What becomes of old media.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Media {
    /// Pictures and documents outside the tail.
    pub media: MediaPolicy,
    pub reasoning: ReasoningPolicy,
}

/// What becomes of old pictures and documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum MediaPolicy {
    Keep,
    /// A line in their place.
    Note,
}

/// Which reasoning goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReasoningPolicy {
    Keep,
    /// That of turns before the newest request: providers want the rest back.
    OlderTurns,
    /// All outside the tail.
    OutsideTail,
}

/// What results may have before they are cut in the middle, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Cap {
    /// All of them together, newest first; `None`: each counts by itself.
    pub all: Option<u64>,
    /// What is left of one that is cut.
    pub each: Option<u64>,
    /// The same as a share of the limit; the smaller of both counts.
    pub each_of_limit: Option<f64>,
}

impl Cap {
    /// What one result may have at this limit.
    pub fn of(&self, limit: u64) -> u64 {
        let share = self.each_of_limit.map(|of| (limit as f64 * of) as u64);
        self.each.unwrap_or(u64::MAX).min(share.unwrap_or(u64::MAX))
    }
}

/// How clearing is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Clear {
    /// Strings in arguments of more than 2,000 characters are cut to this.
    pub argument_characters: usize,
}

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

/// What a failure of the model leads to.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FailureRule {
    /// Requests to wait after one.
    pub requests: u64,
    /// Or new tokens, as a share.
    pub tokens: f64,
    /// New tokens after which a plan that gained nothing is looked at again.
    pub gain_tokens: f64,
    /// After one, no model is asked any more until a compaction succeeds; results are still cut.
    pub flag: bool,
}

/// What the host is told before and after.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct HookRule {
    /// Also where nothing comes of it.
    pub on_noop: bool,
    /// The trigger is told as `auto` or `manual`, nothing finer.
    pub two_triggers: bool,
    /// It may put off what can wait.
    pub veto: bool,
}

/// How long the host waits, in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Timeouts {
    /// For a running job, in front of a request.
    pub wait: u64,
    pub hook: u64,
    /// For one call of the model.
    pub model: u64,
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

    /// Whether a background compaction starts at this ratio. `draw` gives a number in [0, 1) and is asked only where it decides.
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

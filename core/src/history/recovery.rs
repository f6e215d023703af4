//! Decides what to do when a provider refuses a request, and learns from refusals and answers.
//!
//! In: a refusal with the numbers that its text named, or an answer with the usage that it reported. Out: a [`Next`]
//! step. Nothing is sent here: the host sends, reports the outcome, and asks again. [`Recovery`] outlives a request and
//! is plain data that can be stored. [`Tries`] belongs to one request, so that requests of one model may run in
//! parallel.
//!
//! - A limit that the provider names becomes the model's, until the host clears it. Named usage sets the scale: the
//!   provider's tokens for one of ours.
//! - Without a number the request shrinks by a buffer of 5 %, which doubles with each refusal to at most 25 %, and
//!   halves after ten answers.
//! - One report never lowers a limit. Two consecutive low reports that agree do, above a floor. A report that
//!   contradicts a limit raises it.
//! - Each retry has at least 5 % fewer tokens than the refused request, by our count. After three retries the error
//!   goes to the host.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::prune::DropMedia;

/// Maximum retries of one request.
pub const RETRIES: u32 = 3;
/// The first and the largest buffer, if the host's profile names none.
const BUFFER: (f64, f64) = (0.05, 0.25);
/// Maximum buffer that a profile may set.
const MOST_BUFFER: f64 = 0.9;
/// Smaller buffers are set to 0.
const NO_BUFFER: f64 = 0.005;
/// Consecutive answers after which the buffer halves.
const CALM: u32 = 10;
/// Maximum share of the refused tokens that a retry may have.
const PROGRESS: f64 = 0.95;
/// Maximum provider tokens for one of ours. A higher ratio comes from a misread number.
const MOST_SCALE: f64 = 10.0;
/// Minimum output reserve in tokens, because an answer needs some room.
pub const LEAST_OUTPUT: u64 = 1_024;
/// Assumed error of a prediction without a known bound, as a share: the error of a similar encoding.
const UNKNOWN_ERROR: f64 = 0.3;
/// Share and number of tokens by which a report may always be lower than predicted.
const SLACK: (f64, u64) = (0.05, 64);
/// The smallest limit that low reports can set: in tokens, and as a share of the stated window. Servers that truncate
/// keep thousands of tokens.
const FLOOR: (u64, f64) = (1_024, 0.01);
/// Relative difference below which two reports agree. Servers that drop whole messages do not stop at the same token
/// each time.
const AGREEMENT: f64 = 0.1;
/// Relative difference below which a report is assumed to count only the tokens added since the previous request.
const NEW_ONLY: f64 = 0.25;
/// Factor by which one report alone may raise the scale, or exceed a learned limit without removing it.
const CREEP: f64 = 1.1;

/// What was learned about all models. Plain data.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Recovery {
    /// By the model's name.
    pub models: BTreeMap<String, Learned>,
}

/// What was learned about one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Learned {
    /// Maximum input tokens by the provider's count, as the provider named it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// True if the limit was inferred from low reports. The provider did not name it.
    #[serde(skip_serializing_if = "is_false")]
    pub inferred: bool,
    /// The date on which the limit was named, in the host's format.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The provider's tokens for one of ours, at least 1.
    pub scale: f64,
    /// Share of the limit that is left free, 0 to 0.9.
    pub buffer: f64,
    /// Answers since the last refusal or halving.
    pub accepted: u32,
    /// The newest report, if it was odd. The next report may confirm it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
}

/// An odd report, which counts only if the next one agrees with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Doubt {
    pub reported: u64,
    /// Tokens of the request by our count.
    pub sent: u64,
}

impl Default for Learned {
    fn default() -> Learned {
        Learned { limit: None, inferred: false, date: None, scale: 1.0, buffer: 0.0, accepted: 0, doubt: None }
    }
}

/// The tries of one request. Plain data.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tries {
    pub model: String,
    /// The limit of the request if nothing was learned.
    pub base: u64,
    /// The limit of the next try, by our count.
    pub limit: u64,
    /// Retries so far.
    pub retries: u32,
    /// Media to remove even if the request fits.
    #[serde(default)]
    pub drop_media: DropMedia,
    /// Output tokens that the request asks for; absent if the host does not allow lowering them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_reserve: Option<u64>,
    /// Whether the output tokens were lowered already.
    #[serde(default)]
    pub output_lowered: bool,
}

impl Tries {
    /// Returns the next step after a refusal because of the requested output alone: a smaller input would not help.
    fn lower_output(&mut self, refusal: &Refusal) -> Next {
        let lower = |reserve: &u64| refusal.limit.unwrap_or(reserve / 2);
        let reserve =
            self.output_reserve.filter(|reserve| !self.output_lowered && (1..*reserve).contains(&lower(reserve)));
        let Some(reserve) = reserve.filter(|_| self.retries < RETRIES) else {
            return Next::PassOn { why: "the request asks for more output than the model can write" };
        };
        let output_reserve = Some(lower(&reserve));
        (self.retries, self.output_reserve, self.output_lowered) = (self.retries + 1, output_reserve, true);
        Next::Retry { limit: self.limit, drop_media: self.drop_media, output_reserve }
    }
}

/// Why a provider refused, as its adapter or the host understood it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    pub kind: Kind,
    /// Tokens that the provider counted, if it named them.
    #[serde(default)]
    pub used: Option<u64>,
    /// Maximum tokens of the provider, if it named them.
    #[serde(default)]
    pub limit: Option<u64>,
    /// Output tokens that the request asked for, if the provider named them. `limit` is then for input and output.
    #[serde(default)]
    pub output: Option<u64>,
    /// Tokens of input and output, if the provider named only their sum. `limit` is then for both.
    #[serde(default)]
    pub total: Option<u64>,
    /// Tokens of the refused request, by our count.
    pub sent: u64,
    /// Whether the request had pictures or documents that could be removed.
    #[serde(default)]
    pub has_media: bool,
    /// Buffers after refusals without a number: the first, and the maximum to which it doubles.
    #[serde(default)]
    pub buffer: Option<(f64, f64)>,
    /// The host's date, stored with a learned limit.
    #[serde(default)]
    pub date: Option<String>,
}

impl Refusal {
    /// Returns the output tokens that the request asked for, as far as the provider's numbers tell.
    fn output(&self) -> Option<u64> {
        self.output.or_else(|| Some(self.total?.saturating_sub(self.sent)))
    }
}

/// The classes of refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Too many input tokens.
    ContextLength,
    /// Too many tokens of input and output together.
    OutputReserve,
    /// More output tokens than the model can write; `limit` is their maximum.
    OutputLimit,
    /// Too many bytes.
    BodySize,
    /// Too many requests or tokens in a period.
    RateLimited,
    /// An error that a smaller request would not avoid.
    Other,
}

/// The next step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "action", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Next {
    /// Prune to `limit` tokens and send again.
    Retry {
        limit: u64,
        drop_media: DropMedia,
        /// Output tokens to ask for, if they were lowered.
        #[serde(skip_serializing_if = "Option::is_none")]
        output_reserve: Option<u64>,
    },
    /// Report the error to the host, with all tries.
    GiveUp { why: &'static str },
    /// Report the error to the host as it is, because no cut would help.
    PassOn { why: &'static str },
}

/// An accepted request with its answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Accepted {
    pub model: String,
    /// Tokens of the request by our count.
    pub sent: u64,
    /// Tokens of the prompt that the provider reported, cached ones included.
    #[serde(default)]
    pub reported: Option<u64>,
    /// The predicted report, and the bound of its error.
    #[serde(default)]
    pub predicted: Option<u64>,
    #[serde(default)]
    pub bound: Option<u64>,
    /// Tokens of the model's window.
    #[serde(default)]
    pub window: Option<u64>,
    #[serde(default)]
    pub date: Option<String>,
}

/// A report that does not match the request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SilentOverflow {
    pub kind: Silence,
    /// Reported tokens.
    pub reported: u64,
    /// Expected tokens, or the window that was exceeded.
    pub expected: u64,
    /// The limit of the model's next request, by the provider's count. Absent if nothing was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// How a mismatch was noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Silence {
    /// The report exceeds the window.
    OverWindow,
    /// Two consecutive reports are clearly lower than the request: the server cut it.
    Truncated,
    /// The report is clearly lower than the request, but nothing proves that the server cut it. Some servers report
    /// only uncached tokens.
    Odd,
}

impl Recovery {
    /// Returns how many tokens a request of `model` may have, by our count, if its limit were `base`.
    ///
    /// ```
    /// use espalier::history::recovery::{Learned, Recovery};
    /// let mut recovery = Recovery::default();
    /// assert_eq!(recovery.limit("m", 100_000), 100_000);
    /// recovery.models.insert("m".into(), Learned { limit: Some(50_000), buffer: 0.1, ..Learned::default() });
    /// assert_eq!(recovery.limit("m", 100_000), 45_000);
    /// ```
    pub fn limit(&self, model: &str, base: u64) -> u64 {
        let Some(learned) = self.models.get(model) else { return base };
        let limit = base.min(learned.limit.unwrap_or(u64::MAX));
        share(limit, (1.0 - learned.buffer()) / learned.scale())
    }

    /// Begins a request. `output_reserve` is the number of output tokens that it asks for, if they may be lowered.
    pub fn begin(&self, model: &str, base: u64, output_reserve: Option<u64>) -> Tries {
        Tries {
            model: model.to_string(),
            base,
            limit: self.limit(model, base),
            retries: 0,
            drop_media: DropMedia::None,
            output_reserve,
            output_lowered: false,
        }
    }

    /// Learns from a refusal and returns the next step. Prepares `tries` for the next try.
    pub fn refused(&mut self, tries: &mut Tries, refusal: &Refusal) -> Next {
        match refusal.kind {
            Kind::RateLimited => return Next::PassOn { why: "a smaller request would be refused as well, for now" },
            Kind::Other => return Next::PassOn { why: "the size of the request is not what is wrong" },
            Kind::OutputLimit => return tries.lower_output(refusal),
            Kind::ContextLength | Kind::OutputReserve | Kind::BodySize => {}
        }
        // A named limit applies to later requests, even if this one has no retries left.
        let Some(next) = self.shrunk(tries, refusal) else {
            return Next::PassOn { why: "the output that the request asks for exceeds the limit by itself" };
        };
        if tries.retries >= RETRIES {
            return Next::GiveUp { why: "it was refused after three retries" };
        }
        if next.limit == 0 {
            return Next::GiveUp { why: "nothing smaller could be sent" };
        }
        let output_reserve = next.output_reserve.filter(|_| next.output_lowered);
        *tries = Tries { retries: tries.retries + 1, ..next };
        Next::Retry { limit: tries.limit, drop_media: tries.drop_media, output_reserve }
    }

    /// Returns the tries after a refusal; `None` if no smaller input would be accepted.
    fn shrunk(&mut self, tries: &Tries, refusal: &Refusal) -> Option<Tries> {
        let mut next = tries.clone();
        let learned = self.models.entry(tries.model.clone()).or_default();
        learned.accepted = 0;
        if refusal.kind == Kind::BodySize && refusal.has_media && tries.drop_media != DropMedia::All {
            next.drop_media = if tries.drop_media == DropMedia::None { DropMedia::Old } else { DropMedia::All };
            return Some(next);
        }
        let mut named = refusal.limit.filter(|&limit| limit > 0 && refusal.kind != Kind::BodySize);
        let is_of_both = refusal.kind == Kind::OutputReserve || refusal.total.is_some();
        if let (true, Some(reserve), false) = (is_of_both, tries.output_reserve, tries.output_lowered) {
            let used = refusal.used.or(refusal.total.and(Some(refusal.sent)));
            let room = named.zip(used).map(|(limit, used)| limit.saturating_sub(used));
            let lower = room.unwrap_or(reserve / 2);
            if lower >= LEAST_OUTPUT && lower < reserve {
                next.output_reserve = Some(lower);
                next.output_lowered = true;
                return Some(next);
            }
        }
        let output = refusal.output().or(tries.output_reserve.filter(|_| refusal.kind == Kind::OutputReserve));
        if let (Some(limit), Some(output)) = (named, output) {
            // The provider named the limit of input and output together.
            named = Some(limit.checked_sub(output).filter(|&limit| limit > 0)?);
        }
        if let Some(limit) = named {
            (learned.limit, learned.inferred) = (Some(limit), false);
            learned.date.clone_from(&refusal.date);
        }
        if let Some(used) = refusal.used.filter(|_| refusal.kind != Kind::BodySize && refusal.sent > 0) {
            learned.scale = (used as f64 / refusal.sent as f64).clamp(1.0, MOST_SCALE);
        }
        let mut limit = self.limit(&tries.model, tries.base);
        if named.is_none() || limit >= refusal.sent {
            // No named number makes the request smaller.
            let learned = self.models.entry(tries.model.clone()).or_default();
            let (first, most) = refusal.buffer.unwrap_or(BUFFER);
            let next = if learned.buffer() == 0.0 { first } else { (learned.buffer() * 2.0).min(most) };
            learned.buffer = next.clamp(0.0, MOST_BUFFER);
            let buffer = learned.buffer();
            limit = self.limit(&tries.model, tries.base).min(share(refusal.sent, 1.0 - buffer));
        }
        next.limit = limit.min(share(refusal.sent, PROGRESS));
        Some(next)
    }

    /// Learns from an answer. Returns what is odd about its report.
    pub fn accepted(&mut self, answer: &Accepted) -> Option<SilentOverflow> {
        let learned = self.models.entry(answer.model.clone()).or_default();
        // Some servers report zero if they do not count.
        let reported = answer.reported.filter(|&reported| reported > 0);
        let silent = reported.and_then(|reported| learned.judge(answer, reported));
        match &silent {
            Some(silent) => {
                learned.accepted = 0;
                if let Some(limit) = silent.limit {
                    learned.inferred = silent.kind == Silence::Truncated;
                    learned.limit = Some(learned.limit.map_or(limit, |known| known.min(limit)));
                    learned.date.clone_from(&answer.date);
                }
            }
            None => {
                learned.accepted = learned.accepted.saturating_add(1);
                if learned.accepted >= CALM {
                    learned.accepted = 0;
                    learned.buffer = if learned.buffer() / 2.0 < NO_BUFFER { 0.0 } else { learned.buffer() / 2.0 };
                }
            }
        }
        if *learned == Learned::default() {
            self.models.remove(&answer.model);
        }
        silent
    }

    /// Forgets the limit of a model if it was only inferred from reports; returns whether it was.
    pub fn forget_inferred(&mut self, model: &str) -> bool {
        let Some(learned) = self.models.get_mut(model).filter(|learned| learned.inferred) else { return false };
        (learned.limit, learned.inferred, learned.doubt) = (None, false, None);
        if *learned == Learned::default() {
            self.models.remove(model);
        }
        true
    }

    /// Forgets what was learned about a model.
    pub fn clear(&mut self, model: &str) {
        self.models.remove(model);
    }
}

impl Learned {
    /// Returns the buffer, within its bounds: stored data may hold any number.
    fn buffer(&self) -> f64 {
        match self.buffer {
            buffer if buffer.is_nan() || buffer <= 0.0 || buffer.is_infinite() => 0.0,
            buffer if buffer > MOST_BUFFER => BUFFER.1,
            buffer => buffer,
        }
    }

    /// Compares a report with its request. Returns `None` if it is as expected.
    fn judge(&mut self, answer: &Accepted, reported: u64) -> Option<SilentOverflow> {
        let doubt = self.doubt.take();
        let now = Doubt { reported, sent: answer.sent };
        let odd = |kind, expected, limit| Some(SilentOverflow { kind, reported, expected, limit });
        if let Some(window) = answer.window.filter(|&window| window > 0 && reported > window) {
            self.rescale(now, doubt);
            return odd(Silence::OverWindow, window, Some(window));
        }
        let Some(predicted) = answer.predicted.filter(|&predicted| is_low(answer, reported, predicted)) else {
            if let Some(limit) = self.limit.filter(|&limit| reported > limit) {
                // The provider accepted more than the known limit.
                self.limit = (reported <= share(limit, CREEP)).then_some(reported);
                self.inferred &= self.limit.is_some();
            }
            if self.scale() > 1.0 {
                self.rescale(now, doubt);
            }
            return None;
        };
        // The server would not cut a request below the inferred limit, so the inference was wrong.
        if self.inferred && self.limit.is_some_and(|limit| predicted <= limit) {
            (self.limit, self.inferred) = (None, false);
        }
        let floor = FLOOR.0.max(share(answer.window.unwrap_or(0), FLOOR.1));
        if reported < floor {
            return odd(Silence::Odd, predicted, None);
        }
        let confirmed = doubt.filter(|doubt| {
            // If a server counts only new tokens, the second report is close to what was added since the first. If it
            // counts a part of the request, such as all but a cached system prompt, that part grows with the request;
            // what a server cuts to its limit does not.
            let added = answer.sent.saturating_sub(doubt.sent);
            let is_cut = reported.saturating_sub(doubt.reported) <= added / 2;
            is_cut && is_near(doubt.reported, reported, AGREEMENT) && !is_near(added, reported, NEW_ONLY)
        });
        self.doubt = Some(now);
        match confirmed {
            Some(doubt) => odd(Silence::Truncated, predicted, Some(doubt.reported.max(reported))),
            None => odd(Silence::Odd, predicted, None),
        }
    }

    /// Sets the scale from a complete report. One report alone cannot raise it by much.
    fn rescale(&mut self, now: Doubt, before: Option<Doubt>) {
        let ratio = |of: Doubt| (of.reported as f64 / of.sent.max(1) as f64).clamp(1.0, MOST_SCALE);
        let scale = ratio(now);
        let agrees = before.is_some_and(|before| (ratio(before) - scale).abs() <= AGREEMENT * scale);
        if scale <= self.scale() * CREEP || agrees {
            self.scale = scale;
        } else {
            self.doubt = Some(now);
        }
    }

    fn scale(&self) -> f64 {
        if self.scale.is_finite() { self.scale.clamp(1.0, MOST_SCALE) } else { 1.0 }
    }
}

/// Returns whether a report is too low to be explained by the error of the prediction.
fn is_low(answer: &Accepted, reported: u64, predicted: u64) -> bool {
    let bound = answer.bound.unwrap_or(share(predicted, UNKNOWN_ERROR));
    let margin = bound.max(share(predicted, SLACK.0)).max(SLACK.1);
    reported.saturating_add(margin) < predicted
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_near(a: u64, b: u64, within: f64) -> bool {
    a.abs_diff(b) <= share(a.max(b), within)
}

fn share(tokens: u64, share: f64) -> u64 {
    (tokens as f64 * share) as u64
}

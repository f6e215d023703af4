//! What to do when a provider refuses a request, and what is learned from that.
//!
//! In: what happened (a refusal and what its text named, or an answer and the usage it reported). Out: a [`Next`] step. Nothing is sent
//! here: the host sends, says what came of it, and asks again. [`Recovery`] outlives a request and is plain data that can be kept;
//! [`Tries`] belongs to one request, so that requests of one model may run side by side.
//!
//! - A named limit becomes the model's, until the host clears it. A named use says how many of the provider's tokens one of ours is.
//! - Without a number the request shrinks by a buffer of 5 %, which doubles with each refusal to at most 25 %, and halves after ten
//!   answers.
//! - One report never lowers a limit. Two low reports in a row that agree do, above a floor; a report that contradicts a limit raises it.
//! - Each retry has at least 5 % fewer tokens than what was refused, by our count; after three the error goes to the host.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::prune::DropMedia;

/// Retries of one request.
pub const RETRIES: u32 = 3;
/// The first buffer, and the largest, where the host's profile names none.
const BUFFER: (f64, f64) = (0.05, 0.25);
/// No profile leaves more free than this.
const MOST_BUFFER: f64 = 0.9;
/// A smaller buffer is none.
const NO_BUFFER: f64 = 0.005;
/// Answers in a row after which the buffer halves.
const CALM: u32 = 10;
/// What a retry may have of the tokens that were refused.
const PROGRESS: f64 = 0.95;
/// Most that one of our tokens can be of the provider's; whatever claims more is a misread number.
const MOST_SCALE: f64 = 10.0;
/// An answer needs some room: the output reserve is not lowered below this.
pub const LEAST_OUTPUT: u64 = 1_024;
/// Share of a prediction that may be wrong when nobody says how good it is: that of an encoding that stands in for the model's own.
const UNKNOWN_ERROR: f64 = 0.3;
/// Share and number of tokens by which a report may always be lower than predicted.
const SLACK: (f64, u64) = (0.05, 64);
/// The smallest limit that low reports can teach: tokens, and a share of the stated window. Servers that truncate keep thousands.
const FLOOR: (u64, f64) = (1_024, 0.01);
/// Relative difference below which two reports agree. Servers that drop whole messages do not stop at the same token each time.
const AGREEMENT: f64 = 0.1;
/// Relative difference below which a report is taken for the tokens that are new since the request before.
const NEW_ONLY: f64 = 0.25;
/// Factor by which one report alone may raise the scale, or exceed a learned limit without ending it.
const CREEP: f64 = 1.1;

/// What was learned of all models. Plain data.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Recovery {
    /// By the model's name.
    pub models: BTreeMap<String, Learned>,
}

/// What was learned of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Learned {
    /// Input tokens by the provider's count, as it named them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
    /// True if the limit was inferred from low reports. The provider did not name it.
    #[serde(skip_serializing_if = "is_false")]
    pub inferred: bool,
    /// When the limit was named; the host's words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// The provider's tokens for one of ours, 1 or more.
    pub scale: f64,
    /// Share of the limit that is left free, 0 to 0.9.
    pub buffer: f64,
    /// Answers since the last refusal or halving.
    pub accepted: u32,
    /// The newest report, if it was odd: the next one confirms it or does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doubt: Option<Doubt>,
}

/// A report that teaches nothing until the next one agrees with it.
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
    /// What the request may have if nothing was learned.
    pub base: u64,
    /// What the next try may have, by our count.
    pub limit: u64,
    /// Retries so far.
    pub retries: u32,
    /// Media that go whatever it costs.
    #[serde(default)]
    pub drop_media: DropMedia,
    /// Output tokens that are asked for; absent if the host does not let them be lowered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_reserve: Option<u64>,
    /// Whether they were lowered already.
    #[serde(default)]
    pub output_lowered: bool,
}

/// Why a provider refused, as its adapter or the host understood it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Refusal {
    pub kind: Kind,
    /// Tokens that the provider counted, if it named them.
    #[serde(default)]
    pub used: Option<u64>,
    /// Tokens that it takes, if it named them.
    #[serde(default)]
    pub limit: Option<u64>,
    /// Tokens that the refused request had, by our count.
    pub sent: u64,
    /// Whether it had pictures or documents that could still go.
    #[serde(default)]
    pub has_media: bool,
    /// Shares of the limit that are left free after a refusal without a number: the first, and the most that it doubles to.
    #[serde(default)]
    pub buffer: Option<(f64, f64)>,
    /// The host's date, kept with a limit that is learned.
    #[serde(default)]
    pub date: Option<String>,
}

/// The classes of refusals.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// Too many tokens.
    ContextLength,
    /// Too many together with what the answer may have.
    OutputReserve,
    /// Too many bytes.
    BodySize,
    /// Too many requests or tokens in a time.
    RateLimited,
    /// Something that no smaller request would mend.
    Other,
}

/// What to do now.
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
    /// The error goes to the host, with all tries.
    GiveUp { why: &'static str },
    /// The error goes to the host as it is: nothing that could be cut would help.
    PassOn { why: &'static str },
}

/// An answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Accepted {
    pub model: String,
    /// Tokens of the request by our count.
    pub sent: u64,
    /// Tokens of the prompt that the provider reported, cached ones included.
    #[serde(default)]
    pub reported: Option<u64>,
    /// What it was predicted to report, and by how much that may be wrong.
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

/// A report that does not go with what was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct SilentOverflow {
    pub kind: Silence,
    /// Tokens that it reported.
    pub reported: u64,
    /// Tokens that were expected, or the window that was exceeded.
    pub expected: u64,
    /// What the model's next request may have, by the provider's count. Absent if nothing was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// How it was noticed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Silence {
    /// More was reported than the window has.
    OverWindow,
    /// Clearly less was reported than was sent, twice in a row: the server cut it.
    Truncated,
    /// Clearly less was reported than was sent, and nothing proves that the server cut it. Some servers report uncached tokens only.
    Odd,
}

impl Recovery {
    /// What a request of `model` may have, by our count, if its limit were `base`.
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

    /// Begins a request. `output_reserve` are the output tokens it asks for, if they may be lowered.
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

    /// Takes in a refusal and says what to do. `tries` is ready for the next try then.
    pub fn refused(&mut self, tries: &mut Tries, refusal: &Refusal) -> Next {
        match refusal.kind {
            Kind::RateLimited => return Next::PassOn { why: "a smaller request would be refused as well, for now" },
            Kind::Other => return Next::PassOn { why: "the size of the request is not what is wrong" },
            Kind::ContextLength | Kind::OutputReserve | Kind::BodySize => {}
        }
        // What was said of the limit holds for later requests, also when this one has no retries left.
        let next = self.shrunk(tries, refusal);
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

    fn shrunk(&mut self, tries: &Tries, refusal: &Refusal) -> Tries {
        let mut next = tries.clone();
        let learned = self.models.entry(tries.model.clone()).or_default();
        learned.accepted = 0;
        if refusal.kind == Kind::BodySize && refusal.has_media && tries.drop_media != DropMedia::All {
            next.drop_media = if tries.drop_media == DropMedia::None { DropMedia::Old } else { DropMedia::All };
            return next;
        }
        let mut named = refusal.limit.filter(|&limit| limit > 0 && refusal.kind != Kind::BodySize);
        if refusal.kind == Kind::OutputReserve {
            if let (Some(reserve), false) = (tries.output_reserve, tries.output_lowered) {
                let room = named.zip(refusal.used).map(|(limit, used)| limit.saturating_sub(used));
                let lower = room.unwrap_or(reserve / 2);
                if lower >= LEAST_OUTPUT && lower < reserve {
                    next.output_reserve = Some(lower);
                    next.output_lowered = true;
                    return next;
                }
            }
            // The named limit is that of input and output together.
            named =
                named.map(|limit| limit.saturating_sub(tries.output_reserve.unwrap_or(0))).filter(|&limit| limit > 0);
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
            // Nothing that was named makes the request smaller.
            let learned = self.models.entry(tries.model.clone()).or_default();
            let (first, most) = refusal.buffer.unwrap_or(BUFFER);
            let next = if learned.buffer() == 0.0 { first } else { (learned.buffer() * 2.0).min(most) };
            learned.buffer = next.clamp(0.0, MOST_BUFFER);
            let buffer = learned.buffer();
            limit = self.limit(&tries.model, tries.base).min(share(refusal.sent, 1.0 - buffer));
        }
        next.limit = limit.min(share(refusal.sent, PROGRESS));
        next
    }

    /// Takes in an answer; returns what is odd about its report.
    pub fn accepted(&mut self, answer: &Accepted) -> Option<SilentOverflow> {
        let learned = self.models.entry(answer.model.clone()).or_default();
        // Some servers report nothing at all as zero.
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

    /// Forgets what was learned of a model.
    pub fn clear(&mut self, model: &str) {
        self.models.remove(model);
    }
}

impl Learned {
    /// Kept data may be anybody's.
    fn buffer(&self) -> f64 {
        match self.buffer {
            buffer if buffer.is_nan() || buffer <= 0.0 || buffer.is_infinite() => 0.0,
            buffer if buffer > MOST_BUFFER => BUFFER.1,
            buffer => buffer,
        }
    }

    /// What a report says of its request: nothing if it is as expected.
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
                // It read more than it was said to take.
                self.limit = (reported <= share(limit, CREEP)).then_some(reported);
                self.inferred &= self.limit.is_some();
            }
            if self.scale() > 1.0 {
                self.rescale(now, doubt);
            }
            return None;
        };
        // A server that cuts at the inferred limit has no reason to cut this request: the inference was wrong.
        if self.inferred && self.limit.is_some_and(|limit| predicted <= limit) {
            (self.limit, self.inferred) = (None, false);
        }
        let floor = FLOOR.0.max(share(answer.window.unwrap_or(0), FLOOR.1));
        if reported < floor {
            return odd(Silence::Odd, predicted, None);
        }
        let confirmed = doubt.filter(|doubt| {
            // Of a server that counts what is new only, the second report is what was added since the first.
            let added = answer.sent.saturating_sub(doubt.sent);
            is_near(doubt.reported, reported, AGREEMENT) && !is_near(added, reported, NEW_ONLY)
        });
        self.doubt = Some(now);
        match confirmed {
            Some(doubt) => odd(Silence::Truncated, predicted, Some(doubt.reported.max(reported))),
            None => odd(Silence::Odd, predicted, None),
        }
    }

    /// Takes the provider's tokens for one of ours from a whole report. One report alone cannot raise them by much.
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

/// Whether a report is lower than the error of its prediction explains.
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

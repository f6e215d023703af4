//! When a failed compaction may be tried again automatically: without this, a model that is down would be asked on
//! every turn.

use serde::{Deserialize, Serialize};

use super::flag::Flag;
use crate::compact::Status;
use crate::compact::profile::{ESPALIER, FailureRule};
use crate::history::edit::Author;

/// Maximum number of compactions that skip a failing model, as a power of two.
const MAX_REST: u32 = 3;

/// Failures of a conversation's compactions. Manual compactions ignore and do not update it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Backoff {
    /// The profile's rule; it is not part of the stored state.
    #[serde(skip)]
    rule: FailureRule,
    /// Failures of the model since it last wrote a summary that was used.
    failures: u32,
    /// Number of summaries that rules write before the model is asked again.
    rest: u32,
    last: Option<Mark>,
    /// A plan that freed too little.
    blocked: Option<(u64, Mark)>,
    /// Used by rules that have one.
    flag: Flag,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Mark {
    requests: u64,
    tokens: u64,
}

/// The current state of the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Now {
    /// Number of requests sent so far.
    pub requests: u64,
    /// Tokens of everything appended so far, including removed content.
    pub tokens: u64,
    /// Maximum tokens of messages.
    pub available: u64,
    /// Hash of the view, trigger class, profile and model: equal plans have equal gains. Below 2^53 if it crosses to
    /// JavaScript.
    pub fingerprint: u64,
}

/// The decision about another attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    Try,
    /// The model failed twice in a row and is skipped: rules alone write the summary.
    Offline,
    /// A summary was longer than the messages that it replaces, and the rule remembers that: results are cut, nothing
    /// is summarised.
    CutOnly,
    /// Too early.
    NotYet,
    /// The same plan gained nothing.
    Blocked,
}

impl Default for Backoff {
    fn default() -> Backoff {
        Backoff::new(ESPALIER.failure)
    }
}

impl Backoff {
    /// Returns a state without failures. `rule` is the profile's.
    pub fn new(rule: FailureRule) -> Backoff {
        Backoff { rule, failures: 0, rest: 0, last: None, blocked: None, flag: Flag::default() }
    }

    /// Returns the same failures under another rule.
    #[must_use]
    pub fn by_rule(self, rule: FailureRule) -> Backoff {
        Backoff { rule, ..self }
    }

    /// Decides whether an automatic compaction may start.
    pub fn may_try(&self, now: Now) -> Verdict {
        if self.rule.flag && !self.flag.may_ask(false) {
            return Verdict::CutOnly;
        }
        let same = |(fingerprint, mark): &(u64, Mark)| {
            *fingerprint == now.fingerprint && !grown(*mark, now, self.rule.gain_tokens)
        };
        if self.blocked.as_ref().is_some_and(same) {
            return Verdict::Blocked;
        }
        match self.last {
            _ if self.rest > 0 => Verdict::Offline,
            Some(mark) if now.requests < mark.requests + self.rule.requests && !grown(mark, now, self.rule.tokens) => {
                Verdict::NotYet
            }
            _ => Verdict::Try,
        }
    }

    /// Records the end of an automatic compaction, and the author of its summary. From the second consecutive failure
    /// on, one compaction skips the model, then two, four and at most eight.
    pub fn note(&mut self, status: Status, summary: Option<Author>, now: Now) {
        let mark = Mark { requests: now.requests, tokens: now.tokens };
        self.flag.note(status, summary.is_some(), false);
        match status {
            Status::ModelFailed
            | Status::Timeout
            | Status::EmptySummary
            | Status::NoSummaryTag
            | Status::ToolCallInstead
            | Status::QualityFailed => {
                self.failures = self.failures.saturating_add(1);
                self.rest = if self.failures < 2 { 0 } else { 1 << (self.failures - 2).min(MAX_REST) };
                self.last = Some(mark);
            }
            Status::Inflated | Status::NoGain => self.blocked = Some((now.fingerprint, mark)),
            // The conversation has room again.
            Status::Applied if self.failures == 0 || matches!(summary, Some(Author::Model | Author::User)) => {
                *self = Backoff { flag: self.flag, ..Backoff::new(self.rule) };
            }
            Status::Applied => {
                self.blocked = None;
                if summary.is_some() {
                    self.rest = self.rest.saturating_sub(1);
                    // The next attempt is a separate compaction, and not too early.
                    self.last = None;
                }
            }
            Status::Cancelled | Status::Unchanged | Status::NothingToCompact | Status::Skipped => {}
        }
    }

    /// Clears the flag when the conversation starts again or is reopened.
    pub fn reset_flag(&mut self) {
        self.flag.reset();
    }
}

fn grown(since: Mark, now: Now, share: f64) -> bool {
    now.tokens.saturating_sub(since.tokens) as f64 >= share * now.available as f64
}

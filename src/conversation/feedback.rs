//! Provider feedback: reported usage, or a refusal.

use serde::{Deserialize, Serialize};

use super::Machine;
use crate::error::Result;
use crate::history::prune::DropMedia;
use crate::history::recovery::{Accepted, Next, Refusal, Silence, SilentOverflow, Tries};
use crate::tokens::{Calibration, Origin, Prediction, Request};

/// Maximum share of the limit that reports may add to a request. Above it they belong to something else, such as a
/// session's total.
const MAX_OVERHEAD: f64 = 0.9;

/// The newest request under one model.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Tried {
    sent: Option<Sent>,
    /// The newest credible report.
    pub reported: Option<Reported>,
    /// Set while the same request is retried, smaller each time.
    pub tries: Option<Tries>,
    /// True if it was refused, so that the next request retries it.
    was_refused: bool,
    /// Number of messages of the log when it was prepared.
    originals: usize,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Sent {
    id: String,
    tokens: u64,
    predicted: Prediction,
}

/// The server's count of a request, and ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reported {
    pub tokens: u64,
    pub sent: u64,
}

/// A report that does not match its request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct OddUsage {
    pub why: Why,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<Silence>,
    pub reported: u64,
    pub expected: u64,
    /// Maximum tokens of the model's next request, by the provider's count. `None` if nothing was learned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// The kind of an odd report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Why {
    /// The provider did not read the whole request, or its count exceeds the window.
    Overflow,
    /// The report is far too low.
    Low,
    /// By its reports, even a request without messages would hardly fit.
    Overhead,
    /// Reports vary too much to predict the next one.
    Unsteady,
}

impl Tried {
    pub(super) fn drop_media(&self) -> Option<DropMedia> {
        let dropped = self.tries.as_ref().map(|tries| tries.drop_media);
        dropped.filter(|dropped| *dropped != DropMedia::None)
    }
}

impl Machine {
    /// Records a request of `tokens` by our count. `frame` changes when system text or tools do.
    pub fn sent(&mut self, id: String, tokens: u64, frame: String) {
        let predicted = self.predict(tokens);
        let tried = &mut self.state.tried;
        tried.sent = Some(Sent { id: id.clone(), tokens, predicted });
        if !tried.was_refused {
            tried.tries = None;
        }
        tried.was_refused = false;
        (self.state.newest, self.state.is_refused) = (tokens, false);
        let model = self.state.model.name.clone();
        if let Some(calibration) = self.calibration_mut() {
            calibration.sent(Request { id, model, frame, tokens });
        }
    }

    /// Records the server's count of the newest request, if the server manages the context by itself: it may read less
    /// than was sent.
    pub fn managed(&mut self, tokens: u64) {
        self.state.managed = Some(Reported { tokens, sent: self.state.newest });
    }

    /// Records the provider's count of the newest request. Returns a finding if the count is odd.
    ///
    /// # Errors
    /// As [`Machine::limit`].
    pub fn answered(&mut self, tokens: u64, date: &str) -> Result<Option<OddUsage>> {
        let Some(Sent { id, tokens: sent, predicted }) = self.state.tried.sent.clone() else { return Ok(None) };
        self.state.tried.tries = None;
        let silent = self.state.recovery.get_or_insert_default().accepted(&Accepted {
            model: self.state.model.name.clone(),
            sent,
            reported: Some(tokens),
            predicted: Some(predicted.tokens),
            bound: Some(predicted.bound),
            window: self.state.model.window,
            date: Some(date.to_owned()),
        });
        let odd = |why, SilentOverflow { kind, reported, expected, limit }| OddUsage {
            why,
            kind: Some(kind),
            reported,
            expected,
            limit,
        };
        match silent {
            Some(silent) if silent.limit.is_none() && tokens > 0 => return Ok(Some(odd(Why::Low, silent))),
            _ if tokens > 0 => self.state.tried.reported = Some(Reported { tokens, sent }),
            _ => {}
        }
        if let Some(silent) = silent {
            // The count of another text than the sent one says nothing about the provider's tokenizer. The limit is
            // lower now, and what earlier reports added may be all of it.
            self.drop_incredible()?;
            return Ok(Some(odd(Why::Overflow, silent)));
        }
        if let Some(calibration) = self.calibration_mut() {
            calibration.report(&id, tokens);
        }
        self.incredible(tokens, sent)
    }

    /// Drops a calibration that would leave no room for messages, and detects one that cannot predict.
    fn incredible(&mut self, reported: u64, sent: u64) -> Result<Option<OddUsage>> {
        let odd = |why| Some(OddUsage { why, kind: None, reported, expected: sent, limit: None });
        if self.drop_incredible()? {
            return Ok(odd(Why::Overhead));
        }
        let Some(calibration) = self.calibration() else { return Ok(None) };
        let Prediction { bound, origin, .. } = calibration.predict(sent);
        let is_unsteady = origin == Origin::Calibrated && Calibration::is_widest(bound, sent);
        Ok(if is_unsteady { odd(Why::Unsteady) } else { None })
    }

    /// Drops a calibration that would leave no room for messages; returns whether there was one.
    fn drop_incredible(&mut self) -> Result<bool> {
        let request = self.limit(0)?.request as f64;
        let is_incredible = self.predict(0).tokens as f64 > MAX_OVERHEAD * request;
        if is_incredible {
            self.state.calibrations.remove(&self.state.model.name);
        }
        Ok(is_incredible)
    }

    /// Records that the provider refused the newest request. Returns what to do.
    pub fn refused(&mut self, refusal: Refusal) -> Next {
        let base = self.base().0;
        let rule = self.profile.limit;
        let state = &mut self.state;
        state.managed = None;
        let Some(Sent { tokens: sent, .. }) = state.tried.sent else {
            return Next::PassOn { why: "no request was prepared" };
        };
        let recovery = state.recovery.get_or_insert_default();
        let name = &state.model.name;
        let tries = state.tried.tries.get_or_insert_with(|| recovery.begin(name, base, None));
        state.tried.was_refused = true;
        let buffer = Some((rule.retry_buffer, rule.max_retry_buffer));
        let next = recovery.refused(tries, &Refusal { sent, buffer, ..refusal });
        state.is_refused |= matches!(next, Next::Retry { .. });
        next
    }

    /// Ends the retries of a refused request if the host gave it up: there is a newer message.
    pub(super) fn go_on(&mut self, originals: usize) {
        let tried = &mut self.state.tried;
        if tried.originals != originals {
            (tried.tries, tried.was_refused, tried.originals) = (None, false, originals);
        }
    }

    /// Records that what must stay exceeds the limit. Ends the retries of a refused request, and forgets a limit that
    /// was only inferred: the provider answered larger requests. Returns whether the limit may be higher now.
    pub fn unfit(&mut self) -> bool {
        (self.state.tried.tries, self.state.tried.was_refused) = (None, false);
        let name = &self.state.model.name;
        self.state.recovery.as_mut().is_some_and(|recovery| recovery.forget_inferred(name))
    }

    /// Returns the calibration to change, unless there is nothing to learn.
    fn calibration_mut(&mut self) -> Option<&mut Calibration> {
        let name = &self.state.model.name;
        if name.is_empty() || self.state.settings.has_tokenizer {
            return None;
        }
        let fresh = || Calibration::new(name);
        Some(self.state.calibrations.entry(name.clone()).or_insert_with(fresh))
    }
}

//! The limit of a request: the model's own limit, what refusals taught, and the user's settings.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::feedback::Tried;
use super::window::{Sizes, threshold};
use super::{Machine, Reported};
use crate::compact::profile::LimitRule;
use crate::error::Result;
use crate::history::limits::{ASSUMED, Source};
use crate::tokens::{Calibration, Origin, Prediction};

/// The model of a request, as described by the host.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Model {
    /// Empty if it has none; then nothing is learned about its provider's counts.
    pub name: String,
    /// Maximum input tokens.
    pub limit: u64,
    pub source: Source,
    /// Tokens of its window according to the host, to detect reports that exceed it.
    pub window: Option<u64>,
    /// Input tokens of its default tier; 0 if it has only one.
    pub default_tier: u64,
    /// True if tokens above the default tier cost more.
    pub surcharge: bool,
}

impl Default for Model {
    fn default() -> Model {
        let (name, source) = (String::new(), Source::AssumedLimit);
        Model { name, limit: ASSUMED, source, window: None, default_tier: 0, surcharge: false }
    }
}

/// The user's settings.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// See [`threshold`].
    pub threshold: Option<f64>,
    /// In tokens.
    pub max_context_tokens: Option<f64>,
    /// Maximum tokens of a prompt tree's request; it replaces the limit of an unknown model.
    pub budget: Option<u64>,
    /// True to use the model's full window and not its default tier, if that costs no more.
    pub prefer_long: bool,
    /// True if the host counts with the model's own tokenizer: its counts need no calibration.
    pub has_tokenizer: bool,
}

/// Limits of a request, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The denominator of ratios.
    pub limit: u64,
    /// Maximum tokens of a request, tools included; less than `limit` in profiles with a safety factor.
    pub request: u64,
    pub source: Source,
}

impl Machine {
    /// Sets the model of the next request.
    pub fn set_model(&mut self, model: Model) {
        (self.state.model, self.state.tried, self.state.is_switched) = (model, Tried::default(), true);
    }

    /// Applies the user's settings, and discards the state of the newest request.
    ///
    /// # Errors
    /// [`Code::BadThreshold`](crate::error::Code::BadThreshold); then nothing changes.
    pub fn set(&mut self, settings: Settings) -> Result<()> {
        settings.threshold.map(|value| threshold(value, 0)).transpose()?;
        (self.state.settings, self.state.tried) = (settings, Tried::default());
        Ok(())
    }

    /// Returns the same machine under another model, without the state of the newest request.
    #[must_use]
    pub fn with_model(&self, model: Model) -> Machine {
        let mut other = self.clone();
        other.set_model(model);
        other
    }

    /// Returns the limits of a request with `tools` tokens of tool definitions.
    ///
    /// # Errors
    /// [`Code::BadThreshold`](crate::error::Code::BadThreshold), if the state was not checked by [`Machine::set`].
    pub fn limit(&self, tools: u64) -> Result<Limit> {
        let Settings { threshold, max_context_tokens, budget, prefer_long, .. } = self.state.settings;
        let (own, source) = self.base();
        let base = if source == Source::AssumedLimit { own.max(budget.unwrap_or(0)) } else { own };
        let tried = self.state.tried.tries.as_ref().map_or(base, |tries| tries.limit);
        let max = base.min(budget.unwrap_or(base)).min(self.learned(base)).min(tried);
        let Model { default_tier, surcharge, .. } = self.state.model;
        let sizes = Sizes { max, picked: max_context_tokens, default_tier: Some(default_tier), surcharge, prefer_long };
        let room = self.profile.request(sizes, threshold, tools)?;
        let is_picked = max_context_tokens.is_some_and(|size| size.is_finite() && size > 0.0);
        let source = if room.limit != max {
            match threshold {
                Some(value) if value > 0.0 => Source::Threshold,
                _ if is_picked => Source::MaxContextTokens,
                _ => Source::DefaultTier,
            }
        } else if max < base {
            if Some(max) == budget { Source::Budget } else { Source::Learned }
        } else {
            source
        };
        Ok(Limit { limit: room.limit, request: (room.messages + tools).min(room.limit), source })
    }

    /// Returns the maximum tokens of the model, whatever the user's settings.
    pub fn window(&self) -> u64 {
        self.learned(self.base().0)
    }

    /// Returns the model's own limit, or the profile's for an unknown model; never more than the profile's limit for
    /// all models.
    pub(super) fn base(&self) -> (u64, Source) {
        let Model { limit, source, .. } = self.state.model;
        let LimitRule { window, fallback, .. } = self.profile.limit;
        let own = if source == Source::AssumedLimit { fallback.or(window).unwrap_or(limit) } else { limit };
        (own.min(window.unwrap_or(own)), source)
    }

    /// Returns a limit after the refusals so far.
    fn learned(&self, base: u64) -> u64 {
        self.state.recovery.as_ref().map_or(base, |recovery| recovery.limit(&self.state.model.name, base))
    }

    /// Returns the calibration of the model's provider, unless there is nothing to learn.
    pub(super) fn calibration(&self) -> Option<Cow<'_, Calibration>> {
        let name = &self.state.model.name;
        if name.is_empty() || self.state.settings.has_tokenizer {
            return None;
        }
        let known = self.state.calibrations.get(name).map(Cow::Borrowed);
        Some(known.unwrap_or_else(|| Cow::Owned(Calibration::new(name))))
    }

    /// Predicts the provider's count for a number of our tokens.
    pub fn predict(&self, tokens: u64) -> Prediction {
        predict(self.calibration().as_deref(), tokens)
    }

    /// Returns the maximum number of our tokens that is expected to be within `theirs` of the provider's.
    pub fn ours(&self, theirs: u64) -> u64 {
        let calibration = self.calibration();
        let fits = |tokens: u64| {
            let predicted = predict(calibration.as_deref(), tokens);
            predicted.tokens.saturating_add(predicted.bound) <= theirs
        };
        if fits(theirs) {
            return theirs;
        }
        let (mut fit, mut not) = (0, theirs);
        while fit + 1 < not {
            let middle = fit + (not - fit) / 2;
            *(if fits(middle) { &mut fit } else { &mut not }) = middle;
        }
        fit
    }

    /// Predicts the provider's count of the next request, which is `ours` by our count.
    pub(super) fn expected(&self, ours: u64) -> Prediction {
        match self.state.managed {
            // The server clears by itself: its last count, plus the tokens added since.
            Some(Reported { tokens, sent }) => {
                let tokens = (tokens + ours).saturating_sub(sent);
                Prediction { tokens, bound: 0, origin: Origin::Calibrated }
            }
            None => self.predict(ours),
        }
    }
}

fn predict(calibration: Option<&Calibration>, tokens: u64) -> Prediction {
    // If the provider uses our tokenizer nothing is added: the thresholds leave enough headroom.
    let predicted = calibration.map(|calibration| calibration.predict(tokens));
    let exact = Prediction { tokens, bound: 0, origin: Origin::Exact };
    predicted.filter(|predicted| predicted.origin != Origin::Exact).unwrap_or(exact)
}

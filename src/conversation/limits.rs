//! What a request may have: the model's own limit, what refusals taught, what the user chose.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use super::feedback::Tried;
use super::window::{Sizes, threshold};
use super::{Machine, Reported};
use crate::compact::profile::LimitRule;
use crate::error::Result;
use crate::history::limits::ASSUMED;
use crate::tokens::{Calibration, Origin, Prediction};

/// The model of a request, as the host described it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Model {
    /// Empty if it has none; nothing is learned then of how its provider counts.
    pub name: String,
    /// Input tokens that it takes.
    pub limit: u64,
    pub source: Source,
    /// Tokens of its window as the host states them, to notice reports that exceed it.
    pub window: Option<u64>,
    /// Input tokens of its default tier; 0 if it has only one.
    pub default_tier: u64,
    /// More than the default tier costs more.
    pub surcharge: bool,
}

impl Default for Model {
    fn default() -> Model {
        let (name, source) = (String::new(), Source::AssumedLimit);
        Model { name, limit: ASSUMED, source, window: None, default_tier: 0, surcharge: false }
    }
}

/// What the user chose.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    /// See [`threshold`].
    pub threshold: Option<f64>,
    /// In tokens.
    pub context_size: Option<f64>,
    /// Tokens that a request of a prompt tree may have; it replaces the limit of a model about which nothing is known.
    pub budget: Option<u64>,
    /// All that the model takes rather than its default tier, if that costs no more.
    pub prefer_long: bool,
    /// The host counts with the model's own tokenizer: its counts need no calibration.
    pub has_tokenizer: bool,
}

/// Who set a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    Budget,
    MaxPromptTokens,
    ContextWindow,
    ModelName,
    AssumedLimit,
    Learned,
    Threshold,
    ContextSize,
    DefaultTier,
}

/// What a request may have, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// What ratios are of.
    pub limit: u64,
    /// What a request must not exceed, tools included; less than `limit` in profiles with a safety factor.
    pub request: u64,
    pub source: Source,
}

impl Machine {
    /// The next request is for this model.
    pub fn set_model(&mut self, model: Model) {
        (self.state.model, self.state.tried, self.state.is_switched) = (model, Tried::default(), true);
    }

    /// Takes over what the user chose. What was known of the newest request is forgotten.
    ///
    /// # Errors
    /// [`Code::BadThreshold`](crate::error::Code::BadThreshold); nothing has changed then.
    pub fn set(&mut self, settings: Settings) -> Result<()> {
        settings.threshold.map(|value| threshold(value, 0)).transpose()?;
        (self.state.settings, self.state.tried) = (settings, Tried::default());
        Ok(())
    }

    /// The same machine under another model; the newest request says nothing about it.
    #[must_use]
    pub fn with_model(&self, model: Model) -> Machine {
        let mut other = self.clone();
        other.set_model(model);
        other
    }

    /// What a request with `tools` tokens of tool definitions may have.
    ///
    /// # Errors
    /// [`Code::BadThreshold`](crate::error::Code::BadThreshold), of a state that [`Machine::set`] did not check.
    pub fn limit(&self, tools: u64) -> Result<Limit> {
        let Settings { threshold, context_size, budget, prefer_long, .. } = self.state.settings;
        let (own, source) = self.base();
        let base = if source == Source::AssumedLimit { own.max(budget.unwrap_or(0)) } else { own };
        let tried = self.state.tried.tries.as_ref().map_or(base, |tries| tries.limit);
        let max = base.min(budget.unwrap_or(base)).min(self.learned(base)).min(tried);
        let Model { default_tier, surcharge, .. } = self.state.model;
        let sizes = Sizes { max, picked: context_size, default_tier: Some(default_tier), surcharge, prefer_long };
        let room = self.profile.request(sizes, threshold, tools)?;
        let is_picked = context_size.is_some_and(|size| size.is_finite() && size > 0.0);
        let source = if room.limit != max {
            match threshold {
                Some(value) if value > 0.0 => Source::Threshold,
                _ if is_picked => Source::ContextSize,
                _ => Source::DefaultTier,
            }
        } else if max < base {
            if Some(max) == budget { Source::Budget } else { Source::Learned }
        } else {
            source
        };
        Ok(Limit { limit: room.limit, request: (room.messages + tools).min(room.limit), source })
    }

    /// Tokens that the model takes, whatever the user chose.
    pub fn window(&self) -> u64 {
        self.learned(self.base().0)
    }

    /// The model's own limit, or the profile's if nothing is known of the model; never more than the profile has for
    /// all models.
    pub(super) fn base(&self) -> (u64, Source) {
        let Model { limit, source, .. } = self.state.model;
        let LimitRule { window, fallback, .. } = self.profile.limit;
        let own = if source == Source::AssumedLimit { fallback.or(window).unwrap_or(limit) } else { limit };
        (own.min(window.unwrap_or(own)), source)
    }

    /// What refusals left of a limit.
    fn learned(&self, base: u64) -> u64 {
        self.state.recovery.as_ref().map_or(base, |recovery| recovery.limit(&self.state.model.name, base))
    }

    /// How the model's provider counts, unless there is nothing to learn about that.
    pub(super) fn calibration(&self) -> Option<Cow<'_, Calibration>> {
        let name = &self.state.model.name;
        if name.is_empty() || self.state.settings.has_tokenizer {
            return None;
        }
        let known = self.state.calibrations.get(name).map(Cow::Borrowed);
        Some(known.unwrap_or_else(|| Cow::Owned(Calibration::new(name))))
    }

    /// What the provider will count for so many of our tokens.
    pub fn predict(&self, tokens: u64) -> Prediction {
        predict(self.calibration().as_deref(), tokens)
    }

    /// The maximum of our tokens that are expected to be within so many of the provider's.
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

    /// What the provider will count of the next request, of which we count `ours`.
    pub(super) fn expected(&self, ours: u64) -> Prediction {
        match self.state.managed {
            // The server clears by itself: what it counted last, and what has come since.
            Some(Reported { tokens, sent }) => {
                let tokens = (tokens + ours).saturating_sub(sent);
                Prediction { tokens, bound: 0, origin: Origin::Calibrated }
            }
            None => self.predict(ours),
        }
    }
}

fn predict(calibration: Option<&Calibration>, tokens: u64) -> Prediction {
    // If the provider's tokenizer is ours nothing is added: the thresholds are headroom enough.
    let predicted = calibration.map(|calibration| calibration.predict(tokens));
    let exact = Prediction { tokens, bound: 0, origin: Origin::Exact };
    predicted.filter(|predicted| predicted.origin != Origin::Exact).unwrap_or(exact)
}

//! Decides how many input tokens a request may have, and reports the source of that limit.

use serde::{Deserialize, Serialize};

use crate::models::facts;

/// The limit if nothing else is known: the smallest window of the models in common use.
pub const ASSUMED: u64 = 128_000;

/// Default output tokens to leave free in a context window, but at most a quarter of it.
pub const OUTPUT_RESERVE: u64 = 4_096;

/// Known limits of a model, in tokens.
///
/// ```
/// use espalier::history::limits::{ModelLimits, Source, limit};
/// let model = ModelLimits { max_context_window_tokens: Some(200_000), output_reserve: Some(8_000), ..ModelLimits::default() };
/// let found = limit(None, &model);
/// assert_eq!((found.tokens, found.source), (192_000, Source::ContextWindow));
/// assert_eq!(limit(None, &ModelLimits::default()).source, Source::AssumedLimit);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct ModelLimits {
    /// Maximum input tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_prompt_tokens: Option<u64>,
    /// Maximum tokens of input and output together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_context_window_tokens: Option<u64>,
    /// Output tokens to leave free in the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_reserve: Option<u64>,
    /// The window of models with this name. Used if the host states neither of the first two limits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_window: Option<u64>,
    /// The maximum input of models with this name, if the answer does not share the window with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub named_input: Option<u64>,
}

impl ModelLimits {
    /// Adds what the table of models says of this name, unless the host states a limit.
    pub fn named(self, name: &str) -> ModelLimits {
        if self.is_stated() {
            return self;
        }
        let facts = facts(name);
        let named_input = facts.and_then(|facts| facts.max_prompt_tokens);
        ModelLimits { named_window: facts.and_then(|facts| facts.context_window), named_input, ..self }
    }

    /// Returns whether the host states a limit of the model.
    pub fn is_stated(&self) -> bool {
        self.max_prompt_tokens.or(self.max_context_window_tokens).is_some()
    }
}

/// A limit and its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Limit {
    /// Input tokens, tool definitions included.
    pub tokens: u64,
    pub source: Source,
}

/// The source of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// The caller.
    Budget,
    MaxPromptTokens,
    /// The window without the output reserve.
    ContextWindow,
    /// The window of models with this name, without the output reserve.
    ModelName,
    /// The default, [`ASSUMED`].
    AssumedLimit,
    // Only a conversation has these:
    /// What refusals taught.
    Learned,
    /// The user's share of the model's limit.
    Threshold,
    /// The user's number of tokens.
    MaxContextTokens,
    /// Input tokens of the model's default tier.
    DefaultTier,
}

/// Returns the limit of a request: the caller's, else the model's, else that of the model's name, else [`ASSUMED`].
pub fn limit(budget: Option<u64>, model: &ModelLimits) -> Limit {
    if let Some(tokens) = budget {
        return Limit { tokens, source: Source::Budget };
    }
    if let Some(tokens) = model.max_prompt_tokens {
        return Limit { tokens, source: Source::MaxPromptTokens };
    }
    let stated = model.max_context_window_tokens.map(|window| (window, Source::ContextWindow));
    match stated.or(model.named_window.map(|window| (window, Source::ModelName))) {
        Some((window, source)) => {
            let reserve = model.output_reserve.unwrap_or(OUTPUT_RESERVE.min(window / 4));
            let input = model.named_input.filter(|_| source == Source::ModelName);
            Limit { tokens: input.unwrap_or(window.saturating_sub(reserve)), source }
        }
        None => Limit { tokens: ASSUMED, source: Source::AssumedLimit },
    }
}

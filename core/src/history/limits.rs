//! How many input tokens a request may have, and who says so.

use serde::{Deserialize, Serialize};

/// What a request may have when nobody knows better: the smallest window of the models in common use.
pub const ASSUMED: u64 = 128_000;

/// Output tokens that are left free in a context window if the host does not say, but never more than a quarter of it.
pub const OUTPUT_RESERVE: u64 = 4_096;

/// What is known of a model. All in tokens.
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
    /// Input tokens that the model takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_prompt_tokens: Option<u64>,
    /// Input and output together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_context_window_tokens: Option<u64>,
    /// Output tokens to leave free in the window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_reserve: Option<u64>,
}

/// A limit and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Limit {
    /// Input tokens, tool definitions included.
    pub tokens: u64,
    pub source: Source,
}

/// Who said what the limit is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Source {
    /// The caller.
    Budget,
    MaxPromptTokens,
    /// The window without the output reserve.
    ContextWindow,
    /// Nobody: [`ASSUMED`].
    AssumedLimit,
}

/// The limit of a request: the caller's, else the model's, else [`ASSUMED`].
pub fn limit(budget: Option<u64>, model: &ModelLimits) -> Limit {
    if let Some(tokens) = budget {
        return Limit { tokens, source: Source::Budget };
    }
    if let Some(tokens) = model.max_prompt_tokens {
        return Limit { tokens, source: Source::MaxPromptTokens };
    }
    if let Some(window) = model.max_context_window_tokens {
        let reserve = model.output_reserve.unwrap_or(OUTPUT_RESERVE.min(window / 4));
        return Limit { tokens: window.saturating_sub(reserve), source: Source::ContextWindow };
    }
    Limit { tokens: ASSUMED, source: Source::AssumedLimit }
}

//! The shortest prefix that a provider caches.

/// Minimum tokens of a cached prefix, by a part of the model's name; the first row that matches applies. Sources:
/// Anthropic's caching guide and the tables of gateways in front of it, as of 2026.
const MINIMUMS: &[(&str, u64)] = &[
    ("claude-3-haiku", 2_048),
    ("claude-3-5-haiku", 2_048),
    ("claude-haiku-3", 2_048),
    ("claude-haiku", 4_096),
    ("claude-opus-4-1", 1_024),
    ("claude-opus-4.1", 1_024),
    ("claude-opus-4-20", 1_024),
    ("claude-opus-4-", 4_096),
    ("claude-opus-4.", 4_096),
    ("claude-sonnet-4-6", 2_048),
    ("claude-sonnet-4.6", 2_048),
];

/// The minimum of OpenAI and of most Anthropic models, assumed for all others.
const USUAL: u64 = 1_024;

/// Returns the minimum tokens (by the provider's count) of a prefix that is cached; a mark on a shorter prefix is
/// wasted.
///
/// ```
/// use espalier::cache::minimum_prefix;
/// assert_eq!(minimum_prefix("anthropic/claude-opus-4-5"), 4_096);
/// assert_eq!(minimum_prefix("claude-sonnet-4-5"), 1_024);
/// ```
pub fn minimum_prefix(model: &str) -> u64 {
    let model = model.to_ascii_lowercase();
    MINIMUMS.iter().find(|(part, _)| model.contains(part)).map_or(USUAL, |(_, tokens)| *tokens)
}

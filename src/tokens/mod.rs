//! Counting: encodings, exact counts, and what messages, tools and images cost.

/// Anything that can say how many tokens a text has. Must be pure: the same text always has the same count.
pub trait Tokenizer {
    /// Tokens of `text`, special-token text counted as ordinary text.
    fn count(&self, text: &str) -> u64;
}

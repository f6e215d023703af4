//! Options of a search, and facts about the workspace.

use espalier_core::error::{Code, Error, Result};
use serde::Deserialize;

/// The inputs of the decisions of [`super::Plan`].
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct PlanOptions {
    pub query: String,
    /// Number of files that can be found.
    pub files: usize,
    /// Estimated tokens of their texts; the exact number is known after reading them.
    pub tokens: u64,
    /// Number of chunks that have an embedding.
    pub vectors: usize,
    pub callbacks: Callbacks,
    /// Workspaces below both limits are returned whole; `None` for never.
    pub full_workspace: Option<WholeLimits>,
    /// Maximum tokens of the rendered hits.
    pub budget: u64,
    pub max_results: usize,
    /// Keeps lexical hits of at least best x (1 - max_spread); applied after `max_results`.
    pub max_spread: Option<f64>,
    /// Keeps embeddings of at least this share of the best similarity, unless a reranker ordered them.
    pub min_similarity_share: f64,
    pub combine: Combine,
    /// The constant of reciprocal rank fusion.
    pub rrf_k: f64,
    pub timeouts: Timeouts,
}

/// The callbacks that the host has.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Callbacks {
    pub remote: bool,
    pub embed: bool,
    pub keywords: bool,
    pub rerank: bool,
}

/// Exclusive limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
pub struct WholeLimits {
    pub files: usize,
    pub tokens: u64,
}

/// The way in which embeddings and words are combined.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Combine {
    /// Words are searched if the embeddings are late, fail or find nothing; the first success wins.
    #[default]
    Race,
    /// Both are searched at once and joined by reciprocal rank.
    Fuse,
}

/// Timeouts in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Timeouts {
    /// Time after which the local search begins beside the remote one.
    pub remote: u64,
    /// Time after which words are searched beside the embeddings.
    pub embeddings: u64,
    pub keywords: u64,
    pub rerank: u64,
    /// For reading the texts of all hits.
    pub read: u64,
}

impl Default for Timeouts {
    fn default() -> Timeouts {
        Timeouts { remote: 12_500, embeddings: 8_000, keywords: 8_000, rerank: 8_000, read: 8_000 }
    }
}

impl Default for PlanOptions {
    fn default() -> PlanOptions {
        PlanOptions {
            query: String::new(),
            files: 0,
            tokens: 0,
            vectors: 0,
            callbacks: Callbacks::default(),
            full_workspace: Some(WholeLimits { files: 100, tokens: 32_000 }),
            budget: 32_000,
            max_results: 128,
            max_spread: None,
            min_similarity_share: 0.65,
            combine: Combine::Race,
            rrf_k: crate::RRF_K,
            timeouts: Timeouts::default(),
        }
    }
}

impl PlanOptions {
    pub(super) fn check(&self) -> Result<()> {
        let is_share = |value: f64| (0.0..=1.0).contains(&value);
        let refuse = |path: &str, accepted: &str| {
            Err(Error::new(Code::BadOption, format!("{path} must be {accepted}")).at(format!("options.{path}")))
        };
        if self.max_results == 0 {
            return refuse("maxResults", "at least 1");
        }
        if self.max_spread.is_some_and(|spread| !is_share(spread)) {
            return refuse("maxSpread", "a number from 0 to 1");
        }
        if !is_share(self.min_similarity_share) {
            return refuse("minSimilarityShare", "a number from 0 to 1");
        }
        if !(self.rrf_k.is_finite() && self.rrf_k >= 0.0) {
            return refuse("rrfK", "a number of at least 0");
        }
        Ok(())
    }
}

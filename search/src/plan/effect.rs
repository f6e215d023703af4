//! The requests of a search to the host, and its answers.

use super::Outcome;
use espalier_core::tagged::needed;
use serde::{Deserialize, Serialize};

/// A numbered effect. Numbers count up from 0 within one search and are never reused.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ask {
    pub id: u32,
    pub effect: Effect,
}

/// A request to the host. Hits are numbers that the host assigns: one for each path and range.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Effect {
    /// Read all files. Answer: [`Answer::Whole`].
    ReadWorkspace,
    /// Run the remote search. Answer: [`Answer::Hits`], best first.
    Remote { query: String, max_results: usize },
    /// Embed the query and store the vector. Answer: [`Answer::Done`].
    Embed { query: String },
    /// Find the chunks nearest to the vector of that effect. Answer: [`Answer::Hits`], scored by similarity.
    Nearest { embedding: u32, max_results: usize },
    /// Ask a model for keywords. Answer: [`Answer::Keywords`].
    Keywords { query: String },
    /// Search the lexical index. Answer: [`Answer::Hits`], best first.
    Lexical { query: String, max_results: usize },
    /// Read the texts of hits and store them. Answer: [`Answer::Read`].
    Read { hits: Vec<u32> },
    /// Rerank hits. Answer: [`Answer::Order`].
    Rerank { query: String, hits: Vec<u32> },
}

/// A hit and its score.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Scored {
    pub hit: u32,
    /// If it is absent or not finite, only the order counts.
    #[serde(default)]
    pub score: Option<f64>,
}

/// A keyword with alternative spellings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Keyword {
    pub keyword: String,
    #[serde(default)]
    pub variations: Vec<String>,
}

/// The answer to an effect.
#[derive(Debug, Clone, PartialEq)]
pub enum Answer {
    /// All files, each a hit, and their tokens as rendered.
    Whole {
        hits: Vec<Scored>,
        tokens: u64,
    },
    Hits {
        hits: Vec<Scored>,
    },
    Keywords {
        keywords: Vec<Keyword>,
    },
    /// Positions among the hits of the effect, best first. Invalid positions are ignored.
    Order {
        order: Vec<i64>,
    },
    /// The hits whose text cannot be read.
    Read {
        missing: Vec<u32>,
    },
    Done,
    Failed {
        reason: String,
    },
    /// The host cancelled the effect.
    Cancelled,
}

espalier_core::tagged! {
    Answer {
        hits = "hits": Vec<Scored>,
        tokens = "tokens": u64,
        keywords = "keywords": Vec<Keyword>,
        order = "order": Vec<i64>,
        missing = "missing": Vec<u32>,
        reason = "reason": String,
    }
    "whole" [hits, tokens] => Answer::Whole { hits: needed(hits, "hits")?, tokens: needed(tokens, "tokens")? },
    "hits" [hits] => Answer::Hits { hits: needed(hits, "hits")? },
    "keywords" [keywords] => Answer::Keywords { keywords: needed(keywords, "keywords")? },
    "order" [order] => Answer::Order { order: needed(order, "order")? },
    "read" [missing] => Answer::Read { missing: missing.unwrap_or_default() },
    "done" [] => Answer::Done,
    "failed" [reason] => Answer::Failed { reason: needed(reason, "reason")? },
    "cancelled" [] => Answer::Cancelled,
}

/// The state of a search.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Step {
    /// Carry these effects out, and cancel running ones that are no longer in the list. Poll after each answer, and at
    /// `next_ms` if there is none before.
    Ask {
        effects: Vec<Ask>,
        #[serde(skip_serializing_if = "Option::is_none")]
        next_ms: Option<u64>,
    },
    /// The result. Cancel all running effects.
    Done { result: Outcome },
}

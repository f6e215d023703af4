//! Workspace search and the context of inline completions for JavaScript.
//!
//! In: files, queries, documents with a cursor. Out: hits, prefix, suffix and items, or a thrown error. Start
//! reading at `index` and `inline_context`.
//!
//! The crate is an engine of its own, which only a page that searches or completes loads. It links the engine that
//! counts, so that the same JavaScript loads vocabularies into it.

#![cfg(target_family = "wasm")]

mod index;
mod inline_context;
mod messages;
mod plan;

// This engine also has its exports.
pub use espalier_count as count;

//! Espalier fits any conversation into any context window.
//!
//! The map, from the ground up:
//!
//! - [`error`]: the one error type, with stable codes and paths.
//! - [`message`]: the conversation model into which every provider's format is read.
//! - [`tokens`]: encodings, exact counts, the costs of messages and tools.
//! - [`tool_result`]: long texts, cut to an exact number of tokens.
//! - [`validity`]: finds and repairs what providers refuse.
//! - [`cache`]: places cache marks; finds what two requests share; decides whether clearing pays.
//! - [`history`]: groups, call and result pairs, the passes that cut a request, edits over a history.
//! - [`compact`]: replaces older history by a summary.
//! - [`conversation`]: limits, provider feedback, jobs and triggers of one conversation.
//! - [`prompt`]: prompt trees, laid out, grown and pruned to a budget.
//! - [`document`]: source files, their structure, and their summaries.
//! - [`effect`]: the protocol by which an operation asks the host for what only the host can do.
//!
//! Nothing here waits, reads a clock, draws a random number or calls back: the same input gives the same output, byte
//! for byte, natively and in WebAssembly. Only `bindings` (compiled for wasm alone) knows JavaScript.

pub mod cache;
pub mod compact;
pub mod conversation;
pub mod document;
pub mod effect;
pub mod prompt;

// Compiled for speed: see `core/Cargo.toml`.
pub use espalier_core::{bits, error, fnv, history, map, message, models, rank, tagged, tokens, tool_result, validity};

#[cfg(target_family = "wasm")]
pub mod bindings;

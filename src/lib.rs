//! Espalier fits any conversation into any context window.
//!
//! The map, from the ground up:
//!
//! - [`error`]: the one error type, with stable codes and paths.
//! - [`message`]: the conversation model every provider's format is read into.
//! - [`tokens`]: encodings, exact counts, what messages and tools cost.
//! - [`history`]: what a conversation is cut by: groups, pairs, passes, edits.
//!
//! Nothing here waits, reads a clock, draws a random number or calls back: the same input gives the same output, byte for
//! byte, natively and in WebAssembly. Only `bindings` (compiled for wasm alone) knows JavaScript.

pub mod error;
pub mod history;
pub mod message;
pub mod tokens;

#[cfg(target_family = "wasm")]
mod bindings;

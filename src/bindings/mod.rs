//! The boundary: the only place that knows JavaScript.
//!
//! In: JavaScript values, decoded with the path of whatever is wrong. Out: plain objects, or a thrown `Error` with `name`,
//! `code`, `path` and `details`. Every function looks alike: decode, call, encode, map the error. More lines than that mean
//! that logic is in the wrong place. One file per folder of `src/`.

mod alloc;
pub mod cache;
mod changed;
pub mod compact;
pub mod conversation;
mod decode;
pub mod document;
mod error;
pub mod functions;
mod gauge;
mod grammar;
pub mod history;
mod host;
pub mod log;
mod options;
mod outline;
pub mod prompt;
pub mod quality;
mod read;
pub mod results;
mod summary;
mod tape;
pub mod tool_result;
pub mod validity;

/// Encodings and counts: a crate of its own, which is also the engine of `espalier/count`.
pub use espalier_count::tokens;

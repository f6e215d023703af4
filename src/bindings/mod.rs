//! The boundary: the only module that knows JavaScript.
//!
//! In: JavaScript values, decoded with the path of the wrong field. Out: plain objects or JSON text, or a thrown
//! `Error` with `name`, `code`, `path` and `details`. A function decodes its arguments, makes one call into the core,
//! and encodes the result; logic belongs in the core. Start reading at [`history`], which binds `prune`; `read` decodes
//! values, `decode` encodes results.

mod alloc;
pub mod cache;
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
pub mod models;
mod options;
pub mod prompt;
pub mod quality;
mod read;
pub mod results;
pub mod tool_result;
pub mod validity;

/// Encodings and counts: a separate crate, which is also the engine of `espalier/count`.
pub use espalier_count::tokens;

//! Shortens tool results.
//!
//! In: a text and a limit in tokens. Out: [`Truncated`]: head, marker and tail within the exact limit, cut at natural
//! boundaries, and a report of what is missing. Start reading at [`truncate()`], which runs all steps; each step has a
//! module:
//!
//! - [`clean`]: removes noise (escape sequences, progress bars, repeated lines).
//! - [`json`]: cuts JSON as JSON, read as a [`tape`].
//! - `envelope`: finds the output in the JSON that a host puts around it.
//! - [`middle`]: keeps head and tail of any text.
//! - [`seam`]: finds positions where a text may be cut.
//! - [`errors`]: selects lines to keep from the middle.
//! - [`words`]: the words by which such lines are recognised.
//! - [`heading`]: finds the line that says what other lines are part of.
//! - `hunks`: finds the lines of files in a diff, which stay as they are.
//! - [`compat`]: Copilot Chat's rule.
//! - [`budget`]: limits all results of a request together.
//! - [`schema`]: describes the shape of JSON.
//! - [`reduce`]: makes the output of known tools shorter without a limit.

pub mod budget;
pub mod clean;
pub mod compat;
mod envelope;
pub mod errors;
pub mod heading;
mod hunks;
pub mod json;
pub mod middle;
pub mod reduce;
pub mod schema;
pub mod seam;
pub mod tape;
mod truncate;
pub mod words;

pub use middle::{Marker, Shortened, shorten};
pub use truncate::{CutResult, Keep, Output, Rules, Truncated, cut_result, truncate};

/// Share of the head in the kept text; the rest is tail, because the newest output usually matters more.
pub const HEAD_SHARE: f64 = 0.4;

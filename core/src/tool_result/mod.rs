//! Results of tools, made short enough.
//!
//! In: a text and a limit in tokens. Out: [`Truncated`]: head, marker and tail within the limit exactly, cut where a reader would cut,
//! and an account of what is missing. [`truncate()`] is the whole way; its steps are rooms of their own:
//!
//! - [`clean`]: what nobody reads (escape sequences, progress bars, the same line again and again). - [`json`]: JSON stays JSON, read as a [`tape`].
//! - [`middle`]: head and tail of any text. - [`seam`]: where a text may be cut. - [`errors`]: lines worth keeping from between.
//! - [`compat`]: Copilot Chat's rule. - [`budget`]: what all results of a request may take together. - [`schema`]: what JSON looks like.

pub mod budget;
pub mod clean;
pub mod compat;
pub mod errors;
pub mod json;
pub mod middle;
pub mod schema;
pub mod seam;
pub mod tape;
mod truncate;

pub use middle::{Marker, Shortened, shorten};
pub use truncate::{Keep, Rules, Truncated, cut_result, truncate};

/// Share of what is kept that goes to the head; the rest is tail, since the newest output usually matters more.
pub const HEAD_SHARE: f64 = 0.4;

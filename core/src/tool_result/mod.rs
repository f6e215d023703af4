//! Tool results, made short enough.
//!
//! In: a text and a limit in tokens. Out: [`Truncated`]: head, marker and tail within the exact limit, cut where a
//! reader would cut, and an account of what is missing. Start with [`truncate()`], which runs all steps; each step has
//! a module:
//!
//! - [`clean`]: removes what nobody reads (escape sequences, progress bars, repeated lines). - [`json`]: cuts JSON as
//!   JSON, read as a [`tape`].
//! - [`middle`]: head and tail of any text. - [`seam`]: where a text may be cut. - [`errors`]: lines worth keeping from
//!   the middle.
//! - [`compat`]: Copilot Chat's rule. - [`budget`]: a limit for all results of a request. - [`schema`]: the shape of
//!   JSON.

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

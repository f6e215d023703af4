//! The part of Espalier that is compiled for speed: tokens, history, validity, results, documents.
//!
//! `espalier` re-exports all of it; names in examples are those of `espalier`.

#[cfg(feature = "whole")]
pub mod bits;
#[cfg(feature = "whole")]
pub mod document;
pub mod error;
pub mod fnv;
#[cfg(feature = "whole")]
pub mod history;
pub mod map;
pub mod message;
pub mod models;
pub mod rank;
pub mod tagged;
pub mod tokens;
#[cfg(feature = "whole")]
pub mod tool_result;
#[cfg(feature = "whole")]
pub mod validity;

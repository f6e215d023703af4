//! What is called a million times, and what it stands on. See `espalier`, which has all of this as its own.

#[cfg(feature = "whole")]
pub mod bits;
#[cfg(feature = "whole")]
pub mod document;
pub mod error;
#[cfg(feature = "whole")]
pub mod history;
pub mod map;
pub mod message;
pub mod rank;
pub mod tagged;
pub mod tokens;
#[cfg(feature = "whole")]
pub mod tool_result;
#[cfg(feature = "whole")]
pub mod validity;

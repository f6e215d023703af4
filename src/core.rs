//! What is called a million times, and what it stands on. See `espalier`, which has all of this as its own.

pub mod bits;
pub mod document;
pub mod error;
pub mod history;
pub mod map;
pub mod message;
pub mod rank;
pub mod tagged;
pub mod tokens;
pub mod tool_result;
pub mod validity;

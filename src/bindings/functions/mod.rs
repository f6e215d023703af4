//! `espalier/core`: `render`, `prune` and `compact` as functions of the wasm itself, for hosts without the package's
//! JavaScript.
//!
//! In: messages of the neutral model, or a prompt tree as JSON; options by the names that the package's functions
//! have; callbacks of the host. Out: what the package's functions return for the same input, byte for byte. Start at
//! [`compact`], which is the longest.

mod callbacks;
pub mod compact;
mod history;
mod options;
mod plain;
pub mod prune;
pub mod render;
mod tree;
mod value;
mod wait;

use wasm_bindgen::prelude::*;

/// The types of options, results and callbacks, most of which are the package's own.
#[wasm_bindgen(typescript_custom_section)]
const TYPES: &'static str = include_str!("types.d.ts");

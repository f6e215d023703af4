//! `espalier/core`: `render`, `prune` and `compact` as functions of the wasm itself, for hosts without the package's
//! JavaScript.
//!
//! In: messages of the neutral model, or a prompt tree as JSON; options with the names of the package's functions;
//! callbacks of the host. Out: the result of the package's functions for the same input, byte for byte. Start reading
//! at [`compact`], the longest.

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

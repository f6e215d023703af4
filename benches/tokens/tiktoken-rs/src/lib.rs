//! A typical use of tiktoken-rs without changes.

use wasm_bindgen::prelude::*;

/// Returns the tokens of `text` in o200k_base.
#[wasm_bindgen]
pub fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

//! What somebody would do who takes tiktoken-rs as it is.

use wasm_bindgen::prelude::*;

/// Tokens of `text` in o200k_base.
#[wasm_bindgen]
pub fn count(text: &str) -> usize {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len()
}

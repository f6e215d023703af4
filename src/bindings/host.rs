//! A tokenizer of the host: a JavaScript function from a text to its number of tokens.
//!
//! JavaScript wraps the function (`js/tokens/host-tokenizer.ts`): the wrapper never throws, returns whole numbers, and
//! caches counts.

use js_sys::Function;
use wasm_bindgen::prelude::*;

use crate::tokens::Tokenizer;

/// Counts with the host's function.
#[derive(Debug, Clone)]
pub struct HostTokenizer(pub Function);

impl Tokenizer for HostTokenizer {
    fn count(&self, text: &str) -> u64 {
        let tokens = self.0.call1(&JsValue::UNDEFINED, &text.into());
        tokens.ok().and_then(|tokens| tokens.as_f64()).unwrap_or_default() as u64
    }
}

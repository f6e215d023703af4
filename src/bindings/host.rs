//! A tokenizer of the host: a JavaScript function from a text to its number of tokens.
//!
//! JavaScript wraps the function (`js/tokens/host-tokenizer.ts`): the wrapper never throws, returns whole numbers, and
//! caches counts.

use std::cell::RefCell;

use js_sys::Function;
use serde::de::{Deserialize, Deserializer, Error, Visitor};
use wasm_bindgen::prelude::*;

use crate::tokens::Tokenizer;

/// The name by which [`super::read`] recognises that a value is requested unchanged.
pub(super) const FUNCTION: &str = "a function of JavaScript";

thread_local! {
    /// Passes a function through serde, which only supports data.
    static PASSED: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// Passes a function to the visitor of [`HostTokenizer`]. Returns false if `value` is not a function.
pub(super) fn pass(value: &JsValue) -> bool {
    let function = value.dyn_ref::<Function>().cloned();
    let is = function.is_some();
    PASSED.set(function);
    is
}

/// Counts with the host's function.
#[derive(Debug, Clone)]
pub struct HostTokenizer(Function);

impl Tokenizer for HostTokenizer {
    fn count(&self, text: &str) -> u64 {
        let tokens = self.0.call1(&JsValue::UNDEFINED, &text.into());
        tokens.ok().and_then(|tokens| tokens.as_f64()).unwrap_or_default() as u64
    }
}

impl<'de> Deserialize<'de> for HostTokenizer {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<HostTokenizer, D::Error> {
        struct Passed;
        impl Visitor<'_> for Passed {
            type Value = HostTokenizer;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a function")
            }

            fn visit_unit<E: Error>(self) -> Result<HostTokenizer, E> {
                PASSED.take().map(HostTokenizer).ok_or_else(|| E::custom("this is not a function"))
            }
        }
        deserializer.deserialize_newtype_struct(FUNCTION, Passed)
    }
}

//! What is known of models by their names.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::decode::into_js;
use super::error::JsResult;
use crate::models::{Facts, facts, source};

#[derive(Serialize)]
struct Known {
    #[serde(flatten)]
    facts: Facts,
    source: &'static str,
}

/// Returns the window and the prices of a model, see [`crate::models::facts`]; `undefined` for an unknown name.
#[wasm_bindgen(js_name = modelFacts)]
pub fn model_facts(name: &str) -> JsResult {
    into_js(&facts(name).map(|facts| Known { facts, source: source() }))
}

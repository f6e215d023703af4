//! Errors as JavaScript objects.

use espalier_count::error::put;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::error::Error;

/// Returns a JavaScript `Error` named `EspalierError` with the `code`, and with `path` and `details` if the error has
/// them.
pub fn to_js(mut error: Error) -> JsValue {
    let budget = error.budget.take();
    let js = espalier_count::error::to_js(error);
    if let Some(Ok(details)) = budget.map(|budget| budget.serialize(&super::decode::serializer())) {
        put(&js, "details", details);
    }
    js
}

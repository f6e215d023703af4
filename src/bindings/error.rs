//! Errors as JavaScript objects.

use espalier_count::error::put;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::error::Error;

/// The result of an exported function.
pub type JsResult<T = JsValue> = Result<T, Thrown>;

/// A value to throw: an error of the core as in [`to_js`], or any value that the host threw.
#[derive(Debug, PartialEq)]
pub struct Thrown(JsValue);

impl From<Error> for Thrown {
    #[cold]
    #[inline(never)]
    fn from(error: Error) -> Thrown {
        Thrown(to_js(error))
    }
}

impl From<JsValue> for Thrown {
    fn from(value: JsValue) -> Thrown {
        Thrown(value)
    }
}

impl From<Thrown> for JsValue {
    fn from(thrown: Thrown) -> JsValue {
        thrown.0
    }
}

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

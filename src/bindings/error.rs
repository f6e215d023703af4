//! Errors on their way out.

use js_sys::Reflect;
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::error::Error;

/// A JavaScript `Error` named `EspalierError` with `code`, and `path` and `details` where there are any.
pub fn to_js(error: Error) -> JsValue {
    let js = js_sys::Error::new(&error.to_string());
    js.set_name("EspalierError");
    put(&js, "code", error.code.as_str().into());
    if let Some(path) = &error.path {
        put(&js, "path", path.into());
    }
    if let Some(budget) = &error.budget
        && let Ok(details) = budget.serialize(&super::decode::serializer())
    {
        put(&js, "details", details);
    }
    js.into()
}

fn put(error: &js_sys::Error, key: &str, value: JsValue) {
    // Setting a property on an object that was just made cannot fail; were it to, the error itself still arrives.
    let _ = Reflect::set(error, &key.into(), &value);
}

//! Errors as JavaScript objects.

use js_sys::Reflect;
use wasm_bindgen::prelude::*;

use espalier_core::error::Error;

/// Returns a JavaScript `Error` named `EspalierError` with the `code`, and with the `path` if the error has one.
pub fn to_js(error: Error) -> JsValue {
    let js = js_sys::Error::new(&error.to_string());
    js.set_name("EspalierError");
    put(&js, "code", error.code.as_str().into());
    if let Some(path) = error.path {
        put(&js, "path", path.into());
    }
    js.into()
}

/// Sets a property of a newly made object, which cannot fail.
pub fn put(object: &JsValue, key: &str, value: JsValue) {
    let _ = Reflect::set(object, &key.into(), &value);
}

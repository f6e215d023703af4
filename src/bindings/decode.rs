//! Decoding and encoding of values.

use js_sys::{Array, JSON};
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

use super::error::JsResult;
use super::read::{Wrong, read};
use crate::error::{Code, Error, Result};

/// Decodes `value`; an error names the field as `root.path.to[3].field`.
pub fn from_js<T: DeserializeOwned>(value: JsValue, root: &str, code: Code) -> Result<T> {
    read(value).map_err(|wrong| error(wrong, root, code))
}

/// Decodes options.
pub fn options_from_js<T: DeserializeOwned>(value: &JsValue) -> Result<T> {
    from_js(value.clone(), "options", Code::BadOption)
}

/// Decodes one item of a list; `None` after its end.
pub fn item_from_js<T: DeserializeOwned>(list: &Array, at: u32, root: &str, code: Code) -> Result<Option<T>> {
    if at >= list.length() {
        return Ok(None);
    }
    from_js(list.get(at), &format!("{root}[{at}]"), code).map(Some)
}

/// Decodes JSON text, as [`from_js`] does values.
pub fn from_json<T: DeserializeOwned>(text: &str, root: &str, code: Code) -> Result<T> {
    from_js(JSON::parse(text).map_err(|_| Error::new(code, "this is not JSON").at(root))?, root, code)
}

fn error(wrong: Wrong, root: &str, code: Code) -> Error {
    let (message, path) = wrong.under(root).into_parts();
    Error::new(code, message).at(path)
}

/// Encodes a result as plain objects and arrays; `None` becomes an absent field or `undefined`.
pub fn into_js<T: Serialize>(value: &T) -> JsResult {
    Ok(value.serialize(&serializer()).map_err(|error| Error::new(Code::BadInput, error.to_string()))?)
}

/// Encodes a report with a row for each message as JSON text, which JavaScript parses: that takes half the time of
/// objects that are made field by field.
pub fn into_parsed<T: Serialize>(value: &T) -> JsResult {
    Ok(JSON::parse(&into_json(value)?)?)
}

/// Encodes a result as JSON text.
pub fn into_json<T: Serialize>(value: &T) -> JsResult<String> {
    Ok(serde_json::to_string(value).map_err(|error| Error::new(Code::BadInput, error.to_string()))?)
}

/// Returns the one serializer: maps become objects, and whole numbers up to 2^53 become numbers.
pub fn serializer() -> serde_wasm_bindgen::Serializer {
    serde_wasm_bindgen::Serializer::new().serialize_maps_as_objects(true).serialize_missing_as_null(false)
}

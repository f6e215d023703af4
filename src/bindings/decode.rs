//! Values on their way in and out.

use js_sys::Array;
use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

use super::error::to_js;
use crate::error::{Code, Error};

/// Decodes `value`; an error names the field as `root.path.to[3].field`.
pub fn from_js<T: DeserializeOwned>(value: JsValue, root: &str, code: Code) -> Result<T, JsValue> {
    decode(value, code, &|path| match path {
        "." => root.to_string(),
        p if p.starts_with('[') => format!("{root}{p}"),
        p => format!("{root}.{p}"),
    })
}

/// Decodes one item of a list, by the code that decodes whole lists of them; nothing behind its end.
pub fn item_from_js<T: DeserializeOwned>(list: &Array, at: u32, root: &str, code: Code) -> Result<Option<T>, JsValue> {
    if at >= list.length() {
        return Ok(None);
    }
    let only = Array::of1(&list.get(at));
    let items: Vec<T> =
        decode(only.into(), code, &|path| format!("{root}[{at}]{}", path.strip_prefix("[0]").unwrap_or_default()))?;
    Ok(items.into_iter().next())
}

fn decode<T: DeserializeOwned>(value: JsValue, code: Code, path: &dyn Fn(&str) -> String) -> Result<T, JsValue> {
    let deserializer = serde_wasm_bindgen::Deserializer::from(value);
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let path = path(&error.path().to_string());
        to_js(Error::new(code, error.into_inner().to_string()).at(path))
    })
}

/// Encodes a result as plain objects and arrays; `None` becomes an absent field or `undefined`.
pub fn into_js<T: Serialize>(value: &T) -> Result<JsValue, JsValue> {
    value.serialize(&serializer()).map_err(|error| to_js(Error::new(Code::BadInput, error.to_string())))
}

/// The one serializer: maps as objects, and whole numbers up to 2^53 as numbers.
pub fn serializer() -> serde_wasm_bindgen::Serializer {
    serde_wasm_bindgen::Serializer::new().serialize_maps_as_objects(true).serialize_missing_as_null(false)
}

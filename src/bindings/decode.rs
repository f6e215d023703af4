//! Values on their way in and out.

use serde::Serialize;
use serde::de::DeserializeOwned;
use wasm_bindgen::prelude::*;

use super::error::to_js;
use crate::error::{Code, Error};

/// Decodes `value`; an error names the field as `root.path.to[3].field`.
pub fn from_js<T: DeserializeOwned>(value: JsValue, root: &str, code: Code) -> Result<T, JsValue> {
    let deserializer = serde_wasm_bindgen::Deserializer::from(value);
    serde_path_to_error::deserialize(deserializer).map_err(|error| {
        let path = error.path().to_string();
        let path = match path.as_str() {
            "." => root.to_string(),
            p if p.starts_with('[') => format!("{root}{p}"),
            p => format!("{root}.{p}"),
        };
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

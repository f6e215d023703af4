//! Plain objects for JavaScript, property by property. A serializer would be many times as much code where objects are few.

use js_sys::{Object, Reflect};
use wasm_bindgen::prelude::*;

/// A plain object in the making.
pub(super) struct Plain(Object);

impl Plain {
    pub fn new() -> Plain {
        Plain(Object::new())
    }

    /// Adds a property, in the order of the calls.
    #[inline(always)]
    pub fn with(self, key: &str, value: impl Into<JsValue>) -> Plain {
        set(&self.0, key, value.into());
        self
    }
}

impl From<Plain> for JsValue {
    fn from(plain: Plain) -> JsValue {
        plain.0.into()
    }
}

/// Sets a property of an object of ours, which cannot fail: what nobody else has seen is neither frozen nor a proxy. Once for all, as every
/// value has to be dropped.
#[inline(never)]
pub(super) fn set(object: &Object, key: &str, value: JsValue) {
    let _ = Reflect::set(object, &key.into(), &value);
}

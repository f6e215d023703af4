//! Functions of the host that counting calls: a tokenizer, and one that tells the sizes of pictures.
//!
//! JavaScript wraps them (`js/tokens/host-tokenizer.ts`, `js/tokens/host-image-size.ts`): the wrappers never throw,
//! check what the host returns, and remember it.

use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

use crate::tokens::Tokenizer;
use crate::tokens::image::{Picture, Size};

/// Counts with the host's function.
#[derive(Debug, Clone)]
pub struct HostTokenizer(pub Function);

impl Tokenizer for HostTokenizer {
    fn count(&self, text: &str) -> u64 {
        let tokens = self.0.call1(&JsValue::UNDEFINED, &text.into());
        tokens.ok().and_then(|tokens| tokens.as_f64()).unwrap_or_default() as u64
    }
}

/// Takes `(url, data, mediaType)` and returns `[width, height]`, or undefined.
#[derive(Debug, Clone)]
pub struct HostImageSize(pub Function);

impl HostImageSize {
    /// Returns the size of a picture that the host knows.
    pub fn size(&self, picture: Picture) -> Option<Size> {
        let [url, data, media_type] = [picture.url, picture.data, picture.media_type].map(JsValue::from);
        let sides: Array = self.0.call3(&JsValue::UNDEFINED, &url, &data, &media_type).ok()?.dyn_into().ok()?;
        Some(Size { width: sides.get(0).as_f64()? as u32, height: sides.get(1).as_f64()? as u32 })
    }
}

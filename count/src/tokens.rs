//! Encodings and counts at the boundary.
//!
//! Loaded encodings belong to the instance: after a crash the host loads them again from stored bytes. Positions are
//! UTF-16 code units here and bytes inside.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Object, Uint8Array};
use wasm_bindgen::prelude::*;

use crate::error::{put, to_js};
use espalier_core::error::{Code, Error, Result};
use espalier_core::tokens::{Encoding, EncodingName, Estimator, Fit, PADDING, encoding_for_model, last_cut};

thread_local! {
    static LOADED: RefCell<[Option<Rc<Encoding>>; 2]> = const { RefCell::new([None, None]) };
    /// The buffer into which JavaScript writes text, so that short texts need no allocation and long ones no copy.
    static INPUT: RefCell<Input> = const { RefCell::new(Input { bytes: Vec::new(), carried: 0 }) };
}

/// The input buffer. Its first `carried` bytes are text that [`count_chunk`] has not counted yet.
struct Input {
    bytes: Vec<u8>,
    carried: usize,
}

/// Returns the encoding `name`, which must be loaded.
///
/// # Errors
/// [`Code::EncodingNotLoaded`], which says how to load it.
pub fn loaded(name: EncodingName) -> Result<Rc<Encoding>> {
    LOADED.with_borrow(|loaded| loaded[name as usize].clone()).ok_or_else(|| {
        let name = name.as_str();
        Error::new(
            Code::EncodingNotLoaded,
            format!("the {name} vocabulary is not loaded yet; call loadEncoding(\"{name}\") first"),
        )
    })
}

/// Returns the loaded encoding with this name.
pub fn by_name(name: &str) -> std::result::Result<Rc<Encoding>, JsValue> {
    EncodingName::from_name(name).and_then(loaded).map_err(to_js)
}

/// Loads an encoding from the bytes of its vocabulary file. Loading it again replaces it; a refused file changes
/// nothing.
#[wasm_bindgen(js_name = "loadEncoding")]
pub fn load_encoding(name: &str, file: &[u8]) -> std::result::Result<(), JsValue> {
    let name = EncodingName::from_name(name).map_err(to_js)?;
    let encoding = Encoding::load(name, file).map_err(to_js)?;
    LOADED.with_borrow_mut(|loaded| loaded[name as usize] = Some(Rc::new(encoding)));
    Ok(())
}

#[wasm_bindgen(js_name = "hasEncoding")]
pub fn has_encoding(name: &str) -> std::result::Result<bool, JsValue> {
    let name = EncodingName::from_name(name).map_err(to_js)?;
    Ok(LOADED.with_borrow(|loaded| loaded[name as usize].is_some()))
}

/// Frees an encoding's tables. Returns true if it was loaded.
#[wasm_bindgen(js_name = "unloadEncoding")]
pub fn unload_encoding(name: &str) -> std::result::Result<bool, JsValue> {
    let name = EncodingName::from_name(name).map_err(to_js)?;
    Ok(LOADED.with_borrow_mut(|loaded| loaded[name as usize].take()).is_some())
}

/// Returns the bytes of a loaded encoding, caches included.
#[wasm_bindgen(js_name = "encodingMemory")]
pub fn encoding_memory(name: &str) -> std::result::Result<f64, JsValue> {
    Ok(by_name(name)?.memory() as f64)
}

/// Returns the tokens of `text`.
#[wasm_bindgen]
pub fn count(text: &str, encoding: &str) -> std::result::Result<f64, JsValue> {
    Ok(by_name(encoding)?.count(text) as f64)
}

/// Returns the tokens of each of `texts`.
#[wasm_bindgen(js_name = "countBatch")]
pub fn count_batch(texts: Vec<String>, encoding: &str) -> std::result::Result<Vec<f64>, JsValue> {
    let encoding = by_name(encoding)?;
    Ok(texts.iter().map(|text| encoding.count(text) as f64).collect())
}

/// Makes room for `len` bytes of text and returns a view of it, into which JavaScript writes (with `encodeInto`). The
/// view is valid until the next call of this function, or until the memory grows, which leaves it without a length.
/// Text that [`count_chunk`] carried over stays.
#[wasm_bindgen(js_name = "inputView")]
pub fn input_view(len: usize) -> Uint8Array {
    INPUT.with_borrow_mut(|input| {
        let needed = len.saturating_add(PADDING);
        if input.bytes.len() < needed {
            // Copies only the carried bytes, not the whole old buffer.
            let carried = input.bytes.get(..input.carried).unwrap_or_default().to_vec();
            input.bytes = carried;
            input.bytes.resize(needed, 0);
        }
        // SAFETY: the bytes stay in place until the next call of this function or of `release_input`, after which the
        // host no longer uses the view; only later calls read them, never while JavaScript writes.
        unsafe { Uint8Array::view_mut_raw(input.bytes.as_mut_ptr(), len) }
    })
}

/// Frees the memory of [`input_view`].
#[wasm_bindgen(js_name = "releaseInput")]
pub fn release_input() {
    INPUT.with_borrow_mut(|input| *input = Input { bytes: Vec::new(), carried: 0 });
}

/// Returns the tokens of the UTF-8 text in the first `len` bytes of the input buffer. `encoding` is 0 for o200k_base, 1
/// for cl100k_base: a name would cost more than a short text's count.
#[wasm_bindgen(js_name = "countBuffer")]
pub fn count_buffer(encoding: usize, len: usize) -> std::result::Result<f64, JsValue> {
    let encoding = by_number(encoding).map_err(to_js)?;
    INPUT.with_borrow_mut(|input| {
        input.carried = 0;
        Ok(encoding.count_in_place(&mut input.bytes, len).map_err(to_js)? as f64)
    })
}

/// Counts a long text in chunks: returns the tokens of the text in the first `len` bytes of the input buffer, up to the
/// last position where counts add up. The rest, [`carried`] bytes, moves to the front of the buffer, and the next chunk
/// goes after it.
#[wasm_bindgen(js_name = "countChunk")]
pub fn count_chunk(encoding: usize, len: usize) -> std::result::Result<f64, JsValue> {
    let encoding = by_number(encoding).map_err(to_js)?;
    INPUT.with_borrow_mut(|input| {
        // Carried text has no cut, so only the new text is searched; otherwise a text without any cut would cost
        // quadratic time.
        let searched = std::mem::take(&mut input.carried).saturating_sub(1);
        let Some(end) = input.bytes.get(searched..len).and_then(last_cut).map(|cut| searched + cut) else {
            input.carried = len;
            return Ok(0.0);
        };
        // The padding overwrites the beginning of the rest, so the rest is copied first.
        let rest = input.bytes.get(end..len).unwrap_or_default().to_vec();
        let count = encoding.count_in_place(&mut input.bytes, end).map_err(to_js)?;
        input.bytes[..rest.len()].copy_from_slice(&rest);
        input.carried = rest.len();
        Ok(count as f64)
    })
}

/// Returns the bytes at the front of the input buffer that [`count_chunk`] left for the next call.
#[wasm_bindgen]
pub fn carried() -> usize {
    INPUT.with_borrow(|input| input.carried)
}

/// Returns the tokens of several texts in the input buffer: the first is at its beginning, each of the others 24 bytes
/// after the previous one.
#[wasm_bindgen(js_name = "countBufferBatch")]
pub fn count_buffer_batch(encoding: usize, lengths: &[u32]) -> std::result::Result<Vec<f64>, JsValue> {
    let encoding = by_number(encoding).map_err(to_js)?;
    INPUT.with_borrow_mut(|input| {
        input.carried = 0;
        let mut rest = input.bytes.as_mut_slice();
        let mut counts = Vec::with_capacity(lengths.len());
        for len in lengths {
            counts.push(encoding.count_in_place(rest, *len as usize).map_err(to_js)? as f64);
            rest = rest.get_mut(*len as usize + PADDING..).unwrap_or_default();
        }
        Ok(counts)
    })
}

fn by_number(number: usize) -> Result<Rc<Encoding>> {
    match EncodingName::ALL.get(number) {
        Some(name) => loaded(*name),
        None => Err(Error::new(Code::UnknownEncoding, format!("there is no encoding with the number {number}"))),
    }
}

/// Returns the ids of the tokens of `text`.
#[wasm_bindgen]
pub fn encode(text: &str, encoding: &str) -> std::result::Result<Vec<u32>, JsValue> {
    Ok(by_name(encoding)?.encode(text))
}

/// Returns the text of tokens; bytes that are not UTF-8 become U+FFFD.
#[wasm_bindgen]
pub fn decode(ids: &[u32], encoding: &str) -> std::result::Result<String, JsValue> {
    let bytes = by_name(encoding)?.decode(ids).map_err(to_js)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the end of each token of `text`, in UTF-16 code units; an end inside a character counts as that character's
/// start.
#[wasm_bindgen(js_name = "tokenOffsets")]
pub fn token_offsets(text: &str, encoding: &str) -> std::result::Result<Vec<u32>, JsValue> {
    let mut position = Position::default();
    Ok(by_name(encoding)?.token_offsets(text).into_iter().map(|end| position.advance(text, end)).collect())
}

/// Converts ascending byte offsets of a text into UTF-16 ones.
#[derive(Default)]
struct Position {
    bytes: usize,
    units: u32,
}

impl Position {
    fn advance(&mut self, text: &str, to: usize) -> u32 {
        for character in text[self.bytes..].chars() {
            if self.bytes + character.len_utf8() > to {
                break;
            }
            self.bytes += character.len_utf8();
            self.units += character.len_utf16() as u32;
        }
        self.units
    }
}

fn fit(text: &str, fit: Fit) -> JsValue {
    let offset = Position::default().advance(text, fit.offset);
    object([("offset", f64::from(offset).into()), ("tokens", (fit.tokens as f64).into())])
}

fn object<const N: usize>(fields: [(&str, JsValue); N]) -> JsValue {
    let object = Object::new().into();
    for (key, value) in fields {
        put(&object, key, value);
    }
    object
}

/// Returns the longest beginning of `text` with at most `max` tokens: `{ offset, tokens }`; `offset` is its end.
#[wasm_bindgen(js_name = "prefixWithin")]
pub fn prefix_within(text: &str, max: f64, encoding: &str) -> std::result::Result<JsValue, JsValue> {
    Ok(fit(text, by_name(encoding)?.prefix_within(text, whole(max, "most")?)))
}

/// Returns the longest end of `text` with at most `max` tokens: `{ offset, tokens }`; `offset` is its start.
#[wasm_bindgen(js_name = "suffixWithin")]
pub fn suffix_within(text: &str, max: f64, encoding: &str) -> std::result::Result<JsValue, JsValue> {
    Ok(fit(text, by_name(encoding)?.suffix_within(text, whole(max, "most")?)))
}

/// Checks that a number is whole and not negative; infinity means no limit.
fn whole(value: f64, path: &str) -> std::result::Result<u64, JsValue> {
    if value >= 0.0 && (value.fract() == 0.0 || value.is_infinite()) {
        return Ok(value as u64);
    }
    // Without the value, which JavaScript adds: printing floats takes 4 kB (brotli) of the engine that only counts.
    Err(to_js(Error::new(Code::BadOption, format!("`{path}` must be a whole number, 0 or more")).at(path)))
}

/// Estimates the tokens of `text` by the rule `rule`: `{ tokens, bound?, origin }`.
#[wasm_bindgen]
pub fn estimate(text: &str, encoding: &str, rule: &str) -> std::result::Result<JsValue, JsValue> {
    let rule = Estimator::from_name(rule).map_err(to_js)?;
    let estimate = rule.estimate(text, &*by_name(encoding)?);
    let js = object([("tokens", (estimate.tokens as f64).into()), ("origin", estimate.origin.as_str().into())]);
    if let Some(bound) = estimate.bound {
        put(&js, "bound", (bound as f64).into());
    }
    Ok(js)
}

/// Returns the name of the encoding that counts for `model`.
#[wasm_bindgen(js_name = "encodingForModel")]
pub fn encoding_of_model(model: &str) -> String {
    encoding_for_model(model).0.as_str().to_string()
}

/// Returns `exact` if that encoding is the model's own, `prior` if it is a substitute.
#[wasm_bindgen(js_name = "encodingOrigin")]
pub fn encoding_origin(model: &str) -> String {
    encoding_for_model(model).1.as_str().to_string()
}

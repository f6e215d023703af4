//! Documents at the boundary.
//!
//! Grammars and structures belong to an engine instance. After a crash the host links grammars again from the modules
//! that it kept.

use std::cell::RefCell;

use js_sys::{Array, Float64Array};
use wasm_bindgen::prelude::*;

use super::error::JsResult;
use super::grammar;
use super::tokens::loaded;
use crate::document::library::Library;

thread_local! {
    static LIBRARY: RefCell<Library> = RefCell::new(Library::new(loaded));
}

/// Answers a question about documents, see [`Library::ask`]. The answer is a list of numbers and a text
/// (`js/documents/tape.ts`): this takes half the code of an export with arguments per question and properties per
/// answer.
#[wasm_bindgen]
pub fn documents(what: &str, texts: Vec<String>, numbers: &[f64]) -> JsResult {
    let answer = LIBRARY.with_borrow_mut(|library| library.ask(what, &texts, numbers))?;
    Ok(Array::of2(&Float64Array::from(&answer.numbers[..]), &answer.texts.into()).into())
}

/// Links the grammar file `file`, named as in `languages`, into this instance.
#[wasm_bindgen(js_name = "linkGrammar")]
pub fn link_grammar(file: &str, module: &JsValue) -> JsResult<()> {
    Ok(LIBRARY.with_borrow_mut(|library| library.add_file(file, |name| grammar::link(module, Some(name))))?)
}

/// Links a grammar of the host with its query, if it has one. It replaces a built-in grammar of the same name.
#[wasm_bindgen(js_name = "registerGrammar")]
pub fn register_grammar(language: &str, module: &JsValue, query: Option<String>) -> JsResult<()> {
    let runtime = grammar::link(module, None)?;
    Ok(LIBRARY.with_borrow_mut(|library| library.register(language, runtime, query.as_deref()))?)
}

//! Summaries at the boundary. Positions are UTF-16 code units here, bytes inside.

use js_sys::{Array, Object, Reflect};
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::decode::from_js;
use super::document::{OptionsJs, shared};
use super::error::to_js;
use crate::document::summary::{Document, Lines, Prices, Settings, Source, adjust, summarize};
use crate::document::units::bytes;
use crate::error::{Code, Error, Result};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct DocumentJs {
    text: String,
    options: OptionsJs,
    selection: Option<(f64, f64)>,
    /// `usual`, `attached` or `byKind`.
    rule: String,
    /// Costs by kind; nothing is never kept.
    #[serde(default)]
    kinds: Vec<(String, Option<f64>)>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SettingsJs {
    limit: f64,
    preserve_types: bool,
    always_mark: bool,
    lines: String,
}

impl SettingsJs {
    fn read(&self) -> Result<Settings> {
        let lines = match self.lines.as_str() {
            "none" => Lines::None,
            "omitted" => Lines::Omitted,
            "full" => Lines::Full,
            other => {
                let message = format!("there is no style {other:?} of line numbers");
                return Err(Error::new(Code::BadOption, message).at("settings.lines"));
            }
        };
        Ok(Settings { preserve_types: self.preserve_types, always_mark: self.always_mark, lines })
    }
}

/// Summarises documents that share a limit, by the rules of the compatible mode: for each `{ text, edits, adjusted? }`, an edit being
/// `[start, end, text]`.
#[wasm_bindgen(js_name = "summarizeCompatible")]
pub fn summarize_compatible(documents: JsValue, settings: JsValue) -> std::result::Result<JsValue, JsValue> {
    let documents: Vec<DocumentJs> = from_js(documents, "documents", Code::BadInput)?;
    let options: SettingsJs = from_js(settings, "settings", Code::BadOption)?;
    let settings = options.read().map_err(to_js)?;
    let sources: Vec<Source> = documents.iter().map(|document| Source::new(&document.text)).collect();
    let structures = documents.iter().map(|document| shared(&document.text, &document.options));
    let structures = structures.collect::<Result<Vec<_>>>().map_err(to_js)?;
    let kinds: Vec<Vec<(Box<str>, Option<f64>)>> = documents
        .iter()
        .map(|document| document.kinds.iter().map(|(kind, price)| (kind.as_str().into(), *price)).collect())
        .collect();
    let asked: Vec<Document> = (documents.iter().zip(&sources))
        .zip(structures.iter().zip(&kinds))
        .map(|((document, source), (structure, kinds))| Document {
            source,
            overlay: &structure.overlay,
            selection: document.selection.map(|at| selection(&document.text, at)),
            prices: match document.rule.as_str() {
                "attached" => Prices::Attached { typescript: document.options.language == "typescript" },
                "byKind" => Prices::ByKind(kinds),
                _ => Prices::Usual,
            },
        })
        .collect();
    let made = summarize(&asked, options.limit, settings);
    let list = Array::new();
    for (summary, document) in made.iter().zip(&asked) {
        let object = Object::new();
        let put = |key: &str, value: JsValue| Reflect::set(&object, &key.into(), &value);
        let source = document.source;
        let edits: Array = (summary.edits.list().iter())
            .map(|edit| {
                Array::of3(&source.unit(edit.start).into(), &source.unit(edit.end).into(), &edit.text.as_str().into())
            })
            .collect();
        put("text", summary.text.as_str().into())?;
        put("edits", edits.into())?;
        if let Some(at) = document.selection {
            let (start, end) = adjust(source, document.overlay, at);
            put("adjusted", Array::of2(&source.unit(start).into(), &source.unit(end).into()).into())?;
        }
        list.push(&object);
    }
    Ok(list.into())
}

/// A selection in bytes; what lies behind the text is its end, and ends come in order.
fn selection(text: &str, (start, end): (f64, f64)) -> (u32, u32) {
    let places = bytes(text);
    let length = text.len() as u32;
    let byte = |unit: f64| {
        // Numbers that are none become 0, those behind everything the largest.
        let unit = unit as u32;
        if places.is_empty() { unit.min(length) } else { places.get(unit as usize).copied().unwrap_or(length) }
    };
    let (start, end) = (byte(start), byte(end));
    (start.min(end), start.max(end))
}

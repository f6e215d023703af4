//! Summaries at the boundary. Positions are UTF-16 code units here, bytes inside.

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::prelude::*;

use super::document::{SETTINGS, options, shared};
use super::error::to_js;
use crate::document::summary::{Document, Lines, Prices, Settings, Source, adjust, summarize};
use crate::document::units::bytes;
use crate::error::{Code, Error};

/// Numbers of a document: its settings; start and end of the selection (NaN: none); the rule of costs (1: attached files, 2: by kind);
/// how many kinds have a cost.
const WIDTH: usize = SETTINGS + 4;

/// Summarises documents that share a limit, by the rules of the compatible mode: for each `{ text, edits, adjusted? }`, an edit being
/// `[start, end, text]`. Kinds and their costs (NaN: never kept) are those of all documents, one behind the other. `settings` are the
/// limit, whether types are preserved, whether elisions are always marked, and the numbers of lines (1: of what is omitted, 2: all).
#[wasm_bindgen(js_name = "summarizeCompatible")]
pub fn summarize_compatible(
    texts: Vec<String>,
    languages: Vec<String>,
    numbers: &[f64],
    kinds: Vec<String>,
    costs: &[f64],
    settings: &[f64],
) -> std::result::Result<JsValue, JsValue> {
    let &[limit, preserve, mark, lines] = settings else {
        return Err(to_js(Error::new(Code::BadOption, "four numbers are expected").at("settings")));
    };
    let lines = if lines == 1.0 {
        Lines::Omitted
    } else if lines == 2.0 {
        Lines::Full
    } else {
        Lines::None
    };
    let settings = Settings { preserve_types: preserve == 1.0, always_mark: mark == 1.0, lines };
    let sources: Vec<Source> = texts.iter().map(|text| Source::new(text)).collect();
    let mut structures = Vec::new();
    let mut prices = Vec::new();
    let mut rest = kinds.iter().zip(costs);
    for ((text, language), row) in texts.iter().zip(&languages).zip(numbers.chunks_exact(WIDTH)) {
        let options = options(language, &row[..SETTINGS]).map_err(to_js)?;
        structures.push(shared(text, &options).map_err(to_js)?);
        let costs = rest.by_ref().take(row[WIDTH - 1] as usize);
        let own = costs.map(|(kind, cost)| (Box::from(kind.as_str()), Some(*cost).filter(|cost| !cost.is_nan())));
        prices.push(own.collect::<Vec<(Box<str>, Option<f64>)>>());
    }
    let asked: Vec<Document> = (sources.iter().zip(&languages).zip(numbers.chunks_exact(WIDTH)))
        .zip(structures.iter().zip(&prices))
        .map(|(((source, language), row), (structure, prices))| Document {
            source,
            overlay: &structure.overlay,
            selection: (!row[SETTINGS].is_nan()).then(|| selection(source.text(), row[SETTINGS], row[SETTINGS + 1])),
            prices: match row[SETTINGS + 2] {
                1.0 => Prices::Attached { typescript: language == "typescript" },
                2.0 => Prices::ByKind(prices),
                _ => Prices::Usual,
            },
        })
        .collect();
    let made = summarize(&asked, limit, settings);
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
fn selection(text: &str, start: f64, end: f64) -> (u32, u32) {
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

//! Summaries at the boundary. Positions are UTF-16 code units here, bytes inside.

use js_sys::{Array, Object, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

use super::document::{SETTINGS, basis, options, shared};
use super::error::to_js;
use super::tokens::by_name;
use crate::document::summary::exact::{self, Gauge, Imports};
use crate::document::summary::{Document, Lines, Prices, Settings, Source, adjust, summarize};
use crate::document::units::bytes;
use crate::error::{Code, Error};

/// Numbers of a document: its settings; start and end of the selection (NaN: none); the rule of costs (1: attached files, 2: by kind);
/// how many kinds have a cost.
const WIDTH: usize = SETTINGS + 4;

/// Summarises documents that share a limit, by the rules of the compatible mode: for each `{ text, edits, basis, adjusted? }`, an edit being
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
    for ((summary, document), structure) in made.iter().zip(&asked).zip(&structures) {
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
        put("basis", basis(structure.basis)?)?;
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

/// Texts of a document: its text, its language, what stands for it where comments are looked up, its name, and how comments begin and
/// end (both empty: as in the language).
const TEXTS: usize = 6;

/// Numbers of a document for [`summarize_documents`]: its settings; start and end of the selection (NaN: none).
const NUMBERS: usize = SETTINGS + 2;

/// Summarises documents that share a budget: for each `{ edits, inserted, tokens, before, elisions, kinds, names, basis }`. An edit is
/// start, end and the units of `inserted` that stand there; an elision start, end, first and last line, tokens, and how many of
/// `names` are its; its kind is in `kinds`. `settings` are the budget, whether lines are numbered, what imports are worth (1: come first, 2: last), and whether
/// the budget is in characters.
#[wasm_bindgen(js_name = "summarizeDocuments")]
pub fn summarize_documents(
    texts: Vec<String>,
    numbers: &[f64],
    settings: &[f64],
    wording: &str,
    encoding: &str,
) -> std::result::Result<JsValue, JsValue> {
    let &[budget, numbered, imports, characters] = settings else {
        return Err(to_js(Error::new(Code::BadOption, "four numbers are expected").at("settings")));
    };
    let encoding = if characters == 1.0 { None } else { Some(by_name(encoding)?) };
    let gauge = encoding.as_ref().map_or(Gauge::Characters, |encoding| Gauge::Tokens(&**encoding));
    let imports = if imports == 1.0 {
        Imports::First
    } else if imports == 2.0 {
        Imports::Last
    } else {
        Imports::Usual
    };
    let settings = exact::Options {
        budget: budget as u64,
        gauge,
        numbered: numbered == 1.0,
        wording,
        imports,
        worth: exact::WORTH,
    };
    let rows: Vec<&[String]> = texts.chunks_exact(TEXTS).collect();
    let sources: Vec<Source> = rows.iter().map(|row| Source::new(&row[0])).collect();
    let mut structures = Vec::with_capacity(rows.len());
    for (row, numbers) in rows.iter().zip(numbers.chunks_exact(NUMBERS)) {
        let options = options(&row[1], &numbers[..SETTINGS]).map_err(to_js)?;
        structures.push(shared(&row[0], &options).map_err(to_js)?);
    }
    let asked: Vec<exact::Document> = (rows.iter().zip(&sources))
        .zip(structures.iter().zip(numbers.chunks_exact(NUMBERS)))
        .map(|((row, source), (structure, numbers))| exact::Document {
            source,
            overlay: &structure.overlay,
            language: &row[2],
            comments: (!row[4].is_empty()).then_some((row[4].as_str(), row[5].as_str())),
            selection: (!numbers[SETTINGS].is_nan())
                .then(|| selection(source.text(), numbers[SETTINGS], numbers[SETTINGS + 1])),
            name: &row[3],
        })
        .collect();
    let made = exact::summarize(&asked, &settings).map_err(to_js)?;
    let list = Array::new();
    for ((summary, source), structure) in made.iter().zip(&sources).zip(&structures) {
        list.push(&encode(summary, source, basis(structure.basis)?)?);
    }
    Ok(list.into())
}

fn encode(summary: &exact::Summary, source: &Source<'_>, basis: JsValue) -> std::result::Result<JsValue, JsValue> {
    let object = Object::new();
    let put = |key: &str, value: JsValue| Reflect::set(&object, &key.into(), &value);
    let (mut edits, mut inserted) = (Vec::new(), String::new());
    for edit in summary.edits.list() {
        let units = edit.text.encode_utf16().count() as u32;
        edits.extend([source.unit(edit.start), source.unit(edit.end), units]);
        inserted += &edit.text;
    }
    let (mut elisions, names) = (Vec::new(), Array::new());
    let kinds = Array::new();
    for elision in &summary.elisions {
        let (start, end) = (source.unit(elision.start), source.unit(elision.end));
        let count = u32::try_from(elision.count).unwrap_or(u32::MAX);
        elisions.extend([start, end, elision.lines.0, elision.lines.1, count, elision.names.len() as u32]);
        kinds.push(&(&*elision.kind).into());
        elision.names.iter().for_each(|name| {
            names.push(&name.as_str().into());
        });
    }
    put("edits", Uint32Array::from(&edits[..]).into())?;
    put("inserted", inserted.into())?;
    put("tokens", (summary.count as f64).into())?;
    put("before", (summary.before as f64).into())?;
    put("elisions", Uint32Array::from(&elisions[..]).into())?;
    put("kinds", kinds.into())?;
    put("names", names.into())?;
    put("basis", basis)?;
    Ok(object.into())
}

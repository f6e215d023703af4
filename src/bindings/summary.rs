//! Summaries at the boundary. Positions are UTF-16 code units here, bytes inside.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Float64Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::document::{SETTINGS, basis, encode as encode_structure, options, shared, structure_of};
use super::error::to_js;
use super::object::Plain;
use super::tokens::by_name;
use crate::document::summary::exact::{self, Gauge, Imports, Layout, Layouts};
use crate::document::summary::{Document, Lines, Prices, Settings, Source, adjust, summarize, usual};
use crate::document::{Basis, Options, Shared};
use crate::error::{Code, Error, Result};

/// Numbers of a document: its settings; start and end of the selection (NaN: none); 1 for the costs of attached files; how many kinds have a
/// cost, or less than 0: how many nodes.
const WIDTH: usize = SETTINGS + 4;

/// Summarises documents that share a limit, by the rules of the compatible mode: for each `{ text, edits, basis, adjusted? }`, an edit being
/// `[start, end, text]`. Where a document has a tree in `trees`, it is `[nodes, kinds, fields, query?]`, as
/// [`document_structure_of_tree`](super::document::document_structure_of_tree) takes them. Kinds and their costs (NaN: never kept) are
/// those of all documents, one behind the other; costs by node have no kinds. `settings` are the
/// limit, whether types are preserved, whether elisions are always marked, and the numbers of lines (1: of what is omitted, 2: all).
#[wasm_bindgen(js_name = "summarizeCompatible")]
pub fn summarize_compatible(
    texts: Vec<String>,
    languages: Vec<String>,
    numbers: &[f64],
    trees: &Array,
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
    let rows = texts.iter().zip(&languages).zip(numbers.chunks_exact(WIDTH));
    let rows: Vec<Row> = rows.map(|((text, language), numbers)| Row { text, language, numbers }).collect();
    let known = known(&rows, trees, &kinds, costs).map_err(to_js)?;
    let mut asked = Vec::with_capacity(known.len());
    for (row, known) in rows.iter().zip(&known) {
        asked.push(Document {
            source: &known.source,
            overlay: &known.structure.overlay,
            selection: known.selection,
            prices: match row.numbers[SETTINGS + 2] == 1.0 {
                true => Prices::Attached { typescript: row.language == "typescript" },
                false => known.prices.as_prices(),
            },
        });
    }
    let made = summarize(&asked, limit, settings);
    let list = Array::new();
    for ((summary, document), known) in made.iter().zip(&asked).zip(&known) {
        let source = document.source;
        let edits: Array = (summary.edits.list().iter())
            .map(|edit| {
                Array::of3(&source.unit(edit.start).into(), &source.unit(edit.end).into(), &edit.text.as_str().into())
            })
            .collect();
        let mut object = Plain::new()
            .with("text", summary.text.as_str())
            .with("edits", edits)
            .with("basis", basis(known.structure.basis));
        if let Some(at) = document.selection {
            let (start, end) = adjust(source, document.overlay, at);
            object = object.with("adjusted", Array::of2(&source.unit(start).into(), &source.unit(end).into()));
        }
        list.push(&object.into());
    }
    Ok(list.into())
}

/// A document as it crosses.
struct Row<'r> {
    text: &'r str,
    language: &'r str,
    /// Its settings, its selection, and at the end how many kinds have a cost, or less than 0: how many nodes.
    numbers: &'r [f64],
}

/// What is known of a document before it is summarised.
struct Known<'k> {
    source: Source<'k>,
    structure: Shared,
    /// In bytes.
    selection: Option<(u32, u32)>,
    prices: Own<'k>,
}

/// What is known of documents; `kinds` and `costs` are those of all of them, one behind the other.
fn known<'k>(rows: &[Row<'k>], trees: &Array, mut kinds: &'k [String], mut costs: &'k [f64]) -> Result<Vec<Known<'k>>> {
    let mut known = Vec::with_capacity(rows.len());
    for (row, at) in rows.iter().zip(0..) {
        let (settings, rest) = row.numbers.split_at(SETTINGS);
        let options = options(row.language, settings)?;
        let structure = structure(row.text, &options, trees.get(at))?;
        let source = Source::new(row.text);
        let selection = selection(&source, rest);
        let count = rest.last().copied().unwrap_or_default();
        let own = costs.split_off(..(count.abs() as usize).min(costs.len())).unwrap_or_default();
        let prices = if count < 0.0 {
            Own::Nodes(own)
        } else {
            let names = kinds.split_off(..own.len().min(kinds.len())).unwrap_or_default();
            let cost = |cost: f64| (!cost.is_nan()).then_some(cost);
            Own::Kinds(names.iter().zip(own).map(|(name, own)| (name.as_str().into(), cost(*own))).collect())
        };
        known.push(Known { source, structure, selection, prices });
    }
    Ok(known)
}

/// Costs of one document.
enum Own<'c> {
    Kinds(Vec<(Box<str>, Option<f64>)>),
    Nodes(&'c [f64]),
}

impl Own<'_> {
    fn as_prices(&self) -> Prices<'_> {
        match self {
            Own::Kinds(kinds) if kinds.is_empty() => Prices::Usual,
            Own::Kinds(kinds) => Prices::ByKind(kinds),
            Own::Nodes(costs) => Prices::ByNode(costs),
        }
    }
}

/// What the nodes of a document usually cost, in preorder: `{ kinds, nodes, basis, costs }`, the first three as
/// [`document_structure`](super::document::document_structure) has them. `numbers` are its settings, and start and end of the selection
/// (NaN: none); `tree` as for [`summarize_compatible`].
#[wasm_bindgen(js_name = "documentCosts")]
pub fn document_costs(
    text: &str,
    language: &str,
    numbers: &[f64],
    tree: JsValue,
    preserve: bool,
) -> std::result::Result<JsValue, JsValue> {
    let (settings, at) = numbers.split_at(SETTINGS.min(numbers.len()));
    let options = options(language, settings).map_err(to_js)?;
    let structure = structure(text, &options, tree).map_err(to_js)?;
    let source = Source::new(text);
    let selection = selection(&source, at);
    let document = Document { source: &source, overlay: &structure.overlay, selection, prices: Prices::Usual };
    let costs = usual(&document, Settings { preserve_types: preserve, ..Settings::default() });
    Ok(encode_structure(&structure, text).with("costs", Float64Array::from(&costs[..])).into())
}

/// The structure of a document: of the host's tree, if there is one.
fn structure(text: &str, options: &Options<'_>, tree: JsValue) -> Result<Shared> {
    let Ok(tree) = tree.dyn_into::<Array>() else { return shared(text, options) };
    let strings = |list: JsValue| Array::from(&list).iter().filter_map(|item| item.as_string()).collect();
    let nodes = Uint32Array::new(&tree.get(0)).to_vec();
    let query = tree.get(3).as_string();
    Ok(Shared::new(structure_of(text, options, &nodes, strings(tree.get(1)), strings(tree.get(2)), query)?))
}

/// A selection in bytes, if there is one; what lies behind the text is its end, and ends come in order.
fn selection(source: &Source<'_>, numbers: &[f64]) -> Option<(u32, u32)> {
    let (start, end) = (*numbers.first()?, *numbers.get(1)?);
    // Numbers that are less than 0 become 0, those behind everything the largest.
    let (first, last) = (source.byte(start as u32), source.byte(end as u32));
    (!start.is_nan()).then_some((first.min(last), first.max(last)))
}

/// Texts of a document: its text, its language, what stands for it where comments are looked up, its name, and how comments begin and
/// end (both empty: as in the language).
const TEXTS: usize = 6;

/// Numbers of a document for [`summarize_documents`]: its settings; start and end of the selection (NaN: none); how many kinds
/// have a cost, or less than 0: how many nodes.
const NUMBERS: usize = SETTINGS + 3;

thread_local! {
    static LAYOUTS: RefCell<Layouts> = RefCell::default();
}

/// Forgets the layouts that were kept.
pub(super) fn clear() {
    LAYOUTS.with_borrow_mut(Layouts::clear);
}

/// Summarises documents that share a budget: for each `{ edits, inserted, tokens, before, elisions, kinds, names, basis }`. An edit is
/// start, end and the units of `inserted` that stand there; an elision start, end, first and last line, tokens, and how many of
/// `names` are its; its kind is in `kinds`. Trees and costs come as for [`summarize_compatible`]. `settings` are the budget, whether lines are numbered, what imports are worth (1: come first, 2: last), and whether
/// the budget is in characters.
#[expect(clippy::too_many_arguments, reason = "lists cross side by side, which costs less than objects")]
#[wasm_bindgen(js_name = "summarizeDocuments")]
pub fn summarize_documents(
    texts: Vec<String>,
    numbers: &[f64],
    trees: &Array,
    kinds: Vec<String>,
    costs: &[f64],
    settings: &[f64],
    wording: &str,
    encoding: &str,
) -> std::result::Result<JsValue, JsValue> {
    let &[budget, numbered, imports, characters] = settings else {
        return Err(to_js(Error::new(Code::BadOption, "four numbers are expected").at("settings")));
    };
    let unit = if characters == 1.0 { "" } else { encoding };
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
    let rows = texts.chunks_exact(TEXTS).zip(numbers.chunks_exact(NUMBERS));
    let rows: Vec<Row> = rows.map(|(texts, numbers)| Row { text: &texts[0], language: &texts[1], numbers }).collect();
    let known = known(&rows, trees, &kinds, costs).map_err(to_js)?;
    let mut asked = Vec::with_capacity(known.len());
    for (texts, known) in texts.chunks_exact(TEXTS).zip(&known) {
        asked.push(exact::Document {
            source: &known.source,
            overlay: &known.structure.overlay,
            language: &texts[2],
            comments: (!texts[4].is_empty()).then_some((texts[4].as_str(), texts[5].as_str())),
            selection: known.selection,
            prices: known.prices.as_prices(),
            name: &texts[3],
        });
    }
    let mut layouts: Vec<Rc<Layout>> = Vec::with_capacity(known.len());
    for ((document, known), texts) in asked.iter().zip(&known).zip(texts.chunks_exact(TEXTS)) {
        // Everything that a layout depends on beside the structure.
        let numbered = if settings.numbered { "1" } else { "" };
        let rest = [&*texts[2], &*texts[4], &*texts[5], wording, unit, numbered].join("\0");
        let make = || Layout::new(document, &settings);
        layouts.push(LAYOUTS.with_borrow_mut(|layouts| layouts.get(&known.structure, &rest, make)));
    }
    let laid: Vec<&Layout> = layouts.iter().map(|layout| &**layout).collect();
    let made = exact::summarize_laid_out(&asked, &laid, &settings).map_err(to_js)?;
    let list = Array::new();
    for (summary, known) in made.iter().zip(&known) {
        list.push(&encode(summary, &known.source, known.structure.basis));
    }
    Ok(list.into())
}

fn encode(summary: &exact::Summary, source: &Source<'_>, path: Basis) -> JsValue {
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
    Plain::new()
        .with("edits", Uint32Array::from(&edits[..]))
        .with("inserted", inserted)
        .with("tokens", summary.count as f64)
        .with("before", summary.before as f64)
        .with("elisions", Uint32Array::from(&elisions[..]))
        .with("kinds", kinds)
        .with("names", names)
        .with("basis", basis(path))
        .into()
}

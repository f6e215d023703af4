//! Summaries at the boundary. Positions are UTF-16 code units here, bytes inside.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Float64Array, Object, Reflect, Uint32Array};
use wasm_bindgen::prelude::*;

use super::document::{SETTINGS, basis, encode as encode_structure, options, shared, structure_of};
use super::error::to_js;
use super::tokens::by_name;
use crate::document::summary::exact::{self, Gauge, Imports, Layout, Layouts};
use crate::document::summary::{Document, Lines, Prices, Settings, Source, adjust, summarize, usual};
use crate::document::{Options, Shared};
use crate::error::{Code, Error, Result};

/// Numbers of a document: its settings; start and end of the selection (NaN: none); the rule of costs (1: attached files, 2: by kind, 3: by
/// node); how many kinds, or nodes, have a cost.
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
    let sources: Vec<Source> = texts.iter().map(|text| Source::new(text)).collect();
    let mut structures = Vec::new();
    let mut prices = Vec::new();
    let mut rest = Costs { kinds: &kinds, costs };
    for (((text, language), row), at) in texts.iter().zip(&languages).zip(numbers.chunks_exact(WIDTH)).zip(0..) {
        let options = options(language, &row[..SETTINGS]).map_err(to_js)?;
        structures.push(structure(text, &options, trees.get(at)).map_err(to_js)?);
        prices.push(rest.next(row[SETTINGS + 2] == 3.0, row[WIDTH - 1]));
    }
    let asked: Vec<Document> = (sources.iter().zip(&languages).zip(numbers.chunks_exact(WIDTH)))
        .zip(structures.iter().zip(&prices))
        .map(|(((source, language), row), (structure, prices))| Document {
            source,
            overlay: &structure.overlay,
            selection: (!row[SETTINGS].is_nan()).then(|| selection(source, row[SETTINGS], row[SETTINGS + 1])),
            prices: match row[SETTINGS + 2] {
                1.0 => Prices::Attached { typescript: language == "typescript" },
                2.0 | 3.0 => prices.as_prices(),
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

/// Kinds and costs of all documents, as they cross.
struct Costs<'c> {
    kinds: &'c [String],
    costs: &'c [f64],
}

/// Those of one document.
enum Own<'c> {
    Kinds(Vec<(Box<str>, Option<f64>)>),
    Nodes(&'c [f64]),
}

impl<'c> Costs<'c> {
    /// Those of the next document.
    fn next(&mut self, by_node: bool, count: f64) -> Own<'c> {
        let count = (count as usize).min(self.costs.len());
        let (own, rest) = self.costs.split_at(count);
        self.costs = rest;
        if by_node {
            return Own::Nodes(own);
        }
        let (kinds, rest) = self.kinds.split_at(count.min(self.kinds.len()));
        self.kinds = rest;
        let cost = |cost: &f64| Some(*cost).filter(|cost| !cost.is_nan());
        Own::Kinds(kinds.iter().zip(own).map(|(kind, own)| (Box::from(kind.as_str()), cost(own))).collect())
    }
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
    let selection = match *at {
        [start, end] if !start.is_nan() => Some(selection(&source, start, end)),
        _ => None,
    };
    let document = Document { source: &source, overlay: &structure.overlay, selection, prices: Prices::Usual };
    let costs = usual(&document, Settings { preserve_types: preserve, ..Settings::default() });
    let object = encode_structure(&structure, text)?;
    Reflect::set(&object, &"costs".into(), &Float64Array::from(&costs[..]))?;
    Ok(object)
}

/// The structure of a document: of the host's tree, if there is one.
fn structure(text: &str, options: &Options<'_>, tree: JsValue) -> Result<Shared> {
    let Ok(tree) = tree.dyn_into::<Array>() else { return shared(text, options) };
    let strings = |list: JsValue| Array::from(&list).iter().filter_map(|item| item.as_string()).collect();
    let nodes = Uint32Array::new(&tree.get(0)).to_vec();
    let query = tree.get(3).as_string();
    Ok(Shared::new(structure_of(text, options, &nodes, strings(tree.get(1)), strings(tree.get(2)), query)?))
}

/// A selection in bytes; what lies behind the text is its end, and ends come in order.
fn selection(source: &Source<'_>, start: f64, end: f64) -> (u32, u32) {
    // Numbers that are none become 0, those behind everything the largest.
    let (start, end) = (source.byte(start as u32), source.byte(end as u32));
    (start.min(end), start.max(end))
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
    let rows: Vec<&[String]> = texts.chunks_exact(TEXTS).collect();
    let sources: Vec<Source> = rows.iter().map(|row| Source::new(&row[0])).collect();
    let mut structures = Vec::with_capacity(rows.len());
    let mut prices = Vec::with_capacity(rows.len());
    let mut rest = Costs { kinds: &kinds, costs };
    for ((row, numbers), at) in rows.iter().zip(numbers.chunks_exact(NUMBERS)).zip(0..) {
        let options = options(&row[1], &numbers[..SETTINGS]).map_err(to_js)?;
        structures.push(structure(&row[0], &options, trees.get(at)).map_err(to_js)?);
        let count = numbers[NUMBERS - 1];
        prices.push(rest.next(count < 0.0, count.abs()));
    }
    let asked: Vec<exact::Document> = (rows.iter().zip(&sources))
        .zip(structures.iter().zip(numbers.chunks_exact(NUMBERS)))
        .zip(&prices)
        .map(|(((row, source), (structure, numbers)), prices)| exact::Document {
            source,
            overlay: &structure.overlay,
            language: &row[2],
            comments: (!row[4].is_empty()).then_some((row[4].as_str(), row[5].as_str())),
            selection: (!numbers[SETTINGS].is_nan())
                .then(|| selection(source, numbers[SETTINGS], numbers[SETTINGS + 1])),
            prices: prices.as_prices(),
            name: &row[3],
        })
        .collect();
    let layouts: Vec<Rc<Layout>> = LAYOUTS.with_borrow_mut(|layouts| {
        let laid = asked.iter().zip(&structures).zip(&rows).map(|((document, structure), row)| {
            // Everything that a layout depends on beside the structure.
            let numbered = if settings.numbered { "1" } else { "" };
            let rest = [&*row[2], &*row[4], &*row[5], wording, unit, numbered].join("\0");
            layouts.get(structure, &rest, || Layout::new(document, &settings))
        });
        laid.collect()
    });
    let laid: Vec<&Layout> = layouts.iter().map(|layout| &**layout).collect();
    let made = exact::summarize_laid_out(&asked, &laid, &settings).map_err(to_js)?;
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

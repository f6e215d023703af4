//! Outlines and repository maps at the boundary. Positions are UTF-16 code units here, bytes inside; lines are counted from 1 here.

use std::cell::RefCell;

use js_sys::{Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::changed::counter;
use super::document::{SETTINGS, TREES, basis, loaded_grammar, options};
use super::error::to_js;
use super::object::Plain;
use crate::document::Options;
use crate::document::cache::Key;
use crate::document::changed::lines::Lines;
use crate::document::outline::{Item, Kept, SharedFacts, map};
use crate::document::units::Units;
use crate::error::Result;

thread_local! {
    static FACTS: RefCell<Kept> = RefCell::default();
}

/// The facts of a document, and whether they had to be made.
pub(super) fn facts(text: &str, options: &Options<'_>) -> Result<(SharedFacts, bool)> {
    let found = loaded_grammar(options.language)?;
    let number = found.as_ref().map_or(0, |(_, number)| *number);
    let grammar = found.as_ref().map(|(grammar, _)| &**grammar);
    let make = || TREES.with_borrow_mut(|trees| crate::document::outline::facts(text, grammar, options, trees));
    Ok(FACTS.with_borrow_mut(|kept| {
        let made = kept.made();
        let facts = kept.get(Key::new(text, options, number), make);
        (facts, kept.made() > made)
    }))
}

/// Makes the facts of a document if they are not kept; true if they were made.
#[wasm_bindgen(js_name = "prepareFacts")]
pub fn prepare_facts(text: &str, language: &str, settings: &[f64]) -> std::result::Result<bool, JsValue> {
    let options = options(language, settings).map_err(to_js)?;
    Ok(facts(text, &options).map_err(to_js)?.1)
}

/// Forgets the facts that were kept.
#[wasm_bindgen(js_name = "clearFacts")]
pub fn clear_facts() {
    FACTS.with_borrow_mut(Kept::clear);
}

/// The outline of a document: `{ text, tokens, missing, shown, items, basis }`, `items` being all definitions in order, each with the
/// number of the one around it. Infinity is no budget.
#[wasm_bindgen(js_name = "documentOutline")]
pub fn document_outline(
    text: &str,
    language: &str,
    settings: &[f64],
    numbers: bool,
    budget: f64,
    encoding: &str,
) -> std::result::Result<JsValue, JsValue> {
    let options = options(language, settings).map_err(to_js)?;
    let (facts, _) = facts(text, &options).map_err(to_js)?;
    let tokenizer = counter(encoding).map_err(to_js)?;
    let outline = crate::document::outline::outline(text, &facts, numbers, budget as u64, &*tokenizer);
    let (units, lines) = (Units::new(text), Lines::new(text));
    let items = Array::new();
    for item in &facts.items {
        items.push(&encode(item, text, &units, &lines));
    }
    let object = Plain::new()
        .with("text", outline.text.as_str())
        .with("tokens", outline.tokens as f64)
        .with("missing", outline.missing as u32)
        .with("shown", Uint32Array::from(&outline.shown[..]))
        .with("items", items)
        .with("basis", basis(facts.basis));
    Ok(object.into())
}

fn encode(item: &Item, text: &str, units: &Units, lines: &Lines<'_>) -> JsValue {
    let name = text.get(item.name.0 as usize..item.name.1 as usize).unwrap_or_default();
    let last = item.end.saturating_sub(1).max(item.start);
    Plain::new()
        .with("name", name)
        .with("kind", item.category.as_str())
        .with("start", units.of(text, item.start))
        .with("end", units.of(text, item.end))
        .with("line", lines.of(item.code) + 1)
        .with("endLine", lines.of(last) + 1)
        .with("parent", item.parent)
        .with("local", item.local)
        .into()
}

/// The map of a repository: `{ text, tokens, missing, ranks, shown }`. `numbers` are the settings of each file's document and its flags
/// (1: focus, 2: mentioned).
#[wasm_bindgen(js_name = "repositoryMap")]
pub fn repository_map(
    paths: Vec<String>,
    texts: Vec<String>,
    languages: Vec<String>,
    numbers: &[f64],
    mentioned: Vec<String>,
    budget: f64,
    encoding: &str,
) -> std::result::Result<JsValue, JsValue> {
    let mut known = Vec::new();
    let rows: Vec<&[f64]> = numbers.chunks_exact(SETTINGS + 1).collect();
    for ((text, language), row) in texts.iter().zip(&languages).zip(&rows) {
        let options = options(language, &row[..SETTINGS]).map_err(to_js)?;
        known.push(facts(text, &options).map_err(to_js)?.0);
    }
    let files: Vec<map::File> = (paths.iter().zip(&texts).zip(known.iter().zip(&rows)))
        .map(|((path, text), (facts, row))| {
            let flags = row[SETTINGS] as u32;
            map::File { path, text, facts, focus: flags & 1 != 0, mentioned: flags & 2 != 0 }
        })
        .collect();
    let tokenizer = counter(encoding).map_err(to_js)?;
    let names: Vec<&str> = mentioned.iter().map(String::as_str).collect();
    let made = map::map(&files, &names, budget as u64, &*tokenizer);
    let ranks = Array::new();
    for (file, rank) in &made.ranks {
        ranks.push(&Array::of2(&(*file).into(), &(*rank).into()));
    }
    let shown = Array::new();
    let mut last: Option<(u32, Lines<'_>)> = None;
    for (file, at) in &made.shown {
        let File { text, facts } = File::of(&files, *file);
        let item = &facts.items[*at as usize];
        if last.as_ref().is_none_or(|(known, _)| known != file) {
            last = Some((*file, Lines::new(text)));
        }
        let line = last.as_ref().map_or(0, |(_, lines)| lines.of(item.code));
        let object = Plain::new()
            .with("file", *file)
            .with("name", text.get(item.name.0 as usize..item.name.1 as usize).unwrap_or_default())
            .with("kind", item.category.as_str())
            .with("line", line + 1);
        shown.push(&object.into());
    }
    let object = Plain::new()
        .with("text", made.text.as_str())
        .with("tokens", made.tokens as f64)
        .with("missing", made.missing as u32)
        .with("ranks", ranks)
        .with("shown", shown);
    Ok(object.into())
}

/// What of a file is needed to say where a definition is.
struct File<'f> {
    text: &'f str,
    facts: &'f crate::document::outline::Facts,
}

impl<'f> File<'f> {
    fn of(files: &[map::File<'f>], at: u32) -> File<'f> {
        let file = &files[at as usize];
        File { text: file.text, facts: file.facts }
    }
}

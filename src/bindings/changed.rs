//! Changed code at the boundary. Positions are UTF-16 code units here, bytes inside; lines are counted from 1 here, from 0 inside.

use std::rc::Rc;

use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::document::{SETTINGS, TREES, basis, loaded_grammar, options, shared};
use super::error::to_js;
use super::object::Plain;
use super::outline::facts;
use super::tokens::loaded;
use crate::document::Basis;
use crate::document::changed::diff::{FileDiff, Side};
use crate::document::changed::{
    Annotation, Change, Elision, File, Reduced, Reduction, Settings, changes, compatible, diff, reduce, selected, sort,
};
use crate::document::parse::Units as Read;
use crate::document::trees::Trees;
use crate::document::units::{Units, bytes};
use crate::error::{Code, Error, Result};
use crate::tokens::{EncodingName, Tokenizer};

/// Numbers of a file: its settings; 1 if it has a diff; how many selections it has.
const WIDTH: usize = SETTINGS + 2;

/// Counts what JavaScript's `length` does.
struct Characters;

impl Tokenizer for Characters {
    fn count(&self, text: &str) -> u64 {
        text.chars().map(|character| character.len_utf16() as u64).sum()
    }
}

/// What counts; without a name, characters.
pub(super) fn counter(encoding: &str) -> Result<Rc<dyn Tokenizer>> {
    if encoding.is_empty() {
        return Ok(Rc::new(Characters));
    }
    let found = EncodingName::from_name(encoding).and_then(loaded)?;
    Ok(found)
}

/// Everything that crosses, by file.
struct Asked<'a> {
    names: &'a [String],
    texts: &'a [String],
    languages: &'a [String],
    diffs: &'a [String],
    rows: Vec<&'a [f64]>,
    selections: Vec<&'a [f64]>,
}

impl<'a> Asked<'a> {
    fn diff(&self, at: usize) -> Option<&'a str> {
        (self.rows[at][SETTINGS] == 1.0).then(|| self.diffs[at].as_str())
    }

    /// Selections of a file in bytes; what lies behind the text is its end, and ends come in order.
    fn selected(&self, at: usize) -> Vec<(u32, u32)> {
        let (text, numbers) = (&self.texts[at], self.selections[at]);
        let places = if numbers.is_empty() { Vec::new() } else { bytes(text) };
        let length = text.len() as u32;
        let byte = |unit: f64| match places.is_empty() {
            true => (unit as u32).min(length),
            false => places.get(unit as usize).copied().unwrap_or(length),
        };
        let pair = |pair: &[f64]| (byte(pair[0].min(pair[1])), byte(pair[0].max(pair[1])));
        numbers.chunks_exact(2).map(pair).collect()
    }
}

/// Reduces changed files. `numbers` has for each file what `WIDTH` says, `selections` the selections of all files, one behind the other.
/// `settings`: 1 for Copilot Chat's reduction, the budget, tokens for each file, 1 for numbered lines, batches at most. Without an encoding
/// the budget is in characters. The result is `{ files, tokens }`, `{ split: { needed, batches } }` or `{ tooMany: { needed, batches } }`.
#[expect(clippy::too_many_arguments, reason = "lists cross side by side, which costs less than objects")]
#[wasm_bindgen(js_name = "reduceChanges")]
pub fn reduce_changes(
    names: Vec<String>,
    texts: Vec<String>,
    languages: Vec<String>,
    diffs: Vec<String>,
    numbers: &[f64],
    selections: &[f64],
    settings: &[f64],
    wording: &str,
    encoding: &str,
) -> std::result::Result<JsValue, JsValue> {
    let &[compatible, budget, overhead, numbered, batches] = settings else {
        return Err(to_js(Error::new(Code::BadOption, "five numbers are expected").at("settings")));
    };
    let rows: Vec<&[f64]> = numbers.chunks_exact(WIDTH).collect();
    let mut rest = selections;
    let own = rows.iter().map(|row| {
        let (own, others) = rest.split_at((row[SETTINGS + 1] as usize * 2).min(rest.len()));
        rest = others;
        own
    });
    let selections = own.collect();
    let asked = Asked { names: &names, texts: &texts, languages: &languages, diffs: &diffs, rows, selections };
    let tokenizer = counter(encoding).map_err(to_js)?;
    if compatible == 1.0 {
        return as_copilot_chat(&asked, budget as u64, batches as usize, &*tokenizer);
    }
    let only_selections = (0..texts.len()).all(|at| asked.diff(at).is_none());
    let annotation = if only_selections { Annotation::Selected } else { Annotation::Changed };
    let settings = Settings {
        budget: budget as u64,
        overhead: overhead as u64,
        annotation: (numbered == 1.0).then_some(annotation),
        wording,
        batches: batches as usize,
    };
    ours(&asked, &settings, &*tokenizer)
}

fn ours(
    asked: &Asked<'_>,
    settings: &Settings<'_>,
    tokenizer: &dyn Tokenizer,
) -> std::result::Result<JsValue, JsValue> {
    let mut structures = Vec::new();
    let mut known = Vec::new();
    let mut changed = Vec::new();
    for (at, text) in asked.texts.iter().enumerate() {
        let changes = changed_lines(asked, at).map_err(to_js)?;
        let options = options(&asked.languages[at], &asked.rows[at][..SETTINGS]).map_err(to_js)?;
        structures.push(shared(text, &options).map_err(to_js)?);
        known.push(facts(text, &options).map_err(to_js)?.0);
        changed.push(changes);
    }
    let files: Vec<File> = (changed.into_iter().enumerate())
        .map(|(at, changes)| File {
            name: &asked.names[at],
            text: &asked.texts[at],
            language: &asked.languages[at],
            overlay: &structures[at].overlay,
            items: &known[at].items,
            changes,
        })
        .collect();
    let reduction = reduce(&files, settings, tokenizer).map_err(to_js)?;
    let Reduction::Fits { files, tokens } = reduction else { return Ok(refused(&reduction)) };
    let list = Array::new();
    for (at, file) in files.iter().enumerate() {
        list.push(&encode(file, &asked.texts[at], structures[at].basis));
    }
    Ok(Plain::new().with("files", list).with("tokens", tokens as f64).into())
}

fn changed_lines(asked: &Asked<'_>, at: usize) -> Result<Vec<Change>> {
    let text = asked.texts[at].as_str();
    let mut found = selected(text, asked.selected(at));
    if let Some(written) = asked.diff(at) {
        let path = |error: Error| error.at(format!("files[{at}].diff"));
        let parsed = diff::parse(written).map_err(path)?;
        if let Some(own) = of_file(parsed, &asked.names[at]).map_err(path)? {
            found.extend(changes(text, &own).map_err(path)?);
        }
    }
    sort(&mut found);
    Ok(found)
}

/// Of the files of a diff the one that is meant; nothing of an empty diff.
fn of_file<'d>(mut parsed: Vec<FileDiff<'d>>, name: &str) -> Result<Option<FileDiff<'d>>> {
    if parsed.len() < 2 {
        return Ok(parsed.pop());
    }
    let name = name.replace('\\', "/");
    let exact = parsed.iter().position(|file| file.path() == Some(&name));
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    let found = exact.or_else(|| {
        parsed.iter().position(|file| file.path().is_some_and(|path| ends(&name, path) || ends(path, &name)))
    });
    match found {
        Some(at) => Ok(Some(parsed.swap_remove(at))),
        None => {
            let message = format!("this diff is of {} files, and none of them is {name:?}", parsed.len());
            Err(Error::new(Code::BadDiff, message))
        }
    }
}

fn refused(reduction: &Reduction) -> JsValue {
    let (name, needed, batches): (&str, u64, JsValue) = match reduction {
        Reduction::Split { needed, batches } => {
            let list = batches.iter().map(|batch| batch.iter().map(|at| JsValue::from(*at as u32)).collect::<Array>());
            ("split", *needed, list.collect::<Array>().into())
        }
        Reduction::TooMany { needed, batches } => ("tooMany", *needed, (*batches as u32).into()),
        Reduction::Fits { .. } => ("fits", 0, JsValue::UNDEFINED),
    };
    Plain::new().with(name, Plain::new().with("needed", needed as f64).with("batches", batches)).into()
}

fn encode(file: &Reduced, text: &str, path: Basis) -> JsValue {
    let (before, after) = (Units::new(text), Units::new(&file.text));
    let elisions = Array::new();
    for Elision { start, end, lines, tokens, definitions, marker } in &file.elisions {
        let names: Array = definitions.iter().map(|name| JsValue::from(name.as_str())).collect();
        let at = |byte| JsValue::from(after.of(&file.text, byte));
        let elision = Plain::new()
            .with("start", before.of(text, *start))
            .with("end", before.of(text, *end))
            .with("lines", Array::of2(&(lines.start + 1).into(), &lines.end.into()))
            .with("tokens", *tokens as f64)
            .with("definitions", names)
            .with("marker", Array::of2(&at(marker.0), &at(marker.1)));
        elisions.push(&elision.into());
    }
    Plain::new()
        .with("text", file.text.as_str())
        .with("tokens", file.tokens as f64)
        .with("step", file.step.as_str())
        .with("elisions", elisions)
        .with("basis", basis(path))
        .into()
}

fn as_copilot_chat(
    asked: &Asked<'_>,
    budget: u64,
    batches: usize,
    tokenizer: &dyn Tokenizer,
) -> std::result::Result<JsValue, JsValue> {
    let mut trees = Vec::new();
    for (at, text) in asked.texts.iter().enumerate() {
        let options = options(&asked.languages[at], &asked.rows[at][..SETTINGS]).map_err(to_js)?;
        let grammar = loaded_grammar(&asked.languages[at]).map_err(to_js)?;
        let parsed = grammar.and_then(|(grammar, _)| {
            let tree = |trees: &mut Trees| grammar.tree(text, Read::Utf16, options.limits, trees);
            Some((TREES.with_borrow_mut(tree).ok()?, grammar))
        });
        trees.push(parsed);
    }
    let mut files = Vec::new();
    for (at, text) in asked.texts.iter().enumerate() {
        let changed = match (asked.diff(at), asked.selected(at).first()) {
            (Some(diff), _) => {
                let hunks = compatible::hunks(diff).map_err(|error| to_js(error.at(format!("files[{at}].diff"))))?;
                compatible::Changed::Hunks(hunks)
            }
            (None, Some((start, end))) => compatible::Changed::Selection(*start, *end),
            (None, None) => compatible::Changed::Nothing,
        };
        let tree = trees[at].as_ref().map(|(parsed, grammar)| (&parsed.tree, grammar.kinds()));
        files.push(compatible::File { text, language: &asked.languages[at], tree, changed });
    }
    let (files, tokens) = match compatible::reduce(&files, budget, batches, tokenizer) {
        compatible::Outcome::Parts { files, tokens } => (files, tokens),
        compatible::Outcome::Refused(reduction) => return Ok(refused(&reduction)),
    };
    let list = Array::new();
    for parts in &files {
        let parts = parts.iter().map(|part| {
            let object = Plain::new().with("startLine", part.start).with("endLine", part.end);
            JsValue::from(object.with("text", part.text.as_str()))
        });
        list.push(&parts.collect::<Array>().into());
    }
    Ok(Plain::new().with("files", list).with("tokens", tokens as f64).into())
}

/// The files of a diff: `{ path, oldPath, newPath, status, binary, hunks, changes }`.
#[wasm_bindgen(js_name = "parseDiff")]
pub fn parse_diff(text: &str) -> std::result::Result<JsValue, JsValue> {
    let list = Array::new();
    for file in diff::parse(text).map_err(|error| to_js(error.at("diff")))? {
        let path = |path: Option<&str>| path.map_or(JsValue::UNDEFINED, JsValue::from);
        let hunks = Array::new();
        for hunk in &file.hunks {
            let lines: Array = (hunk.lines.iter())
                .map(|line| {
                    let sign = match line.side {
                        Side::Both => ' ',
                        Side::New => '+',
                        Side::Old => '-',
                    };
                    JsValue::from(format!("{sign}{}", line.text))
                })
                .collect();
            // As the head of the hunk has it: an empty range names the line that it comes behind.
            let first = |start: u32, count: u32| start + u32::from(count > 0);
            let object = Plain::new()
                .with("oldStart", first(hunk.old_start, hunk.old_lines))
                .with("oldLines", hunk.old_lines)
                .with("newStart", first(hunk.new_start, hunk.new_lines))
                .with("newLines", hunk.new_lines)
                .with("lines", lines);
            hunks.push(&object.into());
        }
        let changes: Array = file
            .changes()
            .into_iter()
            .map(|(start, end)| JsValue::from(Array::of2(&(start + 1).into(), &end.into())))
            .collect();
        let object = Plain::new()
            .with("path", path(file.path()))
            .with("oldPath", path(file.old_path.as_deref()))
            .with("newPath", path(file.new_path.as_deref()))
            .with("status", file.status.as_str())
            .with("binary", file.binary)
            .with("hunks", hunks)
            .with("changes", changes);
        list.push(&object.into());
    }
    Ok(list.into())
}

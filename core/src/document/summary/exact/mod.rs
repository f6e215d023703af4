//! Summaries that are exact: what a budget holds, markers included, and a marker in the place of everything that is missing.
//!
//! In: texts with their structures, a budget that they share. Out: for each the edits that make its summary, and what is missing with its
//! lines, its kind, its names.
//!
//! ```text
//! overlay ─▶ dense tree ─▶ page (rows, and whose they are) ─▶ layout (counts) ─▶ sheet (what shows) ─▶ fill ─▶ write
//! ```
//!
//! What is kept or left out are whole rows: a marker stands on a line of its own, where a comment can stand in nearly every language.
//! `family` says which nodes cannot be left out without breaking what is around them. `fill` takes nodes in the order of the compatible
//! mode (of equals those first that have most text for what they count), goes on past what does not fit, and cuts down what is too long by
//! itself. Near-linear: adding a node costs what its rows are. `layout` is what a second summary of the same text finds ready.

mod around;
mod family;
mod fill;
mod gauge;
mod layout;
mod marker;
mod marks;
mod names;
mod page;
mod sheet;
mod tags;
mod write;

use super::super::Overlay;
use super::super::syntax::NONE;
use super::cost::{Prices, costs};
use super::dense::Dense;
use super::{Edits, Settings, Source};
use crate::error::{BudgetDetails, Code, Contributor, Error, Result};
pub use gauge::Gauge;
pub use layout::{Layout, Layouts};
use sheet::Sheet;

/// A document to be summarised.
#[derive(Debug)]
pub struct Document<'d> {
    /// Its text.
    pub source: &'d Source<'d>,
    /// Its structure.
    pub overlay: &'d Overlay,
    /// Name of its language; for one that is not known by name the ending of its files also serves. Decides how comments look.
    pub language: &'d str,
    /// How comments begin and end, if the host knows better.
    pub comments: Option<(&'d str, &'d str)>,
    /// What is selected, in bytes; empty for a cursor.
    pub selection: Option<(u32, u32)>,
    /// What replaces the usual costs; what has none is never kept, and nothing in it.
    pub prices: Prices<'d>,
    /// What to call it in errors.
    pub name: &'d str,
}

/// What imports are worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Imports {
    /// What their place makes them worth.
    #[default]
    Usual,
    /// They come before everything else.
    First,
    /// They come after everything else.
    Last,
}

/// How documents are summarised.
#[derive(Clone, Copy)]
pub struct Options<'o> {
    /// What all summaries may count together.
    pub budget: u64,
    /// What it is counted in.
    pub gauge: Gauge<'o>,
    /// Lines of the document begin with their numbers.
    pub numbered: bool,
    /// The words of a marker; `{lines}` stands for the lines.
    pub wording: &'o str,
    /// What imports are worth.
    pub imports: Imports,
    /// A stretch that counts at most so many times its marker is kept, at least 1: see [`WORTH`].
    pub worth: u32,
}

/// A marker counts about eight tokens: below some lines it saves little, a reader would rather have the lines, and every marker that is
/// not there leaves room for text. What is left of the budget then is used with more markers, down to stretches as short as theirs.
/// Measured on real files (`benches/documents/kept.mjs`).
pub const WORTH: u32 = 24;

/// The same where a host says what nodes cost.
const TOLD: u32 = 2;

/// Documents of so many rows together are filled with fewer and with more markers, too, and what says most is taken: it takes a moment, and
/// where there is little room markers take much of it.
const SMALL: u32 = 600;

/// Nothing counts for more than this, in steps of density.
const DENSEST: f64 = 8.0;

/// The usual words of a marker.
pub const WORDING: &str = "… {lines} omitted";

/// What is missing at one place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elision {
    /// First byte.
    pub start: u32,
    /// The byte behind it.
    pub end: u32,
    /// Lines as the marker names them: both included, from 1.
    pub lines: (u32, u32),
    /// What it counts.
    pub count: u64,
    /// Kind of what is missing; of the first of several.
    pub kind: Box<str>,
    /// Names of the definitions that are missing whole, in order; at most twenty.
    pub names: Vec<String>,
}

/// One summary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// What makes it of the document.
    pub edits: Edits,
    /// What it counts.
    pub count: u64,
    /// What the document counts.
    pub before: u64,
    /// What is missing, in order.
    pub elisions: Vec<Elision>,
}

/// Summarises documents that share a budget.
///
/// ```
/// use espalier::document::summary::exact::{Document, Gauge, Imports, Options, WORDING, WORTH, summarize};
/// use espalier::document::summary::{Prices, Source};
/// use espalier::document::fold;
/// let text = "fn main() {\n    one();\n    two();\n    three();\n    four();\n    five();\n}\n";
/// let (source, overlay) = (Source::new(text), fold(text, 4, false));
/// let document =
///     Document { source: &source, overlay: &overlay, language: "rust", comments: None, selection: None, prices: Prices::Usual, name: "main.rs" };
/// let options =
///     Options { budget: 50, gauge: Gauge::Characters, numbered: false, wording: WORDING, imports: Imports::Usual, worth: WORTH };
/// let made = summarize(&[document], &options).unwrap().remove(0);
/// assert_eq!(made.edits.apply(text), "fn main() {\n    one();\n    // … 3-6 omitted\n}\n");
/// ```
///
/// # Errors
/// [`Code::BudgetExceeded`] if what is selected, and the markers, do not fit; [`Code::BadOption`] if the wording does not say where the
/// lines go, or would end the comment that it stands in.
pub fn summarize(documents: &[Document<'_>], options: &Options<'_>) -> Result<Vec<Summary>> {
    check_wording(options.wording)?;
    let layouts: Vec<Layout> = documents.iter().map(|document| Layout::new(document, options)).collect();
    summarize_laid_out(documents, &layouts.iter().collect::<Vec<_>>(), options)
}

/// The same for documents that were laid out before, each with options that differ in no more than budget, imports and worth.
///
/// # Errors
/// As [`summarize`].
pub fn summarize_laid_out(
    documents: &[Document<'_>],
    layouts: &[&Layout],
    options: &Options<'_>,
) -> Result<Vec<Summary>> {
    check_wording(options.wording)?;
    let mut sheets: Vec<Sheet<'_>> = Vec::with_capacity(documents.len());
    let mut candidates: Vec<(u64, u32, u32)> = Vec::new();
    let mut any_told = false;
    for (at, (document, layout)) in documents.iter().zip(layouts).enumerate() {
        let never = never(document, &layout.tree);
        let mut ranks: Vec<Option<u64>> = vec![None; layout.tree.nodes.len()];
        for (node, cost) in priced(document, &layout.tree, options.imports) {
            // What shows with something else is no candidate.
            if layout.rows.own[node as usize] == node && never.get(node as usize) != Some(&true) {
                // What says more for what it counts is worth a level or two, unless the host has said what comes first.
                let dense = f64::from(layout.density(node)).min(DENSEST) - layout::STEPS as f64;
                let cost = if matches!(document.prices, Prices::Usual) { cost + dense } else { cost };
                ranks[node as usize] = Some(crate::rank::of(cost));
            }
        }
        // What lies around the overlay is of no kind and has no cost, and rows can be its.
        if layout.tree.nodes.first().is_some_and(|root| root.overlay == NONE) {
            ranks[0] = Some(0);
        }
        let ranked = layout.order.iter().filter_map(|node| ranks[*node as usize].map(|rank| (rank, at as u32, *node)));
        candidates.extend(ranked);
        // Where the host says what comes first, that counts for more than few markers.
        let told = options.imports != Imports::Usual || !matches!(document.prices, Prices::Usual);
        let worth = i64::from(options.worth.clamp(1, if told { TOLD } else { u32::MAX }));
        any_told |= told;
        sheets.push(Sheet::new(document.source.text(), document.overlay, layout, options.gauge, worth));
        if let Some(sheet) = sheets.last_mut() {
            sheet.ban(&never);
        }
    }
    // Of equals those come first that say most for what they count; ties in the order of documents and nodes.
    if documents.len() > 1 {
        crate::rank::sort(&mut candidates, |(_, at, node)| u64::from(layouts[*at as usize].density(*node)));
    }
    crate::rank::sort(&mut candidates, |(cost, _, _)| *cost);
    let budget = i64::try_from(options.budget).unwrap_or(i64::MAX);
    if options.worth > 1 && !any_told && sheets.iter().map(Sheet::rows).sum::<u32>() <= SMALL {
        choose_worth(&mut sheets, documents, &candidates, budget);
    }
    let (mut aim, mut step) = (budget, 1);
    loop {
        if let Err(error) = fill::fill(&mut sheets, documents, &candidates, aim) {
            // What is generous where there is room is too much where there is none.
            if sheets.iter().all(|sheet| sheet.first_worth == 1) {
                return Err(error);
            }
            sheets.iter_mut().for_each(|sheet| {
                sheet.first_worth = (sheet.first_worth / 2).max(1);
                sheet.clear();
            });
            continue;
        }
        let made: Vec<Summary> = sheets
            .iter()
            .zip(documents)
            .map(|(sheet, document)| write::write(sheet, document.source, options.gauge, options.numbered))
            .collect();
        let count: i64 = made.iter().map(|summary| summary.count as i64).sum();
        if count <= budget {
            return Ok(made);
        }
        // Counts of texts can be a token off where a tokenizer is not ours, or punctuation goes on over several lines.
        aim -= (count - budget) * step;
        step *= 2;
        sheets.iter_mut().for_each(Sheet::clear);
    }
}

/// Finds out how short stretches should be that have a marker, so that most text shows.
fn choose_worth(sheets: &mut [Sheet<'_>], documents: &[Document<'_>], candidates: &[(u64, u32, u32)], budget: i64) {
    let usual: Vec<i64> = sheets.iter().map(|sheet| sheet.first_worth).collect();
    let set = |sheets: &mut [Sheet<'_>], (times, parts): (i64, i64)| {
        for (sheet, usual) in sheets.iter_mut().zip(&usual) {
            sheet.first_worth = (usual * times / parts).max(1);
            sheet.clear();
        }
    };
    let mut best = (0, (1, 1));
    for factor in [(1, 1), (1, 2), (2, 1), (1, 4), (1, i64::from(WORTH))] {
        set(sheets, factor);
        if fill::fill(sheets, documents, candidates, budget).is_ok() {
            let said: u64 = sheets.iter().map(Sheet::said).sum();
            if said > best.0 {
                best = (said, factor);
            }
        }
    }
    set(sheets, best.1);
}

fn check_wording(wording: &str) -> Result<()> {
    let bad = |why: &str| Err(Error::new(Code::BadOption, format!("the words of a marker {why}")).at("options.marker"));
    if wording.matches("{lines}").count() != 1 {
        return bad("must have {lines} in them, once");
    }
    if wording.contains(['\n', '\r']) || ["*/", "-->", "--}}"].iter().any(|end| wording.contains(end)) {
        return bad("must not end a line or a comment");
    }
    Ok(())
}

/// What each node of a document costs.
fn priced(document: &Document<'_>, tree: &Dense, imports: Imports) -> Vec<(u32, f64)> {
    let usual = super::Document {
        source: document.source,
        overlay: document.overlay,
        selection: document.selection,
        prices: document.prices,
    };
    let mut costs = costs(&usual, tree, Settings::default());
    if imports != Imports::Usual {
        let kinds: Vec<bool> = document.overlay.kinds.iter().map(|kind| IMPORTS.contains(&&**kind)).collect();
        for (node, cost) in &mut costs {
            let at = tree.nodes[*node as usize];
            let overlay = document.overlay.nodes.get(at.overlay as usize);
            let is_call = || document.overlay.kind(at.overlay as usize) == "call" && document.language == "ruby";
            let requires = || document.source.slice(at.start, at.end).trim_start().starts_with("require");
            let known = overlay.is_some_and(|node| kinds.get(node.kind as usize) == Some(&true));
            if known || is_call() && requires() {
                *cost = if imports == Imports::First { f64::MIN } else { f64::MAX };
            }
        }
    }
    // What is no number (in an empty document) has nothing to show anyway.
    costs.iter_mut().filter(|(_, cost)| cost.is_nan()).for_each(|(_, cost)| *cost = 0.0);
    costs
}

/// The nodes that are never kept, and whatever is in them; none at all if there is no such kind.
fn never(document: &Document<'_>, tree: &Dense) -> Vec<bool> {
    let mut nodes: Vec<bool> = Vec::new();
    let never: Vec<&str> = match document.prices {
        Prices::ByKind(prices) => prices.iter().filter(|(_, cost)| cost.is_none()).map(|(kind, _)| &**kind).collect(),
        _ => Vec::new(),
    };
    let own = match document.prices {
        Prices::ByNode(prices) => prices,
        _ => &[],
    };
    if never.is_empty() && !own.iter().any(|cost| cost.is_nan()) {
        return nodes;
    }
    for node in &tree.nodes {
        let around = nodes.get(node.parent as usize) == Some(&true);
        // The root is of a kind where a document is folded, and all there is.
        let root = node.overlay == 0;
        let is_own = own.get(node.overlay as usize).is_some_and(|cost| cost.is_nan());
        nodes.push(around || !root && (is_own || never.contains(&document.overlay.kind(node.overlay as usize))));
    }
    nodes
}

/// The kinds of nodes that import something, in all languages.
const IMPORTS: &[&str] = &[
    "import_statement",
    "import_from_statement",
    "future_import_statement",
    "import_declaration",
    "import_alias",
    "use_declaration",
    "extern_crate_declaration",
    "namespace_use_declaration",
    "preproc_include",
    "using_directive",
    "using_declaration",
    "extern_alias_directive",
];

/// What must stay does not fit.
fn exceeded(budget: i64, needed: i64, mut largest: Vec<Contributor>) -> Error {
    crate::rank::sort(&mut largest, |contributor| !contributor.tokens);
    largest.truncate(5);
    let top = largest
        .first()
        .map_or(String::new(), |one| format!("; the largest is {} ({}, {})", one.id, one.why, one.tokens));
    Error {
        code: Code::BudgetExceeded,
        message: format!("What must be kept needs {needed}, the budget allows {}{top}", budget.max(0)),
        path: Some("options.budget".into()),
        budget: Some(BudgetDetails { budget: budget.max(0) as u64, needed: needed.max(0) as u64, largest }),
    }
}

/// The topmost node that does not show and holds a node.
fn topmost(sheet: &Sheet<'_>, node: u32) -> u32 {
    let mut at = node;
    loop {
        let above = sheet.page.above.get(at as usize).copied().unwrap_or(NONE);
        if above == NONE || sheet.chosen[above as usize] {
            return at;
        }
        at = above;
    }
}

//! Summaries: documents cut down to a budget while they still read as code.
//!
//! In: texts with their structures, a selection in each, a budget that they share. Out: for each the edits that make
//! its summary, and the lines, kinds and names of what is missing. Start with [`summarize`].
//!
//! ```text
//! overlay ─▶ dense tree ─▶ page (rows and their owners) ─▶ layout (counts) ─▶ sheet (shown rows) ─▶ fill ─▶ write
//! ```
//!
//! There are two rule sets, see [`Rules`]. The exact rules keep or leave out whole lines, since a comment can have a
//! line of its own in nearly every language; every elision has a marker, and the fill goes on past what does not fit.
//! `family` says which nodes cannot be left out without breaking the code around them. `compatible` has what differs
//! under the rules of the compatible mode, and `select` adjusts selections for it. Adding a node takes time
//! proportional to its rows. A second summary of the same text reuses its layout.

mod around;
mod compatible;
mod cost;
mod dense;
mod edits;
mod family;
mod fill;
mod gauge;
mod headings;
mod layout;
mod marker;
mod marks;
mod names;
mod needs;
mod page;
mod select;
mod sheet;
mod source;
mod tags;
mod write;

use super::Overlay;
use super::syntax::NONE;
use crate::error::{BudgetDetails, Code, Contributor, Error, Result};
pub use compatible::{Lines, Settings};
pub use cost::{Imports, Prices, usual};
use cost::{never, priced};
pub use edits::{Edit, Edits};
pub use gauge::Gauge;
pub use layout::{Layout, Layouts};
pub use select::adjust;
use sheet::Sheet;
pub use source::Source;

/// A document to summarise.
#[derive(Debug)]
pub struct Document<'d> {
    /// Its text.
    pub source: &'d Source<'d>,
    /// Its structure.
    pub overlay: &'d Overlay,
    /// The name of its language, or the extension of its files if the language is unknown. Decides the syntax of
    /// comments.
    pub language: &'d str,
    /// How comments begin and end, if the host says so.
    pub comments: Option<(&'d str, &'d str)>,
    /// The selection in bytes; empty for a cursor.
    pub selection: Option<(u32, u32)>,
    /// What replaces the usual costs.
    pub prices: Prices<'d>,
    /// What errors call it.
    pub name: &'d str,
}

impl<'d> Document<'d> {
    /// Returns a document of an unknown language, with the usual costs and no selection.
    pub fn new(source: &'d Source<'d>, overlay: &'d Overlay) -> Document<'d> {
        let (language, name) = ("", "");
        Document { source, overlay, language, comments: None, selection: None, prices: Prices::Usual, name }
    }
}

/// The rules of a summary.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Rules {
    /// A summary never exceeds its budget, and every elision has a marker.
    #[default]
    Exact,
    /// What microsoft/vscode-copilot-chat at 31acd00a does.
    Compatible(Settings),
}

/// How documents are summarised. See [`Options::compatible`] for the compatible rules.
#[derive(Clone, Copy)]
pub struct Options<'o> {
    /// The maximum count of all summaries together.
    pub budget: u64,
    /// The unit of the budget.
    pub gauge: Gauge<'o>,
    /// Whether lines of the document begin with their numbers.
    pub numbered: bool,
    /// The words of a marker; `{lines}` is replaced by the lines.
    pub wording: &'o str,
    /// What imports are worth.
    pub imports: Imports,
    /// A stretch that counts at most this many times its marker is kept; at least 1. See [`WORTH`].
    pub worth: u32,
    /// The rules.
    pub rules: Rules,
}

impl Default for Options<'_> {
    /// Returns exact rules with a budget of 0 characters.
    fn default() -> Options<'static> {
        let (gauge, imports, rules) = (Gauge::Characters, Imports::Usual, Rules::Exact);
        Options { budget: 0, gauge, numbered: false, wording: WORDING, imports, worth: WORTH, rules }
    }
}

/// A marker counts about eight tokens. In place of a few lines it saves little, and every omitted marker leaves room
/// for text. The rest of the budget is then filled with more markers, for stretches down to the length of a marker.
/// Measured on real files (`benches/documents/kept.mjs`).
pub const WORTH: u32 = 24;

/// The same if a host says what nodes cost.
const TOLD: u32 = 2;

/// Up to this many rows in all documents, the fill is run with fewer and with more markers, and the summary that shows
/// most text is returned: this takes little time, and markers take much of a small budget.
const SMALL: u32 = 600;

/// The maximum effect of density on the order, in its steps.
const DENSEST: f64 = 8.0;

/// The default words of a marker.
pub const WORDING: &str = "… {lines} omitted";

/// An omitted stretch of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Elision {
    /// Its first byte.
    pub start: u32,
    /// The byte behind it.
    pub end: u32,
    /// Its lines as the marker names them: both included, from 1.
    pub lines: (u32, u32),
    /// What it counts.
    pub count: u64,
    /// The kind of the first omitted node.
    pub kind: Box<str>,
    /// The names of the definitions that are omitted whole, in order; at most twenty.
    pub names: Vec<String>,
}

/// One summary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// The edits that turn the document into its summary.
    pub edits: Edits,
    /// What it counts.
    pub count: u64,
    /// What the document counts.
    pub before: u64,
    /// What is missing, in order; empty under the compatible rules.
    pub elisions: Vec<Elision>,
}

/// Summarises documents that share a budget.
///
/// ```
/// use espalier::document::summary::{Document, Lines, Options, Settings, Source, summarize};
/// use espalier::document::fold;
/// let text = "fn main() {\n    one();\n    two();\n    three();\n    four();\n    five();\n}\n";
/// let (source, overlay) = (Source::new(text), fold(text, 4, false));
/// let document = Document { language: "rust", name: "main.rs", ..Document::new(&source, &overlay) };
/// let options = Options { budget: 50, ..Options::default() };
/// let summary = summarize(&[document], &options).unwrap().remove(0);
/// assert_eq!(summary.edits.apply(text), "fn main() {\n    one();\n    // … 3-6 omitted\n}\n");
///
/// let settings = Settings { lines: Lines::Omitted, ..Settings::default() };
/// let options = Options::compatible(40.0, settings);
/// let compatible = summarize(&[Document::new(&source, &overlay)], &options).unwrap().remove(0);
/// assert_eq!(compatible.edits.apply(text), "fn main() {/* Lines 2-7 omitted */}\n");
/// ```
///
/// # Errors
/// [`Code::BudgetExceeded`] if the selection and the markers do not fit; [`Code::BadOption`] if the wording does not
/// have `{lines}` exactly once, or would end its comment. None under the compatible rules.
pub fn summarize(documents: &[Document<'_>], options: &Options<'_>) -> Result<Vec<Summary>> {
    check_wording(options.wording)?;
    let layouts: Vec<Layout> = documents.iter().map(|document| Layout::new(document, options)).collect();
    summarize_laid_out(documents, &layouts.iter().collect::<Vec<_>>(), options)
}

/// Summarises documents whose layouts were made earlier, with options that differ in no more than budget, imports and
/// worth.
///
/// # Errors
/// The same as for [`summarize`].
pub fn summarize_laid_out(
    documents: &[Document<'_>],
    layouts: &[&Layout],
    options: &Options<'_>,
) -> Result<Vec<Summary>> {
    check_wording(options.wording)?;
    let is_exact = options.rules == Rules::Exact;
    let mut sheets: Vec<Sheet<'_>> = Vec::with_capacity(documents.len());
    let mut candidates: Vec<(u64, u32, u32)> = Vec::new();
    let mut any_told = false;
    for (at, (document, layout)) in documents.iter().zip(layouts).enumerate() {
        // The compatible rules keep nodes in a node that has no cost.
        let never = if is_exact { never(document, &layout.tree) } else { Vec::new() };
        let mut ranks: Vec<Option<u64>> = vec![None; layout.tree.nodes.len()];
        for (node, cost) in priced(document, &layout.tree, options) {
            // A node that shows with another one is no candidate.
            if layout.rows.own[node as usize] == node && never.get(node as usize) != Some(&true) {
                // A dense node is worth up to two levels more, unless the host says what comes first.
                let dense = f64::from(layout.density(node)).min(DENSEST) - layout::STEPS as f64;
                let is_usual = is_exact && matches!(document.prices, Prices::Usual);
                ranks[node as usize] = Some(crate::rank::of(if is_usual { cost + dense } else { cost }));
            }
        }
        // A root around the overlay has no kind and no cost, but can own rows.
        if is_exact && layout.tree.nodes.first().is_some_and(|root| root.overlay == NONE) {
            ranks[0] = Some(0);
        }
        let ranked = layout.order.iter().filter_map(|node| ranks[*node as usize].map(|rank| (rank, at as u32, *node)));
        candidates.extend(ranked);
        // An order that the host states matters more than few markers.
        let told = options.imports != Imports::Usual || !matches!(document.prices, Prices::Usual);
        let worth = i64::from(options.worth.clamp(1, if told { TOLD } else { u32::MAX }));
        any_told |= told;
        sheets.push(Sheet::new(document.source.text(), document.overlay, layout, options.gauge, worth));
        if let Some(sheet) = sheets.last_mut() {
            sheet.ban(&never);
        }
    }
    // At equal cost denser nodes come first, then the order of documents and nodes decides.
    if documents.len() > 1 {
        crate::rank::sort(&mut candidates, |(_, at, node)| u64::from(layouts[*at as usize].density(*node)));
    }
    crate::rank::sort(&mut candidates, |(cost, _, _)| *cost);
    let budget = i64::try_from(options.budget).unwrap_or(i64::MAX);
    if options.worth > 1 && !any_told && is_exact && sheets.iter().map(Sheet::rows).sum::<u32>() <= SMALL {
        choose_worth(&mut sheets, documents, &candidates, budget);
    }
    let (mut aim, mut step) = (budget, 1);
    loop {
        if let Err(error) = fill::fill(&mut sheets, documents, &candidates, aim) {
            // With little room, short stretches need markers as well.
            if sheets.iter().all(|sheet| sheet.first_worth == 1) {
                let Some(BudgetDetails { needed, largest, .. }) = error.budget else { return Err(error) };
                // The aim is lower than the budget by what counts were off. They can be off for the needed budget, too.
                let needed = needed + (budget - aim) as u64;
                let again = summarize_laid_out(documents, layouts, &Options { budget: needed, ..*options });
                let more = again.err().and_then(|error| error.budget).map_or(needed, |budget| budget.needed);
                return Err(exceeded(budget, more as i64, largest));
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
            .map(|(sheet, document)| write::write(sheet, document.source, options.gauge))
            .collect();
        let count: i64 = made.iter().map(|summary| summary.count as i64).sum();
        if count <= budget || !is_exact {
            return Ok(made);
        }
        // Counts can be a token off with a tokenizer of the host, or if punctuation continues over several lines.
        aim -= (count - budget) * step;
        step *= 2;
        sheets.iter_mut().for_each(Sheet::clear);
    }
}

/// Finds the minimum length of stretches with a marker at which most text shows.
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

/// Returns the error for content that must stay and does not fit.
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

/// Returns the topmost omitted node that contains `node`.
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

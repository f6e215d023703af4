//! Summaries: documents cut down to a budget while they still read as code.
//!
//! In: texts with their structures, a selection in each, a limit that they share. Out: texts, and the edits that made them.
//!
//! `dense` covers every character of a document by a node, `cost` says which nodes matter, `living` knows how long the text of those
//! that were chosen is without writing it, `render` writes it, `edits` carries positions from one text to the other, and `select` turns a
//! selection into one of whole nodes.
//!
//! These are the rules of the compatible mode: limits are in UTF-16 units, the fill stops at the first node that does not fit, and what
//! touches the selection stays whatever the limit is.

mod cost;
mod dense;
mod edits;
pub mod exact;
mod living;
mod render;
mod select;
mod source;

use super::Overlay;
use cost::costs;
pub use cost::{Prices, usual};
use dense::Dense;
pub use edits::{Edit, Edits};
use living::Living;
pub use select::adjust;
pub use source::Source;

/// A document to be summarised.
#[derive(Debug)]
pub struct Document<'d> {
    /// Its text.
    pub source: &'d Source<'d>,
    /// Its structure.
    pub overlay: &'d Overlay,
    /// What is selected, in bytes; empty for a cursor.
    pub selection: Option<(u32, u32)>,
    /// What its nodes cost; nothing for the usual rule.
    pub prices: Prices<'d>,
}

/// How a summary is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settings {
    /// Markers are comments, and imports cost nothing.
    pub preserve_types: bool,
    /// Elisions between two pieces are always marked.
    pub always_mark: bool,
    /// How lines are numbered.
    pub lines: Lines,
}

/// How the lines of a summary are numbered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lines {
    /// Not at all.
    #[default]
    None,
    /// Markers say which lines are missing.
    Omitted,
    /// Every line begins with its number.
    Full,
}

/// One summary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// The text.
    pub text: String,
    /// What was done to the document.
    pub edits: Edits,
}

/// Summarises documents that share a limit in UTF-16 units.
///
/// Near-linear in nodes: a node that is added costs as much as it is deep.
pub fn summarize(documents: &[Document<'_>], limit: f64, settings: Settings) -> Vec<Summary> {
    let trees: Vec<Dense> = documents.iter().map(|document| Dense::new(document.overlay, document.source)).collect();
    let mut living: Vec<Living<'_>> =
        documents.iter().zip(&trees).map(|(document, tree)| Living::new(document.source, tree, settings)).collect();
    let mut candidates: Vec<(f64, usize, u32)> = Vec::new();
    for (at, ((document, tree), living)) in documents.iter().zip(&trees).zip(&mut living).enumerate() {
        if let Some(selection) = document.selection {
            for node in tree.touched(selection) {
                living.add(node);
            }
        }
        let costs = costs(document, tree, settings);
        // What is no number (in an empty document) has nothing to show anyway.
        let number = |cost: f64| if cost.is_nan() { 0.0 } else { cost };
        candidates.extend(costs.into_iter().map(|(node, cost)| (number(cost), at, node)));
    }
    // Ties in the order of documents and nodes. (Adding nothing makes of a negative zero a zero.)
    crate::rank::sort(&mut candidates, |(cost, ..)| crate::rank::of(*cost + 0.0));

    let mut units: u64 = living.iter().map(|living| living.units()).sum();
    let mut feeds: u64 = living.iter().map(|living| living.feeds()).sum();
    for (_, at, node) in candidates {
        let document = &mut living[at];
        let before = (document.units(), document.feeds());
        let added = document.add(node);
        units = units + document.units() - before.0;
        feeds = feeds + document.feeds() - before.1;
        let numbers = match settings.lines {
            Lines::Full => feeds as f64 * prefix(documents[at].source.lines()).len() as f64,
            _ => 0.0,
        };
        if units as f64 + numbers > limit {
            document.forget(&added);
            break;
        }
    }
    living.iter().map(|living| render::write(living, settings)).collect()
}

/// What a line begins with where lines are numbered.
fn prefix(line: u32) -> String {
    format!("{line}: ")
}

//! The facts of a document that make parsing it again unnecessary: its definitions, and how often it mentions each
//! name.

use std::rc::Rc;

use super::items::{Item, folds, is_word, items};
use crate::document::parse::Units;
use crate::document::syntax::{Kinds, SyntaxTree};
use crate::document::trees::Trees;
use crate::document::{Basis, Grammar, Options, Why, folded};
use crate::map::HashMap;

/// The facts of one document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Its definitions, in order.
    pub items: Vec<Item>,
    /// Its names, concatenated.
    names: Box<str>,
    /// For each name, sorted, its end in `names` and how often it occurs.
    counts: Vec<(u32, u32)>,
    /// The origin of the facts.
    pub basis: Basis,
}

impl Facts {
    /// Returns the names and how often each occurs, definitions included.
    pub fn names(&self) -> impl Iterator<Item = (&str, u32)> {
        let mut start = 0;
        self.counts.iter().map(move |(end, count)| {
            let name = self.names.get(start..*end as usize).unwrap_or_default();
            start = *end as usize;
            (name, *count)
        })
    }

    /// Returns the memory of the facts in bytes.
    pub fn memory(&self) -> usize {
        self.items.len() * size_of::<Item>() + self.names.len() + self.counts.len() * 8 + size_of::<Facts>()
    }
}

/// The maximum length of a name. Longer ones are data.
const LONGEST: usize = 100;

/// Returns the facts of a document. Never fails: without a syntax tree, folds are the definitions and all words are
/// names. `trees` can have the tree already.
pub fn facts(text: &str, grammar: Option<&Grammar>, options: &Options<'_>, trees: &mut Trees) -> Facts {
    let parsed = grammar.ok_or(Why::NoGrammar).and_then(|grammar| {
        // A language without a query is unknown, and folds are better than nothing.
        let parsed = grammar.tree(text, Units::Utf8, options.limits, trees)?;
        Ok((grammar, parsed))
    });
    match parsed {
        Ok((grammar, parsed)) => {
            let basis = Basis::Syntax { has_errors: parsed.has_errors, work: parsed.work };
            let found = items(&parsed.tree, grammar.kinds(), text);
            let (names, counts) = packed(leaves(&parsed.tree, grammar.kinds(), text));
            Facts { items: found, names, counts, basis }
        }
        Err(why) => {
            let structure = folded(text, options, why);
            let (names, counts) = packed(words(text));
            Facts { items: folds(&structure.overlay, text), names, counts, basis: structure.basis }
        }
    }
}

/// Returns the names among the leaves of a tree.
fn leaves<'t>(tree: &'t SyntaxTree, kinds: &'t Kinds, text: &'t str) -> impl Iterator<Item = &'t str> {
    let words: Vec<bool> =
        (0..kinds.len() as u32).map(|kind| kinds.is_named(kind) && is_word(kinds.name(kind))).collect();
    tree.nodes().iter().enumerate().filter_map(move |(at, node)| {
        let leaf = node.behind as usize == at + 1 && words.get(node.kind as usize) == Some(&true);
        if leaf { text.get(node.start as usize..node.end as usize) } else { None }
    })
}

/// Returns the words of a text that could be names.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let breaks = |c: char| !(c.is_alphanumeric() || c == '_');
    text.split(breaks).filter(|word| word.starts_with(|c: char| c.is_alphabetic() || c == '_'))
}

fn packed<'t>(names: impl Iterator<Item = &'t str>) -> (Box<str>, Vec<(u32, u32)>) {
    let mut counts: HashMap<&str, u32> = HashMap::default();
    for name in names.filter(|name| !name.is_empty() && name.len() <= LONGEST) {
        *counts.entry(name).or_default() += 1;
    }
    let mut sorted: Vec<(&str, u32)> = counts.into_iter().collect();
    crate::rank::sort_by(&mut sorted, |one, other| one.0.cmp(other.0));
    let mut packed = String::new();
    let ends = sorted
        .into_iter()
        .map(|(name, count)| {
            packed.push_str(name);
            (packed.len() as u32, count)
        })
        .collect();
    (packed.into_boxed_str(), ends)
}

/// Facts with several readers.
pub type SharedFacts = Rc<Facts>;

//! Documents: the structure of a source file.
//!
//! In: a text and, if there is one, its grammar. Out: its structure ([`Overlay`]), and summaries within a budget.
//! Start: [`structure`].
//!
//! ```text
//! text ─▶ parse ─▶ SyntaxTree ─▶ query ─▶ captures ─▶ overlay ─▶ comments ─▶ Overlay
//!   └──▶ (no grammar, no query, too long, too hard) ─────────▶ indent ────────▶
//! ```
//!
//! `language` has the captured nodes of each language, `cache` keeps overlays, and `trees` keeps the last few trees.
//! `summary` cuts documents down to a budget. The modules that run less often (`changed`, `outline`, `dylink`) are in
//! the crate `espalier`, which is compiled for size. The compatible mode follows microsoft/vscode-copilot-chat at
//! 31acd00a.

pub mod cache;
pub mod comment_syntax;
mod comments;
pub mod embedded;
mod indent;
pub mod language;
mod markdown;
mod overlay;
pub mod parse;
pub mod query;
pub mod summary;
pub mod syntax;
pub mod trees;
pub mod units;

use std::rc::Rc;

use indent::fold_by;
pub use indent::{SECTION, fold};
pub use language::{Language, Mode};
pub use overlay::{Overlay, OverlayNode};
use parse::{Limits, Pruning, Stopped, Units};
use query::{Bound, Query, Unknown};
use syntax::{Kinds, SyntaxTree};
use trees::Trees;

use crate::error::Result;

/// The default width of a tab, as in editors.
pub const TAB: usize = 4;

/// A grammar and the nodes that are captured in its trees.
#[derive(Debug)]
pub struct Grammar {
    runtime: Option<tree_sitter::Language>,
    kinds: Kinds,
    /// Indexed by [`Mode`].
    queries: [Option<Bound>; 2],
    rules: [language::Rules; 2],
    pruning: Pruning,
}

impl Grammar {
    /// Returns the grammar of a known language.
    ///
    /// # Errors
    /// Only if the built-in tables are inconsistent (a bug).
    pub fn built_in(language: &Language, runtime: tree_sitter::Language) -> Result<Grammar> {
        let kinds = parse::kinds(&runtime);
        let mut grammar = Grammar::of_kinds(language, kinds)?;
        let (names, triggers) = language.opaque();
        grammar.pruning.opaque = by_kind(&grammar.kinds, names);
        grammar.pruning.triggers = triggers.to_vec();
        grammar.runtime = Some(runtime);
        Ok(grammar)
    }

    /// Returns the queries of a language for trees that the host parsed. `kinds` are the kinds of these trees.
    ///
    /// # Errors
    /// Only if the built-in tables are inconsistent (a bug).
    pub fn of_kinds(language: &Language, kinds: Kinds) -> Result<Grammar> {
        let bind = |mode| -> Result<Option<Bound>> {
            let Some((query, supertypes)) = language.query(mode)? else { return Ok(None) };
            query.bind(&kinds, &supertypes, Unknown::Never).map(Some)
        };
        let queries = [bind(Mode::Default)?, bind(Mode::Compatible)?];
        let rules = [language.rules(Mode::Default), language.rules(Mode::Compatible)];
        // Newer grammars of Go wrap the statements of a block in one more node.
        let transparent = if language.grammar == "go" { by_kind(&kinds, "statement_list") } else { Vec::new() };
        let pruning = Pruning { transparent, ..Pruning::default() };
        Ok(Grammar { runtime: None, kinds, queries, rules, pruning })
    }

    /// Returns a grammar of the host with its query, which serves both modes.
    ///
    /// # Errors
    /// [`Code::BadQuery`](crate::error::Code::BadQuery) if the query is malformed or names a kind or field that the
    /// grammar does not have.
    pub fn of_host(runtime: tree_sitter::Language, query: Option<&str>) -> Result<Grammar> {
        let kinds = parse::kinds(&runtime);
        let mut grammar = Grammar::of_host_kinds(kinds, query)?;
        grammar.runtime = Some(runtime);
        Ok(grammar)
    }

    /// Returns the queries of the host for trees that the host parsed.
    ///
    /// # Errors
    /// The same as for [`Grammar::of_host`].
    pub fn of_host_kinds(kinds: Kinds, query: Option<&str>) -> Result<Grammar> {
        let query = query.map(Query::parse).transpose()?;
        let bind = || query.as_ref().map(|query| query.bind(&kinds, &[], Unknown::Refused)).transpose();
        let queries = [bind()?, bind()?];
        let rules = language::Rules { constructors: false, trailing: true, leading: true };
        Ok(Grammar { runtime: None, kinds, queries, rules: [rules; 2], pruning: Pruning::default() })
    }

    /// Returns the names of the kinds and fields.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// Returns the whole tree of a text, with every visible node of the grammar.
    ///
    /// # Errors
    /// [`Why`] there is no tree.
    pub fn tree(
        &self,
        text: &str,
        units: Units,
        limits: Limits,
        trees: &mut Trees,
    ) -> std::result::Result<parse::Parsed, Why> {
        let runtime = self.runtime.as_ref().ok_or(Why::NoGrammar)?;
        trees.parse(runtime, text, units, limits, &Pruning::default()).map_err(Why::from)
    }

    /// Returns the overlay of a tree of this grammar; `None` if this mode captures nothing in this language.
    pub fn overlay(&self, tree: &SyntaxTree, text: &str, mode: Mode) -> Option<Overlay> {
        let query = self.queries[mode as usize].as_ref()?;
        let rules = &self.rules[mode as usize];
        let captured = query.run(tree, &self.kinds);
        let overlay = overlay::build(tree, &self.kinds, text, &captured, rules, mode);
        Some(if rules.leading { comments::attach(overlay, text) } else { overlay })
    }
}

/// Returns for each kind whether it has one of `names`, which are separated by blanks.
fn by_kind(kinds: &Kinds, names: &str) -> Vec<bool> {
    let mut list = vec![false; kinds.len()];
    let found = names.split_whitespace().flat_map(|name| kinds.find(name, true));
    found.for_each(|kind| list[*kind as usize] = true);
    list
}

/// The origin of an overlay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// A syntax tree.
    Syntax {
        /// Whether the text has syntax errors. The tree is then the parser's best guess.
        has_errors: bool,
        /// The work of parsing, in hundreds of parser operations. 0 for a tree of the host; small if an earlier version
        /// of the text was parsed before.
        work: u64,
    },
    /// Indentation.
    Indentation {
        /// Why there is no tree.
        why: Why,
    },
}

/// Why a document is folded by indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The language has no grammar, or its grammar is not loaded.
    NoGrammar,
    /// This mode captures nothing in this language.
    NoQuery,
    /// The text is longer than the limit for parsing.
    TooLong,
    /// Parsing takes more work than the limit.
    TooHard,
    /// The runtime does not support the grammar.
    BadGrammar,
}

impl Why {
    /// Returns the name in JavaScript.
    pub fn as_str(self) -> &'static str {
        match self {
            Why::NoGrammar => "noGrammar",
            Why::NoQuery => "noQuery",
            Why::TooLong => "tooLong",
            Why::TooHard => "tooHard",
            Why::BadGrammar => "badGrammar",
        }
    }
}

impl From<Stopped> for Why {
    fn from(stopped: Stopped) -> Why {
        match stopped {
            Stopped::TooLong => Why::TooLong,
            Stopped::TooHard => Why::TooHard,
            Stopped::Grammar => Why::BadGrammar,
        }
    }
}

/// The structure of a document and its origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    /// The overlay; offsets are in bytes.
    pub overlay: Overlay,
    /// Its origin.
    pub basis: Basis,
}

/// The options that the structure of a document depends on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options<'o> {
    /// The identifier of the language; folding by indentation depends on it.
    pub language: &'o str,
    /// The mode.
    pub mode: Mode,
    /// The width of a tab in columns; 0 for [`TAB`].
    pub tab: usize,
    /// The limits of parsing.
    pub limits: Limits,
}

/// Returns the structure of a document. Never fails: a text that cannot be parsed is folded by indentation.
pub fn structure(text: &str, grammar: Option<&Grammar>, options: &Options<'_>) -> Structure {
    structure_with(text, grammar, options, &mut Trees::new(0))
}

/// Returns the structure of a document, updating the tree of an earlier version of the text if `trees` has one.
pub fn structure_with(text: &str, grammar: Option<&Grammar>, options: &Options<'_>, trees: &mut Trees) -> Structure {
    match parsed(text, grammar, options, trees) {
        Ok(structure) => structure,
        Err(why) => folded(text, options, why),
    }
}

/// Returns the structure of a document that the host parsed.
pub fn structure_of_tree(text: &str, grammar: &Grammar, tree: &SyntaxTree, options: &Options<'_>) -> Structure {
    let spliced = (!grammar.pruning.transparent.is_empty()).then(|| tree.without(&grammar.pruning.transparent));
    match grammar.overlay(spliced.as_ref().unwrap_or(tree), text, options.mode) {
        Some(overlay) => Structure { overlay, basis: Basis::Syntax { has_errors: false, work: 0 } },
        None => folded(text, options, Why::NoQuery),
    }
}

/// Returns the structure of a document by its indentation alone.
pub fn folded(text: &str, options: &Options<'_>, why: Why) -> Structure {
    let tab = if options.tab == 0 { TAB } else { options.tab };
    let overlay = fold_by(text, tab, options.language, options.mode);
    Structure { overlay, basis: Basis::Indentation { why } }
}

fn parsed(
    text: &str,
    grammar: Option<&Grammar>,
    options: &Options<'_>,
    trees: &mut Trees,
) -> std::result::Result<Structure, Why> {
    let grammar = grammar.ok_or(Why::NoGrammar)?;
    let runtime = grammar.runtime.as_ref().ok_or(Why::NoGrammar)?;
    if grammar.queries[options.mode as usize].is_none() {
        return Err(Why::NoQuery);
    }
    // The compatible mode parses the text in UTF-16, as its reference does. This makes a difference if the text has
    // errors.
    let units = if options.mode == Mode::Compatible { Units::Utf16 } else { Units::Utf8 };
    let parsed = trees.parse(runtime, text, units, options.limits, &grammar.pruning).map_err(Why::from)?;
    let overlay = grammar.overlay(&parsed.tree, text, options.mode).ok_or(Why::NoQuery)?;
    Ok(Structure { overlay, basis: Basis::Syntax { has_errors: parsed.has_errors, work: parsed.work } })
}

/// A structure with several readers.
pub type Shared = Rc<Structure>;

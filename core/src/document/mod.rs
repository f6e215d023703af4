//! Documents: the structure of a source file.
//!
//! In: a text, its language, and a grammar if there is one. Out: an [`Overlay`], the tree of what a summary can keep or leave out,
//! and a word on how it came about ([`Basis`]). Start with `overlay`.
//!
//! ```text
//! text ─▶ parse ─▶ SyntaxTree ─▶ query ─▶ captures ─▶ overlay ─▶ comments ─▶ Overlay
//!   └──▶ (no grammar, no query, too long, too hard) ─────────▶ indent ────────▶
//! ```
//!
//! `language` says what is captured in which language, `cache` keeps overlays, `trees` the last few trees. What is not called for every
//! summary (`changed`, `outline`, `dylink`) is compiled for size, with the rest of the engine: `lib.rs` adds it to this module. The rules of
//! the compatible mode are those of microsoft/vscode-copilot-chat at 31acd00a.

pub mod cache;
pub mod comment_syntax;
mod comments;
mod indent;
pub mod language;
mod overlay;
pub mod parse;
pub mod query;
pub mod summary;
pub mod syntax;
pub mod trees;
pub mod units;

use std::rc::Rc;

pub use indent::fold;
pub use language::{Language, Mode};
pub use overlay::{Overlay, OverlayNode};
use parse::{Limits, Pruning, Stopped, Units};
use query::{Bound, Query, Unknown};
use syntax::{Kinds, SyntaxTree};
use trees::Trees;

use crate::error::Result;

/// Width of a tab where nobody says otherwise: that of editors.
pub const TAB: usize = 4;

/// A grammar together with what is captured in its trees.
#[derive(Debug)]
pub struct Grammar {
    runtime: Option<tree_sitter::Language>,
    kinds: Kinds,
    /// By [`Mode`].
    queries: [Option<Bound>; 2],
    rules: [language::Rules; 2],
    pruning: Pruning,
}

impl Grammar {
    /// The grammar of a language known by name.
    ///
    /// # Errors
    /// None but for a mistake in the tables.
    pub fn built_in(language: &Language, runtime: tree_sitter::Language) -> Result<Grammar> {
        let kinds = parse::kinds(&runtime);
        let mut grammar = Grammar::of_kinds(language, kinds)?;
        let (names, triggers) = language.opaque();
        grammar.pruning.opaque = by_kind(&grammar.kinds, names);
        grammar.pruning.triggers = triggers.to_vec();
        grammar.runtime = Some(runtime);
        Ok(grammar)
    }

    /// The queries of a language for trees that others parsed, whose kinds are `kinds`.
    ///
    /// # Errors
    /// None but for a mistake in the tables.
    pub fn of_kinds(language: &Language, kinds: Kinds) -> Result<Grammar> {
        let bind = |mode| -> Result<Option<Bound>> {
            let Some((query, supertypes)) = language.query(mode)? else { return Ok(None) };
            query.bind(&kinds, &supertypes, Unknown::Never).map(Some)
        };
        let queries = [bind(Mode::Default)?, bind(Mode::Compatible)?];
        let rules = [language.rules(Mode::Default), language.rules(Mode::Compatible)];
        // Newer grammars of Go wrap the statements of a block once more.
        let transparent = if language.grammar == "go" { by_kind(&kinds, "statement_list") } else { Vec::new() };
        let pruning = Pruning { transparent, ..Pruning::default() };
        Ok(Grammar { runtime: None, kinds, queries, rules, pruning })
    }

    /// A grammar of the host's own, with its query, the same in both modes.
    ///
    /// # Errors
    /// [`Code::BadQuery`](crate::error::Code::BadQuery) if the query cannot be read, or names what the grammar does not have.
    pub fn of_host(runtime: tree_sitter::Language, query: Option<&str>) -> Result<Grammar> {
        let kinds = parse::kinds(&runtime);
        let mut grammar = Grammar::of_host_kinds(kinds, query)?;
        grammar.runtime = Some(runtime);
        Ok(grammar)
    }

    /// The same for trees that others parsed.
    ///
    /// # Errors
    /// As [`Grammar::of_host`].
    pub fn of_host_kinds(kinds: Kinds, query: Option<&str>) -> Result<Grammar> {
        let query = query.map(Query::parse).transpose()?;
        let bind = || query.as_ref().map(|query| query.bind(&kinds, &[], Unknown::Refused)).transpose();
        let queries = [bind()?, bind()?];
        let rules = language::Rules { constructors: false, trailing: true, leading: true };
        Ok(Grammar { runtime: None, kinds, queries, rules: [rules; 2], pruning: Pruning::default() })
    }

    /// The names of its kinds and fields.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// The whole tree of a text, with everything in it that the grammar shows.
    ///
    /// # Errors
    /// [`Why`] there is none.
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

    /// The overlay of a tree of this grammar; nothing if this mode captures nothing in this language.
    pub fn overlay(&self, tree: &SyntaxTree, text: &str, mode: Mode) -> Option<Overlay> {
        let query = self.queries[mode as usize].as_ref()?;
        let rules = &self.rules[mode as usize];
        let captured = query.run(tree, &self.kinds);
        let overlay = overlay::build(tree, &self.kinds, text, &captured, rules, mode);
        Some(if rules.leading { comments::attach(overlay, text) } else { overlay })
    }
}

/// Which kinds have one of several names, with blanks between them.
fn by_kind(kinds: &Kinds, names: &str) -> Vec<bool> {
    let mut list = vec![false; kinds.len()];
    let found = names.split_whitespace().flat_map(|name| kinds.find(name, true));
    found.for_each(|kind| list[*kind as usize] = true);
    list
}

/// How an overlay came about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// From a syntax tree.
    Syntax {
        /// The parser found something wrong with the text; the tree is its best guess.
        has_errors: bool,
        /// What parsing took, in hundreds of parser operations; 0 for a tree of the host's, and little where the tree of an earlier
        /// version of the text was updated.
        work: u64,
    },
    /// From indentation.
    Indentation {
        /// Why there is no tree.
        why: Why,
    },
}

/// Why a document was folded by indentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Why {
    /// The language has no grammar here, or it is not loaded.
    NoGrammar,
    /// Nothing is captured in this language in this mode.
    NoQuery,
    /// The text is longer than the limit for parsing.
    TooLong,
    /// Parsing took more work than allowed.
    TooHard,
    /// The runtime refused the grammar.
    BadGrammar,
}

impl Why {
    /// The name that reaches JavaScript.
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

/// A document's structure, and how it came about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    /// The overlay; positions are bytes.
    pub overlay: Overlay,
    /// How it came about.
    pub basis: Basis,
}

/// What the structure of a document depends on beside its text.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Options<'o> {
    /// The identifier of the language, for folding by indentation.
    pub language: &'o str,
    /// Whose structure is wanted.
    pub mode: Mode,
    /// Width of a tab in columns; 0 for [`TAB`].
    pub tab: usize,
    /// What parsing may cost.
    pub limits: Limits,
}

/// The structure of a document. Never fails: where the text cannot be parsed it is folded by indentation.
pub fn structure(text: &str, grammar: Option<&Grammar>, options: &Options<'_>) -> Structure {
    structure_with(text, grammar, options, &mut Trees::new(0))
}

/// The same, going on from a tree of an earlier version of the text where there is one.
pub fn structure_with(text: &str, grammar: Option<&Grammar>, options: &Options<'_>, trees: &mut Trees) -> Structure {
    match parsed(text, grammar, options, trees) {
        Ok(structure) => structure,
        Err(why) => folded(text, options, why),
    }
}

/// The structure of a document that somebody else parsed.
pub fn structure_of_tree(text: &str, grammar: &Grammar, tree: &SyntaxTree, options: &Options<'_>) -> Structure {
    let spliced = (!grammar.pruning.transparent.is_empty()).then(|| tree.without(&grammar.pruning.transparent));
    match grammar.overlay(spliced.as_ref().unwrap_or(tree), text, options.mode) {
        Some(overlay) => Structure { overlay, basis: Basis::Syntax { has_errors: false, work: 0 } },
        None => folded(text, options, Why::NoQuery),
    }
}

/// The structure of a document by its indentation alone.
pub fn folded(text: &str, options: &Options<'_>, why: Why) -> Structure {
    let tab = if options.tab == 0 { TAB } else { options.tab };
    Structure { overlay: fold(text, tab, language::is_off_side(options.language)), basis: Basis::Indentation { why } }
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
    // Others read JavaScript's text; where a text has errors that can make a difference.
    let units = if options.mode == Mode::Compatible { Units::Utf16 } else { Units::Utf8 };
    let parsed = trees.parse(runtime, text, units, options.limits, &grammar.pruning).map_err(Why::from)?;
    let overlay = grammar.overlay(&parsed.tree, text, options.mode).ok_or(Why::NoQuery)?;
    Ok(Structure { overlay, basis: Basis::Syntax { has_errors: parsed.has_errors, work: parsed.work } })
}

/// A structure that several readers share.
pub type Shared = Rc<Structure>;

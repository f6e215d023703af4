//! Parsing, with a budget, into the flat form. The parser's own tree takes ten times as much memory as the overlay that is made of it, and
//! memory of wasm is never given back: `trees` keeps no more than the last few.

use std::ffi::{CStr, c_char};
use std::ops::ControlFlow;

use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree, ffi};

use super::syntax::{Builder, Kinds, NONE, SyntaxTree};
use super::trees::Trees;
use super::units;

/// How much a parse may cost. There is no clock here: work is counted, so that a file that is too hard today is so tomorrow and
/// everywhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of text. A parser cannot be stopped inside a token, and a token can be the whole text.
    pub max_bytes: usize,
    /// Parser operations, in hundreds (that is how often a parser can be stopped).
    pub max_work: u64,
}

impl Default for Limits {
    /// 1 MB, and 64,000: a megabyte of ordinary code takes 8,000 to 16,000, of tables and minified code up to 48,000. Texts made to be
    /// hard can take some seconds for that; whoever cannot wait passes less.
    fn default() -> Limits {
        Limits { max_bytes: 1 << 20, max_work: 64_000 }
    }
}

/// Why there is no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The text is longer than [`Limits::max_bytes`].
    TooLong,
    /// [`Limits::max_work`] was used up, or the memory that a parser may have.
    TooHard,
    /// The runtime does not take the grammar.
    Grammar,
}

/// What a parser reads. Trees are the same unless the text has errors: their cost is counted in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Units {
    /// As the text is here; an eighth faster.
    #[default]
    Utf8,
    /// As the text is in JavaScript, where parsers of other tools read it.
    Utf16,
}

/// What a walk may leave out because nothing is made of it.
#[derive(Debug, Clone, Default)]
pub struct Pruning {
    /// By kind: the node itself does not count, its children stand in its place.
    pub transparent: Vec<bool>,
    /// By kind: nothing below it is of interest unless one of `triggers` stands in it.
    pub opaque: Vec<bool>,
    /// Texts without which an opaque node has nothing of interest in it.
    pub triggers: Vec<&'static str>,
}

/// A tree and how much work it was.
#[derive(Debug)]
pub struct Parsed {
    /// The flat tree; positions are bytes of the text.
    pub tree: SyntaxTree,
    /// Operations in hundreds, as [`Limits::max_work`] counts them.
    pub work: u64,
    /// True if the parser found something wrong with the text.
    pub has_errors: bool,
}

/// Parses `text`.
///
/// # Errors
/// [`Stopped`], after which everything is as before.
pub fn parse(
    language: &Language,
    text: &str,
    units: Units,
    limits: Limits,
    pruning: &Pruning,
) -> Result<Parsed, Stopped> {
    Trees::new(0).parse(language, text, units, limits, pruning)
}

/// The parser's own tree of a text, and what it took; with an old tree that was told what changed, what is new of it.
pub(super) fn run(
    language: &Language,
    text: &str,
    units: Units,
    limits: Limits,
    old: Option<&Tree>,
) -> Result<(Tree, u64), Stopped> {
    if text.len() > limits.max_bytes || text.len() >= NONE as usize {
        return Err(Stopped::TooLong);
    }
    let mut parser = Parser::new();
    parser.set_language(language).map_err(|_| Stopped::Grammar)?;
    if limits.max_work == 0 {
        return Err(Stopped::TooHard);
    }
    let mut work = 0;
    memory::allow(text.len().saturating_mul(MEMORY_PER_BYTE).saturating_add(MEMORY).min(MEMORY_AT_MOST));
    let mut count = |_: &ParseState| {
        work += 1;
        if work > limits.max_work || memory::is_over() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = Some(ParseOptions::new().progress_callback(&mut count));
    let tree = match units {
        Units::Utf8 => {
            let bytes = text.as_bytes();
            parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), old, options)
        }
        Units::Utf16 => {
            let wide: Vec<u16> = text.encode_utf16().collect();
            parser.parse_utf16_le_with_options(&mut |at, _| wide.get(at..).unwrap_or_default(), old, options)
        }
    };
    // It may have come to the end before anybody asked.
    let over = memory::is_over();
    memory::allow(usize::MAX);
    match tree {
        Some(tree) if !over => Ok((tree, work)),
        _ => Err(Stopped::TooHard),
    }
}

/// Bytes that a parser may have at once: so many, and for each byte of text. Ordinary code takes thirty for each, what is nothing but tokens of
/// one letter 240; brackets that could be anything take gigabytes for some KB.
const MEMORY: usize = 64 << 20;
const MEMORY_PER_BYTE: usize = 256;
/// And never more: the engine's memory ends at 4 GB.
const MEMORY_AT_MOST: usize = 3 << 30;

/// What a parser has of memory: see `scripts/tree-sitter.c`, which also says that it is over where it would recurse too deeply. Natively
/// nobody counts.
#[cfg(target_family = "wasm")]
mod memory {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    unsafe extern "C" {
        safe static espalier_live: AtomicUsize;
        safe static espalier_most: AtomicUsize;
    }

    /// Bytes that are allocated; the allocator counts them.
    pub fn live() -> &'static AtomicUsize {
        &espalier_live
    }

    /// Lets so many more be allocated.
    pub fn allow(more: usize) {
        espalier_most.store(espalier_live.load(Relaxed).saturating_add(more), Relaxed);
    }

    pub fn is_over() -> bool {
        espalier_live.load(Relaxed) > espalier_most.load(Relaxed)
    }
}

#[cfg(not(target_family = "wasm"))]
mod memory {
    pub fn allow(_: usize) {}

    pub fn is_over() -> bool {
        false
    }
}

#[cfg(target_family = "wasm")]
pub use memory::live;

/// The kind of a node that holds what the parser could make nothing of.
const ERROR: u16 = u16::MAX;

/// The flat form of a tree, with positions in bytes of the text. Without recursion.
pub(super) fn flatten(tree: &Tree, text: &str, units: Units, language: &Language, pruning: &Pruning) -> SyntaxTree {
    let positions = if units == Units::Utf16 { units::bytes(text) } else { Vec::new() };
    let map = |byte: usize| match units {
        Units::Utf8 => byte as u32,
        // Two bytes for each unit.
        Units::Utf16 => positions.get(byte / 2).copied().unwrap_or(byte as u32 / 2),
    };
    let error = language.node_kind_count() as u32;
    let is = |list: &[bool], kind: u16| list.get(kind as usize).copied().unwrap_or(false);
    let triggers = triggers(text, pruning);
    let mut next_trigger = 0;
    let mut builder = Builder::with_capacity(text.len() / 8);
    let mut cursor = tree.walk();
    // Whether each node on the path was taken over.
    let mut path = Vec::new();
    loop {
        let node = cursor.node();
        let kind = node.kind_id();
        let (start, end) = (map(node.start_byte()), map(node.end_byte()));
        let taken = path.is_empty() || !is(&pruning.transparent, kind);
        if taken {
            let field = cursor.field_id().map_or(NONE, |field| u32::from(field.get()));
            // Errors are of no kind of the grammar.
            builder.open(start, end, if kind == ERROR { error } else { u32::from(kind) }, field);
        }
        // Starts ascend in preorder, so each trigger is passed once.
        while triggers.get(next_trigger).is_some_and(|at| *at < start) {
            next_trigger += 1;
        }
        let barren = is(&pruning.opaque, kind) && triggers.get(next_trigger).is_none_or(|at| *at >= end);
        if !barren && cursor.goto_first_child() {
            path.push(taken);
            continue;
        }
        if taken {
            builder.close();
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return builder.finish();
            }
            if path.pop() == Some(true) {
                builder.close();
            }
        }
    }
}

/// Where any of the triggers begins, ascending.
fn triggers(text: &str, pruning: &Pruning) -> Vec<u32> {
    if !pruning.opaque.contains(&true) {
        return Vec::new();
    }
    let bytes = text.as_bytes();
    let begins = |at: &usize| pruning.triggers.iter().any(|what| bytes[*at..].starts_with(what.as_bytes()));
    let mut first = [false; 256];
    pruning.triggers.iter().filter_map(|what| what.bytes().next()).for_each(|byte| first[byte as usize] = true);
    let candidates = bytes.iter().enumerate().filter(|(_, byte)| first[**byte as usize]).map(|(at, _)| at);
    candidates.filter(begins).map(|at| at as u32).collect()
}

/// The names of a grammar, and `ERROR` behind them.
pub fn kinds(language: &Language) -> Kinds {
    let raw = language.clone().into_raw();
    // SAFETY: null, or text that lives as long as the language. What is no UTF-8 has no name, where the runtime's wrapper would panic.
    let text = |name: *const c_char| unsafe {
        let known = (!name.is_null()).then(|| CStr::from_ptr(name).to_str().ok());
        Box::<str>::from(known.flatten().unwrap_or_default())
    };
    let name = |id| text(unsafe { ffi::ts_language_symbol_name(raw, id) });
    let names = (0..language.node_kind_count() as u16)
        .map(|id| (name(id), language.node_kind_is_named(id)))
        .chain([(Box::from("ERROR"), true)])
        .collect();
    // Fields are numbered from 1.
    let field = |id| text(unsafe { ffi::ts_language_field_name_for_id(raw, id) });
    let fields = (0..=language.field_count() as u16).map(field).collect();
    // SAFETY: it came from there.
    drop(unsafe { Language::from_raw(raw) });
    Kinds::new(names, fields)
}

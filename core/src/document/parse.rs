//! Parses texts into the flat form, within limits. The parser's own tree takes ten times the memory of the overlay, and
//! a wasm engine never returns memory: `trees` keeps only the last few.

use std::ffi::{CStr, c_char};
use std::ops::ControlFlow;

use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree, ffi};

use super::syntax::{Builder, Kinds, NONE, SyntaxTree};
use super::units;

/// The limits of a parse. The engine has no clock. Work is counted instead, so that the same files are too hard on
/// every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// The maximum length of a text in bytes. A parser cannot be stopped within a token, and a token can be the whole
    /// text.
    pub max_bytes: usize,
    /// The maximum work, in hundreds of parser operations: a parser can be stopped once per hundred.
    pub max_work: u64,
}

impl Default for Limits {
    /// Returns 1 MB and 64,000. A megabyte of ordinary code takes 8,000 to 16,000, and of tables and minified code up
    /// to 48,000. A text that is made to be hard can take some seconds for that; a host that cannot wait passes less.
    fn default() -> Limits {
        Limits { max_bytes: 1 << 20, max_work: 64_000 }
    }
}

/// Why there is no tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// The text is longer than [`Limits::max_bytes`].
    TooLong,
    /// The parse exceeded [`Limits::max_work`] or the memory of the parser.
    TooHard,
    /// The runtime does not support the grammar.
    Grammar,
}

/// The encoding that a parser reads. Trees differ only if the text has errors, since the parser weighs errors by their
/// length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Units {
    /// The encoding of the text here, which is an eighth faster.
    #[default]
    Utf8,
    /// The encoding of JavaScript, in which other tools parse.
    Utf16,
}

/// The nodes that a walk leaves out.
#[derive(Debug, Clone, Default)]
pub struct Pruning {
    /// By kind: the node is replaced by its children.
    pub transparent: Vec<bool>,
    /// By kind: the descendants of the node are left out unless it contains one of `triggers`.
    pub opaque: Vec<bool>,
    /// The texts that an opaque node must contain to be of interest.
    pub triggers: Vec<&'static str>,
}

/// A tree and its work.
#[derive(Debug)]
pub struct Parsed {
    /// The flat tree; offsets are bytes of the text.
    pub tree: SyntaxTree,
    /// The work in hundreds of operations, as in [`Limits::max_work`].
    pub work: u64,
    /// Whether the text has syntax errors.
    pub has_errors: bool,
}

/// Returns the parser's own tree of a text, and its work. `old` is the tree of an earlier text to which the edits have
/// been applied; the work is then that of the changed part.
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
    // The parse can end before the limits are checked.
    let over = memory::is_over();
    memory::allow(usize::MAX);
    match tree {
        Some(tree) if !over => Ok((tree, work)),
        _ => Err(Stopped::TooHard),
    }
}

/// The maximum memory of a parser: a fixed number of bytes, and more for each byte of text. Ordinary code takes thirty
/// bytes for each; one-letter tokens take 240; ambiguous brackets take gigabytes for some KB.
const MEMORY: usize = 64 << 20;
const MEMORY_PER_BYTE: usize = 256;
/// The absolute maximum, since the memory of the engine ends at 4 GB.
const MEMORY_AT_MOST: usize = 3 << 30;

/// The memory account of the parser, see `scripts/tree-sitter.c`, which also stops a parse that would recurse too
/// deeply. Native builds do not count memory.
#[cfg(target_family = "wasm")]
mod memory {
    use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

    unsafe extern "C" {
        safe static espalier_live: AtomicUsize;
        safe static espalier_most: AtomicUsize;
    }

    /// The bytes in use; the allocator counts them.
    pub fn live() -> &'static AtomicUsize {
        &espalier_live
    }

    /// Allows `more` bytes beyond those in use.
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

/// The kind of nodes that the parser could not make sense of.
const ERROR: u16 = u16::MAX;

/// Returns the flat form of a tree, with offsets in bytes of the text. Does not recurse.
pub(super) fn flatten(tree: &Tree, text: &str, units: Units, language: &Language, pruning: &Pruning) -> SyntaxTree {
    let positions = if units == Units::Utf16 { units::bytes(text) } else { Vec::new() };
    let map = |byte: usize| match units {
        Units::Utf8 => byte as u32,
        // A UTF-16 unit has two bytes.
        Units::Utf16 => positions.get(byte / 2).copied().unwrap_or(byte as u32 / 2),
    };
    let error = language.node_kind_count() as u32;
    let is = |list: &[bool], kind: u16| list.get(kind as usize).copied().unwrap_or(false);
    let triggers = triggers(text, pruning);
    let mut next_trigger = 0;
    let mut builder = Builder::with_capacity(text.len() / 8);
    let mut cursor = tree.walk();
    // Whether each node on the path is part of the flat tree.
    let mut path = Vec::new();
    loop {
        let node = cursor.node();
        let kind = node.kind_id();
        let (start, end) = (map(node.start_byte()), map(node.end_byte()));
        let taken = path.is_empty() || !is(&pruning.transparent, kind);
        if taken {
            let field = cursor.field_id().map_or(NONE, |field| u32::from(field.get()));
            // Errors have no kind in the grammar.
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

/// Returns the offsets of all triggers, ascending.
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

/// Returns the names of a grammar, with `ERROR` as the last kind.
pub fn kinds(language: &Language) -> Kinds {
    let raw = language.clone().into_raw();
    // SAFETY: the pointer is null or a text that lives as long as the language. Invalid UTF-8 becomes an empty name, on
    // which the runtime's wrapper would panic.
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
    // SAFETY: the pointer came from `into_raw` above.
    drop(unsafe { Language::from_raw(raw) });
    Kinds::new(names, fields)
}

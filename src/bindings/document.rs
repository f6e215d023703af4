//! Documents at the boundary. Positions are UTF-16 code units here, bytes inside.
//!
//! Grammars and structures belong to the instance: after a crash the host links grammars again from the modules it kept.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::{Array, Uint32Array};
use wasm_bindgen::prelude::*;

use super::error::to_js;
use super::grammar;
use super::object::Plain;
use crate::document::cache::{Cache, Key};
use crate::document::parse::Limits;
use crate::document::syntax::{Kinds, SyntaxTree, WIDTH};
use crate::document::trees::Trees;
use crate::document::units::{Units, bytes};
use crate::document::{Basis, Grammar, Language, Mode, Options, Shared, Structure, structure_of_tree, structure_with};
use crate::error::{Code, Error, Result};

/// A grammar and its number.
type Numbered = (Rc<Grammar>, u64);

#[derive(Default)]
struct Loaded {
    /// Grammars of languages known by name are shared: JavaScript's serves JSX.
    files: Vec<(&'static str, tree_sitter::Language)>,
    /// By language.
    grammars: Vec<(Box<str>, Numbered)>,
    /// Languages that the host registered.
    registered: Vec<Box<str>>,
    /// Counts grammars, so that structures made with one are not taken for those of another.
    count: u64,
}

thread_local! {
    static LOADED: RefCell<Loaded> = RefCell::default();
    static CACHE: RefCell<Cache> = RefCell::default();
    pub(super) static TREES: RefCell<Trees> = RefCell::default();
}

impl Loaded {
    fn insert(&mut self, language: &str, grammar: Grammar) {
        self.count += 1;
        self.grammars.retain(|(name, _)| **name != *language);
        self.grammars.push((language.into(), (Rc::new(grammar), self.count)));
    }

    fn known(&self, name: &str) -> Option<Numbered> {
        self.grammars.iter().find(|(known, _)| **known == *name).map(|(_, found)| found.clone())
    }

    fn file(&self, name: &str) -> Option<&tree_sitter::Language> {
        self.files.iter().find(|(known, _)| *known == name).map(|(_, runtime)| runtime)
    }

    /// The grammar of a language, if it is loaded, and its number.
    fn get(&mut self, name: &str) -> Result<Option<Numbered>> {
        if let Some(found) = self.known(name) {
            return Ok(Some(found));
        }
        let Some(language) = Language::find(name) else { return Ok(None) };
        let Some(runtime) = self.file(language.grammar) else { return Ok(None) };
        let grammar = Grammar::built_in(language, runtime.clone())?;
        self.insert(name, grammar);
        Ok(self.known(name))
    }
}

/// The languages that are known by name: `{ name, aliases, extensions, grammar }`.
#[wasm_bindgen]
pub fn languages() -> JsValue {
    let words = |words: &str| Array::from_iter(words.split_whitespace().map(JsValue::from));
    let object = |language: &Language| {
        Plain::new()
            .with("name", language.name)
            .with("aliases", words(language.aliases))
            .with("extensions", words(language.extensions))
            .with("grammar", language.grammar)
    };
    Language::all().iter().map(|language| JsValue::from(object(language))).collect::<Array>().into()
}

/// The name of the language of a file, by its ending.
#[wasm_bindgen(js_name = "languageOfFile")]
pub fn language_of_file(path: &str) -> Option<String> {
    Language::of_file(path).map(|language| language.name.to_string())
}

/// Links the grammar file `file` (as [`languages`] names it) into this instance.
#[wasm_bindgen(js_name = "linkGrammar")]
pub fn link_grammar(file: &str, module: &JsValue) -> std::result::Result<(), JsValue> {
    let known = Language::all().iter().find(|language| language.grammar == file);
    let Some(language) = known else {
        return Err(to_js(Error::new(Code::UnknownLanguage, format!("no language has the grammar {file:?}"))));
    };
    if LOADED.with_borrow(|loaded| loaded.file(language.grammar).is_some()) {
        return Ok(());
    }
    let runtime = grammar::link(module, Some(language.grammar)).map_err(to_js)?;
    LOADED.with_borrow_mut(|loaded| loaded.files.push((language.grammar, runtime)));
    Ok(())
}

/// Links a grammar of the host's own, with its query if there is one; it stands in for a built-in one of the same name.
#[wasm_bindgen(js_name = "registerGrammar")]
pub fn register_grammar(language: &str, module: &JsValue, query: Option<String>) -> std::result::Result<(), JsValue> {
    let runtime = grammar::link(module, None).map_err(to_js)?;
    let grammar = match (&query, Language::find(language)) {
        // Another build of a grammar that we have a query for.
        (None, Some(known)) => Grammar::built_in(known, runtime),
        (query, _) => Grammar::of_host(runtime, query.as_deref()),
    };
    let grammar = grammar.map_err(|error| to_js(error.at("query")))?;
    LOADED.with_borrow_mut(|loaded| {
        if !loaded.registered.iter().any(|known| **known == *language) {
            loaded.registered.push(language.into());
        }
        loaded.insert(language, grammar);
    });
    Ok(())
}

/// True if documents of this language can be parsed in this instance.
#[wasm_bindgen(js_name = "hasGrammar")]
pub fn has_grammar(language: &str) -> bool {
    LOADED.with_borrow(|loaded| {
        let file = Language::find(language).map(|language| language.grammar);
        loaded.registered.iter().any(|known| **known == *language)
            || file.is_some_and(|file| loaded.file(file).is_some())
    })
}

/// Numbers of a document's settings, all checked by JavaScript: mode (1: compatible), width of a tab, most bytes, most work. (Decoding
/// an object would take 10 KB of code.)
pub(super) const SETTINGS: usize = 4;

pub(super) fn options<'o>(language: &'o str, settings: &[f64]) -> Result<Options<'o>> {
    let &[mode, tab, bytes, work] = settings else {
        return Err(Error::new(Code::BadOption, "four numbers are expected").at("settings"));
    };
    let mode = if mode == 1.0 { Mode::Compatible } else { Mode::Default };
    Ok(Options { language, mode, tab: tab as usize, limits: Limits { bytes: bytes as usize, work: work as u64 } })
}

/// The structure of a document: `{ kinds, nodes, basis }`, `nodes` being kind, start, end and parent of each node in preorder.
#[wasm_bindgen(js_name = "documentStructure")]
pub fn document_structure(text: &str, language: &str, settings: &[f64]) -> std::result::Result<JsValue, JsValue> {
    let options = options(language, settings).map_err(to_js)?;
    Ok(encode(&*shared(text, &options).map_err(to_js)?, text).into())
}

/// The grammar of a language, if it is loaded, and its number.
pub(super) fn loaded_grammar(language: &str) -> Result<Option<Numbered>> {
    LOADED.with_borrow_mut(|loaded| loaded.get(language))
}

/// The structure of a document, made if it is not kept.
pub(super) fn shared(text: &str, options: &Options<'_>) -> Result<Shared> {
    let found = loaded_grammar(options.language)?;
    let number = found.as_ref().map_or(0, |(_, number)| *number);
    let grammar = found.as_ref().map(|(grammar, _)| &**grammar);
    let make = || TREES.with_borrow_mut(|trees| structure_with(text, grammar, options, trees));
    Ok(CACHE.with_borrow_mut(|cache| cache.get(Key::new(text, options, number), make)))
}

/// The same for a document that the host has parsed: see [`SyntaxTree::read`] for `nodes`.
#[wasm_bindgen(js_name = "documentStructureOfTree")]
pub fn document_structure_of_tree(
    text: &str,
    language: &str,
    settings: &[f64],
    nodes: &[u32],
    kinds: Vec<String>,
    fields: Vec<String>,
    query: Option<String>,
) -> std::result::Result<JsValue, JsValue> {
    let options = options(language, settings).map_err(to_js)?;
    Ok(encode(&structure_of(text, &options, nodes, kinds, fields, query).map_err(to_js)?, text).into())
}

/// The structure of a document that the host has parsed: see [`document_structure_of_tree`].
pub(super) fn structure_of(
    text: &str,
    options: &Options<'_>,
    nodes: &[u32],
    kinds: Vec<String>,
    fields: Vec<String>,
    query: Option<String>,
) -> Result<Structure> {
    let tree = read_tree(text, nodes, kinds.len(), fields.len())?;
    let both = |name: String| [(Box::from(&*name), false), (Box::from(name), true)];
    let kinds = kinds.into_iter().flat_map(both).collect();
    let kinds = Kinds::new(kinds, fields.into_iter().map(Box::from).collect());
    let grammar = match (&query, Language::find(options.language)) {
        (None, Some(known)) => Grammar::of_kinds(known, kinds),
        (query, _) => Grammar::of_host_kinds(kinds, query.as_deref()),
    };
    let grammar = grammar.map_err(|error| error.at("query"))?;
    Ok(structure_of_tree(text, &grammar, &tree, options))
}

fn read_tree(text: &str, nodes: &[u32], kinds: usize, fields: usize) -> Result<SyntaxTree> {
    let places = bytes(text);
    if places.is_empty() {
        return SyntaxTree::read(nodes, kinds, fields, text);
    }
    let mut nodes = nodes.to_vec();
    for row in nodes.chunks_exact_mut(WIDTH) {
        for place in row.iter_mut().take(2) {
            // What lies behind the text does so in bytes, too.
            *place = places.get(*place as usize).copied().unwrap_or(u32::MAX);
        }
    }
    SyntaxTree::read(&nodes, kinds, fields, text)
}

pub(super) fn encode(structure: &Structure, text: &str) -> Plain {
    let units = Units::new(text);
    let mut nodes = Vec::with_capacity(structure.overlay.nodes.len() * 4);
    for node in &structure.overlay.nodes {
        nodes.extend([node.kind, units.of(text, node.start), units.of(text, node.end), node.parent]);
    }
    let kinds: Array = structure.overlay.kinds.iter().map(|kind| JsValue::from(&**kind)).collect();
    Plain::new().with("kinds", kinds).with("nodes", Uint32Array::from(&nodes[..])).with("basis", basis(structure.basis))
}

pub(super) fn basis(basis: Basis) -> Plain {
    match basis {
        Basis::Syntax { has_errors, work } => {
            Plain::new().with("path", "syntax").with("hasErrors", has_errors).with("work", work as f64)
        }
        Basis::Indentation { why } => Plain::new().with("path", "indentation").with("why", why.as_str()),
    }
}

/// Forgets the structures that were kept, what was laid out of them, and the trees.
#[wasm_bindgen(js_name = "clearStructures")]
pub fn clear_structures() {
    CACHE.with_borrow_mut(Cache::clear);
    TREES.with_borrow_mut(Trees::clear);
    super::summary::clear();
}

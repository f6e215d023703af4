//! Documents at the boundary. Offsets are UTF-16 code units in JavaScript and bytes in the engine.
//!
//! Grammars and structures belong to an engine instance. After a crash the host links grammars again from the modules
//! that it kept.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::prelude::*;

use super::error::JsResult;
use super::tape::{Answer, Question};
use super::{changed, grammar, outline, summary};
use crate::document::cache::{Cache, Key};
use crate::document::syntax::{Kinds, SyntaxTree, WIDTH};
use crate::document::trees::Trees;
use crate::document::units::Units;
use crate::document::{Grammar, Language, Options, Shared, Structure, structure_of_tree, structure_with};
use crate::error::{Code, Error, Result};

/// A grammar and its number.
type Numbered = (Rc<Grammar>, u64);

#[derive(Default)]
struct Loaded {
    /// Grammars by file: that of JavaScript also serves JSX.
    files: Vec<(&'static str, tree_sitter::Language)>,
    /// By language.
    grammars: Vec<(Box<str>, Numbered)>,
    /// The number of grammars so far, which tells structures of different grammars apart.
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

    /// Returns the grammar of a language with its number, if it is loaded.
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

/// Reads a question and writes its answer.
type Ask = fn(&mut Question<'_>, &mut Answer) -> Result<()>;

/// Answers a question about documents. `texts` and `numbers` are the question, in the order in which the called
/// function reads them. The answer has numbers and texts in the same way.
#[wasm_bindgen]
pub fn documents(what: &str, texts: Vec<String>, numbers: &[f64]) -> JsResult {
    let ask: Ask = match what {
        "languages" => languages,
        "structure" => whole_structure,
        "costs" => summary::costs,
        "summarize" => summary::exactly,
        "summarizeCompatible" => summary::compatible,
        "reduce" => changed::ours,
        "reduceCompatible" => changed::as_copilot_chat,
        "diff" => changed::diff,
        "facts" => outline::prepare,
        "outline" => outline::outline,
        "map" => outline::map,
        "forget" => forget,
        _ => return Err(Error::new(Code::BadInput, format!("documents are not asked for {what:?}")).into()),
    };
    let mut answer = Answer::default();
    ask(&mut Question::new(&texts, numbers), &mut answer)?;
    Ok(answer.into())
}

/// Answers with the known languages: for each its name, grammar, aliases and extensions.
fn languages(_: &mut Question<'_>, answer: &mut Answer) -> Result<()> {
    answer.list(Language::all(), |answer, language| {
        for words in [language.name, language.grammar, language.aliases, language.extensions] {
            answer.text(words);
        }
    });
    Ok(())
}

/// Links the grammar file `file`, named as in `languages`, into this instance.
#[wasm_bindgen(js_name = "linkGrammar")]
pub fn link_grammar(file: &str, module: &JsValue) -> JsResult<()> {
    let known = Language::all().iter().find(|language| language.grammar == file);
    let Some(language) = known else {
        return Err(Error::new(Code::UnknownLanguage, format!("no language has the grammar {file:?}")).into());
    };
    if LOADED.with_borrow(|loaded| loaded.file(language.grammar).is_some()) {
        return Ok(());
    }
    let runtime = grammar::link(module, Some(language.grammar))?;
    LOADED.with_borrow_mut(|loaded| loaded.files.push((language.grammar, runtime)));
    Ok(())
}

/// Links a grammar of the host with its query, if it has one. It replaces a built-in grammar of the same name.
#[wasm_bindgen(js_name = "registerGrammar")]
pub fn register_grammar(language: &str, module: &JsValue, query: Option<String>) -> JsResult<()> {
    let runtime = grammar::link(module, None)?;
    let grammar = match (&query, Language::find(language)) {
        // Another build of a grammar with a built-in query.
        (None, Some(known)) => Grammar::built_in(known, runtime),
        (query, _) => Grammar::of_host(runtime, query.as_deref()),
    };
    let grammar = grammar.map_err(|error| error.at("query"))?;
    LOADED.with_borrow_mut(|loaded| loaded.insert(language, grammar));
    Ok(())
}

/// Returns the grammar of a language with its number, if it is loaded.
pub(super) fn loaded_grammar(language: &str) -> Result<Option<Numbered>> {
    LOADED.with_borrow_mut(|loaded| loaded.get(language))
}

/// Returns the structure of a document, and makes it if it is not kept.
pub(super) fn shared(text: &str, options: &Options<'_>) -> Result<Shared> {
    let found = loaded_grammar(options.language)?;
    let number = found.as_ref().map_or(0, |(_, number)| *number);
    let grammar = found.as_ref().map(|(grammar, _)| &**grammar);
    let make = || TREES.with_borrow_mut(|trees| structure_with(text, grammar, options, trees));
    Ok(CACHE.with_borrow_mut(|cache| cache.get(Key::new(text, options, number), make)))
}

/// Returns the structure of a document, from the tree of the host if there is one. The question has the nodes of the
/// tree, see [`SyntaxTree::read`], its kinds, its fields, and the query that is registered with the language, if any.
pub(super) fn structure(text: &str, options: &Options<'_>, question: &mut Question<'_>) -> Result<Shared> {
    if !question.flag() {
        return shared(text, options);
    }
    let (nodes, kinds, fields) = (question.numbers(), question.texts(), question.texts());
    let query = question.flag().then(|| question.text());
    let tree = read_tree(text, nodes, kinds.len(), fields.len())?;
    let both = |name: &String| [(Box::from(name.as_str()), false), (Box::from(name.as_str()), true)];
    let kinds = kinds.iter().flat_map(both).collect();
    let kinds = Kinds::new(kinds, fields.iter().map(|name| Box::from(name.as_str())).collect());
    let grammar = match (query, Language::find(options.language)) {
        (None, Some(known)) => Grammar::of_kinds(known, kinds),
        (query, _) => Grammar::of_host_kinds(kinds, query),
    };
    let grammar = grammar.map_err(|error| error.at("query"))?;
    Ok(Shared::new(structure_of_tree(text, &grammar, &tree, options)))
}

fn read_tree(text: &str, nodes: &[f64], kinds: usize, fields: usize) -> Result<SyntaxTree> {
    let units = Units::new(text);
    let end = units.of(text, text.len() as u32);
    // Offsets behind the text stay behind it.
    let byte = |unit: u32| if unit > end { u32::MAX } else { units.byte(text, unit) };
    let mut nodes: Vec<u32> = nodes.iter().map(|number| *number as u32).collect();
    for row in nodes.chunks_exact_mut(WIDTH) {
        for place in row.iter_mut().take(2) {
            *place = byte(*place);
        }
    }
    SyntaxTree::read(&nodes, kinds, fields, text)
}

/// Answers with the structure of a document.
fn whole_structure(question: &mut Question<'_>, answer: &mut Answer) -> Result<()> {
    let (text, options) = question.document();
    put_structure(&*structure(text, &options, question)?, text, answer);
    Ok(())
}

/// Writes a structure: its basis, its kinds, and kind, start, end and parent of each node in preorder.
pub(super) fn put_structure(structure: &Structure, text: &str, answer: &mut Answer) {
    let units = Units::new(text);
    answer.basis(structure.basis);
    answer.list(&structure.overlay.kinds, |answer, kind| answer.text(kind));
    answer.list(&structure.overlay.nodes, |answer, node| {
        for number in [node.kind, units.of(text, node.start), units.of(text, node.end), node.parent] {
            answer.number(number);
        }
    });
}

/// Forgets structures, layouts, trees and facts.
fn forget(_: &mut Question<'_>, _: &mut Answer) -> Result<()> {
    CACHE.with_borrow_mut(Cache::clear);
    TREES.with_borrow_mut(Trees::clear);
    summary::clear();
    outline::clear();
    Ok(())
}

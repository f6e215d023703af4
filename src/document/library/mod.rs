//! Answers questions about documents, and keeps what it made of them: structures, layouts, trees, facts.
//!
//! In: a question as a list of texts and a list of numbers. Out: an answer of the same form. Start with
//! [`Library::ask`]. Offsets are UTF-16 code units in questions and answers, and bytes inside; lines count from 1
//! there.

mod changed;
mod outline;
mod summary;
mod tape;

use std::rc::Rc;

pub use tape::Answer;
use tape::Question;

use super::cache::{Cache, Key};
use super::outline::{Kept, SharedFacts, facts};
use super::summary::Layouts;
use super::syntax::{Kinds, SyntaxTree, WIDTH};
use super::trees::Trees;
use super::units::Units;
use super::{Grammar, Language, Options, Shared, Structure, structure_of_tree, structure_with};
use crate::error::{Code, Error, Result};
use crate::tokens::{Encoding, EncodingName, Tokenizer};

/// A grammar and its number, which tells structures of different grammars apart; 0 for no grammar.
type Numbered = (Option<Rc<Grammar>>, u64);

/// Grammars, and the structures, layouts, trees and facts of documents.
#[derive(Debug)]
pub struct Library {
    /// Grammars by file: that of JavaScript also serves JSX.
    files: Vec<(&'static str, tree_sitter::Language)>,
    /// By language.
    grammars: Vec<(Box<str>, Rc<Grammar>, u64)>,
    /// The number of grammars so far.
    count: u64,
    structures: Cache,
    layouts: Layouts,
    trees: Trees,
    facts: Kept,
    /// Returns an encoding.
    encoding: fn(EncodingName) -> Result<Rc<Encoding>>,
}

/// Counts UTF-16 code units, as JavaScript's `length` does.
struct Characters;

impl Tokenizer for Characters {
    fn count(&self, text: &str) -> u64 {
        text.chars().map(|character| character.len_utf16() as u64).sum()
    }
}

impl Library {
    /// Returns a library without grammars.
    pub fn new(encoding: fn(EncodingName) -> Result<Rc<Encoding>>) -> Library {
        Library {
            files: Vec::new(),
            grammars: Vec::new(),
            count: 0,
            structures: Cache::default(),
            layouts: Layouts::default(),
            trees: Trees::default(),
            facts: Kept::default(),
            encoding,
        }
    }

    /// Answers a question. `texts` and `numbers` are the question, in the order in which the method named `what` reads
    /// them.
    ///
    /// # Errors
    /// [`Code::BadInput`] for an unknown question; the errors of the operations.
    pub fn ask(&mut self, what: &str, texts: &[String], numbers: &[f64]) -> Result<Answer> {
        let (mut question, mut answer) = (Question::new(texts, numbers), Answer::default());
        let (q, a) = (&mut question, &mut answer);
        match what {
            "languages" => languages(a),
            "structure" => self.whole_structure(q, a)?,
            "costs" => self.costs(q, a)?,
            "summarize" => self.summarize(q, a)?,
            "summarizeCompatible" => self.summarize_compatible(q, a)?,
            "reduce" => self.reduce(q, a)?,
            "reduceCompatible" => self.reduce_compatible(q, a)?,
            "diff" => changed::diff(q, a)?,
            "facts" => self.prepare(q, a)?,
            "outline" => self.outline(q, a)?,
            "map" => self.map(q, a)?,
            "forget" => self.forget(),
            _ => return Err(Error::new(Code::BadInput, format!("documents are not asked for {what:?}"))),
        }
        Ok(answer)
    }

    /// Adds the grammar file `file`, named as in [`Language::grammar`], unless it is there. `link` makes its runtime.
    ///
    /// # Errors
    /// [`Code::UnknownLanguage`] if no language has this grammar; the error of `link`.
    pub fn add_file(&mut self, file: &str, link: impl FnOnce(&str) -> Result<tree_sitter::Language>) -> Result<()> {
        let Some(language) = Language::all().iter().find(|language| language.grammar == file) else {
            return Err(Error::new(Code::UnknownLanguage, format!("no language has the grammar {file:?}")));
        };
        if self.file(language.grammar).is_none() {
            self.files.push((language.grammar, link(language.grammar)?));
        }
        Ok(())
    }

    /// Adds a grammar of the host with its query, if it has one. It replaces a built-in grammar of the same name.
    ///
    /// # Errors
    /// The error of the query, with the path `query`.
    pub fn register(&mut self, language: &str, runtime: tree_sitter::Language, query: Option<&str>) -> Result<()> {
        let grammar = match (query, Language::find(language)) {
            // Another build of a grammar with a built-in query.
            (None, Some(known)) => Grammar::built_in(known, runtime),
            (query, _) => Grammar::of_host(runtime, query),
        };
        self.insert(language, grammar.map_err(|error| error.at("query"))?);
        Ok(())
    }

    fn insert(&mut self, language: &str, grammar: Grammar) -> Numbered {
        self.count += 1;
        self.grammars.retain(|(name, ..)| **name != *language);
        let grammar = Rc::new(grammar);
        self.grammars.push((language.into(), Rc::clone(&grammar), self.count));
        (Some(grammar), self.count)
    }

    fn file(&self, name: &str) -> Option<&tree_sitter::Language> {
        self.files.iter().find(|(known, _)| *known == name).map(|(_, runtime)| runtime)
    }

    /// Returns the grammar of a language, if it was added.
    fn grammar(&mut self, name: &str) -> Result<Numbered> {
        if let Some((_, grammar, number)) = self.grammars.iter().find(|(known, ..)| **known == *name) {
            return Ok((Some(Rc::clone(grammar)), *number));
        }
        let found = Language::find(name).and_then(|language| Some((language, self.file(language.grammar)?.clone())));
        let Some((language, runtime)) = found else { return Ok((None, 0)) };
        Ok(self.insert(name, Grammar::built_in(language, runtime)?))
    }

    /// Returns the tokenizer of an encoding; without a name it counts characters.
    fn tokenizer(&self, encoding: &str) -> Result<Rc<dyn Tokenizer>> {
        if encoding.is_empty() {
            return Ok(Rc::new(Characters));
        }
        let found = EncodingName::from_name(encoding).and_then(self.encoding)?;
        Ok(found)
    }

    /// Returns the structure of a document, and makes it if it is not kept.
    fn shared(&mut self, text: &str, options: &Options<'_>) -> Result<Shared> {
        let (grammar, number) = self.grammar(options.language)?;
        let make = || structure_with(text, grammar.as_deref(), options, &mut self.trees);
        Ok(self.structures.get(Key::new(text, options, number), make))
    }

    /// Returns the facts of a document, and whether they had to be made.
    fn facts(&mut self, text: &str, options: &Options<'_>) -> Result<(SharedFacts, bool)> {
        let (grammar, number) = self.grammar(options.language)?;
        let made = self.facts.made();
        let make = || facts(text, grammar.as_deref(), options, &mut self.trees);
        let facts = self.facts.get(Key::new(text, options, number), make);
        Ok((facts, self.facts.made() > made))
    }

    /// Returns the structure of a document, from the tree of the host if there is one. The question has the nodes of
    /// the tree, see [`SyntaxTree::read`], its kinds, its fields, and the query that is registered with the language,
    /// if any.
    fn structure(&mut self, text: &str, options: &Options<'_>, question: &mut Question<'_>) -> Result<Shared> {
        if !question.flag() {
            return self.shared(text, options);
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

    /// Answers with the structure of a document.
    fn whole_structure(&mut self, question: &mut Question<'_>, answer: &mut Answer) -> Result<()> {
        let (text, options) = question.document();
        put_structure(&*self.structure(text, &options, question)?, text, answer);
        Ok(())
    }

    /// Forgets structures, layouts, trees and facts.
    fn forget(&mut self) {
        self.structures.clear();
        self.layouts.clear();
        self.trees.clear();
        self.facts.clear();
    }
}

/// Answers with the known languages: for each its name, grammar, aliases and extensions.
fn languages(answer: &mut Answer) {
    answer.list(Language::all(), |answer, language| {
        for words in [language.name, language.grammar, language.aliases, language.extensions] {
            answer.text(words);
        }
    });
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

/// Writes a structure: its basis, its kinds, and kind, start, end and parent of each node in preorder.
fn put_structure(structure: &Structure, text: &str, answer: &mut Answer) {
    let units = Units::new(text);
    answer.basis(structure.basis);
    answer.list(&structure.overlay.kinds, |answer, kind| answer.text(kind));
    answer.list(&structure.overlay.nodes, |answer, node| {
        for number in [node.kind, units.of(text, node.start), units.of(text, node.end), node.parent] {
            answer.number(number);
        }
    });
}

//! What plans find out about messages, held from one plan to the next: a plan of a conversation that grew by a message reads that message.
//!
//! In: messages that never change, and are shared with whoever has them. Out: calls as they were understood, how results ended, where their
//! error lines are, tokens of the lines that stand in the place of results. All of it follows from one message alone and from the host's
//! rules, so that a plan comes out the same with it and without. Long texts are not copied: places in them are held.
//!
//! What two plans in a row had no use for is forgotten.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::ops::Deref;
use std::rc::Rc;

use super::ledger::Rules;
use super::ledger::command::kept_line;
use super::ledger::error;
use super::ledger::shell;
use super::placeholder::{self, Gone, is_placeholder};
use crate::history::prune::arguments;
use crate::message::path;
use crate::message::tool_map::{ToolCall, ToolMap, exit_status, holds_state};
use crate::message::{Message, Part};
use crate::tokens::image::Pictures;
use crate::tokens::{Fit, Tokenizer};

/// Longest text whose count is held, in bytes.
const SHORT: usize = 2_048;

/// See the module.
#[derive(Default)]
pub struct Held {
    /// Rules that the calls were read by.
    rules: RefCell<Rules>,
    /// Those of the newest plan, in order.
    messages: RefCell<Rc<[Rc<Known>]>>,
    /// Tokens of short texts, and the plan that asked for them last.
    counts: RefCell<HashMap<Box<str>, (u64, u32)>>,
    plans: Cell<u32>,
}

/// A message and what is known of it.
pub struct Known {
    message: Rc<Message>,
    facts: OnceCell<Box<[Fact]>>,
}

/// What is known of one part of a message, by its number.
#[derive(Clone)]
pub enum Fact {
    Call(usize, Rc<Call>),
    Result(usize, Rc<Outcome>),
}

impl Held {
    /// A plan of these messages begins. What is known of each, in order.
    pub fn begin(&self, messages: &[Rc<Message>], rules: &Rules) -> Rc<[Rc<Known>]> {
        let mut read_by = self.rules.borrow_mut();
        let mut held = self.messages.borrow_mut();
        if read_by.tools != rules.tools || read_by.root != rules.root {
            read_by.clone_from(rules);
            *held = Rc::default();
        }
        let same = held.iter().zip(messages).take_while(|(known, message)| Rc::ptr_eq(&known.message, message)).count();
        let (begin, old) = held.split_at(same);
        let new = &messages[same..];
        // After an edit or its undoing others stand there, most of which were there before.
        let old: HashMap<*const Message, &Rc<Known>> = match new.is_empty() {
            true => HashMap::new(),
            false => old.iter().map(|known| (Rc::as_ptr(&known.message), known)).collect(),
        };
        let fresh = |message: &Rc<Message>| Rc::new(Known { message: Rc::clone(message), facts: OnceCell::new() });
        let known = |message: &Rc<Message>| {
            old.get(&Rc::as_ptr(message)).map_or_else(|| fresh(message), |&known| Rc::clone(known))
        };
        let all: Rc<[Rc<Known>]> = begin.iter().cloned().chain(new.iter().map(known)).collect();
        *held = Rc::clone(&all);
        let plan = self.plans.get().wrapping_add(1);
        self.plans.set(plan);
        self.counts.borrow_mut().retain(|_, (_, asked)| plan.wrapping_sub(*asked) <= 2);
        all
    }

    fn count(&self, text: &str, tokenizer: &dyn Tokenizer) -> u64 {
        let mut counts = self.counts.borrow_mut();
        if let Some((tokens, asked)) = counts.get_mut(text) {
            *asked = self.plans.get();
            return *tokens;
        }
        let tokens = tokenizer.count(text);
        counts.insert(Box::from(text), (tokens, self.plans.get()));
        tokens
    }
}

/// Facts of the messages of a draft, asked for in order.
pub struct Reading<'k> {
    rest: std::slice::Iter<'k, Rc<Known>>,
    map: ToolMap,
    root: Option<&'k str>,
}

impl<'k> Reading<'k> {
    pub fn new(known: &'k [Rc<Known>], rules: &'k Rules) -> Reading<'k> {
        Reading { rest: known.iter(), map: ToolMap::new(rules.tools.clone()), root: rules.root.as_deref() }
    }

    /// Of the next message. `source` is the one that it was made from, if it was not put in.
    pub fn next(&mut self, message: &Message, source: Option<&Message>) -> Cow<'k, [Fact]> {
        let known = source.and_then(|source| {
            // Drafts leave out nothing and change no order.
            self.rest.next().filter(|known| std::ptr::eq(&*known.message, source))
        });
        match known.filter(|known| std::ptr::eq(&*known.message, message)) {
            Some(known) => Cow::Borrowed(known.facts.get_or_init(|| facts(message, &self.map, self.root))),
            None => Cow::Owned(facts(message, &self.map, self.root).into_vec()),
        }
    }
}

fn facts(message: &Message, map: &ToolMap, root: Option<&str>) -> Box<[Fact]> {
    let fact = |(at, part): (usize, &Part)| match part {
        Part::ToolCall { name, arguments, .. } => Some(Fact::Call(at, Rc::new(Call::new(map, root, name, arguments)))),
        Part::ToolResult { .. } => Some(Fact::Result(at, Rc::default())),
        _ => None,
    };
    message.parts.iter().enumerate().filter_map(fact).collect()
}

/// A call as it was understood, without the texts that it writes.
pub struct Call {
    read: ToolCall,
    /// Results of its tool hold however old they are.
    pub holds_state: bool,
    lines: OnceCell<Box<[shell::Line]>>,
    key: OnceCell<Option<Rc<str>>>,
    /// For how many characters, and what came of it.
    short: RefCell<Option<(usize, Option<Rc<str>>)>>,
}

impl Deref for Call {
    type Target = ToolCall;

    fn deref(&self) -> &ToolCall {
        &self.read
    }
}

impl Call {
    fn new(map: &ToolMap, root: Option<&str>, name: &str, arguments: &str) -> Call {
        let mut read = map.read(name, arguments);
        read.paths = read.paths.into_iter().map(|it| path::under(root, it)).collect();
        (read.content, read.items, read.question) = (String::new(), vec![], None);
        let holds_state = holds_state(name, read.kind);
        Call { read, holds_state, lines: OnceCell::new(), key: OnceCell::new(), short: RefCell::default() }
    }

    /// Its command lines, read.
    pub fn lines(&self) -> &[shell::Line] {
        self.lines.get_or_init(|| self.commands.iter().map(|line| shell::read(line, self.cwd.as_deref())).collect())
    }

    /// True if it runs commands, and none that does more than show what is there.
    pub fn only_shows(&self) -> bool {
        !self.lines().is_empty() && self.lines().iter().all(|line| line.only_shows)
    }

    /// What tells its commands from others; none if it has none.
    pub fn key(&self) -> Option<&Rc<str>> {
        let key = || {
            let lines: Vec<String> = self.commands.iter().map(|line| kept_line(line)).collect();
            let folder = self.cwd.as_deref().unwrap_or_default();
            (!lines.is_empty()).then(|| Rc::from(format!("{folder}\n{}", lines.join("\n"))))
        };
        self.key.get_or_init(key).as_ref()
    }

    /// See [`arguments::long_strings`]. `text` are its arguments, `id` the message that it is of.
    pub fn long_strings(&self, text: &str, most: usize, id: &str) -> Option<Rc<str>> {
        let mut short = self.short.borrow_mut();
        match &*short {
            Some((of, known)) if *of == most => known.clone(),
            _ => {
                let made = arguments::long_strings(text, most, id).map(Rc::from);
                *short = Some((most, made.clone()));
                made
            }
        }
    }
}

/// A result, as far as its text tells.
#[derive(Default)]
pub struct Outcome {
    /// Of its text, and what it shares with those whose text was found to be the same.
    hash: OnceCell<u64>,
    twins: RefCell<Rc<()>>,
    is_placeholder: OnceCell<bool>,
    says_so: OnceCell<bool>,
    exit: OnceCell<Option<i64>>,
    errors: OnceCell<Box<[ErrorAt]>>,
    /// What its placeholder says of it, and for which call.
    about: RefCell<Option<About>>,
}

type About = (Option<Rc<Call>>, bool, Rc<str>);

/// An error line in a text, in bytes, and a hash of [`error::key`] of it.
#[derive(Debug, Clone, Copy)]
pub struct ErrorAt {
    from: u32,
    to: u32,
    pub key: u64,
}

impl ErrorAt {
    /// The line as it is kept.
    pub fn line(&self, text: &str) -> String {
        error::kept_line(text.get(self.from as usize..self.to as usize).unwrap_or_default())
    }
}

impl Outcome {
    /// It is not there any more.
    pub fn is_placeholder(&self, text: &str) -> bool {
        *self.is_placeholder.get_or_init(|| is_placeholder(text))
    }

    /// It begins as tools report errors.
    pub fn says_so(&self, text: &str) -> bool {
        *self.says_so.get_or_init(|| {
            let start = text.trim_start();
            ["ERROR", "Error:", "error:", "<error>"].iter().any(|word| start.starts_with(word))
        })
    }

    /// The exit status that it tells of.
    pub fn exit(&self, text: &str) -> Option<i64> {
        *self.exit.get_or_init(|| exit_status(text))
    }

    /// Its error lines.
    pub fn errors(&self, text: &str) -> &[ErrorAt] {
        self.errors.get_or_init(|| {
            let mut from = 0;
            let mut found = Vec::new();
            for line in text.split_inclusive('\n') {
                let end = from + line.len();
                let line = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
                if error::is_error_line(line) {
                    let key = hash(error::key(&error::kept_line(line)).as_bytes());
                    found.push(ErrorAt { from: from as u32, to: (from + line.len()) as u32, key });
                }
                from = end;
            }
            found.into()
        })
    }

    /// The placeholder of it. See [`placeholder::line`].
    pub fn placeholder(
        &self,
        gone: Gone,
        call: Option<&Rc<Call>>,
        of: placeholder::Result,
        why: Option<&str>,
        recall: &str,
    ) -> String {
        let mut about = self.about.borrow_mut();
        let same = |(known, is_error, _): &&About| {
            *is_error == of.is_error && known.as_ref().map(Rc::as_ptr) == call.map(Rc::as_ptr)
        };
        let said = match about.as_ref().filter(same) {
            Some((.., said)) => Rc::clone(said),
            None => {
                let said: Rc<str> = placeholder::about(of).into();
                *about = Some((call.cloned(), of.is_error, Rc::clone(&said)));
                said
            }
        };
        placeholder::line_about(gone, &said, why, recall)
    }
}

/// The text of a result, compared quickly with others.
#[derive(Clone, Copy)]
pub struct Text<'t> {
    hash: u64,
    outcome: &'t Outcome,
    text: &'t str,
}

impl<'t> Text<'t> {
    /// `text` is that of `outcome`.
    pub fn of(outcome: &'t Outcome, text: &'t str) -> Text<'t> {
        Text { hash: *outcome.hash.get_or_init(|| hash(text.as_bytes())), outcome, text }
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Text) -> bool {
        let twins = || Rc::clone(&self.outcome.twins.borrow());
        if self.hash != other.hash || Rc::ptr_eq(&twins(), &other.outcome.twins.borrow()) {
            return self.hash == other.hash;
        }
        let is_same = self.text == other.text;
        if is_same {
            other.outcome.twins.replace(twins());
        }
        is_same
    }
}

impl Eq for Text<'_> {}

impl std::hash::Hash for Text<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// The same everywhere: what it decides must not depend on where it was made.
fn hash(bytes: &[u8]) -> u64 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut sum = (bytes.len() as u64).wrapping_mul(MIX);
    let mut take = |word: u64| sum = (sum ^ word).wrapping_mul(MIX).rotate_left(29);
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        take(word.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)));
    }
    take(words.remainder().iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)));
    sum ^ sum >> 32
}

/// A tokenizer that remembers the counts of short texts: a plan counts the same lines several times, and the next plan most of them again.
pub struct Remembering {
    pub inner: Rc<dyn Tokenizer>,
    pub held: Rc<Held>,
}

impl Tokenizer for Remembering {
    fn count(&self, text: &str) -> u64 {
        if text.len() <= SHORT { self.held.count(text, &*self.inner) } else { self.inner.count(text) }
    }

    fn pictures(&self) -> &Pictures {
        self.inner.pictures()
    }

    fn prefix_within(&self, text: &str, most: u64) -> Fit {
        self.inner.prefix_within(text, most)
    }

    fn suffix_within(&self, text: &str, most: u64) -> Fit {
        self.inner.suffix_within(text, most)
    }
}

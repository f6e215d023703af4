//! What plans compute about messages, kept for the next plan: after one more message, a plan reads only that message.
//!
//! In: immutable messages, shared with the caller. Out: parsed calls, outcomes of results, the positions of their error
//! lines, tokens of the lines that replace results. All of it depends only on one message and the host's rules, so a
//! plan is the same with and without this cache. Long texts are not copied; the cache keeps positions in them.
//!
//! Entries that two consecutive plans did not use are evicted.

mod call;
mod counts;
mod folds;
mod open;
mod outcome;
mod tail;

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::rc::{Rc, Weak};

pub use call::Call;
pub use counts::Remembering;
pub use folds::Folds;
pub use open::OpenFiles;
pub use outcome::{Outcome, Text};
pub use tail::Tail;

use super::facts::{Facts, Sentence};
use super::ledger::Rules;
use super::ledger::gist::Gists;
use super::working::view::Shown;
use crate::map::HashMap;
use crate::message::tool_map::ToolMap;
use crate::message::{Message, Part, Role};
use counts::Counts;

/// See the module.
#[derive(Default)]
pub struct Held {
    /// The rules by which the calls were parsed.
    rules: RefCell<Rules>,
    /// The messages of the newest plan, in order.
    messages: RefCell<Rc<[Rc<Known>]>>,
    counts: Counts,
    /// Ledgers of the messages that plans would cover.
    pub folds: Folds,
    /// The working set of the whole conversation.
    pub open: OpenFiles,
    /// What the newest messages show.
    pub tail: Tail,
    /// What the messages of the newest plan say, while somebody keeps it.
    gists: RefCell<Weak<Gists>>,
    plans: Cell<u32>,
}

/// A message and the facts about it.
pub struct Known {
    pub message: Rc<Message>,
    facts: OnceCell<Box<[Fact]>>,
    /// For a user message: see [`Facts::replacing`].
    replacing: OnceCell<Box<[Sentence]>>,
    shown: OnceCell<Box<Shown>>,
}

impl Known {
    fn new(message: &Rc<Message>) -> Known {
        Known {
            message: Rc::clone(message),
            facts: OnceCell::new(),
            replacing: OnceCell::new(),
            shown: OnceCell::new(),
        }
    }

    /// Returns the sentences that may replace earlier ones; only the user's do.
    pub fn replacing(&self) -> &[Sentence] {
        let is_user = self.message.role == Role::User;
        self.replacing.get_or_init(|| if is_user { Facts::replacing(&self.message.text()) } else { Box::default() })
    }

    /// Returns its lines and names.
    pub fn shown(&self) -> &Shown {
        self.shown.get_or_init(|| Box::new(Shown::of(&self.message)))
    }
}

/// Facts about one part of a message, by its index.
#[derive(Clone)]
pub enum Fact {
    Call(usize, Rc<Call>),
    Result(usize, Rc<Outcome>),
}

impl Held {
    /// Begins a plan of these messages, and returns the facts about each, in order.
    pub fn begin(&self, messages: &[Rc<Message>], rules: &Rules) -> Rc<[Rc<Known>]> {
        let mut read_by = self.rules.borrow_mut();
        let mut held = self.messages.borrow_mut();
        if !read_by.reads_calls_like(rules) {
            read_by.clone_from(rules);
            *held = Rc::default();
        }
        let same = held.iter().zip(messages).take_while(|(known, message)| Rc::ptr_eq(&known.message, message)).count();
        let (begin, old) = held.split_at(same);
        let new = &messages[same..];
        // An edit or its undoing changes the list, but most messages were in it before.
        let old: HashMap<*const Message, &Rc<Known>> = match new.is_empty() {
            true => HashMap::default(),
            false => old.iter().map(|known| (Rc::as_ptr(&known.message), known)).collect(),
        };
        let known = |message: &Rc<Message>| {
            old.get(&Rc::as_ptr(message)).map_or_else(|| Rc::new(Known::new(message)), |&known| Rc::clone(known))
        };
        let all: Rc<[Rc<Known>]> = begin.iter().cloned().chain(new.iter().map(known)).collect();
        *held = Rc::clone(&all);
        let plan = self.plans.get().wrapping_add(1);
        self.plans.set(plan);
        self.counts.begin(plan);
        self.folds.begin();
        all
    }

    /// Returns what the messages of this plan say, for all of its ledgers.
    pub fn gists(&self, known: &Rc<[Rc<Known>]>, rules: &Rules) -> Rc<Gists> {
        let mut held = self.gists.borrow_mut();
        let same = held.upgrade().filter(|gists| gists.are_of(known, rules));
        let gists = same.unwrap_or_else(|| Rc::new(Gists::new(known, rules)));
        *held = Rc::downgrade(&gists);
        self.folds.remember(&gists);
        gists
    }
}

/// Facts about the messages of a draft, requested in order.
pub struct Reading<'k> {
    rest: std::slice::Iter<'k, Rc<Known>>,
    map: ToolMap,
    root: Option<&'k str>,
}

impl<'k> Reading<'k> {
    pub fn new(known: &'k [Rc<Known>], rules: &'k Rules) -> Reading<'k> {
        Reading {
            rest: known.iter(),
            map: ToolMap::new(rules.tools.clone()).with_dialect(rules.dialect),
            root: rules.root.as_deref(),
        }
    }

    /// Returns the facts about the next message. `source` is the message it was made from, unless it was inserted.
    pub fn next(&mut self, message: &Message, source: Option<&Message>) -> Cow<'k, [Fact]> {
        let known = source.and_then(|source| {
            // Drafts leave out nothing and keep the order.
            self.rest.next().filter(|known| std::ptr::eq(&*known.message, source))
        });
        let known = known.map(|known| known.facts.get_or_init(|| facts(&known.message, &self.map, self.root)));
        match (known, source) {
            (Some(facts), Some(source)) if std::ptr::eq(source, message) => Cow::Borrowed(facts),
            (Some(known), Some(source)) if source.parts.len() == message.parts.len() => {
                Cow::Owned(self.changed(message, source, known))
            }
            _ => Cow::Owned(facts(message, &self.map, self.root).into_vec()),
        }
    }

    /// Returns facts about a message whose parts were made from those of `source`: its calls are the same even if its
    /// results changed.
    fn changed(&self, message: &Message, source: &Message, known: &[Fact]) -> Vec<Fact> {
        let mut known = known.iter();
        let parts = message.parts.iter().zip(&source.parts).enumerate();
        let changed = parts.filter_map(|(at, (part, was))| {
            let known = is_fact(was).then(|| known.next()).flatten();
            match known {
                Some(known) if part == was => Some(known.clone()),
                _ => fact(at, part, &self.map, self.root),
            }
        });
        changed.collect()
    }
}

fn facts(message: &Message, map: &ToolMap, root: Option<&str>) -> Box<[Fact]> {
    message.parts.iter().enumerate().filter_map(|(at, part)| fact(at, part, map, root)).collect()
}

fn is_fact(part: &Part) -> bool {
    matches!(part, Part::ToolCall { .. } | Part::ToolResult { .. })
}

fn fact(at: usize, part: &Part, map: &ToolMap, root: Option<&str>) -> Option<Fact> {
    match part {
        Part::ToolCall { name, arguments, .. } => Some(Fact::Call(at, Rc::new(Call::new(map, root, name, arguments)))),
        Part::ToolResult { .. } => Some(Fact::Result(at, Rc::default())),
        _ => None,
    }
}

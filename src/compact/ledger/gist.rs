//! What a message says by itself: its sentences, rules, decisions and parsed calls.
//!
//! A plan adds the same messages to several ledgers: of the covered messages, of the whole history, of the result. With
//! [`Gists`], each message is read once for all of them. A ledger refers to them weakly, so that they end with the plan.

use std::cell::OnceCell;
use std::fmt;
use std::rc::{Rc, Weak};

use super::harness::{bare, of_user};
use super::same::{self, Same};
use super::shell::{self, Line};
use super::story::names_in;
use super::symbol;
use super::{Ledger, Rules, decision, user};
use crate::compact::facts::{Facts, Sentence, Speaker};
use crate::compact::held::Known;
use crate::map::HashMap;
use crate::message::change::FileChange;
use crate::message::tool_map::{ToolCall, ToolKind, ToolMap};
use crate::message::{Message, Part};

/// The gists of the messages of a plan.
pub struct Gists {
    known: Rc<[Rc<Known>]>,
    rules: Rules,
    /// By the address of the message, which `known` keeps alive.
    all: OnceCell<HashMap<*const Message, Rc<Gist>>>,
}

impl Gists {
    /// Returns the gists of these messages, which are read when a ledger needs them.
    pub fn new(known: &Rc<[Rc<Known>]>, rules: &Rules) -> Gists {
        Gists { known: Rc::clone(known), rules: rules.clone(), all: OnceCell::new() }
    }

    /// Returns whether these are the gists of these messages under these rules.
    pub(in crate::compact) fn are_of(&self, known: &[Rc<Known>], rules: &Rules) -> bool {
        let is_same = |(one, other)| Rc::ptr_eq(one, other);
        self.known.len() == known.len() && self.known.iter().zip(known).all(is_same) && self.are_under(rules)
    }

    /// Returns whether messages say the same under these rules.
    fn are_under(&self, rules: &Rules) -> bool {
        self.rules.markers == rules.markers && self.rules.reads_calls_like(rules)
    }

    fn of(&self, message: &Message) -> Option<Rc<Gist>> {
        let new = |known: &Rc<Known>| (Rc::as_ptr(&known.message), Rc::default());
        let all = self.all.get_or_init(|| self.known.iter().map(new).collect());
        all.get(&(&raw const *message)).cloned()
    }
}

/// The gists that a ledger may use, which say nothing of its content.
#[derive(Clone, Default)]
pub struct Memo(Weak<Gists>);

impl Memo {
    pub fn new(gists: &Rc<Gists>) -> Memo {
        Memo(Rc::downgrade(gists))
    }

    /// Returns the gists if they were read by the same rules. Another plan may have begun in between.
    pub(in crate::compact) fn under(&self, rules: &Rules) -> Memo {
        self.0.upgrade().filter(|gists| gists.are_under(rules)).map_or_else(Memo::default, |gists| Memo::new(&gists))
    }

    /// Returns the gist of a message, an empty one if the plan does not have the message.
    pub(super) fn of(&self, message: &Message) -> Rc<Gist> {
        self.0.upgrade().and_then(|gists| gists.of(message)).unwrap_or_default()
    }
}

impl PartialEq for Memo {
    fn eq(&self, _: &Memo) -> bool {
        true
    }
}

impl fmt::Debug for Memo {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        out.write_str("Memo")
    }
}

impl Ledger {
    /// Returns the ledger with the gists of a plan.
    pub(in crate::compact) fn with_memo(mut self, memo: &Memo) -> Ledger {
        self.memo.clone_from(memo);
        self
    }

    /// The gists that the ledger uses.
    pub(in crate::compact) fn memo(&self) -> &Memo {
        &self.memo
    }
}

/// See the module.
#[derive(Default)]
pub(super) struct Gist {
    asked: OnceCell<String>,
    sentences: OnceCell<Vec<Sentence>>,
    rules: OnceCell<Vec<String>>,
    decisions: OnceCell<Vec<String>>,
    calls: OnceCell<Vec<Call>>,
}

/// A parsed call, without the texts that it writes.
pub(super) struct Call {
    pub read: ToolCall,
    pub same: Same,
    /// Its command lines, parsed.
    pub lines: Vec<Line>,
    /// Names that the text which it writes defines.
    pub defined: Vec<String>,
    /// For each of its changes the path, if it has its own, and the names in the changed lines.
    pub changes: Vec<(Option<String>, Vec<String>)>,
}

impl Gist {
    /// Returns what the user asked in the text.
    pub fn asked(&self, text: &str) -> &str {
        self.asked.get_or_init(|| of_user(text).into_owned())
    }

    /// Returns the sentences of the text, which is that of the message.
    pub fn sentences(&self, speaker: Speaker, text: &str) -> &[Sentence] {
        self.sentences.get_or_init(|| match speaker {
            Speaker::User => Facts::sentences_of(speaker, &bare(text)),
            _ => Facts::sentences_of(speaker, text),
        })
    }

    /// Returns the rules in these texts of a user.
    pub fn rules<'a>(&self, texts: impl Iterator<Item = &'a str>, markers: &[String]) -> &[String] {
        self.rules.get_or_init(|| texts.flat_map(|text| user::constraints(&bare(text), markers)).collect())
    }

    /// Returns the decisions in the text of a user.
    pub fn chosen(&self, text: &str) -> &[String] {
        self.decisions.get_or_init(|| decision::chosen(&bare(text)).collect())
    }

    /// Returns the decisions in the text of an assistant.
    pub fn settled(&self, text: &str) -> &[String] {
        self.decisions.get_or_init(|| decision::settled(text).collect())
    }

    /// Returns the calls of the message, in order.
    pub fn calls(&self, message: &Message, map: &ToolMap) -> &[Call] {
        self.calls.get_or_init(|| message.parts.iter().filter_map(|part| Call::of(part, map)).collect())
    }
}

impl Call {
    fn of(part: &Part, map: &ToolMap) -> Option<Call> {
        let Part::ToolCall { name, arguments, .. } = part else { return None };
        let mut read = map.read(name, arguments);
        let folder = read.cwd.as_deref();
        let changes = match read.kind {
            ToolKind::Write | ToolKind::Edit => map.changes(name, arguments),
            _ => vec![],
        };
        let lines = match read.kind {
            ToolKind::Shell => read.commands.iter().map(|line| shell::read(line, folder)).collect(),
            _ => vec![],
        };
        let defined = match read.kind {
            ToolKind::Read | ToolKind::Write | ToolKind::Edit | ToolKind::Delete => symbol::defined(&read.content),
            _ => vec![],
        };
        let defined = defined.into_iter().map(str::to_string).collect();
        let changes = changes.into_iter().map(|FileChange { path, change }| (path, names_in(&change))).collect();
        let same = same::of_lines(&read.commands, folder);
        read.content = String::new();
        Some(Call { read, same, lines, defined, changes })
    }
}

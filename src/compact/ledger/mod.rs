//! The ledger: facts collected from the history by rules, never by a model.
//!
//! In: messages, oldest first. Out: facts that must survive, however the summary turns out. Adding one message takes
//! time proportional to its length, and returns the same as folding all messages afresh. Start reading at
//! [`Ledger::add`].
//!
//! One file for each kind of entry: [`user`] (requests and constraints), [`file`], [`command`] (with runs of tests),
//! [`error`], [`decision`], [`symbol`]; plans are in this file. [`shell`] parses command lines, [`earlier`] reads the
//! record of an earlier compaction, `line` writes entries as lines, [`render`] decides which lines leave first.

pub mod action;
pub mod command;
pub mod decision;
pub mod earlier;
pub mod ended;
pub mod error;
pub mod escape;
pub mod file;
mod foreign;
pub mod gist;
pub mod harness;
mod line;
mod page;
pub mod place;
pub mod quoted;
pub mod render;
mod result;
pub mod same;
pub mod shell;
pub(in crate::compact) mod shorter;
pub(in crate::compact) mod simple;
pub mod story;
pub mod symbol;
pub mod tags;
pub mod text;
pub mod user;

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;

pub use action::Action;
pub use command::{Command, Status, Tests};
pub use decision::{By, Decision};
pub use error::Failure;
pub use file::File;
pub use user::{Constraint, Request};

use crate::map::{HashMap, HashSet};
use crate::message::path;
pub use text::{one_line, sentences};

use crate::compact::facts::{Facts, Sentence, Speaker};
use crate::compact::models::KEEP_GOING;
use crate::history::record::{Record, Records};
use crate::message::dialects::{Dialect, Dialects};
use crate::message::tool_map::{Mark, ToolKind, ToolMap, ToolRule};
use crate::message::{Message, Part, Role};
use crate::validity::pairs::recall_id;
use ended::Run;
use gist::{Gist, Memo};
use same::Same;
use shell::Touch;
use story::{Outcome, Turn};

/// Maximum distinct error lines taken from one result: the first and the last ones.
const FIRST_ERRORS: usize = 40;
const LAST_ERRORS: usize = 20;
/// Maximum bytes of a call's subject.
const SUBJECT_BYTES: usize = 80;
/// Maximum bytes of a plan item.
const ITEM_BYTES: usize = 200;

/// The host's additions to the rules.
///
/// ```
/// use espalier::compact::ledger::Rules;
/// let rules: Rules = serde_json::from_str(r#"{"root":"/home/me/app","markers":["unbedingt"]}"#).unwrap();
/// assert_eq!(rules.root.as_deref(), Some("/home/me/app"));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Rules {
    /// Folder to which paths are relative.
    pub root: Option<String>,
    /// The host's tools.
    pub tools: Vec<ToolRule>,
    /// The agent whose tools these are. Default: all known agents.
    pub dialect: Option<Dialect>,
    /// Further words (lower case) that make a sentence of the user a constraint.
    pub markers: Vec<String>,
    /// Facts that were pinned as text: they are listed with the constraints, and removed last.
    pub facts: Vec<String>,
    /// Whether calls leave the world unchanged, by the name of the tool, from tool definitions (MCP's `readOnlyHint`).
    pub read_only: BTreeMap<String, bool>,
    /// Messages that are records of earlier compactions. For the view of a log, the log decides.
    #[serde(skip)]
    pub records: Records,
}

impl Rules {
    /// True if both rules parse tool calls the same way, so that results for one hold for the other.
    pub fn reads_calls_like(&self, other: &Rules) -> bool {
        self.tools == other.tools && self.root == other.root && self.dialect == other.dialect
    }
}

/// The newest state of a todo list or plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    pub id: String,
    pub items: Vec<(Mark, String)>,
}

/// A name that an edit defined or changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Symbol {
    pub name: String,
    pub path: String,
    pub id: String,
}

/// See the module.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    /// User messages.
    pub requests: Vec<Request>,
    /// The outcome of each of them.
    pub turns: Vec<Turn>,
    pub constraints: Vec<Constraint>,
    pub files: Vec<File>,
    pub commands: Vec<Command>,
    /// Calls that change the world outside the files.
    pub actions: Vec<Action>,
    pub errors: Vec<Failure>,
    pub plan: Option<Plan>,
    pub decisions: Vec<Decision>,
    pub symbols: Vec<Symbol>,
    /// Tools by number of calls.
    pub tools: Vec<(String, usize)>,
    /// Texts of the assistant.
    pub said: Vec<(String, String)>,
    /// Sentences that may be shown for their content.
    pub facts: Facts,
    /// Summaries of earlier compactions, unchanged.
    pub earlier: Vec<String>,
    /// Number of entries that an earlier record had no room for, by block.
    pub left_out: BTreeMap<&'static str, usize>,
    rules: Rules,
    map: ToolMap,
    memo: Memo,
    /// Number of messages added.
    seen: usize,
    /// True while messages belong to a request outside the record.
    is_elsewhere: bool,
    file_at: HashMap<String, usize>,
    /// By their keys ([`command::key`]).
    command_at: HashMap<String, usize>,
    error_at: HashMap<String, usize>,
    /// Failed calls, and the keys that close them: indexes into `sources`.
    sources: Vec<Source>,
    source_at: HashMap<Same, usize>,
    closed_by: HashMap<String, Vec<usize>>,
    tool_at: HashMap<String, usize>,
    symbol_at: HashSet<(String, String)>,
    constraint_at: HashSet<String>,
    /// The open file, for editors with one open file.
    opened: Option<usize>,
    /// Calls without a result yet, and what to do with the result.
    open: HashMap<String, Pending>,
}

/// A call without a result so far.
#[derive(Debug, Clone, PartialEq)]
struct Pending {
    open: Open,
    same: Same,
    /// Its actions, by index.
    actions: Range<usize>,
    /// Files that it changes, and the names in their changed lines.
    changes: Vec<(usize, Vec<String>)>,
}

/// A call that failed.
#[derive(Debug, Clone, PartialEq)]
struct Source {
    folder: Option<String>,
    /// The text of it in a record.
    words: Option<String>,
    /// Its open errors, by index.
    errors: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq)]
enum Open {
    Commands {
        commands: Vec<usize>,
        run: Run,
    },
    Files(Vec<(usize, Touch)>),
    Question(String),
    /// External content: a file's text or a page may say that the user approved.
    Shown(String),
    /// Decided by the name of the tool.
    Other(String),
}

impl Ledger {
    /// Returns an empty ledger.
    pub fn new(rules: &Rules) -> Ledger {
        let map = ToolMap::new(rules.tools.clone()).with_dialect(rules.dialect);
        let mut ledger = Ledger { rules: rules.clone(), map, ..Ledger::default() };
        for fact in &rules.facts {
            let sentence = one_line(fact, usize::MAX);
            if !sentence.is_empty() && ledger.constraint_at.insert(sentence.clone()) {
                ledger.constraints.push(Constraint { id: user::PINNED.to_string(), sentence });
            }
        }
        ledger
    }

    /// Folds messages into a ledger.
    pub fn fold<'a>(messages: impl IntoIterator<Item = &'a Message>, rules: &Rules) -> Ledger {
        Ledger::new(rules).continued(messages)
    }

    /// Adds messages.
    pub(in crate::compact) fn continued<'a>(mut self, messages: impl IntoIterator<Item = &'a Message>) -> Ledger {
        messages.into_iter().for_each(|message| self.add(message));
        self
    }

    /// Returns a ledger that continues this one with other messages as records.
    pub(in crate::compact) fn with_records(&self, records: &Records) -> Ledger {
        let mut ledger = self.clone();
        ledger.rules.records = records.clone();
        ledger
    }

    /// True if no message was added yet.
    pub fn is_empty(&self) -> bool {
        self.seen == 0
    }

    /// Adds a message, in time proportional to its length. A message of the user without parts begins a turn whose
    /// request is outside the record.
    pub fn add(&mut self, message: &Message) {
        self.seen += 1;
        let gist = self.memo.of(message);
        let mut calls = gist.calls(message, &self.map).iter();
        let text = message.text();
        match message.role {
            Role::User if !text.trim().is_empty() => self.user(message, text, &gist),
            Role::User if message.parts.is_empty() => {
                self.close_turn();
                self.is_elsewhere = true;
            }
            Role::Assistant if self.rules.records.is_foreign_reply(message) => {}
            Role::Assistant if !text.trim().is_empty() => {
                self.said(&message.id, text::spoken(&text).into_owned(), &gist);
            }
            _ => {}
        }
        for part in &message.parts {
            match part {
                Part::ToolCall { call_id, name, arguments } => {
                    let call = calls.next();
                    call.into_iter().for_each(|call| self.call(&message.id, call_id, (name, arguments), call));
                }
                Part::ToolResult { call_id, content, is_error, .. } => {
                    self.result(recall_id(message), call_id, content, *is_error)
                }
                _ => {}
            }
        }
    }

    fn user(&mut self, message: &Message, text: String, gist: &Gist) {
        if harness::is_harness(&text) {
            return;
        }
        let record = self.rules.records.read(message, &text);
        let Some(Record { text: record, behind, is_sealed, system }) = record else {
            let asked = gist.asked(&text).to_string();
            if asked.trim().is_empty() {
                return;
            }
            let parts = message.parts.iter();
            let texts =
                parts.filter_map(|part| if let Part::Text { text } = part { Some(text.as_str()) } else { None });
            self.constrained(&message.id, gist.rules(texts, &self.rules.markers));
            self.chosen(&message.id, gist.chosen(&text));
            self.facts_from(&message.id, gist.sentences(Speaker::User, &text));
            return self.asked(Request::new(&message.id, asked, false), None);
        };
        if let Some(system) = system {
            self.foreign(&message.id, system, record);
        } else if is_sealed {
            self.absorb(record);
        } else {
            // Another system's record, or the host's: text without our lists.
            self.said_earlier(record.to_string());
        }
        // Hosts join messages of the same role.
        let behind = behind.trim();
        if !behind.is_empty() && behind != KEEP_GOING {
            self.constrained(&message.id, &user::constraints(behind, &self.rules.markers));
            self.chosen(&message.id, &decision::chosen(behind).collect::<Vec<_>>());
            self.facts_of(&message.id, Speaker::User, behind);
            self.asked(Request::new(&message.id, behind.to_string(), false), None);
        }
    }

    /// Adds a request, with its outcome if a record contains it.
    fn asked(&mut self, request: Request, told: Option<Outcome>) {
        self.close_turn();
        self.requests.push(request);
        self.turns.push(Turn { told, ..Turn::default() });
        self.is_elsewhere = false;
    }

    /// Adds the rules in the texts of one message. Each part is read by itself: a tag or a fence does not continue in
    /// the next part.
    fn constrained(&mut self, id: &str, rules: &[String]) {
        let is_new = |sentence: &&String| self.constraint_at.insert((*sentence).clone());
        let mut found: Vec<String> = rules.iter().filter(is_new).cloned().collect();
        let beyond = found.len().saturating_sub(user::PER_MESSAGE);
        if beyond > 0 {
            // The user's own words surround pasted text.
            found.drain(user::PER_MESSAGE / 2..user::PER_MESSAGE / 2 + beyond);
            *self.left_out.entry("constraints").or_default() += beyond;
        }
        let constraint = |sentence: String| Constraint { id: id.to_string(), sentence };
        self.constraints.extend(found.into_iter().map(constraint));
    }

    /// Adds the decisions in a message of the user that are no rules.
    fn chosen(&mut self, id: &str, decisions: &[String]) {
        for sentence in decisions {
            // A rule can begin with the sentence before it.
            let is_rule = self
                .constraints
                .iter()
                .rev()
                .take_while(|rule| rule.id == id)
                .any(|rule| rule.sentence.contains(sentence));
            if !is_rule {
                let sentence = sentence.clone();
                self.decisions.push(Decision { id: id.to_string(), by: By::User, sentence });
            }
        }
    }

    fn said(&mut self, id: &str, text: String, gist: &Gist) {
        self.facts_from(id, gist.sentences(Speaker::Assistant, &text));
        for sentence in gist.settled(&text) {
            self.decisions.push(Decision { id: id.to_string(), by: By::Assistant, sentence: sentence.clone() });
        }
        let items: Vec<(Mark, String)> = text
            .lines()
            .filter(|line| line.trim_start().starts_with(['-', '*']))
            .filter_map(|line| Mark::of_line(line).map(|(mark, what)| (mark, one_line(what, ITEM_BYTES))))
            .collect();
        // A single box is an example rather than a list.
        if items.len() >= 2 {
            self.plan = Some(Plan { id: id.to_string(), items });
        }
        let answer = Some(self.said.len());
        if let Some(turn) = self.turn() {
            (turn.answer, turn.goes_on) = (answer, false);
        }
        self.said.push((id.to_string(), text));
    }

    /// Adds the facts of a text, and removes those it replaces.
    fn facts_of(&mut self, id: &str, speaker: Speaker, text: &str) {
        self.facts_from(id, &Facts::sentences_of(speaker, text));
    }

    fn facts_from(&mut self, id: &str, sentences: &[Sentence]) {
        let before = self.facts.replaced_count();
        self.facts.add_sentences(id, sentences);
        self.take_out(before);
    }

    /// Returns the ledger without what these sentences of later messages replace; `None` if they replace nothing.
    pub(in crate::compact) fn without_replaced<'a>(
        &self,
        later: impl Iterator<Item = &'a [Sentence]>,
    ) -> Option<Ledger> {
        let replaced: Vec<usize> = later.flat_map(|said| self.facts.replaced_by(said)).collect();
        (!replaced.is_empty()).then(|| {
            let mut ledger = self.clone();
            let before = ledger.facts.replaced_count();
            ledger.facts.replace(&replaced);
            ledger.take_out(before);
            ledger
        })
    }

    /// True if a record has a line for the request. With tools, a request that a later one changed still has its place
    /// in the story.
    pub fn lists(&self, request: &Request) -> bool {
        !request.is_replaced || !self.tools.is_empty()
    }

    /// Removes the rules, decisions and requests whose sentences were replaced after the first `before` replacements.
    fn take_out(&mut self, before: usize) {
        for (fact, by) in self.facts.replaced(before).filter(|(fact, _)| fact.is_changed) {
            // Replaced sentences are mostly new, so the search starts at the end.
            let has = |id: &str, sentence: &str| id == fact.id && sentence.contains(fact.sentence);
            if let Some(at) = self.constraints.iter().rposition(|rule| has(&rule.id, &rule.sentence)) {
                self.constraints.remove(at);
                // "Now 60 seconds" takes the place of the rule that it changes.
                if let Some(by) = by.filter(|by| by.speaker == Speaker::User)
                    && !self.constraints.iter().any(|rule| rule.sentence.contains(by.sentence))
                {
                    self.constraint_at.insert(by.sentence.to_string());
                    self.constraints.push(Constraint { id: by.id.to_string(), sentence: by.sentence.to_string() });
                }
            }
            if let Some(at) = self.decisions.iter().rposition(|decision| has(&decision.id, &decision.sentence)) {
                self.decisions.remove(at);
            }
            if let Some(request) = self.requests.iter_mut().rfind(|request| request.id == fact.id) {
                request.is_replaced |= self.facts.is_replaced(fact.id);
            }
        }
    }

    fn call(&mut self, id: &str, call_id: &str, (name, arguments): (&str, &str), call: &gist::Call) {
        let tool = *self.tool_at.entry(name.to_string()).or_insert_with(|| {
            self.tools.push((name.to_string(), 0));
            self.tools.len() - 1
        });
        self.tools[tool].1 += 1;
        let read = &call.read;
        let kind = read.kind;
        let before = self.actions.len();
        let open = match kind {
            ToolKind::Shell => self.shell(id, name, call),
            ToolKind::Todo => {
                if !read.items.is_empty() {
                    let items = read.items.iter().map(|(mark, what)| (*mark, one_line(what, ITEM_BYTES)));
                    self.plan = Some(Plan { id: id.to_string(), items: items.collect() });
                }
                Open::Other(name.to_string())
            }
            ToolKind::Ask => Open::Question(one_line(read.question.as_deref().unwrap_or(name), 160)),
            ToolKind::Read | ToolKind::Write | ToolKind::Edit | ToolKind::Delete => self.touch(id, call),
            ToolKind::Search | ToolKind::Web => Open::Shown(name.to_string()),
            ToolKind::Delegate | ToolKind::Other => Open::Other(name.to_string()),
        };
        let same = match &open {
            Open::Commands { .. } => call.same.clone(),
            Open::Files(files) => {
                let reads = files.iter().all(|(_, touch)| *touch == Touch::Read);
                same::of_files(reads, files.iter().map(|(at, _)| self.files[*at].path.as_str()))
            }
            Open::Question(_) | Open::Shown(_) | Open::Other(_) => same::of_call(name, arguments, self.requests.len()),
        };
        let touches = matches!(&open, Open::Files(files) if !files.is_empty());
        if !touches && self.acts(name, kind) {
            self.actions.push(Action::of_call(id, self.seen, name, arguments));
        }
        let actions = before..self.actions.len();
        let changes = match &open {
            Open::Files(files) => self.changed_names(files, &call.changes),
            _ => vec![],
        };
        if let Some(turn) = self.turn() {
            turn.actions.extend(actions.clone());
            turn.goes_on = true;
        }
        self.open.insert(call_id.to_string(), Pending { open, same, actions, changes });
    }

    /// True if a call of this tool changes the world, by the host's rule or by its name.
    fn acts(&self, name: &str, kind: ToolKind) -> bool {
        let rule = self.rules.tools.iter().find(|rule| rule.name == name);
        let by_name = || match kind {
            ToolKind::Read | ToolKind::Search => action::begins_with_change(name),
            ToolKind::Todo | ToolKind::Ask | ToolKind::Shell => false,
            _ => action::changes_world(name),
        };
        let said = rule.and_then(|rule| rule.read_only).or_else(|| self.rules.read_only.get(name).copied());
        said.map_or_else(by_name, |reads| !reads)
    }

    fn shell(&mut self, id: &str, name: &str, gist::Call { read: call, lines, .. }: &gist::Call) -> Open {
        let mut commands = Vec::new();
        let mut only_shows = true;
        for (command, read) in call.commands.iter().zip(lines) {
            only_shows &= read.only_shows;
            for (touch, path) in &read.files {
                let at = self.file(id, path.clone());
                self.changed(at, *touch, None, 1);
                if *touch != Touch::Read {
                    self.changed_in_turn(at, vec![]);
                }
            }
            let at = *self.command_at.entry(command::key(command)).or_insert_with(|| {
                self.commands.push(Command {
                    id: String::new(),
                    line: command::kept_line(command),
                    cwd: None,
                    status: Status::Unknown,
                    last_line: String::new(),
                    count: 0,
                    at: 0,
                    tests: None,
                    is_action: false,
                });
                self.commands.len() - 1
            });
            let entry = &mut self.commands[at];
            (entry.id, entry.at) = (id.to_string(), self.seen);
            entry.cwd = call.cwd.clone();
            entry.count += 1;
            entry.status = Status::Unknown;
            entry.last_line.clear();
            entry.is_action = action::commands(command);
            if entry.is_action {
                self.actions.push(Action::of_line(id, self.seen, &entry.line));
            }
            commands.push(at);
        }
        if commands.is_empty() {
            Open::Other(name.to_string())
        } else {
            Open::Commands { commands, run: same::run_of(&call.commands, only_shows) }
        }
    }

    fn touch(&mut self, id: &str, gist::Call { read: call, defined: names, .. }: &gist::Call) -> Open {
        let touch = |kind| match kind {
            ToolKind::Write => Touch::Create,
            ToolKind::Edit => Touch::Edit,
            ToolKind::Delete => Touch::Delete,
            _ => Touch::Read,
        };
        let mut touched: Vec<(usize, Touch)> = Vec::new();
        if !call.patched.is_empty() {
            for (kind, path) in &call.patched {
                touched.push((self.file(id, path.clone()), touch(*kind)));
            }
        } else if call.paths.is_empty() {
            // Editors with one open file name it once.
            let is_known = call.dialects != Dialects::ALL;
            if let (Some(at), ToolKind::Edit, true) = (self.opened, call.kind, is_known) {
                let path = self.files[at].path.clone();
                touched.push((self.file(id, path), Touch::Edit));
            }
        } else {
            for path in &call.paths {
                touched.push((self.file(id, path.clone()), touch(call.kind)));
            }
        }
        for &(at, touch) in &touched {
            self.changed(at, touch, call.range, 1);
            self.opened = Some(at);
            for name in names {
                let path = &self.files[at].path;
                if self.symbol_at.insert((name.to_string(), path.clone())) {
                    let symbol = Symbol { name: name.to_string(), path: path.clone(), id: id.to_string() };
                    self.symbols.push(symbol);
                }
            }
        }
        Open::Files(touched)
    }

    /// Returns the entry of a file, marked as touched now.
    fn file(&mut self, id: &str, path: String) -> usize {
        let path = path::under(self.rules.root.as_deref(), path);
        let at = *self.file_at.entry(path.clone()).or_insert_with(|| {
            self.files.push(File { path, ..File::default() });
            self.files.len() - 1
        });
        (self.files[at].last, self.files[at].at) = (id.to_string(), self.seen);
        at
    }

    fn changed(&mut self, at: usize, touch: Touch, range: Option<(u64, u64)>, n: usize) {
        let file = &mut self.files[at];
        match touch {
            Touch::Read => file.read(range),
            Touch::Edit => file.edits += n,
            Touch::Create => {
                file.writes += n;
                file.deleted = false;
            }
            Touch::Delete => file.deleted = true,
        }
    }
}

//! How much of a history a view still holds, measured by rule.
//!
//! In: the untouched history and the messages that are sent instead. Out: [`Quality`]. The ledger of the history is the
//! reference: the view is searched for the literal of every entry, and the view's records are parsed to find entries
//! with a line of their own.

use std::borrow::Borrow;

use serde::Serialize;

use super::invention::inventions;
use super::ledger::command::body;
use super::ledger::text::{ELLIPSIS, flat};
use super::ledger::{Ledger, Rules};
use super::literal::{find, texts};
use crate::map::{HashMap, HashSet};
use crate::message::Message;
use crate::message::path::tail;
use crate::message::tool_map::Mark;
use crate::tokens::Tokenizer;

/// The number of surviving entries of one kind.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Retention {
    /// One of `modifiedFiles`, `readFiles`, `commands`, `errors`, `constraints`, `todos`, `decisions`, `symbols` or
    /// `requests`.
    pub kind: &'static str,
    /// Number of entries in the history.
    pub all: usize,
    /// Entries whose literal is in the view; for paths, the last three components.
    pub literal: usize,
    /// Entries that are in the view as a whole or have a line of their own, possibly shortened.
    pub own_line: usize,
    /// Entries that only a recall returns.
    pub recall: usize,
    /// Share of entries with their own line, the newest weighing twice the oldest; 1 if there are none.
    pub weighted: f64,
}

impl Retention {
    /// Returns the share of entries with a line of their own; 1 if there are none.
    pub fn share(&self) -> f64 {
        if self.all == 0 { 1.0 } else { self.own_line as f64 / self.all as f64 }
    }
}

/// The number of surviving user messages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct UserCoverage {
    pub messages: usize,
    /// Messages that are in the view verbatim.
    pub verbatim: usize,
    /// Messages that are there verbatim or have an entry of their own.
    pub with_entry: usize,
    pub tokens: u64,
    /// Tokens of the messages that are there verbatim.
    pub tokens_verbatim: u64,
}

/// Sizes, in tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Size {
    pub before: u64,
    pub after: u64,
    pub freed: u64,
    /// Unused budget.
    pub headroom: u64,
    /// Tokens that the summary message replaces, and its own tokens.
    pub covered: u64,
    pub summary: u64,
    /// Tokens sent to the summarising model.
    pub prompt: u64,
}

/// Where the covered range ends.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Boundary {
    /// Tokens of the tail, and its target.
    pub tail: u64,
    pub target: u64,
    /// True if the last covered message edits a file and the next one is a command.
    pub between_edit_and_check: bool,
}

/// How much of the result the provider's cache holds, and the cost of the rest. Prices are for one token, in the host's
/// unit.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Cache {
    /// Tokens that the result shares with the previous request, from the beginning.
    pub shared: u64,
    /// Tokens after them: from the first changed message on.
    pub rewritten: u64,
    /// Tokens that every later request saves.
    pub saved: u64,
    /// The one-time cost of writing the changed tokens to the cache instead of reading them.
    pub once: f64,
    /// The saving of every later request.
    pub per_request: f64,
    /// Number of requests after which the compaction pays; absent if it never does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub break_even: Option<u64>,
}

/// Facts of earlier compactions that were in the history as a record, and the record's growth in tokens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Chain {
    pub facts: usize,
    pub kept: usize,
    pub summary_before: u64,
    pub summary_after: u64,
    /// Tokens after the summary in the earlier record.
    pub ledger_before: u64,
    pub ledger_after: u64,
}

/// What a view retains of a history, measured by rules. Counts are of entries, sizes are tokens.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Quality {
    pub retention: Vec<Retention>,
    pub users: UserCoverage,
    /// Paths, addresses and long numbers of the summary that occur nowhere in the history.
    pub inventions: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub boundary: Option<Boundary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache: Option<Cache>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chain: Option<Chain>,
    /// The checks that failed: all constraints, open todos and modified files are retained, and nothing is invented.
    /// One of `constraints`, `todos`, `modifiedFiles` or `inventions`.
    pub misses: Vec<&'static str>,
}

impl Quality {
    /// Returns the retention of one kind.
    pub fn of(&self, kind: &str) -> Option<&Retention> {
        self.retention.iter().find(|r| r.kind == kind)
    }
}

/// Measures a view against its history. `summary` is a model's text, which is checked for inventions.
///
/// ```
/// use espalier::compact::ledger::Rules;
/// use espalier::compact::quality::quality;
/// use espalier::message::{Message, Part, Role};
/// struct Bytes;
/// impl espalier::tokens::Tokenizer for Bytes {
///     fn count(&self, text: &str) -> u64 {
///         text.len() as u64
///     }
/// }
/// let said = |id: &str, text: &str| Message { id: id.into(), role: Role::User, name: None, parts: vec![Part::Text { text: text.into() }] };
/// let history = [said("m0", "Never touch main.rs."), said("m1", "Go on.")];
/// let report = quality(&history, &history[1..], &Rules::default(), None, &Bytes);
/// assert_eq!((report.users.messages, report.users.verbatim), (2, 1));
/// assert_eq!(report.misses, ["constraints"]);
/// ```
pub fn quality(
    history: &[impl Borrow<Message>],
    view: &[impl Borrow<Message>],
    rules: &Rules,
    summary: Option<&str>,
    tokenizer: &dyn Tokenizer,
) -> Quality {
    measured(&Ledger::fold(history.iter().map(Borrow::borrow), rules), history, view, rules, summary, tokenizer)
}

/// Measures a view for a ledger that the caller already has.
pub(super) fn measured(
    all: &Ledger,
    history: &[impl Borrow<Message>],
    view: &[impl Borrow<Message>],
    rules: &Rules,
    summary: Option<&str>,
    tokenizer: &dyn Tokenizer,
) -> Quality {
    let seen = Ledger::new(rules).with_memo(all.memo()).continued(view.iter().map(Borrow::borrow));
    let text = texts(view);
    // One walk over the view searches for every literal.
    let mut wanted = entries(all, &seen);
    let users = requests(all, &seen, tokenizer, &mut wanted);
    let literals: Vec<&str> = wanted.iter().map(|item| item.literal).collect();
    let found = find(&text, &literals);
    let kinds = [
        "modifiedFiles",
        "readFiles",
        "commands",
        "errors",
        "constraints",
        "todos",
        "decisions",
        "symbols",
        "requests",
    ];
    let retention: Vec<Retention> = kinds.into_iter().map(|kind| retained(kind, &wanted, &found)).collect();
    let earlier: Vec<bool> =
        wanted.iter().zip(&found).filter(|(item, _)| item.earlier).map(|(item, found)| item.own || *found).collect();
    let inventions = summary.map(|summary| inventions(summary, history)).unwrap_or_default();
    let mut misses: Vec<&'static str> = ["constraints", "todos", "modifiedFiles"]
        .into_iter()
        .filter(|kind| retention.iter().any(|r| r.kind == *kind && r.own_line < r.all))
        .collect();
    if !inventions.is_empty() {
        misses.push("inventions");
    }
    let chain = (!earlier.is_empty()).then(|| {
        let before = record_sizes(all, history, rules, tokenizer);
        let after = record_sizes(&seen, view, rules, tokenizer);
        Chain {
            facts: earlier.len(),
            kept: earlier.iter().filter(|kept| **kept).count(),
            summary_before: before.0,
            summary_after: after.0,
            ledger_before: before.1,
            ledger_after: after.1,
        }
    });
    Quality { retention, users, inventions, size: None, boundary: None, cache: None, chain, misses }
}

/// Returns the entries of a ledger but requests, and whether the view's ledger has them.
fn entries<'a>(all: &'a Ledger, seen: &Ledger) -> Vec<Item<'a>> {
    let files: HashSet<&str> = seen.files.iter().map(|f| f.path.as_str()).collect();
    let commands = Lines::new(seen.commands.iter().map(|c| (c.id.as_str(), c.line.as_str())));
    let errors = Lines::new(seen.errors.iter().map(|e| (e.id.as_str(), e.line.as_str())));
    // A rule may consist of two sentences, or of wrapped lines.
    let rules: HashSet<&str> = seen.constraints.iter().map(|rule| rule.sentence.as_str()).collect();
    let plan: HashSet<&str> = seen.plan.iter().flat_map(|p| &p.items).map(|(_, what)| what.as_str()).collect();
    let mut wanted: Vec<Item> = Vec::new();
    let mut item = |kind, literal, own: bool, earlier: bool| wanted.push(Item { kind, literal, own, earlier });
    let is_earlier = |id: &str| id.starts_with(super::ledger::earlier::EARLIER);
    for file in &all.files {
        let kind = if file.is_changed() { "modifiedFiles" } else { "readFiles" };
        item(kind, tail(&file.path), files.contains(file.path.as_str()), is_earlier(&file.last));
    }
    for command in &all.commands {
        let own = commands.has(&command.id, &command.line) || commands.has(&command.id, body(&command.line));
        item("commands", command.line.as_str(), own, is_earlier(&command.id));
    }
    for error in &all.errors {
        item("errors", error.line.as_str(), errors.has(&error.id, &error.line), is_earlier(&error.id));
    }
    for constraint in &all.constraints {
        let own = rules.contains(constraint.sentence.as_str());
        item("constraints", constraint.sentence.as_str(), own, is_earlier(&constraint.id));
    }
    for (mark, what) in all.plan.iter().flat_map(|p| &p.items) {
        if *mark != Mark::Done {
            item("todos", what.as_str(), plan.contains(what.as_str()), false);
        }
    }
    for decision in &all.decisions {
        item("decisions", decision.sentence.as_str(), false, is_earlier(&decision.id));
    }
    for symbol in &all.symbols {
        item("symbols", symbol.name.as_str(), false, false);
    }
    wanted
}

/// Adds the requests of a ledger, and returns how many of them the view has.
fn requests<'a>(all: &'a Ledger, seen: &Ledger, tokenizer: &dyn Tokenizer, wanted: &mut Vec<Item<'a>>) -> UserCoverage {
    let said = Lines::new(seen.requests.iter().map(|r| (r.id.as_str(), r.text.trim())));
    let mut users = UserCoverage { messages: 0, verbatim: 0, with_entry: 0, tokens: 0, tokens_verbatim: 0 };
    for request in all.requests.iter().filter(|request| all.lists(request)) {
        let text = request.text.trim();
        let tokens = tokenizer.count(text);
        let verbatim = said.exact.contains(text);
        let own =
            verbatim || said.has(&request.id, &flat(text, usize::MAX)) || said.whole.contains(request.id.as_str());
        users.messages += 1;
        users.tokens += tokens;
        users.verbatim += usize::from(verbatim);
        users.tokens_verbatim += if verbatim { tokens } else { 0 };
        users.with_entry += usize::from(own);
        wanted.push(Item { kind: "requests", literal: text, own, earlier: request.is_earlier });
    }
    users
}

/// Returns the tokens of the summaries in a conversation's records, and the tokens after them.
fn record_sizes(
    ledger: &Ledger,
    messages: &[impl Borrow<Message>],
    rules: &Rules,
    tokenizer: &dyn Tokenizer,
) -> (u64, u64) {
    let summaries = ledger.earlier.iter().map(|text| tokenizer.count(text)).sum();
    let messages = messages.iter().map(Borrow::borrow);
    let records = messages.filter(|message| rules.records.has(message));
    let all: u64 = records.map(|message| tokenizer.count(&message.text())).sum();
    (summaries, all.saturating_sub(summaries))
}

/// One entry: its search text, and whether the view's own ledger has it.
struct Item<'a> {
    kind: &'static str,
    literal: &'a str,
    own: bool,
    /// True if it came from the record of an earlier compaction.
    earlier: bool,
}

fn retained(kind: &'static str, wanted: &[Item], found: &[bool]) -> Retention {
    let of_kind: Vec<(bool, bool)> = wanted
        .iter()
        .zip(found)
        .filter(|(item, _)| item.kind == kind)
        .map(|(item, found)| (item.own, *found))
        .collect();
    let all = of_kind.len();
    let own_line = of_kind.iter().filter(|(own, found)| *own || *found).count();
    let weight = |at: usize| 1.0 + at as f64 / all.max(1) as f64;
    let total: f64 = (0..all).map(weight).sum();
    let kept: f64 =
        of_kind.iter().enumerate().filter(|(_, (own, found))| *own || *found).map(|(at, _)| weight(at)).sum();
    Retention {
        kind,
        all,
        literal: of_kind.iter().filter(|(_, found)| *found).count(),
        own_line,
        recall: all - own_line,
        // An empty sum of floats is -0.
        weighted: if all == 0 { 1.0 } else { kept / total + 0.0 },
    }
}

/// Lines of the view's ledger: whole lines by their text, cut lines by the id of their message.
struct Lines<'a> {
    exact: HashSet<&'a str>,
    /// Cut lines by id, without the mark of an earlier numbering.
    cut: HashMap<&'a str, Vec<&'a str>>,
    /// Ids of messages that are in the view themselves.
    whole: HashSet<&'a str>,
}

impl<'a> Lines<'a> {
    fn new(lines: impl Iterator<Item = (&'a str, &'a str)>) -> Lines<'a> {
        let mut out = Lines { exact: HashSet::default(), cut: HashMap::default(), whole: HashSet::default() };
        for (id, line) in lines {
            if line.contains(ELLIPSIS) {
                out.cut.entry(bare(id)).or_default().push(line);
            }
            out.exact.insert(line);
            if bare(id) == id {
                out.whole.insert(id);
            }
        }
        out
    }

    /// True if `line` has a line of its own: as a whole, or in pieces under the same id.
    fn has(&self, id: &str, line: &str) -> bool {
        self.exact.contains(line)
            || self.cut.get(bare(id)).is_some_and(|cut| cut.iter().any(|pieces| is_cut_from(pieces, line)))
    }
}

/// True if the pieces between ellipses occur in `line` in order, the first one at its beginning.
fn is_cut_from(pieces: &str, line: &str) -> bool {
    let mut rest = line;
    pieces.split(ELLIPSIS).map(str::trim).enumerate().all(|(number, piece)| {
        let found = if number == 0 { rest.starts_with(piece).then_some(0) } else { rest.find(piece) };
        found.map(|at| rest = &rest[at + piece.len()..]).is_some()
    })
}

fn bare(id: &str) -> &str {
    id.trim_start_matches(super::ledger::earlier::EARLIER)
}

/// How much of the covered messages a real continuation used again, and how much of that the view held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Needed {
    /// Paths, commands, error lines and changed names of the covered messages that occur in the continuation.
    pub used: usize,
    /// Those of them that also occur in the view.
    pub held: usize,
}

/// Measures a compaction by the real continuation of a recorded conversation.
///
/// ```
/// use espalier::compact::ledger::Rules;
/// use espalier::compact::quality::needed_later;
/// use espalier::message::{Message, Part, Role};
/// let call = |id: &str, path: &str| Message {
///     id: id.into(),
///     role: Role::Assistant,
///     name: None,
///     parts: vec![Part::ToolCall { call_id: id.into(), name: "read_file".into(), arguments: format!(r#"{{"path":"{path}"}}"#) }],
/// };
/// let covered = [call("m0", "src/lexer.rs"), call("m1", "src/parser.rs")];
/// let needed = needed_later(&covered, &[], &[call("m2", "src/parser.rs")], &Rules::default());
/// assert_eq!((needed.used, needed.held), (1, 0));
/// ```
pub fn needed_later(covered: &[Message], view: &[Message], continuation: &[Message], rules: &Rules) -> Needed {
    let ledger = Ledger::fold(covered, rules);
    let mut literals: Vec<&str> = ledger.files.iter().map(|file| tail(&file.path)).collect();
    literals.extend(ledger.commands.iter().map(|command| body(&command.line)));
    literals.extend(ledger.errors.iter().map(|error| error.line.as_str()));
    literals.extend(ledger.symbols.iter().map(|symbol| symbol.name.as_str()));
    let used: Vec<&str> =
        literals.iter().zip(find(&texts(continuation), &literals)).filter(|(_, used)| *used).map(|(l, _)| *l).collect();
    let held = find(&texts(view), &used).into_iter().filter(|held| *held).count();
    Needed { used: used.len(), held }
}

//! Writes entries as lines of text: a short form that identifies the entry, and longer ones.

use std::borrow::Cow;

use super::command::COMMAND_BYTES;
use super::error::Failure;
use super::escape::escape;
use super::file::shared_folder;
use super::render::Block;
use super::story::ARROW;
use super::text::{clip, flat, one_line};
use super::user::{Constraint, PINNED};
use super::{By, Command, File, Ledger};
use crate::compact::facts::Fact;
use crate::message::tool_map::Mark;

/// Bytes of a short form. About fifty characters identify a message.
const SHORT_REQUEST: usize = 64;
/// Maximum bytes of commands and error lines that stay whole: half of one cannot be run or searched for, and costs
/// nearly as much.
const SHORT_COMMAND: usize = COMMAND_BYTES;
const SHORT_ERROR: usize = 200;
/// Minimum bytes of requests that have fewer forms.
const LONG_REQUEST: usize = 2_000;
const SHORT_OUTCOME: usize = 60;
/// Maximum bytes of an id that is made one line.
const ID_BYTES: usize = 120;

/// Text before a decision of the user.
pub(super) const OF_USER: &str = "(user) ";
/// Prefix of a row with the same message id as the row before it.
pub(super) const NEXT: &str = "  ";
/// Prefix of the line that names the folder of the files below it.
const IN_FOLDER: &str = "(in ";
/// Prefix of a relative path below the line that names a folder.
pub(super) const HERE: &str = "./";
/// Text around the id of a row.
const ROW: &str = "- ";
const COLON: &str = ": ";
/// Text before the failed call, after the id of an error.
const OF: &str = " (`";
const END: &str = "`)";

pub(super) struct Line {
    pub(super) block: Block,
    /// Index of the entry among its kind.
    pub(super) entry: usize,
    /// Index of its message, if known: higher ones are newer.
    pub(super) at: usize,
    pub(super) id: String,
    pub(super) short: String,
    /// Longer forms, shortest first.
    pub(super) longer: Vec<String>,
    /// Length of the prefix with the id, in bytes; 0 if the line is no row.
    prefix: usize,
    /// True if the row shares its prefix with the row before it.
    pub(super) follows: bool,
    /// For a request, the first form with all its words.
    pub(super) words: usize,
    /// The form that is shown: 0 for the short one.
    pub(super) form: Option<usize>,
    pub(super) cost: u64,
}

impl Line {
    fn new(block: Block, (entry, at): (usize, usize), id: &str, short: String, longer: Vec<String>) -> Line {
        let longer = longer.into_iter().filter(|form| *form != short).collect();
        let id = one_id(id).into_owned();
        let is_row = matches!(block, Block::Errors | Block::Commands | Block::Decisions | Block::Facts);
        let prefix = if is_row { ROW.len() + id.len() + COLON.len() } else { 0 };
        Line { block, entry, at, id, short, longer, prefix, follows: false, words: 0, form: None, cost: 0 }
    }

    /// True if rows of one message can share their prefix.
    pub(super) fn is_row(&self) -> bool {
        self.prefix > 0
    }

    /// True if the row can share its prefix with another one before it.
    pub(super) fn continues(&self, before: &Line) -> bool {
        self.block == before.block && self.id == before.id && self.short[..self.prefix] == before.short[..before.prefix]
    }

    /// Returns the words of a user message that a form shows.
    pub(super) fn words_of(&self) -> &str {
        let text = self.longer.get(self.words.wrapping_sub(1)).unwrap_or(&self.short);
        let behind = text.split_once("] ").map_or(&**text, |(_, words)| words);
        behind.rsplit_once("\n=> ").map_or(behind, |(words, _)| words)
    }

    /// Returns the text of a form; `follows`: after another row of its message.
    pub(super) fn text(&self, form: usize, follows: bool) -> Cow<'_, str> {
        let text = match form {
            0 => &self.short,
            n => self.longer.get(n - 1).unwrap_or(&self.short),
        };
        if follows && self.is_row() { Cow::Owned([NEXT, &text[self.prefix..]].concat()) } else { Cow::Borrowed(text) }
    }
}

/// Entries without a line, because newer ones fill all the room: their number in each block, and the id of the oldest.
pub(super) type Older = Vec<(Block, usize, String)>;

/// Returns entries as lines, the newest `max` of each kind, each block oldest first; `longer`: with longer forms. If
/// `is_last_told`, the last answer is outside the lists, and its request names only its id.
pub(super) fn lines(ledger: &Ledger, longer: bool, max: usize, is_last_told: bool) -> (Vec<Line>, Older) {
    let mut out = Vec::new();
    let forms = |make: &dyn Fn() -> Vec<String>| if longer { make() } else { vec![] };
    let (vital, mut older) = vital_lines(ledger, max);
    let mut newest =
        |block: Block, all: usize, oldest: &dyn Fn() -> Option<String>| older_of(&mut older, block, all, max, oldest);
    let goal = ledger.requests.iter().position(|request| ledger.lists(request) && request.has_content());
    // The goal has a line, however old it is.
    let is_goal = |order: usize| Some(order) == goal;
    let users = ledger.requests.len();
    let oldest = || ledger.requests.iter().enumerate().find(|(order, _)| !is_goal(*order)).map(|(_, r)| r.id.clone());
    let from_user = newest(Block::Users, users, &oldest);
    let shown = ledger.requests.iter().enumerate().filter(|(order, _)| *order >= from_user || is_goal(*order));
    for (order, request) in shown.filter(|(_, request)| ledger.lists(request)) {
        let id = &*one_id(&request.id);
        let text = request.text.trim();
        let [told, outcomes @ ..] = ledger.outcome(order, is_last_told).forms;
        let form = |text: &str, told: &str| {
            let told = if told.is_empty() { String::new() } else { format!("\n{ARROW}{}", escape(told)) };
            format!("[{id}] {text}{told}")
        };
        let short = form(&begin(&escape(text), SHORT_REQUEST), &told);
        let mut words = 0;
        let longer = forms(&|| {
            let text = escape(text);
            let (middle, whole) = (begin(&text, SHORT_REQUEST * 5), guarded(&text));
            let mut all = vec![form(&middle, &told), form(&whole, &told)];
            // For a long message, counting each form is expensive.
            let min = if whole.len() > LONG_REQUEST { outcomes.len() - 1 } else { 0 };
            all.extend(outcomes[min..].iter().map(|told| form(&whole, told)));
            all.dedup();
            all.retain(|form| *form != short);
            all
        });
        if !longer.is_empty() {
            let whole = form(&guarded(&escape(text)), &told);
            words = longer.iter().position(|longer| *longer == whole).map_or(0, |at| at + 1);
        }
        out.push(Line { words, ..Line::new(Block::Users, (order, 0), id, short, longer) });
    }
    out.extend(vital);
    let mut errors: Vec<(usize, &Failure)> = ledger.errors.iter().enumerate().collect();
    crate::rank::sort(&mut errors, |(_, error)| error.at as u64);
    let from = newest(Block::Errors, errors.len(), &|| errors.first().map(|(_, error)| error.id.clone()));
    for (order, error) in errors.into_iter().skip(from) {
        let head = headed(&error.id, ledger.source_of(error));
        let form = |bytes, places| row_of(&head, &escape(&error.to_line(bytes, places)));
        let longer = forms(&|| vec![form(usize::MAX, false), form(usize::MAX, true)]);
        let line = Line::new(Block::Errors, (order, error.at), &error.id, form(SHORT_ERROR, false), longer);
        out.push(Line { prefix: ROW.len() + head.len() + COLON.len(), ..line });
    }
    let commands = ledger.commands.iter().enumerate();
    let mut commands: Vec<(usize, &Command)> = commands.filter(|(_, command)| !command.is_action).collect();
    crate::rank::sort(&mut commands, |(_, command)| command.at as u64);
    let from = newest(Block::Commands, commands.len(), &|| commands.first().map(|(_, command)| command.id.clone()));
    for (order, command) in commands.into_iter().skip(from) {
        let form = |bytes, output| row(&command.id, &command.to_line(bytes, output));
        let short = row(&command.id, &command.to_short_line(SHORT_COMMAND));
        let longer = forms(&|| vec![form(usize::MAX, false), form(usize::MAX, true)]);
        out.push(Line::new(Block::Commands, (order, command.at), &command.id, short, longer));
    }
    let decisions = &ledger.decisions;
    let from = newest(Block::Decisions, decisions.len(), &|| decisions.first().map(|decision| decision.id.clone()));
    for (order, decision) in decisions.iter().enumerate().skip(from) {
        let by = if decision.by == By::User { OF_USER } else { "" };
        let line = row(&decision.id, &format!("{by}{}", decision.sentence));
        out.push(Line::new(Block::Decisions, (order, 0), &decision.id, line, vec![]));
    }
    if goal.is_some_and(|goal| goal < from_user) {
        older.iter_mut().filter(|(block, ..)| *block == Block::Users).for_each(|(_, count, _)| *count -= 1);
        older.retain(|(_, count, _)| *count > 0);
    }
    (out, older)
}

/// Returns facts as lines, in the order of the conversation: the best ones of about `tokens` tokens. `at` is the rank.
pub(super) fn fact_lines(ledger: &Ledger, tokens: u64) -> Vec<Line> {
    let mut ranked: Vec<(usize, Fact)> = ledger.facts.ranked(tokens).into_iter().enumerate().collect();
    crate::rank::sort(&mut ranked, |(_, fact)| fact.index as u64);
    let line = |(rank, fact): (usize, Fact)| {
        Line::new(Block::Facts, (fact.index, rank), fact.id, row(fact.id, fact.sentence), vec![])
    };
    ranked.into_iter().map(line).collect()
}

/// Returns the index of the newest `max` of `all` entries, and records the older ones.
fn older_of(older: &mut Older, block: Block, all: usize, max: usize, oldest: &dyn Fn() -> Option<String>) -> usize {
    let from = all.saturating_sub(max);
    if let Some(id) = (from > 0).then(oldest).flatten() {
        older.push((block, from, id));
    }
    from
}

fn row(id: &str, text: &str) -> String {
    row_of(&one_id(id), &escape(text))
}

/// Returns the row of an escaped text.
pub(super) fn row_of(id: &str, text: &str) -> String {
    [ROW, id, COLON, text].concat()
}

/// Returns the id of an error's row, with the failed call: m4 (`npm test`).
fn headed(id: &str, source: Option<&str>) -> String {
    let id = one_id(id);
    source.map_or_else(|| id.to_string(), |source| format!("{id}{OF}{}{END}", escape(source)))
}

/// Returns the text before the colon of a row, and the text after it.
pub(super) fn parts_of(row: &str) -> Option<(&str, &str)> {
    let row = row.strip_prefix(ROW)?;
    let from = match (row.find(OF), row.find(COLON)) {
        (Some(of), Some(colon)) if of < colon => row[of..].find(END).map_or(0, |end| of + end),
        _ => 0,
    };
    let at = from + row[from..].find(COLON)?;
    Some((&row[..at], &row[at + COLON.len()..]))
}

/// Returns the id in such a text, and the failed call.
pub(super) fn source_of(head: &str) -> (&str, Option<&str>) {
    let of = head.strip_suffix(END).and_then(|head| head.split_once(OF));
    of.map_or((head, None), |(id, source)| (id, Some(source)))
}

/// Returns an id as part of a line. Hosts and files choose ids: an id with line ends would write lines of its own, and
/// one with the separator would add words to the text.
fn one_id(id: &str) -> Cow<'_, str> {
    const PARTS: [&str; 2] = [": ", "] "];
    let is_odd = |c: char| c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '<' | '>' | '`');
    if !id.contains(is_odd) && !PARTS.iter().any(|part| id.contains(part)) {
        return Cow::Borrowed(id);
    }
    let line = one_line(id, ID_BYTES).replace(['<', '>', '`'], "'");
    Cow::Owned(PARTS.iter().fold(line, |line, part| line.replace(part, part.trim_end())))
}

/// Returns the first sentences or words of a message, as one line of about `bytes`.
pub(super) fn begin(text: &str, bytes: usize) -> String {
    // More entries may follow spaces.
    let start = &text[..text.floor_char_boundary(bytes * 4)];
    let start = if start.trim_end().len() > bytes { start } else { text };
    clip(&flat(start, usize::MAX), bytes)
}

/// True for a line of a message that looks like the beginning of another one, or like an outcome.
pub(super) fn looks_like_entry(line: &str) -> bool {
    let plain = line.trim_start_matches('\\');
    plain.starts_with(['[', '(']) || plain.starts_with(ARROW.trim_end())
}

impl Ledger {
    /// Returns the folder that lists of files name once.
    pub(super) fn shared_folder(&self) -> Option<&str> {
        shared_folder(self.files.iter().map(|file| file.path.as_str()))
    }
}

/// Returns the line above files that says which folder they are in. Absolute paths and those that begin with [`HERE`]
/// are not.
pub(super) fn folder_line(folder: &str) -> String {
    format!("{IN_FOLDER}{})", escape(folder))
}

/// Returns the folder that such a line names.
pub(super) fn folder_of(line: &str) -> Option<&str> {
    line.strip_prefix(IN_FOLDER)?.strip_suffix(')')
}

/// Returns the lines of rules, the plan and files; of the rules the newest `max`, and the pinned ones.
pub(super) fn vital_lines(ledger: &Ledger, max: usize) -> (Vec<Line>, Older) {
    let mut out = Vec::new();
    let mut older = Vec::new();
    let constraints = &ledger.constraints;
    let is_pinned = |constraint: &&Constraint| constraint.id == PINNED;
    let pinned = constraints.iter().take_while(is_pinned).count();
    let oldest = || constraints.get(pinned).map(|constraint| constraint.id.clone());
    let from = pinned + older_of(&mut older, Block::Constraints, constraints.len() - pinned, max, &oldest);
    for (order, constraint) in constraints.iter().enumerate().filter(|(order, _)| *order < pinned || *order >= from) {
        let line = row(&constraint.id, &constraint.sentence);
        out.push(Line::new(Block::Constraints, (order, 0), &constraint.id, line, vec![]));
    }
    if let Some(plan) = &ledger.plan {
        // Done items are removed first: `fill` uses the last lines first.
        for (order, (mark, what)) in plan.items.iter().enumerate() {
            let line = format!("- {} {}", mark.as_str(), escape(what));
            out.push(Line::new(Block::Todo, (order, 0), &plan.id, line, vec![]));
        }
        crate::rank::sort(&mut out, |line| {
            let todo = line.block == Block::Todo && !line.short.starts_with(&format!("- {}", Mark::Done.as_str()));
            todo.into()
        });
    }
    let actions = &ledger.actions;
    let oldest = || actions.first().map(|action| action.id.clone());
    let from = older_of(&mut older, Block::Actions, actions.len(), max, &oldest);
    for (order, action) in actions.iter().enumerate().skip(from) {
        let form = |is_short, bytes| row(&action.id, &action.to_line(is_short, bytes));
        let line = form(true, SHORT_OUTCOME);
        out.push(Line::new(Block::Actions, (order, action.at), &action.id, line, vec![form(false, usize::MAX)]));
    }
    let mut files: Vec<(usize, &File)> = ledger.files.iter().enumerate().collect();
    crate::rank::sort(&mut files, |(_, file)| file.at as u64);
    let folder = ledger.shared_folder().unwrap_or_default();
    for (order, file) in files {
        let block = if file.is_changed() { Block::Changed } else { Block::Read };
        let is_elsewhere = !folder.is_empty() && !file.path.starts_with('/');
        // A name alone is not informative.
        let below = file.path.strip_prefix(folder).filter(|below| below.contains('/'));
        let path = below.unwrap_or(&file.path);
        let here = if is_elsewhere { HERE } else { "" };
        let line = format!("- {here}{} ({})", escape(path), file.marks());
        out.push(Line::new(block, (order, file.at), &file.last, line, vec![]));
    }
    (out, older)
}

/// A message of several lines: lines that look like the beginning of another one are marked.
fn guarded(text: &str) -> String {
    let mut lines = text.lines();
    let mut out = lines.next().unwrap_or_default().to_string();
    for line in lines {
        out.push('\n');
        if looks_like_entry(line) {
            out.push('\\');
        }
        out.push_str(line);
    }
    out
}

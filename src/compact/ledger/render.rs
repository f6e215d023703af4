//! The ledger as text: plain lines in tagged blocks, newest last, and which of them leave when there is no room.
//!
//! Every entry first gets its short form: one line of its own, long enough to be known by. Entries that must not leave go first
//! (constraints, the plan, changed files, messages of the user), then errors and commands, then the rest, the more
//! important ones of each kind before the others. What room is left makes lines longer: messages of the user and command lines as
//! they were, newest first. What found no place is counted in its block, with the ids that it lies between, so that it can be asked for.

use std::collections::BTreeMap;

use serde::Serialize;

use super::error::Failure;
use super::text::flat;
use super::user::PINNED;
use super::{By, Command, File, Ledger};
use crate::message::tool_map::Mark;
use crate::tokens::Tokenizer;

/// How many tokens the record's lines may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shares {
    /// Messages of the user.
    pub user: u64,
    /// Everything else: lines beyond their short form only while the block is smaller than this ...
    pub ledger: u64,
    /// ... and short forms up to this.
    pub entries: u64,
}

/// The blocks, in the order in which they stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Block {
    Users,
    Constraints,
    Todo,
    Changed,
    Errors,
    Commands,
    Decisions,
    Read,
}

const BLOCKS: [Block; 8] = [
    Block::Users,
    Block::Constraints,
    Block::Todo,
    Block::Changed,
    Block::Errors,
    Block::Commands,
    Block::Decisions,
    Block::Read,
];

impl Block {
    /// The tag.
    pub fn name(self) -> &'static str {
        match self {
            Block::Users => "user-messages",
            Block::Constraints => "constraints",
            Block::Todo => "todo",
            Block::Changed => "changed-files",
            Block::Errors => "errors",
            Block::Commands => "commands",
            Block::Decisions => "decisions",
            Block::Read => "read-files",
        }
    }

    pub(super) fn of_name(name: &str) -> Option<Block> {
        BLOCKS.into_iter().find(|block| block.name() == name)
    }
}

/// What became of the entries of one block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    pub block: Block,
    /// Lines of their own.
    pub lines: usize,
    /// Lines that are shorter than their entry.
    pub shortened: usize,
    /// Entries without a line: counted, and to be had by recall.
    pub left_out: usize,
}

/// Bytes of a short form. The first fifty characters or so tell messages and commands from each other; errors are told from each
/// other by what comes after the path.
const SHORT_REQUEST: usize = 64;
const SHORT_COMMAND: usize = 64;
const SHORT_ERROR: usize = 120;

/// Share of the room for short forms that messages of the user may take when their own is not enough, in percent.
const USERS_OF_ENTRIES: u64 = 60;
/// Share of the same that constraints may take before the others had their turn, where not all that must stay has room.
const CONSTRAINTS_OF_ENTRIES: u64 = 75;

/// Tags, and the line that counts what was left out, of one block.
const FRAME: u64 = 24;
/// What must not leave: rules, the plan, changed files.
const VITAL: [Block; 3] = [Block::Constraints, Block::Todo, Block::Changed];

struct Line {
    block: Block,
    /// Index of the entry among its kind.
    entry: usize,
    /// Number of the message that it is from, where that is known: the higher the newer.
    at: usize,
    id: String,
    short: String,
    /// Longer forms, shortest first.
    longer: Vec<String>,
    /// The form that is shown: 0 for the short one.
    form: Option<usize>,
    cost: u64,
}

impl Line {
    fn new(block: Block, (entry, at): (usize, usize), id: &str, short: String, longer: Vec<String>) -> Line {
        let longer = longer.into_iter().filter(|form| *form != short).collect();
        Line { block, entry, at, id: id.to_string(), short, longer, form: None, cost: 0 }
    }

    fn text(&self, form: usize) -> &str {
        match form {
            0 => &self.short,
            n => self.longer.get(n - 1).map_or(&self.short, |line| line),
        }
    }
}

struct Page<'a> {
    lines: Vec<Line>,
    tokenizer: &'a dyn Tokenizer,
}

impl Page<'_> {
    /// Shows a line in a form if it costs at most `left` more than now; gives what it costs more.
    fn show(&mut self, at: usize, form: usize, left: u64) -> Option<u64> {
        let line = &self.lines[at];
        if line.form.is_some_and(|shown| shown >= form) || form > line.longer.len() {
            return None;
        }
        let text = line.text(form);
        // No token is longer than 128 bytes: what is far too long need not be counted.
        if text.len() as u64 / 128 > left.saturating_add(line.cost) {
            return None;
        }
        let cost = self.tokenizer.count(text) + 1;
        let more = cost.saturating_sub(line.cost);
        if more > left {
            return None;
        }
        let line = &mut self.lines[at];
        (line.form, line.cost) = (Some(form), cost);
        Some(more)
    }

    fn of(&self, block: Block) -> Vec<usize> {
        (0..self.lines.len()).filter(|&at| self.lines[at].block == block).collect()
    }

    /// Short forms of `block`, newest first, within `most` of what is `left`.
    fn fill_within(&mut self, block: Block, most: u64, left: &mut u64) {
        let granted = most.min(*left);
        let mut rest = granted;
        self.fill(block, &mut rest);
        *left -= granted - rest;
    }

    /// The same within all of it.
    fn fill(&mut self, block: Block, left: &mut u64) {
        let mut all = self.of(block);
        all.reverse();
        // What was pinned is not what somebody said in passing.
        all.sort_by_key(|&at| self.lines[at].id != PINNED);
        for at in all {
            if let Some(cost) = self.show(at, 0, *left) {
                *left -= cost;
            }
        }
    }
}

/// Tokens that the lines of what must not leave take, and the blocks around all.
pub fn vital(ledger: &Ledger, tokenizer: &dyn Tokenizer) -> u64 {
    vital_tokens(&lines(ledger), tokenizer)
}

fn vital_tokens(lines: &[Line], tokenizer: &dyn Tokenizer) -> u64 {
    let vital = lines.iter().filter(|line| VITAL.contains(&line.block));
    FRAME * (BLOCKS.len() as u64 - 1) + vital.map(|line| tokenizer.count(&line.short) + 1).sum::<u64>()
}

/// The blocks of a ledger within `shares`, and what became of their entries.
pub fn blocks(ledger: &Ledger, shares: Shares, tokenizer: &dyn Tokenizer) -> (String, Vec<Shown>) {
    let mut page = Page { lines: lines(ledger), tokenizer };
    let mut user = shares.user.saturating_sub(FRAME);
    let mut entries = shares.entries.saturating_sub(FRAME * (BLOCKS.len() as u64 - 1));
    let whole = entries;

    // Of the messages of the user a line is the least loss: the rules in them have lines of their own.
    page.fill(Block::Users, &mut user);
    let all_fit = vital_tokens(&page.lines, tokenizer) <= shares.entries;
    let of_constraints = if all_fit { whole } else { whole * CONSTRAINTS_OF_ENTRIES / 100 };
    page.fill_within(Block::Constraints, of_constraints, &mut entries);
    page.fill(Block::Todo, &mut entries);
    page.fill(Block::Changed, &mut entries);
    page.fill_within(Block::Users, whole * USERS_OF_ENTRIES / 100, &mut entries);

    // Errors and commands in turns, the others now and then.
    let mut waiting: Vec<(usize, std::vec::IntoIter<usize>)> = [
        (4, page.of(Block::Errors)),
        (6, page.of(Block::Commands)),
        (1, page.of(Block::Decisions)),
        (1, page.of(Block::Read)),
        (1, page.of(Block::Constraints)),
    ]
    .into_iter()
    .map(|(weight, mut all)| {
        // Lines of a block stand oldest first.
        all.reverse();
        crate::rank::sort(&mut all, |&at| !u64::from(rank(ledger, &page.lines[at])));
        (weight, all.into_iter())
    })
    .collect();
    while waiting.iter().any(|(_, queue)| queue.len() > 0) {
        for (weight, queue) in &mut waiting {
            for at in queue.take(*weight) {
                if let Some(cost) = page.show(at, 0, entries) {
                    entries -= cost;
                }
            }
        }
    }

    // Longer forms: the user's words as they were, then whole command lines and errors, then the other
    // places of errors and what commands printed.
    let mut users = page.of(Block::Users);
    users.reverse();
    for form in [2, 1] {
        for &at in &users {
            if page.lines[at].form.is_some()
                && let Some(cost) = page.show(at, form.min(page.lines[at].longer.len()), user)
            {
                user -= cost;
            }
        }
    }
    let mut all: Vec<usize> = page.of(Block::Commands);
    all.extend(page.of(Block::Errors));
    crate::rank::sort_by(&mut all, |one, other| (page.lines[*other].at, other).cmp(&(page.lines[*one].at, one)));
    for form in [1, 2] {
        for &at in &all {
            // What commands printed is the first thing that nobody misses; where else an error was is part of it.
            let room = match (form, page.lines[at].block) {
                (1, _) | (_, Block::Errors) => entries,
                _ => shares.ledger.saturating_sub(whole - entries).min(entries),
            };
            if page.lines[at].form.is_some()
                && let Some(cost) = page.show(at, form, room)
            {
                entries -= cost;
            }
        }
    }
    write(ledger, page, entries)
}

fn write(ledger: &Ledger, page: Page, mut room: u64) -> (String, Vec<Shown>) {
    let tokenizer = page.tokenizer;
    let mut out = String::new();
    let mut shown = Vec::new();
    for block in BLOCKS {
        let all: Vec<&Line> = page.lines.iter().filter(|line| line.block == block).collect();
        let missing: Vec<&Line> = all.iter().copied().filter(|line| line.form.is_none()).collect();
        let earlier = ledger.left_out.get(block.name()).copied().unwrap_or(0);
        let left_out = missing.len() + earlier;
        if all.is_empty() && left_out == 0 {
            continue;
        }
        let lines = all.len() - missing.len();
        let shortened = all.iter().filter(|line| line.form.is_some_and(|form| form < line.longer.len())).count();
        shown.push(Shown { block, lines, shortened, left_out });
        out.push_str(&format!("<{}>\n", block.name()));
        if left_out > 0 {
            let ids = match (missing.first(), missing.last()) {
                (Some(oldest), Some(newest)) if oldest.id != newest.id => {
                    format!("between {} and {}; recall them by id", oldest.id, newest.id)
                }
                (Some(only), _) => format!("recall {}", only.id),
                _ => "in an earlier record".to_string(),
            };
            out.push_str(&format!("({left_out} more left out, {ids})\n"));
            if matches!(block, Block::Changed | Block::Read) {
                for folder in folders(&missing) {
                    let cost = tokenizer.count(&folder) + 1;
                    if cost > room {
                        break;
                    }
                    room -= cost;
                    out.push_str(&folder);
                    out.push('\n');
                }
            }
        }
        for line in all.iter().filter(|line| line.form.is_some()) {
            out.push_str(line.text(line.form.unwrap_or(0)));
            out.push('\n');
        }
        out.push_str(&format!("</{}>\n", block.name()));
    }
    (out, shown)
}

/// Files that found no place, by folder: `(src/ui/: 7 files)`, the fullest first.
fn folders(missing: &[&Line]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for line in missing {
        let path = line.short.strip_prefix("- ").unwrap_or(&line.short);
        let path = path.rsplit_once(" (").map_or(path, |(path, _)| path);
        *counts.entry(path.rsplit_once('/').map_or("", |(folder, _)| folder)).or_default() += 1;
    }
    let mut counts: Vec<_> = counts.into_iter().collect();
    // Folders come by name.
    crate::rank::sort(&mut counts, |(_, files)| !(*files as u64));
    counts.into_iter().map(|(folder, n)| format!("({folder}/: {n} files)")).collect()
}

/// What is more important within its block: it leaves later.
fn rank(ledger: &Ledger, line: &Line) -> u8 {
    match line.block {
        Block::Errors => ledger.errors.get(line.entry).is_some_and(|e| !e.resolved).into(),
        Block::Commands => ledger.commands.get(line.entry).is_some_and(Command::has_failed).into(),
        _ => 0,
    }
}

/// Every entry as a line, each block oldest first.
fn lines(ledger: &Ledger) -> Vec<Line> {
    let mut out = Vec::new();
    for (order, request) in ledger.requests.iter().enumerate() {
        let id = &request.id;
        let text = escape(request.text.trim());
        let short = format!("[{id}] {}", flat(&text, SHORT_REQUEST));
        let middle = format!("[{id}] {}", flat(&text, SHORT_REQUEST * 5));
        let whole = format!("[{id}] {}", guarded(&text));
        let longer = if whole.len() <= middle.len() { vec![whole] } else { vec![middle, whole] };
        out.push(Line::new(Block::Users, (order, 0), id, short, longer));
    }
    for (order, constraint) in ledger.constraints.iter().enumerate() {
        let line = format!("- {}: {}", constraint.id, escape(&constraint.sentence));
        out.push(Line::new(Block::Constraints, (order, 0), &constraint.id, line, vec![]));
    }
    if let Some(plan) = &ledger.plan {
        // Read from the top, but what is done leaves first: `fill` takes the last lines first.
        for (order, (mark, what)) in plan.items.iter().enumerate() {
            let line = format!("- {} {}", mark.as_str(), escape(what));
            out.push(Line::new(Block::Todo, (order, 0), &plan.id, line, vec![]));
        }
        crate::rank::sort(&mut out, |line| {
            let todo = line.block == Block::Todo && !line.short.starts_with(&format!("- {}", Mark::Done.as_str()));
            todo.into()
        });
    }
    let mut files: Vec<(usize, &File)> = ledger.files.iter().enumerate().collect();
    crate::rank::sort(&mut files, |(_, file)| file.at as u64);
    for (order, file) in files {
        let block = if file.is_changed() { Block::Changed } else { Block::Read };
        let line = format!("- {} ({})", escape(&file.path), file.marks());
        out.push(Line::new(block, (order, file.at), &file.last, line, vec![]));
    }
    let mut errors: Vec<(usize, &Failure)> = ledger.errors.iter().enumerate().collect();
    crate::rank::sort(&mut errors, |(_, error)| error.at as u64);
    for (order, error) in errors {
        let form = |bytes, places| format!("- {}: {}", error.id, escape(&error.to_line(bytes, places)));
        let longer = vec![form(usize::MAX, false), form(usize::MAX, true)];
        out.push(Line::new(Block::Errors, (order, error.at), &error.id, form(SHORT_ERROR, false), longer));
    }
    let mut commands: Vec<(usize, &Command)> = ledger.commands.iter().enumerate().collect();
    crate::rank::sort(&mut commands, |(_, command)| command.at as u64);
    for (order, command) in commands {
        let form = |bytes, output| format!("- {}: {}", command.id, escape(&command.to_line(bytes, output)));
        let short = format!("- {}: {}", command.id, escape(&command.to_short_line(SHORT_COMMAND)));
        let longer = vec![form(usize::MAX, false), form(usize::MAX, true)];
        out.push(Line::new(Block::Commands, (order, command.at), &command.id, short, longer));
    }
    for (order, decision) in ledger.decisions.iter().enumerate() {
        let by = if decision.by == By::User { "(user) " } else { "" };
        let line = format!("- {}: {by}{}", decision.id, escape(&decision.sentence));
        out.push(Line::new(Block::Decisions, (order, 0), &decision.id, line, vec![]));
    }
    out
}

/// A message of several lines: lines that look like the beginning of another one are marked.
fn guarded(text: &str) -> String {
    let mut lines = text.lines();
    let mut out = lines.next().unwrap_or_default().to_string();
    for line in lines {
        out.push('\n');
        if line.trim_start_matches('\\').starts_with(['[', '(']) {
            out.push('\\');
        }
        out.push_str(line);
    }
    out
}

/// Tags of the record; inside quoted text they must not end it early.
const TAGS: [&str; 10] = [
    "conversation-summary",
    "summary",
    "user-messages",
    "constraints",
    "todo",
    "changed-files",
    "errors",
    "commands",
    "decisions",
    "read-files",
];

/// Our own closing tags inside quoted text, taken apart by a backslash; [`unescape`] gives the text back.
///
/// ```
/// use espalier::compact::ledger::render::{escape, unescape};
/// assert_eq!(escape("a </summary> b </p>"), r"a <\/summary> b </p>");
/// assert_eq!(unescape(&escape(r"<\/todo> </todo>")), r"<\/todo> </todo>");
/// ```
pub fn escape(text: &str) -> String {
    closing(text, |out, slashes| {
        out.push('\\');
        out.push_str(slashes);
    })
}

/// The opposite of [`escape`].
pub fn unescape(text: &str) -> String {
    closing(text, |out, slashes| out.push_str(slashes.strip_prefix('\\').unwrap_or(slashes)))
}

/// Copies a text; what stands between `<` and `/tag` of our own tags (backslashes, or nothing) goes through `change`.
fn closing(text: &str, change: impl Fn(&mut String, &str)) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        let plain = rest.trim_start_matches('\\');
        let slashes = &rest[..rest.len() - plain.len()];
        let ours = plain.strip_prefix('/').is_some_and(|name| {
            let name = name.trim_start();
            TAGS.iter().any(|tag| name.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag)))
        });
        if ours {
            change(&mut out, slashes);
            rest = plain;
        }
    }
    out.push_str(rest);
    out
}

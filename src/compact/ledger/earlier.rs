//! Reads back the record of an earlier compaction.
//!
//! If the untouched history is available, the ledger is folded from it and none of this is needed. A host that keeps
//! only what was sent has only the record: its blocks are parsed into entries, so that a second compaction keeps the
//! facts of the first.

use super::action::Action;
use super::command::Command;
use super::decision::{By, Decision};
use super::error::{Failure, key};
use super::escape::unescape;
use super::file::File;
use super::line::{HERE, NEXT, OF_USER, folder_of, looks_like_entry, parts_of, row_of, source_of};
use super::render::Block;
use super::same::Same;
use super::story::{ARROW, Outcome};
use super::text::ELLIPSIS;
use super::user::{Constraint, PINNED, Request};
use super::{Ledger, Plan};
use crate::compact::earlier_summaries::{id_of, is_numbered};
use crate::compact::facts::{Speaker, sentences};
use crate::compact::form::headed;
use crate::compact::parse::parse;
use crate::message::tool_map::Mark;

/// Marks an id of the numbering before the compaction: the message of that number is another one now.
pub const EARLIER: char = '~';
/// Marks a plan from a record: the record does not name its message.
const EARLIER_PLAN: &str = "~";

/// A request in a record.
struct Asked {
    id: String,
    text: String,
    told: Option<Outcome>,
}

impl Ledger {
    /// Adds a record. Ids in it are marked as [`EARLIER`].
    pub(super) fn absorb(&mut self, record: &str) {
        let (summary, blocks) = match record.split_once("\n</summary>\n") {
            Some((summary, blocks)) => (format!("{summary}\n</summary>"), blocks),
            None => (record.to_string(), ""),
        };
        // The host supplies its additions again; their lines are no facts.
        let host = format!("\n<{}>\n", crate::compact::context::TAG);
        let blocks = blocks.rsplit_once(host.as_str()).map_or(blocks, |(blocks, _)| blocks);
        self.said_earlier(summary);
        if let Some(text) = self.earlier.last_mut() {
            *text = renumbered(text);
        }
        let mut block: Option<Block> = None;
        let mut request: Option<Asked> = None;
        // The id of the previous row: rows of one message contain it once.
        let mut id = String::new();
        let mut folder = String::new();
        for line in blocks.lines() {
            match block {
                None => {
                    folder.clear();
                    block = line.strip_prefix('<').and_then(|l| l.strip_suffix('>')).and_then(Block::of_name);
                }
                Some(open) if line.strip_prefix("</").and_then(|l| l.strip_suffix('>')) == Some(open.name()) => {
                    block = None;
                    self.earlier_request(request.take());
                }
                Some(Block::Users) => self.user_line(line, &mut request),
                Some(Block::Changed | Block::Read) if folder_of(line).is_some() => {
                    folder = unescape(folder_of(line).unwrap_or_default());
                }
                Some(open @ (Block::Changed | Block::Read)) => match left_out(line) {
                    Some(n) => self.leave_out(open, n),
                    None => self.file_line(&unescape(line), &folder),
                },
                Some(open) => match left_out(line) {
                    Some(n) => self.leave_out(open, n),
                    None => {
                        let line = match line.strip_prefix(NEXT) {
                            Some(text) => row_of(&id, text),
                            None => line.to_string(),
                        };
                        id = parts_of(&line).map_or("", |(id, _)| id).to_string();
                        self.entry(open, &unescape(&line));
                    }
                },
            }
        }
        self.earlier_request(request);
    }

    /// Returns the ledger of the messages that a record replaces, plus the text of the record.
    #[must_use]
    pub(in crate::compact) fn behind_record(mut self, record: &str) -> Ledger {
        let summary = record.split_once("\n</summary>\n").map_or(record, |(summary, _)| summary);
        self.said_earlier(format!("{summary}\n</summary>"));
        self
    }

    pub(super) fn said_earlier(&mut self, summary: String) {
        let text = parse(&summary).map_or(summary, |parsed| unescape(&parsed.text));
        self.earlier.push(headed(&text));
    }

    /// Adds the entries that an earlier record already left out to the counts.
    fn leave_out(&mut self, block: Block, entries: usize) {
        let count = self.left_out.entry(block.name()).or_default();
        *count = count.saturating_add(entries);
    }

    fn user_line(&mut self, line: &str, request: &mut Option<Asked>) {
        if let Some(n) = left_out(line) {
            self.leave_out(Block::Users, n);
        } else if let Some((id, text)) = line.strip_prefix('[').and_then(|l| l.split_once("] ")) {
            self.earlier_request(request.take());
            *request = Some(Asked { id: id.to_string(), text: text.to_string(), told: None });
        } else if let Some(asked) = request {
            if let Some(told) = line.strip_prefix(ARROW) {
                asked.told = Some(Outcome::of_record(&unescape(told)));
                return;
            }
            let text = &mut asked.text;
            text.push('\n');
            // Removes the mark from a line that looks like the beginning of a message.
            let plain = line.strip_prefix('\\').filter(|rest| looks_like_entry(rest));
            text.push_str(plain.unwrap_or(line));
        }
    }

    fn earlier_request(&mut self, request: Option<Asked>) {
        let Some(Asked { id, text, told }) = request else { return };
        self.asked(Request::new(&marked(&id), unescape(&text), true), Some(told.unwrap_or_default()));
    }

    /// A file below `folder`, unless its path is absolute or begins with [`HERE`].
    fn file_line(&mut self, line: &str, folder: &str) {
        let Some(mut file) = line.strip_prefix("- ").and_then(File::parse) else { return };
        file.last = marked(&file.last);
        match file.path.strip_prefix(HERE).filter(|_| !folder.is_empty()) {
            Some(path) => file.path = path.to_string(),
            None if file.path.starts_with('/') => {}
            None => file.path.insert_str(0, folder),
        }
        if !self.file_at.contains_key(&file.path) {
            self.file_at.insert(file.path.clone(), self.files.len());
            self.files.push(file);
        }
    }

    fn entry(&mut self, block: Block, line: &str) {
        let with_id = parts_of(line).map(|(id, text)| (marked(id), text));
        let Some(line) = line.strip_prefix("- ") else { return };
        match (block, with_id) {
            // Pinned facts come from the rules again, because they may no longer be pinned.
            (Block::Constraints, Some((id, _))) if id.trim_start_matches(EARLIER) == PINNED => {}
            (Block::Constraints, Some((id, text))) if self.constraint_at.insert(text.to_string()) => {
                for sentence in sentences(text) {
                    self.facts.add_sentence(&id, Speaker::Record, sentence);
                }
                self.constraints.push(Constraint { id, sentence: text.to_string() });
            }
            (Block::Todo, _) => {
                let Some((mark, what)) = Mark::of_line(line) else { return };
                let plan = self.plan.get_or_insert_with(|| Plan { id: EARLIER_PLAN.to_string(), items: vec![] });
                // A plan in the conversation itself is newer.
                if plan.id == EARLIER_PLAN {
                    plan.items.push((mark, what.to_string()));
                }
            }
            (Block::Errors, Some((id, text))) => {
                let (id, source) = source_of(&id);
                let mut failure = Failure::parse(id, text);
                failure.source = source.map(|words| self.source(&Same::of_words(words)));
                self.error(key(&failure.line), failure);
            }
            (Block::Actions, Some((id, text))) => {
                let Some(action) = Action::parse(&id, text) else { return };
                if let Some(mut command) = Command::parse(&id, text)
                    && !self.command_at.contains_key(&command.line)
                {
                    command.is_action = true;
                    self.command_at.insert(command.line.clone(), self.commands.len());
                    self.commands.push(command);
                }
                self.actions.push(action);
            }
            (Block::Commands, Some((id, text))) => {
                let Some(command) = Command::parse(&id, text) else { return };
                // Cut lines may be the beginnings of different commands.
                let is_cut = command.line.contains(ELLIPSIS);
                let held = self.command_at.get(&command.line).map(|&at| &self.commands[at]);
                if held.is_none_or(|held| is_cut && held.id != command.id) {
                    self.command_at.insert(command.line.clone(), self.commands.len());
                    self.commands.push(command);
                }
            }
            (Block::Facts, Some((id, text))) => self.facts.add_sentence(&id, Speaker::Record, text),
            (Block::Decisions, Some((id, text))) => {
                let by = if text.starts_with(OF_USER) { By::User } else { By::Assistant };
                let sentence = text.strip_prefix(OF_USER).unwrap_or(text).to_string();
                self.decisions.push(Decision { id, by, sentence });
            }
            _ => {}
        }
    }
}

/// Marks the numbers of messages at the beginning of lines.
fn renumbered(text: &str) -> String {
    let line = |line: &str| match id_of(line).filter(|id| is_numbered(id)) {
        Some(id) => line.replacen(id, &marked(id), 1),
        None => line.to_string(),
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

fn marked(id: &str) -> String {
    if id.starts_with(EARLIER) { id.to_string() } else { format!("{EARLIER}{id}") }
}

/// Reads `(12 more left out, ...)`.
pub(super) fn left_out(line: &str) -> Option<usize> {
    line.strip_prefix('(')?.split_once(" more left out")?.0.parse().ok()
}

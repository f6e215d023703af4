//! The ledger: facts collected from the history by rules, never by a model.
//!
//! In: messages, oldest first. Out: what must not be forgotten however the summary turns out: requests and constraints of the
//! user, files read and changed, commands and how they ended, errors, the latest plan. Folding the same messages gives the same
//! ledger, always.

use std::collections::HashMap;

use super::parse::Parsed;
use super::tool_map::{Action, action, exit_status};
use crate::message::{Message, Part, Role};

/// Longest command or error line that is kept, in bytes.
const COMMAND_BYTES: usize = 200;
const ERROR_BYTES: usize = 300;
/// Error lines kept of one result: the first and the last ones tell what went wrong.
const ERRORS_PER_RESULT: usize = 6;

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Ledger {
    /// Every message of the user: id and text.
    pub requests: Vec<(String, String)>,
    /// The newest request, if it stays in the conversation and is no part of what was folded.
    pub current: Option<(String, String)>,
    /// Sentences of the user that constrain the work.
    pub constraints: Vec<(String, String)>,
    pub files: Vec<File>,
    pub commands: Vec<Command>,
    pub errors: Vec<Failure>,
    /// The newest state of a todo list or plan.
    pub plan: Option<(String, String)>,
    /// Tools by number of calls.
    pub tools: Vec<(String, usize)>,
    /// Texts of the assistant.
    pub said: Vec<(String, String)>,
    /// Summary messages of earlier compactions, as they stand.
    pub earlier: Vec<String>,
    file_at: HashMap<String, usize>,
    error_at: HashMap<String, usize>,
    tool_at: HashMap<String, usize>,
    /// Calls whose result did not come yet: what to do with it.
    open: HashMap<String, Open>,
}

/// What happened to a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct File {
    pub path: String,
    pub reads: usize,
    pub edits: usize,
    pub created: bool,
    pub deleted: bool,
    /// Id of the newest message that touched it.
    pub last: String,
}

impl File {
    /// True if the file is not what it was.
    pub fn is_changed(&self) -> bool {
        self.edits > 0 || self.created || self.deleted
    }
}

/// A command line and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    pub id: String,
    pub line: String,
    pub status: Status,
    /// The last line it printed.
    pub last_line: String,
}

/// How a command ended, as far as its result tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Ok,
    Failed(Option<i64>),
    /// The result does not say.
    Ended,
    /// No result was recorded.
    Unknown,
}

/// An error line.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    pub id: String,
    pub line: String,
    pub count: usize,
    /// The command that printed it succeeded later.
    pub resolved: bool,
    command: Option<String>,
}

#[derive(Debug, Clone, PartialEq)]
enum Open {
    Command(usize),
    Other,
}

impl Ledger {
    /// Folds messages into a ledger. `summary_tag` is what the summary messages of earlier compactions begin with.
    pub fn fold<'a>(messages: impl IntoIterator<Item = &'a Message>, summary_tag: &str) -> Ledger {
        let mut ledger = Ledger::default();
        for message in messages {
            ledger.add(message, summary_tag);
        }
        ledger
    }

    /// Takes one more message in; costs what the message is long.
    pub fn add(&mut self, message: &Message, summary_tag: &str) {
        let text = message.text();
        match message.role {
            Role::User if text.starts_with(summary_tag) => self.earlier.push(text),
            Role::User if !text.trim().is_empty() => self.request(&message.id, text),
            Role::Assistant if !text.trim().is_empty() => self.said.push((message.id.clone(), text)),
            _ => {}
        }
        for part in &message.parts {
            match part {
                Part::ToolCall { call_id, name, arguments } => self.call(&message.id, call_id, name, arguments),
                Part::ToolResult { call_id, content, is_error, .. } => {
                    self.result(&message.id, call_id, content, *is_error)
                }
                _ => {}
            }
        }
    }

    fn request(&mut self, id: &str, text: String) {
        for sentence in sentences(&text).filter(|s| is_constraint(s)) {
            if sentence.len() <= 400 {
                self.constraints.push((id.to_string(), sentence.to_string()));
            }
        }
        self.requests.push((id.to_string(), text));
    }

    fn call(&mut self, id: &str, call_id: &str, name: &str, arguments: &str) {
        let tool = *self.tool_at.entry(name.to_string()).or_insert_with(|| {
            self.tools.push((name.to_string(), 0));
            self.tools.len() - 1
        });
        self.tools[tool].1 += 1;
        let open = match action(name, arguments) {
            Action::Read(path) => self.file(id, path, |file| file.reads += 1),
            Action::Edit(path) => self.file(id, path, |file| file.edits += 1),
            Action::Create(path) => self.file(id, path, |file| {
                file.created = true;
                file.deleted = false;
            }),
            Action::Delete(path) => self.file(id, path, |file| file.deleted = true),
            Action::Shell(line) => {
                self.commands.push(Command {
                    id: id.to_string(),
                    line: one_line(&line, COMMAND_BYTES),
                    status: Status::Unknown,
                    last_line: String::new(),
                });
                Open::Command(self.commands.len() - 1)
            }
            Action::Plan(text) => {
                if !text.is_empty() {
                    self.plan = Some((id.to_string(), text));
                }
                Open::Other
            }
            Action::Other => Open::Other,
        };
        self.open.insert(call_id.to_string(), open);
    }

    fn file(&mut self, id: &str, path: String, change: impl FnOnce(&mut File)) -> Open {
        let at = *self.file_at.entry(path.clone()).or_insert_with(|| {
            self.files.push(File { path, ..File::default() });
            self.files.len() - 1
        });
        self.files[at].last = id.to_string();
        change(&mut self.files[at]);
        Open::Other
    }

    fn result(&mut self, id: &str, call_id: &str, content: &[Part], is_error: bool) {
        let Some(open) = self.open.remove(call_id) else { return };
        let text = content
            .iter()
            .filter_map(|part| if let Part::Text { text } = part { Some(text.as_str()) } else { None })
            .collect::<Vec<_>>()
            .join("\n");
        let mut command = None;
        let mut failed = is_error;
        if let Open::Command(at) = open {
            let status = match exit_status(&text) {
                Some(0) => Status::Ok,
                Some(code) => Status::Failed(Some(code)),
                None if is_error => Status::Failed(None),
                None => Status::Ended,
            };
            failed |= matches!(status, Status::Failed(_));
            self.commands[at].status = status;
            self.commands[at].last_line = one_line(
                text.lines().rev().find(|line| !line.trim().is_empty() && !is_prompt(line)).unwrap_or(""),
                COMMAND_BYTES,
            );
            let line = self.commands[at].line.clone();
            if status == Status::Ok {
                self.errors.iter_mut().filter(|e| e.command.as_ref() == Some(&line)).for_each(|e| e.resolved = true);
            }
            command = Some(line);
        }
        // What files contain is not what went wrong: only commands and flagged results are searched.
        if command.is_none() && !failed && !text.trim_start().starts_with("ERROR") {
            return;
        }
        let mut lines: Vec<&str> = text.lines().filter(|line| is_error_line(line)).collect();
        if lines.is_empty() && failed {
            lines.extend(text.lines().rev().find(|line| !line.trim().is_empty()));
        }
        let skipped = lines.len().saturating_sub(ERRORS_PER_RESULT);
        let kept = lines.iter().take(ERRORS_PER_RESULT / 2).chain(lines.iter().skip(ERRORS_PER_RESULT / 2 + skipped));
        for line in kept {
            self.error(id, one_line(line, ERROR_BYTES), command.clone());
        }
    }

    fn error(&mut self, id: &str, line: String, command: Option<String>) {
        match self.error_at.get(&line) {
            Some(&at) => {
                let error = &mut self.errors[at];
                error.count += 1;
                error.resolved = false;
                error.id = id.to_string();
                error.command = command;
            }
            None => {
                self.error_at.insert(line.clone(), self.errors.len());
                self.errors.push(Failure { id: id.to_string(), line, count: 1, resolved: false, command });
            }
        }
    }
}

/// Sentences and lines, trimmed.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| {
        let mut rest = line;
        std::iter::from_fn(move || {
            if rest.is_empty() {
                return None;
            }
            let end = rest
                .match_indices(['.', '!', '?'])
                .map(|(at, mark)| at + mark.len())
                .find(|&end| rest[end..].starts_with(' '))
                .unwrap_or(rest.len());
            let (sentence, more) = rest.split_at(end);
            rest = more.trim_start();
            Some(sentence.trim())
        })
        .filter(|sentence| !sentence.is_empty())
    })
}

/// Words that make a sentence a rule rather than a wish.
const MARKERS: [&str; 14] = [
    "must",
    "never",
    "always",
    "only",
    "don't",
    "dont",
    "do not",
    "prefer",
    "make sure",
    "should not",
    "shouldn't",
    "instead of",
    "no need",
    "ensure",
];

fn is_constraint(sentence: &str) -> bool {
    let lower = format!(" {} ", sentence.to_lowercase());
    MARKERS.iter().any(|marker| {
        lower.match_indices(marker).any(|(at, _)| {
            let before = lower[..at].chars().next_back();
            let after = lower[at + marker.len()..].chars().next();
            !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
        })
    })
}

/// True for what a shell prints before it takes the next command.
fn is_prompt(line: &str) -> bool {
    let line = line.trim();
    line.len() <= 12 && line.ends_with(['$', '#', '%', '>'])
}

fn is_error_line(line: &str) -> bool {
    if line.len() > 2_000 {
        return false;
    }
    let lower = line.to_lowercase();
    let words = [
        "error:",
        "error[",
        "error ",
        "exception:",
        "exception ",
        "traceback",
        "fatal:",
        "panicked at",
        "failed",
        "cannot find",
        "no such file",
        "command not found",
        "undefined reference",
        "assertion",
        "segmentation fault",
        "permission denied",
        "✗",
    ];
    words.iter().any(|word| lower.contains(word))
        && !["0 failed", "0 errors", "no error"].iter().any(|w| lower.contains(w))
}

/// A text as one line of at most `bytes` bytes.
pub(super) fn one_line(text: &str, bytes: usize) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= bytes { line } else { format!("{}…", &line[..line.floor_char_boundary(bytes)]) }
}

/// The text of an earlier summary message inside its tags.
pub(super) fn earlier_text(message: &str) -> String {
    match super::parse::parse(message) {
        Ok(Parsed { text, .. }) => text,
        Err(_) => message.to_string(),
    }
}

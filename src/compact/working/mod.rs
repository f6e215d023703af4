//! The working set: the latest known content of the files of a history, things without a file, and names in use.
//!
//! In: messages, oldest first. Out: [`WorkingSet`], from which [`render`] writes what fits a budget. Start reading at
//! [`WorkingSet::add`].
//!
//! It reads messages only and asks no model: rules combine what calls write and what results show. Adding a message
//! costs its length and one pass over each file that it changes; the result equals a fold of all messages.
//!
//! - [`files`]: the latest known content of one file; `edits` changes it.
//! - [`shell`]: what command lines show and change.
//! - [`entities`]: bookings, issues, pages by id.
//! - [`names`]: paths, identifiers and ids by use.
//! - [`view`]: the lines and names that a view already shows.
//! - [`render`]: files, things and names as text.

mod edits;
pub mod entities;
pub mod files;
mod lines;
pub mod names;
pub mod render;
pub mod shell;
pub mod view;

use std::rc::Rc;

use serde_json::Value;

use crate::compact::ledger::ended::NO_OUTPUT;
use crate::compact::ledger::{Rules, symbol};
use crate::compact::placeholder::{is_placeholder, is_recalled};
use crate::map::{HashMap, HashSet};
use crate::message::change::{Change, FileChange};
use crate::message::dialects::pattern::Line as Said;
use crate::message::dialects::{Dialects, Says, results};
use crate::message::tool_map::{ToolCall, ToolKind, ToolMap};
use crate::message::tool_output::{body, exit_status, says_failed, shown};
use crate::message::{Message, Part, Role, path};
use entities::Entities;
use files::File;
use names::{Found, Names};
use shell::Deed;

/// Maximum bytes of file content; above it, the files that were used longest ago lose theirs.
const MAX_BYTES: usize = 8_000_000;
/// Maximum lines of a result that reports a failure: a file that begins with a word for failure has more.
const MAX_FAILURE_LINES: usize = 4;
/// Minimum consecutive numbered lines in the result of an edit that are read as content of the file.
const MIN_SNIPPET_LINES: usize = 2;

/// A call without its result.
#[derive(Debug, Clone, PartialEq)]
struct Open {
    name: String,
    arguments: String,
    call: ToolCall,
}

/// See the module.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkingSet {
    pub files: Vec<File>,
    pub entities: Entities,
    pub names: Names,
    map: ToolMap,
    root: Option<String>,
    /// Number of messages added.
    now: u32,
    file_at: HashMap<String, usize>,
    /// Calls of the last assistant message, in order.
    open: Vec<(String, Open)>,
    /// The file that editors with one open file work on.
    opened: Option<usize>,
    /// The last message that may have changed any file.
    doubted: u32,
    /// Files that were changed since a formatter last ran.
    unformatted: Vec<usize>,
    /// Commands whose output said that a formatter ran.
    formatting: HashSet<String>,
    bytes: usize,
}

impl WorkingSet {
    /// Returns an empty working set.
    pub fn new(rules: &Rules) -> WorkingSet {
        let map = ToolMap::new(rules.tools.clone()).with_dialect(rules.dialect);
        WorkingSet { map, root: rules.root.clone(), ..WorkingSet::default() }
    }

    /// Folds messages into a working set.
    ///
    /// ```
    /// use espalier::compact::ledger::Rules;
    /// use espalier::compact::working::WorkingSet;
    /// use espalier::message::{Message, Part, Role};
    /// let call = Part::ToolCall {
    ///     call_id: "c1".into(), name: "write".into(), arguments: r#"{"path":"a.txt","content":"one\ntwo\n"}"#.into(),
    /// };
    /// let text = Part::Text { text: "Successfully wrote 8 bytes".into() };
    /// let result = Part::ToolResult { call_id: "c1".into(), name: None, content: vec![text], is_error: false };
    /// let messages = [(Role::Assistant, call), (Role::Tool, result)]
    ///     .map(|(role, part)| Message { id: "m".into(), role, name: None, parts: vec![part] });
    /// let set = WorkingSet::fold(&messages, &Rules::default());
    /// assert_eq!(&*set.file("a.txt").unwrap().line(2).unwrap().text, "two");
    /// ```
    pub fn fold<'a>(messages: impl IntoIterator<Item = &'a Message>, rules: &Rules) -> WorkingSet {
        let mut set = WorkingSet::new(rules);
        for message in messages {
            set.add(message);
        }
        set
    }

    /// Returns the number of messages added.
    pub fn now(&self) -> u32 {
        self.now
    }

    /// Returns the bytes of file content.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns a file by the path that calls use.
    pub fn file(&self, path: &str) -> Option<&File> {
        self.file_at.get(path).map(|&at| &self.files[at])
    }

    /// True if the text of a line may be out of date.
    pub fn is_stale(&self, file: &File, line: &files::Line) -> bool {
        line.seen == 0 || line.seen < file.doubted.max(self.doubted)
    }

    /// Adds one message.
    pub fn add(&mut self, message: &Message) {
        self.now += 1;
        if message.role == Role::Assistant {
            self.doubt_unanswered();
        }
        // Declared first: names borrow from the arguments.
        let mut values: Vec<(Option<Rc<str>>, Vec<String>)> = Vec::new();
        for part in &message.parts {
            match part {
                Part::ToolCall { call_id, name, arguments } => {
                    let call = self.map.read(name, arguments);
                    let given: Value = serde_json::from_str(arguments).unwrap_or(Value::Null);
                    let mut strings = Vec::new();
                    strings_in(&given, 0, &mut strings);
                    let path = call.paths.first().or(call.patched.first().map(|(_, path)| path));
                    values.push((path.map(|path| Rc::from(path.as_str())), strings));
                    let open = Open { name: name.clone(), arguments: arguments.clone(), call };
                    self.open.push((call_id.clone(), open));
                }
                Part::ToolResult { call_id, content, is_error, .. } => {
                    let Some(at) = self.open.iter().position(|(id, _)| id == call_id) else { continue };
                    let (_, open) = self.open.remove(at);
                    let texts = content.iter().filter_map(|part| match part {
                        Part::Text { text } => Some(text.as_str()),
                        _ => None,
                    });
                    let text = texts.collect::<Vec<_>>().join("\n");
                    self.result(open, &text, *is_error);
                }
                _ => {}
            }
        }
        if message.role.is_frame() {
            return;
        }
        let mut found = Found::default();
        for part in &message.parts {
            match part {
                Part::Text { text } => found.text(text, None),
                Part::ToolResult { content, .. } => {
                    for part in content {
                        if let Part::Text { text } = part {
                            found.text(text, None);
                        }
                    }
                }
                _ => {}
            }
        }
        for (path, strings) in &values {
            for text in strings {
                found.value(text, path.as_ref());
                found.text(text, path.as_ref());
            }
            if path.is_some() {
                for text in strings {
                    symbol::defined(text)
                        .into_iter()
                        .filter(|name| name.len() >= 4)
                        .for_each(|name| found.word(name, path.as_ref()));
                }
            }
        }
        self.names.add(found, message.role == Role::Tool, self.now);
    }

    /// Handles calls without a result: their effect is unknown.
    fn doubt_unanswered(&mut self) {
        for (_, open) in std::mem::take(&mut self.open) {
            match open.call.kind {
                ToolKind::Write | ToolKind::Edit | ToolKind::Delete => {
                    let patched = open.call.patched.iter().map(|(_, path)| path.clone());
                    for path in open.call.paths.iter().cloned().chain(patched).collect::<Vec<_>>() {
                        self.doubt(&path);
                    }
                }
                ToolKind::Shell => {
                    for command in &open.call.commands {
                        self.apply_command(command, &open.call, None);
                    }
                }
                _ => {}
            }
        }
    }

    fn file_index(&mut self, path: &str) -> usize {
        let path = path::under(self.root.as_deref(), path.to_string());
        let files = &mut self.files;
        let at = *self.file_at.entry(path).or_insert_with_key(|path| {
            files.push(File { path: path.clone(), ..File::default() });
            files.len() - 1
        });
        self.files[at].last = self.now;
        at
    }

    /// Marks a file as possibly changed. An unknown file stays unknown.
    fn doubt(&mut self, path: &str) {
        let path = path::under(self.root.as_deref(), path.to_string());
        if let Some(&at) = self.file_at.get(&path) {
            (self.files[at].doubted, self.files[at].last) = (self.now, self.now);
        }
    }

    fn result(&mut self, Open { name, arguments, call }: Open, text: &str, is_error: bool) {
        let text = body(text);
        if is_recalled(&text) {
            return;
        }
        if is_placeholder(&text) {
            // The result was removed, so it does not show what the call did.
            return self.apply_write(&name, &arguments, &call, None);
        }
        let is_short = text.lines().count() <= MAX_FAILURE_LINES;
        let says_so = says_failed(&text, Dialects::ALL);
        match call.kind {
            ToolKind::Read if is_error || says_so && is_short => {}
            ToolKind::Read => self.read(&call, &text),
            ToolKind::Write | ToolKind::Edit | ToolKind::Delete if is_error || says_so => {}
            ToolKind::Write | ToolKind::Edit | ToolKind::Delete => {
                self.apply_write(&name, &arguments, &call, Some(&text))
            }
            ToolKind::Shell => {
                for command in &call.commands {
                    self.apply_command(
                        command,
                        &call,
                        Some(&text).filter(|_| call.commands.len() == 1).map(|text| &**text),
                    );
                }
            }
            ToolKind::Search | ToolKind::Web | ToolKind::Other | ToolKind::Delegate if !is_error && !says_so => {
                if call.kind == ToolKind::Search && found_lines(&text).next().is_some() {
                    let one = call.paths.first().filter(|path| path.contains('.')).cloned();
                    return self.show_found_lines(&text, one.as_deref());
                }
                self.entities.add(&name, &arguments, &text, self.now);
            }
            _ => {}
        }
    }

    fn read(&mut self, call: &ToolCall, text: &str) {
        let [path] = call.paths.as_slice() else {
            // In editors with one open file, a call without a path scrolls in it.
            if let (Some(at), []) = (self.opened, call.paths.as_slice()) {
                let path = self.files[at].path.clone();
                self.show(&path, call, text);
            }
            return;
        };
        self.show(path, call, text);
    }

    fn show(&mut self, path: &str, call: &ToolCall, text: &str) {
        let read = shown(text, call);
        // Tools that number lines list folders without numbers.
        let numbers = results(Says::Number, call.dialects).next().is_some() && call.dialects != Dialects::ALL;
        let is_numbered = || text.lines().any(|line| number_of(line, call.dialects).is_some());
        let has_ending = path.rsplit('/').next().is_some_and(|name| name.contains('.'));
        if read.lines.is_empty() || !has_ending && numbers && !is_numbered() {
            return;
        }
        let total = if read.is_whole() { read.lines.last().map(|(number, _)| *number) } else { None };
        let at = self.file_index(path);
        self.files[at].reads += 1;
        self.opened = Some(at);
        self.show_lines(at, &read.lines, total);
    }

    fn show_lines(&mut self, at: usize, lines: &[(u64, String)], total: Option<u64>) {
        let before = self.files[at].bytes();
        let doubted = self.doubted;
        let file = &mut self.files[at];
        file.doubted = file.doubted.max(doubted);
        file.show(lines, total, self.now);
        self.update_bytes(at, before);
    }

    /// Updates the byte count, and evicts the files used longest ago above the limit.
    fn update_bytes(&mut self, at: usize, before: usize) {
        self.bytes = (self.bytes + self.files[at].bytes()).saturating_sub(before);
        while self.bytes > MAX_BYTES {
            let held = self.files.iter().enumerate().filter(|(other, file)| *other != at && file.held() > 0);
            let Some((oldest, _)) = held.min_by_key(|(other, file)| (file.last, *other)) else { return };
            self.bytes = self.bytes.saturating_sub(self.files[oldest].bytes());
            self.files[oldest].forget();
        }
    }

    /// Applies a write call that succeeded. Without `text`, its success is assumed.
    fn apply_write(&mut self, name: &str, arguments: &str, call: &ToolCall, text: Option<&str>) {
        if !matches!(call.kind, ToolKind::Write | ToolKind::Edit | ToolKind::Delete) {
            return;
        }
        let mut steps = self.map.changes(name, arguments);
        if call.kind == ToolKind::Delete {
            steps = vec![FileChange { path: None, change: Change::Delete }];
        }
        let opened = self.opened.map(|at| self.files[at].path.clone());
        let own: Vec<String> = match call.paths.as_slice() {
            [] => opened.into_iter().collect(),
            paths => paths.to_vec(),
        };
        if steps.is_empty() {
            // `undo_edit` and sketches: the change is unknown.
            return own.iter().for_each(|path| self.doubt(path));
        }
        let mut changed: Vec<usize> = Vec::new();
        for FileChange { path, change } in &steps {
            let paths: Vec<String> = path.iter().cloned().collect();
            for path in if path.is_some() { &paths } else { &own } {
                let at = self.apply_step(path, change);
                if !changed.contains(&at) {
                    changed.push(at);
                }
            }
        }
        if let (Some(text), [at]) = (text, changed.as_slice()) {
            self.opened = Some(*at);
            let snippet = numbered_lines(text, call.dialects);
            if snippet.len() >= MIN_SNIPPET_LINES {
                self.show_lines(*at, &snippet, None);
            }
        }
    }

    fn apply_step(&mut self, path: &str, change: &Change) -> usize {
        let at = self.file_index(path);
        let before = self.files[at].bytes();
        self.files[at].doubted = self.files[at].doubted.max(self.last_doubt(at));
        match change {
            Change::MovedFrom { path: from } => self.copy(from, at, true),
            change => self.files[at].change(change, self.now),
        }
        if !self.unformatted.contains(&at) {
            self.unformatted.push(at);
        }
        self.update_bytes(at, before);
        at
    }

    /// Returns the last message that may have changed any file, if the file has known lines.
    fn last_doubt(&self, at: usize) -> u32 {
        if self.files[at].held() > 0 { self.doubted } else { 0 }
    }

    fn copy(&mut self, from: &str, to: usize, is_moved: bool) {
        let from = path::under(self.root.as_deref(), from.to_string());
        match self.file_at.get(&from).copied().filter(|from| *from != to) {
            Some(from) => {
                let mut source = std::mem::take(&mut self.files[from]);
                source.doubted = source.doubted.max(self.doubted);
                self.files[to].copy_of(&source, self.now);
                if is_moved {
                    source.forget();
                    (source.is_deleted, source.changed, source.last) = (true, self.now, self.now);
                }
                self.files[from] = source;
            }
            None => self.files[to].forget(),
        }
    }

    /// Applies a command line that printed `text`.
    fn apply_command(&mut self, command: &str, call: &ToolCall, text: Option<&str>) {
        let deeds = shell::deeds(command, call.cwd.as_deref());
        let is_failed = text.is_some_and(|text| exit_status(text).is_some_and(|code| code != 0));
        let prints: Vec<&Deed> =
            deeds.iter().filter(|deed| matches!(deed, Deed::Show { .. } | Deed::Find { .. } | Deed::Print)).collect();
        if let (Some(text), [one], false) = (text, prints.as_slice(), is_failed) {
            self.apply_output(one, call, text);
        }
        for deed in &deeds {
            match deed {
                Deed::Write { path, text } => {
                    let at = self.file_index(path);
                    let before = self.files[at].bytes();
                    match text {
                        // It is unknown which writes of a failed line took place.
                        Some(text) => self.files[at].change(&Change::Write { text: text.clone() }, self.now),
                        None => self.files[at].forget(),
                    }
                    self.update_bytes(at, before);
                }
                Deed::Append { path, text } => {
                    let at = self.file_index(path);
                    let before = self.files[at].bytes();
                    match text {
                        Some(text) => self.files[at].append(text, self.now),
                        None => self.files[at].total = None,
                    }
                    self.update_bytes(at, before);
                }
                Deed::Copy { from, to } | Deed::Move { from, to } => {
                    let at = self.file_index(to);
                    let before = self.files[at].bytes();
                    self.copy(from, at, matches!(deed, Deed::Move { .. }));
                    self.update_bytes(at, before);
                }
                Deed::Delete { path } => {
                    let known = path::under(self.root.as_deref(), path.clone());
                    if let Some(&at) = self.file_at.get(&known) {
                        let before = self.files[at].bytes();
                        self.files[at].change(&Change::Delete, self.now);
                        self.update_bytes(at, before);
                    }
                }
                Deed::Suspect { path } => self.doubt(path),
                Deed::SuspectAll => self.doubted = self.now,
                Deed::Format | Deed::Print | Deed::Show { .. } | Deed::Find { .. } => {}
            }
        }
        self.apply_formatter(command, &deeds, text);
    }

    /// Marks files that may look different after a formatter ran.
    fn apply_formatter(&mut self, command: &str, deeds: &[Deed], text: Option<&str>) {
        let announced = |line: &str| line.starts_with(['>', '$']) && shell::formats(line);
        let text = text.unwrap_or_default();
        let keys = shell::keys(command);
        let says_so = text.lines().take(40).any(announced);
        if says_so && self.formatting.len() < 256 {
            self.formatting.extend(keys.iter().filter(|key| key.contains(' ') && !key.starts_with("cd ")).cloned());
        }
        let ran = says_so || deeds.contains(&Deed::Format) || keys.iter().any(|key| self.formatting.contains(key));
        if !ran {
            return;
        }
        let is_clean = ["No fixes applied", "No files were processed", "left unchanged", "(unchanged)"]
            .iter()
            .any(|words| text.contains(words))
            && !["reformatted", "Fixed "].iter().any(|words| text.contains(words));
        for at in std::mem::take(&mut self.unformatted) {
            if !is_clean {
                self.files[at].doubted = self.now;
            }
        }
    }

    fn apply_output(&mut self, deed: &Deed, call: &ToolCall, text: &str) {
        match deed {
            Deed::Show { path, from, to } => {
                let to = to.unwrap_or(u64::MAX);
                let range = (*from > 1 || to < u64::MAX).then_some((*from, to));
                let call = ToolCall { range, ..call.clone() };
                let is_missing = text.lines().count() <= MAX_FAILURE_LINES && text.contains("No such file");
                if !is_missing && text != NO_OUTPUT {
                    self.show(path, &call, text);
                }
            }
            Deed::Find { path } => self.show_found_lines(text, path.as_deref()),
            _ => {}
        }
    }

    /// Adds numbered lines that a search printed, of known files or of the one that was searched.
    fn show_found_lines(&mut self, text: &str, one: Option<&str>) {
        let mut by_file: Vec<(usize, Vec<(u64, String)>)> = Vec::new();
        for (path, number, line) in found_lines(text) {
            let Some(path) = path.or(one) else { continue };
            let path = path::under(self.root.as_deref(), path::normal(path));
            // A search names many files; files that were never opened are not part of the work.
            let Some(&at) = self.file_at.get(&path) else { continue };
            match by_file.iter_mut().find(|(other, _)| *other == at) {
                Some((_, lines)) if lines.last().is_some_and(|(last, _)| *last >= number) => {}
                Some((_, lines)) => lines.push((number, line.to_string())),
                None => by_file.push((at, vec![(number, line.to_string())])),
            }
        }
        for (at, lines) in by_file {
            self.show_lines(at, &lines, None);
        }
    }
}

/// Returns the lines of a search: `12:text`, `12-text`, `path:12:text`.
fn found_lines(text: &str) -> impl Iterator<Item = (Option<&str>, u64, &str)> {
    text.lines().filter_map(|line| {
        let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
        let count = digits(line);
        if count > 0 {
            let text = line[count..].strip_prefix([':', '-'])?;
            return Some((None, line[..count].parse().ok()?, text));
        }
        let (path, rest) = line.split_once(':')?;
        let count = digits(rest);
        if count == 0 || path.is_empty() || path.contains(' ') {
            return None;
        }
        Some((Some(path), rest[..count].parse().ok()?, rest[count..].strip_prefix(':')?))
    })
}

/// Returns the number at the start of a line, and the rest of the line.
fn number_of(line: &str, dialects: Dialects) -> Option<(u64, &str)> {
    results(Says::Number, dialects).find_map(|pattern| match pattern.read(line) {
        Some(Said { number: Some(number), rest, .. }) => Some((number, rest)),
        _ => None,
    })
}

/// Returns the numbered lines of a file in the result of an edit.
fn numbered_lines(text: &str, dialects: Dialects) -> Vec<(u64, String)> {
    let mut out: Vec<(u64, String)> = Vec::new();
    for line in text.lines() {
        match number_of(line, dialects) {
            Some((number, rest)) if out.last().is_none_or(|(last, _)| last + 1 == number) => {
                out.push((number, rest.to_string()));
            }
            _ if out.is_empty() => {}
            _ => break,
        }
    }
    out
}

/// Collects the strings in a value.
fn strings_in(value: &Value, depth: usize, out: &mut Vec<String>) {
    match value {
        Value::String(text) => out.push(text.clone()),
        Value::Number(number) => out.push(number.to_string()),
        Value::Array(items) if depth < 8 => items.iter().for_each(|item| strings_in(item, depth + 1, out)),
        Value::Object(fields) if depth < 8 => fields.values().for_each(|item| strings_in(item, depth + 1, out)),
        _ => {}
    }
}

//! The tool map: what a tool call does, according to its name and arguments.
//!
//! The host's own rules take precedence ([`ToolRule`]), then the tables of known agents ([`super::dialects`]). For
//! tools that no table names, the words in the name and the arguments decide. Start reading at [`ToolMap::read`].

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::change::{Change, FileChange, of_patch, patched};
use super::dialects::{self, Dialect, Dialects, Role, Row, usual};
use super::path::normal;

/// What a tool does. Decides what its calls contribute: files read and changed, commands, the plan, decisions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolKind {
    Read,
    /// Creates a file or replaces all of it.
    Write,
    /// Changes a part of a file.
    Edit,
    Delete,
    Search,
    Shell,
    /// Todo lists and plans: each call replaces the state.
    Todo,
    /// Asks the user a question.
    Ask,
    Web,
    /// Starts a sub-agent.
    Delegate,
    Other,
}

/// A tool of the host: its purpose, and the names of its arguments. Without names, the usual ones apply.
///
/// ```
/// use espalier::message::tool_map::{ToolKind, ToolMap, ToolRule};
/// let rule: ToolRule = serde_json::from_str(r#"{"name":"patch_cell","kind":"edit","path":["notebook"]}"#).unwrap();
/// let map = ToolMap::new(vec![rule]);
/// let call = map.read("patch_cell", r#"{"notebook":"a.ipynb","cell":3}"#);
/// assert_eq!((call.kind, call.paths[0].as_str()), (ToolKind::Edit, "a.ipynb"));
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolRule {
    pub name: String,
    pub kind: ToolKind,
    /// Arguments with paths.
    #[serde(default)]
    pub path: Vec<String>,
    /// Arguments with command lines.
    #[serde(default)]
    pub command: Vec<String>,
    /// Arguments with text that is written to a file.
    #[serde(default)]
    pub content: Vec<String>,
    /// False if a call changes the world outside the files, true if it does not, like MCP's `readOnlyHint`. If it is
    /// absent, the name decides.
    #[serde(default)]
    pub read_only: Option<bool>,
}

/// A parsed call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    pub kind: ToolKind,
    /// Paths with forward slashes, in the order of the arguments.
    pub paths: Vec<String>,
    /// First and last line of a partial read, if the call contains them.
    pub range: Option<(u64, u64)>,
    /// Command lines.
    pub commands: Vec<String>,
    /// The working directory of the commands, if the call contains it.
    pub cwd: Option<String>,
    /// Text that is written to files.
    pub content: String,
    /// Items of a todo list or plan.
    pub items: Vec<(Mark, String)>,
    /// The question to the user or the task of a sub-agent.
    pub question: Option<String>,
    /// Files that a patch adds, changes and deletes: kind and path.
    pub patched: Vec<(ToolKind, String)>,
    /// Agents that have such a call; its result has their form.
    pub dialects: Dialects,
}

/// The state of a todo item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Mark {
    Open,
    Started,
    Done,
}

impl Mark {
    /// Returns the mark in the spelling of check lists.
    pub fn as_str(self) -> &'static str {
        match self {
            Mark::Open => "[ ]",
            Mark::Started => "[~]",
            Mark::Done => "[x]",
        }
    }

    /// Reads an item of a check list: `- [x] what`.
    pub fn of_line(line: &str) -> Option<(Mark, &str)> {
        let line = line.trim_start();
        let line = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line).trim_start();
        let rest = line.strip_prefix('[')?;
        let mut chars = rest.chars();
        let mark = match chars.next()? {
            ' ' => Mark::Open,
            '~' | '-' | '>' => Mark::Started,
            'x' | 'X' | '✓' => Mark::Done,
            _ => return None,
        };
        let what = chars.as_str().strip_prefix("] ")?.trim();
        (!what.is_empty()).then_some((mark, what))
    }
}

/// See the module. The default map has the tables of all agents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolMap {
    rules: Vec<ToolRule>,
    dialect: Option<Dialect>,
}

impl ToolMap {
    /// Creates a map with the tables of all agents and the host's rules, which take precedence.
    pub fn new(rules: Vec<ToolRule>) -> ToolMap {
        ToolMap { rules, dialect: None }
    }

    /// Restricts the map to the table of one agent, if `dialect` is given.
    pub fn with_dialect(mut self, dialect: Option<Dialect>) -> ToolMap {
        self.dialect = dialect;
        self
    }

    /// Parses a call of `name` with these arguments (JSON text).
    ///
    /// ```
    /// use espalier::message::tool_map::{ToolKind, ToolMap};
    /// let map = ToolMap::default();
    /// assert_eq!(map.read("bash", r#"{"command":"cargo test"}"#).commands, ["cargo test"]);
    /// assert_eq!(map.read("str_replace_editor", r#"{"command":"view","path":"a.py"}"#).kind, ToolKind::Read);
    /// assert_eq!(map.read("get_weather", r#"{"city":"Oslo"}"#).kind, ToolKind::Other);
    /// ```
    pub fn read(&self, name: &str, arguments: &str) -> ToolCall {
        let fields = fields_of(arguments).unwrap_or_default();
        let rule = self.rules.iter().find(|rule| rule.name == name);
        let found = if rule.is_some() { None } else { self.find(name, &fields) };
        let args = Arguments { fields: &fields, rule, row: found.map(|found| found.row) };
        let mut call = ToolCall {
            kind: ToolKind::Other,
            paths: args.paths(),
            range: None,
            commands: args.all(Role::Command, commands),
            cwd: None,
            content: String::new(),
            items: vec![],
            question: None,
            patched: args.patched(),
            dialects: match (self.dialect, found) {
                (Some(dialect), _) => dialect.alone(),
                (None, Some(found)) => found.dialects,
                (None, None) => Dialects::ALL,
            },
        };
        call.kind = match (rule, found.filter(|found| found.is_agreed)) {
            (Some(rule), _) => rule.kind,
            (None, Some(found)) => found.row.kind,
            (None, None) => kind(name, &fields, &call),
        };
        if let (ToolKind::Shell, [line]) = (call.kind, call.commands.as_slice())
            && let Some(patch) = patch_command(line)
        {
            (call.kind, call.patched, call.content) = (ToolKind::Edit, patched(patch), patch.to_string());
            call.commands.clear();
            return call;
        }
        match call.kind {
            ToolKind::Edit | ToolKind::Write => call.content = args.content(),
            ToolKind::Shell => {
                call.cwd = args.one(Role::Cwd).and_then(Value::as_str).map(normal);
                call.paths.clear();
            }
            ToolKind::Todo => call.items = args.one(Role::Items).map(items).unwrap_or_default(),
            ToolKind::Ask | ToolKind::Delegate => call.question = args.one(Role::Ask).and_then(question_in),
            ToolKind::Read => call.range = args.range(),
            _ => {}
        }
        if call.kind != ToolKind::Shell {
            call.commands.clear();
        }
        call
    }

    /// Reads the steps of a call that [`ToolMap::read`] classified as a write or an edit. Empty if its arguments
    /// contain none.
    ///
    /// ```
    /// use espalier::message::change::Change;
    /// use espalier::message::tool_map::ToolMap;
    /// let steps = ToolMap::default().changes("Edit", r#"{"file_path":"a.rs","old_string":"1","new_string":"2"}"#);
    /// assert_eq!(steps[0].change, Change::Replace { old: "1".into(), new: "2".into(), all: false });
    /// ```
    pub fn changes(&self, name: &str, arguments: &str) -> Vec<FileChange> {
        let Some(fields) = fields_of(arguments) else { return vec![] };
        let rule = self.rules.iter().find(|rule| rule.name == name);
        let row = if rule.is_some() { None } else { self.find(name, &fields).map(|found| found.row) };
        Arguments { fields: &fields, rule, row }.changes()
    }

    /// Returns the row of a tool, by its name, or by its name without the prefix of an MCP server.
    fn find(&self, name: &str, fields: &Map<String, Value>) -> Option<dialects::Found> {
        dialects::find(name, fields, self.dialect).or_else(|| {
            let (_, tool) = name.rsplit_once("__")?;
            dialects::find(tool, fields, self.dialect).filter(|found| found.has_arguments)
        })
    }
}

/// The arguments of a call and their possible names.
struct Arguments<'a> {
    fields: &'a Map<String, Value>,
    rule: Option<&'a ToolRule>,
    row: Option<&'static Row>,
}

impl<'a> Arguments<'a> {
    /// Returns the arguments with this role: by the names in the host's rule, else those of the table, else the usual
    /// ones.
    fn values(&self, role: Role) -> Vec<&'a Value> {
        let own = self.rule.and_then(|rule| match role {
            Role::Path => Some(&rule.path),
            Role::Command => Some(&rule.command),
            Role::Content => Some(&rule.content),
            _ => None,
        });
        if let Some(own) = own.filter(|own| !own.is_empty()) {
            return own.iter().filter_map(|name| self.fields.get(name)).collect();
        }
        let there = |name: &'static str| self.fields.get(name).filter(|value| !value.is_null());
        let listed: Vec<&Value> = self.row.into_iter().flat_map(|row| row.arguments(role)).filter_map(there).collect();
        if listed.is_empty() { usual().arguments(role).filter_map(there).collect() } else { listed }
    }

    fn one(&self, role: Role) -> Option<&'a Value> {
        self.values(role).into_iter().next()
    }

    fn all(&self, role: Role, read: fn(&Value) -> Vec<String>) -> Vec<String> {
        self.values(role).into_iter().flat_map(read).collect()
    }

    fn is_listed(&self, role: Role) -> bool {
        self.row.is_some_and(|row| row.arguments(role).any(|name| self.fields.contains_key(name)))
    }

    fn paths(&self) -> Vec<String> {
        let is_named = self.rule.is_some_and(|rule| !rule.path.is_empty()) || self.is_listed(Role::Path);
        let values = self.values(Role::Path);
        let mut out: Vec<String> = Vec::new();
        for value in values {
            let mut found = Vec::new();
            paths_in(value, 0, &mut found);
            for path in found.iter().map(|path| normal(path)).filter(|path| !path.is_empty()) {
                if !out.contains(&path) {
                    out.push(path);
                }
            }
            // Only one of the usual names is the path.
            if !is_named && !out.is_empty() {
                break;
            }
        }
        out
    }

    /// Returns the files of a patch; for a move, both paths.
    fn patched(&self) -> Vec<(ToolKind, String)> {
        let texts = self.values(Role::Patch).into_iter().filter_map(Value::as_str);
        let files = texts.map(patched).find(|files| !files.is_empty());
        let moved = || {
            let from = self.row?.arguments(Role::Source).find_map(|name| self.fields.get(name))?.as_str()?;
            let to = self.paths().into_iter().map(|path| (ToolKind::Write, path));
            Some(std::iter::once((ToolKind::Delete, normal(from))).chain(to).collect())
        };
        files.or_else(moved).unwrap_or_default()
    }

    /// Returns text that is written to files.
    fn content(&self) -> String {
        if self.rule.is_some_and(|rule| !rule.content.is_empty()) {
            return self.all(Role::Content, texts).join("\n");
        }
        let mut out: Vec<&str> = Vec::new();
        let is_listed =
            [Role::Content, Role::New, Role::Edits, Role::Patch].into_iter().any(|role| self.is_listed(role));
        if is_listed {
            let listed = |role| self.row.into_iter().flat_map(move |row| row.arguments(role));
            let names = listed(Role::Content).chain(listed(Role::New)).chain(listed(Role::Patch));
            out.extend(names.filter_map(|name| self.fields.get(name).and_then(Value::as_str)));
        } else {
            for role in [Role::New, Role::Patch] {
                out.extend(self.values(role).into_iter().filter_map(Value::as_str));
            }
        }
        for edit in self.values(Role::Edits).into_iter().filter_map(Value::as_array).flatten() {
            out.extend(usual().arguments(Role::New).filter_map(|name| edit.get(name).and_then(Value::as_str)));
        }
        out.join("\n")
    }

    fn text(&self, role: Role) -> Option<&'a str> {
        // Lists are edits at several places; their argument has the same name as a text.
        self.values(role).into_iter().find_map(Value::as_str)
    }

    /// Returns the changes of the call. A patch takes precedence, then replacements, then insertions.
    fn changes(&self) -> Vec<FileChange> {
        let own = |change| vec![FileChange { path: None, change }];
        let line = self.text(Role::Command).filter(|line| line.contains("apply_patch")).and_then(patch_command);
        let patch = self.text(Role::Patch).or(line).map(of_patch).unwrap_or_default();
        if !patch.is_empty() {
            return patch;
        }
        let edits: Vec<FileChange> =
            self.values(Role::Edits).into_iter().filter_map(Value::as_array).flatten().filter_map(read_edit).collect();
        if !edits.is_empty() {
            return edits;
        }
        let new = self.text(Role::New).map(str::to_string);
        let number = |role| self.row?.arguments(role).find_map(|name| whole_number(self.fields.get(name)?));
        if let Some(after) = number(Role::Line) {
            return own(Change::Insert { after: Some(after), text: new.unwrap_or_default() });
        }
        if let Some(before) = number(Role::Before) {
            return own(Change::Insert { after: before.checked_sub(1), text: new.unwrap_or_default() });
        }
        if let Some(from) = self.row.and_then(|row| row.arguments(Role::Source).find_map(|name| self.fields.get(name)))
        {
            return own(Change::MovedFrom { path: normal(from.as_str().unwrap_or_default()) });
        }
        if let Some(text) = self.row.and_then(|row| row.arguments(Role::Content).find_map(|name| self.fields.get(name)))
        {
            return own(Change::Write { text: text.as_str().unwrap_or_default().to_string() });
        }
        let all = self.values(Role::All).into_iter().any(is_yes);
        if let Some(old) = self.text(Role::Old).filter(|old| !old.is_empty()) {
            return own(Change::Replace { old: old.to_string(), new: new.unwrap_or_default(), all });
        }
        let kind = self.rule.map(|rule| rule.kind).or(self.row.map(|row| row.kind));
        match (kind, number(Role::From), number(Role::To), new.or_else(|| self.text(Role::Content).map(str::to_string)))
        {
            (Some(ToolKind::Edit), Some(from), Some(to), Some(text)) => own(Change::Lines { from, to, text }),
            // Without a line and without a text to search for, the text goes to the end, or where a model puts it.
            (Some(ToolKind::Edit), None, None, Some(text)) => {
                own(match self.is_listed(Role::Line) || self.names(Role::Line) {
                    true => Change::Insert { after: None, text },
                    false => Change::Somewhere { text },
                })
            }
            (Some(ToolKind::Edit), _, _, Some(text)) => own(Change::Somewhere { text }),
            (_, _, _, Some(text)) => own(Change::Write { text }),
            (_, _, _, None) => vec![],
        }
    }

    fn names(&self, role: Role) -> bool {
        self.row.is_some_and(|row| row.arguments(role).next().is_some())
    }

    /// Returns first and last line.
    fn range(&self) -> Option<(u64, u64)> {
        if let Some(range) = self.one(Role::Range).and_then(line_range) {
            return Some(range);
        }
        let number = |role| self.values(role).into_iter().find_map(whole_number);
        let zero =
            self.row.and_then(|row| row.arguments(Role::Zero).find_map(|name| whole_number(self.fields.get(name)?)));
        let last = number(Role::To).map(|to| to.saturating_add(u64::from(zero.is_some())));
        // A line 0 shows that the tool counts from 0.
        let zero = zero.or_else(|| number(Role::From).filter(|from| *from == 0 && last.is_none()));
        let from = zero.map(|from| from.saturating_add(1)).or_else(|| number(Role::From));
        match (from, last, number(Role::Count)) {
            (None, None, None) => None,
            (from, Some(last), _) => Some((from.unwrap_or(1), last)),
            (from, None, Some(count)) => {
                let from = from.unwrap_or(1);
                Some((from, from.saturating_add(count).saturating_sub(1)))
            }
            (Some(from), None, None) => Some((from, u64::MAX)),
        }
    }
}

/// True for tools whose results stay valid, however old they are: todo lists and plans, answers of the user, memory,
/// skills.
pub fn holds_state(name: &str, kind: ToolKind) -> bool {
    let lower = name.to_ascii_lowercase();
    matches!(kind, ToolKind::Todo | ToolKind::Ask) || usual().state.iter().any(|word| lower.contains(word))
}

/// Returns the kind of a tool that no table names.
fn kind(name: &str, fields: &Map<String, Value>, call: &ToolCall) -> ToolKind {
    // Editors with sub-commands have the verb in the argument in which shells have the command line.
    let has_path = !call.paths.is_empty();
    if has_path && let Some(verb) = fields.get("command").and_then(Value::as_str) {
        let found = usual().verbs.iter().find(|(_, verbs)| verbs.contains(&verb));
        if let Some((kind, _)) = found {
            return *kind;
        }
    }
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let has = |word: &&str| {
        // Short words must match whole: `ls` is in `false`, `ask` in `task`.
        if word.len() <= 4 { words.contains(word) || lower == *word } else { lower.contains(*word) }
    };
    // Names in camel case have no separators, so the word must be at the start.
    let is_named = |names: &[&str]| names.iter().any(|n| has(n) || n.len() >= 4 && lower.starts_with(n));
    let by_name = usual().words.iter().find(|(_, names)| is_named(names)).map_or(ToolKind::Other, |(kind, _)| *kind);
    let any = |role| usual().arguments(role).any(|name| fields.contains_key(name));
    let old = any(Role::Old);
    match by_name {
        ToolKind::Shell | ToolKind::Other if !call.commands.is_empty() && !has_path => ToolKind::Shell,
        ToolKind::Shell if !call.commands.is_empty() => ToolKind::Shell,
        _ if !call.patched.is_empty() => ToolKind::Edit,
        // A call of an editor with a whole text and no text to replace creates the file.
        ToolKind::Edit if has_path && !old && lower.contains("editor") => ToolKind::Write,
        ToolKind::Other | ToolKind::Shell if has_path && old => ToolKind::Edit,
        ToolKind::Other | ToolKind::Shell if has_path && any(Role::New) => ToolKind::Write,
        ToolKind::Other if has_path => ToolKind::Read,
        ToolKind::Shell => ToolKind::Other,
        kind => kind,
    }
}

/// Returns the patch that a command line applies, if it does nothing else.
fn patch_command(line: &str) -> Option<&str> {
    let begin = line.find("*** Begin Patch")?;
    let (head, patch) = line.split_at(begin);
    let end = patch.find("*** End Patch").map_or(patch.len(), |at| at + "*** End Patch".len());
    let rest = patch[end..].trim_matches(|c: char| c.is_whitespace() || matches!(c, '\'' | '"' | ')'));
    let is_apply = head.contains("apply_patch") || head.contains("applypatch");
    (is_apply && rest.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some(&patch[..end])
}

fn is_yes(value: &Value) -> bool {
    value.as_bool().unwrap_or_else(|| value.as_str() == Some("true"))
}

/// Reads one of several edits of a call.
fn read_edit(edit: &Value) -> Option<FileChange> {
    let text = |role| usual().arguments(role).find_map(|name| edit.get(name).and_then(Value::as_str));
    let (old, new) = (text(Role::Old)?, text(Role::New)?);
    let all = usual().arguments(Role::All).filter_map(|name| edit.get(name)).any(is_yes);
    let path = text(Role::Path).map(normal).filter(|path| !path.is_empty());
    Some(FileChange { path, change: Change::Replace { old: old.to_string(), new: new.to_string(), all } })
}

/// Returns the first question of a list, or the text.
fn question_in(value: &Value) -> Option<String> {
    let value = value.as_array().map_or(Some(value), |list| list.first())?;
    value.get("question").unwrap_or(value).as_str().map(str::to_string)
}

/// Reads a number of lines, which calls within texts contain as text.
fn whole_number(value: &Value) -> Option<u64> {
    let text = || value.as_str().and_then(|text| text.trim().parse().ok());
    value.as_u64().or_else(text).or_else(|| value.as_f64().filter(|number| *number >= 0.0).map(|number| number as u64))
}

/// Reads `[3, 9]`, `[[3, 9]]` or `"3-9"`; a negative end means the end of the file.
fn line_range(value: &Value) -> Option<(u64, u64)> {
    match value {
        Value::String(text) => {
            let (from, to) = text.split_once('-')?;
            Some((from.trim().parse().ok()?, to.trim().parse().unwrap_or(u64::MAX)))
        }
        Value::Array(list) => match list.as_slice() {
            [from, to] => Some((whole_number(from)?, whole_number(to).unwrap_or(u64::MAX))),
            [one] => line_range(one),
            _ => None,
        },
        _ => None,
    }
}

/// Collects the paths in an argument: a text, texts, or objects that contain one.
fn paths_in(value: &Value, depth: usize, out: &mut Vec<String>) {
    match value {
        Value::String(path) => out.push(path.clone()),
        Value::Array(list) if depth < 4 => list.iter().for_each(|item| paths_in(item, depth + 1, out)),
        Value::Object(fields) if depth < 4 => {
            let own = usual().arguments(Role::Path).find_map(|name| fields.get(name));
            own.into_iter().for_each(|path| paths_in(path, depth + 1, out));
        }
        _ => {}
    }
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().filter_map(Value::as_str).map(str::to_string).collect(),
        _ => vec![],
    }
}

fn commands(value: &Value) -> Vec<String> {
    match value {
        Value::String(line) if !line.trim().is_empty() => vec![line.clone()],
        // Some shells take a list of command lines, others one command as a list of words. Command lines contain
        // blanks.
        Value::Array(list) if !list.is_empty() && list.iter().all(Value::is_string) => {
            let words: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            match words.as_slice() {
                [shell, flag, line] if shell.ends_with("sh") && flag.starts_with('-') => vec![line.to_string()],
                [first, ..] if first.contains(' ') => words.iter().map(|w| w.to_string()).collect(),
                _ => vec![words.join(" ")],
            }
        }
        _ => vec![],
    }
}

/// Returns the items of a todo list or plan: a list, or a text with check boxes.
fn items(list: &Value) -> Vec<(Mark, String)> {
    let of_text = |text: &str| {
        let line = |line: &str| match Mark::of_line(line) {
            Some((mark, what)) => Some((mark, what.to_string())),
            None => Some(line.trim()).filter(|line| !line.is_empty()).map(|line| (Mark::Open, line.to_string())),
        };
        text.lines().filter_map(line).collect()
    };
    match list {
        Value::Array(items) => items
            .iter()
            .filter_map(|item| {
                let get = |keys: &[&str]| keys.iter().find_map(|key| item.get(*key).and_then(Value::as_str));
                let what = get(&usual().item).or(item.as_str())?;
                let mark = match get(&["status", "state"]) {
                    Some(state) if usual().done.contains(&state) => Mark::Done,
                    Some(state) if usual().started.contains(&state) => Mark::Started,
                    _ => Mark::Open,
                };
                Some((mark, what.to_string())).filter(|(_, what)| !what.trim().is_empty())
            })
            .collect(),
        Value::String(text) => of_text(text),
        _ => vec![],
    }
}

/// Returns the arguments of a call. A text is free input, such as a patch: the field `input`.
fn fields_of(arguments: &str) -> Option<Map<String, Value>> {
    match serde_json::from_str(arguments) {
        Ok(Value::Object(fields)) => Some(fields),
        Ok(text @ Value::String(_)) => {
            let mut fields = Map::new();
            fields.insert("input".to_string(), text);
            Some(fields)
        }
        _ => None,
    }
}

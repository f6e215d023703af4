//! The tool map: what a tool call does, told from its name and its arguments.
//!
//! Names come first (the common ones of Copilot, Claude Code, gemini-cli, Cline, OpenHands, SWE-agent, codex, pi); unknown tools
//! are classified by the arguments they carry. A host adds its own tools as data, see [`ToolRule`].

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::path::normal;

/// What a tool is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ToolKind {
    Read,
    /// Makes a file or replaces all of it.
    Write,
    /// Changes a part of a file.
    Edit,
    Delete,
    Search,
    Shell,
    /// Todo lists and plans: each call replaces the state.
    Todo,
    /// Asks the user.
    Ask,
    Web,
    Other,
}

/// A tool of the host's: what it is for, and under which names its arguments are found. Names of arguments that are not given
/// are the usual ones.
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
    /// Arguments that hold paths.
    #[serde(default)]
    pub path: Vec<String>,
    /// Arguments that hold command lines.
    #[serde(default)]
    pub command: Vec<String>,
    /// Arguments that hold text that goes into a file.
    #[serde(default)]
    pub content: Vec<String>,
}

/// A call as it was understood.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolCall {
    pub kind: ToolKind,
    /// Paths, forward slashes, in the order of the arguments.
    pub paths: Vec<String>,
    /// First and last line of a partial read, where the call tells.
    pub range: Option<(u64, u64)>,
    /// Command lines.
    pub commands: Vec<String>,
    /// Where the commands run, where the call tells.
    pub cwd: Option<String>,
    /// Text that goes into files.
    pub content: String,
    /// Items of a todo list or plan.
    pub items: Vec<(Mark, String)>,
    /// What the user was asked.
    pub question: Option<String>,
    /// Files that a patch adds, changes and deletes: kind and path.
    pub patched: Vec<(ToolKind, String)>,
}

/// How far a todo item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Mark {
    Open,
    Started,
    Done,
}

impl Mark {
    /// As check lists write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Mark::Open => "[ ]",
            Mark::Started => "[~]",
            Mark::Done => "[x]",
        }
    }

    /// Reads a check list item: `- [x] what`.
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

const PATH_KEYS: [&str; 14] = [
    "path",
    "file_path",
    "filePath",
    "filepath",
    "file",
    "filename",
    "fileName",
    "file_name",
    "target_file",
    "absolute_path",
    "notebook_path",
    "notebookPath",
    "relative_workspace_path",
    "uri",
];
const PATH_LISTS: [&str; 4] = ["paths", "files", "file_paths", "filePaths"];
const COMMAND_KEYS: [&str; 6] = ["command", "cmd", "script", "commandLine", "command_line", "commands"];
const OLD_KEYS: [&str; 8] =
    ["old_str", "old_string", "oldString", "oldText", "old_text", "search", "insert_line", "edits"];
const NEW_KEYS: [&str; 13] = [
    "new_str",
    "new_string",
    "newString",
    "newText",
    "new_text",
    "replace",
    "replacement",
    "content",
    "contents",
    "file_text",
    "text",
    "diff",
    "code",
];
const PATCH_KEYS: [&str; 3] = ["patch", "input", "diff"];

/// Built-in names, and words in names. The first line that matches wins.
const BUILT_IN: [(ToolKind, &[&str]); 10] = [
    (ToolKind::Todo, &["todo", "update_plan", "write_plan", "plan_update", "task_list"]),
    (ToolKind::Ask, &["ask", "question", "followup", "elicit", "confirm"]),
    (ToolKind::Delete, &["delete", "remove_file", "unlink"]),
    (ToolKind::Shell, &["bash", "shell", "terminal", "exec", "run_command", "run_in", "powershell", "cmd"]),
    (ToolKind::Web, &["web", "fetch", "browser", "http", "url"]),
    (ToolKind::Edit, &["edit", "multiedit", "notebookedit", "replace", "patch", "insert", "apply_diff"]),
    (ToolKind::Write, &["write", "create"]),
    (ToolKind::Search, &["search", "grep", "glob", "find", "list", "ls", "tree", "codebase"]),
    (ToolKind::Read, &["read", "view", "open", "cat", "show"]),
    (ToolKind::Other, &[]),
];

/// See the module. The default map holds the built-in names only.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ToolMap {
    rules: Vec<ToolRule>,
}

impl ToolMap {
    /// The built-in names and the host's rules, which go first.
    pub fn new(rules: Vec<ToolRule>) -> ToolMap {
        ToolMap { rules }
    }

    /// What a call of `name` with these arguments (JSON text) does.
    ///
    /// ```
    /// use espalier::message::tool_map::{ToolKind, ToolMap};
    /// let map = ToolMap::default();
    /// assert_eq!(map.read("bash", r#"{"command":"cargo test"}"#).commands, ["cargo test"]);
    /// assert_eq!(map.read("str_replace_editor", r#"{"command":"view","path":"a.py"}"#).kind, ToolKind::Read);
    /// assert_eq!(map.read("get_weather", r#"{"city":"Oslo"}"#).kind, ToolKind::Other);
    /// ```
    pub fn read(&self, name: &str, arguments: &str) -> ToolCall {
        let mut call = ToolCall {
            kind: ToolKind::Other,
            paths: vec![],
            range: None,
            commands: vec![],
            cwd: None,
            content: String::new(),
            items: vec![],
            question: None,
            patched: vec![],
        };
        let fields = match serde_json::from_str::<Value>(arguments) {
            Ok(Value::Object(fields)) => fields,
            // Tools that take free text: a patch, or nothing that could be told.
            Ok(Value::String(text)) => Map::from_iter([("input".to_string(), Value::String(text))]),
            _ => Map::new(),
        };
        let rule = self.rules.iter().find(|rule| rule.name == name);
        let own = |keys: fn(&ToolRule) -> &Vec<String>| rule.map(keys).filter(|keys| !keys.is_empty());
        call.paths = match own(|r| &r.path) {
            Some(keys) => keys.iter().filter_map(|key| fields.get(key)).flat_map(texts).collect(),
            None => paths(&fields),
        };
        call.paths = call.paths.iter().map(|path| normal(path)).filter(|path| !path.is_empty()).collect();
        call.commands = match own(|r| &r.command) {
            Some(keys) => keys.iter().filter_map(|key| fields.get(key)).flat_map(commands).collect(),
            None => COMMAND_KEYS.iter().filter_map(|key| fields.get(*key)).flat_map(commands).collect(),
        };
        call.patched = PATCH_KEYS
            .iter()
            .filter_map(|key| fields.get(*key).and_then(Value::as_str))
            .find_map(|text| Some(patched(text)).filter(|files| !files.is_empty()))
            .unwrap_or_default();
        call.kind = rule.map_or_else(|| kind(name, &fields, &call), |rule| rule.kind);
        match call.kind {
            ToolKind::Edit | ToolKind::Write => {
                call.commands.clear();
                call.content = match own(|r| &r.content) {
                    Some(keys) => {
                        keys.iter().filter_map(|key| fields.get(key)).flat_map(texts).collect::<Vec<_>>().join("\n")
                    }
                    None => content(&fields),
                };
            }
            ToolKind::Shell => {
                call.cwd = ["cwd", "workdir", "working_directory", "workingDirectory", "dir_path"]
                    .iter()
                    .find_map(|key| fields.get(*key).and_then(Value::as_str))
                    .map(normal);
                call.paths.clear();
            }
            ToolKind::Todo => call.items = items(&fields),
            ToolKind::Ask => {
                call.question = ["question", "questions", "message", "prompt", "header", "text"]
                    .iter()
                    .find_map(|key| fields.get(*key))
                    .and_then(|value| match value {
                        Value::Array(list) => list.first().and_then(|q| q.get("question")).and_then(Value::as_str),
                        other => other.as_str(),
                    })
                    .map(str::to_string);
            }
            ToolKind::Read => call.range = range(&fields),
            _ => {}
        }
        if call.kind != ToolKind::Shell {
            call.commands.clear();
        }
        call
    }
}

/// Words in the names of tools whose results are state rather than output.
const STATE: [&str; 5] = ["todo", "plan", "memory", "memories", "skill"];

/// True for tools whose results hold however old they are: todo lists and plans, answers of the user, memory, skills.
pub fn holds_state(name: &str, kind: ToolKind) -> bool {
    let lower = name.to_ascii_lowercase();
    matches!(kind, ToolKind::Todo | ToolKind::Ask) || STATE.iter().any(|word| lower.contains(word))
}

fn kind(name: &str, fields: &Map<String, Value>, call: &ToolCall) -> ToolKind {
    // Editors with sub-commands put the verb where shells put the command line.
    let has_path = !call.paths.is_empty();
    if has_path {
        match fields.get("command").and_then(Value::as_str) {
            Some("view") => return ToolKind::Read,
            Some("create") => return ToolKind::Write,
            Some("str_replace" | "insert" | "undo_edit") => return ToolKind::Edit,
            Some("delete") => return ToolKind::Delete,
            _ => {}
        }
    }
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    let has = |word: &&str| {
        // Short words only count whole: `ls` is in `false`, `ask` in `task`.
        if word.len() <= 4 { words.contains(word) || lower == *word } else { lower.contains(*word) }
    };
    // Names in camel case have no separators: the word must stand first.
    let found = BUILT_IN.iter().find(|(_, names)| names.iter().any(|n| has(n) || n.len() >= 4 && lower.starts_with(n)));
    let by_name = found.map_or(ToolKind::Other, |(kind, _)| *kind);
    let old = OLD_KEYS.iter().any(|key| fields.contains_key(*key));
    match by_name {
        ToolKind::Shell | ToolKind::Other if !call.commands.is_empty() && !has_path => ToolKind::Shell,
        ToolKind::Shell if !call.commands.is_empty() => ToolKind::Shell,
        _ if !call.patched.is_empty() => ToolKind::Edit,
        // An editor called with a whole text and nothing to replace makes the file.
        ToolKind::Edit if has_path && !old && lower.contains("editor") => ToolKind::Write,
        ToolKind::Other | ToolKind::Shell if has_path && old => ToolKind::Edit,
        ToolKind::Other | ToolKind::Shell if has_path && NEW_KEYS.iter().any(|key| fields.contains_key(*key)) => {
            ToolKind::Write
        }
        ToolKind::Other if has_path => ToolKind::Read,
        ToolKind::Shell => ToolKind::Other,
        kind => kind,
    }
}

fn texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(list) => list.iter().filter_map(Value::as_str).map(str::to_string).collect(),
        _ => vec![],
    }
}

fn paths(fields: &Map<String, Value>) -> Vec<String> {
    if let Some(path) = PATH_KEYS.iter().find_map(|key| fields.get(*key).and_then(Value::as_str)) {
        return vec![path.to_string()];
    }
    let list = PATH_LISTS.iter().find_map(|key| fields.get(*key).and_then(Value::as_array));
    let one = |item: &Value| match item {
        Value::String(path) => Some(path.clone()),
        item => PATH_KEYS.iter().find_map(|key| item.get(*key).and_then(Value::as_str)).map(str::to_string),
    };
    list.into_iter().flatten().filter_map(one).collect()
}

fn commands(value: &Value) -> Vec<String> {
    match value {
        Value::String(line) if !line.trim().is_empty() => vec![line.clone()],
        // Some shells take a list of command lines, some take one command as a list of words: lines have blanks in them.
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

fn content(fields: &Map<String, Value>) -> String {
    let mut out: Vec<&str> = NEW_KEYS.iter().filter_map(|key| fields.get(*key).and_then(Value::as_str)).collect();
    for key in PATCH_KEYS {
        out.extend(fields.get(key).and_then(Value::as_str));
    }
    for edit in fields.get("edits").and_then(Value::as_array).into_iter().flatten() {
        out.extend(NEW_KEYS.iter().filter_map(|key| edit.get(*key).and_then(Value::as_str)));
    }
    out.join("\n")
}

fn range(fields: &Map<String, Value>) -> Option<(u64, u64)> {
    let number = |keys: &[&str]| keys.iter().find_map(|key| fields.get(*key).and_then(Value::as_u64));
    if let Some([from, to]) = fields.get("view_range").and_then(Value::as_array).map(Vec::as_slice) {
        return Some((from.as_u64()?, to.as_u64().unwrap_or(u64::MAX)));
    }
    let from = number(&["startLine", "start_line", "offset", "line_start"]);
    let to = number(&["endLine", "end_line", "line_end"]);
    let many = number(&["limit", "lines"]);
    match (from, to, many) {
        (None, None, None) => None,
        (from, Some(to), _) => Some((from.unwrap_or(1), to)),
        (from, None, Some(many)) => Some((from.unwrap_or(1), from.unwrap_or(1).saturating_add(many).saturating_sub(1))),
        (Some(from), None, None) => Some((from, u64::MAX)),
    }
}

/// The files that a patch names, in the unified form or in codex's.
fn patched(patch: &str) -> Vec<(ToolKind, String)> {
    let mut out: Vec<(ToolKind, String)> = Vec::new();
    let mut old = None;
    for line in patch.lines() {
        let head = |prefix: &str| line.strip_prefix(prefix).map(|path| normal(path.split('\t').next().unwrap_or(path)));
        if let Some(path) = head("*** Update File: ") {
            out.push((ToolKind::Edit, path));
        } else if let Some(path) = head("*** Add File: ").or_else(|| head("*** Move to: ")) {
            out.push((ToolKind::Write, path));
        } else if let Some(path) = head("*** Delete File: ") {
            out.push((ToolKind::Delete, path));
        } else if let Some(path) = head("--- a/").or_else(|| head("--- ")) {
            old = Some(path);
        } else if let Some(path) = head("+++ b/").or_else(|| head("+++ ")) {
            match (old.take().as_deref(), path.as_str()) {
                (Some(old), "/dev/null") => out.push((ToolKind::Delete, old.to_string())),
                (Some("/dev/null"), _) => out.push((ToolKind::Write, path)),
                (Some(_), _) => out.push((ToolKind::Edit, path)),
                // A line of content that begins like a header.
                (None, _) => {}
            }
        }
    }
    out
}

fn items(fields: &Map<String, Value>) -> Vec<(Mark, String)> {
    let list = ["todos", "todoList", "todo_list", "plan", "items", "tasks"].iter().find_map(|key| fields.get(*key));
    let of_text = |text: &str| {
        let line = |line: &str| match Mark::of_line(line) {
            Some((mark, what)) => Some((mark, what.to_string())),
            None => Some(line.trim()).filter(|line| !line.is_empty()).map(|line| (Mark::Open, line.to_string())),
        };
        text.lines().filter_map(line).collect()
    };
    match list {
        Some(Value::Array(items)) => items
            .iter()
            .filter_map(|item| {
                let get = |keys: &[&str]| keys.iter().find_map(|key| item.get(*key).and_then(Value::as_str));
                let what = get(&["content", "title", "step", "text", "description", "task"]).or(item.as_str())?;
                let mark = match get(&["status", "state"]) {
                    Some("completed" | "complete" | "done") => Mark::Done,
                    Some("in_progress" | "in-progress" | "inProgress" | "started") => Mark::Started,
                    _ => Mark::Open,
                };
                Some((mark, what.to_string())).filter(|(_, what)| !what.trim().is_empty())
            })
            .collect(),
        Some(Value::String(text)) => of_text(text),
        _ => vec![],
    }
}

/// The exit status that a command's output tells of, if it does.
///
/// ```
/// use espalier::message::tool_map::exit_status;
/// assert_eq!(exit_status("boom\n[The command completed with exit code 101.]"), Some(101));
/// assert_eq!(exit_status("all good"), None);
/// ```
pub fn exit_status(output: &str) -> Option<i64> {
    // It stands at an end of the output: looking only there keeps long logs cheap and their contents out of it.
    let head = &output[..output.floor_char_boundary(300)];
    let tail = &output[output.ceil_char_boundary(output.len().saturating_sub(300))..];
    // What all markers have in common is looked for first.
    let says = |window: &&str| window.as_bytes().windows(4).any(|word| word.eq_ignore_ascii_case(b"exit"));
    [tail, head].into_iter().filter(says).find_map(|window| {
        let lower = window.to_ascii_lowercase();
        ["exit code", "exit status", "exit_code", "exited with code", "exitcode", "exited with"].iter().find_map(
            |marker| {
                let at = lower.rfind(marker)? + marker.len();
                let rest = lower[at..].trim_start_matches([' ', ':', '=', '"', '\'']);
                let digits: String = rest
                    .chars()
                    .enumerate()
                    .take_while(|(i, c)| c.is_ascii_digit() || *i == 0 && *c == '-')
                    .map(|(_, c)| c)
                    .collect();
                digits.parse().ok()
            },
        )
    })
}

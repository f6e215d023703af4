//! What a tool call does, told from its name and its arguments.
//!
//! Names come first (the common ones of Copilot, Claude Code, gemini-cli, Cline, OpenHands, SWE-agent, codex); unknown tools are
//! classified by the arguments they carry.

use serde_json::Value;

/// What a call did, with its subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    Read(String),
    Create(String),
    Edit(String),
    Delete(String),
    /// A command line.
    Shell(String),
    /// The state of a todo list or plan, as text.
    Plan(String),
    Other,
}

const PATH_KEYS: [&str; 12] = [
    "path",
    "file_path",
    "filePath",
    "filepath",
    "file",
    "filename",
    "fileName",
    "target_file",
    "absolute_path",
    "notebook_path",
    "relative_workspace_path",
    "uri",
];
const COMMAND_KEYS: [&str; 4] = ["command", "cmd", "script", "commandLine"];
const CONTENT_KEYS: [&str; 12] = [
    "old_str",
    "old_string",
    "oldString",
    "oldText",
    "new_str",
    "new_string",
    "newString",
    "newText",
    "edits",
    "diff",
    "replacement",
    "insert_line",
];

/// What a call of `name` with these arguments (JSON text) does.
///
/// ```
/// use espalier::compact::tool_map::{Action, action};
/// assert_eq!(action("bash", r#"{"command":"cargo test"}"#), Action::Shell("cargo test".into()));
/// assert_eq!(action("str_replace_editor", r#"{"command":"view","path":"a.py"}"#), Action::Read("a.py".into()));
/// assert_eq!(action("get_weather", r#"{"city":"Oslo"}"#), Action::Other);
/// ```
pub fn action(name: &str, arguments: &str) -> Action {
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(arguments) else { return Action::Other };
    let text = |keys: &[&str]| keys.iter().find_map(|key| fields.get(*key).and_then(text_of)).filter(|t| !t.is_empty());
    let lower = name.to_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| lower.contains(word));

    if has(&["todo", "update_plan", "write_plan"]) {
        return Action::Plan(plan_text(&fields));
    }
    let path = text(&PATH_KEYS).map(|path| normal_path(&path));
    let command = text(&COMMAND_KEYS);
    if let Some(path) = path {
        // Editors with sub-commands put the verb where shells put the command line.
        return match command.as_deref() {
            Some("view") => Action::Read(path),
            Some("create") => Action::Create(path),
            Some("str_replace" | "insert" | "undo_edit") => Action::Edit(path),
            Some(line) if has(&["bash", "shell", "exec", "terminal", "run"]) => Action::Shell(line.to_string()),
            _ if has(&["delete", "remove"]) => Action::Delete(path),
            _ if has(&["write", "create"]) => Action::Create(path),
            _ if has(&["edit", "replace", "patch", "insert", "apply"]) => Action::Edit(path),
            _ if has(&["read", "view", "open", "cat"]) => Action::Read(path),
            _ if has(&["search", "grep", "find", "glob", "list", "ls"]) => Action::Other,
            _ if CONTENT_KEYS.iter().any(|key| fields.contains_key(*key)) => Action::Edit(path),
            _ if fields.contains_key("content") => Action::Create(path),
            _ => Action::Read(path),
        };
    }
    if let Some(patch) = text(&["patch", "input", "diff"])
        && let Some(path) = patched_path(&patch)
    {
        return Action::Edit(path);
    }
    match command {
        Some(line) => Action::Shell(line),
        None => Action::Other,
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        // Some shells take the command as a list of words.
        Value::Array(words) if !words.is_empty() && words.iter().all(Value::is_string) => {
            Some(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "))
        }
        _ => None,
    }
}

/// Forward slashes, no scheme; case is kept.
fn normal_path(path: &str) -> String {
    path.trim().trim_start_matches("file://").replace('\\', "/")
}

/// The first file that a patch names, in the unified form or in codex's.
fn patched_path(patch: &str) -> Option<String> {
    let heads = ["*** Update File: ", "*** Add File: ", "*** Delete File: ", "+++ b/", "+++ "];
    patch.lines().find_map(|line| heads.iter().find_map(|head| line.strip_prefix(head))).map(normal_path)
}

/// One line for each item of a todo list or plan.
fn plan_text(fields: &serde_json::Map<String, Value>) -> String {
    let items = ["todos", "todoList", "plan", "items", "tasks"].iter().find_map(|key| fields.get(*key));
    match items {
        Some(Value::Array(items)) => {
            let lines: Vec<String> = items
                .iter()
                .map(|item| {
                    let get = |keys: &[&str]| keys.iter().find_map(|key| item.get(*key).and_then(Value::as_str));
                    let what = get(&["content", "title", "step", "text", "description", "task"]);
                    let what = what.or(item.as_str()).unwrap_or_default();
                    let state = match get(&["status", "state"]) {
                        Some("completed" | "done") => "x",
                        Some("in_progress" | "in-progress") => "~",
                        _ => " ",
                    };
                    format!("[{state}] {what}")
                })
                .collect();
            lines.join("\n")
        }
        Some(Value::String(text)) => text.clone(),
        _ => String::new(),
    }
}

/// The exit status that a command's output tells of, if it does.
///
/// ```
/// use espalier::compact::tool_map::exit_status;
/// assert_eq!(exit_status("boom\n[The command completed with exit code 101.]"), Some(101));
/// assert_eq!(exit_status("all good"), None);
/// ```
pub fn exit_status(output: &str) -> Option<i64> {
    // It stands at an end of the output: looking only there keeps long logs cheap and their contents out of it.
    let head = &output[..output.floor_char_boundary(300)];
    let tail = &output[output.ceil_char_boundary(output.len().saturating_sub(300))..];
    [tail, head].into_iter().find_map(|window| {
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

//! Calls that change the world outside the files: bookings, messages, commits, deployments. An agent must not repeat
//! them.
//!
//! A tool changes the world if the host says so, or if the first verb in its name does ([`changes_world`]); a command
//! line if its program and sub-command do ([`commands`]). Writes and edits of files have a block of their own.

use serde_json::Value;

use super::command::{body, is_prompt};
use super::ended::{NO_OUTPUT, own_lines};
use super::same::is_id;
use super::shell::is_path;
use super::simple::{Simple, simple_commands};
use super::text::one_line;

/// A call that changes the world, with its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// Id of the call's message.
    pub id: String,
    /// The tool with its arguments, or the command line.
    pub what: String,
    /// The same with only the arguments that distinguish it from other calls.
    pub short: String,
    pub state: State,
    /// What the result says.
    pub outcome: String,
    /// Index of the message.
    pub at: usize,
}

/// How it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    Done,
    Failed,
    /// No result was recorded.
    Unknown,
}

impl State {
    fn as_str(self) -> &'static str {
        match self {
            State::Done => "done",
            State::Failed => "failed",
            State::Unknown => "no result",
        }
    }
}

/// Maximum bytes of each form.
const WHAT_BYTES: usize = 400;
const SHORT_BYTES: usize = 90;
const VALUE_BYTES: usize = 80;
const OUTCOME_BYTES: usize = 160;
/// Maximum bytes of a result that is parsed as JSON.
const JSON_BYTES: usize = 100_000;
/// Maximum bytes of a record's line that is read as an action.
const MAX_LINE_BYTES: usize = 4_000;

/// Verbs of calls that read or compute.
const READS: [&str; 41] = [
    "get",
    "list",
    "search",
    "find",
    "read",
    "fetch",
    "view",
    "show",
    "check",
    "query",
    "lookup",
    "look",
    "describe",
    "count",
    "validate",
    "verify",
    "estimate",
    "preview",
    "load",
    "browse",
    "ask",
    "wait",
    "inspect",
    "analyze",
    "analyse",
    "summarize",
    "explain",
    "help",
    "calculate",
    "compute",
    "think",
    "retrieve",
    "compare",
    "test",
    "ping",
    "watch",
    "explore",
    "scan",
    "resolve",
    "render",
    "diff",
];
/// Verbs of calls that change something.
const CHANGES: [&str; 84] = [
    "book",
    "cancel",
    "send",
    "deploy",
    "commit",
    "push",
    "pay",
    "refund",
    "update",
    "modify",
    "exchange",
    "delete",
    "write",
    "create",
    "add",
    "remove",
    "set",
    "insert",
    "edit",
    "post",
    "publish",
    "submit",
    "transfer",
    "return",
    "reply",
    "schedule",
    "reschedule",
    "merge",
    "close",
    "reopen",
    "approve",
    "reject",
    "assign",
    "unassign",
    "move",
    "rename",
    "upload",
    "invite",
    "order",
    "buy",
    "purchase",
    "reserve",
    "subscribe",
    "unsubscribe",
    "enable",
    "disable",
    "start",
    "stop",
    "restart",
    "kill",
    "terminate",
    "grant",
    "revoke",
    "archive",
    "restore",
    "charge",
    "apply",
    "rollback",
    "release",
    "change",
    "clear",
    "drop",
    "put",
    "patch",
    "mark",
    "complete",
    "save",
    "replace",
    "lock",
    "unlock",
    "activate",
    "deactivate",
    "confirm",
    "adjust",
    "redeem",
    "install",
    "uninstall",
    "ship",
    "withdraw",
    "deposit",
    "notify",
    "destroy",
    "share",
    "register",
];

/// Nouns at the end of a name that make it a question.
const THINGS: [&str; 9] = ["status", "details", "history", "info", "stats", "check", "lookup", "search", "list"];

/// Returns the commands of a line as written. Quotes are ignored: a cut inside a quotation only shortens the text.
fn pieces(line: &str) -> impl Iterator<Item = &str> {
    line.split("&&").flat_map(|part| part.split([';', '|', '\n'])).map(str::trim).filter(|piece| !piece.is_empty())
}

/// True if the name of a tool says that it changes something: the first verb among its words decides.
///
/// ```
/// use espalier::compact::ledger::action::changes_world;
/// assert!(changes_world("book_reservation") && changes_world("mcp__github__createIssue"));
/// assert!(!changes_world("get_order_status") && !changes_world("think") && !changes_world("search_rooms"));
/// ```
pub fn changes_world(name: &str) -> bool {
    let tool = name.rsplit("__").next().unwrap_or(name);
    let all = words(tool);
    // `order_status` is a noun.
    if all.len() > 1 && all.last().is_some_and(|last| THINGS.contains(&last.as_str())) {
        return false;
    }
    let verb = all.iter().find(|word| READS.contains(&word.as_str()) || CHANGES.contains(&word.as_str()));
    verb.is_some_and(|verb| CHANGES.contains(&verb.as_str()))
}

/// True if a name begins with a verb that changes something. For tools that seem to read because they take a path.
pub fn begins_with_change(name: &str) -> bool {
    let tool = name.rsplit("__").next().unwrap_or(name);
    words(tool).first().is_some_and(|word| CHANGES.contains(&word.as_str()))
}

/// Returns the words of a name: `createIssue`, `create-issue` and `create_issue` have two.
fn words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = vec![String::new()];
    let mut was_lower = false;
    for c in name.chars().take(200) {
        if !c.is_alphanumeric() || c.is_uppercase() && was_lower {
            out.push(String::new());
        }
        was_lower = c.is_lowercase();
        if let Some(word) = out.last_mut().filter(|_| c.is_alphanumeric()) {
            word.extend(c.to_lowercase());
        }
    }
    out
}

/// Sub-commands that change what others see, for programs with many sub-commands.
const VERBS: [&str; 35] = [
    "publish",
    "deploy",
    "push",
    "apply",
    "release",
    "upload",
    "destroy",
    "migrate",
    "rollback",
    "delete",
    "create",
    "merge",
    "close",
    "reopen",
    "comment",
    "edit",
    "scale",
    "rollout",
    "drain",
    "cordon",
    "patch",
    "replace",
    "install",
    "upgrade",
    "uninstall",
    "start",
    "stop",
    "restart",
    "enable",
    "disable",
    "kill",
    "put",
    "rm",
    "promote",
    "send",
];
const PROGRAMS: [&str; 33] = [
    "gh",
    "glab",
    "npm",
    "pnpm",
    "yarn",
    "cargo",
    "docker",
    "podman",
    "docker-compose",
    "kubectl",
    "helm",
    "terraform",
    "tofu",
    "pulumi",
    "aws",
    "gcloud",
    "az",
    "heroku",
    "fly",
    "flyctl",
    "vercel",
    "netlify",
    "wrangler",
    "firebase",
    "twine",
    "poetry",
    "uv",
    "gem",
    "systemctl",
    "service",
    "supabase",
    "serverless",
    "sls",
];
/// Programs among them whose packages are local.
const PACKAGES: [&str; 7] = ["npm", "pnpm", "yarn", "cargo", "poetry", "uv", "gem"];
const GIT: [&str; 11] =
    ["commit", "push", "tag", "merge", "rebase", "cherry-pick", "revert", "reset", "am", "pull", "clone"];

/// True if a line contains commands that change the world.
///
/// ```
/// use espalier::compact::ledger::action::commands;
/// assert!(commands("cd app && git add -A && git commit -m 'Fix it'"));
/// assert!(commands("curl -X POST https://example.invalid/pay") && commands("npm run deploy"));
/// assert!(!commands("git status && npm test") && !commands("curl https://example.invalid"));
/// ```
pub fn commands(line: &str) -> bool {
    let line = &line[..line.floor_char_boundary(20_000)];
    simple_commands(line).iter().any(acts)
}

fn acts(simple: &Simple) -> bool {
    let mut all = simple.words.iter().map(String::as_str).skip_while(|word| {
        word.split_once('=').is_some_and(|(name, _)| name.chars().all(|c| c.is_alphanumeric() || c == '_'))
            || matches!(*word, "sudo" | "npx" | "time" | "env" | "nohup")
    });
    let Some(program) = all.next().map(|word| word.rsplit('/').next().unwrap_or(word)) else { return false };
    let rest: Vec<&str> = all.collect();
    let mut plain = rest.iter().copied().filter(|word| !word.starts_with('-'));
    let flag = |flags: &[&str]| rest.iter().any(|word| flags.contains(word));
    let named = |word: &str| {
        words(word).iter().any(|part| matches!(part.as_str(), "deploy" | "publish" | "release" | "migrate"))
    };
    match program {
        "git" => {
            let of_flag = |at: usize| at > 0 && matches!(rest[at - 1], "-C" | "-c");
            let verb = (0..rest.len()).find(|&at| !rest[at].starts_with('-') && !of_flag(at)).map(|at| rest[at]);
            verb.is_some_and(|verb| {
                GIT.contains(&verb) && !(verb == "tag" && rest.len() == 1) && !flag(&["--dry-run", "-l", "--list"])
                    || verb == "branch" && flag(&["-d", "-D", "-m", "-M", "--delete"])
                    || matches!(verb, "checkout" | "switch") && flag(&["-b", "-B", "-c", "-C"])
                    || verb == "stash" && !flag(&["list", "show"])
            })
        }
        "rm" | "rmdir" | "mv" => {
            plain.any(|word| !is_path(word) || word.ends_with('/')) || flag(&["-rf", "-r", "-fr", "-R"])
        }
        "kill" | "pkill" | "killall" | "scp" | "rsync" | "ansible-playbook" | "sendmail" | "mail" => true,
        "curl" | "http" | "wget" | "xh" => {
            let is_method = |word: &str| word == "--request" || word.starts_with('-') && word.ends_with('X');
            let method = rest.windows(2).find(|two| is_method(two[0])).map(|two| two[1]);
            // `-sXPOST`
            let short = |word: &&&str| word.starts_with('-') && !word.starts_with("--");
            let glued = rest.iter().filter(short).find_map(|word| word.split_once('X')).map(|(_, method)| method);
            let glued = glued.or(rest.iter().find_map(|word| word.strip_prefix("--request=")));
            let sends = rest.iter().any(|word| {
                word.starts_with("--data")
                    || word.starts_with("--form")
                    || word.starts_with("--post-")
                    || matches!(*word, "-d" | "-F" | "-T")
            });
            match method.or(glued.filter(|method| !method.is_empty())) {
                Some(method) => !matches!(method.to_ascii_uppercase().as_str(), "GET" | "HEAD" | "OPTIONS"),
                None => sends || rest.first().is_some_and(|word| matches!(*word, "POST" | "PUT" | "PATCH" | "DELETE")),
            }
        }
        "psql" | "mysql" | "sqlite3" => rest.iter().any(|word| {
            let start = word.trim_start().get(..6).unwrap_or_default().to_ascii_lowercase();
            ["insert", "update", "delete", "drop t", "alter ", "create", "trunca"].contains(&start.as_str())
        }),
        "make" | "just" | "task" | "rake" => plain.any(named),
        _ if PROGRAMS.contains(&program) => {
            let is_package = PACKAGES.contains(&program);
            plain.take(4).any(|word| {
                let installs =
                    matches!(word, "install" | "upgrade" | "uninstall" | "create" | "start" | "stop" | "rm" | "patch");
                VERBS.contains(&word) && !(is_package && installs) || named(word)
            }) && !flag(&["--dry-run", "--help"])
        }
        _ => named(program.split('.').next().unwrap_or(program)),
    }
}

impl Action {
    /// Builds the action of a tool call.
    pub fn of_call(id: &str, at: usize, name: &str, arguments: &str) -> Action {
        let fields = serde_json::from_str::<Value>(arguments).ok();
        let fields = fields.as_ref().and_then(Value::as_object);
        let (mut all, mut short): (Vec<String>, Vec<String>) = (vec![], vec![]);
        for (key, value) in fields.into_iter().flatten() {
            let text = flattened(value, 0);
            if text.is_empty() {
                continue;
            }
            // A name with line ends would write lines of its own.
            let key = &*one_line(key, VALUE_BYTES);
            let one = format!("{key}: {}", one_line(&text, VALUE_BYTES));
            if is_id(key) {
                short.insert(short.iter().filter(|one| one.starts_with('\u{1}')).count(), format!("\u{1}{one}"));
            } else {
                short.push(one.clone());
            }
            all.push(if text.len() <= VALUE_BYTES { one } else { format!("{key}: {}", one_line(&text, WHAT_BYTES)) });
        }
        let (what, short) = (call_of(name, &all, WHAT_BYTES), call_of(name, &short, SHORT_BYTES));
        Action { id: id.to_string(), what, short, state: State::Unknown, outcome: String::new(), at }
    }

    /// Builds the action of a command line.
    pub fn of_line(id: &str, at: usize, line: &str) -> Action {
        let what = format!("`{}`", body(line));
        Action { id: id.to_string(), short: what.clone(), what, state: State::Unknown, outcome: String::new(), at }
    }

    /// Returns the tool, or the command without its arguments.
    pub fn name(&self) -> &str {
        let Some(line) = self.what.strip_prefix('`') else { return self.what.split('(').next().unwrap_or(&self.what) };
        let piece = pieces(line.trim_end_matches('`')).find(|piece| commands(piece)).unwrap_or(line);
        // An option says less than the command.
        let more = usize::from(!piece.split(' ').nth(1).is_some_and(|word| word.starts_with('-')));
        let end = piece.match_indices(' ').nth(more).map_or(piece.len(), |(at, _)| at);
        &piece[..end]
    }

    /// Records what the result says.
    pub fn ended(&mut self, has_failed: bool, said: &str) {
        self.state = if has_failed { State::Failed } else { State::Done };
        // The message of a commit is known already.
        let said = if said.trim() == NO_OUTPUT { "" } else { said };
        let new = said.find("] ").map(|at| at + 1).filter(|&at| self.what.contains(said[at..].trim()));
        self.outcome = one_line(&said[..new.unwrap_or(said.len())], OUTCOME_BYTES);
    }

    /// Returns one line: the call, how it ended, and what the result says.
    pub fn to_line(&self, is_short: bool, bytes: usize) -> String {
        let what = if is_short { &self.short } else { &self.what };
        let said =
            if self.outcome.is_empty() { String::new() } else { format!(": {}", one_line(&self.outcome, bytes)) };
        format!("{what} -> {}{said}", self.state.as_str())
    }

    /// Parses a line that [`Action::to_line`] wrote.
    pub fn parse(id: &str, text: &str) -> Option<Action> {
        let text = Some(text).filter(|text| text.len() <= MAX_LINE_BYTES)?;
        text.match_indices(" -> ").find_map(|(at, arrow)| {
            let rest = &text[at + arrow.len()..];
            let all = [State::Done, State::Failed, State::Unknown];
            let state = all.into_iter().find(|state| rest.starts_with(state.as_str()))?;
            let behind = &rest[state.as_str().len()..];
            let outcome = if behind.is_empty() { "" } else { behind.strip_prefix(": ")? };
            let what = text[..at].to_string();
            Some(Action { id: id.into(), short: shortened(&what), what, state, outcome: outcome.into(), at: 0 })
        })
    }
}

/// Returns a call with the first of its arguments.
fn call_of(name: &str, parts: &[String], bytes: usize) -> String {
    let mut out = String::new();
    for part in parts {
        let part = part.trim_start_matches('\u{1}');
        if !out.is_empty() && out.len() + part.len() > bytes {
            out.push_str(", …");
            break;
        }
        out.push_str(if out.is_empty() { "" } else { ", " });
        out.push_str(part);
    }
    format!("{name}({out})")
}

/// Returns the short form of a call that a record holds with all its arguments.
fn shortened(what: &str) -> String {
    let call = what.strip_suffix(')').filter(|_| !what.starts_with('`')).and_then(|what| what.split_once('('));
    let Some((name, rest)) = call else { return what.to_string() };
    let mut parts: Vec<String> = Vec::new();
    for piece in rest.split(", ") {
        let key = piece.split_once(": ").map(|(key, _)| key);
        let is_argument = key.is_some_and(|key| key.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')));
        match parts.last_mut().filter(|_| !is_argument) {
            Some(last) => [", ", piece].iter().for_each(|text| last.push_str(text)),
            None => parts.push(piece.to_string()),
        }
    }
    let is_named = |part: &String| part.split_once(": ").is_some_and(|(key, _)| is_id(key));
    let (mut all, other): (Vec<String>, Vec<String>) = parts.into_iter().partition(is_named);
    all.extend(other);
    let all: Vec<String> = all.iter().map(|part| one_line(part, VALUE_BYTES)).collect();
    call_of(name, &all, SHORT_BYTES)
}

/// Returns a value in a few words: `HAT136 2024-05-20, HAT039 2024-05-20` for a list of objects.
fn flattened(value: &Value, depth: usize) -> String {
    let joined =
        |parts: Vec<String>, by: &str| parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(by);
    match value {
        Value::Null => String::new(),
        Value::String(text) => one_line(text, WHAT_BYTES),
        Value::Array(_) | Value::Object(_) if depth >= 6 => "…".to_string(),
        Value::Array(list) => joined(list.iter().take(20).map(|item| flattened(item, depth + 1)).collect(), ", "),
        Value::Object(fields) => joined(fields.values().take(20).map(|item| flattened(item, depth + 1)).collect(), " "),
        other => other.to_string(),
    }
}

/// Returns the most informative line of a result: for an object, ids and states that `call` does not contain, else the
/// first line.
pub fn telling(text: &str, call: &str) -> String {
    let text = text.trim();
    let fields =
        if text.starts_with('{') && text.len() <= JSON_BYTES { serde_json::from_str::<Value>(text).ok() } else { None };
    if let Some(fields) = fields.as_ref().and_then(Value::as_object) {
        let tells = |key: &str| {
            let lower = key.to_ascii_lowercase();
            is_id(key)
                || matches!(lower.as_str(), "total" | "price" | "amount")
                || ["status", "state", "message", "result", "error", "confirm"].iter().any(|it| lower.contains(it))
        };
        let said = |all: bool| {
            // Values that the call itself contains are known already.
            let is_new = |value: &Value| !value.as_str().is_some_and(|text| text.len() > 2 && call.contains(text));
            let is_one = |value: &Value| !(value.is_object() || value.is_array() || value.is_null());
            let parts = fields.iter().filter(|(key, value)| (all || tells(key)) && is_one(value) && is_new(value));
            let parts = parts.map(|(key, value)| format!("{key}: {}", flattened(value, 0)));
            parts.take(if all { 3 } else { 6 }).collect::<Vec<_>>().join(", ")
        };
        let short = said(false);
        return one_line(&if short.is_empty() { said(true) } else { short }, OUTCOME_BYTES);
    }
    let first = own_lines(text).find(|line| !line.trim().is_empty() && !is_prompt(line));
    one_line(first.unwrap_or(text), OUTCOME_BYTES)
}

/// True for a result with a field that says the call failed.
///
/// ```
/// use espalier::compact::ledger::action::fields_say_failed;
/// assert!(fields_say_failed(r#"{"error":"no seats"}"#) && fields_say_failed(r#"{"ok":false}"#));
/// assert!(!fields_say_failed(r#"{"error":null,"id":3}"#));
/// ```
pub fn fields_say_failed(text: &str) -> bool {
    let text = text.trim();
    if !text.starts_with('{') || text.len() > JSON_BYTES {
        return false;
    }
    let Ok(Value::Object(fields)) = serde_json::from_str::<Value>(text) else { return false };
    fields.iter().any(|(key, value)| match key.to_ascii_lowercase().as_str() {
        "error" | "errors" => match value {
            Value::Null => false,
            Value::Bool(failed) => *failed,
            Value::String(text) => !text.is_empty(),
            Value::Array(list) => !list.is_empty(),
            _ => true,
        },
        "ok" | "success" => value.as_bool() == Some(false),
        "iserror" | "is_error" => value.as_bool() == Some(true),
        "status" | "state" => value.as_str().is_some_and(|text| matches!(text, "error" | "failed" | "failure")),
        _ => false,
    })
}

/// True for a text that begins as refusals do.
pub fn says_failed(text: &str) -> bool {
    const STARTS: [&str; 12] = [
        "failed",
        "could not",
        "couldn't",
        "cannot ",
        "can't ",
        "unable to",
        "permission denied",
        "access denied",
        "unauthorized",
        "forbidden",
        "invalid ",
        "not found",
    ];
    let text = text.trim_start();
    STARTS.iter().any(|start| text.get(..start.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(start)))
}

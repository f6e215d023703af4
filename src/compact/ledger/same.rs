//! Decides which calls are the same, so that a success of one closes a failure of the other.

use serde_json::Value;

use super::command::is_test_run;
use super::ended::Run;
use super::shell;
use super::simple::{Simple, simple_commands};
use super::text::identity;

/// A call as a repeatable action.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Same {
    /// Where it runs, if known.
    pub folder: Option<String>,
    /// Keys of successes that close its failure.
    pub closed_by: Vec<String>,
    /// Keys of failures that its success closes.
    pub closes: Vec<String>,
}

/// Maximum bytes of a command line to parse, and of a key.
const MAX_BYTES: usize = 20_000;
const KEY_BYTES: usize = 400;
/// Maximum bytes of a key in a record.
const WORDS_BYTES: usize = 120;
/// Prefix of keys that are no command lines.
const CALL: char = '\u{1}';
/// Maximum commands of one line that are considered.
const COMMANDS: usize = 20;

/// Programs that run another one.
const RUNNERS: [&str; 12] =
    ["sudo", "time", "npx", "bunx", "pnpx", "nohup", "env", "command", "exec", "nice", "uvx", "xvfb-run"];
/// Git commands that need to succeed only once, whatever their arguments.
const ONCE: [&str; 11] =
    ["commit", "push", "pull", "fetch", "merge", "rebase", "cherry-pick", "am", "revert", "tag", "stash"];
const SEARCHES: [&str; 6] = ["grep", "egrep", "fgrep", "rg", "ag", "ack"];

/// Parses a command line.
///
/// ```
/// use espalier::compact::ledger::same::of_line;
/// let (failed, passed) = (of_line("cd app && npm test 2>&1 | tail -5", None), of_line("npm test", None));
/// assert!(failed.closed_by.iter().any(|key| passed.closes.contains(key)));
/// ```
pub fn of_line(line: &str, cwd: Option<&str>) -> Same {
    let line = &line[..line.floor_char_boundary(MAX_BYTES)];
    let mut same = Same { folder: shell::read(line, cwd).cwd, ..Same::default() };
    let commands: Vec<Vec<String>> = simple_commands(line)
        .iter()
        .filter(|simple| !simple.is_piped)
        .map(program)
        .filter(|words| !words.is_empty())
        .collect();
    // Commands that only print are not its subject.
    let acts =
        |words: &Vec<String>| !matches!(words[0].as_str(), "echo" | "printf" | "date" | "true" | "sleep" | "pwd");
    let all = if commands.iter().any(acts) { commands.into_iter().filter(acts).collect() } else { commands };
    for words in all.iter().take(COMMANDS) {
        push(&mut same.closes, words.join(" "));
        installed(words, true).into_iter().for_each(|key| push(&mut same.closes, key));
        if let [program, verb, ..] = words.as_slice()
            && program == "git"
            && ONCE.contains(&verb.as_str())
        {
            push(&mut same.closes, format!("git {verb}"));
            if verb == "commit" {
                push(&mut same.closes, "git merge".into());
            }
        }
    }
    // The last command of a chain passes only if all did.
    same.closed_by = all.last().map_or(vec![], |words| closers(words));
    same
}

/// Returns the keys of successes that close a failure of these words.
fn closers(words: &[String]) -> Vec<String> {
    let mut keys: Vec<String> = Vec::new();
    push(&mut keys, words.join(" "));
    installed(words, false).into_iter().for_each(|key| push(&mut keys, key));
    if let [program, verb, ..] = words
        && program == "git"
        && ONCE.contains(&verb.as_str())
    {
        push(&mut keys, format!("git {verb}"));
    }
    // The whole suite includes each test.
    for count in (1..words.len()).rev().take(8) {
        let fewer = words[..count].join(" ");
        if !is_test_run(&fewer) {
            break;
        }
        push(&mut keys, fewer);
    }
    keys
}

impl Same {
    /// Returns what failed, for a record: a command, or a tool and its subject. Returns `None` if it is too long to be
    /// worth its room.
    pub fn to_words(&self) -> Option<String> {
        let key = self.closed_by.first()?;
        let is_plain = key.len() <= WORDS_BYTES && !key.contains(|c: char| c == '`' || c.is_control() && c != CALL);
        is_plain.then(|| key.trim_start_matches(CALL).to_string())
    }

    /// Parses the text that [`Same::to_words`] wrote.
    pub fn of_words(words: &str) -> Same {
        let mut closed_by = closers(&words.split(' ').map(str::to_string).collect::<Vec<_>>());
        // A record does not say whether it was a command; no command has a tool's name.
        push(&mut closed_by, format!("{CALL}{words}"));
        Same { closed_by, ..Same::default() }
    }
}

/// Returns the keys of an installation: one for each package without its version, and one for all of them. `passed`: a
/// successful installation resolved everything.
fn installed(words: &[String], passed: bool) -> Vec<String> {
    let [program, verb, rest @ ..] = words else { return vec![] };
    if !matches!(verb.as_str(), "install" | "i" | "ci" | "add" | "sync") {
        return vec![];
    }
    let bare = |word: &String| {
        word[..word.char_indices().skip(1).find(|(_, c)| "@=<>~^".contains(*c)).map_or(word.len(), |(at, _)| at)]
            .to_string()
    };
    let named = rest.iter().filter(|word| !word.starts_with('-')).map(bare);
    let mut keys: Vec<String> = named.map(|name| format!("\u{1}{program} installs {name}")).collect();
    if keys.is_empty() || passed {
        keys.push(format!("\u{1}{program} installs"));
    }
    keys
}

/// Parses the command lines of one call.
pub fn of_lines(lines: &[String], cwd: Option<&str>) -> Same {
    let mut all = Same::default();
    for line in lines {
        let Same { folder, closed_by, closes } = of_line(line, cwd);
        all.folder = folder;
        closed_by.into_iter().for_each(|key| push(&mut all.closed_by, key));
        closes.into_iter().for_each(|key| push(&mut all.closes, key));
    }
    all
}

/// Returns the commands that a run reports to have run, as `npm run` does: `> tsc --noEmit`.
pub fn echoed(output: &str) -> impl Iterator<Item = String> {
    let lines = output.lines().filter_map(|line| line.strip_prefix("> ")).take(COMMANDS);
    lines.flat_map(|line| of_line(line, None).closes)
}

/// Builds the key of a tool call on one thing: the id among its arguments that its name mentions, else the first id.
/// Without an id, a success in the same `turn` closes the failure.
pub fn of_call(name: &str, arguments: &str, turn: usize) -> Same {
    let fields = serde_json::from_str::<Value>(arguments).ok();
    let fields = fields.as_ref().and_then(Value::as_object);
    let ids = fields.into_iter().flatten().filter_map(|(key, value)| {
        let text = value.as_str().map(str::to_string).or_else(|| value.as_i64().map(|n| n.to_string()))?;
        is_id(key).then_some((key, text))
    });
    let ids: Vec<(&String, String)> = ids.collect();
    let lower = name.to_ascii_lowercase();
    let stem = |key: &str| key.trim_end_matches("_id").trim_end_matches("Id").to_ascii_lowercase();
    let about = ids.iter().find(|(key, _)| stem(key).len() >= 3 && lower.contains(&stem(key))).or(ids.first());
    let mut keys: Vec<String> = Vec::new();
    match about {
        Some((key, value)) => push(&mut keys, format!("\u{1}{name} {key} {value}")),
        None => {
            push(&mut keys, format!("\u{1}{name} {arguments}"));
            push(&mut keys, format!("\u{1}{turn} {name}"));
        }
    }
    Same { folder: None, closed_by: keys.clone(), closes: keys }
}

/// Builds the key of work on files.
pub fn of_files<'a>(reads: bool, paths: impl Iterator<Item = &'a str>) -> Same {
    let keys: Vec<String> =
        paths.map(|path| format!("\u{1}{} {path}", if reads { "read" } else { "change" })).collect();
    Same { folder: None, closed_by: keys.clone(), closes: keys }
}

/// Returns the properties of command lines that decide how their outcome is read.
pub fn run_of(lines: &[String], only_shows: bool) -> Run {
    let simple: Vec<Simple> =
        lines.iter().flat_map(|line| simple_commands(&line[..line.floor_char_boundary(MAX_BYTES)])).collect();
    let searches = |simple: &Simple| program(simple).first().is_some_and(|name| SEARCHES.contains(&name.as_str()));
    let masks = |two: &[Simple]| (two[1].is_piped || two[1].is_apart) && !program(&two[0]).is_empty();
    Run {
        only_shows,
        is_masked: lines.len() > 1 || simple.windows(2).any(masks),
        searches: simple.last().is_some_and(searches),
    }
}

/// Returns the words of a command without variables, runners and redirections.
fn program(simple: &Simple) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let mut words = simple.words.iter();
    while let Some(word) = words.next() {
        match word.as_str() {
            ">" | ">>" | "1>" | "&>" | "2>" | "2>>" | "<" => {
                words.next();
            }
            "timeout" if out.is_empty() => {
                words.next();
            }
            word if out.is_empty() && (RUNNERS.contains(&word) || is_variable(word) || word.starts_with('-')) => {}
            word => out.push(word.to_string()),
        }
    }
    if out.first().is_some_and(|name| matches!(name.as_str(), "cd" | "pushd" | "export" | "set" | "source" | ".")) {
        out.clear();
    }
    out
}

fn is_variable(word: &str) -> bool {
    word.split_once('=')
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_'))
}

pub fn is_id(key: &str) -> bool {
    let lower = key.to_ascii_lowercase();
    let ends = ["_id", "_ids", "key", "number", "name", "path", "url", "email", "code"];
    lower == "id" || key.ends_with("Id") || key.ends_with("ID") || ends.iter().any(|end| lower.ends_with(end))
}

fn push(keys: &mut Vec<String>, key: String) {
    let key = identity(&key, KEY_BYTES);
    if !key.is_empty() && !keys.contains(&key) {
        keys.push(key);
    }
}

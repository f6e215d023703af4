//! The line in the place of a result: which tool, what about, how much, how it ended, and where the whole is.

use super::scene::{CallAt, Found};
use crate::compact::ledger::command::{Tests, is_test_run};
use crate::compact::ledger::{error, one_line};
use crate::compact::tool_map::{ToolKind, exit_status};

/// How a placeholder begins.
pub const CLEARED: &str = "[cleared: ";
/// How one begins whose result a newer message repeats or outdates.
pub const SUPERSEDED: &str = "[superseded: ";

/// Longest subject, in bytes: a path, a command, or what else a call was about.
const SUBJECT: usize = 120;

/// True for a text that is a placeholder.
///
/// ```
/// use espalier::compact::steps::note::is_placeholder;
/// assert!(is_placeholder("[cleared: read a.rs, 2 lines, 30 characters; recall m4]"));
/// assert!(!is_placeholder("cleared the table"));
/// ```
pub fn is_placeholder(text: &str) -> bool {
    text.starts_with(CLEARED) || text.starts_with(SUPERSEDED)
}

/// The placeholder of a result; `why` says what makes it unnecessary.
pub(super) fn line(begin: &str, result: &Found, call: Option<&CallAt>, recall: &str, why: Option<&str>) -> String {
    let tool = call.map_or("a tool", |call| call.name);
    let subject = call.map(subject).unwrap_or_default();
    let lines = result.text.lines().count();
    let characters = result.text.chars().count();
    let end = match exit_status(&result.text).filter(|_| call.is_some_and(|call| call.call.kind == ToolKind::Shell)) {
        Some(code) => format!(", exit code {code}"),
        None if result.is_error => ", failed".to_string(),
        None => String::new(),
    };
    let tests = call
        .filter(|call| call.call.commands.iter().any(|command| is_test_run(command)))
        .and_then(|_| Tests::read(&result.text))
        .map_or(String::new(), |tests| format!(", {}", tests.to_words()));
    let why = why.map_or(String::new(), |why| format!("; {why}"));
    let of = |n: usize, what: &str| if n == 1 { format!("1 {what}") } else { format!("{n} {what}s") };
    let size = format!("{}, {}", of(lines, "line"), of(characters, "character"));
    format!("{begin}{tool}{subject}, {size}{end}{tests}{why}; recall {recall}]")
}

fn subject(call: &CallAt) -> String {
    let named = match (call.call.commands.first(), call.call.paths.as_slice()) {
        (Some(command), _) => format!("`{}`", one_line(command, SUBJECT)),
        (None, [path]) => one_line(path, SUBJECT),
        (None, [path, more @ ..]) => format!("{} and {} more", one_line(path, SUBJECT), more.len()),
        (None, []) => match call.arguments.trim() {
            "" | "{}" | "null" => return String::new(),
            arguments => one_line(arguments, SUBJECT),
        },
    };
    let range = match call.call.range {
        Some((from, u64::MAX)) => format!(" from line {from}"),
        Some((from, to)) => format!(" lines {from}-{to}"),
        None => String::new(),
    };
    format!(" {named}{range}")
}

/// The first and the last error line of a text; its last line if it names no error.
pub(super) fn ends(text: &str) -> Vec<String> {
    let mut lines = text.lines().filter(|line| error::is_error_line(line)).map(error::kept_line);
    let first = lines.next();
    let last = lines.next_back().filter(|last| Some(last) != first.as_ref());
    let mut out: Vec<String> = first.into_iter().chain(last).collect();
    if out.is_empty() {
        out.extend(text.lines().rev().find(|line| !line.trim().is_empty()).map(error::kept_line));
    }
    out
}

/// True if no line tells of an error.
pub(super) fn is_clean(text: &str) -> bool {
    !text.lines().any(error::is_error_line)
}

//! The line that replaces a result: the tool, its subject, the size, the outcome, and where the whole result is.

use super::ledger::command::{Tests, is_test_run};
use super::ledger::one_line;
use crate::message::tool_map::{ToolCall, ToolKind};
use crate::message::tool_output::exit_status;
use crate::tool_result::middle::grouped;

/// Why a result was removed; its placeholder begins with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gone {
    /// The result was old.
    Cleared,
    /// A newer message repeats or outdates it.
    Superseded,
}

impl Gone {
    const ALL: [Gone; 2] = [Gone::Cleared, Gone::Superseded];

    fn opening(self) -> &'static str {
        match self {
            Gone::Cleared => "[cleared: ",
            Gone::Superseded => "[superseded: ",
        }
    }
}

/// Maximum bytes of a subject: a path, a command, or another argument of the call.
const SUBJECT: usize = 120;
/// Ends the description of the result; the handle follows.
const RECALL: &str = "; recall ";

/// The facts about a removed result.
#[derive(Debug, Clone, Copy)]
pub struct Result<'a> {
    pub tool: Option<&'a str>,
    /// The call it answers: its arguments as sent, and as parsed.
    pub call: Option<(&'a str, &'a ToolCall)>,
    pub text: &'a str,
    pub is_error: bool,
}

/// Begins an answer of the tool with which a model looks up what left the request, as `js/recall/tool.ts` writes it.
const RECALLED: &str = "Quoted word for word from earlier in this conversation.";

/// True for such an answer: it repeats messages, and says nothing new about files, things or errors.
pub fn is_recalled(text: &str) -> bool {
    text.starts_with(RECALLED)
}

/// Returns the placeholder of a result. `why` says why it is unnecessary, `recall` where the whole result is.
///
/// ```
/// use espalier::compact::placeholder::{Gone, Result, is_placeholder, line};
/// use espalier::message::tool_map::ToolMap;
/// let arguments = r#"{"command":"npm run build"}"#;
/// let call = ToolMap::default().read("bash", arguments);
/// let result = Result { tool: Some("bash"), call: Some((arguments, &call)), text: "no such file\nexit code: 1", is_error: false };
/// let said = line(Gone::Cleared, result, None, "m12");
/// assert_eq!(said, "[cleared: bash `npm run build`, 2 lines, 25 characters, exit code 1; recall m12]");
/// assert!(is_placeholder(&said));
/// let result = Result { tool: None, call: None, text: "", is_error: true };
/// assert_eq!(line(Gone::Cleared, result, None, "m4"), "[cleared: a result, 0 lines, 0 characters, failed; recall m4]");
/// ```
pub fn line(gone: Gone, result: Result, why: Option<&str>, recall: &str) -> String {
    line_about(gone, &about(result), why, recall)
}

/// Returns the placeholder for a description made by [`about`].
pub fn line_about(gone: Gone, about: &str, why: Option<&str>, recall: &str) -> String {
    let (colon, why) = why.map_or(("", ""), |why| ("; ", why));
    [gone.opening(), about, colon, why, RECALL, recall, "]"].concat()
}

/// Returns the description of a result: the tool, its subject, the size, the outcome.
pub fn about(result: Result) -> String {
    let Result { tool, call, text, is_error } = result;
    let what = tool.filter(|tool| !tool.is_empty()).unwrap_or("a result");
    let subject = call.map(|(arguments, call)| subject(arguments, call)).unwrap_or_default();
    let shell = call.filter(|(_, call)| call.kind == ToolKind::Shell);
    let end = match exit_status(text).filter(|_| shell.is_some()) {
        Some(code) => format!(", exit code {code}"),
        None if is_error => ", failed".to_string(),
        None => String::new(),
    };
    let is_test = shell.is_some_and(|(_, call)| call.commands.iter().any(|command| is_test_run(command)));
    let tests = if is_test { Tests::read(text) } else { None };
    let tests = tests.map_or(String::new(), |tests| format!(", {}", tests.to_words()));
    let of = |n: usize, what: &str| format!("{} {what}{}", grouped(n as u64), if n == 1 { "" } else { "s" });
    let size = format!("{}, {}", of(text.lines().count(), "line"), of(text.chars().count(), "character"));
    format!("{what}{subject}, {size}{end}{tests}")
}

/// True if a text is a placeholder, with or without lines of the result after it.
///
/// ```
/// use espalier::compact::placeholder::is_placeholder;
/// assert!(is_placeholder("[cleared: read a.rs, 2 lines, 30 characters; recall m4]\nerror: no such file"));
/// assert!(!is_placeholder("[cleared: the table]") && !is_placeholder("cleared the table; recall m4]"));
/// ```
pub fn is_placeholder(text: &str) -> bool {
    let first = text.lines().next().unwrap_or_default();
    Gone::ALL.iter().any(|gone| first.starts_with(gone.opening())) && first.contains(RECALL) && first.ends_with(']')
}

fn subject(arguments: &str, call: &ToolCall) -> String {
    let named = match (call.commands.first(), call.paths.as_slice()) {
        (Some(command), _) => format!("`{}`", one_line(command, SUBJECT)),
        (None, [path]) => one_line(path, SUBJECT),
        (None, [path, more @ ..]) => format!("{} and {} more", one_line(path, SUBJECT), more.len()),
        (None, []) => match arguments.trim() {
            "" | "{}" | "null" => return String::new(),
            arguments => one_line(arguments, SUBJECT),
        },
    };
    let range = match call.range {
        Some((from, u64::MAX)) => format!(" from line {from}"),
        Some((from, to)) => format!(" lines {from}-{to}"),
        None => String::new(),
    };
    format!(" {named}{range}")
}

//! One line for a result that was cleared: what it was, how large, how it ended, and how to get it back.

use crate::compact::tool_map::{ToolMap, exit_status};
use crate::message::Part;
use crate::tool_result::middle::grouped;

/// Longest subject, in characters.
const SUBJECT: usize = 80;
const OPENING: &str = "[cleared: ";

/// The line. `call` is the call that the result answers, if it is known.
///
/// ```
/// use espalier::compact::results::note::note;
/// use espalier::message::Part;
/// let call = Part::ToolCall { call_id: "c".into(), name: "bash".into(), arguments: r#"{"command":"npm test"}"#.into() };
/// let line = note(Some("bash"), Some(&call), false, "1 failed\nexit code: 1", 5_120, "m12");
/// assert_eq!(line, "[cleared: bash `npm test`, 5,120 tokens, exit 1; recall m12]");
/// assert_eq!(note(None, None, true, "", 9, "m4"), "[cleared: a result, 9 tokens, failed; recall m4]");
/// ```
pub fn note(tool: Option<&str>, call: Option<&Part>, is_error: bool, text: &str, tokens: u64, recall: &str) -> String {
    let what = tool.filter(|tool| !tool.is_empty()).unwrap_or("a result");
    let subject = call.and_then(subject).map_or(String::new(), |subject| format!(" {subject}"));
    let end = match exit_status(text) {
        Some(status) => format!(", exit {status}"),
        None if is_error => ", failed".to_string(),
        None => String::new(),
    };
    format!("{OPENING}{what}{subject}, {} tokens{end}; recall {recall}]", grouped(tokens))
}

/// Whether a text is such a line, and nothing else.
pub fn is_note(text: &str) -> bool {
    text.starts_with(OPENING) && text.ends_with(']') && text.contains("; recall ") && !text.contains('\n')
}

/// The command or the paths of a call.
fn subject(call: &Part) -> Option<String> {
    let Part::ToolCall { name, arguments, .. } = call else { return None };
    let call = ToolMap::default().read(name, arguments);
    if let Some(command) = call.commands.first() {
        return Some(format!("`{}`", short(command)));
    }
    let path = short(call.paths.first()?);
    Some(match call.range {
        Some((first, last)) => format!("{path}:{first}-{last}"),
        None => path,
    })
}

/// One line of bounded length.
fn short(text: &str) -> String {
    let line: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(SUBJECT) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line,
    }
}

//! gemini-cli's sizes and texts: its characters are UTF-16 code units, and its sizes are estimates.
//!
//! Two deliberate differences: no character is cut in half, and a preview is used only if it is shorter than the whole.

use serde_json::Value;

use crate::tool_result::middle::grouped;

/// Share of the head in a capped text, in fifths: 20 %.
const HEAD_FIFTHS: u64 = 1;
/// Characters of the preview at each end, and lines of a command's output at each end.
const PREVIEW: usize = 250;
const LINES: usize = 10;
/// The tag around the text of a masked result.
const TAG: &str = "tool_output_masked";
/// The tool that runs commands, whose output has sections.
const SHELL: &str = "run_shell_command";
const SECTIONS: [&str; 6] = ["Output", "Error", "Exit Code", "Signal", "Background PIDs", "Process Group PGID"];

/// Returns what the model reads of a response: a text as it is, the text `output`, else the text `content`, else the
/// JSON, indented.
///
/// ```
/// use espalier::compact::results::gemini::said;
/// assert_eq!(said(r#"{"content":"b","output":"a"}"#), "a");
/// assert_eq!(said(r#"{"output":{"x":1},"content":"b"}"#), "b");
/// assert_eq!(said("[1]"), "[\n  1\n]");
/// assert_eq!(said(r#""plain""#), "plain");
/// ```
pub fn said(body: &str) -> String {
    let Ok(value) = serde_json::from_str::<Value>(body) else { return body.to_string() };
    let text = value.as_str().or_else(|| ["output", "content"].iter().find_map(|key| value.get(key)?.as_str()));
    text.map_or_else(|| indented(&value), str::to_string)
}

fn indented(value: &Value) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default()
}

/// Returns the default response object as JSON: `{"output": text}`.
fn body_of(text: &str) -> String {
    serde_json::json!({ "output": text }).to_string()
}

/// Returns gemini-cli's estimate of a response: a quarter of its name and of its JSON.
pub fn response_size(tool: Option<&str>, text: &str, body: Option<&str>) -> u64 {
    let json = body.map_or_else(|| units(&body_of(text)), units);
    (units(tool.unwrap_or_default()) + json) / 4
}

/// Returns at most `cap` characters of a text, a fifth of them from its beginning, under a line that names the file
/// with the whole.
///
/// ```
/// use espalier::compact::results::gemini::capped;
/// let text = capped(&"t".repeat(240), 10, "/out/x_1.txt");
/// assert_eq!(text, "Output too large. Showing first 2 and last 8 characters. For full output see: /out/x_1.txt\ntt\n\n... [230 characters omitted] ...\n\ntttttttt");
/// ```
pub fn capped(text: &str, cap: u64, file: &str) -> String {
    let all = units(text);
    if all <= cap {
        return text.to_string();
    }
    let head = cap * HEAD_FIFTHS / 5;
    let tail = cap - head;
    format!(
        "Output too large. Showing first {} and last {} characters. For full output see: {file}\n{}\n\n... [{} characters omitted] ...\n\n{}",
        grouped(head),
        grouped(tail),
        &text[..first(text, head as usize)],
        grouped(all - cap),
        &text[last(text, tail as usize)..],
    )
}

/// Returns the note that replaces a masked result: a preview of the response's JSON or of a command's sections, and the
/// file.
pub fn masked(tool: Option<&str>, text: &str, body: Option<&str>, file: &str) -> String {
    let json = || match body.map(serde_json::from_str::<Value>) {
        Some(Ok(value)) => indented(&value),
        Some(Err(_)) => body.unwrap_or_default().to_string(),
        None => indented(&serde_json::json!({ "output": text })),
    };
    let preview = if tool == Some(SHELL) { sections(text) } else { ends(&json()) };
    format!("<{TAG}>\n{preview}\n\nOutput too large. Full output available at: {file}\n</{TAG}>")
}

/// True if a text is such a note.
pub fn is_masked(text: &str) -> bool {
    text.trim_start().strip_prefix('<').is_some_and(|rest| rest.starts_with(TAG))
}

/// Returns the first and the last characters.
fn ends(text: &str) -> String {
    if units(text) <= 2 * PREVIEW as u64 {
        return text.to_string();
    }
    format!("{}\n... [TRUNCATED] ...\n{}", &text[..first(text, PREVIEW)], &text[last(text, PREVIEW)..])
}

/// Returns the sections of a command's result: the output is cut to its first and last lines, the other sections stay.
fn sections(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut open: Option<(&str, Vec<&str>)> = None;
    let close = |open: Option<(&str, Vec<&str>)>, out: &mut Vec<String>| {
        let Some((name, lines)) = open else { return };
        let whole = lines.join("\n");
        let body = whole.trim();
        match name {
            "" if body.is_empty() => {}
            "" => out.push(few_lines(body)),
            "Output" => out.push(format!("{name}: {}", few_lines(body))),
            _ => out.push(format!("{name}: {body}")),
        }
    };
    for line in text.split('\n') {
        let named = SECTIONS.iter().find_map(|name| Some((*name, line.strip_prefix(name)?.strip_prefix(": ")?)));
        match (named, &mut open) {
            (Some((name, rest)), _) => {
                close(open.take(), &mut out);
                open = Some((name, vec![rest]));
            }
            (None, Some((_, lines))) => lines.push(line),
            (None, None) => open = Some(("", vec![line])),
        }
    }
    close(open, &mut out);
    out.join("\n")
}

fn few_lines(text: &str) -> String {
    let lines: Vec<&str> = text.split('\n').collect();
    if lines.len() <= 2 * LINES {
        return text.to_string();
    }
    let omitted = lines.len() - 2 * LINES;
    let (head, tail) = (lines[..LINES].join("\n"), lines[lines.len() - LINES..].join("\n"));
    format!("{head}\n\n... [{omitted} lines omitted] ...\n\n{tail}")
}

/// Returns the length in UTF-16 code units.
pub(super) fn units(text: &str) -> u64 {
    text.chars().map(|character| character.len_utf16() as u64).sum()
}

/// Returns the end of the first `max` units, in bytes; a character that would be cut in half is left out.
fn first(text: &str, max: usize) -> usize {
    let mut left = max;
    let over = text.char_indices().find(|(_, character)| match left.checked_sub(character.len_utf16()) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    });
    over.map_or(text.len(), |(at, _)| at)
}

/// Returns the start of the last `max` units, in bytes.
fn last(text: &str, max: usize) -> usize {
    let mut left = max;
    let mut start = text.len();
    for (at, character) in text.char_indices().rev() {
        match left.checked_sub(character.len_utf16()) {
            Some(rest) => (left, start) = (rest, at),
            None => break,
        }
    }
    start
}

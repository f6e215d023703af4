//! Calls and results within texts, for agents that do not use the provider's tool calls.
//!
//! In: the text of a message. Out: its calls as name and arguments (JSON), or the tool whose result it is.

use serde_json::{Map, Value};

/// A call in a text.
#[derive(Debug, Clone, PartialEq)]
pub struct InlineCall<'t> {
    pub name: &'t str,
    /// JSON text, as in other calls.
    pub arguments: String,
}

/// Maximum nesting of arguments that is read.
const MAX_DEPTH: usize = 4;

/// Returns the calls in a text of the assistant: `<tool><argument>…` of Cline and Roo if `is_tool` knows the name,
/// `<function=tool><parameter=argument>…` of OpenHands, and the SEARCH/REPLACE blocks of aider.
///
/// ```
/// use espalier::message::dialects::inline::calls;
/// let found = calls("I look.\n<read_file>\n<path>src/a.ts</path>\n</read_file>", |name| name == "read_file");
/// assert_eq!((found[0].name, found[0].arguments.as_str()), ("read_file", r#"{"path":"src/a.ts"}"#));
/// let found = calls("<function=execute_bash>\n<parameter=command>ls</parameter>\n</function>", |_| false);
/// assert_eq!((found[0].name, found[0].arguments.as_str()), ("execute_bash", r#"{"command":"ls"}"#));
/// ```
pub fn calls<'t>(text: &'t str, is_tool: impl Fn(&str) -> bool) -> Vec<InlineCall<'t>> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some(open) = rest.find('<') {
        rest = &rest[open..];
        let Some((tag, inside, behind)) = element(rest) else {
            rest = &rest[1..];
            continue;
        };
        let arguments = match tag.split_once('=') {
            Some(("function", _)) => Some(fields(inside, 0)),
            None if is_tool(tag) => Some(fields(inside, 0)),
            _ => None,
        };
        let Some(arguments) = arguments else {
            rest = &rest[1..];
            continue;
        };
        let name = tag.split_once('=').map_or(tag, |(_, name)| name);
        out.push(InlineCall { name, arguments: Value::Object(arguments).to_string() });
        rest = behind;
    }
    if out.is_empty() { blocks(text) } else { out }
}

/// Returns the element at the start of a text: its tag, its content, and the text behind it. It ends at the last
/// closing tag before another element of that name begins, because content may contain any text.
fn element(text: &str) -> Option<(&str, &str, &str)> {
    let (tag, behind) = text.strip_prefix('<')?.split_once('>')?;
    let name = tag.split('=').next().unwrap_or(tag);
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '=' | '.');
    if name.is_empty() || tag.len() > 64 || !tag.chars().all(is_name) {
        return None;
    }
    let (open, close) = (format!("<{tag}>"), format!("</{name}>"));
    let until = behind.find(&open).unwrap_or(behind.len());
    let end = behind[..until].rfind(&close).or_else(|| behind.find(&close))?;
    // Elements with `=` share their closing tag's name, so the first closing tag ends them.
    let end = if tag == name { end } else { behind.find(&close)? };
    Some((tag, behind[..end].trim_matches('\n'), &behind[end + close.len()..]))
}

/// Reads the arguments in an element, each an element of its own.
fn fields(text: &str, depth: usize) -> Map<String, Value> {
    let mut out = Map::new();
    let mut rest = text.trim_start();
    while let Some((tag, inside, behind)) = element(rest) {
        let name = tag.split_once('=').map_or(tag, |(_, name)| name).to_string();
        let nested = if depth < MAX_DEPTH && inside.trim_start().starts_with('<') {
            fields(inside, depth + 1)
        } else {
            Map::new()
        };
        let value = if nested.is_empty() { Value::String(inside.to_string()) } else { Value::Object(nested) };
        match out.get_mut(&name) {
            Some(Value::Array(list)) => list.push(value),
            Some(one) => {
                let first = one.take();
                *one = Value::Array(vec![first, value]);
            }
            None => {
                out.insert(name, value);
            }
        }
        rest = behind.trim_start();
    }
    out
}

/// Reads SEARCH/REPLACE blocks below the line that names their file.
fn blocks(text: &str) -> Vec<InlineCall<'_>> {
    let mut out = Vec::new();
    let mut path = None;
    let mut at: Option<(Vec<&str>, Option<Vec<&str>>)> = None;
    for line in text.lines() {
        let mark = |word: &str| line.trim_end().strip_suffix(word).is_some_and(|head| head.trim_end().len() >= 5);
        match &mut at {
            None if line.starts_with("<<<<<") && mark("SEARCH") => at = Some((vec![], None)),
            None if line.starts_with("```") || line.trim().is_empty() => {}
            None => path = Some(line.trim().trim_matches(['`', '*', '#', ':', ' '])),
            Some((_, new @ None)) if line.starts_with("=====") => *new = Some(vec![]),
            Some((old, Some(new))) if line.starts_with(">>>>>") && mark("REPLACE") => {
                if let Some(path) = path.filter(|path| !path.is_empty() && !path.contains(' ')) {
                    let mut edit = Map::new();
                    edit.insert("path".into(), path.into());
                    edit.insert("search".into(), old.join("\n").into());
                    edit.insert("replace".into(), new.join("\n").into());
                    out.push(InlineCall { name: "search_and_replace", arguments: Value::Object(edit).to_string() });
                }
                at = None;
            }
            Some((old, None)) => old.push(line),
            Some((_, Some(new))) => new.push(line),
        }
    }
    out
}

/// Returns the tool whose result a user's text is, and the result: `[read_file for 'a.ts'] Result:` of Cline and Roo,
/// `EXECUTION RESULT of [execute_bash]:` of OpenHands.
///
/// ```
/// use espalier::message::dialects::inline::result;
/// assert_eq!(result("[read_file for 'a.ts'] Result:\nlet x;"), Some(("read_file", "let x;")));
/// assert_eq!(result("EXECUTION RESULT of [execute_bash]:\nok"), Some(("execute_bash", "ok")));
/// assert_eq!(result("[sic] Result: none"), None);
/// ```
pub fn result(text: &str) -> Option<(&str, &str)> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix("EXECUTION RESULT of [") {
        let (name, rest) = rest.split_once("]:")?;
        return Some((name, rest.trim_start_matches('\n')));
    }
    let (head, rest) = text.strip_prefix('[')?.split_once("] Result:\n")?;
    let name = head.split(' ').next()?;
    let is_name = !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    is_name.then_some((name, rest))
}

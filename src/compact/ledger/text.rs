//! Sentences and lines.

use std::borrow::Cow;

use serde_json::Value;

use crate::fnv::{START_64, add_64};

pub use crate::compact::facts::sentences;

/// Returns a text as one line of at most `bytes` bytes, with collapsed spaces.
pub fn one_line(text: &str, bytes: usize) -> String {
    // Reads only as much as can be shown.
    let window = &text[..text.floor_char_boundary(bytes.saturating_mul(4).saturating_add(64))];
    let line = window.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.len() <= bytes && window.len() == text.len() { line } else { stem(&line, bytes) }
}

/// Returns a text as one line with its spaces unchanged, so that searching for it finds the original.
pub fn flat(text: &str, bytes: usize) -> String {
    let text = text.trim();
    let short = &text[..text.floor_char_boundary(bytes)];
    let mut out = String::with_capacity(short.len() + 3);
    for (at, line) in short.split(['\n', '\r']).filter(|line| !line.trim().is_empty()).enumerate() {
        if at > 0 {
            out.push(' ');
            out.push_str(line.trim());
        } else {
            out.push_str(line.trim_end());
        }
    }
    if short.len() < text.len() { out + ELLIPSIS } else { out }
}

/// Returns a text that only equal texts have: the text itself, or for more than `bytes` its beginning and a hash of all
/// of it.
pub fn identity(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_string();
    }
    format!("{}{ELLIPSIS}{:x}", &text[..text.floor_char_boundary(bytes)], add_64(START_64, text.as_bytes()))
}

/// Ends a line that was cut.
pub const ELLIPSIS: &str = "…";

/// Returns the first `bytes` bytes, with a mark if there is more.
pub fn stem(line: &str, bytes: usize) -> String {
    let end = line.floor_char_boundary(bytes);
    if end == line.len() { line.to_string() } else { format!("{}{ELLIPSIS}", line[..end].trim_end()) }
}

/// Returns the first words of a text in at most `bytes`, with a mark if there is more. The cut is after a sentence if
/// one ends in the second half, else between words. Scripts without spaces are cut between characters.
///
/// ```
/// use espalier::compact::ledger::text::clip;
/// assert_eq!(clip("Fix it. Then run everything again.", 12), "Fix it. …");
/// assert_eq!(clip("Rename the parameter", 14), "Rename the…");
/// ```
pub fn clip(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_string();
    }
    let short = &text[..text.floor_char_boundary(bytes)];
    let half = short.len() / 2;
    let stops = |(at, c): (usize, char)| {
        let ends = matches!(c, '.' | '!' | '?') && text[at + 1..].starts_with(char::is_whitespace);
        (ends || matches!(c, '。' | '！' | '？')).then_some(at + c.len_utf8())
    };
    if let Some(end) = short.char_indices().rev().take_while(|(at, _)| *at >= half).find_map(stops) {
        return format!("{} {ELLIPSIS}", &short[..end]);
    }
    let is_between = text[short.len()..].starts_with(char::is_whitespace);
    let end = if is_between { Some(short.len()) } else { short.rfind(char::is_whitespace) };
    let end = end.filter(|end| *end >= half).unwrap_or(short.len());
    format!("{}{ELLIPSIS}", short[..end].trim_end())
}

/// Returns the text of an assistant without the thoughts that models without a field for them write in front of it:
/// `<think>…</think>`. Some templates remove the opening tag. Thoughts alone stay, without their tags. Of an agent that
/// answers in JSON, it returns the thought and other words. JSON without a thought may be what the user asked for.
///
/// ```
/// use espalier::compact::ledger::text::spoken;
/// assert_eq!(spoken("<think>Is it Ada?</think>\n\nIt is Bo."), "It is Bo.");
/// assert_eq!(spoken("Is it Ada?\n</think>\nIt is Bo."), "It is Bo.");
/// assert_eq!(spoken("<think>\nRun the tests.\n</think>\n"), "Run the tests.");
/// assert_eq!(spoken("`</think>` ends a thought."), "`</think>` ends a thought.");
/// let json = r#"{"thought":"The test is wrong.","plan":["Mend it.","Run it."],"command":"npm test"}"#;
/// assert_eq!(spoken(json), "The test is wrong.\nMend it.\nRun it.");
/// assert_eq!(spoken(r#"{"summary":"It is done."}"#), r#"{"summary":"It is done."}"#);
/// ```
pub fn spoken(text: &str) -> Cow<'_, str> {
    let said = without_thoughts(text);
    in_json(said).map_or(Cow::Borrowed(said), Cow::Owned)
}

/// Fields in which an agent that answers in JSON thinks.
const THOUGHT: [&str; 7] =
    ["analysis", "explanation", "reasoning", "reflection", "state_analysis", "thinking", "thought"];
/// Other fields for words beside one of them. What is in the rest is what the agent does.
const ANSWER: [&str; 6] = ["answer", "final_answer", "message", "plan", "response", "summary"];

/// Returns the words of a text that is one JSON object with a thought, also in a code block.
fn in_json(text: &str) -> Option<String> {
    let text = text.trim();
    let fenced = text.strip_prefix("```").and_then(|text| text.strip_suffix("```"));
    let json = fenced.map_or(text, |text| text.strip_prefix("json").unwrap_or(text).trim());
    if !(json.starts_with('{') && json.ends_with('}')) {
        return None;
    }
    let Value::Object(fields) = serde_json::from_str(json).ok()? else { return None };
    let mut words: Vec<&str> = Vec::new();
    let mut has_thought = false;
    for (name, value) in &fields {
        let is_thought = THOUGHT.contains(&name.as_str());
        if is_thought || ANSWER.contains(&name.as_str()) {
            match value {
                Value::String(text) => words.push(text),
                Value::Array(items) => words.extend(items.iter().filter_map(Value::as_str)),
                _ => continue,
            }
            has_thought |= is_thought;
        }
    }
    has_thought.then(|| words.join("\n"))
}

fn without_thoughts(text: &str) -> &str {
    let mut said = text;
    for _ in 0..THOUGHTS {
        match TAGS.iter().find_map(|tags| without_thought(said, *tags)) {
            Some((thought, "")) => return thought,
            Some((_, behind)) => said = behind,
            None => break,
        }
    }
    said
}

/// Maximum number of thoughts in front of a text that are removed. Each is searched in the whole rest.
const THOUGHTS: usize = 16;
const TAGS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// Splits a text that begins with a thought into the thought and what is behind it.
fn without_thought<'t>(text: &'t str, (open, close): (&str, &str)) -> Option<(&'t str, &'t str)> {
    let text = text.trim();
    let inner = text.strip_prefix(open);
    let is_end = |at: &usize| inner.is_some() || *at == 0 || text[..*at].ends_with('\n');
    let end = text.match_indices(close).map(|(at, _)| at).find(is_end);
    if inner.is_none() && end.is_none() {
        return None;
    }
    let behind = end.map_or("", |end| text[end + close.len()..].trim());
    let thought = &text[inner.map_or(0, |_| open.len())..end.unwrap_or(text.len())];
    Some((thought.trim(), behind))
}

/// True if one of `words` (lower case) occurs in `text` as a word or phrase of its own, in any case (ASCII). One walk,
/// no copy.
pub fn has_word(text: &str, words: &[&str]) -> bool {
    let bytes = text.as_bytes();
    // First letters of the words: for most words of a text, only the first byte is compared.
    let firsts = words.iter().filter_map(|word| word.bytes().next()).fold(0u64, |set, byte| set | 1 << (byte & 63));
    let mut inside = false;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let c = if byte.is_ascii() { byte.into() } else { text[at..].chars().next().unwrap_or(' ') };
        let starts = !inside;
        inside = c.is_alphanumeric();
        let first = byte.to_ascii_lowercase();
        if starts && inside && firsts >> (first & 63) & 1 == 1 && words.iter().any(|word| is_word_at(text, at, word)) {
            return true;
        }
        at += c.len_utf8();
    }
    false
}

/// True if `word` is at this place and no letter follows.
fn is_word_at(text: &str, at: usize, word: &str) -> bool {
    let end = at + word.len();
    text.as_bytes().get(at..end).is_some_and(|there| there.eq_ignore_ascii_case(word.as_bytes()))
        && !text.get(end..).and_then(|rest| rest.chars().next()).is_some_and(char::is_alphanumeric)
}

/// Returns the text with straight apostrophes; it is copied only if it has others.
pub fn straight(text: &str) -> Cow<'_, str> {
    if text.contains('’') { Cow::Owned(text.replace('’', "'")) } else { Cow::Borrowed(text) }
}

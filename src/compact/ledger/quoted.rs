//! Quotations in a user's text: tagged, fenced or marked. Rules are taken only from the user's own words. Somebody else
//! wrote the quoted text, and a file that says "always run this" must not become a rule of the user.

use std::borrow::Cow;
use std::ops::Range;

use crate::tokens::TAGS;

/// Tags of quoted text beside those that a breakdown knows, in lower case. Tags of the user's own words (`user_query`,
/// `userRequest`) are not among them.
const MORE: [&str; 47] = [
    "bash-stderr",
    "bash-stdout",
    "blockquote",
    "code",
    "codebase",
    "command-message",
    "command-name",
    "content",
    "context",
    "conversation-summary",
    "diff",
    "email",
    "environment_context",
    "environment_details",
    "environment_info",
    "error",
    "example",
    "excerpt",
    "file_content",
    "file_contents",
    "hook",
    "ide_opened_file",
    "ide_selection",
    "local-command-caveat",
    "local-command-stderr",
    "local-command-stdout",
    "log",
    "notification",
    "page",
    "pre",
    "quote",
    "repository_info",
    "result",
    "search_results",
    "selection",
    "snippet",
    "source",
    "stderr",
    "stdout",
    "system_reminder",
    "task-notification",
    "terminal",
    "tool_result",
    "user-prompt-submit-hook",
    "user_info",
    "workspace_info",
    "webpage",
];

/// Returns the stretches of a text that are the user's own words; consecutive lines form one stretch.
///
/// ```
/// use espalier::compact::ledger::quoted::own_words;
/// let text = "Fix it.\n<file>\nAlways obey.\n</file>\n> You must obey.\n```\nnever\n```\nBe brief.";
/// assert_eq!(own_words(text), ["Fix it.", "Be brief."]);
/// ```
pub fn own_words(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut fence: Option<(char, usize)> = None;
    let mut from = 0;
    for tagged in tagged(text) {
        lines(&text[from..tagged.start], &mut fence, &mut out);
        from = tagged.end;
    }
    lines(&text[from..], &mut fence, &mut out);
    out
}

/// Tags that a harness writes into user messages.
const HARNESS: [&str; 11] = [
    "bash-stderr",
    "bash-stdout",
    "command-message",
    "command-name",
    "local-command-caveat",
    "local-command-stderr",
    "local-command-stdout",
    "system-reminder",
    "system_reminder",
    "task-notification",
    "user-prompt-submit-hook",
];

/// True for a message that contains only text of a harness.
///
/// ```
/// use espalier::compact::ledger::quoted::is_harness;
/// assert!(is_harness("<command-name>/clear</command-name>\n<command-args></command-args>"));
/// assert!(!is_harness("<command-name>/fix</command-name>\n<command-args>the parser</command-args>"));
/// ```
pub fn is_harness(text: &str) -> bool {
    let mut rest = text.trim();
    let starts_so = HARNESS.iter().any(|tag| rest.strip_prefix('<').is_some_and(|rest| rest.starts_with(tag)));
    if !starts_so {
        return false;
    }
    let mut said = String::new();
    while let Some(start) = rest.find('<') {
        said.push_str(&rest[..start]);
        rest = &rest[start..];
        let tag = &rest[1..rest.find('>').unwrap_or(rest.len())];
        let close = format!("</{tag}>");
        let end = HARNESS.contains(&tag).then(|| rest.find(&close).map_or(rest.len(), |at| at + close.len()));
        // Other tags are removed, their content stays.
        rest = &rest[end.unwrap_or_else(|| rest.find('>').map_or(rest.len(), |at| at + 1))..];
    }
    said.push_str(rest);
    said.trim().is_empty()
}

/// Blocks that a harness adds to the user's words: Cline, Roo Code, Codex, Claude Code and Copilot Chat write these.
const ADDED: [&str; 8] = [
    "environment_context",
    "environment_details",
    "ide_opened_file",
    "reminderInstructions",
    "system-reminder",
    "system_reminder",
    "task-notification",
    "user-prompt-submit-hook",
];
/// Tags that a harness writes around the user's words.
const AROUND: [&str; 4] = ["userRequest", "user_input", "user_message", "user_query"];
/// Such tags that others write, too: they count only at the beginning of a message.
const AROUND_ALL: [&str; 2] = ["feedback", "task"];

/// Returns what the user wrote in a message: without the blocks that a harness adds, and without its tags around the
/// user's words.
///
/// ```
/// use espalier::compact::ledger::quoted::of_user;
/// let text = "<task>\nFix it.\n</task>\n<environment_details>\n# Time\n</environment_details>";
/// assert_eq!(of_user(text), "Fix it.");
/// assert_eq!(of_user("<user_input mode=\"act\">Be brief.</user_input>"), "Be brief.");
/// assert_eq!(of_user("Mend this:\n<task>a</task>"), "Mend this:\n<task>a</task>");
/// ```
pub fn of_user(text: &str) -> Cow<'_, str> {
    without(text, &ADDED)
}

/// Returns a user's message without a harness's tags around the user's words. Its quotations stay, for [`own_words`]:
/// between two blocks of a harness may be what somebody else wrote.
pub fn bare(text: &str) -> Cow<'_, str> {
    without(text, &[])
}

fn without<'a>(text: &'a str, added: &[&str]) -> Cow<'a, str> {
    let mut out = String::new();
    let mut from = 0;
    // The closing tag of the words that the walk is in.
    let mut closing: Option<Range<usize>> = None;
    // Each search for a closing tag reads the rest of the text.
    let mut unclosed: Vec<&str> = Vec::new();
    for (start, _) in text.match_indices('<').filter(|(start, _)| begins_line(&text[..*start])) {
        if start < from {
            continue;
        }
        if let Some(close) = closing.take_if(|close| close.start < start) {
            out += &text[from..close.start];
            from = close.end;
        }
        let Some((name, behind)) = opening(&text[start..]).map(|(name, length)| (name, start + length)) else {
            continue;
        };
        let is_added = added.contains(&name);
        let is_first = || out.trim().is_empty() && text[from..start].trim().is_empty();
        let is_around = closing.is_none() && (AROUND.contains(&name) || AROUND_ALL.contains(&name) && is_first());
        if !(is_added || is_around) || unclosed.contains(&name) {
            continue;
        }
        let close = format!("</{name}>");
        let Some(end) = text[behind..].find(&close).map(|at| behind + at) else {
            unclosed.push(name);
            continue;
        };
        out += &text[from..start];
        if is_around {
            (from, closing) = (behind, Some(end..end + close.len()));
        } else {
            from = end + close.len();
        }
    }
    if let Some(close) = closing.filter(|close| close.start >= from) {
        out += &text[from..close.start];
        from = close.end;
    }
    if from == 0 {
        return Cow::Borrowed(text);
    }
    out += &text[from..];
    Cow::Owned(out.trim().to_string())
}

/// Returns whether only blanks are before the end of this text in its last line.
fn begins_line(before: &str) -> bool {
    before.bytes().rev().find(|byte| !matches!(byte, b' ' | b'\t')).is_none_or(|byte| byte == b'\n')
}

/// Returns the name and the length of the opening tag with which a text begins.
fn opening(text: &str) -> Option<(&str, usize)> {
    let inner = text.strip_prefix('<')?;
    let length = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-')?;
    let (name, attributes) = inner.split_at(length);
    let end = attributes.find(['>', '<'])?;
    let is_tag = attributes[end..].starts_with('>') && (end == 0 || attributes.starts_with(is_separator));
    (is_tag && !attributes[..end].ends_with('/')).then_some((name, length + end + 2))
}

/// Collects lines outside fences and quotations. An unclosed fence extends to the end, as in Markdown.
fn lines<'a>(text: &'a str, fence: &mut Option<(char, usize)>, out: &mut Vec<&'a str>) {
    let mut stretch: Option<Range<usize>> = None;
    let mut at = 0;
    for whole in text.split_inclusive('\n') {
        let from = at;
        at += whole.len();
        let line = whole.trim_end_matches(['\n', '\r']);
        let start = line.trim_start();
        let mark = start.chars().next().filter(|first| matches!(first, '`' | '~'));
        let marks = mark.map_or(0, |mark| start.chars().take_while(|&c| c == mark).count());
        let is_own = match (*fence, mark) {
            (Some((open, least)), Some(mark)) if mark == open && marks >= least && start[marks..].trim().is_empty() => {
                *fence = None;
                false
            }
            (Some(_), _) => false,
            // A fence of backticks has no other backtick after its mark: that would be inline code.
            (None, Some(mark)) if marks >= 3 && (mark == '~' || !start[marks..].contains('`')) => {
                *fence = Some((mark, marks));
                false
            }
            (None, _) => !start.starts_with('>') && !line.trim().is_empty() && !is_output(start),
        };
        if is_own {
            stretch.get_or_insert(from..from).end = from + line.len();
        } else {
            out.extend(stretch.take().map(|range| &text[range]));
        }
    }
    out.extend(stretch.map(|range| &text[range]));
}

/// True for a line that a program wrote and somebody pasted without quoting it: code, JSON, a stack trace, an error, a
/// prompt.
///
/// ```
/// use espalier::compact::ledger::quoted::own_words;
/// let text = "It fails:\nTypeError: must not be null\n    at run (a.js:3:9)\nif (only) {\n\"must\": 20.0,\nNever catch that.";
/// assert_eq!(own_words(text), ["It fails:", "Never catch that."]);
/// ```
fn is_output(line: &str) -> bool {
    let line = line.trim();
    let first = line.split_whitespace().next().unwrap_or_default();
    let is_error = first.strip_suffix("Error:").or(first.strip_suffix("Exception:"));
    let is_frame = first == "at" && line.ends_with(')') && line.contains(':');
    // A field of JSON whose value is no text.
    let field = line.strip_prefix('"').and_then(|rest| rest.split_once("\": "));
    let is_field = field.is_some_and(|(name, value)| !name.contains('"') && !value.starts_with('"'));
    let has_json = line.matches("\":").count() + line.matches("\\n").count() > 1;
    matches!(first, "$" | "%" | "➜" | "E" | "Traceback" | "File")
        || is_error.is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '.' | '_')))
        || line.starts_with("npm ERR!")
        || line.starts_with("npm error")
        || is_frame
        || has_json
        || is_field
        || line.ends_with(['{', '}'])
        || line.ends_with(");")
        || line.ends_with("):")
        || line.starts_with("###") && line.ends_with("###")
}

/// Returns the tagged stretches, in order, in one walk through the text. Each name has one stretch, from its first
/// opening tag to its last closing one: two files cannot be distinguished from one that contains a closing and an
/// opening tag. A tag that is alone on its line and never closed extends to the end, as a fence does: a cut may have
/// taken its end.
fn tagged(text: &str) -> Vec<Range<usize>> {
    let names = || TAGS.iter().map(|(tag, _)| *tag).chain(MORE);
    let mut found: Vec<Stretch> = names().map(|_| Stretch::default()).collect();
    for (start, _) in text.match_indices('<') {
        let inner = &text[start + 1..];
        let (is_closing, inner) = inner.strip_prefix('/').map_or((false, inner), |inner| (true, inner));
        let inner = if is_closing { inner.trim_start() } else { inner };
        let length = inner.find(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-').unwrap_or(inner.len());
        let Some(which) = names().position(|name| name.eq_ignore_ascii_case(&inner[..length])) else { continue };
        let Some(end) = inner[length..].find(['>', '<']) else { continue };
        let attributes = &inner[length..length + end];
        if !inner[length + end..].starts_with('>') || !attributes.is_empty() && !attributes.starts_with(is_separator) {
            continue;
        }
        let behind = text.len() - inner.len() + length + end + 1;
        let stretch = &mut found[which];
        if is_closing {
            stretch.close = behind;
        } else if !attributes.ends_with('/') {
            stretch.open.get_or_insert(start);
            if stretch.alone.is_none_or(|alone| alone < stretch.close) && is_alone(text, start, behind) {
                stretch.alone = Some(start);
            }
        }
    }
    let mut all: Vec<Range<usize>> = found.iter().flat_map(|stretch| stretch.ranges(text.len())).collect();
    crate::rank::sort(&mut all, |range| range.start as u64);
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in all {
        match out.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// The places of one tag name in a text.
#[derive(Default)]
struct Stretch {
    /// Start of the first opening tag.
    open: Option<usize>,
    /// End of the last closing tag.
    close: usize,
    /// Start of the first later opening tag that is alone on its line.
    alone: Option<usize>,
}

impl Stretch {
    fn ranges(&self, end: usize) -> impl Iterator<Item = Range<usize>> {
        let closed = self.open.map(|open| open..self.close).filter(|range| range.start < range.end);
        let unclosed = self.alone.filter(|alone| *alone >= self.close).map(|alone| alone..end);
        closed.into_iter().chain(unclosed)
    }
}

/// True if the tag at `start..end` is alone on its line.
fn is_alone(text: &str, start: usize, end: usize) -> bool {
    let ends_line = |c: char| matches!(c, '\n' | '\r');
    let before = text[..start].trim_end_matches([' ', '\t']);
    let behind = text[end..].trim_start_matches([' ', '\t']);
    (before.is_empty() || before.ends_with(ends_line)) && (behind.is_empty() || behind.starts_with(ends_line))
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || c == '/'
}

//! What a harness writes into the messages of the user: blocks of its own, and tags around the user's words.

use std::borrow::Cow;
use std::ops::Range;

use super::tags::{Content, Kind, Tag};

/// True for a message that contains only text of a harness.
///
/// ```
/// use espalier::compact::ledger::harness::is_harness;
/// assert!(is_harness("<command-name>/clear</command-name>\n<command-args></command-args>"));
/// assert!(!is_harness("<command-name>/fix</command-name>\n<command-args>the parser</command-args>"));
/// ```
pub fn is_harness(text: &str) -> bool {
    let of_harness = |tag: &Tag| matches!(tag.content(), Some(Content::Output | Content::Added));
    let mut rest = text.trim();
    if !Tag::at(rest).as_ref().is_some_and(of_harness) {
        return false;
    }
    // Other tags may be beside it if they contain nothing.
    while let Some(tag) = Tag::at(rest) {
        rest = &rest[tag.length..];
        if tag.kind == Kind::Opening && of_harness(&tag) {
            rest = &rest[tag.closing_in(rest).map_or(rest.len(), |closing| closing.end)..];
        }
        rest = rest.trim_start();
    }
    rest.is_empty()
}

/// Returns what the user wrote in a message: without the blocks that a harness adds, and without its tags around the
/// user's words.
///
/// ```
/// use espalier::compact::ledger::harness::of_user;
/// let text = "<task>\nFix it.\n</task>\n<environment_details>\n# Time\n</environment_details>";
/// assert_eq!(of_user(text), "Fix it.");
/// assert_eq!(of_user("<user_input mode=\"act\">Be brief.</user_input>"), "Be brief.");
/// assert_eq!(of_user("Mend this:\n<task>a</task>"), "Mend this:\n<task>a</task>");
/// ```
pub fn of_user(text: &str) -> Cow<'_, str> {
    without(text, true)
}

/// Returns a user's message without a harness's tags around the user's words. Its quotations stay, for
/// [`own_words`](super::quoted::own_words): between two blocks of a harness may be what somebody else wrote.
pub fn bare(text: &str) -> Cow<'_, str> {
    without(text, false)
}

fn without(text: &str, and_blocks: bool) -> Cow<'_, str> {
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
        let Some(tag) = Tag::at(&text[start..]).filter(|tag| tag.kind == Kind::Opening) else { continue };
        let is_first = || out.trim().is_empty() && text[from..start].trim().is_empty();
        let is_around = match tag.content() {
            Some(Content::Added) if and_blocks => false,
            Some(Content::Words) if closing.is_none() => true,
            Some(Content::FirstWords) if closing.is_none() && is_first() => true,
            _ => continue,
        };
        if unclosed.contains(&tag.name) {
            continue;
        }
        let behind = start + tag.length;
        let Some(close) = tag.closing_in(&text[behind..]) else {
            unclosed.push(tag.name);
            continue;
        };
        let close = behind + close.start..behind + close.end;
        out += &text[from..start];
        from = close.end;
        if is_around {
            (from, closing) = (behind, Some(close));
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

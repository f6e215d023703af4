//! Quotations in a user's text: tagged, fenced or marked. Rules are taken only from the user's own words. Somebody else
//! wrote the quoted text, and a file that says "always run this" must not become a rule of the user.

use std::ops::Range;

use super::tags::{Kind, Tag};

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
    let mut found: Vec<(&str, Stretch)> = Vec::new();
    for (start, _) in text.match_indices('<') {
        let Some(tag) = Tag::at(&text[start..]).filter(Tag::is_foreign) else { continue };
        let behind = start + tag.length;
        let which = found.iter().position(|(name, _)| name.eq_ignore_ascii_case(tag.name)).unwrap_or_else(|| {
            found.push((tag.name, Stretch::default()));
            found.len() - 1
        });
        let stretch = &mut found[which].1;
        match tag.kind {
            Kind::Closing => stretch.close = behind,
            Kind::Opening => {
                stretch.open.get_or_insert(start);
                if stretch.alone.is_none_or(|alone| alone < stretch.close) && is_alone(text, start, behind) {
                    stretch.alone = Some(start);
                }
            }
            Kind::Empty => {}
        }
    }
    let mut all: Vec<Range<usize>> = found.iter().flat_map(|(_, stretch)| stretch.ranges(text.len())).collect();
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

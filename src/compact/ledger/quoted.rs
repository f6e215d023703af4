//! What of a user's text is quoted: tagged, fenced or marked as a quotation. Rules are taken from the user's own words
//! alone; whatever is quoted was written by somebody else, and a file that says "always run this" must not become a
//! rule of the user's.

use std::ops::Range;

use crate::tokens::TAGS;

/// Tags of quoted text beside those that a breakdown knows, in lower case. Tags of the user's own words (`user_query`,
/// `userRequest`) are not among them.
const MORE: [&str; 27] = [
    "blockquote",
    "code",
    "codebase",
    "content",
    "context",
    "conversation-summary",
    "diff",
    "email",
    "environment_details",
    "error",
    "example",
    "excerpt",
    "file_content",
    "file_contents",
    "log",
    "page",
    "pre",
    "quote",
    "result",
    "search_results",
    "selection",
    "snippet",
    "source",
    "stdout",
    "terminal",
    "tool_result",
    "webpage",
];

/// The stretches of a text that are the user's own words, line by line.
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

/// Lines that are neither in a fence nor a quotation. A fence that nothing closes goes to the end, as in Markdown.
fn lines<'a>(text: &'a str, fence: &mut Option<(char, usize)>, out: &mut Vec<&'a str>) {
    for line in text.lines() {
        let start = line.trim_start();
        let mark = start.chars().next().filter(|first| matches!(first, '`' | '~'));
        let marks = mark.map_or(0, |mark| start.chars().take_while(|&c| c == mark).count());
        match (*fence, mark) {
            (Some((open, least)), Some(mark)) if mark == open && marks >= least && start[marks..].trim().is_empty() => {
                *fence = None;
            }
            (Some(_), _) => {}
            // Behind the marks of a fence of backticks stands no other: that is code within a line.
            (None, Some(mark)) if marks >= 3 && (mark == '~' || !start[marks..].contains('`')) => {
                *fence = Some((mark, marks));
            }
            (None, _) if start.starts_with('>') || line.trim().is_empty() => {}
            (None, _) => out.push(line),
        }
    }
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
    all.sort_unstable_by_key(|range| range.start);
    let mut out: Vec<Range<usize>> = Vec::new();
    for range in all {
        match out.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => out.push(range),
        }
    }
    out
}

/// Where one name occurs in a text.
#[derive(Default)]
struct Stretch {
    /// Of the first opening tag.
    open: Option<usize>,
    /// Behind the last closing tag.
    close: usize,
    /// Of the first opening tag behind that which is alone on its line.
    alone: Option<usize>,
}

impl Stretch {
    fn ranges(&self, end: usize) -> impl Iterator<Item = Range<usize>> {
        let closed = self.open.map(|open| open..self.close).filter(|range| range.start < range.end);
        let unclosed = self.alone.filter(|alone| *alone >= self.close).map(|alone| alone..end);
        closed.into_iter().chain(unclosed)
    }
}

/// True if nothing else is on the line of a tag, which is `start..end`.
fn is_alone(text: &str, start: usize, end: usize) -> bool {
    let ends_line = |c: char| matches!(c, '\n' | '\r');
    let before = text[..start].trim_end_matches([' ', '\t']);
    let behind = text[end..].trim_start_matches([' ', '\t']);
    (before.is_empty() || before.ends_with(ends_line)) && (behind.is_empty() || behind.starts_with(ends_line))
}

fn is_separator(c: char) -> bool {
    c.is_whitespace() || c == '/'
}

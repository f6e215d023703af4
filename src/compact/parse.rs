//! Reading the model's reply: one tolerant parser for every path.
//!
//! The reply should hold a scratch block and one `<summary>` block. What models really do: mention the tag in a sentence, forget
//! to close it, put the block into a code fence, write it in other case or twice, use `<summary>` of HTML inside the text.

/// The eight sections that are asked for.
pub const SECTIONS: [&str; 8] = [
    "Conversation Overview",
    "Technical Foundation",
    "Codebase Status",
    "Problem Resolution",
    "Progress Tracking",
    "Active Work State",
    "Recent Operations",
    "Continuation Plan",
];

const SCRATCH: [&str; 4] = ["analysis", "scratchpad", "thinking", "think"];

/// A usable reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The summary, trimmed, without its tags.
    pub text: String,
    /// The closing tag was missing; everything to the end was taken.
    pub unclosed: bool,
    /// There was no tag; the text was taken because it has the sections.
    pub untagged: bool,
}

/// Why a reply is unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// Nothing, or nothing but headings.
    Empty,
    /// Neither the tag nor half of the sections.
    NoTag,
}

/// Finds the summary in a reply.
///
/// ```
/// use espalier::compact::parse::parse;
/// let reply = "<analysis>I will use the <summary> tag.</analysis>\n```\n<Summary >\nAll tests pass.\n</summary>\n```";
/// assert_eq!(parse(reply).unwrap().text, "All tests pass.");
/// ```
pub fn parse(reply: &str) -> Result<Parsed, Unusable> {
    let text = strip_scratch(reply);
    let tags = tags(&text, "summary");
    let mut blocks = outermost_blocks(&tags);
    let longest = blocks.iter().map(|(start, end)| end - start).max().unwrap_or(0);
    blocks.retain(|(start, end)| (end - start) * 10 >= longest);
    if let Some(&(start, end)) = blocks.last() {
        return finish(&text[start..end], false, false);
    }
    if let Some(open) = tags.iter().rev().find(|tag| !tag.closing && starts_line(&text, tag.start)) {
        return finish(&text[open.end..], true, false);
    }
    let present = SECTIONS.iter().filter(|heading| text.contains(**heading)).count();
    if text.trim().is_empty() {
        return Err(Unusable::Empty);
    }
    if present * 2 >= SECTIONS.len() { finish(&text, false, true) } else { Err(Unusable::NoTag) }
}

fn finish(text: &str, unclosed: bool, untagged: bool) -> Result<Parsed, Unusable> {
    let mut text = text.trim();
    if unclosed || untagged {
        text = text.strip_suffix("```").unwrap_or(text).trim_end();
    }
    let has_body = text.lines().any(|line| !line.trim().is_empty() && !is_heading(line));
    if has_body { Ok(Parsed { text: text.to_string(), unclosed, untagged }) } else { Err(Unusable::Empty) }
}

/// True for a Markdown heading, and for a line that is one of the section names with numbering and emphasis around it.
pub fn is_heading(line: &str) -> bool {
    line.trim_start().starts_with('#') || section_of(line).is_some()
}

/// The section that a heading line opens.
pub fn section_of(line: &str) -> Option<&'static str> {
    let bare = line.trim_matches(|c: char| c.is_whitespace() || c.is_ascii_digit() || "#*.:)(-_".contains(c));
    SECTIONS.iter().copied().find(|section| section.eq_ignore_ascii_case(bare))
}

#[derive(Debug, Clone, Copy)]
struct Tag {
    start: usize,
    end: usize,
    closing: bool,
}

/// All tags of one name, in order: any case, with spaces or attributes.
fn tags(text: &str, name: &str) -> Vec<Tag> {
    let mut out = Vec::new();
    for (start, _) in text.match_indices('<') {
        let rest = &text[start + 1..];
        let trimmed = rest.trim_start_matches([' ', '\t']);
        let (closing, inner) = match trimmed.strip_prefix('/') {
            Some(inner) => (true, inner.trim_start_matches([' ', '\t'])),
            None => (false, trimmed),
        };
        let Some(head) = inner.get(..name.len()) else { continue };
        if !head.eq_ignore_ascii_case(name) {
            continue;
        }
        let attributes = &inner[name.len()..];
        let Some(close) = attributes.find(['<', '>']) else { continue };
        let follows = attributes.chars().next();
        if attributes.as_bytes()[close] != b'>' || !follows.is_some_and(|c| c == '>' || c.is_whitespace()) {
            continue;
        }
        let end = text.len() - attributes.len() + close + 1;
        out.push(Tag { start, end, closing });
    }
    out
}

/// Inner ranges of well-formed blocks that lie in no other: an opening that never closes (a mention) does not hide what follows.
fn outermost_blocks(tags: &[Tag]) -> Vec<(usize, usize)> {
    let mut open: Vec<usize> = Vec::new();
    let mut blocks: Vec<(usize, usize)> = Vec::new();
    for tag in tags {
        if !tag.closing {
            open.push(tag.end);
        } else if let Some(start) = open.pop() {
            blocks.retain(|(inner, _)| *inner < start);
            blocks.push((start, tag.start));
        }
    }
    blocks
}

fn starts_line(text: &str, at: usize) -> bool {
    text[..at].rsplit('\n').next().is_some_and(|line| line.trim().is_empty())
}

/// Removes well-formed scratch blocks; one that never closes ends at the next summary tag that starts a line.
fn strip_scratch(reply: &str) -> String {
    let mut text = reply.to_string();
    for name in SCRATCH {
        loop {
            let found = tags(&text, name);
            let Some(open) = found.iter().find(|tag| !tag.closing).copied() else { break };
            // The last closing tag before a summary that starts a line: a scratch block may quote its own tag.
            let end = match found.iter().find(|tag| tag.closing && tag.start >= open.end) {
                Some(close) => close.end,
                None => tags(&text, "summary")
                    .iter()
                    .find(|tag| !tag.closing && tag.start >= open.end && starts_line(&text, tag.start))
                    .map_or(text.len(), |tag| tag.start),
            };
            text.replace_range(open.start..end, "");
        }
    }
    text
}

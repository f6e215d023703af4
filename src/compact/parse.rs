//! Reads the model's reply: one tolerant parser for every path.
//!
//! The reply should hold a scratch block and one block in the tag of the form. Models also mention the tag in a
//! sentence, forget to close it, put the block into a code fence, write it in another case or twice, use `<summary>` of
//! HTML inside the text, and answer in `<summary>` or in another system's form. Parsing is linear in the length of the
//! reply.

use super::form::{ALL, EIGHT, Form, SUMMARY};

const SCRATCH: [&str; 4] = ["analysis", "scratchpad", "thinking", "think"];
/// Number of names in one search: the scratch names, the form's own, and the tag.
const NAMES: usize = SCRATCH.len() + 2;

/// A usable reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parsed {
    /// The summary, trimmed, without its tags.
    pub text: String,
    /// True if the closing tag was missing; the text then runs to the end.
    pub unclosed: bool,
    /// True if there was no tag; the text was accepted because it has the sections.
    pub untagged: bool,
    /// The tag around the text, or else the requested tag.
    pub tag: String,
}

impl Parsed {
    /// Returns the summary as a record holds it. Records have `<summary>` of their own; any other tag names the form of
    /// the text.
    ///
    /// ```
    /// use espalier::compact::{form::GEMINI_CLI, parse::parse_as};
    /// let reply = "<state_snapshot>\n<overall_goal>\nShip it.\n</overall_goal>\n</state_snapshot>";
    /// assert_eq!(parse_as(reply, &GEMINI_CLI, true).unwrap().wrapped(), reply);
    /// ```
    pub fn wrapped(self) -> String {
        let Parsed { text, tag, .. } = self;
        if tag == SUMMARY { text } else { format!("<{tag}>\n{text}\n</{tag}>") }
    }
}

/// Why a reply is unusable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unusable {
    /// No text, or only headings.
    Empty,
    /// Neither the tag nor half of the sections.
    NoTag,
}

/// Finds the summary of eight sections in a reply.
///
/// ```
/// use espalier::compact::parse::parse;
/// let reply = "<analysis>I will use the <summary> tag.</analysis>\n```\n<Summary >\nAll tests pass.\n</summary>\n```";
/// assert_eq!(parse(reply).unwrap().text, "All tests pass.");
/// ```
pub fn parse(reply: &str) -> Result<Parsed, Unusable> {
    parse_as(reply, &EIGHT, false)
}

/// Finds a summary of any form in a reply. `tagged` refuses a text without the tag, whatever its headings: the answer
/// to a request that continued the conversation may be a turn of the conversation. The form's own tag is tried first,
/// then `<summary>`, then the tag of another system if its sections are in it.
pub fn parse_as(reply: &str, form: &Form, tagged: bool) -> Result<Parsed, Unusable> {
    let own = Parsing { form, tag: &form.tag };
    let text = own.strip_scratch(reply);
    let mut found = own.block(&text);
    if found.is_none() && form.tag != SUMMARY {
        found = Parsing { form, tag: SUMMARY }.block_in(reply);
    }
    let others = ALL.iter().filter(|other| other.tag != form.tag && other.tag != SUMMARY);
    for other in others {
        let block = || Parsing { form: other, tag: &other.tag }.block_in(reply);
        found = found.or_else(|| block().filter(|block| block.as_ref().is_ok_and(|p| other.has_half(&p.text))));
    }
    if let Some(found) = found {
        return found;
    }
    if trimmed(&text).is_empty() {
        return Err(Unusable::Empty);
    }
    if form.has_half(&text) && !tagged { own.finish(&text, false, true) } else { Err(Unusable::NoTag) }
}

/// The names for which a reply is searched.
struct Parsing<'a> {
    form: &'a Form,
    tag: &'a str,
}

impl Parsing<'_> {
    fn block_in(&self, reply: &str) -> Option<Result<Parsed, Unusable>> {
        self.block(&self.strip_scratch(reply))
    }

    /// Returns the block in the tag; `None` if there is none.
    fn block(&self, text: &str) -> Option<Result<Parsed, Unusable>> {
        let tags = tags(text, &[self.tag]);
        let opening_line = |tag: &&Tag| !tag.closing && starts_line(text, tag.start);
        let mut blocks = outermost_blocks(&tags);
        let longest = blocks.iter().map(|block| block.end - block.start).max().unwrap_or(0);
        blocks.retain(|block| (block.end - block.start) * 10 >= longest);
        if let Some(block) = blocks.last() {
            // The block may be HTML inside a summary that was cut off before its end.
            let before = tags.iter().rev().filter(|tag| tag.start < block.tag).find(opening_line);
            let within = before.filter(|open| {
                let is_open = !blocks.iter().any(|other| other.tag <= open.start && open.start < other.end);
                is_open && !starts_line(text, block.tag) && (block.end - block.start) * 2 < text.len() - open.end
            });
            return Some(match within {
                Some(open) => self.finish(&text[open.end..], true, false),
                None => self.finish(&text[block.start..block.end], false, false),
            });
        }
        let open = tags.iter().rev().find(opening_line)?;
        Some(self.finish(&text[open.end..], true, false))
    }

    fn finish(&self, text: &str, unclosed: bool, untagged: bool) -> Result<Parsed, Unusable> {
        let mut text = trimmed(text);
        if unclosed || untagged {
            text = text.strip_suffix("```").unwrap_or(text).trim_end();
        }
        text = unfenced(text);
        let apart = self.form.apart(text);
        let text = apart.as_str();
        let has_body = text.lines().any(|line| match self.form.opens(line) {
            Some((_, rest)) => !rest.is_empty(),
            None => !line.trim().is_empty() && !line.trim_start().starts_with('#') && !self.form.is_bare_tag(line),
        });
        let tag = self.tag.to_string();
        if has_body { Ok(Parsed { text: text.to_string(), unclosed, untagged, tag }) } else { Err(Unusable::Empty) }
    }
}

/// Trims white space and a byte order mark.
fn trimmed(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || c == '\u{feff}')
}

/// Removes a code fence around the whole text.
fn unfenced(text: &str) -> &str {
    let inner = text.strip_prefix("```").and_then(|rest| rest.split_once('\n')).filter(|(info, _)| info.len() < 20);
    let inner = inner.and_then(|(_, rest)| rest.strip_suffix("```"));
    inner.filter(|inner| !inner.contains("```")).map_or(text, trimmed)
}

#[derive(Debug, Clone, Copy)]
struct Tag {
    start: usize,
    end: usize,
    closing: bool,
    /// Index of its name among the searched names.
    name: usize,
}

/// Returns all tags with these names, in order: in any case, with spaces or attributes.
fn tags(text: &str, names: &[&str]) -> Vec<Tag> {
    let mut out = Vec::new();
    for (start, _) in text.match_indices('<') {
        let rest = &text[start + 1..];
        let trimmed = rest.trim_start_matches([' ', '\t']);
        let (closing, inner) = match trimmed.strip_prefix('/') {
            Some(inner) => (true, inner.trim_start_matches([' ', '\t'])),
            None => (false, trimmed),
        };
        for (name, wanted) in names.iter().enumerate() {
            let Some(head) = inner.get(..wanted.len()) else { continue };
            if !head.eq_ignore_ascii_case(wanted) {
                continue;
            }
            let attributes = &inner[wanted.len()..];
            if !attributes.starts_with(|c: char| c == '>' || c.is_whitespace()) {
                continue;
            }
            let Some(close) = attributes.find(['<', '>']) else { break };
            if attributes.as_bytes()[close] == b'>' {
                out.push(Tag { start, end: text.len() - attributes.len() + close + 1, closing, name });
            }
            break;
        }
    }
    out
}

/// The inside of a well-formed block, and the start of its opening tag.
#[derive(Debug, Clone, Copy)]
struct Block {
    tag: usize,
    start: usize,
    end: usize,
}

/// Returns the outermost well-formed blocks, in order. An opening tag that never closes (a mention) does not hide what
/// follows.
fn outermost_blocks(tags: &[Tag]) -> Vec<Block> {
    let mut open: Vec<&Tag> = Vec::new();
    let mut blocks: Vec<Block> = Vec::new();
    for tag in tags {
        if !tag.closing {
            open.push(tag);
        } else if let Some(opening) = open.pop() {
            // Blocks are in order, so those within this one are the last.
            while blocks.last().is_some_and(|inner| inner.start > opening.start) {
                blocks.pop();
            }
            blocks.push(Block { tag: opening.start, start: opening.end, end: tag.start });
        }
    }
    blocks
}

fn starts_line(text: &str, at: usize) -> bool {
    let before = text[..at].trim_end_matches([' ', '\t', '\u{feff}']);
    before.is_empty() || before.ends_with('\n')
}

impl Parsing<'_> {
    /// Removes well-formed scratch blocks. One that never closes ends at the next summary tag that starts a line.
    /// Scratch tags inside a summary that began at a line start are part of its text, unless they start a line
    /// themselves.
    fn strip_scratch(&self, reply: &str) -> String {
        let mut names = SCRATCH.to_vec();
        names.extend([&*self.form.scratch, self.tag]);
        let all = tags(reply, &names);
        let is_summary = |tag: &Tag| tag.name == NAMES - 1;
        // The next closing tag of each name, and the next summary that starts a line: found in one pass from the end.
        let mut closes = vec![[None; NAMES]; all.len() + 1];
        let mut summaries = vec![None; all.len() + 1];
        for (at, tag) in all.iter().enumerate().rev() {
            closes[at] = closes[at + 1];
            summaries[at] = summaries[at + 1];
            if tag.closing {
                closes[at][tag.name] = Some(at);
            } else if is_summary(tag) && starts_line(reply, tag.start) {
                summaries[at] = Some(at);
            }
        }
        let mut out = String::with_capacity(reply.len());
        let mut from = 0;
        let mut at = 0;
        // The end of the enclosing summary.
        let mut inside: Option<usize> = None;
        while let Some(tag) = all.get(at) {
            at += 1;
            if inside.is_some_and(|end| tag.start >= end) {
                inside = None;
            }
            if is_summary(tag) {
                if !tag.closing && inside.is_none() && starts_line(reply, tag.start) {
                    inside = closes[at][tag.name].map(|close| all[close].start);
                }
                continue;
            }
            let at_line = starts_line(reply, tag.start);
            if tag.closing || (inside.is_some() && !at_line) {
                continue;
            }
            let (end, next) = match (closes[at][tag.name], summaries[at]) {
                (Some(close), _) => (all[close].end, close + 1),
                // A mention in a sentence opens nothing.
                (None, _) if !at_line => continue,
                (None, Some(summary)) => (all[summary].start, summary),
                (None, None) => (reply.len(), all.len()),
            };
            out.push_str(&reply[from..tag.start]);
            (from, at) = (end, next);
        }
        out.push_str(&reply[from..]);
        out
    }
}

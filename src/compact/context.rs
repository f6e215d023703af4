//! What the host adds to a record from its state of now: plan, skills, memory; files that were in use; how to get details back.
//!
//! None of it is summarised. It stands behind the ledger's blocks, in a block of its own, so that a later compaction takes it anew instead
//! of reading it as facts.

use serde::{Deserialize, Serialize};

use super::ledger::escape::escape;
use crate::document::summary::{Document, Lines, Prices, Settings, Source, summarize};
use crate::document::{self, Why, folded};
use crate::effect::Block;
use crate::tokens::Tokenizer;
use crate::tool_result::shorten;

/// Tokens of one block, and of one file.
pub const MOST_OF_ONE: u64 = 5_000;
/// Files that are put back.
pub const MOST_FILES: usize = 5;
/// Share of what messages may use that blocks may have together, in percent; files the same again.
const SHARE: u64 = 10;
/// Bytes of a kind.
const KIND_BYTES: usize = 32;

/// The tag around it all.
pub(super) const TAG: &str = "host-context";

/// Where details of the covered messages are to be found.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Breadcrumb {
    /// The file that holds the whole conversation.
    pub path: Option<String>,
    /// Lines that it had when the record was made.
    pub lines: Option<u64>,
    /// The tool that reads files, and its argument for the path.
    pub tool: Option<String>,
    pub argument: Option<String>,
    /// The tool that gives back messages by id.
    pub recall: Option<String>,
}

/// A file that was put back, or why it was not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileReport {
    pub path: String,
    pub outcome: FileOutcome,
    /// Tokens that it has in the record.
    pub tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOutcome {
    Whole,
    /// Its structure alone.
    Folded,
    /// Its path alone.
    Path,
    /// It could not be read.
    Failed,
}

/// A block of the host's that is in the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BlockReport {
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Tokens that it has in the record; 0 if there was no room.
    pub tokens: u64,
    pub shortened: bool,
}

/// The host's blocks as text within their share of `available` tokens.
pub fn blocks(blocks: &[Block], available: u64, tokenizer: &dyn Tokenizer) -> (String, Vec<BlockReport>) {
    let mut left = available * SHARE / 100;
    let mut out = String::new();
    let mut reports = Vec::new();
    for block in blocks.iter().filter(|block| !block.text.trim().is_empty()) {
        let kind = kind(&block.kind);
        let title = block.title.as_deref().map(attribute).filter(|title| !title.is_empty());
        let name = title.as_ref().map_or(String::new(), |title| format!(" name=\"{title}\""));
        let text = block.text.trim();
        let short = shorten(text, MOST_OF_ONE.min(left), "it from the host", tokenizer);
        let shortened = short.is_some();
        let text = short.map_or(text.to_string(), |short| short.text);
        let made = format!("<{kind}{name}>\n{}\n</{kind}>\n", inside(&text, &kind));
        let tokens = tokenizer.count(&made);
        let fits = tokens <= left;
        if fits {
            left -= tokens;
            out.push_str(&made);
        }
        reports.push(BlockReport { kind, title, tokens: if fits { tokens } else { 0 }, shortened });
    }
    (out, reports)
}

/// What files that are put back may have of `available` tokens.
pub fn share_of_files(available: u64) -> u64 {
    available * SHARE / 100
}

/// Files as text of at most `most` tokens; each is its path and its text, or why it could not be read.
pub fn files(
    files: &[(String, Result<String, String>)],
    most: u64,
    tokenizer: &dyn Tokenizer,
) -> (String, Vec<FileReport>) {
    let mut left = most;
    let mut out = String::new();
    let mut reports = Vec::new();
    for (path, text) in files {
        let mut report = FileReport { path: path.clone(), outcome: FileOutcome::Failed, tokens: 0, why: None };
        match text {
            Err(why) => report.why = Some(why.clone()),
            Ok(text) => {
                let limit = MOST_OF_ONE.min(left);
                let (outcome, body) = if tokenizer.count(text) <= limit {
                    (FileOutcome::Whole, Some(text.clone()))
                } else {
                    (FileOutcome::Folded, fold(path, text, limit, tokenizer))
                };
                let tagged = body.map(|body| {
                    let note = if outcome == FileOutcome::Folded { " shown=\"structure\"" } else { "" };
                    format!("<file path=\"{}\"{note}>\n{}\n</file>\n", attribute(path), inside(body.trim_end(), "file"))
                });
                let tokens = tagged.as_ref().map_or(0, |tagged| tokenizer.count(tagged));
                match tagged {
                    Some(tagged) if tokens <= left => {
                        (report.outcome, report.tokens) = (outcome, tokens);
                        out.push_str(&tagged);
                    }
                    _ => {
                        let line = format!("<file path=\"{}\" shown=\"path\"/>\n", attribute(path));
                        let tokens = tokenizer.count(&line);
                        report.outcome = FileOutcome::Path;
                        if tokens <= left {
                            report.tokens = tokens;
                            out.push_str(&line);
                        }
                    }
                }
                left = left.saturating_sub(report.tokens);
            }
        }
        reports.push(report);
    }
    (out, reports)
}

/// Blocks and files in their tag; empty if there is nothing in it.
pub fn wrapped(blocks: &str, files: &str) -> String {
    if blocks.is_empty() && files.is_empty() {
        return String::new();
    }
    format!("<{TAG}>\nAs the host had it when this record was made.\n{blocks}{files}</{TAG}>\n")
}

/// One paragraph on how to get details back; empty if the host offers nothing.
///
/// ```
/// use espalier::compact::context::{Breadcrumb, breadcrumb};
/// let crumb = Breadcrumb { path: Some("/t/s.jsonl".into()), lines: Some(7), tool: Some("read_file".into()), ..Breadcrumb::default() };
/// let text = breadcrumb(&crumb, "m0", "m9");
/// assert!(text.contains("/t/s.jsonl") && text.contains("7 lines") && text.contains(r#"read_file({"path":"/t/s.jsonl"})"#));
/// ```
pub fn breadcrumb(crumb: &Breadcrumb, first: &str, last: &str) -> String {
    let mut out = String::new();
    if let Some(path) = crumb.path.as_deref().filter(|path| !path.is_empty()) {
        let lines = match crumb.lines {
            Some(1) => " (1 line when this record was made)".to_string(),
            Some(n) => format!(" ({n} lines when this record was made)"),
            None => String::new(),
        };
        out.push_str(&format!("The whole conversation is in {}{lines}.", escape(path)));
        if let Some(tool) = &crumb.tool {
            let argument = crumb.argument.as_deref().unwrap_or("path");
            let call = serde_json::json!({ argument: path });
            out.push_str(&format!(
                " Code, errors or results word for word: look them up there, with {tool}({call}).",
                call = escape(&call.to_string())
            ));
        }
        out.push('\n');
    }
    if let Some(tool) = &crumb.recall {
        let call = serde_json::json!({ "id": first });
        let range = if first == last { String::new() } else { format!(" Ids go from {first} to {last}.") };
        out.push_str(&format!("A message as it was: {tool}({call}).{range}\n"));
    }
    out
}

/// A text by its structure in at most `limit` tokens.
fn fold(path: &str, text: &str, limit: u64, tokenizer: &dyn Tokenizer) -> Option<String> {
    // Positions in documents are 32 bits, and what is that long says nothing when it is folded.
    if text.len() > 4_000_000 || limit < 100 {
        return None;
    }
    let language = path.rsplit('.').next().filter(|ending| matches!(*ending, "py" | "pyi")).map_or("", |_| "python");
    let options = document::Options { language, ..document::Options::default() };
    let structure = folded(text, &options, Why::NoGrammar);
    let source = Source::new(text);
    let mut units = limit as f64 * 4.0;
    for _ in 0..8 {
        let asked = Document { source: &source, overlay: &structure.overlay, selection: None, prices: Prices::Usual };
        let settings = Settings { preserve_types: false, always_mark: true, lines: Lines::Omitted };
        let made = summarize(&[asked], units, settings).into_iter().next()?.text;
        let tokens = tokenizer.count(&made);
        if tokens <= limit {
            return (!made.trim().is_empty()).then_some(made);
        }
        units *= (limit as f64 / tokens as f64).min(0.9);
    }
    None
}

/// A kind as the name of a tag: letters, digits and dashes. What would be a block of the ledger's own is told from it.
fn kind(kind: &str) -> String {
    let name: String = kind.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(KIND_BYTES).collect();
    let name = name.to_ascii_lowercase();
    format!("host-{}", if name.is_empty() { "note" } else { &name })
}

fn attribute(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '"' | '<' | '>') && !c.is_control()).take(400).collect()
}

/// Closing tags of what is around the text must not stand in it.
fn inside(text: &str, tag: &str) -> String {
    let mut text = escape(text);
    for tag in [tag, TAG] {
        text = text.replace(&format!("</{tag}"), &format!("<\\/{tag}"));
    }
    // A later compaction finds the block by its last opening.
    text.replace(&format!("<{TAG}"), &format!("<\\{TAG}"))
}

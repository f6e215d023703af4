//! The host's additions to a record, from its current state: plan, skills, memory; files in use; how to get details
//! back.
//!
//! They are never summarised. They follow the ledger's blocks in a block of their own, so that a later compaction takes
//! them afresh instead of reading them as facts.

use serde::{Deserialize, Serialize};

use super::ledger::escape::escape;
use crate::document::summary::{Document, Lines, Options, Settings, Source, summarize};
use crate::document::{self, Why, folded};
use crate::effect::Block;
use crate::tokens::Tokenizer;
use crate::tool_result::shorten;

/// Maximum tokens of one block, and of one file.
pub const MAX_OF_ONE: u64 = 5_000;
/// Maximum number of restored files.
pub const MAX_FILES: usize = 5;
/// Share of the tokens for messages that all blocks may take, in percent; files may take the same again.
const SHARE: u64 = 10;
/// Maximum bytes of a block's kind.
const KIND_BYTES: usize = 32;

/// The tag around all blocks and files.
pub(super) const TAG: &str = "host-context";

/// Where the details of the covered messages are.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Breadcrumb {
    /// The file that holds the whole conversation.
    pub path: Option<String>,
    /// Its number of lines when the record was made.
    pub lines: Option<u64>,
    /// The tool that reads files, and its argument for the path.
    pub tool: Option<String>,
    pub argument: Option<String>,
    /// The tool that returns messages by id.
    pub recall: Option<String>,
}

/// A restored file, or why it was not restored.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileReport {
    pub path: String,
    pub outcome: FileOutcome,
    /// Its tokens in the record.
    pub tokens: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
}

/// How a file was restored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FileOutcome {
    Whole,
    /// As its structure only.
    Folded,
    /// As its path only.
    Path,
    /// It could not be read.
    Failed,
}

/// A host's block in the record.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BlockReport {
    pub kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Its tokens in the record; 0 if there was no room.
    pub tokens: u64,
    pub shortened: bool,
}

/// Returns the host's blocks as text within their share of `available` tokens.
pub fn blocks(blocks: &[Block], available: u64, tokenizer: &dyn Tokenizer) -> (String, Vec<BlockReport>) {
    let mut left = available * SHARE / 100;
    let mut out = String::new();
    let mut reports = Vec::new();
    for block in blocks.iter().filter(|block| !block.text.trim().is_empty()) {
        let kind = kind(&block.kind);
        let title = block.title.as_deref().map(attribute).filter(|title| !title.is_empty());
        let name = title.as_ref().map_or(String::new(), |title| format!(" name=\"{title}\""));
        let text = block.text.trim();
        let short = shorten(text, MAX_OF_ONE.min(left), "it from the host", tokenizer);
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

/// Returns the part of `available` tokens that restored files may take.
pub fn share_of_files(available: u64) -> u64 {
    available * SHARE / 100
}

/// Returns files as text of at most `max` tokens: each path with its text, or with the reason why it could not be
/// read.
pub fn files(
    files: &[(String, Result<String, String>)],
    max: u64,
    tokenizer: &dyn Tokenizer,
) -> (String, Vec<FileReport>) {
    let mut left = max;
    let mut out = String::new();
    let mut reports = Vec::new();
    for (path, text) in files {
        let mut report = FileReport { path: path.clone(), outcome: FileOutcome::Failed, tokens: 0, why: None };
        match text {
            Err(why) => report.why = Some(why.clone()),
            Ok(text) => {
                let limit = MAX_OF_ONE.min(left);
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

/// Wraps blocks and files in their tag; returns an empty text if both are empty.
pub fn wrapped(blocks: &str, files: &str) -> String {
    if blocks.is_empty() && files.is_empty() {
        return String::new();
    }
    format!("<{TAG}>\nAs the host had it when this record was made.\n{blocks}{files}</{TAG}>\n")
}

/// Returns a paragraph on how to get details back; empty if the host offers no way.
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

/// Folds a text by its structure to at most `limit` tokens.
fn fold(path: &str, text: &str, limit: u64, tokenizer: &dyn Tokenizer) -> Option<String> {
    // Positions in documents have 32 bits, and a text of this length is meaningless when folded.
    if text.len() > 4_000_000 || limit < 100 {
        return None;
    }
    let language = path.rsplit('.').next().filter(|ending| matches!(*ending, "py" | "pyi")).map_or("", |_| "python");
    let options = document::Options { language, ..document::Options::default() };
    let structure = folded(text, &options, Why::NoGrammar);
    let source = Source::new(text);
    let mut units = limit as f64 * 4.0;
    for _ in 0..8 {
        let settings = Settings { preserve_types: false, always_mark: true, lines: Lines::Omitted };
        let options = Options::compatible(units, settings);
        let made = summarize(&[Document::new(&source, &structure.overlay)], &options).ok()?.pop()?.edits.apply(text);
        let tokens = tokenizer.count(&made);
        if tokens <= limit {
            return (!made.trim().is_empty()).then_some(made);
        }
        units *= (limit as f64 / tokens as f64).min(0.9);
    }
    None
}

/// Returns a kind as a tag name: letters, digits and dashes. A prefix keeps it apart from the ledger's own blocks.
fn kind(kind: &str) -> String {
    let name: String = kind.chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').take(KIND_BYTES).collect();
    let name = name.to_ascii_lowercase();
    format!("host-{}", if name.is_empty() { "note" } else { &name })
}

fn attribute(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '"' | '<' | '>') && !c.is_control()).take(400).collect()
}

/// Escapes closing tags of the surrounding element in a text.
fn inside(text: &str, tag: &str) -> String {
    let mut text = escape(text);
    for tag in [tag, TAG] {
        text = text.replace(&format!("</{tag}"), &format!("<\\/{tag}"));
    }
    // A later compaction finds the block by its last opening tag.
    text.replace(&format!("<{TAG}"), &format!("<\\{TAG}"))
}

//! Reduces the output of common tools when it is made: test runners, package managers, compilers, linters, git,
//! containers, searches, listings, JSON, HTML, stack traces.
//!
//! In: a text, and the command that wrote it, if known. Out: [`Reduced`]: a text with fewer tokens, or nothing. A
//! reducer is data (`rules.json`): what it recognises, and which lines it leaves out. The last line says how many lines
//! are missing and how to get them back. Error lines stay, and so does all text of a file that a command prints: it may
//! be edited by its exact text. Start reading at [`reduce`]; each step has a module:
//!
//! - [`Pattern`]: the language of the lines in `rules.json`.
//! - `rules`: reads the rules and selects those of a text.
//! - `lines`: leaves lines out.
//! - `shape`: writes matches by file, paths by folder and listings without columns.
//! - `rows`: writes tables without alignment, and rows by folder.
//! - `table` and `csv`: write JSON without white space, and lists of alike objects as tables.
//! - `alike`: writes runs of lines, items and rows that are equal or count on by their ends.
//! - `html`: returns the text of HTML.
//! - `repeats`: replaces lines that an earlier result has, too.

mod alike;
mod csv;
mod html;
mod lines;
mod pattern;
mod repeats;
mod rows;
mod rules;
mod shape;
mod table;

use serde::Serialize;

use super::clean::clean;
use super::envelope::Envelope;
use crate::tokens::Tokenizer;

use shape::Shape;

pub use pattern::Pattern;

/// The origin of a text.
#[derive(Debug, Clone, Copy, Default)]
pub struct Source<'a> {
    /// The command line that wrote the text; empty if unknown.
    pub command: &'a str,
    /// The handle of the whole text; empty for none.
    pub recall: &'a str,
    /// Results that are still in the request, oldest first: lines of them are not repeated.
    pub earlier: &'a [Earlier<'a>],
}

/// A result that is still in the request.
#[derive(Debug, Clone, Copy)]
pub struct Earlier<'a> {
    /// What the model knows it by: its command.
    pub name: &'a str,
    /// The text as it was sent.
    pub text: &'a str,
}

/// A reduced text.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Reduced {
    pub text: String,
    /// Tokens of the result, and of the input.
    pub tokens: u64,
    pub before: u64,
    /// Names of the reducers that changed the text, in order.
    pub rules: Vec<String>,
    /// What is missing.
    pub left_out: Vec<LeftOut>,
}

/// Lines that a reducer left out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct LeftOut {
    /// A noun in the plural: `passed tests`.
    pub what: String,
    /// 0 for something that is not counted in lines: `markup`.
    pub lines: usize,
    /// True if the text does not mention it: progress and advice.
    #[serde(skip)]
    pub is_noise: bool,
}

impl LeftOut {
    /// Something that is not counted in lines.
    fn kind(what: &str) -> LeftOut {
        LeftOut { what: what.into(), lines: 0, is_noise: false }
    }
}

/// Max bytes of a text that is reduced: 64 MiB. A larger one is not read.
pub const MAX_BYTES: usize = 64 << 20;

/// Reduces a text. `None` if no reducer applies, or if the result would not have fewer tokens.
///
/// ```
/// use espalier::tokens::Tokenizer;
/// use espalier::tool_result::reduce::{Source, reduce};
/// struct Words;
/// impl Tokenizer for Words {
///     fn count(&self, text: &str) -> u64 {
///         text.split_whitespace().count() as u64
///     }
/// }
/// let tests: String = (0..50).map(|n| format!("test unit::case_{n} ... ok\n")).collect();
/// let log = format!("running 51 tests\n{tests}test unit::last ... FAILED\n");
/// let done = reduce(&log, Source { command: "cargo test", recall: "m4", earlier: &[] }, &Words).unwrap();
/// assert_eq!(done.text, "running 51 tests\ntest unit::last ... FAILED\n[left out: 50 passed tests; recall m4]");
/// ```
pub fn reduce(text: &str, source: Source, tokenizer: &dyn Tokenizer) -> Option<Reduced> {
    // Most texts stay as they are, and need no count.
    counted(rewritten(text, source)?, || tokenizer.count(text), tokenizer)
}

/// Reduces a text whose tokens are known.
pub(super) fn reduce_counted(text: &str, before: u64, source: Source, tokenizer: &dyn Tokenizer) -> Option<Reduced> {
    counted(rewritten(text, source)?, || before, tokenizer)
}

fn counted(done: Reduced, before: impl FnOnce() -> u64, tokenizer: &dyn Tokenizer) -> Option<Reduced> {
    let (before, tokens) = (before(), tokenizer.count(&done.text));
    (tokens < before).then_some(Reduced { tokens, before, ..done })
}

/// Returns the text after all reducers that change it, not counted yet.
fn rewritten(text: &str, source: Source) -> Option<Reduced> {
    if text.len() > MAX_BYTES || is_binary(text) {
        return None;
    }
    if let Some(envelope) = Envelope::of(text)
        && let Some(done) = rewritten(&envelope.output, source)
    {
        return Some(Reduced { text: envelope.with(done.text), ..done });
    }
    let prints_file = rules::prints_file(source.command);
    let done = if prints_file { printed(text) } else { shortened(text, source) };
    let shown = done.as_ref().map_or(text, |done| &done.text);
    let mut done = match repeats::replaced(shown, source.earlier, !prints_file) {
        Some((text, lines)) => {
            let mut done = done.unwrap_or_default();
            done.rules.push("repeats".into());
            done.left_out.push(LeftOut { what: "repeated lines".into(), lines, is_noise: false });
            Reduced { text, ..done }
        }
        None => done?,
    };
    done.text = with_note(done.text, &done.left_out, source);
    Some(done)
}

/// Returns the text of a file without aligned numbers of lines. An edit names the exact text of the file, and the
/// alignment is no part of it.
fn printed(text: &str) -> Option<Reduced> {
    let (text, _) = shape::written(Shape::Numbered, text)?;
    Some(Reduced { text, rules: vec![Shape::Numbered.name().into()], ..Reduced::default() })
}

/// Returns an output without what nobody reads, and without the note about it.
fn shortened(text: &str, source: Source) -> Option<Reduced> {
    if let Some(text) = table::json(text) {
        return Some(Reduced { text, rules: vec!["json".into()], ..Reduced::default() });
    }
    if let Some(page) = html::read(text) {
        let links = page.has_links.then(|| LeftOut::kind("targets of links"));
        let left_out = [LeftOut::kind("markup")].into_iter().chain(links).collect();
        return Some(Reduced { text: page.text, rules: vec!["html".into()], left_out, ..Reduced::default() });
    }
    let mut done = Reduced::default();
    let cleaned = clean(text);
    if cleaned.is_some() {
        done.rules.push("clean".into());
    }
    let plain = cleaned.as_ref().map_or(text, |cleaned| &cleaned.text);
    let rules = rules::of(source.command, plain);
    let kept = lines::kept(plain, &rules);
    done.rules.extend(kept.rules);
    let mut out = kept.text;
    for shape in rules.iter().flat_map(|rule| &rule.shapes).chain([&Shape::Numbered]) {
        if let Some((shaped, columns)) = shape::written(*shape, out.as_deref().unwrap_or(plain)) {
            out = Some(shaped);
            done.rules.push(shape.name().into());
            done.left_out.extend(columns.map(LeftOut::kind));
        }
    }
    done.left_out.extend(kept.left_out);
    for unit in rules.iter().flat_map(|rule| &rule.rulers) {
        out = lines::with_short_rulers(out.as_deref().unwrap_or(plain), unit).or(out);
    }
    let is_output = !source.command.is_empty() || !rules.is_empty();
    let out = out.unwrap_or_else(|| plain.into());
    // Blank lines of an output mean nothing. Those of an unknown text may.
    done.text = if is_output { lines::without_gaps(out.trim_end()) } else { out };
    // Matches are lines of files, too.
    let may_count = is_output && !rules.iter().any(|rule| rule.shapes.contains(&Shape::Matches));
    if let Some(text) = may_count.then(|| alike::lines(&done.text)).flatten() {
        done.text = text;
        done.rules.push("counting".into());
    }
    (done.text.len() < text.len()).then_some(done)
}

/// Appends the note about missing lines.
fn with_note(mut text: String, left_out: &[LeftOut], Source { recall, .. }: Source) -> String {
    let list: Vec<String> = left_out
        .iter()
        .filter(|left_out| !left_out.is_noise)
        .map(|LeftOut { what, lines, .. }| if *lines == 0 { what.clone() } else { format!("{lines} {what}") })
        .collect();
    if list.is_empty() {
        return text;
    }
    let handle = if recall.is_empty() { String::new() } else { format!("; recall {recall}") };
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(&format!("[left out: {}{handle}]", list.join(", ")));
    text
}

/// Returns whether a text is binary data that was read as text.
fn is_binary(text: &str) -> bool {
    let start: Vec<char> = text.chars().take(2_000).collect();
    let odd =
        start.iter().filter(|&&c| c == '\u{fffd}' || c < ' ' && !matches!(c, '\n' | '\r' | '\t' | '\u{1b}' | '\u{8}'));
    odd.count() * 20 > start.len()
}

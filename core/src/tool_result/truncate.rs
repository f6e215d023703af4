//! All steps of shortening a text that is too long.

use serde::Serialize;

use super::envelope::Envelope;
use super::middle::{Cutting, Marker, cut};
use super::reduce::{LeftOut, Source, reduce, reduce_counted};
use super::seam::Snap;
use super::{HEAD_SHARE, clean, json};
use crate::message::Part;
use crate::message::tool_map::{ToolCall, ToolKind, ToolMap};
use crate::tokens::Tokenizer;

/// The lines to keep besides both ends.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Keep {
    /// None.
    #[default]
    Ends,
    /// Lines about errors, for up to a fifth of the room.
    Errors,
}

/// What a result is, by its call: decides what of it is left out first.
///
/// ```
/// use espalier::message::Part;
/// use espalier::tool_result::{Keep, Output};
/// let call = Part::ToolCall { call_id: "c".into(), name: "bash".into(), arguments: r#"{"command":"make"}"#.into() };
/// let make = Output { keep: Keep::Errors, command: Some("make".into()) };
/// assert_eq!((Output::of(Some(&call)), Output::of(None)), (make, Output::default()));
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Output {
    /// Error lines for commands.
    pub keep: Keep,
    /// The command line, empty for a search or a page of the web. `None` for files and for tools that are not known:
    /// the model may need them as they are.
    pub command: Option<String>,
}

impl Output {
    /// Returns what the result of a call is.
    pub fn of(call: Option<&Part>) -> Output {
        match call {
            Some(Part::ToolCall { name, arguments, .. }) => Output::of_call(&ToolMap::default().read(name, arguments)),
            _ => Output::default(),
        }
    }

    /// Returns what the result of a call is that is already parsed.
    pub fn of_call(call: &ToolCall) -> Output {
        let is_output = matches!(call.kind, ToolKind::Shell | ToolKind::Search | ToolKind::Web);
        Output {
            keep: if call.kind == ToolKind::Shell { Keep::Errors } else { Keep::Ends },
            command: is_output.then(|| call.commands.first().cloned().unwrap_or_default()),
        }
    }

    /// Returns the tokens of a result that a reducer of such output leaves out.
    pub fn spared(&self, text: &str, recall: &str, tokenizer: &dyn Tokenizer) -> u64 {
        let Some(command) = &self.command else { return 0 };
        let reduced = reduce(text, Source { command, recall, earlier: &[] }, tokenizer);
        reduced.map_or(0, |reduced| reduced.before - reduced.tokens)
    }
}

/// Options of shortening a text.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// Maximum tokens of the result, marker included.
    pub limit: u64,
    /// Share of the head, 0 to 1; see [`HEAD_SHARE`].
    pub head_share: f64,
    pub keep: Keep,
    pub snap: Snap,
    /// True if JSON is cut as JSON.
    pub json: bool,
    /// True if escape sequences and repetitions are removed first.
    pub clean: bool,
    /// The command line that wrote the text, empty if unknown: what a reducer of its output can leave out goes first.
    /// `None` for a text that is no output, such as a file.
    pub command: Option<&'a str>,
    pub marker: Marker<'a>,
}

impl<'a> Rules<'a> {
    /// Returns the defaults for a result.
    pub fn of(output: &'a Output, limit: u64) -> Rules<'a> {
        Rules { keep: output.keep, command: output.command.as_deref(), ..Rules::new(limit) }
    }

    /// Returns the defaults: cut at line ends, cut JSON as JSON, remove noise first.
    pub fn new(limit: u64) -> Rules<'static> {
        let marker = Marker::Counts { recall: "" };
        Rules {
            limit,
            head_share: HEAD_SHARE,
            keep: Keep::Ends,
            snap: Snap::Lines,
            json: true,
            clean: true,
            command: None,
            marker,
        }
    }
}

/// A text within its limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Truncated {
    /// Absent if the input is unchanged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Tokens of the result, and of the input.
    pub tokens: u64,
    pub before: u64,
    /// Tokens and lines missing from the result.
    pub cut: u64,
    pub lines: usize,
    /// Number of error lines kept from the middle.
    pub errors: usize,
    /// Number of removed escape sequences and repeated lines.
    pub escapes: usize,
    pub repeated: usize,
    /// True if it was cut as JSON, and is still JSON.
    pub json: bool,
    /// What a reducer left out before the text was cut.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<LeftOut>,
}

/// Shortens a text to at most `rules.limit` tokens. The result never has more tokens than the input.
///
/// ```
/// use espalier::tokens::Tokenizer;
/// use espalier::tool_result::{Rules, truncate};
/// struct Words;
/// impl Tokenizer for Words {
///     fn count(&self, text: &str) -> u64 {
///         text.split_whitespace().count() as u64
///     }
/// }
/// let short = truncate(&"tick\n".repeat(1_000), Rules::new(10), &Words);
/// assert_eq!(short.text.as_deref(), Some("tick [1000 times]\n"));
/// ```
pub fn truncate(text: &str, rules: Rules, tokenizer: &dyn Tokenizer) -> Truncated {
    let before = tokenizer.count(text);
    let mut done = Truncated { tokens: before, before, ..Truncated::default() };
    if before <= rules.limit {
        return done;
    }
    if let Some(command) = rules.command {
        let recall = if let Marker::Counts { recall } = rules.marker { recall } else { "" };
        if let Some(reduced) = reduce_counted(text, before, Source { command, recall, earlier: &[] }, tokenizer) {
            let short = truncate(&reduced.text, Rules { command: None, ..rules }, tokenizer);
            let text = short.text.unwrap_or(reduced.text);
            return Truncated { text: Some(text), before, left_out: reduced.left_out, ..short };
        }
    }
    if rules.json {
        if let Some(short) = Envelope::of(text).and_then(|envelope| inside(&envelope, before, rules, tokenizer)) {
            return short;
        }
        if let Some(short) = json::shorten(text, rules.limit, rules.keep, tokenizer) {
            let tokens = tokenizer.count(&short);
            return Truncated { tokens, cut: before - tokens, json: true, text: Some(short), ..done };
        }
    }
    let cleaned = if rules.clean { clean::clean(text) } else { None };
    let (text, whole) = match &cleaned {
        Some(cleaned) => {
            (done.escapes, done.repeated) = (cleaned.escapes, cleaned.repeated);
            (cleaned.text.as_str(), tokenizer.count(&cleaned.text))
        }
        None => (text, before),
    };
    if whole <= rules.limit {
        return Truncated { text: Some(text.to_string()), tokens: whole, ..done };
    }
    let Rules { limit, head_share, keep, snap, marker, .. } = rules;
    let short = cut(text, whole, Cutting { limit, head_share, snap, keep, marker }, tokenizer);
    Truncated {
        text: Some(short.text),
        tokens: short.tokens,
        cut: short.cut,
        lines: short.lines,
        errors: short.errors,
        ..done
    }
}

/// Maximum number of cuts of an output until it fits as a string of JSON.
const ROUNDS: usize = 4;

/// Shortens the output in an envelope, and leaves the rest of it. `None` if the rest has no room for an output.
fn inside(envelope: &Envelope, before: u64, rules: Rules, tokenizer: &dyn Tokenizer) -> Option<Truncated> {
    let frame = tokenizer.count(&envelope.frame());
    let room = rules.limit.checked_sub(frame)?;
    let mut limit = room;
    for _ in 0..ROUNDS {
        let short = truncate(&envelope.output, Rules { limit, command: None, ..rules }, tokenizer);
        let text = envelope.with(short.text?);
        let tokens = tokenizer.count(&text);
        if tokens <= rules.limit {
            let cut = before.saturating_sub(tokens);
            return Some(Truncated { text: Some(text), tokens, before, cut, json: true, ..short });
        }
        // Line ends and quotes cost more in a string: by the same factor, and a little for what does not divide.
        limit = (room * short.tokens / (tokens - frame) * 19 / 20).min(limit.saturating_sub(1));
    }
    None
}

/// A shortened result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CutResult {
    pub text: String,
    /// False if only noise is missing, and what a reducer leaves out of such output.
    pub is_cut: bool,
}

/// Shortens a result in a conversation with the default options to at most `limit` tokens; `None` if it fits already.
/// `recall` is the handle of the whole text.
///
/// ```
/// use espalier::message::Part;
/// use espalier::tokens::Tokenizer;
/// use espalier::tool_result::{Output, cut_result};
/// struct Words;
/// impl Tokenizer for Words {
///     fn count(&self, text: &str) -> u64 {
///         text.split_whitespace().count() as u64
///     }
/// }
/// let call = Part::ToolCall { call_id: "c".into(), name: "bash".into(), arguments: r#"{"command":"make"}"#.into() };
/// let lines = |from: u32| (from..from + 100).map(|n| format!("step {n}\n")).collect::<String>();
/// let log = format!("{}error: no rule\n{}", lines(0), lines(100));
/// let short = cut_result(&log, 60, &Output::of(Some(&call)), "m4", &Words).unwrap();
/// assert!(short.text.contains("error: no rule") && Words.count(&short.text) <= 60);
/// ```
pub fn cut_result(
    text: &str,
    limit: u64,
    output: &Output,
    recall: &str,
    tokenizer: &dyn Tokenizer,
) -> Option<CutResult> {
    let rules = Rules { marker: Marker::Counts { recall }, ..Rules::of(output, limit) };
    let Truncated { text, cut, .. } = truncate(text, rules, tokenizer);
    Some(CutResult { text: text?, is_cut: cut > 0 })
}

//! The rules for results, with the figures of the systems that use them.

use serde::Deserialize;

use super::gemini;
use super::piece::Piece;
use crate::compact::placeholder::{self, Gone, is_placeholder};
use crate::history::plan::Totals;
use crate::map::HashSet;
use crate::message::Part;
use crate::message::tool_map::{ToolMap, holds_state};
use crate::tokens::{Estimator, Tokenizer};
use crate::tool_result::{Output, cut_result};

/// What to do with the results of a conversation. All sizes are tokens, by the count of the [`Style`].
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Rule {
    /// All results together get `budget`, with one level for all, see [`crate::tool_result::budget::water_level`].
    Level { budget: u64, previous: Option<u64> },
    /// From the newest on, a result that crosses `budget` is cut to `cap`: tokens, or characters with
    /// [`Style::GeminiCli`].
    NewestFirst { budget: u64, cap: u64 },
    /// Notes replace old results.
    Clear(Clearing),
}

impl Rule {
    /// Returns the stable name in reports and edits.
    pub fn name(&self) -> &'static str {
        match self {
            Rule::Level { .. } => "result-level",
            Rule::NewestFirst { .. } => "result-budget",
            Rule::Clear(_) => "clear-result",
        }
    }
}

/// Which old results are cleared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Clearing {
    /// Maximum tokens of a request that is left alone.
    pub min_request_tokens: u64,
    /// Number of newest results that stay, and of newest rounds whose results stay.
    pub newest: usize,
    pub rounds: usize,
    /// Maximum tokens of results that stay, from the newest on; if absent, a fifth of the tokens for messages, at most
    /// 40,000.
    pub min_kept_tokens: Option<u64>,
    /// Minimum tokens to free, below which breaking the cache does not pay; if absent, a tenth of the tokens for
    /// messages, at most 20,000.
    pub min_freed_tokens: Option<u64>,
    /// Budget of the request; the tokens for messages are the budget without the frame.
    pub budget: Option<u64>,
    /// True if results of the latest turn take no part at all.
    pub skip_latest: bool,
    /// True if `min_freed_tokens` counts removed tokens without subtracting their replacements.
    pub gross: bool,
}

/// Defaults of [`Clearing::min_kept_tokens`] and [`Clearing::min_freed_tokens`]: a divisor of the tokens for messages,
/// and the max.
const PROTECT: (u64, u64) = (5, 40_000);
const MIN_FREED: (u64, u64) = (10, 20_000);

/// A [`Clearing`] for one request.
#[derive(Debug, Clone)]
pub(super) struct Resolved {
    pub min_request_tokens: u64,
    pub newest: usize,
    pub rounds: usize,
    pub min_kept_tokens: u64,
    pub min_freed_tokens: u64,
    pub skip_latest: bool,
    pub gross: bool,
}

impl Clearing {
    pub(super) fn resolved(&self, totals: &Totals) -> Resolved {
        let room = self.budget.map_or(u64::MAX, |budget| budget.saturating_sub(totals.frame + totals.tools));
        let share = |given: Option<u64>, (part, most): (u64, u64)| given.unwrap_or((room / part).min(most));
        Resolved {
            min_request_tokens: self.min_request_tokens,
            newest: self.newest,
            rounds: self.rounds,
            min_kept_tokens: share(self.min_kept_tokens, PROTECT),
            min_freed_tokens: share(self.min_freed_tokens, MIN_FREED),
            skip_latest: self.skip_latest,
            gross: self.gross,
        }
    }
}

/// Tools whose results stay.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Exempt {
    /// Todo lists and plans, questions to the user, memory, skills.
    #[default]
    Usual,
    Names(HashSet<String>),
}

impl Exempt {
    pub(super) fn has(&self, tool: &str) -> bool {
        match self {
            Exempt::Names(names) => names.contains(tool),
            Exempt::Usual => holds_state(tool, ToolMap::default().read(tool, "").kind),
        }
    }
}

/// How sizes are measured, and the texts of replacements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// Exact counts; one line replaces a cleared result.
    Espalier,
    /// Estimates; previews with the name of a file.
    GeminiCli,
}

impl Style {
    /// Returns the tokens of a result. `body` is the response object if it is not `{"output": text}`.
    pub(super) fn size(
        self,
        text: &str,
        body: Option<&str>,
        tool: Option<&str>,
        rule: &Rule,
        tokenizer: &dyn Tokenizer,
    ) -> u64 {
        match (self, rule) {
            (Style::Espalier, _) => tokenizer.count(text),
            (Style::GeminiCli, Rule::Clear(_)) => gemini::response_size(tool, text, body),
            (Style::GeminiCli, _) => Estimator::Gemini.estimate(text, tokenizer).tokens,
        }
    }

    /// True if a piece is longer than `cap`.
    pub(super) fn is_over(self, piece: &Piece, cap: u64) -> bool {
        match self {
            Style::Espalier => piece.tokens > cap,
            Style::GeminiCli => piece.units > cap,
        }
    }

    /// Cuts a text to at most `cap`.
    pub(super) fn cut(
        self,
        text: &str,
        cap: u64,
        call: Option<&Part>,
        recall: &str,
        tokenizer: &dyn Tokenizer,
    ) -> String {
        if self == Style::GeminiCli {
            return gemini::capped(text, cap, recall);
        }
        cut_result(text, cap, &Output::of(call), recall, tokenizer).map_or_else(|| text.to_string(), |short| short.text)
    }

    /// Returns the text that replaces a cleared result.
    pub(super) fn note(
        self,
        text: &str,
        body: Option<&str>,
        piece: &Piece,
        call: Option<&Part>,
        recall: &str,
    ) -> String {
        match self {
            Style::Espalier => {
                let read = call.and_then(|call| match call {
                    Part::ToolCall { name, arguments, .. } => {
                        Some((arguments, ToolMap::default().read(name, arguments)))
                    }
                    _ => None,
                });
                let call = read.as_ref().map(|(arguments, call)| (arguments.as_str(), call));
                let of = placeholder::Result { tool: piece.tool.as_deref(), call, text, is_error: piece.failed };
                placeholder::line(Gone::Cleared, of, None, recall)
            }
            Style::GeminiCli => gemini::masked(piece.tool.as_deref(), text, body, recall),
        }
    }

    /// True if a result was cleared already.
    pub(super) fn is_note(self, text: &str) -> bool {
        is_placeholder(text) || self == Style::GeminiCli && gemini::is_masked(text)
    }
}

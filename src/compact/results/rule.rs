//! What may be asked for, and the figures of the systems that do it.

use super::gemini;
use super::piece::Piece;
use crate::compact::placeholder::{self, Gone, is_placeholder};
use crate::history::plan::Totals;
use crate::map::HashSet;
use crate::message::Part;
use crate::message::tool_map::{ToolMap, holds_state};
use crate::tokens::{Estimator, Tokenizer};
use crate::tool_result::{Keep, cut_result};

/// What is to be done with the results of a conversation. All sizes are tokens, by the count of the [`Style`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// All together get `budget`: one level over all, see [`crate::tool_result::budget::water_level`].
    Level { budget: u64, previous: Option<u64> },
    /// From the newest on, whatever crosses `budget` is cut to `cap`: tokens, or characters with [`Style::GeminiCli`].
    NewestFirst { budget: u64, cap: u64 },
    /// Old ones become notes.
    Clear(Clearing),
}

impl Rule {
    /// The stable name in reports and edits.
    pub fn name(&self) -> &'static str {
        match self {
            Rule::Level { .. } => "result-level",
            Rule::NewestFirst { .. } => "result-budget",
            Rule::Clear(_) => "clear-result",
        }
    }
}

/// Which old results are cleared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Clearing {
    /// Nothing happens in a request of no more tokens.
    pub above: u64,
    /// So many of the newest results stay, and those of so many of the newest rounds.
    pub newest: usize,
    pub rounds: usize,
    /// Results stay up to so many tokens from the newest on; if absent a fifth of what messages may have, at most 40,000.
    pub protect: Option<u64>,
    /// Less than this is not worth a broken cache; if absent a tenth of what messages may have, at most 20,000.
    pub least: Option<u64>,
    /// Tokens that the request may have; what messages may have is that without the frame.
    pub budget: Option<u64>,
    /// Results of the latest turn take no part at all.
    pub skip_latest: bool,
    /// `least` is what goes, without what comes in its place.
    pub gross: bool,
}

/// [`Clearing::protect`] and [`Clearing::least`] where the host says nothing: a share of what messages may have, and the most.
const PROTECT: (u64, u64) = (5, 40_000);
const LEAST: (u64, u64) = (10, 20_000);

/// A [`Clearing`] for one request.
#[derive(Debug, Clone)]
pub(super) struct Resolved {
    pub above: u64,
    pub newest: usize,
    pub rounds: usize,
    pub protect: u64,
    pub least: u64,
    pub skip_latest: bool,
    pub gross: bool,
}

impl Clearing {
    pub(super) fn resolved(&self, totals: &Totals) -> Resolved {
        let room = self.budget.map_or(u64::MAX, |budget| budget.saturating_sub(totals.frame + totals.tools));
        let share = |given: Option<u64>, (part, most): (u64, u64)| given.unwrap_or((room / part).min(most));
        Resolved {
            above: self.above,
            newest: self.newest,
            rounds: self.rounds,
            protect: share(self.protect, PROTECT),
            least: share(self.least, LEAST),
            skip_latest: self.skip_latest,
            gross: self.gross,
        }
    }
}

/// Tools whose results stay.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Exempt {
    /// Todo lists and plans, questions to the user, memory, skills.
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

/// How sizes are told, and in what words.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Exact counts; one line for a cleared result.
    Espalier,
    /// Estimates; previews with the name of a file.
    GeminiCli,
}

impl Style {
    /// Tokens of a result. `body` is the response object, where it is not `{"output": text}`.
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

    /// At most `cap` of a text.
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
        cut_result(text, cap, Keep::of(call), recall, tokenizer).map_or_else(|| text.to_string(), |short| short.text)
    }

    /// What stands for a cleared result.
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

//! Limits and switches of a request, and the two profiles.

use crate::cascade::Shares;
use crate::edits::EditForm;
use crate::neighbours::NeighbourOptions;
use crate::pools::{Crossing, Mode};
use crate::similar::SimilarOptions;
use espalier_core::error::{Code, Error, Result};

/// Limits and switches. Times are in milliseconds since the request began.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Maximum tokens of prompt and completion together.
    pub window: u64,
    /// Tokens reserved for the completion.
    pub completion: u64,
    /// Share of the prompt for the suffix, if there is one.
    pub suffix_share: f64,
    /// Tokens reserved if there is a suffix.
    pub suffix_reserve: u64,
    /// True if the rest of the cursor's line gets up to the suffix's share before all else. With false, it gets what
    /// the prompt leaves, so that the prompt is the one without it.
    pub reserves_rest_of_line: bool,
    /// Minimum UTF-16 code units of a document for a completion.
    pub min_chars: usize,
    /// UTF-16 code units on each side of the cursor that are read for each token of the prompt.
    pub chars_per_token: f64,
    /// Share of the prefix's budget that a long document leaves to context. With 0, context gets the tokens that the
    /// document does not use.
    pub context_share: f64,
    /// Additional tokens by which a long prefix is shortened, so that later requests can begin at the same line.
    pub stable_slack: u64,
    /// Shares of the parts of a prompt; `None` for a prompt that is cut by weights. With shares, `suffix_share` and
    /// `context_share` only say whether there is a suffix.
    pub cascade: Option<Shares>,
    /// True if the whole prompt is checked against the limit, and not only its lines; pools then count tokens instead
    /// of characters.
    pub exact: bool,
    pub mode: Mode,
    pub crossing: Crossing,
    /// True if similar snippets are searched even if providers delivered snippets; always done for C and C++.
    pub similar_beside_snippets: bool,
    /// Limits of similar snippets; `None` for those of the profile and language.
    pub similar: Option<SimilarOptions>,
    pub neighbours: NeighbourOptions,
    pub edit_form: EditForm,
    /// Time until which provider items are used.
    pub provider_ms: u64,
    /// Time from which nothing new is read: the result has what is available.
    pub building_ms: u64,
}

impl Options {
    /// The constants and switches of Copilot Chat 0.37.9.
    pub fn copilot_chat() -> Options {
        Options {
            reserves_rest_of_line: false,
            context_share: 0.0,
            stable_slack: 0,
            exact: false,
            crossing: Crossing::Charge,
            similar_beside_snippets: false,
            neighbours: NeighbourOptions::copilot_chat(),
            ..Options::espalier()
        }
    }

    /// The default profile: exact tokens, room for context beside long documents, items skipped instead of charged.
    pub fn espalier() -> Options {
        Options {
            window: 8_192,
            completion: 500,
            suffix_share: 0.15,
            suffix_reserve: 5,
            reserves_rest_of_line: true,
            min_chars: 10,
            chars_per_token: 4.1,
            context_share: 0.35,
            stable_slack: 256,
            cascade: None,
            exact: true,
            mode: Mode::Double,
            crossing: Crossing::Skip,
            similar_beside_snippets: true,
            similar: None,
            neighbours: NeighbourOptions::espalier(),
            edit_form: EditForm::Unified,
            provider_ms: 150,
            building_ms: 1_200,
        }
    }

    /// Returns the maximum tokens of prompts.
    ///
    /// # Errors
    /// [`Code::BadOption`], which names the first invalid option.
    pub fn prompt_limit(&self) -> Result<u64> {
        for (name, share) in [("suffixShare", self.suffix_share), ("contextShare", self.context_share)] {
            if !(0.0..1.0).contains(&share) {
                return Err(bad(name, "must be at least 0 and below 1"));
            }
        }
        if !(self.chars_per_token > 0.0 && self.chars_per_token <= 1_000.0) {
            return Err(bad("charsPerToken", "must be above 0 and at most 1000"));
        }
        self.cascade.as_ref().map_or(Ok(()), Shares::check)?;
        let limit = self.window.saturating_sub(self.completion);
        if limit < self.suffix_reserve.saturating_add(3) || limit > u64::from(u32::MAX) {
            return Err(bad("window", "must leave room for a prompt beside `completion`"));
        }
        Ok(limit)
    }

    /// Returns how many of `limit` tokens are reserved for the rest of the cursor's line.
    pub fn reserved_for_line(&self, limit: u64) -> u64 {
        if !self.reserves_rest_of_line {
            return 0;
        }
        let share = (self.suffix_share * limit as f64) as u64;
        share.min(limit.saturating_sub(self.suffix_reserve + 3))
    }

    /// Returns the limits of prefix and suffix of a prompt of `limit` tokens.
    pub fn split(&self, limit: u64, has_suffix: bool) -> (u64, u64) {
        if !has_suffix || self.suffix_share <= 0.0 {
            return (limit, 0);
        }
        let rest = limit.saturating_sub(self.suffix_reserve);
        let suffix = (self.suffix_share * rest as f64).ceil() as u64;
        let suffix = suffix.min(rest.saturating_sub(1));
        (rest - suffix, suffix)
    }
}

fn bad(name: &str, what: &str) -> Error {
    Error::new(Code::BadOption, format!("`{name}` {what}")).at(format!("options.{name}"))
}

//! The one error type of the crate: a stable code, a sentence, and the path of the offending field.

use std::fmt;

/// The kind of a failure. Its string form (see [`Code::as_str`]) is part of the public contract: hosts branch on it, so
/// a code is never renamed or reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// The input does not have the shape that the call requires.
    BadInput,
    /// One message of the input is unusable; the path names it.
    BadMessage,
    /// An option has an invalid value (negative, not a number, unknown name).
    BadOption,
    /// Two messages have the same id.
    DuplicateId,
    /// The content that must stay is larger than the budget. See [`Error::budget`].
    BudgetExceeded,
    /// No encoding or cost model has this name.
    UnknownEncoding,
    /// The encoding exists but its vocabulary was not loaded yet.
    EncodingNotLoaded,
    /// A vocabulary file is truncated, corrupt or belongs to another encoding.
    BadVocabulary,
    /// A threshold between 1 and 100, which is neither a share nor a plausible number of tokens.
    BadThreshold,
    /// An answer to an effect that is not open, or no longer.
    UnknownEffect,
    /// An edit that a log refuses: it targets content that must stay or does not exist, or it conflicts with other
    /// edits.
    BadEdit,
    /// The messages or edits behind an edit have changed since it was made.
    StalePlan,
    /// A newer version of this package wrote the log.
    LogVersion,
    /// A log has no entry, message or pin with this id.
    UnknownId,
    /// A grammar file has another format, is damaged, or is made for another version of the runtime.
    BadGrammar,
    /// A structure query has a syntax error or does not match its grammar.
    BadQuery,
    /// No built-in or registered language has this name.
    UnknownLanguage,
    /// A diff has a syntax error or does not match its file.
    BadDiff,
}

impl Code {
    /// Returns the stable name that reaches JavaScript as `error.code`.
    pub fn as_str(self) -> &'static str {
        match self {
            Code::BadInput => "bad_input",
            Code::BadMessage => "bad_message",
            Code::BadOption => "bad_option",
            Code::DuplicateId => "duplicate_id",
            Code::BudgetExceeded => "budget_exceeded",
            Code::UnknownEncoding => "unknown_encoding",
            Code::EncodingNotLoaded => "encoding_not_loaded",
            Code::BadVocabulary => "bad_vocabulary",
            Code::BadThreshold => "bad_threshold",
            Code::UnknownEffect => "unknown_effect",
            Code::BadEdit => "bad_edit",
            Code::StalePlan => "stale_plan",
            Code::LogVersion => "log_version",
            Code::UnknownId => "unknown_id",
            Code::BadGrammar => "bad_grammar",
            Code::BadQuery => "bad_query",
            Code::UnknownLanguage => "unknown_language",
            Code::BadDiff => "bad_diff",
        }
    }
}

/// Why a budget cannot be met: the minimum tokens, and the largest items that must stay.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetDetails {
    /// Tokens that the caller allowed.
    pub budget: u64,
    /// Tokens that the smallest possible result needs.
    pub needed: u64,
    /// At most five, largest first.
    pub largest: Vec<Contributor>,
}

/// One item that contributes to exceeding a budget.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Contributor {
    /// Message id, or `tools` for the tool definitions.
    pub id: String,
    /// Tokens of the item.
    pub tokens: u64,
    /// The reason why it must stay.
    pub why: &'static str,
}

impl Contributor {
    /// Returns the part of a message that names the largest contributor.
    pub fn named(&self) -> String {
        format!("; the largest is {} ({}, {} tokens)", self.id, self.why, self.tokens)
    }
}

/// An error with a stable [`Code`] and, if one field caused it, the path of that field (`messages[3].role`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The stable code.
    pub code: Code,
    /// One or two sentences for a developer: what is wrong and how to correct it.
    pub message: String,
    /// The wrong field, in JavaScript notation.
    pub path: Option<String>,
    /// Present with [`Code::BudgetExceeded`].
    pub budget: Option<BudgetDetails>,
}

impl Error {
    /// Restates [`Code::BudgetExceeded`] of a part of a budget, or of other tokens, for the whole budget.
    #[must_use]
    pub fn of_budget(mut self, budget: u64, needed: u64) -> Error {
        if let Some(details) = &mut self.budget {
            (details.budget, details.needed) = (budget, needed);
            let top = details.largest.first().map_or(String::new(), Contributor::named);
            self.message = format!("What must be kept needs {needed} tokens, the budget allows {budget}{top}");
        }
        self
    }

    /// Returns an error without a path.
    ///
    /// ```
    /// use espalier::error::{Code, Error};
    /// let e = Error::new(Code::BadOption, "`budget` must be a whole number").at("options.budget");
    /// assert_eq!(e.to_string(), "`budget` must be a whole number (at options.budget)");
    /// ```
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), path: None, budget: None }
    }

    /// Sets the path of the wrong field.
    pub fn at(mut self, path: impl Into<String>) -> Error {
        self.path = Some(path.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{} (at {path})", self.message),
            None => f.write_str(&self.message),
        }
    }
}

impl std::error::Error for Error {}

/// The result of every fallible call of the crate.
pub type Result<T> = std::result::Result<T, Error>;

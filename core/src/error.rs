//! The one error type of the crate: a stable code, a sentence, and the path of the offending field.

use std::fmt;

/// What kind of failure this is. The string form (see [`Code::as_str`]) is part of the public contract:
/// hosts branch on it, so a code is never renamed or reused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Code {
    /// The input does not have the shape that the call asks for.
    BadInput,
    /// One message of the input is unusable; the path names it.
    BadMessage,
    /// An option has a value that makes no sense (negative, not a number, unknown name).
    BadOption,
    /// Two messages carry the same id.
    DuplicateId,
    /// What must be kept is larger than the budget. See [`Error::budget`].
    BudgetExceeded,
    /// No encoding or cost model of that name exists.
    UnknownEncoding,
    /// The encoding exists but its vocabulary was not loaded yet.
    EncodingNotLoaded,
    /// A vocabulary file is truncated, corrupt or belongs to another encoding.
    BadVocabulary,
    /// A threshold between 1 and 100, which is neither a share nor a number of tokens that makes sense.
    BadThreshold,
    /// An effect was answered that is not (or no longer) open.
    UnknownEffect,
    /// An edit that a log may not have: it targets what must stay, what is not there, or meets other edits in a way they cannot have.
    BadEdit,
    /// What an edit was made from has changed since.
    StalePlan,
    /// A log was written by a newer version of this package.
    LogVersion,
    /// A log has no entry, message or pin of that id.
    UnknownId,
    /// A grammar file is not one, is damaged, or is made for another version of the runtime.
    BadGrammar,
    /// A structure query cannot be read, or does not fit its grammar.
    BadQuery,
    /// No language of that name is known, built in or registered.
    UnknownLanguage,
    /// A diff cannot be read, or does not fit the file that it is said to be of.
    BadDiff,
}

impl Code {
    /// The stable name that reaches JavaScript as `error.code`.
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

/// Why a budget cannot be met: what is needed at least, and the largest items that must stay.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct BudgetDetails {
    /// Tokens that were allowed.
    pub budget: u64,
    /// Tokens that the smallest possible result needs.
    pub needed: u64,
    /// At most five, largest first.
    pub largest: Vec<Contributor>,
}

/// One item that takes part in exceeding a budget.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Contributor {
    /// Message id, or `tools` for the tool definitions.
    pub id: String,
    /// Tokens that it takes.
    pub tokens: u64,
    /// Why it cannot go.
    pub why: &'static str,
}

/// An error with a stable [`Code`] and, where one field is to blame, its path (`messages[3].role`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The stable code.
    pub code: Code,
    /// One or two sentences for a developer: what is wrong and how to mend it.
    pub message: String,
    /// The offending field, as one would write it in JavaScript.
    pub path: Option<String>,
    /// Present with [`Code::BudgetExceeded`].
    pub budget: Option<BudgetDetails>,
}

impl Error {
    /// An error without a path.
    ///
    /// ```
    /// use espalier::error::{Code, Error};
    /// let e = Error::new(Code::BadOption, "`budget` must be a whole number").at("options.budget");
    /// assert_eq!(e.to_string(), "`budget` must be a whole number (at options.budget)");
    /// ```
    pub fn new(code: Code, message: impl Into<String>) -> Error {
        Error { code, message: message.into(), path: None, budget: None }
    }

    /// The same error, blaming the field at `path`.
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

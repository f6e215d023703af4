//! The steps of a compaction.

use serde::{Deserialize, Serialize};

/// One step of the ladder. Calls and results are paired before the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Rung {
    /// Results that newer messages repeat or outdate.
    Stale,
    /// Old pictures, documents and reasoning.
    Media,
    /// Results over their own limit, or over the limit for all, are cut in the middle.
    Cap,
    /// All old results and long arguments, in one batch.
    Clear,
    /// The model's summary.
    Summary,
    /// A summary by rules, without a model or after it failed.
    Offline,
    /// Older groups are removed, then the largest texts are shortened.
    Fit,
}

impl Rung {
    /// All steps.
    pub const ALL: [Rung; 7] =
        [Rung::Stale, Rung::Media, Rung::Cap, Rung::Clear, Rung::Summary, Rung::Offline, Rung::Fit];

    /// Finds a step by its name.
    pub fn named(name: &str) -> Option<Rung> {
        Rung::ALL.into_iter().find(|rung| rung.as_str() == name)
    }

    /// Returns the stable name, also of the step in the report.
    pub fn as_str(self) -> &'static str {
        match self {
            Rung::Stale => "stale",
            Rung::Media => "media",
            Rung::Cap => "cap",
            Rung::Clear => "clear",
            Rung::Summary => "summary",
            Rung::Offline => "offline",
            Rung::Fit => "fit",
        }
    }

    /// Returns the noun for `n` changed items, for people.
    pub(in crate::compact) fn what(self, n: usize) -> &'static str {
        match (self, n) {
            (Rung::Stale, 1) => "result that a newer message repeats or outdates became a line",
            (Rung::Stale, _) => "results that newer messages repeat or outdate became a line each",
            (Rung::Media, 1) => "old picture, document or thought went",
            (Rung::Media, _) => "old pictures, documents and thoughts went",
            (Rung::Cap, 1) => "long result was cut in the middle",
            (Rung::Cap, _) => "long results were cut in the middle",
            (_, 1) => "old result or argument became a line",
            _ => "old results and arguments became a line each",
        }
    }
}

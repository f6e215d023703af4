//! The rules of an index: constants and switches, not a second engine.

/// The rule that turns words into terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Camel parts in any script, acronyms (`HTMLParser` has `html` and `parser`), pairs of ideographs. A term has at
    /// most 128 bytes.
    Espalier,
    /// As `Espalier`, with English words reduced to their stems: `parsing` and `parse` are `pars`.
    Stems,
    /// Copilot Chat's rule: camel parts in ASCII only, acronyms stay whole.
    CopilotChat,
}

/// The formula that scores a chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scoring {
    /// Okapi BM25 with idf = ln(1 + (N - df + 0.5) / (df + 0.5)). Equal scores are ordered by path and position.
    Bm25 { k1: f64, b: f64 },
    /// The dot product of tf x idf with idf = ln((N + 1) / df). Equal scores are ordered by insertion.
    TfIdf,
}

/// The rules of an index. A snapshot can only be read under the rules with which it was written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    pub words: Words,
    pub scoring: Scoring,
    /// True if the words of a chunk's path and of the definitions around it are indexed with the chunk.
    pub context: bool,
}

impl Profile {
    /// BM25 with k1 = 1.2 and b = 0.75.
    pub const ESPALIER: Profile =
        Profile { words: Words::Stems, scoring: Scoring::Bm25 { k1: 1.2, b: 0.75 }, context: true };

    /// Copilot Chat's TF-IDF.
    pub const COPILOT_CHAT: Profile = Profile { words: Words::CopilotChat, scoring: Scoring::TfIdf, context: false };

    /// Returns the rules that decide the contents of a snapshot, as one number. Scoring is not part of it, because it
    /// is applied at query time.
    pub(crate) fn mark(self) -> u8 {
        u8::from(self.words == Words::CopilotChat)
            | u8::from(self.context) << 1
            | u8::from(self.words == Words::Stems) << 2
    }
}

impl Default for Profile {
    fn default() -> Profile {
        Profile::ESPALIER
    }
}

//! Which rules an index follows: constants and switches, not a second engine.

/// How words become terms.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Words {
    /// Camel parts in any script, acronyms (`HTMLParser` has `html` and `parser`), pairs of ideographs. No term
    /// has more than 128 bytes.
    Espalier,
    /// The same, and English words without their endings: `parsing` and `parse` are `pars`.
    Stems,
    /// Copilot Chat's: camel parts in ASCII only, acronyms stay whole.
    CopilotChat,
}

/// How a chunk is scored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Scoring {
    /// Okapi BM25 with idf = ln(1 + (N - df + 0.5) / (df + 0.5)). Equal scores are ordered by path and position.
    Bm25 { k1: f64, b: f64 },
    /// The dot product of tf x idf with idf = ln((N + 1) / df). Equal scores are ordered by insertion.
    TfIdf,
}

/// The rules of an index. A snapshot is only read under the rules it was written with.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Profile {
    pub words: Words,
    pub scoring: Scoring,
    /// Index the words of a chunk's path and of the definitions around it with the chunk.
    pub context: bool,
}

impl Profile {
    /// BM25 with k1 = 1.2 and b = 0.75.
    pub const ESPALIER: Profile =
        Profile { words: Words::Stems, scoring: Scoring::Bm25 { k1: 1.2, b: 0.75 }, context: true };

    /// Copilot Chat's TF-IDF.
    pub const COPILOT_CHAT: Profile = Profile { words: Words::CopilotChat, scoring: Scoring::TfIdf, context: false };

    /// What decides the contents of a snapshot, in one number. Scoring is applied when a query runs, so it is
    /// not part of it.
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

//! Files that language services name as related to a document: requested rarely, cached for a while.

use espalier_core::map::HashMap;

/// Maximum time of an answer, and the time that it stays valid.
const ANSWER_MS: u64 = 200;
const GOOD_MS: u64 = 2 * 60 * 1_000;
/// Maximum number of documents in the cache.
const MAX_DOCUMENTS: usize = 1_000;
/// Number of consecutive failures after which a document is not requested again.
const MAX_TRIES: u32 = 3;

/// The next action of a host for related files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Related {
    /// Use these files.
    Known(Vec<String>),
    /// Ask the language services, and wait until this time at most.
    Ask { until_ms: u64 },
    /// Continue without related files.
    Without,
}

#[derive(Debug, Clone, Default)]
struct Entry {
    files: Vec<String>,
    answered_ms: Option<u64>,
    asked_ms: Option<u64>,
    failures: u32,
    used: u64,
}

/// The answers of language services, by document; the least recently used one is evicted.
#[derive(Debug, Clone, Default)]
pub struct RelatedFiles {
    documents: HashMap<String, Entry>,
    uses: u64,
}

impl RelatedFiles {
    /// Returns the action for a document. While a question is open and not late, it is not repeated.
    pub fn look_up(&mut self, path: &str, now_ms: u64) -> Related {
        self.uses += 1;
        if !self.documents.contains_key(path) && self.documents.len() >= MAX_DOCUMENTS {
            let oldest = self.documents.iter().min_by_key(|(_, entry)| entry.used).map(|(path, _)| path.clone());
            oldest.and_then(|oldest| self.documents.remove(&oldest));
        }
        let entry = self.documents.entry(path.to_string()).or_default();
        entry.used = self.uses;
        if entry.answered_ms.is_some_and(|answered| now_ms.saturating_sub(answered) < GOOD_MS) {
            return Related::Known(entry.files.clone());
        }
        if let Some(asked) = entry.asked_ms {
            if now_ms.saturating_sub(asked) < ANSWER_MS {
                return Related::Without;
            }
            (entry.asked_ms, entry.failures) = (None, entry.failures + 1);
        }
        if entry.failures >= MAX_TRIES {
            return Related::Without;
        }
        entry.asked_ms = Some(now_ms);
        Related::Ask { until_ms: now_ms.saturating_add(ANSWER_MS) }
    }

    /// Records an answer. A late one is stored as well: it is as useful for the next request.
    pub fn answer(&mut self, path: &str, files: Vec<String>, now_ms: u64) {
        if let Some(entry) = self.documents.get_mut(path) {
            (entry.files, entry.answered_ms, entry.asked_ms, entry.failures) = (files, Some(now_ms), None, 0);
        }
    }

    /// Records that a question failed.
    pub fn fail(&mut self, path: &str) {
        if let Some(entry) = self.documents.get_mut(path).filter(|entry| entry.asked_ms.is_some()) {
            (entry.asked_ms, entry.failures) = (None, entry.failures + 1);
        }
    }
}

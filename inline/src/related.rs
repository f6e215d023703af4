//! Files that language services name as related to a document: asked for rarely, remembered for a while.

use espalier_core::map::HashMap;

/// How long an answer may take, and how long it is good.
const ANSWER_MS: u64 = 200;
const GOOD_MS: u64 = 2 * 60 * 1_000;
/// Documents remembered.
const MAX_DOCUMENTS: usize = 1_000;
/// Failures in a row after which a document is not asked for again.
const MAX_TRIES: u32 = 3;

/// What a host does about related files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Related {
    /// It uses these.
    Known(Vec<String>),
    /// It asks its language services, and waits until this time at most.
    Ask { until_ms: u64 },
    /// It does without.
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

/// The answers of language services, by document; the one not used for longest is forgotten.
#[derive(Debug, Clone, Default)]
pub struct RelatedFiles {
    documents: HashMap<String, Entry>,
    uses: u64,
}

impl RelatedFiles {
    /// Returns what to do for a document. While a question is open and not late, it is not asked again.
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

    /// Records an answer. A late one is remembered too: it is as good for the next request.
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

//! The bounded state between requests.

use crate::similar::SimilarCache;
use crate::suffix::Tokens;
use espalier_core::map::HashMap;
use espalier_core::tokens::{Fit, Tokenizer, is_cut};
use foldhash::fast::FixedState;
use std::cell::RefCell;
use std::hash::BuildHasher;

/// Maximum number of line counts in the cache; above it the cache is cleared.
const MAX_COUNTS: usize = 20_000;
/// Maximum bytes of a text whose count is cached.
const MAX_COUNTED: usize = 4_096;

/// The state between requests: words of files, counts of lines, the suffix and the prefix sent last. It changes no
/// prompt, except by the rules of suffix reuse and stable prefixes. One tokenizer and one set of options for each
/// memory.
#[derive(Debug, Default)]
pub struct Memory {
    pub(crate) similar: SimilarCache,
    pub(crate) counts: RefCell<HashMap<u64, u64>>,
    pub(crate) last: Option<Last>,
}

/// The previous request.
#[derive(Debug, Clone)]
pub(crate) struct Last {
    pub path: String,
    pub suffix: String,
    pub prefix: String,
    /// Start of the prefix, in bytes.
    pub start: usize,
    /// Context and prefix, as sent.
    pub prompt: String,
}

impl Memory {
    /// Creates a memory whose words of files use at most `max_bytes`.
    pub fn new(max_bytes: usize) -> Memory {
        Memory { similar: SimilarCache::new(max_bytes), ..Memory::default() }
    }

    /// Removes the previous request: the next one has the suffix of its document, and begins where it fits best.
    pub fn forget_last(&mut self) {
        self.last = None;
    }

    /// Returns the approximate bytes of the memory.
    pub fn memory(&self) -> usize {
        let last = self.last.as_ref().map_or(0, |last| last.suffix.len() + last.prefix.len() + last.prompt.len());
        self.similar.memory() + self.counts.borrow().len() * 16 + last
    }
}

/// A tokenizer that caches the counts of lines. If counts add up, a long text costs only its unknown lines.
pub(crate) struct Counter<'a, T: ?Sized> {
    pub tokenizer: &'a T,
    pub counts: &'a RefCell<HashMap<u64, u64>>,
}

/// Maximum bytes of a text that is counted as one part.
const WHOLE: usize = 256;

impl<T: Tokens + ?Sized> Counter<'_, T> {
    /// Returns the end of the part that begins at `start`: the first cut after its line. The same lines make the same
    /// parts, whatever precedes them.
    fn part_end(&self, text: &str, start: usize) -> usize {
        if text.len() - start <= WHOLE || !self.tokenizer.has_cuts() {
            return text.len();
        }
        let feed = text.as_bytes()[start..].iter().position(|byte| *byte == b'\n');
        let behind = feed.map_or(text.len(), |feed| start + feed + 1);
        (behind..text.len()).find(|&at| is_cut(text, at)).unwrap_or(text.len())
    }

    fn count_part(&self, text: &str) -> u64 {
        if text.len() > MAX_COUNTED {
            return self.tokenizer.count(text);
        }
        let key = FixedState::with_seed(text.len() as u64).hash_one(text);
        if let Some(count) = self.counts.borrow().get(&key) {
            return *count;
        }
        let count = self.tokenizer.count(text);
        let mut counts = self.counts.borrow_mut();
        if counts.len() >= MAX_COUNTS {
            counts.clear();
        }
        counts.insert(key, count);
        count
    }
}

impl<T: Tokens + ?Sized> Tokenizer for Counter<'_, T> {
    fn count(&self, text: &str) -> u64 {
        let (mut start, mut total) = (0, 0);
        while start < text.len() {
            let end = self.part_end(text, start);
            total += self.count_part(&text[start..end]);
            start = end;
        }
        total
    }

    fn prefix_within(&self, text: &str, max: u64) -> Fit {
        if !self.tokenizer.has_cuts() {
            return self.tokenizer.prefix_within(text, max);
        }
        let mut fit = Fit { offset: 0, tokens: 0 };
        while fit.offset < text.len() {
            let end = self.part_end(text, fit.offset);
            let tokens = fit.tokens + self.count_part(&text[fit.offset..end]);
            if tokens > max {
                let within = self.tokenizer.prefix_within(&text[fit.offset..], max - fit.tokens);
                return Fit { offset: fit.offset + within.offset, tokens: fit.tokens + within.tokens };
            }
            fit = Fit { offset: end, tokens };
        }
        fit
    }

    fn suffix_within(&self, text: &str, max: u64) -> Fit {
        self.tokenizer.suffix_within(text, max)
    }
}

/// A completion that was shown or could be shown.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Shown {
    path: String,
    before: String,
    /// Bytes of the whole text before the cursor.
    length: usize,
    after: String,
    completion: String,
}

/// A cache of completions: when the user types the beginning of one, the rest is shown without a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completions {
    shown: Vec<Shown>,
    limit: usize,
}

impl Default for Completions {
    fn default() -> Completions {
        Completions::new(100)
    }
}

/// Bytes on each side of the cursor that must be equal.
const COMPARED: usize = 4_096;

fn end_of(text: &str) -> &str {
    &text[text.ceil_char_boundary(text.len().saturating_sub(COMPARED))..]
}

fn start_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(COMPARED)]
}

impl Completions {
    /// Creates a cache of at most `limit` completions.
    pub fn new(limit: usize) -> Completions {
        Completions { shown: Vec::new(), limit }
    }

    /// Stores a completion for the text before and after the cursor.
    pub fn put(&mut self, path: &str, before: &str, after: &str, completion: &str) {
        let (path, completion) = (path.to_string(), completion.to_string());
        let (length, after) = (before.len(), start_of(after).to_string());
        let shown = Shown { path, before: end_of(before).to_string(), length, after, completion };
        self.shown.retain(|one| *one != shown);
        self.shown.push(shown);
        let surplus = self.shown.len().saturating_sub(self.limit);
        self.shown.drain(..surplus);
    }

    /// Returns the rest of the newest completion of which the user typed a beginning (or nothing yet); never an empty
    /// text.
    pub fn get(&self, path: &str, before: &str, after: &str) -> Option<&str> {
        let after = start_of(after);
        let fitting = self.shown.iter().rev().filter(|shown| shown.path == path && shown.after == after);
        for shown in fitting {
            let Some(typed) = before.get(shown.length..) else { continue };
            match shown.completion.strip_prefix(typed) {
                Some(rest) if !rest.is_empty() && end_of(&before[..shown.length]) == shown.before => return Some(rest),
                _ => {}
            }
        }
        None
    }

    /// Returns the number of stored completions.
    pub fn len(&self) -> usize {
        self.shown.len()
    }

    pub fn is_empty(&self) -> bool {
        self.shown.is_empty()
    }
}

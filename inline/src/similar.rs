//! Finds the windows of other files whose words are most similar to the words before the cursor.
//!
//! Each file is read once: its words become numbers, and each window's number of distinct words is stored
//! ([`FileWords`]). A request then looks up each distinct word of a file once, and rolls counts over the lines. Start
//! reading at [`similar`].

use crate::licence::licence_len;
use crate::text::{count_feeds, last_lines, utf16_len};
use crate::words::{Alphabet, words};
use espalier_core::map::{HashMap, HashSet};
use foldhash::fast::FixedState;
use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::rc::Rc;

/// The formula that scores a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Similarity {
    /// Words shared ÷ words of both.
    Jaccard,
    /// Words shared.
    Shared,
}

/// Limits of similar snippets.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SimilarOptions {
    /// Lines of a window, and of the reference.
    pub window: usize,
    /// Minimum score, exclusive.
    pub threshold: f64,
    pub max_snippets: usize,
    pub max_per_file: usize,
    /// Maximum number of compared files.
    pub max_files: usize,
    /// Maximum UTF-16 code units of a compared file.
    pub max_chars: usize,
    pub similarity: Similarity,
    pub alphabet: Alphabet,
    /// True if licences at the beginning of files are neither compared nor shown. With them any two files of a project
    /// are similar.
    pub skips_licence: bool,
}

impl SimilarOptions {
    /// Copilot Chat's limits, with those of C and C++ for these.
    pub fn copilot_chat(language: &str) -> SimilarOptions {
        let is_c = matches!(language, "c" | "cpp");
        SimilarOptions {
            window: 60,
            threshold: 0.0,
            max_snippets: if is_c { 16 } else { 4 },
            max_per_file: if is_c { 4 } else { 1 },
            max_files: if is_c { 200 } else { 20 },
            max_chars: if is_c { 99_999 } else { 9_999 },
            similarity: Similarity::Jaccard,
            alphabet: Alphabet::Ascii,
            skips_licence: false,
        }
    }

    /// Returns Copilot Chat's limits, without a maximum file size, without licences, and with words of every script.
    pub fn espalier(language: &str) -> SimilarOptions {
        let (max_chars, alphabet, skips_licence) = (usize::MAX, Alphabet::Unicode, true);
        SimilarOptions { max_chars, alphabet, skips_licence, ..SimilarOptions::copilot_chat(language) }
    }

    /// Returns the part of a file that is compared.
    fn compared<'a>(&self, text: &'a str) -> &'a str {
        if self.skips_licence { &text[licence_len(text)..] } else { text }
    }
}

/// A window with its score; lines are counted from 0, `end_line` is exclusive.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Snippet {
    /// Index of the file among the compared ones.
    pub file: usize,
    pub start_line: usize,
    pub end_line: usize,
    pub score: f64,
}

/// Returns the windows of a file, as lines; the whole file if it is shorter than a window.
pub fn windows(lines: usize, window: usize) -> Vec<(usize, usize)> {
    if lines == 0 || window == 0 {
        return Vec::new();
    }
    (0..=lines.saturating_sub(window)).map(|start| (start, (start + window).min(lines))).collect()
}

/// The words of one file as numbers.
#[derive(Debug)]
struct FileWords {
    /// Number of lines before the first compared one.
    first_line: usize,
    /// Hash of each distinct word, in the order of first occurrence.
    distinct: Vec<u64>,
    /// Words in order, as indices into `distinct`.
    words: Vec<u32>,
    /// Start of each line in `words`, and the end of the last.
    lines: Vec<u32>,
    /// Number of distinct words of each window.
    sizes: Vec<u32>,
}

pub(crate) fn hash(word: &str) -> u64 {
    FixedState::with_seed(0).hash_one(word)
}

impl FileWords {
    fn of(text: &str, options: &SimilarOptions) -> FileWords {
        let (window, alphabet) = (options.window, options.alphabet);
        let compared = options.compared(text);
        let first_line = count_feeds(&text[..text.len() - compared.len()]);
        let mut ids: HashMap<&str, u32> = HashMap::default();
        let (distinct, sizes) = (Vec::new(), Vec::new());
        let mut file = FileWords { first_line, distinct, words: Vec::new(), lines: vec![0], sizes };
        for line in compared.split('\n') {
            words(line, alphabet, |word| {
                let next = ids.len() as u32;
                let id = *ids.entry(word).or_insert(next);
                if id == next {
                    file.distinct.push(hash(word));
                }
                file.words.push(id);
            });
            file.lines.push(file.words.len() as u32);
        }
        let all = vec![true; file.distinct.len()];
        file.sizes = Vec::with_capacity(file.line_count().saturating_sub(window) + 1);
        let mut sizes = Vec::new();
        file.roll(window, &all, |size| sizes.push(size));
        file.sizes = sizes;
        file
    }

    fn line_count(&self) -> usize {
        self.lines.len() - 1
    }

    fn words_of(&self, line: usize) -> &[u32] {
        &self.words[self.lines[line] as usize..self.lines[line + 1] as usize]
    }

    /// Calls `visit` with the number of distinct counted words of each window; each line is added and removed once.
    fn roll(&self, window: usize, counted: &[bool], mut visit: impl FnMut(u32)) {
        let mut counts = vec![0u32; self.distinct.len()];
        let mut distinct = 0;
        for line in 0..self.line_count() {
            for &word in self.words_of(line) {
                if counted[word as usize] {
                    distinct += u32::from(counts[word as usize] == 0);
                    counts[word as usize] += 1;
                }
            }
            if line >= window {
                for &word in self.words_of(line - window) {
                    if counted[word as usize] {
                        counts[word as usize] -= 1;
                        distinct -= u32::from(counts[word as usize] == 0);
                    }
                }
            }
            if line + 1 >= window || line + 1 == self.line_count() {
                visit(distinct);
            }
        }
    }

    fn memory(&self) -> usize {
        self.distinct.len() * 8 + (self.words.len() + self.lines.len() + self.sizes.len()) * 4 + 128
    }
}

type Key = (u64, usize, usize, Alphabet, bool);

/// Properties of a text that save reading it again: its hash, and its length in UTF-16 code units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest {
    hash: u64,
    pub length: usize,
}

impl Digest {
    pub fn of(text: &str) -> Digest {
        Digest { hash: hash(text), length: utf16_len(text) }
    }
}

/// Words of files, by the hash of their text; above the limit the least recently used ones are evicted.
#[derive(Debug)]
pub struct SimilarCache {
    files: HashMap<Key, Rc<FileWords>>,
    /// The keys without duplicates, in the order of their last use; keys used since are moved lazily.
    order: VecDeque<(Key, u64)>,
    last_use: HashMap<Key, u64>,
    uses: u64,
    bytes: usize,
    max_bytes: usize,
}

impl Default for SimilarCache {
    fn default() -> SimilarCache {
        SimilarCache::new(8 * 1024 * 1024)
    }
}

impl SimilarCache {
    /// Creates a cache of at most `max_bytes`.
    pub fn new(max_bytes: usize) -> SimilarCache {
        SimilarCache {
            files: HashMap::default(),
            order: VecDeque::new(),
            last_use: HashMap::default(),
            uses: 0,
            bytes: 0,
            max_bytes,
        }
    }

    /// Returns the bytes of cached files.
    pub fn memory(&self) -> usize {
        self.bytes
    }

    fn key(text: &str, digest: Digest, options: &SimilarOptions) -> Key {
        (digest.hash, text.len(), options.window, options.alphabet, options.skips_licence)
    }

    /// `key` belongs to `text`: hashing is most of the cost of a known file.
    fn get(&mut self, key: Key, text: &str, options: &SimilarOptions) -> Rc<FileWords> {
        self.uses += 1;
        let found = self.files.get(&key).cloned();
        let file = found.unwrap_or_else(|| {
            let file = Rc::new(FileWords::of(text, options));
            self.bytes += file.memory();
            self.files.insert(key, Rc::clone(&file));
            self.order.push_back((key, self.uses));
            file
        });
        self.last_use.insert(key, self.uses);
        while self.bytes > self.max_bytes {
            let Some((oldest, queued)) = self.order.pop_front() else { break };
            match self.last_use.get(&oldest) {
                Some(&used) if used > queued => self.order.push_back((oldest, used)),
                _ => {
                    self.last_use.remove(&oldest);
                    self.bytes -= self.files.remove(&oldest).map_or(0, |file| file.memory());
                }
            }
        }
        file
    }
}

/// The result of a comparison.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Similar {
    /// Best last.
    pub snippets: Vec<Snippet>,
    /// Files that are too large, empty, or beyond the limit of files.
    pub skipped: Vec<usize>,
    /// Files with a similar window, of which enough others are more similar.
    pub surplus: Vec<usize>,
    /// Files that are not in the cache and that `fresh_chars` did not allow to read.
    pub not_reached: Vec<usize>,
}

/// Finds similar snippets. `reference` is the text before the cursor; its last lines are used. Of files that are not
/// cached, at most `fresh_chars` UTF-16 code units are read: the result is then partial and lists the missing files.
pub fn similar(
    cache: &mut SimilarCache,
    reference: &str,
    files: &[&str],
    options: &SimilarOptions,
    fresh_chars: usize,
) -> Similar {
    let files: Vec<(&str, Digest)> = files.iter().map(|text| (*text, Digest::of(text))).collect();
    similar_known(cache, reference, &files, options, fresh_chars)
}

/// Returns the hashes of the words of the last lines of `reference`.
pub(crate) fn reference_words(reference: &str, options: &SimilarOptions) -> HashSet<u64> {
    let mut found = HashSet::default();
    words(last_lines(options.compared(reference), options.window), options.alphabet, |word| {
        found.insert(hash(word));
    });
    found
}

/// Finds similar snippets in files whose digests are known.
pub(crate) fn similar_known(
    cache: &mut SimilarCache,
    reference: &str,
    files: &[(&str, Digest)],
    options: &SimilarOptions,
    fresh_chars: usize,
) -> Similar {
    let mut result = Similar::default();
    let of_reference = reference_words(reference, options);
    let mut fresh = fresh_chars;
    let mut compared = 0;
    for (index, &(text, digest)) in files.iter().enumerate() {
        let length = digest.length;
        if length == 0 || length > options.max_chars || compared == options.max_files || options.window == 0 {
            result.skipped.push(index);
            continue;
        }
        compared += 1;
        if of_reference.is_empty() {
            continue;
        }
        let key = SimilarCache::key(text, digest, options);
        if !cache.files.contains_key(&key) {
            match fresh.checked_sub(length) {
                Some(rest) => fresh = rest,
                None => {
                    result.not_reached.push(index);
                    continue;
                }
            }
        }
        let file = cache.get(key, text, options);
        let mut found = best_windows(&file, &of_reference, index, options);
        found.retain(|snippet| snippet.score > options.threshold);
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        found.truncate(options.max_per_file);
        result.snippets.append(&mut found);
    }
    result.snippets.sort_by(|a, b| a.score.total_cmp(&b.score));
    let surplus = result.snippets.len().saturating_sub(options.max_snippets);
    let dropped: Vec<usize> = result.snippets.drain(..surplus).map(|snippet| snippet.file).collect();
    let is_kept = |file: &usize| result.snippets.iter().any(|snippet| snippet.file == *file);
    result.surplus = dropped.into_iter().filter(|file| !is_kept(file)).collect();
    result
}

/// Returns windows that do not overlap: one that overlaps the previous window replaces it if it is better, else it is
/// dropped.
fn best_windows(file: &FileWords, reference: &HashSet<u64>, index: usize, options: &SimilarOptions) -> Vec<Snippet> {
    let counted: Vec<bool> = file.distinct.iter().map(|word| reference.contains(word)).collect();
    let mut found: Vec<Snippet> = Vec::new();
    let mut start_line = 0;
    file.roll(options.window, &counted, |shared| {
        let size = file.sizes[start_line] as usize;
        let score = match options.similarity {
            Similarity::Jaccard => f64::from(shared) / (size + reference.len() - shared as usize) as f64,
            Similarity::Shared => f64::from(shared),
        };
        let end_line = (start_line + options.window).min(file.line_count());
        let snippet = Snippet { file: index, start_line, end_line, score };
        match found.last_mut() {
            Some(last) if start_line < last.end_line => {
                if score > last.score {
                    *last = snippet;
                }
            }
            _ => found.push(snippet),
        }
        start_line += 1;
    });
    for snippet in &mut found {
        snippet.start_line += file.first_line;
        snippet.end_line += file.first_line;
    }
    found
}

/// Returns the line above a snippet in a prompt.
pub fn announce(path: &str, snippets: usize) -> String {
    let what = if snippets == 1 { "this snippet" } else { "these snippets" };
    format!("Compare {what} from {path}:")
}

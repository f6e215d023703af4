//! The index: files, their chunks, and for each term the chunks that contain it.
//!
//! A change touches only the postings of its own terms. Chunks of removed files stay in the postings as tombstones
//! until half of all chunks are removed; then the next changes rewrite everything, a slice each. Frequencies, lengths
//! and the number of chunks never include removed chunks.

use crate::bytes::{self, checksum};
use crate::compact::Rebuild;
use crate::intern::Interner;
use crate::inverted::{Content, FileTerms, GONE, Inverted, Stored};
use crate::{Chunk, ChunkOptions, Definition, Profile, chunks, terms_of, words};
use espalier_core::error::{Code, Error, Result};
use espalier_core::map::HashMap;
use espalier_core::tokens::Tokenizer;

/// Maximum number of words whose terms are cached: more than a text of a million lines uses at a time.
const MAX_WORDS: usize = 1 << 16;

/// Number of files in one segment of a snapshot.
pub(crate) const SEGMENT: u32 = 128;

/// The chunks of files, searchable by words.
///
/// ```
/// use espalier_search::{Index, Profile, Query};
/// # fn main() -> espalier_core::error::Result<()> {
/// let mut index = Index::new(Profile::ESPALIER);
/// index.put_chunks("a.md", "1", &["The oak is a tree.", "The whale is an animal."])?;
/// let hits = index.search(&Query::of("trees and whales: whale"));
/// assert_eq!(index.locate(hits[0].chunk).map(|found| (found.path, found.position)), Some(("a.md", 1)));
/// # Ok(()) }
/// ```
#[derive(Default)]
pub struct Index {
    pub(crate) profile: Profile,
    pub(crate) settings: Box<str>,
    pub(crate) inverted: Inverted,
    pub(crate) files: Vec<Option<File>>,
    pub(crate) by_path: HashMap<Box<str>, u32>,
    free: Vec<u32>,
    pub(crate) alive: u32,
    pub(crate) sequence: u64,
    pub(crate) revision: u64,
    pub(crate) segments: Vec<SegmentState>,
    /// The segment that accepts new files.
    open: u32,
    pub(crate) known: Known,
    pub(crate) counts: Vec<u32>,
    pub(crate) rebuild: Option<Box<Rebuild>>,
    /// Lists that a compaction has replaced, freed in slices.
    pub(crate) retired: Option<Box<Inverted>>,
}

/// The state of a segment and its files.
#[derive(Default, Clone)]
pub(crate) struct SegmentState {
    pub files: u32,
    /// The revision of its last change.
    pub changed: u64,
    /// The blob in the storage, and its revision.
    pub saved: Option<(Box<str>, u64)>,
}

pub(crate) struct File {
    pub path: Box<str>,
    pub version: Box<str>,
    /// Ascending in the order in which files are put.
    pub sequence: u64,
    pub segment: u32,
    /// Header paths of the chunks that have one, by position.
    pub headers: Box<[(u32, Box<str>)]>,
    pub content: Content,
}

/// Cached words and their terms.
#[derive(Default)]
pub(crate) struct Known {
    words: Interner,
    ends: Vec<u32>,
    terms: Vec<u32>,
}

/// A chunk of a file, as it was put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located<'a> {
    pub path: &'a str,
    /// The version of the file's contents that the caller passed to [`Index::put`].
    pub version: &'a str,
    /// Position of the chunk in its file.
    pub position: u32,
    /// Equal for the same text in the same file, wherever in the file it moves.
    pub id: u64,
    pub start: usize,
    pub end: usize,
    pub start_utf16: usize,
    pub end_utf16: usize,
    pub first_line: u32,
    pub last_line: u32,
    pub tokens: u32,
    /// Names of the definitions around its start, joined with ` > `.
    pub header: &'a str,
}

/// Counts of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    pub files: usize,
    pub chunks: usize,
    /// Chunks of removed files that still use memory.
    pub gone: usize,
    pub terms: usize,
    /// Estimated bytes of memory.
    pub memory: usize,
    /// Ascending with every change.
    pub revision: u64,
}

impl Index {
    pub fn new(profile: Profile) -> Index {
        Index { profile, ..Index::default() }
    }

    /// Creates an index whose snapshots can only be read with the same `settings`: other inputs that decide about
    /// chunks, such as the encoding and the budget.
    pub fn with_settings(profile: Profile, settings: &str) -> Index {
        Index { profile, settings: settings.into(), ..Index::default() }
    }

    pub fn settings(&self) -> &str {
        &self.settings
    }

    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Adds a file, or replaces it. Returns false if the index already has this version.
    ///
    /// # Errors
    /// Those of [`chunks`]; the index is then unchanged.
    pub fn put<T: Tokenizer + ?Sized>(
        &mut self,
        path: &str,
        version: &str,
        text: &str,
        definitions: &[Definition],
        options: ChunkOptions,
        tokenizer: &T,
    ) -> Result<bool> {
        if self.version(path) == Some(version) {
            return Ok(false);
        }
        let cut = chunks(text, definitions, options, tokenizer)?;
        self.insert(path, version, cut.into_iter().map(|chunk| (&text[chunk.start..chunk.end], chunk)))?;
        Ok(true)
    }

    /// Adds a file whose text the caller has already cut, or replaces it. The ranges assume that the texts are
    /// contiguous.
    ///
    /// # Errors
    /// [`Code::BadInput`] if all texts together have 4 GB.
    pub fn put_chunks(&mut self, path: &str, version: &str, texts: &[&str]) -> Result<bool> {
        if self.version(path) == Some(version) {
            return Ok(false);
        }
        let (mut start, mut start_utf16, mut line) = (0, 0, 0);
        let cut = texts.iter().map(|text| {
            let lines = text.bytes().filter(|byte| *byte == b'\n').count() as u32;
            let (end, end_utf16) = (start + text.len(), start_utf16 + text.encode_utf16().count());
            let (first_line, last_line) = (line, line + lines);
            let chunk =
                Chunk { start, end, start_utf16, end_utf16, first_line, last_line, tokens: 0, header: String::new() };
            (start, start_utf16, line) = (end, end_utf16, last_line + 1);
            (*text, chunk)
        });
        self.insert(path, version, cut.collect::<Vec<_>>().into_iter())?;
        Ok(true)
    }

    /// Removes a file. Returns false if it was not there.
    pub fn remove(&mut self, path: &str) -> bool {
        let is_known = self.take_out(path);
        if is_known {
            self.compact_after(0);
        }
        is_known
    }

    fn take_out(&mut self, path: &str) -> bool {
        let Some(at) = self.by_path.remove(path) else { return false };
        let Some(file) = self.files[at as usize].take() else { return false };
        self.inverted.erase(&file.content);
        if let Some(rebuild) = &mut self.rebuild {
            rebuild.remove(at);
        }
        self.alive -= file.content.count;
        self.free.push(at);
        self.touch(file.segment);
        self.segments[file.segment as usize].files -= 1;
        true
    }

    /// Returns the version of a file, if the index has it.
    pub fn version(&self, path: &str) -> Option<&str> {
        self.file(path).map(|file| &*file.version)
    }

    /// Returns the paths of all files, in no order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.by_path.keys().map(|path| &**path)
    }

    /// Returns the chunks of a file, in the order of their text.
    pub fn chunks_of(&self, path: &str) -> impl Iterator<Item = Located<'_>> {
        let range = self.file(path).map_or(0..0, |file| file.content.first..file.content.first + file.content.count);
        range.filter_map(|chunk| self.locate(chunk))
    }

    /// Returns ids and numbers of all chunks, in no order.
    pub fn chunk_ids(&self) -> impl Iterator<Item = (u64, u32)> {
        let chunks = (0..).zip(&self.inverted.chunks);
        chunks.filter(|(_, stored)| stored.file != GONE).map(|(number, stored)| (stored.id, number))
    }

    /// Returns the location of a chunk. Numbers of chunks are valid until the next change of the index.
    pub fn locate(&self, chunk: u32) -> Option<Located<'_>> {
        let stored = self.inverted.chunks.get(chunk as usize)?;
        let file = self.files.get(stored.file as usize)?.as_ref()?;
        let header = file.headers.binary_search_by_key(&stored.position, |header| header.0);
        Some(Located {
            path: &file.path,
            version: &file.version,
            position: stored.position,
            id: stored.id,
            start: stored.start as usize,
            end: stored.end as usize,
            start_utf16: stored.start_utf16 as usize,
            end_utf16: stored.end_utf16 as usize,
            first_line: stored.first_line,
            last_line: stored.last_line,
            tokens: stored.tokens,
            header: header.map_or("", |at| &file.headers[at].1),
        })
    }

    pub fn state(&self) -> State {
        State {
            files: self.by_path.len(),
            chunks: self.alive as usize,
            gone: self.gone(),
            terms: self.inverted.terms.len(),
            memory: self.memory(),
            revision: self.revision,
        }
    }

    /// Returns the number of chunks of removed files that still use memory.
    pub(crate) fn gone(&self) -> usize {
        self.inverted.chunks.len() - self.alive as usize
    }

    fn memory(&self) -> usize {
        let files = self.files.iter().flatten().map(|file| {
            let headers: usize = file.headers.iter().map(|header| header.1.len() + size_of_val(header)).sum();
            2 * file.path.len() + file.version.len() + file.content.terms.memory() + headers
        });
        self.inverted.memory()
            + self.rebuild.as_ref().map_or(0, |rebuild| rebuild.memory())
            + self.retired.as_ref().map_or(0, |retired| retired.memory())
            + self.counts.capacity() * 4
            + self.files.capacity() * size_of::<Option<File>>()
            + files.sum::<usize>()
            + self.known.words.memory()
            + (self.known.ends.capacity() + self.known.terms.capacity()) * 4
    }

    fn file(&self, path: &str) -> Option<&File> {
        self.files.get(*self.by_path.get(path)? as usize)?.as_ref()
    }

    fn touch(&mut self, segment: u32) {
        self.revision += 1;
        self.segments[segment as usize].changed = self.revision;
    }

    fn insert<'a>(&mut self, path: &str, version: &str, cut: impl Iterator<Item = (&'a str, Chunk)>) -> Result<()> {
        let segment = self.file(path).map(|file| file.segment);
        self.take_out(path);
        let first = u32::try_from(self.inverted.chunks.len()).map_err(|_| too_many())?;
        let context = if self.profile.context { self.terms_in(path) } else { Vec::new() };
        let mut headers: Vec<(u32, Box<str>)> = Vec::new();
        let mut encoded = Vec::new();
        let mut seen: HashMap<u64, u64> = HashMap::default();
        let at = self.free.pop().unwrap_or(self.files.len() as u32);
        let mut found: Vec<u32> = Vec::new();
        let mut position = 0;
        for (text, chunk) in cut {
            found.clear();
            self.add_terms(text, &mut found);
            found.extend_from_slice(&context);
            if self.profile.context && !chunk.header.is_empty() {
                // Counted twice: the definition around a chunk says more about it than a word of its text.
                self.add_terms(&chunk.header, &mut found);
                self.add_terms(&chunk.header, &mut found);
            }
            self.count(first + position, &found, &mut encoded);
            let sum = checksum(checksum(0, path.as_bytes()), text.trim().as_bytes());
            let repeated = seen.entry(sum).and_modify(|count| *count += 1).or_insert(0);
            let limit = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
            self.inverted.chunks.push(Stored {
                file: at,
                position,
                start: limit(chunk.start),
                end: limit(chunk.end),
                start_utf16: limit(chunk.start_utf16),
                end_utf16: limit(chunk.end_utf16),
                first_line: chunk.first_line,
                last_line: chunk.last_line,
                tokens: chunk.tokens,
                id: checksum(sum, &repeated.to_le_bytes()),
            });
            if !chunk.header.is_empty() {
                headers.push((position, chunk.header.into()));
            }
            position += 1;
        }
        self.sequence = self.sequence.saturating_add(1);
        let segment = segment.unwrap_or_else(|| self.open_segment());
        let added = encoded.len();
        let file = File {
            path: path.into(),
            version: version.into(),
            sequence: self.sequence,
            segment,
            headers: headers.into(),
            content: Content { first, count: position, terms: FileTerms::Own(encoded.into()) },
        };
        self.place(at, file);
        self.touch(segment);
        self.compact_after(added);
        Ok(())
    }

    /// Adds a file whose chunks and postings exist.
    pub(crate) fn place(&mut self, at: u32, file: File) {
        self.alive += file.content.count;
        self.segments[file.segment as usize].files += 1;
        if let Some(rebuild) = &mut self.rebuild {
            rebuild.add(at);
        }
        self.by_path.insert(file.path.clone(), at);
        match self.files.get_mut(at as usize) {
            Some(slot) => *slot = Some(file),
            None => self.files.push(Some(file)),
        }
    }

    /// Adds a segment that the storage has.
    pub(crate) fn add_saved(&mut self, name: &str) {
        let saved = Some((name.into(), self.revision));
        self.segments.push(SegmentState { files: 0, changed: self.revision, saved });
    }

    /// Returns the segment for a new file: the open one. If it is full, one that is at most half full becomes the open
    /// one, or a new one.
    fn open_segment(&mut self) -> u32 {
        if self.segments.get(self.open as usize).is_none_or(|open| open.files >= SEGMENT) {
            let roomy = self.segments.iter().position(|one| one.files <= SEGMENT / 2);
            self.open = roomy.unwrap_or(self.segments.len()) as u32;
            if roomy.is_none() {
                self.segments.push(SegmentState::default());
            }
        }
        self.open
    }

    /// Adds the terms of a chunk to the postings, and encodes them for the file.
    fn count(&mut self, chunk: u32, found: &[u32], encoded: &mut Vec<u8>) {
        self.counts.resize(self.inverted.terms.len(), 0);
        let mut distinct = 0;
        for term in found {
            let count = &mut self.counts[*term as usize];
            distinct += u64::from(*count == 0);
            *count += 1;
        }
        bytes::put(encoded, distinct);
        for term in found {
            let count = std::mem::take(&mut self.counts[*term as usize]);
            if count > 0 {
                bytes::put_counted(encoded, *term, count);
                self.inverted.push(*term, chunk, count);
            }
        }
        self.inverted.add_length(found.len() as u64);
    }

    fn terms_in(&mut self, text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        self.add_terms(text, &mut found);
        found
    }

    fn add_terms(&mut self, text: &str, found: &mut Vec<u32>) {
        let Index { profile, inverted, known, .. } = self;
        words(text, profile.words, |word| known.terms_of(word, profile, &mut inverted.terms, found));
    }
}

fn too_many() -> Error {
    Error::new(Code::BadInput, "an index holds at most 4,294,967,295 chunks, those of removed files included")
}

impl Known {
    fn terms_of(&mut self, word: &str, profile: &Profile, terms: &mut Interner, found: &mut Vec<u32>) {
        if self.words.len() >= MAX_WORDS {
            *self = Known::default();
        }
        let word_id = self.words.intern(word) as usize;
        if word_id == self.ends.len() {
            terms_of(word, profile.words, |term| self.terms.push(terms.intern(term)));
            self.ends.push(self.terms.len() as u32);
        }
        let start = word_id.checked_sub(1).map_or(0, |before| self.ends[before]);
        found.extend_from_slice(&self.terms[start as usize..self.ends[word_id] as usize]);
    }
}

//! The index: files, their chunks, and for each term the chunks that hold it.
//!
//! A change touches only the postings of its own terms. Chunks of removed files stay in the postings as tombstones until half of all
//! chunks are gone; then everything is written anew. Frequencies, lengths and the number of chunks are always those of what is there.

use crate::bytes::{self, Reader, checksum};
use crate::intern::Interner;
use crate::{Chunk, ChunkOptions, Definition, Profile, chunks, terms_of, words};
use espalier_core::error::{Code, Error, Result};
use espalier_core::map::HashMap;
use espalier_core::tokens::Tokenizer;

/// The file of a chunk that is gone.
pub(crate) const GONE: u32 = u32::MAX;

/// The words whose terms are remembered. More than a text of a million lines has in use at a time.
const MAX_WORDS: usize = 1 << 16;

/// Files that one segment of a snapshot holds.
pub(crate) const SEGMENT: u32 = 128;

/// Chunks of removed files below which the index is not written anew.
const MIN_GONE: usize = 1 << 13;

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
    pub(crate) terms: Interner,
    pub(crate) postings: Vec<Postings>,
    pub(crate) chunks: Vec<Stored>,
    /// Number of terms of each chunk, repeated ones included; [`GONE`] for those that are gone.
    pub(crate) lengths: Vec<u32>,
    pub(crate) files: Vec<Option<File>>,
    pub(crate) by_path: HashMap<Box<str>, u32>,
    free: Vec<u32>,
    pub(crate) alive: u32,
    pub(crate) total_length: u64,
    pub(crate) sequence: u64,
    pub(crate) revision: u64,
    pub(crate) segments: Vec<SegmentState>,
    /// The segment that takes new files.
    open: u32,
    known: Known,
    counts: Vec<u32>,
}

/// What is kept of the files of a segment.
#[derive(Default, Clone)]
pub(crate) struct SegmentState {
    pub files: u32,
    /// The revision of its last change.
    pub changed: u64,
    /// The blob in the storage, and the revision that it holds.
    pub saved: Option<(Box<str>, u64)>,
}

/// The chunks of a term in ascending order: the distance from the chunk before, and the count.
#[derive(Default)]
pub(crate) struct Postings {
    pub bytes: Vec<u8>,
    /// One more than the last chunk.
    next: u32,
    /// Chunks that are there.
    pub chunks: u32,
}

impl Postings {
    fn push(&mut self, chunk: u32, count: u32) {
        bytes::put_counted(&mut self.bytes, chunk - self.next, count);
        self.next = chunk + 1;
        self.chunks += 1;
    }

    /// Calls `visit` with each chunk and its count, those that are gone included.
    #[inline]
    pub fn each(&self, mut visit: impl FnMut(u32, u32)) {
        let mut reader = Reader { bytes: &self.bytes };
        let mut next = 0;
        while let Some((distance, count)) = reader.counted() {
            let chunk = next + distance;
            visit(chunk, count);
            next = chunk + 1;
        }
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Stored {
    pub file: u32,
    pub position: u32,
    pub start: u32,
    pub end: u32,
    pub start_utf16: u32,
    pub end_utf16: u32,
    pub first_line: u32,
    pub last_line: u32,
    pub tokens: u32,
    pub id: u64,
}

pub(crate) struct File {
    pub path: Box<str>,
    pub version: Box<str>,
    /// Ascends with each file that is put.
    pub sequence: u64,
    pub segment: u32,
    pub first: u32,
    pub count: u32,
    /// Header paths of the chunks that have one, by position.
    pub headers: Box<[(u32, Box<str>)]>,
    /// For each chunk: how many terms follow, and each with its count.
    pub terms: Box<[u8]>,
}

/// Words and the terms that they have.
#[derive(Default)]
struct Known {
    words: Interner,
    ends: Vec<u32>,
    terms: Vec<u32>,
}

/// A chunk of a file, as it was put.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located<'a> {
    pub path: &'a str,
    /// What the caller said the contents of the file are: [`Index::put`]'s `version`.
    pub version: &'a str,
    /// Of the chunk in its file.
    pub position: u32,
    /// The same for the same text in the same file, wherever in the file it moves.
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

/// What an index holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    pub files: usize,
    pub chunks: usize,
    /// Chunks of removed files that still take room.
    pub gone: usize,
    pub terms: usize,
    /// Estimated bytes of memory.
    pub memory: usize,
    /// Ascends with every change.
    pub revision: u64,
}

impl Index {
    pub fn new(profile: Profile) -> Index {
        Index { profile, ..Index::default() }
    }

    pub fn profile(&self) -> Profile {
        self.profile
    }

    /// Adds a file, or replaces it. Returns false if the index has it in this version already.
    ///
    /// # Errors
    /// Those of [`chunks`]; the index is then as it was.
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

    /// The same for texts that the caller has cut already. Their ranges are as if they followed each other.
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

    /// Removes a file. Returns false if there is none.
    pub fn remove(&mut self, path: &str) -> bool {
        let Some(at) = self.by_path.remove(path) else { return false };
        let Some(file) = self.files[at as usize].take() else { return false };
        let mut reader = Reader { bytes: &file.terms };
        for chunk in file.first..file.first + file.count {
            for _ in 0..reader.small().unwrap_or(0) {
                let Some((term, _)) = reader.counted() else { break };
                self.postings[term as usize].chunks -= 1;
            }
            self.total_length -= u64::from(std::mem::replace(&mut self.lengths[chunk as usize], GONE));
            self.chunks[chunk as usize].file = GONE;
        }
        self.alive -= file.count;
        self.free.push(at);
        self.touch(file.segment);
        self.segments[file.segment as usize].files -= 1;
        if self.chunks.len() - self.alive as usize > MIN_GONE.max(self.alive as usize) {
            self.compact();
        }
        true
    }

    /// The version of a file, if the index has it.
    pub fn version(&self, path: &str) -> Option<&str> {
        self.file(path).map(|file| &*file.version)
    }

    /// Paths of all files, in no order.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.by_path.keys().map(|path| &**path)
    }

    /// Chunks of a file, in the order of their text.
    pub fn chunks_of(&self, path: &str) -> impl Iterator<Item = Located<'_>> {
        let range = self.file(path).map_or(0..0, |file| file.first..file.first + file.count);
        range.filter_map(|chunk| self.locate(chunk))
    }

    /// Where a chunk is. Numbers of chunks hold until the next change of the index.
    pub fn locate(&self, chunk: u32) -> Option<Located<'_>> {
        let stored = self.chunks.get(chunk as usize)?;
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
            gone: self.chunks.len() - self.alive as usize,
            terms: self.terms.len(),
            memory: self.memory(),
            revision: self.revision,
        }
    }

    fn memory(&self) -> usize {
        let postings: usize = self.postings.iter().map(|one| one.bytes.capacity()).sum();
        let files = self.files.iter().flatten().map(|file| {
            let headers: usize = file.headers.iter().map(|header| header.1.len() + size_of_val(header)).sum();
            2 * file.path.len() + file.version.len() + file.terms.len() + headers
        });
        self.terms.memory()
            + postings
            + self.postings.capacity() * size_of::<Postings>()
            + self.chunks.capacity() * size_of::<Stored>()
            + (self.lengths.capacity() + self.counts.capacity()) * 4
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
        self.remove(path);
        let first = u32::try_from(self.chunks.len()).map_err(|_| too_many())?;
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
                self.add_terms(&chunk.header, &mut found);
            }
            self.count(first + position, &found, &mut encoded);
            let sum = checksum(checksum(0, path.as_bytes()), text.trim().as_bytes());
            let repeated = seen.entry(sum).and_modify(|count| *count += 1).or_insert(0);
            let limit = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
            self.chunks.push(Stored {
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
        let file = File {
            path: path.into(),
            version: version.into(),
            sequence: self.sequence,
            segment,
            first,
            count: position,
            headers: headers.into(),
            terms: encoded.into(),
        };
        self.place(at, file);
        self.touch(segment);
        Ok(())
    }

    /// Enters a file whose chunks and postings are there.
    pub(crate) fn place(&mut self, at: u32, file: File) {
        self.alive += file.count;
        self.segments[file.segment as usize].files += 1;
        self.by_path.insert(file.path.clone(), at);
        match self.files.get_mut(at as usize) {
            Some(slot) => *slot = Some(file),
            None => self.files.push(Some(file)),
        }
    }

    /// A segment that the storage has.
    pub(crate) fn add_saved(&mut self, name: &str) {
        let saved = Some((name.into(), self.revision));
        self.segments.push(SegmentState { files: 0, changed: self.revision, saved });
    }

    /// The segment for a new file: the open one. If it is full, one that is at most half full is opened, or a new one.
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

    /// Counts the terms of a chunk into the postings, and writes them down for the file.
    fn count(&mut self, chunk: u32, found: &[u32], encoded: &mut Vec<u8>) {
        self.counts.resize(self.terms.len(), 0);
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
                self.posting(*term).push(chunk, count);
            }
        }
        self.add_length(found.len() as u64);
    }

    pub(crate) fn posting(&mut self, term: u32) -> &mut Postings {
        if self.postings.len() <= term as usize {
            self.postings.resize_with(self.terms.len().max(term as usize + 1), Postings::default);
        }
        &mut self.postings[term as usize]
    }

    /// Adds a chunk as a file of a snapshot has it.
    pub(crate) fn restore(&mut self, stored: Stored, terms: &[(u32, u32)]) {
        let chunk = self.chunks.len() as u32;
        let mut length = 0u64;
        for (term, count) in terms {
            self.posting(*term).push(chunk, *count);
            length += u64::from(*count);
        }
        self.chunks.push(stored);
        self.add_length(length);
    }

    fn add_length(&mut self, length: u64) {
        let length = u32::try_from(length).unwrap_or(GONE).min(GONE - 1);
        self.lengths.push(length);
        self.total_length += u64::from(length);
    }

    fn terms_in(&mut self, text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        self.add_terms(text, &mut found);
        found
    }

    fn add_terms(&mut self, text: &str, found: &mut Vec<u32>) {
        let Index { profile, terms, known, .. } = self;
        words(text, |word| known.terms_of(word, profile, terms, found));
    }

    /// Writes the index anew without the chunks that are gone. Takes time in proportion to the whole index; it happens by itself when
    /// half of the chunks are gone, and a host that is idle can do it before.
    pub fn compact(&mut self) {
        let old = std::mem::take(&mut self.terms);
        let chunks = std::mem::take(&mut self.chunks);
        self.postings = Vec::new();
        self.lengths.clear();
        self.counts = Vec::new();
        self.known = Known::default();
        self.total_length = 0;
        let mut renamed: Vec<u32> = vec![u32::MAX; old.len()];
        let mut order: Vec<(u64, u32)> =
            (0..).zip(&self.files).filter_map(|(at, file)| file.as_ref().map(|file| (file.sequence, at))).collect();
        order.sort_unstable();
        for (_, at) in order {
            let Some(mut file) = self.files[at as usize].take() else { continue };
            let first = self.chunks.len() as u32;
            let (mut terms, mut encoded) = (Vec::new(), Vec::with_capacity(file.terms.len()));
            let mut reader = Reader { bytes: &file.terms };
            for chunk in file.first..file.first + file.count {
                terms.clear();
                let distinct = reader.small().unwrap_or(0);
                bytes::put(&mut encoded, distinct.into());
                for _ in 0..distinct {
                    let Some((term, count)) = reader.counted() else { break };
                    let name = &mut renamed[term as usize];
                    if *name == u32::MAX {
                        *name = self.terms.intern(old.get(term));
                    }
                    terms.push((*name, count));
                    bytes::put_counted(&mut encoded, *name, count);
                }
                self.restore(chunks[chunk as usize], &terms);
            }
            file.first = first;
            file.terms = encoded.into();
            self.files[at as usize] = Some(file);
        }
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

//! Removes the chunks of removed files from an index, a slice at a time.
//!
//! New lists are written beside the old ones, file by file; the complete new lists replace the old ones. Until then the
//! old ones answer. A file that is put meanwhile is copied like the others; one that is removed leaves tombstones in
//! both. Start reading at [`Index::compact_step`].

use crate::bytes;
use crate::index::{File, Index, Known};
use crate::inverted::{Content, FileTerms, Inverted, Stored};

/// Minimum number of chunks of removed files for a rewrite of the index.
const MIN_GONE: usize = 1 << 13;

/// Bytes of encoded terms that one slice copies: one to two milliseconds.
const SLICE: usize = 1 << 16;

/// The cost of a file in a slice besides its bytes.
const PER_FILE: usize = 64;

/// A compaction in progress.
pub(crate) struct Rebuild {
    into: Inverted,
    /// The new number of each term; [`u32::MAX`] before it has one.
    renamed: Vec<u32>,
    /// Slots of files that are not copied yet.
    queue: Vec<u32>,
    /// Copied contents, by slot.
    moved: Vec<Option<Content>>,
    partial: Option<Partial>,
}

/// A file that is partly copied.
struct Partial {
    slot: u32,
    first: u32,
    count: u32,
    /// Bytes of its terms that were read.
    read: usize,
    encoded: Vec<u8>,
}

impl Partial {
    fn content(self) -> Content {
        Content { first: self.first, count: self.count, terms: FileTerms::Own(self.encoded.into()) }
    }
}

impl Rebuild {
    fn start(from: &Inverted, files: usize, chunks: usize) -> Rebuild {
        Rebuild {
            into: Inverted::with_room_of(from, chunks),
            renamed: Vec::new(),
            queue: (0..files as u32).rev().collect(),
            moved: Vec::new(),
            partial: None,
        }
    }

    pub fn memory(&self) -> usize {
        let moved = self.moved.iter().flatten().map(|content| content.terms.memory());
        self.into.memory()
            + moved.sum::<usize>()
            + self.moved.capacity() * size_of::<Option<Content>>()
            + (self.renamed.capacity() + self.queue.capacity()) * 4
    }

    /// Adds a file that was put.
    pub fn add(&mut self, slot: u32) {
        self.queue.push(slot);
    }

    /// Records that a file was removed.
    pub fn remove(&mut self, slot: u32) {
        let partial = self.partial.take_if(|partial| partial.slot == slot).map(Partial::content);
        let moved = self.moved.get_mut(slot as usize).and_then(Option::take);
        for content in partial.into_iter().chain(moved) {
            self.into.erase(&content);
        }
    }

    /// Copies about `bytes` of encoded terms. Returns true if everything is copied.
    fn copy(&mut self, from: &Inverted, files: &[Option<File>], bytes: usize) -> bool {
        self.renamed.resize(from.terms.len(), u32::MAX);
        self.moved.resize_with(files.len(), || None);
        let mut left = bytes;
        loop {
            let Some(mut partial) = self.partial.take().or_else(|| self.next(files)) else { return true };
            let Some(Some(file)) = files.get(partial.slot as usize) else { continue };
            let mut forward = from.forward(&file.content.terms);
            forward.skip(partial.read);
            while partial.count < file.content.count {
                if left == 0 {
                    self.partial = Some(partial);
                    return false;
                }
                let before = forward.left();
                let chunk = self.into.chunks.len() as u32;
                let distinct = forward.chunk();
                let mut length = 0u64;
                bytes::put(&mut partial.encoded, distinct.into());
                for _ in 0..distinct {
                    let Some((term, count)) = forward.term() else { break };
                    let name = &mut self.renamed[term as usize];
                    if *name == u32::MAX {
                        *name = self.into.terms.intern(from.terms.get(term));
                    }
                    bytes::put_counted(&mut partial.encoded, *name, count);
                    self.into.push(*name, chunk, count);
                    length += u64::from(count);
                }
                let stored = from.chunks[(file.content.first + partial.count) as usize];
                self.into.chunks.push(Stored { file: partial.slot, ..stored });
                self.into.add_length(length);
                let read = before - forward.left();
                partial.count += 1;
                partial.read += read;
                left = left.saturating_sub(read);
            }
            left = left.saturating_sub(PER_FILE);
            let slot = partial.slot as usize;
            self.moved[slot] = Some(partial.content());
            if left == 0 {
                return false;
            }
        }
    }

    /// Returns the next file that exists and is not copied.
    fn next(&mut self, files: &[Option<File>]) -> Option<Partial> {
        loop {
            let slot = self.queue.pop()?;
            if self.moved[slot as usize].is_none() && files[slot as usize].is_some() {
                let first = self.into.chunks.len() as u32;
                return Some(Partial { slot, first, count: 0, read: 0, encoded: Vec::new() });
            }
        }
    }
}

impl Index {
    /// Rewrites the index without removed chunks, in one call; the time is proportional to the whole index.
    pub fn compact(&mut self) {
        self.retired = None;
        self.rebuild = Some(self.start());
        self.advance(usize::MAX);
        self.retired = None;
    }

    /// Runs one slice of a compaction, a few milliseconds, for idle hosts. Returns true while there is more to do.
    ///
    /// Changes of the index run such slices themselves once half of the chunks are removed.
    pub fn compact_step(&mut self) -> bool {
        if self.retired.is_none() && self.rebuild.is_none() {
            if self.gone() == 0 {
                return false;
            }
            self.rebuild = Some(self.start());
        } else {
            self.advance(SLICE);
        }
        self.retired.is_some() || self.rebuild.is_some() || self.gone() > 0
    }

    /// True while a compaction is in progress.
    pub fn is_compacting(&self) -> bool {
        self.rebuild.is_some() || self.retired.is_some()
    }

    /// Runs the slice that belongs to a change. It copies twice the bytes that the change added, so that copying
    /// catches up with any changes.
    pub(crate) fn compact_after(&mut self, added: usize) {
        if self.retired.is_none() && self.rebuild.is_none() {
            if self.gone() > MIN_GONE.max(self.alive as usize) {
                self.rebuild = Some(self.start());
            }
        } else {
            self.advance(SLICE + 2 * added);
        }
    }

    fn start(&self) -> Box<Rebuild> {
        Box::new(Rebuild::start(&self.inverted, self.files.len(), self.alive as usize))
    }

    fn advance(&mut self, bytes: usize) {
        if let Some(retired) = &mut self.retired {
            if retired.free_some() {
                self.retired = None;
            }
            return;
        }
        let Some(mut rebuild) = self.rebuild.take() else { return };
        if !rebuild.copy(&self.inverted, &self.files, bytes) {
            self.rebuild = Some(rebuild);
            return;
        }
        for (file, moved) in self.files.iter_mut().zip(rebuild.moved) {
            if let (Some(file), Some(content)) = (file, moved) {
                file.content = content;
            }
        }
        self.retired = Some(Box::new(std::mem::replace(&mut self.inverted, rebuild.into)));
        self.known = Known::default();
        self.counts = Vec::new();
    }
}

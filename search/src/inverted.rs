//! The inverted lists: terms, chunks, and for each term the chunks that contain it.
//!
//! The lists of a loaded segment stay in its bytes (a [`Block`]): loading decodes no posting. Chunks that are put later
//! have lists of their own. A term's chunks are those of its block lists and those of its own list; no chunk is in
//! both.

use crate::bytes::{Bytes, Reader};
use crate::intern::Interner;

/// The file number and the length of a removed chunk.
pub(crate) const GONE: u32 = u32::MAX;

/// Number of lists that one slice frees.
const FREED_LISTS: usize = 1 << 14;

/// Number of blocks that one slice frees.
const FREED_BLOCKS: usize = 4;

#[derive(Default)]
pub(crate) struct Inverted {
    pub terms: Interner,
    pub chunks: Vec<Stored>,
    /// Number of terms of each chunk, repeated ones included; [`GONE`] for removed chunks.
    pub lengths: Vec<u32>,
    pub total_length: u64,
    /// Number of existing chunks of each term.
    frequencies: Vec<u32>,
    /// Lists of chunks that are in no block.
    postings: Vec<Postings>,
    blocks: Vec<Block>,
    /// For each term, the end of its block lists in `lists`. Terms that were added after the blocks are not in it.
    list_ends: Vec<u32>,
    lists: Vec<List>,
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

/// The chunks of a term in ascending order: the distance from the previous chunk, and the count.
#[derive(Default)]
pub(crate) struct Postings {
    bytes: Bytes,
    /// One more than the last chunk.
    next: u32,
}

impl Postings {
    pub fn push(&mut self, chunk: u32, count: u32) {
        // Only forged bytes have a term twice in a chunk.
        if let Some(distance) = chunk.checked_sub(self.next) {
            self.bytes.put_counted(distance, count);
            self.next = chunk + 1;
        }
    }

    pub fn bytes(&self) -> &[u8] {
        self.bytes.get()
    }
}

/// The bytes of a loaded segment.
pub(crate) struct Block {
    pub bytes: Vec<u8>,
    /// The term for each number that the segment uses.
    pub names: Box<[u32]>,
    /// The number of the segment's first chunk in the index, and the number of its chunks.
    pub first: u32,
    pub count: u32,
    /// Number of files that still read from it.
    pub files: u32,
}

/// The start of a list in a block: the number of its chunks, then as in [`Postings`].
#[derive(Clone, Copy, Default)]
struct List {
    block: u32,
    start: u32,
}

/// The chunks of a file.
pub(crate) struct Content {
    pub first: u32,
    pub count: u32,
    pub terms: FileTerms,
}

/// For each chunk of a file: the number of its terms, then each with its count.
pub(crate) enum FileTerms {
    Own(Box<[u8]>),
    /// A range of the block's bytes, with the block's names.
    Block {
        block: u32,
        start: u32,
        end: u32,
    },
}

impl FileTerms {
    pub fn memory(&self) -> usize {
        match self {
            FileTerms::Own(bytes) => bytes.len(),
            FileTerms::Block { .. } => 0,
        }
    }
}

/// Reads the terms of a file's chunks.
pub(crate) struct Forward<'a> {
    reader: Reader<'a>,
    names: Option<&'a [u32]>,
}

impl<'a> Forward<'a> {
    fn of(blocks: &'a [Block], terms: &'a FileTerms) -> Forward<'a> {
        match terms {
            FileTerms::Own(bytes) => Forward { reader: Reader { bytes }, names: None },
            FileTerms::Block { block, start, end } => {
                let block = blocks.get(*block as usize);
                let bytes = block.and_then(|block| block.bytes.get(*start as usize..*end as usize));
                let names = block.map_or(&[] as &[u32], |block| &block.names);
                Forward { reader: Reader { bytes: bytes.unwrap_or_default() }, names: Some(names) }
            }
        }
    }

    /// Returns the number of terms of the next chunk.
    pub fn chunk(&mut self) -> u32 {
        self.reader.small().unwrap_or(0)
    }

    #[inline]
    pub fn term(&mut self) -> Option<(u32, u32)> {
        let (name, count) = self.reader.counted()?;
        match self.names {
            Some(names) => Some((*names.get(name as usize)?, count)),
            None => Some((name, count)),
        }
    }

    /// Returns the number of remaining bytes.
    pub fn left(&self) -> usize {
        self.reader.bytes.len()
    }

    pub fn skip(&mut self, len: usize) {
        self.reader.bytes = self.reader.bytes.get(len..).unwrap_or_default();
    }
}

impl Inverted {
    /// Returns empty lists, with room for the content of `other`.
    pub fn with_room_of(other: &Inverted, chunks: usize) -> Inverted {
        let mut new = Inverted {
            chunks: Vec::with_capacity(chunks),
            lengths: Vec::with_capacity(chunks),
            frequencies: Vec::with_capacity(other.terms.len()),
            postings: Vec::with_capacity(other.terms.len()),
            ..Inverted::default()
        };
        new.terms.reserve(other.terms.len());
        new
    }

    pub fn forward<'a>(&'a self, terms: &'a FileTerms) -> Forward<'a> {
        Forward::of(&self.blocks, terms)
    }

    /// Returns the number of existing chunks of a term.
    pub fn chunks_with(&self, term: u32) -> u32 {
        self.frequencies.get(term as usize).copied().unwrap_or(0)
    }

    pub fn reserve_chunks(&mut self, count: usize) {
        self.chunks.reserve(count);
        self.lengths.reserve(count);
    }

    /// Calls `visit` with each chunk of a term and its count, including removed chunks.
    #[inline]
    pub fn each(&self, term: u32, mut visit: impl FnMut(u32, u32)) {
        for List { block, start } in self.lists_of(term) {
            let Some(block) = self.blocks.get(*block as usize) else { continue };
            let mut reader = Reader { bytes: block.bytes.get(*start as usize..).unwrap_or_default() };
            let mut next = 0u32;
            for _ in 0..reader.small().unwrap_or(0) {
                let Some((distance, count)) = reader.counted() else { break };
                let Some(chunk) = next.checked_add(distance).filter(|chunk| *chunk < block.count) else { break };
                visit(block.first + chunk, count);
                next = chunk + 1;
            }
        }
        let Some(postings) = self.postings.get(term as usize) else { return };
        let mut reader = Reader { bytes: postings.bytes() };
        let mut next = 0;
        while let Some((distance, count)) = reader.counted() {
            let chunk = next + distance;
            visit(chunk, count);
            next = chunk + 1;
        }
    }

    fn lists_of(&self, term: u32) -> &[List] {
        let Some(end) = self.list_ends.get(term as usize) else { return &[] };
        let start = (term as usize).checked_sub(1).map_or(0, |before| self.list_ends[before]);
        &self.lists[start as usize..*end as usize]
    }

    /// Records that `chunk`, the last one so far, contains a term.
    pub fn push(&mut self, term: u32, chunk: u32, count: u32) {
        if self.postings.len() <= term as usize {
            let len = self.terms.len().max(term as usize + 1);
            self.postings.resize_with(len, Postings::default);
            self.frequencies.resize(len, 0);
        }
        self.postings[term as usize].push(chunk, count);
        self.frequencies[term as usize] += 1;
    }

    pub fn add_length(&mut self, length: u64) {
        let length = u32::try_from(length).unwrap_or(GONE).min(GONE - 1);
        self.lengths.push(length);
        self.total_length += u64::from(length);
    }

    /// Leaves tombstones for the chunks of a file.
    pub fn erase(&mut self, content: &Content) {
        let mut forward = Forward::of(&self.blocks, &content.terms);
        for chunk in content.first as usize..(content.first + content.count) as usize {
            for _ in 0..forward.chunk() {
                let Some((term, _)) = forward.term() else { break };
                if let Some(frequency) = self.frequencies.get_mut(term as usize) {
                    *frequency = frequency.saturating_sub(1);
                }
            }
            self.total_length -= u64::from(std::mem::replace(&mut self.lengths[chunk], GONE));
            self.chunks[chunk].file = GONE;
        }
        if let FileTerms::Block { block, .. } = content.terms
            && let Some(block) = self.blocks.get_mut(block as usize)
        {
            block.files = block.files.saturating_sub(1);
            if block.files == 0 {
                // Its lists contain only tombstones, and an empty block has none.
                (block.bytes, block.names) = (Vec::new(), Box::default());
            }
        }
    }

    /// Adds the bytes of a segment; its chunks follow with [`Inverted::add_length`] and `chunks`. Returns the
    /// number of the block. `starts` has the start of each list and the number of its chunks, by the segment's
    /// names.
    pub fn add_block(&mut self, block: Block, starts: &[(u32, u32)]) -> u32 {
        self.frequencies.resize(self.terms.len(), 0);
        for (term, (_, chunks)) in block.names.iter().zip(starts) {
            let frequency = &mut self.frequencies[*term as usize];
            *frequency = frequency.saturating_add(*chunks);
        }
        self.blocks.push(block);
        self.blocks.len() as u32 - 1
    }

    /// Sorts the lists of all blocks by term. `starts` has for each block what [`Inverted::add_block`] took.
    pub fn sort_lists(&mut self, starts: &[Vec<(u32, u32)>]) {
        let mut ends = vec![0u32; self.terms.len()];
        let mut total = 0;
        for name in self.blocks.iter().flat_map(|block| &block.names) {
            ends[*name as usize] += 1;
            total += 1;
        }
        let mut next = 0;
        for end in &mut ends {
            next += std::mem::replace(end, next);
        }
        let mut lists = vec![List::default(); total];
        for ((number, block), starts) in (0..).zip(&self.blocks).zip(starts) {
            for (name, (start, _)) in block.names.iter().zip(starts) {
                let end = &mut ends[*name as usize];
                lists[*end as usize] = List { block: number, start: *start };
                *end += 1;
            }
        }
        (self.list_ends, self.lists) = (ends, lists);
    }

    /// Frees a part of its memory, so little that the pause is imperceptible. Returns true if no large part is left.
    pub fn free_some(&mut self) -> bool {
        let (lists, blocks) = (self.postings.len(), self.blocks.len());
        if lists + blocks > 0 {
            self.postings.truncate(lists.saturating_sub(FREED_LISTS));
            self.blocks.truncate(blocks.saturating_sub(FREED_BLOCKS));
            return false;
        }
        // Large ones, one at a time.
        if self.postings.capacity() > 0 {
            self.postings = Vec::new();
        } else if self.chunks.capacity() > 0 {
            self.chunks = Vec::new();
        } else if self.lists.capacity() > 0 {
            self.lists = Vec::new();
        } else {
            return true;
        }
        false
    }

    pub fn memory(&self) -> usize {
        let postings: usize = self.postings.iter().map(|one| one.bytes.memory()).sum();
        let blocks: usize = self.blocks.iter().map(|block| block.bytes.capacity() + block.names.len() * 4).sum();
        self.terms.memory()
            + postings
            + blocks
            + self.postings.capacity() * size_of::<Postings>()
            + self.chunks.capacity() * size_of::<Stored>()
            + self.lists.capacity() * size_of::<List>()
            + (self.lengths.capacity() + self.frequencies.capacity() + self.list_ends.capacity()) * 4
    }
}

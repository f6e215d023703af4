//! The tokens of a vocabulary while its tables are built, without storing all their bytes.
//!
//! The first eight bytes of each token are stored as one number; later bytes are found through the two tokens from
//! which it is merged.

use super::vocab::BYTE_TOKEN;
use crate::error::{Code, Error, Result};

/// Maximum bytes of a token. Both encodings have runs of 128 spaces and nothing longer.
const MAX_BYTES: usize = 128;

/// Number of tokens that one call of a building step processes. The steps are separate functions that are called often,
/// because WebAssembly engines replace unoptimised code by optimised code between calls, not within one.
pub(super) const STRETCH: usize = 1 << 10;

/// The value for no token.
pub(super) const NONE: u32 = u32::MAX;

pub(super) fn bad(id: usize, what: &str) -> Error {
    Error::new(Code::BadVocabulary, format!("the vocabulary is unusable: token {id} {what}"))
}

pub(super) struct Tokens {
    /// The two tokens from which each token is merged; a byte token names itself, then its byte.
    pub splits: Vec<[u32; 2]>,
    pub lens: Vec<u8>,
    /// The first eight bytes of each token, the first one highest, zeros after a shorter one.
    keys: Vec<u64>,
    /// Tokens of one byte.
    pub bytes: [u32; 256],
}

/// A token and eight of its bytes, from a depth that is a multiple of eight.
#[derive(Clone, Copy, Default)]
pub(super) struct Entry {
    pub key: u64,
    pub id: u32,
}

impl Tokens {
    pub fn new(count: usize) -> Tokens {
        Tokens { splits: vec![[0; 2]; count], lens: vec![0; count], keys: vec![0; count], bytes: [NONE; 256] }
    }

    /// Reads the tokens from `start` to `end` from the planes of a vocabulary file; earlier ones are known.
    #[inline(never)]
    pub fn read(&mut self, planes: &[u8], start: usize, end: usize) -> Result<()> {
        let count = self.splits.len();
        for id in start..end {
            let plane = |number: usize| u32::from(planes[number * count + id]);
            let left = plane(0) | plane(1) << 8 | plane(2) << 16;
            let right = plane(3) | plane(4) << 8 | plane(5) << 16;
            let (l, r) = (left as usize, right as usize);
            if right == BYTE_TOKEN {
                match self.bytes.get_mut(l) {
                    Some(slot) if *slot == NONE => *slot = id as u32,
                    Some(_) => return Err(bad(id, "repeats the byte of an earlier token")),
                    None => return Err(bad(id, "is not a byte")),
                }
                self.splits[id] = [id as u32, left];
                (self.lens[id], self.keys[id]) = (1, u64::from(left) << 56);
                continue;
            }
            if l >= id || r >= id {
                return Err(bad(id, "merges a token of higher rank"));
            }
            let before = self.lens[l] as usize;
            let len = before + self.lens[r] as usize;
            if len > MAX_BYTES {
                return Err(bad(id, "is longer than 128 bytes"));
            }
            self.splits[id] = [left, right];
            self.lens[id] = len as u8;
            self.keys[id] = self.keys[l] | if before < 8 { self.keys[r] >> (8 * before) } else { 0 };
        }
        Ok(())
    }

    /// Returns eight bytes of the token `id` from `depth` on, zeros after its end. The depth of the recursion is
    /// bounded: each step goes to a shorter token, and only few bytes remain.
    #[inline(never)]
    pub fn key(&self, id: u32, depth: usize) -> u64 {
        let len = self.lens[id as usize] as usize;
        match depth {
            0 => self.keys[id as usize],
            _ if depth >= len => 0,
            _ if len <= 8 => self.keys[id as usize] << (8 * depth),
            _ => {
                let [left, right] = self.splits[id as usize];
                let seam = self.lens[left as usize] as usize;
                if depth >= seam {
                    return self.key(right, depth - seam);
                }
                let from_left = seam - depth;
                self.key(left, depth) | if from_left < 8 { self.key(right, 0) >> (8 * from_left) } else { 0 }
            }
        }
    }

    /// Returns all tokens in the order of their bytes, with their first eight.
    ///
    /// # Errors
    /// [`Code::BadVocabulary`] if two have the same bytes.
    pub fn sorted(&self) -> Result<Vec<Entry>> {
        // Sorts by the first two bytes with a counting sort, then by comparison within each group.
        let mut ends = vec![0u32; (1 << 16) + 1];
        for keys in self.keys.chunks(STRETCH) {
            tally(keys, &mut ends);
        }
        for index in 1..ends.len() {
            ends[index] += ends[index - 1];
        }
        let mut sorted = vec![Entry::default(); self.keys.len()];
        for (keys, first) in self.keys.chunks(STRETCH).zip((0..).step_by(STRETCH)) {
            distribute(keys, first, &mut ends, &mut sorted);
        }
        let mut start = 0;
        for end in &ends[..1 << 16] {
            let end = *end as usize;
            if end - start > 1 {
                self.sort(&mut sorted[start..end], 0)?;
            }
            start = end;
        }
        Ok(sorted)
    }

    /// Sorts tokens that are equal up to `depth`; their keys are their bytes from there on. The keys are restored at
    /// the end.
    #[inline(never)]
    fn sort(&self, range: &mut [Entry], depth: usize) -> Result<()> {
        // If two tokens have the same eight bytes here, zeros after the end included, the shorter comes first if it
        // ends within them; tokens that continue are sorted by their later bytes.
        let len = |entry: &Entry| self.lens[entry.id as usize] as usize;
        range.sort_unstable_by(|a, b| a.key.cmp(&b.key).then_with(|| len(a).cmp(&len(b))));
        let mut rest = range;
        while let [first, ..] = rest {
            let key = first.key;
            let size = rest.iter().take_while(|entry| entry.key == key).count();
            let (alike, others) = rest.split_at_mut(size);
            rest = others;
            if size == 1 {
                continue;
            }
            let ended = alike.iter().take_while(|entry| len(entry) <= depth + 8).count();
            if let Some(twins) = alike[..ended].windows(2).find(|pair| len(&pair[0]) == len(&pair[1])) {
                return Err(bad(twins[0].id.max(twins[1].id) as usize, "has the bytes of another one"));
            }
            let longer = &mut alike[ended..];
            if longer.len() > 1 {
                for entry in longer.iter_mut() {
                    entry.key = self.key(entry.id, depth + 8);
                }
                self.sort(longer, depth + 8)?;
                for entry in longer.iter_mut() {
                    entry.key = key;
                }
            }
        }
        Ok(())
    }
}

/// Counts the keys that begin with each two bytes, stored one index higher.
#[inline(never)]
fn tally(keys: &[u64], counts: &mut [u32]) {
    for key in keys {
        counts[(key >> 48) as usize + 1] += 1;
    }
}

/// Puts each key at the next index of its first two bytes. The first key belongs to the token `first`.
#[inline(never)]
fn distribute(keys: &[u64], first: u32, places: &mut [u32], sorted: &mut [Entry]) {
    for (key, id) in keys.iter().zip(first..) {
        let place = &mut places[(key >> 48) as usize];
        sorted[*place as usize] = Entry { key: *key, id };
        *place += 1;
    }
}

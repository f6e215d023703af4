//! The parts of a vocabulary that counting needs: the trie of its tokens, how each token merges, and which pairs merge
//! at all.

use super::padded::Padded;
use super::spelling::{NONE, STRETCH, Tokens, bad};
use super::trie::{Builder, Match, Trie};
use super::vocab::MAX_TOKENS;
use crate::error::{Code, Error, Result};

pub(super) struct Tables {
    trie: Trie,
    /// The two tokens from which each token is merged; a byte token names itself, then its byte.
    splits: Vec<[u32; 2]>,
    /// Open addressing, at most half full: a 14-bit fingerprint of the pair above the merged id + 1; 0 is free.
    merges: Vec<u32>,
    /// One bit for each slot that a merging pair hashes to, out of eight times as many slots: most pairs do not merge,
    /// and this fits a processor's cache.
    known: Vec<u64>,
    lens: Vec<u8>,
}

const ID_BITS: u32 = 18;
const ID_MASK: u32 = (1 << ID_BITS) - 1;

/// Returns the first slot of a pair (before masking), and its fingerprint, shifted.
#[inline(always)]
fn hash_pair(left: u32, right: u32) -> (usize, u32) {
    let mixed = (u64::from(left) << ID_BITS | u64::from(right)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed >> 40) as usize, (mixed >> 26) as u32 & !ID_MASK)
}

impl Tables {
    /// Builds the tables from the planes of a vocabulary file, and checks that they form a vocabulary.
    ///
    /// # Errors
    /// [`Code::BadVocabulary`] unless every byte is a token once, every other token merges two of lower rank, no two
    /// tokens have the same bytes, and none is longer than 128 bytes.
    pub fn build(planes: &[u8]) -> Result<Tables> {
        let count = planes.len() / 6;
        if count > MAX_TOKENS {
            return Err(bad(MAX_TOKENS, "is one too many"));
        }
        let mut tokens = Tokens::new(count);
        for start in (0..count).step_by(STRETCH) {
            tokens.read(planes, start, count.min(start + STRETCH))?;
        }
        if let Some(byte) = tokens.bytes.iter().position(|id| *id == NONE) {
            return Err(Error::new(
                Code::BadVocabulary,
                format!("the vocabulary is unusable: no token for byte {byte}"),
            ));
        }
        let mut sorted = tokens.sorted()?;
        let trie = Builder::build(&tokens, &mut sorted);
        drop(sorted);
        let Tokens { splits, lens, .. } = tokens;
        let slots = (count * 2).next_power_of_two();
        let mut tables = Tables { trie, merges: vec![0; slots], known: vec![0; slots / 16], splits, lens };
        for start in (0..count).step_by(STRETCH) {
            tables.index_merges(start, count.min(start + STRETCH));
        }
        Ok(tables)
    }

    #[inline(never)]
    fn index_merges(&mut self, start: usize, end: usize) {
        let mask = self.merges.len() - 1;
        for id in start..end {
            let [left, right] = self.splits[id];
            if left as usize == id {
                continue;
            }
            let (slot, fingerprint) = hash_pair(left, right);
            let word = (slot >> 6) & (self.known.len() - 1);
            self.known[word] |= 1 << (slot & 63);
            let mut slot = slot & mask;
            while self.merges[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.merges[slot] = fingerprint | (id as u32 + 1);
        }
    }

    /// Returns the number of tokens.
    pub fn count(&self) -> usize {
        self.splits.len()
    }

    /// See [`Trie::longest`].
    #[inline(always)]
    pub fn longest(&self, text: Padded, at: usize, max: usize) -> Match {
        self.trie.longest(text, at, max)
    }

    /// See [`Trie::prefixes`].
    pub fn prefixes(&self, text: Padded, at: usize, max: usize, found: &mut Vec<Match>) {
        self.trie.prefixes(text, at, max, found);
    }

    /// Returns the number of bytes of the token `id`.
    #[inline(always)]
    pub fn len(&self, id: u32) -> usize {
        self.lens[id as usize] as usize
    }

    /// Returns the token that `left` and `right` merge to; [`NONE`] if they do not merge.
    #[inline(always)]
    fn merge(&self, left: u32, right: u32) -> u32 {
        let mask = self.merges.len() - 1;
        let (slot, fingerprint) = hash_pair(left, right);
        if self.known[(slot >> 6) & (self.known.len() - 1)] >> (slot & 63) & 1 == 0 {
            return NONE;
        }
        let mut slot = slot & mask;
        loop {
            let entry = self.merges[slot];
            if entry == 0 {
                return NONE;
            }
            if (entry ^ fingerprint) >> ID_BITS == 0 {
                let id = (entry & ID_MASK) - 1;
                if self.splits[id as usize] == [left, right] {
                    return id;
                }
            }
            slot = (slot + 1) & mask;
        }
    }

    /// True if the tokens `left` and `right` can be adjacent in an encoding: no merge across the boundary would precede
    /// the merges that made them. Walks back through those merges, the latest first.
    #[inline(never)]
    pub fn are_neighbours(&self, mut left: u32, mut right: u32) -> bool {
        let mut limit = NONE;
        loop {
            if self.merge(left, right) < limit {
                return false;
            }
            // Undo the later of the two merges; a byte cannot be undone, so then undo the other.
            let undo_left = match (self.splits[left as usize], self.splits[right as usize]) {
                ([l, _], [r, _]) if l == left && r == right => return true,
                ([l, _], _) if l == left => false,
                (_, [r, _]) if r == right => true,
                _ => left > right,
            };
            if undo_left {
                limit = left;
                left = self.splits[left as usize][1];
            } else {
                limit = right + 1;
                right = self.splits[right as usize][0];
            }
        }
    }

    /// Appends the bytes of the token `id`, which must exist.
    pub fn bytes_of(&self, id: u32, out: &mut Vec<u8>) {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            let [left, right] = self.splits[id as usize];
            if left == id {
                out.push(right as u8);
            } else {
                pending.extend([right, left]);
            }
        }
    }

    /// Returns the bytes of the tables.
    pub fn memory(&self) -> usize {
        self.trie.memory() + self.splits.len() * 8 + self.merges.len() * 4 + self.known.len() * 8 + self.lens.len()
    }
}

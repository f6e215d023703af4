//! What counting needs of a vocabulary: the trie of its tokens, how each token merges, and which pairs merge at all.

use super::padded::Padded;
use super::trie::{Builder, Match, Trie};
use super::vocab::{BYTE_TOKEN, MOST_TOKENS};
use crate::error::{Code, Error, Result};

/// Longest token, in bytes. Both encodings have runs of 128 spaces and nothing longer.
const MOST_BYTES: usize = 128;

/// No token.
pub(super) const NONE: u32 = u32::MAX;

pub(super) struct Tables {
    trie: Trie,
    /// The two tokens each token merges from; a byte token names itself, then its byte.
    splits: Vec<[u32; 2]>,
    /// Open addressing, at most half full: an 14-bit fingerprint of the pair above the merged id + 1; 0 is free.
    merges: Vec<u32>,
    lens: Vec<u8>,
}

const ID_BITS: u32 = 18;
const ID_MASK: u32 = (1 << ID_BITS) - 1;

/// Where a pair is looked for first (before masking), and its fingerprint in place.
#[inline(always)]
fn hash_pair(left: u32, right: u32) -> (usize, u32) {
    let mixed = (u64::from(left) << ID_BITS | u64::from(right)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed >> 40) as usize, (mixed >> 26) as u32 & !ID_MASK)
}

impl Tables {
    /// Builds the tables, checking that the pairs make a vocabulary.
    ///
    /// # Errors
    /// [`Code::BadVocabulary`] unless every byte is a token once, every other token merges two of lower rank, no two tokens
    /// have the same bytes, and none is longer than 128 bytes.
    pub fn build(pairs: Vec<[u32; 2]>) -> Result<Tables> {
        let bad = |what: &str, id: usize| {
            Error::new(Code::BadVocabulary, format!("the vocabulary is unusable: token {id} {what}"))
        };
        let count = pairs.len();
        if count > MOST_TOKENS {
            return Err(bad("is one too many", MOST_TOKENS));
        }
        let mut splits = pairs;
        let mut bytes = [NONE; 256];
        let mut arena: Vec<u8> = Vec::with_capacity(count * 8);
        let mut starts: Vec<u32> = Vec::with_capacity(count + 1);
        starts.push(0);
        for id in 0..count {
            let [left, right] = splits[id];
            if right == BYTE_TOKEN {
                match bytes.get_mut(left as usize) {
                    Some(slot) if *slot == NONE => *slot = id as u32,
                    Some(_) => return Err(bad("is a byte that was there before", id)),
                    None => return Err(bad("is no byte", id)),
                }
                arena.push(left as u8);
                splits[id] = [id as u32, left];
            } else {
                for part in [left as usize, right as usize] {
                    if part >= id {
                        return Err(bad("merges a token of higher rank", id));
                    }
                    arena.extend_from_within(starts[part] as usize..starts[part + 1] as usize);
                }
                if arena.len() - starts[id] as usize > MOST_BYTES {
                    return Err(bad("is longer than 128 bytes", id));
                }
            }
            starts.push(arena.len() as u32);
        }
        if let Some(byte) = bytes.iter().position(|id| *id == NONE) {
            return Err(Error::new(
                Code::BadVocabulary,
                format!("the vocabulary is unusable: no token for byte {byte}"),
            ));
        }
        let token = |id: u32| &arena[starts[id as usize] as usize..starts[id as usize + 1] as usize];
        let sorted = sort(count, token);
        if let Some(twins) = sorted.windows(2).find(|pair| token(pair[0]) == token(pair[1])) {
            return Err(bad("has the bytes of another one", twins[1] as usize));
        }
        let trie = Builder::build(token, &sorted, bytes);
        let lens = (0..count as u32).map(|id| token(id).len() as u8).collect();
        drop((sorted, arena, starts));
        let mut tables = Tables { trie, merges: vec![0; (count * 2).next_power_of_two()], splits, lens };
        tables.index_merges();
        Ok(tables)
    }

    fn index_merges(&mut self) {
        let mask = self.merges.len() - 1;
        for (id, [left, right]) in self.splits.iter().enumerate() {
            if *left as usize == id {
                continue;
            }
            let (slot, fingerprint) = hash_pair(*left, *right);
            let mut slot = slot & mask;
            while self.merges[slot] != 0 {
                slot = (slot + 1) & mask;
            }
            self.merges[slot] = fingerprint | (id as u32 + 1);
        }
    }

    /// Number of tokens.
    pub fn count(&self) -> usize {
        self.splits.len()
    }

    /// See [`Trie::longest`].
    #[inline(always)]
    pub fn longest(&self, text: Padded, at: usize, max: usize) -> Match {
        self.trie.longest(text, at, max)
    }

    /// Bytes of the token `id`.
    #[inline(always)]
    pub fn len(&self, id: u32) -> usize {
        self.lens[id as usize] as usize
    }

    /// The token that `left` and `right` merge to; [`NONE`] if they do not merge.
    #[inline(always)]
    fn merge(&self, left: u32, right: u32) -> u32 {
        let mask = self.merges.len() - 1;
        let (slot, fingerprint) = hash_pair(left, right);
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

    /// True if the tokens `left` and `right` can stand side by side in an encoding: no merge across the seam would have
    /// come before the merges that made them. Goes back through those merges, the latest first.
    #[inline(never)]
    pub fn are_neighbours(&self, mut left: u32, mut right: u32) -> bool {
        let mut limit = NONE;
        loop {
            if self.merge(left, right) < limit {
                return false;
            }
            // Undo the later of the two merges; a byte cannot be undone, then the other one is.
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

    /// Bytes that the tables take.
    pub fn memory(&self) -> usize {
        self.trie.memory() + self.splits.len() * 8 + self.merges.len() * 4 + self.lens.len()
    }
}

/// Ids of all tokens in the order of their bytes: first by counting two bytes, then by comparing within each group.
fn sort<'a>(count: usize, token: impl Fn(u32) -> &'a [u8]) -> Vec<u32> {
    let group = |id: u32| {
        let bytes = token(id);
        (bytes[0] as usize) << 8 | bytes.get(1).map_or(0, |byte| *byte as usize)
    };
    let mut ends = vec![0u32; (1 << 16) + 1];
    for id in 0..count as u32 {
        ends[group(id) + 1] += 1;
    }
    for index in 1..ends.len() {
        ends[index] += ends[index - 1];
    }
    let mut sorted = vec![0; count];
    for id in 0..count as u32 {
        let slot = &mut ends[group(id)];
        sorted[*slot as usize] = id;
        *slot += 1;
    }
    let mut keyed: Vec<(u64, u32)> = Vec::new();
    let mut start = 0;
    for end in &ends[..1 << 16] {
        let range = &mut sorted[start..*end as usize];
        start = *end as usize;
        if range.len() < 2 {
            continue;
        }
        // The next eight bytes as a number decide nearly always; equal ones are compared in full.
        keyed.clear();
        keyed.extend(range.iter().map(|id| {
            let mut key = [0; 8];
            let rest = token(*id).get(2..).unwrap_or_default();
            let len = rest.len().min(8);
            key[..len].copy_from_slice(&rest[..len]);
            (u64::from_be_bytes(key), *id)
        }));
        keyed.sort_unstable_by(|a, b| a.0.cmp(&b.0).then_with(|| token(a.1).cmp(token(b.1))));
        for (slot, (_, id)) in range.iter_mut().zip(&keyed) {
            *slot = *id;
        }
    }
    sorted
}

//! A cache of counts of pieces: most pieces of a text were counted before.
//!
//! Three direct-mapped caches of fixed size, by the length of the piece: up to 7 bytes the piece, its length and its
//! count fit one word; up to 15 bytes two words; longer ones are compared in a ring of bytes.

use super::bpe::Bpe;
use super::padded::Padded;
use super::tables::Tables;

const SHORT: usize = 1 << 15;
const MIDDLE: usize = 1 << 15;
const LONG: usize = 1 << 15;
/// Maximum bytes of a piece in the cache.
const MAX_BYTES: usize = 1 << 10;
/// Bytes of the ring with the long pieces.
const RING: usize = 1 << 20;

/// Bit position of a piece's count in its key: above at most seven (or fifteen) bytes and the length, which takes three
/// (four) bits. 7 bytes have at most 7 tokens, 15 bytes at most 15.
const SHORT_COUNT: u32 = 59;
const MIDDLE_COUNT: u32 = 60;

/// A long piece: hash, position and length in the ring, count.
#[derive(Clone, Copy, Default)]
struct Entry {
    hash: u64,
    at: u32,
    len: u16,
    count: u16,
}

pub(super) struct Pieces {
    short: Vec<u64>,
    middle: Vec<[u64; 2]>,
    long: Vec<Entry>,
    ring: Vec<u8>,
    ring_end: usize,
}

/// Masks of the lowest n bytes.
const LOWEST: [u64; 9] = {
    let mut masks = [u64::MAX; 9];
    let mut bytes = 0;
    while bytes < 8 {
        masks[bytes] = (1 << (8 * bytes)) - 1;
        bytes += 1;
    }
    masks
};

#[inline(always)]
fn mix(word: u64) -> u64 {
    let mixed = word.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^ mixed >> 32
}

impl Pieces {
    pub fn new() -> Pieces {
        Pieces {
            short: vec![0; SHORT],
            middle: vec![[0; 2]; MIDDLE],
            long: vec![Entry::default(); LONG],
            ring: vec![0; RING],
            ring_end: 0,
        }
    }

    /// Returns the tokens of the piece from `start` to `end`.
    #[inline(always)]
    pub fn count(&mut self, tables: &Tables, bpe: &mut Bpe, text: Padded, start: usize, end: usize) -> u64 {
        let len = end - start;
        if len <= 7 {
            let key = text.word(start) & LOWEST[len] | (len as u64) << 56;
            let slot = mix(key) as usize & (SHORT - 1);
            let entry = self.short[slot];
            if entry & ((1 << SHORT_COUNT) - 1) == key {
                return entry >> SHORT_COUNT;
            }
            let count = fresh(tables, bpe, text, start, end);
            self.short[slot] = key | count << SHORT_COUNT;
            return count;
        }
        if len <= 15 {
            let low = text.word(start);
            let high = text.word(start + 8) & LOWEST[len - 8] | (len as u64) << 56;
            let slot = mix(low ^ mix(high)) as usize & (MIDDLE - 1);
            let entry = self.middle[slot];
            if entry[0] == low && entry[1] & ((1 << MIDDLE_COUNT) - 1) == high {
                return entry[1] >> MIDDLE_COUNT;
            }
            let count = fresh(tables, bpe, text, start, end);
            self.middle[slot] = [low, high | count << MIDDLE_COUNT];
            return count;
        }
        self.count_long(tables, bpe, text, start, end)
    }

    #[inline(never)]
    fn count_long(&mut self, tables: &Tables, bpe: &mut Bpe, text: Padded, start: usize, end: usize) -> u64 {
        let len = end - start;
        if len > MAX_BYTES {
            return fresh(tables, bpe, text, start, end);
        }
        let mut hash = len as u64;
        let mut at = start;
        while at + 8 <= end {
            hash = mix(hash ^ text.word(at));
            at += 8;
        }
        hash = mix(hash ^ text.word(at) & LOWEST[end - at]);
        let piece = text.slice(start, end);
        let slot = hash as usize & (LONG - 1);
        let entry = self.long[slot];
        if entry.hash == hash && entry.len as usize == len && self.ring[entry.at as usize..][..len] == *piece {
            return u64::from(entry.count);
        }
        let count = fresh(tables, bpe, text, start, end);
        if self.ring_end + len > RING {
            self.ring_end = 0;
        }
        self.ring[self.ring_end..][..len].copy_from_slice(piece);
        self.long[slot] = Entry { hash, at: self.ring_end as u32, len: len as u16, count: count as u16 };
        self.ring_end += len;
        count
    }

    /// Returns the bytes of the caches.
    pub fn memory(&self) -> usize {
        self.short.len() * 8 + self.middle.len() * 16 + self.long.len() * size_of::<Entry>() + self.ring.len()
    }
}

#[inline(never)]
fn fresh(tables: &Tables, bpe: &mut Bpe, text: Padded, start: usize, end: usize) -> u64 {
    bpe.encode(tables, text, start, end);
    bpe.tokens.len() as u64
}

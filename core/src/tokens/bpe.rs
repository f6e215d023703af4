//! Tokens of one piece: exact byte pair encoding by backtracking over longest matches.
//!
//! Merging by rank always ends in the only sequence of tokens in which any two neighbours may be adjacent (see
//! [`Tables::are_neighbours`]). So the algorithm takes the longest token, continues after it, and backtracks to a
//! shorter token if nothing fits. No position is tried twice, which makes this linear for any input. The idea and its
//! proof come from the `bpe` crate (github/rust-gems); the code is our own.

use super::padded::Padded;
use super::runs::LONG;
use super::tables::Tables;
use super::trie::Match;

/// Size of the direct-mapped cache of answers of [`Tables::are_neighbours`].
const MEMO: usize = 1 << 15;

/// The value for no position.
const NOWHERE: usize = usize::MAX;

/// The state of encoding a piece, besides the tables; kept between pieces.
pub(super) struct Bpe {
    /// Tokens of the last piece.
    pub tokens: Vec<u32>,
    /// A bit for every position of the piece that may still begin a token.
    open: Vec<u64>,
    /// Tokens that begin at `shorter_at`, the shortest first, without those already tried.
    shorter: Vec<Match>,
    shorter_at: usize,
    /// (left << 18 | right) + 1, with the answer in the lowest bit.
    memo: Vec<u64>,
}

impl Bpe {
    pub fn new() -> Bpe {
        Bpe { tokens: Vec::new(), open: Vec::new(), shorter: Vec::new(), shorter_at: NOWHERE, memo: vec![0; MEMO] }
    }

    /// Encodes the piece from `start` to `end` into [`Bpe::tokens`].
    #[inline(always)]
    pub fn encode(&mut self, tables: &Tables, text: Padded, start: usize, end: usize) {
        if end - start < LONG || !self.encode_runs(tables, text, start, end) {
            self.encode_piece(tables, text, start, end);
        }
    }

    #[inline(never)]
    pub(super) fn encode_piece(&mut self, tables: &Tables, text: Padded, start: usize, end: usize) {
        let len = end - start;
        self.tokens.clear();
        self.shorter_at = NOWHERE;
        self.open.clear();
        self.open.resize(len / 64 + 1, !0);
        let mut at = 0;
        let mut token = tables.longest(text, start, len);
        while at < len {
            let behind = at + token.len;
            let fits = self.open[behind >> 6] >> (behind & 63) & 1 == 1
                && match self.tokens.last() {
                    Some(last) => Self::are_neighbours(&mut self.memo, tables, *last, token.id),
                    None => true,
                };
            if fits {
                self.tokens.push(token.id);
                at = behind;
                if at < len {
                    token = tables.longest(text, start + at, len - at);
                }
                continue;
            }
            // Nothing fits here: close the position and shorten the token before it, until a token can be shortened.
            while token.len == 1 {
                self.open[at >> 6] &= !(1 << (at & 63));
                let Some(last) = self.tokens.pop() else {
                    // Every piece has an encoding, so the first position is never closed.
                    return;
                };
                token.id = last;
                token.len = tables.len(last);
                at -= token.len;
            }
            token = self.shorter(tables, text, start + at, token.len - 1);
        }
    }

    /// Returns the longest token at `at` of at most `max` bytes. A token that is shortened once is often shortened
    /// again (in a run of one character dozens of times), so all tokens that begin there are found at once.
    #[inline(always)]
    fn shorter(&mut self, tables: &Tables, text: Padded, at: usize, max: usize) -> Match {
        if self.shorter_at != at {
            self.shorter_at = at;
            tables.prefixes(text, at, max, &mut self.shorter);
        }
        // The first one is a single byte, which always fits.
        while self.shorter.len() > 1 && self.shorter[self.shorter.len() - 1].len > max {
            self.shorter.pop();
        }
        self.shorter[self.shorter.len() - 1]
    }

    #[inline(always)]
    fn are_neighbours(memo: &mut [u64], tables: &Tables, left: u32, right: u32) -> bool {
        let key = (u64::from(left) << 18 | u64::from(right)) + 1;
        let slot = &mut memo[(key.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 49) as usize & (MEMO - 1)];
        if *slot >> 1 == key {
            return *slot & 1 == 1;
        }
        let answer = tables.are_neighbours(left, right);
        *slot = key << 1 | u64::from(answer);
        answer
    }

    /// Returns the bytes of memory between calls.
    pub fn memory(&self) -> usize {
        self.tokens.capacity() * 4 + (self.open.capacity() + self.memo.len()) * 8
    }
}

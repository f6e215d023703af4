//! All tokens of a vocabulary as a trie over bytes: one walk finds the longest token at a position.
//!
//! A double array in one word per node. A node's child for byte `c` is at `base ^ c`, and belongs to that node if and
//! only if it has the label `c`, because no two nodes share a base. The first two bytes are looked up in one step.

use super::padded::Padded;
use super::spelling::{Entry, Tokens};

/// Bits of a unit: the label of the edge that leads here in the lowest eight, then whether a token ends here, then the
/// base; the highest bit marks a free unit.
const LABEL: u32 = 0xFF;
const TOKEN: u32 = 1 << 8;
const BASE_SHIFT: u32 = 9;
const FREE: u32 = 1 << 31;

/// Children of childless nodes are looked up in the first 256 units, which stay free.
const BLOCK: usize = 256;

/// The result of a search: a token and its length. Length 0 means no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub id: u32,
    pub len: usize,
}

pub(super) struct Trie {
    units: Vec<u32>,
    /// The token that ends at each unit, if there is one.
    ids: Vec<u32>,
    /// Unit of the node after the first two bytes; 0 if there is none.
    pairs: Vec<u32>,
    /// Tokens of one byte.
    bytes: [u32; 256],
}

impl Trie {
    /// Returns the longest token that begins at `at` and has at most `max` bytes; `max` is at least 1. There is one,
    /// because every byte is a token.
    #[inline(always)]
    pub fn longest(&self, text: Padded, at: usize, max: usize) -> Match {
        let first = text.byte(at);
        let single = Match { id: self.bytes[first as usize], len: 1 };
        if max < 2 {
            return single;
        }
        let mut node = self.pairs[first as usize | (text.byte(at + 1) as usize) << 8] as usize;
        if node == 0 {
            return single;
        }
        let mut found = (0, 0);
        let mut len = 2;
        let mut unit = self.units[node];
        loop {
            if unit & TOKEN != 0 {
                found = (node, len);
            }
            if len == max {
                break;
            }
            let byte = u32::from(text.byte(at + len));
            let next = (unit >> BASE_SHIFT ^ byte) as usize;
            unit = self.units[next];
            if unit & (FREE | LABEL) != byte {
                break;
            }
            node = next;
            len += 1;
        }
        if found.1 == 0 { single } else { Match { id: self.ids[found.0], len: found.1 } }
    }

    /// Collects all tokens that begin at `at` and have at most `max` bytes, the shortest first.
    #[inline(never)]
    pub fn prefixes(&self, text: Padded, at: usize, max: usize, found: &mut Vec<Match>) {
        found.clear();
        found.push(Match { id: self.bytes[text.byte(at) as usize], len: 1 });
        if max < 2 {
            return;
        }
        let mut node = self.pairs[text.byte(at) as usize | (text.byte(at + 1) as usize) << 8] as usize;
        let mut len = 2;
        while node != 0 {
            let unit = self.units[node];
            if unit & TOKEN != 0 {
                found.push(Match { id: self.ids[node], len });
            }
            if len == max {
                return;
            }
            let byte = u32::from(text.byte(at + len));
            let next = (unit >> BASE_SHIFT ^ byte) as usize;
            node = if self.units[next] & (FREE | LABEL) == byte { next } else { 0 };
            len += 1;
        }
    }

    /// Returns the bytes of the trie.
    pub fn memory(&self) -> usize {
        (self.units.len() + self.ids.len() + self.pairs.len() + 256) * 4
    }
}

/// Builds a [`Trie`] from tokens sorted by their bytes.
pub(super) struct Builder<'a> {
    tokens: &'a Tokens,
    trie: Trie,
    blocks: Vec<Block>,
    /// Blocks that may still accept nodes with several children.
    open: Vec<u32>,
    /// The block for single children.
    filling: usize,
    /// Edges of the nodes being written, from the first to the deepest: label, and end of its tokens in the node's
    /// range.
    edges: Vec<(u8, u32)>,
}

/// The free slots of 256 units, one bit each.
struct Block {
    free: [u64; 4],
    free_count: u32,
    /// Bases that no node uses.
    bases: [u64; 4],
}

/// Maximum number of blocks that are tried for a node with several children before a new one is started.
const MAX_OPEN: usize = 16;

impl<'a> Builder<'a> {
    /// Builds the trie; `sorted` contains all tokens in the order of their bytes, without duplicates. Its keys are
    /// overwritten.
    pub fn build(tokens: &'a Tokens, sorted: &mut [Entry]) -> Trie {
        // Nodes per token in both vocabularies: 2.1; units are nearly all used.
        let room = sorted.len() * 9 / 4 + 2 * BLOCK;
        let (mut units, mut ids) = (Vec::with_capacity(room), Vec::with_capacity(room));
        units.resize(BLOCK, FREE);
        ids.resize(BLOCK, 0);
        let trie = Trie { units, ids, pairs: vec![0; 1 << 16], bytes: tokens.bytes };
        let nothing = Block { free: [0; 4], free_count: 0, bases: [0; 4] };
        let mut builder = Builder { tokens, trie, blocks: vec![nothing], open: vec![], filling: 1, edges: vec![] };
        let mut start = 0;
        while start < sorted.len() {
            let prefix = sorted[start].key >> 48;
            let size = sorted[start..].iter().take_while(|entry| entry.key >> 48 == prefix).count();
            let range = &mut sorted[start..start + size];
            start += size;
            // The first may be a single byte (the zero after it in its key is not part of it).
            let range = match tokens.lens[range[0].id as usize] {
                1 => &mut range[1..],
                _ => range,
            };
            if !range.is_empty() {
                let (first, second) = (prefix as usize >> 8, prefix as u8);
                let node = builder.place_one(second) ^ second as usize;
                builder.trie.pairs[first | (second as usize) << 8] = node as u32;
                builder.fill(node, range, 2);
            }
        }
        builder.trie.units.shrink_to_fit();
        builder.trie.ids.shrink_to_fit();
        builder.trie
    }

    /// Writes the node at `node` and all nodes below it. `range` holds its tokens: all share their first `depth` bytes.
    /// The length of the longest token (128) bounds the depth of the recursion.
    fn fill(&mut self, mut node: usize, mut range: &mut [Entry], mut depth: usize) {
        loop {
            let [first, ..] = range else { return };
            let id = first.id;
            if self.tokens.lens[id as usize] as usize == depth {
                self.trie.units[node] |= TOKEN;
                self.trie.ids[node] = id;
                range = &mut range[1..];
            }
            if range.is_empty() {
                return;
            }
            if depth.is_multiple_of(8) {
                for entry in range.iter_mut() {
                    entry.key = self.tokens.key(entry.id, depth);
                }
            }
            let shift = 56 - depth % 8 * 8;
            depth += 1;
            let label = (range[0].key >> shift) as u8;
            if (range[range.len() - 1].key >> shift) as u8 == label {
                // A single child gets all tokens.
                let base = self.place_one(label);
                self.trie.units[node] |= (base as u32) << BASE_SHIFT;
                node = base ^ label as usize;
                continue;
            }
            let from = self.edges.len();
            for (index, entry) in range.iter().enumerate() {
                let label = (entry.key >> shift) as u8;
                let end = index as u32 + 1;
                match self.edges[from..].last_mut() {
                    Some(edge) if edge.0 == label => edge.1 = end,
                    _ => self.edges.push((label, end)),
                }
            }
            let base = self.place(from);
            self.trie.units[node] |= (base as u32) << BASE_SHIFT;
            let mut start = 0;
            for index in from..self.edges.len() {
                let (label, end) = self.edges[index];
                self.fill(base ^ label as usize, &mut range[start..end as usize], depth);
                start = end as usize;
            }
            self.edges.truncate(from);
            return;
        }
    }

    /// Finds free units for the children in `edges[from..]` and occupies them. Returns their base.
    fn place(&mut self, from: usize) -> usize {
        let count = (self.edges.len() - from) as u32;
        let mut fitting = None;
        for index in (0..self.open.len()).rev() {
            let block = self.open[index] as usize;
            if self.blocks[block].free_count >= count {
                fitting = self.base_in(block, from);
                if fitting.is_some() {
                    break;
                }
            }
        }
        let base = fitting.unwrap_or_else(|| {
            self.grow();
            // A new block has every unit free and no base in use.
            (self.blocks.len() - 1) * BLOCK
        });
        for index in from..self.edges.len() {
            self.take(base, self.edges[index].0);
        }
        base
    }

    /// Finds a free unit for a single child. Single children fill the holes, block after block. A block without room
    /// for one is not tried again: it is full, or nearly, and the few units that a used base blocks are not worth the
    /// search.
    fn place_one(&mut self, label: u8) -> usize {
        loop {
            let block = self.filling;
            if block == self.blocks.len() {
                self.grow();
            }
            let Block { free, bases, .. } = &self.blocks[block];
            for (word, bits) in free.iter().enumerate() {
                let mut bits = *bits;
                while bits != 0 {
                    let base = (word * 64 + bits.trailing_zeros() as usize) ^ label as usize;
                    if bases[base >> 6] >> (base & 63) & 1 == 1 {
                        self.take(block * BLOCK + base, label);
                        return block * BLOCK + base;
                    }
                    bits &= bits - 1;
                }
            }
            self.filling += 1;
        }
    }

    /// Occupies `base` and its child for `label`.
    fn take(&mut self, base: usize, label: u8) {
        let unit = base ^ label as usize;
        let block = &mut self.blocks[base / BLOCK];
        block.bases[base % BLOCK / 64] &= !(1 << (base & 63));
        block.free[unit % BLOCK / 64] &= !(1 << (unit & 63));
        block.free_count -= 1;
        self.trie.units[unit] = u32::from(label);
    }

    /// Returns a base in the block whose children are all free.
    fn base_in(&self, number: usize, from: usize) -> Option<usize> {
        let block = &self.blocks[number];
        let mut fitting = block.bases;
        for (label, _) in &self.edges[from..] {
            let moved = exchange(&block.free, *label);
            for word in 0..4 {
                fitting[word] &= moved[word];
            }
            if fitting == [0; 4] {
                return None;
            }
        }
        let word = fitting.iter().position(|bits| *bits != 0)?;
        Some(number * BLOCK + word * 64 + fitting[word].trailing_zeros() as usize)
    }

    fn grow(&mut self) {
        self.open.push(self.blocks.len() as u32);
        if self.open.len() > MAX_OPEN {
            self.open.remove(0);
        }
        self.blocks.push(Block { free: [!0; 4], free_count: BLOCK as u32, bases: [!0; 4] });
        self.trie.units.resize(self.trie.units.len() + BLOCK, FREE);
        self.trie.ids.resize(self.trie.ids.len() + BLOCK, 0);
    }
}

/// Returns the set `{ bit ^ by : bit in bits }`, of 256 bits.
fn exchange(bits: &[u64; 4], by: u8) -> [u64; 4] {
    const SWAPS: [(u32, u64); 6] = [
        (1, 0x5555_5555_5555_5555),
        (2, 0x3333_3333_3333_3333),
        (4, 0x0F0F_0F0F_0F0F_0F0F),
        (8, 0x00FF_00FF_00FF_00FF),
        (16, 0x0000_FFFF_0000_FFFF),
        (32, 0x0000_0000_FFFF_FFFF),
    ];
    std::array::from_fn(|word| {
        let mut bits = bits[word ^ (by >> 6) as usize];
        for (shift, mask) in SWAPS {
            if by as u32 & shift != 0 {
                bits = (bits >> shift & mask) | (bits & mask) << shift;
            }
        }
        bits
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exchange_moves_every_bit() {
        for by in 0..=255u8 {
            for bit in [0usize, 1, 37, 63, 64, 130, 255] {
                let mut bits = [0u64; 4];
                bits[bit >> 6] |= 1 << (bit & 63);
                let target = bit ^ by as usize;
                let mut wanted = [0u64; 4];
                wanted[target >> 6] |= 1 << (target & 63);
                assert_eq!(exchange(&bits, by), wanted, "{bit} by {by}");
            }
        }
    }
}

//! Unpacks raw deflate data (RFC 1951).
//!
//! Our own code, because it runs once, on first load: a WebAssembly engine took longer to compile the usual library's
//! state machine (27 ms) than this code takes to unpack a whole vocabulary. Everything is checked; any other data
//! returns `None`.

/// Unpacks `packed` into exactly `size` bytes. `None` if the data is damaged, truncated, or of another size.
pub(super) fn inflate(packed: &[u8], size: usize) -> Option<Vec<u8>> {
    let mut bits = Bits { input: packed, held: 0, count: 0 };
    let mut out = Output { bytes: vec![0; size], len: 0 };
    loop {
        let last = bits.take(1)? == 1;
        match bits.take(2)? {
            0 => stored(&mut bits, &mut out)?,
            1 => {
                let (literals, distances) = fixed()?;
                while !symbols(&mut bits, &literals, &distances, &mut out)? {}
            }
            2 => {
                let (literals, distances) = dynamic(&mut bits)?;
                while !symbols(&mut bits, &literals, &distances, &mut out)? {}
            }
            _ => return None,
        }
        if last {
            return (out.len == size).then_some(out.bytes);
        }
    }
}

/// The unpacked data so far, in a buffer for all of it.
struct Output {
    bytes: Vec<u8>,
    len: usize,
}

impl Output {
    #[inline(always)]
    fn push(&mut self, byte: u8) -> Option<()> {
        *self.bytes.get_mut(self.len)? = byte;
        self.len += 1;
        Some(())
    }
}

/// Reads bits, the lowest of each byte first.
struct Bits<'a> {
    input: &'a [u8],
    held: u64,
    count: u32,
}

impl Bits<'_> {
    /// Fills up to at least 32 bits, with zeros after the end of the input.
    #[inline(always)]
    fn fill(&mut self) {
        if self.count >= 32 {
            return;
        }
        if let Some((word, _)) = self.input.split_first_chunk::<8>() {
            self.held |= u64::from_le_bytes(*word) << self.count;
            let taken = (63 - self.count) / 8;
            self.input = &self.input[taken as usize..];
            self.count += taken * 8;
            // Bits above the count belong to bytes that are not read yet; they must be clear when those are added.
            self.held &= u64::MAX >> (64 - self.count);
            return;
        }
        self.fill_end();
    }

    #[inline(never)]
    fn fill_end(&mut self) {
        while self.count < 32 {
            let Some((byte, rest)) = self.input.split_first() else { return };
            self.held |= u64::from(*byte) << self.count;
            self.input = rest;
            self.count += 8;
        }
    }

    #[inline(always)]
    fn drop(&mut self, count: u32) -> Option<()> {
        self.count = self.count.checked_sub(count)?;
        self.held >>= count;
        Some(())
    }

    /// Returns the next `count` bits, at most 16.
    #[inline(always)]
    fn take(&mut self, count: u32) -> Option<usize> {
        self.fill();
        let value = self.held & ((1 << count) - 1);
        self.drop(count)?;
        Some(value as usize)
    }
}

/// Number of bits that one look-up decodes.
const FAST: u32 = 9;

/// A canonical Huffman code.
struct Huffman {
    /// By the next bits: symbol << 4 | length; 0 for longer codes and for none.
    fast: [u16; 1 << FAST],
    /// Number of codes of each length.
    counts: [u16; 16],
    /// Symbols in the order of their codes.
    symbols: [u16; 288],
}

impl Huffman {
    /// Builds the code from the length of each symbol's code; 0 for a symbol without code. `None` if there are more
    /// codes than bits allow.
    #[inline(never)]
    fn new(lengths: &[u8]) -> Option<Huffman> {
        let mut huffman = Huffman { fast: [0; 1 << FAST], counts: [0; 16], symbols: [0; 288] };
        for length in lengths {
            huffman.counts[*length as usize] += 1;
        }
        huffman.counts[0] = 0;
        let (mut code, mut left, mut offset) = (0u16, 1i32, 0u16);
        let (mut codes, mut offsets) = ([0u16; 16], [0u16; 16]);
        for length in 1..16 {
            left = (left << 1) - i32::from(huffman.counts[length]);
            if left < 0 {
                return None;
            }
            codes[length] = code;
            offsets[length] = offset;
            code = code.wrapping_add(huffman.counts[length]) << 1;
            offset += huffman.counts[length];
        }
        for (symbol, length) in (0u16..).zip(lengths) {
            let length = *length as usize;
            if length == 0 {
                continue;
            }
            huffman.symbols[offsets[length] as usize] = symbol;
            offsets[length] += 1;
            if length <= FAST as usize {
                let reversed = (codes[length] << (16 - length)).reverse_bits() as usize;
                // The shift above leaves the code in the highest bits; reversed, it is in the lowest.
                for index in (reversed..1 << FAST).step_by(1 << length) {
                    huffman.fast[index] = symbol << 4 | length as u16;
                }
            }
            codes[length] += 1;
        }
        Some(huffman)
    }

    #[inline(always)]
    fn decode(&self, bits: &mut Bits) -> Option<usize> {
        bits.fill();
        let entry = self.fast[bits.held as usize & ((1 << FAST) - 1)];
        if entry != 0 {
            bits.drop(u32::from(entry & 15))?;
            return Some((entry >> 4) as usize);
        }
        self.decode_long(bits)
    }

    #[inline(never)]
    fn decode_long(&self, bits: &mut Bits) -> Option<usize> {
        let (mut code, mut first, mut index) = (0, 0, 0);
        for length in 1..16 {
            code |= (bits.held >> (length - 1) & 1) as usize;
            let count = self.counts[length] as usize;
            if code < first + count {
                bits.drop(length as u32)?;
                return Some(self.symbols[index + code - first] as usize);
            }
            index += count;
            first = (first + count) << 1;
            code <<= 1;
        }
        None
    }
}

/// Number of symbols that one call decodes: engines optimise a function that is called often sooner than a long loop.
const STRETCH: usize = 1 << 12;

const LENGTHS: [(u16, u8); 29] = [
    (3, 0),
    (4, 0),
    (5, 0),
    (6, 0),
    (7, 0),
    (8, 0),
    (9, 0),
    (10, 0),
    (11, 1),
    (13, 1),
    (15, 1),
    (17, 1),
    (19, 2),
    (23, 2),
    (27, 2),
    (31, 2),
    (35, 3),
    (43, 3),
    (51, 3),
    (59, 3),
    (67, 4),
    (83, 4),
    (99, 4),
    (115, 4),
    (131, 5),
    (163, 5),
    (195, 5),
    (227, 5),
    (258, 0),
];
const DISTANCES: [(u16, u8); 30] = [
    (1, 0),
    (2, 0),
    (3, 0),
    (4, 0),
    (5, 1),
    (7, 1),
    (9, 2),
    (13, 2),
    (17, 3),
    (25, 3),
    (33, 4),
    (49, 4),
    (65, 5),
    (97, 5),
    (129, 6),
    (193, 6),
    (257, 7),
    (385, 7),
    (513, 8),
    (769, 8),
    (1025, 9),
    (1537, 9),
    (2049, 10),
    (3073, 10),
    (4097, 11),
    (6145, 11),
    (8193, 12),
    (12289, 12),
    (16385, 13),
    (24577, 13),
];

/// Decodes some symbols; returns true at the end of the block.
#[inline(never)]
fn symbols(bits: &mut Bits, literals: &Huffman, distances: &Huffman, out: &mut Output) -> Option<bool> {
    for _ in 0..STRETCH {
        let symbol = literals.decode(bits)?;
        if symbol < 256 {
            out.push(symbol as u8)?;
            continue;
        }
        if symbol == 256 {
            return Some(true);
        }
        let (base, extra) = LENGTHS.get(symbol - 257)?;
        let length = *base as usize + bits.take(u32::from(*extra))?;
        let (base, extra) = DISTANCES.get(distances.decode(bits)?)?;
        let distance = *base as usize + bits.take(u32::from(*extra))?;
        let from = out.len.checked_sub(distance)?;
        for at in from..from + length {
            out.push(out.bytes[at])?;
        }
    }
    Some(false)
}

/// Copies an uncompressed block.
#[inline(never)]
fn stored(bits: &mut Bits, out: &mut Output) -> Option<()> {
    bits.drop(bits.count % 8)?;
    let length = bits.take(16)?;
    if bits.take(16)? != length ^ 0xFFFF {
        return None;
    }
    for _ in 0..length {
        out.push(bits.take(8)? as u8)?;
    }
    Some(())
}

/// Returns the codes of a block without codes of its own.
#[inline(never)]
fn fixed() -> Option<(Huffman, Huffman)> {
    let lengths: [u8; 288] = std::array::from_fn(|symbol| match symbol {
        0..=143 => 8,
        144..=255 => 9,
        256..=279 => 7,
        _ => 8,
    });
    Some((Huffman::new(&lengths)?, Huffman::new(&[5; 30])?))
}

/// Reads the codes of a block, which are themselves coded.
#[inline(never)]
fn dynamic(bits: &mut Bits) -> Option<(Huffman, Huffman)> {
    const ORDER: [usize; 19] = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];
    let (literals, distances, codes) = (bits.take(5)? + 257, bits.take(5)? + 1, bits.take(4)? + 4);
    if literals > 286 || distances > 30 {
        return None;
    }
    let mut lengths = [0u8; 19];
    for index in &ORDER[..codes] {
        lengths[*index] = bits.take(3)? as u8;
    }
    let code = Huffman::new(&lengths)?;
    let mut lengths = [0u8; 316];
    let (mut at, total) = (0, literals + distances);
    while at < total {
        let symbol = code.decode(bits)?;
        let (length, times) = match symbol {
            0..=15 => (symbol as u8, 1),
            16 => (*lengths.get(at.checked_sub(1)?)?, 3 + bits.take(2)?),
            17 => (0, 3 + bits.take(3)?),
            _ => (0, 11 + bits.take(7)?),
        };
        lengths.get_mut(at..(at + times).min(total + 1))?.fill(length);
        at += times;
        if at > total {
            return None;
        }
    }
    Some((Huffman::new(&lengths[..literals])?, Huffman::new(&lengths[literals..total])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(data: &[u8]) {
        for level in [0, 1, 6, 10] {
            let packed = miniz_oxide::deflate::compress_to_vec(data, level);
            assert_eq!(inflate(&packed, data.len()).as_deref(), Some(data), "{} bytes, level {level}", data.len());
            assert_eq!(inflate(&packed, data.len() + 1), None);
            if let Some(less) = data.len().checked_sub(1) {
                assert_eq!(inflate(&packed, less), None);
            }
            for end in (0..packed.len()).step_by(1 + packed.len() / 200) {
                assert_eq!(inflate(&packed[..end], data.len()), None, "{end} of {} bytes", packed.len());
            }
        }
    }

    fn noise(size: usize, mask: u8) -> Vec<u8> {
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8 & mask
        };
        (0..size).map(|_| next()).collect()
    }

    #[test]
    fn unpacks_what_was_packed() {
        check(b"");
        check(b"a");
        check(&[7; 100_000]);
        check("to be or not to be, that is the question. ".repeat(900).as_bytes());
        check(&noise(70_000, 0xFF));
        check(&noise(200_000, 0x0F));
    }

    #[test]
    fn rubbish_is_refused_or_unpacked_but_never_panics() {
        let packed = miniz_oxide::deflate::compress_to_vec(&noise(5_000, 0x1F), 9);
        for at in 0..packed.len() * 8 {
            let mut damaged = packed.clone();
            damaged[at / 8] ^= 1 << (at % 8);
            inflate(&damaged, 5_000);
        }
        for seed in 0..2_000 {
            inflate(&noise(seed % 300, 0xFF)[seed % 7 * (seed % 300) / 7..], seed);
        }
    }
}

//! Numbers of variable length (seven bits a byte, low ones first), and a checksum.

pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Writes a number and its count: one bit says that a count other than one follows.
pub(crate) fn put_counted(bytes: &mut Vec<u8>, number: u32, count: u32) {
    put(bytes, u64::from(number) << 1 | u64::from(count != 1));
    if count != 1 {
        put(bytes, count.into());
    }
}

/// Bytes that need no allocation while they are few: most terms of an index occur in few chunks.
pub(crate) enum Bytes {
    Few(u8, [u8; FEW]),
    Many(Vec<u8>),
}

/// Number of bytes that fit the size of a `Vec`.
const FEW: usize = 15;

impl Default for Bytes {
    fn default() -> Bytes {
        Bytes::Few(0, [0; FEW])
    }
}

impl Bytes {
    pub fn put_counted(&mut self, number: u32, count: u32) {
        if let Bytes::Few(len, few) = self {
            let mut left = &mut few[usize::from(*len)..];
            let mut put = |mut number: u64| {
                loop {
                    let (first, rest) = std::mem::take(&mut left).split_first_mut()?;
                    *first = number as u8 | if number >= 0x80 { 0x80 } else { 0 };
                    number >>= 7;
                    left = rest;
                    if number == 0 {
                        return Some(());
                    }
                }
            };
            let is_put = put(u64::from(number) << 1 | u64::from(count != 1)).is_some()
                && (count == 1 || put(count.into()).is_some());
            if is_put {
                *len = (FEW - left.len()) as u8;
                return;
            }
            let mut many = Vec::with_capacity(2 * FEW);
            many.extend_from_slice(&few[..usize::from(*len)]);
            *self = Bytes::Many(many);
        }
        if let Bytes::Many(many) = self {
            put_counted(many, number, count);
        }
    }

    pub fn get(&self) -> &[u8] {
        match self {
            Bytes::Few(len, few) => few.get(..usize::from(*len)).unwrap_or_default(),
            Bytes::Many(many) => many,
        }
    }

    /// Returns the bytes of memory outside the value itself.
    pub fn memory(&self) -> usize {
        match self {
            Bytes::Few(..) => 0,
            Bytes::Many(many) => many.capacity(),
        }
    }
}

pub(crate) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

/// Reads the output of the functions above. Every method returns `None` at the end of the bytes.
#[derive(Clone, Copy)]
pub(crate) struct Reader<'a> {
    pub bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    #[inline]
    pub fn number(&mut self) -> Option<u64> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        if first < 0x80 {
            return Some(first.into());
        }
        let mut number = u64::from(first & 0x7F);
        for shift in (7..64).step_by(7) {
            let (&byte, rest) = self.bytes.split_first()?;
            self.bytes = rest;
            number |= u64::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    #[inline]
    pub fn counted(&mut self) -> Option<(u32, u32)> {
        let number = self.number()?;
        let count = if number & 1 == 0 { 1 } else { u32::try_from(self.number()?).ok()? };
        Some((u32::try_from(number >> 1).ok()?, count))
    }

    pub fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(len)?;
        self.bytes = rest;
        Some(taken)
    }

    pub fn text(&mut self) -> Option<&'a str> {
        let len = usize::try_from(self.number()?).ok()?;
        std::str::from_utf8(self.take(len)?).ok()
    }
}

/// Returns a 64-bit checksum, the same on every machine. A change within eight bytes always changes it: each step is
/// one to one in the sum so far and in the next word.
pub(crate) fn checksum(seed: u64, bytes: &[u8]) -> u64 {
    let mut sum = seed ^ (bytes.len() as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let (words, rest) = bytes.as_chunks::<8>();
    for word in words {
        sum = step(sum, u64::from_le_bytes(*word));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    let sum = step(sum, u64::from_le_bytes(last));
    let sum = (sum ^ sum >> 32).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    sum ^ sum >> 32
}

/// Returns another checksum in a quarter of the time for megabytes: four sums of every fourth word, and the sum of
/// those.
pub(crate) fn checksum_long(seed: u64, bytes: &[u8]) -> u64 {
    let mut sums = [seed, !seed, seed.rotate_left(16), !seed.rotate_left(16)];
    let (groups, rest) = bytes.as_chunks::<32>();
    for group in groups {
        let (words, _) = group.as_chunks::<8>();
        for (sum, word) in sums.iter_mut().zip(words) {
            *sum = step(*sum, u64::from_le_bytes(*word));
        }
    }
    let sum = sums.into_iter().fold(bytes.len() as u64, step);
    checksum(sum, rest)
}

fn step(sum: u64, word: u64) -> u64 {
    (sum ^ word).wrapping_mul(0x9FB2_1C65_1E98_DF25).rotate_left(29)
}

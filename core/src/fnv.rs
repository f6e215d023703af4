//! FNV-1a, for hashes that are stored or that decide something: they are the same on every machine. The hash of
//! [`map`](crate::map) is faster, but native code and wasm compute different values.

/// The hash of nothing, in 32 bits.
pub const START_32: u32 = 0x811c_9dc5;

/// The hash of nothing, in 64 bits.
pub const START_64: u64 = 0xcbf2_9ce4_8422_2325;

/// Adds a unit, which can be a byte, a UTF-16 code unit or a character, to a hash.
pub fn add_32(hash: u32, unit: u32) -> u32 {
    (hash ^ unit).wrapping_mul(0x0100_0193)
}

/// Adds bytes to a hash.
///
/// ```
/// use espalier::fnv::{START_64, add_64};
/// assert_eq!(add_64(START_64, b"a"), 0xaf63_dc4c_8601_ec8c);
/// ```
pub fn add_64(hash: u64, bytes: &[u8]) -> u64 {
    bytes.iter().fold(hash, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

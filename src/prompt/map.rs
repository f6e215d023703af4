//! Maps by place. Places are small numbers that no attacker chooses, so a multiplication is a sufficient hash.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub type Map<V> = HashMap<u32, V, BuildHasherDefault<PlaceHasher>>;

#[derive(Default)]
pub struct PlaceHasher(u64);

impl Hasher for PlaceHasher {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u32(u32::from(byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        // 2^64 divided by the golden ratio: the upper bits, which select the bucket, depend on the whole number.
        self.0 = (self.0.rotate_left(5) ^ u64::from(number)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn finish(&self) -> u64 {
        self.0.rotate_left(26)
    }
}

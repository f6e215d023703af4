//! A dictionary: byte strings and their numbers, in one allocation instead of one per string.

use foldhash::fast::FixedState;
use std::hash::BuildHasher;

/// The value that is not the number of any string.
const EMPTY: u64 = u64::MAX;

#[derive(Default)]
pub(crate) struct Interner {
    text: String,
    ends: Vec<usize>,
    /// Open addressing; the length is a power of two and at most three quarters are used. The lower half of a slot is
    /// the number of the string, the upper half a part of its hash, so that other strings are skipped without reading
    /// them.
    slots: Vec<u64>,
}

impl Interner {
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn get(&self, id: u32) -> &str {
        let end = self.ends.get(id as usize).copied().unwrap_or(0);
        let start = (id as usize).checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.text.get(start..end).unwrap_or("")
    }

    pub fn find(&self, text: &str) -> Option<u32> {
        if self.slots.is_empty() { None } else { self.probe(hash(text), text).ok() }
    }

    /// Returns the number of `text`, a new one if it has none; numbers ascend from 0.
    pub fn intern(&mut self, text: &str) -> u32 {
        if (self.ends.len() + 1) * 4 > self.slots.len() * 3 {
            self.resize((self.slots.len() * 2).max(64));
        }
        let hash = hash(text);
        match self.probe(hash, text) {
            Ok(id) => id,
            Err(slot) => {
                let id = self.ends.len() as u32;
                self.slots[slot] = tagged(hash, id);
                self.text.push_str(text);
                self.ends.push(self.text.len());
                id
            }
        }
    }

    /// Returns the number of `text`, or the empty slot for it.
    #[inline]
    fn probe(&self, hash: u64, text: &str) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = hash as usize & mask;
        loop {
            let found = self.slots[slot];
            if found == EMPTY {
                return Err(slot);
            }
            if (found ^ hash) >> 32 == 0 && self.get(found as u32) == text {
                return Ok(found as u32);
            }
            slot = (slot + 1) & mask;
        }
    }

    pub fn memory(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<usize>() + self.slots.capacity() * 8
    }

    /// Reserves room for `count` strings in total.
    pub fn reserve(&mut self, count: usize) {
        self.ends.reserve(count.saturating_sub(self.ends.len()));
        let size = (count / 3 * 4 + 8).next_power_of_two();
        if size > self.slots.len() {
            self.resize(size);
        }
    }

    fn resize(&mut self, size: usize) {
        let mut slots = vec![EMPTY; size];
        for id in 0..self.ends.len() as u32 {
            let hash = hash(self.get(id));
            let mut slot = hash as usize & (size - 1);
            while slots[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            slots[slot] = tagged(hash, id);
        }
        self.slots = slots;
    }
}

fn tagged(hash: u64, id: u32) -> u64 {
    hash >> 32 << 32 | u64::from(id)
}

fn hash(text: &str) -> u64 {
    FixedState::default().hash_one(text.as_bytes())
}

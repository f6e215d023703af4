//! A dictionary: byte strings and their numbers, in one allocation instead of one per string.

use foldhash::fast::FixedState;
use std::hash::BuildHasher;

const EMPTY: u32 = u32::MAX;

#[derive(Default)]
pub(crate) struct Interner {
    text: String,
    ends: Vec<usize>,
    /// Open addressing; the length is a power of two and at most half is taken.
    slots: Vec<u32>,
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
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(text) & mask;
        loop {
            match self.slots[slot] {
                EMPTY => return None,
                id if self.get(id) == text => return Some(id),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// The number of `text`, a new one if it has none; numbers ascend from 0.
    pub fn intern(&mut self, text: &str) -> u32 {
        if self.ends.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let mask = self.slots.len() - 1;
        let mut slot = hash(text) & mask;
        loop {
            match self.slots[slot] {
                EMPTY => break,
                id if self.get(id) == text => return id,
                _ => slot = (slot + 1) & mask,
            }
        }
        let id = self.ends.len() as u32;
        self.slots[slot] = id;
        self.text.push_str(text);
        self.ends.push(self.text.len());
        id
    }

    pub fn memory(&self) -> usize {
        self.text.capacity() + self.ends.capacity() * size_of::<usize>() + self.slots.capacity() * 4
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        let mut slots = vec![EMPTY; size];
        for id in 0..self.ends.len() as u32 {
            let mut slot = hash(self.get(id)) & (size - 1);
            while slots[slot] != EMPTY {
                slot = (slot + 1) & (size - 1);
            }
            slots[slot] = id;
        }
        self.slots = slots;
    }
}

fn hash(text: &str) -> usize {
    FixedState::default().hash_one(text.as_bytes()) as usize
}

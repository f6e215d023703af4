//! Facts by content, so that a change in one file of a repository costs only that file.

use super::facts::{Facts, SharedFacts};
use crate::document::cache::Key;
use crate::map::HashMap;

/// The maximum bytes. Facts take about a tenth of their text, so this holds about ten thousand files.
const MOST: usize = 32 << 20;

/// The most recently used facts.
#[derive(Debug, Default)]
pub struct Kept {
    facts: HashMap<Key, (SharedFacts, u64)>,
    bytes: usize,
    /// The number of uses so far.
    now: u64,
    /// How often facts were made.
    made: u64,
}

impl Kept {
    /// Returns the facts of `key`, and makes them if they are not kept.
    pub fn get(&mut self, key: Key, make: impl FnOnce() -> Facts) -> SharedFacts {
        self.now += 1;
        if let Some((facts, used)) = self.facts.get_mut(&key) {
            *used = self.now;
            return facts.clone();
        }
        self.made += 1;
        let made = SharedFacts::new(make());
        let size = made.memory();
        if size > MOST / 4 {
            return made;
        }
        self.bytes += size;
        self.facts.insert(key, (made.clone(), self.now));
        if self.bytes > MOST {
            self.forget();
        }
        made
    }

    /// Returns how often facts were made.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Forgets all facts.
    pub fn clear(&mut self) {
        *self = Kept::default();
    }

    /// Forgets the older half, which makes the search for it cheap per insertion.
    fn forget(&mut self) {
        let mut uses: Vec<u64> = self.facts.values().map(|(_, used)| *used).collect();
        crate::rank::sort(&mut uses, |used| *used);
        let bound = uses.get(uses.len() / 2).copied().unwrap_or_default();
        self.facts.retain(|_, (_, used)| *used >= bound);
        self.bytes = self.facts.values().map(|(facts, _)| facts.memory()).sum();
    }
}

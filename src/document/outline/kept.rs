//! Facts by content, so that one changed file of a repository costs that file.

use super::facts::{Facts, SharedFacts};
use crate::document::cache::Key;
use crate::map::HashMap;

/// Bytes that are kept at most: facts take about a tenth of a text, so this is some ten thousand files.
const MOST: usize = 32 << 20;

/// The facts that were used last.
#[derive(Debug, Default)]
pub struct Kept {
    facts: HashMap<Key, (SharedFacts, u64)>,
    bytes: usize,
    /// Counts uses.
    now: u64,
    /// How often something had to be made.
    made: u64,
}

impl Kept {
    /// The facts of `key`, made if they are not there.
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

    /// How often something had to be made.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        *self = Kept::default();
    }

    /// Forgets the older half, so that looking for it costs little for each that comes.
    fn forget(&mut self) {
        let mut uses: Vec<u64> = self.facts.values().map(|(_, used)| *used).collect();
        crate::rank::sort(&mut uses, |used| *used);
        let bound = uses.get(uses.len() / 2).copied().unwrap_or_default();
        self.facts.retain(|_, (_, used)| *used >= bound);
        self.bytes = self.facts.values().map(|(facts, _)| facts.memory()).sum();
    }
}

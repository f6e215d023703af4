//! Structures by content, so that a text is not parsed again when only the cursor moves.

use std::hash::BuildHasher;
use std::rc::Rc;

use foldhash::fast::FixedState;

use super::{Options, Shared, Structure};

/// The inputs of a structure. Two hashes with different seeds identify the text: 128 bits make a collision practically
/// impossible.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    language: Box<str>,
    rest: [u64; 7],
}

impl Key {
    /// Returns the key of a text and its options. `grammar` is the number of the grammar in use.
    pub fn new(text: &str, options: &Options<'_>, grammar: u64) -> Key {
        let hash = |seed: u64| FixedState::with_seed(seed).hash_one(text);
        let limits = options.limits;
        Key {
            language: options.language.into(),
            rest: [
                hash(0),
                hash(1),
                text.len() as u64,
                (options.tab as u64) << 1 | options.mode as u64,
                grammar,
                limits.max_bytes as u64,
                limits.max_work,
            ],
        }
    }
}

/// The most recently used structures, up to a number of bytes.
#[derive(Debug)]
pub struct Cache {
    /// Key, structure and time of the last use. There are a few hundred at most, and keys differ in their first words.
    kept: Vec<(Key, Shared, u64)>,
    bytes: usize,
    most: usize,
    /// The number of uses so far.
    now: u64,
}

/// The default maximum in bytes. Overlays take 16 bytes per node, so this holds a few hundred large files.
pub const MOST: usize = 4 << 20;

impl Default for Cache {
    fn default() -> Cache {
        Cache::new(MOST)
    }
}

impl Cache {
    /// Returns a cache of at most `most` bytes.
    pub fn new(most: usize) -> Cache {
        Cache { kept: Vec::new(), bytes: 0, most, now: 0 }
    }

    /// Returns the structure of `key`, and makes it if it is not kept. A structure of more than half the cache is not
    /// kept.
    pub fn get(&mut self, key: Key, make: impl FnOnce() -> Structure) -> Shared {
        self.now += 1;
        if let Some((_, structure, used)) = self.kept.iter_mut().find(|(known, _, _)| *known == key) {
            *used = self.now;
            return structure.clone();
        }
        let made = Rc::new(make());
        let size = size(&key, &made);
        if size > self.most / 2 {
            return made;
        }
        self.bytes += size;
        self.kept.push((key, made.clone(), self.now));
        while self.bytes > self.most {
            // Making a structure takes far longer than this search.
            let oldest = self.kept.iter().enumerate().min_by_key(|(_, (_, _, used))| *used);
            let Some((oldest, _)) = oldest else { break };
            let (key, structure, _) = self.kept.swap_remove(oldest);
            self.bytes -= self::size(&key, &structure);
        }
        made
    }

    /// Returns the bytes in use.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets all structures.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.bytes = 0;
    }
}

fn size(key: &Key, structure: &Structure) -> usize {
    size_of::<(Key, Shared, u64)>() + key.language.len() + structure.overlay.memory()
}

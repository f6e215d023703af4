//! Structures by content, so that a cursor can move without a text being parsed again.

use std::hash::BuildHasher;
use std::rc::Rc;

use foldhash::fast::FixedState;

use super::{Options, Shared, Structure};

/// What a structure was made of. Two hashes with different seeds stand for the text: 128 bits, so that no two texts that anybody has
/// share them.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    language: Box<str>,
    rest: [u64; 7],
}

impl Key {
    /// The key of a text and of everything that its structure depends on. `grammar` counts the grammars that the language has had.
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

/// The structures that were used last, up to a number of bytes.
#[derive(Debug)]
pub struct Cache {
    /// Each with when it was used last. There are some hundred at most, and keys differ in their first words.
    kept: Vec<(Key, Shared, u64)>,
    bytes: usize,
    most: usize,
    /// Counts uses.
    now: u64,
}

/// Most bytes of a cache: overlays take 16 bytes for each node, so this is some hundred large files.
pub const MOST: usize = 4 << 20;

impl Default for Cache {
    fn default() -> Cache {
        Cache::new(MOST)
    }
}

impl Cache {
    /// A cache that keeps at most so many bytes.
    pub fn new(most: usize) -> Cache {
        Cache { kept: Vec::new(), bytes: 0, most, now: 0 }
    }

    /// The structure of `key`, made if it is not there. What does not fit is not kept.
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
            // Making one takes far longer than finding the oldest.
            let oldest = self.kept.iter().enumerate().min_by_key(|(_, (_, _, used))| *used);
            let Some((oldest, _)) = oldest else { break };
            let (key, structure, _) = self.kept.swap_remove(oldest);
            self.bytes -= self::size(&key, &structure);
        }
        made
    }

    /// Bytes that are kept.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.kept.clear();
        self.bytes = 0;
    }
}

fn size(key: &Key, structure: &Structure) -> usize {
    size_of::<(Key, Shared, u64)>() + key.language.len() + structure.overlay.memory()
}

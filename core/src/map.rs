//! Maps and sets with fast hashes: most keys are ids of messages, and most ids are short.
//!
//! The hash has a fixed seed and is not secret. (The standard library's is not secret in wasm either, which has no
//! random numbers.) Native code and wasm compute different values, so no result may depend on a hash or on the order of
//! entries; see [`fnv`](crate::fnv) for hashes that are stored.

use std::collections::{BTreeMap, BTreeSet};

use foldhash::fast::FixedState;

/// A map. Create it with `default()`.
pub type HashMap<K, V> = std::collections::HashMap<K, V, FixedState>;

/// A set. Create it with `default()`.
pub type HashSet<T> = std::collections::HashSet<T, FixedState>;

/// Returns items in order, each once. They are inserted one by one: `collect` sorts first, with 5 kB of code for every
/// type.
///
/// ```
/// assert!(espalier::map::ordered([3, 1, 3]).iter().eq(&[1, 3]));
/// ```
pub fn ordered<T: Ord>(items: impl IntoIterator<Item = T>) -> BTreeSet<T> {
    let mut set = BTreeSet::new();
    set.extend(items);
    set
}

/// Returns a map in the order of its keys, as [`ordered`] does; of equal keys the last one counts.
pub fn ordered_map<K: Ord, V>(items: impl IntoIterator<Item = (K, V)>) -> BTreeMap<K, V> {
    let mut map = BTreeMap::new();
    map.extend(items);
    map
}

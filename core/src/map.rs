//! Maps and sets with fast hashes: most keys are ids of messages, and most ids are short.
//!
//! The hash has a fixed seed and is not secret. (The standard library's is not secret in wasm either, which has no
//! random numbers.) Native code and wasm compute different values, so no result may depend on a hash or on the order of
//! entries; see [`fnv`](crate::fnv) for hashes that are stored.

use foldhash::fast::FixedState;

/// A map. Create it with `default()`.
pub type HashMap<K, V> = std::collections::HashMap<K, V, FixedState>;

/// A set. Create it with `default()`.
pub type HashSet<T> = std::collections::HashSet<T, FixedState>;

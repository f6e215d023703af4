//! Maps and sets with fast hashes: most keys are ids of messages, and most ids are short.
//!
//! The hash is the same everywhere and not secret. (The standard library's is not secret in wasm either, which has no
//! random numbers.) No result may depend on the order of entries.

use foldhash::fast::FixedState;

/// A map. Create it with `default()`.
pub type HashMap<K, V> = std::collections::HashMap<K, V, FixedState>;

/// A set. Create it with `default()`.
pub type HashSet<T> = std::collections::HashSet<T, FixedState>;

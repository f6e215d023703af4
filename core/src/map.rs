//! Maps and sets whose keys are hashed quickly: most of them are looked up by the id of a message, and most ids are short.
//!
//! The hash is the same everywhere and not secret. (Neither is that of the standard library in wasm, which has no random numbers.) Nothing
//! may depend on the order of what is in them.

use foldhash::fast::FixedState;

/// A map. Made with `default()`.
pub type HashMap<K, V> = std::collections::HashMap<K, V, FixedState>;

/// A set. Made with `default()`.
pub type HashSet<T> = std::collections::HashSet<T, FixedState>;

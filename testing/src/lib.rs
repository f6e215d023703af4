//! What the native tests, the wasm tests and the benchmarks share: recorded conversations, recorded results, random texts.

pub mod conversations;
pub mod golden;
pub mod random;

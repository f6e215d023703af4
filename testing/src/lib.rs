//! What the native tests, the wasm tests and the benchmarks share: recorded conversations, recorded results, random
//! texts.

pub mod conversations;
pub mod golden;
pub mod random;

/// Returns how often a property is tried: a tenth of `count`, or `count` times with `ESPALIER_PROPERTIES=full`.
pub fn runs(count: usize) -> usize {
    let is_full = std::env::var_os("ESPALIER_PROPERTIES").is_some_and(|value| value == "full");
    if is_full { count } else { count.div_ceil(10) }
}

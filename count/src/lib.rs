//! Token counts for JavaScript.
//!
//! In: texts, ids, vocabulary files. Out: counts, ids, positions in UTF-16 code units, or a thrown error. Start
//! reading at [`tokens`].
//!
//! The crate is compiled twice: alone it is the engine of `espalier/count`, and the whole engine (`espalier`) links
//! it. Both export the same functions, so that the same JavaScript drives both.

#![cfg(target_family = "wasm")]

pub mod error;
pub mod tokens;

use wasm_bindgen::prelude::*;

#[wasm_bindgen(start)]
fn start() {
    // A panic is a bug of ours; without the hook its message would be lost and JavaScript would only see "unreachable".
    console_error_panic_hook::set_once();
}

/// Crashes the engine on purpose, so that tests can check the recovery of a crashed instance on the published artefact;
/// the package does not re-export it.
#[wasm_bindgen(js_name = "__panicForTests")]
pub fn panic_for_tests() {
    panic!("provoked by a test");
}

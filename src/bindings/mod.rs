//! The boundary: the only place that knows JavaScript.
//!
//! In: JavaScript values, decoded with the path of whatever is wrong. Out: plain objects, or a thrown `Error` with `name`,
//! `code`, `path` and `details`. Every function looks alike: decode, call, encode, map the error. More lines than that mean
//! that logic is in the wrong place. One file per folder of `src/`.

mod alloc;
pub mod cache;
mod changed;
pub mod compact;
pub mod conversation;
mod decode;
pub mod document;
mod error;
mod gauge;
mod grammar;
pub mod history;
mod host;
pub mod log;
mod options;
mod outline;
pub mod prompt;
pub mod quality;
mod read;
pub mod results;
mod summary;
mod tape;
pub mod tokens;
pub mod tool_result;
pub mod validity;

use wasm_bindgen::prelude::*;

#[wasm_bindgen(start)]
fn start() {
    // A panic is a bug of ours; without the hook its message would be lost and only "unreachable" be seen.
    console_error_panic_hook::set_once();
}

/// Crashes the engine on purpose. Exists so that the recovery of a crashed instance can be tested on the artefact that is
/// shipped; the package does not re-export it.
#[wasm_bindgen(js_name = "__panicForTests")]
pub fn panic_for_tests() {
    panic!("provoked by a test");
}

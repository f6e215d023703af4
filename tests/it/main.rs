//! Native tests, one binary; modules are named as the folders of `src/`.
#![cfg(not(target_family = "wasm"))]

mod compact;
mod encodings;
mod golden;
mod log;
mod prompt;
mod prune;
mod support;
mod tokens;

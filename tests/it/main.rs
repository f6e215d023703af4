//! Native tests, one binary; modules are named as the folders of `src/`.
#![cfg(not(target_family = "wasm"))]

mod compact;
mod document;
mod encodings;
mod golden;
mod prompt;
mod prune;
mod support;
mod tokens;

//! Native tests, one binary; modules are named as the folders of `src/`.
#![cfg(not(target_family = "wasm"))]

mod asking;
mod cache;
mod compact;
mod conversation;
mod dialects;
mod displaced;
mod document;
mod encodings;
mod facts;
mod golden;
mod ladder;
mod ledger;
mod log;
mod profile;
mod prompt;
mod prune;
mod rank;
mod receiver;
mod recovery;
mod repeated;
mod results;
mod support;
mod tagged;
mod thinking;
mod tokens;
mod tool_result;
mod validity;
mod working;

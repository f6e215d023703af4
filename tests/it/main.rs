//! Native tests, one binary; modules are named as the folders of `src/`.

mod compact;
mod encodings;
mod prune;
mod support;
mod tokens;

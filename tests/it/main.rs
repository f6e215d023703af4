//! Native tests, one binary; modules are named as the folders of `src/`.

mod compact;
mod prune;
mod support;

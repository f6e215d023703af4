//! Native tests, one binary; modules are named as the folders of `src/`.

mod encodings;
mod tokens;

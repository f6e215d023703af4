//! Native tests, one binary; modules are named as in `src/`.

mod support;
mod tokens;

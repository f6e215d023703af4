//! Documents: the structure of source files, and how they are cut down.
//!
//! Structure and summaries are in `espalier-core`, which is compiled for speed. Here is what runs once for a file or
//! for a repository: changed code, outlines, and the linking of grammars.

pub use espalier_core::document::*;

pub mod changed;
pub mod dylink;
pub mod outline;

//! Documents: changed code, outlines, and the linking of grammars.
//!
//! In: source files with their structure. Out: shorter texts. Start with [`outline`]. Structures and summaries are in
//! `espalier-core`, which is compiled for speed. This module runs once per file or repository and is compiled for size.

pub use espalier_core::document::*;

pub mod changed;
pub mod characters;
pub mod dylink;
pub mod library;
pub mod outline;

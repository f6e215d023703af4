//! Outlines: the definitions of a document without what is in them, and a map of a whole repository made of those that matter most.
//!
//! In: texts, and grammars if there are any. Out: [`Item`]s (what is defined where, with head and end), an outline within a number of
//! tokens, a map of many files within a number of tokens.
//!
//! ```text
//! text ─▶ parse ─▶ SyntaxTree ─▶ items, names ─▶ Facts ─▶ draw ─▶ outline
//!   └──▶ (no tree) folds, words ──────────────────▲  └──▶ rank ─▶ map ─▶ draw ─▶ repository map
//! ```
//!
//! The idea of ranking definitions by a random walk over references between files is that of aider's repository map.

mod category;
mod draw;
mod facts;
mod items;
mod kept;
pub mod map;
mod walk;

pub use category::Category;
pub use draw::{Outline, outline};
pub use facts::{Facts, SharedFacts, facts};
pub use items::{Item, folds, items};
pub use kept::Kept;

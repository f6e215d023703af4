//! Outlines: the definitions of a document without their bodies, and a map of a repository with the most important
//! ones.
//!
//! In: texts, and their grammars if there are any. Out: [`Item`]s (the definitions with their heads and ends), an
//! outline or a map of many files within a budget of tokens.
//!
//! ```text
//! text ─▶ parse ─▶ SyntaxTree ─▶ items, names ─▶ Facts ─▶ draw ─▶ outline
//!   └──▶ (no tree) folds, words ──────────────────▲  └──▶ rank ─▶ map ─▶ draw ─▶ repository map
//! ```
//!
//! Ranking definitions by a random walk over references between files is the idea of aider's repository map.

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

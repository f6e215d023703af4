//! Prompt trees: laid out, grown and pruned to an exact token budget.
//!
//! In: a tree of elements, as [`Op`]s; elements whose children only the host can make are asked for when their budget is
//! known. Out: messages that fit, and what became of every node.
//!
//! How a tree goes through: `layout` hands out budgets (`flex`) and collects what elements yield in a `draft`; `tree` is the draft
//! materialised, in preorder; `living` says which of its nodes are still there and carries out removals with everything
//! that follows from them; `order` finds what goes next; `content` and `counts` know the remaining elements and their costs; `growth` records which
//! elements grew; `cut` ties these together for one budget, limit by limit; `trace` says afterwards what happened and why; `run` is the operation that hosts
//! poll. Layout advises elements how much to write, pruning enforces the budget, and neither influences the other.
//!
//! The rules are those of `@vscode/prompt-tsx` 0.4.0-alpha.9, except where a comment says otherwise: the same nodes go in
//! the same order, but it stops exactly, takes O(n log n) in nodes, and nothing here recurses.

mod backfill;
use crate::bits;
mod content;
mod costs;
mod counts;
mod cut;
mod draft;
mod flex;
mod growth;
mod layout;
mod living;
mod map;
mod order;
mod pairs;
mod piece;
mod queue;
mod run;
mod search;
mod trace;
mod tree;

pub use costs::Inside;
pub use counts::{Builtin, Counter, Question, Sent};
pub use cut::{Failure, Outcome};
pub use layout::{Epoch, Event, Growable};
pub use piece::{Call, Element, Leaf, LeafKind, Literal, MessageShape, Mode, Op, Reserve, Shape, Wording};
pub use run::{Ask, Options, Prompt, Step};
pub use trace::{NodeReport, Removal, Rule};
pub use tree::Malformed;

/// Index of a node, counted in the order in which nodes were made; 0 is the root.
pub type NodeId = u32;

/// The priority of whatever sets none: JavaScript's `Number.MAX_SAFE_INTEGER`.
pub const MAX_PRIORITY: f64 = 9_007_199_254_740_991.0;

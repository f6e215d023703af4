//! Prompt trees: laid out, grown and pruned to an exact token budget.
//!
//! In: a tree of elements, as [`Op`]s. Some elements have children that only the host can make; the operation asks for
//! them once it knows their budget. Out: messages that fit, and a report on every node. Start reading at [`run`], the
//! operation that hosts poll.
//!
//! The path of a tree: `layout` distributes budgets (`flex`) and collects what elements yield in a `draft`; `tree` is
//! the materialised draft, in preorder; `living` knows which of its nodes remain, and removes a node with everything
//! that depends on it; `order` finds the next node to remove; `content` and `counts` know the remaining elements and
//! their costs; `growth` records which elements grew; `cut` ties these together for one budget, limit by limit; `trace`
//! explains the result. Layout advises elements how much to write, pruning enforces the budget, and neither influences
//! the other.
//!
//! The rules are those of `@vscode/prompt-tsx` 0.4.0-alpha.9, except where a comment says otherwise: the same nodes are
//! removed in the same order, but pruning stops exactly, takes O(n log n) in the number of nodes, and never recurses.

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

/// Index of a node in order of creation; 0 is the root.
pub type NodeId = u32;

/// The default priority: JavaScript's `Number.MAX_SAFE_INTEGER`.
pub const MAX_PRIORITY: f64 = 9_007_199_254_740_991.0;

//! Prompt caches: where marks go, what two requests share, what a change costs.
//!
//! In: messages that are about to be sent, with the facts that only the wire format shows ([`PartFact`], [`ToolFact`]).
//! Out: the positions of cache marks ([`place`]), the prefix that two requests share ([`stable_prefix`]), and whether
//! changing a cached prefix pays ([`clearing`]). The module changes no message: JavaScript sets the marks on copies.
//! Start reading at [`place`].
//!
//! The rules follow the prompt caching guides of Anthropic and OpenAI, and the placement of Copilot Chat.

mod copilot;
mod digest;
mod minimum;
mod place;
mod prefix;
mod price;
mod spot;

pub use minimum::minimum_prefix;
pub use place::{
    Layout, Mark, Newest, PartFact, Placement, Profile, Scheme, ToolFact, Unmarked, newest_summary, place,
};
pub use prefix::{Cause, Comparison, Difference, DifferenceKind, FateRow, SharedPrefix, stable_prefix};
pub use price::{Clearing, Decision, Expected, Prices, clearing, expected_cost};
pub use spot::{Lifetime, Place};

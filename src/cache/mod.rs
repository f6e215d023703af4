//! Prompt caches: where to put marks, what two requests share, what it costs.
//!
//! In: messages as they are about to be sent, with what only the wire format shows ([`PartFact`], [`ToolFact`]). Out: the
//! places of cache marks ([`place`]), the prefix that two requests share ([`stable_prefix`]), and whether it pays to change a
//! cached prefix ([`clearing`]). Nothing here changes a message: JavaScript sets the marks on copies.
//!
//! Reference for the rules: the prompt caching guides of Anthropic and OpenAI, and the placement of Copilot Chat.

mod copilot;
mod digest;
mod minimum;
mod place;
mod prefix;
mod price;
mod spot;

pub use minimum::minimum_prefix;
pub use place::{Layout, Mark, Newest, PartFact, Placement, Profile, Scheme, ToolFact, Unmarked, place};
pub use prefix::{Cause, Comparison, Difference, DifferenceKind, FateRow, SharedPrefix, stable_prefix};
pub use price::{Clearing, Decision, Expected, Prices, clearing, expected_cost};
pub use spot::{Lifetime, Place};

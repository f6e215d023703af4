//! Which tool message answers which call.

use super::draft::Draft;
use super::tree::Tree;
use crate::map::HashMap;
use crate::message::Role;

/// Above every number that hosts give to what they keep together.
const FIRST: u32 = 1 << 31;

/// A call and its result.
pub struct Pair {
    /// Stays the same when the tree is numbered anew.
    pub id: u32,
    /// The message that calls, and which of its calls it is.
    pub call: (u32, u32),
    pub result: u32,
}

/// Every tool message with the latest call of its id before it, unless another one answered that already. Ids come back in long
/// conversations, so they alone say nothing.
pub fn pairs(draft: &Draft, tree: &Tree) -> Vec<Pair> {
    let mut open: HashMap<&str, (u32, u32)> = HashMap::default();
    let mut found = Vec::new();
    for place in 0..tree.len() {
        let Some(shape) = tree.shape(draft, place) else { continue };
        for (at, call) in shape.calls.iter().enumerate() {
            open.insert(&call.call_id, (place, at as u32));
        }
        let answers = shape.call_id.as_deref().filter(|_| shape.role == Some(Role::Tool));
        if let Some(call) = answers.and_then(|id| open.remove(id)) {
            found.push(Pair { id: FIRST | tree.source(place), call, result: place });
        }
    }
    found
}

//! Pairs of tool calls and the tool messages that answer them.

use super::draft::Draft;
use super::tree::Tree;
use crate::map::HashMap;
use crate::message::Role;

/// Higher than every number that hosts give to their groups.
const FIRST: u32 = 1 << 31;

/// A call and its result.
pub struct Pair {
    /// Unchanged when the tree is renumbered.
    pub id: u32,
    /// The message that calls, and the index of the call.
    pub call: (u32, u32),
    pub result: u32,
}

/// Returns every tool message with the latest earlier call of its id, unless another message already answered that
/// call. Ids recur in long conversations, so an id alone is not sufficient.
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

//! The thought of the running turn, whose round was removed.

use super::class::Drop;
use super::{Limits, Shortened, worked};
use crate::error::Result;
use crate::history::draft::Draft;
use crate::history::edit::Thinking;
use crate::history::thought::{asks, last_thought};
use crate::map::HashSet;
use crate::message::Part;

/// Max attempts to make room for the thought: the message that it moves to depends on the cut.
const ATTEMPTS: usize = 4;

/// Runs all passes. If they remove the round of the thought that the running turn begins with, the thought moves to the
/// first round that stays, within the limit.
pub(super) fn work(draft: &mut Draft, marks: &[u64], limits: &Limits, limit: u64) -> Result<Vec<Shortened>> {
    let start = draft.entries.iter().rposition(asks).map_or(0, |at| at + 1);
    let is_thought = |part: &Part| matches!(part, Part::Reasoning { .. });
    let thinks = draft.entries[start..].iter().any(|entry| entry.message.parts.iter().any(is_thought));
    let Some(except) = limits.thinking.as_ref().filter(|_| thinks && draft.total() > limit) else {
        return worked(draft, marks, limits, limit);
    };
    let whole = draft.clone();
    let mut room = limit;
    for _ in 0..ATTEMPTS {
        let done = match worked(draft, marks, limits, room) {
            Ok(done) => done,
            Err(error) if room == limit => return Err(error),
            Err(_) => break,
        };
        let gone: HashSet<&str> =
            draft.entries[start..].iter().filter(|e| !e.is_in()).map(|e| &*e.message.id).collect();
        let Some((Thinking { from, part, to }, tokens)) = last_thought(&whole, draft, |id| gone.contains(id), except)
        else {
            return Ok(done);
        };
        let over = (draft.total() + tokens).saturating_sub(limit);
        if over == 0 {
            let entry = whole.entries.iter().find(|entry| entry.message.id == from);
            let at = draft.entries.iter().position(|entry| entry.message.id == to);
            if let (Some(entry), Some(at)) = (entry, at) {
                let number = entry.edits.as_ref().and_then(|edits| edits.get(part)).map_or(part, |edit| edit.part);
                draft.lead(at, &entry.message.parts[part], &from, number, Drop::CurrentRound.rule());
            }
            return Ok(done);
        }
        *draft = whole.clone();
        room = room.saturating_sub(over);
    }
    // Without room for the thought, the turn is cut as if it had none.
    *draft = whole.clone();
    worked(draft, marks, limits, limit)
}

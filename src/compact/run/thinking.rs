//! The thought that a turn continues from, if a summary ends inside that turn.

use super::*;
use crate::history::edit::Thinking;
use crate::history::thought::last_thought;

impl Compaction {
    /// Returns the last thought of the covered messages, if it moves; see [`last_thought`]. `shown` are the remaining
    /// messages.
    pub(super) fn last_thought<'a>(
        &self,
        shown: &Draft,
        covered: impl Iterator<Item = &'a str>,
    ) -> Option<(Thinking, u64)> {
        let except = self.options.thinking.as_ref()?;
        let covered: HashSet<&str> = covered.collect();
        last_thought(&self.view(&[]), shown, |id| covered.contains(id), except)
    }

    /// Moves the thought to a later message of the turn if its message was removed. Returns true if that changed the
    /// edits.
    pub(super) fn move_thought(&self, edits: &mut [Edit], draft: &Draft) -> bool {
        let stays = |id: &str| draft.entries.iter().any(|entry| entry.is_in() && entry.message.id == id);
        let gone = |edit: &&mut Edit| edit.thinking.as_ref().is_some_and(|thinking| !stays(&thinking.to));
        let Some(edit) = edits.iter_mut().find(gone) else { return false };
        let at = |id: &str| self.messages.iter().position(|message| message.id == id);
        let was = edit.thinking.take().and_then(|thinking| at(&thinking.to));
        let next = self.last_thought(draft, edit.ids()).map(|(thinking, _)| thinking);
        // Pruning depends on the position of the thought. It only moves forward, so that this terminates.
        edit.thinking = next.filter(|thinking| at(&thinking.to) > was);
        true
    }
}

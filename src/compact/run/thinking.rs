//! The thought that a turn continues from, if a summary ends inside that turn: providers that sign thoughts refuse
//! calls of a turn that does not begin with one.

use super::*;
use crate::history::edit::Thinking;
use crate::history::group::has_words;
use crate::map::HashMap;

impl Compaction {
    /// Returns the last thought of the covered messages in the turn in which they end, its destination, and the tokens
    /// that it adds there. `None` if the first remaining calls of the turn have their own. `shown` are the remaining
    /// messages.
    pub(super) fn last_thought<'a>(
        &self,
        shown: &Draft,
        covered: impl Iterator<Item = &'a str>,
    ) -> Option<(Thinking, u64)> {
        let except = self.options.thinking.as_ref()?;
        let covered: HashSet<&str> = covered.collect();
        let whole = self.view(&[]);
        let id = |at: usize| whole.entries[at].message.id.as_str();
        let asks = |at: &usize| {
            let message = &whole.entries[*at].message;
            message.role == Role::User && has_words(message)
        };
        let last = (0..whole.entries.len()).rev().find(|&at| covered.contains(id(at)))?;
        let start = (0..=last).rev().find(asks).map_or(0, |at| at + 1);
        let end = (last + 1..whole.entries.len()).find(asks).unwrap_or(whole.entries.len());
        let stays: HashMap<&str, &Entry> =
            shown.entries.iter().filter(|e| e.is_in()).map(|e| (e.message.id.as_str(), e)).collect();
        let calls = |entry: &&&Entry| entry.message.role == Role::Assistant && entry.message.calls().next().is_some();
        let kept = (start..end).filter(|&at| !covered.contains(id(at)));
        let to = *kept.filter_map(|at| stays.get(id(at))).find(calls)?;
        let is_thought = |part: &Part| matches!(part, Part::Reasoning { .. });
        if to.message.parts.iter().any(is_thought) {
            return None;
        }
        let candidates = (start..=last).rev().filter(|&at| covered.contains(id(at)) && !except.contains(id(at)));
        let (from, part) = candidates
            .map(|at| &whole.entries[at].message)
            .find_map(|message| Some((message, message.parts.iter().rposition(is_thought)?)))?;
        let mut led = to.message.clone().into_owned();
        led.parts.insert(0, from.parts[part].clone());
        let tokens = self.meter().message(&led).saturating_sub(to.after);
        Some((Thinking { from: from.id.clone(), part, to: to.message.id.clone() }, tokens))
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

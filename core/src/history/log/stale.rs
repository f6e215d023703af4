//! Checks whether a plan still fits: whether the messages that it was made from have changed.

use super::Log;
use super::entry::{Entry, id_of, seq_of, stands_in};
use crate::error::{Code, Error, Result};
use crate::map::HashSet;

impl Log {
    /// Checks that these messages of the view at position `since` have not changed. Messages may have been added behind
    /// them. Takes time proportional to the entries since then and their targets.
    pub(super) fn check_untouched<'a>(&self, ids: impl Iterator<Item = &'a str>, since: usize) -> Result<()> {
        let stale = |why: String| Error::new(Code::StalePlan, why).at("since");
        if since > self.len() {
            return Err(stale(format!("the log has {} entries, and the plan is of position {since}", self.len())));
        }
        let mut slots = HashSet::default();
        for id in ids {
            let edit = stands_in(id).and_then(seq_of).and_then(|seq| self.state.edits.get(&seq));
            if edit.is_some_and(|edit| !edit.in_force()) {
                return Err(stale(format!("the summary {id:?} was taken back")));
            }
            let (first, last) =
                self.place(id).ok_or_else(|| stale(format!("there is no message {id:?} in the view any more")))?;
            slots.extend(first..=last);
        }
        for (seq, record) in self.store.records.iter().enumerate().skip(since) {
            let touched = match &record.entry {
                Entry::Edit { .. } => self.is_about(seq, &slots),
                Entry::Revoke { target } => {
                    let aimed = seq_of(target).map(|at| self.state.revokes.get(&at).map_or(at, |revoke| revoke.target));
                    aimed.is_some_and(|at| self.is_about(at, &slots))
                }
                Entry::Pin { pin } => pin.message.as_ref().is_some_and(|id| self.is_in_group_of(id, &slots)),
                Entry::Unpin { target } => {
                    let pin = seq_of(target).and_then(|at| self.store.records.get(at)).map(|record| &record.entry);
                    matches!(pin, Some(Entry::Pin { pin }) if pin.message.as_ref().is_some_and(|id| self.is_in_group_of(id, &slots)))
                }
                // A rewind needs no check: removed messages were not found above, restored ones were not in the view.
                _ => false,
            };
            if touched {
                let why = format!("{} changed what the plan was made from", id_of(seq));
                return Err(stale(why));
            }
        }
        Ok(())
    }

    /// Returns whether the edit or rewind at `seq` concerns one of these messages.
    fn is_about(&self, seq: usize, slots: &HashSet<usize>) -> bool {
        if let Some(rewind) = self.state.rewinds.get(&seq) {
            return slots.iter().any(|slot| (rewind.keep..rewind.had).contains(slot));
        }
        self.state.edits.get(&seq).is_some_and(|edit| match &edit.span {
            Some(span) => slots.iter().any(|slot| (span.start..=span.end).contains(slot)),
            None => edit.slots.iter().any(|slot| slots.contains(slot)),
        })
    }

    /// Returns whether a pin of the message concerns one of these: a pin keeps the whole round.
    fn is_in_group_of(&self, id: &str, slots: &HashSet<usize>) -> bool {
        let Some(&slot) = self.store.slots.get(id) else { return false };
        slots.contains(&slot)
            || slots.iter().any(|&other| self.state.slots[other].group == self.state.slots[slot].group)
    }
}

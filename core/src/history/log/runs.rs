//! Compact plans: most of a view is runs of unchanged messages.

use serde::Serialize;

use super::{Log, View};
use crate::history::draft::Entry;
use crate::history::plan::PlanItem;

/// A view with its plan as runs.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Runs {
    /// Pairs of numbers: a kept message of the log and how many are kept from there on, or the index of an item and 0.
    pub runs: Vec<u32>,
    pub items: Vec<PlanItem>,
    #[serde(flatten)]
    pub view: View,
}

/// The plan of a view as runs; see [`Runs`].
#[derive(Default)]
pub(super) struct Plan {
    pub runs: Vec<u32>,
    pub items: Vec<PlanItem>,
}

impl Plan {
    /// Adds the next message of a view.
    pub fn push(&mut self, entry: &Entry) {
        let slot = u32::try_from(entry.number).ok().filter(|_| !entry.is_new && entry.edits.is_none());
        match (slot, self.runs.as_mut_slice()) {
            (Some(slot), [.., first, length]) if *length > 0 && *first + *length == slot => *length += 1,
            (Some(slot), _) => self.runs.extend([slot, 1]),
            (None, _) => {
                self.runs.extend([self.items.len() as u32, 0]);
                self.items.extend(entry.item());
            }
        }
    }

    /// Returns whether the view is adjacent unchanged messages of the log.
    pub fn is_one_run(&self) -> bool {
        self.items.is_empty() && self.runs.len() <= 2
    }
}

impl Log {
    /// Returns [`Log::view`] with an empty plan, and the plan as runs. Takes time proportional to the messages that
    /// were added since the last view, to the changes of the view, and to its summaries and changed messages.
    pub fn view_in_runs(&self) -> Runs {
        if self.is_known() {
            let grown = self.grown();
            let (after, split) = self.grown_totals(&grown);
            let view = View { after, split, repaired: grown.repaired.1.clone(), ..self.bare_view() };
            return Runs { runs: grown.plan.runs.clone(), items: grown.plan.items.clone(), view };
        }
        let draft = self.repaired();
        let mut plan = Plan::default();
        draft.entries.iter().filter(|entry| entry.is_in()).for_each(|entry| plan.push(entry));
        Runs { runs: plan.runs, items: plan.items, view: self.view_of(draft) }
    }
}

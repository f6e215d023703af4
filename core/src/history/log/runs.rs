//! Compact plans: most of a view is runs of unchanged messages.

use serde::Serialize;

use super::{Log, View};
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

impl Log {
    /// Returns [`Log::view`] with an empty plan, and the plan as runs.
    pub fn view_in_runs(&self) -> Runs {
        let mut view = self.view();
        let mut runs: Vec<u32> = Vec::new();
        let mut items = Vec::new();
        for item in std::mem::take(&mut view.plan) {
            let slot = match &item {
                PlanItem::Keep { id, .. } => self.store.slots.get(id).and_then(|&slot| u32::try_from(slot).ok()),
                _ => None,
            };
            match (slot, runs.as_mut_slice()) {
                (Some(slot), [.., first, length]) if *length > 0 && *first + *length == slot => *length += 1,
                (Some(slot), _) => runs.extend([slot, 1]),
                (None, _) => {
                    runs.extend([items.len() as u32, 0]);
                    items.push(item);
                }
            }
        }
        Runs { runs, items, view }
    }
}

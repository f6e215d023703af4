//! Rewinds: messages that are no longer part of the conversation.

use super::fold::{Rewind, State};
use super::store::Store;
use crate::history::draft::Meter;
use crate::history::group::Kind as Group;
use crate::map::ordered;

impl State {
    /// Removes the messages from `keep` on, in time proportional to them and to the number of edits.
    pub fn rewind(&mut self, store: &Store, meter: Meter, seq: usize, keep: usize) {
        // Only a system message may be in the middle of another group.
        let groups = self.grouper.groups.iter().rev();
        let behind = groups.take_while(|g| g.kind == Group::Frame || g.entries.last().is_some_and(|&at| at >= keep));
        let mut changed: Vec<usize> = behind.flat_map(|g| &g.entries).copied().filter(|&at| at >= keep).collect();
        changed.sort_unstable();
        changed.iter().for_each(|&slot| self.slots[slot].rewound_by = Some(seq));
        let mut edits = Vec::new();
        for (&at, edit) in &mut self.edits {
            if edit.rewound_by.is_none() && edit.reach >= keep {
                edit.rewound_by = Some(seq);
                edits.push(at);
            }
        }
        if let Some(&first) = changed.first() {
            self.newest = keep.checked_sub(1);
            self.group_again(store, first, first);
        }
        self.gone_or_back(store, meter, &changed, &edits);
    }

    /// Updates the state after a rewind was taken back or restored.
    pub fn rewound(&mut self, store: &Store, meter: Meter) {
        let active: Vec<(usize, Rewind)> =
            self.rewinds.iter().filter(|(_, r)| r.revoked_by.is_none()).map(|(seq, r)| (*seq, r.clone())).collect();
        // A rewind concerns the slots that it had behind `keep`, and the edits before it. The oldest one counts.
        let mut by = vec![None; self.slots.len()];
        let mut free = ordered(0..self.slots.len());
        for (seq, rewind) in &active {
            let own: Vec<usize> = free.range(rewind.keep..rewind.had.max(rewind.keep)).copied().collect();
            for slot in own {
                by[slot] = Some(*seq);
                free.remove(&slot);
            }
        }
        let mut changed = Vec::new();
        for (slot, by) in by.into_iter().enumerate() {
            if self.slots[slot].rewound_by != by {
                self.slots[slot].rewound_by = by;
                changed.push(slot);
            }
        }
        let mut edits = Vec::new();
        for (&seq, edit) in &mut self.edits {
            let by = active.iter().find(|(at, r)| *at > seq && edit.reach >= r.keep).map(|(at, _)| *at);
            if edit.rewound_by != by {
                edit.rewound_by = by;
                edits.push(seq);
            }
        }
        if let Some(&first) = changed.first() {
            self.newest = free.last().copied();
            self.group_again(store, first, self.slots.len());
        }
        self.gone_or_back(store, meter, &changed, &edits);
    }

    /// Groups the messages from `first` on again; none of those from `end` on is left.
    fn group_again(&mut self, store: &Store, first: usize, end: usize) {
        for slot in self.grouper.cut(first)..end {
            if self.slots[slot].rewound_by.is_none() {
                self.slots[slot].group = self.grouper.push(slot, store.message(slot));
            }
        }
    }

    /// Updates how messages are shown that rewinds removed or brought back, with these edits.
    fn gone_or_back(&mut self, store: &Store, meter: Meter, changed: &[usize], edits: &[usize]) {
        let led = self.place_spans(edits);
        changed.iter().chain(&led).for_each(|&slot| self.look(store, meter, slot));
        self.relook(store, meter, edits);
    }
}

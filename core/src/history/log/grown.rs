//! The view since the last change other than an added message. Until the next such change a view only grows at its end,
//! so that a request reads new messages only. A view that needs repair is repaired once: messages behind it that need
//! none, and have no id that the repair decided about, do not change the outcome.

use std::cell::RefMut;

use super::Log;
use super::compare::Split;
use super::runs::Plan;
use super::view::repaired;
use crate::history::draft::{Draft, Entry, Meter};
use crate::history::mend::{Mended, Receiver, accepts, mend};
use crate::history::plan::{Removal, Totals};
use crate::history::sound::Sound;

/// See the module. Totals are those before repair, without the overhead of the list and the tools.
#[derive(Default)]
pub(super) struct Grown {
    /// The log's count of changes when this state began.
    changes: u64,
    /// The next message to read.
    slot: usize,
    sound: Sound,
    pub plan: Plan,
    totals: Totals,
    split: Split,
    /// True if there are other messages than system messages, and if a system message follows one.
    is_spoken: bool,
    has_late_frame: bool,
    /// A receiver, and the slot before which it accepts all messages.
    accepted: Option<(Receiver, usize)>,
    /// The slot before which the messages were repaired, 0 if none needs repair; and the repairs.
    pub repaired: (usize, Vec<Removal>),
}

impl Grown {
    fn push(&mut self, entry: &Entry, meter: Meter) {
        self.sound.push(&entry.message, (!entry.is_new).then_some(entry.number), meter);
        self.plan.push(entry);
        self.totals.messages += 1;
        if entry.message.role.is_frame() {
            self.has_late_frame |= self.is_spoken;
            self.totals.frame += entry.after;
        } else {
            self.is_spoken = true;
            self.totals.conversation += entry.after;
        }
        self.split.add(entry);
    }
}

impl Log {
    /// Returns what is known of the view.
    pub(super) fn grown(&self) -> RefMut<'_, Grown> {
        let mut grown = self.grown.borrow_mut();
        if grown.changes != self.changes {
            *grown = Grown { changes: self.changes, ..Grown::default() };
        }
        let draft = self.draft_from(&self.state, grown.slot);
        draft.entries.iter().for_each(|entry| grown.push(entry, draft.meter));
        grown.slot = self.state.slots.len();
        if !grown.sound.is_sound(draft.meter) && grown.repaired.0 < grown.slot {
            *grown = self.repaired_anew();
        }
        grown
    }

    fn repaired_anew(&self) -> Grown {
        let slot = self.state.slots.len();
        let mut grown = Grown { changes: self.changes, slot, ..Grown::default() };
        let draft = repaired(self.draft());
        for entry in &draft.entries {
            if entry.is_in() {
                grown.push(entry, draft.meter);
            }
            if entry.is_new || entry.edits.is_some() || !entry.is_in() {
                grown.sound.bar(&entry.message);
                entry.source.into_iter().for_each(|message| grown.sound.bar(message));
            }
        }
        grown.repaired = (slot, draft.removed);
        grown
    }

    /// Returns whether the view needs no repair.
    pub(super) fn is_sound(&self) -> bool {
        self.is_known() && self.grown().repaired.0 == 0
    }

    /// Returns whether [`Log::grown`] has the repaired view.
    pub(super) fn is_known(&self) -> bool {
        self.grown().sound.is_sound(self.counting.meter())
    }

    /// Returns totals and split of a view that needs no repair.
    pub(super) fn grown_totals(&self, grown: &Grown) -> (Totals, Split) {
        let (tools, overhead) = (self.counting.tools, self.counting.model.list_overhead());
        let frame = grown.totals.frame + overhead;
        let total = frame + grown.totals.conversation + tools;
        (Totals { total, frame, tools, ..grown.totals }, Split { total, frame, tools, ..grown.split })
    }

    /// Returns the view as `receiver` accepts it.
    pub fn mended(&self, receiver: &Receiver) -> Mended {
        if !self.is_known() {
            return mend(&self.repaired(), receiver);
        }
        let known = self.grown().accepted.take().filter(|(known, _)| known == receiver).map_or(0, |(_, slot)| slot);
        // Before that slot, messages were repaired.
        let known = if known < self.grown().repaired.0 { 0 } else { known };
        let rest = if known > 0 { self.draft_behind(known) } else { self.repaired() };
        if !accepts(&rest, receiver, known > 0) {
            return Mended::repaired(&self.repaired(), receiver);
        }
        let mut grown = self.grown();
        grown.accepted = Some((receiver.clone(), grown.sound.turn()));
        // Messages that were adjacent when they were added are not joined.
        let is_apart = grown.plan.is_one_run() && !grown.has_late_frame;
        let after = (is_apart || !receiver.joins()).then(|| self.grown_totals(&grown).0);
        drop(grown);
        after.map_or_else(|| Mended::unchanged(&self.repaired(), receiver), |after| Mended::as_is(after, receiver))
    }

    /// Returns the messages of the view from the host's message in this slot on.
    fn draft_behind(&self, slot: usize) -> Draft<'_> {
        let mut draft = self.draft_from(&self.state, slot);
        let before = draft.entries.iter().take_while(|entry| entry.is_new).count();
        draft.entries.drain(..before);
        draft
    }
}

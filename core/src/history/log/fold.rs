//! Folds the entries of a log into its state. The same entries give the same state, and each entry changes only its
//! targets.
//!
//! Every message has a slot with how it is shown now. An edit, its revocation, a pin or a rewind updates the slots that
//! it concerns. The result depends only on the edits, pins and rewinds in force, so an undo restores the state exactly.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::entry::{Entry, Pin, seq_of};
use super::store::Store;
use super::text::{pinned_text, text_after};
use crate::history::draft::{Draft, Entry as Row, Meter};
use crate::history::edit::Kind;
use crate::history::group::Grouper;
use crate::history::plan::{Becomes, PartEdit};
use crate::map::HashSet;
use crate::message::{Message, Part};
use crate::tokens::Origin;

/// How a message is shown.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Shown {
    Whole,
    Changed(Box<Changed>),
    /// Removed by the edit at this position, which dropped it or left nothing of it.
    Dropped(usize),
    /// Replaced by the summary of the edit at this position. A larger range may hide it since: see
    /// [`State::covered_by`].
    Covered(usize),
    /// Removed by the rewind at this position.
    Rewound(usize),
}

/// A message changed by edits.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Changed {
    pub message: Rc<Message>,
    pub edits: Vec<PartEdit>,
    pub tokens: u64,
    /// Kind of the newest edit in effect.
    pub rule: &'static str,
}

#[derive(Debug, Clone)]
pub(super) struct Slot {
    pub group: usize,
    pub rewound_by: Option<usize>,
    /// Edits of parts and drops, in force or not, in log order: position and index of the target.
    pub touched: Vec<(usize, usize)>,
    /// Positions of pins in force.
    pub pins: Vec<usize>,
    pub shown: Shown,
}

/// The folded form of an edit.
#[derive(Debug, Clone)]
pub(super) struct Laid {
    /// Slots of the targets; first and last of a range.
    pub slots: Vec<usize>,
    /// The last slot that the edit concerns.
    pub reach: usize,
    pub span: Option<Span>,
    pub revoked_by: Option<usize>,
    pub rewound_by: Option<usize>,
}

impl Laid {
    pub fn in_force(&self) -> bool {
        self.revoked_by.is_none() && self.rewound_by.is_none()
    }
}

/// A replaced range.
#[derive(Debug, Clone)]
pub(super) struct Span {
    pub start: usize,
    pub end: usize,
    pub carried: HashSet<usize>,
    /// Number of messages that it covered when it was applied.
    pub covers: usize,
    /// Tokens of the summary and the reply.
    pub tokens: u64,
    /// Tokens of the reply, if there is one.
    pub reply: Option<u64>,
    pub thinking: Option<Lead>,
}

/// Reasoning with which another message begins: its slot and part, and the slot of that message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lead {
    pub from: usize,
    pub part: usize,
    pub to: usize,
    /// Position of the edit.
    pub by: usize,
}

#[derive(Debug, Clone)]
pub(super) struct Rewind {
    /// Slots from here on are removed.
    pub keep: usize,
    /// Number of messages at the time.
    pub had: usize,
    pub revoked_by: Option<usize>,
}

#[derive(Debug, Clone)]
pub(super) struct Revoke {
    pub target: usize,
    pub undone_by: Option<usize>,
}

#[derive(Debug, Clone)]
pub(super) struct Stored {
    pub seq: usize,
    pub number: u32,
    /// Number of messages before it.
    pub upto: usize,
}

/// See the module.
#[derive(Debug, Clone, Default)]
pub(super) struct State {
    pub slots: Vec<Slot>,
    pub grouper: Grouper,
    pub edits: BTreeMap<usize, Laid>,
    pub rewinds: BTreeMap<usize, Rewind>,
    pub revokes: BTreeMap<usize, Revoke>,
    /// Pins in force: position and slot.
    pub pins: BTreeMap<usize, Option<usize>>,
    pinned: BTreeSet<usize>,
    /// Ranges in force, the larger of two with the same start first, and the newer of two equal ones.
    pub spans: BTreeSet<SpanKey>,
    /// Ranges in force that are not inside a larger one: start, end, position.
    pub outer: BTreeMap<usize, (usize, usize)>,
    /// Reasoning that these ranges keep, by the slot of the message that begins with it.
    pub leads: BTreeMap<usize, Lead>,
    pub checkpoints: Vec<Stored>,
    /// Newest message that was not rewound.
    pub newest: Option<usize>,
    /// Tokens and number of the shown messages.
    pub frame: u64,
    pub conversation: u64,
    pub messages: usize,
    /// Tokens and number of all messages that were not rewound, without edits.
    pub live: Live,
    /// Slots of shown messages, so that the time for a view does not depend on hidden ones.
    pub visible: BTreeSet<usize>,
    /// Slots that no range covers, shown or not. A new range over a long history looks only at these.
    uncovered: BTreeSet<usize>,
    /// Slots of system messages.
    frames: BTreeSet<usize>,
    /// Tokens of all summaries in effect.
    pub summaries: u64,
}

/// Start, end and position of a range.
pub(super) type SpanKey = (usize, Reverse<usize>, Reverse<usize>);

/// Messages and tokens without any edit.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Live {
    pub frame: u64,
    pub conversation: u64,
    pub messages: usize,
}

impl State {
    /// Folds the entry at `seq`. It was checked, so everything that it names exists.
    pub fn fold(&mut self, store: &Store, meter: Meter, seq: usize) {
        match &store.records[seq].entry {
            Entry::Message { message } => self.message(store, meter, message),
            Entry::Edit { .. } => self.edit(store, meter, seq),
            Entry::Revoke { target } => self.revoke(store, meter, seq, target),
            Entry::Pin { pin } => self.pin(store, meter, seq, pin),
            Entry::Unpin { target } => self.unpin(store, meter, target),
            Entry::Rewind { to } => {
                let keep = to.as_ref().and_then(|id| store.slots.get(id)).map_or(0, |slot| slot + 1);
                self.rewinds.insert(seq, Rewind { keep, had: self.slots.len(), revoked_by: None });
                self.rewind(store, meter, seq, keep);
            }
            Entry::Checkpoint { checkpoint } => {
                let upto = self.newest.map_or(0, |slot| slot + 1);
                self.checkpoints.push(Stored { seq, number: checkpoint.number, upto });
            }
            Entry::Usage { .. } | Entry::Plan { .. } | Entry::Job { .. } | Entry::Trim { .. } | Entry::Note { .. } => {}
        }
    }

    fn message(&mut self, store: &Store, meter: Meter, message: &Message) {
        let slot = self.slots.len();
        let group = self.grouper.push(slot, message);
        if message.role.is_frame() {
            self.frames.insert(slot);
        }
        // The first `look` counts the message.
        let shown = Shown::Rewound(0);
        self.slots.push(Slot { group, rewound_by: None, touched: vec![], pins: vec![], shown });
        self.newest = Some(slot);
        self.look(store, meter, slot);
    }

    fn edit(&mut self, store: &Store, meter: Meter, seq: usize) {
        let Some(edit) = store.edit(seq) else { return };
        let slot_of = |id: &String| store.slots.get(id).copied();
        let mut slots = Vec::with_capacity(edit.targets.len());
        for (number, target) in edit.targets.iter().enumerate() {
            let Some(slot) = slot_of(&target.message) else { continue };
            self.slots[slot].touched.push((seq, number));
            slots.push(slot);
        }
        slots.dedup();
        let span = edit.range.as_ref().and_then(|range| {
            let (start, end) = (slot_of(&range.from)?, slot_of(&range.to)?);
            let carried: HashSet<usize> = range.carried.iter().filter_map(slot_of).collect();
            let covers = self.covered_in(start, end, &carried);
            slots = vec![start, end];
            let reply = range.reply.as_ref().map(|reply| meter.message(reply));
            let tokens = meter.message(&range.summary) + reply.unwrap_or(0);
            let thinking = range.thinking.as_ref().and_then(|thinking| {
                Some(Lead { from: slot_of(&thinking.from)?, part: thinking.part, to: slot_of(&thinking.to)?, by: seq })
            });
            Some(Span { start, end, carried, covers, tokens, reply, thinking })
        });
        let reach = slots.iter().copied().max().unwrap_or(0);
        self.edits.insert(seq, Laid { slots, reach, span, revoked_by: None, rewound_by: None });
        self.relaid(store, meter, &[seq]);
    }

    /// Returns how many messages a range hides now: all but carried, pinned, rewound and system messages.
    fn covered_in(&self, start: usize, end: usize, carried: &HashSet<usize>) -> usize {
        let pinned = self.pinned.range(start..=end).filter_map(|&slot| self.grouper.groups.get(self.slots[slot].group));
        let mut stays: HashSet<usize> = pinned.flat_map(|group| group.entries.iter().copied()).collect();
        stays.extend(self.frames.range(start..=end));
        let rewound = |slot: &&usize| self.slots[**slot].rewound_by.is_some();
        stays.extend(self.uncovered.range(start..=end).filter(rewound));
        stays.extend(carried);
        (end + 1 - start).saturating_sub(stays.iter().filter(|slot| (start..=end).contains(*slot)).count())
    }

    fn revoke(&mut self, store: &Store, meter: Meter, seq: usize, target: &str) {
        let Some(mut target) = seq_of(target) else { return };
        // A redo removes the revocation from its target.
        let mut by = Some(seq);
        if let Some(revoke) = self.revokes.get_mut(&target) {
            revoke.undone_by = by;
            target = revoke.target;
            by = None;
        } else {
            self.revokes.insert(seq, Revoke { target, undone_by: None });
        }
        if let Some(edit) = self.edits.get_mut(&target) {
            edit.revoked_by = by;
            self.relaid(store, meter, &[target]);
        } else if let Some(rewind) = self.rewinds.get_mut(&target) {
            rewind.revoked_by = by;
            self.rewound(store, meter);
        }
    }

    fn pin(&mut self, store: &Store, meter: Meter, seq: usize, pin: &Pin) {
        let slot = pin.message.as_ref().and_then(|id| store.slots.get(id)).copied();
        self.pins.insert(seq, slot);
        let Some(slot) = slot else { return };
        self.slots[slot].pins.push(seq);
        self.pinned.insert(slot);
        self.look_at_group(store, meter, slot);
    }

    fn unpin(&mut self, store: &Store, meter: Meter, target: &str) {
        let Some(seq) = seq_of(target) else { return };
        let Some(Some(slot)) = self.pins.remove(&seq) else { return };
        self.slots[slot].pins.retain(|&pin| pin != seq);
        if self.slots[slot].pins.is_empty() {
            self.pinned.remove(&slot);
        }
        self.look_at_group(store, meter, slot);
    }

    /// Updates the state after these edits came into force or were taken back.
    fn relaid(&mut self, store: &Store, meter: Meter, edits: &[usize]) {
        let led = self.place_spans(edits);
        led.into_iter().for_each(|slot| self.look(store, meter, slot));
        self.relook(store, meter, edits);
    }

    /// Updates how the messages of these edits are shown.
    pub(super) fn relook(&mut self, store: &Store, meter: Meter, edits: &[usize]) {
        for seq in edits {
            let edit = &self.edits[seq];
            let slots = match &edit.span {
                // Slots that smaller ranges hide stay hidden, except carried and pinned ones. In a range over a long
                // history most slots are hidden already.
                Some(span) if edit.in_force() => {
                    let mut slots: Vec<usize> = self.uncovered.range(span.start..=span.end).copied().collect();
                    slots.extend(span.carried.iter().chain(self.pinned.range(span.start..=span.end)));
                    slots
                }
                Some(span) => (span.start..=span.end).collect(),
                None => edit.slots.clone(),
            };
            slots.into_iter().for_each(|slot| self.look(store, meter, slot));
        }
    }

    fn look_at_group(&mut self, store: &Store, meter: Meter, slot: usize) {
        if self.slots[slot].rewound_by.is_none()
            && let Some(group) = self.grouper.groups.get(self.slots[slot].group)
        {
            group.entries.clone().into_iter().for_each(|slot| self.look(store, meter, slot));
        }
    }

    /// Updates how a message is shown, and the totals.
    pub(super) fn look(&mut self, store: &Store, meter: Meter, slot: usize) {
        let now = self.shown(store, meter, slot);
        let was = std::mem::replace(&mut self.slots[slot].shown, now);
        let tokens = |shown: &Shown| match shown {
            Shown::Whole => Some(store.counts[slot].message.tokens),
            Shown::Changed(changed) => Some(changed.tokens),
            _ => None,
        };
        let sum = if store.message(slot).role.is_frame() { &mut self.frame } else { &mut self.conversation };
        if let Some(tokens) = tokens(&was) {
            *sum -= tokens;
            self.messages -= 1;
        }
        if let Some(tokens) = tokens(&self.slots[slot].shown) {
            *sum += tokens;
            self.messages += 1;
            self.visible.insert(slot);
        } else {
            self.visible.remove(&slot);
        }
        if matches!(self.slots[slot].shown, Shown::Covered(_)) {
            self.uncovered.remove(&slot);
        } else {
            self.uncovered.insert(slot);
        }
        let is_live = |shown: &Shown| !matches!(shown, Shown::Rewound(_));
        let whole = store.counts[slot].message.tokens;
        let Live { frame, conversation, messages } = &mut self.live;
        let sum = if store.message(slot).role.is_frame() { frame } else { conversation };
        match (is_live(&was), is_live(&self.slots[slot].shown)) {
            (false, true) => (*sum, *messages) = (*sum + whole, *messages + 1),
            (true, false) => (*sum, *messages) = (*sum - whole, *messages - 1),
            _ => {}
        }
    }

    fn shown(&self, store: &Store, meter: Meter, slot: usize) -> Shown {
        let it = &self.slots[slot];
        if let Some(seq) = it.rewound_by {
            return Shown::Rewound(seq);
        }
        if let Some(seq) = self.covered_by(store, slot) {
            return Shown::Covered(seq);
        }
        let touched: Vec<_> = it.touched.iter().filter(|(seq, _)| self.edits[seq].in_force()).collect();
        if touched.is_empty() && !self.leads.contains_key(&slot) {
            return Shown::Whole;
        }
        // The newest edit of a part wins. A drop removes whole groups, and a pin brings whole groups back.
        let mut parts: BTreeMap<usize, &Becomes> = BTreeMap::new();
        let mut newest = None;
        for &&(seq, number) in &touched {
            let Some(edit) = store.edit(seq) else { continue };
            if edit.kind == Kind::Drop {
                if !self.is_pinned(slot) {
                    return Shown::Dropped(seq);
                }
                continue;
            }
            let target = &edit.targets[number];
            let (Some(part), Some(to)) = (target.part, &target.to) else { continue };
            if self.survives(store, slot, part, to) {
                parts.insert(part, to);
                newest = Some((seq, edit.kind.as_str()));
            }
        }
        let lead =
            self.lead(store, slot).filter(|_| parts.get(&store.message(slot).parts.len()) != Some(&&Becomes::Gone));
        match (newest, lead) {
            (Some((seq, rule)), _) => {
                self.changed(store, meter, slot, &parts, rule, lead).unwrap_or(Shown::Dropped(seq))
            }
            (None, Some(_)) => {
                let rule = Kind::ReplaceRange.as_str();
                self.changed(store, meter, slot, &parts, rule, lead).unwrap_or(Shown::Whole)
            }
            (None, None) => Shown::Whole,
        }
    }

    /// Returns the reasoning of another message with which this one begins. Its index is after the message's own parts.
    pub fn lead<'a>(&self, store: &'a Store, slot: usize) -> Option<(&'a Part, Lead)> {
        let lead = self.leads.get(&slot)?;
        Some((store.message(lead.from).parts.get(lead.part)?, *lead))
    }

    /// Returns the message with these parts changed, or `None` if nothing of it would be left.
    fn changed(
        &self,
        store: &Store,
        meter: Meter,
        slot: usize,
        parts: &BTreeMap<usize, &Becomes>,
        rule: &'static str,
        lead: Option<(&Part, Lead)>,
    ) -> Option<Shown> {
        let mut draft = Draft::of(vec![row(store, slot)], meter, Origin::Exact);
        draft.edit_parts(0, rule, "", |number, _| parts.get(&number).map(|to| (*to).clone()));
        if let Some((part, Lead { from, part: number, .. })) = lead.filter(|_| draft.entries[0].is_in()) {
            draft.lead(0, part, &store.message(from).id, number, rule);
        }
        let row = draft.entries.pop().filter(Row::is_in)?;
        // The edit concerned only the reasoning at the start, which is not there.
        let Some(edits) = row.edits else { return Some(Shown::Whole) };
        let message = Rc::new(row.message.into_owned());
        Some(Shown::Changed(Box::new(Changed { message, edits, tokens: row.after, rule })))
    }

    /// Returns the position of the range that hides a message.
    pub fn covered_by(&self, store: &Store, slot: usize) -> Option<usize> {
        let (end, seq) = self.outer.range(..=slot).next_back().map(|(_, &found)| found)?;
        let carried = &self.edits[&seq].span.as_ref()?.carried;
        let stays =
            slot > end || carried.contains(&slot) || store.message(slot).role.is_frame() || self.is_pinned(slot);
        (!stays).then_some(seq)
    }

    /// Returns whether any message of the group is pinned.
    pub fn is_pinned(&self, slot: usize) -> bool {
        let group = self.slots[slot].group;
        let Some(entries) = self.grouper.groups.get(group).map(|g| &g.entries) else { return false };
        let (Some(&first), Some(&last)) = (entries.first(), entries.last()) else { return false };
        self.pinned.range(first..=last).any(|&at| self.slots[at].group == group && self.slots[at].rewound_by.is_none())
    }

    /// Returns whether the pins allow this change of a part.
    pub fn survives(&self, store: &Store, slot: usize, part: usize, to: &Becomes) -> bool {
        self.slots[slot].pins.iter().all(|&seq| {
            let Entry::Pin { pin } = &store.records[seq].entry else { return true };
            match (pin.part, pin.range) {
                (Some(pinned), _) if pinned != part => true,
                (Some(_), Some(range)) => pinned_text(&store.message(slot).parts[part], range)
                    .is_some_and(|text| text_after(&store.message(slot).parts[part], to).contains(&text)),
                _ => false,
            }
        })
    }

    /// Returns the number of system messages that are shown.
    pub fn frames_shown(&self) -> usize {
        self.frames.iter().filter(|slot| self.visible.contains(slot)).count()
    }

    /// Returns the tokens of a message as it is shown; 0 if it is hidden.
    pub fn tokens(&self, store: &Store, slot: usize) -> u64 {
        match &self.slots[slot].shown {
            Shown::Whole => store.counts[slot].message.tokens,
            Shown::Changed(changed) => changed.tokens,
            _ => 0,
        }
    }
}

/// Returns a message as it was added, as a row of a draft.
pub(super) fn row(store: &Store, slot: usize) -> Row<'_> {
    Row::of_host(store.message(slot), slot, store.counts[slot].message.tokens)
}

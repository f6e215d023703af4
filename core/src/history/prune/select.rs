//! Selects the groups to remove. The passes work on stored token counts and do not touch the draft.
//!
//! A pass removes *units* until the goal is reached, the lowest priority first and the oldest first among equals. A
//! unit is a round, or an older request with the rest of its turn. `turns` selects whole turns. Passes run in
//! order, so a unit that a late pass removed may leave room for the last unit of an earlier pass. Such units are put
//! back, so that nothing is removed without need.

use super::class::{Class, Drop};
use crate::history::draft::Draft;
use crate::history::group::{Group, Kind, has_words};
use crate::history::plan::Fate;
use crate::map::HashMap;
use crate::message::Role;

/// Groups that are removed together.
#[derive(Debug, Clone)]
struct Unit {
    pass: Drop,
    groups: Vec<usize>,
    /// Repeats a removal of the previous request's cut; never put back.
    is_held: bool,
}

/// The decisions so far.
#[derive(Debug, Clone)]
pub(super) struct Selection<'g> {
    pub(super) groups: &'g [Group],
    classes: &'g [Class],
    /// Current tokens of each group.
    sizes: Vec<u64>,
    /// The host's priority of each group, 0 by default. Empty if no group has one.
    priorities: Vec<f64>,
    /// Whether each group is a text of the assistant without calls.
    answers: Vec<bool>,
    /// The group with the request that opened each group's turn, if there is one.
    openings: Vec<Option<usize>>,
    gone: Vec<bool>,
    /// In the order of removal.
    units: Vec<Unit>,
    /// Tokens of the request without the removed groups.
    total: u64,
}

impl<'g> Selection<'g> {
    pub(super) fn new(
        draft: &Draft,
        groups: &'g [Group],
        classes: &'g [Class],
        priorities: &HashMap<String, f64>,
    ) -> Selection<'g> {
        let sizes: Vec<u64> = groups.iter().map(|group| group.tokens(draft)).collect();
        let total = draft.meter.model.list_overhead() + draft.meter.tools + sizes.iter().sum::<u64>();
        let priority = |group: &Group| {
            let own = group.entries.iter().filter_map(|&i| priorities.get(&draft.entries[i].message.id).copied());
            own.reduce(f64::max).unwrap_or(0.0)
        };
        let priorities = if priorities.is_empty() { vec![] } else { groups.iter().map(priority).collect() };
        let mut opening = None;
        let openings = groups.iter().enumerate().map(|(at, group)| {
            opening = if group.kind == Kind::User { Some(at) } else { opening };
            opening
        });
        Selection {
            groups,
            classes,
            sizes,
            priorities,
            answers: groups.iter().map(|group| is_answer(draft, group)).collect(),
            openings: openings.collect(),
            gone: vec![false; groups.len()],
            units: Vec::new(),
            total,
        }
    }

    /// Returns the current tokens of a group.
    pub(super) fn size(&self, group: usize) -> u64 {
        self.sizes[group]
    }

    /// Returns whether the group is a text of the assistant without calls, which is how a turn ends.
    pub(super) fn is_answer(&self, group: usize) -> bool {
        self.answers[group]
    }

    pub(super) fn has_priorities(&self) -> bool {
        !self.priorities.is_empty()
    }

    /// Returns the highest priority of these groups.
    pub(super) fn highest(&self, groups: &[usize]) -> f64 {
        let own = |&at: &usize| self.priorities.get(at).copied().unwrap_or(0.0);
        groups.iter().map(own).reduce(f64::max).unwrap_or(0.0)
    }

    /// Returns the tokens of the request without the removed groups.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn is_left(&self, group: usize) -> bool {
        !self.gone[group]
    }

    /// Returns the first of the newest groups that have at most `goal` tokens together with everything that `passes`
    /// cannot remove.
    pub(super) fn newest_that_fit(&self, passes: &[Drop], goal: u64) -> usize {
        let goes = |at: &usize| self.removable(*at).is_some_and(|class| passes.iter().any(|pass| pass.removes(class)));
        let optional: Vec<usize> = (0..self.groups.len()).filter(goes).collect();
        let mut total = self.total - optional.iter().map(|&at| self.sizes[at]).sum::<u64>();
        if total > goal {
            return self.groups.len();
        }
        for &at in optional.iter().rev() {
            total += self.sizes[at];
            if total > goal {
                return at + 1;
            }
        }
        0
    }

    /// Returns whether this request removes anything that the previous request still had.
    pub(super) fn has_moved(&self) -> bool {
        self.units.iter().any(|unit| !unit.is_held)
    }

    /// Updates the size of a group whose parts were shortened.
    pub(super) fn shrunk(&mut self, group: usize, draft: &Draft) {
        let size = self.groups[group].tokens(draft);
        if self.is_left(group) {
            self.total = self.total - self.sizes[group] + size;
        }
        self.sizes[group] = size;
    }

    /// Updates all sizes from a draft whose parts changed.
    pub(super) fn refresh(&mut self, draft: &Draft) {
        for group in 0..self.groups.len() {
            self.shrunk(group, draft);
        }
    }

    /// Removes a group that the previous request's cut removed, if that is still allowed.
    pub(super) fn hold(&mut self, group: usize) {
        if let (Class::Removable(pass), false) = (self.classes[group], self.gone[group]) {
            self.drop(Unit { pass, groups: vec![group], is_held: true });
        }
    }

    /// Merges repeated removals of a turn into one unit, if the request of the turn was removed as well.
    pub(super) fn held_turns(&mut self) {
        let is_whole = |at: usize| self.openings[at].is_some_and(|opening| self.gone[opening]);
        let mut units: Vec<Unit> = Vec::with_capacity(self.units.len());
        for mut unit in std::mem::take(&mut self.units) {
            let Some(&first) = unit.groups.first() else { continue };
            if unit.is_held && unit.pass != Drop::CurrentRound && is_whole(first) {
                unit.pass = Drop::OldTurn;
                let is_same = |turn: &&mut Unit| {
                    let own = turn.groups.first().and_then(|&at| self.openings[at]);
                    turn.is_held && turn.pass == Drop::OldTurn && own == self.openings[first]
                };
                if let Some(turn) = units.last_mut().filter(is_same) {
                    turn.groups.append(&mut unit.groups);
                    continue;
                }
            }
            units.push(unit);
        }
        self.units = units;
    }

    /// Runs a pass until the total is at most `goal`.
    pub(super) fn pass(&mut self, pass: Drop, goal: u64) {
        let mut units = match pass {
            Drop::OldTurn => return self.drop_turns(goal),
            Drop::OldRequest => self.turns(),
            Drop::OldRound | Drop::CurrentRound => self.rounds(pass),
        };
        // The sort is stable: the oldest first among equals.
        crate::rank::sort(&mut units, |unit| crate::rank::of(self.highest(&unit.groups)));
        for unit in units {
            if self.total <= goal {
                break;
            }
            self.drop(unit);
        }
    }

    /// Removes these groups as a unit of a pass.
    pub(super) fn take(&mut self, pass: Drop, groups: Vec<usize>) {
        if !groups.is_empty() {
            self.drop(Unit { pass, groups, is_held: false });
        }
    }

    fn drop(&mut self, unit: Unit) {
        for &at in &unit.groups {
            self.gone[at] = true;
            self.total -= self.sizes[at];
        }
        self.units.push(unit);
    }

    /// Returns whether the pass removed anything that the previous request's cut did not.
    pub(super) fn took(&self, pass: Drop) -> bool {
        self.units.iter().any(|unit| unit.pass == pass && !unit.is_held)
    }

    /// Puts back what the passes `of` removed, except repeated removals of the previous request's cut.
    pub(super) fn put_back(&mut self, of: impl Fn(Drop) -> bool) {
        for unit in std::mem::take(&mut self.units) {
            if unit.is_held || !of(unit.pass) {
                self.units.push(unit);
                continue;
            }
            for at in unit.groups {
                self.gone[at] = false;
                self.total += self.sizes[at];
            }
        }
    }

    /// Returns the pass that may remove a group, or `None` if it must stay or is removed already.
    pub(super) fn removable(&self, at: usize) -> Option<Drop> {
        match self.classes[at] {
            Class::Removable(pass) if !self.gone[at] => Some(pass),
            _ => None,
        }
    }

    fn rounds(&self, pass: Drop) -> Vec<Unit> {
        let of_pass = (0..self.groups.len()).filter(|&at| self.removable(at) == Some(pass));
        of_pass.map(|at| Unit { pass, groups: vec![at], is_held: false }).collect()
    }

    /// Returns the older requests, each with the rest of its turn. A request that came with results belongs to the
    /// turn before it and is removed with that turn's opening: the first message must not be the assistant's.
    fn turns(&self) -> Vec<Unit> {
        let mut out: Vec<Unit> = Vec::new();
        // Whether the last unit takes the following groups, and whether it began with the opening of its turn.
        let (mut is_open, mut is_whole) = (false, false);
        for (at, group) in self.groups.iter().enumerate() {
            let pass = self.removable(at);
            match group.kind {
                Kind::Frame => {}
                Kind::User | Kind::Record => {
                    is_open = pass == Some(Drop::OldRequest);
                    is_whole = is_open;
                    if is_open {
                        out.push(Unit { pass: Drop::OldRequest, groups: vec![at], is_held: false });
                    }
                }
                Kind::RoundWithRequest if pass == Some(Drop::OldRequest) && !(is_open && is_whole) => {
                    (is_open, is_whole) = (true, false);
                    out.push(Unit { pass: Drop::OldRequest, groups: vec![at], is_held: false });
                }
                Kind::Round | Kind::RoundWithRequest => {
                    if let (true, Some(Drop::OldRequest | Drop::OldRound), Some(unit)) = (is_open, pass, out.last_mut())
                    {
                        unit.groups.push(at);
                    }
                }
            }
        }
        out
    }

    /// Puts back what fits into `goal`, the last removal of each pass first. Without `backfill`, a pass stops at the
    /// first unit that does not fit, so that no gaps arise. The first message after the system prompt stays the user's.
    /// Removals that repeat the previous request's cut stay removed.
    pub(super) fn readmit(&mut self, order: &[Drop], goal: u64, backfill: bool) {
        let mut free = goal.saturating_sub(self.total);
        let mut first_request = (0..self.groups.len()).find(|&at| self.groups[at].opens() && !self.gone[at]);
        for &pass in order.iter().rev() {
            for number in (0..self.units.len()).rev() {
                let unit = &mut self.units[number];
                let Some(&first) = unit.groups.first() else { continue };
                let is_of_pass = unit.pass == pass || pass == Drop::OldTurn && unit.pass == Drop::OldRound;
                if !is_of_pass || unit.is_held {
                    continue;
                }
                let is_request = self.groups[first].opens();
                let stands = is_request || first_request.is_some_and(|request| request < first);
                let size: u64 = unit.groups.iter().map(|&at| self.sizes[at]).sum();
                if size <= free && stands {
                    free -= size;
                    self.total += size;
                    if is_request {
                        first_request = Some(first_request.map_or(first, |request| request.min(first)));
                    }
                    unit.groups.drain(..).for_each(|at| self.gone[at] = false);
                } else if !backfill {
                    break;
                }
            }
        }
        self.units.retain(|unit| !unit.groups.is_empty());
    }

    /// Removes the selected groups from the draft.
    pub(super) fn carry_out(&self, draft: &mut Draft) {
        for unit in &self.units {
            let entries: Vec<usize> =
                unit.groups.iter().flat_map(|&at| self.groups[at].entries.iter().copied()).collect();
            draft.drop_entries(&entries, Fate::Dropped, unit.pass.rule(), unit.pass.why());
        }
    }
}

/// Returns whether the group is a round with text and without calls.
fn is_answer(draft: &Draft, group: &Group) -> bool {
    let message = |&at: &usize| &*draft.entries[at].message;
    group.kind == Kind::Round
        && group.entries.iter().map(message).all(|m| m.role == Role::Assistant && m.calls().next().is_none())
        && group.entries.iter().map(message).any(has_words)
}

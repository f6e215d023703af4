//! Which groups go: the passes that drop, over token counts that are held, without touching the draft.
//!
//! A pass takes *units*, the oldest of the lowest priority first, until the goal is reached: a round, or an older request with what is
//! left of its turn. Whole turns are chosen in `turns`. Passes go in order, so the unit that a late pass had to take may leave room for what an earlier pass took last;
//! putting that back keeps the promise that nothing went that need not.

use super::class::{Class, Drop};
use crate::history::draft::Draft;
use crate::history::group::{Group, Kind, has_words};
use crate::history::plan::Fate;
use crate::map::HashMap;
use crate::message::Role;

/// Groups that go together.
#[derive(Debug, Clone)]
struct Unit {
    pass: Drop,
    groups: Vec<usize>,
    /// Taken over from the previous request's cut: never put back.
    is_held: bool,
}

/// What was decided so far.
#[derive(Debug, Clone)]
pub(super) struct Selection<'g> {
    pub(super) groups: &'g [Group],
    classes: &'g [Class],
    /// Tokens of each group as it stands.
    sizes: Vec<u64>,
    /// The host's priority of each group; 0 if it has none. Empty if no group has one.
    priorities: Vec<f64>,
    /// The groups in which the assistant speaks and calls nothing.
    answers: Vec<bool>,
    /// The group of the request that opened the turn of each, if there is one.
    openings: Vec<Option<usize>>,
    gone: Vec<bool>,
    /// In the order of removal.
    units: Vec<Unit>,
    /// Tokens of the whole request without what is gone.
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

    /// Tokens of a group as it stands.
    pub(super) fn size(&self, group: usize) -> u64 {
        self.sizes[group]
    }

    /// True for what the assistant said at the end of its work.
    pub(super) fn is_answer(&self, group: usize) -> bool {
        self.answers[group]
    }

    pub(super) fn has_priorities(&self) -> bool {
        !self.priorities.is_empty()
    }

    /// The highest priority of these groups.
    pub(super) fn highest(&self, groups: &[usize]) -> f64 {
        let own = |&at: &usize| self.priorities.get(at).copied().unwrap_or(0.0);
        groups.iter().map(own).reduce(f64::max).unwrap_or(0.0)
    }

    /// Tokens of the request without what is gone.
    pub(super) fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn is_left(&self, group: usize) -> bool {
        !self.gone[group]
    }

    /// True if anything goes that the previous request still had.
    pub(super) fn has_moved(&self) -> bool {
        self.units.iter().any(|unit| !unit.is_held)
    }

    /// Takes note of what parts of a message became smaller.
    pub(super) fn shrunk(&mut self, group: usize, draft: &Draft) {
        let size = self.groups[group].tokens(draft);
        if self.is_left(group) {
            self.total = self.total - self.sizes[group] + size;
        }
        self.sizes[group] = size;
    }

    /// Takes the sizes anew from a draft in which parts are larger or smaller than they were.
    pub(super) fn refresh(&mut self, draft: &Draft) {
        for group in 0..self.groups.len() {
            self.shrunk(group, draft);
        }
    }

    /// Drops a group that the previous request's cut dropped, if it still may go.
    pub(super) fn hold(&mut self, group: usize) {
        if let (Class::Removable(pass), false) = (self.classes[group], self.gone[group]) {
            self.drop(Unit { pass, groups: vec![group], is_held: true });
        }
    }

    /// What was held of a turn whose request went with it, as one unit.
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
        // Stable: the oldest first among equals.
        crate::rank::sort(&mut units, |unit| crate::rank::of(self.highest(&unit.groups)));
        for unit in units {
            if self.total <= goal {
                break;
            }
            self.drop(unit);
        }
    }

    /// Drops these groups in a pass.
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

    /// True if a pass dropped anything that was not held.
    pub(super) fn took(&self, pass: Drop) -> bool {
        self.units.iter().any(|unit| unit.pass == pass && !unit.is_held)
    }

    /// Puts back what these passes dropped, but for what was held.
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

    /// The pass in which a group may go that is not gone.
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

    /// Older requests, each with what is left of its turn. What came with results belongs to the turn that was opened before it, and
    /// goes with its opening: the assistant must not speak first.
    fn turns(&self) -> Vec<Unit> {
        let mut out: Vec<Unit> = Vec::new();
        // Whether the unit at the end takes what follows, and whether it began with the opening of its turn.
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

    /// Puts back what still fits into `goal`: of each pass what it took last, without holes unless `backfill`, and never so that
    /// the assistant would speak before any user. What the previous request's cut dropped stays dropped.
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

    /// Takes out of the draft what goes.
    pub(super) fn carry_out(&self, draft: &mut Draft) {
        for unit in &self.units {
            let entries: Vec<usize> =
                unit.groups.iter().flat_map(|&at| self.groups[at].entries.iter().copied()).collect();
            draft.drop_entries(&entries, Fate::Dropped, unit.pass.rule(), unit.pass.why());
        }
    }
}

/// True for a round of words alone.
fn is_answer(draft: &Draft, group: &Group) -> bool {
    let message = |&at: &usize| &*draft.entries[at].message;
    group.kind == Kind::Round
        && group.entries.iter().map(message).all(|m| m.role == Role::Assistant && m.calls().next().is_none())
        && group.entries.iter().map(message).any(has_words)
}

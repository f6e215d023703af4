//! Puts removed nodes back while they fit: a step that freed a lot may leave room for something smaller.
//!
//! In: a cut within its budget. Out: the same cut with as many of its steps undone as fit. Start reading at
//! [`backfill`].

use super::content::View;
use super::costs::Changed;
use super::counts::Counts;
use super::cut::{Cut, Step};
use super::draft::{Draft, NONE};
use super::living::{Revival, Unit};
use super::trace::Rule;
use crate::map::HashMap;

/// Maximum tokens that a text may save when it is counted jointly with its neighbours.
const JOINT: f64 = 4.0;

/// Undoes steps that still fit, highest priority first, the latest of equal ones first. A step is undone as a whole or
/// not at all, so that no chunk or group of elements kept together is split and no limit is exceeded.
pub fn backfill(cut: &mut Cut, draft: &Draft, counts: &mut Counts) {
    // A host would have to count every attempt.
    let (true, Some(&(_, budget))) = (counts.builtin().is_some(), cut.limits.first()) else { return };
    let mut total = cut.total_at(draft, counts, 0);
    let rules: HashMap<u32, Rule> = cut.steps.iter().flat_map(|step| step.unit.removed.iter().copied()).collect();
    let mut order: Vec<usize> = (0..cut.steps.len()).rev().collect();
    let priority = |step: &Step| step.unit.removed.first().map_or(0.0, |(place, _)| cut.tree.priority[*place as usize]);
    crate::rank::sort(&mut order, |step| !crate::rank::of(priority(&cut.steps[*step])));
    for at in order {
        let mut unit = std::mem::take(&mut cut.steps[at].unit);
        if total + min_cost(cut, draft, counts, &unit) <= budget && may_return(cut, draft, &rules, &unit) {
            let (revival, cost) = revive(cut, draft, counts, &mut unit);
            // A step that makes the text cheaper fills no room.
            if cost >= 0.0
                && total + cost <= budget
                && is_together(cut, draft, &revival)
                && limits_hold(cut, draft, counts, &unit)
            {
                total += cost;
            } else {
                cut.living.retract(&cut.tree, &mut unit, &revival);
                let Cut { tree, living, costs, .. } = &mut *cut;
                costs.removed(View { draft, tree, living }, counts, &revival.unit);
            }
        }
        cut.steps[at].unit = unit;
    }
}

/// Undoes a step; returns the nodes that came back, and their cost.
fn revive(cut: &mut Cut, draft: &Draft, counts: &mut Counts, unit: &mut Unit) -> (Revival, f64) {
    let revival = cut.living.revive(&cut.tree, unit);
    let Cut { tree, living, costs, .. } = &mut *cut;
    let changed = costs.revived(View { draft, tree, living }, counts, &revival.unit);
    let known = |count: f64| if count.is_nan() { 0.0 } else { count };
    let cost = changed.iter().map(|Changed { before, after, .. }| known(*after) - known(*before)).sum();
    (revival, cost)
}

/// Returns the minimum cost of a step's leaves.
fn min_cost(cut: &Cut, draft: &Draft, counts: &mut Counts, unit: &Unit) -> f64 {
    let leaves = unit.cleared.iter().filter(|place| cut.tree.kind(**place).is_leaf());
    leaves.map(|leaf| (counts.leaf(draft, cut.tree.source(*leaf)).unwrap_or(0.0) - JOINT).max(0.0)).sum()
}

/// False if a node of the step is there already, or if an ancestor was removed for another reason than being empty.
fn may_return(cut: &Cut, draft: &Draft, rules: &HashMap<u32, Rule>, unit: &Unit) -> bool {
    unit.removed.iter().all(|&(place, _)| {
        let mut above = cut.tree.parent(place);
        while above != NONE && !cut.living.has(above) {
            let own = unit.removed.iter().any(|(place, _)| *place == above);
            let kept = draft.element(cut.tree.source(above)).is_some_and(|element| element.keep_with.is_some());
            if !own && (kept || rules.get(&above) != Some(&Rule::Empty)) {
                return false;
            }
            above = cut.tree.parent(above);
        }
        !cut.living.has(place)
    })
}

/// True if every node that came back has everything that it is bound to: elements each other, calls their results.
fn is_together(cut: &Cut, draft: &Draft, revival: &Revival) -> bool {
    revival.unit.cleared.iter().all(|&place| {
        let calls = cut.tree.shape(draft, place).map_or(&[][..], |shape| &shape.calls);
        let bonds = cut.living.bonds(draft, &cut.tree, place);
        bonds.chain(calls.iter().filter_map(|call| call.keep_with)).all(|id| cut.living.is_together(id))
    })
}

/// True if every limit around the step holds; the budget is not checked.
fn limits_hold(cut: &mut Cut, draft: &Draft, counts: &mut Counts, unit: &Unit) -> bool {
    for at in 1..cut.limits.len() {
        let (node, limit) = cut.limits[at];
        if let Some(place) = cut.tree.place(node).filter(|place| cut.living.has(*place))
            && unit.removed.iter().any(|(own, _)| (place..cut.tree.end(place)).contains(own))
            && cut.total_at(draft, counts, place) > limit
        {
            return false;
        }
    }
    true
}

//! Searches for the step at which to stop, if the host counts.
//!
//! Each exact count costs the host the text of everything that changed, so the search does not count after every step.
//! It takes steps ahead by estimate, counts, and undoes steps if too much was removed, until one step is known to be
//! too few and the next to be enough: the same position at which counting after every step would stop. A step that
//! joins two texts can cost more than it frees (a picture that the host counts as nothing, and a line break in its
//! place), so a total above the limit behind such a step says nothing about the step before, which is counted too.

use super::content::View;
use super::costs::Changed;
use super::counts::{Counts, Question};
use super::cut::{Cut, Step};
use super::draft::Draft;
use super::trace::Rule;
use super::tree::Kind;

#[derive(Default)]
pub struct Search {
    /// Number of steps before this search.
    base: Option<usize>,
    /// The highest number of steps known to be too few, and the lowest known to be enough.
    over: usize,
    fit: Option<usize>,
    /// The changes of each step, with counts if they are known.
    changes: Vec<Vec<Changed>>,
    /// Undone steps, the next one last.
    undone: Vec<(Step, Vec<Changed>)>,
    /// Tokens per byte of text, for estimates.
    rate: f64,
}

pub enum Next {
    Count(Vec<Question>),
    Fits,
    /// No further node may be removed; the value is the remaining cost.
    Fails(f64),
}

impl Search {
    pub fn advance(&mut self, cut: &mut Cut, draft: &Draft, counts: &mut Counts, place: u32, limit: f64) -> Next {
        let base = *self.base.get_or_insert(cut.steps.len());
        loop {
            let done = cut.steps.len() - base;
            let total = if cut.living.has(place) {
                let Cut { tree, living, costs, inside, .. } = &mut *cut;
                match costs.total(View { draft, tree, living }, counts, place, *inside) {
                    Ok(total) => total,
                    Err(questions) => return Next::Count(questions),
                }
            } else {
                0.0
            };
            if self.rate == 0.0 {
                self.rate = rate(cut, draft, place, total);
            }
            if total > limit {
                if done > self.over + 1 && !self.estimate(cut, draft, counts).1 {
                    self.undo(cut, draft, counts);
                    continue;
                }
                self.over = done;
            } else {
                self.fit = Some(done);
            }
            match self.fit {
                Some(fit) if fit <= self.over + 1 => {
                    while cut.steps.len() - base < fit && self.redo(cut, draft, counts, place) {}
                    if !self.undone.is_empty() {
                        cut.forget_order();
                    }
                    return Next::Fits;
                }
                _ => {}
            }
            if total > limit {
                if !self.forward(cut, draft, counts, place, total - limit) {
                    return Next::Fails(total);
                }
            } else {
                self.back(cut, draft, counts, limit - total);
            }
        }
    }

    /// Takes steps that together free about `excess`, at least one, and stops before the number known to be enough.
    fn forward(&mut self, cut: &mut Cut, draft: &Draft, counts: &mut Counts, place: u32, mut excess: f64) -> bool {
        let base = self.base.unwrap_or(0);
        let mut moved = false;
        while self.fit.is_none_or(|fit| cut.steps.len() - base + 1 < fit) {
            if !self.redo(cut, draft, counts, place) {
                break;
            }
            moved = true;
            let (tokens, certain) = self.estimate(cut, draft, counts);
            excess -= tokens;
            if excess <= 0.0 || !certain {
                break;
            }
        }
        moved
    }

    /// Undoes steps that together cost about `room`, at least one, and stops above the number known to be too few.
    fn back(&mut self, cut: &mut Cut, draft: &Draft, counts: &mut Counts, mut room: f64) {
        let base = self.base.unwrap_or(0);
        while cut.steps.len() - base > self.over + 1 {
            room -= self.estimate(cut, draft, counts).0;
            self.undo(cut, draft, counts);
            if room < 0.0 {
                break;
            }
        }
    }

    /// Carries out the next step, or the one that was undone last.
    fn redo(&mut self, cut: &mut Cut, draft: &Draft, counts: &mut Counts, place: u32) -> bool {
        if let Some((mut step, mut changes)) = self.undone.pop() {
            let Some(&(first, _)) = step.unit.removed.first() else { return false };
            step.unit = cut.living.remove(draft, &cut.tree, first, Rule::Priority);
            let Cut { tree, living, costs, .. } = &mut *cut;
            costs.removed(View { draft, tree, living }, counts, &step.unit);
            for change in &mut changes {
                if !change.after.is_nan() {
                    costs.set(change.message, change.after);
                }
            }
            cut.steps.push(step);
            self.changes.push(changes);
            return true;
        }
        let Some(changes) = cut.remove_next(draft, counts, place) else { return false };
        self.changes.push(changes);
        true
    }

    fn undo(&mut self, cut: &mut Cut, draft: &Draft, counts: &mut Counts) {
        let (Some(mut step), Some(mut changes)) = (cut.steps.pop(), self.changes.pop()) else { return };
        let Cut { tree, living, costs, .. } = &mut *cut;
        for change in &mut changes {
            change.after = costs.known(change.message);
        }
        let revival = living.revive(tree, &mut step.unit);
        costs.revived(View { draft, tree, living }, counts, &revival.unit);
        for change in &changes {
            if !change.before.is_nan() {
                costs.set(change.message, change.before);
            }
        }
        self.undone.push((step, changes));
    }

    /// Estimates the tokens that the last step freed; returns false with it if the estimate is unreliable.
    fn estimate(&self, cut: &mut Cut, draft: &Draft, counts: &mut Counts) -> (f64, bool) {
        let Some(step) = cut.steps.last_mut() else { return (0.0, true) };
        let (mut tokens, mut certain) = (0.0, true);
        for &place in &step.unit.cleared {
            let node = cut.tree.source(place);
            tokens += match cut.tree.kind(place) {
                Kind::Text { .. } => match counts.leaf(draft, node) {
                    Some(known) => known,
                    None => f64::from(draft.length(node)) * self.rate,
                },
                Kind::Other(_) => {
                    certain = false;
                    counts.leaf(draft, node).unwrap_or(0.0)
                }
                Kind::Message => match cut.tree.shape(draft, place) {
                    Some(shape) => counts.base(node, shape, &[]).unwrap_or(0.0),
                    None => 0.0,
                },
                Kind::Container { .. } => 0.0,
            };
        }
        certain &= step.unit.calls.is_empty();
        step.tokens = tokens;
        (tokens, certain)
    }
}

fn rate(cut: &Cut, draft: &Draft, place: u32, total: f64) -> f64 {
    let (mut length, mut at) = (0.0, place);
    while let Some(leaf) = cut.living.leaves.next(at).filter(|leaf| *leaf < cut.tree.end(place)) {
        length += f64::from(draft.length(cut.tree.source(leaf)));
        at = leaf + 1;
    }
    if length == 0.0 { 1.0 } else { total / length }
}

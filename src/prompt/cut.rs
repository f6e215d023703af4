//! Cuts one tree to one budget, limit by limit: count, grow, prune.
//!
//! Limits are processed from the last created to the first, so inner ones come before outer ones and the budget comes
//! last. Nodes are removed step by step, and pruning stops at the first step that fits, so no node is removed without
//! need. Start reading at [`Cut::advance`].

use super::backfill::backfill;
use super::content::View;
use super::costs::{Costs, Inside, bound};
use super::counts::{Counts, Question, Sent};
use super::draft::Draft;
use super::growth::{Growth, Snapshot};
use super::layout::Growable;
use super::living::{Living, Unit};
use super::order::Order;
use super::run::Options;
use super::search::Search;
use super::trace::{NodeReport, Removal, Rule};
use super::tree::{Malformed, Tree};
use super::{NodeId, draft};

/// The result of a cut.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Outcome {
    /// The messages that are not empty.
    pub messages: Vec<Sent>,
    /// Tokens of all messages.
    pub tokens: f64,
    /// Number of removed nodes, without their descendants.
    pub removed: u32,
    pub removals: Vec<Removal>,
    pub failure: Option<Failure>,
}

/// A limit that cannot be met, because no further node may be removed.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Failure {
    /// The element whose limit it is; the root for the budget itself.
    pub limit: NodeId,
    pub allowed: f64,
    /// Tokens of the remaining nodes.
    pub needed: f64,
    /// At most five, largest first; 0 tokens if unknown.
    pub largest: Vec<(NodeId, f64)>,
}

/// What the cut needs next.
pub enum Next {
    Count(Vec<Question>),
    /// New content of at most this many tokens for an expandable element.
    Grow(NodeId, f64),
    Done,
}

/// A step that was carried out.
#[derive(Clone)]
pub struct Step {
    pub unit: Unit,
    pub rival: Option<NodeId>,
    pub limit: NodeId,
    pub tokens: f64,
    /// Number of nodes that it removed from content that growth has replaced since.
    pub replaced: u32,
}

pub struct Cut {
    pub limits: Vec<(NodeId, f64)>,
    /// Number of limits that remain to be processed.
    left: usize,
    stage: Stage,
    pub inside: Inside,
    backfill: bool,
    /// True if calls and results are removed together, whatever they are kept with.
    bind: bool,
    pub tree: Tree,
    pub living: Living,
    order: Order,
    pub costs: Costs,
    chosen: Vec<(NodeId, NodeId)>,
    /// Elements that have grown, with their previous first children.
    grown: Vec<(NodeId, NodeId)>,
    /// For each growth, in order of request: false if it was undone.
    pub growth_kept: Vec<bool>,
    oversized: Option<Oversized>,
    pub steps: Vec<Step>,
    failure: Option<Failure>,
}

enum Stage {
    /// Find the total; expandable elements grow if there is room.
    Count,
    /// Ask expandable elements for more.
    Grow(Box<Growth>),
    /// Search for the step at which to stop, because the host counts.
    Search(Box<Search>),
    Done,
}

/// Content that grew beyond the limit for which `left` was valid, while other content is removed for it.
struct Oversized {
    growth: Box<Growth>,
    left: usize,
}

impl Cut {
    /// Starts with a rendered tree. `limits` begins with the root and the budget.
    pub fn new(draft: &Draft, limits: Vec<(NodeId, f64)>, options: Options) -> Result<Cut, Malformed> {
        let Options { inside, backfill, bind_calls: bind, .. } = options;
        let mut chosen = Vec::new();
        let (root, budget) = limits.first().copied().unwrap_or((0, 0.0));
        let tree = Tree::new(draft, root, &mut chosen)?;
        let living = Living::new(draft, &tree, bind, |_| false, &[]);
        // A budget of NaN limits nothing and does not override inner limits.
        let limits: Vec<_> = limits.into_iter().filter(|(_, limit)| *limit <= budget || budget.is_nan()).collect();
        Ok(Cut {
            left: limits.len(),
            limits,
            stage: Stage::Count,
            inside,
            backfill,
            bind,
            tree,
            living,
            order: Order::default(),
            costs: Costs::default(),
            chosen,
            grown: Vec::new(),
            growth_kept: Vec::new(),
            oversized: None,
            steps: Vec::new(),
            failure: None,
        })
    }

    pub fn view<'a>(&'a self, draft: &'a Draft) -> View<'a> {
        View { draft, tree: &self.tree, living: &self.living }
    }

    /// Continues until something is needed. Call it again when the answer is there.
    pub fn advance(
        &mut self,
        draft: &mut Draft,
        counts: &mut Counts,
        growables: &[Growable],
    ) -> Result<Next, Malformed> {
        loop {
            if self.failure.is_some() {
                self.shrink(draft);
            }
            let Some(&(node, limit)) = self.left.checked_sub(1).and_then(|at| self.limits.get(at)) else {
                if self.backfill && self.failure.is_none() && !matches!(self.stage, Stage::Done) {
                    backfill(self, draft, counts);
                }
                self.stage = Stage::Done;
                return Ok(Next::Done);
            };
            let Some(place) = self.tree.place(node).filter(|place| self.living.has(*place)) else {
                self.next_limit();
                continue;
            };
            let asked = match std::mem::replace(&mut self.stage, Stage::Done) {
                Stage::Count => self.count(draft, counts, growables, (place, limit)),
                Stage::Grow(growth) => self.grow(draft, counts, growables, (place, limit), growth)?,
                Stage::Search(search) => self.search(draft, counts, (place, limit), search),
                Stage::Done => Some(Next::Done),
            };
            if let Some(next) = asked {
                return Ok(next);
            }
        }
    }

    /// Counts the tokens below a node, and begins to grow or to cut. Returns what is needed first.
    fn count(
        &mut self,
        draft: &mut Draft,
        counts: &mut Counts,
        growables: &[Growable],
        (place, limit): (u32, f64),
    ) -> Option<Next> {
        let total = match self.total(draft, counts, place) {
            Ok(total) => total,
            Err(questions) => {
                self.stage = Stage::Count;
                return Some(Next::Count(questions));
            }
        };
        if total < limit && !growables.is_empty() {
            self.stage = Stage::Grow(Box::new(Growth::new(total)));
        } else if total <= limit || limit.is_nan() {
            self.next_limit();
        } else {
            self.reduce(draft, counts, place, limit, total);
        }
        None
    }

    /// Lets the next growable have the rest of the limit; behind the last one, uses what they grew to. Returns what is
    /// needed first.
    fn grow(
        &mut self,
        draft: &mut Draft,
        counts: &mut Counts,
        growables: &[Growable],
        (place, limit): (u32, f64),
        mut growth: Box<Growth>,
    ) -> Result<Option<Next>, Malformed> {
        let here = place..self.tree.end(place);
        let is_there =
            |node: NodeId| self.tree.place(node).is_some_and(|place| here.contains(&place) && self.living.has(place));
        if let Some(growable) = growth.next(growables, limit, is_there) {
            let budget = limit - growth.used + growable.consumed;
            self.stage = Stage::Grow(growth);
            return Ok(Some(Next::Grow(growable.node, budget)));
        }
        if growth.grown().next().is_none() {
            self.restore(growth.before);
            self.next_limit();
            return Ok(None);
        }
        if growth.is_stale {
            self.rebuild(draft, &mut growth)?;
            self.stage = Stage::Grow(growth);
            return Ok(None);
        }
        let total = match self.total(draft, counts, place) {
            Ok(total) => total,
            Err(questions) => {
                self.stage = Stage::Grow(growth);
                return Ok(Some(Next::Count(questions)));
            }
        };
        if total > limit && self.is_oversized(draft, counts, &growth, limit) {
            self.oversized = Some(Oversized { growth, left: self.left });
            self.reduce(draft, counts, place, limit, total);
        } else if total > limit && self.undo_growth(draft, &mut growth) {
            self.stage = Stage::Grow(growth);
        } else {
            self.next_limit();
        }
        Ok(None)
    }

    /// Continues the search for what has to go. Returns what is needed first.
    fn search(
        &mut self,
        draft: &mut Draft,
        counts: &mut Counts,
        (place, limit): (u32, f64),
        mut search: Box<Search>,
    ) -> Option<Next> {
        match search.advance(self, draft, counts, place, limit) {
            super::search::Next::Count(questions) => {
                self.stage = Stage::Search(search);
                return Some(Next::Count(questions));
            }
            super::search::Next::Fits => self.next_limit(),
            super::search::Next::Fails(total) => self.fail(draft, counts, place, limit, total),
        }
        None
    }

    fn next_limit(&mut self) {
        self.oversized = None;
        self.left -= 1;
        self.stage = Stage::Count;
    }

    fn total(&mut self, draft: &Draft, counts: &mut Counts, place: u32) -> Result<f64, Vec<Question>> {
        let Cut { tree, living, costs, inside, .. } = self;
        costs.total(View { draft, tree, living }, counts, place, *inside)
    }

    /// Returns the tokens of a subtree, counted here.
    pub fn total_at(&mut self, draft: &Draft, counts: &mut Counts, place: u32) -> f64 {
        self.total(draft, counts, place).unwrap_or(0.0)
    }

    /// Discards the computed order, because steps were undone.
    pub fn forget_order(&mut self) {
        self.order.forget();
    }

    /// Stores the host's counts of messages.
    pub fn answer(&mut self, questions: &[Question], answers: &[f64]) {
        for (question, &count) in questions.iter().zip(answers) {
            if let Question::Message(sent) = question
                && let Some(place) = self.tree.place(sent.node)
            {
                self.costs.set(place, count);
            }
        }
    }

    /// Removes the next node below `place`; returns false if none may be removed.
    pub fn remove_next(
        &mut self,
        draft: &Draft,
        counts: &mut Counts,
        place: u32,
    ) -> Option<Vec<super::costs::Changed>> {
        let view = View { draft, tree: &self.tree, living: &self.living };
        let choice = self.order.next(view, place)?;
        let unit = self.living.remove(draft, &self.tree, choice.place, Rule::Priority);
        self.order.gone(&unit.cleared);
        let Cut { tree, living, costs, .. } = self;
        let changed = costs.removed(View { draft, tree, living }, counts, &unit);
        let rival = choice.rival.map(|rival| self.tree.source(rival));
        self.steps.push(Step { unit, rival, limit: self.tree.source(place), tokens: f64::NAN, replaced: 0 });
        Some(changed)
    }

    /// Begins to reduce the total to the limit.
    fn reduce(&mut self, draft: &Draft, counts: &mut Counts, place: u32, limit: f64, total: f64) {
        if counts.builtin().is_some() {
            self.prune(draft, counts, place, limit, total);
        } else {
            self.stage = Stage::Search(Box::default());
        }
    }

    /// True if the new content of one element alone exceeds the limit, which the reference's rules keep.
    fn is_oversized(&self, draft: &Draft, counts: &mut Counts, growth: &Growth, limit: f64) -> bool {
        if self.inside == Inside::Exact || growth.must_yield {
            return false;
        }
        growth.grown().filter_map(|node| self.tree.place(node)).any(|place| {
            let leaves = (place..self.tree.end(place)).filter(|at| self.tree.kind(*at).is_leaf());
            leaves.filter_map(|leaf| counts.leaf(draft, self.tree.source(leaf))).sum::<f64>() > limit
        })
    }

    /// Undoes the oversized growth if nothing else may be removed for it.
    fn shrink(&mut self, draft: &mut Draft) {
        let Some(Oversized { mut growth, left }) = self.oversized.take() else { return };
        growth.must_yield = true;
        if self.undo_growth(draft, &mut growth) {
            self.failure = None;
            self.left = left;
            self.stage = Stage::Grow(growth);
        }
    }

    /// Removes step by step until the total fits: the cost of every step is known, because we count.
    fn prune(&mut self, draft: &Draft, counts: &mut Counts, place: u32, limit: f64, mut total: f64) {
        let in_message = self.tree.message[place as usize] != draft::NONE && self.tree.message[place as usize] != place;
        // The limited element itself may be removed, with the elements that it is kept with.
        while total > limit && self.living.has(place) {
            let Some(changed) = self.remove_next(draft, counts, place) else {
                return self.fail(draft, counts, place, limit, total);
            };
            let range = place..self.tree.end(place);
            let mut freed = 0.0;
            for change in &changed {
                if !change.before.is_nan() && !change.after.is_nan() {
                    freed += change.before - change.after;
                    if !in_message && range.contains(&change.message) {
                        total -= change.before - change.after;
                    }
                }
            }
            if in_message {
                let before = total;
                total = match self.inside {
                    Inside::Exact => self.total(draft, counts, place).unwrap_or(0.0),
                    Inside::Bounds => total - self.last_bounds(draft, counts, &range),
                };
                freed = before - total;
            }
            if let Some(step) = self.steps.last_mut() {
                step.tokens = freed;
            }
        }
        self.next_limit();
    }

    /// Returns the bounds of the last removal within `range`.
    fn last_bounds(&self, draft: &Draft, counts: &mut Counts, range: &std::ops::Range<u32>) -> f64 {
        let Some(step) = self.steps.last() else { return 0.0 };
        let view = self.view(draft);
        let leaves = step.unit.cleared.iter().filter(|at| range.contains(at) && self.tree.kind(**at).is_leaf());
        leaves.filter_map(|leaf| bound(view, counts, *leaf)).sum()
    }

    fn fail(&mut self, draft: &Draft, counts: &mut Counts, place: u32, allowed: f64, needed: f64) {
        let mut largest = Vec::new();
        let range = place..self.tree.end(place);
        let view = View { draft, tree: &self.tree, living: &self.living };
        for message in view.tree.messages(range) {
            let cost = self.costs.message(view, counts, message).unwrap_or(0.0);
            if cost > 0.0 {
                largest.push((view.tree.source(message), cost));
            }
        }
        crate::rank::sort(&mut largest, |(_, cost)| !crate::rank::of(*cost));
        largest.truncate(5);
        self.failure = Some(Failure { limit: self.tree.source(place), allowed, needed, largest });
        self.left = 0;
        self.stage = Stage::Done;
    }

    /// Records that the element that was asked to grow has new content of `consumed` tokens. `before` was its first
    /// child until then.
    pub fn grew(&mut self, growable: Growable, before: NodeId, consumed: f64) {
        if !self.grown.iter().any(|(grown, _)| *grown == growable.node) {
            self.grown.push((growable.node, before));
        }
        if let Stage::Grow(growth) = &mut self.stage {
            growth.grew(growable, self.growth_kept.len(), before, consumed);
            self.growth_kept.push(true);
        }
    }

    /// Gives the last grown element its previous content; returns false if there is none.
    fn undo_growth(&mut self, draft: &mut Draft, growth: &mut Growth) -> bool {
        let Some((index, node, first)) = growth.revert() else { return false };
        draft.attach(node, first);
        if let Some(kept) = self.growth_kept.get_mut(index) {
            *kept = false;
        }
        true
    }

    /// Gives grown elements their original content, for another budget.
    pub fn ungrow(&self, draft: &mut Draft) {
        for &(node, first) in &self.grown {
            draft.attach(node, first);
        }
    }

    /// Rebuilds the tree with new content. Removed nodes stay removed, and counts of other messages stay known.
    fn rebuild(&mut self, draft: &Draft, growth: &mut Growth) -> Result<(), Malformed> {
        let tree = Tree::new(draft, self.tree.source(0), &mut self.chosen)?;
        // Always starts from the state before any growth: only that state knows the removals in content that was
        // restored.
        let (old, living, costs, steps) = match &growth.before {
            Some(before) => (&before.tree, &before.living, &before.costs, &before.steps),
            None => (&self.tree, &self.living, &self.costs, &self.steps),
        };
        let dead = |place: u32| old.place(tree.source(place)).is_some_and(|was| !living.has(was));
        let move_to = |place: u32| tree.place(old.source(place));
        let dropped: Vec<(u32, u32)> =
            living.all_dropped().filter_map(|(message, call)| Some((move_to(message)?, call))).collect();
        let fresh = Living::new(draft, &tree, self.bind, dead, &dropped);
        let changed: Vec<u32> =
            growth.grown().filter_map(|node| tree.place(node)).map(|place| tree.message[place as usize]).collect();
        let costs = costs.moved(|message| move_to(message).filter(|message| !changed.contains(message)));
        let mut steps = steps.clone();
        for step in &mut steps {
            let before = step.unit.removed.len();
            step.unit.relocate(move_to);
            step.replaced += (before - step.unit.removed.len()) as u32;
        }
        let before = Snapshot {
            tree: std::mem::replace(&mut self.tree, tree),
            living: std::mem::replace(&mut self.living, fresh),
            costs: std::mem::replace(&mut self.costs, costs),
            steps: std::mem::replace(&mut self.steps, steps),
        };
        growth.before.get_or_insert(before);
        growth.is_stale = false;
        self.order = Order::default();
        Ok(())
    }

    /// Undoes [`Cut::rebuild`], after all growth was undone.
    fn restore(&mut self, before: Option<Snapshot>) {
        if let Some(Snapshot { tree, living, costs, steps }) = before {
            (self.tree, self.living, self.costs, self.steps) = (tree, living, costs, steps);
            self.order = Order::default();
        }
    }

    /// Returns the result, once the cut is done.
    pub fn outcome(&mut self, draft: &Draft, counts: &mut Counts) -> Outcome {
        let messages = self.messages(draft);
        let view = View { draft, tree: &self.tree, living: &self.living };
        let mut tokens = 0.0;
        for sent in &messages {
            if let Some(place) = self.tree.place(sent.node) {
                tokens += self.costs.message(view, counts, place).unwrap_or(f64::NAN);
            }
        }
        let removals = self.removals();
        Outcome { messages, tokens, removed: self.removed(), removals, failure: self.failure.clone() }
    }

    /// Returns the messages that are not empty, in their current state.
    pub fn messages(&self, draft: &Draft) -> Vec<Sent> {
        let view = self.view(draft);
        let messages = view.tree.messages(0..view.tree.len());
        let sent = messages.filter(|at| view.living.has(*at) && !view.living.is_empty(view.tree, *at));
        sent.map(|message| view.sent(message)).collect()
    }

    /// Returns the number of nodes that are removed, including nodes of content that growth has replaced.
    fn removed(&self) -> u32 {
        let gone = |step: &Step| step.unit.removed.iter().filter(|(place, _)| !self.living.has(*place)).count();
        self.steps.iter().map(|step| gone(step) as u32 + step.replaced).sum()
    }

    fn removals(&self) -> Vec<Removal> {
        let mut removals = Vec::new();
        for (at, step) in self.steps.iter().enumerate() {
            let gone = step.unit.removed.iter().filter(|(place, _)| !self.living.has(*place));
            removals.extend(gone.map(|&(place, rule)| Removal {
                node: self.tree.source(place),
                rule,
                step: at as u32,
                limit: step.limit,
                tokens: step.tokens,
                rival: step.rival,
            }));
        }
        removals
    }

    /// Reports on every node, in preorder.
    pub fn nodes(&self, draft: &Draft, counts: &mut Counts) -> Vec<NodeReport> {
        let size = self.tree.source.len();
        let mut removal = vec![None; size];
        for (at, found) in self.removals().iter().enumerate() {
            if let Some(place) = self.tree.place(found.node) {
                removal[place as usize] = Some(at as u32);
            }
        }
        let mut tokens: Vec<Option<f64>> = vec![None; size];
        for place in (0..size).rev() {
            let at = place as u32;
            if self.tree.kind(at).is_leaf() {
                tokens[place] = counts.leaf(draft, self.tree.source(at));
            }
            let kept = self.living.has(at);
            if kept && self.tree.message[place] == at && !self.costs.known(at).is_nan() {
                tokens[place] = Some(self.costs.known(at));
            }
            let parent = self.tree.parent(at);
            let shares = kept || parent != draft::NONE && !self.living.has(parent);
            let own = tokens[place];
            if let (Some(parent), Some(own), true) = (tokens.get_mut(parent as usize), own, shares) {
                *parent = Some(parent.unwrap_or(0.0) + own);
            }
        }
        let mut reports: Vec<NodeReport> = Vec::with_capacity(size);
        for place in 0..size {
            let at = place as u32;
            let parent = self.tree.parent[place];
            let above = reports.get(parent as usize).and_then(|report| report.removal);
            reports.push(NodeReport {
                node: self.tree.source(at),
                parent: (parent != draft::NONE).then(|| self.tree.source(parent)),
                priority: self.tree.priority[place],
                tokens: tokens[place],
                kept: self.living.has(at),
                removal: if self.living.has(at) { None } else { removal[place].or(above) },
            });
        }
        reports
    }
}

//! The state of a tree under pruning: removes nodes with everything that depends on them, and puts them back.
//!
//! In: a [`Tree`], the places to remove. Out: a [`Unit`] for each removal, from which it can be undone. Start reading
//! at [`Living::remove`].

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::bits::Bits;
use super::draft::Draft;
use super::map::Map;
use super::pairs::pairs;
use super::trace::Rule;
use super::tree::{Kind, Tree};

/// The state of a tree under pruning, by place.
pub struct Living {
    pub nodes: Bits,
    pub leaves: Bits,
    children: Vec<u32>,
    /// Number of children that are not empty.
    filled: Vec<u32>,
    /// True for nodes counted in their parent's `filled`.
    counted: Vec<bool>,
    /// Number of calls that a message still makes; 1 for a result without content, which still answers its call.
    calls: Vec<u32>,
    /// Removed calls, as (message, index).
    dropped: BTreeSet<(u32, u32)>,
    /// Groups of nodes that are removed together, by number; `None` after the removal.
    keep: BTreeMap<u32, Option<Kept>>,
    /// Numbers of calls with their results, by the places of both messages; empty if only author-defined groups are
    /// bound.
    paired: Map<Vec<u32>>,
    /// Meaningless between removals: a list that is reused to save allocations.
    todo: VecDeque<(u32, Rule)>,
}

/// The nodes that are removed together under one number.
#[derive(Debug, Clone, Default)]
struct Kept {
    containers: Vec<u32>,
    calls: Vec<(u32, u32)>,
}

/// The nodes that one step removed.
#[derive(Debug, Clone, Default)]
pub struct Unit {
    /// The removed nodes, each with its subtree, and the reason.
    pub removed: Vec<(u32, Rule)>,
    /// Every place that was removed, subtrees included.
    pub cleared: Vec<u32>,
    /// Removed calls, as (message, index).
    pub calls: Vec<(u32, u32)>,
    keep: Vec<(u32, Kept)>,
}

impl Unit {
    /// Renumbers the state for another tree; nodes that are not in it are discarded.
    pub fn relocate(&mut self, to: impl Fn(u32) -> Option<u32>) {
        let place = |at: u32| to(at);
        let calls = |list: &[(u32, u32)]| list.iter().filter_map(|&(at, call)| Some((place(at)?, call))).collect();
        self.removed = self.removed.iter().filter_map(|&(at, rule)| Some((place(at)?, rule))).collect();
        self.cleared = self.cleared.iter().filter_map(|&at| place(at)).collect();
        self.calls = calls(&self.calls);
        for (_, kept) in &mut self.keep {
            kept.containers = kept.containers.iter().filter_map(|&at| place(at)).collect();
            kept.calls = calls(&kept.calls);
        }
    }
}

impl Living {
    /// Creates a state in which everything is there, except the nodes that `dead` rejects and the `dropped` calls.
    pub fn new(draft: &Draft, tree: &Tree, bind: bool, dead: impl Fn(u32) -> bool, dropped: &[(u32, u32)]) -> Living {
        let size = tree.source.len();
        let mut living = Living {
            nodes: Bits::new(size),
            leaves: Bits::new(size),
            children: vec![0; size],
            filled: vec![0; size],
            counted: vec![false; size],
            calls: vec![0; size],
            dropped: BTreeSet::new(),
            keep: BTreeMap::new(),
            paired: Map::default(),
            todo: VecDeque::new(),
        };
        for place in 0..tree.len() {
            let element = draft.element(tree.source(place));
            if let Some(id) = element.and_then(|element| element.keep_with) {
                living.kept(id).get_or_insert_default().containers.push(place);
            }
            if let Some(shape) = tree.shape(draft, place) {
                living.calls[place as usize] = shape.calls.len() as u32;
                for (at, call) in shape.calls.iter().enumerate() {
                    if let Some(id) = call.keep_with {
                        living.kept(id).get_or_insert_default().calls.push((place, at as u32));
                    }
                }
            }
        }
        if bind {
            living.bind(draft, tree);
        }
        for &(message, at) in dropped {
            living.calls[message as usize] -= 1;
            living.dropped.insert((message, at));
        }
        for place in (0..tree.len()).rev() {
            if !dead(place) {
                living.nodes.insert(place);
                if tree.kind(place).is_leaf() {
                    living.leaves.insert(place);
                }
                living.count_in(tree, place);
            }
        }
        living
    }

    fn kept(&mut self, id: u32) -> &mut Option<Kept> {
        self.keep.entry(id).or_insert_with(|| Some(Kept::default()))
    }

    /// Binds calls to their results and to the elements that they are kept with, in both directions.
    fn bind(&mut self, draft: &Draft, tree: &Tree) {
        for pair in pairs(draft, tree) {
            self.kept(pair.id).get_or_insert_default().calls.push(pair.call);
            self.kept(pair.id).get_or_insert_default().containers.push(pair.result);
            self.paired.entry(pair.call.0).or_default().push(pair.id);
            self.paired.entry(pair.result).or_default().push(pair.id);
            if self.is_blank(tree, pair.result) {
                self.calls[pair.result as usize] = 1;
            }
        }
        for place in 0..tree.len() {
            let calls = tree.shape(draft, place).map_or(&[][..], |shape| &shape.calls);
            let ids = calls.iter().filter_map(|call| call.keep_with);
            ids.for_each(|id| self.paired.entry(place).or_default().push(id));
        }
    }

    fn is_blank(&self, tree: &Tree, message: u32) -> bool {
        (message + 1..tree.end(message)).all(|place| match tree.kind(place) {
            Kind::Text { blank, .. } => blank,
            kind => !kind.is_leaf(),
        })
    }

    /// Returns the numbers of the groups that are removed with the node at `place`.
    pub fn bonds<'a>(&'a self, draft: &Draft, tree: &Tree, place: u32) -> impl Iterator<Item = u32> + use<'a> {
        let own = draft.element(tree.source(place)).and_then(|element| element.keep_with);
        own.into_iter().chain(self.paired.get(&place).into_iter().flatten().copied())
    }

    /// True if every node of a group is there.
    pub fn is_together(&self, id: u32) -> bool {
        let Some(Some(kept)) = self.keep.get(&id) else { return false };
        kept.containers.iter().all(|place| self.has(*place))
            && kept.calls.iter().all(|call| self.has(call.0) && !self.dropped.contains(call))
    }

    /// Counts a living node in its parent. Its own children must be counted before.
    fn count_in(&mut self, tree: &Tree, place: u32) {
        if place == 0 {
            return;
        }
        let parent = tree.parent(place) as usize;
        self.children[parent] += 1;
        if !self.is_empty(tree, place) {
            self.filled[parent] += 1;
            self.counted[place as usize] = true;
        }
    }

    pub fn has(&self, place: u32) -> bool {
        self.nodes.has(place)
    }

    pub fn children(&self, place: u32) -> u32 {
        self.children[place as usize]
    }

    /// True for a node without visible characters, other parts or calls.
    pub fn is_empty(&self, tree: &Tree, place: u32) -> bool {
        match tree.kind(place) {
            Kind::Text { blank, .. } => blank,
            Kind::Other(_) => false,
            Kind::Container { .. } => self.filled[place as usize] == 0,
            Kind::Message => self.filled[place as usize] == 0 && self.calls[place as usize] == 0,
        }
    }

    /// Returns the indices of a message's removed calls.
    pub fn dropped(&self, message: u32) -> Vec<u32> {
        self.dropped.range((message, 0)..=(message, u32::MAX)).map(|(_, call)| *call).collect()
    }

    /// Returns all removed calls.
    pub fn all_dropped(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        self.dropped.iter().copied()
    }

    /// Removes a node, the nodes bound to it, and the nodes that become empty.
    pub fn remove(&mut self, draft: &Draft, tree: &Tree, place: u32, rule: Rule) -> Unit {
        let mut unit = Unit::default();
        let mut todo = std::mem::take(&mut self.todo);
        todo.push_back((place, rule));
        while let Some((place, rule)) = todo.pop_front() {
            // The root is never removed.
            if place == 0 || !self.has(place) {
                continue;
            }
            unit.removed.push((place, rule));
            let from = unit.cleared.len();
            let end = tree.end(place);
            let mut at = place;
            while let Some(next) = self.nodes.next(at).filter(|next| *next < end) {
                self.nodes.remove(next);
                self.leaves.remove(next);
                unit.cleared.push(next);
                at = next + 1;
            }
            let parent = tree.parent(place);
            self.children[parent as usize] -= 1;
            if std::mem::take(&mut self.counted[place as usize]) {
                self.filled[parent as usize] -= 1;
            }
            for at in from..unit.cleared.len() {
                let place = unit.cleared[at];
                if matches!(tree.kind(place), Kind::Text { .. }) {
                    continue;
                }
                let bonds: Vec<u32> = self.bonds(draft, tree, place).collect();
                for id in bonds {
                    self.remove_bound(tree, id, &mut unit, &mut todo);
                }
            }
            if self.is_empty(tree, parent) {
                todo.push_back((parent, Rule::Empty));
            }
        }
        self.todo = todo;
        unit
    }

    /// Removes everything bound to `id`.
    fn remove_bound(&mut self, tree: &Tree, id: u32, unit: &mut Unit, todo: &mut VecDeque<(u32, Rule)>) {
        // Taking the list makes sure that a group is processed once; `revive` uses the recorded removals instead.
        let Some(kept) = self.kept(id).take() else { return };
        todo.extend(kept.containers.iter().filter(|place| self.has(**place)).map(|place| (*place, Rule::KeepWith)));
        for &(message, at) in &kept.calls {
            if !self.has(message) {
                continue;
            }
            if !self.dropped.insert((message, at)) {
                continue;
            }
            unit.calls.push((message, at));
            self.calls[message as usize] -= 1;
            if self.is_empty(tree, message) {
                todo.push_back((message, Rule::Empty));
            }
        }
        unit.keep.push((id, kept));
    }

    /// Undoes a [`Living::remove`], including ancestors that were removed since. Returns the restored nodes, so that
    /// this can be undone in turn.
    pub fn revive(&mut self, tree: &Tree, unit: &mut Unit) -> Revival {
        let mut revival = Revival::default();
        for (id, kept) in unit.keep.drain(..).rev() {
            *self.kept(id) = Some(kept);
            revival.keep.push(id);
        }
        let back: Vec<u32> = unit.removed.iter().rev().map(|(place, _)| *place).filter(|p| !self.has(*p)).collect();
        for &place in &unit.cleared {
            self.insert(tree, place, &mut revival);
        }
        for &(message, at) in &unit.calls {
            self.dropped.remove(&(message, at));
            self.calls[message as usize] += 1;
        }
        for mut place in back {
            loop {
                let parent = tree.parent(place);
                self.children[parent as usize] += 1;
                revival.unit.removed.push((place, Rule::Empty));
                self.fill(tree, place, &mut revival);
                if self.has(parent) {
                    break;
                }
                self.insert(tree, parent, &mut revival);
                place = parent;
            }
        }
        for &(message, _) in &unit.calls {
            self.fill(tree, message, &mut revival);
        }
        revival.unit.calls.clone_from(&unit.calls);
        revival
    }

    fn insert(&mut self, tree: &Tree, place: u32, revival: &mut Revival) {
        if !self.has(place) {
            self.nodes.insert(place);
            if tree.kind(place).is_leaf() {
                self.leaves.insert(place);
            }
            revival.unit.cleared.push(place);
        }
    }

    /// Records in the ancestors that a node is not empty any more.
    fn fill(&mut self, tree: &Tree, mut place: u32, revival: &mut Revival) {
        while place != 0 && !self.counted[place as usize] && !self.is_empty(tree, place) {
            self.counted[place as usize] = true;
            revival.counted.push(place);
            place = tree.parent(place);
            self.filled[place as usize] += 1;
        }
    }

    /// Undoes [`Living::revive`], and nothing else; `unit` has its earlier value again.
    pub fn retract(&mut self, tree: &Tree, unit: &mut Unit, revival: &Revival) {
        for &place in &revival.unit.cleared {
            self.nodes.remove(place);
            self.leaves.remove(place);
        }
        for &(place, _) in &revival.unit.removed {
            self.children[tree.parent(place) as usize] -= 1;
        }
        for &place in &revival.counted {
            self.counted[place as usize] = false;
            self.filled[tree.parent(place) as usize] -= 1;
        }
        for &(message, at) in &unit.calls {
            self.dropped.insert((message, at));
            self.calls[message as usize] -= 1;
        }
        for &id in revival.keep.iter().rev() {
            unit.keep.extend(self.kept(id).take().map(|kept| (id, kept)));
        }
    }
}

/// The nodes that came back.
#[derive(Debug, Default)]
pub struct Revival {
    /// The restored nodes in the form of a removal.
    pub unit: Unit,
    counted: Vec<u32>,
    keep: Vec<u32>,
}

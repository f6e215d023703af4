//! The order in which nodes are removed.
//!
//! Among the children of a node, the one with the lowest priority is next. The children of a container that passes
//! priorities on compete in its place. If that child is not a leaf, a chunk or childless, the same question is asked
//! inside it. Among equal priorities, leaves are first, then the node whose own children have the lowest priority, then
//! the earliest. No node before the last cache breakpoint is removed.
//!
//! Each node's candidates are kept in a queue that is built on first use. Keys only rise while children are removed, so
//! a stale key is detected when it is first in the queue. Start reading at [`Order::next`].

use std::cmp::Ordering;

use super::MAX_PRIORITY;
use super::content::View;
use super::draft::NONE;
use super::map::Map;
use super::piece::LeafKind;
use super::queue::Queue;
use super::tree::Kind;

/// The next node to remove, and the one that would be next without it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Choice {
    pub place: u32,
    pub rival: Option<u32>,
}

#[derive(Default)]
pub struct Order {
    scopes: Map<Queue<Key>>,
    /// Direct children by priority, of containers that lost some.
    lows: Map<Queue<Key>>,
    /// Records for each node whether it contains a breakpoint, decided at the first query, as in the reference.
    marked: Map<bool>,
    breakpoints: Option<Vec<u32>>,
}

/// Maximum number of levels up at which a rival is searched.
const RIVAL_LEVELS: usize = 8;

#[derive(Clone, Copy, PartialEq)]
struct Key {
    priority: f64,
    /// -1 for a leaf, else the lowest priority of its direct children.
    nested: f64,
    place: u32,
    /// Number of its children when `nested` was computed.
    children: u32,
}

impl Eq for Key {}

impl Ord for Key {
    fn cmp(&self, other: &Key) -> Ordering {
        self.priority
            .total_cmp(&other.priority)
            .then(self.nested.total_cmp(&other.nested))
            .then(self.place.cmp(&other.place))
    }
}

impl PartialOrd for Key {
    fn partial_cmp(&self, other: &Key) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Order {
    /// Returns the next node to remove below `root`; `None` if none may be removed.
    pub fn next(&mut self, view: View, root: u32) -> Option<Choice> {
        let mut path = vec![root];
        loop {
            let scope = *path.last()?;
            match self.top(view, scope) {
                Some(key) if is_whole(view, key.place) => {
                    self.pop(scope);
                    return Some(Choice { place: key.place, rival: self.rival(view, &path) });
                }
                Some(key) => path.push(key.place),
                None => {
                    // The node contains nothing that may be removed, so it is no candidate while there are others. (The
                    // reference gives up here.)
                    path.pop();
                    self.pop(*path.last()?);
                }
            }
        }
    }

    /// Records that nodes were removed: if one of them protected the nodes before it, those may be removed now.
    pub fn gone(&mut self, cleared: &[u32]) {
        if !self.marked.is_empty() && cleared.iter().any(|place| self.marked.get(place) == Some(&true)) {
            self.forget();
        }
    }

    /// Discards the computed order, because nodes came back.
    pub fn forget(&mut self) {
        self.scopes.clear();
        self.lows.clear();
    }

    fn pop(&mut self, scope: u32) {
        if let Some(queue) = self.scopes.get_mut(&scope) {
            queue.pop();
        }
    }

    fn rival(&mut self, view: View, path: &[u32]) -> Option<u32> {
        let (scope, above) = path.split_last()?;
        if let Some(key) = self.top(view, *scope) {
            return Some(key.place);
        }
        for &scope in above.iter().rev().take(RIVAL_LEVELS) {
            let own = self.scopes.get_mut(&scope).and_then(Queue::pop);
            let next = self.top(view, scope);
            if let (Some(own), Some(queue)) = (own, self.scopes.get_mut(&scope)) {
                queue.push(own);
            }
            if let Some(key) = next {
                return Some(key.place);
            }
        }
        None
    }

    /// Returns the lowest candidate of a scope.
    fn top(&mut self, view: View, scope: u32) -> Option<Key> {
        if !self.scopes.contains_key(&scope) {
            let queue = self.build(view, scope).into();
            self.scopes.insert(scope, queue);
        }
        loop {
            let queue = self.scopes.get_mut(&scope)?;
            let key = queue.peek()?;
            if !view.living.has(key.place) {
                queue.pop();
                continue;
            }
            let children = view.living.children(key.place);
            if key.children == children {
                return Some(key);
            }
            let nested = self.lowest_child(view, key.place);
            let fresh = Key { nested, children, ..key };
            let queue = self.scopes.get_mut(&scope)?;
            queue.pop();
            queue.push(fresh);
        }
    }

    fn build(&mut self, view: View, scope: u32) -> Vec<Key> {
        let tree = view.tree;
        let (mut keys, mut at, end) = (Vec::new(), scope + 1, tree.end(scope));
        if let Kind::Container { legacy: true, .. } = tree.kind(scope) {
            // The leaf of lowest priority at any depth; breakpoints are ignored.
            while let Some(leaf) = view.living.leaves.next(at).filter(|leaf| *leaf < end) {
                keys.push(key(view, leaf));
                at = leaf + 1;
            }
            return keys;
        }
        let looks = tree.kind(scope) == Kind::Message || tree.message[scope as usize] == NONE;
        while let Some(place) = view.living.nodes.next(at).filter(|place| *place < end) {
            if looks && self.is_marked(view, place) {
                keys.clear();
            }
            match tree.kind(place) {
                Kind::Other(LeafKind::Breakpoint) if looks => at = tree.end(place),
                Kind::Container { passes: true, .. } if view.living.children(place) > 0 => at = place + 1,
                _ => {
                    keys.push(key(view, place));
                    at = tree.end(place);
                }
            }
        }
        keys
    }

    /// True for a breakpoint, a message with one among its direct children, and a container around such a message.
    fn is_marked(&mut self, view: View, place: u32) -> bool {
        let tree = view.tree;
        let breakpoints = self.breakpoints.get_or_insert_with(|| {
            (0..tree.len()).filter(|at| tree.kind(*at) == Kind::Other(LeafKind::Breakpoint)).collect()
        });
        if breakpoints.is_empty() {
            return false;
        }
        if let Some(known) = self.marked.get(&place) {
            return *known;
        }
        let from = breakpoints.partition_point(|at| *at < place);
        let marked = breakpoints[from..].iter().take_while(|at| **at < tree.end(place)).any(|&at| {
            let mut node = at;
            while node != place {
                let parent = tree.parent(node);
                // For a message, only its direct children count.
                if tree.kind(parent) == Kind::Message && node != at {
                    return false;
                }
                node = parent;
            }
            view.living.has(at)
        });
        self.marked.insert(place, marked);
        marked
    }

    fn lowest_child(&mut self, view: View, place: u32) -> f64 {
        let queue = self.lows.entry(place).or_insert_with(|| {
            let bare = |at: u32| Key { priority: view.tree.priority[at as usize], nested: 0.0, place: at, children: 0 };
            direct_children(view, place).map(bare).collect::<Vec<Key>>().into()
        });
        while let Some(key) = queue.peek() {
            if view.living.has(key.place) {
                return key.priority.min(MAX_PRIORITY);
            }
            queue.pop();
        }
        MAX_PRIORITY
    }
}

fn direct_children<'a>(view: View<'a>, place: u32) -> impl Iterator<Item = u32> + 'a {
    let (tree, end) = (view.tree, view.tree.end(place));
    let next = move |at: u32| view.living.nodes.next(at).filter(|next| *next < end);
    std::iter::successors(next(place + 1), move |at| next(tree.end(*at)))
}

fn key(view: View, place: u32) -> Key {
    let nested = if view.tree.kind(place).is_leaf() {
        -1.0
    } else {
        let priorities = direct_children(view, place).map(|at| view.tree.priority[at as usize]);
        priorities.fold(MAX_PRIORITY, f64::min)
    };
    let children = view.living.children(place);
    Key { priority: view.tree.priority[place as usize], nested, place, children }
}

/// True for nodes that are removed as a whole: leaves, chunks, and nodes without children.
fn is_whole(view: View, place: u32) -> bool {
    match view.tree.kind(place) {
        Kind::Container { chunk: true, .. } => true,
        Kind::Container { .. } | Kind::Message => view.living.children(place) == 0,
        Kind::Text { .. } | Kind::Other(_) => true,
    }
}

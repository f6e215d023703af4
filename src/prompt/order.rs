//! What goes next: the order in which nodes are removed.
//!
//! Of the children of a node (those of containers that pass priorities on standing in for them), the one of lowest priority
//! goes; if it is no leaf, chunk or childless, the question is asked again inside it. Of equal priorities the one goes whose own
//! children reach lowest, leaves first; then the earliest. Nothing before the last cache breakpoint goes.
//!
//! Each node's candidates are kept in a queue that is built when it is first asked. Keys only rise while children go, so a
//! stale one is found out when it comes up.

use std::cmp::Ordering;

use super::MAX_PRIORITY;
use super::content::View;
use super::draft::NONE;
use super::map::Map;
use super::piece::LeafKind;
use super::queue::Queue;
use super::tree::Kind;

/// What goes next, and what would have gone in its place.
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
    /// Whether a node contains a breakpoint is decided when it is first asked, as in the reference.
    marked: Map<bool>,
    breakpoints: Option<Vec<u32>>,
}

/// How far up a rival is looked for.
const RIVAL_LEVELS: usize = 8;

#[derive(Clone, Copy, PartialEq)]
struct Key {
    priority: f64,
    /// -1 for a leaf, else the lowest priority of its direct children.
    nested: f64,
    place: u32,
    /// How many children it had when `nested` was found.
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
    /// The next to go below `root`; `None` if nothing may.
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
                    // It holds nothing that may go: not a candidate any more, as long as there are others. (The
                    // reference gives up here.)
                    path.pop();
                    self.pop(*path.last()?);
                }
            }
        }
    }

    /// Takes note of nodes that are gone: if one of them shielded what was before it, that may go now.
    pub fn gone(&mut self, cleared: &[u32]) {
        if !self.marked.is_empty() && cleared.iter().any(|place| self.marked.get(place) == Some(&true)) {
            self.forget();
        }
    }

    /// Forgets what was worked out, when nodes have come back.
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

    /// The lowest candidate of a scope.
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
            // The leaf of lowest priority, wherever it is; breakpoints are not looked at.
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
                // A message answers for its own children only.
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

/// True for what goes as one: a leaf, a chunk, or what has no children.
fn is_whole(view: View, place: u32) -> bool {
    match view.tree.kind(place) {
        Kind::Container { chunk: true, .. } => true,
        Kind::Container { .. } | Kind::Message => view.living.children(place) == 0,
        Kind::Text { .. } | Kind::Other(_) => true,
    }
}

//! Growth below one limit: which elements were asked for more, and how to undo it.
//!
//! Growth never removes anything. An element's new content can be larger than its budget, so the tree is counted after
//! all elements were asked; while it exceeds the limit, the element that grew last gets its previous content back.
//!
//! One case differs under the reference's rules: new content that alone exceeds the limit stays, no further element is
//! asked, and the content of lowest priority is removed, as the reference's own tests expect. That growth is undone
//! only if nothing may be removed.

use super::NodeId;
use super::costs::Costs;
use super::cut::Step;
use super::layout::Growable;
use super::living::Living;
use super::tree::Tree;

/// The state of growth below one limit.
pub struct Growth {
    /// The index of the next element to ask.
    next: usize,
    /// Tokens in use, as layout charges them.
    pub used: f64,
    grown: Vec<Grown>,
    /// The state of the cut before any growth, once a tree with new content was built.
    pub before: Option<Snapshot>,
    /// True if content has changed since the tree was built.
    pub is_stale: bool,
    /// True if new content is removed first, whatever its size: nothing else could be removed with it.
    pub must_yield: bool,
}

struct Grown {
    node: NodeId,
    /// Its index among all growth of the cut.
    index: usize,
    /// The first child before the growth.
    first: NodeId,
    /// Tokens in use before the growth.
    used: f64,
}

/// The parts of a cut that depend on its tree.
pub struct Snapshot {
    pub tree: Tree,
    pub living: Living,
    pub costs: Costs,
    pub steps: Vec<Step>,
}

impl Growth {
    pub fn new(used: f64) -> Growth {
        Growth { next: 0, used, grown: Vec::new(), before: None, is_stale: false, must_yield: false }
    }

    /// Returns the next element to ask: the first that `is_there` accepts, while tokens are left. No element is asked
    /// twice.
    pub fn next(&mut self, growables: &[Growable], limit: f64, is_there: impl Fn(NodeId) -> bool) -> Option<Growable> {
        while self.used < limit {
            let growable = *growables.get(self.next)?;
            if is_there(growable.node) {
                return Some(growable);
            }
            self.next += 1;
        }
        None
    }

    /// Records that the element which [`Growth::next`] returned has new content of `consumed` tokens.
    pub fn grew(&mut self, growable: Growable, index: usize, first: NodeId, consumed: f64) {
        self.grown.push(Grown { node: growable.node, index, first, used: self.used });
        self.used += consumed - growable.consumed;
        self.next += 1;
        self.is_stale = true;
    }

    /// Undoes the last growth: returns its index, the element, and the first child to attach again.
    pub fn revert(&mut self) -> Option<(usize, NodeId, NodeId)> {
        let Grown { node, index, first, used } = self.grown.pop()?;
        self.used = used;
        self.is_stale = true;
        Some((index, node, first))
    }

    /// Returns the elements with new content.
    pub fn grown(&self) -> impl Iterator<Item = NodeId> + '_ {
        self.grown.iter().map(|grown| grown.node)
    }
}

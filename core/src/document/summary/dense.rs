//! Dense trees: overlays with gaps between the nodes, so that every character belongs to a leaf.

use super::super::Overlay;
use super::super::syntax::NONE;
use super::source::Source;

/// One node of a [`Dense`] tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct DenseNode {
    pub start: u32,
    pub end: u32,
    /// The parent; [`NONE`] for the root.
    pub parent: u32,
    /// The node of the overlay; [`NONE`] for a gap and for a root around the root of the overlay.
    pub overlay: u32,
    /// The index of the node among the children of its parent.
    pub place: u32,
    pub depth: u32,
    /// The children are `children[first..first + count]` of the tree.
    pub first: u32,
    pub count: u32,
}

impl DenseNode {
    /// Returns whether the node is a gap, which shows whenever its parent does.
    pub fn is_gap(&self) -> bool {
        self.overlay == NONE && self.count == 0
    }
}

/// An overlay as a dense tree.
#[derive(Debug)]
pub(super) struct Dense {
    /// The nodes in preorder, the root first.
    pub nodes: Vec<DenseNode>,
    children: Vec<u32>,
}

impl Dense {
    pub fn new(overlay: &Overlay, source: &Source<'_>) -> Dense {
        let mut tree = Dense { nodes: Vec::with_capacity(overlay.nodes.len() * 2), children: Vec::new() };
        let Some(root) = overlay.nodes.first() else { return tree };
        let wrapped = root.start > 0 || root.end < source.end();
        // Open nodes, each with the byte up to which its children reach.
        let mut open: Vec<(u32, u32)> = Vec::new();
        if wrapped {
            let node = tree.push(0, source.end(), NONE, NONE, 0);
            open.push((node, 0));
        }
        let has_children = has_children(overlay);
        // The node here of each node of the overlay.
        let mut made: Vec<u32> = Vec::with_capacity(overlay.nodes.len());
        for (at, node) in overlay.nodes.iter().enumerate() {
            let parent = match made.get(node.parent as usize) {
                Some(parent) => *parent,
                None if wrapped => 0,
                None => NONE,
            };
            while open.last().is_some_and(|(last, _)| *last != parent) {
                tree.close(&mut open);
            }
            if let Some((parent, reached)) = open.last_mut() {
                let (parent, from) = (*parent, *reached);
                *reached = node.end.max(from);
                tree.gap(from, node.start, parent);
            }
            let depth = tree.nodes.get(parent as usize).map_or(0, |parent| parent.depth + 1);
            let number = tree.push(node.start, node.end, parent, at as u32, depth);
            made.push(number);
            if has_children[at] {
                open.push((number, node.start));
            }
        }
        while !open.is_empty() {
            tree.close(&mut open);
        }
        tree.link();
        tree
    }

    fn push(&mut self, start: u32, end: u32, parent: u32, overlay: u32, depth: u32) -> u32 {
        self.nodes.push(DenseNode { start, end, parent, overlay, place: 0, depth, first: 0, count: 0 });
        self.nodes.len() as u32 - 1
    }

    fn gap(&mut self, start: u32, end: u32, parent: u32) {
        if start < end {
            let depth = self.nodes.get(parent as usize).map_or(0, |parent| parent.depth);
            self.push(start, end, parent, NONE, depth);
        }
    }

    fn close(&mut self, open: &mut Vec<(u32, u32)>) {
        if let Some((node, reached)) = open.pop() {
            let end = self.nodes[node as usize].end;
            self.gap(reached, end, node);
        }
    }

    /// Lists the children of each parent. Nodes are in preorder, so children already are in order.
    fn link(&mut self) {
        for at in 0..self.nodes.len() {
            let parent = self.nodes[at].parent;
            if let Some(parent) = self.nodes.get_mut(parent as usize) {
                parent.count += 1;
            }
        }
        let mut first = 0;
        for node in &mut self.nodes {
            node.first = first;
            first += std::mem::take(&mut node.count);
        }
        self.children = vec![0; first as usize];
        for at in 0..self.nodes.len() {
            let parent = self.nodes[at].parent;
            let Some(parent) = self.nodes.get_mut(parent as usize) else { continue };
            let (place, slot) = (parent.count, parent.first + parent.count);
            parent.count += 1;
            self.nodes[at].place = place;
            self.children[slot as usize] = at as u32;
        }
    }

    /// Returns the memory of the tree in bytes.
    pub fn memory(&self) -> usize {
        self.nodes.len() * size_of::<DenseNode>() + self.children.len() * 4
    }

    /// Returns the children of a node.
    pub fn children(&self, of: u32) -> &[u32] {
        let node = &self.nodes[of as usize];
        &self.children[node.first as usize..(node.first + node.count) as usize]
    }

    /// Returns the leaves that touch a selection, gaps included.
    pub fn touched(&self, (start, end): (u32, u32)) -> impl Iterator<Item = u32> {
        (0..self.nodes.len() as u32).filter(move |at| {
            let node = &self.nodes[*at as usize];
            node.count == 0 && node.start <= end && start <= node.end
        })
    }
}

fn has_children(overlay: &Overlay) -> Vec<bool> {
    let mut has = vec![false; overlay.nodes.len()];
    for node in &overlay.nodes {
        if let Some(parent) = has.get_mut(node.parent as usize) {
            *parent = true;
        }
    }
    has
}

//! Syntax trees in flat form, to which the tree of every parser is converted.
//!
//! Nodes are in preorder. Only visible nodes of the grammar count, anonymous tokens included. A kind is a name and
//! whether it is named, since grammars have both a node `if` and a word `if`.

use crate::error::{Code, Error, Result};

/// The index of a node in preorder; 0 is the root.
pub type NodeIndex = u32;

/// No node, or no field.
pub const NONE: u32 = u32::MAX;

/// One node of a [`SyntaxTree`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
    /// The parent; [`NONE`] for the root.
    pub parent: NodeIndex,
    /// The previous sibling, or [`NONE`].
    pub previous: NodeIndex,
    /// The first node behind the subtree, which is the next sibling if it has the same parent.
    pub behind: NodeIndex,
    /// The index into [`Kinds`].
    pub kind: u32,
    /// The field of the parent, as an index into [`Kinds::fields`], or [`NONE`].
    pub field: u32,
}

/// The names of the kinds and fields of a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kinds {
    names: Vec<(Box<str>, bool)>,
    fields: Vec<Box<str>>,
    /// Indices in the order of their names.
    by_name: Vec<u32>,
}

impl Kinds {
    /// Returns the kinds `names`, each with whether it is named, and the fields by index.
    pub fn new(names: Vec<(Box<str>, bool)>, fields: Vec<Box<str>>) -> Kinds {
        let mut by_name: Vec<u32> = (0..names.len() as u32).collect();
        crate::rank::sort_by(&mut by_name, |one, other| names[*one as usize].cmp(&names[*other as usize]));
        Kinds { names, fields, by_name }
    }

    /// Returns the number of kinds.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns whether there are no kinds.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the name of a kind; empty for an invalid index.
    pub fn name(&self, kind: u32) -> &str {
        self.names.get(kind as usize).map_or("", |(name, _)| name)
    }

    /// Returns whether a kind is named. Anonymous tokens such as `"{"` are not.
    pub fn is_named(&self, kind: u32) -> bool {
        self.names.get(kind as usize).is_some_and(|(_, named)| *named)
    }

    /// Returns all kinds with a name. There can be several, since grammars give one name to different rules.
    pub fn find(&self, name: &str, named: bool) -> &[u32] {
        let before = |kind: &u32, or: bool| {
            let (known, is_named) = &self.names[*kind as usize];
            let order = (**known).cmp(name).then(is_named.cmp(&named));
            order.is_lt() || (or && order.is_eq())
        };
        let first = self.by_name.partition_point(|kind| before(kind, false));
        let rest = &self.by_name[first..];
        &rest[..rest.partition_point(|kind| before(kind, true))]
    }

    /// Returns the index of a field.
    pub fn field(&self, name: &str) -> Option<u32> {
        self.fields.iter().position(|field| &**field == name).map(|at| at as u32)
    }
}

/// A syntax tree in preorder.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SyntaxTree {
    nodes: Vec<Node>,
}

impl SyntaxTree {
    /// Returns the nodes, the root first.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Returns the node at an index of this tree.
    pub fn node(&self, at: NodeIndex) -> &Node {
        &self.nodes[at as usize]
    }

    /// Returns the children of a node in order.
    pub fn children(&self, of: NodeIndex) -> impl Iterator<Item = NodeIndex> {
        let behind = self.nodes[of as usize].behind;
        let mut at = of + 1;
        std::iter::from_fn(move || {
            let child = (at < behind).then_some(at)?;
            at = self.nodes[child as usize].behind;
            Some(child)
        })
    }

    /// Returns the next sibling with text. A node that a parser inserted to recover from an error has none and is
    /// skipped.
    pub fn next(&self, of: NodeIndex) -> Option<NodeIndex> {
        let node = self.nodes.get(of as usize)?;
        let mut at = node.behind;
        loop {
            let next = self.nodes.get(at as usize)?;
            if node.parent == NONE || next.parent != node.parent {
                return None;
            }
            if next.end > node.end {
                return Some(at);
            }
            at = next.behind;
        }
    }

    /// Returns the tree with the nodes of some kinds replaced by their children. `kinds` says so by kind. The root
    /// stays.
    pub fn without(&self, kinds: &[bool]) -> SyntaxTree {
        let mut builder = Builder::with_capacity(self.nodes.len());
        // The ends of the open subtrees.
        let mut open: Vec<NodeIndex> = Vec::new();
        for (node, at) in self.nodes.iter().zip(0..) {
            while open.last().is_some_and(|behind| *behind <= at) {
                open.pop();
                builder.close();
            }
            if at == 0 || kinds.get(node.kind as usize) != Some(&true) {
                builder.open(node.start, node.end, node.kind, node.field);
                open.push(node.behind);
            }
        }
        builder.finish()
    }

    /// Reads the flat form of a host: six numbers per node in preorder, namely start, end, kind (with the top bit set
    /// if the node is named), field (`0xffffffff` for none), parent (`0xffffffff` for the root) and the number of nodes
    /// in the subtree. Offsets are bytes of `text`.
    ///
    /// # Errors
    /// [`Code::BadInput`] naming the wrong number, if the numbers are not a tree of this text.
    pub fn read(numbers: &[u32], kinds: usize, fields: usize, text: &str) -> Result<SyntaxTree> {
        let bad = |at: usize, what: &str| Err(Error::new(Code::BadInput, what).at(format!("tree.nodes[{at}]")));
        if numbers.is_empty() || !numbers.len().is_multiple_of(WIDTH) {
            return Err(Error::new(Code::BadInput, "a flat tree has six numbers for each node").at("tree.nodes"));
        }
        let count = numbers.len() / WIDTH;
        let mut builder = Builder::with_capacity(count);
        // The ends of the open subtrees.
        let mut open: Vec<(u32, u32)> = Vec::new();
        for (at, row) in numbers.chunks_exact(WIDTH).enumerate() {
            let &[start, end, kind, field, parent, size] = row else { continue };
            let first = at * WIDTH;
            while open.last().is_some_and(|(_, behind)| *behind as usize <= at) {
                open.pop();
                builder.close();
            }
            let expected = open.last().map_or(NONE, |(index, _)| *index);
            if parent != expected || (at > 0 && parent == NONE) {
                return bad(first + 4, "nodes stand in preorder, and this parent is not the open one");
            }
            let behind = (at as u32).saturating_add(size);
            let most = open.last().map_or(count as u32, |(_, behind)| *behind);
            if size == 0 || behind > most || (at == 0 && behind as usize != count) {
                return bad(first + 5, "the subtree does not fit into its parent's");
            }
            if (kind & !NAMED) as usize >= kinds {
                return bad(first + 2, "there is no kind of that number");
            }
            if field != NONE && field as usize >= fields {
                return bad(first + 3, "there is no field of that number");
            }
            let around =
                builder.nodes.get(parent as usize).map_or((0, text.len() as u32), |node| (node.start, node.end));
            let from = builder.last_child().map_or(around.0, |node| node.end);
            if start < from || end < start || end > around.1 {
                return bad(first, "the node reaches out of its parent, over its sibling or out of the text");
            }
            if !text.is_char_boundary(start as usize) || !text.is_char_boundary(end as usize) {
                return bad(first, "the node begins or ends inside a character");
            }
            builder.open(start, end, (kind & !NAMED) * 2 + u32::from(kind & NAMED != 0), field);
            open.push((at as u32, behind));
        }
        Ok(builder.finish())
    }
}

/// The numbers per node in the flat form of a host.
pub const WIDTH: usize = 6;
/// The bit of a kind that says that the node is named, in the flat form of a host.
pub const NAMED: u32 = 1 << 31;

/// Builds a [`SyntaxTree`] node by node, as a cursor walks.
#[derive(Debug, Default)]
pub struct Builder {
    nodes: Vec<Node>,
    /// The open nodes, each with its last child so far.
    path: Vec<(NodeIndex, NodeIndex)>,
}

impl Builder {
    /// Returns a builder with room for `nodes` nodes.
    pub fn with_capacity(nodes: usize) -> Builder {
        Builder { nodes: Vec::with_capacity(nodes), path: Vec::new() }
    }

    /// Begins a node as a child of the open node.
    pub fn open(&mut self, start: u32, end: u32, kind: u32, field: u32) {
        let at = self.nodes.len() as NodeIndex;
        let (parent, previous) = match self.path.last_mut() {
            Some((parent, last)) => (*parent, std::mem::replace(last, at)),
            None => (NONE, NONE),
        };
        self.nodes.push(Node { start, end, parent, previous, behind: NONE, kind, field });
        self.path.push((at, NONE));
    }

    /// Ends the node that was begun last.
    pub fn close(&mut self) {
        if let Some((at, _)) = self.path.pop() {
            let behind = self.nodes.len() as NodeIndex;
            self.nodes[at as usize].behind = behind;
        }
    }

    fn last_child(&self) -> Option<&Node> {
        let (_, last) = self.path.last()?;
        self.nodes.get(*last as usize)
    }

    /// Returns the tree. Nodes that are still open end with it.
    pub fn finish(mut self) -> SyntaxTree {
        while !self.path.is_empty() {
            self.close();
        }
        SyntaxTree { nodes: self.nodes }
    }
}

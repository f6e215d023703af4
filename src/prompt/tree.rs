//! The materialised draft: everything that could be sent, in preorder, so that a subtree is a range of numbers.

use super::NodeId;
use super::draft::{Draft, NONE, What};
use super::piece::{Leaf, LeafKind, MessageShape, Shape};

/// Arrays by place in preorder. A place is not a [`NodeId`]: see [`Tree::source`].
pub struct Tree {
    pub source: Vec<NodeId>,
    pub parent: Vec<u32>,
    /// One after the last place of the subtree.
    pub end: Vec<u32>,
    pub priority: Vec<f64>,
    pub kind: Vec<Kind>,
    /// The outermost message that contains the place, which may be the place itself.
    pub message: Vec<u32>,
    place: Vec<u32>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Container { passes: bool, chunk: bool, legacy: bool },
    Message,
    Text { line: Line, blank: bool },
    Other(LeafKind),
}

impl Kind {
    pub fn is_leaf(self) -> bool {
        matches!(self, Kind::Text { .. } | Kind::Other(_))
    }
}

/// Says whether text begins on a new line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    No,
    Always,
    /// Only if it does not follow text of the same run in its message.
    UnlessContinuing,
}

/// A draft that is not a valid prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Malformed {
    /// Content outside of messages.
    Stray(NodeId),
    /// An alternative whose number of children is not two.
    Alternative(NodeId),
}

impl Tree {
    /// Materialises the tree below `root`. For alternatives that `chosen` does not contain, the second child is taken
    /// unless it is empty; the choice is added there.
    pub fn new(draft: &Draft, root: NodeId, chosen: &mut Vec<(NodeId, NodeId)>) -> Result<Tree, Malformed> {
        choose(draft, chosen)?;
        let size = draft.len();
        let mut tree = Tree {
            source: Vec::with_capacity(size),
            parent: Vec::with_capacity(size),
            end: Vec::with_capacity(size),
            priority: Vec::with_capacity(size),
            kind: Vec::with_capacity(size),
            message: Vec::with_capacity(size),
            place: vec![NONE; size],
        };
        // A node to visit with its parent's place, or a place whose subtree is complete.
        let mut todo = vec![(root, NONE, false)];
        let mut children = Vec::new();
        while let Some((node, parent, done)) = todo.pop() {
            if done {
                tree.end[parent as usize] = tree.source.len() as u32;
                continue;
            }
            let place = tree.push(draft, node, parent)?;
            if tree.kind[place as usize].is_leaf() {
                continue;
            }
            todo.push((NONE, place, true));
            match chosen.binary_search_by_key(&node, |(node, _)| *node) {
                Ok(at) => todo.push((chosen[at].1, place, false)),
                Err(_) => {
                    children.extend(draft.children(node));
                    todo.extend(children.drain(..).rev().map(|child| (child, place, false)));
                }
            }
        }
        Ok(tree)
    }

    fn push(&mut self, draft: &Draft, node: NodeId, parent: u32) -> Result<u32, Malformed> {
        let place = self.source.len() as u32;
        let kind = kind(draft, node);
        let around = if parent == NONE { NONE } else { self.message[parent as usize] };
        if kind.is_leaf() && around == NONE {
            return Err(Malformed::Stray(node));
        }
        self.place[node as usize] = place;
        self.source.push(node);
        self.parent.push(parent);
        self.end.push(place + 1);
        self.priority.push(draft.priority(node));
        self.kind.push(kind);
        self.message.push(if around == NONE && kind == Kind::Message { place } else { around });
        Ok(place)
    }

    pub fn len(&self) -> u32 {
        self.source.len() as u32
    }

    /// Returns the place of a node, if it was materialised.
    pub fn place(&self, node: NodeId) -> Option<u32> {
        self.place.get(node as usize).copied().filter(|place| *place != NONE)
    }

    pub fn kind(&self, place: u32) -> Kind {
        self.kind[place as usize]
    }

    pub fn parent(&self, place: u32) -> u32 {
        self.parent[place as usize]
    }

    pub fn end(&self, place: u32) -> u32 {
        self.end[place as usize]
    }

    pub fn source(&self, place: u32) -> NodeId {
        self.source[place as usize]
    }

    /// Returns the outermost messages within a range of places, in order.
    pub fn messages(&self, range: std::ops::Range<u32>) -> impl Iterator<Item = u32> + '_ {
        let mut at = range.start;
        std::iter::from_fn(move || {
            while at < range.end {
                let place = at;
                let is_message = self.message[place as usize] == place;
                at = if is_message { self.end(place) } else { place + 1 };
                if is_message {
                    return Some(place);
                }
            }
            None
        })
    }

    /// Returns the fields of the message at a place.
    pub fn shape<'a>(&self, draft: &'a Draft, place: u32) -> Option<&'a MessageShape> {
        match &draft.element(self.source(place))?.shape {
            Shape::Message(shape) => Some(shape),
            _ => None,
        }
    }

    pub fn text<'a>(&self, draft: &'a Draft, place: u32) -> &'a str {
        draft.text(self.source(place))
    }

    pub fn leaf<'a>(&self, draft: &'a Draft, place: u32) -> Option<&'a Leaf> {
        draft.leaf(self.source(place))
    }
}

fn kind(draft: &Draft, node: NodeId) -> Kind {
    match &draft.node(node).what {
        What::Element(element) => match &element.shape {
            Shape::Container => {
                Kind::Container { passes: element.pass_priority, chunk: element.chunk, legacy: element.legacy }
            }
            Shape::Message(_) => Kind::Message,
            Shape::Leaf(leaf) => Kind::Other(leaf.kind),
        },
        What::Leaf(leaf) => Kind::Other(leaf.kind),
        What::Text(text) => {
            let parent = draft.node(node).parent;
            let first = parent != NONE && draft.children(parent).next() == Some(node);
            let line = match (text.new_line, first) {
                (true, _) => Line::Always,
                (false, true) => Line::UnlessContinuing,
                (false, false) => Line::No,
            };
            Kind::Text { line, blank: text.blank }
        }
    }
}

/// Decides every undecided alternative, from the leaves up. `chosen` is sorted by node.
fn choose(draft: &Draft, chosen: &mut Vec<(NodeId, NodeId)>) -> Result<(), Malformed> {
    let known = chosen.len();
    let mut empty = vec![false; draft.len()];
    // Children have higher numbers than their parents.
    for at in (0..draft.len()).rev() {
        let node = at as NodeId;
        empty[at] = match &draft.node(node).what {
            What::Text(text) => text.blank,
            What::Leaf(_) => false,
            What::Element(element) => match &element.shape {
                Shape::Leaf(_) => false,
                Shape::Message(shape) if !shape.calls.is_empty() => false,
                Shape::Container if element.alternate => {
                    let taken = match chosen[..known].binary_search_by_key(&node, |(node, _)| *node) {
                        Ok(at) => chosen[at].1,
                        Err(_) => {
                            let mut children = draft.children(node);
                            let (Some(alternative), Some(usual), None) =
                                (children.next(), children.next(), children.next())
                            else {
                                return Err(Malformed::Alternative(node));
                            };
                            let taken = if empty[usual as usize] { alternative } else { usual };
                            chosen.push((node, taken));
                            taken
                        }
                    };
                    empty[taken as usize]
                }
                _ => draft.children(node).all(|child| empty[child as usize]),
            },
        };
    }
    crate::rank::sort(chosen, |(node, _)| u64::from(*node));
    Ok(())
}

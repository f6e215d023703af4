//! The rendered tree: every node that any element yielded, including those that are removed later.
//!
//! In: lists of [`Op`]s. Out: an arena of nodes. Start reading at [`Draft::add`].

use super::piece::{Element, Leaf, LeafKind, Literal, Op, Shape, Wording};
use super::{MAX_PRIORITY, NodeId};
use crate::error::{Code, Error, Result};

/// The id that refers to no node.
pub const NONE: NodeId = NodeId::MAX;

/// The arena. Children have higher numbers than their parents, siblings ascending ones.
#[derive(Default)]
pub struct Draft {
    nodes: Vec<Node>,
    texts: String,
}

pub struct Node {
    pub parent: NodeId,
    first: NodeId,
    last: NodeId,
    next: NodeId,
    pub what: What,
}

pub enum What {
    Element(Box<Element>),
    Text(Text),
    Leaf(Box<Leaf>),
}

pub struct Text {
    start: u32,
    end: u32,
    /// In bytes, or in the unit in which the host counts.
    pub length: u32,
    pub ends_line: bool,
    /// True if it consists of white space.
    pub blank: bool,
    pub priority: f64,
    pub new_line: bool,
    pub literal: Literal,
}

impl Draft {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id as usize]
    }

    /// Returns the element of a node, if it is one.
    pub fn element(&self, id: NodeId) -> Option<&Element> {
        match &self.nodes.get(id as usize)?.what {
            What::Element(element) => Some(element),
            _ => None,
        }
    }

    pub fn text(&self, id: NodeId) -> &str {
        match &self.node(id).what {
            What::Text(text) => &self.texts[text.start as usize..text.end as usize],
            _ => "",
        }
    }

    /// Returns the length of a text, in units that only serve comparison; 0 for other nodes.
    pub fn length(&self, id: NodeId) -> u32 {
        match &self.node(id).what {
            What::Text(text) => text.length,
            _ => 0,
        }
    }

    /// Returns the non-text content of a node: its own leaf, or that of an image or document element.
    pub fn leaf(&self, id: NodeId) -> Option<&Leaf> {
        match &self.node(id).what {
            What::Leaf(leaf) => Some(leaf),
            What::Element(element) => match &element.shape {
                Shape::Leaf(leaf) => Some(leaf),
                _ => None,
            },
            What::Text(_) => None,
        }
    }

    pub fn children(&self, id: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.after(self.node(id).first)
    }

    fn after(&self, first: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        let step = |id: NodeId| (id != NONE).then_some(id);
        std::iter::successors(step(first), move |id| step(self.node(*id).next))
    }

    /// Returns the priority in the materialised tree.
    pub fn priority(&self, id: NodeId) -> f64 {
        match &self.node(id).what {
            What::Element(element) => match &element.shape {
                Shape::Leaf(leaf) => leaf.priority,
                Shape::Message(_) => element.priority.unwrap_or(MAX_PRIORITY),
                Shape::Container if element.pass_priority => element.priority.unwrap_or(0.0),
                Shape::Container => element.priority.unwrap_or(MAX_PRIORITY),
            },
            What::Text(text) => text.priority,
            What::Leaf(leaf) => leaf.priority,
        }
    }

    /// Adds nodes below `parent`.
    ///
    /// # Errors
    /// [`Code::BadInput`] if the list does not close what it opens, or a breakpoint is outside a message.
    pub fn add(&mut self, parent: NodeId, ops: Vec<Op>) -> Result<()> {
        self.add_each(std::iter::once(parent), ops)
    }

    /// Adds nodes below each of `parents`; a `Close` follows every list except the last.
    ///
    /// # Errors
    /// As [`Draft::add`]; [`Code::BadInput`] if the number of lists differs from the number of parents.
    pub fn add_each(&mut self, mut parents: impl Iterator<Item = NodeId>, ops: Vec<Op>) -> Result<()> {
        let mut open = Vec::from_iter(parents.next());
        for op in ops {
            let Some(&at) = open.last() else { return Err(unbalanced()) };
            match op {
                Op::Open(element) => {
                    let id = self.push(at, What::Element(element))?;
                    open.push(id);
                }
                Op::Close => {
                    open.pop();
                    if open.is_empty() {
                        open.extend(parents.next());
                    }
                }
                Op::Text { text, priority, new_line, literal } => {
                    let text = self.wording(text, priority, new_line, literal)?;
                    self.push(at, What::Text(text))?;
                }
                Op::Leaf(leaf) => {
                    if leaf.kind == LeafKind::Breakpoint && !self.is_message(at) {
                        let message = "a cache breakpoint must be a direct child of a message";
                        return Err(Error::new(Code::BadInput, message));
                    }
                    self.push(at, What::Leaf(leaf))?;
                }
            }
        }
        if open.len() == 1 && parents.next().is_none() { Ok(()) } else { Err(unbalanced()) }
    }

    fn wording(&mut self, text: Wording, priority: f64, new_line: bool, literal: Literal) -> Result<Text> {
        let start = self.texts.len();
        let (length, ends_line, blank) = match text {
            Wording::Known(text) => {
                self.texts.push_str(&text);
                (text.len() as u32, text.ends_with('\n'), text.chars().all(is_space))
            }
            Wording::Elsewhere { length, ends_line, blank } => (length, ends_line, blank),
        };
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(self.texts.len())) else {
            return Err(Error::new(Code::BadInput, "the texts of a prompt are larger than 4 GB"));
        };
        Ok(Text { start, end, length, ends_line, blank, priority, new_line, literal })
    }

    fn is_message(&self, id: NodeId) -> bool {
        matches!(self.element(id), Some(Element { shape: Shape::Message(_), .. }))
    }

    fn push(&mut self, parent: NodeId, what: What) -> Result<NodeId> {
        if parent == NONE && !self.nodes.is_empty() {
            return Err(Error::new(Code::BadInput, "a prompt has one root"));
        }
        let id = match NodeId::try_from(self.nodes.len()) {
            Ok(id) if id < NONE => id,
            _ => return Err(Error::new(Code::BadInput, "a prompt has more than four billion nodes")),
        };
        self.nodes.push(Node { parent, first: NONE, last: NONE, next: NONE, what });
        if parent != NONE {
            let last = std::mem::replace(&mut self.nodes[parent as usize].last, id);
            match last {
                NONE => self.nodes[parent as usize].first = id,
                last => self.nodes[last as usize].next = id,
            }
        }
        Ok(id)
    }

    /// Detaches a node's children and returns the first of them; nodes added next are its new content.
    pub fn detach(&mut self, id: NodeId) -> NodeId {
        let node = &mut self.nodes[id as usize];
        node.last = NONE;
        std::mem::replace(&mut node.first, NONE)
    }

    /// Undoes [`Draft::detach`].
    pub fn attach(&mut self, id: NodeId, first: NodeId) {
        let last = self.after(first).last().unwrap_or(NONE);
        let node = &mut self.nodes[id as usize];
        (node.first, node.last) = (first, last);
    }
}

/// JavaScript's `\s`, which differs from Unicode's white space in two characters.
fn is_space(c: char) -> bool {
    c == '\u{FEFF}' || c.is_whitespace() && c != '\u{85}'
}

fn unbalanced() -> Error {
    Error::new(Code::BadInput, "the list of pieces does not close what it opens")
}

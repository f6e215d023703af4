//! Distributes budgets: decides when each element is rendered, and with how many tokens.
//!
//! Siblings are grouped by `grow`, highest first; the tokens of a group's elements are charged to their parent before
//! the next group is sized. Elements are visited depth first, without recursion. Start reading at [`Layout::advance`].

use super::NodeId;
use super::counts::{Counts, Question};
use super::draft::{Draft, NONE, What};
use super::flex::{Claim, reserved, share};
use super::piece::{Element, Shape};

/// One flex group with its sizes.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Epoch {
    /// The parent, if there is one.
    pub parent: Option<NodeId>,
    pub grow: f64,
    /// The parent's remaining tokens, and the part of them reserved for later groups.
    pub left: f64,
    pub reserved: f64,
    pub budgets: Vec<(NodeId, f64)>,
}

/// An element that can be asked again if room is left.
#[derive(Debug, Clone, Copy)]
pub struct Growable {
    pub node: NodeId,
    /// Tokens that it consumed at its first rendering.
    pub consumed: f64,
}

/// An event for a tracer, in the order of occurrence.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(untagged)]
pub enum Event {
    Sized(Epoch),
    /// An element that was rendered elsewhere became part of the tree.
    Spliced(NodeId),
}

/// What layout needs next.
pub enum Next {
    /// Render these elements with these budgets.
    Render(Vec<(NodeId, f64)>),
    Count(Vec<Question>),
    Done {
        /// Tokens that the first element consumed.
        consumed: f64,
    },
}

#[derive(Default)]
pub struct Layout {
    frames: Vec<Frame>,
    /// Token limits, in the order in which their elements were created.
    pub limits: Vec<(NodeId, f64)>,
    /// In render order.
    pub growables: Vec<Growable>,
    /// Recorded only for a tracer.
    pub events: Option<Vec<Event>>,
    /// Number of nodes that were inspected.
    seen: usize,
    /// Number of nodes whose counts were requested.
    pub asked: usize,
    /// Number of dynamic elements without a size, plus expandable ones with unknown consumption. At 0 no budget matters
    /// any more, so nothing is counted for budgets.
    unsettled: usize,
    /// True if counts are requested even if no budget depends on them.
    thorough: bool,
    consumed: f64,
}

struct Frame {
    node: NodeId,
    budget: f64,
    consumed: f64,
    /// Child elements, sorted by `grow`.
    order: Vec<NodeId>,
    /// The current group within `order`, and its next child.
    group: std::ops::Range<usize>,
    next: usize,
    budgets: Vec<f64>,
}

impl Frame {
    fn left(&self) -> f64 {
        at_least_none(self.budget - self.consumed)
    }
}

impl Layout {
    pub fn new(traced: bool, thorough: bool) -> Layout {
        Layout { events: traced.then(Vec::new), thorough, ..Layout::default() }
    }

    /// Starts with one element, which is sized like a child without a parent.
    pub fn start(&mut self, draft: &Draft, root: NodeId, budget: f64) {
        self.register_nodes(draft);
        self.instantiate(draft, root);
        self.frames.push(Frame {
            node: NONE,
            budget,
            consumed: 0.0,
            order: vec![root],
            group: 0..0,
            next: 0,
            budgets: Vec::new(),
        });
    }

    /// Lays out the new content of an element with everything counted; nodes below `from` are old.
    pub fn again(node: NodeId, budget: f64, from: usize) -> Layout {
        let frame =
            Frame { node: NONE, budget, consumed: 0.0, order: vec![node], group: 0..1, next: 0, budgets: vec![budget] };
        Layout { frames: vec![frame], seen: from, asked: from, thorough: true, ..Layout::default() }
    }

    /// Registers nodes that were added since the last call.
    fn register_nodes(&mut self, draft: &Draft) {
        for id in self.seen..draft.len() {
            if let Some(element) = draft.element(id as NodeId).filter(|element| !element.spliced) {
                self.unsettled += usize::from(element.dynamic) + usize::from(element.expandable);
            }
        }
        self.seen = draft.len();
    }

    /// Returns the questions about nodes that were added since the last call, for a host that answers them in advance.
    pub fn unasked(&mut self, draft: &Draft, counts: &mut Counts) -> Vec<Question> {
        let from = std::mem::replace(&mut self.asked, draft.len());
        counts.literal_questions(draft, from)
    }

    /// Continues until something is needed. Call it again when the answer is there.
    pub fn advance(&mut self, draft: &Draft, counts: &mut Counts) -> Next {
        if self.seen < draft.len() {
            self.register_nodes(draft);
        }
        while let Some(frame) = self.frames.last_mut() {
            if frame.next < frame.group.end {
                let at = frame.next - frame.group.start;
                let (node, budget) = (frame.order[frame.next], frame.budgets[at]);
                let sized = self.thorough || self.unsettled > 0 || self.events.is_some();
                let written = if sized { counts.literals(draft, node) } else { Some(0.0) };
                let Some(written) = written else {
                    return Next::Count(self.unasked(draft, counts));
                };
                frame.next += 1;
                self.open(draft, node, budget);
                if let Some(frame) = self.frames.last_mut() {
                    frame.consumed = written;
                }
            } else if frame.group.end < frame.order.len() {
                if let Some(elements) = self.size(draft) {
                    return Next::Render(elements);
                }
            } else {
                self.close(draft);
            }
        }
        Next::Done { consumed: self.consumed }
    }

    fn open(&mut self, draft: &Draft, node: NodeId, budget: f64) {
        let mut order = Vec::new();
        for child in draft.children(node) {
            match draft.element(child) {
                Some(element) if element.spliced => self.instantiate_spliced(draft, child),
                Some(_) => {
                    self.instantiate(draft, child);
                    order.push(child);
                }
                None => {}
            }
        }
        if order.iter().any(|child| grow(draft, *child) != f64::INFINITY) {
            crate::rank::sort(&mut order, |child| !crate::rank::of(grow(draft, *child)));
        }
        self.frames.push(Frame { node, budget, consumed: 0.0, order, group: 0..0, next: 0, budgets: Vec::new() });
    }

    fn instantiate(&mut self, draft: &Draft, node: NodeId) {
        if let Some(limit) = draft.element(node).and_then(|element| element.limit) {
            self.limits.push((node, limit));
        }
    }

    /// Registers the limits of a spliced tree, which is not laid out.
    fn instantiate_spliced(&mut self, draft: &Draft, root: NodeId) {
        let mut open = vec![root];
        while let Some(node) = open.pop() {
            self.instantiate(draft, node);
            if let Some(events) = &mut self.events {
                events.push(Event::Spliced(node));
            }
            let from = open.len();
            open.extend(draft.children(node).filter(|child| draft.element(*child).is_some()));
            open[from..].reverse();
        }
    }

    /// Sizes the next group; returns those of its elements that must be rendered.
    fn size(&mut self, draft: &Draft) -> Option<Vec<(NodeId, f64)>> {
        let frame = self.frames.last_mut()?;
        let start = frame.group.end;
        let value = grow(draft, frame.order[start]);
        let same = frame.order[start..].iter().take_while(|node| grow(draft, **node) == value).count();
        let end = start + same.max(1);
        let later = frame.order[end..].iter().map(|node| draft.element(*node).and_then(|e| e.reserve));
        let reserved = reserved(later, frame.left());
        let left = at_least_none(frame.budget - (frame.consumed + reserved));
        let claims: Vec<Claim> = frame.order[start..end]
            .iter()
            .filter_map(|node| draft.element(*node))
            .map(|element| Claim { basis: element.basis, limit: element.limit })
            .collect();
        frame.budgets = share(left, &claims);
        (frame.group, frame.next) = (start..end, start);
        let sized = || frame.order[start..end].iter().copied().zip(frame.budgets.iter().copied());
        if let Some(events) = &mut self.events {
            events.push(Event::Sized(Epoch {
                parent: (frame.node != NONE).then_some(frame.node),
                grow: if value == f64::INFINITY { 0.0 } else { value },
                left: frame.left(),
                reserved,
                budgets: sized().collect(),
            }));
        }
        let dynamic: Vec<_> = sized().filter(|(node, _)| draft.element(*node).is_some_and(|e| e.dynamic)).collect();
        self.unsettled = self.unsettled.saturating_sub(dynamic.len());
        (!dynamic.is_empty()).then_some(dynamic)
    }

    /// Charges a finished element to its parent.
    fn close(&mut self, draft: &Draft) {
        let Some(frame) = self.frames.pop() else { return };
        let consumed = if frame.consumed > frame.budget { frame.budget } else { frame.consumed };
        self.consumed = consumed;
        let Some(parent) = self.frames.last_mut() else { return };
        parent.consumed += consumed;
        if draft.element(frame.node).is_some_and(|element| element.expandable) {
            self.growables.push(Growable { node: frame.node, consumed });
            self.unsettled = self.unsettled.saturating_sub(1);
        }
    }
}

/// Raises negative budgets to 0. NaN stays NaN, which `f64::max` would turn into 0.
fn at_least_none(tokens: f64) -> f64 {
    if tokens < 0.0 { 0.0 } else { tokens }
}

fn grow(draft: &Draft, node: NodeId) -> f64 {
    draft.element(node).map_or(f64::INFINITY, |element| element.grow)
}

/// True if layout charges an empty message of this kind to the element.
pub fn has_base(element: &Element) -> bool {
    matches!(&element.shape, Shape::Message(shape) if shape.in_layout)
}

/// Returns the literals of an element; each is counted alone.
pub fn texts<'a>(draft: &'a Draft, node: NodeId) -> impl Iterator<Item = NodeId> + 'a {
    draft.children(node).filter(|child| matches!(draft.node(*child).what, What::Text(_)))
}

//! Overlays: the structure of a document as nodes that a summary keeps or leaves out.

use super::language::{Mode, Rules};
use super::query::Captured;
use super::syntax::{Kinds, NONE, NodeIndex, SyntaxTree};
use crate::map::HashSet;

/// One node of an [`Overlay`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OverlayNode {
    /// The index into [`Overlay::kinds`].
    pub kind: u32,
    /// The first byte.
    pub start: u32,
    /// The byte behind the last one.
    pub end: u32,
    /// The parent; [`NONE`] for the root.
    pub parent: u32,
}

/// The structure of a document: nodes in preorder, the root first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Overlay {
    /// The names of kinds: syntax node types, `constructor`, `root`, or `FOLD`, `SECTION` and `LINE`.
    pub kinds: Vec<Box<str>>,
    /// The nodes. The range of a parent contains the ranges of its children.
    pub nodes: Vec<OverlayNode>,
}

impl Overlay {
    /// Returns the kind of a node.
    pub fn kind(&self, at: usize) -> &str {
        self.nodes.get(at).and_then(|node| self.kinds.get(node.kind as usize)).map_or("", |kind| kind)
    }

    /// Returns the memory of the overlay in bytes.
    pub fn memory(&self) -> usize {
        let kinds: usize = self.kinds.iter().map(|kind| kind.len() + size_of::<Box<str>>()).sum();
        kinds + self.nodes.len() * size_of::<OverlayNode>() + size_of::<Overlay>()
    }

    /// Returns the index of a kind, which is added if it is new. There are a few dozen at most.
    pub(super) fn intern(&mut self, kind: &str) -> u32 {
        if let Some(at) = self.kinds.iter().position(|known| &**known == kind) {
            return at as u32;
        }
        self.kinds.push(kind.into());
        self.kinds.len() as u32 - 1
    }

    pub(super) fn push(&mut self, kind: u32, start: u32, end: u32, parent: u32) -> u32 {
        self.nodes.push(OverlayNode { kind, start, end, parent });
        self.nodes.len() as u32 - 1
    }
}

/// Builds the overlay of captured nodes.
pub(super) fn build(
    tree: &SyntaxTree,
    kinds: &Kinds,
    text: &str,
    captured: &[Captured],
    rules: &Rules,
    mode: Mode,
) -> Overlay {
    let range = |capture: &Captured| {
        let node = tree.node(capture.node);
        (node.start, node.end)
    };
    // Nodes within one that ends in its first line do so, too. Each byte is read about once.
    let mut in_one_line = 0;
    let mut has_lines = |(start, end): (u32, u32)| {
        let has = end > in_one_line && slice(text, start, end).contains('\n');
        in_one_line = if has { in_one_line } else { in_one_line.max(end) };
        has
    };
    let mut excluded: HashSet<(u32, u32)> = captured.iter().filter(|capture| capture.excludes).map(range).collect();
    let is_meant = |capture: &&Captured| !capture.excludes && (!capture.lines || has_lines(range(capture)));
    let mut order: Vec<&Captured> = captured.iter().filter(is_meant).collect();
    // By start, longer nodes first. Preorder is this order already, except for nodes without text.
    for at in 1..order.len() {
        let mut to = at;
        while to > 0 && before(range(order[to]), range(order[to - 1])) {
            order.swap(to, to - 1);
            to -= 1;
        }
    }

    let mut overlay = Overlay::default();
    let root = overlay.intern("root");
    overlay.push(root, 0, text.len() as u32, NONE);
    // The kind in the overlay of each kind of the grammar.
    let mut known: Vec<u32> = vec![NONE; kinds.len()];
    let mut number = |overlay: &mut Overlay, kind: u32| {
        let slot = &mut known[kind as usize];
        if *slot == NONE {
            *slot = overlay.intern(kinds.name(kind));
        }
        *slot
    };
    let wrappers = ["export_statement", "ambient_declaration"];
    let mut open: Vec<u32> = vec![0];
    let mut last = NONE;
    for capture in order {
        let (start, end) = range(capture);
        // A node that is captured under a second name becomes a second node only in the compatible mode.
        let again = std::mem::replace(&mut last, capture.node) == capture.node && mode == Mode::Default;
        if again || excluded.contains(&(start, end)) {
            continue;
        }
        while open.len() > 1 && !covers(&overlay, &open, start, end) {
            open.pop();
        }
        let parent = open.last().copied().unwrap_or(0);
        let kind = match is_constructor(tree, kinds, text, capture.node, rules) {
            true => overlay.intern("constructor"),
            false => number(&mut overlay, tree.node(capture.node).kind),
        };
        if wrappers.contains(&overlay.kind(parent as usize)) {
            overlay.nodes[parent as usize].kind = kind;
            continue;
        }
        let start = start_of(tree, text, capture.node);
        let end = end_of(tree, kinds, text, capture.node, rules, &mut excluded);
        open.push(overlay.push(kind, start, end, parent));
    }
    overlay
}

/// Returns whether the first range comes before the second.
fn before(one: (u32, u32), other: (u32, u32)) -> bool {
    one.0 < other.0 || (one.0 == other.0 && one.1 > other.1)
}

fn covers(overlay: &Overlay, open: &[u32], start: u32, end: u32) -> bool {
    open.last().is_some_and(|at| {
        let node = &overlay.nodes[*at as usize];
        node.start <= start && end <= node.end
    })
}

fn is_constructor(tree: &SyntaxTree, kinds: &Kinds, text: &str, at: NodeIndex, rules: &Rules) -> bool {
    rules.constructors
        && kinds.name(tree.node(at).kind) == "method_definition"
        && tree.children(at).any(|child| {
            let child = tree.node(child);
            kinds.name(child.kind) == "property_identifier" && slice(text, child.start, child.end) == "constructor"
        })
}

fn slice(text: &str, start: u32, end: u32) -> &str {
    text.get(start as usize..end as usize).unwrap_or_default()
}

/// Returns the byte behind the first line feed of a stretch.
fn behind_line_feed(text: &str, start: u32, end: u32) -> Option<u32> {
    slice(text, start, end).find('\n').map(|at| start + at as u32 + 1)
}

/// Returns the start of a node: that of its line, if its previous sibling is on an earlier line.
fn start_of(tree: &SyntaxTree, text: &str, at: NodeIndex) -> u32 {
    let node = tree.node(at);
    match tree.nodes().get(node.previous as usize) {
        Some(previous) => behind_line_feed(text, previous.end, node.start).unwrap_or(previous.end),
        None => node.start,
    }
}

/// Returns the end of a node: that of its line, if its next sibling is on a later line. The end of a statement, on
/// whatever line, and comments behind it on the same line belong to the node and are no nodes of their own.
fn end_of(
    tree: &SyntaxTree,
    kinds: &Kinds,
    text: &str,
    at: NodeIndex,
    rules: &Rules,
    excluded: &mut HashSet<(u32, u32)>,
) -> u32 {
    let mut end = tree.node(at).end;
    let mut next = tree.next(at);
    while let Some(sibling) = next {
        let node = tree.node(sibling);
        let name = kinds.name(node.kind);
        let next_line = behind_line_feed(text, end, node.start);
        let is_trailing = matches!(name, ";" | ",") || (rules.is_comment(name) && next_line.is_none());
        if !rules.trailing || !is_trailing {
            return next_line.unwrap_or(end);
        }
        excluded.insert((node.start, node.end));
        end = node.end;
        next = tree.next(sibling);
    }
    end
}

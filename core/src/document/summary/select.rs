//! Adjusts selections to the ends of nodes.

use super::super::Overlay;
use super::super::syntax::NONE;
use super::source::Source;

/// Returns whether a byte is blank here.
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// A node without the blanks around it.
#[derive(Debug, Clone)]
struct Shrunk {
    start: u32,
    end: u32,
    children: Vec<usize>,
}

/// The deepest node at a position, or the gap between or around children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum At {
    Leaf {
        start: u32,
        end: u32,
    },
    /// `first` and `last` say whether the gap comes before or behind all children.
    Gap {
        parent: usize,
        start: u32,
        end: u32,
        first: bool,
        last: bool,
    },
}

/// Returns a selection in bytes that covers every statement that it touches with text.
pub fn adjust(source: &Source<'_>, overlay: &Overlay, (start, end): (u32, u32)) -> (u32, u32) {
    let Some(tree) = Tree::new(source, overlay) else { return (start, end) };
    let mut selected = Selected { source, tree, start, end };
    selected.widen_blank();
    selected.skip_line_feed();
    selected.extend_start();
    selected.extend_end();
    // Every round but the last extends the selection.
    while selected.round() {}
    (selected.start, selected.end)
}

struct Tree {
    nodes: Vec<Shrunk>,
}

impl Tree {
    /// Returns the tree without nodes that are blank.
    fn new(source: &Source<'_>, overlay: &Overlay) -> Option<Tree> {
        let bytes = source.text().as_bytes();
        let mut nodes: Vec<Shrunk> = Vec::new();
        let mut made: Vec<Option<usize>> = Vec::with_capacity(overlay.nodes.len());
        for node in &overlay.nodes {
            let inside = bytes.get(node.start as usize..node.end as usize).unwrap_or_default();
            let first = inside.iter().position(|byte| !is_blank(*byte));
            let last = inside.iter().rposition(|byte| !is_blank(*byte));
            let (Some(first), Some(last)) = (first, last) else {
                made.push(None);
                continue;
            };
            let number = nodes.len();
            if let Some(Some(parent)) = made.get(node.parent as usize) {
                nodes[*parent].children.push(number);
            } else if node.parent != NONE {
                made.push(None);
                continue;
            }
            nodes.push(Shrunk {
                start: node.start + first as u32,
                end: node.start + last as u32 + 1,
                children: Vec::new(),
            });
            made.push(Some(number));
        }
        (!nodes.is_empty()).then_some(Tree { nodes })
    }

    /// Finds the deepest node or gap at a position. Ranges include both ends.
    fn find(&self, at: u32) -> Option<At> {
        let mut number = 0;
        let root = &self.nodes[0];
        if at < root.start || at > root.end {
            return None;
        }
        loop {
            let node = &self.nodes[number];
            if node.children.is_empty() {
                return Some(At::Leaf { start: node.start, end: node.end });
            }
            // The first child that reaches the position.
            let next = node.children.partition_point(|child| self.nodes[*child].end < at);
            match node.children.get(next) {
                Some(child) if self.nodes[*child].start <= at => number = *child,
                _ => {
                    let start = next.checked_sub(1).map_or(node.start, |before| self.nodes[node.children[before]].end);
                    let end = node.children.get(next).map_or(node.end, |child| self.nodes[*child].start);
                    return Some(At::Gap {
                        parent: number,
                        start,
                        end,
                        first: next == 0,
                        last: next == node.children.len(),
                    });
                }
            }
        }
    }

    /// Returns the gap before the first child of a node or behind its last; that child if there is no gap.
    fn outermost(&self, of: usize, first: bool) -> (u32, u32) {
        let node = &self.nodes[of];
        let child = if first { node.children.first() } else { node.children.last() };
        let Some(child) = child.map(|child| &self.nodes[*child]) else { return (node.start, node.end) };
        let gap = if first { (node.start, child.start) } else { (child.end, node.end) };
        if gap.0 < gap.1 { gap } else { (child.start, child.end) }
    }
}

struct Selected<'s> {
    source: &'s Source<'s>,
    tree: Tree,
    start: u32,
    end: u32,
}

impl Selected<'_> {
    fn byte(&self, at: u32) -> Option<u8> {
        self.source.text().as_bytes().get(at as usize).copied()
    }

    fn holds_text(&self, start: u32, end: u32) -> bool {
        self.source.slice(start, end).bytes().any(|byte| !is_blank(byte))
    }

    /// Selects the nearest character of the line if the selection is blank.
    fn widen_blank(&mut self) {
        if self.holds_text(self.start, self.end) {
            return;
        }
        let text = self.source.text();
        let (mut left, mut right) = (Some(self.start), Some(self.end));
        while left.is_some() || right.is_some() {
            if let Some(at) = right {
                right = match text.get(at as usize..).and_then(|rest| rest.chars().next()) {
                    None | Some('\n' | '\r') => None,
                    Some(' ' | '\t') => Some(at + 1),
                    Some(found) => {
                        (self.start, self.end) = (at, at + found.len_utf8() as u32);
                        return;
                    }
                };
            }
            if let Some(at) = left {
                left = match text.get(..at as usize).and_then(|rest| rest.chars().next_back()) {
                    None | Some('\n' | '\r') => None,
                    Some(' ' | '\t') => Some(at - 1),
                    Some(found) => {
                        (self.start, self.end) = (at - found.len_utf8() as u32, at);
                        return;
                    }
                };
            }
        }
    }

    fn skip_line_feed(&mut self) {
        let behind_feed = self.start > 0 && self.byte(self.start - 1) == Some(b'\n');
        if self.start < self.end && self.byte(self.start) == Some(b'\n') && !behind_feed {
            self.start += 1;
        }
    }

    fn extend_start(&mut self) {
        while self.start > 0 && matches!(self.byte(self.start - 1), Some(b' ' | b'\t')) {
            self.start -= 1;
        }
    }

    fn extend_end(&mut self) {
        if self.end > 0 && self.byte(self.end - 1) == Some(b'\n') {
            return;
        }
        while matches!(self.byte(self.end), Some(b' ' | b'\t')) {
            self.end += 1;
        }
    }

    /// Extends the selection once at both ends. Returns whether it changed.
    fn round(&mut self) -> bool {
        let before = (self.start, self.end);
        let any = self.holds_text(self.start, self.end);
        match self.tree.find(self.start) {
            Some(At::Leaf { start, .. }) if any && start < self.start => {
                self.start = start;
                self.extend_start();
            }
            Some(At::Gap { parent, start, end, first, .. }) => {
                let other = self.tree.outermost(parent, false);
                let here = self.selects(start, end);
                let there = first && self.selects(other.0, other.1);
                if (here || there)
                    && let Some((from, _)) = self.text_of(start, end)
                {
                    if from < self.start {
                        self.start = from;
                        self.extend_start();
                    }
                    if first
                        && let Some((_, to)) = self.text_of(other.0, other.1)
                        && to > self.end
                    {
                        self.end = to;
                        self.extend_end();
                    }
                }
            }
            _ => {}
        }
        let any = any || self.holds_text(self.start, self.end);
        match self.tree.find(self.end) {
            Some(At::Leaf { end, .. }) if any && end > self.end => {
                self.end = end;
                self.extend_end();
            }
            Some(At::Gap { parent, start, end, last, .. }) => {
                let other = self.tree.outermost(parent, true);
                let here = self.selects(start, end);
                let there = last && self.selects(other.0, other.1);
                if (here || there)
                    && let Some((_, to)) = self.text_of(start, end)
                {
                    if to > self.end {
                        self.end = to;
                        self.extend_end();
                    }
                    if last
                        && let Some((from, _)) = self.text_of(other.0, other.1)
                        && from < self.start
                    {
                        self.start = from;
                        self.extend_start();
                    }
                }
            }
            _ => {}
        }
        before != (self.start, self.end)
    }

    /// Returns whether the selection contains text of a stretch.
    fn selects(&self, start: u32, end: u32) -> bool {
        let (start, end) = (start.max(self.start), end.min(self.end));
        start < end && self.holds_text(start, end)
    }

    /// Returns a gap without the blanks around it. A carriage return is no blank here.
    fn text_of(&self, start: u32, end: u32) -> Option<(u32, u32)> {
        let inside = self.source.slice(start, end).as_bytes();
        let is_text = |byte: &u8| !matches!(byte, b' ' | b'\t' | b'\n');
        let first = inside.iter().position(is_text)?;
        let last = inside.iter().rposition(is_text)?;
        Some((start + first as u32, start + last as u32 + 1))
    }
}

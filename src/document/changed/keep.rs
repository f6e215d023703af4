//! Decides which lines of a changed file each step of the ladder keeps.

use std::ops::Range;

use super::lines::Lines;
use super::{File, Step};
use crate::document::comment_syntax;
use crate::document::outline::Item;
use crate::document::syntax::NONE;

/// The lines of context around a change, as in diffs.
const CONTEXT: u32 = 3;
/// The maximum number of lines of a statement that is kept whole for one changed line.
const LONG_STATEMENT: u32 = 24;

/// A file with an index that finds the lines around a change in constant time.
pub(super) struct Layout<'f> {
    file: &'f File<'f>,
    pub lines: Lines<'f>,
    /// The lines of each definition.
    ranges: Vec<Range<u32>>,
    /// For each line the innermost definition, or [`NONE`].
    owners: Vec<u32>,
    /// For each line the innermost node of the overlay, or [`NONE`].
    nodes: Vec<u32>,
    node_ranges: Vec<Range<u32>>,
    /// Whether each node of the overlay has children.
    inner: Vec<bool>,
    /// The lines that are never left out, ascending; no two ranges touch.
    must: Vec<Range<u32>>,
}

impl<'f> Layout<'f> {
    pub fn new(file: &'f File<'f>) -> Layout<'f> {
        let lines = Lines::new(file.text);
        let count = lines.written();
        let range = |start: u32, end: u32| {
            let inside = file.text.get(start as usize..end as usize).unwrap_or_default();
            let blank = (inside.len() - inside.trim_start().len()) as u32;
            let written = inside.trim_end().len() as u32;
            if written <= blank { lines.range(start, end) } else { lines.range(start + blank, start + written) }
        };
        let ranges: Vec<Range<u32>> = file.items.iter().map(|item| range(item.start, item.end)).collect();
        let overlay = &file.overlay.nodes;
        let mut node_ranges: Vec<Range<u32>> = overlay.iter().map(|node| range(node.start, node.end)).collect();
        if let Some(root) = node_ranges.first_mut() {
            *root = 0..0;
        }
        let mut inner = vec![false; overlay.len()];
        overlay.iter().skip(1).for_each(|node| inner[node.parent as usize] = true);
        let owners = innermost(&ranges, count);
        let nodes = innermost(&node_ranges, count);
        Layout { file, owners, nodes, ranges, node_ranges, inner, must: must(file, count), lines }
    }

    /// Returns the lines that are never left out.
    pub fn must(&self) -> &[Range<u32>] {
        &self.must
    }

    /// Returns the lines that a step keeps, ascending; no two ranges touch.
    pub fn kept(&self, step: Step) -> Vec<Range<u32>> {
        let count = self.lines.written();
        let mut keep = Keep {
            layout: self,
            marks: vec![0; count as usize + 1],
            framed: vec![false; self.ranges.len()],
            wholes: vec![false; self.ranges.len()],
            nodes: vec![false; self.inner.len()],
        };
        match step {
            Step::Whole => keep.mark(&(0..count)),
            Step::Dropped => {}
            _ => {
                for must in &self.must {
                    keep.mark(must);
                    for line in must.clone() {
                        keep.line(line, step);
                    }
                }
            }
        }
        keep.ranges()
    }

    fn item(&self, at: u32) -> Option<&Item> {
        self.file.items.get(at as usize)
    }

    /// Returns the definition of a line that is read as a whole: for a field, its owner.
    fn target(&self, line: u32) -> u32 {
        let owner = self.owners.get(line as usize).copied().unwrap_or(NONE);
        let Some(item) = self.item(owner) else { return NONE };
        let data = self.item(item.parent).is_some_and(|parent| parent.category.is_data());
        if data && !item.category.runs() && !item.category.holds() { item.parent } else { owner }
    }

    /// Returns the lines of the head of a definition, without the comments above it.
    fn head(&self, at: u32) -> Range<u32> {
        let Some(item) = self.item(at) else { return 0..0 };
        let first = self.lines.of(item.code);
        if item.head >= item.end {
            return first..first + 1;
        }
        let written = self.text(item.code, item.head).trim_end().len() as u32;
        self.lines.range(item.code, item.code + written.max(1))
    }

    /// Returns the lines that close a definition.
    fn tail(&self, at: u32) -> Range<u32> {
        let Some(item) = self.item(at) else { return 0..0 };
        if item.head >= item.end {
            // A definition without a body is closed by its last line, if at all.
            let last = self.lines.of(item.end.saturating_sub(1).max(item.start));
            let closes = self.lines.line(last).trim_start().starts_with(['}', ']', ')']);
            return if closes { last..last + 1 } else { 0..0 };
        }
        let tail = self.text(item.tail, item.end);
        let blank = (tail.len() - tail.trim_start().len()) as u32;
        if blank as usize == tail.len() { 0..0 } else { self.lines.range(item.tail + blank, item.end) }
    }

    fn text(&self, start: u32, end: u32) -> &'f str {
        self.file.text.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// Returns the changed lines. Where lines were only removed, these are the lines on both sides of the place.
fn must(file: &File<'_>, count: u32) -> Vec<Range<u32>> {
    let mut found: Vec<Range<u32>> = Vec::new();
    let mut changes: Vec<(u32, u32)> = file.changes.iter().map(|change| (change.start, change.end)).collect();
    crate::rank::sort(&mut changes, |(start, end)| crate::rank::pair(*start, *end));
    for (start, end) in changes {
        let range = if start == end { start.saturating_sub(1)..start + 1 } else { start..end };
        let range = range.start.min(count)..range.end.min(count);
        match found.last_mut() {
            _ if range.is_empty() => {}
            Some(last) if last.end >= range.start => last.end = last.end.max(range.end),
            _ => found.push(range),
        }
    }
    found
}

/// Returns for each line the last range that contains it. Ranges are in preorder.
fn innermost(ranges: &[Range<u32>], count: u32) -> Vec<u32> {
    let mut found = Vec::with_capacity(count as usize);
    let mut open: Vec<u32> = Vec::new();
    let mut next = 0;
    for line in 0..count {
        while open.last().is_some_and(|at| ranges[*at as usize].end <= line) {
            open.pop();
        }
        while let Some(range) = ranges.get(next).filter(|range| range.start <= line) {
            if range.end > line {
                open.push(next as u32);
            }
            next += 1;
        }
        found.push(open.last().copied().unwrap_or(NONE));
    }
    found
}

struct Keep<'k, 'f> {
    layout: &'k Layout<'f>,
    /// The number of kept stretches that begin at each line, minus the number that end there.
    marks: Vec<i32>,
    framed: Vec<bool>,
    wholes: Vec<bool>,
    nodes: Vec<bool>,
}

impl Keep<'_, '_> {
    fn mark(&mut self, lines: &Range<u32>) {
        let last = self.marks.len() as u32 - 1;
        let (start, end) = (lines.start.min(last), lines.end.min(last));
        if start < end {
            self.marks[start as usize] += 1;
            self.marks[end as usize] -= 1;
        }
    }

    fn ranges(self) -> Vec<Range<u32>> {
        let mut found: Vec<Range<u32>> = Vec::new();
        let mut depth = 0;
        for (line, mark) in (0..).zip(&self.marks) {
            let before = depth;
            depth += mark;
            match (before > 0, depth > 0) {
                (false, true) => found.push(line..line),
                (true, false) => found.iter_mut().next_back().into_iter().for_each(|last| last.end = line),
                _ => {}
            }
        }
        found
    }

    fn line(&mut self, line: u32, step: Step) {
        let target = self.layout.target(line);
        let item = self.layout.item(target);
        let loose = item.is_none_or(|item| item.category.holds());
        match step {
            Step::Definitions if !loose && !std::mem::replace(&mut self.wholes[target as usize], true) => {
                self.mark(&self.layout.ranges[target as usize]);
            }
            Step::Definitions => self.around(line, target, CONTEXT),
            Step::Statements => {
                self.around(line, target, if loose { 1 } else { CONTEXT });
                self.blocks(line);
            }
            _ => {}
        }
        if step != Step::Changes {
            self.frame(self.layout.owners.get(line as usize).copied().unwrap_or(NONE));
        }
    }

    /// Keeps lines of context within a definition, and the statement of a line.
    fn around(&mut self, line: u32, target: u32, context: u32) {
        let bounds = match self.layout.ranges.get(target as usize) {
            Some(range) => range.clone(),
            None => 0..self.layout.lines.written(),
        };
        let first = line.saturating_sub(context).max(bounds.start);
        self.mark(&(first..(line + 1 + context).min(bounds.end)));
        let node = self.layout.nodes[line as usize];
        if self.layout.inner.get(node as usize) == Some(&false) {
            let range = self.layout.node_ranges[node as usize].clone();
            if range.len() as u32 <= LONG_STATEMENT {
                self.mark(&range);
            }
        }
    }

    /// Keeps the first and the last lines of the blocks around a line.
    fn blocks(&mut self, line: u32) {
        let layout = self.layout;
        let comments = comment_syntax::of(layout.file.language);
        let mut at = layout.nodes[line as usize];
        while let Some(node) = layout.file.overlay.nodes.get(at as usize).filter(|node| node.parent != NONE) {
            if std::mem::replace(&mut self.nodes[at as usize], true) {
                break;
            }
            let range = layout.node_ranges[at as usize].clone();
            let first = layout.lines.line(range.start).trim_start();
            let says = comments.line.into_iter().chain(comments.block.map(|(open, _)| open));
            if layout.inner[at as usize] && !says.into_iter().any(|comment| first.starts_with(comment)) {
                self.mark(&(range.start..range.start + 1));
                let last = layout.lines.line(range.end - 1).trim_start();
                if last.starts_with(['}', ']', ')']) || last.starts_with("end") {
                    self.mark(&(range.end - 1..range.end));
                }
            }
            at = node.parent;
        }
    }

    /// Keeps the heads and ends of a definition and of the definitions around it.
    fn frame(&mut self, mut at: u32) {
        while let Some(framed) = self.framed.get_mut(at as usize) {
            if std::mem::replace(framed, true) {
                return;
            }
            self.mark(&self.layout.head(at));
            self.mark(&self.layout.tail(at));
            at = self.layout.file.items[at as usize].parent;
        }
    }
}

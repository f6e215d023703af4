//! Decides what shows around a selection if the nodes around it do not fit: first the rows that open and close them,
//! then the nearest rows.
//!
//! Indentation tells which rows open and close a block. The nodes of an overlay do not, since they are statements: a
//! literal of 4,000 lines is a single node.

use super::super::syntax::NONE;
use super::fill::{Fill, LONG};
use super::sheet::Sheet;
use crate::error::Result;

/// The maximum depth to which rows are treated as nested.
pub(super) const DEPTH: usize = 32;

impl Fill<'_, '_> {
    /// Shows the nodes around the selection: whole if they fit, otherwise as much as fits, from the selection outwards.
    pub(super) fn around(&mut self, at: usize, selection: (u32, u32)) -> Result<()> {
        let page = self.sheets[at].page;
        let mut ends = vec![page.row_of(selection.0), page.row_of(selection.1.max(selection.0 + 1) - 1)];
        ends.dedup();
        let (Some(first), Some(last)) = (ends.first().copied(), ends.last().copied()) else { return Ok(()) };
        if page.rows.is_empty() {
            return Ok(());
        }
        let tops = [first, last].map(|row| self.sheets[at].top(page.owners[row as usize]));
        self.sheets[at].read(&tops);
        let whole = self.attempt_part(at, &[(first, last + 1)]);
        if !whole {
            self.want_markers(at)?;
        }
        let sheet = &mut self.sheets[at];
        let mut leaves: Vec<u32> = sheet.tree.touched(selection).map(|leaf| sheet.page.own[leaf as usize]).collect();
        crate::rank::sort(&mut leaves, |leaf| u64::from(*leaf));
        leaves.dedup();
        let mut nodes = leaves.clone();
        let mut seen = vec![false; sheet.tree.nodes.len()];
        for leaf in leaves {
            let mut above = sheet.page.above[leaf as usize];
            while above != NONE && !std::mem::replace(&mut seen[above as usize], true) {
                nodes.push(above);
                above = sheet.page.above[above as usize];
            }
        }
        // Parents come first.
        crate::rank::sort(&mut nodes, |node| u64::from(*node));
        nodes.dedup();
        for node in &nodes {
            sheet.chosen[*node as usize] = true;
        }
        if self.attempt_nodes(at, &nodes) {
            return Ok(());
        }
        self.want_markers(at)?;
        let around = self.sheets[at].layout.needs.borrow().around(first, last);
        if !(self.attempt_part(at, &around) && whole) {
            self.lacks[at] = Some(self.sheets[at].lacking().len());
        }
        // The rows that open and close a node come before its content: half of such a pair is misread. A short node
        // shows whole.
        let mut left: Vec<(u32, bool)> = Vec::new();
        for node in nodes {
            let short = self.sheets[at].own(node) * LONG <= self.budget;
            if !(short && self.attempt_nodes(at, &[node])) {
                left.push((node, self.frame(at, node)));
            }
        }
        left.retain(|(node, _)| !self.attempt_nodes(at, &[*node]));
        self.cut.extend(left.iter().map(|(node, _)| (at, *node)));
        // The nearest node comes first.
        for (number, (node, framed)) in left.into_iter().rev().enumerate() {
            for row in ends.iter().copied() {
                let stretches = self.sheets[at].stretches(node);
                if page.above[node as usize] == NONE {
                    self.rows_around(at, node, stretches, row);
                } else if number < DEPTH && (framed || !clip(stretches, (row, row + 1)).is_empty()) {
                    self.inwards(at, node, row, true);
                }
            }
        }
        Ok(())
    }

    /// Shows the rows that open and close a node and the rows with their indentation, or only the first and the last
    /// row. Returns whether they show.
    fn frame(&mut self, at: usize, node: u32) -> bool {
        let sheet = &self.sheets[at];
        let stretches = sheet.stretches(node);
        let (Some((first, until)), Some((_, end))) = (stretches.first().copied(), stretches.last().copied()) else {
            return true;
        };
        // The root opens nothing.
        if sheet.page.above[node as usize] == NONE {
            return false;
        }
        let open = sheet.opening(first, end);
        let outer = sheet.outer(open);
        let until = if stretches.len() > 1 { until } else { open };
        let head = (open..until).rev().find(&outer).unwrap_or(open) + 1;
        let rows = stretches.iter().flat_map(|(from, to)| *from..*to).filter(|row| *row >= head && outer(row));
        let mut all: Vec<(u32, u32)> = [(open, head)].into_iter().chain(rows.map(|row| (row, row + 1))).collect();
        // The last row of a block comment can be indented, and without it the rest of the file would be a comment.
        if sheet.opens_comment(open) && all.last().is_none_or(|(_, to)| *to < end) {
            all.push((end - 1, end));
        }
        self.attempt_part(at, &all) || open + 1 < end && self.attempt_part(at, &[(open, open + 1), (end - 1, end)])
    }

    /// Shows what fits of a node around a row: first the rows that open and close the blocks around it, then blocks,
    /// the nearest first.
    ///
    /// A row that opens a block shows without the row that closes it only if `halves` is set.
    pub(super) fn inwards(&mut self, at: usize, node: u32, row: u32, halves: bool) {
        let page = self.sheets[at].page;
        let stretches = self.sheets[at].stretches(node);
        let ends = (stretches.first().copied(), stretches.last().copied());
        let (Some((mut from, _)), Some((_, mut to))) = ends else { return };
        let mut around: Vec<Vec<(u32, u32)>> = Vec::new();
        for _ in 0..DEPTH {
            let (here, others): (Vec<_>, Vec<_>) =
                page.blocks(from, to).into_iter().partition(|(from, to)| (*from..*to).contains(&row));
            around.push(others);
            let Some((start, end)) = here.first().copied() else { break };
            if self.attempt_block(at, node, (start, end)) {
                break;
            }
            let own = clip(stretches, (start, end));
            let outer = self.sheets[at].outer(start);
            let rows = own.iter().flat_map(|(from, to)| *from..*to);
            if !self.attempt_part(at, &rows.filter(&outer).map(|row| (row, row + 1)).collect::<Vec<_>>()) {
                if halves {
                    self.rows_around(at, node, &own, row);
                }
                break;
            }
            // The block around the row. For a row of the frame, the block that it opens or closes.
            let inside = |row: &u32| !outer(row);
            let next = if inside(&row) || row + 1 == end { row } else { row + 1 };
            from = (start..next).rev().take_while(inside).last().unwrap_or(next);
            to = (next..end).take_while(inside).last().map_or(next, |row| row + 1);
            if from == to {
                break;
            }
        }
        for blocks in around.into_iter().rev() {
            self.outwards(at, node, blocks, row, true);
        }
    }

    /// Shows rows of a node and everything in them, except rows that must not show.
    fn attempt_block(&mut self, at: usize, node: u32, block: (u32, u32)) -> bool {
        let sheet = &self.sheets[at];
        if sheet.bans() {
            self.attempt(at, &clip(sheet.stretches(node), block))
        } else {
            self.attempt_part(at, &[block])
        }
    }

    /// Returns the candidates outside the nodes that were cut. Candidates within them show with their surroundings, not
    /// by themselves.
    pub(super) fn outside(&self, mut candidates: Vec<(u64, u32, u32)>) -> Vec<(u64, u32, u32)> {
        if self.cut.is_empty() {
            return candidates;
        }
        let mut cut: Vec<Vec<bool>> = self.sheets.iter().map(|sheet| vec![false; sheet.tree.nodes.len()]).collect();
        for (at, node) in &self.cut {
            cut[*at][*node as usize] = self.sheets[*at].page.above[*node as usize] != NONE;
        }
        // Parents come first.
        for (sheet, cut) in self.sheets.iter().zip(&mut cut) {
            for node in (0..cut.len()).filter(|node| !sheet.chosen[*node]) {
                cut[node] = cut.get(sheet.page.above[node] as usize) == Some(&true);
            }
        }
        candidates.retain(|(_, at, node)| !cut[*at as usize][*node as usize]);
        candidates
    }

    /// Shows rows of a node outwards from one of them, as far as they fit.
    pub(super) fn rows_around(&mut self, at: usize, node: u32, stretches: &[(u32, u32)], first: u32) {
        let rows = stretches.iter().flat_map(|(from, to)| *from..*to).map(|row| (row, row + 1));
        self.outwards(at, node, rows.collect(), first, false);
    }

    /// Shows blocks of a node, the nearest to a row first. If a block does not fit, it is skipped, or ends its side
    /// unless `passes` is set.
    fn outwards(&mut self, at: usize, node: u32, blocks: Vec<(u32, u32)>, row: u32, passes: bool) {
        let (mut below, mut above): (Vec<_>, Vec<_>) = blocks.into_iter().partition(|(from, _)| *from >= row);
        below.reverse();
        // Blocks are taken from the ends of both lists in turn.
        while !(above.is_empty() && below.is_empty()) {
            for side in [&mut above, &mut below] {
                let Some(block) = side.pop() else { continue };
                if !self.attempt_block(at, node, block) && !passes {
                    side.clear();
                }
            }
        }
    }
}

impl<'d> Sheet<'d> {
    /// Returns whether a row begins with a block comment.
    fn opens_comment(&self, row: u32) -> bool {
        let Some(row) = self.page.rows.get(row as usize) else { return false };
        self.page.slice(row.start, row.end).trim_start().starts_with("/*")
    }

    /// Returns the outermost node around a node, below the root.
    fn top(&self, node: u32) -> u32 {
        let above = |node: u32| self.page.above[node as usize];
        let mut top = node;
        while above(top) != NONE && above(above(top)) != NONE {
            top = above(top);
        }
        top
    }

    /// Returns whether rows are indented no more than `one` is.
    fn outer(&self, one: u32) -> impl Fn(&u32) -> bool + use<'d> {
        let page = self.page;
        let least = page.indent(one).len();
        move |row| page.indent(*row).len() <= least
    }
}

/// Returns the parts of stretches within a range.
fn clip(stretches: &[(u32, u32)], (from, to): (u32, u32)) -> Vec<(u32, u32)> {
    let first = stretches.partition_point(|(_, end)| *end <= from);
    let within = stretches.iter().skip(first).take_while(|(start, _)| *start < to);
    within.map(|(start, end)| (*start.max(&from), *end.min(&to))).collect()
}

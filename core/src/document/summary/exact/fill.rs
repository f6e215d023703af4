//! Which rows show: first what is selected and what it stands in, then nodes in the order of their cost as long as any of them fits.

use super::super::super::syntax::NONE;
use super::sheet::{Part, Sheet};
use super::{Document, exceeded};
use crate::error::{Contributor, Result};

/// How often everything that did not fit is tried again. What fits late, because a marker went, hardly ever makes room for more.
const ROUNDS: usize = 8;

pub(super) struct Fill<'s, 'd> {
    pub(super) sheets: &'s mut [Sheet<'d>],
    /// For each document the nodes that did not fit in this round.
    refused: Vec<Vec<bool>>,
    pub(super) budget: i64,
    pub(super) total: i64,
    /// A node and what it stands in, while it is looked at: one list for all.
    chain: Vec<u32>,
    /// Documents and rows that stand over a list that was cut, where there may have been no room for them.
    over: Vec<(usize, (u32, u32))>,
    /// Documents and nodes of which only some shows, around a selection.
    pub(super) cut: Vec<(usize, u32)>,
}

/// Fills documents that are empty so far; `candidates` are cost, document and node, the cheapest first.
///
/// # Errors
/// [`Code::BudgetExceeded`](crate::error::Code::BudgetExceeded) if the markers alone do not fit, or with what is selected; with sheets on
/// which shorter stretches may have a marker it can go well.
pub(super) fn fill(
    sheets: &mut [Sheet<'_>],
    documents: &[Document<'_>],
    candidates: &[(u64, u32, u32)],
    budget: i64,
) -> Result<()> {
    let total = sheets.iter().map(|sheet| sheet.total).sum();
    if total > budget {
        let marks = sheets.iter().zip(documents).map(|(sheet, document)| Contributor {
            id: document.name.into(),
            tokens: sheet.total.max(0) as u64,
            why: "the marker of everything that is left out",
        });
        return Err(exceeded(budget, total, marks.collect()));
    }
    let refused = sheets.iter().map(|sheet| vec![false; sheet.tree.nodes.len()]).collect();
    let mut fill = Fill { sheets, refused, budget, total, chain: Vec::new(), over: Vec::new(), cut: Vec::new() };
    for (at, document) in documents.iter().enumerate() {
        if let Some(selection) = document.selection {
            fill.select(at, selection, document.name)?;
        }
    }
    for (at, document) in documents.iter().enumerate() {
        if let Some(selection) = document.selection {
            fill.around(at, selection)?;
        }
    }
    let mut waiting = fill.rounds(fill.outside(candidates.to_vec()));
    // Few markers while there is much to choose from, then as many as it takes to use what is left, if there is room for one.
    let marker = fill.sheets.iter().map(|sheet| sheet.longest()).min().unwrap_or(0);
    if fill.budget - fill.total >= marker && fill.sheets.iter().any(|sheet| sheet.worth > 1) {
        fill.sheets.iter_mut().for_each(|sheet| sheet.settle(1));
        waiting = fill.rounds(waiting);
    }
    let (before, count) = (fill.total, waiting.len());
    let waiting = fill.parts(waiting);
    // Nothing fits that did not before, unless something was cut.
    if fill.total != before || waiting.len() != count {
        fill.rounds(waiting);
        for (at, rows) in std::mem::take(&mut fill.over) {
            fill.attempt(at, &[rows]);
        }
    }
    Ok(())
}

impl<'d> Fill<'_, 'd> {
    /// Shows stretches of rows, in their order, if all of them fit.
    pub(super) fn attempt(&mut self, at: usize, stretches: &[(u32, u32)]) -> bool {
        let sheet = &mut self.sheets[at];
        let added = sheet.added(stretches);
        let fits = self.total + added <= self.budget;
        if fits {
            sheet.show(stretches, added);
            self.total += added;
        }
        fits
    }

    /// Shows nodes, if all of them fit.
    pub(super) fn attempt_nodes(&mut self, at: usize, nodes: &[u32]) -> bool {
        let sheet = &self.sheets[at];
        if let [node] = nodes {
            return self.attempt(at, sheet.stretches(*node));
        }
        let mut stretches: Vec<(u32, u32)> = Vec::new();
        nodes.iter().for_each(|node| stretches.extend(sheet.stretches(*node)));
        crate::rank::sort(&mut stretches, |(from, _)| u64::from(*from));
        self.attempt(at, &stretches)
    }

    /// Shows what is selected.
    fn select(&mut self, at: usize, selection: (u32, u32), name: &str) -> Result<()> {
        let sheet = &self.sheets[at];
        if sheet.rows() == 0 {
            return Ok(());
        }
        let (start, end) = selection;
        let first = sheet.page.row_of(start);
        // The line behind the last line break is not selected.
        let last = sheet.page.row_of(if end > start { end - 1 } else { end }).max(first);
        if self.attempt(at, &[(first, last + 1)]) {
            return Ok(());
        }
        self.want_markers(at)?;
        let (room, before) = (self.budget - self.total, self.sheets[at].total);
        let sheet = &mut self.sheets[at];
        if let Some(needed) = sheet.show_part((first, last), (start, end), before + room) {
            // A cursor asks for nothing in particular.
            if start == end {
                return Ok(());
            }
            let count = sheet.sum(first, last + 1).max(0) as u64;
            let largest = vec![Contributor { id: name.into(), tokens: count, why: "selected" }];
            return Err(exceeded(self.budget, self.total - before + needed, largest));
        }
        self.total += sheet.total - before;
        Ok(())
    }

    /// An error where more markers could make room for what is selected: it is worth more than having few of them.
    pub(super) fn want_markers(&self, at: usize) -> Result<()> {
        if self.sheets[at].worth > 1 { Err(exceeded(self.budget, self.total, Vec::new())) } else { Ok(()) }
    }

    /// Takes candidates in their order, again and again until nothing more fits; gives those that did not.
    fn rounds(&mut self, mut waiting: Vec<(u64, u32, u32)>) -> Vec<(u64, u32, u32)> {
        for _ in 0..ROUNDS {
            let before = waiting.len();
            self.refused.iter_mut().for_each(|refused| refused.fill(false));
            waiting.retain(|(_, at, node)| !self.take(*at as usize, *node));
            if waiting.len() == before {
                break;
            }
        }
        waiting
    }

    /// Takes a node, and what it stands in. True if it shows now, or did.
    fn take(&mut self, at: usize, node: u32) -> bool {
        let sheet = &self.sheets[at];
        if sheet.chosen[node as usize] {
            return true;
        }
        let mut above = sheet.page.above[node as usize];
        // Nearly all that waits while little is left ends here.
        if sheet.is_open(above) && self.total + sheet.least(node) > self.budget {
            self.refused[at][node as usize] = true;
            return false;
        }
        let mut nodes = std::mem::take(&mut self.chain);
        nodes.clear();
        nodes.push(node);
        let mut refused = false;
        while !refused && !sheet.is_open(above) {
            refused = self.refused[at][above as usize];
            nodes.push(above);
            above = sheet.page.above[above as usize];
        }
        let taken = !refused && self.attempt_nodes(at, &nodes);
        if taken {
            for node in &nodes {
                self.sheets[at].chosen[*node as usize] = true;
            }
        } else {
            self.refused[at][node as usize] = true;
        }
        self.chain = nodes;
        taken
    }

    /// Cuts down what could never fit whole: roots, and nodes that are longer than the budget; gives the candidates that still wait.
    fn parts(&mut self, waiting: Vec<(u64, u32, u32)>) -> Vec<(u64, u32, u32)> {
        let mut left = Vec::with_capacity(waiting.len());
        let mut cut = Vec::new();
        for (cost, at, node) in waiting {
            let sheet = &self.sheets[at as usize];
            let above = sheet.page.above[node as usize];
            let too_long = above == NONE || sheet.own(node) * LONG > self.budget;
            if !(too_long && sheet.is_open(above) && !sheet.chosen[node as usize]) {
                left.push((cost, at, node));
                continue;
            }
            if let Some(open) = self.begin(at as usize, node) {
                cut.push((at, node, open));
            }
        }
        // What stands in a list that is cut shows with it, not by itself.
        if !cut.is_empty() {
            let mut inside: Vec<Vec<Option<u32>>> =
                self.sheets.iter().map(|sheet| vec![None; sheet.tree.nodes.len()]).collect();
            for (at, node, open) in cut {
                inside[at as usize][node as usize] = Some(open);
            }
            // Parents come first; those that are cut do not wait any more. A comment over a list is not in it.
            for (sheet, inside) in self.sheets.iter().zip(&mut inside) {
                for node in 0..inside.len() {
                    let around = inside.get(sheet.page.above[node] as usize).copied().flatten();
                    let row = sheet.stretches(node as u32).first().map(|(from, _)| *from);
                    inside[node] = inside[node].or(around.filter(|open| row.is_none_or(|row| row > *open)));
                }
            }
            left.retain(|(_, at, node)| inside[*at as usize][*node as usize].is_none());
        }
        left
    }

    /// Shows the beginning of a node that does not fit, and where it is a whole table or the like its end. Of a list that has other nodes in
    /// it, gives the row in which it opens.
    fn begin(&mut self, at: usize, node: u32) -> Option<u32> {
        let sheet = &self.sheets[at];
        let root = sheet.page.above[node as usize] == NONE;
        let must = root || sheet.own(node) > self.budget;
        let nothing = sheet.shown_rows().next().is_none();
        let stretches = sheet.stretches(node);
        let (Some((first, _)), Some((_, end))) = (stretches.first().copied(), stretches.last().copied()) else {
            self.sheets[at].chosen[node as usize] = must;
            return None;
        };
        let start = sheet.page.rows[first as usize].start;
        // Half of a head, or of a statement, is of no use to anybody.
        let open = sheet.opening(first, end);
        let is_table = stretches.len() == 1 || sheet.is_list(node, open, sheet.sum(first, end));
        let table = !root && is_table && end - open > 2;
        let frame = |from: u32| [(from, open + 1), (end - 1, end)];
        if table && (self.attempt(at, &frame(first)) || self.attempt(at, &frame(open))) {
            let blocks = self.sheets[at].page.blocks(open + 1, end - 1);
            let fit = blocks.iter().filter(|block| self.attempt(at, &[**block])).count();
            // All that it holds: without anything of it a pair of brackets can be none at all.
            if let ([(from, _)], 0) = (&blocks[..], fit) {
                self.inwards(at, node, *from, false);
            }
            self.over.push((at, (first, open)));
            self.sheets[at].chosen[node as usize] = true;
            return (stretches.len() > 1).then_some(open);
        } else if !must {
            return None;
        } else if root {
            let first = self.sheets[at].page.row_of(start);
            self.rows_around(at, node, stretches, first);
            self.sheets[at].chosen[node as usize] = true;
        }
        let sheet = &mut self.sheets[at];
        // Not even a line: some of it, if there is nothing else.
        if nothing && sheet.part.is_none() && sheet.shown_rows().next().is_none() {
            let before = sheet.total;
            let room = before + self.budget - self.total;
            if sheet.show_part((first, first), (start, start), room).is_none() {
                self.total += self.sheets[at].total - before;
            }
        }
        None
    }
}

/// A node with at least this part of the budget is cut down where it does not fit whole.
pub(super) const LONG: i64 = 8;

impl Sheet<'_> {
    /// The first of some rows that is no comment, attribute or the like; the first of all if there is none.
    pub(super) fn opening(&self, from: u32, to: u32) -> u32 {
        let text = |row: u32| self.page.rows.get(row as usize).map_or("", |row| self.page.slice(row.start, row.end));
        let is_note = |row: &u32| text(*row).trim_start().starts_with(['#', '@', '*', '/']);
        (from..to).find(|row| !is_note(row)).unwrap_or(from)
    }

    /// True if a node is a list in braces or brackets that opens in a row, and at least a quarter of it (which counts so much) its own, whatever
    /// stands in it.
    fn is_list(&self, node: u32, open: u32, count: i64) -> bool {
        let row = self.page.rows[open as usize];
        let opens = self.page.slice(row.start, row.end).trim_end().ends_with(['{', '[']);
        opens && self.own(node) * 4 >= count
    }

    /// Shows so much of rows that are too long as is selected, and what fits around it: `most` is what the document may count. If that
    /// is too little, nothing is changed, and what would be needed is given.
    fn show_part(&mut self, (first, last): (u32, u32), (start, end): (u32, u32), most: i64) -> Option<i64> {
        let text = self.page.text;
        let line = self.page.line_of(start) as usize;
        let left = self.page.starts.get(line).copied().unwrap_or(0);
        let line = self.page.line_of(if end > start { end - 1 } else { end }) as usize;
        let right = self.page.starts.get(line + 1).copied().unwrap_or(text.len() as u32);
        let inside = self.page.slice(end.min(right), right);
        let right_text = end.min(right) + inside.trim_end_matches(['\r', '\n']).len() as u32;
        let rows = &self.page.rows;
        let (top, bottom) = (rows[first as usize].start, rows[last as usize].end);
        let part = |from: u32, to: u32| {
            // With its line break, if all of the line shows.
            let to = if to == right_text { right } else { to };
            Part { first, from, last, to, left: from > top, right: to < bottom }
        };
        let kept = (self.part, self.total);
        self.set_part(part(start, end));
        let least = self.total;
        if least > most {
            self.undo_part(kept);
            return Some(least);
        }
        let room = most - least;
        let gauge = self.gauge();
        let (before, behind) = (self.page.slice(left, start), self.page.slice(end.min(right_text), right_text));
        let mut from = left + gauge.end(before, room / 2) as u32;
        let half = gauge.count(&before[(from - left) as usize..]);
        let mut to = end.min(right_text) + gauge.beginning(behind, room - half) as u32;
        if to == right_text {
            let used = gauge.count(behind);
            from = left + gauge.end(before, room - used) as u32;
        }
        // Where texts meet they can count more than apart, and what was a marker may be another: step back until it fits.
        let mut step = 1;
        loop {
            // Blanks at a cut say nothing, and lines that begin with them count differently.
            let blank = self.page.slice(from, start);
            from = start - blank.trim_start().len() as u32;
            let blank = self.page.slice(end.min(to), to);
            to = if to == right_text { to } else { end.min(to) + blank.trim_end().len() as u32 };
            self.set_part(part(from, to));
            if self.total <= most {
                break;
            }
            if from >= start && to <= end {
                self.set_part(part(start, end));
                break;
            }
            let over = (self.total - most).max(step) as usize;
            to = text.floor_char_boundary((to as usize).saturating_sub(over).max(end as usize)) as u32;
            from = text.ceil_char_boundary((from as usize + over).min(start as usize)) as u32;
            step *= 2;
        }
        if self.part.is_some_and(|part| part.from >= part.to) {
            self.undo_part(kept);
            return Some(least);
        }
        None
    }

    fn undo_part(&mut self, (part, total): (Option<Part>, i64)) {
        let chosen = std::mem::take(&mut self.chosen);
        self.clear();
        self.chosen = chosen;
        (self.part, self.total) = (part, total);
    }
}

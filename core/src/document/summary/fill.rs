//! Decides which rows show: first the selection, the headings of sections, and the nodes around the selection, then
//! nodes in the order of their cost as long as any of them fits.

use super::super::syntax::NONE;
use super::around::DEPTH;
use super::page::trim;
use super::sheet::{Part, Sheet};
use super::{Document, exceeded};
use crate::error::{Contributor, Result};
use crate::map::HashSet;

/// How often nodes that did not fit are tried again. A node that fits late, because a marker went, hardly ever makes
/// room for more.
const ROUNDS: usize = 8;

pub(super) struct Fill<'s, 'd> {
    pub(super) sheets: &'s mut [Sheet<'d>],
    /// For each document, the nodes that did not fit in this round.
    refused: Vec<Vec<bool>>,
    pub(super) budget: i64,
    pub(super) total: i64,
    /// A node and its unchosen ancestors, while they are tried. One buffer for all nodes.
    chain: Vec<u32>,
    /// Documents and the rows above a list that was cut; there may have been no room for them.
    over: Vec<(usize, (u32, u32))>,
    /// Documents and nodes of which only the rows that open and close them show, so that nodes in them can show.
    framed: Vec<(usize, u32)>,
    /// All of them so far. A node in them shows with the rows that open and close what is around it.
    opened: HashSet<(usize, u32)>,
    /// For each document, how many rows are missing that the visible ones need, if there is no room for all that is
    /// around its selection. No others may be missing then.
    pub(super) lacks: Vec<Option<usize>>,
    /// Documents and nodes of which only the part around a selection shows.
    pub(super) cut: Vec<(usize, u32)>,
    /// Whether nodes are cut that would fit without the others.
    is_late: bool,
}

/// Fills documents of which nothing shows yet. `candidates` are cost, document and node, the cheapest first.
///
/// # Errors
/// [`Code::BudgetExceeded`](crate::error::Code::BudgetExceeded) if the markers alone do not fit, or not together with
/// the selection. A lower `worth` of the sheets can then help.
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
    let lacks = vec![None; sheets.len()];
    let (chain, over, framed, opened, cut) = (Vec::new(), Vec::new(), Vec::new(), HashSet::default(), Vec::new());
    let mut fill = Fill { sheets, refused, budget, total, chain, over, framed, opened, lacks, cut, is_late: false };
    if fill.sheets.iter().any(|sheet| sheet.layout.leaves.is_some()) {
        fill.until_misfit(documents, candidates);
        return Ok(());
    }
    for (at, document) in documents.iter().enumerate() {
        if let Some(selection) = document.selection {
            fill.select(at, selection, document.name)?;
        }
    }
    for (at, document) in documents.iter().enumerate() {
        fill.headings(at, document.selection);
    }
    for (at, document) in documents.iter().enumerate() {
        if let Some(selection) = document.selection {
            fill.around(at, selection)?;
        }
    }
    let mut waiting = fill.rounds(fill.outside(candidates.to_vec()));
    // There are few markers while there is much to choose from. The rest of the budget is then used with shorter
    // markers, if there is room for one.
    let marker = fill.sheets.iter().map(|sheet| sheet.longest()).min().unwrap_or(0);
    if fill.budget - fill.total >= marker && fill.sheets.iter().any(|sheet| sheet.worth > 1) {
        fill.sheets.iter_mut().for_each(|sheet| sheet.settle(1));
        waiting = fill.rounds(waiting);
    }
    for _ in 0..ROUNDS {
        let (before, count) = (fill.total, waiting.len());
        waiting = fill.parts(waiting);
        // No node fits that did not fit before, unless something was cut.
        if fill.total != before || waiting.len() != count {
            waiting = fill.rounds(waiting);
            for (at, rows) in std::mem::take(&mut fill.over) {
                fill.attempt_part(at, &[rows]);
            }
        }
        if std::mem::take(&mut fill.framed).is_empty() {
            // Nothing else fits. A long node can still be cut that would fit if the others did not show.
            if std::mem::replace(&mut fill.is_late, true) || !fill.is_half_left() {
                break;
            }
        }
    }
    for (at, document) in documents.iter().enumerate() {
        fill.window(at, document.selection);
    }
    for at in 0..documents.len() {
        if fill.lacks[at].is_some() {
            fill.complete(at);
        }
    }
    Ok(())
}

impl<'d> Fill<'_, 'd> {
    /// Shows stretches of rows, which ascend, if all of them fit. Returns whether they show.
    pub(super) fn attempt(&mut self, at: usize, stretches: &[(u32, u32)]) -> bool {
        let sheet = &mut self.sheets[at];
        let added = sheet.added(stretches);
        if sheet.size(self.total + added) > self.budget {
            return false;
        }
        if let Some(lacks) = self.lacks[at] {
            let rows = stretches.iter().flat_map(|(from, to)| *from..*to);
            let new: Vec<u32> = rows.filter(|row| !sheet.shown.has(*row)).collect();
            sheet.show(stretches, added);
            if sheet.lacking().len() > lacks {
                sheet.hide_rows(&new, added);
                return false;
            }
        } else {
            sheet.show(stretches, added);
        }
        self.total += added;
        true
    }

    /// Shows rows of a node, with all rows that they need, if all of them fit. Returns whether they show.
    pub(super) fn attempt_part(&mut self, at: usize, stretches: &[(u32, u32)]) -> bool {
        let sheet = &self.sheets[at];
        let others = sheet.layout.needs.borrow().missing(stretches, |row| sheet.shown.has(row));
        if others.is_empty() {
            return self.attempt(at, stretches);
        }
        let mut all = stretches.to_vec();
        all.extend(others.into_iter().map(|row| (row, row + 1)));
        crate::rank::sort(&mut all, |(from, _)| u64::from(*from));
        self.attempt(at, &all)
    }

    /// Shows the rows that the visible ones need, if they fit.
    pub(super) fn complete(&mut self, at: usize) {
        for row in self.sheets[at].lacking() {
            self.attempt_part(at, &[(row, row + 1)]);
        }
    }

    /// Shows nodes if all of them fit. Returns whether they show.
    pub(super) fn attempt_nodes(&mut self, at: usize, nodes: &[u32]) -> bool {
        let sheet = &self.sheets[at];
        let is_in_part = nodes.last().is_some_and(|top| self.opened.contains(&(at, sheet.page.above[*top as usize])));
        if let [node] = nodes
            && !is_in_part
        {
            return self.attempt(at, sheet.stretches(*node));
        }
        let mut stretches: Vec<(u32, u32)> = Vec::new();
        nodes.iter().for_each(|node| stretches.extend(sheet.stretches(*node)));
        crate::rank::sort(&mut stretches, |(from, _)| u64::from(*from));
        if !is_in_part {
            return self.attempt(at, &stretches);
        }
        // Rows of the statement itself can be around them.
        if let (Some((first, _)), Some((_, end))) = (stretches.first().copied(), stretches.last().copied()) {
            stretches.extend(sheet.layout.needs.borrow().around(first, end - 1));
            crate::rank::sort(&mut stretches, |(from, _)| u64::from(*from));
        }
        self.attempt_part(at, &stretches)
    }

    /// Shows the selection.
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
            // A cursor does not require any text.
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

    /// Returns an error if more markers could make room for the selection, which matters more than few markers.
    pub(super) fn want_markers(&self, at: usize) -> Result<()> {
        if self.sheets[at].worth > 1 { Err(exceeded(self.budget, self.total, Vec::new())) } else { Ok(()) }
    }

    /// Fills by the compatible rules: what touches a selection shows whatever the budget is, then candidates up to the
    /// first that does not fit.
    fn until_misfit(&mut self, documents: &[Document<'_>], candidates: &[(u64, u32, u32)]) {
        let budget = std::mem::replace(&mut self.budget, i64::MAX);
        for (at, document) in documents.iter().enumerate() {
            let tree = self.sheets[at].tree;
            for leaf in document.selection.into_iter().flat_map(|selection| tree.touched(selection)) {
                self.take(at, self.sheets[at].page.own[leaf as usize]);
            }
        }
        self.budget = budget;
        for (_, at, node) in candidates {
            let (at, sheet) = (*at as usize, &self.sheets[*at as usize]);
            // A selection alone can be over the budget.
            let shows = sheet.chosen[*node as usize];
            let fits = if shows { sheet.size(self.total) <= self.budget } else { self.take(at, *node) };
            if !fits {
                return;
            }
        }
    }

    /// Takes candidates in their order, again and again until no more fits. Returns the candidates that did not fit.
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

    /// Takes a node and the nodes around it. Returns whether it shows.
    fn take(&mut self, at: usize, node: u32) -> bool {
        let sheet = &self.sheets[at];
        if sheet.chosen[node as usize] {
            return true;
        }
        let mut above = sheet.page.above[node as usize];
        // With little room left, nearly all candidates are refused here.
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

    /// Cuts nodes that can never fit whole: roots, and nodes longer than the budget. Returns the remaining candidates.
    fn parts(&mut self, waiting: Vec<(u64, u32, u32)>) -> Vec<(u64, u32, u32)> {
        let mut left = Vec::with_capacity(waiting.len());
        let mut cut = Vec::new();
        for (cost, at, node) in waiting {
            let sheet = &self.sheets[at as usize];
            let above = sheet.page.above[node as usize];
            let too_long = above == NONE || sheet.own(node) * LONG > self.budget;
            // What is in a node that opened just now can still fit whole.
            let is_new = self.framed.contains(&(at as usize, above));
            if !(too_long && sheet.is_open(above) && !sheet.chosen[node as usize]) || is_new {
                left.push((cost, at, node));
                continue;
            }
            if let Some(open) = self.begin(at as usize, node) {
                cut.push((at, node, open));
            } else if !self.is_late && !self.sheets[at as usize].chosen[node as usize] {
                left.push((cost, at, node));
            }
        }
        // Nodes in a list that is cut show with the list, not by themselves.
        if !cut.is_empty() {
            let mut inside: Vec<Vec<Option<u32>>> =
                self.sheets.iter().map(|sheet| vec![None; sheet.tree.nodes.len()]).collect();
            for (at, node, open) in cut {
                inside[at as usize][node as usize] = Some(open);
            }
            // Parents come first. Nodes that are cut are no longer candidates. A comment above a list is not part of
            // it.
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

    /// Shows the beginning of a node that does not fit, and the end as well if it is a table. Returns the row in which
    /// a list of other nodes opens.
    fn begin(&mut self, at: usize, node: u32) -> Option<u32> {
        let sheet = &self.sheets[at];
        let root = sheet.page.above[node as usize] == NONE;
        let must = root || self.is_late || sheet.own(node) > self.budget;
        let nothing = sheet.shown_rows().next().is_none();
        let stretches = sheet.stretches(node);
        let (Some((first, _)), Some((_, end))) = (stretches.first().copied(), stretches.last().copied()) else {
            self.sheets[at].chosen[node as usize] = must;
            return None;
        };
        let start = sheet.page.rows[first as usize].start;
        // Half of a head or of a statement is useless.
        let (head, open) = sheet.bracket(first, end);
        sheet.read(&[node]);
        let is_table = stretches.len() == 1 || sheet.is_list(node, open, sheet.sum(first, end));
        let table = !root && is_table && end - open > 2;
        let frame = |from: u32| [(from, open + 1), (end - 1, end)];
        if table && (self.attempt_part(at, &frame(first)) || self.attempt_part(at, &frame(head))) {
            // The table is one block. Without any content, its pair of brackets would read as an empty one.
            if !self.blocks(at, (open + 1, end - 1), &mut Vec::new(), 0)
                && let [(from, _)] = self.sheets[at].page.blocks(open + 1, end - 1)[..]
            {
                self.inwards(at, node, from, false);
            }
            self.over.push((at, (first, head)));
            self.sheets[at].chosen[node as usize] = true;
            return (stretches.len() > 1).then_some(open);
        } else if !must {
            return None;
        } else if root {
            let first = self.sheets[at].page.row_of(start);
            // Rows of the root open and close something if they share lines with other nodes.
            let before = match self.lacks[at] {
                None => Some(self.sheets[at].layout.read_whole(self.sheets[at].page.text)),
                Some(_) => None,
            };
            self.rows_around(at, node, stretches, first);
            if let Some(before) = before {
                self.sheets[at].layout.needs.replace(before);
            }
            // Minified code is a few long rows, none of which fits with all the others.
            for row in stretches.iter().flat_map(|(from, to)| *from..*to) {
                if self.is_half_left() {
                    self.attempt(at, &[(row, row + 1)]);
                }
            }
            self.sheets[at].chosen[node as usize] = true;
        } else if !is_table
            && self.sheets[at].opens(open)
            && (self.attempt_part(at, &frame(first)) || self.attempt_part(at, &frame(head)))
        {
            // Nodes in it show without the rest of its rows.
            self.framed.push((at, node));
            self.opened.insert((at, node));
            self.sheets[at].chosen[node as usize] = true;
        } else if self.sheets[at].layout.reads() && self.blocks(at, (open + 1, end), &mut vec![(head, open + 1)], 0) {
            // Nothing opens at the end of its first row. Its rows show with those that they need.
            self.sheets[at].chosen[node as usize] = true;
            return Some(head);
        }
        // If nothing else shows, the first line shows, or the part of it that fits.
        if nothing && self.sheets[at].shown_rows().next().is_none() && !self.attempt_part(at, &[(first, first + 1)]) {
            self.part_at(at, first, start);
        }
        None
    }

    /// Shows the blocks between the rows that open and close a list: those that fit whole, then parts of those that are
    /// lists themselves. `around` are rows that show only together with one of them. Returns whether anything shows.
    fn blocks(&mut self, at: usize, (from, to): (u32, u32), around: &mut Vec<(u32, u32)>, depth: usize) -> bool {
        let page = self.sheets[at].page;
        let mut shows = false;
        let mut left = Vec::new();
        for block in page.blocks(from, to) {
            around.push(block);
            crate::rank::sort(around, |(from, _)| u64::from(*from));
            if self.attempt_part(at, around) {
                around.clear();
                shows = true;
            } else {
                around.retain(|other| *other != block);
                left.push(block);
            }
        }
        // A list has at least one row between two others.
        for (from, to) in left.into_iter().filter(|(from, to)| to - from > 2) {
            let (_, open) = self.sheets[at].bracket(from, to);
            let mut all = around.clone();
            let mut inside = (from, to);
            if open + 2 < to && page.closes(to - 1) {
                all.extend([(from, open + 1), (to - 1, to)]);
                inside = (open + 1, to - 1);
            }
            // Rows that are indented deeper than those behind them have blocks of their own.
            let is_list = inside != (from, to) || page.blocks(from, to).len() > 1;
            if is_list && depth < DEPTH && self.blocks(at, inside, &mut all, depth + 1) {
                around.clear();
                shows = true;
            }
        }
        shows
    }

    /// Shows the part of a row around an offset that fits, if any.
    fn part_at(&mut self, at: usize, row: u32, offset: u32) {
        let sheet = &mut self.sheets[at];
        let before = sheet.total;
        let room = before + self.budget - self.total;
        if sheet.part.is_none() && sheet.show_part((row, row), (offset, offset), room).is_none() {
            self.total += sheet.total - before;
        }
    }

    fn is_half_left(&self) -> bool {
        (self.budget - self.total) * 2 > self.budget
    }

    /// Uses the rest of the budget if that is more than half: without a grammar shows the nearest missing rows that
    /// fit, then part of the nearest one that is too long to show whole. Minified code has few rows, and a short one
    /// beside a long one must not be all that shows.
    fn window(&mut self, at: usize, selection: Option<(u32, u32)>) {
        if !self.is_half_left() || self.sheets[at].rows() == 0 {
            return;
        }
        let page = self.sheets[at].page;
        let (first, last) = selection.map_or((0, 0), |(start, end)| (page.row_of(start), page.row_of(end)));
        // In text that is folded by its lines, any of them can show.
        let is_code = self.sheets[at].layout.reads();
        for row in (last..self.sheets[at].rows()).chain((0..first).rev()).filter(|_| !is_code) {
            if self.is_half_left() && self.sheets[at].is_missing(row) {
                self.attempt_part(at, &[(row, row + 1)]);
            }
        }
        let (sheet, room) = (&self.sheets[at], self.budget - self.total);
        if !self.is_half_left() {
            return;
        }
        let sum = |row: u32| sheet.sum(row, row + 1);
        let nearest = |least: i64| {
            let is_meant = |row: &u32| sum(*row) > least && sheet.is_missing(*row);
            let (below, above) = ((last..sheet.rows()).find(is_meant), (0..first).rev().find(is_meant));
            let is_above = below.is_none_or(|below| above.is_some_and(|above| first - above < below - last));
            if is_above { above.map(|row| (row, true)) } else { below.map(|row| (row, false)) }
        };
        // A node with a row that is longer than the budget does not show, nor do its short rows before that.
        let row = nearest(-1).filter(|(row, _)| sum(*row) > room).or_else(|| nearest(self.budget));
        let Some((row, is_above)) = row else { return };
        let whole = sheet.page.rows[row as usize];
        let text = sheet.page.slice(whole.start, whole.end).trim_end();
        let offset = whole.start + if is_above { text.len() as u32 } else { 0 };
        self.part_at(at, row, offset);
    }
}

/// A node that counts at least the budget divided by this is cut if it does not fit whole.
pub(super) const LONG: i64 = 8;

impl Sheet<'_> {
    /// Returns the first of some rows that is no comment, attribute or the like, or the first row if there is none.
    pub(super) fn opening(&self, from: u32, to: u32) -> u32 {
        let is_note = |row: &u32| self.row(*row).starts_with(['#', '@', '*', '/']);
        (from..to).find(|row| !is_note(row)).unwrap_or(from)
    }

    /// Returns the first of some rows that is no comment or the like, and the row with the bracket behind it: the same
    /// one, or the next if the bracket has a row of its own. An `#if` of a preprocessor is both.
    fn bracket(&self, from: u32, to: u32) -> (u32, u32) {
        let head = self.opening(from, to);
        if let Some(row) = (from..head).find(|row| self.row(*row).starts_with("#if")) {
            return (row, row);
        }
        let is_alone = head + 1 < to && self.row(head + 1) == "{" && !self.row(head).ends_with(['{', '[']);
        (head, if is_alone { head + 1 } else { head })
    }

    /// Returns whether a node is a list in braces, brackets or `#if` that opens in row `open` and owns at least a
    /// quarter of its `count`.
    fn is_list(&self, node: u32, open: u32, count: i64) -> bool {
        self.opens(open) && self.own(node) * 4 >= count
    }

    /// Returns whether a row opens braces, brackets or an `#if`.
    fn opens(&self, row: u32) -> bool {
        let row = self.row(row);
        row.ends_with(['{', '[']) || row.starts_with("#if")
    }

    /// Returns the text of a row without the white space around it.
    fn row(&self, row: u32) -> &str {
        trim(self.page.rows.get(row as usize).map_or("", |row| self.page.slice(row.start, row.end)))
    }

    /// Shows the selected part of rows that are too long, and as much around it as fits. `most` is the maximum count of
    /// the document. If the selection alone counts more, nothing changes and the needed count is returned.
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
            // The line break shows if the end of the line shows.
            let to = if to == right_text { right } else { to };
            Part { first, from, last, to, left: from > top, right: to < bottom }
        };
        let others: Vec<u32> = self.shown_rows().collect();
        self.set_part(Some(part(start, end)), &others);
        let least = self.total;
        if least > most {
            self.set_part(None, &others);
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
        // Texts can count more together than apart, and the marker can change. Step back until the part fits.
        let mut step = 1;
        loop {
            // Blanks at a cut carry no meaning, and lines that begin with them count differently.
            let blank = self.page.slice(from, start);
            from = start - blank.trim_start().len() as u32;
            let blank = self.page.slice(end.min(to), to);
            to = if to == right_text { to } else { end.min(to) + blank.trim_end().len() as u32 };
            self.set_part(Some(part(from, to)), &others);
            if self.total <= most {
                break;
            }
            if from >= start && to <= end {
                self.set_part(Some(part(start, end)), &others);
                break;
            }
            let over = (self.total - most).max(step) as usize;
            to = text.floor_char_boundary((to as usize).saturating_sub(over).max(end as usize)) as u32;
            from = text.ceil_char_boundary((from as usize + over).min(start as usize)) as u32;
            step *= 2;
        }
        if self.part.is_some_and(|part| part.from >= part.to) {
            self.set_part(None, &others);
            return Some(least);
        }
        None
    }
}

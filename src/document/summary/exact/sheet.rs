//! One document while it is being filled: which rows show, and what that counts, markers included.
//!
//! Counts add up where rows meet, since a row ends with a line break and the next begins with text. The one exception is a `/` at the
//! beginning of a line, with which a token of punctuation on the line before can go on: that is what `seams` are for. So what a row adds
//! is known without writing anything: its own count, and the markers on either side of it.

use std::cell::Cell;

use super::super::super::Overlay;
use super::super::super::syntax::NONE;
use super::super::dense::Dense;
use super::Gauge;
use super::marker::{Marker, Numbers, Style, lines};
use super::page::Page;
use crate::bits::Bits;
use crate::tokens::last_cut;

const UNKNOWN: u32 = u32::MAX;

/// A row that shows only in part, because the whole is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// The row in which what shows begins, and its first byte.
    pub first: u32,
    pub from: u32,
    /// The row in which it ends, and the byte behind it.
    pub last: u32,
    pub to: u32,
    /// Something of the document is missing directly before it, or behind it.
    pub left: bool,
    pub right: bool,
}

/// A document and what shows of it.
pub(super) struct Sheet<'d> {
    pub page: Page<'d>,
    pub tree: &'d Dense,
    pub overlay: &'d Overlay,
    gauge: Gauge<'d>,
    marker: Marker,
    /// Lines begin with their numbers.
    numbered: bool,
    /// A stretch that counts at most so many times its marker shows instead of it.
    pub worth: i64,
    /// What a marker counts at most.
    pub longest: i64,
    /// What each row counts by itself.
    pub counts: Vec<u32>,
    /// What it counts more, or less, behind the row before it.
    seams: Vec<i32>,
    /// Counts of all rows before each, seams included.
    sums: Vec<i64>,
    pub shown: Bits,
    /// Nodes whose rows show.
    pub chosen: Vec<bool>,
    /// Rows of each node, as stretches: `stretches[ends[n - 1]..ends[n]]`.
    stretches: Vec<(u32, u32)>,
    ends: Vec<u32>,
    pub part: Option<Part>,
    /// What it all counts.
    pub total: i64,
    numbers: Numbers,
    /// What markers count up to their numbers, by row and whether they are filled.
    leads: [Vec<Cell<u32>>; 2],
    /// What a marker counts more, or less, directly behind a row.
    clings: Vec<Cell<i32>>,
    /// What they count behind their numbers, by the line break.
    tails: [[i64; 4]; 2],
    dash: i64,
    /// Behind this row a body begins that may not be empty.
    opens: Vec<bool>,
    /// The row begins between tags.
    between_tags: Vec<bool>,
}

const LINE_ENDS: [&str; 4] = ["", "\n", "\r\n", "\r"];

impl<'d> Sheet<'d> {
    pub fn new(
        page: Page<'d>,
        tree: &'d Dense,
        overlay: &'d Overlay,
        gauge: Gauge<'d>,
        marker: Marker,
        (numbered, worth): (bool, i64),
    ) -> Sheet<'d> {
        let rows = page.rows.len();
        let lasts = page.rows.last().map_or(0, |row| row.line + row.lines);
        let tails = [Style::Plain, Style::Braced]
            .map(|style| LINE_ENDS.map(|end| gauge.count(&format!("{}{end}", marker.after(style)))));
        let mut sheet = Sheet {
            numbers: Numbers::new(lasts),
            counts: Vec::with_capacity(rows),
            seams: vec![0; rows],
            sums: Vec::with_capacity(rows + 1),
            shown: Bits::new(rows),
            chosen: vec![false; tree.nodes.len()],
            stretches: Vec::new(),
            ends: Vec::new(),
            part: None,
            total: 0,
            leads: [vec![Cell::new(UNKNOWN); rows], vec![Cell::new(UNKNOWN); rows]],
            clings: vec![Cell::new(i32::MAX); rows],
            tails,
            dash: gauge.count("-"),
            opens: vec![false; if marker.fills { rows } else { 0 }],
            between_tags: vec![false; if marker.braces { rows } else { 0 }],
            page,
            tree,
            overlay,
            gauge,
            marker,
            numbered,
            worth,
            longest: 0,
        };
        sheet.count();
        sheet.assign();
        sheet.look();
        sheet.longest = sheet.longest();
        sheet.total = sheet.between(None, None);
        sheet
    }

    /// What the document is counted in.
    pub fn gauge(&self) -> Gauge<'d> {
        self.gauge
    }

    fn longest(&self) -> i64 {
        let indents = (0..self.rows()).map(|row| self.page.indent(row));
        let deepest = indents.max_by_key(|indent| indent.len()).unwrap_or_default();
        let style = if self.marker.fills { Style::Filled } else { Style::Plain };
        let most = self.page.rows.last().map_or(0, |row| row.line + row.lines);
        self.gauge.count(&format!(
            "{deepest}{}{most}-{most}{}\r\n",
            self.marker.before(style),
            self.marker.after(style)
        )) + 4
    }

    /// What a text counts.
    pub fn measure(&self, text: &str) -> i64 {
        self.gauge.count(text)
    }

    pub fn rows(&self) -> u32 {
        self.page.rows.len() as u32
    }

    fn count(&mut self) {
        let mut sum = 0;
        self.sums.push(0);
        for at in 0..self.page.rows.len() {
            let row = self.page.rows[at];
            let text = self.page.slice(row.start, row.end);
            let count = match self.numbered {
                true => self.gauge.count(&self.with_numbers(row.start, row.end)),
                false => self.gauge.count(text),
            };
            self.counts.push(count as u32);
            if at > 0 && text.starts_with('/') && !self.numbered && !self.gauge.adds_up() {
                let before = self.page.rows[at - 1];
                self.seams[at] = self.seam(self.page.slice(before.start, before.end), text);
            }
            sum += count + i64::from(self.seams[at]);
            self.sums.push(sum);
        }
    }

    /// What two texts count more together than by themselves.
    fn seam(&self, before: &str, behind: &str) -> i32 {
        let text = before.trim_end_matches(['\r', '\n']);
        if text.ends_with(|last: char| last.is_ascii_alphanumeric()) {
            return 0;
        }
        let tail = before.get(last_cut(before.as_bytes()).unwrap_or(0)..).unwrap_or(before);
        // Nothing that follows the first blank of a line is part of a token that began before it.
        let head = behind.split([' ', '\r', '\n']).next().unwrap_or(behind);
        let both = format!("{tail}{head}");
        (self.gauge.count(&both) - self.gauge.count(tail) - self.gauge.count(head)) as i32
    }

    /// Gathers the rows of each node.
    fn assign(&mut self) {
        let owners = &self.page.owners;
        let mut begins = vec![0_u32; self.tree.nodes.len() + 1];
        let starts = |at: &usize| *at == 0 || owners[*at] != owners[*at - 1];
        for at in (0..owners.len()).filter(starts) {
            begins[owners[at] as usize + 1] += 1;
        }
        for at in 1..begins.len() {
            begins[at] += begins[at - 1];
        }
        self.stretches = vec![(0, 0); begins.last().map_or(0, |count| *count as usize)];
        let mut next = begins.clone();
        let mut at = 0;
        while at < owners.len() {
            let owner = owners[at];
            let end = (at..owners.len()).find(|behind| owners[*behind] != owner).unwrap_or(owners.len());
            let slot = &mut next[owner as usize];
            self.stretches[*slot as usize] = (at as u32, end as u32);
            *slot += 1;
            at = end;
        }
        self.ends = begins;
    }

    /// Looks at rows for what markers beside them have to know.
    fn look(&mut self) {
        for at in 0..self.opens.len() {
            let row = self.page.rows[at];
            let text = self.page.slice(row.start, row.end).trim();
            let code = text.split(" #").next().unwrap_or(text).trim_end();
            self.opens[at] = match text.starts_with('#') {
                true => at > 0 && self.opens[at - 1],
                false => code.ends_with(':') && !code.starts_with("match "),
            };
        }
        for at in 0..self.between_tags.len() {
            let owner = self.page.owners[at];
            let Some(node) = self.tree.nodes.get(owner as usize) else { continue };
            let kind = |node: u32| {
                self.tree.nodes.get(node as usize).map_or("", |node| self.overlay.kind(node.overlay as usize))
            };
            self.between_tags[at] = kind(owner).starts_with("jsx_") && kind(node.parent) == "jsx_element";
        }
    }

    /// The rows of a node, as stretches.
    pub fn stretches(&self, node: u32) -> &[(u32, u32)] {
        let bound = |at: usize| self.ends.get(at).copied().unwrap_or(0) as usize;
        self.stretches.get(bound(node as usize)..bound(node as usize + 1)).unwrap_or_default()
    }

    /// What the rows of a node count by themselves.
    pub fn own(&self, node: u32) -> i64 {
        self.stretches(node).iter().map(|(from, to)| self.sums[*to as usize] - self.sums[*from as usize]).sum()
    }

    /// What rows count where all of them show.
    pub fn sum(&self, from: u32, to: u32) -> i64 {
        self.sums[to as usize] - self.sums[from as usize]
    }

    /// What stands between two rows that show one after the other; nothing for the ends of the document.
    fn between(&self, before: Option<u32>, behind: Option<u32>) -> i64 {
        let (from, to) = (before.map_or(0, |row| row + 1), behind.unwrap_or(self.rows()));
        let cut = self.is_cut(before, behind);
        if from == to && !cut {
            return if from > 0 && to < self.rows() { i64::from(self.seams[to as usize]) } else { 0 };
        }
        let (mark, plain) = (self.mark(before, behind), self.plain(from, to));
        if cut || plain > self.worth * mark { mark } else { plain }
    }

    /// What a stretch of rows counts if all of it shows.
    fn plain(&self, from: u32, to: u32) -> i64 {
        self.sum(from, to) + self.seams.get(to as usize).map_or(0, |seam| i64::from(*seam))
    }

    /// True if part of a row is missing between two rows.
    fn is_cut(&self, before: Option<u32>, behind: Option<u32>) -> bool {
        self.part.is_some_and(|part| part.right && before == Some(part.last) || part.left && behind == Some(part.first))
    }

    /// True if there is a marker between two rows, which a stretch that is hardly longer than its marker has not.
    pub fn is_marked(&self, before: Option<u32>, behind: Option<u32>) -> bool {
        let (from, to) = (before.map_or(0, |row| row + 1), behind.unwrap_or(self.rows()));
        let cut = self.is_cut(before, behind);
        cut || from < to && self.plain(from, to) > self.worth * self.mark(before, behind)
    }

    /// The stretch of the document between two rows.
    pub fn missing(&self, before: Option<u32>, behind: Option<u32>) -> (u32, u32) {
        let rows = &self.page.rows;
        let part = self.part.as_ref();
        let start = match (part, before) {
            (Some(part), Some(row)) if part.right && part.last == row => part.to,
            (_, Some(row)) => rows[row as usize].end,
            (_, None) => 0,
        };
        let end = match (part, behind) {
            (Some(part), Some(row)) if part.left && part.first == row => part.from,
            (_, Some(row)) => rows[row as usize].start,
            (_, None) => self.page.text.len() as u32,
        };
        (start, end)
    }

    /// The lines of such a stretch: both included, from 1.
    pub fn missing_lines(&self, (start, end): (u32, u32)) -> (u32, u32) {
        (self.page.line_of(start) + 1, self.page.line_of(end.saturating_sub(1).max(start)) + 1)
    }

    /// The same in constant time where no row is cut.
    fn lines_between(&self, before: Option<u32>, behind: Option<u32>) -> (u32, u32) {
        if self.is_cut(before, behind) {
            return self.missing_lines(self.missing(before, behind));
        }
        let (from, to) = (before.map_or(0, |row| row + 1), behind.unwrap_or(self.rows()));
        let last = self.page.rows[to as usize - 1];
        (self.page.rows[from as usize].line + 1, last.line + last.lines)
    }

    fn style(&self, before: Option<u32>, first: u32) -> Style {
        if before.is_some_and(|row| self.opens.get(row as usize) == Some(&true)) {
            Style::Filled
        } else if self.between_tags.get(first as usize) == Some(&true) {
            Style::Braced
        } else {
            Style::Plain
        }
    }

    /// The row that gives a marker its indentation: the first that is missing whole.
    fn first_missing(&self, before: Option<u32>, behind: Option<u32>) -> Option<u32> {
        let from = before.map_or(0, |row| row + 1);
        (from < behind.unwrap_or(self.rows())).then_some(from)
    }

    /// The line break behind a marker.
    fn line_end(&self, before: Option<u32>, behind: Option<u32>) -> &'static str {
        match self.part {
            // What shows of a row begins on a line of its own.
            Some(part) if part.left && behind == Some(part.first) => "\n",
            _ => {
                let last = behind.unwrap_or(self.rows()).saturating_sub(1);
                debug_assert!(before.is_none_or(|before| before <= last));
                self.page.line_end(last)
            }
        }
    }

    /// What the marker between two rows counts.
    fn mark(&self, before: Option<u32>, behind: Option<u32>) -> i64 {
        let first = self.first_missing(before, behind);
        let style = first.map_or(Style::Plain, |first| self.style(before, first));
        let (one, last) = self.lines_between(before, behind);
        let mut numbers = self.numbers.cost(one, &self.gauge);
        if last > one {
            numbers += self.dash + self.numbers.cost(last, &self.gauge);
        }
        let indent = first.map_or("", |first| self.page.indent(first));
        let lead = || self.gauge.count(&format!("{indent}{}", self.marker.before(style)));
        let lead = match first {
            Some(first) => {
                let cell = &self.leads[usize::from(style == Style::Filled)][first as usize];
                if cell.get() == UNKNOWN {
                    cell.set(lead() as u32);
                }
                i64::from(cell.get())
            }
            None => lead(),
        };
        let end = self.line_end(before, behind);
        let end = LINE_ENDS.iter().position(|known| *known == end).unwrap_or(0);
        let tail = self.tails[usize::from(style == Style::Braced)][end];
        let clings = match before {
            Some(row) if indent.is_empty() && style == Style::Plain && self.marker.clings() => self.clings(row),
            _ => 0,
        };
        lead + numbers + tail + i64::from(clings)
    }

    /// What a marker at the beginning of a line counts more, or less, behind a row.
    fn clings(&self, row: u32) -> i32 {
        let cell = &self.clings[row as usize];
        if cell.get() == i32::MAX {
            let text = self.page.rows[row as usize];
            let text = self.page.slice(text.start, text.end);
            let none = self.gauge.adds_up() || self.part.is_some_and(|part| part.last == row && part.right);
            let mark = self.marker.before(Style::Plain);
            cell.set(if none { 0 } else { self.seam(text, &mark) });
        }
        cell.get()
    }

    /// The text of the marker between two rows, its line break included.
    pub fn marker(&self, before: Option<u32>, behind: Option<u32>) -> String {
        let first = self.first_missing(before, behind);
        let style = first.map_or(Style::Plain, |first| self.style(before, first));
        let indent = first.map_or("", |first| self.page.indent(first));
        let numbers = lines(self.lines_between(before, behind));
        let (lead, tail) = (self.marker.before(style), self.marker.after(style));
        format!("{indent}{lead}{numbers}{tail}{}", self.line_end(before, behind))
    }

    /// What a row that shows counts by itself.
    fn count_of(&self, row: u32) -> i64 {
        match self.part {
            Some(part) if part.first == row || part.last == row => self.gauge.count(&self.part_text(part, row)),
            _ => i64::from(self.counts[row as usize]),
        }
    }

    /// What shows of a row that is cut.
    fn part_text(&self, part: Part, row: u32) -> String {
        let whole = self.page.rows[row as usize];
        let from = if part.first == row { part.from } else { whole.start };
        let to = if part.last == row { part.to } else { whole.end };
        let mut text = match self.numbered {
            true => self.with_numbers(from, to),
            false => self.page.slice(from, to).to_string(),
        };
        if part.last == row && self.breaks_off(part) {
            text.push('\n');
        }
        text
    }

    /// True if what shows of a row ends within a line, so that its marker needs a line break before it.
    pub fn breaks_off(&self, part: Part) -> bool {
        part.right && !self.page.slice(part.from, part.to).ends_with(['\n', '\r'])
    }

    /// A stretch of the document with the number of each of its lines in front of it.
    fn with_numbers(&self, from: u32, to: u32) -> String {
        let mut out = String::with_capacity((to - from) as usize + 8);
        let mut at = from;
        let mut line = self.page.line_of(from);
        while at < to {
            let end = self.page.starts.get(line as usize + 1).copied().unwrap_or(u32::MAX).min(to);
            out += &number(line);
            out += self.page.slice(at, end);
            (at, line) = (end, line + 1);
        }
        out
    }

    /// Shows rows that do not show yet, and have none between them that do.
    fn show_stretch(&mut self, from: u32, to: u32) {
        let (before, behind) = (self.shown.prev(from), self.shown.next(to));
        self.total -= self.between(before, behind);
        for row in from..to {
            self.shown.insert(row);
        }
        self.total += self.between(before, Some(from)) + self.between(Some(to - 1), behind);
        self.total += match to - from {
            1 => self.count_of(from),
            _ => self.sum(from, to) - i64::from(self.seams[from as usize]),
        };
    }

    /// Shows rows, whichever of them do already; gives those that did not.
    pub fn show(&mut self, from: u32, to: u32, added: &mut Vec<(u32, u32)>) {
        let mut at = from;
        while at < to {
            let next = self.shown.next(at).unwrap_or(to).min(to);
            if at < next {
                self.show_stretch(at, next);
                added.push((at, next));
            }
            at = next;
            while at < to && self.shown.has(at) {
                at += 1;
            }
        }
    }

    /// Takes rows back; `total` is what it was before.
    pub fn hide(&mut self, added: &[(u32, u32)], total: i64) {
        for row in added.iter().flat_map(|(from, to)| *from..*to) {
            self.shown.remove(row);
        }
        self.total = total;
    }

    /// Shows all rows of a node; gives those that did not show yet.
    pub fn show_node(&mut self, node: u32) -> Vec<(u32, u32)> {
        let mut added = Vec::new();
        for at in 0..self.stretches(node).len() {
            let (from, to) = self.stretches(node)[at];
            self.show(from, to, &mut added);
        }
        added
    }

    /// Cuts the rows that the part begins and ends in down to it. They show afterwards, and everything between them.
    pub fn set_part(&mut self, part: Part) {
        for row in self.shown_rows().collect::<Vec<_>>() {
            self.shown.remove(row);
        }
        self.part = Some(part);
        self.clings.iter().for_each(|cell| cell.set(i32::MAX));
        self.total = self.between(None, None);
        for row in part.first..=part.last {
            // One by one: sums are of whole rows.
            self.show_stretch(row, row + 1);
        }
    }

    /// No row is cut, and none shows.
    pub fn clear(&mut self) {
        for row in self.shown_rows().collect::<Vec<_>>() {
            self.shown.remove(row);
        }
        self.part = None;
        self.chosen.fill(false);
        self.clings.iter().for_each(|cell| cell.set(i32::MAX));
        self.total = self.between(None, None);
    }

    /// The rows that show, one after the other.
    pub fn shown_rows(&self) -> impl Iterator<Item = u32> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let row = self.shown.next(at).filter(|row| *row < self.rows())?;
            at = row + 1;
            Some(row)
        })
    }

    /// True if a node, or one that it shows with, has been chosen.
    pub fn is_open(&self, node: u32) -> bool {
        node == NONE || self.chosen.get(node as usize).copied().unwrap_or(false)
    }
}

/// What a line begins with where lines are numbered; lines count from 0 here.
pub(super) fn number(line: u32) -> String {
    format!("{}: ", line + 1)
}

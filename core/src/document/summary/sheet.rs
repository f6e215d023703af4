//! One document during the fill: the rows that show, and their count with all markers.
//!
//! Counts add up at the borders of rows, since a row ends with a line break and the next one begins with text. The only
//! exception is a `/` at the beginning of a line, which can join a token of punctuation on the line before; `seams`
//! correct that. What a row adds is therefore known without writing anything: its own count and the markers on either
//! side of it.

use super::super::Overlay;
use super::super::syntax::NONE;
use super::Gauge;
use super::compatible::Leaves;
use super::dense::Dense;
use super::gauge::Tally;
use super::layout::{self, Layout, put_numbered, with_numbers};
use super::page::Page;
use crate::bits::Bits;

/// The part that shows of rows that are too long to show whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    /// The row in which the part begins, and its first byte.
    pub first: u32,
    pub from: u32,
    /// The row in which the part ends, and the byte behind it.
    pub last: u32,
    pub to: u32,
    /// Whether text is missing directly before and directly behind the part.
    pub left: bool,
    pub right: bool,
}

/// What is between two rows that show one after the other.
pub(super) struct Gap {
    /// The stretch of the document between the rows.
    pub start: u32,
    pub end: u32,
    /// The text of the summary there; `None` if the stretch shows.
    pub text: Option<String>,
}

/// A document and its rows that show.
pub(super) struct Sheet<'d> {
    pub page: Page<'d>,
    pub tree: &'d Dense,
    pub overlay: &'d Overlay,
    pub(super) layout: &'d Layout,
    pub(super) gauge: Gauge<'d>,
    /// A stretch that counts at most this many times its marker shows instead of the marker.
    pub worth: i64,
    /// The value of `worth` while nothing shows.
    pub first_worth: i64,
    pub shown: Bits,
    /// Whether the rows of each node show.
    pub chosen: Vec<bool>,
    pub part: Option<Part>,
    /// The number of rows before each that must not show unless they are asked for; empty if there are none.
    banned: Vec<u32>,
    /// The count of the summary.
    pub total: i64,
}

impl<'d> Sheet<'d> {
    pub fn new(text: &'d str, overlay: &'d Overlay, layout: &'d Layout, gauge: Gauge<'d>, worth: i64) -> Sheet<'d> {
        let page = layout.page(text);
        let mut sheet = Sheet {
            shown: Bits::new(page.rows.len()),
            chosen: vec![false; layout.tree.nodes.len()],
            part: None,
            banned: Vec::new(),
            total: 0,
            page,
            tree: &layout.tree,
            overlay,
            layout,
            gauge,
            worth,
            first_worth: worth,
        };
        sheet.total = if layout.leaves.is_some() { 0 } else { sheet.between(None, None) };
        sheet
    }

    /// Returns how much of the budget `count` takes. Under the compatible rules, line feeds also take the length of a
    /// line number.
    pub fn size(&self, count: i64) -> i64 {
        if self.layout.leaves.is_none() {
            return count;
        }
        let (units, feeds) = Leaves::split(count);
        let digits = self.page.starts.len().ilog10() + 1;
        units + feeds * i64::from(digits + 2)
    }

    /// Bans rows of these nodes from showing in place of their marker, however short they are.
    pub fn ban(&mut self, nodes: &[bool]) {
        if !nodes.contains(&true) {
            return;
        }
        let mut count = 0;
        let rows = self.page.owners.iter().map(|owner| u32::from(nodes.get(*owner as usize) == Some(&true)));
        let sums = rows.map(|banned| {
            count += banned;
            count
        });
        self.banned = [0].into_iter().chain(sums).collect();
        self.total = self.between(None, None);
    }

    /// Returns whether some rows must not show unless they are asked for.
    pub fn bans(&self) -> bool {
        !self.banned.is_empty()
    }

    /// Returns whether a stretch of rows is replaced by its marker.
    fn pays(&self, from: u32, to: u32, plain: i64, mark: i64) -> bool {
        let banned = |row: u32| self.banned.get(row as usize).copied().unwrap_or(0);
        plain > self.worth * mark || banned(from) < banned(to)
    }

    /// Returns whether a row is missing, and may show.
    pub fn is_missing(&self, row: u32) -> bool {
        let banned = |row: u32| self.banned.get(row as usize);
        let (before, behind) = (self.shown.prev(row), self.shown.next(row));
        !self.shown.has(row) && banned(row) == banned(row + 1) && self.is_marked(before, behind)
    }

    /// Finds out which rows of nodes, and between them, need which others. Nothing is around the root: it is not read.
    pub fn read(&self, nodes: &[u32]) {
        let nodes = nodes.iter().copied().filter(|node| self.page.above[*node as usize] != NONE);
        let rows = nodes.map(|node| {
            let (own, whole) = (self.stretches(node), self.tree.nodes[node as usize]);
            // A node can begin with the blank lines that belong to the row before it.
            let blank = whole.end - self.page.slice(whole.start, whole.end).trim_start().len() as u32;
            let first = own.first().map_or(u32::MAX, |(from, _)| *from).min(self.page.row_of(blank));
            let end = own.last().map_or(0, |(_, to)| *to).max(self.page.row_of(whole.end.saturating_sub(1)) + 1);
            (first, end)
        });
        let (first, end) = rows.fold((u32::MAX, 0), |(first, last), (from, to)| (first.min(from), last.max(to)));
        self.layout.read(self.page.text, (first, end));
    }

    /// Returns the rows that the visible ones need and that are not visible. Some rows are visible only because a
    /// marker would save too little.
    pub fn lacking(&self) -> Vec<u32> {
        let (mut start, mut before) = (0, None);
        let mut visible: Vec<(u32, u32)> = Vec::new();
        for behind in self.shown_rows().map(Some).chain([None]) {
            if self.is_marked(before, behind) {
                visible.push((start, before.map_or(0, |row| row + 1)));
                start = behind.unwrap_or(self.rows());
            }
            before = behind;
        }
        visible.push((start, self.rows()));
        self.layout.needs.borrow().missing(&visible, |_| false)
    }

    /// Hides rows that added `added`.
    pub fn hide_rows(&mut self, rows: &[u32], added: i64) {
        rows.iter().for_each(|row| self.shown.remove(*row));
        self.total -= added;
    }

    /// Returns the unit of the budget.
    pub fn gauge(&self) -> Gauge<'d> {
        self.gauge
    }

    /// Returns the count of a text.
    pub fn measure(&self, text: &str) -> i64 {
        self.gauge.count(text)
    }

    /// Returns the maximum count of a marker.
    pub fn longest(&self) -> i64 {
        self.layout.longest
    }

    pub fn rows(&self) -> u32 {
        self.page.rows.len() as u32
    }

    /// Returns the rows of a node as stretches.
    pub fn stretches(&self, node: u32) -> &'d [(u32, u32)] {
        self.layout.stretches(node)
    }

    /// Returns what the rows of a node count by themselves.
    pub fn own(&self, node: u32) -> i64 {
        self.stretches(node).iter().map(|(from, to)| self.sum(*from, *to)).sum()
    }

    /// Returns the minimum that a node adds. There is none if rows of it show already, even for lack of a marker.
    pub fn least(&self, node: u32) -> i64 {
        let none = |(from, to): &(u32, u32)| self.shown.next(*from).is_none_or(|row| row >= *to);
        let holds = self.worth == 1 && self.stretches(node).iter().all(none);
        let least = self.layout.least.get(node as usize).filter(|_| holds);
        least.copied().unwrap_or(i64::MIN / 2)
    }

    /// Returns what rows count if all of them show.
    pub fn sum(&self, from: u32, to: u32) -> i64 {
        self.layout.sum(from, to)
    }

    /// Returns the count between two rows that show one after the other; `None` is an end of the document.
    fn between(&self, before: Option<u32>, behind: Option<u32>) -> i64 {
        let (from, to) = (before.map_or(0, |row| row + 1), behind.unwrap_or(self.rows()));
        let cut = self.is_cut(before, behind);
        if from == to && !cut {
            return if from > 0 && to < self.rows() { i64::from(self.layout.seams[to as usize]) } else { 0 };
        }
        let (mark, plain) = (self.mark(before, behind), self.plain(from, to));
        if cut || self.pays(from, to, plain, mark) { mark } else { plain }
    }

    /// Returns what a stretch of rows counts if all of it shows.
    fn plain(&self, from: u32, to: u32) -> i64 {
        self.sum(from, to) + self.layout.seams.get(to as usize).map_or(0, |seam| i64::from(*seam))
    }

    /// Returns whether part of a row is missing between two rows.
    pub(super) fn is_cut(&self, before: Option<u32>, behind: Option<u32>) -> bool {
        let begins = self.part.is_some_and(|part| part.left && behind == Some(part.first));
        begins || before.is_some_and(|row| self.ends_cut(row))
    }

    /// Returns whether the end of a row is missing.
    pub(super) fn ends_cut(&self, row: u32) -> bool {
        self.part.is_some_and(|part| part.right && part.last == row)
    }

    /// Returns whether there is a marker between two rows. A stretch that is hardly longer than its marker has none.
    pub fn is_marked(&self, before: Option<u32>, behind: Option<u32>) -> bool {
        let (from, to) = (before.map_or(0, |row| row + 1), behind.unwrap_or(self.rows()));
        let cut = self.is_cut(before, behind);
        cut || from < to && self.pays(from, to, self.plain(from, to), self.mark(before, behind))
    }

    /// Returns what is between two rows that show.
    pub fn gap(&self, before: Option<u32>, behind: Option<u32>) -> Gap {
        if let Some(leaves) = &self.layout.leaves {
            let silent = before.zip(behind).is_none_or(|(before, behind)| leaves.is_silent(before, behind));
            let outer = before.filter(|_| !silent).and_then(|row| self.shown.prev(row));
            let next = behind.filter(|_| !silent).and_then(|row| self.shown.next(row + 1));
            return self.leaf_gap(leaves, [outer, before, behind, next]);
        }
        let (start, end) = self.missing(before, behind);
        Gap { start, end, text: self.is_marked(before, behind).then(|| self.marker(before, behind)) }
    }

    /// Returns the stretch of the document between two rows.
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

    /// Returns what a row that shows counts by itself.
    fn count_of(&self, row: u32) -> i64 {
        match self.part_in(row) {
            Some(part) => self.gauge.count(&self.part_text(part, row)),
            None => i64::from(self.layout.counts[row as usize]),
        }
    }

    /// Returns the part that begins or ends in a row.
    fn part_in(&self, row: u32) -> Option<Part> {
        self.part.filter(|part| part.first == row || part.last == row)
    }

    /// Returns the text of a row that shows in part.
    fn part_text(&self, part: Part, row: u32) -> String {
        let whole = self.page.rows[row as usize];
        let from = if part.first == row { part.from } else { whole.start };
        let to = if part.last == row { part.to } else { whole.end };
        let mut text = match self.layout.numbered {
            true => with_numbers(self.page, from, to, self.page.line_of(from)),
            false => self.page.slice(from, to).to_string(),
        };
        if part.last == row && self.breaks_off(part) {
            text.push('\n');
        }
        text
    }

    /// Adds a row that shows to a tally.
    pub fn tell(&self, row: u32, tally: &mut Tally<'_>) {
        let (whole, count) = (self.page.rows[row as usize], self.layout.counts[row as usize]);
        match self.part_in(row) {
            Some(part) => tally.add(&self.part_text(part, row), None),
            None if self.layout.numbered => {
                let put = |text: &mut String| put_numbered(self.page, (whole.start, whole.end), whole.line, text);
                tally.add_written(put, Some(i64::from(count)));
            }
            None => tally.add(self.page.slice(whole.start, whole.end), Some(i64::from(count))),
        }
    }

    /// Returns whether a part ends within a line, so that its marker needs a line break before it.
    pub fn breaks_off(&self, part: Part) -> bool {
        part.right && !self.page.slice(part.from, part.to).ends_with(['\n', '\r'])
    }

    /// Returns what it adds to show stretches of rows, which ascend. Some of their rows may show already.
    pub fn added(&self, stretches: &[(u32, u32)]) -> i64 {
        if let Some(leaves) = &self.layout.leaves {
            return self.added_leaves(leaves, stretches);
        }
        let mut sum = 0;
        // The stretch behind the last added row is counted last, since more rows can be added in it.
        let mut open: Option<(u32, Option<u32>)> = None;
        for (from, to) in stretches.iter().copied() {
            let mut at = from;
            while at < to {
                let behind = self.shown.next(at);
                let next = behind.unwrap_or(to).min(to);
                if at < next {
                    let before = match open {
                        Some((last, until)) if until == behind => Some(last),
                        _ => {
                            sum += open.map_or(0, |(last, behind)| self.between(Some(last), behind));
                            let before = self.shown.prev(at);
                            sum -= self.between(before, behind);
                            before
                        }
                    };
                    sum += self.between(before, Some(at));
                    sum += match next - at {
                        1 => self.count_of(at),
                        _ => self.sum(at, next) - i64::from(self.layout.seams[at as usize]),
                    };
                    open = Some((next - 1, behind));
                }
                at = next;
                while at < to && self.shown.has(at) {
                    at += 1;
                }
            }
        }
        sum + open.map_or(0, |(last, behind)| self.between(Some(last), behind))
    }

    /// Shows stretches of rows that add `added`.
    pub fn show(&mut self, stretches: &[(u32, u32)], added: i64) {
        for row in stretches.iter().flat_map(|(from, to)| *from..*to) {
            self.shown.insert(row);
        }
        self.total += added;
    }

    /// Shows only a part with the rows that it is in, and some other rows.
    pub fn set_part(&mut self, part: Option<Part>, others: &[u32]) {
        self.hide(part);
        let rows = part.into_iter().flat_map(|part| part.first..=part.last);
        for row in rows.chain(others.iter().copied()) {
            // Sums are of whole rows, so rows are added one by one.
            let row = [(row, row + 1)];
            self.show(&row, self.added(&row));
        }
    }

    fn hide(&mut self, part: Option<Part>) {
        for row in self.shown_rows().collect::<Vec<_>>() {
            self.shown.remove(row);
        }
        self.part = part;
        self.total = self.between(None, None);
    }

    /// Shows the stretches that show because a marker would save too little. Shorter stretches can have a marker
    /// afterwards.
    pub fn settle(&mut self, worth: i64) {
        let mut before = None;
        let shown: Vec<Option<u32>> = self.shown_rows().map(Some).chain([None]).collect();
        for behind in shown {
            if !self.is_marked(before, behind) {
                let from = before.map_or(0, |row| row + 1);
                (from..behind.unwrap_or(self.rows())).for_each(|row| self.shown.insert(row));
            }
            before = behind;
        }
        self.worth = worth;
    }

    /// Returns the number of characters of the document that show, blanks excluded.
    pub fn said(&self) -> u64 {
        let mut said = u64::from(self.layout.said(0, self.rows()));
        let mut before = None;
        for behind in self.shown_rows().map(Some).chain([None]) {
            if self.is_marked(before, behind) {
                let from = before.map_or(0, |row| row + 1);
                said -= u64::from(self.layout.said(from, behind.unwrap_or(self.rows()).max(from)));
            }
            before = behind;
        }
        let Some(part) = self.part else { return said };
        let whole = u64::from(self.layout.said(part.first, part.last + 1));
        said - whole + u64::from(layout::said(self.page.slice(part.from, part.to)))
    }

    /// Hides all rows.
    pub fn clear(&mut self) {
        self.chosen.fill(false);
        self.worth = self.first_worth;
        self.hide(None);
    }

    /// Returns the rows that show, in order.
    pub fn shown_rows(&self) -> impl Iterator<Item = u32> {
        let mut at = 0;
        std::iter::from_fn(move || {
            let row = self.shown.next(at).filter(|row| *row < self.rows())?;
            at = row + 1;
            Some(row)
        })
    }

    /// Returns whether a node, or the node that it shows with, is chosen.
    pub fn is_open(&self, node: u32) -> bool {
        node == NONE || self.chosen.get(node as usize).copied().unwrap_or(false)
    }
}

/// Appends the number of a line, which counts from 0, as it begins a line.
pub(super) fn number(line: u32, out: &mut String) {
    let (mut rest, mut digits) = (line + 1, *b"0000000000: ");
    let mut first = 10;
    while rest > 0 {
        first -= 1;
        digits[first] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    out.push_str(std::str::from_utf8(&digits[first..]).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::super::{Document, Gauge, Layout, Options, Sheet, Source, write};
    use crate::document::fold;
    use crate::tokens::Tokenizer;

    /// Counts a token for every other character, so that counts do not add up.
    struct Halves;

    impl Tokenizer for Halves {
        fn count(&self, text: &str) -> u64 {
            text.len() as u64 / 2
        }
    }

    /// Counts what shows, gap by gap.
    fn counted(sheet: &Sheet<'_>) -> i64 {
        let shown: Vec<Option<u32>> = [None].into_iter().chain(sheet.shown_rows().map(Some)).chain([None]).collect();
        let gaps: i64 = shown.windows(2).map(|pair| sheet.between(pair[0], pair[1])).sum();
        gaps + sheet.shown_rows().map(|row| sheet.count_of(row)).sum::<i64>()
    }

    #[test]
    fn what_is_added_is_told_before_it_shows_and_never_below_the_least() {
        let mut rng = fastrand::Rng::with_seed(11);
        for _ in 0..400 {
            let lines = ["a", "/ b", "if (c) {", "}", "", "    d();", "    /** e", "        f = [1, 2];", "    }"];
            let ends = ["\n", "\r\n", "\r"];
            let text: String = (0..rng.usize(1..40))
                .map(|_| lines[rng.usize(..lines.len())].to_string() + ends[rng.usize(..3)])
                .collect();
            let (source, overlay) = (Source::new(&text), fold(&text, 4, false));
            let gauge = if rng.bool() { Gauge::Characters } else { Gauge::Tokens(&Halves) };
            let numbered = rng.bool();
            let options = Options { gauge, numbered, worth: 1, ..Options::default() };
            let language = ["typescript", "python", "typescriptreact"][rng.usize(..3)];
            let document = Document { language, ..Document::new(&source, &overlay) };
            let layout = Layout::new(&document, &options);
            let mut sheet = Sheet::new(&text, &overlay, &layout, gauge, if rng.bool() { 1 } else { rng.i64(1..20) });
            for _ in 0..rng.usize(..20) {
                let node = rng.u32(..layout.tree.nodes.len() as u32);
                let rows = [(rng.u32(..sheet.rows()), rng.u32(..=sheet.rows()))];
                let whole = rng.bool();
                let stretches = if whole { sheet.stretches(node) } else { &rows };
                let (before, shown) = (sheet.total, sheet.shown_rows().count());
                let added = sheet.added(stretches);
                assert_eq!((sheet.total, sheet.shown_rows().count()), (before, shown));
                assert!(!whole || sheet.least(node) <= added, "{text:?} {node}");
                sheet.show(stretches, added);
                assert_eq!(sheet.total, counted(&sheet), "{text:?} {stretches:?}");
                if matches!(gauge, Gauge::Characters) {
                    let made = write::write(&sheet, &source, gauge);
                    assert_eq!(made.count, sheet.total as u64, "{text:?}");
                    assert_eq!(made.count, gauge.count(&made.edits.apply(&text)) as u64);
                }
            }
        }
    }
}

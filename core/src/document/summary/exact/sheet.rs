//! One document while it is being filled: which rows show, and what that counts, markers included.
//!
//! Counts add up where rows meet, since a row ends with a line break and the next begins with text. The one exception is a `/` at the
//! beginning of a line, with which a token of punctuation on the line before can go on: that is what `seams` are for. So what a row adds
//! is known without writing anything: its own count, and the markers on either side of it.

use super::super::super::Overlay;
use super::super::super::syntax::NONE;
use super::super::dense::Dense;
use super::Gauge;
use super::gauge::Tally;
use super::layout::{Layout, put_numbered, with_numbers};
use super::page::Page;
use crate::bits::Bits;

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
    pub(super) layout: &'d Layout,
    pub(super) gauge: Gauge<'d>,
    /// A stretch that counts at most so many times its marker shows instead of it.
    pub worth: i64,
    /// The same while nothing shows.
    pub first_worth: i64,
    pub shown: Bits,
    /// Nodes whose rows show.
    pub chosen: Vec<bool>,
    pub part: Option<Part>,
    /// How many rows before each must not show unless they are asked for; empty if there are none.
    banned: Vec<u32>,
    /// What it all counts.
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
        sheet.total = sheet.between(None, None);
        sheet
    }

    /// Rows of these nodes must not show in place of their marker, however short they are.
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

    /// True if there are rows that must not show unless they are asked for.
    pub fn bans(&self) -> bool {
        !self.banned.is_empty()
    }

    /// True if rows that do not show have a marker, and do not show instead of it.
    fn pays(&self, from: u32, to: u32, plain: i64, mark: i64) -> bool {
        let banned = |row: u32| self.banned.get(row as usize).copied().unwrap_or(0);
        plain > self.worth * mark || banned(from) < banned(to)
    }

    /// What the document is counted in.
    pub fn gauge(&self) -> Gauge<'d> {
        self.gauge
    }

    /// What a text counts.
    pub fn measure(&self, text: &str) -> i64 {
        self.gauge.count(text)
    }

    /// What a marker counts at most.
    pub fn longest(&self) -> i64 {
        self.layout.longest
    }

    pub fn rows(&self) -> u32 {
        self.page.rows.len() as u32
    }

    /// The rows of a node, as stretches.
    pub fn stretches(&self, node: u32) -> &'d [(u32, u32)] {
        self.layout.stretches(node)
    }

    /// What the rows of a node count by themselves.
    pub fn own(&self, node: u32) -> i64 {
        self.stretches(node).iter().map(|(from, to)| self.sum(*from, *to)).sum()
    }

    /// What a node adds at least: nothing, if rows of it show already or for want of a marker.
    pub fn least(&self, node: u32) -> i64 {
        let none = |(from, to): &(u32, u32)| self.shown.next(*from).is_none_or(|row| row >= *to);
        let holds = self.worth == 1 && self.stretches(node).iter().all(none);
        if holds { self.layout.least[node as usize] } else { i64::MIN / 2 }
    }

    /// What rows count where all of them show.
    pub fn sum(&self, from: u32, to: u32) -> i64 {
        self.layout.sum(from, to)
    }

    /// What stands between two rows that show one after the other; nothing for the ends of the document.
    fn between(&self, before: Option<u32>, behind: Option<u32>) -> i64 {
        let (from, to) = (before.map_or(0, |row| row + 1), behind.unwrap_or(self.rows()));
        let cut = self.is_cut(before, behind);
        if from == to && !cut {
            return if from > 0 && to < self.rows() { i64::from(self.layout.seams[to as usize]) } else { 0 };
        }
        let (mark, plain) = (self.mark(before, behind), self.plain(from, to));
        if cut || self.pays(from, to, plain, mark) { mark } else { plain }
    }

    /// What a stretch of rows counts if all of it shows.
    fn plain(&self, from: u32, to: u32) -> i64 {
        self.sum(from, to) + self.layout.seams.get(to as usize).map_or(0, |seam| i64::from(*seam))
    }

    /// True if part of a row is missing between two rows.
    pub(super) fn is_cut(&self, before: Option<u32>, behind: Option<u32>) -> bool {
        let begins = self.part.is_some_and(|part| part.left && behind == Some(part.first));
        begins || before.is_some_and(|row| self.ends_cut(row))
    }

    /// True if the end of a row is missing.
    pub(super) fn ends_cut(&self, row: u32) -> bool {
        self.part.is_some_and(|part| part.right && part.last == row)
    }

    /// True if there is a marker between two rows, which a stretch that is hardly longer than its marker has not.
    pub fn is_marked(&self, before: Option<u32>, behind: Option<u32>) -> bool {
        let (from, to) = (before.map_or(0, |row| row + 1), behind.unwrap_or(self.rows()));
        let cut = self.is_cut(before, behind);
        cut || from < to && self.pays(from, to, self.plain(from, to), self.mark(before, behind))
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

    /// What a row that shows counts by itself.
    fn count_of(&self, row: u32) -> i64 {
        match self.part_in(row) {
            Some(part) => self.gauge.count(&self.part_text(part, row)),
            None => i64::from(self.layout.counts[row as usize]),
        }
    }

    /// The part that begins or ends in a row.
    fn part_in(&self, row: u32) -> Option<Part> {
        self.part.filter(|part| part.first == row || part.last == row)
    }

    /// What shows of a row that is cut.
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

    /// Adds a row that shows to a text.
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

    /// True if what shows of a row ends within a line, so that its marker needs a line break before it.
    pub fn breaks_off(&self, part: Part) -> bool {
        part.right && !self.page.slice(part.from, part.to).ends_with(['\n', '\r'])
    }

    /// What it adds to show stretches of rows, in their order, whichever of them show already.
    pub fn added(&self, stretches: &[(u32, u32)]) -> i64 {
        let mut sum = 0;
        // Behind the last row that was added, up to what shows next: not counted so far, as more can be added in between.
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

    /// Shows stretches of rows, which adds so much.
    pub fn show(&mut self, stretches: &[(u32, u32)], added: i64) {
        for row in stretches.iter().flat_map(|(from, to)| *from..*to) {
            self.shown.insert(row);
        }
        self.total += added;
    }

    /// Cuts the rows that the part begins and ends in down to it. They show afterwards, and everything between them.
    pub fn set_part(&mut self, part: Part) {
        for row in self.shown_rows().collect::<Vec<_>>() {
            self.shown.remove(row);
        }
        self.part = Some(part);
        self.total = self.between(None, None);
        for row in part.first..=part.last {
            // One by one: sums are of whole rows.
            let row = [(row, row + 1)];
            self.show(&row, self.added(&row));
        }
    }

    /// Shows what already shows because a marker would save too little, so that from now on shorter stretches can have one.
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

    /// How many characters that are no blanks show, in rows that show whole.
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
        said
    }

    /// No row is cut, and none shows.
    pub fn clear(&mut self) {
        for row in self.shown_rows().collect::<Vec<_>>() {
            self.shown.remove(row);
        }
        self.part = None;
        self.chosen.fill(false);
        self.worth = self.first_worth;
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

/// Writes what a line begins with where lines are numbered; lines count from 0 here.
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
    use super::super::super::{Prices, Source};
    use super::super::{Document, Gauge, Imports, Layout, Options, Sheet, WORDING, write};
    use crate::document::fold;
    use crate::tokens::Tokenizer;

    /// A token for every other character: counts do not add up.
    struct Halves;

    impl Tokenizer for Halves {
        fn count(&self, text: &str) -> u64 {
            text.len() as u64 / 2
        }
    }

    /// What shows, counted gap by gap.
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
            let options = Options { budget: 0, gauge, numbered, wording: WORDING, imports: Imports::Usual, worth: 1 };
            let language = ["typescript", "python", "typescriptreact"][rng.usize(..3)];
            let document = Document {
                source: &source,
                overlay: &overlay,
                language,
                comments: None,
                selection: None,
                prices: Prices::Usual,
                name: "",
            };
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
                    let made = write::write(&sheet, &source, gauge, numbered);
                    assert_eq!(made.count, sheet.total as u64, "{text:?}");
                    assert_eq!(made.count, gauge.count(&made.edits.apply(&text)) as u64);
                }
            }
        }
    }
}

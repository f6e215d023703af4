//! The part of a summary that does not depend on the selection and the budget: the rows, their counts, and the markers
//! that could be between them.
//!
//! Counting rows takes most of a summary's time. Layouts are therefore kept beside the structure, and a new cursor or
//! budget costs only the fill.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use super::super::embedded::parts;
use super::super::{Overlay, Shared};
use super::compatible::Leaves;
use super::dense::Dense;
use super::family::Family;
use super::gauge::Tally;
use super::marker::{Marker, Style};
use super::needs::{Lexis, Needs};
use super::page::{Page, Rows};
use super::sheet::number;
use super::tags::between_tags;
use super::{Document, Gauge, Options, Rules, WORTH};

/// A document as rows with their counts.
#[derive(Debug)]
pub struct Layout {
    pub(super) rows: Rows,
    pub(super) tree: Dense,
    /// Under the compatible rules only.
    pub(super) leaves: Option<Leaves>,
    pub(super) marker: Marker,
    /// Whether lines begin with their numbers.
    pub(super) numbered: bool,
    /// The count of the document without line numbers.
    pub(super) whole: u64,
    /// The count of each row by itself.
    pub(super) counts: Vec<u32>,
    /// The difference that the row before it makes to the count of each row.
    pub(super) seams: Vec<i32>,
    /// The count of all rows before each, seams included.
    sums: Vec<i64>,
    /// The number of characters before each row, blanks excluded.
    said: Vec<u32>,
    /// The count of each node per character, blanks excluded: 4 is the average of the document.
    density: Vec<u32>,
    /// All nodes, those with the lowest count per character first.
    pub(super) order: Vec<u32>,
    /// The rows of each node as stretches: `stretches[ends[n - 1]..ends[n]]`.
    stretches: Vec<(u32, u32)>,
    ends: Vec<u32>,
    /// The maximum count of a marker.
    pub(super) longest: i64,
    /// What each node adds at least, if it saves all markers beside its rows.
    pub(super) least: Vec<i64>,
    /// Counts of the beginnings of markers, and the difference that some lines before them make. These are few in any
    /// document.
    pub(super) memo: Memo,
    /// Counts of markers up to and including their first number, by the first omitted row.
    pub(super) heads: Vec<Cell<i32>>,
    /// Counts of markers from there to their last number, by the last omitted row. The bits above [`FOOT`] are its line
    /// break.
    pub(super) feet: Vec<Cell<i32>>,
    /// Counts of markers behind their numbers, by [`Layout::form`] and the line break.
    pub(super) tails: Vec<[i64; 4]>,
    pub(super) dash: i64,
    /// How the language marks what is no code, and what that says of the nodes that were cut so far.
    lexis: Option<Lexis>,
    pub(super) needs: RefCell<Needs>,
    /// Whether a body that may not be empty begins behind each row.
    pub(super) opens: Vec<bool>,
    /// Whether each row begins between tags.
    between_tags: Vec<bool>,
    /// The markers of other languages in the document, and for each row 0 or the number of its language, from 1. Both
    /// are empty if there is none.
    embedded: Vec<Marker>,
    languages: Vec<u8>,
}

/// Steps of density up to the average.
pub(super) const STEPS: u64 = 4;

/// A value that has not been counted yet.
pub(super) const UNKNOWN: i32 = i32::MAX;

/// Bits of a foot that hold its count.
pub(super) const FOOT: u32 = 16;

pub(super) const LINE_ENDS: [&str; 4] = ["", "\n", "\r\n", "\r"];

impl Layout {
    /// Lays a document out. The result depends on the document except its selection, and on all options except budget,
    /// imports and worth.
    pub fn new(document: &Document<'_>, options: &Options<'_>) -> Layout {
        let (text, overlay, gauge) = (document.source.text(), document.overlay, options.gauge);
        let tree = Dense::new(overlay, document.source);
        let (rows, leaves) = match options.rules {
            Rules::Exact => (Rows::new(text, &tree, overlay, Family::of(document.language)), None),
            Rules::Compatible(settings) => {
                let (rows, nodes) = Rows::of_leaves(document.source, &tree);
                (rows, Some(Leaves::new(settings, &tree, nodes, text)))
            }
        };
        let marker = Marker::new(document.language, document.comments, options.wording);
        let count = rows.rows.len();
        let mut layout = Layout {
            memo: Memo::default(),
            whole: 0,
            counts: Vec::with_capacity(count),
            seams: vec![0; count],
            sums: Vec::with_capacity(count + 1),
            said: Vec::with_capacity(count + 1),
            density: Vec::new(),
            order: Vec::new(),
            stretches: Vec::new(),
            ends: Vec::new(),
            longest: 0,
            least: Vec::new(),
            heads: vec![Cell::new(UNKNOWN); count],
            feet: vec![Cell::new(UNKNOWN); count],
            tails: Vec::new(),
            dash: gauge.count("-"),
            lexis: Lexis::of(document.language),
            needs: RefCell::default(),
            opens: vec![false; if marker.fills { count } else { 0 }],
            between_tags: vec![false; if marker.braces { count } else { 0 }],
            embedded: Vec::new(),
            languages: Vec::new(),
            rows,
            tree,
            leaves,
            marker,
            numbered: options.numbered,
        };
        layout.order = (0..layout.tree.nodes.len() as u32).collect();
        layout.assign();
        if let Some(leaves) = &layout.leaves {
            layout.whole = document.source.units(0, document.source.end());
            layout.sums.push(0);
            let mut sum = 0;
            for row in &layout.rows.rows {
                sum += leaves.count_row(document.source, row.start, row.end);
                layout.sums.push(sum);
            }
            return layout;
        }
        layout.count(text, gauge);
        layout.say(text);
        layout.density = layout.densities(gauge);
        crate::rank::sort(&mut layout.order, |node| u64::from(layout.density[*node as usize]));
        layout.look(text, overlay);
        if document.comments.is_none() {
            layout.find_embedded(text, document.language, options.wording);
        }
        let styles = [Style::Plain, Style::Braced].into_iter();
        let tail = |style| LINE_ENDS.map(|end| gauge.count(&format!("{}{end}", layout.after(style))));
        layout.tails = styles.chain((0..layout.embedded.len()).map(|at| Style::Embedded(at as u8))).map(tail).collect();
        layout.longest = layout.longest(text, gauge);
        layout.least = (0..layout.tree.nodes.len() as u32).map(|node| layout.least(node)).collect();
        layout
    }

    /// Finds out which rows of a stretch need which others. The stretch begins outside of all brackets.
    pub(super) fn read(&self, text: &str, stretch: (u32, u32)) {
        if let Some(lexis) = self.lexis {
            self.needs.borrow_mut().read(self.page(text), lexis, stretch);
        }
    }

    /// Finds out which rows of the whole document need which others, in place of what is known of parts. Returns the
    /// latter, which has to be put back: a summary does not depend on those before it.
    pub(super) fn read_whole(&self, text: &str) -> Needs {
        let before = self.needs.take();
        self.read(text, (0, self.rows.rows.len() as u32));
        before
    }

    /// Returns whether it is known which rows need which others.
    pub(super) fn reads(&self) -> bool {
        self.lexis.is_some()
    }

    pub(super) fn page<'d>(&'d self, text: &'d str) -> Page<'d> {
        Page { text, of: &self.rows }
    }

    /// Returns the memory of the layout in bytes.
    pub fn memory(&self) -> usize {
        let rows = self.rows.memory() + self.rows.rows.len() * (4 * 5 + 8) + self.opens.len();
        let rows = rows + self.between_tags.len() + self.languages.len();
        rows + self.tree.memory()
            + self.stretches.len() * 8
            + (self.ends.len() + self.density.len() + self.order.len()) * 4
            + self.least.len() * 8
            + self.needs.borrow().memory()
            + size_of::<Layout>()
    }

    fn least(&self, node: u32) -> i64 {
        self.stretches(node).iter().map(|(from, to)| self.sum(*from, *to) - self.longest).sum()
    }

    fn longest(&self, text: &str, gauge: Gauge<'_>) -> i64 {
        let page = self.page(text);
        let indents = (0..page.rows.len() as u32).map(|row| page.indent(row));
        let deepest = indents.max_by_key(|indent| indent.len()).unwrap_or_default();
        let style = if self.marker.fills { Style::Filled } else { Style::Plain };
        let most = page.rows.last().map_or(0, |row| row.line + row.lines);
        let embedded = (0..self.embedded.len()).map(|at| Style::Embedded(at as u8));
        let longest = [style].into_iter().chain(embedded).map(|style| {
            let (before, after) = (self.before(style), self.after(style));
            gauge.count(&format!("{deepest}{before}{most}-{most}{after}\r\n"))
        });
        longest.max().unwrap_or(0) + 4
    }

    /// Returns the text of a marker between its indentation and its numbers.
    pub(super) fn before(&self, style: Style) -> String {
        self.marker_of(style).before(style)
    }

    /// Returns the text of a marker between its numbers and the line break.
    pub(super) fn after(&self, style: Style) -> String {
        self.marker_of(style).after(style)
    }

    fn marker_of(&self, style: Style) -> &Marker {
        match style {
            Style::Embedded(at) => self.embedded.get(at as usize).unwrap_or(&self.marker),
            _ => &self.marker,
        }
    }

    /// Returns how a marker in place of a row and the rows behind it looks, unless it follows a row that it has to
    /// fill.
    pub(super) fn style(&self, row: u32) -> Style {
        match self.languages.get(row as usize) {
            Some(language @ 1..) => Style::Embedded(language - 1),
            _ if self.between_tags.get(row as usize) == Some(&true) => Style::Braced,
            _ => Style::Plain,
        }
    }

    /// Returns the index of the style of a row in `tails`.
    pub(super) fn form(&self, row: u32) -> usize {
        match self.style(row) {
            Style::Plain | Style::Filled => 0,
            Style::Braced => 1,
            Style::Embedded(at) => at as usize + 2,
        }
    }

    /// Finds the rows in other languages than the document.
    fn find_embedded(&mut self, text: &str, language: &str, wording: &str) {
        if language != "php" && !self.marker.is_markup() {
            return;
        }
        let parts = parts(text, language);
        let mut names: Vec<&str> = Vec::new();
        let mut languages = vec![0; if parts.is_empty() { 0 } else { self.rows.rows.len() }];
        let mut parts = parts.iter().peekable();
        for (row, number) in self.rows.rows.iter().zip(&mut languages) {
            let blank = text.get(row.start as usize..row.end as usize).unwrap_or_default();
            let first = row.end - blank.trim_start().len() as u32;
            while parts.next_if(|part| part.end <= first).is_some() {}
            if let Some(part) = parts.peek().filter(|part| part.start <= first) {
                let known = names.iter().position(|name| *name == part.language);
                *number = known.unwrap_or_else(|| {
                    names.push(part.language);
                    names.len() - 1
                }) as u8
                    + 1;
            }
        }
        self.embedded = names.into_iter().map(|name| Marker::new(name, None, wording)).collect();
        self.languages = languages;
    }

    fn count(&mut self, text: &str, gauge: Gauge<'_>) {
        let page = Page { text, of: &self.rows };
        let (mut sum, mut whole) = (0, Tally::new(gauge));
        self.sums.push(0);
        for (at, row) in page.rows.iter().enumerate() {
            let text = page.slice(row.start, row.end);
            let count = match self.numbered {
                true => gauge.count(&with_numbers(page, row.start, row.end, row.line)),
                false => gauge.count(text),
            };
            self.counts.push(count as u32);
            whole.add(text, (!self.numbered).then_some(count));
            if at > 0 && text.starts_with('/') && !self.numbered && !gauge.adds_up() {
                let before = page.rows[at - 1];
                self.seams[at] = seam(gauge, gauge.tail(page.slice(before.start, before.end)), text);
            }
            sum += count + i64::from(self.seams[at]);
            self.sums.push(sum);
        }
        self.whole = whole.count() as u64;
        debug_assert_eq!(self.whole, gauge.count(text) as u64);
    }

    /// Collects the rows of each node.
    fn assign(&mut self) {
        let owners = &self.rows.owners;
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

    /// Counts the characters before each row, blanks excluded.
    fn say(&mut self, text: &str) {
        let page = Page { text, of: &self.rows };
        let mut sum = 0;
        self.said.push(0);
        for row in &page.rows {
            sum += said(page.slice(row.start, row.end));
            self.said.push(sum);
        }
    }

    fn densities(&self, gauge: Gauge<'_>) -> Vec<u32> {
        let all = self.rows.rows.len() as u32;
        // Density has coarse steps, so that nodes of about the same density stay in their order.
        let usual = self.sum(0, all) as f64 / (u64::from(self.said(0, all).max(1)) * STEPS) as f64;
        let (before, after) = (self.before(Style::Plain), self.after(Style::Plain));
        let mark = gauge.count(&format!("{before}12-34{after}\n"));
        let of = |node: u32| {
            let (mut count, mut said, mut reached) = (0, 0, None);
            for (from, to) in self.stretches(node).iter().copied() {
                // A node shows together with short stretches between its rows, and with markers for long ones.
                if let Some(reached) = reached {
                    let between = self.sum(reached, from);
                    let short = between <= i64::from(WORTH) * mark;
                    count += if short { between } else { mark };
                    said += if short { self.said(reached, from) } else { 0 };
                }
                count += self.sum(from, to);
                said += self.said(from, to);
                reached = Some(to);
            }
            (count as f64 / (f64::from(said.max(1)) * usual)) as u32
        };
        (0..self.tree.nodes.len() as u32).map(of).collect()
    }

    /// Returns the number of characters in rows, blanks excluded.
    pub(super) fn said(&self, from: u32, to: u32) -> u32 {
        self.said[to as usize] - self.said[from as usize]
    }

    /// Returns the count of a node per character, in quarters of the average of the document.
    pub(super) fn density(&self, node: u32) -> u32 {
        self.density.get(node as usize).copied().unwrap_or(0)
    }

    /// Finds the rows beside which markers look different.
    fn look(&mut self, text: &str, overlay: &Overlay) {
        let page = Page { text, of: &self.rows };
        for at in 0..self.opens.len() {
            let row = page.rows[at];
            let text = page.slice(row.start, row.end).trim();
            let code = text.split(" #").next().unwrap_or(text).trim_end();
            self.opens[at] = match text.starts_with('#') {
                true => at > 0 && self.opens[at - 1],
                false => code.ends_with(':') && !code.starts_with("match "),
            };
        }
        if self.marker.braces {
            between_tags(page, overlay, &mut self.between_tags);
        }
    }

    /// Returns the rows of a node as stretches.
    pub(super) fn stretches(&self, node: u32) -> &[(u32, u32)] {
        let bound = |at: usize| self.ends.get(at).copied().unwrap_or(0) as usize;
        self.stretches.get(bound(node as usize)..bound(node as usize + 1)).unwrap_or_default()
    }

    /// Returns what rows count if all of them show.
    pub(super) fn sum(&self, from: u32, to: u32) -> i64 {
        self.sums[to as usize] - self.sums[from as usize]
    }
}

/// Returns the difference that a line with this [tail](Gauge::tail) makes to the count of the text behind it.
pub(super) fn seam(gauge: Gauge<'_>, tail: &str, behind: &str) -> i32 {
    if tail.is_empty() {
        return 0;
    }
    // Nothing behind the first blank of a line belongs to a token that began on the line before.
    let head = behind.split([' ', '\r', '\n']).next().unwrap_or(behind);
    let both = format!("{tail}{head}");
    (gauge.count(&both) - gauge.count(tail) - gauge.count(head)) as i32
}

/// Counts characters that are no blanks by their first byte, eight bytes at a time.
pub(super) fn said(text: &str) -> u32 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (words, rest) = text.as_bytes().as_chunks::<8>();
    let of = |word: &[u8; 8]| {
        let word = u64::from_le_bytes(*word);
        // The highest bit of each byte says: the byte is more than a blank, or it begins a character that is not ASCII.
        let (ascii, more) = ((word & (0x7f * ONES)) + 0x5f * ONES, word << 1);
        (((ascii & !word) | (more & word)) & (0x80 * ONES)).count_ones()
    };
    let count = rest.iter().filter(|byte| **byte > b' ' && !(0x80..0xc0).contains(*byte)).count();
    words.iter().map(of).sum::<u32>() + count as u32
}

/// Counts of a few short texts.
#[derive(Debug, Default)]
pub(super) struct Memo {
    known: RefCell<Vec<(Box<str>, i32)>>,
}

impl Memo {
    /// The maximum number of texts.
    const MOST: usize = 64;
    /// The maximum length of a text in bytes.
    const LONGEST: usize = 64;

    pub fn get(&self, text: &str, count: impl FnOnce() -> i32) -> i32 {
        let known = self.known.borrow().iter().find(|(known, _)| **known == *text).map(|(_, count)| *count);
        known.unwrap_or_else(|| {
            let count = count();
            let mut known = self.known.borrow_mut();
            if known.len() < Memo::MOST && text.len() <= Memo::LONGEST {
                known.push((text.into(), count));
            }
            count
        })
    }
}

/// Returns a stretch of the document with each line behind its number. The stretch begins in `line`.
pub(super) fn with_numbers(page: Page<'_>, from: u32, to: u32, line: u32) -> String {
    let mut out = String::new();
    put_numbered(page, (from, to), line, &mut out);
    out
}

/// Appends a stretch of the document with each line behind its number. The stretch begins in `line`.
pub(super) fn put_numbered(page: Page<'_>, (from, to): (u32, u32), mut line: u32, out: &mut String) {
    let mut at = from;
    while at < to {
        let end = page.starts.get(line as usize + 1).copied().unwrap_or(u32::MAX).min(to);
        number(line, out);
        *out += page.slice(at, end);
        (at, line) = (end, line + 1);
    }
}

/// Layouts of recently summarised documents.
#[derive(Debug, Default)]
pub struct Layouts {
    /// Structure, the options that the layout depends on, and the layout. The most recently used one is last.
    kept: Vec<(Shared, Box<str>, Rc<Layout>)>,
}

/// The maximum memory of all kept layouts, in bytes: about ten files of 5,000 lines.
const MOST: usize = 8 << 20;

impl Layouts {
    /// Returns the layout of a shared structure, which belongs to exactly one text. `rest` names everything else that
    /// the layout depends on, see [`Layout::new`].
    pub fn get(&mut self, structure: &Shared, rest: &str, make: impl FnOnce() -> Layout) -> Rc<Layout> {
        let is_meant =
            |(known, words, _): &(Shared, Box<str>, Rc<Layout>)| Rc::ptr_eq(known, structure) && **words == *rest;
        let kept = match self.kept.iter().position(is_meant) {
            Some(at) => self.kept.remove(at),
            None => (structure.clone(), rest.into(), Rc::new(make())),
        };
        let layout = kept.2.clone();
        self.kept.push(kept);
        // A layout that is too large by itself is not kept.
        let mut bytes = 0;
        let stay = self.kept.iter().rev().take_while(|(_, _, layout)| {
            bytes += layout.memory();
            bytes <= MOST
        });
        let gone = self.kept.len() - stay.count();
        self.kept.drain(..gone);
        layout
    }

    /// Forgets all layouts.
    pub fn clear(&mut self) {
        self.kept.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::said;

    #[test]
    fn said_are_the_characters_that_are_no_blanks() {
        let mut rng = fastrand::Rng::with_seed(3);
        for _ in 0..500 {
            let text: String = (0..rng.usize(..60))
                .map(|_| [' ', '\t', '\n', '!', '~', '\u{7f}', 'é', '…', '😀'][rng.usize(..9)])
                .collect();
            let counted = text.chars().filter(|character| *character > ' ').count();
            assert_eq!(said(&text) as usize, counted, "{text:?}");
        }
    }
}

//! The rules of the compatible mode: what microsoft/vscode-copilot-chat at 31acd00a does.
//!
//! A row is a leaf of the dense tree, counts are UTF-16 units, the fill stops at the first node that does not fit, and
//! most of what is missing has no marker. Everything else is what the exact rules use.

use super::super::indent::is_blank;
use super::super::syntax::NONE;
use super::dense::Dense;
use super::page::Page;
use super::sheet::{Gap, Sheet};
use super::{Gauge, Imports, Options, Rules, Source, WORDING};

/// The switches of the compatible mode.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Settings {
    /// Markers are comments, and imports cost nothing.
    pub preserve_types: bool,
    /// Elisions between two pieces always have a marker.
    pub always_mark: bool,
    /// How lines are numbered.
    pub lines: Lines,
}

/// How the lines of a summary are numbered.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Lines {
    /// Lines have no numbers.
    #[default]
    None,
    /// Markers name the omitted lines.
    Omitted,
    /// Every line begins with its number.
    Full,
}

impl Options<'_> {
    /// Returns the options of the compatible mode. `limit` is in UTF-16 units and may have a fraction.
    pub fn compatible(limit: f64, settings: Settings) -> Options<'static> {
        Options {
            budget: limit as u64,
            gauge: Gauge::Characters,
            numbered: settings.lines == Lines::Full,
            wording: WORDING,
            imports: Imports::Usual,
            worth: 1,
            rules: Rules::Compatible(settings),
        }
    }
}

/// What a layout has only under these rules.
#[derive(Debug)]
pub(super) struct Leaves {
    pub settings: Settings,
    /// The node of each row.
    nodes: Vec<u32>,
    /// Whether each row ends with `{` and whether it begins with `}`, blanks aside.
    braces: Vec<(bool, bool)>,
    /// For each node an ancestor. A walk up the tree that takes these wherever it can has logarithmic length.
    jumps: Vec<u32>,
}

/// One line feed, in counts of documents whose lines are numbered. The lower half of such a count are UTF-16 units. The
/// two halves are added together in one addition; the prefix of a line feed is known only when a count is compared with
/// the budget.
const FEED: i64 = 1 << 32;

impl Leaves {
    pub fn new(settings: Settings, tree: &Dense, nodes: Vec<u32>, text: &str) -> Leaves {
        let mut jumps: Vec<u32> = Vec::with_capacity(tree.nodes.len());
        let depth = |at: u32| tree.nodes.get(at as usize).map_or(0, |node| node.depth);
        let above = |jumps: &[u32], at: u32| jumps.get(at as usize).copied().unwrap_or(NONE);
        for node in &tree.nodes {
            let near = above(&jumps, node.parent);
            let far = above(&jumps, near);
            let even = far != NONE && depth(node.parent) - depth(near) == depth(near) - depth(far);
            jumps.push(if even { far } else { node.parent });
        }
        let braces = |leaf: &u32| {
            let node = tree.nodes[*leaf as usize];
            let text = text.get(node.start as usize..node.end as usize).unwrap_or_default();
            let (end, start) = (text.trim_end_matches(is_blank), text.trim_start_matches(is_blank));
            (end.ends_with('{'), start.starts_with('}'))
        };
        let braces = nodes.iter().map(braces).collect();
        Leaves { settings, nodes, braces, jumps }
    }

    /// Returns what a stretch of the document counts.
    pub fn count_row(&self, source: &Source<'_>, start: u32, end: u32) -> i64 {
        let feeds = if self.numbers() { source.feeds(start, end) } else { 0 };
        source.units(start, end) as i64 + feeds as i64 * FEED
    }

    /// Returns what a text counts.
    fn count(&self, text: &str) -> i64 {
        let feeds = if self.numbers() { text.matches('\n').count() } else { 0 };
        Gauge::Characters.count(text) + feeds as i64 * FEED
    }

    /// Returns the UTF-16 units of a count, and its line feeds if lines are numbered.
    pub fn split(count: i64) -> (i64, i64) {
        (count & (FEED - 1), count >> 32)
    }

    fn always_marks(&self) -> bool {
        self.settings.always_mark || self.settings.lines == Lines::Omitted
    }

    /// Returns whether a pair of braces is open between two rows.
    fn is_pair(&self, before: u32, behind: u32) -> bool {
        self.braces[before as usize].0 && self.braces[behind as usize].1
    }

    /// Returns whether there cannot be a marker between two rows.
    pub fn is_silent(&self, before: u32, behind: u32) -> bool {
        !self.always_marks() && !self.is_pair(before, behind)
    }

    fn numbers(&self) -> bool {
        self.settings.lines == Lines::Full
    }

    /// Returns the highest node at or above `leaf` whose range does not have a place in it.
    fn highest(&self, tree: &Dense, leaf: u32, has: impl Fn(u32, u32) -> bool) -> u32 {
        let has = |at: u32| tree.nodes.get(at as usize).is_none_or(|node| has(node.start, node.end));
        let mut at = leaf;
        loop {
            let (parent, jump) = (tree.nodes[at as usize].parent, self.jumps[at as usize]);
            match (has(parent), has(jump)) {
                (true, _) => return at,
                (false, true) => at = parent,
                (false, false) => at = jump,
            }
        }
    }

    /// Returns the text of a marker.
    fn marker(&self, page: Page<'_>, start: u32, end: u32) -> String {
        let line = |byte| page.line_of(byte) + 1;
        match self.settings {
            Settings { lines: Lines::Omitted, .. } if line(start) == line(end) => {
                format!("/* Line {} omitted */", line(start))
            }
            Settings { lines: Lines::Omitted, .. } => format!("/* Lines {}-{} omitted */", line(start), line(end)),
            Settings { preserve_types: true, .. } => "/* ... */".into(),
            _ => "…".into(),
        }
    }
}

impl Sheet<'_> {
    /// Returns what it adds to show `stretches`, no row of which shows, nor any row between them.
    pub(super) fn added_leaves(&self, leaves: &Leaves, stretches: &[(u32, u32)]) -> i64 {
        let (Some((first, _)), Some((_, end))) = (stretches.first(), stretches.last()) else { return 0 };
        // The markers beside the new rows depend on two neighbours on either side, and those of the neighbours on a
        // third.
        let before = |row: Option<u32>| row.and_then(|row| self.shown.prev(row));
        let behind = |row: Option<u32>| row.and_then(|row| self.shown.next(row + 1));
        let (left, right) = (self.shown.prev(*first), self.shown.next(*end));
        let (left_two, right_two) = (before(left), behind(right));
        let ends = (before(left_two), behind(right_two));
        let left = [ends.0, left_two, left].into_iter().flatten();
        let right = [right, right_two, ends.1].into_iter().flatten();
        let rows = stretches.iter().flat_map(|(from, to)| *from..*to);
        let texts: i64 = stretches.iter().map(|(from, to)| self.sum(*from, *to)).sum();
        let markers = self.markers(leaves, left.clone().chain(rows).chain(right.clone()), ends);
        texts + markers - self.markers(leaves, left.chain(right), ends)
    }

    /// Returns what the markers between rows count if these rows alone show, without the text that they replace.
    /// Markers beside the `ends` are left out.
    fn markers(&self, leaves: &Leaves, rows: impl Iterator<Item = u32>, ends: (Option<u32>, Option<u32>)) -> i64 {
        let (mut sum, mut four) = (0, [None; 4]);
        for next in rows.map(Some).chain([None]) {
            four = [four[1], four[2], four[3], next];
            let [_, Some(one), Some(other), _] = four else { continue };
            if leaves.is_silent(one, other) || ends.0 == Some(one) || ends.1 == Some(other) {
                continue;
            }
            let gap = self.leaf_gap(leaves, four);
            let (end, start) = (self.page.rows[one as usize].end, self.page.rows[other as usize].start);
            sum += gap.text.map_or(0, |text| leaves.count(&text));
            sum -= leaves.count(self.page.slice(gap.start, end)) + leaves.count(self.page.slice(start, gap.end));
        }
        sum
    }

    /// Returns what is between the second and the third of four rows that show one after the other.
    ///
    /// Two pieces of the document have a marker between them if whole children of their lowest common ancestor are
    /// missing there. The marker goes directly between a `{` and a `}` if each piece is all that shows of its child.
    pub(super) fn leaf_gap(&self, leaves: &Leaves, rows: [Option<u32>; 4]) -> Gap {
        let page = self.page;
        let [outer, before, behind, next] = rows.map(|row| row.map(|row| page.rows[row as usize]));
        let (start, end) = (before.map_or(0, |row| row.end), behind.map_or(page.text.len() as u32, |row| row.start));
        let silent = Gap { start, end, text: Some(String::new()) };
        let ([_, Some(one), Some(other), _], Some(before), Some(behind)) = (rows, before, behind) else {
            return silent;
        };
        if leaves.is_silent(one, other) {
            return silent;
        }
        let first = leaves.highest(self.tree, leaves.nodes[one as usize], |_, end| end > behind.start);
        let last = leaves.highest(self.tree, leaves.nodes[other as usize], |start, _| start < before.end);
        let (first, last) = (self.tree.nodes[first as usize], self.tree.nodes[last as usize]);
        let missing = self.tree.children(first.parent).get(first.place as usize + 1..last.place as usize);
        let Some((head, tail)) = missing.and_then(|missing| missing.first().zip(missing.last())) else { return silent };
        let (head, tail) = (self.tree.nodes[*head as usize], self.tree.nodes[*tail as usize]);
        let marker = leaves.marker(page, head.start, tail.end);
        let alone = outer.is_none_or(|row| row.end <= first.start) && next.is_none_or(|row| row.start >= last.end);
        if alone && leaves.is_pair(one, other) {
            let opened = page.slice(before.start, start).trim_end_matches(is_blank);
            let closed = page.slice(end, behind.end).trim_start_matches(is_blank);
            let (start, end) = (before.start + opened.len() as u32, behind.end - closed.len() as u32);
            return Gap { start, end, text: Some(marker) };
        }
        if !leaves.always_marks() {
            return silent;
        }
        let text = page.slice(head.start, head.end);
        let blank = &text[..text.len() - text.trim_start_matches(is_blank).len()];
        let indent = blank.rsplit('\n').next().unwrap_or_default();
        let text = page.slice(tail.start, tail.end);
        let blank = &text[text.trim_end_matches(is_blank).len()..];
        Gap { text: Some(format!("{indent}{marker}{blank}")), ..silent }
    }
}

//! A document as rows, the units that a summary keeps or leaves out.
//!
//! Under the exact rules a row is a line with the blank lines and empty comment lines behind it. Every row but the last
//! thus ends with a line break, the next one begins with text, and counts add up. Each row belongs to one node of the
//! tree; nodes that share a line are kept or left out together.

use std::ops::Deref;

use super::super::Overlay;
use super::super::syntax::NONE;
use super::dense::Dense;
use super::family::Family;
use super::source::Source;

/// A line with the blank lines behind it, or a leaf under the compatible rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    /// The first byte.
    pub start: u32,
    /// The byte behind the last line break.
    pub end: u32,
    /// The first line, from 0.
    pub line: u32,
    /// The number of lines.
    pub lines: u32,
}

/// The rows of a document and their owners.
#[derive(Debug)]
pub(super) struct Rows {
    /// The start of each line. Lines end with CR LF, CR or LF; under the compatible rules with LF only.
    pub starts: Vec<u32>,
    pub rows: Vec<Row>,
    /// The node that owns each row.
    pub owners: Vec<u32>,
    /// For each node the nearest node above it that can be left out by itself, or [`NONE`].
    pub above: Vec<u32>,
    /// For each node the node that it shows with: itself, or the nearest node above it that can be left out by itself.
    pub own: Vec<u32>,
}

impl Rows {
    pub fn new(text: &str, tree: &Dense, overlay: &Overlay, family: Family) -> Rows {
        let starts = starts(text);
        let rows = rows(text, &starts);
        let mut bound = vec![false; tree.nodes.len()];
        family.bind(text, tree, overlay, &mut bound);
        let firsts = share_lines(text, &rows, tree, overlay, &mut bound);
        Rows::owned(starts, rows, firsts, &bound, tree)
    }

    /// Returns the leaves of a tree as rows, under the compatible rules, and the leaf of each row.
    pub fn of_leaves(source: &Source<'_>, tree: &Dense) -> (Rows, Vec<u32>) {
        let starts = source.starts();
        let is_row = |leaf: &u32| {
            let node = tree.nodes[*leaf as usize];
            node.count == 0 && node.start < node.end
        };
        let leaves: Vec<u32> = (0..tree.nodes.len() as u32).filter(is_row).collect();
        let row = |leaf: &u32| {
            let node = tree.nodes[*leaf as usize];
            Row { start: node.start, end: node.end, line: 0, lines: 0 }
        };
        let rows = leaves.iter().map(row).collect();
        (Rows::owned(starts, rows, leaves.clone(), &[], tree), leaves)
    }

    /// Finds the owners of rows. `firsts` are the first leaves of the rows; `bound` says which nodes show whenever
    /// their parent does.
    fn owned(starts: Vec<u32>, rows: Vec<Row>, firsts: Vec<u32>, bound: &[bool], tree: &Dense) -> Rows {
        let mut own: Vec<u32> = Vec::with_capacity(tree.nodes.len());
        let mut above = Vec::with_capacity(tree.nodes.len());
        for (at, node) in tree.nodes.iter().enumerate() {
            let parent = own.get(node.parent as usize).copied();
            let joined = node.is_gap() || bound.get(at) == Some(&true);
            own.push(parent.filter(|_| joined).unwrap_or(at as u32));
            above.push(parent.unwrap_or(NONE));
        }
        let owners = firsts.into_iter().map(|leaf| own.get(leaf as usize).copied().unwrap_or(0)).collect();
        Rows { starts, rows, owners, above, own }
    }

    /// Returns the line of a byte, from 0.
    pub fn line_of(&self, byte: u32) -> u32 {
        (self.starts.partition_point(|start| *start <= byte) as u32).saturating_sub(1)
    }

    /// Returns the row of a byte.
    pub fn row_of(&self, byte: u32) -> u32 {
        (self.rows.partition_point(|row| row.start <= byte) as u32).saturating_sub(1)
    }

    /// Returns the memory of the rows in bytes.
    pub fn memory(&self) -> usize {
        self.rows.len() * size_of::<Row>() + (self.starts.len() + self.owners.len() + self.above.len() * 2) * 4
    }
}

/// Rows together with their text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Page<'d> {
    pub text: &'d str,
    pub of: &'d Rows,
}

impl Deref for Page<'_> {
    type Target = Rows;

    fn deref(&self) -> &Rows {
        self.of
    }
}

impl<'d> Page<'d> {
    pub fn slice(&self, start: u32, end: u32) -> &'d str {
        slice(self.text, start, end)
    }

    /// Splits rows into blocks. Each block begins with a row of the smallest indentation that closes nothing.
    pub fn blocks(&self, from: u32, to: u32) -> Vec<(u32, u32)> {
        let least = (from..to).map(|row| self.indent(row).len()).min().unwrap_or(0);
        let begins = |row: &u32| {
            let indent = self.indent(*row).len();
            *row == from || indent == least && !self.closes(*row)
        };
        let starts: Vec<u32> = (from..to).filter(begins).collect();
        let ends = starts.iter().skip(1).copied().chain([to]);
        starts.iter().copied().zip(ends).collect()
    }

    /// Returns whether a row begins by closing what an earlier row opens.
    pub fn closes(&self, row: u32) -> bool {
        closes(self.rows.get(row as usize).map_or("", |row| self.slice(row.start, row.end)).trim_start())
    }

    /// Returns the line break at the end of a row; empty for the end of a text without one.
    pub fn line_end(&self, row: u32) -> &'static str {
        let Some(row) = self.rows.get(row as usize) else { return "" };
        let text = self.slice(row.start, row.end);
        if text.ends_with("\r\n") {
            "\r\n"
        } else if text.ends_with('\n') {
            "\n"
        } else if text.ends_with('\r') {
            "\r"
        } else {
            ""
        }
    }

    /// Returns the indentation of a row, on the line of its text.
    pub fn indent(&self, row: u32) -> &'d str {
        let Some(row) = self.rows.get(row as usize) else { return "" };
        let text = self.slice(row.start, row.end);
        let text = &text[leading(text, b"\r\n")..];
        &text[..leading(text, b" \t")]
    }
}

/// Returns whether a row begins by closing what an earlier row opens: a bracket, a tag, or a text of several lines (a
/// quote before a bracket, a comma or a semicolon).
fn closes(row: &str) -> bool {
    let behind = row.trim_start_matches(['`', '"', '\'']);
    let is_bracket = behind.starts_with(['}', ']', ')']);
    is_bracket || row.starts_with("</") || behind.len() < row.len() && behind.starts_with([',', ';'])
}

fn slice(text: &str, start: u32, end: u32) -> &str {
    text.get(start as usize..end as usize).unwrap_or_default()
}

/// Returns whether a line belongs to the row before it. Blank lines do, and lines of slashes: a token of punctuation
/// can continue over any number of those.
fn is_filler(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'/') => text.trim_end().bytes().all(|byte| byte == b'/'),
        _ => is_blank(text),
    }
}

/// Returns how many bytes of `set` a text begins with.
fn leading(text: &str, set: &[u8]) -> usize {
    text.as_bytes().iter().take_while(|byte| set.contains(byte)).count()
}

/// Returns whether a text is white space only.
fn is_blank(text: &str) -> bool {
    match text.as_bytes().get(leading(text, b" \t\r\n")) {
        None => true,
        Some(byte) if byte.is_ascii_graphic() => false,
        Some(_) => trim(text).is_empty(),
    }
}

/// Returns a text without the white space around it. A byte order mark is white space.
pub(super) fn trim(text: &str) -> &str {
    text.trim_matches(|character: char| character.is_whitespace() || character == '\u{feff}')
}

fn starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
            starts.push(at as u32 + 1);
        }
    }
    // There is no line behind the last line break.
    if starts.len() > 1 && starts.last() == Some(&(text.len() as u32)) {
        starts.pop();
    }
    starts
}

fn rows(text: &str, starts: &[u32]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::with_capacity(starts.len());
    // Blank lines at the beginning belong to the first row, which has no text yet.
    let mut blank = true;
    for (line, start) in starts.iter().enumerate() {
        let end = starts.get(line + 1).copied().unwrap_or(text.len() as u32);
        let empty = is_filler(slice(text, *start, end));
        match rows.last_mut() {
            Some(row) if empty || blank => {
                row.end = end;
                row.lines += 1;
                if blank && !empty {
                    blank = false;
                }
            }
            _ => {
                rows.push(Row { start: *start, end, line: line as u32, lines: 1 });
                blank = empty;
            }
        }
    }
    rows.retain(|row| row.start < row.end);
    rows
}

/// Binds nodes that share a line to their lowest common ancestor. Returns the first leaf of each row. A comment within
/// a line belongs to whatever else is in the line.
fn share_lines(text: &str, rows: &[Row], tree: &Dense, overlay: &Overlay, bound: &mut [bool]) -> Vec<u32> {
    let comments: Vec<bool> = overlay.kinds.iter().map(|kind| kind.ends_with("comment")).collect();
    let is_comment = |leaf: u32| {
        let node = overlay.nodes.get(tree.nodes[leaf as usize].overlay as usize);
        node.is_some_and(|node| comments.get(node.kind as usize) == Some(&true))
    };
    let mut firsts = vec![0; rows.len()];
    let mut leaves = (0..tree.nodes.len() as u32).filter(|at| tree.nodes[*at as usize].count == 0).peekable();
    for (row, first) in rows.iter().zip(&mut firsts) {
        let mut last = None;
        while let Some(leaf) = leaves.peek().copied() {
            let node = tree.nodes[leaf as usize];
            if node.start >= row.end {
                break;
            }
            // Blanks belong to no node in particular.
            if !is_blank(slice(text, node.start.max(row.start), node.end.min(row.end))) {
                let is_aside = node.start >= row.start && node.end <= row.end && is_comment(leaf);
                match last {
                    None => *first = leaf,
                    Some(last) if !is_aside => join(tree, bound, last, leaf),
                    Some(_) => {}
                }
                last = if is_aside { last } else { Some(leaf) };
            }
            if node.end > row.end {
                break;
            }
            leaves.next();
        }
    }
    firsts
}

/// Binds the nodes between two leaves and their lowest common ancestor.
fn join(tree: &Dense, bound: &mut [bool], one: u32, other: u32) {
    let (mut one, mut other) = (one, other);
    let depth = |at: u32| tree.nodes.get(at as usize).map_or(0, |node| node.depth + u32::from(node.is_gap()));
    while one != other {
        let higher = if depth(one) >= depth(other) { &mut one } else { &mut other };
        let Some(node) = tree.nodes.get(*higher as usize) else { return };
        if node.parent == NONE {
            return;
        }
        bound[*higher as usize] = true;
        *higher = node.parent;
    }
}

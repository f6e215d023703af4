//! A document as rows: what a summary keeps or leaves out whole.
//!
//! A row is a line with the blank lines (and empty lines of comments) behind it, so that every row but the last ends with a line break, the next begins with text, and
//! counts add up where rows meet. Each row belongs to one node of the tree: whatever shares a line goes together.

use std::ops::Deref;

use super::super::super::Overlay;
use super::super::super::syntax::NONE;
use super::super::dense::Dense;
use super::family::Family;

/// A line with the blank lines behind it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    /// First byte.
    pub start: u32,
    /// The byte behind the last line break.
    pub end: u32,
    /// Its first line, from 0.
    pub line: u32,
    /// How many lines it has.
    pub lines: u32,
}

/// The rows of a document and whose they are.
#[derive(Debug)]
pub(super) struct Rows {
    /// Where each line begins. Lines end with CR LF, CR or LF.
    pub starts: Vec<u32>,
    pub rows: Vec<Row>,
    /// The node that each row belongs to.
    pub owners: Vec<u32>,
    /// For each node the nearest above it that can be left out by itself, or [`NONE`].
    pub above: Vec<u32>,
    /// The node that each node shows with: itself, or the nearest above it that can be left out by itself.
    pub own: Vec<u32>,
}

impl Rows {
    pub fn new(text: &str, tree: &Dense, overlay: &Overlay, family: Family) -> Rows {
        let starts = starts(text);
        let rows = rows(text, &starts);
        let mut bound = vec![false; tree.nodes.len()];
        family.bind(text, tree, overlay, &mut bound);
        let firsts = share_lines(text, &rows, tree, &mut bound);
        let mut own: Vec<u32> = Vec::with_capacity(tree.nodes.len());
        let mut above = Vec::with_capacity(tree.nodes.len());
        for (at, node) in tree.nodes.iter().enumerate() {
            let parent = own.get(node.parent as usize).copied();
            let joined = node.is_gap() || bound[at];
            own.push(parent.filter(|_| joined).unwrap_or(at as u32));
            above.push(parent.unwrap_or(NONE));
        }
        let owners = firsts.into_iter().map(|leaf| own.get(leaf as usize).copied().unwrap_or(0)).collect();
        Rows { starts, rows, owners, above, own }
    }

    /// The line in which a byte stands, from 0.
    pub fn line_of(&self, byte: u32) -> u32 {
        (self.starts.partition_point(|start| *start <= byte) as u32).saturating_sub(1)
    }

    /// The row in which a byte stands.
    pub fn row_of(&self, byte: u32) -> u32 {
        (self.rows.partition_point(|row| row.start <= byte) as u32).saturating_sub(1)
    }

    /// Bytes that they take.
    pub fn memory(&self) -> usize {
        self.rows.len() * size_of::<Row>() + (self.starts.len() + self.owners.len() + self.above.len() * 2) * 4
    }
}

/// Rows together with the text that they are rows of.
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

    /// Stretches of rows that read as one: each begins with a row that is indented least and closes nothing.
    pub fn blocks(&self, from: u32, to: u32) -> Vec<(u32, u32)> {
        let least = (from..to).map(|row| self.indent(row).len()).min().unwrap_or(0);
        let begins = |row: &u32| {
            let indent = self.indent(*row).len();
            let text = self.rows.get(*row as usize).map_or("", |row| self.slice(row.start, row.end)).trim_start();
            *row == from || indent == least && !closes(text)
        };
        let starts: Vec<u32> = (from..to).filter(begins).collect();
        let ends = starts.iter().skip(1).copied().chain([to]);
        starts.iter().copied().zip(ends).collect()
    }

    /// The line break with which a row ends; empty at the end of a text without one.
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

    /// The blanks with which a row begins, on the line of its text.
    pub fn indent(&self, row: u32) -> &'d str {
        let Some(row) = self.rows.get(row as usize) else { return "" };
        let text = self.slice(row.start, row.end);
        let text = &text[leading(text, b"\r\n")..];
        &text[..leading(text, b" \t")]
    }
}

/// True if a row begins with the end of what an earlier row opens: a bracket, a tag, or a text of several lines (a quote
/// before a bracket, a comma or a semicolon).
fn closes(row: &str) -> bool {
    let behind = row.trim_start_matches(['`', '"', '\'']);
    let is_bracket = behind.starts_with(['}', ']', ')']);
    is_bracket || row.starts_with("</") || behind.len() < row.len() && behind.starts_with([',', ';'])
}

fn slice(text: &str, start: u32, end: u32) -> &str {
    text.get(start as usize..end as usize).unwrap_or_default()
}

/// True for what has nothing to say, and belongs to the row before it: blanks, and slashes (an empty line of a comment), which a token of
/// punctuation can go on with over any number of lines.
fn is_filler(text: &str) -> bool {
    match text.as_bytes().first() {
        Some(b'/') => text.trim_end().bytes().all(|byte| byte == b'/'),
        _ => is_blank(text),
    }
}

/// How many bytes of a set a text begins with.
fn leading(text: &str, set: &[u8]) -> usize {
    text.as_bytes().iter().take_while(|byte| set.contains(byte)).count()
}

/// True if there is nothing but white space.
fn is_blank(text: &str) -> bool {
    match text.as_bytes().get(leading(text, b" \t\r\n")) {
        None => true,
        Some(byte) if byte.is_ascii_graphic() => false,
        Some(_) => text.trim().is_empty(),
    }
}

fn starts(text: &str) -> Vec<u32> {
    let bytes = text.as_bytes();
    let mut starts = vec![0];
    for (at, byte) in bytes.iter().enumerate() {
        if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
            starts.push(at as u32 + 1);
        }
    }
    // Behind the last line break there is no line.
    if starts.len() > 1 && starts.last() == Some(&(text.len() as u32)) {
        starts.pop();
    }
    starts
}

fn rows(text: &str, starts: &[u32]) -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::with_capacity(starts.len());
    // Blank lines at the beginning belong to the first row, which so far has no text.
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

/// Binds nodes that share a line to what holds both; gives the first leaf of each row.
fn share_lines(text: &str, rows: &[Row], tree: &Dense, bound: &mut [bool]) -> Vec<u32> {
    let mut firsts = vec![0; rows.len()];
    let mut leaves = (0..tree.nodes.len() as u32).filter(|at| tree.nodes[*at as usize].count == 0).peekable();
    for (row, first) in rows.iter().zip(&mut firsts) {
        let mut last = None;
        while let Some(leaf) = leaves.peek().copied() {
            let node = tree.nodes[leaf as usize];
            if node.start >= row.end {
                break;
            }
            // What is blank belongs to anybody.
            if !is_blank(slice(text, node.start.max(row.start), node.end.min(row.end))) {
                match last {
                    None => *first = leaf,
                    Some(last) => join(tree, bound, last, leaf),
                }
                last = Some(leaf);
            }
            if node.end > row.end {
                break;
            }
            leaves.next();
        }
    }
    firsts
}

/// Binds whatever lies between two leaves and the lowest node that holds both.
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

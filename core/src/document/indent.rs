//! Overlays of documents without a grammar: folds by indentation, as editors show them.

use super::overlay::Overlay;
use super::syntax::NONE;

/// The line breaks of editors: CR LF, CR or LF.
struct Lines {
    /// Where each line begins, in bytes.
    starts: Vec<u32>,
    len: u32,
    /// How many lines are one node.
    step: usize,
}

/// Nodes of lines that a document has at most, or little more: one with more lines has several to each node, and no smaller folds.
const MOST: usize = 2 << 20;

impl Lines {
    fn new(text: &str) -> Lines {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() + 1);
        starts.push(0);
        for (at, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' || (*byte == b'\r' && bytes.get(at + 1) != Some(&b'\n')) {
                starts.push(at as u32 + 1);
            }
        }
        let step = starts.len().div_ceil(MOST);
        Lines { starts, len: text.len() as u32, step }
    }

    /// Number of lines. Lines are counted from 1.
    fn count(&self) -> usize {
        self.starts.len()
    }

    /// Where a line begins; the end of the text for the line behind the last.
    fn start(&self, line: usize) -> u32 {
        self.starts.get(line.wrapping_sub(1)).copied().unwrap_or(self.len)
    }

    fn text<'t>(&self, text: &'t str, line: usize) -> &'t str {
        text.get(self.start(line) as usize..self.start(line + 1) as usize).unwrap_or_default()
    }
}

/// A fold: lines from 1, both included.
#[derive(Debug, Clone, Copy)]
struct Region {
    start: usize,
    end: usize,
    parent: usize,
}

/// Folds a document by indentation. `tab` is the width of a tab in columns, `off_side` says that the language has no closing brackets.
///
/// Linear in the text.
pub fn fold(text: &str, tab: usize, off_side: bool) -> Overlay {
    let lines = Lines::new(text);
    let mut regions = nest(regions(text, &lines, tab.max(1), off_side), lines.count());
    match off_side {
        true => regions.iter_mut().for_each(|region| region.start += 1),
        false => close(&mut regions, text, &lines),
    }
    render(&regions, &lines)
}

/// Columns of leading blanks; `None` for a line without anything else.
fn indent(line: &str, tab: usize) -> Option<usize> {
    let mut columns = 0;
    for byte in line.bytes() {
        match byte {
            b' ' => columns += 1,
            b'\t' => columns += tab - columns % tab,
            b'\r' | b'\n' => return None,
            _ => return Some(columns),
        }
    }
    None
}

/// The folds, in any order of ends but ascending by start.
fn regions(text: &str, lines: &Lines, tab: usize, off_side: bool) -> Vec<Region> {
    let mut found = Vec::new();
    // Indents, -1 for none, each with the line before which a fold of it would end.
    let mut open: Vec<(i64, usize)> = vec![(-1, lines.count() + 1)];
    for line in (1..=lines.count()).rev() {
        let Some(indent) = indent(lines.text(text, line), tab) else {
            if off_side && let Some((_, end_above)) = open.last_mut() {
                // Blank lines behind a fold do not belong to it where nothing closes it.
                *end_above = line;
            }
            continue;
        };
        let indent = indent as i64;
        if open.last().is_some_and(|(top, _)| *top > indent) {
            while open.last().is_some_and(|(top, _)| *top > indent) {
                open.pop();
            }
            let end = open.last().map_or(0, |(_, end_above)| end_above - 1);
            if end > line && end - line + 1 >= lines.step {
                found.push(Region { start: line, end, parent: 0 });
            }
        }
        match open.last_mut() {
            Some((top, end_above)) if *top == indent => *end_above = line,
            _ => open.push((indent, line)),
        }
    }
    found.reverse();
    found
}

/// Puts the folds, ascending by start, under a root; each behind its parent.
fn nest(found: Vec<Region>, lines: usize) -> Vec<Region> {
    let mut regions = vec![Region { start: 1, end: lines, parent: usize::MAX }];
    let mut open = vec![0];
    for region in found {
        while open.len() > 1 && open.last().is_some_and(|at: &usize| regions[*at].end < region.end) {
            open.pop();
        }
        let parent = open.last().copied().unwrap_or(0);
        open.push(regions.len());
        regions.push(Region { parent, ..region });
    }
    regions
}

/// A fold takes the line that closes it, unless that belongs to somebody else.
fn close(regions: &mut [Region], text: &str, lines: &Lines) {
    // The line before the next sibling, for the last child what its parent may have. Parents come first, so they have grown already
    // when their last child looks; siblings behind a region come later in the list and keep their start.
    let mut most = vec![lines.count(); regions.len()];
    let mut next_start: Vec<Option<usize>> = vec![None; regions.len()];
    let mut last_child: Vec<Option<usize>> = vec![None; regions.len()];
    for at in 1..regions.len() {
        if let Some(previous) = last_child[regions[at].parent].replace(at) {
            next_start[previous] = Some(regions[at].start);
        }
    }
    for at in 0..regions.len() {
        if at > 0 {
            let parent = regions[at].parent;
            most[at] = match next_start[at] {
                Some(start) => start - 1,
                None => regions[parent].end,
            };
        }
        if regions[at].end < most[at] && closes(lines.text(text, regions[at].end + 1)) {
            regions[at].end += 1;
        }
    }
}

/// True for a line that is only a closing bracket, or begins with a closing tag.
fn closes(line: &str) -> bool {
    let line = line.trim_matches(is_blank);
    if let Some(name) = line.strip_prefix("</") {
        return name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    }
    matches!(line.strip_suffix(';').unwrap_or(line), "}" | "]" | ")")
}

/// What JavaScript's `trim` takes away.
pub(super) fn is_blank(character: char) -> bool {
    matches!(character, '\u{feff}') || (character.is_whitespace() && character != '\u{85}')
}

/// Folds and the single lines in them, or several to a node where there are very many. A fold's first and last line are no nodes: they show whenever it does.
fn render(regions: &[Region], lines: &Lines) -> Overlay {
    let mut overlay = Overlay::default();
    let (fold, line_kind) = (overlay.intern("FOLD"), overlay.intern("LINE"));
    // Indices of the open regions, of their nodes, and the next line of each that is no node yet.
    let mut open: Vec<(usize, u32, usize)> = Vec::new();
    let mut at = 0;
    loop {
        let next = regions.get(at);
        // Whatever ends before the next region.
        while let Some((region, node, line)) = open.last_mut() {
            let stop = match next {
                Some(next) if next.parent == *region => next.start,
                _ => regions[*region].end,
            };
            let stop = stop.min(regions[*region].end);
            while *line < stop {
                let next = (*line + lines.step).min(stop);
                overlay.push(line_kind, lines.start(*line), lines.start(next), *node);
                *line = next;
            }
            if next.is_some_and(|next| next.parent == *region) {
                break;
            }
            open.pop();
        }
        let Some(region) = next else { return overlay };
        let parent = match open.last_mut() {
            Some((_, node, line)) => {
                *line = (*line).max(region.end + 1);
                *node
            }
            None => NONE,
        };
        let node = overlay.push(fold, lines.start(region.start), lines.start(region.end + 1), parent);
        // Everything is in the first region, and its first line is as any other's unless it was moved.
        let first = if at == 0 && region.start == 1 { 1 } else { region.start + 1 };
        open.push((at, node, first));
        at += 1;
    }
}

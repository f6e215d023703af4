//! Overlays of documents without a grammar: folds by indentation, as in editors.

use super::embedded::blocks;
use super::language::{Mode, is_off_side};
use super::markdown::{Depths, depths};
use super::overlay::Overlay;
use super::syntax::NONE;

/// Lines as in editors: they end with CR LF, CR or LF.
struct Lines {
    /// The first byte of each line.
    starts: Vec<u32>,
    len: u32,
    /// The number of lines per node.
    step: usize,
}

/// The kind of folds that begin with a heading.
pub const SECTION: &str = "SECTION";

/// The approximate maximum of nodes for single lines. A document with more lines has several lines per node, and no
/// smaller folds.
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

    /// Returns the number of lines. Lines count from 1.
    fn count(&self) -> usize {
        self.starts.len()
    }

    /// Returns the first byte of a line; the end of the text for the line behind the last.
    fn start(&self, line: usize) -> u32 {
        self.starts.get(line.wrapping_sub(1)).copied().unwrap_or(self.len)
    }

    fn text<'t>(&self, text: &'t str, line: usize) -> &'t str {
        text.get(self.start(line) as usize..self.start(line + 1) as usize).unwrap_or_default()
    }

    /// Returns the folds of the text, parents first, with lines of `deeper` by their columns deeper.
    fn folds(&self, text: &str, tab: usize, off_side: bool, deeper: &[(usize, usize, usize)]) -> Vec<Region> {
        nest(regions(text, self, tab.max(1), off_side, deeper), self.count())
    }

    /// Makes the nodes of folds that a line may close.
    fn closed(&self, mut regions: Vec<Region>, closes: impl Fn(usize) -> bool) -> Overlay {
        close(&mut regions, self, closes);
        render(&regions, self)
    }
}

/// A fold: its lines from 1, both included.
#[derive(Debug, Clone, Copy)]
struct Region {
    start: usize,
    end: usize,
    parent: usize,
    /// Whether it begins with a heading. Its last line closes nothing.
    is_section: bool,
}

/// Folds a document by indentation. `tab` is the width of a tab in columns; `off_side` is set for languages without
/// closing brackets.
///
/// Takes time linear in the text.
pub fn fold(text: &str, tab: usize, off_side: bool) -> Overlay {
    let lines = Lines::new(text);
    match off_side {
        true => {
            let mut regions = lines.folds(text, tab, true, &[]);
            regions.iter_mut().for_each(|region| region.start += 1);
            render(&regions, &lines)
        }
        false => lines.closed(lines.folds(text, tab, false, &[]), |line| closes(lines.text(text, line))),
    }
}

/// Folds a document of a language by the rules of a mode. In the default mode the lines of a script or a style are
/// deeper than its tags, and those below a heading of Markdown deeper than the heading, however they are indented; and
/// more lines close a fold.
pub(super) fn fold_by(text: &str, tab: usize, language: &str, mode: Mode) -> Overlay {
    let off_side = is_off_side(language);
    if mode == Mode::Compatible || off_side && language != "markdown" {
        return fold(text, tab, off_side);
    }
    let lines = Lines::new(text);
    if language != "markdown" {
        let deeper = inside_tags(text, &lines, tab);
        return lines.closed(lines.folds(text, tab, false, &deeper), |line| ends(lines.text(text, line)));
    }
    let all: Vec<&str> = (1..=lines.count()).map(|line| lines.text(text, line)).collect();
    let Depths { deeper, closing, headings } = depths(&all);
    let mut regions = lines.folds(text, tab, false, &deeper);
    for region in regions.iter_mut().skip(1) {
        region.is_section = headings.binary_search(&region.start).is_ok();
    }
    lines.closed(regions, |line| closing.binary_search(&line).is_ok())
}

/// Returns the lines of scripts and styles, the first and the one behind the last, with the columns by which they are
/// deeper than they are indented.
fn inside_tags(text: &str, lines: &Lines, tab: usize) -> Vec<(usize, usize, usize)> {
    let line_of = |byte: u32| lines.starts.partition_point(|start| *start <= byte);
    let block = |tag: u32, end: u32| {
        let (first, end) = (line_of(tag) + 1, line_of(end));
        let tag = indent(lines.text(text, end), tab.max(1)).unwrap_or(0);
        (first, end, tag + 1)
    };
    blocks(text).into_iter().map(|part| block(part.tag, part.end)).collect()
}

/// Returns the columns of leading blanks; `None` for a blank line.
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

/// Returns the folds by ascending start.
fn regions(text: &str, lines: &Lines, tab: usize, off_side: bool, deeper: &[(usize, usize, usize)]) -> Vec<Region> {
    let mut found = Vec::new();
    let mut deeper = deeper.iter().rev().peekable();
    // Indentations, -1 for none, each with the line before which its fold would end.
    let mut open: Vec<(i64, usize)> = vec![(-1, lines.count() + 1)];
    for line in (1..=lines.count()).rev() {
        let Some(indent) = indent(lines.text(text, line), tab) else {
            if off_side && let Some((_, end_above)) = open.last_mut() {
                // Blank lines behind a fold belong to the fold only if a bracket closes it.
                *end_above = line;
            }
            continue;
        };
        while deeper.next_if(|(first, ..)| *first > line).is_some() {}
        let more = deeper.peek().filter(|(_, end, _)| line < *end).map_or(0, |(.., more)| *more);
        let indent = (indent + more) as i64;
        if open.last().is_some_and(|(top, _)| *top > indent) {
            while open.last().is_some_and(|(top, _)| *top > indent) {
                open.pop();
            }
            let end = open.last().map_or(0, |(_, end_above)| end_above - 1);
            if end > line && end - line + 1 >= lines.step {
                found.push(Region { start: line, end, parent: 0, is_section: false });
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

/// Sorts folds, which ascend by start, under a root. Each comes behind its parent.
fn nest(found: Vec<Region>, lines: usize) -> Vec<Region> {
    let mut regions = vec![Region { start: 1, end: lines, parent: usize::MAX, is_section: false }];
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

/// Extends folds by the line that closes them, unless that line belongs to another fold.
fn close(regions: &mut [Region], lines: &Lines, closes: impl Fn(usize) -> bool) {
    // A fold ends before its next sibling; the last child ends where its parent may end. Parents come first and are
    // already extended. Siblings come later and keep their start.
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
        if regions[at].end < most[at] && closes(regions[at].end + 1) {
            regions[at].end += 1;
        }
    }
}

/// Returns whether a line is only a closing bracket, or begins with a closing tag.
fn closes(line: &str) -> bool {
    let line = line.trim_matches(is_blank);
    if let Some(name) = line.strip_prefix("</") {
        return name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    }
    matches!(line.strip_suffix(';').unwrap_or(line), "}" | "]" | ")")
}

/// Returns whether a line is only closing brackets, begins with a closing tag or with the end of a block of a template,
/// or with a word that closes a block in languages such as Lua, Elixir and those of shells.
fn ends(line: &str) -> bool {
    const WORDS: &[&str] = &["end", "fi", "done", "esac"];
    const BLOCKS: &[&str] =
        &["if", "for", "while", "foreach", "function", "macro", "module", "case", "class", "def", "sub", "switch"];
    let text = line.trim_matches(is_blank);
    if closes(line) || text.trim_end_matches([';', ',']).bytes().all(|byte| matches!(byte, b'}' | b']' | b')')) {
        return true;
    }
    let length = text.bytes().take_while(u8::is_ascii_alphabetic).count();
    let word = text[..length].to_ascii_lowercase();
    let is_markup = ["{/", "{{/", "{% end", "{%- end", "<% end", "@end"].iter().any(|end| text.starts_with(end));
    let is_end =
        is_markup || WORDS.contains(&&*word) || word.strip_prefix("end").is_some_and(|block| BLOCKS.contains(&block));
    is_end && !text[length..].starts_with(['_', '-', '.', ':', '='])
}

/// Returns whether JavaScript's `trim` removes a character.
pub(super) fn is_blank(character: char) -> bool {
    matches!(character, '\u{feff}') || (character.is_whitespace() && character != '\u{85}')
}

/// Makes nodes of folds and of the single lines in them; of several lines per node if there are very many. The first
/// and the last line of a fold are no nodes, since they show whenever the fold does; of a section only the first.
fn render(regions: &[Region], lines: &Lines) -> Overlay {
    let mut overlay = Overlay::default();
    let (fold, line_kind) = (overlay.intern("FOLD"), overlay.intern("LINE"));
    let section = if regions.iter().any(|region| region.is_section) { overlay.intern(SECTION) } else { fold };
    // The indices of the open regions and of their nodes, and the next line of each without a node.
    let mut open: Vec<(usize, u32, usize)> = Vec::new();
    let mut at = 0;
    loop {
        let next = regions.get(at);
        // Regions that end before the next one.
        while let Some((region, node, line)) = open.last_mut() {
            let Region { end, is_section, .. } = regions[*region];
            let end = end + usize::from(is_section && lines.start(end) < lines.len);
            let stop = match next {
                Some(next) if next.parent == *region => next.start,
                _ => end,
            };
            let stop = stop.min(end);
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
        let node = overlay.push(
            if region.is_section { section } else { fold },
            lines.start(region.start),
            lines.start(region.end + 1),
            parent,
        );
        // The first region contains everything. Its first line is a node, unless the region was moved.
        let first = if at == 0 && region.start == 1 { 1 } else { region.start + 1 };
        open.push((at, node, first));
        at += 1;
    }
}

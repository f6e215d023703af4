//! Writes the summary of a sheet and lists its elisions.

use super::super::comments::defines;
use super::compatible::Leaves;
use super::gauge::Tally;
use super::names::name;
use super::page::Page;
use super::sheet::{Sheet, number};
use super::{Edits, Elision, Gauge, Source, Summary, topmost};

/// The maximum number of names that an elision lists.
const NAMES: usize = 20;

/// Returns the summary that a sheet holds.
pub(super) fn write(sheet: &Sheet<'_>, source: &Source<'_>, gauge: Gauge<'_>) -> Summary {
    let mut writer = Writer::new(sheet, source);
    let mut tally = Tally::new(gauge);
    let mut elisions = Vec::new();
    let (mut before, mut reached) = (None, 0);
    for behind in sheet.shown_rows().map(Some).chain([None]) {
        let gap = sheet.gap(before, behind);
        if let Some(text) = &gap.text {
            writer.keep(reached, gap.start);
            if sheet.part.is_some_and(|part| before == Some(part.last) && sheet.breaks_off(part)) {
                writer.open.push('\n');
            }
            writer.insert(text, gap.start);
            reached = gap.end;
        }
        if !writer.is_compatible {
            match &gap.text {
                Some(text) => {
                    tally.add(text, None);
                    elisions.push(elision(sheet, before, behind, gauge));
                }
                None => {
                    let from = before.map_or(0, |row| row + 1);
                    (from..behind.unwrap_or(sheet.rows())).for_each(|row| sheet.tell(row, &mut tally));
                }
            }
            behind.into_iter().for_each(|row| sheet.tell(row, &mut tally));
        }
        before = behind;
    }
    writer.keep(reached, source.end());
    writer.edits.end(&writer.open);
    let count = if writer.is_compatible { Leaves::split(sheet.total).0 + writer.written } else { tally.count() };
    let edits = writer.edits;
    debug_assert_eq!(count, gauge.count(&edits.apply(sheet.page.text)));
    Summary { edits, count: count as u64, before: sheet.layout.whole, elisions }
}

struct Writer<'s> {
    page: Page<'s>,
    is_compatible: bool,
    edits: Edits,
    /// The text before the next stretch that is kept.
    open: String,
    /// The number of further lines that begin with their number.
    numbers: i64,
    /// Whether the next text begins a line.
    begins_line: bool,
    /// The characters of all line numbers so far.
    written: i64,
}

impl<'s> Writer<'s> {
    fn new(sheet: &'s Sheet<'_>, source: &Source<'_>) -> Writer<'s> {
        let is_compatible = sheet.layout.leaves.is_some();
        let numbers = match sheet.layout.numbered {
            // The compatible rules number only lines that end.
            true if is_compatible => Leaves::split(sheet.total).1,
            true => i64::MAX,
            false => 0,
        };
        let (edits, open) = (Edits::new(source), String::new());
        Writer { page: sheet.page, is_compatible, edits, open, numbers, begins_line: true, written: 0 }
    }

    /// Keeps a stretch of the document.
    fn keep(&mut self, start: u32, end: u32) {
        let (mut at, mut line) = (start, if self.numbers > 0 { self.page.line_of(start) } else { 0 });
        while at < end {
            let next = self.page.starts.get(line as usize + 1).copied();
            let next = next.filter(|next| self.numbers > 0 && *next <= end);
            self.begin_line(line);
            let until = next.unwrap_or(end);
            self.edits.keep(at, until, &self.open);
            self.open.clear();
            self.begins_line = next.is_some();
            (at, line) = (until, line + 1);
        }
    }

    /// Inserts the marker of a stretch that begins at `start`. Only the compatible rules number its lines.
    fn insert(&mut self, marker: &str, start: u32) {
        if !self.is_compatible || self.numbers == 0 {
            self.open += marker;
            self.begins_line = true;
            return;
        }
        for line in marker.split_inclusive('\n') {
            self.begin_line(self.page.line_of(start));
            self.open += line;
            self.begins_line = line.ends_with('\n');
        }
    }

    fn begin_line(&mut self, line: u32) {
        if self.begins_line && self.numbers > 0 {
            self.numbers -= 1;
            let before = self.open.len();
            number(line, &mut self.open);
            self.written += (self.open.len() - before) as i64;
        }
    }
}

fn elision(sheet: &Sheet<'_>, before: Option<u32>, behind: Option<u32>, gauge: Gauge<'_>) -> Elision {
    let (start, end) = sheet.missing(before, behind);
    let from = before.map_or(0, |row| row + 1);
    let to = behind.unwrap_or(sheet.rows()).max(from);
    let count = if sheet.part.is_none() {
        let mut tally = Tally::new(gauge);
        (from..to).for_each(|row| sheet.tell(row, &mut tally));
        tally.count()
    } else {
        sheet.measure(sheet.page.slice(start, end))
    };
    let (mut kind, mut names) = (None, Vec::new());
    let (mut last, mut inside) = (None, 0);
    for row in from..to {
        // The row lies in the last node.
        if sheet.page.rows[row as usize].end <= inside {
            continue;
        }
        let node = topmost(sheet, sheet.page.owners[row as usize]);
        if last.replace(node) == Some(node) {
            continue;
        }
        let at = sheet.tree.nodes[node as usize];
        inside = at.end;
        let own = sheet.overlay.kind(at.overlay as usize);
        kind.get_or_insert(own);
        if names.len() == NAMES {
            break;
        }
        if !sheet.chosen[node as usize] && defines(own) && !own.ends_with("comment") {
            names.extend(name(sheet.page.slice(at.start, at.end)));
        }
    }
    let kind = kind.unwrap_or_else(|| {
        let row = before.or(behind).unwrap_or(0);
        let owner = sheet.page.owners.get(row as usize).and_then(|owner| sheet.tree.nodes.get(*owner as usize));
        owner.map_or("", |node| sheet.overlay.kind(node.overlay as usize))
    });
    Elision {
        start,
        end,
        lines: sheet.missing_lines((start, end)),
        count: count.max(0) as u64,
        kind: kind.into(),
        names,
    }
}

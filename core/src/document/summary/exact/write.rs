//! Writing what shows, and saying what does not.

use super::super::super::comments::defines;
use super::super::{Edits, Source};
use super::gauge::Tally;
use super::names::name;
use super::sheet::{Sheet, number};
use super::{Elision, Gauge, Summary, topmost};

/// Most names that an elision lists.
const NAMES: usize = 20;

/// The summary that a sheet holds.
pub(super) fn write(sheet: &Sheet<'_>, source: &Source<'_>, gauge: Gauge<'_>, numbered: bool) -> Summary {
    let mut writer = Writer { sheet, edits: Edits::new(source), numbered, open: String::new() };
    let mut tally = Tally::new(gauge);
    let mut elisions = Vec::new();
    let mut before = None;
    let shown: Vec<Option<u32>> = sheet.shown_rows().map(Some).chain([None]).collect();
    for behind in shown {
        if sheet.is_marked(before, behind) {
            let marker = sheet.marker(before, behind);
            tally.add(&marker, None);
            writer.open += &marker;
            elisions.push(elision(sheet, before, behind));
        } else {
            let (start, end) = sheet.missing(before, behind);
            writer.keep(start, end, None);
            let from = before.map_or(0, |row| row + 1);
            (from..behind.unwrap_or(sheet.rows())).for_each(|row| sheet.tell(row, &mut tally));
        }
        if let Some(row) = behind {
            sheet.tell(row, &mut tally);
            let whole = sheet.page.rows[row as usize];
            let part = sheet.part.as_ref();
            let first = part.filter(|part| part.first == row);
            let last = part.filter(|part| part.last == row);
            let (from, to) = (first.map_or(whole.start, |part| part.from), last.map_or(whole.end, |part| part.to));
            writer.keep(from, to, (from == whole.start).then_some(whole.line));
            if last.is_some_and(|part| sheet.breaks_off(*part)) {
                writer.open.push('\n');
            }
        }
        before = behind;
    }
    writer.edits.end(&writer.open);
    let edits = writer.edits;
    let count = tally.count() as u64;
    debug_assert_eq!(count, gauge.count(&edits.apply(sheet.page.text)) as u64);
    Summary { edits, count, before: sheet.layout.whole, elisions }
}

struct Writer<'s> {
    sheet: &'s Sheet<'s>,
    edits: Edits,
    numbered: bool,
    /// What stands before the next stretch that is kept.
    open: String,
}

impl Writer<'_> {
    /// Keeps a stretch; `line` is the line that it begins in, if that is known.
    fn keep(&mut self, start: u32, end: u32, line: Option<u32>) {
        if start >= end {
            return;
        }
        if !self.numbered {
            self.edits.keep(start, end, &self.open);
            return self.open.clear();
        }
        let page = &self.sheet.page;
        let (mut at, mut line) = (start, line.unwrap_or_else(|| page.line_of(start)));
        while at < end {
            let next = page.starts.get(line as usize + 1).copied().unwrap_or(u32::MAX).min(end);
            number(line, &mut self.open);
            self.edits.keep(at, next, &self.open);
            self.open.clear();
            (at, line) = (next, line + 1);
        }
    }
}

fn elision(sheet: &Sheet<'_>, before: Option<u32>, behind: Option<u32>) -> Elision {
    let (start, end) = sheet.missing(before, behind);
    let from = before.map_or(0, |row| row + 1);
    let to = behind.unwrap_or(sheet.rows()).max(from);
    let count = match (from, to) {
        _ if sheet.part.is_none() => sheet.sum(from, to),
        _ => sheet.measure(sheet.page.slice(start, end)),
    };
    let (mut kind, mut names) = (None, Vec::new());
    let (mut last, mut inside) = (None, 0);
    for row in from..to {
        // All of it is in the last one.
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

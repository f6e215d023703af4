//! Writes a reduced file: the kept lines, and a marker for every elision.

use std::ops::Range;

use super::keep::Layout;
use super::{Annotation, Elision, File, Settings};
use crate::document::comment_syntax;
use crate::document::syntax::NONE;
use crate::tokens::Tokenizer;

/// A stretch of more bytes than this is never cheaper than its marker.
const WORTH_COUNTING: usize = 400;

/// A file at one step of the ladder.
#[derive(Debug, Clone, Default)]
pub(super) struct Rendered {
    pub text: String,
    pub tokens: u64,
    pub elisions: Vec<Elision>,
}

/// Writes the kept lines.
pub(super) fn render(
    file: &File<'_>,
    layout: &Layout<'_>,
    kept: &[Range<u32>],
    settings: &Settings<'_>,
    tokenizer: &dyn Tokenizer,
) -> Rendered {
    let writer = Writer { file, layout, settings, tokenizer };
    let count = layout.lines.written();
    let mut made = Rendered::default();
    let mut gap = 0..0;
    for range in kept.iter().cloned().chain(std::iter::once(count..count)) {
        gap.end = range.start;
        if !gap.is_empty() {
            writer.gap(gap.clone(), &mut made);
        }
        writer.lines(range.clone(), &mut made.text);
        gap.start = range.end;
    }
    made.tokens = tokenizer.count(&made.text);
    made
}

struct Writer<'w> {
    file: &'w File<'w>,
    layout: &'w Layout<'w>,
    settings: &'w Settings<'w>,
    tokenizer: &'w dyn Tokenizer,
}

impl Writer<'_> {
    fn lines(&self, range: Range<u32>, out: &mut String) {
        let Some(annotation) = self.settings.annotation else {
            *out += self.layout.lines.text(range);
            return;
        };
        let must = self.layout.must();
        let mut next = must.partition_point(|must| must.end <= range.start);
        for line in range {
            while must.get(next).is_some_and(|must| must.end <= line) {
                next += 1;
            }
            // Lines beside a removal did not change themselves.
            let changed = must.get(next).is_some_and(|must| must.contains(&line)) && self.file.is_changed(line);
            let what = match (changed, annotation) {
                (false, _) => "",
                (true, Annotation::Changed) => "Changed ",
                (true, Annotation::Selected) => "Selected ",
            };
            *out += &format!("/* {what}Line {} */", line + 1);
            *out += self.layout.lines.text(line..line + 1);
        }
    }

    /// Writes a marker for a stretch, or the stretch if that is cheaper.
    fn gap(&self, gap: Range<u32>, made: &mut Rendered) {
        let marker = self.marker(&gap, &made.text);
        let text = self.layout.lines.text(gap.clone());
        if text.len() <= WORTH_COUNTING {
            let mut whole = String::new();
            self.lines(gap.clone(), &mut whole);
            if self.tokenizer.count(&whole) <= self.tokenizer.count(&marker) {
                made.text += &whole;
                return;
            }
        }
        let start = made.text.len() as u32;
        made.text += &marker;
        made.elisions.push(Elision {
            start: self.layout.lines.start(gap.start),
            end: self.layout.lines.start(gap.end),
            tokens: self.tokenizer.count(text),
            definitions: self.definitions(&gap),
            marker: (start, made.text.len() as u32),
            lines: gap,
        });
    }

    /// Returns the marker on its own line, with the indentation of the stretch.
    fn marker(&self, gap: &Range<u32>, before: &str) -> String {
        let lines = &self.layout.lines;
        let written = gap.clone().map(|line| lines.line(line)).find(|line| !line.trim().is_empty());
        let indent = written.map_or("", |line| &line[..line.len() - line.trim_start().len()]);
        let numbers = match gap.len() {
            1 => format!("{}", gap.end),
            _ => format!("{}-{}", gap.start + 1, gap.end),
        };
        let says = self.settings.wording.replace("{lines}", &numbers);
        let comments = comment_syntax::of(self.file.language);
        let says = match (comments.line, comments.block) {
            (Some(line), _) => format!("{line} {says}"),
            (None, Some((open, close))) => format!("{open} {says} {close}"),
            (None, None) => says,
        };
        let body = if self.empties(gap, before, indent) { "... " } else { "" };
        let text = lines.text(gap.end - 1..gap.end);
        let end = if text.ends_with("\r\n") {
            "\r\n"
        } else if text.ends_with('\n') {
            "\n"
        } else {
            ""
        };
        format!("{indent}{body}{says}{end}")
    }

    /// Returns whether the marker would be alone in a body that must not be empty.
    fn empties(&self, gap: &Range<u32>, before: &str, indent: &str) -> bool {
        if self.file.language != "python" || !before.trim_end().ends_with(':') {
            return false;
        }
        let lines = &self.layout.lines;
        let behind = (gap.end..lines.written()).map(|line| lines.line(line)).find(|line| !line.trim().is_empty());
        behind.is_none_or(|line| line.len() - line.trim_start().len() < indent.len())
    }

    /// Returns the names of the outermost definitions that begin in a stretch.
    fn definitions(&self, gap: &Range<u32>) -> Vec<String> {
        let (start, end) = (self.layout.lines.start(gap.start), self.layout.lines.start(gap.end));
        let items = self.file.items;
        let first = items.partition_point(|item| item.start < start);
        let within = items[first..].iter().take_while(|item| item.start < end);
        let outer = within.filter(|item| item.parent == NONE || (item.parent as usize) < first);
        let name = |(start, end): (u32, u32)| self.file.text.get(start as usize..end as usize).unwrap_or_default();
        outer.map(|item| name(item.name)).filter(|name| !name.is_empty()).map(str::to_string).collect()
    }
}

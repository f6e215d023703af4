//! Counts passages of a file: text between two cuts is counted once.

use super::FillFile;
use super::render::{closing, fence, heading};
use espalier_core::tokens::{Tokenizer, is_cut};
use std::ops::Range;

/// Bytes between two possible ends of the beginning of a long line.
const STEP: usize = 16;
/// Bytes between two cuts of a long line.
const PART: usize = 256;

/// A text with its lines, and the known counts of its parts.
pub(super) struct Sheet<'a> {
    pub path: &'a str,
    pub text: &'a str,
    /// UTF-16 code units and lines of the file before the text.
    offset: usize,
    line: usize,
    /// Starts of lines, in bytes, and the UTF-16 code units before them.
    lines: Vec<(usize, usize)>,
    units: usize,
    /// Byte offsets after which counts add up, with the tokens up to the next one.
    cuts: Vec<(usize, Option<u64>)>,
}

impl<'a> Sheet<'a> {
    pub fn new(file: &FillFile<'a>, has_cuts: bool) -> Sheet<'a> {
        let FillFile { path, text, offset, line } = *file;
        let mut lines = vec![(0, 0)];
        let (mut units, mut cuts) = (0, Vec::new());
        let mut searched = 1;
        for line in text.split_inclusive('\n') {
            units += line.encode_utf16().count();
            let (start, end) = (lines[lines.len() - 1].0, lines[lines.len() - 1].0 + line.len());
            if has_cuts {
                searched = searched.max(start);
                while let Some(cut) = (searched..end).find(|&at| is_cut(text, at)) {
                    cuts.push((cut, None));
                    searched = cut + PART;
                }
            }
            if line.ends_with('\n') {
                lines.push((end, units));
            }
            searched = end;
        }
        Sheet { path, text, offset, line, lines, units, cuts }
    }

    /// Returns the byte offsets of a range in UTF-16 code units, clipped to the text, without blank lines at both ends;
    /// `None` if it is empty.
    pub fn bytes(&self, start: usize, end: usize) -> Option<Range<usize>> {
        let (start, end) = (start.saturating_sub(self.offset), end.saturating_sub(self.offset).min(self.units));
        if start >= end {
            return None;
        }
        self.trimmed(self.byte(start)..self.byte(end))
    }

    pub fn trimmed(&self, range: Range<usize>) -> Option<Range<usize>> {
        let part = &self.text[range.start..range.end];
        let end = range.start + part.trim_end().len();
        let blank = part.len() - part.trim_start().len();
        let indent = part[..blank].rfind('\n').map_or(0, |at| at + 1);
        let start = range.start + indent;
        (start < end && blank < part.len()).then_some(start..end)
    }

    fn byte(&self, unit: usize) -> usize {
        let line = self.lines.partition_point(|(_, units)| *units <= unit).saturating_sub(1);
        let (start, mut units) = self.lines[line];
        for (at, one) in self.text[start..].char_indices() {
            if units >= unit {
                return start + at;
            }
            units += one.len_utf16();
        }
        self.text.len()
    }

    pub fn unit(&self, byte: usize) -> usize {
        let (start, units) = self.lines[self.line_at(byte)];
        self.offset + units + self.text[start..byte].encode_utf16().count()
    }

    fn line_at(&self, byte: usize) -> usize {
        self.lines.partition_point(|(start, _)| *start <= byte).saturating_sub(1)
    }

    /// Returns the lines of the file in a range, which does not end with a blank line.
    pub fn lines(&self, range: &Range<usize>) -> Range<usize> {
        let last = self.line_at(range.end.saturating_sub(1).max(range.start));
        self.line + self.line_at(range.start)..self.line + last + 1
    }

    /// Returns the possible ends of a range's beginning: between lines. If its first line continues after the range,
    /// also between characters, some bytes apart.
    pub fn ends(&self, range: Range<usize>) -> Vec<usize> {
        let first = self.lines.partition_point(|(start, _)| *start <= range.start);
        let behind = self.lines.partition_point(|(start, _)| *start <= range.end);
        if first < behind {
            let mut ends: Vec<usize> = self.lines[first..behind].iter().map(|(start, _)| *start).collect();
            ends.extend((range.end == self.text.len()).then_some(range.end));
            return ends;
        }
        let Range { start, end } = range;
        let ends = (start..=end).step_by(STEP).skip(1).map(|at| self.text.floor_char_boundary(at));
        ends.filter(|at| *at > start).collect()
    }

    /// Returns the tokens of a passage in its rendered form; `None` if it has more than `max`.
    pub fn count<T: Tokenizer + ?Sized>(&mut self, range: &Range<usize>, max: u64, tokenizer: &T) -> Option<u64> {
        let text = &self.text[range.start..range.end];
        let first = self.cuts.partition_point(|(at, _)| *at <= range.start);
        let behind = self.cuts.partition_point(|(at, _)| *at < range.end);
        if first >= behind {
            let fence = fence(text);
            let whole = [&heading(self.path, &self.lines(range), fence), text, &closing(text, fence)].concat();
            return Some(tokenizer.count(&whole)).filter(|tokens| *tokens <= max);
        }
        let mut total = 0;
        for at in first..behind - 1 {
            let (start, known) = self.cuts[at];
            let tokens = known.unwrap_or_else(|| tokenizer.count(&self.text[start..self.cuts[at + 1].0]));
            self.cuts[at].1 = Some(tokens);
            total += tokens;
            if total > max {
                return None;
            }
        }
        let (head, tail) = (self.cuts[first].0, self.cuts[behind - 1].0);
        let fence = fence(text);
        let before = [&heading(self.path, &self.lines(range), fence), &self.text[range.start..head]].concat();
        let after = [&self.text[tail..range.end], &closing(text, fence)].concat();
        total += tokenizer.count(&before) + tokenizer.count(&after);
        Some(total).filter(|tokens| *tokens <= max)
    }
}

//! The lines of a document as diffs count them: they end with line feeds.

use std::ops::Range;

use crate::document::units::feeds;

/// The start of each line of a text. A text that ends with a line feed has an empty line behind it.
#[derive(Debug, Clone)]
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<u32>,
}

impl<'t> Lines<'t> {
    /// Reads a text once.
    pub fn new(text: &'t str) -> Lines<'t> {
        let behind = feeds(text).into_iter().map(|feed| feed + 1);
        Lines { text, starts: std::iter::once(0).chain(behind).collect() }
    }

    /// Returns the number of lines; 1 for an empty text.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// Returns the number of lines without the empty one behind the last line feed.
    pub fn written(&self) -> u32 {
        self.count() - u32::from(self.text.is_empty() || self.text.ends_with('\n'))
    }

    /// Returns the byte at which a line begins, from 0; the end of the text for lines behind the last.
    pub fn start(&self, line: u32) -> u32 {
        self.starts.get(line as usize).copied().unwrap_or(self.text.len() as u32)
    }

    /// Returns the line of a byte.
    pub fn of(&self, byte: u32) -> u32 {
        self.starts.partition_point(|start| *start <= byte) as u32 - 1
    }

    /// Returns the text of lines, line feeds included.
    pub fn text(&self, lines: Range<u32>) -> &'t str {
        self.text.get(self.start(lines.start) as usize..self.start(lines.end) as usize).unwrap_or_default()
    }

    /// Returns a line without its end.
    pub fn line(&self, line: u32) -> &'t str {
        let text = self.text(line..line + 1);
        let text = text.strip_suffix('\n').unwrap_or(text);
        text.strip_suffix('\r').unwrap_or(text)
    }

    /// Returns the lines of a stretch of bytes. A stretch that ends at the start of a line contains nothing of that
    /// line.
    pub fn range(&self, start: u32, end: u32) -> Range<u32> {
        let first = self.of(start);
        first..if end > start { self.of(end - 1) + 1 } else { first + 1 }
    }
}

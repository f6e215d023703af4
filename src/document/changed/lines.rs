//! Lines of a document, as diffs count them: ended by line feeds.

use std::ops::Range;

use crate::document::units::feeds;

/// Where the lines of a text begin. A text that ends with a line feed has an empty line behind it.
#[derive(Debug, Clone)]
pub struct Lines<'t> {
    text: &'t str,
    starts: Vec<u32>,
}

impl<'t> Lines<'t> {
    /// Looks through a text once.
    pub fn new(text: &'t str) -> Lines<'t> {
        let behind = feeds(text).into_iter().map(|feed| feed + 1);
        Lines { text, starts: std::iter::once(0).chain(behind).collect() }
    }

    /// How many there are; 1 for an empty text.
    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }

    /// How many there are without the empty one behind the last line feed.
    pub fn written(&self) -> u32 {
        self.count() - u32::from(self.text.is_empty() || self.text.ends_with('\n'))
    }

    /// The byte at which a line begins, counted from 0; the end of the text for lines behind the last.
    pub fn start(&self, line: u32) -> u32 {
        self.starts.get(line as usize).copied().unwrap_or(self.text.len() as u32)
    }

    /// The line in which a byte stands.
    pub fn of(&self, byte: u32) -> u32 {
        self.starts.partition_point(|start| *start <= byte) as u32 - 1
    }

    /// The text of lines, line feeds included.
    pub fn text(&self, lines: Range<u32>) -> &'t str {
        self.text.get(self.start(lines.start) as usize..self.start(lines.end) as usize).unwrap_or_default()
    }

    /// One line without its end.
    pub fn line(&self, line: u32) -> &'t str {
        let text = self.text(line..line + 1);
        let text = text.strip_suffix('\n').unwrap_or(text);
        text.strip_suffix('\r').unwrap_or(text)
    }

    /// The lines in which a stretch of bytes stands; one that ends where a line begins has none of that line.
    pub fn range(&self, start: u32, end: u32) -> Range<u32> {
        let first = self.of(start);
        first..if end > start { self.of(end - 1) + 1 } else { first + 1 }
    }
}

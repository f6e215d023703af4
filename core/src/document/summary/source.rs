//! A text, measured in UTF-16 units and lines.

use super::super::indent::is_blank;
use super::super::units::{Units, feeds};

/// A text together with what is needed to measure stretches of it quickly.
#[derive(Debug)]
pub struct Source<'t> {
    text: &'t str,
    units: Units,
    /// Where its line feeds are, in bytes.
    feeds: Vec<u32>,
}

impl<'t> Source<'t> {
    /// Looks through a text once.
    pub fn new(text: &'t str) -> Source<'t> {
        Source { text, units: Units::new(text), feeds: feeds(text) }
    }

    /// The text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Bytes of the text.
    pub fn end(&self) -> u32 {
        self.text.len() as u32
    }

    /// A stretch of the text.
    pub fn slice(&self, start: u32, end: u32) -> &'t str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// The UTF-16 unit at a byte.
    pub fn unit(&self, byte: u32) -> u32 {
        self.units.of(self.text, byte)
    }

    /// The byte at a UTF-16 unit; the end for what lies behind it.
    pub fn byte(&self, unit: u32) -> u32 {
        self.units.byte(self.text, unit)
    }

    /// UTF-16 units of a stretch.
    pub fn units(&self, start: u32, end: u32) -> u64 {
        u64::from(self.unit(end)) - u64::from(self.unit(start))
    }

    /// Line feeds in a stretch.
    pub fn feeds(&self, start: u32, end: u32) -> u64 {
        (self.line_of(end) - self.line_of(start)) as u64
    }

    /// The line in which a byte stands, the first being 0.
    pub fn line_of(&self, byte: u32) -> u32 {
        self.feeds.partition_point(|feed| *feed < byte) as u32
    }

    /// How many lines there are.
    pub fn lines(&self) -> u32 {
        self.feeds.len() as u32 + 1
    }

    /// The end of a stretch without the blanks behind it.
    pub fn trimmed_end(&self, start: u32, end: u32) -> u32 {
        start + self.slice(start, end).trim_end_matches(is_blank).len() as u32
    }

    /// The start of a stretch without the blanks in front of it.
    pub fn trimmed_start(&self, start: u32, end: u32) -> u32 {
        end - self.slice(start, end).trim_start_matches(is_blank).len() as u32
    }
}

//! A text, measured in UTF-16 units and lines.

use super::super::indent::is_blank;
use super::super::units::{Units, feeds};

/// A text with an index that measures stretches of it quickly.
#[derive(Debug)]
pub struct Source<'t> {
    text: &'t str,
    units: Units,
    /// The bytes of its line feeds.
    feeds: Vec<u32>,
}

impl<'t> Source<'t> {
    /// Reads a text once.
    pub fn new(text: &'t str) -> Source<'t> {
        Source { text, units: Units::new(text), feeds: feeds(text) }
    }

    /// Returns the text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// Returns the length in bytes.
    pub fn end(&self) -> u32 {
        self.text.len() as u32
    }

    /// Returns a stretch of the text.
    pub fn slice(&self, start: u32, end: u32) -> &'t str {
        self.text.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Returns the UTF-16 unit at a byte.
    pub fn unit(&self, byte: u32) -> u32 {
        self.units.of(self.text, byte)
    }

    /// Returns the byte at a UTF-16 unit; the end of the text for units behind it.
    pub fn byte(&self, unit: u32) -> u32 {
        self.units.byte(self.text, unit)
    }

    /// Returns the UTF-16 units in a stretch.
    pub fn units(&self, start: u32, end: u32) -> u64 {
        u64::from(self.unit(end)) - u64::from(self.unit(start))
    }

    /// Returns the line feeds in a stretch.
    pub fn feeds(&self, start: u32, end: u32) -> u64 {
        (self.line_of(end) - self.line_of(start)) as u64
    }

    /// Returns the line of a byte, from 0.
    pub fn line_of(&self, byte: u32) -> u32 {
        self.feeds.partition_point(|feed| *feed < byte) as u32
    }

    /// Returns the first byte of each line.
    pub(super) fn starts(&self) -> Vec<u32> {
        [0].into_iter().chain(self.feeds.iter().map(|feed| feed + 1)).collect()
    }

    /// Returns the start of a stretch without its leading blanks.
    pub fn trimmed_start(&self, start: u32, end: u32) -> u32 {
        end - self.slice(start, end).trim_start_matches(is_blank).len() as u32
    }
}

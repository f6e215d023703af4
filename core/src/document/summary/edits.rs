//! Edits that turn a document into its summary, and the mapping of positions between the two.

use super::source::Source;

/// A stretch of the document and its replacement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// The first byte of the stretch.
    pub start: u32,
    /// The byte behind the stretch.
    pub end: u32,
    /// The text that replaces it.
    pub text: String,
}

/// The edits that turn a document into its summary: ascending, and no two touch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edits {
    list: Vec<Edit>,
    /// The length of the document in bytes.
    length: u32,
    /// The byte up to which the document is kept or left out, while the edits are made.
    reached: u32,
}

impl Edits {
    /// Returns no edits of a document of which nothing is kept or left out yet.
    pub(super) fn new(source: &Source<'_>) -> Edits {
        Edits { list: Vec::new(), length: source.end(), reached: 0 }
    }

    /// Keeps the next stretch, with `inserted` between it and the one before.
    pub(super) fn keep(&mut self, start: u32, end: u32, inserted: &str) {
        if start > self.reached || !inserted.is_empty() {
            self.list.push(Edit { start: self.reached, end: start.max(self.reached), text: inserted.into() });
        }
        self.reached = end.max(self.reached);
    }

    /// Leaves out the rest of the document.
    pub(super) fn end(&mut self, inserted: &str) {
        self.keep(self.length, self.length, inserted);
    }

    /// Returns the edits.
    pub fn list(&self) -> &[Edit] {
        &self.list
    }

    /// Returns the document with the edits applied.
    pub fn apply(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for edit in &self.list {
            out += text.get(at as usize..edit.start as usize).unwrap_or_default();
            out += &edit.text;
            at = edit.end;
        }
        out + text.get(at as usize..).unwrap_or_default()
    }

    /// Maps a byte of the document to the summary. A byte in a replaced stretch maps to the start of its replacement.
    pub fn forward(&self, byte: u32) -> u32 {
        let mut moved = i64::from(byte);
        for edit in self.list.iter().take_while(|edit| edit.start <= byte) {
            if edit.end > byte {
                return (moved - i64::from(byte - edit.start)) as u32;
            }
            moved += edit.text.len() as i64 - i64::from(edit.end - edit.start);
        }
        moved as u32
    }
}

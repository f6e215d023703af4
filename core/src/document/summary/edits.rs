//! Edits: what was replaced in a document, and where its positions went.

use super::source::Source;

/// A stretch of the document and what stands in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// First byte of what was replaced.
    pub start: u32,
    /// The byte behind it.
    pub end: u32,
    /// What stands there now.
    pub text: String,
}

/// The edits that make a summary of a document, ascending, none touching another.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Edits {
    list: Vec<Edit>,
    /// Bytes of the document.
    length: u32,
    /// Up to where the document was kept or left out, while the edits are made.
    reached: u32,
}

impl Edits {
    /// No edits of a document yet: nothing of it has been kept or left out.
    pub(super) fn new(source: &Source<'_>) -> Edits {
        Edits { list: Vec::new(), length: source.end(), reached: 0 }
    }

    /// The next stretch that is kept, and what stands between it and the one before.
    pub(super) fn keep(&mut self, start: u32, end: u32, inserted: &str) {
        if start > self.reached || !inserted.is_empty() {
            self.list.push(Edit { start: self.reached, end: start.max(self.reached), text: inserted.into() });
        }
        self.reached = end.max(self.reached);
    }

    /// Nothing else is kept.
    pub(super) fn end(&mut self, inserted: &str) {
        self.keep(self.length, self.length, inserted);
    }

    /// Inserts texts at places of the summary, which ascend.
    pub(super) fn insert(&mut self, texts: &[(u32, String)]) {
        let mut list = Vec::with_capacity(self.list.len() + texts.len());
        let mut old = std::mem::take(&mut self.list).into_iter().peekable();
        // Bytes that the document is ahead of the summary as it was.
        let mut moved = 0i64;
        let mut texts = texts.iter().peekable();
        loop {
            let start = old.peek().map(|edit| i64::from(edit.start) - moved);
            match (texts.peek(), start) {
                (Some((at, text)), start) if start.is_none_or(|start| i64::from(*at) < start) => {
                    let place = (i64::from(*at) + moved) as u32;
                    list.push(Edit { start: place, end: place, text: text.clone() });
                    texts.next();
                }
                (_, Some(start)) => {
                    let Some(mut edit) = old.next() else { break };
                    let length = edit.text.len() as i64;
                    moved += i64::from(edit.end - edit.start) - length;
                    let mut grown = 0;
                    while let Some((at, text)) = texts.next_if(|(at, _)| i64::from(*at) <= start + length) {
                        edit.text.insert_str((i64::from(*at) - start) as usize + grown, text);
                        grown += text.len();
                    }
                    list.push(edit);
                }
                _ => break,
            }
        }
        self.list = list;
    }

    /// The edits.
    pub fn list(&self) -> &[Edit] {
        &self.list
    }

    /// The document with the edits in it.
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

    /// Where a byte of the document stands in the summary. Inside of what was replaced: where its replacement begins.
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

    /// Where bytes of the summary, ascending, come from.
    pub fn backward(&self) -> Backward<'_> {
        Backward { edits: self, next: 0, moved: 0 }
    }
}

/// Walks a summary once.
#[derive(Debug)]
pub struct Backward<'e> {
    edits: &'e Edits,
    next: usize,
    /// How much further a byte is in the document than in the summary.
    moved: i64,
}

impl Backward<'_> {
    /// Where a byte of the summary, not before the last one, comes from. Inside of what was inserted: where what it replaced begins.
    pub fn place(&mut self, byte: u32) -> u32 {
        while let Some(edit) = self.edits.list.get(self.next) {
            let start = i64::from(edit.start) - self.moved;
            let end = start + edit.text.len() as i64;
            if start > i64::from(byte) {
                break;
            }
            if end > i64::from(byte) {
                return edit.start;
            }
            self.moved += i64::from(edit.end - edit.start) - edit.text.len() as i64;
            self.next += 1;
        }
        (i64::from(byte) + self.moved) as u32
    }
}

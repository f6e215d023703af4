//! Recently parsed trees, so that a text that changed a little is not parsed from the beginning.
//!
//! A parser can update the tree of an earlier text if it receives the edits. The result is that of a new parse if
//! neither text has errors. With errors the result could depend on the history, but the same text must always have the
//! same structure: such trees are used for the same text only.

use tree_sitter::{InputEdit, Language, Point, Tree};

use super::parse::{Limits, Parsed, Pruning, Stopped, Units, flatten, run};

/// The maximum length of all kept texts, in bytes. A tree takes about thirty times as much as its text.
const MOST: usize = 768 << 10;
/// The maximum part of a text that an update can change. Beyond it the text is parsed as a new one.
const PART: usize = 4;

/// Recently parsed trees.
#[derive(Debug)]
pub struct Trees {
    /// The most recently used tree is last.
    kept: Vec<Kept>,
    most: usize,
    /// The number of parses.
    parsed: u64,
}

#[derive(Debug)]
struct Kept {
    language: Language,
    units: Units,
    text: Box<str>,
    tree: Tree,
    /// The work of the tree, and the work of parsing the whole text. The latter is estimated for a tree that was
    /// updated.
    work: u64,
    whole: u64,
    updated: bool,
}

/// The factor by which an estimate of work can be too low.
const DOUBT: u64 = 2;

impl Kept {
    /// Returns whether the limits allow parsing the whole text, so that its tree can be used.
    fn may(&self, limits: Limits) -> bool {
        self.whole.saturating_mul(if self.updated { DOUBT } else { 1 }) <= limits.max_work
    }
}

impl Default for Trees {
    fn default() -> Trees {
        Trees::new(MOST)
    }
}

impl Trees {
    /// Returns a store for trees of texts of at most `most` bytes together.
    pub fn new(most: usize) -> Trees {
        Trees { kept: Vec::new(), most, parsed: 0 }
    }

    /// Parses a text, or updates the tree of a similar text.
    ///
    /// # Errors
    /// [`Stopped`].
    pub fn parse(
        &mut self,
        language: &Language,
        text: &str,
        units: Units,
        limits: Limits,
        pruning: &Pruning,
    ) -> Result<Parsed, Stopped> {
        if text.len() > limits.max_bytes {
            return Err(Stopped::TooLong);
        }
        let same = |kept: &Kept| kept.language == *language && kept.units == units && *kept.text == *text;
        let known = self.kept.iter().position(same).filter(|at| self.kept[*at].may(limits));
        let updated = |trees: &mut Trees| trees.updated(language, text, units, limits);
        let kept = match known.map(|at| self.kept.remove(at)).or_else(|| updated(self)) {
            Some(kept) => kept,
            None => {
                self.parsed += 1;
                let (tree, work) = run(language, text, units, limits, None)?;
                Kept { language: language.clone(), units, text: text.into(), tree, work, whole: work, updated: false }
            }
        };
        let parsed = Parsed {
            tree: flatten(&kept.tree, text, units, language, pruning),
            work: kept.work,
            has_errors: kept.tree.root_node().has_error(),
        };
        self.keep(kept);
        Ok(parsed)
    }

    /// Updates the tree of a similar text, which the new tree replaces.
    fn updated(&mut self, language: &Language, text: &str, units: Units, limits: Limits) -> Option<Kept> {
        // A low limit is compared with the work of parsing the whole text.
        let serves = |kept: &Kept| {
            kept.language == *language
                && kept.units == units
                && kept.whole.saturating_mul(DOUBT) <= limits.max_work
                && !kept.tree.root_node().has_error()
        };
        let candidates = (0..self.kept.len()).rev().filter(|at| serves(&self.kept[*at]));
        let (at, edit) = candidates.filter_map(|at| Some((at, edit(&self.kept[at].text, text, units)?))).next()?;
        let mut old = self.kept[at].tree.clone();
        old.edit(&edit);
        self.parsed += 1;
        let (tree, work) = run(language, text, units, limits, Some(&old)).ok()?;
        if tree.root_node().has_error() {
            return None;
        }
        let before = self.kept.remove(at);
        let whole = before.whole.saturating_mul(text.len() as u64) / before.text.len().max(1) as u64 + 1;
        Some(Kept { text: text.into(), tree, work, whole, updated: true, ..before })
    }

    fn keep(&mut self, kept: Kept) {
        if kept.text.len() > self.most {
            return;
        }
        // A tree with errors serves only its own text. Two of them would evict trees that can be updated.
        let has_errors = |kept: &Kept| kept.tree.root_node().has_error();
        if has_errors(&kept) {
            self.kept.retain(|kept| !has_errors(kept));
        }
        self.kept.push(kept);
        let mut bytes: usize = self.kept.iter().map(|kept| kept.text.len()).sum();
        while bytes > self.most || self.kept.len() > TREES {
            bytes -= self.kept.remove(0).text.len();
        }
    }

    /// Returns the number of parses, of whole texts or of changed parts.
    pub fn parsed(&self) -> u64 {
        self.parsed
    }

    /// Forgets all trees.
    pub fn clear(&mut self) {
        self.kept.clear();
    }
}

/// The maximum number of kept trees.
const TREES: usize = 3;

/// Returns the edit between two texts, if it is a single stretch and a small part of them.
fn edit(old: &str, new: &str, units: Units) -> Option<InputEdit> {
    let (one, other) = (old.as_bytes(), new.as_bytes());
    let least = one.len().min(other.len());
    let mut start = common(one.iter(), other.iter());
    while !new.is_char_boundary(start) || !old.is_char_boundary(start) {
        start -= 1;
    }
    let mut behind = common(one.iter().rev(), other.iter().rev()).min(least - start);
    while !new.is_char_boundary(new.len() - behind) || !old.is_char_boundary(old.len() - behind) {
        behind -= 1;
    }
    let (old_end, new_end) = (old.len() - behind, new.len() - behind);
    if (old_end - start).max(new_end - start) > least / PART {
        return None;
    }
    let (start, old_end, new_end) = (place(old, start, units), place(old, old_end, units), place(new, new_end, units));
    Some(InputEdit {
        start_byte: start.0,
        old_end_byte: old_end.0,
        new_end_byte: new_end.0,
        start_position: start.1,
        old_end_position: old_end.1,
        new_end_position: new_end.1,
    })
}

/// Returns the number of bytes before the first difference between two texts.
fn common<'b>(one: impl Iterator<Item = &'b u8>, other: impl Iterator<Item = &'b u8>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

/// Returns a position as the parser counts: in bytes of the encoding that it reads, with row and column.
fn place(text: &str, at: usize, units: Units) -> (usize, Point) {
    let before = &text[..at];
    let row = before.bytes().filter(|byte| *byte == b'\n').count();
    let line = before.rfind('\n').map_or(0, |feed| feed + 1);
    let bytes = |text: &str| match units {
        Units::Utf8 => text.len(),
        Units::Utf16 => text.encode_utf16().count() * 2,
    };
    (bytes(before), Point::new(row, bytes(&before[line..])))
}

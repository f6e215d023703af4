//! The trees that were parsed last, so that a text that changed a little is not parsed anew.
//!
//! A parser can go on from the tree of an earlier text if it is told what changed; what it finds then is what it would have found anyway,
//! as long as there is nothing wrong with either text. Where there is, the outcome could depend on what came before, and the same text
//! must always have the same structure: so such trees are only used for the very same text.

use tree_sitter::{InputEdit, Language, Point, Tree};

use super::parse::{Limits, Parsed, Pruning, Stopped, Units, flatten, run};

/// Texts of all trees together, in bytes: a tree takes about thirty times as much as its text.
const MOST: usize = 768 << 10;
/// What changed may be such a part of the text; beyond it, it is another text.
const PART: usize = 4;

/// Trees of texts that were parsed last.
#[derive(Debug)]
pub struct Trees {
    /// The one that was used last at the end.
    kept: Vec<Kept>,
    most: usize,
    /// How often a parser ran.
    parsed: u64,
}

#[derive(Debug)]
struct Kept {
    language: Language,
    units: Units,
    text: Box<str>,
    tree: Tree,
    /// What the tree took, and what it would have taken if it had been made at once: about that where it was updated.
    work: u64,
    whole: u64,
    updated: bool,
}

/// What is only known about can be so many times as much.
const DOUBT: u64 = 2;

impl Kept {
    /// True if the whole text may be parsed, so that its tree may be used.
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
    /// Keeps trees of so many bytes of text together.
    pub fn new(most: usize) -> Trees {
        Trees { kept: Vec::new(), most, parsed: 0 }
    }

    /// Parses a text as [`parse`](super::parse::parse) does, or updates the tree of one that it differs little from.
    ///
    /// # Errors
    /// As there.
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

    /// The tree of a text that differs little from one that was parsed, which it replaces.
    fn updated(&mut self, language: &Language, text: &str, units: Units, limits: Limits) -> Option<Kept> {
        // Whoever allows little is told what parsing all of it would take.
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
        // One with errors serves its own text only; two of those would push out what others can go on from.
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

    /// How often a parser ran: for texts as a whole, or for what was new of them.
    pub fn parsed(&self) -> u64 {
        self.parsed
    }

    /// Forgets everything.
    pub fn clear(&mut self) {
        self.kept.clear();
    }
}

/// Trees that are kept at most.
const TREES: usize = 3;

/// What changed between two texts, if it is one stretch and a small part of them.
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

/// How many bytes two texts have in common before the first that differs.
fn common<'b>(one: impl Iterator<Item = &'b u8>, other: impl Iterator<Item = &'b u8>) -> usize {
    one.zip(other).take_while(|(one, other)| one == other).count()
}

/// A place as the parser counts: in bytes of what it reads, and in rows and columns of those.
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

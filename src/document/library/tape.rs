//! The format of questions and answers: a list of numbers and a list of texts, in the order in which the other side
//! reads them.

use crate::document::parse::Limits;
use crate::document::{Basis, Mode, Options};

/// A question, which the host has checked. Missing values are 0 and empty texts.
pub(super) struct Question<'q> {
    texts: &'q [String],
    numbers: &'q [f64],
}

impl<'q> Question<'q> {
    pub fn new(texts: &'q [String], numbers: &'q [f64]) -> Question<'q> {
        Question { texts, numbers }
    }

    pub fn text(&mut self) -> &'q str {
        self.texts.split_off_first().map_or("", String::as_str)
    }

    /// Reads a list of texts behind its length.
    pub fn texts(&mut self) -> &'q [String] {
        let count = self.count().min(self.texts.len());
        self.texts.split_off(..count).unwrap_or_default()
    }

    pub fn number(&mut self) -> f64 {
        self.numbers.split_off_first().copied().unwrap_or_default()
    }

    /// Reads a list of numbers behind its length.
    pub fn numbers(&mut self) -> &'q [f64] {
        let count = self.count().min(self.numbers.len());
        self.numbers.split_off(..count).unwrap_or_default()
    }

    /// Reads a whole number; infinity is the maximum.
    pub fn count(&mut self) -> usize {
        self.number() as usize
    }

    /// Reads a whole number that can have more than 32 bits.
    pub fn whole(&mut self) -> u64 {
        self.number() as u64
    }

    pub fn flag(&mut self) -> bool {
        self.number() != 0.0
    }

    /// Reads the text of a document and the options of its structure.
    pub fn document(&mut self) -> (&'q str, Options<'q>) {
        let (text, language) = (self.text(), self.text());
        let mode = if self.flag() { Mode::Compatible } else { Mode::Default };
        let (tab, limits) = (self.count(), Limits { max_bytes: self.count(), max_work: self.whole() });
        (text, Options { language, mode, tab, limits })
    }
}

/// An answer.
#[derive(Debug, Default)]
pub struct Answer {
    pub numbers: Vec<f64>,
    /// The texts, concatenated. Their lengths are among the numbers, in UTF-16 code units.
    pub texts: String,
}

impl Answer {
    pub(super) fn number(&mut self, number: impl Into<f64>) {
        self.push(number.into());
    }

    /// Writes a number that can have more than 32 bits.
    pub(super) fn whole(&mut self, number: u64) {
        self.push(number as f64);
    }

    pub(super) fn count(&mut self, count: usize) {
        self.push(count as f64);
    }

    pub(super) fn flag(&mut self, flag: bool) {
        self.push(u8::from(flag).into());
    }

    #[inline(never)]
    fn push(&mut self, number: f64) {
        self.numbers.push(number);
    }

    #[inline(never)]
    pub(super) fn text(&mut self, text: &str) {
        self.count(text.encode_utf16().count());
        self.texts.push_str(text);
    }

    /// Writes an optional value.
    pub(super) fn maybe<T>(&mut self, value: Option<T>, put: impl FnOnce(&mut Answer, T)) {
        self.flag(value.is_some());
        if let Some(value) = value {
            put(self, value);
        }
    }

    /// Writes a list behind its length.
    pub(super) fn list<T>(
        &mut self,
        list: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        mut put: impl FnMut(&mut Answer, T),
    ) {
        let list = list.into_iter();
        self.count(list.len());
        for item in list {
            put(self, item);
        }
    }

    pub(super) fn basis(&mut self, basis: Basis) {
        match basis {
            Basis::Syntax { has_errors, work } => {
                self.text("");
                self.flag(has_errors);
                self.whole(work);
            }
            Basis::Indentation { why } => self.text(why.as_str()),
        }
    }
}

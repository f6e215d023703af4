//! The facts that the text of a result shows.

use std::cell::{OnceCell, RefCell};
use std::rc::Rc;

use super::Call;
use crate::compact::ledger::error;
use crate::compact::placeholder::{self, Gone, is_placeholder};
use crate::message::dialects::Dialects;
use crate::message::tool_output::{exit_status, says_failed};

/// The facts that the text of a result shows.
#[derive(Default)]
pub struct Outcome {
    /// Hash of its text, and the facts shared with results of the same text.
    hash: OnceCell<u64>,
    twins: RefCell<Rc<()>>,
    is_placeholder: OnceCell<bool>,
    says_so: OnceCell<bool>,
    exit: OnceCell<Option<i64>>,
    errors: OnceCell<Box<[ErrorAt]>>,
    /// The description in its placeholder, and the call it was made for.
    about: RefCell<Option<About>>,
}

type About = (Option<Rc<Call>>, bool, Rc<str>);

/// The position of an error line in a text, in bytes, and a hash of its [`error::key`].
#[derive(Debug, Clone, Copy)]
pub struct ErrorAt {
    from: u32,
    to: u32,
    pub key: u64,
}

impl ErrorAt {
    /// Returns the line in the form in which it is stored.
    pub fn line(&self, text: &str) -> String {
        error::kept_line(text.get(self.from as usize..self.to as usize).unwrap_or_default())
    }
}

impl Outcome {
    /// True if the result was removed.
    pub fn is_placeholder(&self, text: &str) -> bool {
        *self.is_placeholder.get_or_init(|| is_placeholder(text))
    }

    /// True if it begins as tools report errors.
    pub fn says_so(&self, text: &str) -> bool {
        *self.says_so.get_or_init(|| says_failed(text, Dialects::ALL))
    }

    /// Returns the exit status that it mentions.
    pub fn exit(&self, text: &str) -> Option<i64> {
        *self.exit.get_or_init(|| exit_status(text))
    }

    /// Returns its error lines.
    pub fn errors(&self, text: &str) -> &[ErrorAt] {
        self.errors.get_or_init(|| {
            let mut from = 0;
            let mut found = Vec::new();
            for line in text.split_inclusive('\n') {
                let end = from + line.len();
                let line = line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line));
                if error::is_error_line(line) {
                    let key = hash(error::key(&error::kept_line(line)).as_bytes());
                    found.push(ErrorAt { from: from as u32, to: (from + line.len()) as u32, key });
                }
                from = end;
            }
            found.into()
        })
    }

    /// Returns its placeholder. See [`placeholder::line`].
    pub fn placeholder(
        &self,
        gone: Gone,
        call: Option<&Rc<Call>>,
        of: placeholder::Result,
        why: Option<&str>,
        recall: &str,
    ) -> String {
        let mut about = self.about.borrow_mut();
        let same = |(known, is_error, _): &&About| {
            *is_error == of.is_error && known.as_ref().map(Rc::as_ptr) == call.map(Rc::as_ptr)
        };
        let said = match about.as_ref().filter(same) {
            Some((.., said)) => Rc::clone(said),
            None => {
                let said: Rc<str> = placeholder::about(of).into();
                *about = Some((call.cloned(), of.is_error, Rc::clone(&said)));
                said
            }
        };
        placeholder::line_about(gone, &said, why, recall)
    }
}

/// The text of a result, for fast comparison with others.
#[derive(Clone, Copy)]
pub struct Text<'t> {
    hash: u64,
    outcome: &'t Outcome,
    text: &'t str,
}

impl<'t> Text<'t> {
    /// `text` is the text of `outcome`.
    pub fn of(outcome: &'t Outcome, text: &'t str) -> Text<'t> {
        Text { hash: *outcome.hash.get_or_init(|| hash(text.as_bytes())), outcome, text }
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Text) -> bool {
        let twins = || Rc::clone(&self.outcome.twins.borrow());
        if self.hash != other.hash || Rc::ptr_eq(&twins(), &other.outcome.twins.borrow()) {
            return self.hash == other.hash;
        }
        let is_same = self.text == other.text;
        if is_same {
            other.outcome.twins.replace(twins());
        }
        is_same
    }
}

impl Eq for Text<'_> {}

impl std::hash::Hash for Text<'_> {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

/// A hash that is the same on every machine, since decisions depend on it.
fn hash(bytes: &[u8]) -> u64 {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut sum = (bytes.len() as u64).wrapping_mul(MIX);
    let mut take = |word: u64| sum = (sum ^ word).wrapping_mul(MIX).rotate_left(29);
    let mut words = bytes.chunks_exact(8);
    for word in &mut words {
        take(word.iter().rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte)));
    }
    take(words.remainder().iter().fold(0, |sum, &byte| sum << 8 | u64::from(byte)));
    sum ^ sum >> 32
}

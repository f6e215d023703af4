//! Names that the work uses: files, identifiers, ids.
//!
//! In: the texts of messages, in order. Out: names ranked by use and recency. The weight of a use halves every
//! [`HALF_LIFE`] messages. Start reading at [`Names::add`].

use std::rc::Rc;

use crate::map::HashMap;

/// Number of messages after which a use counts half. Measured on public transcripts at 8,000 tokens, 800 of them for
/// names: 91 % of the names that the next 20 calls use are in view with 20 or 40, 86 % with 100. Counting calls four
/// times as much as results costs up to 4 points.
pub const HALF_LIFE: u32 = 20;
/// The weight that remains after one message: 0.5 to the power of 1 / [`HALF_LIFE`].
const PER_MESSAGE: f64 = 0.965_936_328_924_846_4;
/// Maximum number of names, and the excess above it before the weakest are evicted.
const MAX_NAMES: usize = 20_000;
const SLACK: usize = 10_000;
/// Maximum bytes of a name.
const MAX_BYTES: usize = 80;

/// Returns the share of a weight that remains after `messages`. It only multiplies, so that every machine gets the same
/// result.
pub fn left_after(messages: u32) -> f64 {
    let (mut factor, mut base, mut rest) = (1.0, PER_MESSAGE, messages);
    while rest > 0 {
        if rest & 1 == 1 {
            factor *= base;
        }
        base *= base;
        rest >>= 1;
    }
    factor
}

/// A name and how much it was used.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    pub text: Rc<str>,
    /// Score at the last message that used it.
    pub score: f64,
    pub last: u32,
    /// For a file, the path in its latest mention. For other names, the file of the call that used it last.
    pub path: Option<Rc<str>>,
    pub is_file: bool,
}

/// See the module.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Names {
    all: Vec<Name>,
    at: HashMap<Rc<str>, usize>,
}

/// The names in one message.
#[derive(Default)]
pub struct Found<'t> {
    words: HashMap<&'t str, Option<Rc<str>>>,
    paths: HashMap<&'t str, &'t str>,
    /// In order of appearance.
    order: Vec<(&'t str, bool)>,
}

impl<'t> Found<'t> {
    /// Adds the names of a text; `path` is the file that the text is about.
    pub fn text(&mut self, text: &'t str, path: Option<&Rc<str>>) {
        each(text, |name, full| match full {
            Some(full) => {
                if self.paths.insert(name, full).is_none() {
                    self.order.push((name, true));
                }
            }
            None => self.word(name, path),
        });
    }

    /// Adds a value of a call's arguments: an id, a code, a date.
    pub fn value(&mut self, value: &'t str, path: Option<&Rc<str>>) {
        if is_value(value) {
            self.word(value, path);
        }
    }

    pub fn word(&mut self, word: &'t str, path: Option<&Rc<str>>) {
        let is_new = self.words.insert(word, path.cloned()).is_none();
        if is_new {
            self.order.push((word, false));
        }
    }
}

/// True for values that later calls may repeat verbatim.
fn is_value(value: &str) -> bool {
    (4..40).contains(&value.len())
        && value.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '@' | '.' | '-'))
        && value.chars().any(|c| c.is_uppercase() || c.is_ascii_digit() || c == '_')
}

/// True for invented words: several words in one, or letters with digits.
fn is_name(word: &str) -> bool {
    if word.len() < 4 || word.len() > MAX_BYTES || !word.starts_with(|c: char| c.is_alphanumeric() || c == '_') {
        return false;
    }
    let bytes = word.as_bytes();
    let inner = &bytes[1..bytes.len() - 1];
    let hump = bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let has_letter = bytes.iter().any(u8::is_ascii_alphabetic);
    let code = || {
        let digits = bytes.iter().filter(|b| b.is_ascii_digit()).count();
        digits > 0 && word.len() <= 12 && bytes.iter().any(u8::is_ascii_uppercase) && !is_quantity(bytes)
    };
    hump || has_letter && inner.contains(&b'_') || code()
}

/// True for parts of times and for numbers with a unit: `06T00`, `000Z`, `500K`.
fn is_quantity(word: &[u8]) -> bool {
    let letters = word.iter().filter(|b| !b.is_ascii_digit()).count();
    letters == 1
        && word[0].is_ascii_digit()
        && word.iter().any(|b| matches!(b, b'T' | b'Z' | b'K' | b'M' | b'G' | b'B'))
}

/// Calls `take` with each name of a text except fields of JSON; for a path with its last component and the whole path.
pub fn each<'t>(text: &'t str, mut take: impl FnMut(&'t str, Option<&'t str>)) {
    let is_part =
        |b: u8| b.is_ascii_alphanumeric() || b >= 0x80 || matches!(b, b'_' | b'/' | b'.' | b'-' | b'@' | b'~');
    let bytes = text.as_bytes();
    let is_json = text.trim_start().starts_with(['{', '[', '"']);
    let mut from = 0;
    while from < bytes.len() {
        if !is_part(bytes[from]) {
            from += 1;
            continue;
        }
        let mut to = from;
        while to < bytes.len() && is_part(bytes[to]) {
            to += 1;
        }
        // The letter of an escape (`\nUpdate`) is no part of a name; that of a path (`C:\\new`) is.
        let is_escaped = from > 0 && bytes[from - 1] == b'\\' && (from < 2 || bytes[from - 2] != b'\\');
        let is_letter = |at: usize| bytes.get(at).is_some_and(|b| is_json || b.is_ascii_uppercase() || *b == b'_');
        if is_escaped && matches!(bytes[from], b'n' | b'r' | b't') && from + 1 < to && is_letter(from + 1) {
            from += 1;
        }
        // All bytes above 0x7f are parts of names, so both ends are character boundaries.
        let piece = &text[from..to];
        from = to;
        // Nobody looks for the fields of a JSON object: they are in every result of that tool.
        let is_field = text[to..].trim_start_matches('\\').starts_with("\":");
        if piece.len() > 400 || is_field {
            continue;
        }
        let trimmed = piece.trim_end_matches(['.', '/', '-']);
        if let Some((_, base)) = trimmed.rsplit_once('/')
            && let Some((stem, ending)) = base.rsplit_once('.')
            && !stem.is_empty()
            && (1..=8).contains(&ending.len())
            && ending.starts_with(|c: char| c.is_ascii_alphabetic())
            && base.len() <= MAX_BYTES
        {
            take(base, Some(trimmed));
        }
        for word in piece.split(['/', '.', '-', '@', '~']).filter(|word| is_name(word)) {
            take(word, None);
        }
    }
}

impl Names {
    /// Adds the names of message `now`.
    pub fn add(&mut self, found: Found, is_result: bool, now: u32) {
        for (name, is_file) in found.order {
            let path = match is_file {
                true => found.paths.get(name).map(|path| Rc::from(*path)),
                false => found.words.get(name).cloned().flatten(),
            };
            match self.at.get(name) {
                Some(&at) => {
                    let known = &mut self.all[at];
                    known.score = known.score * left_after(now - known.last) + 1.0;
                    known.last = now;
                    known.is_file |= is_file;
                    if path.is_some() && (!is_result || known.path.is_none()) && known.is_file == is_file {
                        known.path = path;
                    }
                }
                None => {
                    let text: Rc<str> = name.into();
                    self.at.insert(Rc::clone(&text), self.all.len());
                    self.all.push(Name { text, score: 1.0, last: now, path, is_file });
                }
            }
        }
        if self.all.len() > MAX_NAMES + SLACK {
            self.evict_weakest(now);
        }
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Evicts the weakest names.
    fn evict_weakest(&mut self, now: u32) {
        let mut order: Vec<usize> = (0..self.all.len()).collect();
        crate::rank::sort_by(&mut order, |&a, &b| self.score(b, now).total_cmp(&self.score(a, now)));
        order.truncate(MAX_NAMES);
        order.sort_unstable();
        let kept: Vec<Name> = order.into_iter().map(|at| self.all[at].clone()).collect();
        self.at = kept.iter().enumerate().map(|(at, name)| (Rc::clone(&name.text), at)).collect();
        self.all = kept;
    }

    fn score(&self, at: usize, now: u32) -> f64 {
        let name = &self.all[at];
        name.score * left_after(now - name.last)
    }

    /// Returns the score of a name at message `now`.
    pub fn use_of(&self, name: &str, now: u32) -> f64 {
        self.at.get(name).map_or(0.0, |&at| self.score(at, now))
    }

    /// Returns the names at message `now`, most used first; of equals the earliest comes first.
    pub fn ranked(&self, now: u32) -> Vec<&str> {
        let mut out: Vec<(&str, f64)> =
            self.all.iter().enumerate().map(|(at, name)| (&*name.text, self.score(at, now))).collect();
        crate::rank::sort_by(&mut out, |one, other| other.1.total_cmp(&one.1));
        out.into_iter().map(|(name, _)| name).collect()
    }
}

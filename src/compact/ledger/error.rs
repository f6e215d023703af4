//! Error lines of commands and failed calls.

use super::place::{file, is_place};
use super::text::{one_line, stem};
use crate::tool_result::words::{self, Words};

/// Maximum bytes of an error line that is kept.
pub const ERROR_BYTES: usize = 300;

/// An error line. Lines that differ only in numbers (the same error at another place of a file) are one entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// Id of the newest line's message.
    pub id: String,
    /// The newest line.
    pub line: String,
    pub count: usize,
    /// The place of the newest line, as `file:line` or `file:line:column`, if the line does not contain it.
    pub place: Option<String>,
    /// Other places: those of other lines, or else the numbers in which they differed; the newest last, at most
    /// [`PLACES`].
    pub also: Vec<String>,
    /// True if the failed call succeeded later.
    pub resolved: bool,
    /// Index of the newest line's message.
    pub at: usize,
    /// Index of the failed call.
    pub(super) source: Option<usize>,
}

/// Maximum other places that are kept for one entry.
pub const PLACES: usize = 30;

/// Text in front of the place, and of the other places.
const AT: &str = "at ";
const ALSO: &str = "also at ";

/// What begins or names a fault, more narrowly than in a result that is cut: these lines stay.
pub const WORDS: [&str; 22] = [
    "error:",
    "error[",
    "error ",
    "errors:",
    "exception:",
    "exception ",
    "traceback",
    "fatal:",
    "panicked at",
    "failed",
    "failure",
    "cannot find",
    "no such file",
    "command not found",
    "not permitted",
    "undefined reference",
    "assertion",
    "segmentation fault",
    "denied",
    "refused",
    "timed out",
    "✗",
];

static ERROR: Words = Words::new(&[&WORDS, &words::LABELS, &words::FAULTS]);
static HARMLESS: Words = Words::new(&[&words::NONE]);

/// True if a line of output reports an error. Very long lines are data.
pub fn is_error_line(line: &str) -> bool {
    if line.len() > 2_000 {
        return false;
    }
    let bytes = line.as_bytes();
    let ends = line.trim_end().as_bytes();
    let ends = ends.len() >= 5 && ends[ends.len() - 5..].eq_ignore_ascii_case(b"error");
    (ends || ERROR.is_in(bytes)) && !is_harmless(line)
}

/// Returns whether a line reports that there is no error.
pub fn is_harmless(line: &str) -> bool {
    HARMLESS.is_in(line.as_bytes())
}

/// Returns a key that lines of the same error share.
pub fn key(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    let mut digits = false;
    for c in line.chars() {
        if c.is_ascii_digit() {
            if !digits {
                out.push('#');
            }
            digits = true;
        } else {
            digits = false;
            out.push(c);
        }
    }
    out
}

/// Returns the numbers in which `other` differs from `line`, which has the same [`key`]: `344,10`.
fn differing(line: &str, other: &str) -> String {
    let numbers = |text| str::split(text, |c: char| !c.is_ascii_digit()).filter(|n: &&str| !n.is_empty());
    let differing = numbers(line).zip(numbers(other)).filter(|(a, b)| a != b).map(|(_, b)| b);
    differing.collect::<Vec<_>>().join(",")
}

impl Failure {
    /// Replaces the entry's line and place by those of a newer line with the same [`key`].
    pub(super) fn moved_to(&mut self, line: String, place: Option<String>) {
        match place {
            Some(place) => {
                let old = self.place.replace(place);
                self.also.retain(|at| self.place.as_ref() != Some(at));
                if let Some(old) = old.filter(|old| self.place.as_ref() != Some(old)) {
                    self.add_place(old);
                }
            }
            None if self.place.is_none() => {
                let old = differing(&line, &self.line);
                let new = differing(&self.line, &line);
                self.also.retain(|at| *at != new);
                self.add_place(old);
            }
            // The same error without its place.
            None => {}
        }
        self.line = line;
    }

    pub(super) fn add_place(&mut self, place: String) {
        if !place.is_empty() && !self.also.contains(&place) {
            self.also.push(place);
            if self.also.len() > PLACES {
                self.also.remove(0);
            }
        }
    }

    /// Returns one line, cut to `bytes`, with the place of an open error: `error: no [3 times, at a.rs:3:9]`; with
    /// `places` also the place of a solved one, and other places: `[3 times, at a.rs:3:9, also at :7:1 b.rs:12:1]`.
    pub fn to_line(&self, bytes: usize, places: bool) -> String {
        let mut marks: Vec<String> = Vec::new();
        if self.resolved {
            marks.push("solved".into());
        }
        if self.count > 1 {
            marks.push(format!("{} times", self.count));
        }
        if let Some(place) = self.place.as_ref().filter(|_| places || !self.resolved) {
            marks.push(format!("{AT}{place}"));
        }
        if places && !self.also.is_empty() {
            // A place in the same file leaves the file out.
            let here = self.place.as_deref().map(file);
            let short = |also: &String| {
                let rest = here.filter(|here| file(also) == *here).and_then(|here| also.strip_prefix(here));
                rest.unwrap_or(also).to_string()
            };
            marks.push(format!("{ALSO}{}", self.also.iter().map(short).collect::<Vec<_>>().join(" ")));
        }
        let line = stem(&self.line, bytes);
        if marks.is_empty() { line } else { format!("{line} [{}]", marks.join(", ")) }
    }

    /// Parses a line that [`Failure::to_line`] wrote.
    pub fn parse(id: &str, text: &str) -> Failure {
        let mut failure = Failure::new(id, text, 0);
        let Some((line, marks)) = text.strip_suffix(']').and_then(|text| text.rsplit_once(" [")) else {
            return failure;
        };
        let (mut count, mut resolved, mut place, mut also) = (1, false, None, Vec::new());
        for mark in marks.split(", ") {
            match (mark, mark.strip_suffix(" times").and_then(|n| n.parse().ok())) {
                ("solved", _) => resolved = true,
                (mark, _) if mark.strip_prefix(AT).is_some_and(is_place) => place = Some(mark[AT.len()..].to_string()),
                (mark, _) if mark.starts_with(ALSO) => {
                    let here = place.as_deref().map_or("", file);
                    let whole = |at: &str| if at.starts_with(':') { [here, at].concat() } else { at.to_string() };
                    also = mark[ALSO.len()..].split(' ').take(PLACES).map(whole).collect();
                }
                (_, Some(n)) => count = n,
                // A bracket that belongs to the line itself.
                _ => return failure,
            }
        }
        failure.line = line.to_string();
        Failure { count, resolved, place, also, ..failure }
    }

    /// Returns an open error with one line, of the message with this index.
    pub(super) fn new(id: &str, line: &str, at: usize) -> Failure {
        let (id, line) = (id.to_string(), line.to_string());
        Failure { id, line, count: 1, place: None, also: vec![], resolved: false, at, source: None }
    }
}

/// Returns the line in the form in which it is kept.
pub fn kept_line(line: &str) -> String {
    let line = line.trim();
    if line.len() <= ERROR_BYTES && !line.contains(['\t', '\r']) {
        line.to_string()
    } else {
        one_line(line, ERROR_BYTES)
    }
}

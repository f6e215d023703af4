//! Lines about errors: what somebody who reads a log looks for first.

use std::collections::HashSet;

use crate::tokens::Tokenizer;

/// One part in this many of the room may go to them.
pub const SHARE: u64 = 5;

/// Stands between lines that were not neighbours.
const GAP: &str = "[...]";

/// What makes a line one of them, in lower case. Compilers, test runners, interpreters, shells.
const WORDS: [&str; 14] = [
    "error",
    "failed",
    "failure",
    "fatal",
    "panic",
    "exception",
    "traceback",
    "undefined reference",
    "not found",
    "cannot ",
    "segmentation fault",
    "permission denied",
    "no such file",
    "assert",
];

/// What makes a line harmless all the same.
const QUIET: [&str; 8] =
    ["0 error", "no error", "0 failed", "0 failure", "without error", "compiling ", "downloading ", "checking "];

/// Whether `line` holds one of these words, which are ASCII in lower case. Logs are long: one walk over the bytes, whatever the words.
fn holds(line: &str, words: &[&str], firsts: &[bool; 128]) -> bool {
    let bytes = line.as_bytes();
    let begins = |at: usize, word: &&str| {
        bytes.get(at..at + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
    };
    let candidate = |at: usize| firsts.get(usize::from(bytes[at].to_ascii_lowercase())).is_some_and(|first| *first);
    (0..bytes.len()).any(|at| candidate(at) && words.iter().any(|word| begins(at, word)))
}

/// By what bytes words begin.
const fn firsts(words: &[&str]) -> [bool; 128] {
    let mut out = [false; 128];
    let mut at = 0;
    while at < words.len() {
        out[words[at].as_bytes()[0] as usize] = true;
        at += 1;
    }
    out
}

const WORD_FIRSTS: [bool; 128] = firsts(&WORDS);
const QUIET_FIRSTS: [bool; 128] = firsts(&QUIET);

/// Lines that were kept.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// The lines without the last line end, gaps marked.
    pub text: String,
    pub tokens: u64,
    pub lines: usize,
}

/// Whether a line tells of an error. Lines that count none (`0 errors`, `no error`) do not.
///
/// ```
/// use espalier::tool_result::errors::is_error;
/// assert!(is_error("src/a.ts(3,7): error TS2322: Type 'string' is not assignable"));
/// assert!(!is_error("Finished with 0 errors, 3 files") && !is_error("   Compiling errors v1.0"));
/// ```
pub fn is_error(line: &str) -> bool {
    let line = line.trim();
    // A line of a minified bundle holds every word there is.
    if line.is_empty() || line.len() > 2_000 {
        return false;
    }
    holds(line, &WORDS, &WORD_FIRSTS) && !holds(line, &QUIET, &QUIET_FIRSTS)
}

/// The error lines of `text` that go into `room` tokens, in order, each once; the earliest of too many, since the others often
/// follow from them.
pub fn select(text: &str, room: u64, tokenizer: &dyn Tokenizer) -> Kept {
    if room == 0 {
        return Kept::default();
    }
    let mut seen = HashSet::new();
    let mut out = String::new();
    let (mut used, mut lines) = (0, 0);
    let gap = tokenizer.count(GAP) + 1;
    let mut last: Option<usize> = None;
    for (at, line) in text.lines().enumerate() {
        if !is_error(line) || !seen.insert(line.trim()) {
            continue;
        }
        let apart = last.is_some_and(|last| last + 1 != at);
        let cost = tokenizer.count(line) + 1 + if apart { gap } else { 0 };
        if used + cost > room {
            continue;
        }
        used += cost;
        lines += 1;
        if !out.is_empty() {
            out.push('\n');
        }
        if apart {
            out.push_str(GAP);
            out.push('\n');
        }
        out.push_str(line);
        last = Some(at);
    }
    let tokens = tokenizer.count(&out);
    Kept { text: out, tokens, lines }
}

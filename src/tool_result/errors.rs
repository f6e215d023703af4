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
    let lower = line.to_lowercase();
    let quiet =
        ["0 error", "no error", "0 failed", "0 failure", "without error", "compiling ", "downloading ", "checking "];
    WORDS.iter().any(|word| lower.contains(word)) && !quiet.iter().any(|word| lower.contains(word))
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

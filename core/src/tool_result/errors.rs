//! Finds lines about errors, which readers of a log look for first.

use std::ops::Range;

use super::heading::heading;
use super::words::{self, Words};
use crate::map::HashSet;
use crate::tokens::Tokenizer;

/// Divisor of the room: error lines may take at most the quotient.
pub const SHARE: u64 = 5;

/// The marker between lines that are not neighbours.
pub const GAP: &str = "[...]";

/// What begins or names a fault, of compilers, test runners, interpreters and shells.
const WORDS: [&str; 15] = [
    "error",
    "fail:",
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

/// Lines about progress, which name packages of errors.
const PROGRESS: [&str; 3] = ["compiling ", "downloading ", "checking "];

static ERROR: Words = Words::new(&[&WORDS, &words::LABELS, &words::FAULTS]);
static HARMLESS: Words = Words::new(&[&PROGRESS, &words::NONE]);

/// The selected lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Kept {
    /// The lines without the last line end; gaps are marked.
    pub text: String,
    pub tokens: u64,
    /// Tokens reserved for them, line ends included; they fit into the same number again.
    pub room: u64,
    pub lines: usize,
    /// The number of headings among them.
    pub headings: usize,
    /// Start of the last heading, and end of the last line.
    pub heading: Option<usize>,
    pub end: usize,
}

/// Maximum bytes of a line that is checked: a line of a minified bundle contains every word.
const MAX_BYTES: usize = 2_000;

/// True if a line is about an error. Lines that count zero errors (`0 errors`, `no error`) are not.
///
/// ```
/// use espalier::tool_result::errors::is_error;
/// assert!(is_error("src/a.ts(3,7): error TS2322: Type 'string' is not assignable"));
/// assert!(!is_error("Finished with 0 errors, 3 files") && !is_error("   Compiling errors v1.0"));
/// assert!(is_error("Found 10 errors in 3 files."));
/// ```
pub fn is_error(line: &str) -> bool {
    let line = line.trim().as_bytes();
    line.len() <= MAX_BYTES && ERROR.is_in(line) && !HARMLESS.is_in(line)
}

/// Returns the lines about errors in a text, in order: start and end of each in bytes, without the line end.
///
/// ```
/// use espalier::tool_result::errors::find;
/// assert_eq!(find("fine\nerror: no\nfine\nFATAL\n"), [5..14, 20..25]);
/// ```
pub fn find(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let mut from = 0;
    // One pass over the text that stops at the words: most lines have none.
    while let Some(at) = ERROR.first(bytes, from) {
        let start = text[..at].rfind('\n').map_or(0, |end| end + 1);
        let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
        let line = text[start..end].strip_suffix('\r').unwrap_or(&text[start..end]);
        if is_error(line) {
            out.push(start..start + line.len());
        }
        from = end;
    }
    out
}

/// Selects the error lines of `text` (see [`find`]) that fit `room` tokens, in order and without duplicates; the
/// earliest if there are too many, because later ones are often consequences. Their [headings](heading) precede them
/// unless they are before `shown`.
pub fn select(text: &str, errors: &[Range<usize>], shown: usize, room: u64, tokenizer: &dyn Tokenizer) -> Kept {
    let mut seen = HashSet::default();
    let mut out = String::new();
    let (mut used, mut lines, mut headings) = (0, 0, 0);
    let gap = tokenizer.count(GAP) + 1;
    let mut last: Option<usize> = None;
    let mut open: Option<usize> = None;
    for place in errors {
        // A line takes at least one token and a line end.
        if used + 2 > room {
            break;
        }
        let Some(line) = text.get(place.clone()) else { continue };
        if !seen.insert(line.trim()) {
            continue;
        }
        // Neighbours are separated only by a line end.
        let apart = last.is_some_and(|last| {
            text.get(last..place.start).is_none_or(|between| between.trim_start_matches('\r') != "\n")
        });
        let mut beside = 1 + if apart { gap } else { 0 };
        let Some(max) = room.checked_sub(used + beside) else { continue };
        // Counts only as far as the line may go.
        let fit = tokenizer.prefix_within(line, max);
        if fit.offset < line.len() {
            continue;
        }
        let own = heading(text, place.start);
        let name = own.clone().filter(|name| name.end > shown && open != Some(name.start));
        if let Some(name) = name.clone() {
            beside += tokenizer.count(&text[name]) + 1;
            // Nor does it for the lines behind.
            if used + fit.tokens + beside > room {
                break;
            }
        }
        used += fit.tokens + beside;
        lines += 1;
        if !out.is_empty() {
            out.push('\n');
        }
        if apart {
            out.push_str(GAP);
            out.push('\n');
        }
        if let Some(name) = name {
            out.push_str(&text[name.clone()]);
            out.push('\n');
            open = Some(name.start);
            headings += 1;
        }
        out.push_str(line);
        last = Some(place.end);
        // A heading may be such a line itself.
        if own.is_none() {
            open = Some(place.start);
        }
    }
    let tokens = tokenizer.count(&out);
    Kept { text: out, tokens, room: used, lines, headings, heading: open, end: last.unwrap_or_default() }
}

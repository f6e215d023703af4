//! Finds lines about errors, which readers of a log look for first.

use std::ops::Range;

use super::heading::heading;
use crate::map::HashSet;
use crate::tokens::Tokenizer;

/// Divisor of the room: error lines may take at most the quotient.
pub const SHARE: u64 = 5;

/// The marker between lines that are not neighbours.
pub const GAP: &str = "[...]";

/// Words of error lines, in lower case. From compilers, test runners, interpreters, shells.
const WORDS: [&str; 36] = [
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
    // Tools in other languages.
    "fehler:",
    "schwerwiegend:",
    "nicht gefunden",
    "fehlgeschlagen",
    "erreur:",
    "erreur :",
    "aucun fichier ou",
    "erro:",
    "no existe el archivo",
    "шибка:",
    "нет такого файла",
    "错误:",
    "错误：",
    "錯誤:",
    "錯誤：",
    "没有那个文件",
    "エラー:",
    "エラー：",
    "そのようなファイル",
    "오류:",
    "오류 ",
];

/// Words that make a line harmless nevertheless.
const QUIET: [&str; 14] = [
    "0 error",
    "no error",
    "0 failed",
    "0 failure",
    "without error",
    "compiling ",
    "downloading ",
    "checking ",
    "fehler: 0",
    "0 fehlgeschlagen",
    "错误：0",
    "错误: 0",
    "エラー: 0",
    "エラー：0",
];

/// Returns the first two letters of the words as a table: the low five bits of the first letter give the index, those
/// of the second the bit. Logs are long, and most letter pairs begin none of the words.
const fn pairs(words: &[&str]) -> [u32; 32] {
    let mut out = [0; 32];
    let mut at = 0;
    while at < words.len() {
        let word = words[at].as_bytes();
        out[(word[0] & 31) as usize] |= 1 << (word[1] & 31);
        at += 1;
    }
    out
}

const WORD_PAIRS: [u32; 32] = pairs(&WORDS);
const QUIET_PAIRS: [u32; 32] = pairs(&QUIET);

/// Returns the position of the first of these words (ASCII in lower case) at or after `from`, in any case.
fn first(bytes: &[u8], from: usize, words: &[&str], pairs: &[u32; 32]) -> Option<usize> {
    // The 0 of "0 errors" is not that of "10 errors".
    let is_inside = |at: usize| bytes[at] == b'0' && at > 0 && bytes[at - 1].is_ascii_digit();
    let begins = |at: usize, word: &&str| {
        bytes.get(at..at + word.len()).is_some_and(|found| found.eq_ignore_ascii_case(word.as_bytes()))
            && !is_inside(at)
    };
    let candidates = bytes.get(from..)?.windows(2).enumerate().filter(|(_, pair)| {
        // The low five bits of a letter are the same in both cases.
        pairs[usize::from(pair[0] & 31)] >> (pair[1] & 31) & 1 == 1
    });
    candidates.map(|(at, _)| from + at).find(|&at| words.iter().any(|word| begins(at, word)))
}

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
    line.len() <= MAX_BYTES
        && first(line, 0, &WORDS, &WORD_PAIRS).is_some()
        && first(line, 0, &QUIET, &QUIET_PAIRS).is_none()
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
    while let Some(at) = first(bytes, from, &WORDS, &WORD_PAIRS) {
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

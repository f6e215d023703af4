//! Splits text into pieces: hand-written scanners for the split patterns of the two encodings.
//!
//! In: padded text and the start of a piece. Out: its end. Pieces cover the whole text, none is empty, and the end of a
//! piece depends only on the text after its start (neither pattern looks behind). The patterns are those of tiktoken's
//! `openai_public.py`; tests compare every rule with `tiktoken-rs`. Start reading at [`Scanner`].

mod cl100k;
mod o200k;

pub(super) use cl100k::Cl100k;
pub(super) use o200k::O200k;

use super::class::{Classes, END, MARK, NEWLINE, OTHER, SPACE};
use super::padded::Padded;

/// A split pattern.
pub(super) trait Scanner {
    /// Returns the end of the piece that begins at `start`, which must be below `text.len()`.
    fn next(classes: &Classes, text: Padded, start: usize) -> usize;
}

const HIGH: u64 = 0x8080_8080_8080_8080;
const ONES: u64 = 0x0101_0101_0101_0101;

/// Returns the end of the run of ASCII bytes from `first` to `last` that begins at `at`; reads eight bytes at a time.
#[inline(always)]
fn run(text: Padded, mut at: usize, first: u8, last: u8) -> usize {
    loop {
        let out = !in_range(text.word(at), first, last) & HIGH;
        if out != 0 {
            return at + (out.trailing_zeros() >> 3) as usize;
        }
        at += 8;
    }
}

/// Sets the high bit of every byte of `word` between `first` and `last` (both ASCII).
#[inline(always)]
fn in_range(word: u64, first: u8, last: u8) -> u64 {
    let low = word & !HIGH;
    // Neither sum carries into the next byte, because all terms are below 0x80.
    let from_first = low + ONES * u64::from(0x80 - first);
    let beyond_last = low + ONES * u64::from(0x7F - last);
    from_first & !beyond_last & !word & HIGH
}

/// Returns the end of a contraction (`'s 't 're 've 'm 'll 'd`, any case) that may begin at `at`; `at` if there is
/// none. Case folding is Unicode's simple folding, in which U+017F (long s) is an `s`.
#[inline(always)]
fn contraction(text: Padded, at: usize) -> usize {
    if text.byte(at) != b'\'' {
        return at;
    }
    match (text.byte(at + 1), text.byte(at + 2)) {
        (b's' | b'S' | b't' | b'T' | b'm' | b'M' | b'd' | b'D', _) => at + 2,
        (b'r' | b'R' | b'v' | b'V', b'e' | b'E') | (b'l' | b'L', b'l' | b'L') | (0xC5, 0xBF) => at + 3,
        _ => at,
    }
}

/// Returns the end of `\p{N}{1,3}` if the first number ends at `at`.
#[inline(always)]
fn numbers(classes: &Classes, text: Padded, at: usize) -> usize {
    let (class, second) = classes.at(text, at);
    if class != super::class::NUMBER {
        return at;
    }
    let (class, third) = classes.at(text, second);
    if class == super::class::NUMBER { third } else { second }
}

/// Returns the end of `[^\s\p{L}\p{N}]*` from `at` on, then any number of line ends, and of slashes if `slashes`.
#[inline(always)]
fn punctuation(classes: &Classes, text: Padded, mut at: usize, slashes: bool) -> usize {
    loop {
        let (class, end) = classes.at(text, at);
        if class != OTHER && class != MARK {
            break;
        }
        at = end;
    }
    loop {
        match text.byte(at) {
            b'\n' | b'\r' => at += 1,
            b'/' if slashes => at += 1,
            _ => return at,
        }
    }
}

/// Returns the end of white space that begins at `start`: after its last line end if it has one. Otherwise it is all of
/// it at the end of the text, all but its last character before other text (that one belongs to the next piece), or its
/// only character. With `greedy`, white space at the end of the text is one piece, even after a line end.
fn white_space(classes: &Classes, text: Padded, start: usize, greedy: bool) -> usize {
    let (mut at, mut last, mut after_newline) = (start, start, None);
    loop {
        let (class, end) = classes.at(text, at);
        match class {
            SPACE => (last, at) = (at, end),
            NEWLINE => {
                (last, at) = (at, end);
                after_newline = Some(end);
            }
            END if greedy => return at,
            END => return after_newline.unwrap_or(at),
            _ if last > start => return after_newline.unwrap_or(last),
            _ => return after_newline.unwrap_or(at),
        }
    }
}

//! The split pattern of `cl100k_base`.

use super::{HIGH, ONES, Scanner, contraction, in_range, numbers, punctuation, white_space};
use crate::tokens::class::{BYTES, Class, Classes, LETTER, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UPPER};
use crate::tokens::padded::Padded;

/// The first alternative that matches:
///
/// 1. a contraction
/// 2. `[^\r\n\p{L}\p{N}]?+\p{L}++`
/// 3. `\p{N}{1,3}+`
/// 4. ` ?[^\s\p{L}\p{N}]++[\r\n]*+`
/// 5. `\s++$`, then `\s*[\r\n]`, then `\s+(?!\S)`, then `\s`
pub(in crate::tokens) struct Cl100k;

impl Scanner for Cl100k {
    #[inline(always)]
    fn next(classes: &Classes, text: Padded, start: usize) -> usize {
        let class = BYTES[text.byte(start) as usize];
        if is_ascii_letter(class) {
            return letters(classes, text, start);
        }
        if (class == SPACE || class == OTHER) && is_ascii_letter(BYTES[text.byte(start + 1) as usize]) {
            let end = contraction(text, start);
            return if end > start { end } else { letters(classes, text, start + 1) };
        }
        general(classes, text, start)
    }
}

#[inline(always)]
fn is_ascii_letter(class: Class) -> bool {
    class == UPPER || class == LOWER
}

/// Returns the end of `\p{L}*` from `at` on.
#[inline(always)]
fn letters(classes: &Classes, text: Padded, mut at: usize) -> usize {
    loop {
        at = ascii_letters(text, at);
        if !matches!(text.byte(at), 0x80..=0xFE) {
            return at;
        }
        let (class, end) = classes.at(text, at);
        if !(UPPER..=LETTER).contains(&class) {
            return at;
        }
        at = end;
    }
}

/// Returns the end of the run of ASCII letters that begins at `at`.
#[inline(always)]
fn ascii_letters(text: Padded, mut at: usize) -> usize {
    loop {
        let word = text.word(at);
        // Setting the bit 0x20 turns upper case into lower case, and turns nothing else into letters.
        let out = !in_range(word | (ONES * 0x20), b'a', b'z') & HIGH;
        if out != 0 {
            return at + (out.trailing_zeros() >> 3) as usize;
        }
        at += 8;
    }
}

#[inline(never)]
fn general(classes: &Classes, text: Padded, start: usize) -> usize {
    let (class, end) = classes.at(text, start);
    match class {
        NUMBER => return numbers(classes, text, end),
        NEWLINE => return white_space(classes, text, start, true),
        UPPER | LOWER | LETTER => return letters(classes, text, end),
        _ => {}
    }
    let contracted = contraction(text, start);
    if contracted > start {
        return contracted;
    }
    let (next, after) = classes.at(text, end);
    if (UPPER..=LETTER).contains(&next) {
        return letters(classes, text, after);
    }
    if class == SPACE {
        if text.byte(start) == b' ' && (next == OTHER || next == MARK) {
            return punctuation(classes, text, after, false);
        }
        return white_space(classes, text, start, true);
    }
    punctuation(classes, text, end, false)
}

//! The split pattern of `o200k_base`.

use super::{Scanner, contraction, numbers, punctuation, run, white_space};
use crate::tokens::class::{BYTES, Class, Classes, LETTER, LOWER, MARK, NEWLINE, NUMBER, OTHER, SPACE, UPPER};
use crate::tokens::padded::Padded;

/// With U for `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]` and L for `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`, the first alternative that
/// matches:
///
/// 1. `[^\r\n\p{L}\p{N}]? U* L+ (contraction)?`
/// 2. `[^\r\n\p{L}\p{N}]? U+ L* (contraction)?`
/// 3. `\p{N}{1,3}`
/// 4. ` ?[^\s\p{L}\p{N}]+[\r\n/]*`
/// 5. `\s*[\r\n]+`, then `\s+(?!\S)`, then `\s+`
pub(in crate::tokens) struct O200k;

impl Scanner for O200k {
    #[inline(always)]
    fn next(classes: &Classes, text: Padded, start: usize) -> usize {
        let class = BYTES[text.byte(start) as usize];
        if is_ascii_letter(class) {
            return word(classes, text, start);
        }
        if (class == SPACE || class == OTHER) && is_ascii_letter(BYTES[text.byte(start + 1) as usize]) {
            return word(classes, text, start + 1);
        }
        general(classes, text, start)
    }
}

#[inline(always)]
fn is_ascii_letter(class: Class) -> bool {
    class == UPPER || class == LOWER
}

/// Returns the end of a word whose first letter, at `at`, is ASCII; usually all its letters are.
#[inline(always)]
fn word(classes: &Classes, text: Padded, at: usize) -> usize {
    let lower = if BYTES[text.byte(at) as usize] == UPPER { run(text, at, b'A', b'Z') } else { at };
    let end = run(text, lower, b'a', b'z');
    match text.byte(end) {
        0x80..=0xFE => wide_word(classes, text, at),
        b'\'' => contraction(text, end),
        _ => end,
    }
}

/// Returns the end of a word in which other letters follow the ASCII ones.
#[inline(never)]
fn wide_word(classes: &Classes, text: Padded, at: usize) -> usize {
    let (first, second) = letters(classes, text, at);
    // There is an ASCII letter at `at`, so one of the two matched.
    contraction(text, first.or(second).unwrap_or(at + 1))
}

/// Returns the ends of `U* L+` and of `U+ L*` from `at` on; the second is only computed if the first fails.
///
/// `U*` is greedy and overlaps with `L+` in caseless letters and marks. If no lower case letter follows, it backtracks
/// until `L+` gets a character, so the match ends after the last caseless letter or mark.
#[inline(always)]
fn letters(classes: &Classes, text: Padded, start: usize) -> (Option<usize>, Option<usize>) {
    let (mut at, mut last_caseless) = (start, None);
    loop {
        let (class, end) = classes.at(text, at);
        match class {
            UPPER => at = end,
            LETTER | MARK => {
                at = end;
                last_caseless = Some(end);
            }
            LOWER => {
                at = end;
                loop {
                    let (class, end) = classes.at(text, at);
                    if !matches!(class, LOWER | LETTER | MARK) {
                        return (Some(at), None);
                    }
                    at = end;
                }
            }
            _ => return (last_caseless, (at > start).then_some(at)),
        }
    }
}

#[inline(never)]
fn general(classes: &Classes, text: Padded, start: usize) -> usize {
    let (class, end) = classes.at(text, start);
    match class {
        NUMBER => return numbers(classes, text, end),
        NEWLINE => return white_space(classes, text, start, false),
        UPPER | LOWER | LETTER => {
            let (first, second) = letters(classes, text, start);
            return contraction(text, first.or(second).unwrap_or(end));
        }
        _ => {}
    }
    // A space, a mark or anything else may lead a word; a mark is also a letter of both U and L. Rule 1 precedes rule
    // 2; each is tried with the leading character first.
    let (next, _) = classes.at(text, end);
    let led = if (UPPER..=MARK).contains(&next) { letters(classes, text, end) } else { (None, None) };
    let bare = if class == MARK { letters(classes, text, start) } else { (None, None) };
    if let Some(end) = led.0.or(bare.0).or(led.1).or(bare.1) {
        return contraction(text, end);
    }
    if class == SPACE {
        if text.byte(start) == b' ' && (next == OTHER || next == MARK) {
            return punctuation(classes, text, end, true);
        }
        return white_space(classes, text, start, false);
    }
    punctuation(classes, text, end, true)
}

//! The words of a sentence: their worth, and keys that identify them.

use std::ops::Range;

use crate::fnv::{START_32, add_32};

/// What a word is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Has no meaning of its own.
    Stop,
    Word,
    /// A name or an identifier.
    Name,
    /// Has a digit.
    Figure,
}

/// A word of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word<'a> {
    pub text: &'a str,
    pub kind: Kind,
    /// Equal for other forms of the word.
    pub key: u32,
}

/// Maximum bytes of a word that are considered.
const MAX_BYTES: usize = 80;
/// Number of letters that a word's key is made from; the rest is an ending.
const STEM: usize = 6;

/// Returns the words of a sentence. Han and hiragana have no spaces: each pair of neighbours counts as a word. Katakana
/// between other scripts, and numbers in Han, are words.
pub fn words(sentence: &str) -> Vec<Word<'_>> {
    let mut out = Vec::new();
    let mut is_first = true;
    let is_gap = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                ',' | ';' | '(' | ')' | '[' | ']' | '{' | '}' | '"' | '“' | '”' | '„' | '«' | '»' | '—' | '–'
            )
            || matches!(
                c,
                '<' | '>' | '|' | '=' | '。' | '，' | '、' | '；' | '：' | '！' | '？' | '（' | '）' | '「' | '」'
            )
    };
    let mut rest = sentence;
    while let Some(start) = rest.find(|c| !is_gap(c)) {
        let run = &rest[start..];
        let mut end = run.find(is_gap).unwrap_or(run.len());
        // A comma within a number.
        while run[end..].starts_with(',')
            && run[..end].ends_with(|c: char| c.is_ascii_digit())
            && run[end + 1..].starts_with(|c: char| c.is_ascii_digit())
        {
            end += 1 + run[end + 1..].find(is_gap).unwrap_or(run.len() - end - 1);
        }
        let (run, more) = run.split_at(end);
        rest = more;
        for piece in scripts(run) {
            let text =
                piece.trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '$' | '€' | '£' | '¥' | '%' | '#'));
            if text.chars().any(char::is_alphanumeric) {
                push(text, is_first, &mut out);
                is_first = false;
            }
        }
        // After a colon a sentence begins again.
        is_first |= run.ends_with(':') || run.ends_with('.');
    }
    out
}

fn push<'a>(text: &'a str, is_first: bool, out: &mut Vec<Word<'a>>) {
    if text.starts_with(is_katakana) {
        out.push(Word { text, kind: Kind::Word, key: key(text) });
        return;
    }
    if text.starts_with(is_ideograph) {
        if han_number(text) == Some(0..text.len()) {
            out.push(Word { text, kind: Kind::Figure, key: key(text) });
            return;
        }
        let mut chars = text.char_indices().peekable();
        let is_alone = text.chars().nth(1).is_none();
        while let Some((at, c)) = chars.next() {
            let end = match chars.peek() {
                Some(&(next, other)) => next + other.len_utf8(),
                None if is_alone => at + c.len_utf8(),
                None => break,
            };
            let pair = &text[at..end];
            // Hiragana are mostly endings and particles.
            let kind = if pair.chars().all(is_hiragana) { Kind::Stop } else { Kind::Word };
            out.push(Word { text: pair, kind, key: key(pair) });
        }
        return;
    }
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    out.push(Word { text, kind: kind(text, is_first), key: key(text) });
}

/// Splits a run where another script or a number in Han begins or ends.
fn scripts(run: &str) -> impl Iterator<Item = &str> {
    let script = |c: char| (is_ideograph(c), is_hiragana(c), is_katakana(c));
    let mut rest = run;
    std::iter::from_fn(move || {
        let first = rest.chars().next().map(script)?;
        let mut end = rest.find(|c| script(c) != first).unwrap_or(rest.len());
        if let (true, false, false) = first
            && let Some(number) = han_number(&rest[..end])
        {
            end = if number.start == 0 { number.end } else { number.start };
        }
        let (piece, more) = rest.split_at(end);
        rest = more;
        Some(piece)
    })
}

/// Returns the place of the first number in Han.
fn han_number(han: &str) -> Option<Range<usize>> {
    // One of these alone is part of a word more often: 一下, 十分.
    const UNITS: &str = "一十百";
    const DIGITS: &str = "二两兩三四五六七八九";
    let is_more = |c: char| UNITS.contains(c) || DIGITS.contains(c) || "千万萬零〇半亿億".contains(c);
    han.char_indices().filter(|(_, c)| UNITS.contains(*c) || DIGITS.contains(*c)).find_map(|(from, c)| {
        let end = han[from..].find(|c| !is_more(c)).map_or(han.len(), |length| from + length);
        (end > from + c.len_utf8() || DIGITS.contains(c)).then_some(from..end)
    })
}

/// True for Han and kana.
pub fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

fn is_hiragana(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{309f}')
}

fn is_katakana(c: char) -> bool {
    matches!(c, '\u{30a0}'..='\u{30ff}')
}

/// True for a number in Korean of two syllables or more.
fn is_korean_number(text: &str) -> bool {
    text.len() > 3 && text.chars().all(|c| "일이삼사오육칠팔구십백천만".contains(c))
}

fn kind(text: &str, is_first: bool) -> Kind {
    if is_korean_number(text) || text.bytes().any(|byte| byte.is_ascii_digit()) || text.chars().any(|c| c.is_numeric())
    {
        return Kind::Figure;
    }
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let upper = text.chars().filter(|c| c.is_uppercase()).count();
    let starts_upper = text.starts_with(char::is_uppercase);
    let inner = |c: char| matches!(c, '_' | '/' | '@' | '\\' | ':') || c == '.';
    let trimmed = text.trim_matches(inner);
    if super::languages::is_stop(text) {
        return Kind::Stop;
    }
    if super::languages::is_number(text) {
        return Kind::Name;
    }
    if trimmed.contains(inner) || upper >= 2 && letters >= 2 && !text.contains(['\'', '’']) {
        return Kind::Name;
    }
    if starts_upper && !is_first && letters >= 2 { Kind::Name } else { Kind::Word }
}

/// Returns a key that other forms of the word share: its beginning, in lower case. The key of a figure is the whole
/// figure.
pub fn key(text: &str) -> u32 {
    let is_whole = text.chars().any(|c| c.is_numeric() || matches!(c, '_' | '/' | '.'));
    let mut hash = START_32;
    let mut add = |c: char| {
        let mut bytes = [0; 4];
        for byte in c.encode_utf8(&mut bytes).bytes() {
            hash = add_32(hash, byte.into());
        }
    };
    let plain = text.strip_suffix("'s").or(text.strip_suffix("’s")).unwrap_or(text);
    let plain = if !is_whole && plain.len() > 3 && !plain.ends_with("ss") {
        plain.strip_suffix('s').unwrap_or(plain)
    } else {
        plain
    };
    let max = if is_whole { MAX_BYTES } else { STEM };
    if plain.is_ascii() {
        plain.bytes().take(max).for_each(|byte| add(byte.to_ascii_lowercase().into()));
        return hash;
    }
    plain.chars().flat_map(char::to_lowercase).take(max).for_each(&mut add);
    hash
}

/// Returns the approximate tokens of a text.
pub fn tokens(text: &str) -> f64 {
    let mut tokens = 0.0;
    let mut letters = 0;
    let mut flush = |letters: &mut u32| {
        tokens += match *letters {
            0 => 0.0,
            1..=7 => 1.0,
            n => 1.0 + f64::from(n - 7) / 5.0,
        };
        *letters = 0;
    };
    let mut more = 0.0;
    for c in text.chars() {
        if c.is_ascii_alphabetic() {
            letters += 1;
            continue;
        }
        flush(&mut letters);
        more += match c {
            ' ' | '\'' => 0.0,
            '0'..='9' => 0.4,
            _ if c.is_ascii() => 0.7,
            _ if is_ideograph(c) => 0.75,
            _ if c.is_alphabetic() => 0.35,
            _ => 1.0,
        };
    }
    flush(&mut letters);
    tokens + more
}

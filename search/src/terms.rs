//! Words of a text, and the terms of a word.

use crate::Words;
use crate::stem::stem;
use espalier_core::map::HashSet;
use espalier_core::tokens::is_letter;

/// Maximum bytes of a word: longer ones are data, which no one types into a query.
const MAX_WORD: usize = 128;

/// Words of two letters that say nothing of a text: every chunk has some, and so has every question in English.
const FUNCTION_WORDS: [&[u8; 2]; 22] = [
    b"an", b"as", b"at", b"be", b"by", b"do", b"he", b"if", b"in", b"is", b"it", b"me", b"my", b"no", b"of", b"on",
    b"or", b"so", b"to", b"up", b"us", b"we",
];

/// Calls `visit` with each word of `text`, in order: a run of letters, numbers, `_` and `$` that begins with a
/// letter, `_` or `$` and has at least two characters, under Copilot Chat's rule three. English function words of two
/// letters, such as `if` and `of`, are none.
///
/// ```
/// use espalier_search::Words;
/// let mut found = Vec::new();
/// espalier_search::words("if a (db, oak2) 3birch + 设置", Words::Stems, |word| found.push(word));
/// assert_eq!(found, ["db", "oak2", "设置"]);
/// ```
pub fn words<'a>(text: &'a str, rules: Words, mut visit: impl FnMut(&'a str)) {
    let min = if rules == Words::CopilotChat { 3 } else { 2 };
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let mut length = 0;
        while at < bytes.len() {
            match bytes[at] {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_' | b'$' => at += 1,
                0..0x80 => break,
                _ => match text[at..].chars().next() {
                    Some(wide) if wide.is_alphabetic() || wide.is_numeric() => at += wide.len_utf8(),
                    Some(mark) if at > start && is_mark(mark) && rules != Words::CopilotChat => {
                        at += mark.len_utf8();
                        continue;
                    }
                    _ => break,
                },
            }
            length += 1;
        }
        if length >= min && begins(&text[start..at]) && !is_function_word(&bytes[start..at]) {
            visit(&text[start..at]);
        }
        if at == start {
            at += 1;
            while !text.is_char_boundary(at) {
                at += 1;
            }
        }
    }
}

fn is_function_word(word: &[u8]) -> bool {
    word.len() == 2 && FUNCTION_WORDS.iter().any(|one| one.eq_ignore_ascii_case(word))
}

fn begins(word: &str) -> bool {
    match word.as_bytes().first() {
        Some(0x80..) => word.chars().next().is_some_and(is_letter),
        Some(first) => !first.is_ascii_digit(),
        None => false,
    }
}

/// Calls `visit` with each distinct term of a word, in lower case.
///
/// ```
/// use espalier_search::{Words, terms_of};
/// let mut found = Vec::new();
/// terms_of("parseHTMLDocument_v2", Words::Espalier, |term| found.push(term.to_string()));
/// assert_eq!(found, ["parsehtmldocument_v2", "parse", "html", "document"]);
/// let mut found = Vec::new();
/// ["Größe", "GROSSE", "e\u{301}te\u{301}", "ıslak", "ISLAK", "المهلة"].into_iter().for_each(|word| {
///     terms_of(word, Words::Espalier, |term| found.push(term.to_string()));
/// });
/// assert_eq!(found, ["grosse", "grosse", "ete", "islak", "islak", "مهلة"]);
/// ```
pub fn terms_of(word: &str, rules: Words, mut visit: impl FnMut(&str)) {
    let mut terms = Terms { has_stems: rules == Words::Stems, folds: rules != Words::CopilotChat, ..Terms::default() };
    if rules != Words::CopilotChat && word.len() > MAX_WORD {
        pairs(word, &mut terms);
        return terms.list.iter().for_each(|term| visit(term));
    }
    terms.add(word.to_lowercase());
    let mut add = |part: &str| {
        if has_three(part) {
            terms.add(part.to_lowercase());
        }
    };
    match rules {
        Words::CopilotChat => {
            split(word, is_ascii_camel, &mut add);
            if word.contains('_') {
                word.split('_').for_each(&mut add);
            }
            before_digits(word).into_iter().for_each(&mut add);
        }
        Words::Espalier | Words::Stems => {
            split(word, is_border, &mut |part| {
                let part = part.trim_matches(['_', '$']);
                add(part);
                before_digits(part).into_iter().for_each(&mut add);
            });
            if terms.list.len() == 1 {
                let stem = before_digits(word).filter(|stem| has_three(stem));
                stem.into_iter().for_each(|stem| terms.add(stem.to_lowercase()));
            }
            pairs(word, &mut terms);
        }
    }
    terms.list.iter().for_each(|term| visit(term));
}

/// True for accents that follow their letter, and tone marks of Thai and Lao.
fn is_mark(character: char) -> bool {
    matches!(character as u32, 0x300..=0x36F | 0x64B..=0x652 | 0xE47..=0xE4E | 0xEC8..=0xECD)
}

/// Returns a term without accents, without the article of Arabic, and with letters and digits of full width in ASCII:
/// a query may lack them, and a file may have its accents as characters of their own.
fn folded(term: &str) -> String {
    // The letters without accents, from U+00E0 and from U+1EA0 on.
    const LATIN: &[u8] = b"aaaaaaaceeeeiiiidnooooo/ouuuuytyaaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkkllllllllllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";
    const VIETNAMESE: &[u8] =
        b"aaaaaaaaaaaaaaaaaaaaaaaaeeeeeeeeeeeeeeeeiiiioooooooooooooooooooooooouuuuuuuuuuuuuuyyyyyyyy";
    let plain = |c: char| match c as u32 {
        at @ 0xE0..=0x17F => LATIN[at as usize - 0xE0].into(),
        at @ 0x1EA0..=0x1EF9 => VIETNAMESE[at as usize - 0x1EA0].into(),
        0xDF => 's',
        0x1A1 => 'o',
        0x1B0 => 'u',
        at @ 0xFF01..=0xFF5E => ((at - 0xFEE0) as u8).into(),
        _ => c,
    };
    let is_kept = |c: &char| !matches!(*c as u32, 0x300..=0x36F | 0x64B..=0x652);
    let bare = term.strip_prefix("ال").filter(|rest| rest.chars().count() >= 3).unwrap_or(term);
    let mut out = String::with_capacity(bare.len());
    for c in bare.chars().filter(is_kept) {
        if c == 'ß' {
            out.push('s');
        }
        out.push(plain(c));
    }
    out
}

/// The distinct terms of a word. Only words with many parts get a set.
#[derive(Default)]
struct Terms {
    has_stems: bool,
    folds: bool,
    list: Vec<String>,
    set: HashSet<String>,
}

impl Terms {
    fn add(&mut self, mut term: String) {
        if self.folds && !term.is_ascii() {
            term = folded(&term);
        }
        if self.has_stems {
            stem(&mut term);
        }
        if self.list.len() < 16 {
            if !self.list.contains(&term) {
                self.list.push(term);
            }
            return;
        }
        if self.set.is_empty() {
            self.set.extend(self.list.iter().cloned());
        }
        if self.set.insert(term.clone()) {
            self.list.push(term);
        }
    }
}

/// Calls `visit` with the parts of a word, if it has more than one.
fn split(word: &str, is_split: impl Fn(&str, usize) -> bool, visit: &mut dyn FnMut(&str)) {
    let mut start = 0;
    for (at, _) in word.char_indices().skip(1) {
        if is_split(word, at) {
            visit(&word[start..at]);
            start = at;
        }
    }
    if start > 0 {
        visit(&word[start..]);
    }
}

fn is_ascii_camel(word: &str, at: usize) -> bool {
    let bytes = word.as_bytes();
    matches!(bytes[at - 1], b'a'..=b'z' | b'$') && bytes[at].is_ascii_uppercase()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Mark,
    Upper,
    Digit,
    Ideograph,
    Other,
}

fn kind(character: char) -> Kind {
    match character {
        '_' | '$' => Kind::Mark,
        _ if character.is_uppercase() => Kind::Upper,
        _ if character.is_numeric() => Kind::Digit,
        _ if is_ideograph(character) => Kind::Ideograph,
        _ => Kind::Other,
    }
}

fn is_border(word: &str, at: usize) -> bool {
    let (before, behind) = word.split_at(at);
    let mut ahead = behind.chars().map(kind);
    let (Some(last), Some(first)) = (before.chars().next_back().map(kind), ahead.next()) else { return false };
    match (last, first) {
        (Kind::Upper, Kind::Upper) => ahead.next() == Some(Kind::Other) && !is_plural(behind),
        (Kind::Upper, Kind::Other) | (_, Kind::Digit) | (Kind::Digit, Kind::Other) => false,
        _ => last != first,
    }
}

/// True for the end of `URLs`: a last capital with a single `s`.
fn is_plural(end: &str) -> bool {
    let mut rest = end.chars().skip(1);
    rest.next() == Some('s') && rest.next().is_none_or(|next| kind(next) != Kind::Other)
}

/// Han, kana, Hangul, Thai, Lao: scripts that put no space between words, or write particles behind a word.
fn is_ideograph(character: char) -> bool {
    matches!(
        character as u32,
        0xE01..=0xEDF | 0x3041..=0x30FF | 0x3400..=0x4DBF | 0x4E00..=0x9FFF | 0xAC00..=0xD7A3 | 0xF900..=0xFAFF | 0x2_0000..=0x3_FFFF
    )
}

/// Adds each pair of neighbouring ideographs: a sentence of them is a single word, and no query contains all of it.
fn pairs(word: &str, terms: &mut Terms) {
    let mut last = None;
    for (at, character) in word.char_indices() {
        let here = is_ideograph(character).then_some(at);
        if let (Some(start), Some(_)) = (last, here) {
            terms.add(word[start..at + character.len_utf8()].to_string());
        }
        last = here;
    }
}

/// True if three alphabetic characters, `_` or `$` follow each other.
fn has_three(part: &str) -> bool {
    let mut run = 0;
    part.chars().any(|character| {
        run = if character.is_alphabetic() || matches!(character, '_' | '$') { run + 1 } else { 0 };
        run == 3
    })
}

/// Returns the text before trailing digits, if it has no digits.
fn before_digits(word: &str) -> Option<&str> {
    let first = word.find(|character: char| character.is_ascii_digit());
    let end = first.or_else(|| word.char_indices().next_back().map(|(at, _)| at))?;
    let is_digits = !word[end..].is_empty() && word[end..].chars().all(char::is_numeric);
    (end > 0 && is_digits).then(|| &word[..end])
}

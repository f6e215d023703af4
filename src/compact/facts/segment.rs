//! Sentences of any script.

/// Ends a sentence whatever follows it.
const FULL_STOPS: [char; 10] = ['。', '！', '？', '｡', '।', '॥', '؟', '۔', '։', '።'];
/// Characters that may follow the end of a sentence and belong to it.
const CLOSERS: [char; 16] = ['"', '\'', '”', '’', '»', ')', ']', '）', '」', '』', '】', '*', '_', '`', '“', '》'];
/// Minimum bytes of a line that may be wrapped.
const WRAPPED: usize = 50;
/// Words before a full stop that does not end the sentence, in lower case.
const ABBREVIATIONS: [&str; 50] = [
    "mr", "mrs", "ms", "dr", "prof", "sr", "jr", "st", "vs", "etc", "e.g", "i.e", "eg", "ie", "cf", "no", "nr", "fig",
    "approx", "inc", "ltd", "co", "corp", "dept", "est", "vol", "min", "max", "bzw", "z.b", "d.h", "ca", "usw", "evtl",
    "ggf", "inkl", "str", "p.ex", "env", "mme", "sra", "dra", "p.ej", "pág", "núm", "т.е", "т.д", "т.п", "др", "г",
];
/// Words before an ordinal number ("am 5. Mai").
const BEFORE_ORDINALS: [&str; 10] = ["am", "vom", "zum", "bis", "der", "den", "dem", "ab", "die", "im"];

/// Returns the sentences of a text, trimmed, in order. A line ends a sentence unless the next line continues it.
///
/// ```
/// use espalier::compact::facts::sentences;
/// let text = "Dr. Lee pays $3.50. 不要动它。好的\n- One item\n- Another";
/// let all: Vec<&str> = sentences(text).collect();
/// assert_eq!(all, ["Dr. Lee pays $3.50.", "不要动它。", "好的", "- One item", "- Another"]);
/// ```
pub fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start();
            if rest.is_empty() {
                return None;
            }
            let (sentence, more) = rest.split_at(end(rest));
            rest = more;
            let sentence = sentence.trim();
            if !sentence.is_empty() {
                return Some(sentence);
            }
        }
    })
}

/// Returns where the first sentence ends.
fn end(text: &str) -> usize {
    let mut line = 0;
    for (at, c) in text.char_indices() {
        let behind = at + c.len_utf8();
        match c {
            '\n' | '\r' | '\u{2028}' | '\u{2029}' => {
                if !goes_on(&text[line..at], &text[behind..]) {
                    return at;
                }
                line = behind;
            }
            '.' | '!' | '?' | '…' | '．' => {
                let close = past_closers(text, behind);
                let next = text[close..].chars().next();
                if next.is_none_or(char::is_whitespace) && !(c == '.' && is_abbreviated(&text[..at], &text[close..])) {
                    return close;
                }
            }
            _ if FULL_STOPS.contains(&c) => return past_closers(text, behind),
            _ => {}
        }
    }
    text.len()
}

/// Returns the position after all characters that belong to the end of a sentence.
fn past_closers(text: &str, from: usize) -> usize {
    let more = |c: char| matches!(c, '.' | '!' | '?' | '…') || FULL_STOPS.contains(&c) || CLOSERS.contains(&c);
    from + text[from..].find(|c| !more(c)).unwrap_or(text.len() - from)
}

/// True if the full stop between the two does not end a sentence.
fn is_abbreviated(before: &str, behind: &str) -> bool {
    let mut words = before.rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '"' | '/'));
    let word = words.next().unwrap_or("");
    let mut letters = word.chars();
    let is_initial = letters.next().is_some_and(|c| c.is_uppercase() && c != 'I') && letters.next().is_none();
    // "A.R. and B.S." goes on, "in the U.S. The" may not.
    let are_initials = word.contains('.') && word.split('.').all(|part| part.len() == 1 && part.is_ascii());
    if is_initial || are_initials && behind.trim_start().starts_with(|c: char| c.is_lowercase() || c.is_ascii_digit()) {
        return true;
    }
    if !word.is_empty() && word.len() <= 3 && word.bytes().all(|byte| byte.is_ascii_digit()) {
        // The number of a list item, or of a day.
        let previous = words.next();
        let is_day = previous.is_some_and(|previous| BEFORE_ORDINALS.contains(&previous.to_lowercase().as_str()));
        return previous.is_none() || is_day && behind.trim_start().chars().next().is_some_and(char::is_alphabetic);
    }
    if word.len() > 8 {
        return false;
    }
    let word = word.to_lowercase();
    // "No." is an answer if a sentence may end after it.
    let is_number = !matches!(word.as_str(), "no" | "est" | "min" | "max" | "co" | "st" | "str" | "im")
        || behind.trim_start().starts_with(|c: char| c.is_ascii_digit());
    ABBREVIATIONS.contains(&word.as_str()) && is_number
}

/// True if a line was wrapped and the next one continues its sentence.
fn goes_on(line: &str, next: &str) -> bool {
    let ends_open = line.trim_end().ends_with(|c: char| c.is_alphanumeric() || matches!(c, ',' | '-'));
    let next = next.strip_prefix('\n').unwrap_or(next);
    line.len() >= WRAPPED && ends_open && next.starts_with(char::is_lowercase)
}

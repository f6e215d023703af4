//! Patterns of lines: a small language that rules are written in as data, without a regular expression engine.
//!
//! `*` is any run of characters, `#` is a number (`12`, `1.5`, `1,024`), `\#` the character, and a space is a run of
//! spaces and tabs. A pattern describes the whole line without the white space around it.

use serde::Deserialize;

/// Replaces a number in the pieces of a pattern.
const NUMBER: u8 = 1;

/// A pattern, read once.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct Pattern {
    /// The texts between the stars.
    pieces: Vec<Vec<u8>>,
    /// True if the pattern begins or ends with a star.
    open_start: bool,
    open_end: bool,
}

impl From<String> for Pattern {
    fn from(pattern: String) -> Pattern {
        Pattern::new(&pattern)
    }
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// ```
    /// use espalier::tool_result::reduce::Pattern;
    /// let pattern = Pattern::new("test * ... ok");
    /// assert!(pattern.matches("test reads::empty ... ok") && !pattern.matches("test reads::empty ... FAILED"));
    /// assert!(Pattern::new("#/# layers *").matches("3/12 layers pulled"));
    /// ```
    pub fn new(pattern: &str) -> Pattern {
        Pattern {
            pieces: pattern.split('*').filter(|piece| !piece.is_empty()).map(piece).collect(),
            open_start: pattern.starts_with('*'),
            open_end: pattern.ends_with('*'),
        }
    }

    /// Returns the first byte of every line that matches; `None` if it can be any.
    pub fn first_byte(&self) -> Option<u8> {
        let first = *self.pieces.first()?.first()?;
        (!self.open_start && first != NUMBER && first != b' ').then_some(first)
    }

    /// Returns whether every line that matches begins with a digit.
    pub fn begins_with_number(&self) -> bool {
        !self.open_start && self.pieces.first().is_some_and(|piece| piece.first() == Some(&NUMBER))
    }

    /// Returns whether a line without white space around it matches.
    pub fn matches(&self, line: &str) -> bool {
        let bytes = line.as_bytes();
        let mut at = 0;
        let last = self.pieces.len().checked_sub(1);
        for (number, piece) in self.pieces.iter().enumerate() {
            let is_start = number == 0 && !self.open_start;
            let is_end = Some(number) == last && !self.open_end;
            let mut starts = if is_start { 0..1 } else { at..bytes.len() + 1 };
            let ends = |start: usize| piece_end(piece, bytes, start).filter(|&e| !is_end || e == bytes.len());
            let Some(end) = starts.find_map(ends) else { return false };
            at = end;
        }
        last.is_some() || self.open_start || bytes.is_empty()
    }
}

/// Reads the text between two stars.
fn piece(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for (at, number) in text.split("\\#").enumerate() {
        if at > 0 {
            out.push(b'#');
        }
        out.extend(number.bytes().map(|byte| if byte == b'#' { NUMBER } else { byte }));
    }
    out
}

/// Returns the end of a piece that begins at `start`; `None` if the line has another text there.
fn piece_end(piece: &[u8], line: &[u8], start: usize) -> Option<usize> {
    let mut at = start;
    for &byte in piece {
        if byte == b' ' {
            let rest = line.get(at..)?;
            let count = rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
            if count == 0 {
                return None;
            }
            at += count;
            continue;
        }
        if byte != NUMBER {
            if line.get(at) != Some(&byte) {
                return None;
            }
            at += 1;
            continue;
        }
        let begin = at;
        // A number that begins in the middle of a number is none.
        if line[..begin].last().is_some_and(u8::is_ascii_digit) {
            return None;
        }
        while line.get(at).is_some_and(u8::is_ascii_digit)
            || at > begin
                && matches!(line.get(at), Some(b'.' | b','))
                && line.get(at + 1).is_some_and(u8::is_ascii_digit)
        {
            at += 1;
        }
        if at == begin {
            return None;
        }
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    fn check(pattern: &str, yes: &[&str], no: &[&str]) {
        let read = Pattern::new(pattern);
        for line in yes {
            assert!(read.matches(line), "{pattern} / {line}");
            assert!(
                read.first_byte().is_none_or(|first| line.as_bytes().first() == Some(&first)),
                "{pattern} / {line}"
            );
            assert!(!read.begins_with_number() || line.starts_with(|c: char| c.is_ascii_digit()), "{pattern} / {line}");
        }
        for line in no {
            assert!(!read.matches(line), "{pattern} / {line}");
        }
    }

    #[test]
    fn stars_and_numbers() {
        check("", &[""], &["a"]);
        check("*", &["", "a", "#"], &[]);
        check("**", &["", "a b"], &[]);
        check("ok", &["ok"], &["ok.", "not ok", ""]);
        check("ok*", &["ok", "ok."], &["not ok"]);
        check("*ok", &["ok", "not ok", "ok ok"], &["ok."]);
        check("*ok*", &["ok", "a ok b"], &["o k"]);
        check("a*b*c", &["abc", "a-b-c", "abbcc", "abcbc"], &["acb", "abcd", "ab"]);
        check("#", &["1", "12", "1,024", "1.5", "1.2.3"], &["", "1.", "a1", "1a"]);
        check("# passed", &["12 passed"], &["passed", "x passed"]);
        check("*# passed*", &["= 12 passed in 1s"], &["= passed"]);
        check("[#/#] *", &["[1/20] x"], &["[1/] x", "[a/2] x"]);
        check("\\## *", &["#12 DONE"], &["12 DONE", "# DONE"]);
        check("é*", &["été"], &["e"]);
        check("ok * #s", &["ok a 1s", "ok  \ta/b\t0.012s"], &["ok a1s", "oka 1s"]);
        check("100 #*", &["100   607  100"], &["100x 1"]);
    }
}

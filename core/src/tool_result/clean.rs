//! Removes noise that no reader needs, before any useful text is cut.

use super::hunks::Hunks;

/// A text without noise, and the amount of noise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Cleaned {
    pub text: String,
    /// Number of removed terminal escape sequences.
    pub escapes: usize,
    /// Number of lines that repeated the previous one, or that a later state overwrote.
    pub repeated: usize,
}

/// Removes terminal escape sequences, keeps the last state of overwritten lines (`\r`), and replaces runs of equal
/// lines by one line with their number, except lines of files in a diff. `None` if there is no noise.
///
/// ```
/// use espalier::tool_result::clean::clean;
/// let log = "\u{1b}[32mok\u{1b}[0m\n10%\r50%\r100%\nwarning\nwarning\nwarning\n";
/// let cleaned = clean(log).unwrap();
/// assert_eq!(cleaned.text, "ok\n100%\nwarning [3 times]\n");
/// assert_eq!((cleaned.escapes, cleaned.repeated), (2, 4));
/// assert!(clean("nothing\nto do\n").is_none());
/// ```
pub fn clean(text: &str) -> Option<Cleaned> {
    let (plain, escapes) = without_escapes(text);
    let mut out = String::with_capacity(plain.len());
    let mut repeated = 0;
    let mut run: Option<(&str, &str, usize)> = None;
    let mut hunks = Hunks::default();
    for line in plain.split_inclusive('\n') {
        let is_of_file = hunks.hold(line);
        let (body, end) = match line.strip_suffix('\n') {
            Some(body) => match body.strip_suffix('\r') {
                Some(body) => (body, "\r\n"),
                None => (body, "\n"),
            },
            None => (line, ""),
        };
        let states = body.split('\r').filter(|state| !state.is_empty()).count();
        repeated += states.saturating_sub(1);
        let shown = body.rsplit('\r').find(|state| !state.is_empty()).unwrap_or("");
        match &mut run {
            Some((same, last, count)) if *same == shown && !is_of_file && !shown.trim().is_empty() => {
                *count += 1;
                *last = end;
            }
            _ => {
                repeated += write_run(&mut out, run.take());
                run = Some((shown, end, 1));
            }
        }
    }
    repeated += write_run(&mut out, run);
    (escapes + repeated > 0).then_some(Cleaned { text: out, escapes, repeated })
}

/// Writes a run of equal lines; returns how many lines were removed.
fn write_run(out: &mut String, run: Option<(&str, &str, usize)>) -> usize {
    let Some((line, end, count)) = run else { return 0 };
    // Two equal lines are as short as one with a number.
    if count == 2 {
        out.push_str(line);
        out.push('\n');
    }
    out.push_str(line);
    if count > 2 {
        out.push_str(&format!(" [{count} times]"));
    }
    out.push_str(end);
    if count > 2 { count - 1 } else { 0 }
}

/// Removes escape sequences (ECMA-48: CSI, OSC and two-character ones); returns the text and their number.
fn without_escapes(text: &str) -> (String, usize) {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut count) = (text, 0);
    while let Some(at) = rest.find('\u{1b}') {
        out.push_str(&rest[..at]);
        let sequence = &rest[at + 1..];
        rest = match sequence.as_bytes().first() {
            // Parameters and intermediate bytes, then one final byte.
            Some(b'[') => match sequence[1..].find(|c: char| ('\u{40}'..='\u{7e}').contains(&c)) {
                Some(end) if sequence[1..1 + end].chars().all(|c| ('\u{20}'..='\u{3f}').contains(&c)) => {
                    &sequence[end + 2..]
                }
                _ => &sequence[1..],
            },
            // A string that ends with BEL or ESC \; an unterminated one is not a sequence.
            Some(b']') => match sequence.find(['\u{7}', '\u{1b}', '\n']) {
                Some(end) if sequence[end..].starts_with('\u{7}') => &sequence[end + 1..],
                Some(end) if sequence[end..].starts_with("\u{1b}\\") => &sequence[end + 2..],
                _ => &sequence[1..],
            },
            Some(0x20..=0x7e) => &sequence[1..],
            _ => sequence,
        };
        count += 1;
    }
    if count == 0 {
        return (text.to_string(), 0);
    }
    out.push_str(rest);
    (out, count)
}

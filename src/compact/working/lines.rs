//! Lines of a file, and texts that begin and end within them.

use std::rc::Rc;

/// Maximum line number; higher ones are refused.
pub(super) const MAX_NUMBER: u64 = 1 << 40;
/// A line of fewer bytes, without surrounding blanks, occurs in many places and therefore determines no position.
pub(super) const DISTINCT: usize = 12;

/// A line as last shown or written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Line {
    pub text: Rc<str>,
    /// Number of the message that confirmed it; 0 if something contradicts it.
    pub seen: u32,
    /// Number of the message that last changed it; 0 if none did.
    pub edited: u32,
}

pub(super) fn split(text: &str) -> Vec<&str> {
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect()
}

/// Returns the lines of a text, with or without a final line break.
pub(super) fn whole_lines(text: &str) -> Vec<&str> {
    let mut lines = split(text);
    if lines.last().is_some_and(|last| last.is_empty()) {
        lines.pop();
    }
    lines
}

/// Returns the number of a line after `by` lines were inserted before it.
pub(super) fn moved(number: u64, by: i128) -> u64 {
    u64::try_from(i128::from(number) + by).unwrap_or(0).min(MAX_NUMBER)
}

pub(super) fn edited(text: &&str, now: u32) -> Line {
    Line { text: (*text).into(), seen: now, edited: now }
}

/// True if a text begins in the first of these lines. `is_last` says that they end the file, with a line break.
pub(super) fn matches(lines: &[Line], old: &[&str], is_last: bool) -> bool {
    match old {
        [] => false,
        [one] => !one.is_empty() && lines[0].text.contains(one),
        [first, inner @ .., last] => {
            let rest = &lines[1..];
            let is_inner = rest.len() >= inner.len() && inner.iter().zip(rest).all(|(text, line)| *line.text == **text);
            if !is_inner || !lines[0].text.ends_with(first) {
                return false;
            }
            match rest.get(inner.len()) {
                Some(line) => line.text.starts_with(last),
                None => last.is_empty() && is_last,
            }
        }
    }
}

/// Returns the offset of `lines` relative to `shown`: the only one at which a distinct line matches and no line
/// differs.
pub(super) fn align(lines: &[Line], shown: &[Line]) -> Option<i128> {
    let fits = |offset: i128| {
        lines.iter().enumerate().all(|(at, line)| {
            let there = usize::try_from(at as i128 + offset).ok().and_then(|at| shown.get(at));
            there.is_none_or(|there| there.text == line.text)
        })
    };
    let mut found = None;
    let distinct = lines.iter().enumerate().filter(|(_, line)| line.text.trim().len() >= DISTINCT);
    for (at, line) in distinct.take(64) {
        for (number, _) in shown.iter().enumerate().filter(|(_, other)| other.text == line.text) {
            let offset = number as i128 - at as i128;
            if found != Some(offset) && fits(offset) {
                if found.is_some() {
                    return None;
                }
                found = Some(offset);
            }
        }
    }
    found
}

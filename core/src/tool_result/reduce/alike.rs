//! Writes runs of items that are alike by their ends and a count: items that are equal, and items that count on, which
//! differ in numbers only, each of which grows by the same step from item to item. Nothing is lost: the first two items
//! and the number of those behind them say what each of them is.

use std::ops::Range;

use super::super::errors::is_error;
use super::super::hunks::Hunks;

/// Min items that are not written of a run that counts on: fewer are clearer as they are.
const MIN_COUNTED: usize = 3;

/// Returns the runs of alike items in a text that a note shortens: the range of the text that the note replaces, and
/// the note. `items` are ranges of the text, in order. An item about an error never counts on.
pub fn runs(text: &str, items: &[Range<usize>]) -> Vec<(Range<usize>, String)> {
    let mut out = Vec::new();
    let mut at = 0;
    while at + 1 < items.len() {
        let run = Run::of(items[at..].iter().map(|item| &text[item.clone()]));
        if let Some((gone, note)) = run.note(items[at].len() + 1) {
            out.push((items[at + gone.start].start..items[at + gone.end - 1].end, note));
        }
        // The last item of one run may be the first of the next.
        at += run.length().max(2) - 1;
    }
    out
}

/// Replaces ranges of a text, which are in order.
pub fn replace(text: &mut String, edits: impl IntoIterator<Item = (Range<usize>, String)>) {
    let mut edits = edits.into_iter().peekable();
    let Some((first, _)) = edits.peek() else { return };
    let start = first.start;
    let tail = text.split_off(start);
    let mut done = start;
    for (range, note) in edits {
        text.push_str(&tail[done - start..range.start - start]);
        text.push_str(&note);
        done = range.end;
    }
    text.push_str(&tail[done - start..]);
}

/// Shortens runs of alike lines, but not those of files in a diff. `None` if there is no run.
pub fn lines(text: &str) -> Option<String> {
    let mut hunks = Hunks::default();
    let (mut edits, mut items, mut at) = (Vec::new(), Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let is_of_file = hunks.hold(line);
        if !is_of_file {
            items.push(at..at + line.trim_end_matches('\n').len());
        }
        at += line.len();
        if is_of_file || at == text.len() {
            edits.append(&mut runs(text, &items));
            items.clear();
        }
    }
    if edits.is_empty() {
        return None;
    }
    let mut out = text.to_string();
    replace(&mut out, edits);
    Some(out)
}

/// A run with which a list of items begins.
#[derive(Debug, PartialEq, Eq)]
enum Run {
    One,
    /// Equal items.
    Equal(usize),
    /// Items that count on.
    Counting(usize),
}

impl Run {
    /// Returns the longest run with which the items begin.
    fn of<'a>(items: impl Iterator<Item = &'a str> + Clone) -> Run {
        let mut pairs = items.clone().zip(items.skip(1));
        let Some((first, second)) = pairs.next() else { return Run::One };
        if first == second {
            return Run::Equal(2 + pairs.take_while(|(one, next)| one == next).count());
        }
        let Some(steps) = steps(first, second).filter(|_| !is_error(first) && !is_error(second)) else {
            return Run::One;
        };
        let goes_on =
            |(one, next): &(&str, &str)| Steps { one, next }.eq(steps.iter().map(|step| Ok(*step))) && !is_error(next);
        match 2 + pairs.take_while(goes_on).count() {
            2 => Run::One,
            length => Run::Counting(length),
        }
    }

    fn length(&self) -> usize {
        match self {
            Run::One => 1,
            Run::Equal(length) | Run::Counting(length) => *length,
        }
    }

    /// Returns which items of the run the note replaces, and the note; `None` if it is longer than they. `bytes` is the
    /// length of one of them.
    fn note(&self, bytes: usize) -> Option<(Range<usize>, String)> {
        let (gone, note) = match *self {
            Run::One => return None,
            Run::Equal(length) => (1..length, format!("[{} times more]", length - 1)),
            Run::Counting(length) => (2..length - 1, format!("[{} more, counting on]", length - 3)),
        };
        let is_clearer = matches!(self, Run::Counting(_)) && gone.len() < MIN_COUNTED;
        (!is_clearer && note.len() < bytes * gone.len()).then_some((gone, note))
    }
}

/// Returns the steps of all numbers from one item to the next, if nothing else differs.
fn steps(one: &str, next: &str) -> Option<Vec<i64>> {
    Steps { one, next }.collect::<Result<_, _>>().ok()
}

/// The differences of two texts, number by number; an error where something else differs.
struct Steps<'a> {
    one: &'a str,
    next: &'a str,
}

impl Iterator for Steps<'_> {
    type Item = Result<i64, ()>;

    fn next(&mut self) -> Option<Self::Item> {
        let (one, next) = (split(self.one), split(self.next));
        let is_end = one.1.is_empty() && next.1.is_empty();
        if one.0 != next.0 || one.1.is_empty() != next.1.is_empty() {
            return Some(Err(()));
        }
        (self.one, self.next) = (one.2, next.2);
        (!is_end).then(|| step(one.1, next.1).ok_or(()))
    }
}

/// Splits a text before and behind its first number.
fn split(text: &str) -> (&str, &str, &str) {
    let start = text.bytes().position(|byte| byte.is_ascii_digit()).unwrap_or(text.len());
    let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
    (&text[..start], &text[start..start + digits], &text[start + digits..])
}

/// Returns the difference of two numbers that are written alike: `08` and `12`, `8` and `12`, not `08` and `9`.
fn step(one: &str, next: &str) -> Option<i64> {
    let is_padded = |digits: &str| digits.len() > 1 && digits.starts_with('0');
    if one == next {
        return Some(0);
    }
    if one.len() != next.len() && (is_padded(one) || is_padded(next)) {
        return None;
    }
    next.parse::<i64>().ok()?.checked_sub(one.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::{Run, lines};

    #[test]
    fn runs_are_of_equal_items_or_count_on() {
        let check = |text: &str, wanted: Run| assert_eq!(Run::of(text.split(' ')), wanted, "{text}");
        check("a", Run::One);
        check("a b c", Run::One);
        check("a a a b", Run::Equal(3));
        check("a1 a2 a3 b4", Run::Counting(3));
        check("1 2 4", Run::One);
        check("8 9 10 11", Run::Counting(4));
        check("08 09 10 11", Run::Counting(4));
        check("08 9 10", Run::One);
        check("10 8 6 4 2", Run::Counting(5));
        check("1:00 2:10 3:20", Run::Counting(3));
        check("1a 2a 3a4", Run::One);
        check("99999999999999999999 99999999999999999999 1", Run::Equal(2));
        check("99999999999999999998 99999999999999999999 1", Run::One);
        check("error-1 error-2 error-3", Run::One);
        check("é1 é2 é3", Run::Counting(3));
    }

    #[test]
    fn lines_count_on() {
        let check = |text: &str, wanted: Option<&str>| assert_eq!(lines(text).as_deref(), wanted, "{text}");
        let log: String = (0..300).map(|n| format!("line {n}: INFO request\n")).collect();
        check(
            &format!("start\n{log}ERROR 300\nend"),
            Some(
                "start\nline 0: INFO request\nline 1: INFO request\n[297 more, counting on]\nline 299: INFO request\n\
                 ERROR 300\nend",
            ),
        );
        let errors: String = (0..9).map(|n| format!("error {n} of this build\n")).collect();
        check(&errors, None);
        check("a 1\na 2\na 3\na 4\n", None);
        check("step 1 of 9 is done\nstep 2 of 9 is done\nstep 3 of 9 is done\nstep 4 of 9 is done\n", None);
        let added: String = (0..40).map(|n| format!("+const N{n}: u8 = {n};\n")).collect();
        check(&format!("--- /dev/null\n+++ b/a.rs\n@@ -0,0 +1,40 @@\n{added}"), None);
        // Two runs that share a line.
        let two: String = (1..9).chain((10..80).step_by(10)).map(|n| format!("port {n} open\n")).collect();
        check(
            &two,
            Some(
                "port 1 open\nport 2 open\n[5 more, counting on]\nport 8 open\nport 10 open\nport 20 open\n\
                 [4 more, counting on]\nport 70 open\n",
            ),
        );
    }
}

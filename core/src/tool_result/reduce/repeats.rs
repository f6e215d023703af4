//! Replaces lines that an earlier result of the same request has, too, by a line that says where they are.
//!
//! Agents read files again after each edit, most of whose lines they have already. A run of lines is found by its first
//! [`WINDOW`] lines, and compared line by line, so that time grows with the texts. Numbers of lines are not part of a
//! line: an insertion above moves them.

use super::super::errors::is_error;
use super::Earlier;
use crate::map::HashMap;

/// Min lines of a run; also the number of lines by which it is found.
const WINDOW: usize = 3;
/// Min bytes of a run for each byte of its note.
const BYTES_OF_NOTE: usize = 2;
/// Max places of the same lines that are compared, newest first.
const MAX_PLACES: usize = 4;
/// Max characters of a name, and of the beginning of a run.
const MAX_NAME: usize = 80;
const MAX_START: usize = 30;

/// Replaces repeated lines by notes. Returns the text and the number of these lines; `None` if no run is long enough.
/// Lines about errors are never replaced if `keeps_errors`.
pub fn replaced(text: &str, earlier: &[Earlier], keeps_errors: bool) -> Option<(String, usize)> {
    let lines: Vec<Line> = text.lines().map(Line::new).collect();
    if lines.len() < WINDOW || earlier.is_empty() {
        return None;
    }
    let known = Known::new(earlier);
    let mut out = String::with_capacity(text.len());
    let (mut at, mut count) = (0, 0);
    while at < lines.len() {
        match known.longest(&lines[at..], keeps_errors) {
            Some((note, length)) => {
                out.push_str(&note);
                (at, count) = (at + length, count + length);
            }
            None => {
                out.push_str(lines[at].whole);
                at += 1;
            }
        }
        out.push('\n');
    }
    if !text.ends_with('\n') {
        out.pop();
    }
    (count > 0).then_some((out, count))
}

/// A line, and what of it is its number: `12\t`, `12:`, `12|`, `12→`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Line<'a> {
    whole: &'a str,
    number: Option<u32>,
    /// The line without its number.
    rest: &'a str,
}

impl Line<'_> {
    fn new(whole: &str) -> Line<'_> {
        let plain = Line { whole, number: None, rest: whole };
        let text = whole.trim_start_matches(' ');
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(number) = text[..digits].parse() else { return plain };
        let rest = &text[digits..];
        // SWE-agent's `12:`, `cat -n`'s tab, Claude Code's arrow, and `12 |`.
        let rest = ["\t", ":", "→", "|", " |"].iter().find_map(|mark| rest.strip_prefix(mark));
        rest.map_or(plain, |rest| Line { whole, number: Some(number), rest })
    }
}

/// Returns whether a number is missing, or is that of the line behind `first`.
fn counts_on(first: Line, line: Line, behind: usize) -> bool {
    match (first.number, line.number) {
        (None, None) => true,
        (Some(first), Some(number)) => number.checked_sub(first) == u32::try_from(behind).ok(),
        _ => false,
    }
}

/// The lines of the earlier results.
struct Known<'a> {
    names: Vec<&'a str>,
    texts: Vec<Vec<Line<'a>>>,
    /// Result and line at which the same lines without numbers begin, oldest first.
    places: HashMap<[&'a str; WINDOW], Vec<(usize, usize)>>,
}

impl<'a> Known<'a> {
    fn new(earlier: &[Earlier<'a>]) -> Known<'a> {
        let texts: Vec<Vec<Line>> = earlier.iter().map(|result| result.text.lines().map(Line::new).collect()).collect();
        let mut places: HashMap<_, Vec<_>> = HashMap::default();
        for (result, lines) in texts.iter().enumerate() {
            for (at, window) in lines.windows(WINDOW).enumerate() {
                places.entry(key(window)).or_default().push((result, at));
            }
        }
        Known { names: earlier.iter().map(|result| result.name).collect(), texts, places }
    }

    /// Returns the note for the longest run with which `lines` begins, and the number of its lines.
    fn longest(&self, lines: &[Line], keeps_errors: bool) -> Option<(String, usize)> {
        let places = self.places.get(&key(lines.get(..WINDOW)?))?;
        let runs = places.iter().rev().take(MAX_PLACES).map(|&(result, at)| {
            let there = &self.texts[result][at..];
            (result, there, common(lines, there, keeps_errors))
        });
        // Of runs with the same length the newest.
        let (result, there, length) = runs.reduce(|best, next| if next.2 > best.2 { next } else { best })?;
        if length < WINDOW {
            return None;
        }
        let note = note(&lines[..length], there, self.names[result]);
        let bytes: usize = lines[..length].iter().map(|line| line.rest.len() + 1).sum();
        (bytes >= note.len() * BYTES_OF_NOTE).then_some((note, length))
    }
}

fn key<'a>(window: &[Line<'a>]) -> [&'a str; WINDOW] {
    std::array::from_fn(|at| window[at].rest)
}

/// Returns how many lines two texts begin with: the same ones, or ones whose numbers count on.
fn common(lines: &[Line], there: &[Line], keeps_errors: bool) -> usize {
    let length = |is_same: &dyn Fn(usize, Line, Line) -> bool| {
        let pairs = lines.iter().zip(there).enumerate();
        let is_kept = |line: &Line| keeps_errors && is_error(line.whole);
        pairs.take_while(|(at, (line, other))| is_same(*at, **line, **other) && !is_kept(line)).count()
    };
    let same = length(&|_, line, other| line.whole == other.whole);
    let moved = length(&|at, line, other| {
        line.rest == other.rest && counts_on(lines[0], line, at) && counts_on(there[0], other, at)
    });
    same.max(moved)
}

/// Returns the line that replaces a run.
fn note(run: &[Line], there: &[Line], name: &str) -> String {
    let range = |lines: &[Line]| {
        let numbered = lines.iter().enumerate().all(|(at, line)| counts_on(lines[0], *line, at));
        let first = lines[0].number.filter(|_| numbered)?;
        Some(format!("lines {first}-{}", first as usize + lines.len() - 1))
    };
    let (here, other) = (range(run), range(&there[..run.len()]));
    let name = shortened(name, MAX_NAME).replace('`', "'");
    let start = || run.iter().map(|line| line.rest.trim()).find(|text| !text.is_empty()).unwrap_or_default();
    let from = || format!("{} lines from \"{}\" on", run.len(), shortened(start(), MAX_START));
    match (here, other) {
        (Some(here), Some(other)) if here == other => format!("[{here}: as in `{name}` above]"),
        (here, Some(other)) => format!("[{}: as {other} in `{name}` above]", here.unwrap_or_else(from)),
        (Some(here), None) => format!("[{here}: as in `{name}` above, from \"{}\" on]", shortened(start(), MAX_START)),
        (None, None) => format!("[{}: as in `{name}` above]", from()),
    }
}

/// Returns the first line of a text, with at most this number of characters.
fn shortened(text: &str, max: usize) -> String {
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Earlier, replaced};

    const BODY: &str = "fn parse(text: &str) -> Node {\n    let mut rest = text.trim_start();\n    let node = \
                        read_node(&mut rest)?;\n    let is_all = rest.trim_end().is_empty();\n    \
                        is_all.then_some(node).unwrap_or_default()\n}\n";

    fn numbered(text: &str, first: usize, mark: &str) -> String {
        text.lines().enumerate().map(|(at, line)| format!("{}{mark}{line}\n", first + at)).collect()
    }

    fn check(text: &str, earlier: &str, wanted: Option<&str>) {
        let earlier = [Earlier { name: "cat a.rs", text: earlier }];
        assert_eq!(replaced(text, &earlier, true).map(|(text, _)| text).as_deref(), wanted);
    }

    #[test]
    fn a_run_becomes_a_note() {
        check(BODY, BODY, Some("[6 lines from \"fn parse(text: &str) -> Node {\" on: as in `cat a.rs` above]\n"));
        check(
            &format!("use b;\n{BODY}fn new() {{}}"),
            &format!("fn old() {{}}\n{BODY}"),
            Some("use b;\n[6 lines from \"fn parse(text: &str) -> Node {\" on: as in `cat a.rs` above]\nfn new() {}"),
        );
    }

    #[test]
    fn numbers_say_which_lines() {
        for mark in ["\t", ":", "→", "|", " |"] {
            let old = numbered(BODY, 40, mark);
            check(&old, &old, Some("[lines 40-45: as in `cat a.rs` above]\n"));
            check(&numbered(BODY, 42, mark), &old, Some("[lines 42-47: as lines 40-45 in `cat a.rs` above]\n"));
        }
        let old = numbered(BODY, 40, "\t");
        let from = "\"fn parse(text: &str) -> Node {\" on";
        check(BODY, &old, Some(&format!("[6 lines from {from}: as lines 40-45 in `cat a.rs` above]\n")));
        check(&old, BODY, Some(&format!("[lines 40-45: as in `cat a.rs` above, from {from}]\n")));
    }

    #[test]
    fn times_are_no_numbers() {
        let log = |hour: usize| {
            let line = |n: usize| format!("{hour}:{n:02}:00 a request was answered with 200 in the usual time\n");
            (0..20).map(line).collect::<String>()
        };
        check(&log(13), &log(12), None);
    }

    #[test]
    fn short_runs_and_errors_stay() {
        check("}\n}\n}\n\nlast\n", "}\n}\n}\n\nfirst\n", None);
        check("one line only, however long it may be\n", "one line only, however long it may be\n", None);
        let line = "error: the very same line, which is long enough for a note about it\n";
        check(&line.repeat(9), &line.repeat(9), None);
        check(BODY, "", None);
    }

    #[test]
    fn the_longest_run_is_named_and_the_newest_of_equals() {
        let half: String = BODY.split_inclusive('\n').take(5).collect();
        let check = |texts: [&str; 3], wanted: &str| {
            let names = ["first", "second", "third"];
            let earlier: Vec<_> = names.into_iter().zip(texts).map(|(name, text)| Earlier { name, text }).collect();
            let (text, _) = replaced(BODY, &earlier, true).unwrap();
            assert!(text.contains(&format!("`{wanted}`")), "{text}");
        };
        check([BODY, BODY, &half], "second");
        check(["", BODY, "other"], "second");
        check([&half, "x", BODY], "third");
    }
}

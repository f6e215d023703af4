//! What the result of a call says about itself: its outcome, missing content, the lines of a file that it shows.
//!
//! In: the text of a result, and its possible dialects. Out: an exit status, the failure of a call, the lines of a
//! file. The patterns are data, see [`super::dialects`].

use std::borrow::Cow;

use serde_json::Value;

use super::dialects::pattern::{Line, Pattern};
use super::dialects::{Dialects, Says, results, usual};
use super::tool_map::ToolCall;

/// Returns the exit status in a command's output, if there is one.
///
/// ```
/// use espalier::message::tool_output::exit_status;
/// assert_eq!(exit_status("boom\n[The command completed with exit code 101.]"), Some(101));
/// assert_eq!(exit_status("all good"), None);
/// ```
pub fn exit_status(output: &str) -> Option<i64> {
    // The status is at one end of the output. Searching only there keeps long logs cheap and ignores their content.
    let head = &output[..output.floor_char_boundary(300)];
    let tail = &output[output.ceil_char_boundary(output.len().saturating_sub(300))..];
    // Searches first for the words of which every marker contains one.
    let is_word = |word: &[u8]| word.eq_ignore_ascii_case(b"exit") || word.eq_ignore_ascii_case(b"code");
    let says = |window: &&str| window.as_bytes().windows(4).any(is_word);
    [tail, head].into_iter().filter(says).find_map(|window| {
        let lower = window.to_ascii_lowercase();
        usual().exit.iter().find_map(|marker| {
            let at = lower.rfind(marker)? + marker.len();
            let rest = lower[at..].trim_start_matches([' ', ':', '=', '"', '\'']);
            let digits: String = rest
                .chars()
                .enumerate()
                .take_while(|(i, c)| c.is_ascii_digit() || *i == 0 && *c == '-')
                .map(|(_, c)| c)
                .collect();
            digits.parse().ok()
        })
    })
}

/// True for a line that a tool adds around an output, such as the working directory of a shell.
///
/// ```
/// use espalier::message::tool_output::is_own;
/// assert!(is_own("[Current working directory: /app]") && !is_own("3 files changed"));
/// ```
pub fn is_own(line: &str) -> bool {
    let all = Dialects::ALL;
    [Says::Wrap, Says::Cut].into_iter().any(|says| results(says, all).any(|pattern| pattern.read(line).is_some()))
}

/// True for an output that begins like an error report of a tool. The host's own flag is more reliable, if there is
/// one.
///
/// ```
/// use espalier::message::dialects::Dialects;
/// use espalier::message::tool_output::says_failed;
/// assert!(says_failed("Error: no such file", Dialects::ALL) && !says_failed("Errors of the past", Dialects::ALL));
/// ```
pub fn says_failed(output: &str, dialects: Dialects) -> bool {
    let output = output.trim_start();
    results(Says::Fail, dialects).any(|pattern| pattern.read(output).is_some())
}

/// Returns the output of a command without what a host puts around it beside the exit status: JSON (Codex, Hermes,
/// tools that return the fields of a process) or tags (mini-swe-agent).
///
/// ```
/// use espalier::message::tool_output::body;
/// assert_eq!(body(r#"{"output":"two\nlines","metadata":{"exit_code":1}}"#), "two\nlines");
/// assert_eq!(body(r#"{"stdout": "one\n", "stderr": "two", "returncode": 1}"#), "one\ntwo");
/// assert_eq!(body("<returncode>1</returncode>\n<output>\nno\n</output>"), "no");
/// assert_eq!(body("plain"), "plain");
/// ```
pub fn body(output: &str) -> Cow<'_, str> {
    if let Some((_, inner)) = output.strip_prefix("<returncode>").and_then(|rest| rest.split_once("</returncode>")) {
        let inner = inner.trim();
        let inner = inner.strip_prefix("<output>").and_then(|rest| rest.strip_suffix("</output>")).unwrap_or(inner);
        return Cow::Borrowed(inner.trim_matches('\n'));
    }
    match fields(output) {
        Some(text) => Cow::Owned(text),
        None => Cow::Borrowed(output),
    }
}

/// Fields of JSON with the output of a command, and those of which one is beside it: its exit status.
pub(crate) const OUTPUTS: [&str; 2] = ["output", "stdout"];
pub(crate) const STATUSES: [&str; 5] = ["exit_code", "exitCode", "returncode", "return_code", "metadata"];

/// Returns the texts in JSON with an output and an exit status.
fn fields(output: &str) -> Option<String> {
    let head = &output[..output.floor_char_boundary(100)];
    if !output.starts_with('{') || !["\"output\"", "\"stdout\"", "code\""].iter().any(|name| head.contains(name)) {
        return None;
    }
    let Ok(Value::Object(all)) = serde_json::from_str(output) else { return None };
    let has_status = STATUSES.iter().filter_map(|name| all.get(*name)).any(|value| value.is_i64() || value.is_object());
    let is_output = OUTPUTS.iter().any(|name| all.get(*name).is_some_and(Value::is_string));
    let texts = ["output", "stdout", "stderr", "error"].iter().filter_map(|name| all.get(*name)?.as_str());
    let texts = texts.map(|text| text.trim_end_matches('\n')).filter(|text| !text.is_empty());
    (has_status && is_output).then(|| texts.collect::<Vec<_>>().join("\n"))
}

/// The lines of a file in the result of a read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Shown {
    /// Number, from 1, and text. Some numbers may be missing.
    pub lines: Vec<(u64, String)>,
    /// Number of lines of the file, if the result or the call contains it.
    pub total: Option<u64>,
    /// True if the tool left out content that the call requested.
    pub is_cut: bool,
}

impl Shown {
    /// True if these are all lines of the file.
    pub fn is_whole(&self) -> bool {
        let is_last = |total| self.lines.last().map_or(0, |(number, _)| *number) == total;
        !self.is_cut && self.lines.first().is_none_or(|(number, _)| *number == 1) && self.total.is_some_and(is_last)
    }
}

/// Number of lines at each end of a result that are checked for lines by the tool.
const ENDS: usize = 10;

/// Reads the result of a read of one file, without the tool's own lines. Numbers come from numbered lines; otherwise
/// lines are counted from the first one that the call or the tool names.
///
/// ```
/// use espalier::message::tool_map::ToolMap;
/// use espalier::message::tool_output::shown;
/// let call = ToolMap::default().read("read", r#"{"path":"a.rs","offset":7,"limit":2}"#);
/// let read = shown("fn a() {\n}\n\n[40 more lines in file. Use offset=9 to continue.]", &call);
/// assert_eq!(read.lines, [(7, "fn a() {".to_string()), (8, "}".to_string())]);
/// ```
pub fn shown(output: &str, call: &ToolCall) -> Shown {
    let output = body(output);
    let mut reading = Reading::new(call.dialects);
    let stop = output.lines().position(|line| reading.is(Says::Stop, line)).unwrap_or(usize::MAX);
    let mut lines: Vec<&str> = output.lines().take(stop).collect();
    // The tool's own lines at both ends, with the blank lines between them.
    let mut leading = 0;
    for (at, line) in lines.iter().take(ENDS).enumerate() {
        if reading.is_own(line) {
            let is_parted = reading.is(Says::Lead, line) && lines.get(at + 1).is_some_and(|next| next.is_empty());
            leading = at + 1 + usize::from(is_parted);
        } else if !line.trim().is_empty() {
            break;
        }
    }
    lines.drain(..leading);
    let mut kept = lines.len();
    for (at, line) in lines.iter().enumerate().rev().take(ENDS) {
        if reading.is_own(line) {
            kept = at;
        } else if !line.trim().is_empty() {
            break;
        }
    }
    // One blank line separates the content from a note after it.
    if kept > 0 && lines[kept - 1].is_empty() && lines.get(kept).is_some_and(|note| note.starts_with(['[', '('])) {
        kept -= 1;
    }
    lines.truncate(kept);
    let numbered = results(Says::Number, call.dialects).find_map(|pattern| reading.read_numbered(pattern, &lines));
    reading.shown.lines = match numbered {
        Some(numbered) => numbered,
        None => reading.number_lines(call, &lines),
    };
    let mut shown = reading.shown;
    if shown.total.is_none() && call.range.is_none() && !shown.is_cut {
        shown.total = Some(shown.lines.last().map_or(0, |(number, _)| *number));
    }
    shown
}

struct Reading {
    dialects: Dialects,
    shown: Shown,
    /// First line according to the tool.
    begin: Option<u64>,
}

impl Reading {
    fn new(dialects: Dialects) -> Reading {
        Reading { dialects, shown: Shown::default(), begin: None }
    }

    fn match_line<'t>(&self, says: Says, line: &'t str) -> Option<Line<'t>> {
        // No pattern matches a blank line, and an output may consist of a million of them.
        if line.trim_start().is_empty() {
            return None;
        }
        results(says, self.dialects).find_map(|pattern| pattern.read(line))
    }

    fn is(&self, says: Says, line: &str) -> bool {
        self.match_line(says, line).is_some()
    }

    /// Records the meaning of a line by the tool; returns false for content.
    fn is_own(&mut self, line: &str) -> bool {
        let cut = self.match_line(Says::Cut, line);
        self.shown.is_cut |= cut.is_some();
        let own = || self.match_line(Says::Wrap, line).or_else(|| self.match_line(Says::Lead, line));
        let Some(said) = cut.or_else(own) else { return false };
        self.shown.total = self.shown.total.or(said.total);
        self.begin = self.begin.or(said.from);
        true
    }

    /// Returns numbered lines, if every line has a number above the previous one or says that lines are missing.
    fn read_numbered(&mut self, pattern: Pattern, lines: &[&str]) -> Option<Vec<(u64, String)>> {
        let mut out: Vec<(u64, String)> = Vec::new();
        let mut is_cut = false;
        for line in lines {
            match pattern.read(line) {
                Some(Line { number: Some(number), rest, .. }) if out.last().is_none_or(|(last, _)| *last < number) => {
                    out.push((number, rest.to_string()));
                }
                // Blank lines around a line by the tool.
                _ if line.trim().is_empty() => {}
                _ if self.is(Says::Cut, line) => is_cut = true,
                _ => return None,
            }
        }
        self.shown.is_cut |= is_cut && !out.is_empty();
        (!out.is_empty()).then_some(out)
    }

    /// Returns the lines with their computed numbers.
    fn number_lines(&mut self, call: &ToolCall, lines: &[&str]) -> Vec<(u64, String)> {
        let from = self.begin.or(call.range.map(|(from, _)| from)).unwrap_or(1).max(1);
        // After a gap of unknown length the line numbers are unknown.
        let is_gap = |line: &str| {
            let has = |pattern: Pattern| line.contains(pattern.0);
            !line.is_empty() && (self.is(Says::Cut, line) || results(Says::Find, self.dialects).any(has))
        };
        let until = lines.iter().position(|line| is_gap(line));
        self.shown.is_cut |= until.is_some();
        let shown = &lines[..until.unwrap_or(lines.len())];
        // A call may contain any number; lines beyond the maximum number are dropped.
        (from..=u64::MAX).zip(shown).map(|(number, line)| (number, line.to_string())).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::dialects::{Dialects, Says, results};

    #[test]
    fn no_pattern_matches_a_blank_line() {
        for says in [Says::Fail, Says::Cut, Says::Wrap, Says::Lead, Says::Stop, Says::Number] {
            for pattern in results(says, Dialects::ALL) {
                assert!(["", "  ", "\t\r"].iter().all(|line| pattern.read(line).is_none()), "{pattern:?}");
            }
        }
    }
}

//! How a run of commands ended, as far as its result shows, and the lines that name the fault.
//!
//! An exit status or the host's flag decides first, then the summary of a test runner. If only the output is known,
//! only lines in the position of a diagnosis count (`a.c:3: error: x`, `make: *** ...`): contents of diffs, sources and
//! searches are no errors.

use super::command::{Status, Tests};
use super::error::{is_error_line, is_harmless};
use crate::tool_result::words;

/// Agents' text for a command without output.
pub(in crate::compact) const NO_OUTPUT: &str = "(no output)";

/// The properties of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Run {
    /// True if it only shows existing content.
    pub only_shows: bool,
    /// True if its exit status is that of a later command: `make | tail`, `make; date`.
    pub is_masked: bool,
    /// True if it ends in a search, which fails if it finds nothing.
    pub searches: bool,
}

/// How it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending<'t> {
    pub status: Status,
    /// Lines that name the fault; none for a run that passed.
    pub errors: Vec<&'t str>,
}

/// Diagnoses, in lower case, that follow the place of the fault.
const DIAGNOSES: [&str; 29] = [
    "error:",
    "error[",
    "error ts",
    "error while",
    "*** ",
    "fatal:",
    "fatal error",
    "panic:",
    "traceback (most recent call last)",
    "npm error",
    "npm err!",
    "uncaught ",
    "unhandled ",
    "segmentation fault",
    "assertion failed",
    "exception in thread",
    "thread '",
    // Gradle and Xcode; Maven; pnpm; Elixir.
    "build failed",
    "build failure",
    "[error] ",
    "err_pnpm_",
    "** (",
    // Kotlin, PHP, CMake, kubectl, git, R.
    "e: file:",
    "php fatal error:",
    "cmake error",
    "error from server",
    "conflict (",
    "automatic merge failed",
    "execution halted",
];
/// What a shell prints if a signal ended a program.
const SIGNALS: [&str; 5] = ["killed", "aborted", "bus error", "abort trap", "floating point exception"];
/// What programs print after their own name.
const COMPLAINTS: [&str; 9] = [
    "command not found",
    "not found",
    "no such file or directory",
    "permission denied",
    "cannot ",
    "can't ",
    "is a directory",
    "not a directory",
    "unrecognized option",
];

/// Reads the outcome of a run; `exit` is the status in its result.
pub fn ending<'t>(run: Run, text: &'t str, exit: Option<i64>, is_error: bool, tests: Option<&Tests>) -> Ending<'t> {
    let diagnosed = |strict: bool| {
        let is = |line: &str| is_diagnosis(line) || !strict && (is_error_line(line) || is_placed(line));
        let mut below = Below::default();
        let found: Vec<&str> = own_lines(text).filter(|line| below.is(line, is)).collect();
        // A summary adds nothing to what it sums up, and a place nothing to what happened there.
        without(without(found, sums_up), is_place_alone)
    };
    let is_empty = || text.lines().all(|line| line.trim().is_empty() || says_exit(line) || line.trim() == NO_OUTPUT);
    match exit {
        // A search that found nothing, after other commands.
        Some(1) if run.searches && is_empty() => return Ending { status: Status::Ended, errors: vec![] },
        Some(code) if code != 0 => {
            let errors = with_last(diagnosed(false), text, run.only_shows);
            return Ending { status: Status::Failed(Some(code)), errors };
        }
        None if is_error => {
            let errors = with_last(diagnosed(false), text, false);
            return Ending { status: Status::Failed(None), errors };
        }
        _ => {}
    }
    let passed = if exit.is_some() { Status::Ok } else { Status::Ended };
    if exit.is_some() && !run.is_masked {
        return Ending { status: passed, errors: vec![] };
    }
    match tests {
        Some(tests) if tests.has_failed() => {
            let errors = with_last(diagnosed(false), text, false);
            return Ending { status: Status::Failed(None), errors };
        }
        Some(tests) if tests.passed.is_some() => return Ending { status: Status::Ok, errors: vec![] },
        _ => {}
    }
    let errors: Vec<&str> = if run.only_shows {
        // Content may contain any line, so all of its lines must be complaints.
        let complaints: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).take(4).collect();
        let complains = complaints.len() <= 3 && complaints.iter().all(|line| says_exit(line) || is_complaint(line));
        complaints.into_iter().filter(|line| complains && !says_exit(line)).collect()
    } else {
        diagnosed(true)
    };
    let status = if errors.is_empty() { passed } else { Status::Failed(None) };
    Ending { status, errors }
}

/// The head of a stack trace of Python.
const TRACEBACK: &str = "Traceback (most recent call last):";

/// Finds error lines, and those that say what an error line announces: below a stack trace of Python the first line
/// that is not indented, whatever the class is called; else the line behind a colon (`panicked at src/a.rs:7:14:`).
#[derive(Default)]
enum Below {
    #[default]
    Nothing,
    Trace,
    Colon,
}

impl Below {
    fn is(&mut self, line: &str, is_error: impl Fn(&str) -> bool) -> bool {
        let is_blank = line.trim().is_empty();
        let is_told = match self {
            Below::Nothing => false,
            Below::Trace => !line.starts_with([' ', '\t']) && !is_blank,
            Below::Colon => !is_blank,
        };
        let is_error = is_error(line);
        *self = match self {
            _ if line.trim_end() == TRACEBACK => Below::Trace,
            Below::Trace if !is_told => Below::Trace,
            _ if is_error && line.trim_end().ends_with(':') => Below::Colon,
            _ => Below::Nothing,
        };
        is_told || is_error
    }
}

/// True for a fault at a place of a file: `src/a_test.go:41: got 3`.
fn is_placed(line: &str) -> bool {
    let line = line.trim();
    let Some((path, rest)) = line.split_once(':') else { return false };
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending);
    digits > 0
        && rest[digits..].starts_with(':')
        && (1..=5).contains(&ending.len())
        && ending.chars().all(char::is_alphanumeric)
        && !path.contains(char::is_whitespace)
        && line.len() <= 300
}

/// True for rules, totals of tests, and lines that only report that something above failed.
fn sums_up(line: &str) -> bool {
    let line = line.trim();
    let is_rule = line.len() >= 8
        && line.bytes().filter(|byte| matches!(byte, b'=' | b'-' | b'_' | b'*')).count() * 2 > line.len();
    let says = [
        "could not compile",
        "aborting due to",
        "previous error",
        "Lifecycle script",
        "Command failed with exit code",
        "did not complete successfully",
        "fatal: unable to access '",
        "failed to push some refs",
        "BUILD FAILED",
        "BUILD FAILURE",
        "[Help 1]",
        "full stack trace of the errors",
        "Re-run Maven",
        // The line below the frames says what was raised.
        TRACEBACK,
        "For more information about the errors",
    ];
    is_rule
        || is_footer_of_npm(line)
        || line.starts_with("make") && line.contains(": *** [")
        || line.starts_with("FAIL\t")
        || line.starts_with("FAIL ")
        || line.starts_with("FAILED (")
        || line.starts_with("--- FAIL")
        || line == "FAIL"
        || says.iter().any(|what| line.contains(what))
        || Tests::read(line).is_some_and(|tests| tests.failing.is_empty())
}

/// True for `npm error path /srv/app`: what npm was doing when the script that it ran failed.
fn is_footer_of_npm(line: &str) -> bool {
    let rest = line.strip_prefix("npm error ").or_else(|| line.strip_prefix("npm ERR! "));
    let said = ["code ", "path ", "workspace ", "location ", "command ", "errno ", "syscall ", "A complete log "];
    rest.is_some_and(|rest| said.iter().any(|what| rest.starts_with(what)))
}

/// Returns the lines that are not `less`, or all of them if there are no others.
fn without(mut lines: Vec<&str>, less: fn(&str) -> bool) -> Vec<&str> {
    if !lines.iter().all(|line| less(line)) {
        lines.retain(|line| !less(line));
    }
    lines
}

/// True for `tests/a_test.py:41: AssertionError`: a line above gives the reason.
fn is_place_alone(line: &str) -> bool {
    let behind = line.rsplit_once(": ").map(|(_, behind)| behind);
    is_placed(line) && behind.is_some_and(|name| names_exception(name) && !name.contains(' '))
}

/// Returns the last line with content if no line names an error.
fn with_last<'t>(mut errors: Vec<&'t str>, text: &'t str, may_be_none: bool) -> Vec<&'t str> {
    if errors.is_empty() && !may_be_none {
        let says = |line: &&str| !line.trim().is_empty() && !says_exit(line);
        let last = || text.lines().rev().find(|line| !line.trim().is_empty());
        errors.extend(text.lines().rev().find(says).or_else(last));
    }
    errors
}

/// Returns the lines that belong neither to a diff nor to source code with line numbers.
pub fn own_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut in_hunk = false;
    text.lines().filter(move |line| {
        in_hunk = line.starts_with("@@ ") || in_hunk && line.starts_with([' ', '+', '-', '\\']);
        !in_hunk && !is_quoted(line)
    })
}

/// True for lines of diffs, comments, and source code after a number: `12 | x`.
pub fn is_quoted(line: &str) -> bool {
    let line = line.trim_start();
    let is_diff = line.starts_with('+') || line.starts_with('-') && !line.starts_with("---");
    let behind = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let is_numbered =
        behind.len() < line.len() && (behind.starts_with('\t') || behind.trim_start().starts_with(['|', '│', '→']));
    is_diff || is_numbered || line.starts_with("* ") || line.starts_with("//")
}

/// True for a line in the position of a diagnosis: at the beginning, or after the place or the program.
///
/// ```
/// use espalier::compact::ledger::ended::is_diagnosis;
/// assert!(is_diagnosis("src/a.ts(3,1): error TS2304: Cannot find name 'x'."));
/// assert!(is_diagnosis("bash: ponyc: command not found") && is_diagnosis("make: *** [all] Error 2"));
/// assert!(is_diagnosis("BUILD FAILED in 3s") && is_diagnosis("Killed"));
/// assert!(!is_diagnosis(r#"    t.Fatalf("error: %v", err)"#) && !is_diagnosis("  error: string;"));
/// ```
pub fn is_diagnosis(line: &str) -> bool {
    if line.len() > 2_000 || is_harmless(line) {
        return false;
    }
    // Terraform draws a border.
    let line = line.trim().trim_start_matches('│').trim_start();
    if line.ends_with([';', '{', ',', '(', '[']) || line.contains("=>") {
        return false;
    }
    if is_placed(line) && line.ends_with("Error)") || has_code(line) {
        return true;
    }
    let begins = |rest: &str, words: &[&str]| {
        let start = |word: &str| rest.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        words.iter().any(|word| start(word))
    };
    let signal = line.trim_end_matches(" (core dumped)");
    if SIGNALS.iter().any(|says| signal.eq_ignore_ascii_case(says)) {
        return true;
    }
    let mut rest = line;
    for depth in 0..4 {
        if begins(rest, &words::LABELS)
            || begins(rest, &DIAGNOSES) && (!begins(rest, &["thread '"]) || rest.contains("panicked at"))
            || depth > 0 && begins(rest, &["error "])
            || begins(rest, &["FAILED "]) && rest.starts_with("FAILED ")
            || names_exception(rest)
            || rest.starts_with("--- FAIL")
        {
            return true;
        }
        // `src/a.c:3:1: `, `ld: `, `a.ts(3,1): `
        let Some((place, behind)) = rest.split_once(": ") else { break };
        if place.contains(char::is_whitespace) || place.contains(['"', '\'', '`', '{', '=']) || place.len() > 300 {
            break;
        }
        rest = behind;
    }
    is_complaint(line)
}

/// `ERROR 1146 (42S02) at line 1: …` of MySQL, `12:7  error  …` of ESLint, `Error in f(x) : …` of R.
fn has_code(line: &str) -> bool {
    let is_digit = |text: &str| text.starts_with(|c: char| c.is_ascii_digit());
    line.strip_prefix("ERROR ").is_some_and(|rest| is_digit(rest) && rest.contains(" ("))
        || is_digit(line) && line.split_whitespace().nth(1) == Some("error")
        || line.starts_with("Error in ") && line.contains(") :")
}

/// `ls: cannot access 'x': No such file or directory`
fn is_complaint(line: &str) -> bool {
    let Some((program, rest)) = line.trim().split_once(": ") else { return false };
    let program = program.rsplit('/').next().unwrap_or(program);
    let is_program = !program.is_empty()
        && program.len() <= 20
        && program.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'));
    let rest = rest.to_ascii_lowercase();
    // A search prints `file: line`.
    let is = |says: &&str| rest.starts_with(says) || rest.trim_end().ends_with(says.trim_end());
    is_program && COMPLAINTS.iter().chain(&words::FAULTS).any(is)
}

/// `TypeError: x`, `java.lang.IllegalStateException: x`, `Error: x`
fn names_exception(line: &str) -> bool {
    let name = line.split(|c: char| !(c.is_alphanumeric() || matches!(c, '.' | '_' | '$'))).next().unwrap_or(line);
    let behind = &line[name.len()..];
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase()) || name.contains('.');
    is_name
        && (name.ends_with("Error") || name.ends_with("Exception"))
        && (behind.is_empty() || behind.starts_with(": "))
}

/// True for a line that only reports the exit status.
pub fn says_exit(line: &str) -> bool {
    let line = line.trim();
    line.len() <= 100 && crate::message::tool_output::exit_status(line).is_some()
}

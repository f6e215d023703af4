//! Command lines and how they ended, and runs of tests among them.

use super::text::{ELLIPSIS, flat, has_word, identity, one_line, stem};

/// Maximum bytes of a command line that is kept.
pub const COMMAND_BYTES: usize = 200;

/// Maximum bytes of a record's line that is read as a command: the command, its output, names of failing tests.
const MAX_LINE_BYTES: usize = 4_000;

/// A command line and the outcome of its last run.
#[derive(Debug, Clone, PartialEq)]
pub struct Command {
    pub id: String,
    pub line: String,
    pub cwd: Option<String>,
    pub status: Status,
    /// The last line it printed.
    pub last_line: String,
    /// Number of runs.
    pub count: usize,
    /// Index of the message with the last run.
    pub at: usize,
    /// Test counts of the last run, if it looks like a run of tests.
    pub tests: Option<Tests>,
    /// True if it changes the world: its runs are listed as actions.
    pub is_action: bool,
}

/// How a command ended, as far as its result shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    Ok,
    Failed(Option<i64>),
    /// The result does not say.
    Ended,
    /// No result was recorded.
    Unknown,
}

impl Status {
    fn as_words(self) -> String {
        match self {
            Status::Ok => "ok".to_string(),
            Status::Failed(Some(code)) => format!("exit {code}"),
            Status::Failed(None) => "failed".to_string(),
            Status::Ended => "done".to_string(),
            Status::Unknown => "no result".to_string(),
        }
    }

    fn parse(words: &str) -> Option<Status> {
        Some(match words {
            "ok" => Status::Ok,
            "failed" => Status::Failed(None),
            "done" => Status::Ended,
            "no result" => Status::Unknown,
            _ => Status::Failed(Some(words.strip_prefix("exit ")?.parse().ok()?)),
        })
    }
}

impl Command {
    pub fn has_failed(&self) -> bool {
        matches!(self.status, Status::Failed(_))
    }

    /// Returns the cheapest line: without folder, and without output unless it was a run of tests.
    pub fn to_short_line(&self, bytes: usize) -> String {
        self.line_of(&self.short(bytes), false)
    }

    /// Returns the command line in about `bytes` bytes.
    pub fn short(&self, bytes: usize) -> String {
        shortened(body(&self.line), bytes)
    }

    /// Returns one line: the command cut to `bytes`, how it ended, and its last output if `with_output`. A run of tests
    /// always shows its counts.
    pub fn to_line(&self, bytes: usize, with_output: bool) -> String {
        self.line_of(&shortened(&self.line, bytes), with_output)
    }

    fn line_of(&self, command: &str, with_output: bool) -> String {
        let times = if self.count > 1 { format!(" x{}", self.count) } else { String::new() };
        let tests = self.tests.as_ref().map(Tests::to_words);
        let last = match tests.as_deref().unwrap_or(&self.last_line) {
            line if (with_output || self.tests.is_some() || is_test_run(&self.line)) && !line.is_empty() => {
                format!(": {}", one_line(line, 120))
            }
            _ => String::new(),
        };
        // A normal end is not mentioned.
        let ended = match self.status {
            Status::Ended if last.is_empty() => String::new(),
            status => [" -> ", &status.as_words(), &last].concat(),
        };
        ["`", command, "`", &times, &ended].concat()
    }

    /// Parses a line that [`Command::to_line`] wrote.
    pub fn parse(id: &str, text: &str) -> Option<Command> {
        // Longer than the lines written here: not one of them, and not worth the search.
        let text = text.strip_prefix('`').filter(|text| text.len() <= MAX_LINE_BYTES)?;
        // The outcome follows the command, so the first place where an outcome parses is the right one.
        text.match_indices('`').find_map(|(at, _)| {
            let rest = &text[at + 1..];
            let (times, ended) = rest.split_once(" -> ").unwrap_or((rest, "done"));
            let count = match times {
                "" => 1,
                times => times.strip_prefix(" x")?.parse().ok()?,
            };
            let (status, last) = ended.split_once(": ").unwrap_or((ended, ""));
            Some(Command {
                id: id.to_string(),
                line: text[..at].to_string(),
                cwd: None,
                status: Status::parse(status)?,
                last_line: last.to_string(),
                count,
                at: 0,
                tests: None,
                is_action: false,
            })
        })
    }
}

/// Shortens a command line to about `bytes`: long paths lose their first folders, then words in the middle are removed.
/// Beginning and end identify the command.
///
/// ```
/// use espalier::compact::ledger::command::shortened;
/// let line = "go test -tags=integration ./cmd/entire/cli/integration_test/setup/... -run TestInstall";
/// assert_eq!(shortened(line, 70), "go test -tags=integration …/setup/... -run TestInstall");
/// assert_eq!(shortened("cargo test", 70), "cargo test");
/// ```
pub fn shortened(line: &str, bytes: usize) -> String {
    if line.len() <= bytes {
        return line.to_string();
    }
    let words: Vec<String> = line.split(' ').map(short_path).collect();
    let all: usize = words.iter().map(|word| word.len() + 1).sum();
    if all <= bytes + 1 {
        return words.join(" ");
    }
    // Two thirds for the beginning.
    let taken = |words: &mut dyn Iterator<Item = &String>, max: usize| {
        let mut left = max;
        words.take_while(|word| left.checked_sub(word.len() + 1).map(|rest| left = rest).is_some()).count()
    };
    let head = taken(&mut words.iter(), bytes * 2 / 3);
    let used: usize = words[..head].iter().map(|word| word.len() + 1).sum();
    let tail = taken(&mut words[head..].iter().rev(), bytes.saturating_sub(used + ELLIPSIS.len() + 1));
    let (head, tail) = (words[..head].join(" "), words[words.len() - tail..].join(" "));
    match (head.is_empty(), tail.is_empty()) {
        // One word longer than the whole room.
        (true, _) => stem(line, bytes),
        (false, true) => format!("{head} {ELLIPSIS}"),
        (false, false) => format!("{head} {ELLIPSIS} {tail}"),
    }
}

/// Returns `…/core/agent.ts` for a long path.
fn short_path(word: &str) -> String {
    let is_long = word.len() > 24 && word.matches('/').count() > 2 && !word.contains("://");
    let is_plain = word.chars().all(|c| c.is_alphanumeric() || matches!(c, '/' | '.' | '-' | '_' | '@' | '~' | '+'));
    let last_two = word.trim_end_matches('/').rmatch_indices('/').nth(1).map(|(at, _)| at);
    match last_two.filter(|_| is_long && is_plain) {
        Some(at) => format!("{ELLIPSIS}{}", &word[at..]),
        None => word.to_string(),
    }
}

/// Returns a command line without the `cd` that many agents put before every command.
///
/// ```
/// use espalier::compact::ledger::command::body;
/// assert_eq!(body("cd /srv/app && npm test"), "npm test");
/// assert_eq!(body("cd /srv/app"), "cd /srv/app");
/// ```
pub fn body(line: &str) -> &str {
    let Some(rest) = line.strip_prefix("cd ") else { return line };
    let after = rest.find("&&").map(|at| at + 2).or_else(|| rest.find(';').map(|at| at + 1));
    match after.map(|at| (rest[..at].trim_end_matches(['&', ';']).trim(), rest[at..].trim())) {
        // The folder must be a single word; otherwise something else is in between.
        Some((folder, body)) if !body.is_empty() && !folder.contains([' ', '|', '(']) => body,
        _ => line,
    }
}

/// Returns a command line in the form in which it is kept.
pub fn kept_line(command: &str) -> String {
    flat(command, COMMAND_BYTES)
}

/// Returns the key of a command. Long scripts often have the same beginning.
///
/// ```
/// use espalier::compact::ledger::command::{key, kept_line};
/// let script = |end: &str| format!("python3 - <<'EOF'\n{}print({end})\nEOF", "import os\n".repeat(20));
/// assert_eq!(kept_line(&script("1")), kept_line(&script("2")));
/// assert_ne!(key(&script("1")), key(&script("2")));
/// ```
pub fn key(command: &str) -> String {
    identity(&flat(command, usize::MAX), COMMAND_BYTES)
}

/// The outcome of a run of tests.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tests {
    pub passed: Option<u64>,
    pub failed: Option<u64>,
    /// Names of failing tests, at most [`NAMES`].
    pub failing: Vec<String>,
}

/// Maximum names of failing tests that are kept.
pub const NAMES: usize = 8;

const RUNNERS: [&str; 31] = [
    "cargo test",
    "cargo nextest",
    "npm test",
    "npm t",
    "npm run test",
    "pnpm test",
    "yarn test",
    "bun test",
    "deno test",
    "node --test",
    "jest",
    "vitest",
    "mocha",
    "playwright test",
    "pytest",
    "tox",
    "unittest",
    "go test",
    "mvn test",
    "gradle test",
    "make test",
    "ctest",
    "runtests.py",
    "manage.py test",
    "django test",
    "rspec",
    "rails test",
    "phpunit",
    "dotnet test",
    "swift test",
    "mix test",
];

/// True if the command line looks like a run of tests.
pub fn is_test_run(command: &str) -> bool {
    has_word(&command[..command.floor_char_boundary(2_000)], &RUNNERS)
}

impl Tests {
    /// True if the run did not pass.
    pub fn has_failed(&self) -> bool {
        self.failed.is_some_and(|failed| failed > 0) || !self.failing.is_empty()
    }

    /// Parses the output of a run; returns `None` if it contains no counts and no failing test.
    pub fn read(output: &str) -> Option<Tests> {
        let mut tests = Tests::default();
        let mut totals = Totals::default();
        for line in output.lines().filter(|line| line.len() <= 1_000) {
            totals.read(line);
            // Counts of files and suites are printed beside those of tests.
            if line.contains("Test Files") || line.contains("Suites:") {
                continue;
            }
            let (passed, failed) = (number_of(line, "pass"), number_of(line, "fail"));
            if passed.is_some() || failed.is_some() {
                // Runners print one line for each suite: those add up; a line with both counts is the total of its
                // suite.
                tests.passed = add(tests.passed, passed);
                tests.failed = add(tests.failed, failed);
            }
            if let Some(name) = failing_name(line.trim())
                && tests.failing.len() < NAMES
                && !tests.failing.contains(&name)
            {
                tests.failing.push(name);
            }
        }
        if let Some(ran) = totals.ran {
            let failed = totals.failed.max(tests.failed.unwrap_or(0));
            (tests.passed, tests.failed) = (Some(ran.saturating_sub(failed + totals.skipped)), Some(failed));
            if tests.failing.is_empty() {
                tests.failing = totals.failing;
            }
        }
        (tests != Tests::default()).then_some(tests)
    }

    /// `12 passed, 1 failed: a::b, c`
    pub fn to_words(&self) -> String {
        let mut numbers: Vec<String> = Vec::new();
        numbers.extend(self.passed.map(|n| format!("{n} passed")));
        numbers.extend(self.failed.map(|n| format!("{n} failed")));
        let names = self.failing.join(", ");
        match (numbers.is_empty(), names.is_empty()) {
            (false, false) => format!("{}: {names}", numbers.join(", ")),
            (false, true) => numbers.join(", "),
            _ => format!("failing: {names}"),
        }
    }
}

/// What runners print that name all tests that ran, and those that did not pass: unittest, Maven, RSpec.
#[derive(Default)]
struct Totals {
    ran: Option<u64>,
    failed: u64,
    skipped: u64,
    failing: Vec<String>,
}

impl Totals {
    fn read(&mut self, line: &str) {
        let line = line.trim();
        let after = |what: &str| -> Option<u64> {
            let rest = &line[line.find(what)? + what.len()..];
            let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
            rest[..digits].parse().ok()
        };
        let sum = |all: &[&str]| all.iter().filter_map(|what| after(what)).fold(0, u64::saturating_add);
        if line.starts_with("Ran ") && line.contains(" test") {
            self.ran = add(self.ran, after("Ran "));
        } else if line.starts_with("FAILED (") || line.starts_with("OK (") {
            self.failed += sum(&["failures=", "errors=", "successes="]).min(1 << 32);
            self.skipped += sum(&["skipped="]).min(1 << 32);
        } else if let Some(name) = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: ")) {
            let name = one_line(name, 120);
            if name.contains('(') && self.failing.len() < NAMES && !self.failing.contains(&name) {
                self.failing.push(name);
            }
        } else if line.contains("Tests run: ") && !line.contains("Time elapsed") {
            self.ran = after("Tests run: ");
            (self.failed, self.skipped) = (sum(&["Failures: ", "Errors: "]), sum(&["Skipped: "]));
        } else if let Some((ran, _)) = line.split_once(" example").filter(|_| line.contains(" failure")) {
            self.ran = ran.parse().ok();
        }
    }
}

fn add(sum: Option<u64>, more: Option<u64>) -> Option<u64> {
    match (sum, more) {
        (Some(a), Some(b)) => Some(a.saturating_add(b)),
        (a, b) => a.or(b),
    }
}

/// Returns the number before a word, or after it at the end of a line: 12 in `12 passed` and in `# pass 12`.
fn number_of(line: &str, word: &str) -> Option<u64> {
    line.match_indices(word).find_map(|(at, _)| {
        let behind = &line[at + word.len()..];
        let ends = ["", "ed", "es", "ing", "ures", "ure"]
            .iter()
            .any(|end| behind.strip_prefix(end).is_some_and(|rest| !rest.starts_with(char::is_alphanumeric)));
        if !ends {
            return None;
        }
        let before = line[..at].strip_suffix(' ').unwrap_or_default();
        let digits = before.len() - before.bytes().rev().take_while(u8::is_ascii_digit).count();
        let marked = || line[..at].trim().chars().count() == 1;
        before[digits..].parse().ok().or_else(|| behind.trim().parse().ok().filter(|_| marked()))
    })
}

/// Returns the line of an output with the outcome: the summary of a run of tests, else the last line.
pub fn last_line(output: &str, is_test_run: bool) -> &str {
    let says = |line: &&str| !line.trim().is_empty() && !is_prompt(line);
    let sums_up = |line: &&str| {
        let line = line.trim();
        ["ok ", "ok\t", "OK", "FAIL", "PASS", "BUILD ", "Tests run:", "Ran "]
            .iter()
            .any(|start| line.starts_with(start))
    };
    let summary = || output.lines().rev().filter(|line| line.len() <= 1_000).find(sums_up);
    let last = || output.lines().rev().find(says);
    if is_test_run { summary().or_else(last) } else { last() }.unwrap_or("")
}

/// Returns the line of an output that names something new: a hash, else an address or an id.
pub fn news(output: &str) -> Option<&str> {
    let is_hash = |word: &str| {
        word.len() >= 7 && word.bytes().all(|b| b.is_ascii_hexdigit()) && word.bytes().any(|b| b.is_ascii_digit())
    };
    let is_name = |word: &str| {
        let (digits, letters) =
            (word.bytes().any(|b| b.is_ascii_digit()), word.bytes().any(|b| b.is_ascii_alphabetic()));
        word.contains("://") || word.len() >= 6 && digits && letters
    };
    let has = |line: &str, is: &dyn Fn(&str) -> bool| {
        line.split([' ', '\t', ']', '[', ',']).any(|word| word.split("..").any(is))
    };
    // Scripts that run in between print their commands.
    let lines = || output.lines().take(200).map(str::trim).filter(|line| line.len() <= 300 && !line.starts_with("> "));
    // Few lines name something, and recognising a host's output is slow.
    let find = |is: &dyn Fn(&str) -> bool| lines().find(|line| has(line, is) && !is_prompt(line));
    find(&is_hash).or_else(|| find(&is_name))
}

/// True for a shell's prompt, and for what a host prints after the output.
pub(super) fn is_prompt(line: &str) -> bool {
    let line = line.trim();
    // `root@host:/app#`
    let is_user = line.contains('@') && !line.contains(char::is_whitespace) && line.ends_with(['$', '#']);
    line.len() <= 12 && line.ends_with(['$', '#', '%', '>'])
        || is_user && line.len() <= 80
        || line.len() <= 300 && crate::message::tool_output::is_own(line)
        || super::ended::says_exit(line)
}

fn failing_name(line: &str) -> Option<String> {
    let name = line
        .strip_prefix("test ")
        .and_then(|rest| rest.strip_suffix(" ... FAILED"))
        .or_else(|| line.strip_prefix("FAILED ").filter(|rest| !rest.starts_with('(')))
        .or_else(|| line.strip_prefix("--- FAIL: "))
        .or_else(|| line.strip_prefix("✗ "))
        .or_else(|| line.strip_prefix("not ok "))?;
    let name = name.split(" - ").next().unwrap_or(name).trim();
    (!name.is_empty()).then(|| one_line(name, 120))
}

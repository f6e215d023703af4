//! The reducers of lines: read from `rules.json`, selected by the command or by the look of the text.

use serde::Deserialize;

use super::Pattern;
use super::shape::Shape;

/// The rules of this crate. A rule without `commands` applies to all texts of lines.
const RULES: &str = include_str!("rules.json");

/// The number of lines from the start and from the end of a text that show what it is.
const LOOKED_AT: usize = 300;

/// The number of such lines that a text needs if its command is unknown.
const MIN_LOOKS: usize = 2;

/// A reducer, as `rules.json` has it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    pub name: String,
    /// Programs, with a sub-command if it matters: `cargo test`.
    #[serde(default)]
    commands: Vec<String>,
    /// Lines by which the output is recognised.
    #[serde(default)]
    looks: Vec<Pattern>,
    #[serde(default)]
    pub drop: Vec<Drop>,
    pub shape: Option<Shape>,
}

/// Lines that a reducer leaves out.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Drop {
    /// A noun in the plural.
    pub what: String,
    pub lines: Vec<Pattern>,
    /// The number of lines behind each that go as well.
    #[serde(default)]
    pub next: usize,
    /// A block of lines goes, up to a line that matches one of these.
    #[serde(default)]
    pub until: Vec<Pattern>,
    /// Lines behind it that are indented deeper go as well.
    #[serde(default)]
    pub indented: bool,
    /// The first lines of each run that stay.
    #[serde(default)]
    pub keep: usize,
    /// A line goes although it has a word of error lines: a passed test may be named after an error.
    #[serde(default)]
    pub harmless: bool,
    /// The note in the text does not mention the lines: nobody asks for them. The report does.
    #[serde(default)]
    pub noise: bool,
}

fn read() -> serde_json::Result<Vec<Rule>> {
    serde_json::from_str(RULES)
}

thread_local! {
    /// Read once for the life of the engine. A test reads them, too: that they can be read is known.
    static READ: &'static [Rule] = Vec::leak(read().unwrap_or_default());
}

/// Returns the reducers of a text: that of its command, or the one whose lines it has, and those for all texts.
pub fn of(command: &str, text: &str) -> Vec<&'static Rule> {
    let all = READ.with(|read| *read);
    let named = stages(command).into_iter().find_map(|words| {
        let score = |rule: &&Rule| rule.commands.iter().filter_map(|command| runs(&words, command)).max();
        all.iter().filter(|rule| score(rule).is_some()).max_by_key(score)
    });
    let found = named.or_else(|| {
        let looks = all.iter().map(|rule| (seen(rule, text), rule));
        let best = looks.rev().max_by_key(|(seen, _)| *seen);
        best.filter(|(seen, _)| *seen >= MIN_LOOKS).map(|(_, rule)| rule)
    });
    // Of an unknown text only what its own rule names may go: it may be a file.
    let is_output = found.is_some() || !command.is_empty();
    let is_other = |rule: &&Rule| found.is_none_or(|found| found.name != rule.name);
    let general = all.iter().filter(|rule| is_output && rule.commands.is_empty()).filter(is_other);
    found.into_iter().chain(general).collect()
}

/// Returns the words of each program that a command line runs, without wrappers and settings of variables.
fn stages(command: &str) -> Vec<Vec<&str>> {
    let stages = command.split(['|', ';', '\n', '&']).map(words);
    stages.filter(|words| !matches!(words.first().copied(), None | Some("cd" | "echo" | "set" | "export"))).collect()
}

fn words(stage: &str) -> Vec<&str> {
    const WRAPPERS: [&str; 8] = ["sudo", "time", "npx", "env", "command", "exec", "nohup", "uvx"];
    stage.split_whitespace().skip_while(|word| word.contains('=') || WRAPPERS.contains(word)).collect()
}

/// Returns how well the words are the command of a rule: the number of its words. Options before a sub-command do not
/// matter.
fn runs(words: &[&str], command: &str) -> Option<usize> {
    let mut wanted = command.split(' ');
    let program = words.first()?.rsplit('/').next()?;
    if wanted.next() != Some(program) {
        return None;
    }
    let mut rest = words[1..].iter();
    let all = wanted.all(|word| rest.any(|other| *other == word));
    all.then(|| command.split(' ').count())
}

/// Returns how many of the lines at the start and the end of a text are lines of the rule's output.
fn seen(rule: &Rule, text: &str) -> usize {
    if rule.looks.is_empty() {
        return 0;
    }
    let ends = text.lines().take(LOOKED_AT).chain(text.lines().rev().take(LOOKED_AT));
    ends.filter(|line| rule.looks.iter().any(|look| look.matches(line.trim()))).count()
}

#[cfg(test)]
mod tests {
    use super::{of, read};

    #[test]
    fn the_rules_can_be_read() {
        assert!(!read().unwrap().is_empty());
    }

    #[test]
    fn commands_select_a_rule() {
        let check = |command: &str, name: &str| {
            assert_eq!(of(command, "").first().map(|rule| rule.name.as_str()), Some(name), "{command}");
        };
        check("cargo test --workspace", "cargo");
        check("cd x && RUST_LOG=1 cargo -q build 2>&1 | tail -5", "cargo");
        check("sudo apt-get install -y gcc", "packages");
        check("npx jest src", "jest");
        check("python -m pytest -q", "pytest");
        check("git -C x status", "git status");
        check("/usr/bin/rg -n todo", "search");
    }
}

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
    /// Lines from which on all lines stay, up to a blank one: a list of what failed.
    #[serde(default)]
    pub keep: Vec<Pattern>,
    #[serde(default)]
    pub shapes: Vec<Shape>,
    /// What lines between sections are drawn with, if each costs a token or more.
    #[serde(default)]
    pub rulers: Vec<String>,
    /// The output has lines of files: no rule for all texts applies.
    #[serde(default)]
    quotes: bool,
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
    /// The lines directly behind it that match one of these go as well.
    #[serde(default)]
    pub then: Vec<Pattern>,
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
    /// The line is the header of a section: it stays if a line of the section does.
    pub section: Option<Section>,
    /// What is written instead of a run of such lines.
    pub write: Option<String>,
}

/// The lines behind a header, up to the next header.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// The first lines that are no part of it.
    pub until: Vec<Pattern>,
    /// Lines of it for which the header need not stay.
    #[serde(default)]
    pub over: Vec<Pattern>,
}

fn read() -> serde_json::Result<Vec<Rule>> {
    serde_json::from_str(RULES)
}

thread_local! {
    /// Read once for the life of the engine. A test reads them, too: that they can be read is known.
    static READ: &'static [Rule] = Vec::leak(read().unwrap_or_default());
}

/// Returns the reducers of a text: those of its commands, or the one whose lines it has, and those for all texts.
pub fn of(command: &str, text: &str) -> Vec<&'static Rule> {
    let all = READ.with(|read| *read);
    let of_words = |words: Vec<&str>| {
        let score = |rule: &&Rule| rule.commands.iter().filter_map(|command| runs(&words, command)).max();
        all.iter().filter(|rule| score(rule).is_some()).max_by_key(score)
    };
    let mut found: Vec<&Rule> = Vec::new();
    for pipeline in pipelines(command) {
        // The others of a pipeline read what the first one writes.
        let rule = stages(pipeline).into_iter().find_map(of_words);
        found.extend(rule.filter(|rule| found.iter().all(|other| other.name != rule.name)));
    }
    if found.is_empty() {
        let looks = all.iter().map(|rule| (seen(rule, text), rule));
        let best = looks.rev().max_by_key(|(seen, _)| *seen);
        found.extend(best.filter(|(seen, _)| *seen >= MIN_LOOKS).map(|(_, rule)| rule));
    }
    // Of an unknown text only what its own rule names may go: it may be a file.
    let is_output = if found.is_empty() { !command.is_empty() } else { !found.iter().any(|rule| rule.quotes) };
    for rule in all.iter().filter(|rule| is_output && rule.commands.is_empty()) {
        found.extend((found.iter().all(|other| other.name != rule.name)).then_some(rule));
    }
    found
}

/// Programs that print files, and the number of their operands that are none: the script of `sed`.
const READERS: [(&str, usize); 13] = [
    ("cat", 0),
    ("bat", 0),
    ("nl", 0),
    ("less", 0),
    ("more", 0),
    ("type", 0),
    ("Get-Content", 0),
    ("gc", 0),
    ("tac", 0),
    ("head", 0),
    ("tail", 0),
    ("sed", 1),
    ("awk", 1),
];

/// Endings of files that programs write and nobody edits: to read them is to read an output.
const OUTPUTS: [&str; 4] = [".log", ".out", ".jsonl", ".ndjson"];

/// Returns whether a command line prints a file that may be edited later, by its exact text.
pub fn prints_file(command: &str) -> bool {
    pipelines(command).flat_map(stages).any(|words| {
        let bare: Vec<&str> = words.iter().map(|word| word.trim_matches(['\'', '"', '(', ')', '{', '}'])).collect();
        if let ["git", rest @ ..] = bare.as_slice() {
            return rest.contains(&"show") && rest.iter().any(|word| !word.starts_with('-') && word.contains(':'));
        }
        // `xargs cat`, `find -exec cat`, `do cat`, `bash -c 'cat …'`
        let starts = |at: usize| at == 0 || matches!(bare[at - 1], "xargs" | "-exec" | "do" | "then" | "-c" | "-lc");
        bare.iter().enumerate().filter(|(at, _)| starts(*at)).any(|(at, word)| {
            let program = word.rsplit('/').next().unwrap_or(word);
            let Some((_, others)) = READERS.iter().find(|(name, _)| *name == program) else { return false };
            let rest = &bare[at + 1..];
            // It writes a file.
            if rest.iter().any(|word| word.starts_with('>') || word.starts_with("<<") || *word == "-i") {
                return false;
            }
            let is_given = at > 0 && matches!(bare[at - 1], "xargs" | "-exec");
            let operands = rest.iter().filter(|word| !word.starts_with(['-', '+', '<']) && !word.contains('>'));
            let files: Vec<&str> = operands.skip(*others).filter(|word| !is_number(word)).copied().collect();
            is_given || files.iter().any(|file| !OUTPUTS.iter().any(|end| file.ends_with(end)))
        })
    })
}

/// Returns whether a word is the value of an option: `-n 20`.
fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// Splits a command line into the parts that run one after the other.
fn pipelines(command: &str) -> impl Iterator<Item = &str> {
    // Not at `2>&1`.
    command.split([';', '\n']).flat_map(|part| part.split("&&")).flat_map(|part| part.split("||"))
}

/// Returns the words of each program in a pipeline, without wrappers and settings of variables.
fn stages(pipeline: &str) -> Vec<Vec<&str>> {
    let stages = pipeline.split('|').map(words);
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
    use super::{of, prints_file, read};

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

    #[test]
    fn each_command_of_a_line_has_its_rule() {
        let check = |command: &str, wanted: &[&str]| {
            let rules = of(command, "");
            let names = rules.iter().filter(|rule| !rule.commands.is_empty()).map(|rule| rule.name.as_str());
            assert_eq!(names.collect::<Vec<_>>(), wanted, "{command}");
        };
        check("git status && git diff", &["git status", "git diff"]);
        check("cargo test 2>&1 | grep -n failed; cargo build", &["cargo"]);
        check("npm ci || npx jest", &["packages", "jest"]);
    }

    #[test]
    fn commands_that_print_a_file() {
        let check = |command: &str, wanted: bool| assert_eq!(prints_file(command), wanted, "{command}");
        for command in [
            "cat package.json",
            "cd x && ls -la && cat -n src/a.rs",
            "head -n 20 a.html",
            "tail +5 a.rs",
            "nl -ba a.rs | sed -n '1,80p'",
            "sed -n 1,80p a.rs",
            "sed -n '1,80p' \"a b.rs\"",
            "bash -lc 'cat a.rs'",
            "find . -name '*.ts' -exec cat {} +",
            "git ls-files | xargs cat",
            "for f in a b; do cat $f; done",
            "git show HEAD~1:src/a.rs",
            "/bin/cat 2.json",
            "Get-Content a.ts",
        ] {
            check(command, true);
        }
        for command in [
            "",
            "cargo test 2>&1 | tail -5",
            "npm test | tail -n 40",
            "cat build.log",
            "tail -100 out/run.jsonl",
            "cat <<EOF > a.rs",
            "cat > a.rs << 'EOF'",
            "sed -i s/a/b/ a.rs",
            "x | sed s/a/b/",
            "git show HEAD",
            "ls -l",
            "concat a b",
        ] {
            check(command, false);
        }
    }
}

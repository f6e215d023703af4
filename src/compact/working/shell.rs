//! What a command line shows of files and does to them.
//!
//! In: a command line and its working directory. Out: one [`Deed`] per action, in order.
//! [`crate::compact::ledger::shell`] says which files a line touches; this module says with which content. Start
//! reading at [`deeds`].

use crate::compact::ledger::shell::is_path;
use crate::compact::ledger::simple::{Simple, simple_commands};
use crate::message::path::in_folder;

/// Maximum bytes of a command that is read: here-documents hold whole files.
const MAX_BYTES: usize = 400_000;

/// One action of a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Deed {
    /// Prints these lines of a file, from the first one if no line is given.
    Show {
        path: String,
        from: u64,
        to: Option<u64>,
    },
    /// Prints numbered lines of one or more files.
    Find {
        path: Option<String>,
    },
    /// Prints anything else.
    Print,
    /// Writes a file; `text` is `None` if the command line does not contain it.
    Write {
        path: String,
        text: Option<String>,
    },
    Append {
        path: String,
        text: Option<String>,
    },
    Copy {
        from: String,
        to: String,
    },
    Move {
        from: String,
        to: String,
    },
    Delete {
        path: String,
    },
    /// May change this file.
    Suspect {
        path: String,
    },
    /// May change any file.
    SuspectAll,
    /// Formats files. The line names the command.
    Format,
}

/// Names of formatters, and options that let linters write.
const FORMATTERS: [&str; 18] = [
    "--write",
    "--fix",
    "prettier",
    "gofmt",
    "goimports",
    "rustfmt",
    "black",
    "isort",
    "yapf",
    "autopep8",
    "autoflake",
    "clang-format",
    "dprint",
    "pre-commit",
    "lint-staged",
    "fmt",
    "format",
    "--in-place",
];

/// Sub-commands of git that replace files of the work tree.
const CHECKOUTS: [&str; 13] = [
    "checkout",
    "restore",
    "reset",
    "stash",
    "pull",
    "merge",
    "rebase",
    "revert",
    "cherry-pick",
    "apply",
    "am",
    "clean",
    "switch",
];

const QUIET: [&str; 16] = [
    "cd", "pushd", "popd", "mkdir", "rmdir", "touch", "true", "false", "sleep", "export", "set", "unset", "source",
    "chmod", "wait", ":",
];

const INTERPRETERS: [&str; 10] = ["python", "python3", "node", "perl", "ruby", "awk", "bun", "deno", "php", "ex"];

/// True if a command, or a script that a package manager announces, formats files.
pub fn formats(line: &str) -> bool {
    line.split(|c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ':' | '/' | ';'))
        .any(|word| FORMATTERS.contains(&word))
}

/// Reads a command line. `cwd` is its working directory, if known.
///
/// ```
/// use espalier::compact::working::shell::{Deed, deeds};
/// let shown = Deed::Show { path: "/w/a.rs".into(), from: 3, to: Some(9) };
/// assert_eq!(deeds("cd /w && sed -n '3,9p' a.rs", None), [shown]);
/// let written = deeds("cat > b.rs <<'EOF'\nfn b() {}\nEOF", None);
/// assert_eq!(written, [Deed::Write { path: "b.rs".into(), text: Some("fn b() {}\n".into()) }]);
/// ```
pub fn deeds(command: &str, cwd: Option<&str>) -> Vec<Deed> {
    let simple = simple_commands(&command[..command.floor_char_boundary(MAX_BYTES)]);
    let mut reading = Reading { cwd: cwd.map(str::to_string), deeds: Vec::new() };
    for one in &simple {
        reading.read_command(one);
    }
    reading.deeds
}

/// Returns the key of a command: its first three words without options.
fn key(simple: &Simple) -> String {
    let words = simple.words.iter().filter(|word| !word.starts_with(['-', '>', '&']) && !word.contains('='));
    words.take(3).map(String::as_str).collect::<Vec<_>>().join(" ")
}

/// Returns the keys of all commands of a line.
pub fn keys(command: &str) -> Vec<String> {
    let simple = simple_commands(&command[..command.floor_char_boundary(MAX_BYTES)]);
    simple.iter().map(key).filter(|key| !key.is_empty()).collect()
}

struct Reading {
    cwd: Option<String>,
    deeds: Vec<Deed>,
}

/// The destination of a command's output.
struct Output<'a> {
    plain: Vec<&'a str>,
    /// The path, and whether the output is appended.
    to: Option<(&'a str, bool)>,
}

fn split_output(words: &[String]) -> Output<'_> {
    let mut out = Output { plain: Vec::new(), to: None };
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        match word {
            ">" | ">>" | "1>" | "&>" => {
                let is_file = |path: &&str| is_path(path);
                out.to = words.next().filter(is_file).map(|path| (path, word == ">>")).or(out.to);
            }
            "2>" | "2>>" | "<" => drop(words.next()),
            word => out.plain.push(word),
        }
    }
    while out.plain.first().is_some_and(|w| w.contains('=') && !w.starts_with('-') || matches!(*w, "sudo" | "time")) {
        out.plain.remove(0);
    }
    out
}

impl Reading {
    fn path(&self, path: &str) -> String {
        in_folder(self.cwd.as_deref(), path)
    }

    fn read_command(&mut self, simple: &Simple) {
        let Output { plain, to } = split_output(&simple.words);
        if let Some((path, is_appended)) = to {
            let is_text = matches!(plain.as_slice(), ["cat"] | ["tee"]);
            let text = simple.document.clone().filter(|_| is_text);
            let path = self.path(path);
            self.deeds.push(if is_appended { Deed::Append { path, text } } else { Deed::Write { path, text } });
            return;
        }
        let Some((&name, rest)) = plain.split_first() else { return };
        let name = name.rsplit('/').next().unwrap_or(name);
        let operands: Vec<&str> = rest.iter().copied().filter(|w| !w.starts_with('-') && !w.is_empty()).collect();
        let has = |flags: &[&str]| rest.iter().any(|w| flags.iter().any(|flag| w.starts_with(flag)));
        let is_first = !simple.is_piped;
        let whole = self.read_quiet_command(name, rest, &operands, simple);
        if whole {
            return;
        }
        let shown = is_first.then(|| shown_lines(name, rest)).flatten();
        match (name, operands.as_slice()) {
            // `cat a | head -20` shows the first lines of a; any other reader changes the output.
            ("head", _) if simple.is_piped => {
                let count = count(rest).unwrap_or(10);
                if let Some(Deed::Show { to, from, .. }) = self.deeds.last_mut() {
                    let last = from.saturating_add(count).saturating_sub(1);
                    *to = Some(to.map_or(last, |to| to.min(last)));
                } else if !matches!(self.deeds.last(), Some(Deed::Find { .. })) {
                    self.deeds.push(Deed::Print);
                }
            }
            ("cat", _) if simple.is_piped => {}
            ("grep" | "rg" | "egrep", _) if is_first => {
                let files: Vec<&&str> = operands.iter().skip(1).filter(|word| is_path(word)).collect();
                let path = match files.as_slice() {
                    [file] if file.contains('.') && !has(&["-r", "-R"]) => Some(self.path(file)),
                    _ => None,
                };
                let is_numbered = rest.iter().any(|w| w.starts_with('-') && !w.starts_with("--") && w.contains('n'));
                let is_numbered = is_numbered || has(&["--line-number"]) || name == "rg" && path.is_none();
                self.deeds.push(if is_numbered { Deed::Find { path } } else { Deed::Print });
            }
            _ if simple.is_piped => {
                // The command prints something else than its input.
                match self.deeds.last_mut() {
                    Some(last @ (Deed::Show { .. } | Deed::Find { .. })) if name != "tee" => *last = Deed::Print,
                    _ => self.deeds.push(Deed::Print),
                }
            }
            _ => match shown {
                Some((path, from, to)) => {
                    let path = self.path(path);
                    self.deeds.push(Deed::Show { path, from, to });
                }
                None if QUIET.contains(&name) => {}
                None => self.deeds.push(Deed::Print),
            },
        }
    }

    /// Adds the actions of commands that print little or nothing; returns true if the command is handled.
    fn read_quiet_command(&mut self, name: &str, rest: &[&str], operands: &[&str], simple: &Simple) -> bool {
        let has = |flags: &[&str]| rest.iter().any(|w| flags.iter().any(|flag| w.starts_with(flag)));
        match (name, operands) {
            ("cd" | "pushd", [folder, ..]) => self.cwd = Some(self.path(folder)),
            ("rm" | "unlink", paths) | ("git", ["rm", paths @ ..]) => {
                for path in paths.iter().filter(|path| is_path(path)) {
                    let path = self.path(path);
                    self.deeds.push(Deed::Delete { path });
                }
            }
            ("mv", [from, to]) | ("git", ["mv", from, to]) | ("cp", [from, to]) if is_path(from) && is_path(to) => {
                let name_of = |path: &str| path.rsplit('/').next().unwrap_or(path).to_string();
                let is_folder = to.ends_with('/') || *to == "." || !name_of(to).contains('.');
                let to = if is_folder { format!("{to}/{}", name_of(from)) } else { (*to).to_string() };
                let (from, to) = (self.path(from), self.path(&to));
                self.deeds.push(if name == "cp" { Deed::Copy { from, to } } else { Deed::Move { from, to } });
            }
            ("tee", [path]) if is_path(path) => {
                let (path, text) = (self.path(path), simple.document.clone());
                let is_appended = has(&["-a", "--append"]);
                self.deeds.push(if is_appended { Deed::Append { path, text } } else { Deed::Write { path, text } });
            }
            ("sed" | "perl", _) if has(&["-i", "--in-place", "-pi"]) => {
                let paths: Vec<&&str> = operands.iter().filter(|word| word.contains(['.', '/'])).collect();
                if paths.iter().any(|path| path.contains(['*', '$', '{'])) {
                    self.deeds.push(Deed::SuspectAll);
                }
                for path in paths.iter().filter(|path| is_path(path)) {
                    let path = self.path(path);
                    self.deeds.push(Deed::Suspect { path });
                }
            }
            ("git", [verb, rest @ ..]) if CHECKOUTS.contains(verb) => {
                self.checkout(verb, rest, has(&["-b", "-B", "-c"]))
            }
            ("patch", _) => self.deeds.push(Deed::SuspectAll),
            ("xargs", words) if words.contains(&"sed") || words.contains(&"perl") => self.deeds.push(Deed::SuspectAll),
            (name, _) if INTERPRETERS.contains(&name) => {
                let code: Vec<&str> = rest.iter().copied().chain(simple.document.as_deref()).collect();
                self.script(&code.join(" "));
                self.deeds.push(Deed::Print);
            }
            _ if formats(&simple.words.join(" ")) => {
                self.deeds.extend([Deed::Format, Deed::Print]);
            }
            _ => return false,
        }
        true
    }

    fn checkout(&mut self, verb: &str, operands: &[&str], is_new: bool) {
        let list = verb == "stash" && matches!(operands.first(), Some(&("list" | "show" | "drop")));
        // `checkout -b name` changes no file; `reset path` and `reset` change what is staged.
        if is_new && matches!(verb, "checkout" | "switch") || list {
            return self.deeds.push(Deed::Print);
        }
        let files: Vec<&&str> = operands.iter().filter(|word| word.contains('.') && is_path(word)).collect();
        if matches!(verb, "checkout" | "restore") && !files.is_empty() && !operands.contains(&".") {
            for path in files {
                let path = self.path(path);
                self.deeds.push(Deed::Suspect { path });
            }
        } else {
            self.deeds.push(Deed::SuspectAll);
        }
        self.deeds.push(Deed::Print);
    }

    /// Marks the files that a script names as possibly changed, if it writes at all.
    fn script(&mut self, code: &str) {
        const WRITES: [&str; 9] = ["write", "'w'", "\"w\"", "'a'", "\"a\"", "'r+'", "sed -i", "-i", "truncate"];
        if !WRITES.iter().any(|word| code.contains(word)) {
            return;
        }
        let is_part = |c: char| c.is_alphanumeric() || matches!(c, '/' | '.' | '_' | '-' | '@' | '~');
        let mut paths: Vec<String> = Vec::new();
        for word in code.split(|c: char| !is_part(c)) {
            let base = word.rsplit('/').next().unwrap_or(word);
            let is_file = base.split_once('.').is_some_and(|(stem, ending)| !stem.is_empty() && !ending.is_empty());
            if is_file && is_path(word) && !paths.contains(&self.path(word)) {
                paths.push(self.path(word));
            }
        }
        self.deeds.extend(paths.into_iter().map(|path| Deed::Suspect { path }));
    }
}

/// Reads the count in `-n 20`, `-20`, `-n20`, `--lines=20`.
fn count(words: &[&str]) -> Option<u64> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if *word == "-n" || *word == "--lines" {
            return words.next()?.parse().ok();
        }
        let digits =
            word.strip_prefix("--lines=").or_else(|| word.strip_prefix("-n")).or_else(|| word.strip_prefix('-'));
        if let Some(count) = digits.and_then(|digits| digits.parse().ok()) {
            return Some(count);
        }
    }
    None
}

/// Returns the lines of one file that a command prints: path, first, last.
fn shown_lines<'a>(name: &str, rest: &[&'a str]) -> Option<(&'a str, u64, Option<u64>)> {
    let operands = |skip: usize| {
        let mut plain =
            rest.iter().copied().filter(|word| !word.starts_with('-') && !word.chars().all(|c| c.is_ascii_digit()));
        let path = plain.nth(skip).filter(|path| is_path(path))?;
        plain.next().is_none().then_some(path)
    };
    match name {
        "cat" | "nl" | "less" | "more" => Some((operands(0)?, 1, None)),
        "head" => Some((operands(0)?, 1, Some(count(rest).unwrap_or(10)))),
        "tail" => {
            let from = rest.iter().find_map(|word| word.strip_prefix('+').or_else(|| word.strip_prefix("-n+")));
            let path = rest.last().copied().filter(|path| is_path(path) && !path.starts_with('+'))?;
            Some((path, from?.parse().ok()?, None))
        }
        "sed" if rest.contains(&"-n") => {
            let script = rest.iter().find(|word| !word.starts_with('-'))?;
            let range = script.trim_end_matches(';').strip_suffix('p')?;
            let (from, to) = range.split_once(',').unwrap_or((range, range));
            let to = if to == "$" { None } else { Some(to.parse().ok()?) };
            Some((operands(1).or_else(|| rest.last().copied().filter(|path| is_path(path)))?, from.parse().ok()?, to))
        }
        _ => None,
    }
}

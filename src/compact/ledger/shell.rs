//! What a command line does to files, as far as its text shows.

use super::simple::simple_commands;
use crate::message::path::in_folder;

/// What a command line does to one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Touch {
    Read,
    Create,
    Edit,
    Delete,
}

/// A parsed command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    /// The folder to which it changes first.
    pub cwd: Option<String>,
    pub files: Vec<(Touch, String)>,
    /// True if it only shows existing content, so that its output is content and not news.
    pub only_shows: bool,
}

/// Maximum bytes of a command line to parse: longer ones are scripts.
const MAX_BYTES: usize = 20_000;

const SHOWS: [&str; 20] = [
    "cat", "head", "tail", "less", "more", "nl", "grep", "egrep", "rg", "ag", "ls", "find", "tree", "wc", "awk", "cut",
    "sort", "uniq", "echo", "jq",
];

/// Parses a command line. `cwd` is where it runs, if known.
///
/// ```
/// use espalier::compact::ledger::shell::{Touch, read};
/// let line = read("cd /w && rm -f a.rs && git mv b.rs c.rs > /dev/null", None);
/// assert_eq!(line.cwd.as_deref(), Some("/w"));
/// assert_eq!(line.files[0], (Touch::Delete, "/w/a.rs".into()));
/// assert_eq!(line.files[2], (Touch::Create, "/w/c.rs".into()));
/// assert!(read("grep -rn x src | head", None).only_shows);
/// ```
pub fn read(command: &str, cwd: Option<&str>) -> Line {
    let mut line = Line { cwd: cwd.map(str::to_string), ..Line::default() };
    let mut shows = 0;
    let mut others = 0;
    for simple in simple_commands(&command[..command.floor_char_boundary(MAX_BYTES)]) {
        one(&simple.words, &mut line, &mut shows, &mut others);
    }
    line.only_shows = shows > 0 && others == 0;
    line
}

fn one(words: &[String], line: &mut Line, shows: &mut usize, others: &mut usize) {
    // Redirections first: they apply to the words before them.
    let mut plain: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let word = words[at].as_str();
        match word {
            ">" | ">>" | "1>" | "&>" | "2>" => {
                if let Some(path) = words.get(at + 1).filter(|p| word != "2>" && is_path(p)) {
                    let touch = if word == ">>" { Touch::Edit } else { Touch::Create };
                    touched(line, touch, path);
                }
                at += 2;
            }
            "<" => at += 2,
            _ => {
                plain.push(word);
                at += 1;
            }
        }
    }
    while plain.first().is_some_and(|w| w.contains('=') && !w.starts_with('-') || *w == "sudo" || *w == "time") {
        plain.remove(0);
    }
    let Some((&name, rest)) = plain.split_first() else { return };
    let name = name.rsplit('/').next().unwrap_or(name);
    let operands: Vec<&str> = rest.iter().copied().filter(|w| !w.starts_with('-') && !w.is_empty()).collect();
    let flag = |flags: &[&str]| rest.iter().any(|w| flags.iter().any(|f| w.starts_with(f)));
    let mut each = |touch: Touch, paths: &[&str]| {
        for path in paths.iter().filter(|path| is_path(path)) {
            touched(line, touch, path);
        }
    };
    let files =
        |from: usize| -> Vec<&str> { operands.iter().skip(from).copied().filter(|w| w.contains(['.', '/'])).collect() };
    match (name, operands.as_slice()) {
        ("cd" | "pushd", [folder, ..]) => {
            line.cwd = Some(in_folder(line.cwd.as_deref(), folder));
            return;
        }
        ("rm" | "unlink", paths) => each(Touch::Delete, paths),
        ("git", ["rm", paths @ ..]) => each(Touch::Delete, paths),
        ("mv", [from @ .., to]) | ("git", ["mv", from @ .., to]) => {
            each(Touch::Delete, from);
            // Inside a target folder the file's name is not resolved.
            if from.len() == 1 && !to.ends_with('/') && *to != "." {
                each(Touch::Create, &[to]);
            }
        }
        ("cp", [_, to]) if !to.ends_with('/') && *to != "." && to.contains('.') => each(Touch::Create, &[to]),
        ("touch" | "tee", paths) => each(Touch::Create, paths),
        ("sed", _) if flag(&["-i", "--in-place"]) => {
            // The first operand is the script, unless -e passed scripts.
            let scripts = rest.iter().filter(|w| **w == "-e").count();
            each(Touch::Edit, &operands.iter().skip(scripts.max(1)).copied().collect::<Vec<_>>());
        }
        ("perl", _) if flag(&["-pi", "-i"]) => each(Touch::Edit, &files(1)),
        ("cat" | "head" | "tail" | "less" | "nl", _) => {
            each(Touch::Read, &files(0));
            *shows += 1;
            return;
        }
        ("sed", _) => {
            each(Touch::Read, &files(1));
            *shows += 1;
            return;
        }
        ("git", ["diff" | "show" | "log" | "status" | "blame" | "grep" | "branch", ..]) => {
            *shows += 1;
            return;
        }
        _ if SHOWS.contains(&name) => {
            *shows += 1;
            return;
        }
        _ => {}
    }
    *others += 1;
}

/// True for a word of a command that can be the path of a file.
pub(in crate::compact) fn is_path(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with(['-', '&', '(', '$', '|'])
        && !word.contains(['*', '?', '$', '`', '{', '|', '"', '\'', ';', '<', '>', '=', '&', '\n'])
        && !word.starts_with("/dev/")
        && word.len() <= 300
}

fn touched(line: &mut Line, touch: Touch, path: &str) {
    let path = in_folder(line.cwd.as_deref(), path);
    if !path.is_empty() && path != "/" {
        line.files.push((touch, path));
    }
}

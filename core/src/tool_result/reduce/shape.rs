//! Writes outputs with repeated paths or columns in a shorter shape: matches of a search by file, paths by folder,
//! tables without alignment, listings of a folder without the columns that models rarely need.

use serde::Deserialize;

use super::rows;
use crate::map::HashSet;
use crate::tool_result::errors::is_error;

/// The shape of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Shape {
    /// `path:12:text` or `path:text` for each match. Nothing is lost.
    Matches,
    /// A path in each line, with other words or alone. Nothing is lost.
    Paths,
    /// Rows with aligned columns. Nothing is lost.
    Columns,
    /// `commit` with all 40 digits of the hash: 12 name the same commit.
    Commits,
    /// `ls -l`. Permissions, owners and dates are lost.
    Listing,
    /// Lines with their numbers, aligned on the right (`cat -n`): written without the alignment.
    Numbered,
}

impl Shape {
    pub fn name(self) -> &'static str {
        match self {
            Shape::Matches => "matches by file",
            Shape::Paths => "paths by folder",
            Shape::Columns => "columns",
            Shape::Commits => "commits",
            Shape::Listing => "listing",
            Shape::Numbered => "line numbers",
        }
    }
}

/// Returns a text in its shape and the name of what is lost; `None` if its lines are not like this.
pub fn written(shape: Shape, text: &str) -> Option<(String, Option<&'static str>)> {
    match shape {
        Shape::Matches => Some((matches(text)?, None)),
        Shape::Paths => Some((rows::folders(text)?, None)),
        Shape::Columns => Some((rows::columns(text)?, None)),
        Shape::Commits => Some((commits(text)?, None)),
        Shape::Listing => Some((listing(text)?, Some("permissions, owners, dates"))),
        Shape::Numbered => Some((numbered(text)?, None)),
    }
}

/// Writes the path of consecutive matches once, above them. `None` unless two of three lines are matches.
fn matches(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len());
    let mut open: Option<&str> = None;
    let (mut found, mut lines, mut repeated) = (0, 0, 0);
    let known: HashSet<&str> = text.lines().filter_map(|line| places(line, ':').next()).map(|(path, _)| path).collect();
    for line in text.lines() {
        lines += usize::from(!matches!(line.trim(), "" | "--"));
        // A line of context is one of a file with a match: a name may contain `-12-`, too.
        let context = places(line, '-').find(|(path, _)| known.contains(path));
        let numbered = context.or_else(|| places(line, ':').next()).map(|(path, rest)| (path, "\n", rest));
        match numbered.or_else(|| unnumbered(line)) {
            Some((path, end, rest)) => {
                found += 1;
                if open == Some(path) {
                    repeated += 1;
                } else {
                    out.extend([path, end]);
                    open = Some(path);
                }
                out.push_str(if end == "\n" { "" } else { " " });
                out.push_str(rest);
                out.push('\n');
            }
            None => {
                // Context lines of the same file may be apart.
                open = open.filter(|_| line == "--");
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    (found * 3 >= lines * 2 && repeated > 0).then_some(out)
}

/// Splits a line `path:12:text`, or with the mark `-` a line `path-12-text` (context), behind each possible path.
fn places(line: &str, mark: char) -> impl Iterator<Item = (&str, &str)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let splits = line.match_indices(mark).map(|(at, _)| (&line[..at], &line[at + 1..]));
    splits.take_while(|(path, _)| path.len() < MAX_PATH).filter(move |(path, rest)| {
        let count = digits(rest);
        count > 0 && rest[count..].starts_with(mark) && is_path(path)
    })
}

/// Splits a match without its line number, `path:text`: the path, what ends the line above the texts, and the text. A
/// line about an error stays whole.
fn unnumbered(line: &str) -> Option<(&str, &str, &str)> {
    let (path, text) = line.split_once(':')?;
    let is_match = is_path(path) && path.contains(['/', '.']) && !text.starts_with("//") && !is_error(line);
    is_match.then_some((path, ":\n", text))
}

/// Max bytes of a path.
const MAX_PATH: usize = 400;

fn is_path(text: &str) -> bool {
    text.bytes().any(|byte| !byte.is_ascii_digit()) && !text.contains([' ', '\t', ':', '"', '\'', '(', '{', ','])
}

/// Shortens the hashes of commits. `None` if there is none.
fn commits(text: &str) -> Option<String> {
    let hash = |line: &str| {
        let hash = line.strip_prefix("commit ")?.get(..HASH)?;
        hash.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some("commit ".len() + SHORT_HASH)
    };
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match hash(line) {
            Some(end) => out.extend([&line[..end], &line[end - SHORT_HASH + HASH..]]),
            None => out.push_str(line),
        }
    }
    (out.len() < text.len()).then_some(out)
}

/// Digits of a commit's hash, and those that are written.
const HASH: usize = 40;
const SHORT_HASH: usize = 12;

/// Writes `1234 name` for each file of `ls -l`, `name/` for a folder, `name -> target` for a link.
fn listing(text: &str) -> Option<String> {
    let mut out = String::with_capacity(text.len() / 2);
    let (mut entries, mut others) = (0, 0);
    for line in text.lines() {
        match entry(line) {
            Some(entry) => {
                entries += 1;
                out.push_str(&entry);
            }
            None if line.strip_prefix("total ").is_some_and(|rest| rest.bytes().all(|b| b.is_ascii_digit())) => {
                continue;
            }
            None => {
                others += usize::from(!line.trim().is_empty());
                out.push_str(line);
            }
        }
        out.push('\n');
    }
    (entries >= 3 && entries > others * 2).then_some(out)
}

/// Reads `-rw-r--r-- 1 root root 1234 Nov 25 23:33 name`, and what `find -ls` writes before it: inode and blocks.
fn entry(line: &str) -> Option<String> {
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == ' ');
    let mode = line.as_bytes().get(..10)?;
    let is_mode = matches!(mode[0], b'-' | b'd' | b'l')
        && mode[1..].iter().all(|byte| matches!(byte, b'r' | b'w' | b'x' | b's' | b'S' | b't' | b'T' | b'-'));
    if !is_mode {
        return None;
    }
    let mut rest = line;
    let mut size = "";
    // Mode, links, owner, group, size, three words of a date; the rest is the name.
    for column in 0..8 {
        let end = rest.find(' ')?;
        if column == 4 {
            size = &rest[..end];
        }
        // Exactly one space precedes the name, which may begin with another one.
        rest = if column == 7 { &rest[end + 1..] } else { rest[end..].trim_start_matches(' ') };
    }
    if rest.is_empty() || !size.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'K' | b'M' | b'G')) {
        return None;
    }
    match mode[0] {
        b'd' if matches!(rest, "." | "..") => Some(String::from(rest)),
        b'd' => Some(format!("{rest}/")),
        b'l' => Some(String::from(rest)),
        _ => Some(format!("{size} {rest}")),
    }
}

/// Removes the spaces before line numbers. `None` unless nine of ten lines are numbered.
fn numbered(text: &str) -> Option<String> {
    let is_numbered = |line: &str| {
        let rest = line.trim_start_matches(' ');
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        rest.len() < line.len() && digits > 0 && rest[digits..].starts_with('\t')
    };
    let (mut lines, mut found) = (0, 0);
    for line in text.lines().filter(|line| !line.is_empty()) {
        lines += 1;
        found += usize::from(is_numbered(line));
        // Most texts have no numbers: their first lines show it.
        if found * 2 < lines && lines > 40 {
            return None;
        }
    }
    if found == 0 || found * 10 < lines * 9 {
        return None;
    }
    let shorter =
        |line: &str| if is_numbered(line) { line.trim_start_matches(' ').to_string() } else { line.to_string() };
    Some(text.split_inclusive('\n').map(shorter).collect())
}

#[cfg(test)]
mod tests {
    use super::{Shape, written};

    fn check(shape: Shape, text: &str, wanted: Option<&str>) {
        assert_eq!(written(shape, text).map(|(text, _)| text).as_deref(), wanted);
    }

    #[test]
    fn matches_are_by_file() {
        check(
            Shape::Matches,
            "src/a.rs:1:use b;\nsrc/a.rs:22:    b::c()\nsrc/a.rs-23-}\nlib/x-1.ts:4:7: b\n",
            Some("src/a.rs\n1:use b;\n22:    b::c()\n23-}\nlib/x-1.ts\n4:7: b\n"),
        );
        check(Shape::Matches, "a.rs:1:x\n--\na.rs:9:x\n--\nb.rs:1:x\n", Some("a.rs\n1:x\n--\n9:x\n--\nb.rs\n1:x\n"));
        check(Shape::Matches, "a.rs:1:x\nb.rs:1:x\n", None);
        // Names with numbers, and text with the time.
        check(
            Shape::Matches,
            "docs/adr-0001-a.md:5:x\ndocs/adr-0001-a.md:9:x\ndb/2024-01-05-b.sql-2-y\ndb/2024-01-05-b.sql:3:x\n--\n\
             a.log-4-12:30:01 y\na.log:5:12:30:02 x\n",
            Some(
                "docs/adr-0001-a.md\n5:x\n9:x\ndb/2024-01-05-b.sql\n2-y\n3:x\n--\na.log\n4-12:30:01 y\n5:12:30:02 x\n",
            ),
        );
        check(Shape::Matches, "12:30:01 started\n12:30:02 ended\n", None);
        // Without numbers.
        check(
            Shape::Matches,
            "src/a.rs:use b;\nsrc/a.rs:  b::c()\nsrc/a.rs:12: x\nb.md:a: b\nb.md:an error\nMakefile:all\n",
            Some("src/a.rs:\n use b;\n   b::c()\n12: x\nb.md:\n a: b\nb.md:an error\nMakefile:all\n"),
        );
        check(Shape::Matches, "https://a.b/c\nhttps://a.b/d\nhttps://a.b/e\n", None);
    }

    #[test]
    fn numbers_are_not_aligned() {
        let lines: String = (9..30).map(|n| format!("{n:6}\tlet x = {n};\n")).collect();
        let wanted: String = (9..30).map(|n| format!("{n}\tlet x = {n};\n")).collect();
        check(Shape::Numbered, &format!("Here is the file:\n{lines}"), Some(&format!("Here is the file:\n{wanted}")));
        check(Shape::Numbered, "a\n  b\n", None);
    }

    #[test]
    fn listings_have_names_and_sizes() {
        let text = "total 12\ndrwxr-xr-x 2 me me 4096 Nov 25 23:33 .\ndrwxr-xr-x 2 me me 4096 Nov 25 23:33 src\n\
                    -rw-r--r--  1 me me  120 Nov  5  2024 a b.txt\nlrwxrwxrwx 1 me me 5 Nov 25 23:33 x -> a b.txt\n";
        check(Shape::Listing, text, Some(".\nsrc/\n120 a b.txt\nx -> a b.txt\n"));
        check(Shape::Listing, "total 12\nnothing\n", None);
        let found = "  589 4 drwxr-xr-x 3 root root 4096 Nov 26 17:54 /core\n 58 16 -rw-r--r-- 1 root root 846 Nov 26 17:54 \
                     /core/a.rs\n   61  8 -rw-r--r--   1 root   root   7 Nov 26 17:54 /core/b c\n";
        check(Shape::Listing, found, Some("/core/\n846 /core/a.rs\n7 /core/b c\n"));
    }

    #[test]
    fn hashes_of_commits_are_short() {
        let hash = "ce16ca77cf034e04a806ad64aa64127cf9757e7b";
        let text = format!("commit {hash} (HEAD -> main)\nAuthor: A\n\n    commit {hash}\ncommit abc1234\n");
        let wanted = format!("commit ce16ca77cf03 (HEAD -> main)\nAuthor: A\n\n    commit {hash}\ncommit abc1234\n");
        check(Shape::Commits, &text, Some(&wanted));
        check(Shape::Commits, "commit abc1234\n", None);
    }
}

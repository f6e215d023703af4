//! Unified diffs: which lines of a file are new, and where lines were removed.
//!
//! Reads the output of `diff -u`, Git, Mercurial and Subversion. Combined diffs of merges are refused, since they have
//! more than one old side. Lines end with a line feed. As in Git, a carriage return before it belongs to the line.

use std::borrow::Cow;

use crate::error::{Code, Error, Result};

/// What happened to a file.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Status {
    /// Its content or its mode changed.
    #[default]
    Modified,
    /// It was added.
    Added,
    /// It was removed.
    Deleted,
    /// It was renamed, and its content can have changed.
    Renamed,
    /// It was copied, and its content can have changed.
    Copied,
}

impl Status {
    /// Returns the name in JavaScript.
    pub fn as_str(self) -> &'static str {
        match self {
            Status::Modified => "modified",
            Status::Added => "added",
            Status::Deleted => "deleted",
            Status::Renamed => "renamed",
            Status::Copied => "copied",
        }
    }
}

/// The diff of one file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileDiff<'d> {
    /// The old name without Git's `a/`; `None` for a new file, or if the diff has no name.
    pub old_path: Option<Cow<'d, str>>,
    /// The new name; `None` for a removed file.
    pub new_path: Option<Cow<'d, str>>,
    /// What happened.
    pub status: Status,
    /// Whether the file is binary, so that there are no hunks.
    pub binary: bool,
    /// The hunks, ascending and without overlap.
    pub hunks: Vec<Hunk<'d>>,
}

/// One hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk<'d> {
    /// The line of its header in the diff, from 1.
    pub at: usize,
    /// The number of lines before it in the old file.
    pub old_start: u32,
    /// The number of its lines in the old file.
    pub old_lines: u32,
    /// The number of lines before it in the new file.
    pub new_start: u32,
    /// The number of its lines in the new file.
    pub new_lines: u32,
    /// The lines.
    pub lines: Vec<Line<'d>>,
}

/// A line of a hunk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Line<'d> {
    /// The side that has it.
    pub side: Side,
    /// Its text without the line feed.
    pub text: &'d str,
}

/// The sides of a diff that have a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Both files.
    Both,
    /// The new file only.
    New,
    /// The old file only.
    Old,
}

impl<'d> FileDiff<'d> {
    /// Returns the name of the file: the new one if there is one.
    pub fn path(&self) -> Option<&str> {
        self.new_path.as_deref().or(self.old_path.as_deref())
    }

    /// Returns the changed lines of the new file, from 0 and without the end; empty where lines were only removed.
    ///
    /// ```
    /// use espalier::document::changed::diff::parse;
    /// let diff = parse("@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n@@ -9 +8,0 @@\n-z\n").unwrap();
    /// assert_eq!(diff[0].changes(), [(1, 2), (8, 8)]);
    /// ```
    pub fn changes(&self) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        for hunk in &self.hunks {
            let mut at = hunk.new_start;
            let mut open: Option<(u32, u32)> = None;
            for line in &hunk.lines {
                match line.side {
                    Side::Both => found.extend(open.take()),
                    Side::New => open.get_or_insert((at, at)).1 = at + 1,
                    Side::Old => _ = open.get_or_insert((at, at)),
                }
                at += u32::from(line.side != Side::Old);
            }
            found.extend(open);
        }
        found
    }
}

/// Reads a diff of any number of files.
///
/// # Errors
/// [`Code::BadDiff`] with the line, for a combined diff, a truncated hunk, or a hunk that overlaps the one before it.
pub fn parse(diff: &str) -> Result<Vec<FileDiff<'_>>> {
    let mut reader = Reader { rest: diff, line: 0, files: Vec::new(), named: false };
    while let Some(line) = reader.next() {
        reader.header(line)?;
    }
    Ok(reader.files)
}

/// Returns the file of a diff that is meant: the only one, or the one with this name or the end of it; `None` for an
/// empty diff.
///
/// ```
/// use espalier::document::changed::diff::{of_file, parse};
/// let hunk = "@@ -1 +1 @@\n-a\n+b\n";
/// let two = &format!("--- a/src/one.rs\n+++ b/src/one.rs\n{hunk}--- a/two.rs\n+++ b/two.rs\n{hunk}");
/// let found = |name| of_file(parse(two)?, name).map(|file| file.and_then(|file| file.path().map(String::from)));
/// assert_eq!(found(r"C:\work\src\one.rs"), Ok(Some("src/one.rs".into())));
/// assert_eq!(found("two.rs"), Ok(Some("two.rs".into())));
/// assert!(found("wo.rs").is_err());
/// ```
///
/// # Errors
/// [`Code::BadDiff`] if none of several files has this name.
pub fn of_file<'d>(mut parsed: Vec<FileDiff<'d>>, name: &str) -> Result<Option<FileDiff<'d>>> {
    if parsed.len() < 2 {
        return Ok(parsed.pop());
    }
    let name = name.replace('\\', "/");
    let exact = parsed.iter().position(|file| file.path() == Some(&name));
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    let found = exact.or_else(|| {
        parsed.iter().position(|file| file.path().is_some_and(|path| ends(&name, path) || ends(path, &name)))
    });
    match found {
        Some(at) => Ok(Some(parsed.swap_remove(at))),
        None => {
            let message = format!("this diff is of {} files, and none of them is {name:?}", parsed.len());
            Err(Error::new(Code::BadDiff, message))
        }
    }
}

struct Reader<'d> {
    rest: &'d str,
    /// The number of lines read so far.
    line: usize,
    files: Vec<FileDiff<'d>>,
    /// Whether the last file already has its names from `---` and `+++`.
    named: bool,
}

impl<'d> Reader<'d> {
    fn next(&mut self) -> Option<&'d str> {
        if self.rest.is_empty() {
            return None;
        }
        self.line += 1;
        let (line, rest) = self.rest.split_once('\n').unwrap_or((self.rest, ""));
        self.rest = rest;
        Some(line)
    }

    fn fail<T>(&self, line: usize, what: &str) -> Result<T> {
        Err(Error::new(Code::BadDiff, format!("{what}, in line {line} of the diff")))
    }

    fn open(&mut self) {
        self.files.push(FileDiff::default());
        self.named = false;
    }

    /// Returns the file that header lines belong to.
    fn file(&mut self) -> &mut FileDiff<'d> {
        if self.files.is_empty() {
            self.open();
        }
        let last = self.files.len() - 1;
        &mut self.files[last]
    }

    fn header(&mut self, line: &'d str) -> Result<()> {
        let line = line.strip_suffix('\r').unwrap_or(line);
        if line.starts_with("@@@") || line.starts_with("diff --cc ") || line.starts_with("diff --combined ") {
            return self.fail(self.line, "this is the combined diff of a merge; diff against one parent");
        }
        if let Some(rest) = line.strip_prefix("@@ ") {
            return self.hunk(rest);
        }
        if let Some(names) = line.strip_prefix("diff --git ") {
            self.open();
            // Names can contain blanks. The lines of a rename repeat them, and so do `---` and `+++`. If none of these
            // follow, as for a new file without content, both names are equal.
            if let Some((old, new)) = halves(names) {
                let file = self.file();
                (file.old_path, file.new_path) = (Some(old), Some(new));
            }
        } else if line.starts_with("diff ") || line.starts_with("Index: ") {
            self.open();
        } else if let Some(name) = line.strip_prefix("--- ") {
            if self.named || self.files.last().is_none_or(|file| !file.hunks.is_empty()) {
                self.open();
            }
            let name = name_of(name, "a/");
            let file = self.file();
            if name.is_none() {
                file.status = Status::Added;
            }
            file.old_path = name;
        } else if let Some(name) = line.strip_prefix("+++ ") {
            let name = name_of(name, "b/");
            let file = self.file();
            if name.is_none() {
                file.status = Status::Deleted;
            }
            file.new_path = name;
            self.named = true;
        } else {
            self.extended(line);
        }
        Ok(())
    }

    /// Reads Git's header lines. Other text between hunks, such as a message, says nothing about files.
    fn extended(&mut self, line: &'d str) {
        if self.files.last().is_none_or(|file| !file.hunks.is_empty()) {
            return;
        }
        let file = self.file();
        if line.starts_with("new file mode") {
            file.status = Status::Added;
            file.old_path = None;
        } else if line.starts_with("deleted file mode") {
            file.status = Status::Deleted;
            file.new_path = None;
        } else if let Some(name) = line.strip_prefix("rename from ") {
            (file.status, file.old_path) = (Status::Renamed, Some(unquoted(name)));
        } else if let Some(name) = line.strip_prefix("copy from ") {
            (file.status, file.old_path) = (Status::Copied, Some(unquoted(name)));
        } else if let Some(name) = line.strip_prefix("rename to ").or_else(|| line.strip_prefix("copy to ")) {
            file.new_path = Some(unquoted(name));
        } else if line == "GIT binary patch" || (line.starts_with("Binary files ") && line.ends_with(" differ")) {
            file.binary = true;
        }
    }

    fn hunk(&mut self, head: &str) -> Result<()> {
        let at = self.line;
        let Some((old, new)) = ranges(head) else {
            return self.fail(at, "`@@ -line,count +line,count @@` is expected");
        };
        let mut hunk = Hunk {
            at,
            old_start: before(old),
            old_lines: old.1,
            new_start: before(new),
            new_lines: new.1,
            lines: Vec::new(),
        };
        if hunk.old_start.checked_add(old.1).is_none() || hunk.new_start.checked_add(new.1).is_none() {
            return self.fail(at, "a hunk of more than 4,294,967,295 lines");
        }
        let overlaps = |last: &Hunk| {
            hunk.new_start < last.new_start + last.new_lines || hunk.old_start < last.old_start + last.old_lines
        };
        if self.file().hunks.last().is_some_and(overlaps) {
            return self.fail(at, "this hunk overlaps the one before it");
        }
        let (mut old, mut new) = (old.1, new.1);
        while old > 0 || new > 0 {
            let Some(line) = self.next() else {
                return self.fail(at, "this hunk is cut off");
            };
            let side = match line.as_bytes().first() {
                // An empty line of both files whose leading blank was trimmed by a mail program or an editor.
                Some(b' ') | None => Side::Both,
                Some(b'\r') if line.len() == 1 => Side::Both,
                Some(b'+') => Side::New,
                Some(b'-') => Side::Old,
                Some(b'\\') => continue,
                _ => return self.fail(self.line, "a line of a hunk begins with a blank, `+` or `-`"),
            };
            let (takes_old, takes_new) = (side != Side::New, side != Side::Old);
            if (takes_old && old == 0) || (takes_new && new == 0) {
                return self.fail(self.line, "this hunk has other lines than its head says");
            }
            old -= u32::from(takes_old);
            new -= u32::from(takes_new);
            let text = if line.starts_with([' ', '+', '-']) { &line[1..] } else { line };
            hunk.lines.push(Line { side, text });
        }
        // `\ No newline at end of file` behind the last line is no header, and `header` ignores it.
        self.file().hunks.push(hunk);
        Ok(())
    }
}

/// Returns the number of lines before a hunk. An empty hunk names the line before it.
fn before((start, count): (u32, u32)) -> u32 {
    if count == 0 { start } else { start.saturating_sub(1) }
}

/// Reads `-1,2 +3 @@ …` as ((1, 2), (3, 1)).
pub(super) fn ranges(head: &str) -> Option<((u32, u32), (u32, u32))> {
    let (ranges, _) = head.split_once(" @@")?;
    let (old, new) = ranges.trim().strip_prefix('-')?.split_once(" +")?;
    let range = |text: &str| {
        let (start, count) = text.split_once(',').unwrap_or((text, "1"));
        Some((start.parse().ok()?, count.parse().ok()?))
    };
    Some((range(old)?, range(new)?))
}

/// Returns both names of `diff --git a/x b/x`.
fn halves(names: &str) -> Option<(Cow<'_, str>, Cow<'_, str>)> {
    if let Some(quoted) = names.strip_prefix('"') {
        let end = quoted.find("\" ")? + 2;
        let (old, new) = names.split_at(end);
        return Some((side(unquoted(old), "a/"), side(unquoted(new.trim_start()), "b/")));
    }
    // If the names are equal, the blank between them is in the middle.
    let middle = names.len() / 2;
    if names.as_bytes().get(middle) == Some(&b' ') && names.is_char_boundary(middle) {
        let (old, new) = (&names[..middle], &names[middle + 1..]);
        let (old, new) = (old.strip_prefix("a/").unwrap_or(old), new.strip_prefix("b/").unwrap_or(new));
        if old == new {
            return Some((Cow::Borrowed(old), Cow::Borrowed(new)));
        }
    }
    let at = names.find(" b/")?;
    Some((side(Cow::Borrowed(&names[..at]), "a/"), side(Cow::Borrowed(&names[at + 1..]), "b/")))
}

/// Returns the name behind `---` or `+++`. A tab ends it, and a date can follow. `None` for `/dev/null`.
fn name_of<'d>(text: &'d str, prefix: &str) -> Option<Cow<'d, str>> {
    let name = unquoted(text.split('\t').next().unwrap_or_default().trim_end());
    (name != "/dev/null").then(|| side(name, prefix))
}

fn side<'d>(name: Cow<'d, str>, prefix: &str) -> Cow<'d, str> {
    match name {
        Cow::Borrowed(name) => Cow::Borrowed(name.strip_prefix(prefix).unwrap_or(name)),
        Cow::Owned(name) => Cow::Owned(name.strip_prefix(prefix).map(str::to_string).unwrap_or(name)),
    }
}

/// Reads a name as Git quotes it: as in C, with bytes in octal.
fn unquoted(name: &str) -> Cow<'_, str> {
    let Some(inside) = name.strip_prefix('"').and_then(|name| name.strip_suffix('"')) else {
        return Cow::Borrowed(name);
    };
    let mut bytes = Vec::with_capacity(inside.len());
    let mut rest = inside.bytes().peekable();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        match rest.next() {
            Some(digit @ b'0'..=b'7') => {
                let mut value = u32::from(digit - b'0');
                for _ in 0..2 {
                    if let Some(digit) = rest.next_if(|byte| matches!(byte, b'0'..=b'7')) {
                        value = value * 8 + u32::from(digit - b'0');
                    }
                }
                bytes.push(value as u8);
            }
            Some(b'n') => bytes.push(b'\n'),
            Some(b't') => bytes.push(b'\t'),
            Some(b'r') => bytes.push(b'\r'),
            Some(other) => bytes.push(other),
            None => bytes.push(b'\\'),
        }
    }
    Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
}

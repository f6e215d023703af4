//! The changes that a call makes to files: whole texts, replacements, insertions, hunks of patches.
//!
//! In: the arguments of a call, read by [`super::tool_map::ToolMap::changes`], or the text of a patch. Out: one
//! [`FileChange`] per step, in the order in which the tool applies them.

use super::path::normal;
use super::tool_map::ToolKind;
use crate::map::HashSet;

/// One step of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Replaces the whole content by this text.
    Write {
        text: String,
    },
    /// Replaces the text `old` by `new`, once or at every occurrence.
    Replace {
        old: String,
        new: String,
        all: bool,
    },
    /// Inserts lines after line `after`, counted from 1; 0 inserts at the beginning, `None` at the end.
    Insert {
        after: Option<u64>,
        text: String,
    },
    /// Replaces lines `from` to `to`, counted from 1.
    Lines {
        from: u64,
        to: u64,
        text: String,
    },
    /// Replaces whole lines. `at` is the number of the first one, if the patch contains it.
    Hunk {
        at: Option<u64>,
        old: Vec<String>,
        new: Vec<String>,
    },
    /// Inserts the text at an unknown position.
    Somewhere {
        text: String,
    },
    Delete,
    /// Gives the file the content of another one, which is deleted.
    MovedFrom {
        path: String,
    },
}

/// A step and the file that it changes; without a path it is the file that the call names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileChange {
    pub path: Option<String>,
    pub change: Change,
}

/// Reads a patch: unified, in the form of `apply_patch`, or in blocks of SEARCH and REPLACE.
///
/// ```
/// use espalier::message::change::{Change, of_patch};
/// let steps = of_patch("--- a/x.rs\n+++ b/x.rs\n@@ -3,2 +3,2 @@\n fn x() {\n-    1\n+    2\n");
/// let Change::Hunk { at, old, new } = &steps[0].change else { panic!() };
/// assert_eq!((steps[0].path.as_deref(), *at), (Some("x.rs"), Some(3)));
/// assert_eq!((old[1].as_str(), new[1].as_str()), ("    1", "    2"));
/// ```
pub fn of_patch(patch: &str) -> Vec<FileChange> {
    let is_blocks = patch.lines().any(is_search);
    if is_blocks { blocks(patch) } else { hunks(patch) }
}

fn is_search(line: &str) -> bool {
    let rest = line.trim_start_matches(['<', '-']);
    line.len() - rest.len() >= 5 && rest.trim().trim_end_matches('>') == "SEARCH"
}

fn is_replace(line: &str) -> bool {
    let rest = line.trim_start_matches(['>', '+']);
    line.len() - rest.len() >= 5 && rest.trim() == "REPLACE"
}

/// Reads blocks of SEARCH and REPLACE. Roo writes `:start_line:7` and a line of dashes before the text.
fn blocks(text: &str) -> Vec<FileChange> {
    let mut out = Vec::new();
    let mut lines = text.lines();
    while lines.by_ref().any(is_search) {
        let (mut old, mut new, mut at) = (Vec::new(), Vec::new(), None);
        let mut is_new = false;
        for line in lines.by_ref() {
            if is_replace(line) {
                break;
            }
            if !is_new && line.trim_end() == "=======" {
                is_new = true;
            } else if is_new {
                new.push(line.to_string());
            } else if old.is_empty() && line.starts_with(":start_line:") {
                at = line[":start_line:".len()..].trim().parse().ok();
            } else if old.is_empty() && (line.starts_with(":end_line:") || line.trim_end() == "-------") {
                // These lines only repeat what the text shows.
            } else {
                old.push(line.to_string());
            }
        }
        let change = match old.as_slice() {
            [] => Change::Write { text: new.join("\n") },
            _ => Change::Hunk { at, old, new },
        };
        out.push(FileChange { path: None, change });
    }
    out
}

/// Returns the files that a patch names, in the unified form or in codex's, each once: a patch can name a file for
/// every hunk, and each named file is compared with all hunks.
pub(super) fn patched(patch: &str) -> Vec<(ToolKind, String)> {
    let mut out: Vec<(ToolKind, String)> = Vec::new();
    let mut old = None;
    for line in patch.lines() {
        let head = |prefix: &str| line.strip_prefix(prefix).map(|path| normal(path.split('\t').next().unwrap_or(path)));
        if let Some(path) = head("*** Update File: ") {
            out.push((ToolKind::Edit, path));
        } else if let Some(path) = head("*** Add File: ").or_else(|| head("*** Move to: ")) {
            out.push((ToolKind::Write, path));
        } else if let Some(path) = head("*** Delete File: ") {
            out.push((ToolKind::Delete, path));
        } else if let Some(path) = head("--- a/").or_else(|| head("--- ")) {
            old = Some(path);
        } else if let Some(path) = head("+++ b/").or_else(|| head("+++ ")) {
            match (old.take().as_deref(), path.as_str()) {
                (Some(old), "/dev/null") => out.push((ToolKind::Delete, old.to_string())),
                (Some("/dev/null"), _) => out.push((ToolKind::Write, path)),
                (Some(_), _) => out.push((ToolKind::Edit, path)),
                // A line of content that looks like a header.
                (None, _) => {}
            }
        }
    }
    let mut seen = HashSet::default();
    out.retain(|touched| seen.insert(touched.clone()));
    out
}

/// The part of a patch about one file, as read so far.
#[derive(Default)]
struct Section {
    path: Option<String>,
    /// The whole text of a new file.
    added: Option<Vec<String>>,
    hunk: Option<(Option<u64>, Vec<String>, Vec<String>)>,
}

impl Section {
    fn end_hunk(&mut self, out: &mut Vec<FileChange>) {
        let Some((at, mut old, mut new)) = self.hunk.take() else { return };
        // The line break at the end of a patch is not context.
        if old.last().is_some_and(String::is_empty) && new.last().is_some_and(String::is_empty) && at.is_none() {
            old.pop();
            new.pop();
        }
        if old != new {
            out.push(FileChange { path: self.path.clone(), change: Change::Hunk { at, old, new } });
        }
    }

    fn end(&mut self, out: &mut Vec<FileChange>) {
        self.end_hunk(out);
        if let Some(lines) = self.added.take() {
            out.push(FileChange { path: self.path.clone(), change: Change::Write { text: lines.join("\n") } });
        }
        self.path = None;
    }
}

fn hunks(patch: &str) -> Vec<FileChange> {
    let mut out: Vec<FileChange> = Vec::new();
    let mut section = Section::default();
    let mut old_path: Option<String> = None;
    // Remaining lines in the hunk of a unified diff: a line that looks like a header is content there.
    let mut left = (0u64, 0u64);
    let header = |line: &str, prefix: &str| {
        line.strip_prefix(prefix).map(|path| normal(path.split('\t').next().unwrap_or(path)))
    };
    for line in patch.lines() {
        let is_inside = left.0 > 0 || left.1 > 0;
        if !is_inside {
            if let Some(path) = header(line, "*** Update File: ") {
                section.end(&mut out);
                section.path = Some(path);
                continue;
            } else if let Some(path) = header(line, "*** Add File: ") {
                section.end(&mut out);
                (section.path, section.added) = (Some(path), Some(Vec::new()));
                continue;
            } else if let Some(path) = header(line, "*** Delete File: ") {
                section.end(&mut out);
                out.push(FileChange { path: Some(path), change: Change::Delete });
                continue;
            } else if let Some(path) = header(line, "*** Move to: ") {
                let from = section.path.replace(path.clone());
                let change = Change::MovedFrom { path: from.unwrap_or_default() };
                out.push(FileChange { path: Some(path), change });
                continue;
            } else if line.starts_with("*** ") {
                section.end_hunk(&mut out);
                continue;
            } else if let Some(path) = header(line, "--- a/").or_else(|| header(line, "--- ")) {
                section.end(&mut out);
                old_path = Some(path);
                continue;
            } else if let Some(path) = header(line, "+++ b/").or_else(|| header(line, "+++ "))
                && let Some(old) = old_path.take()
            {
                match (old.as_str(), path.as_str()) {
                    (_, "/dev/null") => out.push(FileChange { path: Some(old), change: Change::Delete }),
                    ("/dev/null", _) => (section.path, section.added) = (Some(path), Some(Vec::new())),
                    _ => section.path = Some(path),
                }
                continue;
            }
        }
        if let Some(rest) = line.strip_prefix("@@").filter(|_| !is_inside) {
            section.end_hunk(&mut out);
            let (at, old, new) = ranges(rest).unwrap_or_default();
            left = (old, new);
            section.hunk = Some((at, Vec::new(), Vec::new()));
            continue;
        }
        if let Some(added) = &mut section.added {
            if let Some(text) = line.strip_prefix('+') {
                added.push(text.to_string());
                left.1 = left.1.saturating_sub(1);
            }
            continue;
        }
        let is_open = section.path.is_some() || section.hunk.is_some();
        let mut chars = line.chars();
        let (sign, text) = (chars.next(), chars.as_str().to_string());
        if !is_open || !matches!(sign, None | Some(' ' | '+' | '-')) {
            continue;
        }
        let (_, old, new) = section.hunk.get_or_insert_with(|| (None, Vec::new(), Vec::new()));
        if sign != Some('+') {
            old.push(text.clone());
            left.0 = left.0.saturating_sub(1);
        }
        if sign != Some('-') {
            new.push(text);
            left.1 = left.1.saturating_sub(1);
        }
    }
    section.end(&mut out);
    out
}

/// Reads ` -3,7 +3,8 @@`: the first line, and the number of lines before and after.
fn ranges(text: &str) -> Option<(Option<u64>, u64, u64)> {
    let (old, rest) = text.trim_start().strip_prefix('-')?.split_once(" +")?;
    let new = rest.split(' ').next()?;
    let pair = |text: &str| -> Option<(u64, u64)> {
        match text.split_once(',') {
            Some((from, count)) => Some((from.parse().ok()?, count.parse().ok()?)),
            None => Some((text.parse().ok()?, 1)),
        }
    };
    let ((from, old), (_, new)) = (pair(old)?, pair(new)?);
    // A hunk without old lines has the number of the line before it.
    Some((Some(if old == 0 { from.saturating_add(1) } else { from }), old, new))
}

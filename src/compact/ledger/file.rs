//! Files that were read and changed.

use std::collections::BTreeMap;

/// What happened to a file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct File {
    pub path: String,
    pub reads: usize,
    pub edits: usize,
    /// Number of times it was created or replaced as a whole.
    pub writes: usize,
    pub deleted: bool,
    /// Number of edits that were refused or failed.
    pub failed: usize,
    /// Lines that were read, merged; empty after a read of the whole file.
    pub ranges: Vec<(u64, u64)>,
    /// Id of the newest message that touched it, and that message's index.
    pub last: String,
    pub at: usize,
}

/// Minimum files that share a folder worth naming, and minimum bytes that naming it must save: the line with the name
/// costs some.
const MIN_FILES: usize = 3;
const MIN_SAVED: usize = 40;
/// Maximum ranges kept for one file.
const RANGES: usize = 8;

impl File {
    /// True if the file was changed.
    pub fn is_changed(&self) -> bool {
        self.edits > 0 || self.writes > 0 || self.deleted
    }

    /// Records a read of the whole file, or of some lines.
    pub fn read(&mut self, range: Option<(u64, u64)>) {
        let whole = self.reads > 0 && self.ranges.is_empty();
        self.reads += 1;
        match range {
            None => self.ranges.clear(),
            Some(_) if whole => {}
            Some(range) => {
                self.ranges.push(range);
                crate::rank::sort_by(&mut self.ranges, |one, other| one.cmp(other));
                let mut merged: Vec<(u64, u64)> = Vec::new();
                for &(from, to) in &self.ranges {
                    match merged.last_mut() {
                        Some(last) if from <= last.1.saturating_add(1) => last.1 = last.1.max(to),
                        _ => merged.push((from, to)),
                    }
                }
                merged.truncate(RANGES);
                self.ranges = merged;
            }
        }
    }

    /// Returns what happened, in words that [`File::parse`] reads: `created, edited 3, m5`.
    pub fn marks(&self) -> String {
        let mut marks: Vec<String> = Vec::new();
        let counted = |word: &str, n: usize| if n == 1 { word.to_string() } else { format!("{word} {n}") };
        if self.writes > 0 {
            marks.push(counted("written", self.writes));
        }
        if self.edits > 0 {
            marks.push(counted("edited", self.edits));
        }
        if self.deleted {
            marks.push("deleted".into());
        }
        if self.failed > 0 {
            marks.push(counted("failed", self.failed));
        }
        if self.reads > 0 && !self.is_changed() {
            marks.push(counted("read", self.reads));
        }
        marks.push(self.last.clone());
        marks.join(", ")
    }

    /// Parses `path (created, edited 3, m5)`.
    pub fn parse(line: &str) -> Option<File> {
        let (path, marks) = line.strip_suffix(')')?.rsplit_once(" (")?;
        let mut file = File { path: path.to_string(), ..File::default() };
        for mark in marks.split(", ") {
            let (word, n) = match mark.split_once(' ') {
                Some((word, n)) => (word, n.parse().ok()?),
                None => (mark, 1),
            };
            match word {
                "written" => file.writes = n,
                "edited" => file.edits = n,
                "failed" => file.failed = n,
                "read" => file.reads = n,
                "deleted" => file.deleted = true,
                id => file.last = id.to_string(),
            }
        }
        Some(file)
    }
}

/// Returns the folder that is worth naming once for all of `paths`, with a slash at its end: the one whose name repeats
/// most bytes. Only folders of absolute paths count, so that a path without the folder cannot be mistaken for another
/// one.
///
/// ```
/// use espalier::compact::ledger::file::shared_folder;
/// let paths = ["/home/ann/shop/src/a.rs", "/home/ann/shop/src/b.rs", "/home/ann/shop/test/a.rs", "/tmp/log"];
/// assert_eq!(shared_folder(paths.into_iter()), Some("/home/ann/shop/"));
/// // No path would be shorter.
/// assert_eq!(shared_folder(["/workspace-of-ann/a", "/workspace-of-ann/b", "/workspace-of-ann/c"].into_iter()), None);
/// assert_eq!(shared_folder(["src/a.rs", "src/b.rs", "src/c.rs"].into_iter()), None);
/// ```
pub fn shared_folder<'p>(paths: impl Iterator<Item = &'p str>) -> Option<&'p str> {
    let mut inside: Vec<&str> = paths.filter(|path| path.starts_with('/')).collect();
    let (mut best, mut max) = (None, MIN_SAVED);
    let mut depth = 1;
    while inside.len() >= MIN_FILES {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for path in &inside {
            if let Some(slash) = path[depth..].find('/') {
                *counts.entry(&path[..=depth + slash]).or_default() += 1;
            }
        }
        let fullest = counts.iter().max_by(|(one, a), (other, b)| a.cmp(b).then(other.cmp(one)));
        let Some((&folder, &count)) = fullest else { break };
        inside.retain(|path| path.starts_with(folder));
        // A name alone is not informative, so files right in the folder keep their paths.
        let saved = inside.iter().filter(|path| path[folder.len()..].contains('/')).count() * folder.len();
        if count >= MIN_FILES && saved > max {
            (best, max) = (Some(folder), saved);
        }
        depth = folder.len();
    }
    best
}

//! Decides which files beside the current one are compared.

use crate::similar::Digest;
use crate::text::utf16_len;
use espalier_core::map::{HashMap, HashSet};

/// A file that the host has open.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Neighbour<'a> {
    /// Its name in prompts and reports, and its identity.
    pub path: &'a str,
    /// The scheme of its address (`file`, `vscode-vfs`); some profiles only use `file`.
    pub scheme: &'a str,
    pub language: &'a str,
    pub text: &'a str,
    /// Time of its last focus, in the host's milliseconds; `None` for never.
    pub focused_ms: Option<u64>,
    /// Digest of its text, if known.
    pub digest: Option<Digest>,
}

/// Limits of neighbour files.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighbourOptions {
    pub max_files: usize,
    /// Maximum UTF-16 code units of all files; a file that would exceed it is skipped.
    pub max_chars: usize,
    /// Maximum entries of the table of focus times; files beyond it count as never focused.
    pub focus_entries: usize,
    /// True if only files of the scheme `file` are used.
    pub file_scheme_only: bool,
    /// Languages that count as another one: pairs of a language and the other one.
    pub aliases: Vec<(String, String)>,
}

/// Languages that Copilot Chat treats alike.
const ALIASES: [(&str, &str); 6] = [
    ("javascriptreact", "javascript"),
    ("jsx", "javascript"),
    ("typescriptreact", "typescript"),
    ("jade", "pug"),
    ("cshtml", "razor"),
    ("c", "cpp"),
];

impl NeighbourOptions {
    pub fn copilot_chat() -> NeighbourOptions {
        NeighbourOptions {
            max_files: 20,
            max_chars: 200_000,
            focus_entries: 10,
            file_scheme_only: true,
            aliases: ALIASES.map(|(name, other)| (name.to_string(), other.to_string())).to_vec(),
        }
    }

    /// Returns the limits of Copilot Chat, with a focus time for every file and with every scheme.
    pub fn espalier() -> NeighbourOptions {
        NeighbourOptions { focus_entries: usize::MAX, file_scheme_only: false, ..NeighbourOptions::copilot_chat() }
    }

    fn alias<'a>(&'a self, language: &'a str) -> &'a str {
        self.aliases.iter().find(|(name, _)| name == language).map_or(language, |(_, other)| other)
    }
}

/// The reason why a file is excluded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unfit {
    CurrentFile,
    Duplicate,
    OtherScheme,
    OtherLanguage,
    /// It would exceed the limit of characters.
    TooLarge,
    /// Enough files precede it, or are more similar.
    TooMany,
}

/// Returns the indices of the files to compare, last focused first, and the reasons why the others are excluded.
pub fn open_files(
    files: &[Neighbour<'_>],
    current: &str,
    language: &str,
    options: &NeighbourOptions,
) -> (Vec<usize>, Vec<(usize, Unfit)>) {
    let mut order: Vec<usize> = (0..files.len()).collect();
    order.sort_by_key(|&index| std::cmp::Reverse(files[index].focused_ms));
    // Files beyond the table count as never focused: they follow in the given order.
    let remembered = options.focus_entries.min(order.iter().filter(|&&i| files[i].focused_ms.is_some()).count());
    order[remembered..].sort_unstable();
    let language = options.alias(language);
    let mut seen: HashSet<&str> = HashSet::default();
    let (mut fit, mut unfit) = (Vec::new(), Vec::new());
    let mut chars = 0usize;
    for index in order {
        let file = &files[index];
        let reason = if file.path == current {
            Unfit::CurrentFile
        } else if options.file_scheme_only && file.scheme != "file" {
            Unfit::OtherScheme
        } else if options.alias(file.language) != language {
            Unfit::OtherLanguage
        } else if !seen.insert(file.path) {
            Unfit::Duplicate
        } else if fit.len() >= options.max_files {
            Unfit::TooMany
        } else {
            let length = file.digest.map_or_else(|| utf16_len(file.text), |digest| digest.length);
            if length <= options.max_chars.saturating_sub(chars) {
                chars += length;
                fit.push(index);
                continue;
            }
            Unfit::TooLarge
        };
        unfit.push((index, reason));
    }
    (fit, unfit)
}

/// Two lists of recently used files, visible and not. They give the order of neighbours if the host has no focus times.
#[derive(Debug, Clone, PartialEq)]
pub struct RecentFiles {
    limit: usize,
    /// Newest last.
    visible: Vec<String>,
    hidden: Vec<String>,
}

impl Default for RecentFiles {
    fn default() -> RecentFiles {
        RecentFiles::new(12)
    }
}

fn push(list: &mut Vec<String>, path: &str, limit: usize) {
    list.retain(|one| one != path);
    list.push(path.to_string());
    let surplus = list.len().saturating_sub(limit);
    list.drain(..surplus);
}

impl RecentFiles {
    /// Creates two lists of `limit` files each.
    pub fn new(limit: usize) -> RecentFiles {
        RecentFiles { limit, visible: Vec::new(), hidden: Vec::new() }
    }

    /// Records that an editor became the active one.
    pub fn activate(&mut self, path: &str) {
        self.hidden.retain(|one| one != path);
        push(&mut self.visible, path, self.limit);
    }

    /// Records that a tab was closed; its document may still be open.
    pub fn close_tab(&mut self, path: &str) {
        if self.visible.iter().any(|one| one == path) {
            self.visible.retain(|one| one != path);
            push(&mut self.hidden, path, self.limit);
        }
    }

    /// Records that a document was closed.
    pub fn close_document(&mut self, path: &str) {
        self.visible.retain(|one| one != path);
        self.hidden.retain(|one| one != path);
    }

    /// Returns at most `limit` files except `current`: visible ones first, newest first.
    pub fn paths(&self, current: &str) -> Vec<&str> {
        let all = self.visible.iter().rev().chain(self.hidden.iter().rev());
        all.map(String::as_str).filter(|path| *path != current).take(self.limit).collect()
    }
}

/// Recent cursor positions, which the user looked at shortly before, oldest first.
#[derive(Debug, Clone, PartialEq)]
pub struct CursorHistory {
    places: Vec<Place>,
    limit: usize,
    /// Maximum distance in lines at which two moves are the same position.
    near_lines: usize,
}

/// A cursor position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    pub path: String,
    /// From 0.
    pub line: usize,
    /// In the host's milliseconds.
    pub at_ms: u64,
}

impl Default for CursorHistory {
    fn default() -> CursorHistory {
        CursorHistory::new(32, 10)
    }
}

impl CursorHistory {
    pub fn new(limit: usize, near_lines: usize) -> CursorHistory {
        CursorHistory { places: Vec::new(), limit, near_lines }
    }

    /// Records a cursor move. A position near an older one in the same file replaces it.
    pub fn visit(&mut self, path: &str, line: usize, at_ms: u64) {
        let near = self.near_lines;
        self.places.retain(|place| place.path != path || place.line.abs_diff(line) > near);
        self.places.push(Place { path: path.to_string(), line, at_ms });
        let surplus = self.places.len().saturating_sub(self.limit);
        self.places.drain(..surplus);
    }

    /// Returns the positions, oldest first.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Returns the time of the last visit of each file.
    pub fn last_visits(&self) -> HashMap<&str, u64> {
        let mut visits: HashMap<&str, u64> = HashMap::default();
        for place in &self.places {
            let last = visits.entry(&place.path).or_default();
            *last = (*last).max(place.at_ms);
        }
        visits
    }
}

//! Recent edits: what the user changed, from the host's change events, and how prompts show it.

use crate::text::utf16_len;
use espalier_core::map::HashSet;

/// Limits of recent edits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditOptions {
    /// Changes within this time are one edit.
    pub debounce_ms: u64,
    /// Maximum number of files with a history, and of files shown.
    pub max_files: usize,
    /// Maximum number of edits kept of a file, and of all edits shown.
    pub max_edits: usize,
    pub context_lines: usize,
    /// An edit within this many lines of the file's last one merges with it.
    pub merge_lines: usize,
    /// Maximum UTF-16 code units of an edit with its context; a larger one resets the file's history.
    pub max_edit_chars: usize,
    /// Maximum added and maximum removed lines of an edit that is shown.
    pub max_lines: usize,
    /// Maximum UTF-16 code units of a tracked file.
    pub max_file_chars: usize,
    /// Edits of the current document within this many lines of the cursor are not shown, because the document's text
    /// shows them.
    pub near_lines: usize,
    /// Added to an edit's lines before they are compared with the cursor's: the reference is one line too high.
    pub line_offset: usize,
}

impl EditOptions {
    pub fn copilot_chat() -> EditOptions {
        EditOptions { line_offset: 1, ..EditOptions::espalier() }
    }

    pub fn espalier() -> EditOptions {
        EditOptions {
            debounce_ms: 500,
            max_files: 20,
            max_edits: 8,
            context_lines: 3,
            merge_lines: 1,
            max_edit_chars: 2_000,
            max_lines: 10,
            max_file_chars: 2 * 1024 * 1024,
            near_lines: 100,
            line_offset: 0,
        }
    }
}

/// The form in which edits are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EditForm {
    /// A unified diff, additions before deletions, with a mark after each deleted line.
    #[default]
    Unified,
    /// A search block and its replacement.
    SearchReplace,
    /// The current lines.
    Plain,
}

/// Lines that replaced others. Lines are counted from 0, in the text before this edit and after all earlier ones.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Edit {
    start: usize,
    removed: Vec<String>,
    added: Vec<String>,
    /// Unchanged lines around it, at the time of the edit.
    before: Vec<String>,
    behind: Vec<String>,
    /// Ascending over all files.
    order: u64,
}

#[derive(Debug, Clone)]
struct File {
    path: String,
    settled: String,
    pending: Option<String>,
    changed_ms: u64,
    edits: Vec<Edit>,
    used: u64,
}

/// The edits of the files that changed last.
#[derive(Debug, Clone)]
pub struct EditHistory {
    options: EditOptions,
    files: Vec<File>,
    order: u64,
}

/// Returns the span from the first to the last differing line: its start, and its ends in both texts.
fn span(old: &[&str], new: &[&str]) -> Option<(usize, usize, usize)> {
    let start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    if start == old.len() && start == new.len() {
        return None;
    }
    let rest = old.len().min(new.len()) - start;
    let same = old.iter().rev().zip(new.iter().rev()).take(rest).take_while(|(a, b)| a == b).count();
    Some((start, old.len() - same, new.len() - same))
}

impl EditHistory {
    pub fn new(options: EditOptions) -> EditHistory {
        EditHistory { options, files: Vec::new(), order: 0 }
    }

    /// Starts to track a file. A file that is already tracked loses its history if `text` differs from its last text.
    pub fn open(&mut self, path: &str, text: &str) {
        self.order += 1;
        match self.files.iter_mut().find(|file| file.path == path) {
            Some(file) if file.pending.as_deref().unwrap_or(&file.settled) == text => {}
            Some(file) => file.reset(text),
            None if utf16_len(text) <= self.options.max_file_chars => {
                let (path, settled) = (path.to_string(), text.to_string());
                let (edits, used) = (Vec::new(), self.order);
                self.files.push(File { path, settled, pending: None, changed_ms: 0, edits, used });
                self.evict();
            }
            None => {}
        }
    }

    /// Records a file's text after a change. The first text of an unknown file is not an edit.
    pub fn change(&mut self, path: &str, text: &str, now_ms: u64) {
        self.settle(now_ms);
        self.order += 1;
        let Some(index) = self.files.iter().position(|file| file.path == path) else { return self.open(path, text) };
        if utf16_len(text) > self.options.max_file_chars {
            self.files.remove(index);
            return;
        }
        let file = &mut self.files[index];
        (file.pending, file.changed_ms, file.used) = (Some(text.to_string()), now_ms, self.order);
    }

    /// Removes a file and its history.
    pub fn close(&mut self, path: &str) {
        self.files.retain(|file| file.path != path);
    }

    /// Turns changes whose debounce time has passed into edits.
    pub fn settle(&mut self, now_ms: u64) {
        let mut due: Vec<usize> = (0..self.files.len())
            .filter(|&index| self.files[index].pending.is_some())
            .filter(|&index| now_ms >= self.files[index].changed_ms.saturating_add(self.options.debounce_ms))
            .collect();
        due.sort_by_key(|&index| self.files[index].used);
        for index in due {
            self.order += 1;
            self.files[index].settle(&self.options, self.order);
        }
    }

    /// Returns the time at which [`EditHistory::settle`] has work.
    pub fn next_ms(&self) -> Option<u64> {
        let pending = self.files.iter().filter(|file| file.pending.is_some());
        pending.map(|file| file.changed_ms.saturating_add(self.options.debounce_ms)).min()
    }

    fn evict(&mut self) {
        while self.files.len() > self.options.max_files.max(1) {
            let oldest = (0..self.files.len()).min_by_key(|&index| self.files[index].used);
            self.files.remove(oldest.unwrap_or(0));
        }
    }

    /// Returns the number of stored edits of a file.
    pub fn edit_count(&self, path: &str) -> usize {
        self.files.iter().find(|file| file.path == path).map_or(0, |file| file.edits.len())
    }

    /// Writes the edits to show, newest last; `None` if there is none. `excluded` names files that must not be shown.
    pub fn render(&self, current: &str, cursor_line: usize, excluded: &[&str], form: EditForm) -> Option<String> {
        let excluded: HashSet<&str> = excluded.iter().copied().collect();
        let mut shown: Vec<(u64, &str, String)> = Vec::new();
        for file in self.files.iter().filter(|file| !excluded.contains(file.path.as_str())) {
            let near = (file.path == current).then_some(cursor_line);
            let texts = file.shown(&self.options, near, form).into_iter();
            shown.extend(texts.map(|(order, text)| (order, file.path.as_str(), text)));
        }
        shown.sort_by_key(|edit| std::cmp::Reverse(edit.0));
        let mut files: HashSet<&str> = HashSet::default();
        let mut chosen = Vec::new();
        for edit in shown {
            if chosen.len() == self.options.max_edits {
                break;
            }
            if !files.contains(edit.1) && files.len() == self.options.max_files {
                break;
            }
            files.insert(edit.1);
            chosen.push(edit);
        }
        if chosen.is_empty() {
            return None;
        }
        let mut text = "Recent edits of the user, newest last; deleted lines must not come back:\n".to_string();
        let mut last = None;
        for (_, path, edit) in chosen.iter().rev() {
            if last != Some(path) {
                text.push_str(&format!("File: {}\n", crate::text::one_line(path)));
                last = Some(path);
            }
            text.push_str(edit);
        }
        text.push_str("End of recent edits\n");
        Some(text)
    }
}

impl File {
    fn reset(&mut self, text: &str) {
        self.settled = text.to_string();
        self.pending = None;
        self.edits.clear();
    }

    fn settle(&mut self, options: &EditOptions, order: u64) {
        let Some(text) = self.pending.take() else { return };
        let old: Vec<&str> = self.settled.split('\n').collect();
        let new: Vec<&str> = text.split('\n').collect();
        let Some((start, old_end, new_end)) = span(&old, &new) else { return };
        let mut edit = Edit::of(&old, &new, (start, old_end, new_end), options.context_lines, order);
        let merges = self.edits.last().is_some_and(|last| {
            start <= last.start + last.added.len() + options.merge_lines && old_end + options.merge_lines >= last.start
        });
        let mut is_reverted = false;
        if merges && let Some(last) = self.edits.pop() {
            let mut before: Vec<&str> = old.clone();
            let end = (last.start + last.added.len()).min(before.len());
            before.splice(last.start.min(end)..end, last.removed.iter().map(String::as_str));
            match span(&before, &new) {
                Some(span) => edit = Edit::of(&before, &new, span, options.context_lines, order),
                None => is_reverted = true,
            }
        }
        if !is_reverted {
            if edit.size() > options.max_edit_chars {
                return self.reset(&text);
            }
            self.edits.push(edit);
        }
        let surplus = self.edits.len().saturating_sub(options.max_edits);
        self.edits.drain(..surplus);
        self.settled = text;
    }

    /// Returns the edits to show with their order, oldest first; `near` is the cursor's line if it is in this file.
    fn shown(&self, options: &EditOptions, near: Option<usize>, form: EditForm) -> Vec<(u64, String)> {
        let mut shown = Vec::new();
        for (index, edit) in self.edits.iter().enumerate() {
            let is_near = near.is_some_and(|cursor| {
                // Later edits above move its lines.
                let (mut first, mut last) = (edit.start, edit.start + edit.added.len().saturating_sub(1));
                for later in &self.edits[index + 1..] {
                    for line in [&mut first, &mut last] {
                        if later.start + later.removed.len() <= *line {
                            *line = (*line + later.added.len()).saturating_sub(later.removed.len());
                        }
                    }
                }
                [first, last].iter().any(|line| (line + options.line_offset).abs_diff(cursor) <= options.near_lines)
            });
            let is_large = edit.added.len().max(edit.removed.len()) > options.max_lines;
            if !is_near && !is_large && edit.has_content() {
                shown.push((edit.order, edit.write(form)));
            }
        }
        shown
    }
}

impl Edit {
    fn of(old: &[&str], new: &[&str], span: (usize, usize, usize), context_lines: usize, order: u64) -> Edit {
        let owned = |lines: &[&str]| lines.iter().map(|line| line.to_string()).collect::<Vec<_>>();
        let (start, old_end, new_end) = span;
        Edit {
            start,
            removed: owned(&old[start..old_end]),
            added: owned(&new[start..new_end]),
            before: owned(&new[start.saturating_sub(context_lines)..start]),
            behind: owned(&new[new_end..new_end.saturating_add(context_lines).min(new.len())]),
            order,
        }
    }

    /// Returns the UTF-16 code units of the edit with its context.
    fn size(&self) -> usize {
        let lines = [&self.before, &self.added, &self.removed, &self.behind].into_iter().flatten();
        lines.map(|line| utf16_len(line) + 1).sum()
    }

    /// True if the edit changes more than white space.
    fn has_content(&self) -> bool {
        let content = |lines: &[String]| {
            let mut text = String::new();
            lines.iter().for_each(|line| text.extend(line.split(crate::text::is_space)));
            text
        };
        content(&self.removed) != content(&self.added)
    }

    fn write(&self, form: EditForm) -> String {
        let (before, behind) = (&self.before, &self.behind);
        let mut out = String::new();
        let mut put = |sign: &str, lines: &[String], mark: &str| {
            lines.iter().for_each(|line| [sign, line.trim_end_matches('\r'), mark, "\n"].iter().for_each(|s| out += s));
        };
        match form {
            EditForm::Unified => {
                let first = self.start - before.len() + 1;
                let (old, new) = (self.removed.len(), self.added.len());
                let around = before.len() + behind.len();
                let head = format!("@@ -{first},{} +{first},{} @@", old + around, new + around);
                put("", &[head], "");
                put(" ", before, "");
                put("+", &self.added, "");
                put("-", &self.removed, " --- IGNORE ---");
                put(" ", behind, "");
            }
            EditForm::SearchReplace => {
                put("", &["<<<<<<< SEARCH".to_string()], "");
                [before, &self.removed, behind].iter().for_each(|lines| put("", lines, ""));
                put("", &["=======".to_string()], "");
                [before, &self.added, behind].iter().for_each(|lines| put("", lines, ""));
                put("", &[">>>>>>> REPLACE".to_string()], "");
            }
            EditForm::Plain => [before, &self.added, behind].iter().for_each(|lines| put("", lines, "")),
        }
        out
    }
}

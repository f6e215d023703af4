//! Results that a newer message makes unnecessary.
//!
//! | what | kept instead |
//! |---|---|
//! | the same bytes again | the newest |
//! | a read whose lines a later read of the path has | the later one |
//! | a read of a path that was edited later | the edit |
//! | failed attempts at a command that succeeded later | first and last error line of each |

use std::collections::BTreeMap;
use std::rc::Rc;

use super::scene::{CallAt, End, Found, Scene};
use crate::compact::held::Text;
use crate::compact::ledger::error;
use crate::compact::ledger::shell::Touch;
use crate::compact::placeholder::Gone;
use crate::history::draft::Draft;
use crate::history::edit::{Edit, Kind, Target};
use crate::history::plan::Becomes;
use crate::map::HashMap;
use crate::message::tool_map::ToolKind;
use crate::validity::pairs::recall_id;

/// Maximum later reads of one path to compare with: pages of one file.
const PAGES: usize = 64;
/// Minimum bytes of a result that is worth a placeholder.
const SHORT: usize = 200;

/// A result and what makes it unnecessary.
struct Stale {
    /// Index of the result.
    result: usize,
    /// Entry of the newer message.
    newer: usize,
    rule: &'static str,
    why: String,
    lines: Vec<String>,
}

/// Lines of a file in a later message: first and last line, and the entry.
type Page = ((u64, u64), usize);

/// Facts of later messages, collected from the newest message to the oldest.
#[derive(Default)]
struct Later<'s> {
    /// The newest result with this text.
    texts: HashMap<Text<'s>, usize>,
    /// The newest edit of a path.
    edits: HashMap<String, usize>,
    /// Later reads.
    reads: HashMap<String, Vec<Page>>,
    /// Commands that succeeded.
    successes: HashMap<Rc<str>, usize>,
}

pub(super) fn edits(draft: &Draft, scene: &Scene) -> Vec<Edit> {
    let id = |entry: usize| draft.entries[entry].message.id.clone();
    let mut later = Later::default();
    let mut found: Vec<Stale> = Vec::new();
    for (number, result) in scene.results.iter().enumerate().rev() {
        if result.outcome.is_placeholder(&result.text) {
            continue;
        }
        let call = scene.call_of(result);
        let end = scene.end(result);
        let stale = later.stale(draft, result, call, end);
        later.note(result, call, end, stale.is_some());
        let (newer, rule, why, lines) = match stale {
            Some(stale) if result.is_open && result.is_text && result.text.len() >= SHORT => stale,
            _ => continue,
        };
        found.push(Stale { result: number, newer, rule, why, lines });
    }
    found.reverse();
    // One edit for each newer message, since an edit names one message.
    let mut by_newer: BTreeMap<(usize, &'static str), Vec<(usize, Target)>> = BTreeMap::new();
    for stale in found {
        let result = &scene.results[stale.result];
        let message = id(result.entry);
        let mut text = scene.placeholder(Gone::Superseded, result, Some(&stale.why), &message);
        for line in &stale.lines {
            text.push('\n');
            text.push_str(line);
        }
        if !super::is_shorter(draft, &text, result) {
            continue;
        }
        let place = by_newer.entry((stale.newer, stale.rule)).or_default();
        place.push((result.entry, Target::part(message, result.part, Becomes::Text { text })));
    }
    by_newer
        .into_iter()
        .filter_map(|((newer, rule), texts)| super::edit_of(draft, Kind::Supersede, rule, Some(id(newer)), texts))
        .collect()
}

impl<'s> Later<'s> {
    /// Returns the newer message, the rule, the reason, and the lines to keep.
    fn stale(
        &self,
        draft: &Draft,
        result: &Found,
        call: Option<&CallAt>,
        end: End,
    ) -> Option<(usize, &'static str, String, Vec<String>)> {
        let id = |entry: usize| recall_id(&draft.entries[entry].message);
        let before = |newer: &usize| *newer > result.entry;
        if let Some(&newer) = self.texts.get(&Text::of(&result.outcome, &result.text)).filter(|at| before(at)) {
            return Some((newer, "same-result", format!("{} has the same", id(newer)), vec![]));
        }
        let call = call?;
        if call.call.kind == ToolKind::Shell {
            if end == End::Failed {
                let &newer = self.successes.get(call.call.key()?).filter(|at| before(at))?;
                let why = format!("it succeeded in {}", id(newer));
                return Some((newer, "failed-attempt", why, ends(result)));
            }
            // A command counts as a read if showing the file is all it does.
            let [line] = call.call.lines() else { return None };
            if !line.only_shows || line.files.is_empty() || line.files.iter().any(|(touch, _)| *touch != Touch::Read) {
                return None;
            }
            let newest: Option<Vec<usize>> = line.files.iter().map(|(_, path)| self.edits.get(path).copied()).collect();
            let newer = newest?.into_iter().min().filter(before)?;
            return Some((newer, "edited-read", format!("{} edited it", id(newer)), vec![]));
        }
        if call.call.kind != ToolKind::Read || end == End::Failed {
            return None;
        }
        let [path] = call.call.paths.as_slice() else { return None };
        if let Some(&newer) = self.edits.get(path).filter(|at| before(at)) {
            return Some((newer, "edited-read", format!("{} edited it", id(newer)), vec![]));
        }
        let (from, to) = call.call.range.unwrap_or((1, u64::MAX));
        let covers = |&&((first, last), newer): &&Page| first <= from && to <= last && before(&newer);
        let &(_, newer) = self.reads.get(path)?.iter().find(covers)?;
        Some((newer, "repeated-read", format!("{} has these lines again", id(newer)), vec![]))
    }

    /// Adds a result, which is later than all that are added after it.
    fn note(&mut self, result: &'s Found, call: Option<&CallAt>, end: End, is_stale: bool) {
        if result.is_text && result.text.len() >= SHORT {
            self.texts.entry(Text::of(&result.outcome, &result.text)).or_insert(result.entry);
        }
        let Some(call) = call.filter(|_| end != End::Failed) else { return };
        let mut edited = |path: &String| {
            self.edits.entry(path.clone()).or_insert(result.entry);
        };
        match call.call.kind {
            ToolKind::Edit | ToolKind::Write | ToolKind::Delete => {
                call.call.paths.iter().for_each(&mut edited);
                call.call.patched.iter().for_each(|(_, path)| edited(path));
            }
            ToolKind::Shell => {
                for line in call.call.lines() {
                    for (touch, path) in &line.files {
                        if *touch != Touch::Read {
                            edited(path);
                        }
                    }
                }
                // No line reports an error.
                let is_clean = || result.outcome.errors(&result.text).is_empty();
                if let Some(key) = call.call.key().filter(|_| end == End::Ok || is_clean()) {
                    self.successes.entry(Rc::clone(key)).or_insert(result.entry);
                }
            }
            ToolKind::Read if !is_stale => {
                if let [path] = call.call.paths.as_slice() {
                    let pages = self.reads.entry(path.clone()).or_default();
                    if pages.len() < PAGES {
                        pages.push((call.call.range.unwrap_or((1, u64::MAX)), result.entry));
                    }
                }
            }
            _ => {}
        }
    }
}

/// Returns the first and the last error line of a result; its last line if it names no error.
fn ends(result: &Found) -> Vec<String> {
    let mut lines = result.outcome.errors(&result.text).iter().map(|at| at.line(&result.text));
    let first = lines.next();
    let last = lines.next_back().filter(|last| Some(last) != first.as_ref());
    let mut out: Vec<String> = first.into_iter().chain(last).collect();
    if out.is_empty() {
        out.extend(result.text.lines().rev().find(|line| !line.trim().is_empty()).map(error::kept_line));
    }
    out
}

//! All old results in one batch, so that the prefix breaks once, and long strings in the arguments of old calls.

use std::collections::HashSet;

use super::Ground;
use super::scene::{CallAt, End, Found, Scene};
use crate::compact::ledger::error;
use crate::compact::ledger::shell;
use crate::compact::placeholder::{Gone, is_placeholder};
use crate::history::draft::Draft;
use crate::history::edit::{Edit, Kind, Replacement};
use crate::history::prune::arguments;
use crate::message::tool_map::ToolKind;

/// Distinct error lines that one placeholder keeps.
const LINES: usize = 24;

pub(super) fn edits(draft: &Draft, scene: &Scene, ground: Ground) -> Vec<Edit> {
    let mut kept = Kept { seen: HashSet::new(), left: ground.budget.error_lines };
    let mut results = Vec::new();
    // Newest first: of an error that came again and again the newest line stays.
    for result in scene.results.iter().rev() {
        let call = scene.call_of(result);
        let is_error_source = is_error_source(call, scene.end(result));
        if !result.is_open || call.is_some_and(|call| call.is_exempt) || is_placeholder(&result.text) {
            if is_error_source {
                kept.seen.extend(error_lines(&result.text).map(|line| error::key(&line)));
            }
            continue;
        }
        let message = draft.entries[result.entry].message.id.clone();
        let mut text = scene.placeholder(Gone::Cleared, result, None, &message);
        if is_error_source {
            kept.append(&mut text, draft, result);
        }
        if super::is_shorter(draft, &text, result) {
            results.push((result.entry, Replacement { message, part: result.part, item: None, text }));
        }
    }
    results.reverse();
    let most = ground.profile().clear.argument_characters;
    let mut long = Vec::new();
    for call in scene.calls.iter().filter(|call| call.is_old) {
        let message = draft.entries[call.entry].message.id.clone();
        let short = arguments::long_strings(call.arguments, most, &message);
        if let Some(text) = short {
            long.push((call.entry, Replacement { message, part: call.part, item: None, text }));
        }
    }
    let cleared = super::edit_of(draft, Kind::ClearResult, "clear", None, results);
    let shortened = super::edit_of(draft, Kind::ClearArguments, "clear-arguments", None, long);
    cleared.into_iter().chain(shortened).collect()
}

/// Error lines of what files contain are no errors.
fn is_error_source(call: Option<&CallAt>, end: End) -> bool {
    match call {
        Some(call) if call.call.kind == ToolKind::Shell => {
            let only_shows = || {
                let shows = |line: &String| shell::read(line, call.call.cwd.as_deref()).only_shows;
                !call.call.commands.is_empty() && call.call.commands.iter().all(shows)
            };
            end == End::Failed || !only_shows()
        }
        Some(call) if call.call.kind == ToolKind::Read => false,
        _ => end == End::Failed,
    }
}

fn error_lines(text: &str) -> impl Iterator<Item = String> {
    text.lines().filter(|line| error::is_error_line(line)).map(error::kept_line)
}

/// Error lines that stay although their results go, each once.
struct Kept {
    seen: HashSet<String>,
    /// Tokens.
    left: u64,
}

impl Kept {
    fn append(&mut self, text: &mut String, draft: &Draft, result: &Found) {
        let mut lines = 0;
        for line in error_lines(&result.text) {
            let key = error::key(&line);
            if lines >= LINES || self.seen.contains(&key) {
                continue;
            }
            let tokens = draft.meter.text(&line) + 1;
            if tokens > self.left {
                return;
            }
            self.left -= tokens;
            self.seen.insert(key);
            lines += 1;
            text.push('\n');
            text.push_str(&line);
        }
    }
}

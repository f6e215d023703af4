//! Clears all old results in one batch, so that the prefix breaks once, and long strings in the arguments of old calls.

use super::Ground;
use super::scene::{CallAt, End, Found, Scene};
use crate::compact::placeholder::Gone;
use crate::history::draft::Draft;
use crate::history::edit::{Edit, Kind, Target};
use crate::history::plan::Becomes;
use crate::map::HashSet;
use crate::message::tool_map::ToolKind;

/// Maximum distinct error lines that one placeholder keeps.
const LINES: usize = 24;

pub(super) fn edits(draft: &Draft, scene: &Scene, ground: Ground) -> Vec<Edit> {
    let mut kept = Kept { seen: HashSet::default(), left: ground.budget.error_lines };
    let mut results = Vec::new();
    // Newest first: of a repeated error the newest line stays.
    for result in scene.results.iter().rev() {
        let call = scene.call_of(result);
        let is_error_source = is_error_source(call, scene.end(result));
        if !result.is_open || call.is_some_and(|call| call.is_exempt) || result.outcome.is_placeholder(&result.text) {
            if is_error_source {
                kept.seen.extend(result.outcome.errors(&result.text).iter().map(|at| at.key));
            }
            continue;
        }
        let message = draft.entries[result.entry].message.id.clone();
        let mut text = scene.placeholder(Gone::Cleared, result, None, &message);
        if is_error_source {
            kept.append(&mut text, draft, result);
        }
        if super::is_shorter(draft, &text, result) {
            results.push((result.entry, Target::part(message, result.part, Becomes::Text { text })));
        }
    }
    results.reverse();
    let max = ground.profile().clear.argument_characters;
    let mut long = Vec::new();
    for call in scene.calls.iter().filter(|call| call.is_old) {
        let message = draft.entries[call.entry].message.id.clone();
        let short = call.call.long_strings(call.arguments, max, &message);
        if let Some(text) = short {
            let to = Becomes::Arguments { arguments: text.to_string() };
            long.push((call.entry, Target::part(message, call.part, to)));
        }
    }
    let cleared = super::edit_of(draft, Kind::ClearResult, "clear", None, results);
    let shortened = super::edit_of(draft, Kind::ClearArguments, "clear-arguments", None, long);
    cleared.into_iter().chain(shortened).collect()
}

/// True if error lines in this result are the content of a file and not errors.
fn is_error_source(call: Option<&CallAt>, end: End) -> bool {
    match call {
        Some(call) if call.call.kind == ToolKind::Shell => end == End::Failed || !call.call.only_shows(),
        Some(call) if call.call.kind == ToolKind::Read => false,
        _ => end == End::Failed,
    }
}

/// Error lines that stay when their results are cleared, each once.
struct Kept {
    seen: HashSet<u64>,
    /// Tokens.
    left: u64,
}

impl Kept {
    fn append(&mut self, text: &mut String, draft: &Draft, result: &Found) {
        let mut lines = 0;
        for at in result.outcome.errors(&result.text) {
            if lines >= LINES || self.seen.contains(&at.key) {
                continue;
            }
            let line = at.line(&result.text);
            let tokens = draft.meter.text(&line) + 1;
            if tokens > self.left {
                return;
            }
            self.left -= tokens;
            self.seen.insert(at.key);
            lines += 1;
            text.push('\n');
            text.push_str(&line);
        }
    }
}

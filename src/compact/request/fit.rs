//! Shortens results and arguments of covered messages step by step until a request fits, the least useful ones first.

use std::ops::Range;

use crate::effect::Reduced;
use crate::history::draft::Draft;
use crate::history::plan::Becomes;
use crate::history::prune::arguments;
use crate::map::HashSet;
use crate::message::Part;
use crate::tool_result::shorten;

/// Maximum tokens of an old result when the history does not fit the model unchanged.
pub const RESULT_CAP: u64 = 500;
/// Number of rounds at the end whose results then stay whole.
pub const WHOLE_ROUNDS: usize = 3;
/// Shares of the old results that are removed, from the middle outward, if capping is not enough.
pub const DROPPED_SHARES: [u64; 4] = [10, 20, 50, 100];
/// The text that replaces a removed result.
pub const LEFT_OUT: &str = "(left out)";

/// Rules of the changes.
const CAPPED: &str = "old-result";
const LEFT: &str = "left-out-result";
const ARGUMENTS: &str = "long-arguments";

/// Returns the indices of the results that are removed at a share in percent, of `results`.
pub fn dropped(results: usize, share: u64) -> Range<usize> {
    let gone = (results as u64 * share).div_ceil(100) as usize;
    let start = (results - gone) / 2;
    start..start + gone
}

/// Makes a cleaned draft fit `limit` tokens; false if it still does not. `of_group` says which group an entry belongs
/// to.
pub fn fit(draft: &mut Draft, of_group: &[usize], groups: usize, limit: u64) -> bool {
    if draft.total() <= limit {
        return true;
    }
    let whole_from = groups.saturating_sub(WHOLE_ROUNDS);
    let old: Vec<usize> = (0..of_group.len())
        .filter(|&at| of_group[at] < whole_from && draft.entries[at].is_in())
        .filter(|&at| draft.entries[at].message.results().next().is_some())
        .collect();
    cap(draft, &old, RESULT_CAP);
    if draft.total() <= limit {
        return true;
    }
    let mut gone = 0..0;
    for share in DROPPED_SHARES {
        let range = dropped(old.len(), share);
        // Each share includes the previous one: only the new results are edited.
        for number in range.clone().filter(|number| !gone.contains(number)) {
            draft.edit_parts(old[number], LEFT, "", |_, part| match part {
                Part::ToolResult { .. } => Some(Becomes::text(LEFT_OUT)),
                _ => None,
            });
        }
        gone = range;
        if draft.total() <= limit {
            return true;
        }
    }
    for at in 0..of_group.len() {
        if !draft.entries[at].is_in() || draft.entries[at].message.calls().next().is_none() {
            continue;
        }
        let id = draft.entries[at].message.id.clone();
        draft.edit_parts(at, ARGUMENTS, "", |_, part| match part {
            Part::ToolCall { arguments, .. } => {
                arguments::shortened(arguments, &id).map(|arguments| Becomes::Arguments { arguments })
            }
            _ => None,
        });
    }
    draft.total() <= limit
}

/// Returns what was reduced in a draft of `whole` tokens, by its changes from index `from` on.
pub fn reduced(draft: &Draft, from: usize, whole: u64) -> Reduced {
    let of = |rule: &str| -> HashSet<&str> {
        let changes = draft.removed[from..].iter().filter(|removal| removal.rule == rule);
        changes.flat_map(|removal| removal.ids.iter().map(String::as_str)).collect()
    };
    let (capped, left_out) = (of(CAPPED), of(LEFT));
    Reduced {
        tokens: whole.saturating_sub(draft.total()),
        shortened: capped.difference(&left_out).count(),
        left_out: left_out.len(),
        arguments: of(ARGUMENTS).len(),
        messages: 0,
    }
}

/// Caps each result in these entries at `max` tokens.
pub fn cap(draft: &mut Draft, entries: &[usize], max: u64) {
    let meter = draft.meter;
    for &at in entries {
        let id = draft.entries[at].message.id.clone();
        draft.edit_parts(at, CAPPED, "", |_, part| match text_of(part) {
            Some(text) => shorten(&text, max, &id, meter.tokenizer).map(|short| Becomes::text(short.text)),
            None => None,
        });
    }
}

/// Returns the text of a result, with other content as notes.
fn text_of(part: &Part) -> Option<String> {
    let Part::ToolResult { content, .. } = part else { return None };
    Some(content.iter().map(super::simple::shown).collect::<Vec<_>>().join("\n"))
}

//! The last resort of the fit: shortens the longest texts in the middle if what must stay is too large by itself.
//!
//! Tool results are shortened first, to one common cap; then long arguments of answered calls; then text that the user
//! pasted into the newest request. Head and tail stay, so that the request itself is still read, and the marker says
//! where the whole is.

use super::ledger::shorter::shorter;
use crate::history::draft::{Draft, Entry};
use crate::history::edit::{Edit, Kind, Target};
use crate::history::pairs::callers;
use crate::history::plan::Becomes;
use crate::history::prune::arguments::shortened as shorter_arguments;
use crate::history::record::{is_sealed, seal};
use crate::map::HashSet;
use crate::message::{Message, Part, Role};
use crate::tool_result::budget::greatest;
use crate::tool_result::{Output, cut_result, shorten};
use crate::validity::pairs::Place;

/// Minimum tokens of a shortened text.
pub const FLOOR: u64 = 200;

/// Shortens results in the `must` entries of a draft to free about `over` tokens; returns `None` if no result is long
/// enough.
pub fn results(draft: &Draft, must: &[usize], over: u64, id: String) -> Option<Edit> {
    let calls = callers(draft);
    let texts = texts(draft, must, |place, part| match part {
        Part::ToolResult { content, .. } if content.iter().all(|c| matches!(c, Part::Text { .. })) => {
            let call = calls.get(&place).and_then(|&(entry, part)| draft.entries[entry].message.parts.get(part));
            Some((crate::message::texts(content).into_owned(), Some(Output::of(call))))
        }
        _ => None,
    });
    shortened(draft, texts, over, id, "long-result")
}

/// Returns the maximum tokens that [`results`] and [`requests`] can free.
pub fn most(draft: &Draft, must: &[usize]) -> u64 {
    let edits = [results, requests].map(|reduce| reduce(draft, must, u64::MAX, String::new()));
    edits.iter().flatten().map(|edit| edit.tokens_before - edit.tokens_after).sum()
}

/// Shortens long arguments of answered calls: the written content is in the file that the call wrote.
pub fn arguments(draft: &Draft, must: &[usize], _over: u64, id: String) -> Option<Edit> {
    let answered: HashSet<Place> = callers(draft).into_values().collect();
    let texts = texts(draft, must, |place, part| match part {
        Part::ToolCall { arguments, .. } if answered.contains(&place) => Some((arguments.clone(), None)),
        _ => None,
    });
    let short = |long: &Long| shorter_arguments(&long.text, &draft.entries[long.entry].message.id);
    replaced(draft, texts, id, (Kind::ClearArguments, "long-arguments"), short)
}

/// Shortens texts of the user's messages.
pub fn requests(draft: &Draft, must: &[usize], over: u64, id: String) -> Option<Edit> {
    let said = |entry: &Entry| !entry.is_new && !is_record(&entry.message);
    words(draft, must, over, id, said, "long-request")
}

/// Shortens records of earlier compactions among the host's messages.
pub fn earlier_records(draft: &Draft, must: &[usize], over: u64, id: String) -> Option<Edit> {
    let said = |entry: &Entry| !entry.is_new && is_record(&entry.message);
    words(draft, must, over, id, said, "long-earlier-record")
}

/// Shortens messages that replace others. They come last, since their content is nowhere else.
pub fn records(draft: &Draft, must: &[usize], over: u64, id: String) -> Option<Edit> {
    words(draft, must, over, id, |entry| entry.is_new, "long-record")
}

fn is_record(message: &Message) -> bool {
    message.role == Role::User && is_sealed(&message.text())
}

fn words(
    draft: &Draft,
    must: &[usize],
    over: u64,
    id: String,
    is_meant: impl Fn(&Entry) -> bool,
    rule: &'static str,
) -> Option<Edit> {
    let said = |at: &usize| draft.entries[*at].message.role == Role::User && is_meant(&draft.entries[*at]);
    let users: Vec<usize> = must.iter().copied().filter(said).collect();
    let texts = texts(draft, &users, |_, part| match part {
        Part::Text { text } => Some((text.clone(), None)),
        _ => None,
    });
    shortened(draft, texts, over, id, rule)
}

struct Long {
    entry: usize,
    part: usize,
    text: String,
    tokens: u64,
    /// For a result: what it is.
    output: Option<Output>,
}

fn texts(
    draft: &Draft,
    entries: &[usize],
    text_of: impl Fn(Place, &Part) -> Option<(String, Option<Output>)>,
) -> Vec<Long> {
    let mut out = Vec::new();
    for &entry in entries {
        let edits = draft.entries[entry].edits.as_deref().unwrap_or_default();
        for (part, content) in draft.entries[entry].message.parts.iter().enumerate() {
            // One edit for each part: a renamed result keeps its new id and its length.
            if edits.get(part).is_some_and(|edit| edit.call_id.is_some() && edit.to.is_none()) {
                continue;
            }
            if let Some((text, output)) = text_of((entry, part), content) {
                let tokens = draft.meter.text(&text);
                out.push(Long { entry, part, text, tokens, output });
            }
        }
    }
    out
}

fn shortened(draft: &Draft, texts: Vec<Long>, over: u64, id: String, rule: &'static str) -> Option<Edit> {
    let cap = common_cap(&texts.iter().map(|t| t.tokens).collect::<Vec<_>>(), over, FLOOR);
    let tokenizer = draft.meter.tokenizer;
    replaced(draft, texts, id, (Kind::Truncate, rule), |long| {
        let message = &draft.entries[long.entry].message.id;
        match &long.output {
            Some(output) => cut_result(&long.text, cap, output, message, tokenizer).map(|short| short.text),
            // A shortened record remains a record.
            None if is_sealed(&long.text) => {
                let short = (long.tokens > cap).then(|| shorter(&long.text, cap, tokenizer)).flatten();
                short.map(|short| seal(&short))
            }
            None => shorten(&long.text, cap, message, tokenizer).map(|short| short.text),
        }
    })
}

/// Returns an edit that shortens texts; `None` if no text becomes shorter.
fn replaced(
    draft: &Draft,
    texts: Vec<Long>,
    id: String,
    (kind, rule): (Kind, &'static str),
    short: impl Fn(&Long) -> Option<String>,
) -> Option<Edit> {
    let mut targets: Vec<(usize, Target)> = Vec::new();
    let mut before = 0;
    let mut after = 0;
    for long in texts {
        let Some(text) = short(&long) else { continue };
        before += long.tokens;
        after += draft.meter.text(&text);
        let message = draft.entries[long.entry].message.id.clone();
        let to = match kind {
            Kind::ClearArguments => Becomes::Arguments { arguments: text },
            _ => Becomes::Text { text },
        };
        targets.push((long.entry, Target::part(message, long.part, to)));
    }
    if targets.is_empty() || after >= before {
        return None;
    }
    crate::rank::sort(&mut targets, |(entry, _)| *entry as u64);
    Some(Edit {
        id,
        kind,
        targets: targets.into_iter().map(|(_, target)| target).collect(),
        rule,
        tokens_before: before,
        tokens_after: after,
        ..Edit::default()
    })
}

/// Returns the cap for the largest of `sizes` that frees `over` tokens, never below `floor`.
pub(super) fn common_cap(sizes: &[u64], over: u64, floor: u64) -> u64 {
    let room = sizes.iter().sum::<u64>().saturating_sub(over);
    let largest = sizes.iter().copied().max().unwrap_or(0);
    greatest(0, largest.saturating_add(1), |cap| sizes.iter().map(|&size| size.min(cap)).sum::<u64>() <= room)
        .max(floor)
}

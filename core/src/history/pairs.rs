//! Pairs calls and results on a draft: a result stays with its call, and a call with all its results.
//!
//! [`crate::validity::pairs`] decides which result answers which call. A result that does not follow its round is moved
//! there, unless the provider is known to accept results anywhere behind their calls.

use std::collections::BTreeMap;

use super::draft::{Draft, Moves, is_empty};
use super::plan::{Becomes, Fate, PartEdit};
use crate::map::{HashMap, HashSet};
use crate::message::{Message, Part, Role};
use crate::validity::pairs::{Fate as Found, LOST, LOST_MARK, Matching, Pairs, Place, pair, stand_in};

/// Pairs the calls and results of a draft. Moves displaced results to their calls, removes orphan results, adds a
/// synthetic result for unanswered calls except the newest, renames duplicate ids unless the draft's provider takes the
/// id of an answered call again, and removes messages without content. Never replaces a real result. Changes nothing in
/// a valid conversation, and nothing in a second run.
pub fn repair(draft: &mut Draft) {
    repair_as(draft, false);
}

/// The same for a single request, whose passes also work on what its provider takes and the groups of logs and
/// compactions do not: results anywhere behind their calls, and empty messages of the user.
pub fn repair_request(draft: &mut Draft) {
    repair_as(draft, true);
}

fn repair_as(draft: &mut Draft, is_request: bool) {
    let may_be_blank = is_request && draft.meter.provider.is_some_and(|it| it.rules().others_may_be_empty);
    drop_empty(draft, may_be_blank);
    let found = paired(draft);
    let moves_results = !(is_request && takes_results_anywhere(draft));
    let may_repeat = draft.meter.may_repeat_ids();
    let mut moves = Moves::default();
    let mut renamed: BTreeMap<usize, HashMap<usize, String>> = BTreeMap::new();
    let mut lost: Vec<(usize, String, String)> = Vec::new();
    // The entries with lost calls, in order.
    let mut callers: Vec<usize> = Vec::new();
    for call in found.calls {
        let new_id = call.renamed.filter(|_| !(may_repeat && call.is_reused));
        let id = new_id.clone().unwrap_or(call.id);
        let mut rename = |(entry, part): Place, id: &Option<String>| {
            if let Some(id) = id {
                renamed.entry(entry).or_default().insert(part, id.clone());
            }
        };
        rename(call.at, &new_id);
        match call.fate {
            Found::Answered(result) => {
                rename(result, &new_id);
                if let Some(behind) = call.displaced.filter(|_| moves_results) {
                    moves.entry(result.0).or_default().insert(result.1, behind);
                }
            }
            Found::Lost { behind } => {
                lost.push((behind, id, call.name));
                callers.push(call.at.0);
            }
            Found::Pending => {}
        }
    }
    crate::rank::sort(&mut lost, |(behind, ..)| *behind as u64);
    let mut orphans: BTreeMap<usize, HashSet<usize>> = BTreeMap::new();
    for (entry, part) in found.orphans {
        let gone = orphans.entry(entry).or_default();
        gone.insert(part);
        // A cache mark goes with the part before it.
        let behind = draft.entries[entry].message.parts.iter().enumerate().skip(part + 1);
        gone.extend(behind.take_while(|(_, part)| matches!(part, Part::CacheMark)).map(|(number, _)| number));
    }
    for (index, parts) in renamed {
        draft.edit_parts(index, "double-id", "another call has this id already, which would be refused", |part, _| {
            Some(PartEdit::call_id(part, parts.get(&part)?))
        });
    }
    for (index, parts) in orphans {
        draft.edit_parts(index, "orphan-result", "a tool result without its call would be refused", |part, _| {
            parts.contains(&part).then_some(Becomes::Gone)
        });
        // Removed parts lower the indices of the parts behind them.
        if let Some(places) = moves.get_mut(&index) {
            let mut orphans: Vec<usize> = parts.iter().copied().collect();
            crate::rank::sort(&mut orphans, |orphan| *orphan as u64);
            let gone = |part: usize| orphans.partition_point(|&orphan| orphan < part);
            *places = places.iter().map(|(&part, &behind)| (part - gone(part), behind)).collect();
        }
    }
    let stand_ins = lost.into_iter().map(|(behind, call_id, name)| {
        let id = format!("{}{LOST_MARK}{call_id}", draft.entries[behind].message.id);
        (behind, Message { id, role: Role::Tool, name: None, parts: vec![stand_in(&call_id, &name, LOST)] })
    });
    let stand_ins = stand_ins.collect();
    callers.dedup();
    for index in callers {
        draft.report(index, "lost-call", "a call has no result; one that says so was inserted", 0);
    }
    let why = "a result that did not follow its call would be refused, so it was moved there";
    draft.arrange((moves, MOVED, why), (stand_ins, "lost-call"));
    drop_empty(draft, may_be_blank);
}

/// The rule of a result that was moved to its call.
pub const MOVED: &str = "moved-result";

/// Returns whether results may come anywhere behind their calls (OpenAI Responses).
pub(super) fn takes_results_anywhere(draft: &Draft) -> bool {
    draft.meter.provider.is_some_and(|provider| provider.rules().results_anywhere)
}

/// Returns which result of a draft answers which call; a place is the index of an entry and that of a part in it.
pub fn paired(draft: &Draft) -> Pairs {
    let entries = draft.entries.iter().enumerate().filter(|(_, entry)| entry.is_in());
    let matching = Matching { names: false, by_items: draft.meter.by_items };
    pair(entries.map(|(at, entry)| (at, &*entry.message)), matching)
}

/// Returns the place of the call of each result. Ids do not identify a call: they may repeat.
pub fn callers(draft: &Draft) -> HashMap<Place, Place> {
    paired(draft).calls.into_iter().filter_map(|call| Some((call.result()?, call.at))).collect()
}

/// Removes empty messages, which providers refuse. If all user messages are empty, the newest one stays: a conversation
/// without any request is no better. With `may_be_blank` the provider refuses only empty messages of the assistant, but
/// an empty message between a call and its result is removed in any case.
fn drop_empty(draft: &mut Draft, may_be_blank: bool) {
    let entries = draft.entries.iter().map(|e| (e.is_in(), &*e.message));
    let spared = only_request(entries.filter(|(is_in, _)| *is_in).map(|(_, m)| m));
    let mut gone: Vec<usize> = Vec::new();
    let mut before_results = false;
    for (index, entry) in draft.entries.iter().enumerate().rev() {
        let message = &entry.message;
        if !entry.is_in() || message.role.is_frame() {
            continue;
        }
        let by_assistant = message.role == Role::Assistant;
        if !is_empty(&message.parts) {
            before_results = !by_assistant && message.results().next().is_some();
            continue;
        }
        let may_stay = may_be_blank && !by_assistant && !message.parts.is_empty() && !before_results;
        if !may_stay && spared.as_ref() != Some(&message.id) {
            gone.push(index);
        }
    }
    for index in gone.into_iter().rev() {
        draft.drop_entries(&[index], Fate::Dropped, "empty", "a message without content would be refused");
    }
}

/// Returns the id of the newest user message, if all user messages are empty.
fn only_request<'m>(messages: impl Iterator<Item = &'m Message>) -> Option<String> {
    let mut newest = None;
    for message in messages.filter(|m| m.role == Role::User) {
        if !is_empty(&message.parts) {
            return None;
        }
        newest = Some(message.id.clone());
    }
    newest
}

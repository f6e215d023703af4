//! Decides which groups may be removed and by which pass. Builds the error that names the largest groups that must
//! stay.

use super::Limits;
use crate::error::{BudgetDetails, Code, Contributor, Error, Result};
use crate::history::draft::{Draft, is_empty};
use crate::history::group::{Group, Kind};
use crate::history::opening::opening;
use crate::history::record::{Records, SUMMARY_TAG};
use crate::map::ordered;
use crate::message::{Message, Part};

/// A pass that drops groups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drop {
    OldTurn,
    OldRound,
    OldRequest,
    CurrentRound,
}

impl Drop {
    pub(super) const ALL: [Drop; 4] = [Drop::OldTurn, Drop::OldRound, Drop::OldRequest, Drop::CurrentRound];
    /// The default passes, in order.
    pub(super) const USUAL: [Drop; 2] = [Drop::OldTurn, Drop::CurrentRound];

    /// Returns whether this pass removes groups of that class.
    pub(super) fn removes(self, class: Drop) -> bool {
        match self {
            Drop::OldTurn => matches!(class, Drop::OldRound | Drop::OldRequest),
            _ => self == class,
        }
    }

    pub(super) fn rule(self) -> &'static str {
        match self {
            Drop::OldTurn => "old-turn",
            Drop::OldRound => "old-round",
            Drop::OldRequest => "old-request",
            Drop::CurrentRound => "current-round",
        }
    }

    pub(super) fn why(self) -> &'static str {
        match self {
            Drop::OldTurn => "an older request with all that came of it, oldest first",
            Drop::OldRound => "a round before the newest request, oldest first",
            Drop::OldRequest => "an older request, oldest first, with what is left of its turn",
            Drop::CurrentRound => "an early round of the current request, after everything before the request",
        }
    }
}

/// How the passes treat a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// The group stays, for this reason.
    Must(&'static str),
    Removable(Drop),
}

pub(super) fn classify(draft: &Draft, groups: &[Group], limits: &Limits) -> Vec<Class> {
    let newest_request = newest_request(draft, groups);
    let last_request = groups.iter().rposition(Group::has_request);
    let newest_round = newest_round(groups);
    let first = groups.iter().position(|group| group.kind != Kind::Frame);
    let entries = || draft.entries.iter().filter(|entry| entry.is_in()).map(|entry| &*entry.message);
    let foreign = if limits.records == Records::Sealed { opening(entries(), None).record } else { None };
    let records = limits.records.clone().with(foreign);
    // A foreign record that takes more than half of the budget is treated like other messages.
    let has_room = |group: &Group| group.tokens(draft) <= limits.budget / 2;
    let mut classes: Vec<Class> = groups
        .iter()
        .enumerate()
        .map(|(at, group)| {
            let after_request = newest_request.is_none_or(|request| at > request);
            if group.kind == Kind::Frame {
                Class::Must("frame")
            } else if Some(at) == newest_request || Some(at) == last_request {
                Class::Must("newest request")
            } else if group.pending {
                Class::Must("unanswered call")
            } else if Some(at) == newest_round && after_request {
                Class::Must("newest round")
            } else if group.entries.iter().any(|&i| limits.keep.contains(&draft.entries[i].message.id)) {
                Class::Must("kept by the host")
            } else if is_summary(draft, group, first == Some(at), &records, has_room) {
                Class::Must("summary")
            } else if group.kind == Kind::Record {
                Class::Removable(Drop::OldRequest)
            } else if after_request {
                Class::Removable(Drop::CurrentRound)
            } else if group.has_request() {
                Class::Removable(Drop::OldRequest)
            } else {
                Class::Removable(Drop::OldRound)
            }
        })
        .collect();
    // The first message must not be the assistant's: a round that stays keeps the request that opened its turn.
    let first = (0..groups.len()).find(|&at| groups[at].kind != Kind::Frame && matches!(classes[at], Class::Must(_)));
    let opening = first.filter(|&at| !groups[at].opens()).and_then(|at| groups[..at].iter().rposition(Group::opens));
    if let Some(opening) = opening {
        classes[opening] = Class::Must("opening of a turn that stays");
    }
    classes
}

/// Returns the newest group with text of the user, or else the newest one with an empty user message.
pub(super) fn newest_request(draft: &Draft, groups: &[Group]) -> Option<usize> {
    let says = |group: &Group| group.entries.iter().any(|&at| !is_empty(&draft.entries[at].message.parts));
    let newest = groups.iter().rposition(|group| group.has_request() && says(group));
    newest.or_else(|| groups.iter().rposition(Group::has_request))
}

/// Returns the group of the newest round, before or after the newest request.
pub(super) fn newest_round(groups: &[Group]) -> Option<usize> {
    groups.iter().rposition(Group::is_round)
}

/// Returns the records without a first message that only begins like one, which stays only as long as there is room;
/// `None` if there is no such message.
pub(super) fn trusted(draft: &Draft, limits: &Limits) -> Option<Records> {
    if limits.records != Records::Sealed {
        return None;
    }
    let entries = || draft.entries.iter().filter(|entry| entry.is_in()).map(|entry| &*entry.message);
    let first = entries().find(|message| !message.role.is_frame())?;
    let begins = |part: &Part| matches!(part, Part::Text { text } if text.starts_with(SUMMARY_TAG));
    if !first.parts.first().is_some_and(begins) || Records::Sealed.has(first) {
        return None;
    }
    let foreign = opening(entries(), None).record;
    if foreign.as_ref().is_some_and(|foreign| foreign.id == first.id) {
        return None;
    }
    let sealed = entries().filter(|message| Records::Sealed.has(message)).map(|message| message.id.clone());
    Some(Records::Only(ordered(sealed)).with(foreign))
}

/// Returns whether the group holds a record, or another system's summary at the beginning of the history.
fn is_summary(
    draft: &Draft,
    group: &Group,
    is_first: bool,
    records: &Records,
    has_room: impl Fn(&Group) -> bool,
) -> bool {
    let is_foreign = |message: &Message| records.foreign().is_some_and(|foreign| foreign.id == message.id);
    let is_meant = |message: &Message| {
        let is_first = || is_first && *records == Records::Sealed && message.text().starts_with(SUMMARY_TAG);
        if is_foreign(message) { has_room(group) } else { records.has(message) || is_first() }
    };
    matches!(group.kind, Kind::User | Kind::Record)
        && group.entries.first().is_some_and(|&i| is_meant(&draft.entries[i].message))
}

/// Returns an error if the groups that are left, with tool definitions and overhead, need more than `limit` tokens.
pub(super) fn refusal(
    draft: &Draft,
    groups: &[Group],
    classes: &[Class],
    limit: u64,
    is_left: impl Fn(usize) -> bool,
) -> Option<Error> {
    let mut largest: Vec<Contributor> = Vec::new();
    if draft.meter.tools > 0 {
        largest.push(Contributor { id: "tools".into(), tokens: draft.meter.tools, why: "tool definitions" });
    }
    let mut needed = draft.meter.model.list_overhead() + draft.meter.tools;
    for (at, (group, class)) in groups.iter().zip(classes).enumerate() {
        if !is_left(at) {
            continue;
        }
        let why = match class {
            Class::Must(why) => why,
            Class::Removable(_) => "its pass was skipped",
        };
        needed += group.tokens(draft);
        largest.extend(group.entries.iter().map(|&i| {
            let entry = &draft.entries[i];
            Contributor { id: entry.message.id.clone(), tokens: entry.after, why }
        }));
    }
    if needed <= limit {
        return None;
    }
    crate::rank::sort(&mut largest, |c| !c.tokens);
    largest.truncate(5);
    let top = largest.first().map_or(String::new(), Contributor::named);
    Some(Error {
        code: Code::BudgetExceeded,
        message: format!("What must be kept needs {needed} tokens, the budget allows {limit}{top}"),
        path: Some("options.budget".into()),
        budget: Some(BudgetDetails { budget: limit, needed, largest }),
    })
}

/// Returns a refusal whose `needed` is enough: with more room, a result may stay longer than it had to be.
pub(super) fn confirmed<T>(mut refusal: Error, fitted: impl Fn(u64) -> Result<T>) -> Error {
    let needed = |error: &Error| error.budget.as_ref().map_or(0, |details| details.needed);
    for _ in 0..super::FORM_ATTEMPTS {
        match fitted(needed(&refusal)) {
            Err(error) if needed(&error) > needed(&refusal) => refusal = error,
            _ => break,
        }
    }
    refusal
}

//! Cutting one request to its budget.
//!
//! The lineage is the truncator of Copilot CLI: system messages and the newest request of the user are untouchable, assistant
//! and tool material goes before requests, orphans go even when everything fits, and every removal is reported. Beyond it, the
//! rounds after the newest request can go too (an agent that works for hours on one request has nothing else), and the cut is
//! exact: removal stops as soon as the request fits, and what could stay after all is put back.
//!
//! | pass | goes | oldest first |
//! |---|---|---|
//! | repair | orphan results, empty messages | |
//! | A | rounds before the newest request | yes |
//! | B | older requests | yes |
//! | C | rounds after the newest request, but for the newest round and pending calls | yes |

use std::cmp::Reverse;
use std::collections::HashSet;

use super::draft::{Draft, Meter};
use super::group::{Group, Kind, groups};
use super::pairs::repair;
use super::plan::{Fate, MessageFate, PlanItem, Removal, Totals};
use crate::error::{BudgetDetails, Code, Contributor, Error, Result};
use crate::message::Message;
use crate::tokens::Origin;

/// The tag that opens a summary message of an earlier compaction.
pub const SUMMARY_TAG: &str = "<conversation-summary";

/// What a request may cost and what must stay.
#[derive(Debug, Clone, Default)]
pub struct Limits {
    /// Input tokens the request may have, tool definitions included.
    pub budget: u64,
    /// Tokens to leave free below the budget.
    pub headroom: u64,
    /// Ids of messages that must stay, with their whole group.
    pub keep: HashSet<String>,
    /// Re-admit older groups that still fit whole, newest first. Holes in a story mislead, so this is off by default.
    pub backfill: bool,
}

/// A pruned request.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pruned {
    pub plan: Vec<PlanItem>,
    pub before: Totals,
    pub after: Totals,
    pub origin: Origin,
    pub removed: Vec<Removal>,
    pub messages: Vec<MessageFate>,
}

/// Cuts `messages` to `limits`.
///
/// # Errors
/// [`Code::BudgetExceeded`] if what must stay is larger than the budget; the details name the largest contributors.
pub fn prune(messages: &[Message], meter: Meter, origin: Origin, limits: &Limits) -> Result<Pruned> {
    let mut draft = Draft::new(messages, meter, origin);
    let before = draft.before();
    repair(&mut draft);
    fit(&mut draft, limits)?;
    Ok(Pruned {
        before,
        after: draft.after(),
        origin: draft.origin,
        plan: draft.plan(),
        messages: draft.fates(),
        removed: draft.removed,
    })
}

/// The passes A to C on a repaired draft.
pub fn fit(draft: &mut Draft, limits: &Limits) -> Result<()> {
    let limit = limits.budget.saturating_sub(limits.headroom);
    let mut total = draft.total();
    if total <= limit {
        return Ok(());
    }
    let groups = groups(draft);
    let classes = classify(draft, &groups, limits);
    refuse_if_hopeless(draft, &groups, &classes, limit)?;

    let sizes: Vec<u64> = groups.iter().map(|group| group.tokens(draft)).collect();
    // In the order of removal.
    let mut gone: Vec<usize> = Vec::new();
    for pass in [Pass::OldRound, Pass::OldRequest, Pass::CurrentRound] {
        let mut last: Option<usize> = None;
        for at in (0..groups.len()).filter(|&at| classes[at] == Class::Removable(pass)) {
            // What came with results belongs to the turn that was opened before it, and goes with its opening: the assistant
            // must not speak first.
            let opening_went = groups[at].kind == Kind::RoundWithRequest
                && last.is_some_and(|last| !groups[last + 1..at].iter().any(|g| g.kind == Kind::User));
            if total <= limit && !opening_went {
                break;
            }
            total -= sizes[at];
            gone.push(at);
            last = Some(at);
        }
    }
    readmit(&groups, &classes, &sizes, &mut gone, limit.saturating_sub(total), limits.backfill);
    for at in gone {
        let Class::Removable(pass) = classes[at] else { continue };
        draft.drop_entries(&groups[at].entries, Fate::Dropped, pass.rule(), pass.why());
    }
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Pass {
    OldRound,
    OldRequest,
    CurrentRound,
}

impl Pass {
    fn rule(self) -> &'static str {
        match self {
            Pass::OldRound => "old-round",
            Pass::OldRequest => "old-request",
            Pass::CurrentRound => "current-round",
        }
    }

    fn why(self) -> &'static str {
        match self {
            Pass::OldRound => "a round before the newest request, oldest first",
            Pass::OldRequest => "an older request, oldest first, after all older rounds",
            Pass::CurrentRound => "an early round of the current request, after everything before the request",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Stays; why.
    Must(&'static str),
    Removable(Pass),
}

fn classify(draft: &Draft, groups: &[Group], limits: &Limits) -> Vec<Class> {
    let newest_request = groups.iter().rposition(Group::has_request);
    let newest_round = groups.iter().rposition(|g| g.kind != Kind::Frame && g.kind != Kind::User);
    let mut classes: Vec<Class> = groups
        .iter()
        .enumerate()
        .map(|(at, group)| {
            let after_request = newest_request.is_none_or(|request| at > request);
            if group.kind == Kind::Frame {
                Class::Must("frame")
            } else if Some(at) == newest_request {
                Class::Must("newest request")
            } else if group.pending {
                Class::Must("unanswered call")
            } else if Some(at) == newest_round && after_request {
                Class::Must("newest round")
            } else if group.entries.iter().any(|&i| limits.keep.contains(&draft.entries[i].message.id)) {
                Class::Must("kept by the host")
            } else if is_summary(draft, group) {
                Class::Must("summary")
            } else if after_request {
                Class::Removable(Pass::CurrentRound)
            } else if group.has_request() {
                Class::Removable(Pass::OldRequest)
            } else {
                Class::Removable(Pass::OldRound)
            }
        })
        .collect();
    // The assistant must not speak first: a round that stays keeps the request that opened its turn.
    let first = (0..groups.len()).find(|&at| groups[at].kind != Kind::Frame && matches!(classes[at], Class::Must(_)));
    let opening = first
        .filter(|&at| groups[at].kind != Kind::User)
        .and_then(|at| groups[..at].iter().rposition(|group| group.kind == Kind::User));
    if let Some(opening) = opening {
        classes[opening] = Class::Must("opening of a turn that stays");
    }
    classes
}

/// The entries that no pass may take.
pub fn must_keep(draft: &Draft, limits: &Limits) -> Vec<usize> {
    let groups = groups(draft);
    let classes = classify(draft, &groups, limits);
    let must = groups.iter().zip(classes).filter(|(_, class)| matches!(class, Class::Must(_)));
    must.flat_map(|(group, _)| group.entries.iter().copied()).collect()
}

/// True for the rules under which the passes remove groups.
pub fn is_prune_rule(rule: &str) -> bool {
    [Pass::OldRound, Pass::OldRequest, Pass::CurrentRound].iter().any(|pass| pass.rule() == rule)
}

fn is_summary(draft: &Draft, group: &Group) -> bool {
    group.kind == Kind::User
        && group.entries.first().is_some_and(|&i| draft.entries[i].message.text().starts_with(SUMMARY_TAG))
}

/// Passes go in order, so the group that a late pass had to take may leave room for what an earlier pass took last. Putting
/// that back keeps the promise that nothing went that need not: newest first, without holes, and never so that the assistant
/// would speak before any user.
fn readmit(groups: &[Group], classes: &[Class], sizes: &[u64], gone: &mut Vec<usize>, mut free: u64, backfill: bool) {
    let mut out = vec![false; groups.len()];
    gone.iter().for_each(|&at| out[at] = true);
    let mut first_request = (0..groups.len()).find(|&at| groups[at].kind == Kind::User && !out[at]);
    for pass in [Pass::CurrentRound, Pass::OldRequest, Pass::OldRound] {
        for &at in gone.iter().rev().filter(|&&at| classes[at] == Class::Removable(pass)) {
            let is_request = groups[at].kind == Kind::User;
            let stands = is_request || first_request.is_some_and(|first| first < at);
            if sizes[at] <= free && stands {
                free -= sizes[at];
                out[at] = false;
                if is_request {
                    first_request = Some(first_request.map_or(at, |first| first.min(at)));
                }
            } else if !backfill {
                break;
            }
        }
    }
    gone.retain(|&at| out[at]);
}

fn refuse_if_hopeless(draft: &Draft, groups: &[Group], classes: &[Class], limit: u64) -> Result<()> {
    let overhead = draft.meter.model.list_overhead() + draft.meter.tools;
    let mut largest: Vec<Contributor> = Vec::new();
    if draft.meter.tools > 0 {
        largest.push(Contributor { id: "tools".into(), tokens: draft.meter.tools, why: "tool definitions" });
    }
    let mut needed = overhead;
    for (group, class) in groups.iter().zip(classes) {
        let Class::Must(why) = class else { continue };
        needed += group.tokens(draft);
        largest.extend(group.entries.iter().map(|&i| {
            let entry = &draft.entries[i];
            Contributor { id: entry.message.id.clone(), tokens: entry.after, why }
        }));
    }
    if needed <= limit {
        return Ok(());
    }
    largest.sort_by_key(|c| Reverse(c.tokens));
    largest.truncate(5);
    let top = largest
        .first()
        .map_or(String::new(), |c| format!("; the largest is {} ({}, {} tokens)", c.id, c.why, c.tokens));
    Err(Error {
        code: Code::BudgetExceeded,
        message: format!("What must be kept needs {needed} tokens, the budget allows {limit}{top}"),
        path: Some("options.budget".into()),
        budget: Some(BudgetDetails { budget: limit, needed, largest }),
    })
}

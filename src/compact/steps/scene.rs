//! The parts of a conversation that a rule may change: results with the calls they answer, and which of them are
//! protected.

use std::borrow::Cow;
use std::rc::Rc;

use super::Ground;
use crate::compact::held::{Call, Fact, Outcome, Reading};
use crate::compact::placeholder::{self, Gone};
use crate::history::draft::Draft;
use crate::history::group::{Group, Kind, groups};
use crate::map::HashMap;
use crate::message::tool_map::ToolKind;
use crate::message::{Part, Role, texts};

/// A call.
pub struct CallAt<'d> {
    pub entry: usize,
    pub part: usize,
    pub name: &'d str,
    pub arguments: &'d str,
    pub call: Rc<Call>,
    /// True if it is outside the newest rounds and no rule protects it.
    pub is_old: bool,
    /// True if results of its tool are never cleared.
    pub is_exempt: bool,
}

/// A result.
pub struct Found<'d> {
    pub entry: usize,
    pub part: usize,
    /// Index of the call it answers.
    pub call: Option<usize>,
    /// Its texts.
    pub text: Cow<'d, str>,
    pub outcome: Rc<Outcome>,
    /// Its approximate share of its message's tokens.
    pub tokens: u64,
    pub is_error: bool,
    /// True if it consists of texts only.
    pub is_text: bool,
    /// True if a rule may replace it.
    pub is_open: bool,
    /// True if it may be cut in the middle, even in the newest round.
    pub may_be_cut: bool,
}

/// How a call ended, as far as its result shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    Ok,
    Failed,
    /// The result does not show it.
    Ended,
}

/// The results and calls of a draft that rules work on.
pub struct Scene<'d> {
    pub calls: Vec<CallAt<'d>>,
    /// In order.
    pub results: Vec<Found<'d>>,
    pub groups: Vec<Group>,
    /// Groups that no rule changes.
    pub is_fixed: Vec<bool>,
}

impl<'d> Scene<'d> {
    pub fn new(draft: &'d Draft, ground: Ground) -> Scene<'d> {
        let groups = groups(draft);
        let protect = &ground.profile().protect;
        let newest_request = groups.iter().rposition(Group::has_request);
        let newest_round = groups.iter().rposition(Group::is_round);
        let kept =
            |group: &Group| group.entries.iter().any(|&at| ground.options.keep.contains(&draft.entries[at].message.id));
        // Computed once for each group: a round may have thousands of results.
        let is_kept: Vec<bool> = groups.iter().map(kept).collect();
        let is_fixed: Vec<bool> = groups
            .iter()
            .enumerate()
            .map(|(at, group)| {
                group.kind == Kind::Frame
                    || Some(at) == newest_request
                    || Some(at) == newest_round
                    || group.pending
                    || is_kept[at]
            })
            .collect();
        let first_new = groups.iter().enumerate().rev().filter(|(_, group)| group.is_round()).map(|(at, _)| at);
        let first_new = first_new.take(protect.rounds).last().unwrap_or(groups.len());
        let turn = newest_request.filter(|_| protect.turn).map_or(groups.len(), |at| at);
        let mut reading = Reading::new(ground.known, &ground.options.rules);
        let mut scene = Scene { calls: vec![], results: vec![], groups, is_fixed };
        let mut open: HashMap<&str, usize> = HashMap::default();
        let mut group_of = vec![usize::MAX; draft.entries.len()];
        for (at, group) in scene.groups.iter().enumerate() {
            for &entry in &group.entries {
                group_of[entry] = at;
            }
        }
        for (entry, group) in group_of.iter().copied().enumerate() {
            let from = &draft.entries[entry];
            let facts = reading.next(&from.message, from.source);
            if group == usize::MAX {
                continue;
            }
            let is_old = !scene.is_fixed[group] && group < first_new && !from.is_new;
            let bytes: usize = from.message.parts.iter().map(bytes).sum();
            for fact in facts.iter().cloned() {
                let (Fact::Call(part, _) | Fact::Result(part, _)) = fact;
                let Some(what) = from.message.parts.get(part) else { continue };
                match (what, fact) {
                    (Part::ToolCall { call_id, name, arguments }, Fact::Call(_, call)) => {
                        open.insert(call_id, scene.calls.len());
                        let is_exempt = call.holds_state || ground.options.exempt.contains(name);
                        scene.calls.push(CallAt { entry, part, name, arguments, call, is_old, is_exempt });
                    }
                    (Part::ToolResult { call_id, content, is_error, .. }, Fact::Result(_, outcome)) => {
                        let of = &scene.groups[group];
                        let is_own = from.message.role != Role::Assistant && !from.is_new && !content.is_empty();
                        let is_known = |part: &Part| !matches!(part, Part::Opaque { .. }) && !part.is_mark();
                        let share = what_share(bytes, what);
                        scene.results.push(Found {
                            entry,
                            part,
                            call: open.remove(call_id.as_str()),
                            text: texts(content),
                            outcome,
                            tokens: (from.after as f64 * share) as u64,
                            is_error: *is_error,
                            is_text: content.iter().all(|part| matches!(part, Part::Text { .. })),
                            // Results beside their calls come from tools that the provider runs.
                            is_open: is_old && group < turn && is_own && content.iter().all(is_known),
                            may_be_cut: is_own
                                && !is_kept[group]
                                && Some(group) != newest_request.filter(|_| of.kind == Kind::User),
                        });
                    }
                    _ => {}
                }
            }
        }
        scene.protect(protect.results, ground.budget.protected);
        scene
    }

    /// Protects the newest `results` results, and the newest ones within `tokens` tokens together. Results that stay
    /// anyway do not count towards either.
    fn protect(&mut self, results: usize, tokens: u64) {
        let mut sum = 0u64;
        for (number, result) in self.results.iter_mut().rev().enumerate() {
            let is_exempt = result.call.and_then(|at| self.calls.get(at)).is_some_and(|call| call.is_exempt);
            sum = sum.saturating_add(if is_exempt { 0 } else { result.tokens });
            if number >= results && sum > tokens {
                break;
            }
            result.is_open = false;
        }
    }

    pub fn call_of(&self, result: &Found) -> Option<&CallAt<'d>> {
        result.call.and_then(|at| self.calls.get(at))
    }

    /// Returns the line that replaces a result.
    pub fn placeholder(&self, gone: Gone, result: &Found, why: Option<&str>, recall: &str) -> String {
        let call = self.call_of(result);
        let of = placeholder::Result {
            tool: call.map(|call| call.name),
            call: call.map(|call| (call.arguments, &**call.call)),
            text: &result.text,
            is_error: result.is_error,
        };
        result.outcome.placeholder(gone, call.map(|call| &call.call), of, why, recall)
    }

    /// Returns how the call of a result ended.
    pub fn end(&self, result: &Found) -> End {
        let is_shell = self.call_of(result).is_some_and(|call| call.call.kind == ToolKind::Shell);
        match is_shell.then(|| result.outcome.exit(&result.text)).flatten() {
            Some(0) => End::Ok,
            Some(_) => End::Failed,
            None if result.is_error => End::Failed,
            None if result.outcome.says_so(&result.text) => End::Failed,
            None => End::Ended,
        }
    }
}

fn bytes(part: &Part) -> usize {
    match part {
        Part::Text { text } | Part::Reasoning { text, .. } => text.len(),
        Part::ToolCall { name, arguments, .. } => name.len() + arguments.len(),
        Part::ToolResult { content, .. } => {
            content.iter().map(|part| if let Part::Text { text } = part { text.len() } else { 4_000 }).sum()
        }
        Part::Image { .. } | Part::Document { .. } => 4_000,
        Part::Opaque { json, .. } => json.len(),
        Part::CacheMark | Part::Boundary => 0,
    }
}

fn what_share(all: usize, part: &Part) -> f64 {
    bytes(part) as f64 / all.max(1) as f64
}

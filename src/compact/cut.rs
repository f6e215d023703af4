//! The cut point: where the covered range ends and the tail begins.
//!
//! Any boundary between two groups can be a cut point. A single request followed by hundreds of tool rounds is the
//! normal run of an agent, and a rule that cuts at requests only would find no cut in it. The profile decides which
//! boundaries are considered, and what each costs.

use super::profile::{Cut as Rule, CutAt};
use super::steps::scene::{End, Scene};
use crate::history::draft::Draft;
use crate::history::group::{Group, Kind};
use crate::message::tool_map::ToolKind;

/// A chosen cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Groups that the summary will replace, by index.
    pub covered: Vec<usize>,
    /// Groups before the boundary that stay verbatim: the newest request, groups that the host pinned, the frame.
    pub carried: Vec<usize>,
    /// The first group of the tail.
    pub boundary: usize,
    /// Tokens after the boundary, without the newest request.
    pub tail_tokens: u64,
}

/// What a group does, as far as a neighbouring boundary is concerned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Deed {
    /// It changes a file.
    pub edits: bool,
    /// It runs a command.
    pub runs: bool,
    /// It runs a command that fails and does not succeed later.
    pub fails: bool,
}

/// Returns what each group of a scene does.
pub fn deeds(scene: &Scene) -> Vec<Deed> {
    let last = scene.groups.iter().flat_map(|group| &group.entries).max().map_or(0, |last| last + 1);
    let mut group_of = vec![0; last];
    for (at, group) in scene.groups.iter().enumerate() {
        for &entry in &group.entries {
            group_of[entry] = at;
        }
    }
    let mut deeds = vec![Deed::default(); scene.groups.len()];
    for call in &scene.calls {
        let deed = &mut deeds[group_of[call.entry]];
        deed.edits |= matches!(call.call.kind, ToolKind::Edit | ToolKind::Write | ToolKind::Delete);
        deed.runs |= call.call.kind == ToolKind::Shell;
    }
    let mut mended = crate::map::HashSet::default();
    for result in scene.results.iter().rev() {
        let Some(call) = scene.call_of(result).filter(|call| call.call.kind == ToolKind::Shell) else { continue };
        match scene.end(result) {
            End::Failed => deeds[group_of[call.entry]].fails |= !mended.contains(&call.call.commands),
            End::Ok | End::Ended => {
                mended.insert(&call.call.commands);
            }
        }
    }
    deeds
}

/// True if the group before a boundary edits a file and the group after it runs the first command since.
pub fn parts_edit_from_check(groups: &[Group], deeds: &[Deed], boundary: usize) -> bool {
    let deed = |at: usize| deeds.get(at).copied().unwrap_or_default();
    before(groups, boundary).is_some_and(|at| deed(at).edits) && deed(boundary).runs
}

/// Returns the group before a boundary, skipping messages of the frame.
fn before(groups: &[Group], boundary: usize) -> Option<usize> {
    (0..boundary.min(groups.len())).rev().find(|&at| groups[at].kind != Kind::Frame)
}

/// Chooses the boundary that the rule finds cheapest for a tail of `target` tokens. The newest request costs nothing,
/// since it stays wherever the cut lies. `deeds` says what each group does. Returns `None` if nothing could be covered.
pub fn choose(
    draft: &Draft,
    groups: &[Group],
    target: u64,
    rule: &Rule,
    deeds: &[Deed],
    pinned: impl Fn(&Group) -> bool,
) -> Option<Cut> {
    let newest_request = groups.iter().rposition(Group::has_request);
    let newest = groups.iter().rposition(|g| g.kind != Kind::Frame)?;
    let first = groups.iter().position(|g| g.kind != Kind::Frame)?;
    // An unanswered call stays, with everything after it.
    let last_possible = groups.iter().position(|g| g.pending).unwrap_or(newest);

    let mut tail = 0;
    // Boundary (index of the first group of the tail) and tokens of the tail.
    let mut candidates: Vec<(usize, u64)> = Vec::new();
    for at in (first + 1..groups.len()).rev() {
        if Some(at) != newest_request && groups[at].kind != Kind::Frame {
            tail += groups[at].tokens(draft);
        }
        if at <= last_possible && groups[at].kind != Kind::Frame {
            candidates.push((at, tail));
        }
    }
    let found = match rule.at {
        CutAt::Tokens => by_tokens(&candidates, groups, target, rule, deeds),
        CutAt::Fraction => by_fraction(draft, &candidates, groups, rule),
        CutAt::LastRound => last_round(groups, newest_request, newest, false).filter(|at| *at > first),
        CutAt::Anchor => last_round(groups, newest_request, newest, true).filter(|at| *at > first),
        CutAt::Snapshot => snapshot(groups, newest_request, newest),
    };
    let takes_all = matches!(rule.at, CutAt::Snapshot | CutAt::Anchor);
    let boundary = found?.min(if takes_all && !groups[last_possible].pending { groups.len() } else { last_possible });
    let tail_tokens = candidates.iter().find(|(at, _)| *at == boundary).map_or(0, |(_, tail)| *tail);
    let stays = |at: usize| groups[at].kind == Kind::Frame || Some(at) == newest_request || pinned(&groups[at]);
    let (carried, covered): (Vec<usize>, Vec<usize>) = (0..boundary).partition(|&at| stays(at));
    (!covered.is_empty()).then_some(Cut { covered, carried, boundary, tail_tokens })
}

/// Returns the boundary with the lowest total cost: distance of its tail from `target`, plus the rule's penalties.
fn by_tokens(candidates: &[(usize, u64)], groups: &[Group], target: u64, rule: &Rule, deeds: &[Deed]) -> Option<usize> {
    let [min, max] = rule.window.map(|share| share * target as f64);
    let near = candidates.iter().filter(|(_, tail)| (min..=max).contains(&(*tail as f64)));
    let deed = |at: usize| deeds.get(at).copied().unwrap_or_default();
    let cost = |&(at, tail): &(usize, u64)| {
        let extra = |is: bool, cost: f64| if is { cost } else { 0.0 };
        let behind = before(groups, at).map_or(Deed::default(), deed);
        (tail as f64 - target as f64).abs() / (target as f64).max(1.0)
            + extra(!groups[at].has_request(), rule.inside_turn)
            + extra(parts_edit_from_check(groups, deeds, at), rule.before_check)
            + extra(behind.fails, rule.open_failure)
    };
    // Candidates go from the shortest tail to the longest, and ties go to the longer one: hence `<=`.
    let mut best: Option<(usize, u64)> = None;
    for &candidate in near {
        if best.is_none_or(|b| cost(&candidate) <= cost(&b)) {
            best = Some(candidate);
        }
    }
    let best = best
        .or_else(|| candidates.iter().rev().find(|(_, tail)| *tail <= target).copied())
        .or_else(|| candidates.first().copied());
    best.map(|(at, _)| at)
}

/// Returns the first boundary before a request that lies after a share of the conversation.
fn by_fraction(draft: &Draft, candidates: &[(usize, u64)], groups: &[Group], rule: &Rule) -> Option<usize> {
    let sizes: Vec<u64> =
        groups.iter().map(|group| if group.kind == Kind::Frame { 0 } else { group.tokens(draft) }).collect();
    let is_possible = |at: usize| candidates.iter().any(|(candidate, _)| *candidate == at);
    let mut possible = vec![false; groups.len()];
    for &(at, _) in candidates {
        possible[at] = true;
    }
    let requests: Vec<bool> = groups.iter().enumerate().map(|(at, g)| possible[at] && g.has_request()).collect();
    let found = split(&sizes, &requests, rule.fraction).filter(|&at| is_possible(at));
    let inside = || split(&sizes, &possible, rule.fraction);
    // For a conversation that ends with the model's words, the reference covers everything and keeps nothing. Here the
    // newest round stays, as the last candidate. If the newest request lies before the share, as after every summary of
    // a long turn, a cut before it would summarise a summary.
    let all: u64 = sizes.iter().sum();
    let reaches = |at: usize| sizes[..at].iter().sum::<u64>() as f64 >= all as f64 * rule.fraction;
    if rule.split_inside_turn && !found.is_some_and(reaches) { inside().or(found) } else { found }
}

/// Applies gemini-cli's rule: returns the first candidate whose preceding sizes reach `fraction` of the total, else the
/// last candidate; `None` without candidates after the first item.
///
/// ```
/// use espalier::compact::cut::split;
/// assert_eq!(split(&[10, 10, 10, 10], &[true, false, true, false], 0.5), Some(2));
/// assert_eq!(split(&[10, 10, 10, 10], &[true, false, true, false], 0.9), Some(2));
/// ```
pub fn split(sizes: &[u64], is_candidate: &[bool], fraction: f64) -> Option<usize> {
    let goal = sizes.iter().sum::<u64>() as f64 * fraction;
    let mut before = 0u64;
    let mut last = None;
    for (at, (&size, &is)) in sizes.iter().zip(is_candidate).enumerate() {
        if is && at > 0 {
            if before as f64 >= goal {
                return Some(at);
            }
            last = Some(at);
        }
        before += size;
    }
    last
}

/// Covers all but the last of two or more rounds after the newest request. With fewer, covers what came before that
/// request; `or_one` also covers a single round.
fn last_round(groups: &[Group], request: Option<usize>, newest: usize, or_one: bool) -> Option<usize> {
    let is_round = |at: &usize| groups[*at].is_round();
    let from = request.map_or(0, |at| at + 1);
    let rounds: Vec<usize> = (from..=newest).filter(is_round).collect();
    match rounds.as_slice() {
        [_, .., last] => Some(*last),
        [one] if or_one => Some(one + 1),
        _ => request,
    }
}

/// Covers everything but the last work that the newest request led to.
fn snapshot(groups: &[Group], request: Option<usize>, newest: usize) -> Option<usize> {
    let at_work = request.is_none_or(|request| newest > request);
    Some(if at_work { newest } else { groups.len() })
}

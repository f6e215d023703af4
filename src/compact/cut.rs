//! Where the covered range ends and the tail begins.
//!
//! A cut point is any boundary between two groups: a single request followed by hundreds of tool rounds is the normal run of an
//! agent, and a rule that cuts at requests only would find nothing in it.

use crate::history::draft::Draft;
use crate::history::group::{Group, Kind};

/// A chosen cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cut {
    /// Groups that the summary will stand for, by index.
    pub covered: Vec<usize>,
    /// Groups before the boundary that stay verbatim: the newest request, what the host pinned, the frame.
    pub carried: Vec<usize>,
    /// The first group of the tail.
    pub boundary: usize,
    /// Tokens after the boundary, the newest request not counted.
    pub tail_tokens: u64,
}

/// Extra cost of a boundary that is not in front of a request.
const INSIDE_A_TURN: f64 = 0.15;

/// Chooses the boundary whose tail comes closest to `target` tokens. The newest request costs nothing here, since it stays
/// wherever the cut lies. `None` if nothing could be covered.
pub fn choose(draft: &Draft, groups: &[Group], target: u64, pinned: impl Fn(&Group) -> bool) -> Option<Cut> {
    let newest_request = groups.iter().rposition(Group::has_request);
    let newest = groups.iter().rposition(|g| g.kind != Kind::Frame)?;
    let first = groups.iter().position(|g| g.kind != Kind::Frame)?;
    // An unanswered call stays, and with it everything behind it.
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
    let near: Vec<_> =
        candidates.iter().filter(|(_, tail)| *tail * 2 >= target && *tail * 4 <= target * 5).copied().collect();
    let cost = |&(at, tail): &(usize, u64)| {
        let distance = (tail as f64 - target as f64).abs() / (target as f64).max(1.0);
        distance + if groups[at].has_request() { 0.0 } else { INSIDE_A_TURN }
    };
    // Candidates run from the shortest tail to the longest, and ties go to the longer one: hence `<=`.
    let mut best: Option<(usize, u64)> = None;
    for candidate in near {
        if best.is_none_or(|b| cost(&candidate) <= cost(&b)) {
            best = Some(candidate);
        }
    }
    let best = best
        .or_else(|| candidates.iter().rev().find(|(_, tail)| *tail <= target).copied())
        .or_else(|| candidates.first().copied());
    let (boundary, tail_tokens) = best?;

    let stays = |at: usize| groups[at].kind == Kind::Frame || Some(at) == newest_request || pinned(&groups[at]);
    let (carried, covered): (Vec<usize>, Vec<usize>) = (0..boundary).partition(|&at| stays(at));
    (!covered.is_empty()).then_some(Cut { covered, carried, boundary, tail_tokens })
}

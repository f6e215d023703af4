//! Nothing is removed without need, checked by trying.

use espalier::history::prune::{Limits, prune};
use espalier::message::{Message, Role};
use espalier::tokens::Origin;
use fastrand::Rng;

use super::fresh;
use crate::support::{Chars, assistant, calls, meter, numbered, result, user};

/// Returns up to twelve groups; each is its messages.
fn conversation(rng: &mut Rng) -> Vec<Vec<Message>> {
    let word = |rng: &mut Rng| "x".repeat(rng.usize(1..40));
    (0..rng.usize(1..13))
        .map(|n| match rng.u32(0..4) {
            0 => vec![user(&word(rng))],
            1 => vec![assistant(&word(rng))],
            2 => vec![calls(&[&n.to_string()]), result(&n.to_string(), &word(rng))],
            _ => {
                let ids = [format!("{n}a"), format!("{n}b")];
                vec![calls(&[&ids[0], &ids[1]]), result(&ids[1], &word(rng)), result(&ids[0], &word(rng))]
            }
        })
        .collect()
}

/// Returns what was removed last before the newest request, by position alone: the newest removed turn, or the newest
/// removed round of a remaining turn. With `all`, every such turn and round.
fn last_of_turns(groups: &[Vec<Message>], gone: &[bool], all: bool) -> Vec<Vec<usize>> {
    let is_user = |at: &usize| groups[*at][0].role == Role::User;
    let users: Vec<usize> = (0..groups.len()).filter(is_user).collect();
    let mut found = Vec::new();
    for turn in users.windows(2).map(|pair| pair[0]..pair[1]).rev() {
        let taken: Vec<usize> = turn.clone().filter(|&at| gone[at]).collect();
        if taken.is_empty() || !(found.is_empty() || all && gone[turn.start]) {
            continue;
        }
        found.push(if gone[turn.start] { taken } else { taken[taken.len() - 1..].to_vec() });
    }
    found
}

/// Returns the removed rounds after the newest request, or the newest of them.
fn last_of_rounds(groups: &[Vec<Message>], gone: &[bool], all: bool) -> Vec<Vec<usize>> {
    let newest = groups.iter().rposition(|group| group[0].role == Role::User);
    let after = newest.map_or(0, |request| request + 1);
    let taken: Vec<usize> = (after..groups.len()).filter(|&at| gone[at]).collect();
    let from = if all { 0 } else { taken.len().saturating_sub(1) };
    taken[from..].iter().map(|&at| vec![at]).collect()
}

#[test]
fn whatever_a_pass_took_last_would_not_fit_any_more() {
    let mut rng = Rng::with_seed(1);
    let (mut cut, mut tight) = (0, 0);
    for _ in 0..20_000 {
        let mut next = 0;
        let groups: Vec<Vec<Message>> = conversation(&mut rng)
            .into_iter()
            .map(|group| {
                let from = next;
                next += group.len();
                group.into_iter().enumerate().map(|(n, m)| Message { id: format!("m{}", from + n), ..m }).collect()
            })
            .collect();
        let messages = numbered(groups.concat());
        let whole = fresh(&messages, &Chars);
        let backfill = rng.bool();
        let limits = Limits { budget: rng.u64(3..=whole), backfill, ..Limits::default() };
        let Ok(pruned) = prune(&messages, meter(&Chars), Origin::Exact, &limits) else { continue };
        let is_gone = |group: &Vec<Message>| pruned.removed.iter().any(|r| r.ids.contains(&group[0].id));
        let gone: Vec<bool> = groups.iter().map(is_gone).collect();
        let size = |at: &usize| groups[*at].iter().map(|m| meter(&Chars).message(m)).sum::<u64>();
        let first_user = (0..groups.len()).find(|&at| groups[at][0].role == Role::User && !gone[at]);
        cut += usize::from(gone.contains(&true));
        for last in [last_of_turns(&groups, &gone, backfill), last_of_rounds(&groups, &gone, backfill)].concat() {
            let stands = groups[last[0]][0].role == Role::User || first_user.is_some_and(|first| first < last[0]);
            assert!(
                !stands || pruned.after.total + last.iter().map(size).sum::<u64>() > limits.budget,
                "{} would fit beside {} in {}: {}",
                groups[last[0]][0].id,
                pruned.after.total,
                limits.budget,
                super::sketch(&messages),
            );
            tight += usize::from(stands);
        }
    }
    assert!(cut > 5_000 && tight > 5_000, "the test must not pass for want of cuts: {cut} {tight}");
}

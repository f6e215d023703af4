//! Nothing goes that need not, found out by trying.

use espalier::history::prune::{Limits, Pass, prune};
use espalier::message::{Message, Role};
use espalier::tokens::Origin;
use fastrand::Rng;

use super::fresh;
use crate::support::{Chars, assistant, calls, meter, numbered, result, user};

/// Up to twelve groups; each is its messages.
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

/// The pass that a group would go in, told by its place alone.
fn pass_of(groups: &[Vec<Message>], at: usize) -> Option<Pass> {
    let is_user = |group: &[Message]| group[0].role == Role::User;
    let newest_request = groups.iter().rposition(|group| is_user(group));
    let newest_round = groups.iter().rposition(|group| !is_user(group));
    match newest_request {
        Some(request) if at == request => None,
        Some(request) if at < request => Some(if is_user(&groups[at]) { Pass::Requests } else { Pass::Rounds }),
        _ if Some(at) == newest_round => None,
        _ => Some(Pass::CurrentRounds),
    }
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
        let gone = |group: &[Message]| pruned.removed.iter().any(|r| r.ids.contains(&group[0].id));
        let size = |group: &[Message]| group.iter().map(|m| meter(&Chars).message(m)).sum::<u64>();
        let first_user = groups.iter().position(|group| group[0].role == Role::User && !gone(group));
        cut += usize::from(groups.iter().any(|group| gone(group)));
        for pass in [Pass::Rounds, Pass::Requests, Pass::CurrentRounds] {
            let taken: Vec<usize> =
                (0..groups.len()).filter(|&at| pass_of(&groups, at) == Some(pass) && gone(&groups[at])).collect();
            // Oldest first: without backfill the newest of a pass went last; with it nothing that is out may fit.
            for &at in if backfill { &taken[..] } else { taken.last().map_or(&[][..], std::slice::from_ref) } {
                let stands = groups[at][0].role == Role::User || first_user.is_some_and(|first| first < at);
                assert!(
                    !stands || pruned.after.total + size(&groups[at]) > limits.budget,
                    "{pass:?}: {} would fit beside {} in {}",
                    groups[at][0].id,
                    pruned.after.total,
                    limits.budget
                );
                tight += usize::from(stands);
            }
        }
    }
    assert!(cut > 5_000 && tight > 5_000, "the test must not pass for want of cuts: {cut} {tight}");
}

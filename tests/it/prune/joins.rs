//! Messages that are written as one are counted as one.

use espalier::history::plan::PlanItem;
use espalier::history::prune::{Limits, Pass, prune};
use espalier::message::{Message, Part, Role};
use espalier::tokens::Origin;
use espalier::validity::Provider;
use fastrand::Rng;

use super::{carry_out, fresh, limits};
use crate::support::{Chars, assistant, calls, meter, numbered, result, user};

/// Returns the messages as an adapter writes them: neighbours with the same role become one message unless they are
/// neighbours in the host's list.
fn written(messages: &[Message], plan: &[PlanItem]) -> Vec<Message> {
    let place = |id: &str| messages.iter().position(|message| message.id == *id);
    let mut out: Vec<Message> = Vec::new();
    let mut last = None;
    for message in carry_out(messages, plan) {
        let here = place(&message.id);
        let is_as_it_was = last.zip(here).is_some_and(|(last, here): (usize, usize)| last + 1 == here);
        match out.last_mut() {
            Some(before) if !is_as_it_was && (before.role == Role::Assistant) == (message.role == Role::Assistant) => {
                before.parts.extend(message.parts);
                let (results, words): (Vec<Part>, Vec<Part>) = std::mem::take(&mut before.parts)
                    .into_iter()
                    .partition(|part| matches!(part, Part::ToolResult { .. }));
                before.parts = [results, words].concat();
                last = None;
            }
            _ => {
                out.push(message);
                last = here;
            }
        }
    }
    out
}

#[test]
fn a_wall_of_requests_counts_as_the_one_message_that_it_becomes() {
    let turn = |n: usize| vec![user(&format!("request {n:03}")), assistant(&"word ".repeat(40))];
    let messages = numbered([(0..60).flat_map(turn).collect(), vec![user("now")]].concat());
    let requests = vec![Pass::Rounds, Pass::Requests];
    let cut = |written| {
        let limits = Limits { written, order: Some(requests.clone()), ..limits(500) };
        prune(&messages, meter(&Chars), Origin::Exact, &limits).unwrap()
    };
    let (apart, joined) = (cut(None), cut(Some(Provider::Gemini)));
    let out = written(&messages, &joined.plan);
    assert_eq!((fresh(&out, &Chars), out.len()), (joined.after.total, joined.after.messages));
    assert!(joined.plan.len() > apart.plan.len() && joined.after.total > 480, "{:?}", joined.after);
}

#[test]
fn the_report_says_what_is_written() {
    let mut rng = Rng::with_seed(5);
    let mut joined = 0;
    for _ in 0..3_000 {
        let words = |rng: &mut Rng| "w".repeat(rng.usize(1..40));
        let mut messages = Vec::new();
        for n in 0..rng.usize(1..30) {
            match rng.u32(0..5) {
                0 | 1 => messages.push(user(&words(&mut rng))),
                2 => messages.push(assistant(&words(&mut rng))),
                3 => messages.extend([calls(&[&n.to_string()]), result(&n.to_string(), &words(&mut rng))]),
                _ => messages.push(calls(&[&n.to_string()])),
            }
        }
        let messages = numbered(messages);
        let order = rng.bool().then(|| vec![Pass::Rounds, Pass::Requests, Pass::CurrentRounds]);
        let budget = rng.u64(7..=fresh(&messages, &Chars));
        let limits = Limits { written: Some(Provider::Gemini), order, note: rng.u32(0..4) == 0, ..limits(budget) };
        let Ok(pruned) = prune(&messages, meter(&Chars), Origin::Exact, &limits) else { continue };
        let out = written(&messages, &pruned.plan);
        assert_eq!(fresh(&out, &Chars), pruned.after.total, "{}", super::sketch(&messages));
        assert!(pruned.after.total <= budget && out.len() == pruned.after.messages);
        let rows: u64 = pruned.messages.iter().map(|row| row.after).sum();
        assert_eq!(rows + 3, pruned.after.total);
        joined += usize::from(out.len() < pruned.plan.len());
    }
    assert!(joined > 300, "{joined}");
}

//! Cuts that stay in place, and the common prefix of consecutive requests.

use espalier::history::draft::Meter;
use espalier::history::plan::{Fate, MessageFate, PlanItem};
use espalier::history::prune::{Brief, Cut, Held, Item, Limits, Pass, Pruned, Row, prune};
use espalier::history::sound::Sound;
use espalier::message::Message;
use espalier::tokens::Origin;
use espalier::validity::Provider;
use fastrand::Rng;

use super::{carry_out, limits, run};
use crate::support::{Chars, Quarter, assistant, calls, meter, numbered, random, result, user};

/// Returns the requests of an agent that works on one prompt for `rounds` rounds, each cut with the previous one's
/// state.
fn agent_run(rounds: usize, limits: &Limits, seed: u64) -> Vec<(Pruned, Vec<Message>)> {
    run_with(rounds, limits, seed, &[])
}

/// The same with much larger results at the rounds in `giants`.
fn run_with(rounds: usize, limits: &Limits, seed: u64, giants: &[usize]) -> Vec<(Pruned, Vec<Message>)> {
    let mut rng = Rng::with_seed(seed);
    let mut messages = vec![user("Fix the parser. Never touch the lexer.")];
    let mut out: Vec<(Pruned, Vec<Message>)> = Vec::new();
    for round in 0..rounds {
        let id = format!("c{round}");
        messages.push(calls(&[&id]));
        messages.push(result(&id, &lines(rng.usize(1..120) + if giants.contains(&round) { 9_000 } else { 0 })));
        let input = numbered(messages.clone());
        let previous = out.last().map(|(pruned, _)| pruned.cut.clone());
        let pruned = run(&input, &Limits { previous, ..limits.clone() }, &Quarter);
        assert!(pruned.after.total <= limits.budget);
        let sent = carry_out(&input, &pruned.plan);
        out.push((pruned, sent));
    }
    out
}

/// Returns `many` different lines of twenty characters.
fn lines(many: usize) -> String {
    (0..many).map(|line| format!("output on line {line:04}\n")).collect()
}

fn held(requests: &[(Pruned, Vec<Message>)]) -> usize {
    requests.windows(2).filter(|pair| pair[1].1.starts_with(&pair[0].1)).count()
}

#[test]
fn nine_requests_in_ten_begin_with_the_whole_previous_one() {
    for (seed, order) in [(1, None), (2, Some(Pass::SHRINK.to_vec()))] {
        let limits = Limits { cache_step_share: 0.1, order, ..limits(50_000) };
        let requests = agent_run(300, &limits, seed);
        let same = held(&requests);
        assert!(same * 10 >= 299 * 9, "{same} of 299");
        // Still, the window is used.
        let late = &requests[200..];
        let used: u64 = late.iter().map(|(pruned, _)| pruned.after.total).sum::<u64>() / late.len() as u64;
        assert!(used > 42_500, "{used} of 50000 on average");
    }
    // Without a step the cut moves almost every time.
    let requests = agent_run(300, &limits(50_000), 1);
    assert!(held(&requests) * 10 < 299 * 9);
}

#[test]
fn a_giant_result_does_not_break_the_cache_again_and_again() {
    let limits = Limits { cache_step_share: 0.1, ..limits(50_000) };
    let requests = run_with(200, &limits, 6, &[30, 110]);
    let same = held(&requests);
    assert!(same * 10 >= 199 * 9, "{same} of 199");
    let giant = |(pruned, _): &(Pruned, _)| pruned.removed.iter().any(|r| r.rule == "oversize-result");
    assert!(requests.iter().filter(|request| giant(request)).count() > 20);
}

#[test]
fn the_report_says_what_is_shared_as_comparing_would() {
    for step in [0.0, 0.1] {
        let requests = agent_run(200, &Limits { cache_step_share: step, note: true, ..limits(9_000) }, 4);
        let mut breaks = 0;
        for pair in requests.windows(2) {
            let [(_, was), (pruned, is)] = pair else { continue };
            let same = was.iter().zip(is).take_while(|(was, is)| was == is).count();
            let shared = pruned.shared.clone().unwrap();
            assert_eq!(shared.messages, same);
            assert_eq!(shared.tokens, is[..same].iter().map(|m| meter(&Quarter).message(m)).sum::<u64>());
            assert_eq!(shared.differs.is_none(), same == was.len());
            if let Some(difference) = shared.differs {
                breaks += 1;
                assert_eq!(difference.at, same);
                assert!(matches!(difference.rule, Some("current-round" | "note")), "{difference:?}");
            }
        }
        assert!(breaks > 0);
    }
}

#[test]
fn a_history_that_was_rewritten_is_not_cut_by_old_marks() {
    let rounds = |word: &str| {
        let turn = |n: usize| [user("a"), assistant(&format!("{word} {n}").repeat(20))];
        numbered((0..10).flat_map(turn).chain([user("z")]).collect())
    };
    let first = run(&rounds("one"), &limits(700), &Chars);
    assert!(!first.cut.gone.is_empty(), "{:?}", first.cut);
    let limits = |budget| Limits { previous: Some(first.cut.clone()), ..limits(budget) };
    // The same ids, other words: the cut is made again.
    let other = run(&rounds("two"), &limits(840), &Chars);
    let fresh = run(&rounds("two"), &Limits { previous: None, ..limits(840) }, &Chars);
    assert_eq!(other.plan, fresh.plan);
    assert_eq!(other.shared.unwrap().differs.unwrap().rule, None);
    // Also for a limit that is much larger, but not for one that is slightly larger.
    assert!(run(&rounds("one"), &limits(840), &Chars).plan.len() > first.plan.len());
    assert_eq!(run(&rounds("one"), &limits(760), &Chars).plan, first.plan);
    // Everything fits: no earlier cut is applied.
    assert_eq!(run(&rounds("one"), &limits(99_000), &Chars).removed, []);
}

#[test]
fn what_was_shortened_stays_so_while_it_fits() {
    let big = || lines(450);
    let mut messages = vec![user("a"), calls(&["1"]), result("1", &big())];
    let first = run(&numbered(messages.clone()), &limits(4_000), &Chars);
    messages.extend([calls(&["2"]), result("2", "short")]);
    let input = numbered(messages);
    let next = run(&input, &Limits { previous: Some(first.cut.clone()), ..limits(4_100) }, &Chars);
    let shared = next.shared.clone().unwrap();
    assert_eq!((shared.messages, &shared.differs), (3, &None));
    assert_eq!(next.cut.shortened, first.cut.shortened);
    // Without the earlier cut the same result would be cut to another length.
    let fresh = run(&input, &limits(4_100), &Chars);
    assert_ne!(carry_out(&input, &fresh.plan)[2], carry_out(&input, &next.plan)[2]);
}

#[test]
fn a_cut_survives_being_kept_as_json() {
    let requests =
        agent_run(60, &Limits { cache_step_share: 0.1, order: Some(Pass::SHRINK.to_vec()), ..limits(5_000) }, 8);
    for (pruned, _) in &requests {
        let text = serde_json::to_string(&pruned.cut).unwrap();
        assert_eq!(serde_json::from_str::<Cut>(&text).unwrap(), pruned.cut);
        assert!(text.len() < 4_000, "{} bytes", text.len());
    }
}

#[test]
fn counts_that_are_held_give_the_same_result() {
    let rounds = |count| (0..count).flat_map(|n: usize| [calls(&[&n.to_string()]), result(&n.to_string(), "x y z")]);
    let mut sound = 0;
    for seed in 0..300 {
        let mut rng = Rng::with_seed(seed);
        let messages = match seed % 2 {
            0 => random::conversation(&mut rng, 20),
            _ => numbered(rounds(rng.usize(1..30)).collect()),
        };
        for provider in [None, Some(Provider::OpenAiChat), Some(Provider::OpenAiResponses), Some(Provider::Anthropic)] {
            let by_items = provider == Some(Provider::OpenAiResponses);
            let meter = Meter { provider, by_items, ..meter(&Quarter) };
            sound += usize::from(is_the_same_held(&messages, meter, &limits(rng.u64(20..400))));
        }
    }
    assert!((600..1_200).contains(&sound), "{sound} conversations of 1,200 needed no repair");
}

/// Compares pruning with held counts with pruning. Returns whether the messages needed no repair.
fn is_the_same_held(messages: &[Message], meter: Meter, limits: &Limits) -> bool {
    let mut held = Held::default();
    let half = messages.len() / 2;
    // The second splice replaces a message.
    let mut counts = held.splice(0, messages[..half].to_vec(), meter).unwrap().to_vec();
    let kept = half.saturating_sub(1);
    counts.truncate(kept);
    counts.extend(held.splice(kept, messages[kept..].to_vec(), meter).unwrap());
    let made = held.prune(meter, Origin::Exact, limits).map(|(pruned, brief)| whole(pruned, brief, messages, &counts));
    assert_eq!(made, prune(messages, meter, Origin::Exact, limits));
    let mut sound = Sound::default();
    messages.iter().for_each(|message| sound.push(message, None, meter));
    sound.is_sound(meter)
}

/// Adds the items and rows of messages that are whole or gone.
fn whole(pruned: Pruned, brief: Brief, messages: &[Message], counts: &[u64]) -> Pruned {
    let items = brief.items.into_iter().flat_map(|item| match item {
        Item::One(item) => vec![item],
        Item::Kept(first, count) => {
            let kept = messages[first..first + count].iter();
            kept.map(|message| PlanItem::Keep { id: message.id.clone(), joins: false }).collect()
        }
    });
    let rows = brief.rows.into_iter().flat_map(|row| match row {
        Row::One(row) => vec![row],
        Row::Same(first, count, fate, rule) => (first..first + count)
            .map(|number| {
                let (Message { id, role, .. }, before) = (&messages[number], counts[number]);
                let after = if fate == Fate::Kept { before } else { 0 };
                MessageFate { id: id.clone(), role: *role, before, after, fate, rule }
            })
            .collect(),
    });
    Pruned { plan: items.collect(), messages: rows.collect(), ..pruned }
}

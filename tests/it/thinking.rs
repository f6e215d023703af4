//! If a summary ends inside a turn, the turn's last thought moves to the first remaining calls, because providers with
//! signed thoughts require one there.

use espalier_testing::runs;
use std::rc::Rc;

use espalier::compact::profile::{Profile, Rung};
use espalier::compact::{Compacted, Compaction, Cover, Options, Status};
use espalier::effect::Step;
use espalier::history::edit::Thinking;
use espalier::history::log::Log;
use espalier::history::plan::{Fate, PlanItem};
use espalier::map::HashSet;
use espalier::message::{Message, Part};
use espalier::tokens::{CostModel, Origin};
use fastrand::Rng;

use crate::log::counting;
use crate::prune::{carry_out, fresh};
use crate::support::{Quarter, calls, numbered, result, system, user};

fn thinking(message: Message, text: &str) -> Message {
    Message { parts: [vec![Part::Reasoning { text: text.into(), sealed: None }], message.parts].concat(), ..message }
}

/// Returns one request and `rounds` rounds; those in `thoughtful` begin with a thought.
fn agent(rounds: usize, thoughtful: &[usize]) -> Vec<Message> {
    let mut messages = vec![system("You are an agent."), user("Fix the parser.")];
    for round in 0..rounds {
        let id = format!("c{round}");
        let call = calls(&[&id]);
        messages.push(if thoughtful.contains(&round) { thinking(call, &format!("thought {round}")) } else { call });
        messages.push(result(&id, &format!("line {round} of the file\n").repeat(60)));
    }
    numbered(messages)
}

fn options(budget: u64) -> Options {
    let profile = Profile { ladder: vec![Rung::Summary, Rung::Offline, Rung::Fit].into(), ..Profile::default() };
    Options { budget, force: true, profile, thinking: Some(Default::default()), ..Options::default() }
}

fn compact(messages: &[Message], options: Options) -> Compacted {
    let run = Compaction::new(messages.to_vec(), 0, CostModel::Espalier, Rc::new(Quarter), Origin::Exact, options);
    done(run)
}

fn done(mut run: Compaction) -> Compacted {
    match run.poll().unwrap() {
        Step::Done { result } => result,
        Step::Ask { .. } => panic!("asked for a model"),
    }
}

fn carried(done: &Compacted) -> Option<Thinking> {
    done.edits.iter().find_map(|edit| edit.thinking.clone())
}

/// Returns the id of the first message of the plan with calls, and the origin of the thought with which it begins.
fn first_call(messages: &[Message], done: &Compacted) -> (String, Option<(String, usize)>) {
    let calls = |id: &String| messages.iter().any(|m| m.id == *id && m.calls().next().is_some());
    let found = done.plan.iter().find_map(|item| match item {
        PlanItem::Keep { id, .. } if calls(id) => Some((id.clone(), None)),
        PlanItem::Edit { id, parts, .. } if calls(id) => {
            Some((id.clone(), parts.first().and_then(|edit| Some((edit.from.clone()?, edit.part)))))
        }
        _ => None,
    });
    found.unwrap()
}

#[test]
fn the_first_calls_that_stay_begin_with_the_last_thought() {
    // The rounds with thoughts, and which of them moves.
    for (thoughtful, of) in [(&[0][..], Some("m2")), (&[0, 3], Some("m8")), (&[], None)] {
        let messages = agent(20, thoughtful);
        let done = compact(&messages, options(1_500));
        assert_eq!(done.status, Status::Applied);
        let (first, with) = first_call(&messages, &done);
        assert_eq!(with, of.map(|id| (id.to_string(), 0)), "{thoughtful:?}");
        let expected = of.map(|id| Thinking { from: id.into(), part: 0, to: first });
        assert_eq!(carried(&done), expected);
        assert!(done.after.total <= 1_500, "{}", done.after.total);
    }
}

#[test]
fn nothing_is_carried_where_it_is_not_wanted() {
    let none = |messages: &[Message], options: Options| {
        let done = compact(messages, options);
        assert_eq!((done.status, carried(&done), first_call(messages, &done).1), (Status::Applied, None, None));
    };
    // Formats without signed thoughts; thoughts of another model.
    none(&agent(20, &[0]), Options { thinking: None, ..options(1_500) });
    let of_another = Some(HashSet::from_iter(["m2".to_string()]));
    none(&agent(20, &[0]), Options { thinking: of_another.clone(), ..options(1_500) });
    // Calls with their own thought.
    none(&agent(20, &(0..20).collect::<Vec<_>>()), options(1_500));
    // The last thought of the right model is the older one then.
    let done = compact(
        &agent(20, &[0, 1]),
        Options { thinking: Some(HashSet::from_iter(["m4".to_string()])), ..options(1_500) },
    );
    assert_eq!(carried(&done).unwrap().from, "m2");
    // A range that ends with its turn; the thoughts of older turns.
    let mut two = agent(10, &[0]);
    two.extend([user("Now the lexer.")]);
    two.extend(agent(10, &[]).split_off(2));
    let two = numbered(two);
    let cover = |to: &str| Some(Cover { from: None, to: Some(to.into()) });
    none(&two, Options { cover: cover("m21"), ..options(100_000) });
    none(&two, Options { cover: cover("m32"), ..options(100_000) });
}

#[test]
fn a_chosen_range_inside_an_older_turn_carries_it_too() {
    let mut two = agent(10, &[0]);
    two.push(user("Now the lexer."));
    let two = numbered(two);
    let cover = Some(Cover { from: None, to: Some("m13".into()) });
    let done = compact(&two, Options { cover, ..options(100_000) });
    assert_eq!(carried(&done), Some(Thinking { from: "m2".into(), part: 0, to: "m14".into() }));
}

/// True if the first calls of a turn begin with a thought: Anthropic's rule while thinking is on.
fn is_accepted(messages: &[Message]) -> bool {
    let calls = messages.iter().find(|message| message.calls().next().is_some());
    calls.is_none_or(|message| matches!(message.parts.first(), Some(Part::Reasoning { .. })))
}

#[test]
fn compactions_of_a_run_one_after_the_other_stay_acceptable() {
    let mut carried_on = 0;
    for seed in 0..runs(120) as u64 {
        let mut rng = Rng::with_seed(seed);
        let rounds = rng.usize(12..60);
        let mut thoughtful: Vec<usize> = (1..rounds).filter(|_| rng.u32(0..12) == 0).collect();
        thoughtful.push(0);
        let messages = agent(rounds, &thoughtful);
        let mut log = Log::new(counting(Quarter));
        let mut at = 0;
        while at < messages.len() {
            let next = (at + 2 * rng.usize(4..12)).min(messages.len());
            log.append_all(messages[at..next].to_vec(), 1).unwrap();
            at = next;
            let budget = rng.u64(900..3_000);
            let view = log.messages();
            let done = done(Compaction::of_log(&log, options(budget)));
            assert!(done.after.total <= budget, "seed {seed}");
            // The plan may have pruned further messages.
            let sent = carry_out(&view, &done.plan);
            assert!(is_accepted(&sent), "seed {seed}: {sent:#?}");
            assert_eq!(done.after.total, fresh(&sent, &Quarter), "seed {seed}: counts add up");
            let lasting: Vec<_> =
                done.edits.iter().filter(|e| !e.rule.starts_with("long-") && e.message.is_some()).cloned().collect();
            let plain = (log.view(), log.messages());
            if log.adopt(&lasting, 2).is_err() {
                continue;
            }
            carried_on += log.draft().entries.iter().filter(|e| e.edits.is_some() && e.fate == Fate::Changed).count();
            let messages = log.messages();
            assert!(is_accepted(&messages), "seed {seed}: {view:#?}");
            assert_eq!(log.view().after.total, fresh(&messages, &Quarter), "seed {seed}: counts add up");
            let again = Log::import(&log.export(0), counting(Quarter), false).unwrap().log;
            assert_eq!((again.view(), again.messages()), (log.view(), messages), "seed {seed}");
            if !lasting.is_empty() && rng.bool() {
                log.undo(None, 3).unwrap().unwrap();
                assert_eq!((log.view().plan, log.messages()), (plain.0.plan, plain.1), "seed {seed}: undone");
            }
        }
    }
    assert!(carried_on > runs(120), "{carried_on} thoughts were carried: too few to say anything");
}

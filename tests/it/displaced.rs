//! A real tool result is never replaced by a synthetic one, wherever it is.

use std::rc::Rc;

use espalier::compact::{Compaction, Options};
use espalier::effect::Step;
use espalier::history::draft::Meter;
use espalier::history::log::{Counting, Log};
use espalier::history::prune::{Limits, prune};
use espalier::message::{Message, Part, Role};
use espalier::tokens::{CostModel, Origin};
use espalier::validity::pairs::LOST;
use espalier::validity::{Finding, Provider, Settings, Target, check as refused, repair};
use fastrand::Rng;

use crate::support::valid::check as paired;
use crate::support::{Quarter, meter, numbered};

fn say(role: Role, text: &str) -> Message {
    Message { id: String::new(), role, name: None, parts: vec![Part::Text { text: text.into() }] }
}

fn calls(ids: &[&str]) -> Message {
    let call = |id: &&str| Part::ToolCall { call_id: (*id).into(), name: "run".into(), arguments: "{}".into() };
    Message { parts: ids.iter().map(call).collect(), ..say(Role::Assistant, "") }
}

fn answer(id: &str) -> Part {
    let content = vec![Part::Text { text: format!("real {id}") }];
    Part::ToolResult { call_id: id.into(), name: Some("run".into()), content, is_error: false }
}

fn results(ids: &[&str]) -> Message {
    Message { parts: ids.iter().map(|id| answer(id)).collect(), ..say(Role::Tool, "") }
}

/// Returns a message with results, then words of the user.
fn mixed(ids: &[&str], words: &str) -> Message {
    let mut message = Message { role: Role::User, ..results(ids) };
    message.parts.push(Part::Text { text: words.into() });
    message
}

/// Formats messages on one line: the role, and the content in short.
fn sketch(messages: &[Message]) -> String {
    let part = |part: &Part| match part {
        Part::ToolCall { call_id, .. } => format!("({call_id})"),
        Part::ToolResult { call_id, content, .. } => {
            let said = matches!(&content[..], [Part::Text { text }] if *text == format!("real {call_id}"));
            format!("{}[{call_id}]", if said { "" } else { "!" })
        }
        Part::Text { text } => text.clone(),
        _ => "?".into(),
    };
    let line = |m: &Message| format!("{}{}", &m.role.as_str()[..1], m.parts.iter().map(part).collect::<String>());
    messages.iter().map(line).collect::<Vec<_>>().join(" ")
}

fn pruned(messages: &[Message], budget: u64, provider: Option<Provider>) -> Option<Vec<Message>> {
    let limits = Limits { budget, ..Limits::default() };
    let pruned = prune(messages, Meter { provider, ..meter(&Quarter) }, Origin::Exact, &limits).ok()?;
    Some(crate::prune::carry_out(messages, &pruned.plan))
}

#[test]
fn results_move_to_their_calls() {
    let check = |messages: Vec<Message>, expected: &str| {
        let messages = numbered(messages);
        let out = pruned(&messages, 100_000, None).unwrap();
        assert_eq!(sketch(&out), expected);
        assert_eq!(sketch(&pruned(&numbered(out), 100_000, None).unwrap()), expected);
    };
    let (user, said) = (|text| say(Role::User, text), |text| say(Role::Assistant, text));
    check(vec![user("a"), calls(&["1"]), user("b"), results(&["1"])], "ua a(1) t[1] ub");
    check(vec![user("a"), calls(&["1"]), user("b"), said("c"), results(&["1"]), user("d")], "ua a(1) t[1] ub ac ud");
    check(vec![user("a"), calls(&["1", "2"]), results(&["2"]), user("b"), results(&["1"])], "ua a(1)(2) t[2] t[1] ub");
    // A message with other content is split; results without a call are removed.
    check(vec![user("a"), calls(&["1"]), user("b"), mixed(&["1", "x"], "c")], "ua a(1) u[1] ub uc");
    check(
        vec![user("a"), calls(&["1"]), user("b"), calls(&["2"]), results(&["1", "2"]), user("c")],
        "ua a(1) t[1] ub a(2) t[2] uc",
    );
    // Only unanswered calls get a synthetic result.
    check(vec![user("a"), calls(&["1", "2"]), user("b"), results(&["1"])], "ua a(1)(2) t[1] t![2] ub");
    check(vec![user("a"), calls(&["1"]), said("b"), user("c")], "ua a(1) t![1] ab uc");
    // A repeated id belongs to the newest call, and to the older one if only that waits.
    check(
        vec![calls(&["1"]), user("b"), results(&["1"]), calls(&["1"]), results(&["1"])],
        "a(1) t[1] ub a(1-2) t![1-2]",
    );
}

/// Only the last assistant message can have running calls; in a format of items, all items of its last run.
#[test]
fn a_call_before_the_last_message_of_the_assistant_is_not_pending() {
    let check = |messages: Vec<Message>, expected: &str, by_items: &str| {
        let messages = numbered(messages);
        for is_items in [false, true] {
            let meter = Meter { by_items: is_items, ..meter(&Quarter) };
            let limits = Limits { budget: 100_000, ..Limits::default() };
            let plan = prune(&messages, meter, Origin::Exact, &limits).unwrap().plan;
            let expected = if is_items { by_items } else { expected };
            assert_eq!(sketch(&crate::prune::carry_out(&messages, &plan)), expected, "prune");
            let options = Options { budget: 100_000, by_items: is_items, ..Options::default() };
            let (model, tokenizer) = (CostModel::Espalier, Rc::new(Quarter));
            let mut run = Compaction::new(messages.clone(), 0, model, tokenizer.clone(), Origin::Exact, options);
            let Ok(Step::Done { result }) = run.poll() else { panic!("a model was asked for") };
            assert_eq!(sketch(&crate::prune::carry_out(&messages, &result.plan)), expected, "compact");
            let counting =
                Counting { model, tokenizer, tools: 0, origin: Origin::Exact, by_items: is_items, provider: None };
            let mut log = Log::new(counting);
            for message in &messages {
                log.append(message.clone(), 0).unwrap();
                log.view();
            }
            assert_eq!(sketch(&log.messages()), expected, "view of a log");
        }
        for provider in Provider::ALL {
            let target = Target::new(provider);
            let is_lost = |found: &Finding| found.rule == "lost-call";
            let lost = refused(&messages, &target).iter().filter(|found| is_lost(found)).count();
            let out = sketch(&repair(&messages, &target, &Settings::default()).messages);
            let expected = if target.by_items { by_items } else { expected };
            assert_eq!(lost, expected.matches('!').count(), "{provider:?}");
            assert_eq!(out.matches('!').count(), lost, "{provider:?}: {out}");
        }
    };
    let user = |text| say(Role::User, text);
    let two = |more: &[Message]| [vec![user("a"), calls(&["1"]), calls(&["2"])], more.to_vec()].concat();
    check(two(&[results(&["2"])]), "ua a(1) t![1] a(2) t[2]", "ua a(1) a(2) t[2]");
    check(two(&[]), "ua a(1) t![1] a(2)", "ua a(1) a(2)");
    check(two(&[results(&["1"])]), "ua a(1) a(2) t[1]", "ua a(1) a(2) t[1]");
    check(two(&[results(&["2"]), results(&["1"])]), "ua a(1) a(2) t[2] t[1]", "ua a(1) a(2) t[2] t[1]");
    let next = [results(&["2"]), calls(&["3"])];
    check(two(&next), "ua a(1) t![1] a(2) t[2] a(3)", "ua a(1) t![1] a(2) t[2] a(3)");
    // Some calls of a message may be answered before others.
    check(vec![user("a"), calls(&["1", "2"]), results(&["1"])], "ua a(1)(2) t[1]", "ua a(1)(2) t[1]");
}

/// Returns a history in odd order: results come late, in other messages, together or apart; some never.
fn odd(rng: &mut Rng) -> Vec<Message> {
    let mut out: Vec<Message> = Vec::new();
    let mut open: Vec<String> = Vec::new();
    let mut next = 0;
    for _ in 0..rng.usize(2..14) {
        match rng.u32(0..6) {
            0 => out.push(say(Role::User, &"u".repeat(rng.usize(1..60)))),
            1 => out.push(say(Role::Assistant, &"a".repeat(rng.usize(1..60)))),
            2 => out.push(say(Role::System, "s")),
            3 => {
                let ids: Vec<String> = (0..rng.usize(1..4)).map(|at| format!("c{}", next + at)).collect();
                next += ids.len();
                out.push(calls(&ids.iter().map(String::as_str).collect::<Vec<_>>()));
                open.extend(ids);
            }
            _ => {
                rng.shuffle(&mut open);
                let taken = open.split_off(open.len() - rng.usize(0..=open.len()).min(3));
                let ids: Vec<&str> = taken.iter().map(String::as_str).collect();
                match rng.u32(0..3) {
                    _ if ids.is_empty() => {}
                    0 => out.push(mixed(&ids, "w")),
                    1 => out.push(results(&ids)),
                    _ => out.extend(ids.iter().map(|id| results(&[id]))),
                }
            }
        }
    }
    numbered(out)
}

/// Returns the ids that a synthetic result answers although a real one is among `messages`.
fn replaced(messages: &[Message], out: &[Message]) -> Vec<String> {
    let answered: Vec<&str> = messages.iter().flat_map(Message::results).collect();
    let parts = out.iter().flat_map(|message| &message.parts);
    let lost = parts.filter_map(|part| match part {
        Part::ToolResult { call_id, content, .. } => {
            let is_lost = content.iter().any(|part| matches!(part, Part::Text { text } if text == LOST));
            (is_lost && answered.contains(&call_id.as_str())).then(|| call_id.clone())
        }
        _ => None,
    });
    lost.collect()
}

#[test]
fn no_real_result_is_lost_while_its_call_stays_and_no_orphan_is_left() {
    let mut rng = Rng::with_seed(7);
    for _ in 0..400 {
        let messages = odd(&mut rng);
        let shown = sketch(&messages);
        let budget = [100_000, rng.u64(20..400)][rng.usize(0..2)];
        for provider in [None].into_iter().chain(Provider::ALL.map(Some)) {
            let Some(out) = pruned(&messages, budget, provider) else { continue };
            let what = format!("{provider:?} {budget}\n{shown}\n{}", sketch(&out));
            assert_eq!(replaced(&messages, &out), [""; 0], "{what}");
            if provider != Some(Provider::OpenAiResponses) {
                assert_eq!(paired(&out), Ok(()), "{what}");
            }
            let again = pruned(&numbered(out.clone()), 100_000, provider).unwrap();
            assert_eq!(sketch(&again), sketch(&out), "not stable: {what}");
        }
        for provider in Provider::ALL {
            let target = Target::new(provider);
            let out = repair(&messages, &target, &Settings::default()).messages;
            let what = format!("repair {provider:?}\n{shown}\n{}", sketch(&out));
            assert_eq!(replaced(&messages, &out), [""; 0], "{what}");
            let kept = |messages: &[Message]| messages.iter().map(|m| m.results().count()).sum::<usize>();
            assert!(kept(&out) >= kept(&messages), "{what}");
            assert_eq!(refused(&out, &Target { pending: false, ..target }), [], "{what}");
        }
        let options = Options { budget, ..Options::default() };
        let tokenizer = Rc::new(Quarter);
        let mut run = Compaction::new(messages.clone(), 0, CostModel::Espalier, tokenizer, Origin::Exact, options);
        if let Ok(Step::Done { result }) = run.poll() {
            let out = crate::prune::carry_out(&messages, &result.plan);
            assert_eq!(replaced(&messages, &out), [""; 0], "compact {budget}\n{shown}\n{}", sketch(&out));
        }
    }
}

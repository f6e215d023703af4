//! The id of an answered call may repeat where the provider takes it (OpenAI Chat), in every operation alike.

use std::rc::Rc;

use espalier::compact::{Compaction, Options};
use espalier::effect::Step;
use espalier::history::draft::Meter;
use espalier::history::log::{Counting, Log};
use espalier::history::prune::{Limits, prune};
use espalier::message::{Message, Part};
use espalier::tokens::{CostModel, Origin};
use espalier::validity::{Provider, Settings, Target, check as refused, repair};

use crate::prune::carry_out;
use crate::support::{Quarter, TRANSCRIPTS, assistant, calls, meter, numbered, result, transcript, user};

fn compaction(messages: &[Message], provider: Option<Provider>, budget: u64) -> Compaction {
    let options = Options { budget, provider, ..Options::default() };
    Compaction::new(messages.to_vec(), 0, CostModel::Espalier, Rc::new(Quarter), Origin::Exact, options)
}

fn compacted(messages: &[Message], mut run: Compaction) -> Vec<Message> {
    let Ok(Step::Done { result }) = run.poll() else { panic!("a model was asked for") };
    carry_out(messages, &result.plan)
}

/// Returns the log of a conversation that was viewed after each message.
fn log(messages: &[Message], provider: Option<Provider>) -> Log {
    let (model, tokenizer) = (CostModel::Espalier, Rc::new(Quarter));
    let mut log = Log::new(Counting { model, tokenizer, tools: 0, origin: Origin::Exact, by_items: false, provider });
    for message in messages {
        log.append(message.clone(), 0).unwrap();
        log.view();
    }
    log
}

/// Returns the ids of calls and results, in order.
fn ids(messages: &[Message]) -> String {
    let parts = messages.iter().flat_map(|message| &message.parts);
    let ids: Vec<&str> = parts
        .filter_map(|part| match part {
            Part::ToolCall { call_id, .. } | Part::ToolResult { call_id, .. } => Some(call_id.as_str()),
            _ => None,
        })
        .collect();
    ids.join(" ")
}

#[test]
fn every_operation_keeps_the_ids_that_the_provider_takes() {
    let check = |messages: &[Message], chat: &str, others: &str| {
        let messages = numbered(messages.to_vec());
        for provider in [None].into_iter().chain(Provider::ALL.map(Some)) {
            let expected = if provider == Some(Provider::OpenAiChat) { chat } else { others };
            let meter = Meter { provider, ..meter(&Quarter) };
            let limits = Limits { budget: 100_000, ..Limits::default() };
            let pruned = prune(&messages, meter, Origin::Exact, &limits).unwrap();
            assert_eq!(ids(&carry_out(&messages, &pruned.plan)), expected, "prune {provider:?}");
            let run = compaction(&messages, provider, 100_000);
            assert_eq!(ids(&compacted(&messages, run)), expected, "compact {provider:?}");
            let log = log(&messages, provider);
            assert_eq!(ids(&log.messages()), expected, "view {provider:?}");
            assert_eq!(log.view().repaired.is_empty(), ids(&messages) == expected, "{provider:?}");
            if let Some(provider) = provider {
                let repaired = repair(&messages, &Target::new(provider), &Settings::default());
                assert_eq!(ids(&repaired.messages), expected, "repair {provider:?}");
            }
        }
    };
    let round = || [calls(&["1"]), result("1", "x")];
    let again = [vec![user("a")], round().to_vec(), round().to_vec(), vec![user("b")]].concat();
    check(&again, "1 1 1 1", "1 1 1-2 1-2");
    // The first call has no result, so that its id is not free again.
    let lost = [vec![user("a"), calls(&["1"]), user("b")], round().to_vec(), vec![user("c")]].concat();
    check(&lost, "1 1 1-2 1-2", "1 1 1-2 1-2");
    let at_once = vec![user("a"), calls(&["1", "1"]), result("1", "x"), result("1", "y"), assistant("b"), user("c")];
    check(&at_once, "1 1-2 1 1-2", "1 1-2 1 1-2");
}

/// Returns the messages with other ids of calls: the same in every round, or different ones.
fn named(messages: &[Message], repeats: bool) -> Vec<Message> {
    let (mut round, mut known) = (0, std::collections::HashMap::new());
    let mut out = messages.to_vec();
    for message in &mut out {
        round += usize::from(message.calls().next().is_some());
        let mut number = 0;
        for part in &mut message.parts {
            match part {
                Part::ToolCall { call_id, .. } => {
                    let round = if repeats { 0 } else { round };
                    let id = format!("call_{round:04}_{number:02}");
                    number += 1;
                    known.insert(call_id.clone(), id.clone());
                    *call_id = id;
                }
                Part::ToolResult { call_id, .. } => *call_id = known[call_id].clone(),
                _ => {}
            }
        }
    }
    out
}

/// Repeated ids change nothing but the ids: each result is shortened, hidden and told by its own call.
#[test]
fn repeated_ids_are_like_different_ones() {
    let provider = Some(Provider::OpenAiChat);
    let masked = |mut messages: Vec<Message>| {
        for part in messages.iter_mut().flat_map(|message| &mut message.parts) {
            if let Part::ToolCall { call_id, .. } | Part::ToolResult { call_id, .. } = part {
                call_id.clear();
            }
        }
        messages
    };
    let mut compared = 0;
    for name in TRANSCRIPTS {
        let [one, other] = [true, false].map(|repeats| named(&transcript(name), repeats));
        let meter = Meter { provider, ..meter(&Quarter) };
        // After a call without a result its id may not repeat, and the placeholder's id contains it.
        if !refused(&one, &Target::new(Provider::OpenAiChat)).is_empty() {
            continue;
        }
        compared += 1;
        for budget in [60_000, 12_000, 5_000] {
            let limits = Limits { budget, ..Limits::default() };
            let pruned = |messages: &[Message]| {
                let pruned = prune(messages, meter, Origin::Exact, &limits).ok()?;
                Some(masked(carry_out(messages, &pruned.plan)))
            };
            assert_eq!(pruned(&one), pruned(&other), "prune {name} {budget}");
            let [a, b] = [&one, &other].map(|messages| {
                let out = compacted(messages, compaction(messages, provider, budget));
                assert_eq!(refused(&out, &Target::new(Provider::OpenAiChat)), [], "{name} {budget}");
                masked(out)
            });
            assert_eq!(a, b, "compact {name} {budget}");
            let [a, b] = [&one, &other].map(|messages| {
                let mut log = log(messages, provider);
                let options = Options { budget, ..Options::default() };
                let Ok(Step::Done { result }) = Compaction::of_log(&log, options).poll() else { panic!("{name}") };
                let lasting =
                    result.edits.iter().filter(|edit| edit.rule != "old-round" && edit.rule != "long-request");
                let lasting: Vec<_> = lasting.cloned().collect();
                log.adopt_made(&lasting, &Default::default(), 1).ok();
                masked(log.messages())
            });
            assert_eq!(a, b, "log {name} {budget}");
        }
    }
    assert!(compared > 2, "{compared} transcripts");
}

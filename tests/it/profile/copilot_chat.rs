//! Copilot Chat: the limit of a request, the start and use of a summary, its cut point, the request to the model.

use espalier::compact::asking::{Asking, Trigger};
use espalier::compact::cut::choose;
use espalier::compact::profile::{COPILOT_CHAT, Cut, CutAt};
use espalier::compact::{Options, Status};
use espalier::conversation::job::{Jobs, Next, Phase};
use espalier::conversation::window::{Room, Sizes};
use espalier::effect::{Answer, Failure, Shape};
use espalier::error::Code;
use espalier::history::draft::Draft;
use espalier::history::group::groups;
use espalier::history::pairs::repair;
use espalier::message::{Message, Part};
use espalier::tokens::Origin;
use serde_json::Value;

use super::{agent, asked, forced, profile, requests, says, summary, vectors};
use crate::support::{Quarter, assistant, call, meter, numbered, record, result, system, user};

const HISTORY: &str = include_str!("../../fixtures/vectors/copilot-chat/history.json");
const ANCHOR: &str = include_str!("../../fixtures/vectors/copilot-chat/summary-anchor.json");

/// Every combination of window, choice, tier, threshold and tools, compared with the rule in another formulation.
#[test]
fn what_a_request_may_have() {
    let windows = [1, 8_192, 128_000, 200_000, 1_000_000];
    let picks =
        [None, Some(f64::NAN), Some(f64::INFINITY), Some(-5.0), Some(0.0), Some(64_000.0), Some(200_000.0), Some(3e6)];
    let tiers = [None, Some(0), Some(100_000), Some(200_000), Some(2_000_000)];
    let thresholds = [
        None,
        Some(f64::NAN),
        Some(0.0),
        Some(-1.0),
        Some(0.333),
        Some(1.0),
        Some(1.5),
        Some(99.0),
        Some(100.0),
        Some(90_000.5),
        Some(1e9),
    ];
    let tools = [0, 1, 20_000, 1_000_000];
    let mut seen = 0;
    for max in windows {
        for picked in picks {
            for default_tier in tiers {
                for (surcharge, prefer_long) in [(false, false), (false, true), (true, false), (true, true)] {
                    for own in thresholds {
                        for tools in tools {
                            let sizes = Sizes { max, picked, default_tier, surcharge, prefer_long };
                            let found = COPILOT_CHAT.request(sizes, own, tools);
                            let case = format!("{sizes:?} {own:?} {tools}");
                            seen += 1;
                            if own.is_some_and(|own| own > 1.0 && own < 100.0) {
                                assert_eq!(found.unwrap_err().code, Code::BadThreshold, "{case}");
                                continue;
                            }
                            let wish = match picked {
                                Some(size) if size > 0.0 && size < f64::INFINITY => size,
                                _ => match default_tier {
                                    Some(tier) if tier > 0 && (surcharge || !prefer_long) => tier as f64,
                                    _ => max as f64,
                                },
                            };
                            let window = if wish < max as f64 { wish } else { max as f64 };
                            let base = match own {
                                Some(v) if v > 0.0 && v <= 1.0 => (window * v).floor().max(1.0),
                                Some(v) if v >= 100.0 => v.min(window),
                                _ => window,
                            };
                            let limit = base.floor() as u64;
                            let messages = match tools {
                                0 => limit,
                                _ => (((limit as f64 - tools as f64) * 0.9).floor()).max(1.0) as u64,
                            };
                            assert_eq!(found.unwrap(), Room { limit, messages }, "{case}");
                        }
                    }
                }
            }
        }
    }
    assert_eq!(seen, 5 * 8 * 5 * 4 * 11 * 4);
}

#[test]
fn when_a_summary_starts() {
    for (ratio, r, warm, starts) in [
        (0.7799, 0.0, true, false),
        (0.78, 0.0, true, true),
        (0.78, 0.5, true, false),
        (0.80, 0.5, true, true),
        (0.7999, 0.5, true, false),
        (0.8199, 0.999, true, false),
        (0.82, 0.0, true, true),
        (0.82, 0.5, true, true),
        (0.82, 0.999, true, true),
        (0.8999, 0.999, true, true),
    ] {
        assert_eq!(COPILOT_CHAT.starts(ratio, warm, || r), starts, "{ratio} {r}");
    }
    for (ratio, starts) in [(0.7799, false), (0.78, false), (0.82, false), (0.8999, false), (0.90, true), (1.5, true)] {
        assert_eq!(COPILOT_CHAT.starts(ratio, false, || unreachable!()), starts, "{ratio}");
    }
}

/// Idle, InProgress, Completed, Failed over all scripts of up to five actions, compared with the table.
#[test]
fn states_of_the_background_job() {
    const OPS: [&str; 6] = ["start", "resolve", "reject", "consume", "cancel", "wait"];
    let mut scripts: Vec<Vec<usize>> = vec![vec![]];
    let mut done = 0;
    while done < scripts.len() {
        if scripts[done].len() < 5 {
            for op in 0..OPS.len() {
                scripts.push([scripts[done].clone(), vec![op]].concat());
            }
        }
        done += 1;
    }
    assert_eq!(scripts.len(), 1 + 6 + 36 + 216 + 1_296 + 7_776);
    for script in scripts {
        let mut jobs: Jobs<u32> = Jobs::default();
        let (mut state, mut started) = ("Idle", 0);
        for &op in &script {
            let (next, gives) = match (OPS[op], state) {
                ("start", "Idle" | "Failed") => ("InProgress", false),
                ("resolve", "InProgress") => ("Completed", false),
                ("reject", "InProgress") => ("Failed", false),
                ("consume", "Completed") => ("Idle", true),
                ("consume", "Failed") => ("Idle", false),
                ("cancel", _) => ("Idle", false),
                (_, same) => (same, false),
            };
            let mut taken = None;
            match OPS[op] {
                "start" => started = jobs.start(|_| false).unwrap_or(started),
                // A job that was never started cannot settle; its number belongs to no job.
                "resolve" => drop(jobs.settle(started, Ok(started))),
                "reject" => drop(jobs.settle(started, Err("no".into()))),
                "consume" => taken = jobs.take(),
                "cancel" => drop(jobs.cancel()),
                _ => {}
            }
            assert_eq!(taken.is_some(), gives, "{script:?}");
            state = next;
            let found = match jobs.phase() {
                Phase::Idle => "Idle",
                Phase::Running => "InProgress",
                Phase::Ready | Phase::Parked => "Completed",
                Phase::Failed => "Failed",
            };
            assert_eq!(found, state, "{script:?}");
        }
    }
}

#[test]
fn a_result_is_used_from_0_65_on_and_dropped_below() {
    let ready = || {
        let mut jobs = Jobs::default();
        let job = jobs.start(|_| false).unwrap();
        jobs.settle(job, Ok("summary"));
        jobs
    };
    let mut jobs = ready();
    assert_eq!(jobs.at_request(&COPILOT_CHAT, 0.65, false), Next::Apply("summary"));
    let mut jobs = ready();
    assert_eq!(jobs.at_request(&COPILOT_CHAT, 0.6499, false), Next::Dropped("summary"));
    // A later start stays possible.
    assert!(jobs.start(|_| false).is_some());
}

/// The reference has a ratio near 0 before the server has counted, and drops a finished summary.
#[test]
fn without_a_count_of_the_server_ours_is_the_floor() {
    let used = 150_000;
    assert_eq!(COPILOT_CHAT.measured.of(used, used, None), used);
    assert_eq!(COPILOT_CHAT.measured.of(used, used, Some((171_000, used))), 171_000);
    assert_eq!(COPILOT_CHAT.measured.of(used, used, Some((92_000, used))), used);
}

// ---------------------------------------------------------------- the cut

/// Reads a row of the history file as messages. Also returns the ids of rounds by message; a round with a summary hides
/// the messages before it.
fn conversation(input: &Value) -> (Vec<Message>, Vec<(String, usize)>) {
    let mut messages = vec![system("s")];
    let mut rounds = Vec::new();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let turns = list(&input["history"]).into_iter().map(|turn| (turn["user"].clone(), turn));
    for (query, turn) in turns.chain([(input["query"].clone(), input.clone())]) {
        if turn["continuation"] != true {
            messages.push(user(query.as_str().unwrap_or_default()));
        }
        let stored: Vec<Value> = list(&turn["summaries"]);
        for round in list(&turn["rounds"]) {
            let id = round["id"].as_str().unwrap();
            let mut said = assistant(round["response"].as_str().unwrap());
            let arguments = round["args"].as_str().map_or(format!(r#"{{"n":"{id}"}}"#), str::to_string);
            let names: Vec<String> =
                list(&round["calls"]).iter().map(|name| name.as_str().unwrap().to_string()).collect();
            for name in &names {
                said.parts.push(Part::ToolCall {
                    call_id: name.clone(),
                    name: "run".into(),
                    arguments: arguments.clone(),
                });
            }
            rounds.push((id.to_string(), messages.len()));
            messages.push(said);
            let missing = list(&turn["missingResults"]);
            for name in names.iter().filter(|name| !missing.contains(&Value::from(name.as_str()))) {
                messages.push(result(name, &format!("out {name}")));
            }
            let text = round["summary"].as_str().map(str::to_string);
            let text = text.or_else(|| {
                stored.iter().find(|one| one["toolCallRoundId"] == id).map(|one| one["text"].as_str().unwrap().into())
            });
            if let Some(text) = text {
                // A summary replaces its round and everything older except the frame.
                messages.truncate(1);
                messages.push(record(&format!("<conversation-summary covers=\"2\">\n{text}\n</conversation-summary>")));
                rounds.clear();
            }
        }
    }
    let messages = numbered(messages);
    (messages, rounds)
}

/// Returns the round with which the covered range ends.
fn last_covered(messages: &[Message], rounds: &[(String, usize)], at: CutAt) -> Option<String> {
    let mut draft = Draft::new(messages, meter(&Quarter), Origin::Exact);
    repair(&mut draft);
    let groups = groups(&draft);
    let cut = choose(&draft, &groups, 0, &Cut { at, ..COPILOT_CHAT.cut }, &[], |_| false)?;
    let covered: Vec<&str> = cut
        .covered
        .iter()
        .flat_map(|&group| &groups[group].entries)
        .map(|&entry| draft.entries[entry].message.id.as_str())
        .collect();
    rounds.iter().rev().find(|(_, at)| covered.contains(&messages[*at].id.as_str())).map(|(id, _)| id.clone())
}

/// Defects that ours does not have: a summary of a summary alone, and one that is inserted before it, where it is
/// hidden.
const QUIRKS: [&str; 2] = ["summarises-only-a-summary", "target-precedes-newest-summary"];

#[test]
fn rounds_before_the_last_or_the_history() {
    let mut seen = 0;
    for case in vectors(HISTORY, "cases") {
        let (messages, rounds) = conversation(&case["input"]);
        let found = last_covered(&messages, &rounds, CutAt::LastRound);
        let quirk = case["quirk"].as_str().unwrap_or_default();
        if QUIRKS.contains(&quirk) {
            // Only the summary precedes the newest round: it is not summarised again.
            assert_eq!(found, None, "{}", case["name"]);
            continue;
        }
        let expected = case["cut"]["summarizedRoundId"].as_str();
        assert_eq!(found.as_deref(), expected, "{}", case["name"]);
        seen += 1;
    }
    assert!(seen >= 10, "{seen}");
}

#[test]
fn the_round_that_a_background_summary_ends_with() {
    let list = |value: &Value| -> Vec<String> {
        value.as_array().unwrap().iter().map(|id| id.as_str().unwrap().to_string()).collect()
    };
    let check = |current: Vec<String>, history: Vec<Vec<String>>, expected: Option<&str>| {
        let mut messages = vec![system("s")];
        let mut rounds = Vec::new();
        for turn in history.iter().chain([&current]) {
            messages.push(user("go"));
            for id in turn {
                rounds.push((id.clone(), messages.len()));
                messages.extend([call(id, "look", "{}"), result(id, "there")]);
            }
        }
        let messages = numbered(messages);
        assert_eq!(last_covered(&messages, &rounds, CutAt::Anchor).as_deref(), expected, "{current:?} {history:?}");
    };
    for case in vectors(ANCHOR, "cases") {
        let history = case["history"].as_array().unwrap().iter().map(list).collect();
        check(list(&case["rounds"]), history, case["anchor"].as_str());
    }
    check(vec!["r1".into()], vec![], Some("r1"));
    check(vec!["r1".into()], vec![vec!["a".into()]], Some("r1"));
}

/// A summary beside the conversation may replace the only round of the turn: later ones follow it.
#[test]
fn beside_the_conversation_a_single_round_is_covered() {
    let mut messages = agent(8, 200);
    messages.push(user("Go on."));
    messages.extend([call("z", "look", "{}"), result("z", &"word".repeat(200))]);
    let messages = numbered(messages);
    let last = |trigger| {
        let (_, done) = asked(&messages, 100, forced(profile(r#""copilot-chat""#), trigger), |_| summary());
        done.unwrap().covered.last().cloned()
    };
    assert_eq!(last(Trigger::Threshold).as_deref(), Some("m20"));
    assert_eq!(last(Trigger::Overflow).as_deref(), Some("m17"));
}

// ---------------------------------------------------------------- requests

fn shapes(text: &str, trigger: Trigger, model: impl FnMut(&espalier::effect::ModelRequest) -> Answer) -> Vec<Shape> {
    let (seen, _) = asked(&agent(20, 200), 100, forced(profile(text), trigger), model);
    requests(&seen).iter().map(|request| request.shape).collect()
}

fn failed() -> Answer {
    Answer::Failed { reason: "no".into(), kind: Failure::Error }
}

#[test]
fn beside_the_conversation_a_fork_before_a_request_full_then_simple() {
    use Shape::{Fork, Full, Simple};
    let name = r#"{"name":"copilot-chat"}"#;
    assert_eq!(shapes(name, Trigger::Threshold, |_| summary()), [Fork]);
    assert_eq!(shapes(name, Trigger::Overflow, |_| summary()), [Full]);
    assert_eq!(shapes(name, Trigger::Manual, |_| failed()), [Full, Simple]);
    let simple = r#"{"name":"copilot-chat","summary":{"overflowModes":["simple"]}}"#;
    assert_eq!(shapes(simple, Trigger::Overflow, |_| failed()), [Simple]);
    let full = r#"{"name":"copilot-chat","summary":{"overflowModes":["full"]}}"#;
    assert_eq!(shapes(full, Trigger::Overflow, |_| failed()), [Full]);
}

/// The reply is kept without its analysis, in any shape; the reference keeps all of it in the foreground.
#[test]
fn a_foreground_reply_is_read_like_any_other() {
    let reply = "<analysis>The <summary> goes below.</analysis>\n<summary>\n## Overview\nAll is well.\n</summary>";
    let messages = agent(20, 200);
    for trigger in [Trigger::Overflow, Trigger::Threshold] {
        let (_, done) = asked(&messages, 100, forced(COPILOT_CHAT.clone(), trigger), |_| says(reply));
        assert_eq!(done.unwrap().summary.as_deref(), Some("## Overview\nAll is well."), "{trigger:?}");
        let (_, done) = asked(&messages, 100, forced(COPILOT_CHAT.clone(), trigger), |_| says("<summary> </summary>"));
        assert_eq!(done.unwrap().status, Status::EmptySummary, "{trigger:?}");
    }
}

/// In the reference, the summariser also gets the query that stays.
#[test]
fn the_open_request_is_in_no_request_for_a_summary_but_the_fork() {
    let mut messages = agent(20, 200);
    messages.push(user("Now the very different thing."));
    let messages = numbered(messages);
    for modes in ["[\"full\"]", "[\"simple\"]"] {
        let text = format!(r#"{{"name":"copilot-chat","summary":{{"overflowModes":{modes}}}}}"#);
        let (seen, done) = asked(&messages, 100, forced(profile(&text), Trigger::Overflow), |_| summary());
        let request = requests(&seen)[0];
        assert!(!format!("{:?}", request.messages).contains("very different"), "{modes}");
        assert!(!format!("{:?}", request.messages).contains(&messages.last().unwrap().id), "{modes}");
        assert_eq!(done.unwrap().status, Status::Applied);
    }
}

#[test]
fn a_request_of_a_summary_alone_is_never_made() {
    let mut messages =
        vec![system("s"), record("<conversation-summary covers=\"9\">\nSo far.\n</conversation-summary>")];
    messages.extend([user("Go on."), call("a", "look", "{}"), result("a", &"word".repeat(500))]);
    let messages = numbered(messages);
    for trigger in [Trigger::Manual, Trigger::Overflow] {
        let (seen, done) = asked(&messages, 100, forced(COPILOT_CHAT.clone(), trigger), |_| summary());
        assert!(seen.is_empty());
        assert!(done.unwrap().summary.is_none());
    }
}

/// Overflow is counted: marks for the provider's cache neither cause nor prevent it.
#[test]
fn marks_of_a_cache_change_nothing() {
    let plain = agent(20, 200);
    let mut marked = plain.clone();
    for message in marked.iter_mut().step_by(5) {
        message.parts.push(Part::CacheMark);
    }
    let run = |messages: &[Message], budget: u64| {
        let options = Options {
            budget,
            profile: COPILOT_CHAT.clone(),
            asking: Asking { trigger: Trigger::Overflow, ..Asking::default() },
            ..Options::default()
        };
        let (seen, done) = asked(messages, 0, options, |_| summary());
        let done = done.unwrap();
        (seen.len(), done.status, done.covered, done.after)
    };
    let whole = crate::prune::fresh(&plain, &Quarter);
    for budget in [whole, whole - 1, whole / 2] {
        assert_eq!(run(&plain, budget), run(&marked, budget), "{budget}");
    }
    assert_eq!((run(&marked, whole).1, run(&marked, whole - 1).1), (Status::Unchanged, Status::Applied));
}

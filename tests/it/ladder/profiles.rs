//! Profiles: data that can be printed, changed and loaded; the effect of each on a conversation, compared with the
//! original systems.

use std::rc::Rc;

use espalier::compact::asking::{Asking, Verify};
use espalier::compact::cut::split;
use espalier::compact::profile::{ALL, COPILOT_CHAT, COPILOT_CLI, ESPALIER, GEMINI_CLI, Profile, explain};
use espalier::compact::{Compaction, Options, Status};
use espalier::conversation::flag::Flag;
use espalier::conversation::job::{Jobs, Next, Phase};
use espalier::effect::{Answer, Step};
use espalier::error::Code;
use espalier::message::{Message, Role};
use espalier::tokens::{CostModel, Origin};
use serde_json::{Value, json};

use crate::prune::carry_out;
use crate::support::valid::check as valid;
use crate::support::{Chars, Quarter, assistant, call, numbered, result, system, user};

const SPLIT: &str = include_str!("../../fixtures/vectors/gemini-cli/split-point.json");
const FLAG: &str = include_str!("../../fixtures/vectors/gemini-cli/state-machine.json");
const REPLACEMENT: &str = include_str!("../../fixtures/vectors/copilot-cli/replacement.json");

fn cases(text: &str) -> Vec<Value> {
    serde_json::from_str::<Value>(text).unwrap()["cases"].as_array().unwrap().clone()
}

#[test]
fn printed_and_loaded_it_is_the_same() {
    for profile in ALL {
        let text = serde_json::to_string(profile).unwrap();
        assert_eq!(&Profile::read(&text, "profile").unwrap(), profile);
        assert_eq!(&Profile::read(&format!("{:?}", profile.name), "profile").unwrap(), profile);
        assert_eq!(explain(profile, profile), []);
    }
}

/// Every number of a profile in turn: changed and loaded back, only that number differs.
#[test]
fn one_changed_field_changes_that_field() {
    fn leaves(value: &Value, at: Vec<String>, out: &mut Vec<Vec<String>>) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    leaves(value, [at.clone(), vec![key.clone()]].concat(), out);
                }
            }
            Value::Number(_) | Value::Bool(_) => out.push(at),
            _ => {}
        }
    }
    let whole = serde_json::to_value(&ESPALIER).unwrap();
    let mut all = Vec::new();
    leaves(&whole, vec![], &mut all);
    assert!(all.len() > 50, "{}", all.len());
    for path in all {
        let mut changed = whole.clone();
        let field = path.iter().fold(&mut changed, |value, key| &mut value[key]);
        let new = match &*field {
            Value::Bool(was) => json!(!was),
            Value::Number(was) if was.is_u64() => json!(was.as_u64().unwrap() + 1),
            // Exact in binary, and not in any profile.
            _ => json!(0.375),
        };
        field.clone_from(&new);
        let loaded = Profile::read(&changed.to_string(), "profile").unwrap();
        let differences = explain(&ESPALIER, &loaded);
        assert_eq!(differences.len(), 1, "{path:?} {differences:?}");
        assert_eq!((differences[0].field.clone(), differences[0].b.clone()), (path.join("."), new));
    }
}

#[test]
fn what_is_no_profile_is_refused_by_name() {
    let check = |text: &str, path: &str| {
        let error = Profile::read(text, "options.profile").unwrap_err();
        assert_eq!((error.code, error.path.as_deref()), (Code::BadOption, Some(path)), "{text}: {error}");
    };
    check(r#""claude""#, "options.profile");
    check("[]", "options.profile");
    check("7", "options.profile");
    check("{", "options.profile");
    check(r#"{"start":{"warmth":1}}"#, "options.profile.start.warmth");
    check(r#"{"constants":1}"#, "options.profile.constants");
    check(r#"{"start":7}"#, "options.profile.start");
    check(r#"{"start":{"warm":"0.7"}}"#, "options.profile.start.warm");
    check(r#"{"start":{"warm":78}}"#, "options.profile.start.warm");
    check(r#"{"protect":{"results":-1}}"#, "options.profile.protect.results");
    check(r#"{"protect":{"results":1.5}}"#, "options.profile.protect.results");
    check(r#"{"cut":{"fraction":1}}"#, "options.profile.cut.fraction");
    check(r#"{"cut":{"fraction":0}}"#, "options.profile.cut.fraction");
    check(r#"{"cut":{"window":[2,1]}}"#, "options.profile.cut.window");
    check(r#"{"ladder":["clear","clear"]}"#, "options.profile.ladder[1]");
    check(r#"{"ladder":["fit","clear"]}"#, "options.profile.ladder[0]");
    check(r#"{"ladder":["offline","summary"]}"#, "options.profile.ladder[1]");
    check(r#"{"ladder":["squeeze"]}"#, "options.profile.ladder[0]");
    check(r#"{"media":{"media":"burn"}}"#, "options.profile.media.media");
    check(r#"{"shares":{"users":0.3}}"#, "options.profile.shares.users");
    let error = Profile::read(r#"{"gain":{"stale":0.1}}"#, "options.profile").unwrap_err();
    assert_eq!(error.message, "it must be an object with share, minTokens, maxTokens");
}

#[test]
fn the_numbers_of_each_system() {
    let check = |profile: &Profile, expected: &[(&str, Value)]| {
        let whole = serde_json::to_value(profile).unwrap();
        for (path, expected) in expected {
            let found = path.split('.').fold(&whole, |value, key| &value[key]);
            assert_eq!(found, expected, "{} {path}", profile.name);
        }
    };
    check(
        &ESPALIER,
        &[
            ("start", json!({ "warm": 0.78, "spread": 0.04, "cold": 0.9 })),
            ("block", json!(0.95)),
            ("applyMin", json!(0.65)),
            ("early", json!("parked")),
            ("shares.relief", json!(0.6)),
            ("shares.target", json!(0.985)),
            ("shares.ongoing", json!(0.4)),
            ("shares.keepRecent", json!({ "share": 0.2, "minTokens": 0, "maxTokens": null })),
            ("shares.users", json!({ "share": 0.14, "minTokens": 0, "maxTokens": 20_000 })),
            ("shares.ledger", json!({ "share": 0.05, "minTokens": 0, "maxTokens": 12_000 })),
            ("shares.summary", json!({ "share": 0.04, "minTokens": 512, "maxTokens": 8_000 })),
            ("minMessages", json!({ "automatic": 3, "manual": 2, "system": false })),
            ("protect.results", json!(3)),
            ("protect.rounds", json!(2)),
            ("protect.tokens", json!({ "share": 0.2, "minTokens": 0, "maxTokens": 40_000 })),
            ("gain.stale.share", json!(0.02)),
            ("gain.clear", json!({ "share": 0.1, "minTokens": 0, "maxTokens": 20_000 })),
            ("gain.summary.share", json!(0.05)),
            ("gain.covered", json!(0.2)),
            ("timeoutsMs", json!({ "wait": 60_000, "hook": 10_000, "model": 120_000 })),
            ("cut.window", json!([0.5, 1.25])),
            ("cut.insideTurn", json!(0.15)),
            ("cut.beforeCheck", json!(0.5)),
            ("cut.openFailure", json!(0.25)),
        ],
    );
    check(
        &COPILOT_CHAT,
        &[
            ("start", json!({ "warm": 0.78, "spread": 0.04, "cold": 0.9 })),
            ("block", Value::Null),
            ("applyMin", json!(0.65)),
            ("early", json!("dropped")),
            ("withTools", json!(0.9)),
            ("cap.eachOfLimit", json!(0.5)),
            ("cut.at", json!("lastRound")),
            ("summary.argumentUnits", json!(200)),
            ("summary.simpleResults", json!(0.5)),
            ("summary.handoffResults", json!(2_000)),
            ("summary.verify", json!("never")),
        ],
    );
    check(
        &GEMINI_CLI,
        &[
            ("limit.window", json!(1_048_576)),
            ("start", json!({ "warm": 0.5, "spread": 0.0, "cold": 0.5 })),
            ("background", json!(false)),
            ("cut.at", json!("fraction")),
            ("cut.fraction", json!(0.7)),
            ("cap.all", json!(50_000)),
            ("cap.each", json!(10_000)),
            ("protect.tokens.minTokens", json!(50_000)),
            ("gain.clear.minTokens", json!(30_000)),
            ("protect.turn", json!(true)),
            ("summary.verify", json!("always")),
            ("failure.flag", json!(true)),
        ],
    );
    let defaults = cases(REPLACEMENT).into_iter().find(|case| case["id"] == "defaults").unwrap()["expected"].clone();
    check(
        &COPILOT_CLI,
        &[
            ("start.warm", defaults["backgroundCompactionThreshold"].clone()),
            ("start.cold", defaults["backgroundCompactionThreshold"].clone()),
            ("block", defaults["bufferExhaustionThreshold"].clone()),
            ("minMessages.automatic", defaults["minMessagesAutomatic"].clone()),
            ("minMessages.manual", defaults["minMessagesManual"].clone()),
            ("limit.fallback", defaults["fallbackTokenLimit"].clone()),
            ("limit.retryBuffer", json!(0.05)),
            ("limit.maxRetryBuffer", json!(0.25)),
            ("replacement.headShare", json!(0.6)),
            ("replacement.form", json!("messages")),
            ("cut.at", json!("snapshot")),
        ],
    );
}

// ---------------------------------------------------------------- gemini-cli

/// Sizes are its own: characters of JSON. If it covers everything and keeps nothing, ours keeps the last request.
#[test]
fn splits() {
    let mut everything = 0;
    for case in cases(SPLIT) {
        let turns = case["history"].as_array().unwrap();
        let is_response =
            |turn: &Value| turn["parts"].as_array().unwrap().iter().any(|part| part.get("functionResponse").is_some());
        let candidates: Vec<bool> = turns.iter().map(|turn| turn["role"] == "user" && !is_response(turn)).collect();
        let sizes: Vec<u64> = case["jsonLengths"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
        let fraction = case["fraction"].as_f64().unwrap();
        if case["expected"]["error"].is_string() {
            let text = format!(r#"{{"cut":{{"fraction":{fraction}}}}}"#);
            assert_eq!(Profile::read(&text, "p").unwrap_err().path.as_deref(), Some("p.cut.fraction"), "{case}");
            continue;
        }
        let expected = case["expected"]["index"].as_u64().unwrap() as usize;
        let found = split(&sizes, &candidates, fraction).unwrap_or(0);
        if expected == turns.len() && expected > 0 {
            everything += 1;
            assert!(found < expected, "{case}");
        } else {
            assert_eq!(found, expected, "{case}");
        }
    }
    assert!(everything >= 4, "{everything}");
}

#[test]
fn one_request_and_a_loop_of_tools_can_be_cut() {
    let mut messages = vec![system("s"), user("Fix the parser.")];
    for n in 0..30 {
        let id = format!("c{n}");
        messages.extend([call(&id, "look", &format!("{{\"n\":{n}}}")), result(&id, &"word ".repeat(100))]);
    }
    let messages = numbered(messages);
    let done = |fields: &str| {
        let profile = Profile::read(fields, "p").unwrap();
        let options = Options { budget: 8_000, profile, ..Options::default() };
        super::compacted(&messages, options, Rc::new(Chars))
    };
    let ours = done(r#"{"name":"gemini-cli","ladder":["summary","offline","fit"]}"#);
    assert!(ours.summary.is_some() && ours.covered.len() >= 40, "{}", ours.covered.len());
    // As in the reference: no position for a cut.
    let theirs = done(r#"{"name":"gemini-cli","ladder":["summary","offline","fit"],"cut":{"splitInsideTurn":false}}"#);
    assert!(theirs.summary.is_none());
}

#[test]
fn the_flag_of_a_failure() {
    let status = |name: &str| match name {
        "COMPRESSED" => Some((Status::Applied, true)),
        "CONTENT_TRUNCATED" => Some((Status::Applied, false)),
        "COMPRESSION_FAILED_INFLATED_TOKEN_COUNT" => Some((Status::Inflated, false)),
        "COMPRESSION_FAILED_EMPTY_SUMMARY" => Some((Status::EmptySummary, false)),
        "NOOP" => Some((Status::NothingToCompact, false)),
        "throws" => Some((Status::ModelFailed, false)),
        // Declared in the reference and never produced; it does not exist here.
        "COMPRESSION_FAILED_TOKEN_COUNT_ERROR" => None,
        other => panic!("{other}"),
    };
    let mut seen = 0;
    for case in cases(FLAG) {
        match case["kind"].as_str().unwrap() {
            "transition" => {
                let Some((status, with_summary)) = status(case["status"].as_str().unwrap()) else { continue };
                for caller in ["interactive", "agent"].into_iter().filter(|caller| case[*caller].is_object()) {
                    let mut flag = Flag::default();
                    if case["flagBefore"] == true {
                        flag.note(Status::Inflated, false, false);
                    }
                    flag.note(status, with_summary, case["force"] == true);
                    assert_eq!(Some(!flag.may_ask(false)), case[caller]["flagAfter"].as_bool(), "{case}");
                    seen += 1;
                }
            }
            "sequence" => {
                let mut flag = Flag::default();
                for step in case["steps"].as_array().unwrap() {
                    match step["status"].as_str().and_then(status) {
                        Some((status, with_summary)) => flag.note(status, with_summary, step["force"] == true),
                        None => flag.reset(),
                    }
                    assert_eq!(Some(!flag.may_ask(false)), step["flagAfter"].as_bool(), "{case}");
                    seen += 1;
                }
            }
            _ => {}
        }
    }
    assert!(seen >= 20, "{seen}");
}

#[test]
fn equality_starts_it() {
    for (ratio, starts) in [(0.499_999, false), (0.5, true), (0.500_001, true)] {
        assert_eq!(GEMINI_CLI.starts(ratio, true, || unreachable!()), starts);
        assert_eq!(GEMINI_CLI.starts(ratio, false, || unreachable!()), starts);
    }
}

/// From the newest to the oldest over 50,000 tokens; an older small one stays whole.
#[test]
fn results_share_a_budget() {
    let mut messages = vec![user("go")];
    for (id, size) in [("small", 900), ("old", 120_000), ("new", 160_000), ("newest", 40_000)] {
        messages.extend([call(id, "fetch", "{}"), result(id, &"word ".repeat(size / 5))]);
    }
    let messages = numbered(messages);
    let options = Options {
        budget: 70_000,
        profile: Profile::read(r#"{"name":"gemini-cli","shares":{"relief":1}}"#, "p").unwrap(),
        ..Options::default()
    };
    let done = super::compacted(&messages, options, Rc::new(Quarter));
    // 10,000 + 40,000 use up the budget; the next result does not fit any more, nor do earlier ones.
    let cut: Vec<&str> = done.edits[0].ids().collect();
    assert_eq!((done.edits[0].rule, cut), ("capped-result", vec!["m2", "m4", "m6"][1..].to_vec()));
}

// ---------------------------------------------------------------- copilot-cli

#[test]
fn one_message_with_the_requests_and_the_summary() {
    let case = cases(REPLACEMENT).into_iter().find(|case| case["history"].is_array()).unwrap();
    let read = |list: &Value| -> Vec<Message> {
        let message = |value: &Value| {
            let text = value["content"].as_str().unwrap();
            match value["role"].as_str().unwrap() {
                "system" => system(text),
                "user" => user(text),
                _ => assistant(text),
            }
        };
        list.as_array().unwrap().iter().map(message).collect()
    };
    // The history is padded, because a summary must be shorter than the messages that it replaces.
    let mut messages = read(&case["history"]);
    messages.insert(3, assistant(&"It went on for a while. ".repeat(200)));
    let messages = numbered(messages);
    let asking = Asking { verify: Verify::Never, ..Asking::default() };
    let options = Options {
        budget: 100_000,
        force: true,
        has_model: true,
        profile: COPILOT_CLI.clone(),
        asking,
        ..Options::default()
    };
    let mut run = Compaction::new(messages.clone(), 0, CostModel::Espalier, Rc::new(Chars), Origin::Exact, options);
    let Step::Ask { effects } = run.poll().unwrap() else { panic!("not asked") };
    let text = format!("<summary>{}</summary>", case["summary"].as_str().unwrap());
    run.resume(effects[0].id, Answer::Model { text, finish_reason: None }).unwrap();
    let Step::Done { result: done } = run.poll().unwrap() else { panic!("not done") };
    assert_eq!(done.status, Status::Applied);
    let mut view = carry_out(&messages, &done.plan);
    // Messages after the snapshot follow, the answer in flight first.
    view.extend(read(&case["arrivedAfterSnapshot"]));
    let record = view[1].text();
    let mut rest = record.as_str();
    for piece in case["expected"]["replacement"]["message1Order"].as_array().unwrap() {
        let piece = piece.as_str().unwrap();
        let at = rest.find(piece).unwrap_or_else(|| panic!("{piece} is missing in {record}"));
        rest = &rest[at + piece.len()..];
    }
    // In ours the newest request is also a separate message.
    let roles: Vec<Role> = view.iter().map(|message| message.role).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::User, Role::Assistant, Role::User]);
    assert_eq!(view[2].text(), "U2 second request");
    assert!(!view.iter().any(|message| message.text() == "A1 answer one"));
}

/// Pending result, ratio, overflow -> action of a request.
#[test]
fn what_a_request_does_about_a_job() {
    let check = |jobs: fn() -> Jobs<u8>, ratio, forced, next: Next<u8>, phase| {
        let mut jobs = jobs();
        assert_eq!((jobs.at_request(&COPILOT_CLI, ratio, forced), jobs.phase()), (next, phase), "{ratio} {forced}");
    };
    fn running() -> Jobs<u8> {
        let mut jobs = Jobs::default();
        jobs.start(|_| false);
        jobs
    }
    fn settled(outcome: Result<u8, String>) -> Jobs<u8> {
        let mut jobs = running();
        jobs.settle(1, outcome);
        jobs
    }
    check(Jobs::default, 0.79, false, Next::GoOn, Phase::Idle);
    check(running, 0.9499, false, Next::GoOn, Phase::Running);
    check(running, 0.95, false, Next::Wait(1), Phase::Running);
    check(running, 0.1, true, Next::Wait(1), Phase::Running);
    check(|| settled(Ok(3)), 0.01, false, Next::Apply(3), Phase::Idle);
    check(|| settled(Err("no".into())), 0.99, false, Next::GoOn, Phase::Failed);
    fn cancelled() -> Jobs<u8> {
        let mut jobs = running();
        jobs.cancel();
        jobs.settle(1, Ok(3));
        jobs
    }
    check(cancelled, 0.99, true, Next::GoOn, Phase::Idle);
    assert!(!COPILOT_CLI.starts(0.7999, true, || unreachable!()) && COPILOT_CLI.starts(0.8, true, || unreachable!()));
}

// ---------------------------------------------------------------- copilot-chat

#[test]
fn all_rounds_but_the_last_or_the_history() {
    let round = |id: &str| [call(id, "look", "{}"), result(id, &"word ".repeat(60))];
    let covered = |messages: Vec<Message>| {
        let messages = numbered(messages);
        let text = r#"{"name":"copilot-chat","ladder":["summary","offline","fit"]}"#;
        let profile = Profile::read(text, "p").unwrap();
        let whole = crate::prune::fresh(&messages, &Chars);
        let options = Options { budget: whole - 1, profile, ..Options::default() };
        let done = super::compacted(&messages, options, Rc::new(Chars));
        let ids: Vec<&str> = done.covered.iter().map(String::as_str).collect();
        (ids.first().map(|id| id.to_string()), ids.last().map(|id| id.to_string()))
    };
    let history = |n: usize| -> Vec<Message> {
        let mut out = vec![user("first")];
        out.extend((0..n).flat_map(|n| round(&format!("h{n}"))));
        out.push(user("second"));
        out
    };
    // With more than one round in the turn, the last stays.
    let mut messages = history(8);
    messages.extend(["a", "b", "c"].into_iter().flat_map(round));
    assert_eq!(covered(messages), (Some("m0".into()), Some("m21".into())));
    // With one round, it covers the messages before the request.
    let mut messages = history(8);
    messages.extend(round("a"));
    assert_eq!(covered(messages), (Some("m0".into()), Some("m16".into())));
}

#[test]
fn the_same_conversation_under_all_profiles() {
    let mut messages = vec![system("You are an agent."), user("Fix the parser.")];
    for n in 0..80 {
        let id = format!("c{n}");
        messages.extend([
            call(&id, "bash", &format!(r#"{{"command":"make {n}"}}"#)),
            result(&id, &format!("line {n}\n").repeat(80)),
        ]);
        if n % 20 == 19 {
            messages.extend([assistant("Done."), user("Go on.")]);
        }
    }
    let messages = numbered(messages);
    for profile in ALL {
        let options = |profile: &Profile| Options { budget: 6_000, profile: profile.clone(), ..Options::default() };
        let done = super::compacted(&messages, options(profile), Rc::new(Quarter));
        let view = carry_out(&messages, &done.plan);
        assert_eq!((done.status, valid(&view)), (Status::Applied, Ok(())), "{}", profile.name);
        assert!(done.after.total <= 6_000);
        // Any profile can continue from the record of another.
        let mut more = view;
        more.extend(messages.iter().skip(2).cloned());
        let more = numbered(more);
        for other in ALL {
            let again = super::compacted(&more, options(other), Rc::new(Quarter));
            assert_eq!(valid(&carry_out(&more, &again.plan)), Ok(()), "{} after {}", other.name, profile.name);
        }
    }
}

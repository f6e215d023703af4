//! Each field alone: its own effect changes, and nothing else.

use std::borrow::Cow;
use std::collections::BTreeMap;

use espalier::compact::asking::{Asking, Trigger};
use espalier::compact::cut::{Deed, choose};
use espalier::compact::profile::{Profile, Rung};
use espalier::compact::{Compacted, Options, Status};
use espalier::conversation::backoff::{Backoff, Now};
use espalier::conversation::job::Jobs;
use espalier::conversation::window::Sizes;
use espalier::effect::{Answer, Effect};
use espalier::history::draft::Draft;
use espalier::history::group::groups;
use espalier::history::mend::Receiver;
use espalier::message::{Message, Part};
use espalier::tokens::Origin;
use espalier::validity::{Provider, Target};
use serde_json::Value;

use super::{agent, asked, driven, forced, profile, requests, says};
use crate::prune::{carry_out, fresh};
use crate::support::{Quarter, assistant, call, meter, numbered, result, system, user};

/// Things that break, a different one each time.
const WORDS: [&str; 18] = [
    "lexer", "parser", "printer", "linker", "loader", "reader", "writer", "server", "client", "driver", "kernel",
    "socket", "buffer", "cursor", "window", "button", "dialog", "layout",
];

/// Returns an agent's run that reads the same file twice, edits it, looks at pictures, thinks, calls with long
/// arguments and gets long results.
fn history() -> Vec<Message> {
    let mut all =
        vec![system("You are an agent."), user(&format!("Fix the parser. {}", "Never touch it. ".repeat(60)))];
    let round = |all: &mut Vec<Message>, id: &str, tool: &str, arguments: String, text: &str| {
        let mut said = call(id, tool, &arguments);
        said.parts.insert(0, Part::Reasoning { text: format!("thought {id}"), sealed: None });
        all.extend([said, result(id, text)]);
    };
    let path = |name: &str| format!(r#"{{"path":"src/{name}.rs"}}"#);
    for turn in 0..3 {
        for n in 0..6 {
            let id = |kind: &str| format!("{kind}{turn}{n}");
            round(&mut all, &id("read"), "read_file", path(&format!("a{}", n % 2)), &"fn main() {}\n".repeat(60));
            let content = format!(r#"{{"path":"src/b{n}.rs","content":"{}"}}"#, "x".repeat(2_500));
            round(&mut all, &id("edit"), "write_file", content, "done");
            let word = WORDS[turn * 6 + n];
            let text = format!("exit code 1\nerror: the {word} is broken\n{}", "word ".repeat(200));
            round(&mut all, &id("make"), "bash", format!(r#"{{"command":"make part{turn}{n}"}}"#), &text);
        }
        let mut seen = user(&format!("And part {turn}? {}", "It must be green. ".repeat(30)));
        seen.parts.push(Part::Image { media_type: Some("image/png".into()), data: None, url: None, detail: None });
        all.extend([assistant("I decided to go on."), seen]);
    }
    round(&mut all, "last", "bash", r#"{"command":"make all"}"#.into(), "ok");
    numbered(all)
}

fn summary() -> Answer {
    let text = format!("## Overview\n{}\n", "All is well so far. ".repeat(300));
    says(&format!("<summary>\n{text}</summary>"))
}

fn run(profile: &Profile, ladder: &[Rung], trigger: Trigger, skip: bool) -> (Vec<Effect>, Compacted) {
    let messages = history();
    let whole = fresh(&messages, &Quarter) + 100;
    let profile = Profile { ladder: Cow::Owned(ladder.to_vec()), ..profile.clone() };
    let asking = Asking { trigger, pre_hook: skip, verify: profile.summary.verify, ..Asking::default() };
    // A receiver that takes calls without their reasoning.
    let receiver = Some(Receiver { target: Target::new(Provider::Anthropic), written: None });
    let limits = Options { budget: whole, model_limit: Some(4 * whole), ..Options::default() };
    let options = Options { force: true, profile, asking, receiver, ..limits };
    let (seen, done) = driven(&messages, 100, options, skip, |_| summary());
    (seen, done.unwrap())
}

/// Formats the remaining messages, and their replacements.
fn left(done: &Compacted) -> String {
    format!(
        "{:?} {:?} {:?}",
        done.status,
        done.steps.iter().map(|step| step.outcome).collect::<Vec<_>>(),
        carry_out(&history(), &done.plan)
    )
}

/// Returns everything that a profile decides, by the decision.
fn doings(profile: &Profile) -> BTreeMap<&'static str, String> {
    let mut out = BTreeMap::new();
    let sizes = Sizes { max: 200_000, picked: None, default_tier: None, surcharge: false, prefer_long: false };
    out.insert("room", format!("{:?}", profile.request(sizes, None, 20_000)));
    let lines = [0.3, 0.77, 0.79, 0.81, 0.85, 0.95];
    let starts = |warm: bool, r: f64| lines.map(|ratio| profile.starts(ratio, warm, || r));
    out.insert("starts", format!("{:?}", [starts(true, 0.0), starts(true, 0.9), starts(false, 0.0)]));
    let job = |ratio: f64, ready: bool| {
        let mut jobs = Jobs::default();
        let number = jobs.start(|_: &u32| false).unwrap();
        if ready {
            jobs.settle(number, Ok(7));
        }
        (jobs.at_request(profile, ratio, false), jobs.phase())
    };
    out.insert("job", format!("{:?}", [job(0.9, false), job(0.96, false), job(0.6, true), job(0.7, true)]));
    out.insert(
        "measured",
        format!(
            "{:?}",
            [profile.measured.of(100, 100, Some((120, 100))), profile.measured.of(100, 100, Some((80, 100)))]
        ),
    );
    let after = |status: Status, requests: u64, tokens: u64| {
        let mut failed = Backoff::new(profile.failure);
        let now = |requests, tokens| Now { requests, tokens, available: 1_000, fingerprint: 1 };
        failed.note(status, None, now(1, 100));
        failed.may_try(now(requests, tokens))
    };
    let tries = [(2, 100), (3, 100), (2, 170), (2, 250)].map(|(requests, tokens)| {
        [Status::ModelFailed, Status::Inflated].map(|status| after(status, requests, tokens))
    });
    out.insert("failure", format!("{tries:?}"));
    for rung in [Rung::Stale, Rung::Media, Rung::Cap, Rung::Clear, Rung::Fit] {
        out.insert(rung.as_str(), left(&run(profile, &[rung], Trigger::Manual, false).1));
    }
    let (seen, done) = run(profile, &[Rung::Summary], Trigger::Manual, false);
    out.insert("request", format!("{:?}", requests(&seen)));
    out.insert("covered", format!("{:?}", done.covered));
    out.insert("record", format!("{:?}", done.edits.iter().map(|edit| &edit.message).collect::<Vec<_>>()));
    out.insert("status", format!("{:?}", done.status));
    let (seen, _) = run(profile, &[Rung::Summary], Trigger::Threshold, false);
    out.insert(
        "background request",
        format!("{:?}", requests(&seen).iter().map(|request| request.shape).collect::<Vec<_>>()),
    );
    out.insert("hook", format!("{:?}", run(profile, &[Rung::Summary], Trigger::Threshold, true).1.status));
    let whole = run(profile, &profile.ladder, Trigger::Manual, false).1;
    out.insert("ladder", format!("{:?}", whole.steps.iter().map(|step| (step.step, step.outcome)).collect::<Vec<_>>()));
    out
}

/// A base, a field, and the decisions that change with it. Fields that only hosts use change nothing here, and have
/// their rows in `tests/js/conversation` (limits, events, profiles, prepare); fields of hand-overs in
/// `tests/js/calls/summarize.test.ts`.
#[rustfmt::skip]
const FIELDS: &[(&str, &str, &[&str])] = &[
    (r#"{}"#, r#"{"measured":"atLeastReported"}"#, &["measured"]),
    (r#"{}"#, r#"{"measured":"reported"}"#, &["measured"]),
    (r#"{}"#, r#"{"start":{"warm":0.5}}"#, &["starts"]),
    (r#"{}"#, r#"{"start":{"spread":0.0}}"#, &["starts"]),
    (r#"{}"#, r#"{"start":{"cold":0.8}}"#, &["starts"]),
    (r#"{}"#, r#"{"block":null}"#, &["job"]),
    (r#"{}"#, r#"{"block":0.8}"#, &["job"]),
    (r#"{}"#, r#"{"applyMin":0.5}"#, &["job"]),
    (r#"{}"#, r#"{"early":"dropped"}"#, &["job"]),
    (r#"{}"#, r#"{"minMessages":{"manual":500}}"#, &["background request", "covered", "hook", "ladder", "record", "request", "status"]),
    (r#"{}"#, r#"{"withTools":0.9}"#, &["room"]),
    (r#"{}"#, r#"{"ladder":["summary"]}"#, &["ladder"]),
    (r#"{}"#, r#"{"shares":{"keepRecent":{"share":0.05}}}"#, &["covered", "media", "record", "request"]),
    (r#"{}"#, r#"{"shares":{"ongoing":0.1}}"#, &["covered", "media", "record", "request"]),
    (r#"{}"#, r#"{"shares":{"ledger":{"share":0.001}}}"#, &[]),
    (r#"{}"#, r#"{"shares":{"entries":{"share":0.001}}}"#, &["record", "request"]),
    (r#"{}"#, r#"{"shares":{"users":{"share":0.005}}}"#, &["covered", "record", "request"]),
    (r#"{}"#, r#"{"shares":{"summary":{"maxTokens":600}}}"#, &["covered", "record", "request"]),
    (r#"{}"#, r#"{"gain":{"stale":{"share":0.9}}}"#, &["ladder", "stale"]),
    (r#"{}"#, r#"{"gain":{"media":{"share":0.9}}}"#, &["ladder", "media"]),
    (r#"{}"#, r#"{"gain":{"clear":{"share":0.9,"maxTokens":null}}}"#, &["clear", "ladder"]),
    (r#"{}"#, r#"{"gain":{"summary":{"share":0.99}}}"#, &["covered", "ladder", "record", "status"]),
    (r#"{}"#, r#"{"gain":{"covered":1.0}}"#, &["covered", "ladder", "record", "status"]),
    (r#"{}"#, r#"{"protect":{"results":40}}"#, &["clear", "stale"]),
    (r#"{}"#, r#"{"protect":{"rounds":40}}"#, &["clear", "stale"]),
    (r#"{}"#, r#"{"protect":{"tokens":{"share":0.9}}}"#, &["clear", "ladder", "stale"]),
    (r#"{}"#, r#"{"media":{"media":"keep"}}"#, &["ladder", "media"]),
    (r#"{}"#, r#"{"cap":{"each":50}}"#, &["cap"]),
    (r#"{}"#, r#"{"clear":{"argumentCharacters":100}}"#, &["clear"]),
    (r#"{}"#, r#"{"cut":{"at":"lastRound"}}"#, &["covered", "record", "request"]),
    (r#"{}"#, r#"{"cut":{"at":"fraction"}}"#, &["covered", "record", "request"]),
    (r#"{}"#, r#"{"cut":{"beforeCheck":0.0}}"#, &["covered", "record", "request"]),
    (r#"{}"#, r#"{"summary":{"fork":"always"}}"#, &["background request", "request"]),
    (r#"{}"#, r#"{"summary":{"fork":"background"}}"#, &["background request"]),
    (r#"{}"#, r#"{"summary":{"overflowModes":["simple"]}}"#, &["background request", "request"]),
    (r#"{}"#, r#"{"summary":{"temperature":0.5}}"#, &["request"]),
    (r#"{}"#, r#"{"summary":{"overlong":1.1}}"#, &["record", "request"]),
    (r#"{}"#, r#"{"replacement":{"form":"summary"}}"#, &["covered", "record", "request"]),
    (r#"{}"#, r#"{"replacement":{"form":"messages"}}"#, &["covered", "record", "request"]),
    (r#"{}"#, r#"{"failure":{"requests":9}}"#, &["failure"]),
    (r#"{}"#, r#"{"failure":{"tokens":0.5}}"#, &["failure"]),
    (r#"{}"#, r#"{"failure":{"gainTokens":0.5}}"#, &["failure"]),
    (r#"{}"#, r#"{"failure":{"flag":true}}"#, &["failure"]),
    (r#"{}"#, r#"{"hook":{"veto":false}}"#, &["hook"]),
    (r#"{}"#, r#"{"limit":{"window":50000}}"#, &[]),
    (r#"{}"#, r#"{"limit":{"fallback":9000}}"#, &[]),
    (r#"{}"#, r#"{"limit":{"retryBuffer":0.2}}"#, &[]),
    (r#"{}"#, r#"{"limit":{"maxRetryBuffer":0.5}}"#, &[]),
    (r#"{}"#, r#"{"minMessages":{"automatic":500}}"#, &[]),
    (r#"{}"#, r#"{"minMessages":{"system":true}}"#, &[]),
    (r#"{}"#, r#"{"background":false}"#, &[]),
    (r#"{}"#, r#"{"cancelsOnSwitch":true}"#, &[]),
    (r#"{}"#, r#"{"hook":{"onNoop":true}}"#, &[]),
    (r#"{}"#, r#"{"hook":{"twoTriggers":true}}"#, &[]),
    (r#"{}"#, r#"{"timeoutsMs":{"wait":5}}"#, &[]),
    (r#"{}"#, r#"{"timeoutsMs":{"hook":5}}"#, &[]),
    (r#"{}"#, r#"{"timeoutsMs":{"model":5}}"#, &[]),
    (r#"{}"#, r#"{"summary":{"handoffResults":5}}"#, &[]),
    (r#"{}"#, r#"{"summary":{"argumentUnits":20}}"#, &[]),
    (r#"{}"#, r#"{"summary":{"simpleResults":0.1}}"#, &[]),
    (r#"{}"#, r#"{"summary":{"fullHeadroom":1.05}}"#, &[]),
    (r#"{}"#, r#"{"cut":{"fraction":0.3}}"#, &[]),
    (r#"{}"#, r#"{"cut":{"splitInsideTurn":false}}"#, &[]),
    (r#"{}"#, r#"{"shares":{"relief":0.95}}"#, &["ladder"]),
    (r#"{}"#, r#"{"shares":{"errorLines":{"share":0,"maxTokens":0}}}"#, &["clear"]),
    (r#"{"cap":{"each":50}}"#, r#"{"gain":{"cap":{"share":0.9}}}"#, &["cap"]),
    (r#"{}"#, r#"{"media":{"reasoning":"keep"}}"#, &["media"]),
    (r#"{"cut":{"at":"fraction"}}"#, r#"{"cut":{"fraction":0.3}}"#, &["covered", "record", "request"]),
    (r#"{}"#, r#"{"cut":{"window":[0.9,1.0]}}"#, &["covered", "record", "request"]),
    (r#"{"summary":{"overflowModes":["simple"]}}"#, r#"{"summary":{"argumentUnits":20}}"#, &["request"]),
    (r#"{}"#, r#"{"summary":{"verify":"never"}}"#, &["background request", "request"]),
    (r#"{"shares":{"users":{"share":0.005}},"replacement":{"form":"messages"}}"#, r#"{"replacement":{"headShare":0.1}}"#, &["record"]),
    (r#"{}"#, r#"{"cap":{"eachOfLimit":0.001}}"#, &["cap"]),
    (r#"{"cap":{"each":50}}"#, r#"{"cap":{"all":1000}}"#, &["cap"]),
    // Bounds of shares: each takes effect if its share would give more or less.
    (r#"{}"#, r#"{"shares":{"keepRecent":{"minTokens":9000}}}"#, &["media"]),
    (r#"{}"#, r#"{"shares":{"keepRecent":{"maxTokens":200}}}"#, &["covered", "media", "record", "request"]),
    (r#"{"shares":{"ledger":{"share":0.001}}}"#, r#"{"shares":{"ledger":{"minTokens":2000}}}"#, &[]),
    (r#"{}"#, r#"{"shares":{"ledger":{"maxTokens":20}}}"#, &[]),
    (r#"{"shares":{"entries":{"share":0.001}}}"#, r#"{"shares":{"entries":{"minTokens":9000}}}"#, &["record", "request"]),
    (r#"{}"#, r#"{"shares":{"entries":{"maxTokens":20}}}"#, &["record", "request"]),
    (r#"{"shares":{"users":{"share":0.005}}}"#, r#"{"shares":{"users":{"minTokens":2000}}}"#, &["covered", "record", "request"]),
    (r#"{}"#, r#"{"shares":{"users":{"maxTokens":100}}}"#, &["covered", "record", "request"]),
    (r#"{"shares":{"summary":{"share":0.01,"minTokens":100}}}"#, r#"{"shares":{"summary":{"minTokens":1500}}}"#, &["covered", "record", "request"]),
    (r#"{}"#, r#"{"shares":{"summary":{"share":0.2}}}"#, &["covered", "record", "request"]),
    (r#"{"shares":{"errorLines":{"share":0}}}"#, r#"{"shares":{"errorLines":{"minTokens":2000}}}"#, &["clear"]),
    (r#"{}"#, r#"{"shares":{"errorLines":{"maxTokens":0}}}"#, &["clear"]),
    // Bounds of the tokens that a step must free.
    (r#"{}"#, r#"{"gain":{"stale":{"minTokens":90000}}}"#, &["ladder", "stale"]),
    (r#"{"gain":{"stale":{"share":0.9}}}"#, r#"{"gain":{"stale":{"maxTokens":0}}}"#, &["ladder", "stale"]),
    (r#"{}"#, r#"{"gain":{"media":{"minTokens":90000}}}"#, &["ladder", "media"]),
    (r#"{"gain":{"media":{"share":0.9}}}"#, r#"{"gain":{"media":{"maxTokens":0}}}"#, &["ladder", "media"]),
    (r#"{"cap":{"each":50}}"#, r#"{"gain":{"cap":{"minTokens":90000}}}"#, &["cap"]),
    (r#"{"cap":{"each":50},"gain":{"cap":{"share":0.9}}}"#, r#"{"gain":{"cap":{"maxTokens":0}}}"#, &["cap"]),
    (r#"{}"#, r#"{"gain":{"clear":{"minTokens":90000}}}"#, &["clear", "ladder"]),
    (r#"{"gain":{"clear":{"share":0.9,"maxTokens":null}}}"#, r#"{"gain":{"clear":{"maxTokens":0}}}"#, &["clear", "ladder"]),
    (r#"{}"#, r#"{"gain":{"summary":{"minTokens":90000}}}"#, &["covered", "ladder", "record", "status"]),
    (r#"{"gain":{"summary":{"share":0.99}}}"#, r#"{"gain":{"summary":{"maxTokens":0}}}"#, &["covered", "ladder", "record", "status"]),
    (r#"{}"#, r#"{"protect":{"tokens":{"minTokens":90000}}}"#, &["clear", "ladder", "stale"]),
    (r#"{"protect":{"tokens":{"share":0.9}}}"#, r#"{"protect":{"tokens":{"maxTokens":0}}}"#, &["clear", "ladder", "stale"]),
];

/// Merges the fields of one value over those of the other.
fn over(base: &mut Value, change: Value) {
    match (base, change) {
        (Value::Object(base), Value::Object(change)) => {
            for (name, value) in change {
                over(base.entry(name).or_insert(Value::Null), value);
            }
        }
        (base, change) => *base = change,
    }
}

#[test]
fn a_field_changes_what_it_is_for() {
    let mut wrong = Vec::new();
    let mut bases: BTreeMap<&str, BTreeMap<&'static str, String>> = BTreeMap::new();
    for (base, fields, changed) in FIELDS {
        let usual = bases.entry(base).or_insert_with(|| doings(&profile(base)));
        let mut both: Value = serde_json::from_str(base).unwrap();
        over(&mut both, serde_json::from_str(fields).unwrap());
        let found = doings(&profile(&both.to_string()));
        let other: Vec<&str> =
            usual.iter().filter(|(name, doing)| found[**name] != **doing).map(|(name, _)| *name).collect();
        if &other != changed {
            wrong.push(format!("{base} {fields} {other:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// One request, rounds of 100 tokens, a tail of 300: returns the cheapest boundary with the prices in the fields.
fn boundary(fields: &str, request: Option<usize>, deeds: &[(usize, Deed)]) -> usize {
    let mut messages = vec![user("go")];
    messages.extend((0..10).map(|_| assistant(&"word".repeat(96))));
    if let Some(at) = request {
        messages[at] = user(&"word".repeat(96));
        messages.push(user("And now?"));
    }
    let messages = numbered(messages);
    let draft = Draft::new(&messages, meter(&Quarter), Origin::Exact);
    let groups = groups(&draft);
    let mut all = vec![Deed::default(); groups.len()];
    for &(at, deed) in deeds {
        all[at] = deed;
    }
    choose(&draft, &groups, 300, &profile(&format!(r#"{{"cut":{{{fields}}}}}"#)).cut, &all, |_| false).unwrap().boundary
}

#[test]
fn what_boundaries_cost() {
    let edit = Deed { edits: true, ..Deed::default() };
    let check = Deed { runs: true, ..Deed::default() };
    let failure = Deed { fails: true, runs: true, ..Deed::default() };
    let parted = [(7, edit), (8, check)];
    assert_eq!([boundary("", None, &parted), boundary(r#""beforeCheck":0"#, None, &parted)], [9, 8]);
    let failed = [(7, failure)];
    assert_eq!([boundary("", None, &failed), boundary(r#""openFailure":9"#, None, &failed)], [8, 9]);
    assert_eq!([boundary("", Some(9), &[]), boundary(r#""insideTurn":9"#, Some(9), &[])], [8, 9]);
}

#[test]
fn results_of_the_turn_at_hand() {
    let cleared = |turn: bool| {
        let text = format!(r#"{{"ladder":["clear"],"protect":{{"turn":{turn}}},"gain":{{"clear":{{"share":0}}}}}}"#);
        let messages = agent(30, 200);
        let budget = fresh(&messages, &Quarter) + 100;
        let (_, done) =
            asked(&messages, 100, Options { budget, ..forced(profile(&text), Trigger::Manual) }, |_| summary());
        done.unwrap().edits.len()
    };
    assert_eq!([cleared(false), cleared(true)], [1, 0]);
}

//! The machine of a conversation: limits, feedback, due actions, and that its state is its only memory.

use espalier::compact::asking::Trigger;
use espalier::compact::profile::{ESPALIER, GEMINI_CLI};
use espalier::conversation::backoff::Verdict;
use espalier::conversation::job::Next as NextOfJob;
use espalier::conversation::{Around, Finish, Machine, Model, Request, RequestStep, Settings, StartJob, Why};
use espalier::error::Code;
use espalier::history::limits::Source;
use espalier::history::log::entry::Entry;
use espalier::history::log::{Log, Made};
use espalier::history::recovery::{Kind, Next, Refusal};
use espalier::message::Message;
use serde_json::json;

use crate::log::{counting, range};
use crate::support::{Quarter, call, log_of, numbered, result, system, user};

fn machine_of(model: Model) -> Machine {
    let state = serde_json::from_value(json!({ "model": model })).unwrap();
    Machine::new(ESPALIER.clone(), state).unwrap()
}

fn model(name: &str, limit: u64) -> Model {
    Model { name: name.into(), limit, source: Source::MaxPromptTokens, window: Some(limit), ..Model::default() }
}

/// Returns a log with a system prompt, a request and rounds of about 60 tokens.
fn agent(rounds: usize) -> Log {
    let mut all = vec![system("rules"), user("fix the parser")];
    for number in 0..rounds {
        all.push(call(&number.to_string(), "read", r#"{"path":"a.rs"}"#));
        all.push(result(&number.to_string(), &"word ".repeat(40)));
    }
    log_of(numbered(all), 1, counting(Quarter)).unwrap()
}

fn asked(machine: &mut Machine, log: &Log, request: Request) -> RequestStep {
    let view = log.view();
    machine.request(log, view.after, view.origin, Around::default(), request).unwrap()
}

fn refusal(limit: Option<u64>) -> Refusal {
    let kind = Kind::ContextLength;
    Refusal { kind, used: None, limit, output: None, total: None, sent: 0, has_media: false, buffer: None, date: None }
}

#[test]
fn who_set_the_limit() {
    let set = |model: Model, settings: Settings| {
        let mut machine = machine_of(model);
        machine.set(settings).unwrap();
        let limit = machine.limit(0).unwrap();
        (limit.limit, limit.source)
    };
    let stated = model("m", 100_000);
    let plain = Settings::default();
    assert_eq!(set(stated.clone(), plain), (100_000, Source::MaxPromptTokens));
    assert_eq!(set(Model::default(), plain), (128_000, Source::AssumedLimit));
    let chosen = Settings { threshold: Some(0.5), max_context_tokens: Some(80_000.0), ..plain };
    assert_eq!(set(stated.clone(), chosen), (40_000, Source::Threshold));
    assert_eq!(set(stated.clone(), Settings { threshold: None, ..chosen }), (80_000, Source::MaxContextTokens));
    for no_choice in [f64::NAN, f64::INFINITY, -1.0, 0.0] {
        let settings = Settings { threshold: Some(no_choice), max_context_tokens: Some(no_choice), ..plain };
        assert_eq!(set(stated.clone(), settings), (100_000, Source::MaxPromptTokens), "{no_choice}");
    }
    let tiered = Model { default_tier: 60_000, ..stated.clone() };
    assert_eq!(set(tiered.clone(), plain), (60_000, Source::DefaultTier));
    let prefers_long = Settings { prefer_long: true, ..plain };
    assert_eq!(set(tiered.clone(), prefers_long), (100_000, Source::MaxPromptTokens));
    assert_eq!(set(Model { surcharge: true, ..tiered }, prefers_long), (60_000, Source::DefaultTier));
    // A tree's budget replaces an assumed limit, and narrows a known one.
    let budget = |tokens| Settings { budget: Some(tokens), ..plain };
    assert_eq!(set(stated.clone(), budget(30_000)), (30_000, Source::Budget));
    assert_eq!(set(stated, budget(300_000)), (100_000, Source::MaxPromptTokens));
    assert_eq!(set(Model::default(), budget(300_000)), (300_000, Source::AssumedLimit));
}

#[test]
fn a_threshold_that_is_neither_a_share_nor_tokens_is_refused_and_changes_nothing() {
    let mut machine = machine_of(model("m", 100_000));
    let before = machine.limit(0).unwrap();
    let error = machine.set(Settings { threshold: Some(50.0), ..Settings::default() }).unwrap_err();
    assert_eq!(error.code, Code::BadThreshold);
    assert_eq!(machine.limit(0).unwrap(), before);
    let state = serde_json::from_value(json!({ "settings": { "threshold": 50 } })).unwrap();
    assert_eq!(Machine::new(ESPALIER.clone(), state).unwrap_err().code, Code::BadThreshold);
}

/// Returns a machine whose provider counts 1.4 times our tokens, plus 300.
fn calibrated() -> Machine {
    let mut machine = machine_of(model("claude-sonnet-4-5", 100_000));
    for tokens in [1_000, 3_000, 6_000, 9_000] {
        machine.sent(tokens.to_string(), tokens, "frame".into());
        assert_eq!(machine.answered(tokens * 7 / 5 + 300, "today").unwrap(), None);
    }
    machine
}

#[test]
fn our_tokens_within_the_providers_are_the_largest_number_that_fits() {
    for machine in [calibrated(), machine_of(model("claude-sonnet-4-5", 9_000)), machine_of(model("gpt-4o", 9_000))] {
        for theirs in [0, 1, 10, 400, 1_000, 12_345, 100_000] {
            let ours = machine.ours(theirs);
            let fits = |tokens| {
                let predicted = machine.predict(tokens);
                predicted.tokens + predicted.bound <= theirs
            };
            assert!(ours == 0 || fits(ours), "{theirs}");
            assert!(ours == theirs || !fits(ours + 1), "{theirs}");
        }
    }
}

#[test]
fn reports_are_learned_from_and_odd_ones_are_not() {
    let mut machine = calibrated();
    let learned = machine.predict(5_000);
    assert!(learned.tokens.abs_diff(7_300) <= learned.bound);
    machine.sent("low".into(), 10_000, "frame".into());
    assert_eq!(machine.answered(100, "today").unwrap().map(|odd| odd.why), Some(Why::Low));
    assert_eq!(machine.predict(5_000), learned);
    // More than the window.
    machine.sent("over".into(), 10_000, "frame".into());
    let odd = machine.answered(120_000, "today").unwrap().unwrap();
    assert_eq!((odd.why, odd.limit), (Why::Overflow, Some(100_000)));
    // A report without a request changes nothing.
    assert_eq!(machine_of(model("m", 1_000)).answered(5, "today").unwrap(), None);
}

#[test]
fn a_refused_request_is_tried_again_smaller_until_it_goes_out() {
    let mut machine = machine_of(model("m", 100_000));
    assert_eq!(machine.refused(refusal(None)), Next::PassOn { why: "no request was prepared" });
    machine.sent("r1".into(), 90_000, String::new());
    assert!(matches!(machine.refused(refusal(Some(50_000))), Next::Retry { limit: 50_000, .. }));
    assert_eq!(machine.limit(0).unwrap().source, Source::Learned);
    machine.sent("r2".into(), 50_000, String::new());
    assert!(matches!(machine.refused(refusal(Some(50_000))), Next::Retry { limit, .. } if limit < 50_000));
    let tried = machine.limit(0).unwrap().limit;
    assert!(tried < 50_000);
    machine.sent("r3".into(), 40_000, String::new());
    machine.answered(40_000, "today").unwrap();
    // A named limit stays; the state of these tries is dropped, except the buffer.
    assert_eq!(machine.limit(0).unwrap().limit, 47_500);
}

#[test]
fn what_is_due_before_a_request_and_why() {
    let log = agent(30);
    let full = log.view().after.total;
    let due =
        |mut machine: Machine, request| asked(&mut machine, &log, request).due.map(|due| (due.trigger, due.verdict));
    let plain = Request::default();
    let small = || machine_of(model("m", full / 2));
    assert_eq!(due(machine_of(model("m", full * 10)), plain), None);
    assert_eq!(due(small(), plain), Some((Trigger::Overflow, Verdict::Try)));
    assert_eq!(due(small(), Request { is_automatic: false, ..plain }), None);
    assert_eq!(due(small(), Request { is_done: true, ..plain }), None);
    let must_fit = Request { must_fit: true, ..plain };
    assert_eq!(due(machine_of(model("m", full * 10)), must_fit), Some((Trigger::Overflow, Verdict::Try)));
    assert_eq!(due(small(), Request { is_done: true, ..must_fit }), Some((Trigger::Overflow, Verdict::Try)));
    let mut switched = machine_of(model("large", full * 10));
    switched.set_model(model("m", full / 2));
    assert_eq!(due(switched, plain), Some((Trigger::ModelSwitch, Verdict::Try)));
    let mut refused = small();
    refused.sent("r1".into(), full / 2, String::new());
    refused.refused(refusal(Some(full / 3)));
    assert_eq!(due(refused, plain), Some((Trigger::ProviderError, Verdict::Try)));
    // A profile without background jobs compacts at its limit.
    let state = serde_json::from_value(json!({ "model": model("m", full * 3 / 2) })).unwrap();
    let at_its_line = due(Machine::new(GEMINI_CLI.clone(), state).unwrap(), plain);
    assert_eq!(at_its_line, Some((Trigger::Threshold, Verdict::Try)));
}

#[test]
fn what_may_be_left_out_of_the_newest_results_instead() {
    let mut log = agent(30);
    let before = log.view().after.total;
    let spare = |log: &Log, limit: u64, request: Request| {
        asked(&mut machine_of(model("m", limit)), log, request).due.unwrap().spare
    };
    let plain = Request::default();
    let results = log.counted_messages().1.last().copied().unwrap();
    assert_eq!(spare(&log, before - 10, plain), Some(results / 4));
    assert_eq!(spare(&log, before - 10, Request { must_fit: true, ..plain }), None);
    // With less room than the newest round needs, no summary could show it whole.
    assert_eq!(spare(&log, results, plain), Some(results));
    // Nothing of a request of the user goes instead.
    log.append(Message { id: "m900".into(), ..user("And then?") }, 1).unwrap();
    assert_eq!(spare(&log, before - 10, plain), Some(0));
}

#[test]
fn flags_of_a_request_end_with_the_request_that_needs_no_compaction() {
    let log = agent(3);
    let mut machine = machine_of(model("large", 100_000));
    machine.set_model(model("m", 100_000));
    machine.sent("r1".into(), 90_000, String::new());
    machine.refused(refusal(Some(80_000)));
    assert!(asked(&mut machine, &log, Request::default()).is_forced);
    assert!(!asked(&mut machine, &log, Request::default()).is_forced);
    let forced = asked(&mut machine, &log, Request { must_fit: true, ..Request::default() });
    assert_eq!(forced.due.map(|due| due.trigger), Some(Trigger::Overflow));
}

fn finish(status: &str) -> Finish {
    let edits = vec![];
    let made = Made { plan_id: Some("c1".into()), ..Made::default() };
    Finish {
        status: status.into(),
        edits,
        made,
        checkpoint: None,
        trigger: "overflow".into(),
        plan_id: "c1".into(),
        job: None,
        begun: 1,
        requests: 1,
        is_whole: true,
        ended: None,
    }
}

#[test]
fn a_compaction_that_ended_is_recorded_unless_it_was_cancelled() {
    let mut log = agent(4);
    let mut machine = machine_of(model("m", 100_000));
    let length = log.len();
    let (ended, view) = machine.finish(&mut log, &finish("cancelled"), None, Around::default(), 2).unwrap();
    assert!(ended.lines.is_empty() && view.is_none() && log.len() == length);
    let (ended, _) = machine.finish(&mut log, &finish("no_gain"), None, Around::default(), 2).unwrap();
    assert_eq!((ended.status.as_str(), ended.lines.len(), ended.ids.len()), ("no_gain", 1, 0));
    assert_eq!(ended.before, ended.after);
    let Entry::Plan { json } = &log.records().last().unwrap().entry else { panic!("no plan was recorded") };
    let total = ended.after.total;
    let expected = json!({ "id": "c1", "trigger": "overflow", "status": "no_gain", "before": total, "after": total,
        "begun": 1, "requests": 1 });
    assert_eq!(*json, expected.to_string());
    // Nothing happens after an applied summary until a message comes or an edit is recorded.
    let idle = |machine: &Machine, log: &Log| {
        let view = log.view();
        machine.look(log, view.after, view.origin, Around::default()).unwrap().is_compacted
    };
    assert!(!idle(&machine, &log));
    machine.finish(&mut log, &finish("applied"), None, Around::default(), 2).unwrap();
    assert!(idle(&machine, &log));
    log.edit(range("m2", "m3"), 3).unwrap();
    assert!(!idle(&machine, &log));
}

/// Returns the next event of a random conversation.
fn event(machine: &mut Machine, log: &mut Log, random: &mut fastrand::Rng, number: usize) -> String {
    let request = Request { requests: number as u64, must_fit: random.u8(..4) == 0, ..Request::default() };
    let around = Around { apart: random.i64(0..500), cut: random.i64(-50..50), draw: random.f64() };
    let view = log.view();
    match random.u8(..10) {
        0 => {
            let mut more = user("and this");
            more.id = format!("n{number}");
            format!("{:?}", log.append(more, 1).map(|added| added.id))
        }
        1 | 2 => format!("{:?}", machine.request(log, view.after, view.origin, around, request)),
        3 => {
            machine.sent(format!("r{number}"), view.after.total, random.u8(..2).to_string());
            String::new()
        }
        4 => format!("{:?}", machine.answered(random.u64(0..4 * view.after.total), "today")),
        5 => format!("{:?}", machine.refused(refusal(random.bool().then(|| random.u64(1..5_000))))),
        6 => format!("{:?}", machine.start_job(log, view.after, StartJob { has_rules: true, ..StartJob::default() })),
        7 => {
            let job = random.u32(..4);
            let outcome = if random.bool() { Ok(job) } else { Err("failed".into()) };
            format!("{:?} {:?}", machine.jobs().settle(job, outcome), machine.jobs().phase())
        }
        8 => {
            let status = ["model_failed", "no_gain", "not_ready", "applied", "stale_plan"][random.usize(..5)];
            let ended = serde_json::from_value(json!({ "requests": number, "made": status })).unwrap();
            let finish = Finish { ended: Some(ended), ..finish(status) };
            format!("{:?}", machine.finish(log, &finish, None, around, 1))
        }
        _ => {
            let settings = Settings { threshold: random.bool().then(|| random.f64()), ..Settings::default() };
            format!("{:?}", machine.set(settings))
        }
    }
}

#[test]
fn a_machine_made_again_from_its_state_goes_on_as_the_same() {
    for seed in 0..200 {
        let name = if seed % 3 == 0 { "" } else { "claude-sonnet-4-5" };
        let mut machines = [machine_of(model(name, 2_000)), machine_of(model(name, 2_000))];
        let mut logs = [agent(12), agent(12)];
        let mut randoms = [fastrand::Rng::with_seed(seed), fastrand::Rng::with_seed(seed)];
        for number in 0..40 {
            let [one, other] = [0, 1].map(|at| event(&mut machines[at], &mut logs[at], &mut randoms[at], number));
            assert_eq!(one, other, "seed {seed}, event {number}");
            let state = serde_json::to_value(machines[1].state()).unwrap();
            machines[1] = Machine::new(ESPALIER.clone(), serde_json::from_value(state).unwrap()).unwrap();
        }
    }
}

#[test]
fn a_job_is_used_waited_for_or_put_aside() {
    let log = agent(30);
    let full = log.view().after.total;
    let start = StartJob { has_rules: true, ..StartJob::default() };
    let mut machine = machine_of(model("m", full * 10));
    let (job, verdict) = machine.start_job(&log, log.view().after, start).unwrap().unwrap();
    assert_eq!((job, verdict), (1, Verdict::Offline));
    assert_eq!(machine.start_job(&log, log.view().after, start).unwrap(), None);
    assert_eq!(asked(&mut machine, &log, Request::default()).job, NextOfJob::GoOn);
    machine.set_model(model("m", full / 2));
    assert_eq!(asked(&mut machine, &log, Request::default()).job, NextOfJob::Wait(1));
    let late = Request { asks_job: false, ..Request::default() };
    assert!(asked(&mut machine, &log, late).due.is_some());
    machine.jobs().settle(1, Ok(1));
    let step = asked(&mut machine, &log, Request::default());
    assert_eq!((step.job, step.due), (NextOfJob::Apply(1), None));
    // The result of an earlier session waits under its number.
    machine.reopen(None, 7, true);
    assert_eq!(asked(&mut machine, &log, Request::default()).job, NextOfJob::Apply(7));
    machine.reopen(None, 9, false);
    assert_eq!(machine.jobs().start(|_| false), Some(10));
}

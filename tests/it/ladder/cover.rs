//! A range that the caller chose.

use espalier_testing::runs;
use std::rc::Rc;

use espalier::compact::{Compaction, Cover, Options, Status};
use espalier::effect::Step;
use espalier::error::Code;
use espalier::history::plan::PlanItem;
use espalier::map::HashSet;
use espalier::message::Message;
use espalier::tokens::{CostModel, Origin};

use super::compacted;
use crate::prune::carry_out;
use crate::support::valid::check as valid;
use crate::support::{Quarter, assistant, call, numbered, random, result, system, user};

/// m0 frame, m1 request, m2..m21 ten rounds of two messages, m22 request, m23 and m24 a round.
fn run() -> Vec<Message> {
    let mut messages = vec![system("You are an agent."), user("Fix the parser.")];
    for n in 0..11 {
        if n == 10 {
            messages.push(user("And the lexer?"));
        }
        let id = format!("c{n}");
        messages.push(call(&id, "bash", &format!(r#"{{"command":"make part{n}"}}"#)));
        messages.push(result(&id, &format!("line of part {n}\n").repeat(100)));
    }
    numbered(messages)
}

fn options(from: Option<&str>, to: Option<&str>) -> Options {
    let cover = Cover { from: from.map(str::to_string), to: to.map(str::to_string) };
    Options { budget: 1_000_000, cover: Some(cover), ..Options::default() }
}

/// Checks the first and last covered message, and the ids added to the range; messages outside of it are unchanged.
fn check(from: Option<&str>, to: Option<&str>, covered: (&str, &str), grown: &[&str]) {
    let messages = run();
    let done = compacted(&messages, options(from, to), Rc::new(Quarter));
    assert_eq!(done.status, Status::Applied, "{:?}", done.steps);
    assert_eq!((done.covered[0].as_str(), done.covered[done.covered.len() - 1].as_str()), covered);
    assert_eq!(done.grown, grown);
    let out = carry_out(&messages, &done.plan);
    assert_eq!(valid(&out), Ok(()));
    // The summary is at the position of the range: the messages before and after it are unchanged.
    let at = done.plan.iter().position(|item| matches!(item, PlanItem::Insert { .. })).expect("a summary");
    assert_eq!(out[..at], messages[..at]);
    let kept: Vec<&Message> = messages.iter().filter(|m| !done.covered.contains(&m.id)).collect();
    let rest: Vec<&Message> = out.iter().enumerate().filter(|(n, _)| *n != at).map(|(_, m)| m).collect();
    assert_eq!(rest, kept);
}

#[test]
fn a_range_grows_to_whole_rounds_and_nothing_else_changes() {
    check(Some("m4"), Some("m11"), ("m4", "m11"), &[]);
    check(Some("m5"), Some("m10"), ("m4", "m11"), &["m4", "m11"]);
    // Everything before or after a message; content that must stay does.
    check(None, Some("m10"), ("m1", "m11"), &["m11"]);
    check(Some("m15"), None, ("m14", "m21"), &["m14"]);
    check(None, None, ("m1", "m21"), &[]);
}

#[test]
fn what_is_kept_stays_inside_a_range() {
    let messages = run();
    let keep = Options { keep: HashSet::from_iter(["m7".to_string()]), ..options(Some("m4"), Some("m15")) };
    let done = compacted(&messages, keep, Rc::new(Quarter));
    let ids: Vec<&str> = done.covered.iter().map(String::as_str).collect();
    assert_eq!(ids, ["m4", "m5", "m8", "m9", "m10", "m11", "m12", "m13", "m14", "m15"]);
    let out = carry_out(&messages, &done.plan);
    // m0 to m3, the summary, the kept round.
    assert_eq!((out[5].id.as_str(), out[6].id.as_str()), ("m6", "m7"));
}

#[test]
fn a_range_that_makes_no_sense_is_refused_by_name() {
    let refused = |from, to, code, path: &str| {
        let options = options(from, to);
        let mut run = Compaction::new(run(), 0, CostModel::Espalier, Rc::new(Quarter), Origin::Exact, options);
        let error = run.poll().unwrap_err();
        assert_eq!((error.code, error.path.as_deref()), (code, Some(path)));
    };
    refused(Some("m99"), None, Code::UnknownId, "options.cover.from");
    refused(None, Some("nobody"), Code::UnknownId, "options.cover.to");
    refused(Some("m9"), Some("m4"), Code::BadOption, "options.cover.from");
    // Nothing in it may be covered.
    for (from, to) in [(Some("m22"), Some("m22")), (Some("m23"), None), (Some("m0"), Some("m0"))] {
        let done = compacted(&run(), options(from, to), Rc::new(Quarter));
        assert_eq!((done.status, done.edits.len()), (Status::NothingToCompact, 0));
    }
}

#[test]
fn any_range_of_any_conversation_is_valid_and_leaves_the_rest() {
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..runs(500) {
        let most = rng.usize(1..40);
        let mut messages = random::conversation(&mut rng, most);
        messages.push(assistant("Well."));
        let messages = numbered(messages);
        let [from, to] = [0; 2].map(|_| rng.bool().then(|| messages[rng.usize(0..messages.len())].id.clone()));
        let options = Options { cover: Some(Cover { from, to }), ..options(None, None) };
        let mut run =
            Compaction::new(messages.clone(), 0, CostModel::Espalier, Rc::new(Quarter), Origin::Exact, options);
        let done = match run.poll() {
            Ok(Step::Done { result }) => result,
            Ok(Step::Ask { .. }) => panic!("asked"),
            Err(error) => {
                assert_eq!(error.code, Code::BadOption);
                continue;
            }
        };
        let out = carry_out(&messages, &done.plan);
        assert_eq!(valid(&out), Ok(()));
    }
}

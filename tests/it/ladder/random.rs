//! Properties of every conversation, every profile and every budget.

use espalier_testing::runs;
use std::rc::Rc;

use espalier::compact::profile::{ALL, Profile};
use espalier::compact::{Compacted, Compaction, Options, Status};
use espalier::effect::Step;
use espalier::error::Code;
use espalier::history::edit::{Edit, Kind};
use espalier::history::plan::PlanItem;
use espalier::history::prune::{Limits, prune};
use espalier::map::{HashMap, HashSet};
use espalier::message::{Message, Part, Role};
use espalier::tokens::{CostModel, EncodingName, Origin, Tokenizer};

use crate::encodings::shared;
use crate::prune::{Cached, carry_out, fresh, sketch};
use crate::support::valid::check as valid;
use crate::support::{Quarter, TRANSCRIPTS, call, meter, numbered, random, result, transcript, user};

fn check(messages: &[Message], options: Options, tokenizer: &Rc<dyn Tokenizer>) -> Option<Compacted> {
    let (budget, keep) = (options.budget, options.keep.clone());
    let mut run = Compaction::new(messages.to_vec(), 0, CostModel::Espalier, tokenizer.clone(), Origin::Exact, options);
    let done = match run.poll() {
        Ok(Step::Done { result }) => result,
        Ok(Step::Ask { .. }) => panic!("asked"),
        Err(error) => {
            assert_eq!(error.code, Code::BudgetExceeded);
            let details = error.budget.expect("it says how much is missing");
            assert!(details.needed > budget && details.largest.len() <= 5, "{details:?}");
            assert_eq!(error.path.as_deref(), Some("options.budget"));
            return None;
        }
    };
    let out = carry_out(messages, &done.plan);
    assert_eq!(valid(&out), Ok(()));
    assert_eq!(fresh(&out, &**tokenizer), done.after.total);
    assert!(done.after.total <= budget);
    if let Some(aim) = done.aim {
        assert!(done.after.total <= aim.target.max(aim.floor), "{} {aim:?}", done.after.total);
        assert_eq!(aim.reached, done.after.total <= aim.target);
    }
    // Each step begins where the previous one ended, and the last one is the result.
    let mut at = None;
    for step in &done.steps {
        assert!(at.is_none_or(|at| at == step.tokens_before), "{:?}", done.steps);
        at = Some(step.tokens_after);
    }
    assert!(at.is_none_or(|at| at == done.after.total), "{:?} {:?}", done.steps, done.after);
    let removed: u64 = done.removed.iter().map(|removal| removal.tokens).sum();
    let inserted: u64 = done.messages.iter().filter(|row| row.before == 0).map(|row| row.after).sum();
    assert_eq!(done.before.total + inserted, done.after.total + removed, "{:?}", done.removed);
    // The frame, kept messages and unanswered calls stay byte for byte.
    let is_kept = |m: &Message| keep.contains(&m.id) && !m.parts.is_empty() && valid(messages).is_ok();
    let may_keep = |m: &&Message| m.role.is_frame() || is_kept(m);
    for message in messages.iter().filter(may_keep) {
        assert!(out.contains(message), "{message:?}");
    }
    must_stay(messages, &done, &out, &**tokenizer);
    // Nothing is reordered.
    let place: HashMap<&str, usize> = messages.iter().enumerate().map(|(at, m)| (m.id.as_str(), at)).collect();
    let places = done.plan.iter().filter_map(|item| match item {
        PlanItem::Keep { id, .. } | PlanItem::Edit { id, .. } => Some(place[id.as_str()]),
        PlanItem::Insert { .. } => None,
    });
    assert!(places.is_sorted_by(|a, b| a < b), "{:?}", done.plan);
    // Arguments are JSON with the same keys.
    for message in &out {
        let Some(was) = place.get(message.id.as_str()).map(|&at| &messages[at]) else { continue };
        for part in &message.parts {
            let Part::ToolCall { call_id, arguments, .. } = part else { continue };
            let keys = |text: &str| {
                let value: serde_json::Value = serde_json::from_str(text).unwrap();
                value.as_object().map(|fields| fields.keys().cloned().collect::<Vec<_>>())
            };
            // Calls whose id occurred twice have another one now.
            let mut before = was.parts.iter().filter_map(|part| match part {
                Part::ToolCall { call_id: id, arguments, .. } if id == call_id => Some(keys(arguments)),
                _ => None,
            });
            assert!(before.next().is_none_or(|was| was == keys(arguments) || before.any(|was| was == keys(arguments))));
        }
    }
    Some(done)
}

/// The newest request, the newest round and unanswered calls are unchanged, except for repairs. If they are shortened
/// because nothing else can be removed, an edit names that.
fn must_stay(messages: &[Message], done: &Compacted, out: &[Message], tokenizer: &dyn Tokenizer) {
    let whole = Limits { budget: u64::MAX, ..Limits::default() };
    let mended = carry_out(messages, &prune(messages, meter(tokenizer), Origin::Exact, &whole).unwrap().plan);
    let says = |part: &Part| match part {
        Part::Text { text } => !text.trim().is_empty(),
        part => matches!(part, Part::Image { .. } | Part::Document { .. } | Part::Opaque { .. }),
    };
    // The record of the first compaction is no request.
    let is_user = |m: &Message| m.role == Role::User && !m.text().starts_with("<conversation-summary");
    let request = mended.iter().rposition(|m| is_user(m) && m.parts.iter().any(says));
    // An empty message is not a request to keep, but the assistant's turn follows it.
    let behind = request.or_else(|| mended.iter().rposition(is_user)).map_or(0, |at| at + 1);
    let round = mended[behind..].iter().rposition(|m| m.role == Role::Assistant).map(|at| behind + at);
    let answered: HashSet<&str> = mended.iter().flat_map(results_of).collect();
    let is_open = |m: &Message| calls_of(m).any(|id| !answered.contains(id));
    // A round is its message and all answers to its calls.
    let of_round: HashSet<&str> = round.map_or(HashSet::default(), |at| calls_of(&mended[at]).collect());
    let edited = |id: &str, is_meant: &dyn Fn(&Edit) -> bool| {
        done.edits.iter().any(|edit| is_meant(edit) && edit.ids().any(|target| target == id))
    };
    let now: HashMap<&str, &Message> = out.iter().map(|message| (message.id.as_str(), message)).collect();
    for (at, message) in mended.iter().enumerate() {
        let is_answer = round.is_some_and(|round| at > round) && results_of(message).any(|id| of_round.contains(id));
        let is_open = is_open(message);
        if Some(at) != request && Some(at) != round && !is_answer && !is_open {
            continue;
        }
        let id = message.id.as_str();
        let Some(now) = now.get(id) else {
            panic!("{id} is gone: {}\nbecame {}\n{:?}", sketch(&mended), sketch(out), done.edits)
        };
        // Results of the newest round may be cut; the request, and the arguments of answered calls, only if nothing
        // else is left.
        let may_change = edited(id, &|edit| match edit.rule {
            "long-request" => Some(at) == request,
            "long-arguments" => message.role == Role::Assistant,
            _ => edit.kind == Kind::Truncate && results_of(message).next().is_some(),
        });
        assert!(*now == message || may_change, "{id} of {}\n{message:?}\n{now:?}\n{:?}", sketch(&mended), done.edits);
        let is_open =
            |part: &&Part| matches!(part, Part::ToolCall { call_id, .. } if !answered.contains(call_id.as_str()));
        assert!(message.parts.iter().filter(is_open).eq(now.parts.iter().filter(is_open)), "{message:?}\n{now:?}");
    }
}

fn calls_of(message: &Message) -> impl Iterator<Item = &str> {
    message.parts.iter().filter_map(|part| match part {
        Part::ToolCall { call_id, .. } => Some(call_id.as_str()),
        _ => None,
    })
}

fn results_of(message: &Message) -> impl Iterator<Item = &str> {
    message.parts.iter().filter_map(|part| match part {
        Part::ToolResult { call_id, .. } => Some(call_id.as_str()),
        _ => None,
    })
}

/// Adds reads and commands instead of empty calls, long results, pictures and thoughts.
fn decorated(rng: &mut fastrand::Rng, mut messages: Vec<Message>) -> Vec<Message> {
    let image = || Part::Image { media_type: Some("image/png".into()), data: None, url: None, detail: None };
    for message in &mut messages {
        for part in &mut message.parts {
            match part {
                Part::ToolCall { name, arguments, .. } => {
                    let path = ["a.rs", "b.rs"][rng.usize(0..2)];
                    let (tool, said) = match rng.u32(0..5) {
                        0 | 1 => ("read_file", format!(r#"{{"path":"{path}"}}"#)),
                        2 => (
                            "edit",
                            format!(
                                r#"{{"path":"{path}","oldText":"a","newText":"{}"}}"#,
                                "b".repeat(rng.usize(0..4_000))
                            ),
                        ),
                        3 => ("bash", format!(r#"{{"command":"make {path}"}}"#)),
                        _ => continue,
                    };
                    (*name, *arguments) = (tool.into(), said);
                }
                Part::ToolResult { content, is_error, .. } if rng.u32(0..3) > 0 => {
                    let line = ["some line\n", "error: no\n", "another one\n"][rng.usize(0..3)];
                    let exit = ["", "exit code: 1", "exit code: 0"][rng.usize(0..3)];
                    *content = vec![Part::Text { text: format!("{}{exit}", line.repeat(rng.usize(0..100))) }];
                    if rng.u32(0..8) == 0 {
                        content.push(image());
                    }
                    *is_error = rng.u32(0..6) == 0;
                }
                _ => {}
            }
        }
        match message.role {
            Role::User if rng.u32(0..6) == 0 => message.parts.push(image()),
            Role::Assistant if rng.u32(0..4) == 0 => {
                message.parts.insert(0, Part::Reasoning { text: "hm ".repeat(40), sealed: None })
            }
            _ => {}
        }
    }
    messages
}

/// Runs random conversations of up to `most` messages under all profiles, budgets and options; returns the kinds of
/// edits.
fn run_random(seed: u64, times: usize, most: std::ops::Range<usize>, tokenizer: &Rc<dyn Tokenizer>) -> HashSet<String> {
    let mut rng = fastrand::Rng::with_seed(seed);
    let mut kinds = HashSet::default();
    for _ in 0..times {
        let most = rng.usize(most.clone());
        let plain = random::conversation(&mut rng, most);
        let messages = decorated(&mut rng, plain);
        let whole = fresh(&messages, &**tokenizer);
        let mut profile = ALL[rng.usize(0..4)].clone();
        if rng.bool() {
            // Everything is removed, however little it frees.
            profile = Profile::read(
                r#"{"protect":{"results":0,"rounds":1,"tokens":{"share":0}},"media":{"reasoning":"outsideTail"},
                    "gain":{"stale":{"share":0},"media":{"share":0},"clear":{"share":0,"maxTokens":0}}}"#,
                "profile",
            )
            .unwrap();
        }
        let mut options = Options { budget: rng.u64(0..=whole + 20), profile, force: rng.bool(), ..Options::default() };
        if !messages.is_empty() && rng.bool() {
            options.keep.insert(messages[rng.usize(0..messages.len())].id.clone());
        }
        if let Some(done) = check(&messages, options, tokenizer) {
            kinds.extend(done.edits.iter().map(|edit| format!("{:?}", edit.kind)));
        }
    }
    kinds
}

#[test]
fn invariants_on_random_conversations() {
    let tokenizer: Rc<dyn Tokenizer> = Rc::new(Quarter);
    let kinds = run_random(11, runs(2_000), 0..60, &tokenizer);
    assert!(kinds.len() >= 6, "{kinds:?}");
}

#[test]
fn invariants_on_long_conversations() {
    let tokenizer: Rc<dyn Tokenizer> = Rc::new(Quarter);
    let kinds = run_random(17, runs(20), 4_990..5_001, &tokenizer);
    assert!(kinds.len() >= 5, "{kinds:?}");
}

#[test]
fn invariants_by_the_real_tokenizer() {
    let tokenizer: Rc<dyn Tokenizer> = shared(EncodingName::O200kBase);
    let kinds = run_random(13, runs(300), 0..60, &tokenizer);
    assert!(kinds.len() >= 5, "{kinds:?}");
}

#[test]
fn transcripts_at_shares_and_budgets() {
    for name in TRANSCRIPTS {
        let messages = transcript(name);
        let cached: Rc<dyn Tokenizer> = Rc::new(Cached::default());
        let whole = fresh(&messages, &*cached);
        let newest = messages.iter().rev().find(|m| m.role == Role::User).unwrap();
        let half = (whole / 2).max(8_000);
        let shares = [half, (whole / 4).max(8_000)];
        for budget in shares.into_iter().chain([8_000, 16_000, 32_000, 64_000, 128_000]).filter(|b| *b < whole) {
            let options = Options { budget, ..Options::default() };
            let Some(done) = check(&messages, options, &cached) else { continue };
            assert_eq!(done.status, Status::Applied, "{name} {budget}");
            let out = carry_out(&messages, &done.plan);
            let is_shortened = done.edits.iter().any(|edit| edit.rule == "long-request");
            assert!(is_shortened && budget < half || out.contains(newest), "{name} {budget}: the newest request");
        }
    }
}

/// Returns an agent's run on one request.
fn run(rounds: usize) -> Vec<Message> {
    let mut messages = vec![user("Never touch the lexer. Fix the parser.")];
    for n in 0..rounds {
        let id = format!("c{n}");
        messages.push(call(&id, "bash", &format!(r#"{{"command":"make part{n}"}}"#)));
        messages.push(result(&id, &format!("line of part {n}\n").repeat(60)));
    }
    numbered(messages)
}

#[test]
fn compacting_twice_is_nothing_to_compact() {
    let tokenizer: Rc<dyn Tokenizer> = Rc::new(Quarter);
    for rounds in [20, 60, 200] {
        let messages = run(rounds);
        let options = || Options { budget: 1_000_000, force: true, ..Options::default() };
        let first = check(&messages, options(), &tokenizer).unwrap();
        assert_eq!(first.status, Status::Applied);
        assert!(first.summary.is_some());
        let again = carry_out(&messages, &first.plan);
        let second = check(&again, options(), &tokenizer).unwrap();
        assert_eq!((second.status, second.edits.len()), (Status::NothingToCompact, 0));
        // A few more messages are new content.
        let mut more = again.clone();
        more.extend(run(40).into_iter().skip(1));
        let more = numbered(more);
        assert_eq!(check(&more, options(), &tokenizer).unwrap().status, Status::Applied);
    }
}

#[test]
fn ten_compactions_in_a_row_keep_what_was_planted() {
    let tokenizer: Rc<dyn Tokenizer> = Rc::new(Quarter);
    let mut messages = vec![
        user("Never touch the lexer."),
        call("p", "edit", r#"{"path":"src/planted.rs","oldText":"a","newText":"b"}"#),
        result("p", "ok"),
        call("q", "TodoWrite", r#"{"todos":[{"content":"water the tree"}]}"#),
        result("q", "ok"),
    ];
    for round in 0..10 {
        messages.extend(run(60).into_iter().skip(1));
        messages.push(user(&format!("Carry on with part {round}.")));
        messages = numbered(messages);
        let options = Options { budget: 5_000, force: true, ..Options::default() };
        let done = check(&messages, options, &tokenizer).unwrap();
        assert_eq!(done.status, Status::Applied, "round {round}");
        messages = carry_out(&messages, &done.plan);
        let text = serde_json::to_string(&messages).unwrap();
        for fact in ["Never touch the lexer.", "src/planted.rs", "water the tree"] {
            assert!(text.contains(fact), "round {round}: {fact}");
        }
    }
}

//! Measurements of a compaction, and the minimum values for compactions without a model.

use std::rc::Rc;

use espalier::cache::stable_prefix;
use espalier::compact::budget::Budget;
use espalier::compact::form::EIGHT;
use espalier::compact::ledger::Rules;
use espalier::compact::ledger::render::Block;
use espalier::compact::quality::{Quality, quality};
use espalier::compact::{Compacted, Compaction, Options};
use espalier::effect::{Answer, Effect};
use espalier::history::draft::Draft;
use espalier::history::pairs::repair;
use espalier::message::Message;
use espalier::tokens::{CostModel, EncodingName, Origin, Tokenizer};

use crate::encodings::shared;
use crate::prune::carry_out;
use crate::support::{Quarter, TRANSCRIPTS, call, driven, numbered, result, transcript, user};

fn compacted(messages: &[Message], options: Options, tokenizer: Rc<dyn Tokenizer>, reply: &str) -> Compacted {
    let run = Compaction::new(messages.to_vec(), 0, CostModel::Espalier, tokenizer, Origin::Exact, options);
    let (_, done) = driven(run, |effect| {
        let Effect::CallModel(_) = effect else { panic!("asked for more than a model") };
        Answer::Model { text: reply.into(), finish_reason: None }
    });
    done.unwrap()
}

fn measured(history: &[Message], view: &[Message]) -> Quality {
    quality(history, view, &Rules::default(), None, &Quarter)
}

#[test]
fn a_history_keeps_all_of_itself_and_nothing_keeps_nothing() {
    for name in TRANSCRIPTS {
        let messages = transcript(name);
        let whole = measured(&messages, &messages);
        for kind in whole.retention.iter().filter(|r| r.kind != "decisions") {
            assert_eq!((kind.own_line, kind.recall, kind.weighted), (kind.all, 0, 1.0), "{name} {}", kind.kind);
        }
        assert_eq!((whole.users.verbatim, whole.users.tokens_verbatim), (whole.users.messages, whole.users.tokens));
        let nothing = measured(&messages, &[]);
        assert!(nothing.retention.iter().all(|r| r.own_line == 0 && r.recall == r.all), "{name}");
    }
}

#[test]
fn a_mention_counts_but_a_namesake_does_not() {
    let history = numbered(vec![
        call("1", "edit", r#"{"path":"/w/src/ui/a.rs","oldText":"a","newText":"b"}"#),
        result("1", "ok"),
        call("2", "bash", r#"{"command":"cargo test --all"}"#),
        result("2", "exit code: 0"),
    ]);
    let literal = |text: &str| {
        let report = measured(&history, &numbered(vec![user(text)]));
        ["modifiedFiles", "commands"].map(|kind| report.of(kind).unwrap().literal)
    };
    assert_eq!(literal("edited src/ui/a.rs, ran cargo test --all"), [1, 1]);
    assert_eq!(literal("edited a.rs, ran cargo test"), [0, 0]);
}

#[test]
fn inventions_are_listed() {
    let mut messages = vec![user("Look at src/main.rs, it has 4711 lines.")];
    for n in 0..40 {
        let id = n.to_string();
        messages.push(call(&id, "bash", r#"{"command":"make\nsrc/tool.rs"}"#));
        messages.push(result(&id, &"some line of output\n".repeat(40)));
    }
    messages.push(user("Go on."));
    let messages = numbered(messages);
    let reply = "<summary>src/main.rs has 4711 lines, lib/ghost.rs has 9042. See https://example.invalid/x and tool.rs:12.</summary>";
    let options = Options { budget: 3_000, target_share: Some(0.4), has_model: true, ..Options::default() };
    let done = compacted(&messages, options, Rc::new(Quarter), reply);
    let quality = done.quality.unwrap();
    assert_eq!(quality.inventions, ["lib/ghost.rs", "9042", "https://example.invalid/x"]);
    assert!(quality.misses.contains(&"inventions"));
}

/// Returns the percentage of the entries of a kind with a line of their own.
fn share(quality: &Quality, kind: &str) -> f64 {
    quality.of(kind).unwrap().share() * 100.0
}

#[test]
fn facts_survive_without_a_model() {
    for name in TRANSCRIPTS {
        let messages = transcript(name);
        for budget in [32_000, 40_000, 48_000, 64_000, 96_000, 128_000] {
            let options = Options { budget, ..Options::default() };
            let done = compacted(&messages, options, shared(EncodingName::O200kBase), "");
            let Some(quality) = &done.quality else { continue };
            if let Some(aim) = done.aim {
                assert!(done.after.total <= aim.target.max(aim.floor), "{name} {budget}: {} {aim:?}", done.after.total);
            }
            let view = carry_out(&messages, &done.plan);
            assert_eq!(quality.retention, measured(&messages, &view).retention, "the report is of another view");
            // Solved errors are dropped before actions and outcomes.
            for (kind, least) in [("modifiedFiles", 95.0), ("requests", 95.0), ("errors", 60.0), ("commands", 65.0)] {
                let share = share(quality, kind);
                println!("{name} {budget} {kind} {share:.1} after {}", done.after.total);
                assert!(share >= least, "{name} at {budget}: {share} % of {kind}");
            }
            let size = quality.size.as_ref().unwrap();
            assert_eq!((size.before, size.after), (done.before.total, done.after.total));
        }
    }
}

#[test]
fn what_small_budgets_leave_out_is_reported() {
    let messages = transcript("pi-refactor-long");
    let options = Options { budget: 12_000, ..Options::default() };
    let done = compacted(&messages, options, shared(EncodingName::O200kBase), "");
    assert!(done.ledger.iter().map(|shown| shown.left_out).sum::<usize>() > 100);
    assert!(done.quality.unwrap().of("commands").unwrap().recall > 50);
}

/// A failure is not open if a message that stays in the view solved it; without that message it is.
#[test]
fn what_the_tail_solves_is_solved_in_the_record() {
    let record = |last: &str| {
        let mut messages = vec![user("Make it pass.")];
        let mut run = |id: &str, command: &str, output: &str| {
            messages.push(call(id, "bash", &format!(r#"{{"command":"{command}"}}"#)));
            messages.push(result(id, output));
        };
        run("t", "cargo build", "error[E0308]: mismatched types in planted.rs\nexit code: 101");
        for step in 0..40 {
            run(&format!("{step}"), &format!("cat part{step}.txt"), &format!("line {step} says little\n").repeat(60));
        }
        run("z", "cargo build", last);
        let done =
            compacted(&numbered(messages), Options { budget: 4_000, ..Options::default() }, Rc::new(Quarter), "");
        let text = serde_json::to_string(&done.plan).unwrap();
        text.split("mismatched types in planted.rs").nth(1).map(|rest| rest[..9].to_string())
    };
    assert_eq!(record("exit code: 0").as_deref(), Some(" [solved]"));
    assert!(record("error: no space on the disk\nexit code: 101").is_some_and(|rest| !rest.starts_with(" [solved")));
}

#[test]
fn facts_of_the_first_compaction_survive_ten() {
    let mut messages = vec![
        user("Never touch the lexer."),
        call("p", "edit", r#"{"path":"src/planted.rs","oldText":"a","newText":"b"}"#),
        result("p", "ok"),
        call("q", "TodoWrite", r#"{"todos":[{"content":"water the tree"}]}"#),
        result("q", "ok"),
    ];
    let mut sizes = Vec::new();
    for round in 0..10 {
        for step in 0..30 {
            let id = format!("{round}-{step}");
            messages.push(call(&id, "bash", &format!(r#"{{"command":"make target{round}x{step}"}}"#)));
            messages.push(result(&id, &"some line of output that says little\n".repeat(60)));
        }
        messages.push(user(&format!("Carry on with part {round}.")));
        messages = numbered(messages);
        let done = compacted(&messages, Options { budget: 8_000, ..Options::default() }, Rc::new(Quarter), "");
        let quality = done.quality.as_ref().expect("a summary");
        assert_eq!(quality.misses, Vec::<&str>::new(), "round {round}");
        messages = carry_out(&messages, &done.plan);
        let text = serde_json::to_string(&messages).unwrap();
        for fact in ["Never touch the lexer.", "src/planted.rs", "water the tree", "Carry on with part 0."] {
            assert!(text.contains(fact), "round {round}: {fact}");
        }
        // Only the results of the first rounds are removed.
        assert!(text.matches("<conversation-summary").count() <= 1);
        sizes.push(quality.size.as_ref().unwrap().summary);
    }
    assert!(sizes[9] > 0, "{sizes:?}");
    // It does not grow without limit.
    assert!(sizes.iter().all(|size| *size <= 8_000 * 6 / 10), "{sizes:?}");
}

/// The report on the cache equals a comparison of the two requests.
#[test]
fn the_price_of_the_broken_cache_is_reckoned_from_the_first_changed_message() {
    for name in TRANSCRIPTS {
        let messages = transcript(name);
        let whole = crate::prune::fresh(&messages, &Quarter);
        for budget in [whole / 2, whole / 4].into_iter().filter(|budget| *budget > 2_000) {
            let done = compacted(&messages, Options { budget, ..Options::default() }, Rc::new(Quarter), "");
            let cache = done.quality.and_then(|quality| quality.cache).unwrap();
            let view = carry_out(&messages, &done.plan);
            let shared = stable_prefix((&[], &messages), (&[], &view), CostModel::Espalier, &Quarter);
            // Equal parts of the first changed message count there, and the cost of a list counts here.
            let equal: u64 = view[..shared.messages].iter().map(|m| crate::support::meter(&Quarter).message(m)).sum();
            assert_eq!(cache.shared, equal + CostModel::Espalier.list_overhead(), "{name} {budget}");
            assert_eq!(cache.shared + cache.rewritten, done.after.total);
            // The request before had a synthetic result for every lost one.
            let mut sent = Draft::new(&messages, crate::support::meter(&Quarter), Origin::Exact);
            repair(&mut sent);
            assert_eq!(cache.saved, sent.total() - done.after.total);
            let (once, each) = (cache.rewritten as f64 * 1.15, cache.saved as f64 * 0.1);
            assert!((cache.once - once).abs() < 1e-6 * once && (cache.per_request - each).abs() < 1e-6 * each);
            let even = cache.break_even.unwrap();
            assert!(even as f64 * each >= once * (1.0 - 1e-9) && (even == 1 || (even - 1) as f64 * each < once));
        }
    }
    let messages = transcript(TRANSCRIPTS[0]);
    let done = compacted(&messages, Options { budget: 1_000_000, ..Options::default() }, Rc::new(Quarter), "");
    assert!(done.quality.is_none(), "nothing was changed, so that nothing has a price");
}

/// At half and at a quarter of its size, with a model that says almost nothing and without one: facts without a line of
/// their own are counted in their block, with the ids of their neighbours.
#[test]
fn after_a_poor_summary_or_none_the_target_is_reached_and_facts_have_lines_or_can_be_recalled() {
    let sections: Vec<String> = EIGHT.sections.iter().map(|s| format!("## {}\nWork.", s.name)).collect();
    let poor = format!("<summary>\n{}\n</summary>", sections.join("\n"));
    for name in TRANSCRIPTS {
        let messages = transcript(name);
        let whole = crate::prune::fresh(&messages, &Quarter);
        for budget in [whole / 2, whole / 4].map(|budget| budget.max(8_000)).into_iter().filter(|b| *b < whole) {
            for has_model in [false, true] {
                let options = Options { budget, has_model, ..Options::default() };
                let done = compacted(&messages, options, Rc::new(Quarter), &poor);
                let quality = done.quality.unwrap();
                // It reaches its target, or reports what prevents it.
                let context = format!("{name} {budget} {has_model}");
                assert_eq!(done.aim.is_some(), done.summary.is_some(), "{context}");
                if let Some(aim) = done.aim {
                    let of = Budget::new(budget, done.before.frame);
                    assert_eq!((aim.target, aim.reached), (of.target, done.after.total <= of.target), "{context}");
                    assert!(done.after.total <= aim.target.max(aim.floor), "{context}: {} {aim:?}", done.after.total);
                    assert!(aim.must_keep <= aim.floor && done.after.frame <= aim.must_keep, "{context}: {aim:?}");
                }
                let kinds = [
                    ("modifiedFiles", Block::Changed, 95),
                    ("requests", Block::Users, 95),
                    ("errors", Block::Errors, 80),
                    ("commands", Block::Commands, 80),
                ];
                for (kind, block, least) in kinds {
                    let found = quality.of(kind).unwrap();
                    let counted = done.ledger.iter().find(|shown| shown.block == block).map_or(0, |s| s.left_out);
                    let there = found.own_line + counted;
                    assert!(there * 100 >= found.all * least, "{name} {budget} {has_model}: {there} of {found:?}");
                }
            }
        }
    }
}

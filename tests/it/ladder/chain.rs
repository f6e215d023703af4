//! Compactions of compactions: facts planted at the first step are there after the tenth, whatever happens in between.

use espalier_testing::runs;
use std::rc::Rc;

use espalier::compact::budget::Budget;
use espalier::compact::form::EIGHT;
use espalier::compact::ledger::{Ledger, Rules};
use espalier::compact::quality::quality;
use espalier::compact::summary::followed;
use espalier::compact::{Compacted, Compaction, Options, Status};
use espalier::effect::{Answer, Effect};
use espalier::history::log::Log;
use espalier::message::Message;
use espalier::tokens::{CostModel, Origin, Tokenizer};

use crate::prune::carry_out;
use crate::support::{Quarter, assistant, call, driven, numbered, result, system, user};

const STEPS: usize = 10;

fn planted() -> Vec<Message> {
    vec![
        system("You are an agent."),
        user("Never touch the lexer. Fix the parser."),
        call("p", "edit", r#"{"path":"src/planted.rs","oldText":"a","newText":"b"}"#),
        result("p", "ok"),
        call("q", "TodoWrite", r#"{"todos":[{"content":"water the tree"}]}"#),
        result("q", "ok"),
    ]
}

/// Returns the messages between two compactions: requests with their own rules, edits, reads, commands that fail and
/// succeed.
fn busy(rng: &mut fastrand::Rng, step: usize, budget: u64) -> Vec<Message> {
    let mut messages = Vec::new();
    let word = |rng: &mut fastrand::Rng| format!("w{}", rng.u32(0..100_000));
    // About one window, or two of the small ones.
    let rounds = (budget as usize / 400).max(24);
    for n in 0..rng.usize(rounds / 2..=rounds) {
        let id = format!("{step}-{n}");
        match rng.u32(0..7) {
            0 => messages.push(user(&format!("Part {} must stay as {} was.\nGo on.", word(rng), word(rng)))),
            1 => {
                messages.push(call(
                    &id,
                    "edit",
                    &format!(r#"{{"path":"src/{}.rs","oldText":"a","newText":"b"}}"#, word(rng)),
                ));
                messages.push(result(&id, "ok"));
            }
            2 => {
                messages.push(call(&id, "read_file", &format!(r#"{{"path":"src/{}.rs"}}"#, word(rng))));
                messages.push(result(&id, &format!("fn {}() {{}}\n", word(rng)).repeat(rng.usize(1..200))));
            }
            3 => messages.push(assistant(&format!("We decided to use {} instead of {}.", word(rng), word(rng)))),
            _ => {
                messages.push(call(&id, "bash", &format!(r#"{{"command":"make {}"}}"#, word(rng))));
                let text = match rng.u32(0..3) {
                    0 => format!("error: {} is no {}\nexit code: 1", word(rng), word(rng)),
                    _ => format!("line of {}\n", word(rng)).repeat(rng.usize(1..120)),
                };
                messages.push(result(&id, &text));
            }
        }
    }
    messages.push(user(&format!("Carry on with step {step}.")));
    messages
}

fn options(budget: u64, has_model: bool) -> Options {
    Options { budget, force: true, has_model, offline_on_failure: true, ..Options::default() }
}

fn of_messages(messages: Vec<Message>, options: Options) -> Compaction {
    Compaction::new(messages, 0, CostModel::Espalier, Rc::new(Quarter), Origin::Exact, options)
}

/// Runs with a model that mentions everything, in `lines` lines, and remembers nothing.
fn compacted(run: Compaction, lines: usize) -> Compacted {
    let words = "The work goes on.\n".repeat(lines);
    let sections: Vec<String> = EIGHT.sections.iter().map(|s| format!("## {}\n{words}", s.name)).collect();
    let (_, done) = driven(run, |effect| {
        let Effect::CallModel(_) = effect else { panic!("asked for more than a model") };
        let text = format!("<summary>\n{}\n</summary>", sections.join("\n"));
        Answer::Model { text, finish_reason: None }
    });
    done.expect("must-keep is small")
}

/// Returns the tokens of a record's lists, without the user's messages and facts: those use the remaining room.
fn lists(record: &str) -> u64 {
    let lists = record.split_once("\n</summary>\n").map_or("", |(_, lists)| lists);
    let (before, facts) = lists.split_once("<facts>\n").unwrap_or((lists, ""));
    let lists = format!("{before}{}", facts.split_once("</facts>\n").map_or("", |(_, behind)| behind));
    let (users, rest) = lists.split_once("</user-messages>\n").unwrap_or(("", &lists));
    Quarter.count(users.split_once("<user-messages>").map_or("", |(before, _)| before)) + Quarter.count(rest)
}

fn check(view: &[Message], context: &str) {
    let text = serde_json::to_string(view).unwrap();
    for fact in ["Never touch the lexer.", "src/planted.rs", "water the tree"] {
        assert!(text.contains(fact), "{context}: {fact} is lost");
    }
}

#[test]
fn what_was_planted_at_the_first_step_is_there_after_ten_compactions() {
    let cases = [4_000, 8_000, 32_000].into_iter().flat_map(|budget| [0, 1, 60].map(|lines| (budget, lines)));
    for (budget, lines) in cases {
        let has_model = lines > 0;
        for seed in 0..runs(20) as u64 {
            let mut rng = fastrand::Rng::with_seed(seed);
            let (mut messages, mut made) = (planted(), 0);
            for step in 0..STEPS {
                let context = format!("{budget}, lines of the model: {lines}, seed {seed}, step {step}");
                messages.extend(busy(&mut rng, step, budget));
                messages = numbered(messages);
                let done = compacted(of_messages(messages.clone(), options(budget, has_model)), lines);
                // The new messages may be too few for a record.
                let is_made = done.status == Status::Applied && done.summary.is_some();
                assert!(is_made || done.status != Status::ModelFailed, "{context}: {:?}", done.steps);
                made += usize::from(is_made);
                assert!(done.after.total <= budget, "{context}");
                let text = done.summary.as_deref().map_or(0, |text| Quarter.count(text));
                let of = Budget::new(budget.min(done.before.total), done.before.frame);
                assert!(text <= of.summary, "{context}: {text}");
                messages = carry_out(&messages, &done.plan);
                // It does not grow without limit: the lists have their share, or the reported minimum that they need.
                if let Some(aim) = done.aim {
                    assert!(aim.reached == (done.after.total <= aim.target), "{context}: {aim:?}");
                    assert!(done.after.total <= aim.target.max(aim.floor), "{context}: {} {aim:?}", done.after.total);
                    let record = messages.iter().find(|m| followed(m).is_some()).map(Message::text).unwrap();
                    let most = aim.target.max(aim.floor) - aim.must_keep;
                    assert!(lists(&record) <= most, "{context}: {} of {most}, {aim:?}", lists(&record));
                }
                messages = carry_out(&messages, &done.plan);
                check(&messages, &context);
            }
            assert!(made >= STEPS / 2, "{budget}, lines of the model: {lines}, seed {seed}: {made} records");
        }
    }
}

/// The same chain over a log, which has the messages that the record replaced.
#[test]
fn over_a_log_the_planted_stays_as_well_and_undoing_all_gives_the_history_back() {
    for budget in [4_000, 8_000, 32_000] {
        for has_model in [false, true] {
            let mut rng = fastrand::Rng::with_seed(budget);
            let mut log = Log::new(crate::log::counting(Quarter));
            let (mut views, mut made) = (Vec::new(), 0);
            let mut history = Vec::new();
            for step in 0..STEPS {
                let context = format!("{budget}, model: {has_model}, step {step}");
                let known = history.len();
                if step == 0 {
                    history.extend(planted());
                }
                history.extend(busy(&mut rng, step, budget));
                history = numbered(history);
                log.append_all(history[known..].to_vec(), 0).unwrap();
                let before = log.messages();
                let (messages, counts) = log.counted_messages();
                assert!(messages.iter().map(|message| &**message).eq(&before));
                let counted: Vec<u64> = messages.iter().map(|m| crate::support::meter(&Quarter).message(m)).collect();
                assert_eq!(counts, counted, "held counts are those of the messages");
                let done = compacted(Compaction::of_log(&log, options(budget, has_model)), 1);
                // Facts come from the history, not from records of records: the message numbers are the log's.
                if let Some(record) = done.edits.iter().find_map(|edit| edit.message.as_ref()) {
                    let record = record.text();
                    assert!(!record.contains('~'), "{context}: {record}");
                    let all = Ledger::fold(&history, &Rules::default());
                    let covered = |id: &String| done.covered.contains(id) || before.iter().all(|m| m.id != *id);
                    let wanted = all.constraints.iter().filter(|c| budget == 32_000 && covered(&c.id));
                    for constraint in wanted {
                        let line = format!("- {}: {}", constraint.id, constraint.sentence);
                        assert!(record.contains(&line), "{context}: {line}");
                    }
                    made += 1;
                }
                let lasting: Vec<_> = done
                    .edits
                    .into_iter()
                    .filter(|edit| edit.kind != espalier::history::edit::Kind::Drop && !edit.rule.starts_with("long-"))
                    .collect();
                let ids: Vec<String> = log.adopt(&lasting, 0).unwrap().into_iter().map(|added| added.id).collect();
                views.push((before, ids));
                check(&log.messages(), &context);
                // The history is the measure; the records are read as records.
                let report = quality(&history, &log.messages(), &Default::default(), None, &Quarter);
                assert!(report.of("modifiedFiles").unwrap().own_line > 0, "{context}");
            }
            assert!(made >= STEPS / 2, "{budget}, model: {has_model}: {made} records");
            // Undone one by one, newest first, every view is as before: later messages come after it.
            for (before, ids) in views.iter().rev() {
                for id in ids.iter().rev() {
                    log.undo(Some(id), 0).unwrap();
                }
                assert_eq!(log.messages()[..before.len()], before[..], "{budget}, model: {has_model}");
            }
            assert_eq!(log.messages(), history);
        }
    }
}

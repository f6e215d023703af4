//! The cached knowledge of plans changes nothing: a plan of a log with many earlier plans equals that of a log just
//! read.

use espalier_testing::runs;
use std::rc::Rc;

use espalier::compact::ledger::Rules;
use espalier::compact::profile::Profile;
use espalier::compact::{Compaction, Options};
use espalier::effect::{Answer, Effect};
use espalier::history::log::Log;
use espalier::message::{Message, Part};
use fastrand::Rng;

use super::random::play_with;
use super::{counting, log, range};
use crate::support::{Quarter, assistant, driven, numbered, transcript, user};

/// Returns an agent's run, partly repeated, with old content that is repeated, outdated and long.
fn messages(rng: &mut Rng, name: &str) -> Vec<Message> {
    let recorded = transcript(name);
    let from = rng.usize(0..recorded.len() / 2);
    let some = &recorded[from..recorded.len().min(from + 40)];
    let mut all: Vec<Message> = some.iter().chain(&some[..some.len() / 2]).cloned().collect();
    // Ids of calls are unique.
    let half = some.len();
    for (at, message) in all.iter_mut().enumerate() {
        for part in &mut message.parts {
            if let Part::ToolCall { call_id, .. } | Part::ToolResult { call_id, .. } = part {
                *call_id = format!("{}-{call_id}", at / half);
            }
        }
    }
    numbered(all)
}

fn options(log: &Log, rng: &mut Rng) -> Options {
    let profile = r#"{"protect":{"results":1,"rounds":1,"tokens":{"share":0.1}},"gain":{"stale":{"share":0},"clear":{"share":0}}}"#;
    let profile = if rng.bool() { Profile::read(profile, "profile").unwrap() } else { Profile::default() };
    let root = (rng.u32(0..4) == 0).then(|| "/testbed".to_string());
    let rules = Rules { root, ..Rules::default() };
    let budget = log.totals().total * rng.u64(4..12) / 10;
    let mut options = Options { budget, force: true, profile, rules, has_model: rng.bool(), ..Options::default() };
    options.offline_on_failure = true;
    options.asking.pre_hook = true;
    options
}

/// Returns all effects and the result of a compaction. The model says nothing.
fn all_of(log: &Log, options: Options, skip: bool) -> String {
    ended(Compaction::of_log(log, options), skip)
}

fn ended(compaction: Compaction, skip: bool) -> String {
    let (asked, done) = driven(compaction, |effect| match effect {
        Effect::RunHook(_) => Answer::Hook { instructions: None, keep: vec![], blocks: vec![], skip },
        _ => Answer::Model { text: "<summary>nothing</summary>".into(), finish_reason: None },
    });
    format!("{}\n{:?}", serde_json::to_string(&asked).unwrap(), done.map(|done| serde_json::to_string(&done).unwrap()))
}

#[test]
fn plans_are_the_same_whatever_was_planned_before() {
    let (mut plans, mut cleared) = (0, 0);
    let seeds = runs(60);
    for (seed, name) in
        (0..seeds as u64).zip(["pi-refactor-long", "openhands-ponyc-4593", "sweagent-marshmallow-1867"].iter().cycle())
    {
        let mut rng = Rng::with_seed(seed);
        let waiting = messages(&mut rng, name);
        play_with(rng, waiting, 90, |log, rng| {
            let options = options(log, rng);
            let skip = rng.u32(0..3) > 0;
            let held = all_of(log, options.clone(), skip);
            if rng.u32(0..4) == 0 {
                let read = Log::import(&log.export(0), counting(Quarter), false).unwrap().log;
                assert_eq!(held, all_of(&read, options, skip), "seed {seed}");
                plans += 1;
                cleared += usize::from(held.contains("clear_result") || held.contains("supersede"));
            }
        });
    }
    assert!(
        plans > 8 * seeds && cleared * 2 >= seeds,
        "{plans} plans, {cleared} cleared something: too few to say anything"
    );
}

#[test]
fn compactions_of_held_messages_are_those_of_messages_that_are_read_anew() {
    use espalier::compact::Counted;
    use espalier::compact::held::Held;
    use espalier::tokens::{CostModel, Origin};
    for (seed, name) in (0..).zip(["pi-refactor-long", "openhands-ponyc-4593", "tau-airline-0"]) {
        let mut rng = Rng::with_seed(seed);
        let messages: Vec<Message> = transcript(name).into_iter().take(120).collect();
        let log = super::log_of(messages.clone(), 1, counting(Quarter)).unwrap();
        let shared: Vec<Rc<Message>> = messages.iter().cloned().map(Rc::new).collect();
        let counts: Vec<u64> = messages.iter().map(|message| super::meter(&Quarter).message(message)).collect();
        let (origin, tools, cost_model) = (Origin::Exact, 0, CostModel::Espalier);
        let held = Rc::<Held>::default();
        let mut gists = None;
        for at in 0..12 {
            let (options, skip) = (options(&log, &mut rng), rng.bool());
            // A conversation that has grown since.
            let end = messages.len() - usize::from(at < 6) * 2;
            let counted = Counted { origin, tools, cost_model, tokenizer: Rc::new(Quarter) };
            let (some, counts) = (shared[..end].to_vec(), counts[..end].to_vec());
            let again = Compaction::of_held(some, counts, counted, Rc::clone(&held), options.clone());
            gists = Some(again.gists()).filter(|_| rng.u32(0..4) > 0);
            let new = Compaction::new(messages[..end].to_vec(), tools, cost_model, Rc::new(Quarter), origin, options);
            assert_eq!(ended(again, skip), ended(new, skip), "{name}, {at}");
        }
        drop(gists);
    }
}

#[test]
fn what_is_held_stays_through_summaries() {
    use espalier::compact::held::Held;
    let mut log = log(vec![user("a"), assistant("b"), user("c"), assistant("d"), user("e")]);
    let held = log.beside::<Held>();
    // Messages hidden by a summary are read once, not once for every later summary.
    for to in ["m1", "m3"] {
        log.edit(range("m0", to), 1).unwrap();
        assert!(Rc::ptr_eq(&held, &log.beside::<Held>()), "{to}");
    }
    log.undo(None, 2).unwrap();
    assert!(Rc::ptr_eq(&held, &log.beside::<Held>()));
}

#[test]
fn what_a_record_stands_for_is_read_in_its_order_whichever_the_record_is() {
    use espalier::compact::held::Held;
    use espalier::history::record::Records;
    let held = Held::default();
    let rules = |id: &str| Rules { records: Records::Only([id.to_string()].into()), ..Rules::default() };
    let [early, late] = ["early", "late"].map(|id| Rc::new(Message { id: id.into(), ..user(id) }));
    let requests = |messages: &[Rc<Message>], record: &str| -> Vec<String> {
        held.folds.behind(messages, &rules(record)).requests.into_iter().map(|request| request.id).collect()
    };
    // A request beside the first record is covered by the second one, which has its own id.
    let beside = Rc::new(early.without_parts());
    assert_eq!(requests(&[beside, Rc::clone(&late)], "e2:summary"), ["late"]);
    assert_eq!(requests(&[Rc::clone(&early), Rc::clone(&late)], "e5:summary"), ["early", "late"]);
    // The ledger continues with the current records of the view.
    let mut ledger = held.folds.behind(&[Rc::clone(&early), Rc::clone(&late)], &rules("e7:summary"));
    ledger
        .add(&Message { id: "e7:summary".into(), ..user("<conversation-summary>\nSo far.\n</conversation-summary>") });
    assert_eq!((ledger.requests.len(), ledger.earlier.len()), (2, 1));
}

#[test]
fn a_message_that_was_read_for_one_ledger_says_the_same_in_others() {
    use espalier::compact::held::Held;
    use espalier::compact::ledger::Ledger;
    use espalier::compact::ledger::gist::Gists;
    for name in ["pi-refactor-long", "openhands-ponyc-4593", "sweagent-marshmallow-1867", "tau-airline-0"] {
        let messages: Vec<Rc<Message>> = transcript(name).into_iter().take(300).map(Rc::new).collect();
        let (covered, rest) = messages.split_at(messages.len() / 2);
        let held = Held::default();
        let plain = Rules::default();
        let gists = Rc::new(Gists::new(&held.begin(&messages, &plain), &plain));
        held.folds.remember(&gists);
        let fold = |messages: &[Rc<Message>], rules: &Rules| Ledger::fold(messages.iter().map(|it| &**it), rules);
        assert_eq!(*held.folds.ledger(covered.to_vec(), &plain, |_| None), fold(covered, &plain), "{name}");
        let reordered = [rest, covered].concat();
        for list in [&messages, &reordered, &messages] {
            assert_eq!(*held.folds.whole(list.clone(), &plain), fold(list, &plain), "{name}");
        }
        // A plan that began in between may have other rules.
        let marked = Rules { markers: vec!["the".into()], ..Rules::default() };
        assert_eq!(*held.folds.whole(messages.clone(), &marked), fold(&messages, &marked), "{name}");
    }
}

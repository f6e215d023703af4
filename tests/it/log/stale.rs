//! Edits that were made earlier: which changes may have happened since, and which may not.

use espalier::error::Code;
use espalier::history::edit;
use espalier::history::log::{Log, Made};
use espalier::message::Message;

use super::{clear, on, shown};
use crate::support::{assistant, calls, log_of, random, result, system, user};

fn history() -> Vec<Message> {
    vec![
        system("s"),
        user("first"),
        calls(&["a"]),
        result("a", "one"),
        assistant("said"),
        user("second"),
        calls(&["b"]),
        result("b", "two"),
        user("newest"),
    ]
}

fn summary(ids: &[&str]) -> edit::Edit {
    edit::Edit {
        kind: edit::Kind::ReplaceRange,
        targets: ids.iter().map(|id| edit::Target::message(*id)).collect(),
        rule: "summary",
        message: Some(Message { id: "e0:summary".into(), ..user("so far") }),
        ..edit::Edit::default()
    }
}

/// Checks the view if this happened between making and applying a summary of m1 to m4; `None` if it was refused.
fn check(happens: impl FnOnce(&mut Log), wanted: Option<&str>) {
    let mut log = super::log(history());
    let made = Made { since: Some(log.len()), plan_id: Some("c1".into()), ..Made::default() };
    happens(&mut log);
    let before = (log.export(0), shown(&log));
    match wanted {
        Some(wanted) => {
            log.adopt_made(&[summary(&["m1", "m2", "m3", "m4"])], &made, 2).unwrap();
            assert_eq!(shown(&log), wanted);
        }
        None => {
            super::refused(log.adopt_made(&[summary(&["m1", "m2", "m3", "m4"])], &made, 2), Code::StalePlan, "since");
            assert_eq!((log.export(0), shown(&log)), before);
        }
    }
}

#[test]
fn what_is_added_behind_a_plan_does_not_age_it() {
    check(|_| {}, Some("m0 (e9:summary) m5 m6 m7 m8"));
    check(
        |log| {
            log.append(Message { id: "m9".into(), ..assistant("more") }, 1).unwrap();
        },
        Some("m0 (e10:summary) m5 m6 m7 m8 m9"),
    );
    check(|log| drop(log.pin(on("m5"), 1).unwrap()), Some("m0 (e10:summary) m5 m6 m7 m8"));
    check(|log| drop(log.edit(clear("m7"), 1).unwrap()), Some("m0 (e10:summary) m5 m6 m7* m8"));
    check(|log| drop(log.rewind(Some("m5"), 1).unwrap()), Some("m0 (e10:summary) m5"));
}

#[test]
fn what_happens_to_its_messages_does() {
    check(|log| drop(log.edit(clear("m3"), 1).unwrap()), None);
    // A pin holds the whole round.
    check(|log| drop(log.pin(on("m2"), 1).unwrap()), None);
    check(
        |log| {
            let pin = log.pin(on("m3"), 1).unwrap();
            log.unpin(&pin.id, 1).unwrap();
        },
        None,
    );
    check(|log| drop(log.rewind(Some("m2"), 1).unwrap()), None);
    check(
        |log| {
            log.rewind(Some("m2"), 1).unwrap();
            log.undo(None, 1).unwrap();
        },
        None,
    );
    check(
        |log| {
            log.edit(clear("m3"), 1).unwrap();
            log.undo(None, 1).unwrap();
        },
        None,
    );
}

#[test]
fn a_summary_of_a_summary_that_was_taken_back_is_stale() {
    let mut log = super::log(history());
    let first = log.adopt(&[summary(&["m1", "m2", "m3"])], 1).unwrap();
    let made = Made { since: Some(log.len()), ..Made::default() };
    let again = summary(&["e9:summary", "m4"]);
    log.undo(Some(&first[0].id), 1).unwrap();
    super::refused(log.adopt_made(std::slice::from_ref(&again), &made, 2), Code::StalePlan, "since");
    log.redo(None, 1).unwrap();
    super::refused(log.adopt_made(std::slice::from_ref(&again), &made, 2), Code::StalePlan, "since");
    log.adopt(&[again], 2).unwrap();
    assert_eq!(shown(&log), "m0 (e12:summary) m5 m6 m7 m8");
}

#[test]
fn a_preview_is_what_adopting_shows_and_records_nothing() {
    let mut log = super::log(history());
    let before = log.export(0);
    let edits = [summary(&["m1", "m2", "m3", "m4"])];
    let preview = log.preview_adopted(&edits, &Made::default()).unwrap();
    assert_eq!(log.export(0), before);
    log.adopt(&edits, 1).unwrap();
    let shown = log.view_in_runs();
    assert_eq!((preview.runs, preview.items, preview.view.after), (shown.runs, shown.items, shown.view.after));
}

#[test]
fn what_an_adopted_summary_consumed_is_in_its_line() {
    let mut log = super::log(history());
    let added = log.adopt(&[summary(&["m1", "m2", "m3", "m4"])], 1).unwrap();
    assert!(added[0].line.contains(r#""consumed":{"ids":["m1","m2","m3","m4"],"hash":""#), "{}", added[0].line);
    let again = Log::import(&log.export(0), super::counting(crate::support::Chars), false).unwrap();
    assert!(again.problems.is_empty());
}

#[test]
fn runs_say_what_the_plan_says() {
    for seed in 0..200 {
        let Ok(log) = log_of(
            random::conversation(&mut fastrand::Rng::with_seed(seed), 40),
            1,
            super::counting(crate::support::Chars),
        ) else {
            continue;
        };
        let runs = log.view_in_runs();
        let mut items = Vec::new();
        for pair in runs.runs.chunks(2) {
            match *pair {
                [at, 0] => items.push(runs.items[at as usize].clone()),
                [first, length] => items.extend((first..first + length).map(|slot| {
                    let record = log.records().iter().filter_map(|record| match &record.entry {
                        espalier::history::log::entry::Entry::Message { message } => Some(message.id.clone()),
                        _ => None,
                    });
                    espalier::history::plan::PlanItem::keep(record.clone().nth(slot as usize).unwrap())
                })),
                _ => unreachable!(),
            }
        }
        assert_eq!(items, log.view().plan, "seed {seed}");
    }
}

#[test]
fn a_turn_is_warm_once_a_round_of_it_is_finished() {
    let warm = |count: usize| super::log(history().into_iter().take(count).collect()).is_warm();
    assert_eq!([0, 2, 3, 4, 5, 6, 7, 8, 9].map(warm), [false, false, false, true, true, false, false, true, false]);
    let mut log = super::log(history());
    log.rewind(Some("m7"), 1).unwrap();
    assert!(log.is_warm());
}

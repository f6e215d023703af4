//! Events of the host as JSON, and their answers.

use espalier::compact::profile::ESPALIER;
use espalier::conversation::event::Answer;
use espalier::conversation::{Event, Machine, State};
use espalier::history::log::Log;
use serde_json::{Value, json};

use crate::log::counting;
use crate::support::{Quarter, log_of, numbered, system, user};

fn machine() -> Machine {
    Machine::new(ESPALIER.clone(), State::default()).unwrap()
}

fn log() -> Log {
    log_of(numbered(vec![system("rules"), user("fix the parser")]), 1, counting(Quarter)).unwrap()
}

fn step(machine: &mut Machine, log: &mut Log, event: Value) -> Answer {
    let event: Event = serde_json::from_value(event).unwrap();
    machine.step(log, event, 7).unwrap()
}

fn refused(event: Value) -> String {
    serde_json::from_value::<Event>(event).unwrap_err().to_string()
}

#[test]
fn an_answer_has_the_fields_of_its_event() {
    let (mut machine, mut log) = (machine(), log());
    let look = step(&mut machine, &mut log, json!({ "type": "look", "around": {} }));
    assert!(look.look.is_some() && look.phase.is_some() && look.request.is_none());

    let sent = json!({ "type": "sent", "id": "r1", "tokens": 12, "frame": "f" });
    assert_eq!(step(&mut machine, &mut log, sent).shared, Some(0));

    let record = r#"{"request":1,"promptTotal":12}"#;
    let answered = json!({ "type": "answered", "tokens": 12, "date": "2026-01-01", "record": record });
    let answer = step(&mut machine, &mut log, answered);
    assert_eq!(answer.is_other_limit, Some(false));
    assert!(answer.lines[0].contains("promptTotal"), "{:?}", answer.lines);
    assert_eq!(log.len(), 3);
}

#[test]
fn the_view_is_answered_only_to_a_host_without_it() {
    let (mut machine, mut log) = (machine(), log());
    let answer = step(&mut machine, &mut log, json!({ "type": "verdict", "requests": 0 }));
    let view = answer.view.expect("a view").view;
    let shown = json!({ "after": view.after, "origin": view.origin });
    let known = step(&mut machine, &mut log, json!({ "type": "verdict", "requests": 0, "shown": shown }));
    assert_eq!((known.view, known.verdict), (None, answer.verdict));
}

#[test]
fn an_event_that_only_asks_leaves_the_state() {
    let (mut machine, mut log) = (machine(), log());
    let state = |machine: &Machine| serde_json::to_value(machine.state()).unwrap();
    let before = state(&machine);
    for event in [
        json!({ "type": "look", "around": {} }),
        json!({ "type": "weigh", "model": { "name": "m", "limit": 9_000 }, "ours": 10, "tools": 0 }),
    ] {
        let read: Event = serde_json::from_value(event.clone()).unwrap();
        assert!(!read.changes(), "{event}");
        step(&mut machine, &mut log, event);
        assert_eq!(state(&machine), before);
    }
}

#[test]
fn a_wrong_event_names_its_field() {
    assert!(refused(json!({ "type": "looks" })).contains("unknown variant `looks`"));
    assert!(refused(json!({ "type": "verdict" })).contains("missing field `requests`"));
    assert!(refused(json!({})).contains("missing field `type`"));
}

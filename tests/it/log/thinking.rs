//! If a summary covers the beginning of a turn, the turn's last thought moves to the first remaining calls.

use espalier::history::edit::Thinking;
use espalier::history::log::Place;
use espalier::history::log::entry::Range;
use espalier::message::Part;

use super::*;

fn thought(text: &str) -> Part {
    Part::Reasoning { text: text.into(), sealed: None }
}

fn thinking(message: Message, text: &str) -> Message {
    Message { parts: [vec![thought(text)], message.parts].concat(), ..message }
}

/// m0 system, m1 request, m2-m3 a round with a thought, m4 to m11 four more without.
fn agent() -> Log {
    let mut messages =
        vec![system("rules"), user("fix the parser"), thinking(calls(&["0"]), "hm"), result("0", "zero")];
    for id in ["1", "2", "3", "4"] {
        messages.extend([calls(&[id]), result(id, "one two three")]);
    }
    log(messages)
}

fn leaves(from: &str, to: &str, thinking: (&str, usize, &str)) -> Edit {
    let edit = range(from, to);
    let (of, part, first) = thinking;
    let thinking = Some(Thinking { from: of.into(), part, to: first.into() });
    Edit { range: edit.range.map(|range| Range { thinking, ..range }), ..edit }
}

fn parts(log: &Log, id: &str) -> Vec<Part> {
    log.messages().into_iter().find(|message| message.id == id).unwrap().parts
}

fn holds(log: &Log) {
    let view = log.view();
    let fresh: u64 = log.messages().iter().map(|message| meter(&Chars).message(message)).sum();
    assert_eq!(view.after.total, fresh + CostModel::Espalier.list_overhead());
    assert_eq!(log.totals(), view.after, "held totals are those of the view");
    let read = Log::import(&log.export(0), counting(Chars), false).unwrap();
    assert_eq!((read.problems.len(), read.log.export(0)), (0, log.export(0)));
    assert_eq!((read.log.view(), read.log.messages()), (view, log.messages()));
}

#[test]
fn it_is_shown_counted_and_taken_back() {
    let mut log = agent();
    let (plain, messages) = (log.view(), log.messages());
    let added = log.edit(leaves("m2", "m5", ("m2", 0, "m6")), 2).unwrap();
    assert_eq!(shown(&log), "m0 m1 (e12:summary) m6* m7 m8 m9 m10 m11");
    assert_eq!(parts(&log, "m6"), [vec![thought("hm")], calls(&["2"]).parts].concat());
    let carried = PartEdit::carried("m2", 0);
    let edit = PlanItem::edit("m6", vec![carried, PartEdit::keep(0)]);
    assert!(log.view().plan.contains(&edit));
    let line: serde_json::Value = serde_json::from_str(&added.line).unwrap();
    // "so far" in characters and four for the message, "hm" before m6.
    assert_eq!(line["edit"]["tokensAfter"], 6 + 4 + 2, "{line}");
    assert_eq!(log.recall("m6").unwrap()[0].place, Place::Changed);
    assert_eq!(log.recall("m6").unwrap()[0].by, ["e12"]);
    holds(&log);
    log.undo(None, 3).unwrap().unwrap();
    assert_eq!((log.view().plan, log.view().after, log.messages()), (plain.plan, plain.after, messages));
    holds(&log);
    log.redo(None, 4).unwrap().unwrap();
    assert_eq!(shown(&log), "m0 m1 (e12:summary) m6* m7 m8 m9 m10 m11");
    holds(&log);
}

#[test]
fn a_larger_range_takes_it_over() {
    let mut log = agent();
    log.edit(leaves("m2", "m3", ("m2", 0, "m6")), 2).unwrap();
    // Around the first range; the message stays.
    log.edit(range("m2", "m5"), 3).unwrap();
    assert_eq!(shown(&log), "m0 m1 (e13:summary) m6* m7 m8 m9 m10 m11");
    holds(&log);
    // Around the message as well: the next one gets the thought.
    log.edit(leaves("m2", "m7", ("m2", 0, "m8")), 4).unwrap();
    assert_eq!(shown(&log), "m0 m1 (e14:summary) m8* m9 m10 m11");
    assert_eq!(parts(&log, "m8")[0], thought("hm"));
    holds(&log);
    log.undo(None, 5).unwrap().unwrap();
    assert_eq!(shown(&log), "m0 m1 (e13:summary) m6* m7 m8 m9 m10 m11");
    log.undo(None, 6).unwrap().unwrap();
    assert_eq!(shown(&log), "m0 m1 (e12:summary) m4 m5 m6* m7 m8 m9 m10 m11");
    holds(&log);
    // The edit names no destination, and the message was removed: so was the thought.
    log.edit(range("m2", "m7"), 7).unwrap();
    assert_eq!(shown(&log), "m0 m1 (e17:summary) m8 m9 m10 m11");
    holds(&log);
}

#[test]
fn other_edits_of_the_message_go_with_it() {
    let mut log = agent();
    log.edit(leaves("m2", "m5", ("m2", 0, "m6")), 2).unwrap();
    log.edit(part(Kind::ClearArguments, "m6", 0, Becomes::Arguments { arguments: "{}".into() }), 3).unwrap();
    let cleared = parts(&log, "m6");
    assert_eq!((cleared.len(), &cleared[0]), (2, &thought("hm")));
    holds(&log);
    // The thought has the index after the message's own parts.
    log.edit(part(Kind::DropReasoning, "m6", 1, Becomes::Gone), 4).unwrap();
    assert_eq!(parts(&log, "m6"), cleared[1..]);
    holds(&log);
    log.undo(Some("e13"), 5).unwrap().unwrap();
    assert_eq!(shown(&log), "m0 m1 (e12:summary) m6 m7 m8 m9 m10 m11");
    holds(&log);
    refused(log.edit(part(Kind::DropReasoning, "m8", 1, Becomes::Gone), 6), Code::BadEdit, "edit.targets[0].part");
    // After the rewind the message does not exist.
    log.rewind(Some("m5"), 7).unwrap();
    assert_eq!(shown(&log), "m0 m1 (e12:summary)");
    holds(&log);
}

#[test]
fn what_is_no_thought_is_refused() {
    let with = |from, part, to| agent().edit(leaves("m2", "m5", (from, part, to)), 2);
    refused(with("m99", 0, "m6"), Code::BadEdit, "edit.range.thinking.from");
    refused(with("m8", 0, "m6"), Code::BadEdit, "edit.range.thinking.from");
    refused(with("m2", 1, "m6"), Code::BadEdit, "edit.range.thinking.part");
    refused(with("m2", 7, "m6"), Code::BadEdit, "edit.range.thinking.part");
    refused(with("m2", 0, "m99"), Code::BadEdit, "edit.range.thinking.to");
    refused(with("m2", 0, "m7"), Code::BadEdit, "edit.range.thinking.to");
    refused(with("m2", 0, "m2"), Code::BadEdit, "edit.range.thinking.to");
    // If the range grows to contain the message, the thought has no destination.
    let mut log = agent();
    log.edit(leaves("m2", "m5", ("m2", 0, "m4")), 2).unwrap();
    assert_eq!(shown(&log), "m0 m1 (e12:summary) m6 m7 m8 m9 m10 m11");
    holds(&log);
}

//! The model's answer to a summary is after it, and is removed with it.

use super::*;

fn answered(from: &str, to: &str) -> Edit {
    let edit = range(from, to);
    let range = edit.range.clone().map(|range| Range { reply: Some(assistant("Noted.")), ..range });
    Edit { range, ..edit }
}

#[test]
fn it_stands_behind_its_summary() {
    check(answered("m1", "m5"), "m0 (e10:summary) (e10:reply) m6 m7 m8 m9");
    let mut log = agent();
    let before = log.view();
    let laid = log.edit(answered("m1", "m5"), 2).unwrap();
    let view = log.view();
    // "so far" and "Noted." in characters, and four for each message.
    let line: serde_json::Value = serde_json::from_str(&laid.line).unwrap();
    assert_eq!(line["edit"]["tokensAfter"], 6 + 4 + 6 + 4, "{line}");
    assert_eq!((view.after.messages, before.after.messages), (7, 10));
    let fresh: u64 = log.messages().iter().map(|message| meter(&Chars).message(message)).sum();
    assert_eq!(view.after.total, fresh + CostModel::Espalier.list_overhead());
    // Read again, it is the same.
    let read = Log::import(&log.export(0), counting(Chars), false).unwrap();
    assert_eq!((read.problems.len(), shown(&read.log)), (0, shown(&log)));
    // The originals behind it are those behind its summary.
    let ids = |id: &str| log.recall(id).unwrap().iter().map(|found| found.message.id.clone()).collect::<Vec<_>>();
    assert_eq!(ids("e10:reply"), ids("e10:summary"));
    refused(log.recall("e9:reply"), Code::UnknownId, "id");
}

#[test]
fn a_larger_range_takes_both_along() {
    let mut log = agent();
    log.edit(answered("m2", "m3"), 2).unwrap();
    assert_eq!(shown(&log), "m0 m1 (e10:summary) (e10:reply) m4 m5 m6 m7 m8 m9");
    log.edit(answered("m1", "m5"), 3).unwrap();
    assert_eq!(shown(&log), "m0 (e11:summary) (e11:reply) m6 m7 m8 m9");
    log.undo(None, 4).unwrap().unwrap();
    assert_eq!(shown(&log), "m0 m1 (e10:summary) (e10:reply) m4 m5 m6 m7 m8 m9");
}

#[test]
fn what_is_no_reply_is_refused() {
    let with = |reply: Message| {
        let edit = answered("m1", "m5");
        let range = edit.range.clone().map(|range| Range { reply: Some(reply), ..range });
        agent().edit(Edit { range, ..edit }, 2)
    };
    refused(with(user("I am no model")), Code::BadEdit, "edit.range.reply");
    refused(with(assistant("")), Code::BadEdit, "edit.range.reply");
    refused(with(calls(&["9"])), Code::BadEdit, "edit.range.reply");
}

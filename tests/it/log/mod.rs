//! The event log: what the view shows, which edits are refused, what an undo restores.

mod adopt;
mod counted;
mod held;
mod hostile;
mod lines;
mod random;
mod reply;
mod stale;
mod thinking;

use std::rc::Rc;

use espalier::error::{Code, Error};
use espalier::history::edit::{Author, Kind, Target};
use espalier::history::log::entry::{Checkpoint, Edit, Pin, Range, RecordKind};
use espalier::history::log::{Counting, Log, Place};
use espalier::history::plan::{Becomes, PartEdit, PlanItem};
use espalier::message::{Message, Part, Role};
use espalier::tokens::{CostModel, Origin, Tokenizer};

use crate::support::{
    Chars, Quarter, assistant, call, calls, log_of, meter, numbered, random as conversations, result, system, user,
};

pub fn counting(tokenizer: impl Tokenizer + 'static) -> Counting {
    let (model, tokenizer) = (CostModel::Espalier, Rc::new(tokenizer));
    Counting { model, tokenizer, tools: 0, origin: Origin::Exact, by_items: false, provider: None }
}

pub fn log(messages: Vec<Message>) -> Log {
    log_of(numbered(messages), 1, counting(Chars)).unwrap()
}

pub fn blank(kind: Kind) -> Edit {
    Edit { kind, rule: "test".into(), author: Author::User, ..Edit::default() }
}

pub fn range(from: &str, to: &str) -> Edit {
    let range = Range {
        from: from.into(),
        to: to.into(),
        summary: user("so far"),
        reply: None,
        thinking: None,
        carried: vec![],
    };
    Edit { range: Some(range), ..blank(Kind::ReplaceRange) }
}

pub fn part(kind: Kind, message: &str, part: usize, to: Becomes) -> Edit {
    let target = Target { message: message.into(), part: Some(part), to: Some(to) };
    Edit { targets: vec![target], ..blank(kind) }
}

pub fn clear(message: &str) -> Edit {
    part(Kind::ClearResult, message, 0, text("[cleared]"))
}

pub fn drop(ids: &[&str]) -> Edit {
    let target = |id: &&str| Target { message: id.to_string(), part: None, to: None };
    Edit { targets: ids.iter().map(target).collect(), ..blank(Kind::Drop) }
}

pub fn text(text: &str) -> Becomes {
    Becomes::Text { text: text.into() }
}

pub fn on(message: &str) -> Pin {
    Pin { message: Some(message.into()), part: None, range: None, fact: None, reason: None }
}

/// Formats the view on one line: `m1` unchanged, `m2*` changed, `(e7:summary)` inserted.
pub fn shown(log: &Log) -> String {
    let item = |item: &PlanItem| match item {
        PlanItem::Keep { id, .. } => id.clone(),
        PlanItem::Edit { id, .. } => format!("{id}*"),
        PlanItem::Insert { message, .. } => format!("({})", message.id),
    };
    log.view().plan.iter().map(item).collect::<Vec<_>>().join(" ")
}

pub fn refused<T: std::fmt::Debug>(result: Result<T, Error>, code: Code, path: &str) {
    let error = result.unwrap_err();
    assert_eq!((error.code, error.path.as_deref()), (code, Some(path)), "{error}");
}

/// m0 system, m1 request, m2-m3 and m4-m5 rounds, m6 request, m7-m8 round, m9 words.
fn agent() -> Log {
    log(vec![
        system("rules"),
        user("fix the parser"),
        call("1", "read", r#"{"path":"a.rs","note":"long text"}"#),
        result("1", "one two three"),
        calls(&["2"]),
        result("2", "four"),
        user("now the lexer"),
        calls(&["3"]),
        result("3", "five"),
        assistant("done"),
    ])
}

fn check(edit: Edit, expected: &str) -> Log {
    let mut log = agent();
    let plain = shown(&log);
    let id = log.edit(edit, 2).unwrap().id;
    assert_eq!(shown(&log), expected);
    log.undo(Some(&id), 3).unwrap().unwrap();
    assert_eq!(shown(&log), plain);
    log.redo(None, 4).unwrap().unwrap();
    assert_eq!(shown(&log), expected);
    log
}

#[test]
fn edits_show_and_undoing_takes_them_back() {
    check(clear("m3"), "m0 m1 m2 m3* m4 m5 m6 m7 m8 m9");
    check(drop(&["m2", "m3"]), "m0 m1 m4 m5 m6 m7 m8 m9");
    check(drop(&["m1"]), "m0 m2 m3 m4 m5 m6 m7 m8 m9");
    check(range("m1", "m5"), "m0 (e10:summary) m6 m7 m8 m9");
    let arguments = Becomes::Arguments { arguments: r#"{"path":"a.rs","note":"…"}"#.into() };
    check(part(Kind::ClearArguments, "m2", 0, arguments), "m0 m1 m2* m3 m4 m5 m6 m7 m8 m9");
    check(part(Kind::Truncate, "m8", 0, text("f…e")), "m0 m1 m2 m3 m4 m5 m6 m7 m8* m9");
    let newer = Edit { kind: Kind::Supersede, newer: Some("m5".into()), ..clear("m3") };
    check(newer, "m0 m1 m2 m3* m4 m5 m6 m7 m8 m9");
}

#[test]
fn the_tokens_of_an_edit_are_counted() {
    let mut log = agent();
    let before = log.totals().total;
    log.edit(clear("m3"), 2).unwrap();
    log.edit(range("m1", "m3"), 2).unwrap();
    log.edit(range("m1", "m5"), 2).unwrap();
    let edits = log.edits();
    // A message costs 4, a result 4 more, and a character one.
    assert_eq!((edits[0].tokens_before, edits[0].tokens_after), (4 + 4 + 13, 4 + 4 + 9));
    let summary = 4 + 6;
    assert_eq!(edits[2].tokens_before, summary + (4 + 14) + (4 + 4 + 4));
    assert_eq!(edits[2].tokens_after, summary);
    let freed: u64 = edits.iter().map(|edit| edit.tokens_before - edit.tokens_after).sum();
    assert_eq!(log.totals().total, before - freed);
}

#[test]
fn ranges_grow_to_groups_and_around_ranges_they_meet() {
    let grown = |from, to| {
        let mut log = agent();
        let preview = log.preview(range(from, to)).unwrap();
        assert_eq!(shown(&log), "m0 m1 m2 m3 m4 m5 m6 m7 m8 m9", "a preview changes nothing");
        preview.grown.join(" ")
    };
    assert_eq!(grown("m1", "m3"), "");
    assert_eq!(grown("m3", "m4"), "m2 m5");
    let mut log = agent();
    log.edit(range("m2", "m3"), 2).unwrap();
    log.edit(range("m4", "m5"), 2).unwrap();
    assert_eq!(shown(&log), "m0 m1 (e10:summary) (e11:summary) m6 m7 m8 m9");
    let outer = log.edit(range("m1", "m2"), 2).unwrap().id;
    assert_eq!(shown(&log), "m0 (e12:summary) (e11:summary) m6 m7 m8 m9");
    log.edit(range("m3", "m5"), 2).unwrap();
    assert_eq!(shown(&log), "m0 (e13:summary) m6 m7 m8 m9");
    // Of nested ranges the larger one shows, whichever is undone first.
    log.undo(Some(&outer), 3).unwrap();
    assert_eq!(shown(&log), "m0 (e13:summary) m6 m7 m8 m9");
    log.undo(None, 3).unwrap();
    assert_eq!(shown(&log), "m0 m1 (e10:summary) (e11:summary) m6 m7 m8 m9");
}

#[test]
fn a_range_carries_the_newest_request_system_messages_and_pins() {
    let mut log = log(vec![
        user("the task"),
        calls(&["1"]),
        result("1", "x"),
        system("note"),
        calls(&["2"]),
        result("2", "y"),
        calls(&["3"]),
        result("3", "z"),
    ]);
    log.pin(on("m2"), 2).unwrap();
    log.edit(range("m0", "m5"), 3).unwrap();
    assert_eq!(shown(&log), "(e9:summary) m0 m1 m2 m3 m6 m7");
    log.unpin("e8", 4).unwrap();
    assert_eq!(shown(&log), "(e9:summary) m0 m3 m6 m7");
    // A pin restores content that is already covered.
    log.pin(on("m4"), 5).unwrap();
    assert_eq!(shown(&log), "(e9:summary) m0 m3 m4 m5 m6 m7");
    log.unpin("e11", 5).unwrap();
    let carried =
        Edit { range: Some(Range { carried: vec!["m2".into()], ..range("m0", "m5").range.unwrap() }), ..range("", "") };
    log.edit(carried, 6).unwrap();
    assert_eq!(shown(&log), "(e13:summary) m0 m1 m2 m3 m6 m7");
}

#[test]
fn edits_that_take_what_must_stay_are_refused() {
    let bad = |edit: Edit, path: &str| {
        let mut log = agent();
        let before = log.export(0);
        refused(log.edit(edit, 2), Code::BadEdit, path);
        assert_eq!(log.export(0), before);
    };
    bad(drop(&["m0"]), "edit.targets[0].message");
    bad(drop(&["m6"]), "edit.targets[0].message");
    bad(drop(&["m2"]), "edit.targets[0].message");
    bad(drop(&["m1", "m1"]), "edit.targets[1]");
    bad(drop(&["nobody"]), "edit.targets[0].message");
    bad(drop(&[]), "edit.targets");
    bad(clear("m2"), "edit.targets[0].to");
    bad(part(Kind::Truncate, "m6", 0, text("n…")), "edit.targets[0]");
    bad(part(Kind::Truncate, "m9", 0, text(" ")), "edit.targets[0].to");
    bad(part(Kind::Truncate, "m9", 1, text("d")), "edit.targets[0].part");
    bad(range("m5", "m1"), "edit.range");
    bad(range("m0", "m0"), "edit.range");
    bad(range("m6", "m6"), "edit.range");
    bad(range("m1", "m99"), "edit.range.to");
    bad(Edit { newer: None, ..Edit { kind: Kind::Supersede, ..clear("m3") } }, "edit.newer");
    bad(Edit { newer: Some("m1".into()), ..Edit { kind: Kind::Supersede, ..clear("m3") } }, "edit.newer");
    bad(blank(Kind::Repair), "edit.kind");
    bad(blank(Kind::ReplaceRange), "edit.range");
    bad(Edit { rule: String::new(), ..clear("m3") }, "edit.rule");
    bad(Edit { json: Some("{".into()), ..clear("m3") }, "edit.json");
    let arguments =
        |arguments: &str| part(Kind::ClearArguments, "m2", 0, Becomes::Arguments { arguments: arguments.into() });
    bad(arguments(r#"{"path":"a.rs"}"#), "edit.targets[0].to");
    bad(arguments("{"), "edit.targets[0].to");
}

#[test]
fn the_work_in_progress_stays() {
    let mut log = agent();
    log.rewind(Some("m8"), 2).unwrap();
    refused(log.edit(clear("m8"), 3), Code::BadEdit, "edit.targets[0]");
    refused(log.edit(drop(&["m7", "m8"]), 3), Code::BadEdit, "edit.targets[0].message");
    refused(log.edit(range("m1", "m8"), 3), Code::BadEdit, "edit.range.to");
    for kind in [Kind::Truncate, Kind::Offload] {
        log.edit(part(kind, "m8", 0, text("f…")), 3).unwrap();
    }
    // A round before a newer request is history.
    log.append(Message { id: "m10".into(), ..user("and now?") }, 4).unwrap();
    log.edit(clear("m8"), 5).unwrap();
    log.edit(range("m1", "m8"), 5).unwrap();
}

#[test]
fn calls_that_wait_are_not_edited() {
    let mut log = log(vec![user("a"), calls(&["1", "2"]), result("1", "x")]);
    refused(log.edit(drop(&["m1", "m2"]), 2), Code::BadEdit, "edit.targets[0].message");
    refused(log.edit(range("m0", "m2"), 2), Code::BadEdit, "edit.range.to");
    let arguments = Becomes::Arguments { arguments: "{}".into() };
    refused(log.edit(part(Kind::ClearArguments, "m1", 1, arguments.clone()), 2), Code::BadEdit, "edit.targets[0]");
    log.edit(part(Kind::ClearArguments, "m1", 0, arguments), 2).unwrap();
    assert_eq!(shown(&log), "m0 m1* m2");
}

#[test]
fn media_and_reasoning_go_by_part() {
    let image = Part::Image { media_type: None, data: None, url: Some("https://x/y.png".into()), detail: None };
    let mut shot = result("1", "seen");
    if let Part::ToolResult { content, .. } = &mut shot.parts[0] {
        content.push(image.clone());
    }
    let mut asked = user("look");
    asked.parts.push(image);
    let mut thinking = assistant("I see");
    thinking.parts.insert(0, Part::Reasoning { text: "hm".into(), sealed: None });
    let only = Message { parts: vec![Part::Reasoning { text: "hm".into(), sealed: None }], ..assistant("") };
    let mut log = log(vec![asked, calls(&["1"]), shot, thinking, user("next"), only, assistant("ok")]);
    log.edit(part(Kind::DropMedia, "m0", 1, Becomes::Note { text: "[image]".into() }), 2).unwrap();
    let items = Becomes::Content { items: vec![None, Some("[image]".into())] };
    log.edit(part(Kind::DropMedia, "m2", 0, items), 2).unwrap();
    log.edit(part(Kind::DropReasoning, "m3", 0, Becomes::Gone), 2).unwrap();
    log.edit(part(Kind::DropReasoning, "m5", 0, Becomes::Gone), 2).unwrap();
    assert_eq!(shown(&log), "m0* m1 m2* m3* m4 m6");
    let edits = log
        .view()
        .plan
        .into_iter()
        .filter_map(|item| if let PlanItem::Edit { parts, .. } = item { Some(parts) } else { None });
    let kept: Vec<Vec<PartEdit>> = edits.collect();
    assert_eq!(kept[0], vec![PartEdit::keep(0), PartEdit::to(1, Becomes::note("[image]"))]);
    assert_eq!(kept[2], vec![PartEdit::keep(1)]);
    let wrong = Becomes::Content { items: vec![Some("no text goes this way".into()), None] };
    refused(log.edit(part(Kind::DropMedia, "m2", 0, wrong), 2), Code::BadEdit, "edit.targets[0].to");
}

#[test]
fn the_newest_edit_of_a_part_shows() {
    let mut log = agent();
    log.edit(part(Kind::Truncate, "m3", 0, text("one…")), 2).unwrap();
    log.edit(clear("m3"), 2).unwrap();
    let said = |log: &Log| log.messages().into_iter().find(|m| m.id == "m3").unwrap().parts;
    assert_eq!(said(&log), result("1", "[cleared]").parts);
    log.undo(None, 3).unwrap();
    assert_eq!(said(&log), result("1", "one…").parts);
    log.undo(None, 3).unwrap();
    assert_eq!(said(&log), result("1", "one two three").parts);
    assert!(log.undo(None, 3).unwrap().is_none());
}

#[test]
fn redo_brings_back_in_order_until_something_new_happens() {
    let mut log = agent();
    log.edit(clear("m3"), 2).unwrap();
    log.edit(clear("m5"), 2).unwrap();
    log.undo(None, 3).unwrap();
    log.undo(None, 3).unwrap();
    assert_eq!(log.redo(None, 4).unwrap().unwrap().target, "e10");
    log.edit(drop(&["m1"]), 5).unwrap();
    assert!(log.redo(None, 6).unwrap().is_none());
    // The other can still be redone by its id.
    assert_eq!(log.redo(Some("e11"), 6).unwrap().unwrap().target, "e11");
    refused(log.redo(Some("e11"), 6), Code::UnknownId, "target");
    refused(log.undo(Some("e99"), 6), Code::UnknownId, "target");
    refused(log.undo(Some("m1"), 6), Code::UnknownId, "target");
}

#[test]
fn a_range_that_would_overlap_is_not_brought_back() {
    let mut log = agent();
    let first = log.edit(range("m1", "m3"), 2).unwrap().id;
    log.undo(None, 3).unwrap();
    log.edit(range("m2", "m5"), 4).unwrap();
    refused(log.redo(Some(&first), 5), Code::BadEdit, "target");
}

#[test]
fn rewinding_leaves_messages_behind_and_revokes_what_reaches_past() {
    let mut log = agent();
    log.edit(range("m1", "m3"), 2).unwrap();
    log.edit(clear("m5"), 2).unwrap();
    log.checkpoint(Checkpoint { number: 1, title: "parser".into(), path: None, edits: vec!["e10".into()] }, 2).unwrap();
    let before = shown(&log);
    let rewind = log.rewind(Some("m4"), 3).unwrap().id;
    assert_eq!(shown(&log), "m0 (e10:summary) m4");
    let stored = || {
        log.checkpoints().into_iter().map(|it| (it.number, it.messages, it.tokens > 0, it.orphaned)).collect::<Vec<_>>()
    };
    assert_eq!(stored(), [(1, 3, true, true)]);
    assert_eq!(log.edits()[1].revoked_by.as_deref(), Some(&*rewind));
    log.undo(None, 4).unwrap();
    assert_eq!((shown(&log), log.checkpoints()[0].orphaned), (before.clone(), false));
    log.redo(None, 4).unwrap();
    assert_eq!(shown(&log), "m0 (e10:summary) m4");
    log.undo(Some(&rewind), 4).unwrap();
    log.rewind(Some("m2"), 5).unwrap();
    assert_eq!(shown(&log), "m0 m1 m2", "the range reached past the point");
    // Removed content cannot come back after the conversation continued.
    let more = Message { id: "m10".into(), ..result("1", "again") };
    log.append(more, 6).unwrap();
    assert_eq!(shown(&log), "m0 m1 m2 m10");
    refused(log.undo(Some("e17"), 7), Code::BadEdit, "target");
    refused(log.rewind(Some("m3"), 7), Code::UnknownId, "to");
    refused(log.append(Message { id: "m3".into(), ..user("x") }, 7), Code::DuplicateId, "message.id");
    log.rewind(None, 8).unwrap();
    assert_eq!(shown(&log), "");
    assert_eq!(log.next_checkpoint(), 2, "numbers are not used twice");
}

#[test]
fn pins_hold_parts_ranges_and_facts() {
    let mut log = agent();
    log.pin(Pin { part: Some(0), range: Some((4, 7)), reason: Some("the point".into()), ..on("m3") }, 2).unwrap();
    refused(log.edit(clear("m3"), 3), Code::BadEdit, "edit.targets[0]");
    log.edit(part(Kind::Truncate, "m3", 0, text("… two …")), 3).unwrap();
    refused(log.edit(drop(&["m2", "m3"]), 3), Code::BadEdit, "edit.targets[0].message");
    let fact = Pin { message: None, fact: Some("never touch the lexer".into()), ..on("") };
    log.pin(fact, 4).unwrap();
    let pins = log.pins();
    assert_eq!(
        pins.iter().map(|pin| pin.text.as_deref()).collect::<Vec<_>>(),
        [Some("two"), Some("never touch the lexer")]
    );
    assert_eq!(pins[0].tokens, 3);
    // A pin on cleared content restores it for as long as the pin exists.
    log.edit(clear("m5"), 5).unwrap();
    let pin = log.pin(Pin { part: Some(0), ..on("m5") }, 6).unwrap().id;
    assert_eq!(shown(&log), "m0 m1 m2 m3* m4 m5 m6 m7 m8 m9");
    log.unpin(&pin, 7).unwrap();
    assert_eq!(shown(&log), "m0 m1 m2 m3* m4 m5* m6 m7 m8 m9");
    refused(log.unpin(&pin, 7), Code::UnknownId, "target");
    refused(log.pin(on("m99"), 7), Code::UnknownId, "pin.message");
    refused(log.pin(Pin { part: Some(1), ..on("m5") }, 7), Code::BadInput, "pin.part");
    refused(log.pin(Pin { part: Some(0), range: Some((3, 9)), ..on("m5") }, 7), Code::BadInput, "pin.range");
    refused(log.pin(Pin { range: Some((0, 1)), ..on("m5") }, 7), Code::BadInput, "pin.part");
    refused(log.pin(Pin { message: None, ..on("") }, 7), Code::BadInput, "pin");
}

#[test]
fn ranges_of_pins_are_utf_16_and_grow_to_whole_characters() {
    let mut log = log(vec![user("a💡бc"), user("next")]);
    let mut held = |start, end| {
        let pin = log.pin(Pin { part: Some(0), range: Some((start, end)), ..on("m0") }, 1).unwrap().id;
        let text = log.pins()[0].text.clone().unwrap();
        log.unpin(&pin, 1).unwrap();
        text
    };
    assert_eq!(
        [held(0, 1), held(1, 3), held(2, 3), held(1, 2), held(2, 4), held(4, 5)],
        ["a", "💡", "💡", "💡", "💡б", "c"]
    );
}

#[test]
fn recall_returns_originals_and_says_what_hid_them() {
    let mut log = agent();
    log.edit(clear("m3"), 2).unwrap();
    log.edit(range("m4", "m5"), 2).unwrap();
    log.rewind(Some("m8"), 3).unwrap();
    let place = |id: &str| {
        log.recall(id).unwrap().iter().map(|r| (r.message.id.clone(), r.place, r.by.join(","))).collect::<Vec<_>>()
    };
    assert_eq!(place("m1"), [("m1".into(), Place::Shown, String::new())]);
    assert_eq!(place("m3"), [("m3".into(), Place::Changed, "e10".into())]);
    assert_eq!(place("e10"), place("m3"));
    assert_eq!(place("e11:summary"), place("m4..m5"));
    assert_eq!(place("m4"), [("m4".into(), Place::Covered, "e11".into())]);
    assert_eq!(place("m9"), [("m9".into(), Place::Rewound, "e12".into())]);
    assert_eq!(log.recall("m3").unwrap()[0].message.parts, result("1", "one two three").parts);
    refused(log.recall("m99"), Code::UnknownId, "id");
    // What a repair made is found at its origin.
    assert_eq!(
        [log.recall("m3:lost:1").unwrap(), log.recall("m3..m3:moved:1").unwrap()],
        [log.recall("m3").unwrap(), log.recall("m3").unwrap()]
    );
    refused(log.recall("e10:summary"), Code::UnknownId, "id");
    refused(log.recall("m1..m99"), Code::UnknownId, "id");
    assert!(log.recall("m5..m1").unwrap().is_empty());

    let found = log.search("THREE one", 5);
    assert_eq!(found.iter().map(|r| r.message.id.as_str()).collect::<Vec<_>>(), ["m3", "m9"], "most words first");
    assert_eq!(found[0].hits.iter().map(|hit| hit.offset).collect::<Vec<_>>(), [0, 8]);
    assert_eq!(log.search("the", 1)[0].message.id, "m6", "the newer of two");
    assert!(log.search("  ", 5).is_empty());
}

#[test]
fn two_positions_compare() {
    let mut log = agent();
    let start = log.len();
    log.edit(clear("m3"), 2).unwrap();
    log.edit(range("m4", "m5"), 2).unwrap();
    log.append(Message { id: "m10".into(), ..user("thanks") }, 3).unwrap();
    let difference = log.compare(start, log.len()).unwrap();
    let ids =
        |list: &[espalier::history::log::Difference]| list.iter().map(|d| d.id.clone()).collect::<Vec<_>>().join(" ");
    assert_eq!(ids(&difference.gained), "e11:summary m10");
    assert_eq!(ids(&difference.lost), "m4 m5");
    assert_eq!(ids(&difference.changed), "m3");
    assert_eq!(difference.after.total, log.totals().total);
    assert_eq!(difference.after.inserted, 4 + 6);
    assert_eq!(difference.before.user + 10, difference.after.user);
    refused(log.compare(0, 99), Code::BadInput, "b");
}

#[test]
fn a_plan_whose_ground_has_changed_is_stale() {
    use espalier::history::log::entry::Consumed;
    let mut log = agent();
    let ids: Vec<String> = ["m1", "m2", "m3"].map(String::from).into();
    let consumed = Consumed { hash: log.fingerprint(&ids).unwrap(), ids };
    let nobody = Consumed { ids: vec!["m1".into(), "m99".into()], hash: String::new() };
    refused(log.edit(Edit { consumed: Some(nobody), ..range("m1", "m3") }, 2), Code::BadEdit, "edit.consumed.ids[1]");
    let planned = Edit { consumed: Some(consumed), ..range("m1", "m3") };
    log.append(Message { id: "m10".into(), ..user("more") }, 2).unwrap();
    log.preview(planned.clone()).unwrap();
    let pin = log.pin(on("m3"), 3).unwrap().id;
    refused(log.edit(planned.clone(), 4), Code::StalePlan, "edit.consumed");
    log.unpin(&pin, 4).unwrap();
    log.edit(clear("m3"), 4).unwrap();
    refused(log.edit(planned.clone(), 5), Code::StalePlan, "edit.consumed");
    log.undo(None, 5).unwrap();
    log.edit(planned, 6).unwrap();
}

#[test]
fn the_view_is_what_the_plan_makes_of_the_history() {
    let messages =
        numbered(vec![user("a"), calls(&["1"]), result("1", "x"), calls(&["1"]), result("1", "long"), user("b")]);
    let mut log = log_of(messages.clone(), 1, counting(Chars)).unwrap();
    // A repeated id is repaired in the view, and the cleared text stays cleared.
    log.edit(clear("m4"), 2).unwrap();
    assert_eq!(crate::prune::carry_out(&messages, &log.view().plan), log.messages());
    let json = serde_json::to_string(&log.messages()[4]).unwrap();
    assert!(json.contains("1-2") && json.contains("[cleared]"), "{json}");
    assert_eq!(log.view().repaired.len(), 2);
}

#[test]
fn records_do_not_change_the_view() {
    let mut log = agent();
    let before = log.messages();
    for kind in [RecordKind::Usage, RecordKind::Plan, RecordKind::Job, RecordKind::Trim, RecordKind::Note] {
        log.record(kind, r#"{"n":1.10, "z":"\ud800"}"#.into(), 5).unwrap();
        refused(log.record(kind, "{".into(), 5), Code::BadInput, "json");
    }
    assert_eq!(log.messages(), before);
}

#[test]
fn counts_are_held_by_part() {
    let mut rng = fastrand::Rng::with_seed(7);
    for _ in 0..50 {
        for message in conversations::conversation(&mut rng, 20) {
            for model in [CostModel::Espalier, CostModel::CopilotChat] {
                let with = espalier::history::draft::Meter { model, ..meter(&Quarter) };
                let counts = espalier::history::log::Counts::of(&message, with);
                assert_eq!(counts.message, model.message(&message, &Quarter));
                let parts: Vec<u64> =
                    message.parts.iter().map(|part| model.part(message.role, part, &Quarter).tokens).collect();
                assert_eq!(*counts.parts, *parts);
            }
        }
    }
    assert!(agent().counts("m3").is_some_and(|counts| *counts.parts == [4 + 13]));
    assert_eq!(agent().original("m3").map(|m| m.role), Some(Role::Tool));
}

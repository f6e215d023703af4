//! Invalid input.

use espalier::error::Code;
use espalier::history::log::entry::RecordKind;
use espalier::history::log::{Log, Problem};
use espalier::message::{Message, Part, Role};

use super::{clear, counting, log, range, refused, shown};
use crate::support::{Chars, Quarter, assistant, calls, log_of, result, system, user};

#[test]
fn messages_that_cannot_be_are_refused() {
    let mut log = log(vec![user("a")]);
    let named = |id: &str| Message { id: id.into(), ..user("x") };
    refused(log.append(named(""), 1), Code::BadMessage, "message.id");
    refused(log.append(named("m0"), 1), Code::DuplicateId, "message.id");
    refused(log.append(named("e7"), 1), Code::BadMessage, "message.id");
    refused(log.append(named("e7:summary"), 1), Code::BadMessage, "message.id");
    log.append(named("e07"), 1).unwrap();
    log.append(named("ee7"), 1).unwrap();
    let nested = Part::ToolResult { call_id: "1".into(), name: None, content: result("2", "x").parts, is_error: false };
    let message = Message { id: "n".into(), role: Role::Tool, name: None, parts: vec![nested] };
    refused(log.append(message, 1), Code::BadMessage, "message.parts[0].content[0]");
    let twice = vec![Message { id: "a".into(), ..user("x") }, Message { id: "a".into(), ..user("y") }];
    refused(log_of(twice, 1, counting(Chars)), Code::DuplicateId, "messages[1].id");
}

#[test]
fn odd_histories_have_a_view() {
    assert_eq!(shown(&log(vec![])), "");
    assert_eq!(log(vec![]).undo(None, 1).unwrap(), None);
    assert_eq!(shown(&log(vec![system("only")])), "m0");
    assert_eq!(shown(&log(vec![user("")])), "m0", "better than nothing at all");
    assert_eq!(shown(&log(vec![result("nobody", "x"), user("a")])), "m1");
    assert_eq!(shown(&log(vec![user("a"), calls(&["1"]), user("b")])), "m0 m1 (m1:lost:1) m2");
    let mut many = log((0..300).flat_map(|_| [calls(&["same"]), result("same", "x")]).chain([user("z")]).collect());
    many.edit(range("m0", "m100"), 1).unwrap();
    many.edit(clear("m201"), 1).unwrap();
    assert_eq!(many.messages().len(), 1 + 500 - 2 + 1);
}

#[test]
fn rubbish_is_no_log() {
    let read = |text: &str| -> Vec<Problem> { Log::import(text, counting(Quarter), true).unwrap().problems };
    for text in ["x", "[]", "null", "{}", "{\"seq\":0}", "1\n2", "\"v\"", &"[".repeat(100_000), "{\"v\":-1}", "\0"] {
        let kinds: Vec<&str> = read(text).iter().map(|p| p.kind).collect();
        assert!(matches!(kinds[..], ["unreadable" | "cut"]), "{text:.20}: {kinds:?}");
    }
    let deep = format!("{{\"seq\":0,\"v\":1,\"time\":0,\"type\":\"note\",\"json\":{}", "[".repeat(100_000));
    assert_eq!(read(&deep).len(), 1);
    let far = "{\"seq\":18446744073709551615,\"v\":1,\"time\":0,\"type\":\"note\",\"json\":\"1\",\"hash\":\"0\"}";
    assert_eq!(read(far)[0].kind, "missing");
}

#[test]
fn records_of_any_depth_are_kept_as_they_are() {
    let mut log = log(vec![user("a")]);
    let deep = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
    for json in [deep.as_str(), "\"\\ud800\"", "1e400", "0.1000000000000000055511151231257827", " {\"b\":1,\"a\":2} "] {
        let added = log.record(RecordKind::Job, json.into(), i64::MIN);
        // A parser may refuse odd input; accepted input is stored unchanged.
        if added.is_ok() {
            let read = Log::import(&log.export(0), counting(Chars), false).unwrap();
            assert_eq!((read.problems.len(), read.log.export(0)), (0, log.export(0)));
        }
    }
    assert!(log.len() >= 5, "{}", log.len());
}

#[test]
fn long_conversations_are_no_slower_by_the_message() {
    // Without a timer: 20,000 messages with an edit every hundred would take minutes if anything were quadratic.
    let mut log = Log::new(counting(Quarter));
    for at in 0..20_000 {
        let message = if at % 2 == 0 { user("question") } else { assistant("answer") };
        log.append(Message { id: format!("m{at}"), ..message }, at).unwrap();
        if at % 100 == 99 {
            log.edit(range("m0", &format!("m{}", at - 10)), at).unwrap();
        }
    }
    assert_eq!(log.view().plan.len(), 1 + 10);
    let read = Log::import(&log.export(0), counting(Quarter), false).unwrap();
    assert_eq!(read.log.hash(), log.hash());
}

//! A real result of a tool is never replaced by a synthetic one, whatever stands between it and its call.

use espalier::history::prune::{Limits, prune};
use espalier::message::{Message, Part, Role};
use espalier::tokens::Origin;
use espalier::validity::Provider;

use crate::support::{Quarter, meter, numbered};

fn say(role: Role, text: &str) -> Message {
    Message { id: String::new(), role, name: None, parts: vec![Part::Text { text: text.into() }] }
}

fn calls(ids: &[&str]) -> Message {
    let call = |id: &&str| Part::ToolCall { call_id: (*id).into(), name: "run".into(), arguments: "{}".into() };
    Message { parts: ids.iter().map(call).collect(), ..say(Role::Assistant, "") }
}

fn answer(id: &str) -> Part {
    let content = vec![Part::Text { text: format!("real {id}") }];
    Part::ToolResult { call_id: id.into(), name: Some("run".into()), content, is_error: false }
}

fn results(ids: &[&str]) -> Message {
    Message { parts: ids.iter().map(|id| answer(id)).collect(), ..say(Role::Tool, "") }
}

/// Results, then words of the user, in one message.
fn mixed(ids: &[&str], words: &str) -> Message {
    let mut message = Message { role: Role::User, ..results(ids) };
    message.parts.push(Part::Text { text: words.into() });
    message
}

/// One line: who, and what in short.
fn sketch(messages: &[Message]) -> String {
    let part = |part: &Part| match part {
        Part::ToolCall { call_id, .. } => format!("({call_id})"),
        Part::ToolResult { call_id, content, .. } => {
            let said = matches!(&content[..], [Part::Text { text }] if *text == format!("real {call_id}"));
            format!("{}[{call_id}]", if said { "" } else { "!" })
        }
        Part::Text { text } => text.clone(),
        _ => "?".into(),
    };
    let line = |m: &Message| format!("{}{}", &m.role.as_str()[..1], m.parts.iter().map(part).collect::<String>());
    messages.iter().map(line).collect::<Vec<_>>().join(" ")
}

fn pruned(messages: &[Message], budget: u64, provider: Option<Provider>) -> Option<Vec<Message>> {
    let limits = Limits { budget, provider, ..Limits::default() };
    let pruned = prune(messages, meter(&Quarter), Origin::Exact, &limits).ok()?;
    Some(crate::prune::carry_out(messages, &pruned.plan))
}

#[test]
fn results_move_to_their_calls() {
    let check = |messages: Vec<Message>, expected: &str| {
        let messages = numbered(messages);
        let out = pruned(&messages, 100_000, None).unwrap();
        assert_eq!(sketch(&out), expected);
        assert_eq!(sketch(&pruned(&numbered(out), 100_000, None).unwrap()), expected);
    };
    let (user, said) = (|text| say(Role::User, text), |text| say(Role::Assistant, text));
    check(vec![user("a"), calls(&["1"]), user("b"), results(&["1"])], "ua a(1) t[1] ub");
    check(vec![user("a"), calls(&["1"]), user("b"), said("c"), results(&["1"]), user("d")], "ua a(1) t[1] ub ac ud");
    check(vec![user("a"), calls(&["1", "2"]), results(&["2"]), user("b"), results(&["1"])], "ua a(1)(2) t[2] t[1] ub");
    // A message that says something besides is taken apart; what answers nothing goes.
    check(vec![user("a"), calls(&["1"]), user("b"), mixed(&["1", "x"], "c")], "ua a(1) u[1] ub uc");
    check(
        vec![user("a"), calls(&["1"]), user("b"), calls(&["2"]), results(&["1", "2"]), user("c")],
        "ua a(1) t[1] ub a(2) t[2] uc",
    );
    // Only what nobody answered gets a synthetic result.
    check(vec![user("a"), calls(&["1", "2"]), user("b"), results(&["1"])], "ua a(1)(2) t[1] t![2] ub");
    check(vec![user("a"), calls(&["1"]), said("b"), user("c")], "ua a(1) t![1] ab uc");
    // An id that comes again belongs to the newest call, and to the older one if that waits alone.
    check(
        vec![calls(&["1"]), user("b"), results(&["1"]), calls(&["1"]), results(&["1"])],
        "a(1) t[1] ub a(1-2) t![1-2]",
    );
}

//! The repair of each fault.

use espalier::message::edit::PlanItem;
use espalier::message::{Message, Part, Role};
use espalier::validity::{BRIDGE, Lost, Orphans, Pending, Provider, Purpose, Settings, Special, Target, repair};

use super::{carry_out, sketch};
use crate::support::{assistant, call, calls, numbered, result, result_part, system, user};

fn check(provider: Provider, settings: &Settings, messages: Vec<Message>, expected: &str) -> Vec<Message> {
    check_for(&Target::new(provider), settings, messages, expected)
}

/// Checks the result as a sketch: `User. Assistant(1) Tool[1]`.
fn check_for(target: &Target, settings: &Settings, messages: Vec<Message>, expected: &str) -> Vec<Message> {
    let messages = numbered(messages);
    let out = carry_out(&messages, &repair(&messages, target, settings).plan);
    assert_eq!(sketch(&out), expected);
    out
}

fn plain() -> Settings {
    Settings::default()
}

use Provider::{Anthropic, Gemini, OpenAiChat, OpenAiResponses, VsCode};

#[test]
fn orphans_go_or_become_notes() {
    let messages = || vec![user("a"), result("?", "what it said"), assistant("b"), user("c")];
    check(OpenAiChat, &plain(), messages(), "User. Assistant. User.");
    let texts = Settings { orphans: Orphans::Text, ..plain() };
    let out = check(OpenAiChat, &texts, messages(), "User. User. Assistant. User.");
    assert_eq!(out[1].text(), "[Result without its call]\nwhat it said");
    // A note is not inserted between a call and its result.
    let between = vec![user("a"), calls(&["1"]), result("?", "x"), result("1", "y"), assistant("b"), user("c")];
    check(OpenAiChat, &texts, between, "User. Assistant(1) Tool[1] User. Assistant. User.");
}

#[test]
fn the_assistant_speaks_between_a_result_and_the_user_if_the_model_requires_it() {
    let mistral = Special::of(OpenAiChat, "mistral-large-latest", Purpose::Answer, &[]);
    let target = Target { special: mistral, ..Target::new(OpenAiChat) };
    let round = |id: &'static str| [calls(&[id]), result(id, "x"), user("go on")];
    let messages = [vec![user("a")], round("1").to_vec(), round("2").to_vec()].concat();
    let expected = "User. Assistant(1) Tool[1] Assistant. User. Assistant(2) Tool[2] Assistant. User.";
    let out = check_for(&target, &plain(), messages, expected);
    assert_eq!(out[3].text(), BRIDGE);
    check_for(&target, &plain(), vec![user("a"), assistant("b")], "User. Assistant. User.");
}

#[test]
fn lost_calls_get_a_stand_in_or_go() {
    let messages = || vec![user("a"), calls(&["1", "2"]), result("2", "x"), assistant("b"), user("c")];
    let out = check(OpenAiChat, &plain(), messages(), "User. Assistant(1)(2) Tool[2] Tool[1] Assistant. User.");
    assert!(matches!(&out[3].parts[0], Part::ToolResult { is_error: true, .. }));
    let drop = Settings { lost_calls: Lost::Drop, ..plain() };
    check(OpenAiChat, &drop, messages(), "User. Assistant(2) Tool[2] Assistant. User.");
    // If all results are one message, the synthetic one is in it, in the order of the calls.
    check(Gemini, &plain(), messages(), "User. Assistant(1)(2) Tool[1][2] Assistant. User.");
    // The rest of a message is not its thought alone.
    let thinking = Message {
        parts: vec![Part::Reasoning { text: "hm".into(), sealed: None }, calls(&["1"]).parts.remove(0)],
        ..calls(&[])
    };
    check(Anthropic, &drop, vec![user("a"), thinking, user("b")], "User. User.");
}

#[test]
fn running_calls_stay_unless_they_should_not() {
    let messages = || vec![user("a"), calls(&["1"])];
    check(OpenAiChat, &plain(), messages(), "User. Assistant(1)");
    check(OpenAiChat, &Settings { pending: Pending::Synthesize, ..plain() }, messages(), "User. Assistant(1) Tool[1]");
    check(OpenAiChat, &Settings { pending: Pending::Drop, ..plain() }, messages(), "User.");
}

#[test]
fn results_move_to_their_calls() {
    let after_words = || vec![user("a"), calls(&["1"]), user("w"), result("1", "x"), assistant("b"), user("c")];
    check(OpenAiChat, &plain(), after_words(), "User. Assistant(1) Tool[1] User. Assistant. User.");
    check(Anthropic, &plain(), after_words(), "User. Assistant(1) Tool[1] User. Assistant. User.");
    check(OpenAiResponses, &plain(), after_words(), "User. Assistant(1) User. Tool[1] Assistant. User.");
    let run = vec![user("a"), calls(&["1"]), calls(&["2"]), result("1", "x"), result("2", "y"), assistant("b")];
    check(OpenAiChat, &plain(), run, "User. Assistant(1) Tool[1] Assistant(2) Tool[2] Assistant.");
    let split = vec![user("a"), calls(&["1", "2"]), result("2", "x"), result("1", "y"), assistant("b"), user("c")];
    check(Anthropic, &plain(), split.clone(), "User. Assistant(1)(2) Tool[2][1] Assistant. User.");
    check(Gemini, &plain(), split.clone(), "User. Assistant(1)(2) Tool[1][2] Assistant. User.");
    check(OpenAiChat, &plain(), split, "User. Assistant(1)(2) Tool[2] Tool[1] Assistant. User.");
    let mixed =
        Message { role: Role::User, parts: vec![Part::Text { text: "w".into() }, result_part("1", "x")], ..user("") };
    check(
        Anthropic,
        &plain(),
        vec![user("a"), calls(&["1"]), mixed, assistant("b")],
        "User. Assistant(1) User[1]. Assistant.",
    );
    // A system message in the middle of a round moves after it.
    let framed = vec![user("a"), calls(&["1"]), system("s"), result("1", "x"), assistant("b")];
    check(OpenAiChat, &plain(), framed, "User. Assistant(1) Tool[1] System. Assistant.");
}

#[test]
fn ids_and_names_become_such_as_are_taken() {
    let round = |id: &str, name: &str| vec![user("a"), call(id, name, "{}"), result(id, "x")];
    let end = || vec![assistant("b"), user("c")];
    check(
        Anthropic,
        &plain(),
        [round("ä b", "run"), end()].concat(),
        "User. Assistant(__b) Tool[__b] Assistant. User.",
    );
    check(
        Anthropic,
        &plain(),
        [round("", "run"), end()].concat(),
        "User. Assistant(call_1_0) Tool[call_1_0] Assistant. User.",
    );
    // VS Code distinguished two calls with one id; without its suffixes they must be distinguished again.
    let both = [round("x__vscode-1", "run"), round("x__vscode-2", "run"), end()].concat();
    check(
        OpenAiChat,
        &plain(),
        both.clone(),
        "User. Assistant(x) Tool[x] User. Assistant(x-2) Tool[x-2] Assistant. User.",
    );
    check(
        VsCode,
        &plain(),
        both,
        "User. Assistant(x__vscode-1) Tool[x__vscode-1] User. Assistant(x__vscode-2) Tool[x__vscode-2] Assistant. User.",
    );
    // A new id is not one that another call has.
    let taken = [round("ä", "run"), round("_", "run"), end()].concat();
    check(Anthropic, &plain(), taken, "User. Assistant(_-2) Tool[_-2] User. Assistant(_) Tool[_] Assistant. User.");
    let long = [round(&"x".repeat(70), "run"), round(&"x".repeat(71), "run"), end()].concat();
    let cut = "x".repeat(64);
    let other = format!("{}-2", "x".repeat(61));
    check(
        OpenAiResponses,
        &plain(),
        long,
        &format!("User. Assistant({cut}) Tool[{cut}] User. Assistant({other}) Tool[{other}] Assistant. User."),
    );
    let out = check(
        OpenAiChat,
        &plain(),
        [round("1", "mcp.server/tool"), end()].concat(),
        "User. Assistant(1) Tool[1] Assistant. User.",
    );
    assert!(matches!(&out[1].parts[0], Part::ToolCall { name, .. } if name == "mcp_server_tool"));
}

#[test]
fn somebody_speaks_first_and_last() {
    let settings = Settings { opening: Some("Begin.".into()), closing: Some("Go on.".into()), ..plain() };
    let out = check(Gemini, &settings, vec![system("s"), assistant("a")], "System. User. Assistant. User.");
    assert_eq!([out[1].text(), out[3].text()], ["Begin.", "Go on."]);
    check(VsCode, &plain(), vec![assistant("a")], "Assistant. User.");
    let out = check(Anthropic, &plain(), vec![user("a"), assistant("It is \n")], "User. Assistant.");
    assert_eq!(out[1].text(), "It is");
    check(
        Gemini,
        &plain(),
        vec![user("a"), user("b"), assistant("c"), assistant("d"), user("e")],
        "User.. Assistant.. User.",
    );
    check(OpenAiChat, &plain(), vec![], "User.");
}

#[test]
fn what_is_empty_goes_with_its_neighbours_put_together() {
    let thinking = Message { parts: vec![Part::Reasoning { text: "hm".into(), sealed: None }], ..assistant("") };
    check(Gemini, &plain(), vec![user("q"), thinking, user("next")], "User..");
    check(Anthropic, &plain(), vec![user("q"), assistant(" "), user("next")], "User. User.");
}

#[test]
fn pictures_become_notes() {
    let picture = Part::Image { media_type: None, data: Some("aGVsbG8=".into()), url: None, detail: None };
    let mut seen = result("1", "x");
    if let Part::ToolResult { content, .. } = &mut seen.parts[0] {
        content.push(picture.clone());
    }
    let messages = vec![Message { parts: vec![picture], ..user("") }, calls(&["1"]), seen, assistant("b")];
    let out = check(OpenAiChat, &plain(), messages, "User. Assistant(1) Tool[1] Assistant.");
    assert_eq!(out[0].text(), "[Image was attached]");
    assert!(
        matches!(&out[2].parts[0], Part::ToolResult { content, .. } if content.len() == 2 && content[1] == Part::Text { text: "[Image was attached]".into() })
    );
}

#[test]
fn tools_that_are_not_sent_go_with_their_results() {
    let search = vec![
        user("a"),
        call("1", "tool_search", "{}"),
        result("1", "x"),
        call("2", "run", "{}"),
        result("2", "y"),
        assistant("b"),
    ];
    let special = Special { drop_tools: vec!["tool_search".into()], ..Special::default() };
    let target = Target { special, ..Target::new(Anthropic) };
    check_for(&target, &plain(), search, "User. Assistant(2) Tool[2] Assistant.");
}

#[test]
fn what_is_untouched_is_kept_and_said_so() {
    let messages = numbered(vec![user("a"), calls(&["1"]), user("w"), result("1", "x"), assistant("b"), user("c")]);
    let repaired = repair(&messages, &Target::new(OpenAiChat), &plain());
    let keep = |index: usize| PlanItem::keep(messages[index].id.clone());
    assert_eq!(repaired.plan, [0, 1, 3, 2, 4, 5].map(keep));
    let changes: Vec<_> = repaired.changes.iter().map(|change| (change.rule, change.index)).collect();
    assert_eq!(changes, [("result-place", Some(3))]);
}

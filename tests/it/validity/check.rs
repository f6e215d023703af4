//! Each rule by its name, the message and part that it names, and the providers that have it.

use espalier::message::{Message, Part, Role};
use espalier::validity::{Provider, Purpose, Row, Special, Target, check};

use crate::support::{assistant, call, calls, numbered, result, result_part, system, user};

const CHAT: Target = Target::new(Provider::OpenAiChat);
const RESPONSES: Target = Target::new(Provider::OpenAiResponses);
const ANTHROPIC: Target = Target::new(Provider::Anthropic);
const GEMINI: Target = Target::new(Provider::Gemini);
const VSCODE: Target = Target::new(Provider::VsCode);

fn found(target: &Target, messages: Vec<Message>) -> String {
    let found = check(&numbered(messages), target);
    let place = |n: Option<usize>, sign: &str| n.map_or(String::new(), |n| format!("{sign}{n}"));
    let one = |f: &espalier::validity::Finding| {
        format!("{}{}{}{}{}", f.rule, place(f.index, "@"), place(f.part, "."), place(f.item, ":"), place(f.tool, "#"))
    };
    found.iter().map(one).collect::<Vec<_>>().join(" ")
}

fn finds(targets: &[&Target], messages: &[Message], expected: &str) {
    for target in targets {
        assert_eq!(found(target, messages.to_vec()), expected, "{}", target.provider.as_str());
    }
}

fn with(role: Role, parts: Vec<Part>) -> Message {
    Message { role, parts, ..user("") }
}

fn text(text: &str) -> Part {
    Part::Text { text: text.into() }
}

fn opaque() -> Part {
    Part::Opaque { json: "{}".into(), tokens: None, sealed: None, call_id: None }
}

fn thought() -> Part {
    Part::Reasoning { text: "hm".into(), sealed: None }
}

fn picture(data: &str) -> Part {
    Part::Image { media_type: None, data: Some(data.into()), url: None, detail: None }
}

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB";
const ALL: [&Target; 5] = [&CHAT, &RESPONSES, &ANTHROPIC, &GEMINI, &VSCODE];

#[test]
fn a_plain_conversation_is_valid_everywhere() {
    let round = [system("s"), user("a"), calls(&["1"]), result("1", "x"), assistant("b"), user("c")];
    finds(&ALL, &round, "");
}

#[test]
fn results_without_calls_and_calls_without_results() {
    finds(&ALL, &[user("a"), assistant("b"), result("1", "x"), assistant("c"), user("d")], "orphan-result@2.0");
    finds(
        &[&CHAT, &RESPONSES, &ANTHROPIC, &VSCODE],
        &[user("a"), calls(&["1"]), assistant("b"), user("c")],
        "lost-call@1.0",
    );
    finds(&[&CHAT, &RESPONSES], &[user("a"), calls(&["1", "2"]), result("1", "x")], "pending-call@1.1");
    let passes = Target { pending: false, ..CHAT };
    finds(&[&passes], &[user("a"), calls(&["1"])], "");
    // A later message of the user: the call is no longer pending.
    finds(&[&CHAT, &RESPONSES, &ANTHROPIC, &VSCODE], &[user("a"), calls(&["1"]), user("b")], "lost-call@1.0");
}

#[test]
fn results_in_the_wrong_place() {
    let after_words = [user("a"), calls(&["1"]), user("w"), result("1", "x"), assistant("b"), user("c")];
    finds(&[&CHAT, &ANTHROPIC, &VSCODE], &after_words, "result-place@3.0");
    finds(&[&RESPONSES], &after_words, "");
    finds(&[&GEMINI], &after_words, "same-role@3 result-place@3.0");
    // Responses have one item a call; in chats each calling message is followed by its results.
    let run = [user("a"), calls(&["1"]), calls(&["2"]), result("1", "x"), result("2", "y"), assistant("b")];
    finds(&[&RESPONSES], &run, "");
    finds(&[&CHAT], &run, "result-place@3.0");
    let split = [user("a"), calls(&["1", "2"]), result("1", "x"), result("2", "y"), assistant("b"), user("c")];
    finds(&[&CHAT, &RESPONSES], &split, "");
    finds(&[&ANTHROPIC, &VSCODE], &split, "result-split@3.0");
    let mixed = with(Role::User, vec![text("w"), result_part("1", "x")]);
    let mixed = [user("a"), calls(&["1"]), mixed, assistant("b"), user("c")];
    finds(&[&ANTHROPIC, &GEMINI], &mixed, "words-before-result@2.1");
    finds(&[&VSCODE], &mixed, "");
    // The adapter joins neutral results.
    finds(&[&Target { wire: false, ..ANTHROPIC }, &Target { wire: false, ..GEMINI }], &split, "");
}

#[test]
fn a_result_of_another_name_answers_nothing_where_names_count() {
    let mut other = result("1", "x");
    if let Part::ToolResult { name, .. } = &mut other.parts[0] {
        *name = Some("other".into());
    }
    let messages = [user("a"), calls(&["1"]), other, assistant("b"), user("c")];
    finds(&[&GEMINI], &messages, "lost-call@1.0 orphan-result@2.0");
    finds(&[&CHAT, &RESPONSES, &ANTHROPIC, &VSCODE], &messages, "");
}

#[test]
fn roles() {
    finds(&[&ANTHROPIC, &GEMINI], &[assistant("a"), user("b")], "first-role@0");
    finds(&[&CHAT, &RESPONSES, &VSCODE], &[assistant("a"), user("b")], "");
    finds(&[&GEMINI, &VSCODE], &[user("a"), assistant("b")], "last-role@1");
    finds(&[&CHAT, &RESPONSES, &ANTHROPIC], &[user("a"), assistant("b")], "");
    finds(&[&ANTHROPIC], &[user("a"), assistant("b ")], "prefill-space@1.0");
    finds(&[&ANTHROPIC], &[user("a"), with(Role::Assistant, vec![thought()])], "last-role@1");
    let strict = Target { special: Special { no_prefill: true, ..Special::default() }, ..ANTHROPIC };
    finds(&[&strict], &[user("a"), assistant("b")], "last-role@1");
    let mistral = Target { special: Special::of(Provider::OpenAiChat, "devstral-small", Purpose::Answer, &[]), ..CHAT };
    let round = [user("a"), calls(&["1"]), result("1", "x")];
    finds(&[&mistral], &[user("a"), assistant("b")], "last-role@1");
    finds(&[&mistral], &round, "");
    let asked = [&round[..], &[system("s"), user("b"), user("c")]].concat();
    finds(&[&mistral], &asked, "unanswered-result@4");
    finds(&[&CHAT], &asked, "");
    let paused = with(Role::Assistant, vec![text("b"), opaque()]);
    finds(&[&ANTHROPIC, &strict], &[user("a"), paused.clone()], "");
    finds(&[&GEMINI, &VSCODE], &[user("a"), paused], "last-role@1");
    finds(&[&GEMINI], &[user("a"), user("b")], "same-role@1");
    finds(&[&CHAT, &RESPONSES, &ANTHROPIC, &VSCODE], &[user("a"), user("b")], "");
    finds(&ALL, &[], "no-messages");
    finds(&ALL, &[system("a")], "no-messages");
    let mouth = with(Role::User, vec![text("a"), calls(&["1"]).parts.remove(0)]);
    finds(&[&CHAT, &ANTHROPIC], &[mouth, user("b")], "call-role@0.1");
    let own = with(Role::Assistant, vec![calls(&["1"]).parts.remove(0), result_part("1", "x"), text("b")]);
    finds(&[&CHAT, &RESPONSES], &[user("a"), own.clone(), user("c")], "result-role@1.1");
    finds(&[&Target { own_results: true, ..CHAT }], &[user("a"), own, user("c")], "");
}

#[test]
fn a_note_about_a_call_belongs_to_its_round() {
    let note = with(Role::Tool, vec![opaque()]);
    let with_note = with(Role::Tool, vec![result_part("1", "x"), opaque()]);
    finds(&[&CHAT, &ANTHROPIC], &[user("a"), calls(&["1"]), note.clone()], "pending-call@1.0");
    let answered = [user("a"), calls(&["1", "2"]), result("1", "x"), note.clone()];
    finds(&[&CHAT, &ANTHROPIC], &answered, "pending-call@1.1");
    finds(&[&CHAT, &ANTHROPIC], &[user("a"), calls(&["1", "2"]), with_note.clone()], "pending-call@1.1");
    finds(&[&CHAT], &[user("a"), calls(&["1"]), note.clone(), result("1", "x"), user("b")], "");
    finds(&[&CHAT], &[user("a"), calls(&["1", "2"]), with_note, result("2", "x"), user("b")], "");
    finds(&[&CHAT, &ANTHROPIC], &[user("a"), calls(&["1"]), note, user("b")], "lost-call@1.0");
}

#[test]
fn empty_messages() {
    finds(&[&CHAT, &RESPONSES, &ANTHROPIC, &GEMINI, &VSCODE], &[user("a"), assistant(" "), user("b")], "empty@1");
    finds(&[&CHAT], &[user(""), assistant("b")], "");
    finds(&[&CHAT], &[with(Role::User, vec![]), assistant("b")], "empty@0");
    finds(&[&RESPONSES, &ANTHROPIC], &[user(""), user("b")], "empty@0");
    let blank = with(Role::User, vec![text("a"), text("\n")]);
    finds(&[&ANTHROPIC], std::slice::from_ref(&blank), "blank-text@0.1");
    finds(&[&CHAT, &RESPONSES, &GEMINI, &VSCODE], &[blank], "");
    let thinking = [user("a"), with(Role::Assistant, vec![thought()]), user("b")];
    finds(&[&ANTHROPIC, &VSCODE], &thinking, "");
    finds(&[&CHAT, &GEMINI], &thinking, "empty@1");
    finds(&[&RESPONSES], &thinking, "lone-thought@1");
    let led =
        [user("a"), with(Role::Assistant, vec![thought()]), with(Role::Assistant, vec![thought()]), calls(&["1"])];
    finds(&[&Target { pending: false, ..RESPONSES }], &led, "");
}

#[test]
fn ids() {
    let round = |id: &str| vec![user("a"), calls(&[id]), result(id, "x"), assistant("b"), user("c")];
    for (id, expected) in [
        ("ok", [""; 5]),
        ("", ["missing-id@1.0"; 5]),
        ("call:1.0", ["missing-id@1.0", "missing-id@1.0", "missing-id@1.0", "", "missing-id@1.0"]),
        ("a__vscode-12", ["internal-id@1.0", "internal-id@1.0", "internal-id@1.0", "internal-id@1.0", ""]),
        ("a__vscode_12", [""; 5]),
        ("ä", ["", "", "call-id@1.0", "", ""]),
        (&"x".repeat(41), ["call-id@1.0", "", "", "", ""]),
        (&"x".repeat(65), ["call-id@1.0", "call-id@1.0", "", "", ""]),
    ] {
        for (target, expected) in ALL.iter().zip(expected) {
            assert_eq!(found(target, round(id)), expected, "{id} {}", target.provider.as_str());
        }
    }
    let twice: Vec<Message> = [round("1"), round("1")].concat();
    finds(&[&RESPONSES, &ANTHROPIC, &VSCODE], &twice, "double-id@6.0");
    // gpt-4o took such requests: each call was answered before its id came again.
    finds(&[&CHAT], &twice, "");
    let at_once = [user("a"), calls(&["1", "1"]), result("1", "x"), result("1", "y"), user("b")];
    finds(&[&CHAT], &at_once, "double-id@1.1");
    let lost = [user("a"), calls(&["1"]), assistant("b"), calls(&["1"]), result("1", "y"), user("c")];
    finds(&[&CHAT], &lost, "lost-call@1.0 double-id@3.0");
}

#[test]
fn names_of_tools() {
    let round = |name: &str| vec![user("a"), call("1", name, "{}"), result("1", "x"), assistant("b"), user("c")];
    for (name, expected) in [("run", [true; 5]), ("", [false, false, false, false, false])] {
        for (target, valid) in ALL.iter().zip(expected) {
            assert_eq!(found(target, round(name)).is_empty(), valid, "{name} {}", target.provider.as_str());
        }
    }
    for (name, expected) in [
        ("mcp.run", [false, false, false, true, true]),
        ("1st", [true, true, true, false, true]),
        (&"x".repeat(65), [false, false, true, false, true]),
    ] {
        for (target, valid) in ALL.iter().zip(expected) {
            assert_eq!(found(target, round(name)).is_empty(), valid, "{name} {}", target.provider.as_str());
        }
    }
    let odd = Target { tools: Some(vec!["run".into(), "a b".into()]), ..CHAT };
    finds(&[&odd], &[user("a")], "tool-name#1");
    finds(&[&Target { tools: Some(vec![]), ..ANTHROPIC }], &round("run"), "tools-missing");
    finds(&[&Target { tools: Some(vec![]), ..CHAT }], &round("run"), "");
}

#[test]
fn pictures() {
    finds(&[&CHAT], &[with(Role::User, vec![picture(PNG)])], "");
    finds(&ALL, &[with(Role::User, vec![text("a"), picture("aGVsbG8=")])], "bad-image@0.1");
    let none = Part::Image { media_type: None, data: None, url: None, detail: None };
    finds(&ALL, &[with(Role::User, vec![none])], "bad-image@0.0");
    let shown = [user("a"), with(Role::Assistant, vec![text("b"), picture(PNG)]), user("c")];
    finds(&[&CHAT, &RESPONSES, &ANTHROPIC, &VSCODE], &shown, "image-place@1.1");
    finds(&[&GEMINI], &shown, "");
    let mut seen = result("1", "x");
    if let Part::ToolResult { content, .. } = &mut seen.parts[0] {
        content.push(picture(PNG));
    }
    let seen = [user("a"), calls(&["1"]), seen, assistant("b"), user("c")];
    finds(&[&CHAT], &seen, "image-place@2.0:1");
    finds(&[&RESPONSES, &ANTHROPIC, &GEMINI, &VSCODE], &seen, "");
    let document = Part::Document { media_type: None, data_length: 4, pages: None };
    let both = [with(Role::User, vec![picture(PNG), document])];
    let special = |model: &str, purpose| Special::of(Provider::OpenAiChat, model, purpose, &[]);
    finds(&[&Target { special: special("gpt-4", Purpose::Answer), ..CHAT }], &both, "media-model@0.0 media-model@0.1");
    finds(&[&Target { special: special("gpt-4o", Purpose::Answer), ..CHAT }], &both, "");
    finds(&[&Target { special: special("gpt-4o", Purpose::Summary), ..CHAT }], &both, "media-model@0.0");
    // JPEG, GIF and WebP by their first bytes; HEIC only where it is accepted.
    for data in ["/9j/4AAQSkZJRg==", "R0lGODlhAQABAA==", "UklGRiQAAABXRUJQVlA4"] {
        finds(&ALL, &[with(Role::User, vec![picture(data)])], "");
    }
    finds(&[&CHAT, &ANTHROPIC], &[with(Role::User, vec![picture("AAAAGGZ0eXBoZWlj")])], "bad-image@0.0");
    finds(&[&GEMINI], &[with(Role::User, vec![picture("AAAAGGZ0eXBoZWlj")])], "");
}

#[test]
fn rows_of_the_host() {
    let row = |row: Row| Special::of(Provider::Anthropic, "my-model", Purpose::Answer, &[row]);
    let like = |pattern: &str| Row { model: Some(pattern.into()), text_only: true, ..Row::default() };
    assert!(row(like("my-*")).text_only);
    assert!(!row(like("your-*")).text_only);
    assert!(!row(Row { provider: Some("gemini".into()), ..like("my-*") }).text_only);
    let summary = Special::of(Provider::Anthropic, "", Purpose::Summary, &[]);
    assert!(summary.drop_tools.iter().any(|tool| tool == "tool_search") && summary.no_pictures);
    assert!(Special::of(Provider::OpenAiChat, "", Purpose::Summary, &[]).drop_tools.is_empty());
}

//! Recorded placements of Copilot Chat. Cases with a `quirk` are defects of it, which this profile corrects.

use espalier::cache::{Layout, Lifetime, Place, Profile, Scheme, ToolFact, place};
use espalier::message::{Message, Part, Role};
use espalier::tokens::CostModel;
use serde_json::Value;

use crate::support::{Chars, numbered, result_part};

fn vectors(file: &str) -> Vec<Value> {
    let path = format!("{}/tests/fixtures/vectors/copilot-chat/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let file: Value = serde_json::from_str(&text).unwrap();
    file["cases"].as_array().unwrap().clone()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

fn message(value: &Value) -> Message {
    let (role, is_result) = match text(&value["role"]) {
        "system" => (Role::System, false),
        "user" => (Role::User, false),
        "assistant" => (Role::Assistant, false),
        "tool" => (Role::Tool, true),
        other => panic!("role {other}"),
    };
    let mut parts: Vec<Part> = Vec::new();
    for part in value["parts"].as_array().unwrap() {
        match text(part) {
            "cacheBreakpoint" => parts.push(Part::CacheMark),
            // One result, with any content.
            _ if is_result && !parts.is_empty() => {}
            _ if is_result => parts.push(result_part("c", "out")),
            "text" => parts.push(Part::Text { text: "text".into() }),
            other => panic!("part {other}"),
        }
    }
    for number in 0..value["toolCalls"].as_u64().unwrap_or(0) {
        parts.push(Part::ToolCall { call_id: format!("c{number}"), name: "f".into(), arguments: "{}".into() });
    }
    Message { id: String::new(), role, name: None, parts }
}

/// The placements of our profile in the cases in which the recorded system errs.
const CORRECTED: [(&str, &[usize]); 9] = [
    ("QUIRK four already present: one more is still added (five in total)", &[]),
    ("QUIRK single tool message: its neighbour wraps round to itself, so it is not a round end", &[0]),
    ("random 32", &[8, 10]),
    ("random 34", &[4, 16]),
    ("random 42", &[9, 15]),
    ("random 48", &[3, 5, 11]),
    ("random 88", &[5, 11]),
    ("random 96", &[0, 5, 13]),
    ("random 106", &[0, 6]),
];

#[test]
fn marks_on_messages() {
    let mut corrected = Vec::new();
    let cases = vectors("cache-breakpoints");
    for case in &cases {
        let name = text(&case["name"]);
        let messages = numbered(case["messages"].as_array().unwrap().iter().map(message).collect());
        let layout =
            Layout { profile: Profile::CopilotChat, scheme: Scheme::OpenAi, max_marks: 4, ..Layout::default() };
        let placed = place(&messages, &[], &layout, CostModel::Espalier, &Chars);
        let added: Vec<usize> =
            placed.marks.iter().filter(|mark| mark.why != "caller").filter_map(|mark| mark.place.message()).collect();
        if case["quirk"].is_string() {
            let ours = CORRECTED.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(added, ours.1, "{name}");
            corrected.push(name);
        } else {
            let wanted: Vec<usize> = case["added"].as_array().unwrap().iter().map(number).collect();
            assert_eq!(added, wanted, "{name}");
            assert_eq!(placed.marks.len(), number(&case["total"]), "{name}");
        }
        assert!(placed.marks.len() <= 4, "{name}");
    }
    assert_eq!((cases.len(), corrected.len()), (80, CORRECTED.len()));
}

/// Reads a message: `u:tr` is a user message with a text and a result.
fn blocks(short: &str) -> Message {
    let (role, letters) = short.split_once(':').unwrap();
    let part = |letter: char| match letter {
        't' => Part::Text { text: "text".into() },
        'i' => Part::Image { media_type: None, data: Some("x".into()), url: None, detail: None },
        'c' => Part::ToolCall { call_id: "c".into(), name: "f".into(), arguments: "{}".into() },
        'r' => result_part("c", "out"),
        'k' | 'K' => Part::Reasoning { text: "hm".into(), sealed: None },
        other => panic!("block {other}"),
    };
    let role = if role == "u" { Role::User } else { Role::Assistant };
    Message { id: String::new(), role, name: None, parts: letters.chars().map(part).collect() }
}

fn lifetime(value: &Value) -> Lifetime {
    if value == "1h" { Lifetime::OneHour } else { Lifetime::FiveMinutes }
}

#[test]
fn marks_on_blocks() {
    let cases = vectors("anthropic-cache-control");
    for case in &cases {
        let name = text(&case["name"]);
        let system: String = "t".repeat(number(&case["systemBlocks"]));
        let mut messages = vec![Message { role: Role::System, ..blocks(&format!("u:{system}")) }];
        messages.extend(case["messages"].as_array().unwrap().iter().map(|message| blocks(text(message))));
        let tools = case["tools"].as_array().unwrap().iter();
        let layout = Layout {
            profile: Profile::CopilotChat,
            scheme: Scheme::Anthropic,
            max_marks: 4,
            prefix_lifetime: lifetime(&case["prefixTtl"]),
            message_lifetime: lifetime(&case["messageTtl"]),
            tools: tools.map(|tool| ToolFact { deferred: text(tool).ends_with('!'), mark: None }).collect(),
            ..Layout::default()
        };
        let placed = place(&numbered(messages), &[], &layout, CostModel::Espalier, &Chars);
        let mut marks: Vec<(Place, Lifetime)> = placed.marks.iter().map(|mark| (mark.place, mark.lifetime)).collect();
        let wanted = case["marks"].as_array().unwrap().iter().map(|mark| {
            let place = match text(&mark["at"]) {
                "tool" => Place::Tool(number(&mark["tool"])),
                "system" => Place::Message { message: 0, part: Some(number(&mark["block"])) },
                _ => Place::Message { message: number(&mark["message"]) + 1, part: Some(number(&mark["block"])) },
            };
            (place, lifetime(&mark["ttl"]))
        });
        let mut wanted: Vec<(Place, Lifetime)> = wanted.collect();
        wanted.sort();
        marks.sort();
        assert_eq!(marks, wanted, "{name}");
    }
    assert_eq!(cases.len(), 5);
}

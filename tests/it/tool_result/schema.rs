use espalier::tool_result::schema::{Shape, Style};
use serde_json::Value;

use super::Chars;

const CASES: &str = include_str!("../../fixtures/vectors/copilot-chat/json-schema.json");

#[test]
fn vectors() {
    let file: Value = serde_json::from_str(CASES).unwrap();
    let mut differ = Vec::new();
    for case in file["cases"].as_array().unwrap() {
        let found = Shape::of(&case["input"].to_string()).unwrap().schema(Style::CopilotChat, usize::MAX);
        if case["quirk"].is_null() {
            assert_eq!(found.to_string(), case["schema"].to_string(), "{case}");
        } else {
            differ.push(found["items"].to_string());
        }
    }
    // The items of all lists count, not only those of the first.
    let wanted = [
        r#"{"type":"array","items":{"type":"integer"}}"#,
        r#"{"type":"object","properties":{"x":{"type":"array","items":{"oneOf":[{"type":"integer"},{"type":"string"}]}}},"required":["x"]}"#,
    ];
    assert_eq!(differ, wanted);
}

fn check(text: &str, wanted: &str) {
    assert_eq!(Shape::of(text).unwrap().schema(Style::Espalier, 8).to_string(), wanted);
}

#[test]
fn ours_says_how_long_lists_are_and_knows_maps() {
    check("[1,2,3]", r#"{"type":"array","items":{"type":"integer"},"x-count":3}"#);
    check(
        "[[1],[1,2]]",
        r#"{"type":"array","items":{"type":"array","items":{"type":"integer"},"x-count":"1..2"},"x-count":2}"#,
    );
    let map: String = (0..60).map(|at| format!("\"key{at}\":{{\"n\":{at}}},")).collect();
    check(
        &format!("{{{}}}", map.trim_end_matches(',')),
        r#"{"type":"object","additionalProperties":{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]},"x-count":60}"#,
    );
}

#[test]
fn lines_of_json() {
    let shape = Shape::of_lines("{\"a\":1}\n{\"a\":2,\"b\":null}\n\n").unwrap();
    assert_eq!(
        shape.schema(Style::CopilotChat, 8).to_string(),
        r#"{"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"null"}},"required":["a"]}"#
    );
    assert!(Shape::of_lines("{\"a\":1}").is_none() && Shape::of_lines("{}\nnot JSON\n").is_none());
}

#[test]
fn a_schema_gets_shallower_until_it_fits() {
    let deep = r#"{"a":{"b":{"c":{"d":{"e":{"f":{"g":{"h":{"i":{"j":1}}}}}}}}}}"#;
    let shape = Shape::of(deep).unwrap();
    for most in [10, 20, 50, 100, 1_000] {
        if let Some(text) = shape.within(Style::Espalier, most, &Chars(4)) {
            assert!(text.len().div_ceil(4) as u64 <= most);
            assert!(serde_json::from_str::<Value>(&text).is_ok());
        }
    }
    assert!(!shape.within(Style::Espalier, 1_000, &Chars(4)).unwrap().contains("\"j\""));
}

#[test]
fn what_is_no_json() {
    for text in ["", "{", "[1,]", "nul", "{\"a\":1} x", "\u{feff}[]"] {
        assert!(Shape::of(text).is_none(), "{text}");
    }
    assert!(Shape::of(&"[".repeat(100_000)).is_none());
    assert!(Shape::of("{\"__proto__\":1,\"a\":1,\"a\":\"x\"}").is_some());
}

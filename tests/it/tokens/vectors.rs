//! Recorded counts of Copilot Chat: texts, messages, parts, tools, pictures, documents, the breakdown. All agree; a
//! case marked as a `quirk` belongs to its formula, and `espalier` counts differently.

use espalier::message::{Message, Part, Role, Tool};
use espalier::tokens::image::{ImageModel, Size, decode_base64, size_of};
use espalier::tokens::{CostModel, EncodingName, Label, Room, TAGS, Tokenizer, breakdown};
use serde_json::Value;

use crate::encodings::encoding;

/// A tokenizer in which a text costs its length in UTF-16 units.
struct Units;

impl Tokenizer for Units {
    fn count(&self, text: &str) -> u64 {
        text.encode_utf16().count() as u64
    }
}

fn vectors(file: &str) -> Value {
    let path = format!("{}/tests/fixtures/vectors/copilot-chat/{file}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    serde_json::from_str(&text).expect("vectors")
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn counters() -> [(&'static str, &'static dyn Tokenizer); 3] {
    [
        ("o200k_base", encoding(EncodingName::O200kBase)),
        ("cl100k_base", encoding(EncodingName::Cl100kBase)),
        ("chars", &Units),
    ]
}

fn owned(value: &Value) -> Option<String> {
    value.as_str().map(str::to_string)
}

fn part(value: &Value) -> Part {
    match value["type"].as_str().expect("a type") {
        "text" => Part::Text { text: owned(&value["text"]).expect("a text") },
        "image" => {
            Part::Image { media_type: None, data: None, url: owned(&value["url"]), detail: owned(&value["detail"]) }
        }
        "opaque" => Part::Opaque {
            json: value["value"].to_string(),
            tokens: value["tokenUsage"].as_u64(),
            sealed: None,
            call_id: None,
        },
        "cacheBreakpoint" => Part::CacheMark,
        "document" => {
            let data_length = value["data"].as_str().expect("data").len() as u64;
            Part::Document { media_type: None, data_length, pages: None }
        }
        other => panic!("part {other}"),
    }
}

fn message(value: &Value) -> Message {
    let content: Vec<Part> = list(&value["content"]).iter().map(part).collect();
    let role = match value["role"].as_str().expect("a role") {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        other => panic!("role {other}"),
    };
    let mut parts = content;
    if role == Role::Tool {
        let call_id = owned(&value["toolCallId"]).expect("an id");
        parts = vec![Part::ToolResult { call_id, name: None, content: parts, is_error: false }];
    }
    parts.extend(list(&value["toolCalls"]).iter().map(|call| Part::ToolCall {
        call_id: owned(&call["id"]).expect("an id"),
        name: owned(&call["name"]).expect("a name"),
        arguments: owned(&call["arguments"]).expect("arguments"),
    }));
    Message { id: "m".into(), role, name: owned(&value["name"]), parts }
}

#[test]
fn texts() {
    let cases = vectors("token-count-text");
    for case in list(&cases["cases"]) {
        let text = case["text"].as_str().expect("a text");
        for (name, tokenizer) in &counters()[..2] {
            assert_eq!(tokenizer.count(text), case[*name].as_u64().expect("a count"), "{name} {text:?}");
        }
    }
    assert_eq!(list(&cases["cases"]).len(), 12);
}

#[test]
fn messages_and_parts() {
    let file = vectors("token-count-messages");
    for case in list(&file["messages"]) {
        let messages: Vec<Message> = list(&case["messages"]).iter().map(message).collect();
        for (name, tokenizer) in counters() {
            let counts: Vec<u64> =
                messages.iter().map(|message| CostModel::CopilotChat.message(message, tokenizer).tokens).collect();
            let wanted = &case["counts"][name];
            let each: Vec<u64> = list(&wanted["perMessage"]).iter().filter_map(Value::as_u64).collect();
            assert_eq!(counts, each, "{name} {}", case["name"]);
            let total = counts.iter().sum::<u64>() + CostModel::CopilotChat.list_overhead();
            assert_eq!(Some(total), wanted["total"].as_u64(), "{name} {}", case["name"]);
        }
    }
    for case in list(&file["parts"]) {
        for (name, tokenizer) in counters() {
            let cost = CostModel::CopilotChat.part(Role::User, &part(&case["part"]), tokenizer);
            assert_eq!(Some(cost.tokens), case["counts"][name].as_u64(), "{name} {}", case["name"]);
        }
    }
    assert_eq!((list(&file["messages"]).len(), list(&file["parts"]).len()), (15, 4));
}

#[test]
fn tools() {
    let file = vectors("token-count-tools");
    for case in list(&file["cases"]) {
        let tools: Vec<Tool> = list(&case["tools"])
            .iter()
            .map(|tool| Tool {
                name: owned(&tool["name"]).expect("a name"),
                description: owned(&tool["description"]).expect("a description"),
                schema: tool["inputSchema"].to_string(),
            })
            .collect();
        for (name, tokenizer) in counters() {
            let cost = CostModel::CopilotChat.tools(&tools, tokenizer);
            assert_eq!(Some(cost.total), case["counts"][name].as_u64(), "{name} {}", case["name"]);
        }
        let cost = CostModel::CopilotChatExtension.tools(&tools, &Units);
        assert_eq!(Some(cost.total), case["counts"]["chars_recursive_keys"].as_u64(), "{}", case["name"]);
    }
    assert_eq!(list(&file["cases"]).len(), 6);
}

#[test]
fn pictures_and_documents() {
    let file = vectors("images");
    let number = |value: &Value| value.as_u64().expect("a number");
    let side = |value: &Value| u32::try_from(number(value)).expect("a side");
    for case in list(&file["byDimensions"]) {
        let size = Size { width: side(&case["width"]), height: side(&case["height"]) };
        assert_eq!(ImageModel::CopilotChat.tokens(size, case["detail"] == "low"), number(&case["tokens"]), "{case}");
    }
    let o200k = encoding(EncodingName::O200kBase);
    for case in list(&file["byUrl"]) {
        let url = owned(&case["url"]).expect("a URL");
        let dimensions = &case["dimensions"];
        let wanted = (!dimensions.is_null())
            .then(|| Size { width: side(&dimensions["width"]), height: side(&dimensions["height"]) });
        let bytes = if url.starts_with("data:") { decode_base64(&url) } else { Vec::new() };
        assert_eq!(size_of(&bytes), wanted, "{}", case["label"]);
        let picture = Part::Image { media_type: None, data: None, url: Some(url), detail: None };
        let cost = CostModel::CopilotChat.part(Role::User, &picture, o200k);
        assert_eq!(cost.tokens, number(&case["tokenLengthO200k"]), "{}", case["label"]);
    }
    for case in list(&file["documents"]) {
        let document = Part::Document { media_type: None, data_length: number(&case["base64Length"]), pages: None };
        let cost = CostModel::CopilotChat.part(Role::User, &document, o200k);
        assert_eq!(cost.tokens, number(&case["tokens"]), "{case}");
    }
    let lengths = ["byDimensions", "byUrl", "documents"].map(|name| list(&file[name]).len());
    assert_eq!(lengths, [55, 6, 7]);
}

/// Its percentages, from our shares. It counts only the parts of the content, we also count the message around them, so
/// that ours sum to the total; a label may differ by the cost of the message itself.
#[test]
fn breakdowns() {
    let file = vectors("prompt-token-details");
    for case in list(&file["cases"]) {
        let messages: Vec<Message> = list(&case["messages"]).iter().map(message).collect();
        let room = Room { reported: case["totalPromptTokens"].as_u64(), ..Room::default() };
        let split = breakdown(&messages, &[], CostModel::CopilotChat, TAGS, room, &Units);
        let tokens: u64 = split.shares.iter().map(|share| share.tokens).sum();
        let structure = 100 * (3 + 3 + "system".len() as u64) / split.total.max(1) + 1;
        for label in Label::ALL {
            let name = match label {
                Label::System => "System Instructions",
                Label::ToolDefinitions => "Tool Definitions",
                Label::Messages => "Messages",
                Label::Files => "Files",
                Label::ToolResults => "Tool Results",
            };
            let rows = list(&case["details"]).iter().filter(|row| row["label"] == name);
            let wanted: u64 = rows.filter_map(|row| row["percentageOfPrompt"].as_u64()).sum();
            let found = split.shares.iter().find(|share| share.label == label).map_or(0, |share| share.percent);
            assert!(found.abs_diff(wanted) <= structure, "{}: {label:?} {found} {wanted}", case["name"]);
        }
        assert!(room.reported.is_some() || tokens == split.total, "{}", case["name"]);
    }
    assert_eq!(list(&file["cases"]).len(), 8);
}

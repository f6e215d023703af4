//! The cost of messages, tools, pictures and documents, by both models.

use std::collections::HashMap;
use std::rc::Rc;

use crate::encodings::encoding;
use espalier::message::{Message, Part, Role, Tool};
use espalier::tokens::image::{ImageModel, Picture, Size, decode_base64, size_of};
use espalier::tokens::{Cost, CostModel, EncodingName, Origin, Seeing, Tokenizer, document_cost, encoding_for_model};

/// A tokenizer in which a text costs its length, so that formulas can be checked by hand.
struct Length;

impl Tokenizer for Length {
    fn count(&self, text: &str) -> u64 {
        text.len() as u64
    }
}

fn text(text: &str) -> Part {
    Part::Text { text: text.into() }
}

fn message(role: Role, parts: Vec<Part>) -> Message {
    Message { id: "m0".into(), role, name: None, parts }
}

fn call(id: &str, name: &str, arguments: &str) -> Part {
    Part::ToolCall { call_id: id.into(), name: name.into(), arguments: arguments.into() }
}

fn result(id: &str, content: Vec<Part>) -> Part {
    Part::ToolResult { call_id: id.into(), name: None, content, is_error: false }
}

fn opaque(json: &str, tokens: Option<u64>) -> Part {
    Part::Opaque { json: json.into(), tokens, sealed: None, call_id: None }
}

fn image(data: Option<&str>, url: Option<&str>, detail: Option<&str>) -> Part {
    Part::Image {
        media_type: None,
        data: data.map(Into::into),
        url: url.map(Into::into),
        detail: detail.map(Into::into),
    }
}

fn document(data_length: u64, pages: Option<u32>) -> Part {
    Part::Document { media_type: None, data_length, pages }
}

#[test]
fn public_conversations() {
    let o200k = encoding(EncodingName::O200kBase);
    let hello = message(Role::User, vec![text("Hello world!")]);
    for model in [CostModel::Espalier, CostModel::CopilotChat] {
        assert_eq!(model.message(&hello, o200k), Cost::exact(7));
        assert_eq!(model.list_overhead() + model.message(&hello, o200k).tokens, 10);
    }
    // The six messages of OpenAI's cookbook ("How to count tokens"), 129 tokens by their API.
    let cookbook = [
        (
            Role::System,
            None,
            "You are a helpful, pattern-following assistant that translates corporate jargon into plain English.",
        ),
        (Role::System, Some("example_user"), "New synergies will help drive top-line growth."),
        (Role::System, Some("example_assistant"), "Things working well together will increase revenue."),
        (
            Role::System,
            Some("example_user"),
            "Let's circle back when we have more bandwidth to touch base on opportunities for increased leverage.",
        ),
        (Role::System, Some("example_assistant"), "Let's talk later when we're less busy about how to do better."),
        (Role::User, None, "This late pivot means we don't have time to boil the ocean for the client deliverable."),
    ];
    let cl100k = encoding(EncodingName::Cl100kBase);
    for model in [CostModel::Espalier, CostModel::CopilotChat] {
        let messages = cookbook.iter().map(|(role, name, content)| {
            let mut message = message(*role, vec![text(content)]);
            message.name = name.map(Into::into);
            model.message(&message, cl100k)
        });
        assert_eq!(messages.sum::<Cost>() + model.list_overhead(), Cost::exact(129), "{}", model.name());
    }
}

#[test]
fn messages() {
    let check = |message: &Message, espalier: u64, copilot: u64| {
        assert_eq!(CostModel::Espalier.message(message, &Length).tokens, espalier, "espalier {message:?}");
        assert_eq!(CostModel::CopilotChat.message(message, &Length).tokens, copilot, "copilot-chat {message:?}");
    };
    check(&message(Role::User, vec![]), 4, 3 + 4);
    check(&message(Role::User, vec![text("abc"), text("de")]), 4 + 5, 3 + 4 + 5);
    check(&message(Role::Developer, vec![text("abc"), Part::CacheMark]), 4 + 3, 3 + 9 + 3);
    // Calls: 3 + role + 1.5 x (id + "function" + name + 1 + arguments), rounded down once; 8 each without a factor.
    let calls = vec![text("hm"), call("c1", "read", "{}"), call("c2", "ls", "{}")];
    let strings = (2 + 8 + 4 + 1 + 2) + (2 + 8 + 2 + 1 + 2);
    check(&message(Role::Assistant, calls), 4 + 2 + (8 + 4 + 2) + (8 + 2 + 2), 3 + 9 + 2 + strings * 3 / 2);
    // Behind a boundary is another message; texts on both sides are not joined, and nothing is sent for an empty side.
    let steps = |mut parts: Vec<Part>| {
        parts.insert(0, Part::Boundary);
        parts.extend([Part::Boundary, Part::CacheMark, Part::Boundary]);
        message(Role::Assistant, parts)
    };
    check(&steps(vec![text("ab"), Part::Boundary, text("c")]), (4 + 2) + (4 + 1), 3 + 9 + 3);
    let round = vec![call("c1", "ls", "{}"), Part::Boundary, result("c1", vec![text("out")])];
    check(&steps(round), (4 + 8 + 2 + 2) + (4 + 4 + 3), (3 + 4 + 2 + 3) + 3 + 9 + (2 + 8 + 2 + 1 + 2) * 3 / 2);
    check(&steps(vec![]), 0, 3 + 9);
    // Results: each is a message of its own on the wire, with its call id.
    check(&message(Role::Tool, vec![result("c1", vec![text("out")])]), 4 + 3 + 4, 3 + 4 + 2 + 3);
    check(
        &message(Role::User, vec![result("c1", vec![text("x")]), result("c2", vec![]), text("go on")]),
        4 + (1 + 4) + 4 + 5,
        (3 + 4 + 2 + 1) + (3 + 4 + 2) + (3 + 4 + 5),
    );
    // Reasoning is counted if it is sent.
    check(
        &message(Role::Assistant, vec![Part::Reasoning { text: "why".into(), sealed: None }, text("so")]),
        4 + 3 + 2,
        3 + 9 + 2,
    );
    // Sealed thoughts are an estimate, unless their summary is longer.
    for (sealed, cost) in [(50, 50), (1, 3)] {
        let thought = message(Role::Assistant, vec![Part::Reasoning { text: "why".into(), sealed: Some(sealed) }]);
        check(&thought, 4 + cost, 3 + 9);
        assert_eq!(CostModel::Espalier.message(&thought, &Length).origin, Origin::Estimate);
    }
    let sealed = message(
        Role::Assistant,
        vec![Part::Opaque { json: "{\"x\":\"yz\"}".into(), tokens: None, sealed: Some(2), call_id: None }],
    );
    assert_eq!(CostModel::Espalier.message(&sealed, &Length), Cost::estimate(4 + 2));
    let named = Message { name: Some("ann".into()), ..message(Role::User, vec![text("a")]) };
    check(&named, 4 + 1 + 3 + 1, 3 + 4 + 1 + 3 + 1);
    let unnamed = Message { name: Some(String::new()), ..message(Role::User, vec![text("a")]) };
    check(&unnamed, 4 + 1, 3 + 4 + 1);
    // System and assistant send texts only; opaque values cost their strings, or what the host declares.
    check(&message(Role::Assistant, vec![text("a"), opaque("{\"x\":\"yz\"}", None)]), 4 + 1 + 10, 3 + 9 + 1);
    check(&message(Role::User, vec![text("a"), opaque("{\"x\":\"yz\"}", Some(50))]), 4 + 1 + 50, 3 + 4 + 1 + 2);
    check(&message(Role::User, vec![opaque("no json", None)]), 4 + 7, 3 + 4 + 7);
    // A document is free inside a message of copilot-chat.
    check(&message(Role::User, vec![document(1000, None)]), 4 + 94, 3 + 4);
}

#[test]
fn data_in_opaque_values() {
    let cost = |json: &str| {
        let whole = CostModel::Espalier.message(&message(Role::Assistant, vec![opaque(json, None)]), &Length);
        (whole.tokens - 4, whole.origin)
    };
    let pixels = "A".repeat(2_000);
    // A PNG file of 512 by 512 pixels.
    let png = format!("iVBORw0KGgoAAAANSUhEUgAAAgAAAAIACAYAAADPeyyO{pixels}");
    let rest = r#"{"type":"image_generation_call","result":""}"#.len() as u64;
    assert_eq!(cost(&format!(r#"{{"type":"image_generation_call","result":"{png}"}}"#)), (rest + 255, Origin::Exact));
    let rest = r#"{"say":"\"","url":"","more":"b"}"#.len() as u64;
    let url = format!("data:image/png;base64,{png}");
    assert_eq!(cost(&format!(r#"{{"say":"\"","url":"{url}","more":"b"}}"#)), (rest + 255, Origin::Exact));
    // Four characters are three bytes, and four bytes a token.
    let rest = r#"[{"encrypted_content":""}]"#.len() as u64;
    assert_eq!(cost(&format!(r#"[{{"encrypted_content":"{pixels}"}}]"#)), (rest + 375, Origin::Estimate));
    // A PDF file, whose pages cannot be counted here: eight bytes are a token. Recordings in a data URL.
    let pdf = format!("JVBERi0xLjcK{pixels}");
    assert_eq!(cost(&format!(r#"["{pdf}"]"#)), (4 + 189, Origin::Estimate));
    assert_eq!(cost(&format!(r#"["data:audio/mp3;base64,{pixels}"]"#)), (4 + 12, Origin::Estimate));
    // Texts, ids, and JSON that is none stay what they are.
    let prose = "word ".repeat(400);
    let id = "A".repeat(500);
    for json in [format!(r#"["{prose}"]"#), format!(r#"["{id}"]"#), format!(r#"["{pixels}"#), format!("{pixels}\\")] {
        assert_eq!(cost(&json), (json.len() as u64, Origin::Exact), "{json}");
    }
}

#[test]
fn strings_of_opaque_values() {
    let check = |json: &str, wanted: u64| {
        let cost = CostModel::CopilotChat.message(&message(Role::User, vec![opaque(json, None)]), &Length);
        assert_eq!(cost.tokens - 7, wanted, "{json}");
    };
    check(r#"{"a":"bc","n":5,"t":true,"z":null,"e":""}"#, 2);
    check(r#"["a",["b",{"k":"cd"}]]"#, 4);
    check(r#"{"name":"ab"}"#, 3);
    check(r#"{"x":{"name":""}}"#, 0);
    check(r#"{"type":"text","text":"abc","other":"zzz"}"#, 3);
    check(r#"{"tool_calls":[{"id":"a","function":{"name":"b"}}]}"#, (1 + 1 + 1) * 3 / 2);
}

#[test]
fn parts_alone() {
    let check = |part: &Part, espalier: Cost, copilot: Cost| {
        assert_eq!(CostModel::Espalier.part(Role::User, part, &Length), espalier, "espalier {part:?}");
        assert_eq!(CostModel::CopilotChat.part(Role::User, part, &Length), copilot, "copilot-chat {part:?}");
    };
    check(&text("abc"), Cost::exact(3), Cost::exact(3));
    check(&opaque("{\"a\":\"b\"}", None), Cost::exact(9), Cost::exact(0));
    check(&opaque("{\"a\":\"b\"}", Some(7)), Cost::exact(7), Cost::exact(7));
    check(&document(1000, None), Cost::estimate(94), Cost::estimate(94));
    check(&document(0, None), Cost::estimate(1_500), Cost::estimate(0));
    check(&document(1000, Some(2)), Cost::estimate(3_000), Cost::estimate(94));
    check(&result("ab", vec![text("xyz")]), Cost::exact(7), Cost::exact(5));
    check(&Part::CacheMark, Cost::ZERO, Cost::ZERO);
    check(&image(None, Some("https://x/y"), None), Cost::estimate(1_105), Cost::estimate(11));
    // Copilot Chat reads inline pictures; for others it counts the URL, whatever their detail.
    check(&image(None, Some("https://x/y"), Some("low")), Cost::exact(85), Cost::estimate(11));
    check(&image(Some("bm90IGFuIGltYWdl"), None, Some("low")), Cost::exact(85), Cost::exact(85));
    check(&image(None, Some("data:image/png;base64,AA=="), Some("low")), Cost::exact(85), Cost::exact(85));
    check(&image(Some("bm90IGFuIGltYWdl"), None, None), Cost::estimate(1_105), Cost::estimate(22 + 16));
}

#[test]
fn tools() {
    let tool = |name: &str, description: &str, schema: &str| Tool {
        name: name.into(),
        description: description.into(),
        schema: schema.into(),
    };
    let check = |tools: &[Tool], espalier: u64, copilot: u64| {
        for (model, wanted) in [(CostModel::Espalier, espalier), (CostModel::CopilotChat, copilot)] {
            let cost = model.tools(tools, &Length);
            assert_eq!(cost.total, wanted, "{} {tools:?}", model.name());
            let each: u64 = cost.per_tool.iter().map(|tool| tool.tokens).sum();
            assert_eq!((cost.overhead + each, cost.per_tool.len()), (cost.total, tools.len()));
        }
    };
    check(&[], 0, 0);
    // "name" and "parameters" are keys that count, "type" and "properties" inside the schema are not.
    let schema = r#"{"type":"object","properties":{"path":{"type":"string","name":"p"}}}"#;
    let values = 6 + 6 + 1 + 1;
    let read = tool("read", "", schema);
    check(std::slice::from_ref(&read), 16 + 8 + 4 + schema.len() as u64, (16 + 8 + 4 + 4 + 10 + values) * 11 / 10);
    let ls = tool("ls", "lists", "");
    check(std::slice::from_ref(&ls), 16 + 8 + 2 + 5, (16 + 8 + 4 + 2 + 11 + 5) * 11 / 10);
    let both = (16 + 8 + 4 + 4 + 10 + values + 8 + 4 + 2 + 11 + 5) * 11 / 10;
    check(&[read, ls], 16 + 8 + 4 + schema.len() as u64 + 8 + 2 + 5, both);
    check(&[tool("x", "", "not json")], 16 + 8 + 1 + 8, (16 + 8 + 4 + 1 + 10 + 8) * 11 / 10);
    // Models of other extensions: the keys inside the schema count, and `type: "text"` is not special.
    let extension = |tool: Tool, wanted: u64| {
        assert_eq!(
            CostModel::CopilotChatExtension.tools(std::slice::from_ref(&tool), &Length).total,
            wanted,
            "{tool:?}"
        );
    };
    let weather = r#"{"type":"object","properties":{"location":{"type":"string"}}}"#;
    extension(tool("get_weather", "Get the current weather", weather), 133);
    extension(tool("f", "d", r#"{"type":"object","properties":{"name":{"type":"string"}}}"#), 93);
    let text = r#"{"type":"object","properties":{"x":{"type":"text","text":"hello","description":"ignored because type is text"}}}"#;
    extension(tool("f", "d", text), 140);
    extension(tool("noop", "Does nothing.", "{}"), 72);
    // Indexes of arrays are keys; empty values are skipped with their index.
    let array = |items: &str| tool("f", "d", &format!(r#"{{"required":{items}}}"#));
    let required = |items: u64| (16 + 8 + 4 + 1 + 11 + 1 + 10 + 8 + items) * 11 / 10;
    extension(array("[]"), required(0));
    extension(array(r#"["ab","c"]"#), required(2 + 1 + 2));
    extension(array(r#"["",0,null,"c",[]]"#), required(2 + 1));
    extension(array(r#"["a","a","a","a","a","a","a","a","a","a","a"]"#), required(11 + 10 + 2));
    // Half of a surrogate pair is one character, as it is sent.
    let odd = |text: &str| tool("x", "", &format!(r#"{{"a":"{text}"}}"#));
    let sent = |length: u64| (16 + 8 + 4 + 1 + 10 + length) * 11 / 10;
    for (text, length) in [
        (r"\ud800", 3),
        (r"\udfffb", 4),
        (r"\ud83d\ude00", 4),
        (r"\ud800\ud83d\ude00", 7),
        (r"\ud800\n\u0041", 5),
        (r"\\ud800\ud800", 9),
        (r"\ud800é", 5),
    ] {
        assert_eq!(CostModel::CopilotChat.tools(&[odd(text)], &Length).total, sent(length), "{text}");
    }
    // Deeper than any reader allows: counted as text, without a crash.
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    check(&[tool("x", "", &deep)], 16 + 8 + 1 + 200_000, (16 + 8 + 4 + 1 + 10 + 200_000) * 11 / 10);
}

#[test]
fn removing_a_message_frees_its_own_count() {
    let mut messages = vec![
        message(Role::System, vec![text("be brief")]),
        message(Role::User, vec![text("a"), image(None, Some("https://x"), None)]),
        message(Role::Assistant, vec![call("c1", "f", "{}")]),
        message(Role::Tool, vec![result("c1", vec![text("r")])]),
    ];
    for model in [CostModel::Espalier, CostModel::CopilotChat] {
        let total = |messages: &[Message]| messages.iter().map(|m| model.message(m, &Length)).sum::<Cost>().tokens;
        for at in 0..messages.len() {
            let (before, own) = (total(&messages), model.message(&messages[at], &Length).tokens);
            let removed = messages.remove(at);
            assert_eq!(total(&messages), before - own);
            messages.insert(at, removed);
        }
    }
}

#[test]
fn image_formulas() {
    let check = |model: ImageModel, width: u32, height: u32, wanted: u64| {
        assert_eq!(model.tokens(Size { width, height }, false), wanted, "{model:?} {width} x {height}");
    };
    let reference = ImageModel::CopilotChat;
    check(reference, 640, 480, 765);
    check(reference, 4000, 3000, 765);
    check(reference, 1, 1, 765);
    check(reference, 10_000, 100, 52_445);
    check(reference, 512, 1024, 1_105);
    check(reference, u32::MAX, 1, 400 * 170 + 85);
    assert_eq!(reference.tokens(Size { width: 4000, height: 3000 }, true), 85);
    let tiles = ImageModel::default();
    check(tiles, 640, 480, 425);
    check(tiles, 4000, 3000, 765);
    check(tiles, 1, 1, 255);
    check(tiles, 10_000, 100, 765);
    check(tiles, u32::MAX, 1, 765);
    check(tiles, u32::MAX, u32::MAX, 765);
    assert_eq!(tiles.tokens(Size { width: 4000, height: 3000 }, true), 85);
    let gemini = ImageModel::Gemini;
    check(gemini, 384, 384, 258);
    check(gemini, 4000, 3000, 24 * 258);
    check(gemini, 7_680, 7_680, 25_800);
    // No header makes a request unusable.
    for model in [reference, tiles, gemini, ImageModel::Anthropic, ImageModel::OpenAiPatches { hundredths: 246 }] {
        for (width, height) in [(u32::MAX, u32::MAX), (1 << 31, 1 << 31), (u32::MAX, 1), (1, u32::MAX), (2_048, 1)] {
            assert!(model.tokens(Size { width, height }, false) <= 70_000, "{model:?} {width} x {height}");
        }
    }
    let patches = ImageModel::OpenAiPatches { hundredths: 100 };
    check(patches, 1024, 1024, 1024);
    check(patches, 1, 33, 2);
    check(patches, 8000, 8000, 1536);
    check(ImageModel::OpenAiPatches { hundredths: 162 }, 1024, 1024, 1_659);
    check(ImageModel::Anthropic, 750, 100, 100);
    check(ImageModel::Anthropic, 3136, 1568, 1_640);
    check(ImageModel::Gemini, 384, 384, 258);
    check(ImageModel::Gemini, 385, 10, 258);
    check(ImageModel::Gemini, 1536, 769, 4 * 258);
    check(ImageModel::GeminiCli, 9, 9, 3_000);
}

#[test]
fn how_models_see_pictures() {
    let check = |model: &str, wanted: u64, low: u64| {
        let images = ImageModel::of_model(model);
        let size = Size { width: 1024, height: 1024 };
        assert_eq!((images.tokens(size, false), images.tokens(size, true)), (wanted, low), "{model}");
    };
    // 768 x 768 are four tiles; 1,024 patches; 1,024 x 1,024 / 750; four tiles of 768.
    check("gpt-4o", 4 * 170 + 85, 85);
    check("gpt-4.1", 4 * 170 + 85, 85);
    check("gpt-4o-mini-2024-07-18", 4 * 5_667 + 2_833, 2_833);
    check("gpt-5", 4 * 140 + 70, 70);
    check("gpt-5.1-codex", 4 * 140 + 70, 70);
    check("o1", 4 * 150 + 75, 75);
    check("openai/o3", 4 * 150 + 75, 75);
    check("computer-use-preview", 4 * 129 + 65, 65);
    check("gpt-4.1-mini", 1_659, 1_659);
    check("gpt-4.1-nano", 2_520, 2_520);
    check("gpt-5-mini", 1_659, 1_659);
    check("gpt-5-nano-2025-08-07", 2_520, 2_520);
    check("o4-mini", 1_762, 1_762);
    check("anthropic/claude-sonnet-4.5", 1_399, 1_399);
    check("gemini-2.5-pro", 4 * 258, 4 * 258);
    check("models/GEMINI-2.0-flash", 4 * 258, 4 * 258);
    check("some-other", 4 * 170 + 85, 85);
    check("", 4 * 170 + 85, 85);
}

/// Returns a tokenizer with the formula of a model and the sizes that the host knows.
fn seeing(model: ImageModel, sizes: &[(&str, u32, u32)]) -> Seeing<Length> {
    let sizes = sizes.iter().map(|(key, width, height)| (key.to_string(), Size { width: *width, height: *height }));
    let sizes: HashMap<String, Size> = sizes.collect();
    let size_of = move |picture: Picture| sizes.get(picture.url.or(picture.data)?).copied();
    Seeing { tokenizer: Length, images: model, size_of: Some(Rc::new(size_of)) }
}

#[test]
fn pictures_as_a_model_sees_them() {
    let png = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHg";
    let check = |part: Part, eyes: &Seeing<Length>, wanted: Cost| {
        let whole = message(Role::User, vec![text("ab"), part.clone()]);
        assert_eq!(CostModel::Espalier.part(Role::User, &part, eyes), wanted, "{part:?}");
        assert_eq!(CostModel::Espalier.message(&whole, eyes), wanted + (4 + 2), "{part:?}");
        // It costs the same in a result.
        let held = result("c", vec![part.clone()]);
        assert_eq!(CostModel::Espalier.part(Role::User, &held, eyes), wanted + 4, "{part:?}");
    };
    let claude = seeing(ImageModel::Anthropic, &[("https://x/y", 1_500, 750), ("AAAA", 750, 750)]);
    check(image(Some(png), None, None), &claude, Cost::exact(410));
    // Low detail has no effect.
    check(image(Some(png), None, Some("low")), &claude, Cost::exact(410));
    check(image(None, Some("https://x/y"), None), &claude, Cost::exact(1_500));
    check(image(Some("AAAA"), None, None), &claude, Cost::exact(750));
    check(image(None, Some("https://x/z"), None), &claude, Cost::estimate(1_105));
    // The header takes precedence over the host.
    let wrong = seeing(ImageModel::Anthropic, &[(png, 9, 9)]);
    check(image(Some(png), None, None), &wrong, Cost::exact(410));
    let gemini = seeing(ImageModel::Gemini, &[]);
    check(image(Some(png), None, None), &gemini, Cost::exact(258));
    let patches = seeing(ImageModel::OpenAiPatches { hundredths: 162 }, &[]);
    check(image(Some(png), None, None), &patches, Cost::exact(486));
    let flat = seeing(ImageModel::GeminiCli, &[]);
    check(image(Some(png), None, None), &flat, Cost::estimate(3_000));
    check(image(None, Some("https://x/y"), None), &flat, Cost::estimate(3_000));
    check(document(9, Some(2)), &flat, Cost::estimate(25_800));
    check(document(9, Some(2)), &gemini, Cost::estimate(3_000));
    // Copilot Chat has one formula for all models.
    let copilot = CostModel::CopilotChat.part(Role::User, &image(Some(png), None, None), &claude);
    assert_eq!(copilot, Cost::exact(765));
}

#[test]
fn sizes_of_pictures() {
    let check = |bytes: &[u8], wanted: Option<(u32, u32)>| {
        assert_eq!(size_of(bytes).map(|size| (size.width, size.height)), wanted, "{bytes:02X?}");
        // Every beginning is read without a panic, and returns that size or `None`.
        for end in 0..bytes.len() {
            let size = size_of(&bytes[..end]).map(|size| (size.width, size.height));
            assert!(size.is_none() || size == wanted, "{end} bytes of {bytes:02X?}");
        }
    };
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0DIHDR\0\0\x02\x80\0\0\x01\xE0";
    check(png, Some((640, 480)));
    check(b"GIF87a\x80\x02\xE0\x01", Some((640, 480)));
    for marker in [0xC0, 0xC1, 0xC2] {
        // A comment and fill bytes precede the frame header.
        let mut jpeg = b"\xFF\xD8\xFF\xFE\x00\x04hi\xFF\xFF".to_vec();
        jpeg.extend([marker, 0, 17, 8, 1, 0xE0, 2, 0x80]);
        check(&jpeg, Some((640, 480)));
    }
    check(b"\xFF\xD8\xFF\xDA\x00\x04hi\xFF\xC0\x00\x11\x08\x01\xE0\x02\x80", None);
    check(b"\xFF\xD8\xFF\xFE\x00\x01", None);
    check(b"RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9D\x01\x2A\x80\x42\xE0\x81", Some((640, 480)));
    check(b"RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2F\x7F\xC2\x77\x00", Some((640, 480)));
    check(b"RIFF\0\0\0\0WEBPVP8X\0\0\0\0\0\0\0\0\x7F\x02\0\xDF\x01\0", Some((640, 480)));
    check(b"RIFF\0\0\0\0WAVEfmt ", None);
    check(b"\x89PNG\r\n\x1a\n\0\0\0\x0DIHDR\0\0\0\0\0\0\x01\xE0", None);
    check(b"", None);
    check(b"<svg width='1'/>", None);
    assert_eq!(decode_base64("aGVsbG8="), b"hello");
    assert_eq!(decode_base64("data:image/png;base64,aGVs\nbG8"), b"hello");
    assert_eq!(decode_base64("_-8*aGVs"), [0xFF, 0xEF]);
    assert_eq!(decode_base64("data:nothing"), b"");
}

#[test]
fn pictures_in_messages() {
    // 640 x 480, as inline data, as data URL; only `espalier` reads lossless WebP.
    let png = "iVBORw0KGgoAAAANSUhEUgAAAoAAAAHg";
    let check = |part: Part, espalier: Cost, copilot: Cost| {
        let own = |model: CostModel| model.part(Role::User, &part, &Length);
        assert_eq!((own(CostModel::Espalier), own(CostModel::CopilotChat)), (espalier, copilot), "{part:?}");
    };
    check(image(Some(png), None, None), Cost::exact(425), Cost::exact(765));
    check(image(None, Some(&format!("data:image/gif;base64,{png}")), None), Cost::exact(425), Cost::exact(765));
    check(image(Some(png), None, Some("low")), Cost::exact(85), Cost::exact(85));
    let webp = "UklGRgAAAABXRUJQVlA4TAAAAAAvf8J3AA==";
    check(image(Some(webp), None, None), Cost::exact(425), Cost::estimate(22 + webp.len() as u64));
    let seen = message(Role::System, vec![text("x"), image(Some(png), None, None)]);
    assert_eq!(CostModel::CopilotChat.message(&seen, &Length).tokens, 3 + 6 + 1);
    assert_eq!(CostModel::Espalier.message(&seen, &Length).tokens, 4 + 1 + 425);
}

#[test]
fn documents() {
    assert_eq!(document_cost(1000, None, None), Cost::estimate(94));
    assert_eq!(document_cost(u64::MAX, None, None).origin, Origin::Estimate);
    assert_eq!(document_cost(9, Some(0), None).tokens, 1);
}

#[test]
fn models_and_encodings() {
    use EncodingName::{Cl100kBase, O200kBase};
    let check = |model: &str, encoding: EncodingName, origin: Origin| {
        assert_eq!(encoding_for_model(model), (encoding, origin), "{model}");
    };
    for model in
        ["gpt-4o", "gpt-4o-2024-08-06", "gpt-4.1-nano", "gpt-5.1-codex", "o1", "o3-mini", "o4-mini-high", "gpt-oss-20b"]
    {
        check(model, O200kBase, Origin::Exact);
    }
    for model in ["gpt-4", "gpt-4-32k", "gpt-3.5-turbo-0125", "text-embedding-3-large", "text-embedding-ada-002"] {
        check(model, Cl100kBase, Origin::Exact);
    }
    check("openai/GPT-4o", O200kBase, Origin::Exact);
    for model in ["claude-opus-4-5", "gemini-2.5-pro", "llama-3.1-70b", "", "text-davinci-003", "o"] {
        check(model, O200kBase, Origin::Prior);
    }
    // We also know every model for which tiktoken-rs uses one of our two encodings.
    for model in [
        "gpt-4.5-preview",
        "chatgpt-4o-latest",
        "ft:gpt-4o:acme",
        "ft:gpt-3.5-turbo:acme",
        "gpt-5",
        "gpt-35-turbo",
        "gpt-4.1",
    ] {
        use tiktoken_rs::tokenizer::{Tokenizer, get_tokenizer};
        let wanted = match get_tokenizer(model) {
            Some(Tokenizer::O200kBase) => O200kBase,
            Some(Tokenizer::Cl100kBase) => Cl100kBase,
            other => panic!("{model}: {other:?}"),
        };
        check(model, wanted, Origin::Exact);
    }
    assert_eq!(EncodingName::from_name("o200k_harmony").unwrap_err().code.as_str(), "unknown_encoding");
    assert_eq!(CostModel::from_name("copilot-chat"), Ok(CostModel::CopilotChat));
    assert_eq!(CostModel::from_name("").unwrap_err().code.as_str(), "bad_option");
}

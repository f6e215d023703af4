//! Recorded conversations (OpenAI chat messages) as neutral messages.

use espalier::message::{Message, Part, Role};
use serde_json::Value;

/// Returns the messages of a file `{ "messages": [...] }`, or `None` if it has another form.
pub fn messages(text: &str) -> Option<Vec<Message>> {
    let file: Value = serde_json::from_str(text).ok()?;
    let messages = file["messages"].as_array()?;
    Some(messages.iter().enumerate().map(|(at, message)| read(at, message)).collect())
}

fn read(at: usize, message: &Value) -> Message {
    let text = |key: &str| message[key].as_str().unwrap_or_default().to_string();
    let role = match message["role"].as_str().unwrap() {
        "system" => Role::System,
        "user" => Role::User,
        "assistant" => Role::Assistant,
        "tool" => Role::Tool,
        other => panic!("role {other}"),
    };
    let mut parts = Vec::new();
    if role == Role::Tool {
        parts.push(Part::ToolResult {
            call_id: text("tool_call_id"),
            name: message["name"].as_str().map(str::to_string),
            content: vec![Part::Text { text: text("content") }],
            is_error: false,
        });
    } else if message["content"].is_string() {
        parts.push(Part::Text { text: text("content") });
    }
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        parts.push(Part::ToolCall {
            call_id: text(&call["id"]),
            name: text(&call["function"]["name"]),
            arguments: text(&call["function"]["arguments"]),
        });
    }
    Message { id: format!("m{at}"), role, name: None, parts }
}

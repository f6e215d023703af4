//! The conversation model: what the core knows of a host's messages.
//!
//! In: one [`Message`] per host message, made by an adapter in `js/formats/` (the host's objects stay in JavaScript,
//! addressed by `id`). Out: a plan ([`edit`]) in the same ids, from which the adapter rebuilds the host's
//! own format. Messages of `OpenAI`, `Anthropic`, `Gemini`, VS Code and the AI SDK all have this one shape; parts that
//! the core need not understand are [`Part::Opaque`]. Start reading at [`Message`].
//!
//! [`tool_map`] reads what a tool call does (from the tables in [`dialects`]), [`change`] what it changes in files,
//! [`tool_output`] what its result says, [`path`] the paths that it names.

pub mod change;
pub mod dialects;
pub mod edit;
pub mod path;
pub mod tool_map;
pub mod tool_output;

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::tagged::needed;

/// The author of a message. `System` and `Developer` messages form the frame of a request, which is never edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Role {
    System,
    Developer,
    User,
    Assistant,
    Tool,
}

impl Role {
    /// Returns the role in the providers' spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::System => "system",
            Role::Developer => "developer",
            Role::User => "user",
            Role::Assistant => "assistant",
            Role::Tool => "tool",
        }
    }

    /// True for the roles of the frame.
    pub fn is_frame(self) -> bool {
        matches!(self, Role::System | Role::Developer)
    }
}

/// One message as the core sees it. The host's own object stays in JavaScript, addressed by `id`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Message {
    /// Unique in the conversation. Adapters use `m<index>`, and `system` for a system prompt that the format keeps
    /// apart.
    pub id: String,
    pub role: Role,
    /// The speaker's name, if the format has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub parts: Vec<Part>,
}

/// One piece of a message, in the order in which it is sent.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Part {
    Text {
        text: String,
    },
    /// A call of a tool by the assistant. `arguments` is the JSON text as it is sent.
    ToolCall {
        call_id: String,
        name: String,
        arguments: String,
    },
    /// The answer to a call. `content` holds text, images, documents and opaque parts only.
    ToolResult {
        call_id: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        content: Vec<Part>,
        #[serde(skip_serializing_if = "std::ops::Not::not")]
        is_error: bool,
    },
    /// Thinking of the model, if it is sent back.
    Reasoning {
        text: String,
        /// Estimated tokens of thoughts that only the provider can read. They count if they are more than those of
        /// `text`, which is then a summary.
        #[serde(skip_serializing_if = "Option::is_none")]
        sealed: Option<u64>,
    },
    Image {
        #[serde(skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
        /// Base64 without a `data:` prefix. Adapters pass at most the first 131,072 characters; the core reads only the
        /// header.
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        url: Option<String>,
        /// `low`, `high` or `auto`.
        #[serde(skip_serializing_if = "Option::is_none")]
        detail: Option<String>,
    },
    Document {
        #[serde(skip_serializing_if = "Option::is_none")]
        media_type: Option<String>,
        /// Length of the base64 text, in characters; 0 if the document is only referenced.
        data_length: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        pages: Option<u32>,
    },
    /// Content that the core does not know: counted by its JSON text, in which pictures and other data in base64 cost
    /// what they are, or by the `tokens` that the host declares.
    Opaque {
        json: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        tokens: Option<u64>,
        /// Estimated tokens of an item that only the provider can read; they count in place of `json`.
        #[serde(skip_serializing_if = "Option::is_none")]
        sealed: Option<u64>,
        /// Id that a call of a tool that the provider runs has in common with its result. The result may come in a
        /// later message of the turn; both stay and go with what is between them.
        #[serde(skip_serializing_if = "Option::is_none")]
        call_id: Option<String>,
    },
    /// A cache breakpoint. Costs no tokens.
    CacheMark,
    /// The parts behind it are sent as another message: UI messages of the AI SDK hold the steps of an agent, and each
    /// step is a message of the assistant and one with its results.
    Boundary,
}

impl Part {
    /// Returns whether the part has no content: it says something about the parts around it.
    pub fn is_mark(&self) -> bool {
        matches!(self, Part::CacheMark | Part::Boundary)
    }
}

crate::tagged! {
    Part {
        text = "text": String,
        call_id = "callId": String,
        name = "name": Option<String>,
        arguments = "arguments": String,
        content = "content": Vec<Part>,
        is_error = "isError": bool,
        media_type = "mediaType": Option<String>,
        data = "data": Option<String>,
        url = "url": Option<String>,
        detail = "detail": Option<String>,
        data_length = "dataLength": u64,
        pages = "pages": Option<u32>,
        json = "json": String,
        tokens = "tokens": Option<u64>,
        sealed = "sealed": Option<u64>,
    }
    "text" [text] => Part::Text { text: needed(text, "text")? },
    "toolCall" [call_id, name, arguments] => Part::ToolCall {
        call_id: needed(call_id, "callId")?,
        name: needed(name.flatten(), "name")?,
        arguments: needed(arguments, "arguments")?,
    },
    "toolResult" [call_id, name, content, is_error] => Part::ToolResult {
        call_id: needed(call_id, "callId")?,
        name: name.flatten(),
        content: needed(content, "content")?,
        is_error: is_error.unwrap_or_default(),
    },
    "reasoning" [text, sealed] => Part::Reasoning { text: needed(text, "text")?, sealed: sealed.flatten() },
    "image" [media_type, data, url, detail] => Part::Image {
        media_type: media_type.flatten(),
        data: data.flatten(),
        url: url.flatten(),
        detail: detail.flatten(),
    },
    "document" [media_type, data_length, pages] => Part::Document {
        media_type: media_type.flatten(),
        data_length: needed(data_length, "dataLength")?,
        pages: pages.flatten(),
    },
    "opaque" [json, tokens, sealed, call_id] => Part::Opaque {
        json: needed(json, "json")?,
        tokens: tokens.flatten(),
        sealed: sealed.flatten(),
        call_id,
    },
    "cacheMark" [] => Part::CacheMark,
    "boundary" [] => Part::Boundary,
}

/// A tool that the model may call, with the fields that counting needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tool {
    pub name: String,
    #[serde(default)]
    pub description: String,
    /// The parameter schema as compact JSON text; empty if there is none.
    #[serde(default)]
    pub schema: String,
}

impl Message {
    /// Returns the message's own text parts, joined by newlines, without results and reasoning.
    pub fn text(&self) -> String {
        let texts: Vec<&str> = self
            .parts
            .iter()
            .filter_map(|p| if let Part::Text { text } = p { Some(text.as_str()) } else { None })
            .collect();
        texts.join("\n")
    }

    /// Returns the ids of the calls in this message, in order.
    pub fn calls(&self) -> impl Iterator<Item = &str> {
        self.parts
            .iter()
            .filter_map(|p| if let Part::ToolCall { call_id, .. } = p { Some(call_id.as_str()) } else { None })
    }

    /// True for a message of the user with text.
    pub fn is_request(&self) -> bool {
        self.role == Role::User && !self.text().trim().is_empty()
    }

    /// Returns the message without its content.
    #[must_use]
    pub fn without_parts(&self) -> Message {
        Message { id: self.id.clone(), role: self.role, name: None, parts: vec![] }
    }

    /// Returns the ids of the calls that this message answers, in order.
    pub fn results(&self) -> impl Iterator<Item = &str> {
        self.parts
            .iter()
            .filter_map(|p| if let Part::ToolResult { call_id, .. } = p { Some(call_id.as_str()) } else { None })
    }
}

/// Returns the concatenated texts of the parts; copies only if there are several.
pub fn texts(parts: &[Part]) -> Cow<'_, str> {
    let mut texts =
        parts.iter().filter_map(|part| if let Part::Text { text } = part { Some(text.as_str()) } else { None });
    let Some(first) = texts.next() else { return Cow::Borrowed("") };
    let Some(second) = texts.next() else { return Cow::Borrowed(first) };
    let mut all = String::from(first);
    all.push_str(second);
    all.extend(texts);
    Cow::Owned(all)
}

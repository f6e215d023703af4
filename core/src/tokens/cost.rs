//! The costs of messages and tool definitions, by two cost models.
//!
//! `espalier` counts what a provider receives. `copilot-chat` is the formula of Copilot Chat with its two safety
//! factors, so that hosts who measured with it get the numbers that they know. The structure numbers (3 for a list, 3
//! for a message, 8 for a call or tool, 16 for a tool list) are conventions; calibration absorbs their error.

use super::document::{FLAT_PDF, bytes_of_token, reference_document};
use super::embedded::json_cost;
use super::image::{self, ImageModel, Picture, Size, is_lossless_webp, size_of};
use super::{Origin, Tokenizer, document_cost, escapes};
use crate::error::{Code, Error, Result};
use crate::message::{Message, Part, Role, Tool, texts};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::ops::{Add, AddAssign};

/// Tokens of a list of messages, of each message, and of a `name`: the public rule in OpenAI's cookbook.
const LIST: u64 = 3;
const MESSAGE: u64 = 3;
const NAME: u64 = 1;
/// Tokens around a role, a call and a result in the `espalier` model.
const ROLE: u64 = 1;
const CALL: u64 = 8;
const RESULT: u64 = 4;
/// Tokens of a tool list that is not empty, and of each tool in it.
const TOOLS: u64 = 16;
const TOOL: u64 = 8;

/// A number of tokens and its origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Cost {
    pub tokens: u64,
    pub origin: Origin,
}

impl Cost {
    /// No tokens, which is exact.
    pub const ZERO: Cost = Cost { tokens: 0, origin: Origin::Exact };

    /// Returns a counted number.
    pub fn exact(tokens: u64) -> Cost {
        Cost { tokens, origin: Origin::Exact }
    }

    /// Returns an estimated number.
    pub fn estimate(tokens: u64) -> Cost {
        Cost { tokens, origin: Origin::Estimate }
    }
}

impl Add for Cost {
    type Output = Cost;
    fn add(self, other: Cost) -> Cost {
        Cost { tokens: self.tokens.saturating_add(other.tokens), origin: self.origin.worst(other.origin) }
    }
}

impl Add<u64> for Cost {
    type Output = Cost;
    fn add(self, tokens: u64) -> Cost {
        self + Cost::exact(tokens)
    }
}

impl AddAssign for Cost {
    fn add_assign(&mut self, other: Cost) {
        *self = *self + other;
    }
}

impl std::iter::Sum for Cost {
    fn sum<I: Iterator<Item = Cost>>(costs: I) -> Cost {
        costs.fold(Cost::ZERO, Add::add)
    }
}

/// Tokens of one tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCost {
    pub name: String,
    pub tokens: u64,
}

/// The cost of a request's tool definitions. `total` is `overhead` plus the sum of `per_tool`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolsCost {
    pub total: u64,
    /// The cost of having any tools; 0 without tools.
    pub overhead: u64,
    /// One entry per tool, in order: the tokens that the tool adds to those before it, rounding included.
    pub per_tool: Vec<ToolCost>,
    pub origin: Origin,
}

/// How the cost of a message beside its text is counted.
///
/// # Origins
/// They assume an exact [`Tokenizer`]; a caller with a substitute combines them with [`Origin::worst`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub enum CostModel {
    /// Counts what the provider receives.
    #[default]
    #[serde(rename = "espalier")]
    Espalier,
    /// The formula of Copilot Chat over the OpenAI wire form of the message.
    #[serde(rename = "copilot-chat")]
    CopilotChat,
    /// The same formula for models of other extensions: in tool definitions, nested schema keys count as well, and
    /// neither names nor `type` are special.
    #[serde(rename = "copilot-chat-extension")]
    CopilotChatExtension,
}

impl CostModel {
    /// Returns the cost model with this name.
    ///
    /// # Errors
    /// [`Code::BadOption`], which lists the models.
    pub fn from_name(name: &str) -> Result<CostModel> {
        match name {
            "espalier" => Ok(CostModel::Espalier),
            "copilot-chat" => Ok(CostModel::CopilotChat),
            "copilot-chat-extension" => Ok(CostModel::CopilotChatExtension),
            _ => Err(Error::new(
                Code::BadOption,
                format!(
                    "there is no cost model {name:?}; use \"espalier\", \"copilot-chat\" or \"copilot-chat-extension\""
                ),
            )),
        }
    }

    /// Returns the name of the cost model.
    pub fn name(self) -> &'static str {
        match self {
            CostModel::Espalier => "espalier",
            CostModel::CopilotChat => "copilot-chat",
            CostModel::CopilotChatExtension => "copilot-chat-extension",
        }
    }

    /// Returns the tokens that a list of messages costs beyond its messages.
    pub fn list_overhead(self) -> u64 {
        LIST
    }

    /// Returns the tokens that a message adds to a list. Totals are additive: removing the message frees exactly this
    /// number.
    ///
    /// ```
    /// use espalier::message::{Message, Part, Role};
    /// use espalier::tokens::{CostModel, Tokenizer};
    /// struct Bytes; // one token a byte
    /// impl Tokenizer for Bytes {
    ///     fn count(&self, text: &str) -> u64 { text.len() as u64 }
    /// }
    /// let parts = vec![Part::Text { text: "hi".into() }];
    /// let message = Message { id: "m0".into(), role: Role::User, name: None, parts };
    /// assert_eq!(CostModel::Espalier.message(&message, &Bytes).tokens, 3 + 1 + 2);
    /// assert_eq!(CostModel::CopilotChat.message(&message, &Bytes).tokens, 3 + 4 + 2);
    /// ```
    pub fn message(self, message: &Message, tokenizer: &dyn Tokenizer) -> Cost {
        match self {
            CostModel::Espalier => espalier_message(message, tokenizer),
            CostModel::CopilotChat | CostModel::CopilotChatExtension => copilot_message(message, tokenizer),
        }
    }

    /// Returns the tokens of one part alone. The parts of a message need not sum to the message: neighbouring texts are
    /// joined before they are counted, and `copilot-chat` counts opaque parts and documents only if they are alone.
    pub fn part(self, role: Role, part: &Part, tokenizer: &dyn Tokenizer) -> Cost {
        match self {
            CostModel::Espalier => espalier_part(part, tokenizer),
            CostModel::CopilotChat | CostModel::CopilotChatExtension => match part {
                Part::Opaque { tokens, .. } => Cost::exact(tokens.unwrap_or(0)),
                Part::Document { data_length, .. } => Cost::estimate(reference_document(*data_length)),
                Part::ToolCall { .. } => Cost::exact(calls([part].into_iter(), tokenizer)),
                Part::ToolResult { call_id, content, .. } => {
                    copilot_content(Role::Tool, content, tokenizer) + tokenizer.count(call_id)
                }
                _ => copilot_content(role, std::slice::from_ref(part), tokenizer),
            },
        }
    }

    /// Returns the tokens that content other than text adds to a message of this role with such content.
    pub fn content(self, role: Role, part: &Part, tokenizer: &dyn Tokenizer) -> Cost {
        match self {
            CostModel::Espalier => espalier_part(part, tokenizer),
            _ if !self.counts_mixed(role) => Cost::ZERO,
            CostModel::CopilotChat | CostModel::CopilotChatExtension => copilot_part(part, tokenizer),
        }
    }

    /// True if other content separates the texts of a message of this role, so that each text is counted alone;
    /// otherwise that content is ignored.
    pub fn counts_mixed(self, role: Role) -> bool {
        self == CostModel::Espalier || matches!(role, Role::User | Role::Tool)
    }

    /// Returns the tokens of a request's tool definitions, in total and for each.
    pub fn tools(self, tools: &[Tool], tokenizer: &dyn Tokenizer) -> ToolsCost {
        // Copilot Chat adds a tenth as a margin, rounded down once for the whole list.
        let scale = |tokens: u64| match self {
            CostModel::Espalier => tokens,
            CostModel::CopilotChat | CostModel::CopilotChatExtension => tokens.saturating_mul(11) / 10,
        };
        let mut sum = if tools.is_empty() { 0 } else { TOOLS };
        let overhead = scale(sum);
        let mut total = overhead;
        let mut per_tool = Vec::with_capacity(tools.len());
        for tool in tools {
            sum += TOOL
                + match self {
                    CostModel::Espalier => {
                        [&tool.name, &tool.description, &tool.schema].map(|text| tokenizer.count(text)).iter().sum()
                    }
                    CostModel::CopilotChat => copilot_tool(tool, tokenizer, strings),
                    CostModel::CopilotChatExtension => copilot_tool(tool, tokenizer, strings_and_keys),
                };
            per_tool.push(ToolCost { name: tool.name.clone(), tokens: scale(sum) - total });
            total = scale(sum);
        }
        ToolsCost { total, overhead, per_tool, origin: Origin::Exact }
    }
}

// ---------------------------------------------------------------- espalier

fn espalier_message(message: &Message, tokenizer: &dyn Tokenizer) -> Cost {
    let head = MESSAGE + ROLE + name_tokens(message.name.as_deref(), tokenizer);
    if !message.parts.contains(&Part::Boundary) {
        return espalier_parts(&message.parts, tokenizer) + head;
    }
    let sent = message.parts.split(|part| *part == Part::Boundary);
    sent.filter(|parts| !parts.iter().all(Part::is_mark)).map(|parts| espalier_parts(parts, tokenizer) + head).sum()
}

/// Counts parts. If all content is text, the texts are joined, because they are sent that way; calls, results and
/// reasoning have their own fields and do not separate texts.
fn espalier_parts(parts: &[Part], tokenizer: &dyn Tokenizer) -> Cost {
    if all_text(parts) {
        let apart = parts.iter().filter(|part| !matches!(part, Part::Text { .. }));
        let texts = Cost::exact(tokenizer.count(&texts(parts)));
        return texts + apart.map(|part| espalier_part(part, tokenizer)).sum::<Cost>();
    }
    parts.iter().map(|part| espalier_part(part, tokenizer)).sum()
}

fn espalier_part(part: &Part, tokenizer: &dyn Tokenizer) -> Cost {
    match part {
        Part::Text { text } | Part::Reasoning { text, sealed: None } => Cost::exact(tokenizer.count(text)),
        Part::Reasoning { text, sealed: Some(tokens) } => Cost::estimate(tokenizer.count(text).max(*tokens)),
        Part::ToolCall { name, arguments, .. } => {
            Cost::exact(CALL + tokenizer.count(name) + tokenizer.count(arguments))
        }
        Part::ToolResult { content, .. } => espalier_parts(content, tokenizer) + RESULT,
        Part::Image { media_type, data, url, detail } => {
            let (data, url, media_type) = (data.as_deref(), url.as_deref(), media_type.as_deref());
            image::cost(Picture { data, url, media_type }, low(detail.as_deref()), tokenizer)
        }
        Part::Document { media_type, data_length, pages } => {
            let kind = media_type.as_deref();
            // gemini-cli assumes the same PDF for every document.
            let is_flat = tokenizer.images() == ImageModel::GeminiCli && bytes_of_token(kind).is_none();
            if is_flat { Cost::estimate(FLAT_PDF) } else { document_cost(*data_length, *pages, kind) }
        }
        Part::Opaque { sealed: Some(tokens), .. } => Cost::estimate(*tokens),
        Part::Opaque { tokens: Some(tokens), .. } => Cost::exact(*tokens),
        Part::Opaque { json, .. } => json_cost(json, tokenizer),
        Part::CacheMark => Cost::ZERO,
        Part::Boundary => Cost::exact(MESSAGE + ROLE),
    }
}

// ---------------------------------------------------------------- copilot-chat

/// Counts a message. The wire form has one message per tool result, and one more for everything else in the message.
fn copilot_message(message: &Message, tokenizer: &dyn Tokenizer) -> Cost {
    let mut cost = Cost::ZERO;
    for part in &message.parts {
        if let Part::ToolResult { call_id, content, .. } = part {
            let fields = tokenizer.count(Role::Tool.as_str()) + tokenizer.count(call_id);
            cost += copilot_content(Role::Tool, content, tokenizer) + (MESSAGE + fields);
        }
    }
    let only_results = message.parts.iter().all(|part| matches!(part, Part::ToolResult { .. }) || part.is_mark());
    if only_results && message.results().next().is_some() {
        return cost;
    }
    let role = tokenizer.count(message.role.as_str());
    let name = name_tokens(message.name.as_deref(), tokenizer);
    let calls = calls(message.parts.iter(), tokenizer);
    cost + copilot_content(message.role, &message.parts, tokenizer) + (MESSAGE + role + name + calls)
}

/// Counts the `content` of a wire message. Texts are joined. User and tool messages with other content are counted part
/// by part; other roles send their texts only. Calls, results and reasoning are not content.
fn copilot_content(role: Role, parts: &[Part], tokenizer: &dyn Tokenizer) -> Cost {
    let mixed = matches!(role, Role::User | Role::Tool);
    if !mixed || all_text(parts) {
        return Cost::exact(tokenizer.count(&texts(parts)));
    }
    parts.iter().map(|part| copilot_part(part, tokenizer)).sum()
}

fn copilot_part(part: &Part, tokenizer: &dyn Tokenizer) -> Cost {
    match part {
        Part::Text { text } => Cost::exact(tokenizer.count(text)),
        Part::Image { media_type, data, url, detail } => {
            let size = image::read(data.as_deref(), url.as_deref()).and_then(|bytes| reference_size(&bytes));
            let is_remote = data.is_none() && url.as_deref().is_some_and(|url| !image::is_data_url(url));
            match (low(detail.as_deref()) && !is_remote, size) {
                (true, _) => Cost::exact(85),
                (false, Some(size)) => Cost::exact(ImageModel::CopilotChat.tokens(size, false)),
                // A picture that it cannot read costs the tokens of its URL, which for inline data is the data.
                (false, None) => Cost::estimate(match (url, data) {
                    (Some(url), _) => tokenizer.count(url),
                    (None, Some(data)) => {
                        let kind = media_type.as_deref().unwrap_or("image/png");
                        tokenizer.count(&format!("data:{kind};base64,{data}"))
                    }
                    (None, None) => 0,
                }),
            }
        }
        Part::Opaque { json, .. } => Cost::exact(match escapes::value(json) {
            Some(value) => strings("", &value, tokenizer),
            None => tokenizer.count(json),
        }),
        Part::ToolCall { .. } | Part::ToolResult { .. } | Part::Reasoning { .. } => Cost::ZERO,
        Part::Document { .. } | Part::CacheMark | Part::Boundary => Cost::ZERO,
    }
}

fn reference_size(bytes: &[u8]) -> Option<Size> {
    if is_lossless_webp(bytes) { None } else { size_of(bytes) }
}

/// Counts the wire form's `tool_calls`: every string of it (ids and `function` included), times 1.5, rounded down once
/// for the list.
fn calls<'a>(parts: impl Iterator<Item = &'a Part>, tokenizer: &dyn Tokenizer) -> u64 {
    let mut sum = 0;
    for part in parts {
        if let Part::ToolCall { call_id, name, arguments } = part {
            sum += tokenizer.count(call_id) + tokenizer.count("function");
            sum += name_tokens(Some(name), tokenizer) + tokenizer.count(arguments);
        }
    }
    sum + sum / 2
}

/// Counts keys and values of a tool's three fields; `in_schema` counts the content of the schema.
fn copilot_tool(tool: &Tool, tokenizer: &dyn Tokenizer, in_schema: fn(&str, &Value, &dyn Tokenizer) -> u64) -> u64 {
    let mut sum = tokenizer.count("name") + tokenizer.count(&tool.name);
    if !tool.description.is_empty() {
        sum += tokenizer.count("description") + tokenizer.count(&tool.description);
    }
    if !tool.schema.is_empty() {
        sum += tokenizer.count("parameters");
        sum += match escapes::value(&tool.schema) {
            Some(value) => in_schema("", &value, tokenizer),
            None => tokenizer.count(&tool.schema),
        };
    }
    sum
}

/// Counts every string value at any depth. Keys, numbers and booleans are free; a `name` costs one more, a `tool_calls`
/// subtree half as much again, and in an object `{type: "text"}` only the text counts. `serde_json` refuses anything
/// deeper than 128, which bounds the recursion.
fn strings(key: &str, value: &Value, tokenizer: &dyn Tokenizer) -> u64 {
    match value {
        Value::String(text) if text.is_empty() => 0,
        Value::String(text) => tokenizer.count(text) + if key == "name" { NAME } else { 0 },
        Value::Array(items) => factor(key, items.iter().map(|item| strings("", item, tokenizer)).sum()),
        Value::Object(map) => {
            match (map.get("type").and_then(Value::as_str), map.get("text").and_then(Value::as_str)) {
                (Some("text"), Some(text)) => tokenizer.count(text),
                _ => factor(key, map.iter().map(|(key, value)| strings(key, value, tokenizer)).sum()),
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

/// Counts every key and every string below a value, none of them special; the items of an array have their indexes as
/// keys. Empty values (`null`, `false`, 0, no text) are skipped with their keys.
fn strings_and_keys(_: &str, value: &Value, tokenizer: &dyn Tokenizer) -> u64 {
    let is_empty = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        _ => false,
    };
    match value {
        Value::String(text) => tokenizer.count(text),
        Value::Array(items) => items
            .iter()
            .enumerate()
            .filter(|(_, value)| !is_empty(value))
            .map(|(index, value)| tokenizer.count(&index.to_string()) + strings_and_keys("", value, tokenizer))
            .sum(),
        Value::Object(map) => map
            .iter()
            .filter(|(_, value)| !is_empty(value))
            .map(|(key, value)| tokenizer.count(key) + strings_and_keys("", value, tokenizer))
            .sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
    }
}

fn factor(key: &str, tokens: u64) -> u64 {
    let tokens = if key == "name" { tokens + NAME } else { tokens };
    if key == "tool_calls" { tokens + tokens / 2 } else { tokens }
}

// ---------------------------------------------------------------- common

/// Returns the tokens of a name; an absent or empty one is free.
fn name_tokens(name: Option<&str>, tokenizer: &dyn Tokenizer) -> u64 {
    match name {
        Some(name) if !name.is_empty() => tokenizer.count(name) + NAME,
        _ => 0,
    }
}

/// True if the content has no picture, document or opaque value.
fn all_text(parts: &[Part]) -> bool {
    !parts.iter().any(|part| matches!(part, Part::Image { .. } | Part::Document { .. } | Part::Opaque { .. }))
}

fn low(detail: Option<&str>) -> bool {
    detail == Some("low")
}

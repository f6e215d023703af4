//! The tokens of a request by category: the data behind a context meter.

use super::{Cost, CostModel, Origin, Tokenizer, ToolCost};
use crate::message::{Message, Part, Role, Tool};
use serde::{Deserialize, Serialize};

/// The label of a share of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Label {
    System,
    #[serde(rename = "Tool Definitions")]
    ToolDefinitions,
    Messages,
    Files,
    #[serde(rename = "Tool Results")]
    ToolResults,
}

impl Label {
    /// All labels, in display order.
    pub const ALL: [Label; 5] =
        [Label::System, Label::ToolDefinitions, Label::Messages, Label::Files, Label::ToolResults];
}

/// Tags of user text and the label of their content: names that several hosts use. A host passes its own table for
/// other tags.
pub const TAGS: &[(&str, Label)] = &[
    ("attachment", Label::Files),
    ("attachments", Label::Files),
    ("file", Label::Files),
    ("files", Label::Files),
    ("document", Label::Files),
    ("documents", Label::Files),
    ("editorContext", Label::Files),
    ("reminder", Label::System),
    ("reminderInstructions", Label::System),
    ("system-reminder", Label::System),
    ("analysis", Label::ToolResults),
    ("tool_output", Label::ToolResults),
    ("toolOutput", Label::ToolResults),
];

/// One row of a breakdown.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Share {
    pub label: Label,
    pub tokens: u64,
    /// Percentage of the total, rounded.
    pub percent: u64,
}

/// The room of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Room {
    /// Tokens of the context window; 0 if unknown.
    pub window: u64,
    /// Tokens reserved for the answer.
    pub output_reserve: u64,
    /// Number of tokens at which the host stops sending.
    pub block_line: u64,
    /// The provider's own count of the request, which takes precedence over ours.
    pub reported: Option<u64>,
}

/// The tokens of a request by kind, as a context meter shows them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Breakdown {
    /// Tokens of the request: the reported count if there is one, else the sum of the shares.
    pub total: u64,
    pub origin: Origin,
    /// Labels that have tokens, in a fixed order. They sum to our own count.
    pub shares: Vec<Share>,
    /// Tokens of each tool.
    pub tools: Vec<ToolCost>,
    /// Tokens left in the window, without the reserve; 0 if the window is unknown.
    pub free: u64,
    pub output_reserve: u64,
    pub block_line: u64,
}

/// Splits the tokens of a request by category. `tags` maps top-level tags of user text to labels; text in other tags
/// counts as messages.
pub fn breakdown(
    messages: &[Message],
    tools: &[Tool],
    model: CostModel,
    tags: &[(&str, Label)],
    room: Room,
    tokenizer: &dyn Tokenizer,
) -> Breakdown {
    let mut sums = [0u64; Label::ALL.len()];
    let mut origin = Origin::Exact;
    for message in messages {
        let cost = model.message(message, tokenizer);
        origin = origin.worst(cost.origin);
        split(message, cost, model, tags, tokenizer, &mut sums);
    }
    // If a list consists of a system prompt alone, its overhead belongs to the system prompt.
    let [system, _, said, ..] = sums;
    let list = if said == 0 && system > 0 { Label::System } else { Label::Messages };
    sums[list as usize] += model.list_overhead();
    let definitions = model.tools(tools, tokenizer);
    sums[Label::ToolDefinitions as usize] += definitions.total;
    origin = origin.worst(definitions.origin);
    let total = room.reported.unwrap_or_else(|| sums.iter().sum());
    let shares = Label::ALL.into_iter().zip(sums).filter(|(_, tokens)| *tokens > 0);
    let percent = |tokens: u64| if total == 0 { 0 } else { (200 * tokens + total) / (2 * total) };
    Breakdown {
        total,
        origin,
        shares: shares.map(|(label, tokens)| Share { label, tokens, percent: percent(tokens) }).collect(),
        tools: definitions.per_tool,
        free: room.window.saturating_sub(total).saturating_sub(room.output_reserve),
        output_reserve: room.output_reserve,
        block_line: room.block_line,
    }
}

/// Adds a message to the sums. Separate content (files, tagged text, results) is counted alone; everything else of the
/// message, structure included, counts under its main label, so that the parts sum to the message.
fn split(
    message: &Message,
    cost: Cost,
    model: CostModel,
    tags: &[(&str, Label)],
    tokenizer: &dyn Tokenizer,
    sums: &mut [u64; Label::ALL.len()],
) {
    let main = match message.role {
        Role::System | Role::Developer => Label::System,
        Role::User | Role::Assistant => Label::Messages,
        Role::Tool => Label::ToolResults,
    };
    let mut left = cost.tokens;
    let mut move_to = |label: Label, tokens: u64| {
        let tokens = tokens.min(left);
        left -= tokens;
        sums[label as usize] += tokens;
    };
    for part in &message.parts {
        match part {
            Part::Image { .. } | Part::Document { .. } if main == Label::Messages => {
                move_to(Label::Files, model.part(message.role, part, tokenizer).tokens);
            }
            Part::ToolResult { .. } if main == Label::Messages => {
                move_to(Label::ToolResults, model.part(message.role, part, tokenizer).tokens);
            }
            Part::Text { text } if message.role == Role::User => {
                for (label, section) in sections(text, tags) {
                    if label != main {
                        move_to(label, tokenizer.count(section));
                    }
                }
            }
            _ => {}
        }
    }
    sums[main as usize] += left;
}

/// Returns the top-level tagged sections of a text, with their labels. A nested tag belongs to the outer one; an
/// unclosed tag is text. The time is linear: a name that was found unclosed is not searched again.
fn sections<'a>(text: &'a str, tags: &[(&str, Label)]) -> Vec<(Label, &'a str)> {
    let mut sections = Vec::new();
    let mut unclosed: Vec<&str> = Vec::new();
    let mut at = 0;
    while let Some(open) = text[at..].find('<').map(|offset| at + offset) {
        at = open + 1;
        let name_end =
            text[at..].find(|c: char| !c.is_alphanumeric() && c != '_' && c != '-').map(|offset| at + offset);
        let Some(name_end) = name_end else { break };
        let name = &text[at..name_end];
        if name.is_empty() || unclosed.contains(&name) {
            continue;
        }
        let Some(body) = text[name_end..].find('>').map(|offset| name_end + offset + 1) else { break };
        let closing = format!("</{name}>");
        match text[body..].find(&closing) {
            Some(offset) => {
                let end = body + offset + closing.len();
                if let Some((_, label)) = tags.iter().find(|(tag, _)| *tag == name) {
                    sections.push((*label, &text[open..end]));
                }
                at = end;
            }
            // A text with this many different unclosed names is no markup.
            None if unclosed.len() == 64 => break,
            None => unclosed.push(name),
        }
    }
    sections
}

//! Messages that providers refuse, and that repair leaves none of them.

mod check;
mod large;
mod random;
mod repair;

use espalier::message::{Message, Part};
use espalier::validity::plan::{Item, PartPlan};
use espalier::validity::{Provider, Target};

/// Carries out a plan, with its joins.
pub fn carry_out(messages: &[Message], plan: &[Item]) -> Vec<Message> {
    let mut out: Vec<Message> = Vec::new();
    for item in plan {
        let (message, joins) = match item {
            Item::Keep { index, joins } => (messages[*index].clone(), *joins),
            Item::Edit { index, parts, joins } => {
                let was = &messages[*index];
                let parts = parts.iter().map(|plan| part(&was.parts[plan.part], plan)).collect();
                (Message { parts, ..was.clone() }, *joins)
            }
            Item::Insert { message, joins } => (message.clone(), *joins),
        };
        match out.last_mut().filter(|_| joins) {
            Some(last) => last.parts.extend(message.parts),
            None => out.push(message),
        }
    }
    out
}

fn part(was: &Part, plan: &PartPlan) -> Part {
    let mut part = was.clone();
    if let Some(text) = plan.text.as_ref().or(plan.note.as_ref()) {
        part = Part::Text { text: text.clone() };
    }
    match &mut part {
        Part::ToolCall { call_id, name, .. } => {
            call_id.clone_from(plan.call_id.as_ref().unwrap_or(&call_id.clone()));
            name.clone_from(plan.name.as_ref().unwrap_or(&name.clone()));
        }
        Part::ToolResult { call_id, name, content, .. } => {
            call_id.clone_from(plan.call_id.as_ref().unwrap_or(&call_id.clone()));
            if plan.name.is_some() {
                name.clone_from(&plan.name);
            }
            for (item, text) in &plan.items {
                content[*item] = Part::Text { text: text.clone() };
            }
        }
        _ => {}
    }
    part
}

/// Returns the targets for a provider's own messages, and for neutral ones.
pub fn targets() -> Vec<Target> {
    Provider::ALL
        .into_iter()
        .flat_map(|provider| [true, false].map(|wire| Target { wire, ..Target::new(provider) }))
        .collect()
}

/// Formats a conversation on one line, for failures: `A(c1 c2)` calls, `T[c1]` answers, `.` text, `_` nothing, `?`
/// thought, `#` picture.
pub fn sketch(messages: &[Message]) -> String {
    let part = |part: &Part| match part {
        Part::Text { text } if text.trim().is_empty() => "_".to_string(),
        Part::ToolCall { call_id, .. } => format!("({call_id})"),
        Part::ToolResult { call_id, .. } => format!("[{call_id}]"),
        Part::Reasoning { .. } => "?".to_string(),
        Part::Image { .. } | Part::Document { .. } => "#".to_string(),
        Part::CacheMark => "!".to_string(),
        _ => ".".to_string(),
    };
    let one = |m: &Message| format!("{:?}{}", m.role, m.parts.iter().map(part).collect::<String>());
    messages.iter().map(one).collect::<Vec<_>>().join(" ")
}

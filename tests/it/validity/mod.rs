//! Messages that providers refuse, and that repair leaves none of them.

mod check;
mod large;
mod random;
mod repair;

use espalier::message::edit::{Becomes, PartEdit, PlanItem};
use espalier::message::{Message, Part};
use espalier::validity::{Provider, Target};

/// Carries out a plan, with its joins.
pub fn carry_out(messages: &[Message], plan: &[PlanItem]) -> Vec<Message> {
    let find = |id: &String| messages.iter().find(|m| m.id == *id).unwrap();
    let mut out: Vec<Message> = Vec::new();
    for item in plan {
        let (message, joins) = match item {
            PlanItem::Keep { id, joins } => (find(id).clone(), *joins),
            PlanItem::Edit { id, parts, joins } => {
                let was = find(id);
                let parts = parts.iter().map(|plan| part(&was.parts[plan.part], plan)).collect();
                (Message { parts, ..was.clone() }, *joins)
            }
            PlanItem::Insert { message, joins } => (message.clone(), *joins),
        };
        match out.last_mut().filter(|_| joins) {
            Some(last) => last.parts.extend(message.parts),
            None => out.push(message),
        }
    }
    out
}

fn part(was: &Part, plan: &PartEdit) -> Part {
    let mut part = was.clone();
    if let Some(Becomes::Text { text } | Becomes::Note { text }) = &plan.to {
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
            if let Some(Becomes::Content { items }) = &plan.to {
                assert_eq!(items.len(), content.len());
                for (item, text) in items.iter().enumerate() {
                    content[item] = text.clone().map_or(content[item].clone(), |text| Part::Text { text });
                }
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

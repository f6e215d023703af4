//! Random conversations, including odd ones.

use espalier::message::{Message, Part, Role};
use fastrand::Rng;

use super::numbered;

/// Returns a conversation of up to `max` messages: any roles, parallel calls, orphans in both directions, empty parts,
/// repeated ids.
pub fn conversation(rng: &mut Rng, max: usize) -> Vec<Message> {
    let mut out = Vec::new();
    let mut next = 0;
    if rng.bool() {
        out.push(Message { id: String::new(), role: Role::System, name: None, parts: vec![text(rng)] });
    }
    while out.len() < max {
        match rng.u32(0..10) {
            0 | 1 => out.push(plain(Role::User, rng)),
            2 | 3 => out.push(plain(Role::Assistant, rng)),
            4 => out.push(Message { id: String::new(), role: Role::User, name: None, parts: vec![] }),
            5 => out.push(results(&[format!("nobody{next}")], rng)),
            _ => {
                let ids: Vec<String> = (0..rng.usize(1..4))
                    .map(|_| {
                        // Occasionally an id occurs twice.
                        next += usize::from(rng.u32(0..20) > 0);
                        format!("c{next}")
                    })
                    .collect();
                out.push(calling(&ids, rng));
                let mut answered = ids.clone();
                if rng.u32(0..6) == 0 {
                    answered.pop();
                }
                rng.shuffle(&mut answered);
                if rng.bool() {
                    // All in one message, with or without words of the user.
                    let mut message = results(&answered, rng);
                    if rng.u32(0..4) == 0 {
                        message.role = Role::User;
                        message.parts.push(text(rng));
                    }
                    out.push(message);
                } else {
                    out.extend(answered.iter().map(|id| results(std::slice::from_ref(id), rng)));
                }
            }
        }
    }
    out.truncate(max);
    numbered(out)
}

fn text(rng: &mut Rng) -> Part {
    let words = rng.usize(0..60);
    let text = (0..words).map(|_| ["alpha", "бета", "伽马", "delta\n", "💡", "x"][rng.usize(0..6)]).collect::<Vec<_>>();
    Part::Text { text: text.join(" ") }
}

fn plain(role: Role, rng: &mut Rng) -> Message {
    let parts = (0..rng.usize(0..3)).map(|_| text(rng)).collect();
    Message { id: String::new(), role, name: None, parts }
}

fn calling(ids: &[String], rng: &mut Rng) -> Message {
    let mut parts = if rng.bool() { vec![text(rng)] } else { vec![] };
    parts.extend(ids.iter().map(|id| Part::ToolCall {
        call_id: id.clone(),
        name: "bash".into(),
        arguments: format!("{{\"command\":\"run {}\"}}", rng.u32(0..9)),
    }));
    Message { id: String::new(), role: Role::Assistant, name: None, parts }
}

fn results(ids: &[String], rng: &mut Rng) -> Message {
    let parts = ids
        .iter()
        .map(|id| Part::ToolResult { call_id: id.clone(), name: None, content: vec![text(rng)], is_error: rng.bool() })
        .collect();
    Message { id: String::new(), role: Role::Tool, name: None, parts }
}

//! What every output must satisfy, judged without the code that repairs it.

use std::collections::HashSet;

use espalier::message::{Message, Part, Role};

/// Checks what every output must satisfy: every call has its result in its round (except a round that is still running
/// at the end), every result has a call, and no message is empty. Returns the id of the first message that breaks a
/// rule, and which rule.
pub fn check(messages: &[Message]) -> Result<(), (String, &'static str)> {
    let mut waiting: Vec<&str> = Vec::new();
    let mut used: HashSet<&str> = HashSet::new();
    let mut caller: Option<&Message> = None;
    let mut after_assistant = false;
    let spared = only_request(messages.iter());
    let fail = |message: Option<&Message>, why| Err((message.map_or(String::new(), |m| m.id.clone()), why));
    for message in messages.iter().filter(|m| !m.role.is_frame()) {
        let is_assistant = message.role == Role::Assistant;
        let ends_round = if is_assistant { !after_assistant } else { message.results().next().is_none() };
        if ends_round && !waiting.is_empty() {
            return fail(caller, "call without a result");
        }
        if is_assistant {
            caller = Some(message);
            for id in message.calls() {
                if !used.insert(id) {
                    return fail(caller, "call id used twice");
                }
                waiting.push(id);
            }
        }
        for id in message.results() {
            match waiting.iter().position(|w| *w == id) {
                Some(at) => {
                    waiting.remove(at);
                }
                None => return fail(Some(message), "result without a call"),
            }
        }
        if is_empty(&message.parts) && spared.as_ref() != Some(&message.id) {
            return fail(Some(message), "empty message");
        }
        after_assistant = is_assistant;
    }
    // Only calls of the assistant's newest message may still be running.
    if waiting.iter().any(|id| !caller.is_some_and(|m| m.calls().any(|call| call == *id))) {
        return fail(caller, "call without a result");
    }
    Ok(())
}

fn is_empty(parts: &[Part]) -> bool {
    parts.iter().all(|part| part.is_mark() || matches!(part, Part::Text { text } if text.trim().is_empty()))
}

/// Returns the id of the newest user message, if all user messages are empty.
fn only_request<'m>(messages: impl Iterator<Item = &'m Message>) -> Option<String> {
    let mut newest = None;
    for message in messages.filter(|m| m.role == Role::User) {
        if !is_empty(&message.parts) {
            return None;
        }
        newest = Some(message.id.clone());
    }
    newest
}

//! Call and result pairing: a result goes with its call, a call with all its results.
//!
//! Results are looked for in the messages directly after the assistant's run that made the call; ids are compared inside one
//! round only, so an id that a provider uses twice pairs up correctly both times.

use super::draft::{Draft, is_empty};
use super::plan::Fate;
use crate::message::{Message, Part, Role};

/// Text of the stand-in for a result that was never recorded.
pub const LOST: &str = "No result was recorded for this call; whether it ran is unknown.";

/// What a walk over the conversation found.
#[derive(Debug, Default, PartialEq, Eq)]
struct Findings {
    /// Entry and part of results that answer nothing.
    orphans: Vec<(usize, usize)>,
    /// Calls that were never answered: the entry after which a stand-in belongs, call id, tool name.
    lost: Vec<(usize, String, String)>,
}

/// Makes a draft's calls and results pair up: orphan results go, unanswered calls that are not the newest get a stand-in, and
/// messages without content go. Changes nothing in a valid conversation; running it twice is running it once.
pub fn repair(draft: &mut Draft) {
    drop_empty(draft);
    let Findings { orphans, lost } = walk(draft);
    let mut rest = orphans.as_slice();
    while let Some(&(index, _)) = rest.first() {
        let here = rest.iter().take_while(|(i, _)| *i == index).count();
        let (these, others) = rest.split_at(here);
        rest = others;
        let mut part = 0;
        draft.edit_parts(index, "orphan-result", "a tool result without its call would be refused", |_| {
            part += 1;
            these.iter().any(|(_, p)| *p + 1 == part).then_some(None)
        });
    }
    drop_empty(draft);
    // From the back, so that the positions found stay right.
    for (index, call_id, name) in lost.into_iter().rev() {
        let caller = draft.entries[index].message.id.clone();
        let message = Message {
            id: format!("{caller}:lost:{call_id}"),
            role: Role::Tool,
            name: None,
            parts: vec![Part::ToolResult {
                call_id,
                name: (!name.is_empty()).then_some(name),
                content: vec![Part::Text { text: LOST.to_string() }],
                is_error: true,
            }],
        };
        draft.insert(index + 1, message, "lost-call");
    }
}

fn walk(draft: &Draft) -> Findings {
    let mut found = Findings::default();
    // Unanswered calls of the round at hand: the entry that made the call, id, name.
    let mut waiting: Vec<(usize, String, String)> = Vec::new();
    // The entry after which a stand-in for a call of entry `i` belongs.
    let mut last: Option<usize> = None;
    // The newest message of the assistant: results behind it cannot answer an earlier one's call directly.
    let mut caller = 0;
    let mut after_assistant = false;
    let mut in_round = false;
    for (index, entry) in draft.entries.iter().enumerate() {
        if !entry.is_in() || entry.message.role.is_frame() {
            continue;
        }
        let message = &entry.message;
        if message.role == Role::Assistant {
            if !after_assistant {
                give_up(&mut found, &mut waiting, caller, last);
            }
            caller = index;
            for part in &message.parts {
                if let Part::ToolCall { call_id, name, .. } = part {
                    waiting.push((index, call_id.clone(), name.clone()));
                }
            }
            in_round = true;
        }
        let mut answers = false;
        let mut matched = false;
        for (number, part) in message.parts.iter().enumerate() {
            let Part::ToolResult { call_id, .. } = part else { continue };
            answers = true;
            // The newest call of that id: an older one of the same id was given up on by its provider, too.
            match waiting.iter().rposition(|(_, id, _)| id == call_id).filter(|_| in_round) {
                Some(at) => {
                    waiting.remove(at);
                    matched = true;
                }
                None => found.orphans.push((index, number)),
            }
        }
        after_assistant = message.role == Role::Assistant;
        if !after_assistant {
            if answers {
                // Results come before words: a stand-in must not follow a message that has both.
                last = if matched && message.results().count() == message.parts.len() { Some(index) } else { last };
            } else {
                give_up(&mut found, &mut waiting, caller, last);
                in_round = false;
            }
        }
        if after_assistant {
            last = None;
        }
    }
    // What is still waiting at the very end is running now, not lost.
    found.lost.sort_by_key(|(index, ..)| *index);
    found
}

/// The calls still waiting will not be answered any more. A stand-in belongs behind the results that its round did get, if they
/// follow the calling message directly, else right behind the calling message.
fn give_up(found: &mut Findings, waiting: &mut Vec<(usize, String, String)>, newest: usize, last: Option<usize>) {
    for (caller, id, name) in waiting.drain(..) {
        let behind = match last {
            Some(last) if caller == newest && last > caller => last,
            _ => caller,
        };
        found.lost.push((behind, id, name));
    }
}

/// Providers refuse empty messages. Where the user never said anything the newest empty message stays: a conversation without
/// any request is no better.
fn drop_empty(draft: &mut Draft) {
    let entries = draft.entries.iter().map(|e| (e.is_in(), &*e.message));
    let spared = only_request(entries.filter(|(is_in, _)| *is_in).map(|(_, m)| m));
    for index in 0..draft.entries.len() {
        let entry = &draft.entries[index];
        let message = &entry.message;
        if entry.is_in() && !message.role.is_frame() && is_empty(&message.parts) && spared.as_ref() != Some(&message.id)
        {
            draft.drop_entries(&[index], Fate::Dropped, "empty", "a message without content would be refused");
        }
    }
}

/// Id of the newest message of the user, if all of them are empty.
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

/// Every call answered in its round (but for a round that is still running at the end), every result with a call, no message
/// empty: what every output of this crate must satisfy. Returns the id of the first message that breaks it, and how.
///
/// ```
/// use espalier::history::pairs::check;
/// use espalier::message::{Message, Part, Role};
/// let orphan = Message {
///     id: "m0".into(),
///     role: Role::Tool,
///     name: None,
///     parts: vec![Part::ToolResult { call_id: "c1".into(), name: None, content: vec![], is_error: false }],
/// };
/// assert_eq!(check(&[orphan]), Err(("m0".to_string(), "result without a call")));
/// ```
pub fn check(messages: &[Message]) -> Result<(), (String, &'static str)> {
    let mut waiting: Vec<&str> = Vec::new();
    let mut caller = "";
    let mut after_assistant = false;
    let spared = only_request(messages.iter());
    for message in messages.iter().filter(|m| !m.role.is_frame()) {
        let has_results = message.results().next().is_some();
        if (message.role == Role::Assistant && !after_assistant || message.role != Role::Assistant && !has_results)
            && !waiting.is_empty()
        {
            return Err((caller.to_string(), "call without a result"));
        }
        if message.role == Role::Assistant {
            caller = &message.id;
            waiting.extend(message.calls());
        }
        for id in message.results() {
            match waiting.iter().rposition(|w| *w == id) {
                Some(at) => {
                    waiting.remove(at);
                }
                None => return Err((message.id.clone(), "result without a call")),
            }
        }
        if is_empty(&message.parts) && spared.as_ref() != Some(&message.id) {
            return Err((message.id.clone(), "empty message"));
        }
        after_assistant = message.role == Role::Assistant;
    }
    Ok(())
}

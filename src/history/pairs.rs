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
    let mut after_assistant = false;
    let mut in_round = false;
    for (index, entry) in draft.entries.iter().enumerate() {
        if !entry.is_in() || entry.message.role.is_frame() {
            continue;
        }
        let message = &entry.message;
        if message.role == Role::Assistant {
            if !after_assistant {
                give_up(&mut found, &mut waiting, last);
            }
            for part in &message.parts {
                if let Part::ToolCall { call_id, name, .. } = part {
                    waiting.push((index, call_id.clone(), name.clone()));
                }
            }
            in_round = true;
        }
        let mut answers = false;
        for (number, part) in message.parts.iter().enumerate() {
            let Part::ToolResult { call_id, .. } = part else { continue };
            answers = true;
            match waiting.iter().position(|(_, id, _)| id == call_id).filter(|_| in_round) {
                Some(at) => {
                    waiting.remove(at);
                }
                None => found.orphans.push((index, number)),
            }
        }
        after_assistant = message.role == Role::Assistant;
        if !after_assistant {
            if answers {
                last = Some(index);
            } else {
                give_up(&mut found, &mut waiting, last);
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
fn give_up(found: &mut Findings, waiting: &mut Vec<(usize, String, String)>, last: Option<usize>) {
    let newest_caller = waiting.iter().map(|(index, ..)| *index).max();
    for (caller, id, name) in waiting.drain(..) {
        let behind = match last {
            Some(last) if Some(caller) == newest_caller && last > caller => last,
            _ => caller,
        };
        found.lost.push((behind, id, name));
    }
}

/// Providers refuse empty messages. The newest message of the user stays, whatever it is: removing it would change the request.
fn drop_empty(draft: &mut Draft) {
    let newest = draft.entries.iter().rposition(|e| e.is_in() && e.message.role == Role::User);
    for index in 0..draft.entries.len() {
        let entry = &draft.entries[index];
        if entry.is_in() && Some(index) != newest && !entry.message.role.is_frame() && is_empty(&entry.message.parts) {
            draft.drop_entries(&[index], Fate::Dropped, "empty", "a message without content would be refused");
        }
    }
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
    let newest = messages.iter().rposition(|m| m.role == Role::User);
    for (index, message) in messages.iter().enumerate().filter(|(_, m)| !m.role.is_frame()) {
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
            match waiting.iter().position(|w| *w == id) {
                Some(at) => {
                    waiting.remove(at);
                }
                None => return Err((message.id.clone(), "result without a call")),
            }
        }
        if is_empty(&message.parts) && Some(index) != newest {
            return Err((message.id.clone(), "empty message"));
        }
        after_assistant = message.role == Role::Assistant;
    }
    Ok(())
}

//! Call and result pairing: a result goes with its call, a call with all its results.
//!
//! Results are looked for in the messages directly after the assistant's run that made the call; ids are compared inside one
//! round only, so an id that a provider uses twice pairs up correctly both times.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::draft::{Change, Draft, is_empty};
use super::plan::Fate;
use crate::message::{Message, Part, Role};

/// Text of the stand-in for a result that was never recorded.
pub const LOST: &str = "No result was recorded for this call; whether it ran is unknown.";

/// What a walk over the conversation found.
#[derive(Debug, Default, PartialEq, Eq)]
struct Findings {
    /// Entry and part of results that answer nothing.
    orphans: HashMap<usize, HashSet<usize>>,
    /// Calls that were never answered: the entry after which a stand-in belongs, call id, tool name.
    lost: Vec<(usize, String, String)>,
    /// Entry and part of calls and results whose id an earlier round used already, with the id they get.
    renamed: BTreeMap<usize, HashMap<usize, String>>,
}

/// Longest id of a call that `OpenAI` takes.
const MOST_OF_AN_ID: usize = 40;

/// A call that waits for its result.
#[derive(Debug, Clone)]
struct Waiting {
    entry: usize,
    id: String,
    name: String,
    /// The id it gets, if an earlier call had its own.
    renamed: Option<String>,
}

/// Makes a draft's calls and results pair up: orphan results go, unanswered calls that are not the newest get a stand-in, ids that
/// come twice are told apart, and messages without content go. Changes nothing in a valid conversation; running it twice is
/// running it once.
pub fn repair(draft: &mut Draft) {
    drop_empty(draft);
    let Findings { orphans, lost, renamed } = walk(draft);
    for (index, parts) in renamed {
        let mut number = 0;
        draft.edit_parts(index, "double-id", "another call has this id already, which would be refused", |_| {
            number += 1;
            parts.get(&(number - 1)).map_or(Change::Keep, |id| Change::CallId(id.clone()))
        });
    }
    let mut with_orphans: Vec<_> = orphans.into_iter().collect();
    with_orphans.sort_unstable_by_key(|(index, _)| *index);
    for (index, parts) in with_orphans {
        let mut number = 0;
        draft.edit_parts(index, "orphan-result", "a tool result without its call would be refused", |_| {
            number += 1;
            if parts.contains(&(number - 1)) { Change::Drop } else { Change::Keep }
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

/// The round at hand while walking.
#[derive(Debug, Default)]
struct Round {
    waiting: Vec<Waiting>,
    /// The newest message of the assistant's run.
    caller: usize,
    /// Whether that message makes calls itself.
    caller_calls: bool,
    /// The newest message of results that answered something and holds nothing else.
    last: Option<usize>,
    /// A call of an earlier message of the run was answered behind the whole run: the format sends one item for each call
    /// (`OpenAI` Responses), and a stand-in among the calls would split the round.
    by_items: bool,
    open: bool,
}

impl Round {
    /// The call that a result of this id answers: of the newest message that made one, since an older one of the same id was given
    /// up on by its provider, too; in one message the first comes first.
    fn answered(&self, id: &str) -> Option<usize> {
        let matches = |call: &&Waiting| self.open && call.id == id;
        let newest = self.waiting.iter().filter(matches).map(|call| call.entry).max()?;
        self.waiting.iter().position(|call| call.id == id && call.entry == newest)
    }

    /// The calls still waiting will not be answered any more. A stand-in belongs behind the results that its round did get, if
    /// they follow the calling message directly, else right behind the calling message.
    fn give_up(&mut self, found: &mut Findings) {
        for call in self.waiting.drain(..) {
            let behind = match self.last {
                Some(last) if (call.entry == self.caller || self.by_items) && last > call.entry => last,
                _ => call.entry,
            };
            found.lost.push((behind, call.renamed.unwrap_or(call.id), call.name));
        }
        self.last = None;
        self.by_items = false;
    }
}

fn walk(draft: &Draft) -> Findings {
    let mut found = Findings::default();
    let mut round = Round::default();
    // Ids of all calls so far, those given here included.
    let mut used: HashSet<String> = HashSet::new();
    let mut after_assistant = false;
    for (index, entry) in draft.entries.iter().enumerate() {
        if !entry.is_in() || entry.message.role.is_frame() {
            continue;
        }
        let message = &entry.message;
        if message.role == Role::Assistant {
            if !after_assistant {
                round.give_up(&mut found);
            }
            round.caller = index;
            round.caller_calls = message.calls().next().is_some();
            round.open = true;
            for (number, part) in message.parts.iter().enumerate() {
                let Part::ToolCall { call_id, name, .. } = part else { continue };
                let renamed = free_id(call_id, &used);
                used.insert(renamed.clone().unwrap_or_else(|| call_id.clone()));
                if let Some(id) = &renamed {
                    found.renamed.entry(index).or_default().insert(number, id.clone());
                }
                round.waiting.push(Waiting { entry: index, id: call_id.clone(), name: name.clone(), renamed });
            }
        }
        let (mut answers, mut matched) = (false, false);
        for (number, part) in message.parts.iter().enumerate() {
            let Part::ToolResult { call_id, .. } = part else { continue };
            answers = true;
            match round.answered(call_id) {
                Some(at) => {
                    let call = round.waiting.remove(at);
                    matched = true;
                    round.by_items |= call.entry != round.caller;
                    if let Some(id) = call.renamed {
                        found.renamed.entry(index).or_default().insert(number, id);
                    }
                }
                None => {
                    found.orphans.entry(index).or_default().insert(number);
                }
            }
        }
        after_assistant = message.role == Role::Assistant;
        if after_assistant {
            round.last = None;
        } else if !answers {
            round.give_up(&mut found);
            round.open = false;
        } else if matched && message.results().count() == message.parts.len() {
            // Results come before words: a stand-in must not follow a message that has both.
            round.last = Some(index);
        }
    }
    // What is still waiting at the very end is running now, not lost, unless the assistant went on talking.
    if !round.caller_calls {
        round.give_up(&mut found);
    }
    found.lost.sort_by_key(|(index, ..)| *index);
    found
}

/// Another id for a call, if an earlier call has its own already: `id-2`, `id-3`, …: characters that every provider takes.
fn free_id(id: &str, used: &HashSet<String>) -> Option<String> {
    if !used.contains(id) {
        return None;
    }
    // What fitted OpenAI's 40 characters still does.
    let base = if id.len() <= MOST_OF_AN_ID { &id[..id.floor_char_boundary(MOST_OF_AN_ID - 3)] } else { id };
    (2u32..).map(|n| format!("{base}-{n}")).find(|id| !used.contains(id))
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
    // Only what the newest message of the assistant asked for may be running.
    if !waiting.is_empty() && caller.is_some_and(|m| m.calls().next().is_none()) {
        return fail(caller, "call without a result");
    }
    Ok(())
}

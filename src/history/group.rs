//! Groups: what is only ever kept or removed whole.
//!
//! A *round* is an assistant message with all its tool calls and all their results; formats that send one item per call
//! (OpenAI Responses) make one round of the whole run of assistant items. Everything else is a group of one message.

use super::draft::{Draft, Entry};
use crate::message::{Part, Role};

/// What a group is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A system or developer message: never removed.
    Frame,
    /// A message of the user. Begins a turn.
    User,
    /// What the assistant said and did, with the results of its calls.
    Round,
    /// A round whose results arrived in one message with text of the user (Anthropic, Gemini): both a round and a request.
    RoundWithRequest,
}

/// A run of entries; `start..end` may include entries that are gone already.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub kind: Kind,
    /// Indices of the entries that are in, ascending.
    pub entries: Vec<usize>,
    /// True if a call of it has no result.
    pub pending: bool,
}

impl Group {
    /// True if the user speaks in it.
    pub fn has_request(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::RoundWithRequest)
    }

    /// Tokens as they stand.
    pub fn tokens(&self, draft: &Draft) -> u64 {
        self.entries.iter().map(|&i| draft.entries[i].after).sum()
    }
}

/// Cuts what is left of a draft into groups, in order. Every entry that is in belongs to exactly one group.
pub fn groups(draft: &Draft) -> Vec<Group> {
    let mut out: Vec<Group> = Vec::new();
    // Calls of the round being built that have no result yet; `open` is false once anything but a result followed.
    let mut waiting: Vec<String> = Vec::new();
    let mut open = false;
    for (index, entry) in draft.entries.iter().enumerate() {
        if !entry.is_in() {
            continue;
        }
        let message = &entry.message;
        // Results in the assistant's own message (tools that the provider runs) belong to the calls beside them.
        let answers = message.role != Role::Assistant && message.results().next().is_some();
        if message.role.is_frame() {
            // A system message in the middle of a round does not end it: it stays whatever happens.
            out.push(Group { kind: Kind::Frame, entries: vec![index], pending: false });
            continue;
        }
        if answers && open {
            for id in message.results() {
                if let Some(at) = waiting.iter().rposition(|w| w == id) {
                    waiting.remove(at);
                }
            }
            if let Some(round) = last_round(&mut out) {
                round.entries.push(index);
                round.pending = !waiting.is_empty();
                if message.role != Role::Assistant && has_words(entry) {
                    round.kind = Kind::RoundWithRequest;
                }
            }
            continue;
        }
        if message.role == Role::Assistant {
            // Formats that send one item a call: the run goes on while calls wait for results, or after an item that only
            // introduces what follows (reasoning).
            let joins = open
                && last_round(&mut out)
                    .and_then(|round| round.entries.last())
                    .map(|&last| &draft.entries[last])
                    .is_some_and(|last| {
                        last.message.role == Role::Assistant && (!waiting.is_empty() || !has_words(last))
                    });
            if joins {
                if let Some(round) = last_round(&mut out) {
                    round.entries.push(index);
                }
            } else {
                waiting.clear();
                out.push(Group { kind: Kind::Round, entries: vec![index], pending: false });
            }
            waiting.extend(message.calls().map(str::to_string));
            for id in message.results() {
                if let Some(at) = waiting.iter().rposition(|w| w == id) {
                    waiting.remove(at);
                }
            }
            if let Some(round) = last_round(&mut out) {
                round.pending = !waiting.is_empty();
            }
            open = true;
            continue;
        }
        // A user message, or a result that answers nothing (repair takes it out before groups matter).
        open = false;
        waiting.clear();
        let kind = if message.role == Role::User { Kind::User } else { Kind::Round };
        out.push(Group { kind, entries: vec![index], pending: false });
    }
    out
}

fn last_round(groups: &mut [Group]) -> Option<&mut Group> {
    groups.iter_mut().rev().find(|g| g.kind != Kind::Frame)
}

/// True if the message says or shows anything: not only calls, results, reasoning and items that introduce what follows.
fn has_words(entry: &Entry) -> bool {
    entry.message.parts.iter().any(|part| match part {
        Part::Text { text } => !text.trim().is_empty(),
        Part::Image { .. } | Part::Document { .. } => true,
        Part::Opaque { .. } => entry.message.role == Role::User,
        Part::ToolCall { .. } | Part::ToolResult { .. } | Part::Reasoning { .. } | Part::CacheMark => false,
    })
}

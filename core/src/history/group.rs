//! Groups: messages that are only kept or removed together.
//!
//! A *round* is an assistant message with all its tool calls and all their results. In formats that send one item per
//! call (OpenAI Responses), one round is the whole run of assistant items. Every other message is a group of its own.

use super::draft::Draft;
use super::pairs::paired;
use crate::map::{HashMap, HashSet};
use crate::message::{Message, Part, Role};
use crate::validity::pairs::{Fate, is_note_alone};

/// The kind of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A system or developer message: never removed.
    Frame,
    /// A user message. Begins a turn.
    User,
    /// A user message that is a record and contains no request.
    Record,
    /// Messages of the assistant, with the results of its calls.
    Round,
    /// A round whose results arrived in one message with text of the user (Anthropic, Gemini): both a round and a
    /// request.
    RoundWithRequest,
}

/// A group of entries.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    pub kind: Kind,
    /// Indices of the entries that are in the result, ascending.
    pub entries: Vec<usize>,
    /// True if one of its calls has no result.
    pub pending: bool,
}

impl Group {
    /// Returns whether the user says something in the group.
    pub fn has_request(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::RoundWithRequest)
    }

    /// Returns whether the assistant speaks in the group.
    pub fn is_round(&self) -> bool {
        matches!(self.kind, Kind::Round | Kind::RoundWithRequest)
    }

    /// Returns whether the group is a separate user message, which an assistant message may follow.
    pub fn opens(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::Record)
    }

    /// Returns the current tokens of the group.
    pub fn tokens(&self, draft: &Draft) -> u64 {
        self.entries.iter().map(|&i| draft.entries[i].after).sum()
    }
}

/// Splits the current messages of a draft into groups, in order. Every entry that is in belongs to exactly one group.
pub fn groups(draft: &Draft) -> Vec<Group> {
    let mut grouper = Grouper::default();
    for (index, entry) in draft.entries.iter().enumerate().filter(|(_, entry)| entry.is_in()) {
        let at = grouper.push(index, &entry.message);
        if entry.is_record && grouper.groups[at].kind == Kind::User {
            grouper.groups[at].kind = Kind::Record;
        }
    }
    grouper.groups
}

/// Groups messages for formats that allow results anywhere behind their calls (OpenAI Responses). Two rounds are one
/// group, at the index of the newer one, if one answers a call of the other. User messages between them stay separate.
pub fn groups_within(draft: &Draft, results_anywhere: bool) -> Vec<Group> {
    let groups = groups(draft);
    if !results_anywhere {
        return groups;
    }
    let mut group_of = vec![0; draft.entries.len()];
    for (at, group) in groups.iter().enumerate() {
        group.entries.iter().for_each(|&entry| group_of[entry] = at);
    }
    // The newer group that each group is part of, or the group itself.
    let mut joins: Vec<usize> = (0..groups.len()).collect();
    let mut pending = vec![false; groups.len()];
    for call in &paired(draft).calls {
        let from = last_of(&mut joins, group_of[call.at.0]);
        match call.fate {
            Fate::Answered((entry, _)) => {
                let to = last_of(&mut joins, group_of[entry]);
                joins[from.min(to)] = from.max(to);
            }
            Fate::Lost { .. } | Fate::Pending => pending[group_of[call.at.0]] = true,
        }
    }
    let mut joined: Vec<Option<Group>> = groups.into_iter().map(Some).collect();
    for at in 0..joined.len() {
        let Some(group) = &mut joined[at] else { continue };
        group.pending = pending[at];
        let to = last_of(&mut joins, at);
        if to == at {
            continue;
        }
        if let (Some(older), Some(newer)) = (joined[at].take(), &mut joined[to]) {
            pending[to] |= older.pending;
            if older.has_request() || newer.has_request() {
                newer.kind = Kind::RoundWithRequest;
            }
            newer.entries.extend(older.entries);
        }
    }
    let mut groups: Vec<Group> = joined.into_iter().flatten().collect();
    groups.iter_mut().for_each(|group| group.entries.sort_unstable());
    groups
}

/// Returns the newest group that `at` is part of. Shortens the path for the next call.
fn last_of(joins: &mut [usize], mut at: usize) -> usize {
    while joins[at] != at {
        joins[at] = joins[joins[at]];
        at = joins[at];
    }
    at
}

/// Builds groups message by message. The time per message depends only on its size.
#[derive(Debug, Clone, Default)]
pub struct Grouper {
    /// In the order of their first entry.
    pub groups: Vec<Group>,
    /// Unanswered calls of the current round: a count for each id. Messages with tens of thousands of calls exist, and
    /// a list would be searched once for each result.
    waiting: HashMap<String, usize>,
    /// Ids of the calls of the current round that the provider runs itself and that have no result yet.
    serving: HashSet<String>,
    /// False once anything but a result followed the round.
    open: bool,
    /// The newest group outside the system prompt, and the kind of its newest message.
    last: Option<(usize, Newest)>,
}

#[derive(Debug, Clone, Copy)]
struct Newest {
    is_assistant: bool,
    has_words: bool,
}

impl Grouper {
    /// Adds the next message, which the groups name `index`. Returns the number of its group.
    pub fn push(&mut self, index: usize, message: &Message) -> usize {
        // Results in the assistant's own message (tools that the provider runs) belong to the calls beside them.
        let answers = message.role != Role::Assistant && message.results().next().is_some() || is_note_alone(message);
        if message.role.is_frame() {
            // A system message inside a round does not end it, since it always stays.
            self.groups.push(Group { kind: Kind::Frame, entries: vec![index], pending: false });
            return self.groups.len() - 1;
        }
        let is_assistant = message.role == Role::Assistant;
        let newest = Newest { is_assistant, has_words: has_words(message) };
        let round = self.last.filter(|_| self.open);
        if answers && self.open {
            self.answer(message);
            self.serve(message);
            if let Some((round, _)) = round {
                let group = &mut self.groups[round];
                group.entries.push(index);
                group.pending = !self.waiting.is_empty();
                if newest.has_words {
                    group.kind = Kind::RoundWithRequest;
                }
                self.last = Some((round, newest));
                return round;
            }
        }
        if !is_assistant {
            // A user message, or a result that answers nothing (repair removes it before groups matter).
            self.open = false;
            self.waiting.clear();
            self.serving.clear();
            let kind = if message.role == Role::User { Kind::User } else { Kind::Round };
            return self.begin(Group { kind, entries: vec![index], pending: false }, newest);
        }
        // Formats that send one item per call: the round continues while calls wait for results, after an item that
        // only introduces the next one (reasoning), and with what the platform did by itself (a search).
        let continues = |last: &Newest| !self.waiting.is_empty() || !last.has_words || is_opaque(message);
        // A program that the provider runs calls the host's tools, and ends in a message behind their results. So may
        // any call that it runs beside the host's.
        let is_served = !self.serving.is_empty() || message.results().any(|id| self.waiting.contains_key(id));
        let joins = round.filter(|(_, last)| is_served || last.is_assistant && continues(last)).map(|(round, _)| round);
        let at = match joins {
            Some(round) => {
                self.groups[round].entries.push(index);
                self.last = Some((round, newest));
                round
            }
            None => {
                self.waiting.clear();
                self.serving.clear();
                self.begin(Group { kind: Kind::Round, entries: vec![index], pending: false }, newest)
            }
        };
        for id in message.calls() {
            *self.waiting.entry(id.to_string()).or_default() += 1;
        }
        self.answer(message);
        self.serve(message);
        self.groups[at].pending = !self.waiting.is_empty();
        self.open = true;
        at
    }

    /// Returns the unanswered calls of the newest round: a count for each id.
    pub fn waiting(&self) -> &HashMap<String, usize> {
        &self.waiting
    }

    /// Removes the newest group that begins before `index` and all groups behind it. Returns the index from which to
    /// push messages again; it is at most `index`.
    pub fn cut(&mut self, index: usize) -> usize {
        // The state is only known at the beginning of a group outside the system prompt: no call is waiting there.
        let at =
            self.groups.iter().rposition(|g| g.kind != Kind::Frame && g.entries.first().is_some_and(|&e| e < index));
        let at = at.unwrap_or(0);
        let from = self.groups.get(at).and_then(|g| g.entries.first()).map_or(0, |&first| first.min(index));
        self.groups.truncate(at);
        self.waiting.clear();
        self.serving.clear();
        self.open = false;
        self.last = None;
        from
    }

    fn begin(&mut self, group: Group, newest: Newest) -> usize {
        self.groups.push(group);
        self.last = Some((self.groups.len() - 1, newest));
        self.groups.len() - 1
    }

    /// The first part with an id is a call, the next one its result.
    fn serve(&mut self, message: &Message) {
        for id in served(message) {
            if !self.serving.remove(id) {
                self.serving.insert(id.to_string());
            }
        }
    }

    fn answer(&mut self, message: &Message) {
        for id in message.results() {
            let Some(count) = self.waiting.get_mut(id) else { continue };
            *count -= 1;
            if *count == 0 {
                self.waiting.remove(id);
            }
        }
    }
}

/// Returns the ids of calls and results of tools that the provider runs, in order.
fn served(message: &Message) -> impl Iterator<Item = &str> {
    message.parts.iter().filter_map(|part| match part {
        Part::Opaque { call_id, .. } => call_id.as_deref(),
        _ => None,
    })
}

/// Returns whether the message has only parts that the core does not know.
fn is_opaque(message: &Message) -> bool {
    !message.parts.is_empty() && message.parts.iter().all(|part| matches!(part, Part::Opaque { .. }))
}

/// Returns whether the message has text or media. Calls, results, reasoning and items that introduce others do not
/// count.
pub fn has_words(message: &Message) -> bool {
    message.parts.iter().any(|part| match part {
        Part::Text { text } => !text.trim_start().is_empty(),
        Part::Image { .. } | Part::Document { .. } => true,
        Part::Opaque { .. } => message.role == Role::User,
        Part::ToolCall { .. } | Part::ToolResult { .. } | Part::Reasoning { .. } => false,
        Part::CacheMark | Part::Boundary => false,
    })
}

//! Groups: what is only ever kept or removed whole.
//!
//! A *round* is an assistant message with all its tool calls and all their results; formats that send one item per call
//! (OpenAI Responses) make one round of the whole run of assistant items. Everything else is a group of one message.

use super::draft::Draft;
use crate::map::HashMap;
use crate::message::{Message, Part, Role};
use crate::validity::pairs::{Fate, Matching, pair};

/// What a group is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A system or developer message: never removed.
    Frame,
    /// A message of the user. Begins a turn.
    User,
    /// A message in the user's name that is the record of another system. Asks for nothing.
    Record,
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

    /// True for a message of its own in the user's name, behind which the assistant may speak.
    pub fn opens(&self) -> bool {
        matches!(self.kind, Kind::User | Kind::Record)
    }

    /// Tokens as they stand.
    pub fn tokens(&self, draft: &Draft) -> u64 {
        self.entries.iter().map(|&i| draft.entries[i].after).sum()
    }
}

/// Cuts what is left of a draft into groups, in order. Every entry that is in belongs to exactly one group.
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

/// The same for formats whose results may stand anywhere behind their calls (OpenAI Responses): rounds of which one answers a call of
/// the other are one group, in the place of the newer, without what the user says in between.
pub fn groups_within(draft: &Draft, results_anywhere: bool) -> Vec<Group> {
    let groups = groups(draft);
    if !results_anywhere {
        return groups;
    }
    let mut group_of = vec![0; draft.entries.len()];
    for (at, group) in groups.iter().enumerate() {
        group.entries.iter().for_each(|&entry| group_of[entry] = at);
    }
    let entries = draft.entries.iter().enumerate().filter(|(_, entry)| entry.is_in());
    let found = pair(
        entries.map(|(at, entry)| (at, &*entry.message)),
        Matching { names: false, by_items: draft.meter.by_items },
    );
    // Which newer group each is part of, if any.
    let mut joins: Vec<usize> = (0..groups.len()).collect();
    let mut pending = vec![false; groups.len()];
    for call in &found.calls {
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

/// The newest group that `at` is part of. Shortens the way for the next time.
fn last_of(joins: &mut [usize], mut at: usize) -> usize {
    while joins[at] != at {
        joins[at] = joins[joins[at]];
        at = joins[at];
    }
    at
}

/// Groups that grow message by message, in time proportional to the message.
#[derive(Debug, Clone, Default)]
pub struct Grouper {
    /// In order of their first entry.
    pub groups: Vec<Group>,
    /// Calls of the round being built that have no result yet: how many of each id. A list would be searched once for
    /// each result, and messages with tens of thousands of calls exist.
    waiting: HashMap<String, usize>,
    /// False once anything but a result followed a round.
    open: bool,
    /// The newest group that is not of the frame, and what its newest message is.
    last: Option<(usize, Newest)>,
}

#[derive(Debug, Clone, Copy)]
struct Newest {
    is_assistant: bool,
    has_words: bool,
}

impl Grouper {
    /// Adds the next message; `index` is what the groups call it. Returns the number of its group.
    pub fn push(&mut self, index: usize, message: &Message) -> usize {
        // Results in the assistant's own message (tools that the provider runs) belong to the calls beside them.
        let answers = message.role != Role::Assistant && message.results().next().is_some();
        if message.role.is_frame() {
            // A system message in the middle of a round does not end it: it stays whatever happens.
            self.groups.push(Group { kind: Kind::Frame, entries: vec![index], pending: false });
            return self.groups.len() - 1;
        }
        let is_assistant = message.role == Role::Assistant;
        let newest = Newest { is_assistant, has_words: has_words(message) };
        let round = self.last.filter(|_| self.open);
        if answers && self.open {
            self.answer(message);
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
            // A user message, or a result that answers nothing (repair takes it out before groups matter).
            self.open = false;
            self.waiting.clear();
            let kind = if message.role == Role::User { Kind::User } else { Kind::Round };
            return self.begin(Group { kind, entries: vec![index], pending: false }, newest);
        }
        // Formats that send one item a call: the run goes on while calls wait for results, or after an item that only
        // introduces what follows (reasoning).
        let joins =
            round.filter(|(_, last)| last.is_assistant && (!self.waiting.is_empty() || !last.has_words)).map(|r| r.0);
        let at = match joins {
            Some(round) => {
                self.groups[round].entries.push(index);
                self.last = Some((round, newest));
                round
            }
            None => {
                self.waiting.clear();
                self.begin(Group { kind: Kind::Round, entries: vec![index], pending: false }, newest)
            }
        };
        for id in message.calls() {
            *self.waiting.entry(id.to_string()).or_default() += 1;
        }
        self.answer(message);
        self.groups[at].pending = !self.waiting.is_empty();
        self.open = true;
        at
    }

    /// Calls of the newest round that have no result yet: how many of each id.
    pub fn waiting(&self) -> &HashMap<String, usize> {
        &self.waiting
    }

    /// Forgets the newest group that begins before `index`, and all behind it. Returns the index from which to push again, at least up to
    /// `index`.
    pub fn cut(&mut self, index: usize) -> usize {
        // Only there the state is known: a group that is no frame begins with nothing waiting.
        let at =
            self.groups.iter().rposition(|g| g.kind != Kind::Frame && g.entries.first().is_some_and(|&e| e < index));
        let at = at.unwrap_or(0);
        let from = self.groups.get(at).and_then(|g| g.entries.first()).map_or(0, |&first| first.min(index));
        self.groups.truncate(at);
        self.waiting.clear();
        self.open = false;
        self.last = None;
        from
    }

    fn begin(&mut self, group: Group, newest: Newest) -> usize {
        self.groups.push(group);
        self.last = Some((self.groups.len() - 1, newest));
        self.groups.len() - 1
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

/// True if the message says or shows anything: not only calls, results, reasoning and items that introduce what follows.
pub fn has_words(message: &Message) -> bool {
    message.parts.iter().any(|part| match part {
        Part::Text { text } => !text.trim_start().is_empty(),
        Part::Image { .. } | Part::Document { .. } => true,
        Part::Opaque { .. } => message.role == Role::User,
        Part::ToolCall { .. } | Part::ToolResult { .. } | Part::Reasoning { .. } | Part::CacheMark => false,
    })
}

//! Finds the result of each tool call.
//!
//! One walk from the front. A result answers the newest unanswered call with its id, however many messages are between
//! them. An id that a provider uses twice therefore pairs correctly both times. A result that does not follow the round
//! of its call is marked as displaced.

use std::collections::VecDeque;

use crate::map::{HashMap, HashSet};
use crate::message::{Message, Part, Role};

/// Text of the placeholder for a result that was never recorded.
pub const LOST: &str = "No result was recorded for this call; whether it ran is unknown.";

/// Maximum bytes of a new id for a call whose id is taken, unless the old id was longer. 40 is the limit of OpenAI, the
/// lowest of all providers.
pub const MOST_OF_AN_ID: usize = 40;

/// Returns the placeholder for the result of a call that will not get one.
pub fn stand_in(call_id: &str, name: &str, text: &str) -> Part {
    Part::ToolResult {
        call_id: call_id.to_string(),
        name: (!name.is_empty()).then(|| name.to_string()),
        content: vec![Part::Text { text: text.to_string() }],
        is_error: true,
    }
}

/// Marks in the ids of messages that a repair makes: behind them is a call without a result, or a number.
pub const LOST_MARK: &str = ":lost:";
pub const MOVED_MARK: &str = ":moved:";

/// Returns the id of the message that a repair made the message with this id from; the id itself if none did.
pub fn origin_id(id: &str) -> &str {
    [LOST_MARK, MOVED_MARK].iter().fold(id, |id, mark| id.split_once(mark).map_or(id, |(own, _)| own))
}

/// Returns the id by which the original of a message is recalled. A host's own id may look as if a repair had made it.
///
/// ```
/// use espalier::message::{Message, Role};
/// use espalier::validity::pairs::{LOST, recall_id, stand_in};
/// let id = || "m4:lost:call_1".to_string();
/// let lost = Message { id: id(), role: Role::Tool, name: None, parts: vec![stand_in("call_1", "bash", LOST)] };
/// assert_eq!(recall_id(&lost), "m4");
/// assert_eq!(recall_id(&Message { id: id(), role: Role::User, name: None, parts: vec![] }), "m4:lost:call_1");
/// ```
pub fn recall_id(message: &Message) -> &str {
    let is_result = |part: &Part| matches!(part, Part::ToolResult { .. } | Part::CacheMark);
    let is_made = !message.parts.is_empty() && message.parts.iter().all(is_result);
    if is_made { origin_id(&message.id) } else { &message.id }
}

/// A message as the walk reads it: anything with a role and parts.
pub trait Spoken {
    /// Returns the role.
    fn role(&self) -> Role;
    /// Returns the parts, in order.
    fn parts(&self) -> impl Iterator<Item = &Part>;
}

impl Spoken for Message {
    fn role(&self) -> Role {
        self.role
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.parts.iter()
    }
}

impl<T: Spoken> Spoken for &T {
    fn role(&self) -> Role {
        (**self).role()
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        (**self).parts()
    }
}

/// Returns whether a part of a message of `role` is a note about a call, such as the user's approval (AI SDK). The host
/// acts on it, so it says nothing between a call and its result.
pub fn is_note(role: Role, part: &Part) -> bool {
    role == Role::Tool && matches!(part, Part::Opaque { .. })
}

/// Returns whether a message holds only notes about calls. It belongs to the round of these calls.
pub fn is_note_alone(message: &impl Spoken) -> bool {
    let mut parts = message.parts().peekable();
    parts.peek().is_some() && parts.all(|part| is_note(message.role(), part))
}

/// Index of a message, and index of a part in it.
pub type Place = (usize, usize);

/// A call and its outcome.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub at: Place,
    pub id: String,
    pub name: String,
    /// Its new id, if an earlier call has the same id.
    pub renamed: Option<String>,
    /// True if the earlier call with the same id had its result before this call.
    pub is_reused: bool,
    pub fate: Fate,
    /// Index of the message after which its result belongs, if other messages separate the result from the round.
    pub displaced: Option<usize>,
}

impl Call {
    /// Returns the place of its result.
    pub fn result(&self) -> Option<Place> {
        if let Fate::Answered(result) = self.fate { Some(result) } else { None }
    }
}

/// The outcome of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Answered(Place),
    /// No result will come. A placeholder belongs after the message `behind`.
    Lost {
        behind: usize,
    },
    /// It may still be running.
    Pending,
}

/// The calls and results of a conversation.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// All calls, in order.
    pub calls: Vec<Call>,
    /// Results that answer no call, in order.
    pub orphans: Vec<Place>,
}

/// How results are matched to calls.
#[derive(Debug, Clone, Copy)]
pub struct Matching {
    /// A result whose name differs from that of its call does not answer it.
    pub names: bool,
    /// Each call is an item of its own (OpenAI Responses): all items of the assistant's last run may still be running.
    /// In all other formats only the calls of its last message may.
    pub by_items: bool,
}

/// The unanswered calls by id, and the current round.
#[derive(Debug)]
struct Round<'m> {
    /// Unanswered calls by id, including those of earlier rounds. For each message that made some: its index and its
    /// calls, in order.
    open: HashMap<&'m str, Vec<(usize, VecDeque<usize>)>>,
    /// Index of the first call of the round, and of the first after the user's newest message.
    first: usize,
    turn: usize,
    /// Index of the newest message of the assistant's run.
    caller: usize,
    /// Whether that message makes calls.
    caller_calls: bool,
    /// Index of the newest message that answered a call and holds only results.
    last: Option<usize>,
    /// True if a call of an earlier message of the run was answered after the whole run. The format then sends one item
    /// for each call (OpenAI Responses), and a placeholder among the calls would split the round.
    by_items: bool,
}

impl<'m> Round<'m> {
    /// Returns the call that a result answers. It is one of the newest message that made a call with this id, because
    /// the provider gave up on older ones too. Within a message, the first call comes first.
    ///
    /// The assistant's own results (`is_own`, from tools that the provider runs) answer only calls of their turn: the
    /// provider may wait for results of the host's calls first.
    fn answered(&mut self, calls: &[Call], id: &str, name: Option<&str>, is_own: bool) -> Option<usize> {
        let waiting = self.open.get_mut(id)?;
        let is_it = |at: usize| name.is_none_or(|name| name == calls[at].name) && (!is_own || at >= self.turn);
        let found = waiting.iter().enumerate().rev().find_map(|(at, (_, of_message))| {
            let first = of_message.iter().position(|&call| is_it(call))?;
            Some((at, first))
        });
        let (at, first) = found?;
        let of_message = &mut waiting[at].1;
        let call = of_message.remove(first);
        if of_message.is_empty() {
            waiting.remove(at);
        }
        call
    }

    /// Records a call of the message `index`.
    fn opened(&mut self, id: &'m str, index: usize, call: usize) {
        let waiting = self.open.entry(id).or_default();
        match waiting.last_mut().filter(|(message, _)| *message == index) {
            Some((_, of_message)) => of_message.push_back(call),
            None => waiting.push((index, VecDeque::from([call]))),
        }
    }

    /// Marks the unanswered calls of the round as lost.
    fn give_up(&mut self, calls: &mut [Call]) {
        for call in calls[self.first..].iter_mut().filter(|call| call.fate == Fate::Pending) {
            call.fate = Fate::Lost { behind: self.stand_in(call.at.0) };
        }
        self.first = calls.len();
        self.last = None;
        self.by_items = false;
    }

    /// Returns the message after which the placeholder for a call of message `asked` belongs. This is the newest
    /// message with results of the round if it directly follows the calling message, else the calling message. In a run
    /// of items it is the last item.
    fn stand_in(&self, asked: usize) -> usize {
        match self.last {
            Some(last) if (asked == self.caller || self.by_items) && last > asked => last,
            _ if self.by_items => self.caller,
            _ => asked,
        }
    }
}

/// Pairs calls and results. Skips messages of the system prompt. Near-linear.
pub fn pair<'m, T: Spoken + 'm>(messages: impl Iterator<Item = (usize, &'m T)>, matching: Matching) -> Pairs {
    let mut found = Pairs::default();
    let mut ids = Ids::default();
    let mut round = Round {
        open: HashMap::default(),
        first: 0,
        turn: 0,
        caller: 0,
        caller_calls: false,
        last: None,
        by_items: false,
    };
    let mut after_assistant = false;
    let mut latest: HashMap<&str, usize> = HashMap::default();
    for (index, message) in messages.filter(|(_, message)| !message.role().is_frame()) {
        if is_note_alone(message) {
            after_assistant = false;
            continue;
        }
        let is_assistant = message.role() == Role::Assistant;
        if is_assistant {
            if !after_assistant {
                round.give_up(&mut found.calls);
            }
            round.caller = index;
            round.caller_calls = false;
        }
        let (mut answers, mut matched, mut only_results) = (false, false, true);
        for (number, part) in message.parts().enumerate() {
            match part {
                Part::ToolCall { call_id, name, .. } if is_assistant => {
                    round.caller_calls = true;
                    round.opened(call_id, index, found.calls.len());
                    let before = latest.insert(call_id.as_str(), found.calls.len());
                    let is_reused = before.is_some_and(|at| matches!(found.calls[at].fate, Fate::Answered(_)));
                    found.calls.push(Call {
                        is_reused,
                        at: (index, number),
                        id: call_id.clone(),
                        name: name.clone(),
                        renamed: ids.take(call_id, MOST_OF_AN_ID),
                        fate: Fate::Pending,
                        displaced: None,
                    });
                    only_results = false;
                }
                Part::ToolResult { call_id, name, .. } => {
                    answers = true;
                    let name = name.as_deref().filter(|name| matching.names && !name.is_empty());
                    let Some(number_of_call) = round.answered(&found.calls, call_id, name, is_assistant) else {
                        found.orphans.push((index, number));
                        continue;
                    };
                    let call = &mut found.calls[number_of_call];
                    if let Fate::Lost { behind } = call.fate {
                        call.displaced = Some(behind).filter(|_| !is_assistant);
                    } else {
                        matched = true;
                        round.by_items |= call.at.0 != round.caller;
                    }
                    call.fate = Fate::Answered((index, number));
                }
                Part::CacheMark | Part::Boundary => {}
                _ => only_results &= is_note(message.role(), part),
            }
        }
        after_assistant = is_assistant;
        if message.role() == Role::User {
            round.turn = found.calls.len();
        }
        if is_assistant {
            round.last = None;
            continue;
        }
        if !answers || !matched && !only_results {
            // Other parts than results end the round: later results are displaced.
            round.give_up(&mut found.calls);
        } else if matched && only_results {
            // Results come before other parts, so a placeholder must not follow a message that has both.
            round.last = Some(index);
        }
    }
    // Calls without a result at the very end are running, not lost, unless a later message followed them.
    if !round.caller_calls {
        round.give_up(&mut found.calls);
    } else if !matching.by_items {
        for call in found.calls[round.first..].iter_mut().filter(|call| call.at.0 != round.caller) {
            if call.fate == Fate::Pending {
                call.fate = Fate::Lost { behind: round.stand_in(call.at.0) };
            }
        }
    }
    found
}

/// The ids of all calls so far, including the ids made here.
#[derive(Debug, Default)]
pub struct Ids {
    used: HashSet<String>,
    /// The last number used, by id.
    numbers: HashMap<String, u32>,
}

impl Ids {
    /// Marks an id as used. If it was used before, returns a new one: `id-2`, `id-3`, …, in characters that every
    /// provider accepts. If `id` has at most `most` bytes, so has the new id.
    pub fn take(&mut self, id: &str, most: usize) -> Option<String> {
        if self.used.insert(id.to_string()) {
            return None;
        }
        let number = self.numbers.entry(id.to_string()).or_insert(1);
        loop {
            *number += 1;
            let suffix = format!("-{number}");
            let room = most.saturating_sub(suffix.len().max(3));
            let base = if id.len() <= most { &id[..id.floor_char_boundary(room)] } else { id };
            let new = format!("{base}{suffix}");
            if self.used.insert(new.clone()) {
                return Some(new);
            }
        }
    }
}

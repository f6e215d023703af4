//! Which result answers which call.
//!
//! One walk from the front: a result answers the newest unanswered call of its id, however many messages stand between them, so an id
//! that a provider uses twice pairs up correctly both times. A result that does not follow the round of its call is marked as displaced.

use std::collections::VecDeque;

use crate::map::{HashMap, HashSet};
use crate::message::{Message, Part, Role};

/// Text of the stand-in for a result that was never recorded.
pub const LOST: &str = "No result was recorded for this call; whether it ran is unknown.";

/// Longest id that a doubled call gets where the id it had was no longer: OpenAI's limit, the smallest there is.
pub const MOST_OF_AN_ID: usize = 40;

/// A message as the walk sees it: whatever has a role and parts.
pub trait Spoken {
    /// Who speaks.
    fn role(&self) -> Role;
    /// What is said, in order.
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

/// Index of a message, and of a part in it.
pub type Place = (usize, usize);

/// A call, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    pub at: Place,
    pub id: String,
    pub name: String,
    /// The id it gets, if an earlier call has its own.
    pub renamed: Option<String>,
    pub fate: Fate,
    /// The message behind which its result belongs, if other messages stand between the round and the result.
    pub displaced: Option<usize>,
}

/// What became of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Answered(Place),
    /// Nobody will answer it any more; a stand-in belongs behind this message.
    Lost {
        behind: usize,
    },
    /// It may be running now.
    Pending,
}

/// What a walk over a conversation found.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Pairs {
    /// In order.
    pub calls: Vec<Call>,
    /// Results that answer nothing, in order.
    pub orphans: Vec<Place>,
}

/// How results are matched to calls.
#[derive(Debug, Clone, Copy)]
pub struct Matching {
    /// A result with another name than its call answers nothing.
    pub names: bool,
    /// Each call is an item of its own (OpenAI Responses): all items of the assistant's last run may be running. In all other formats
    /// only calls of its last message may.
    pub by_items: bool,
}

/// The call that is open under an id, and the round at hand.
#[derive(Debug)]
struct Round<'m> {
    /// Calls that wait, those of earlier rounds included, by id: for each message that made some the message and its
    /// calls, in order.
    open: HashMap<&'m str, Vec<(usize, VecDeque<usize>)>>,
    /// The first call of the round.
    first: usize,
    /// The newest message of the assistant's run.
    caller: usize,
    /// Whether that message makes calls itself.
    caller_calls: bool,
    /// The newest message of results that answered something and holds nothing else.
    last: Option<usize>,
    /// A call of an earlier message of the run was answered behind the whole run: the format sends one item for each call
    /// (OpenAI Responses), and a stand-in among the calls would split the round.
    by_items: bool,
}

impl<'m> Round<'m> {
    /// The call that a result answers: of the newest message that made one of its id, since an older one was given up on by its
    /// provider, too; in one message the first comes first.
    ///
    /// The assistant's own results (`is_own`, tools that the provider runs) answer calls of their round only.
    fn answered(&mut self, calls: &[Call], id: &str, name: Option<&str>, is_own: bool) -> Option<usize> {
        let waiting = self.open.get_mut(id)?;
        let is_it = |call: &Call| name.is_none_or(|name| name == call.name) && (!is_own || call.fate == Fate::Pending);
        let found = waiting.iter().enumerate().rev().find_map(|(at, (_, of_message))| {
            let first = of_message.iter().position(|&call| is_it(&calls[call]))?;
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

    /// Takes note of a call of the message `index`.
    fn opened(&mut self, id: &'m str, index: usize, call: usize) {
        let waiting = self.open.entry(id).or_default();
        match waiting.last_mut().filter(|(message, _)| *message == index) {
            Some((_, of_message)) => of_message.push_back(call),
            None => waiting.push((index, VecDeque::from([call]))),
        }
    }

    /// The calls still waiting will not be answered any more.
    fn give_up(&mut self, calls: &mut [Call]) {
        for call in calls[self.first..].iter_mut().filter(|call| call.fate == Fate::Pending) {
            call.fate = Fate::Lost { behind: self.stand_in(call.at.0) };
        }
        self.first = calls.len();
        self.last = None;
        self.by_items = false;
    }

    /// The message behind which the stand-in of a call in message `asked` belongs: the results that its round did get, if they follow the
    /// calling message directly, else the calling message (of a run of items the last one).
    fn stand_in(&self, asked: usize) -> usize {
        match self.last {
            Some(last) if (asked == self.caller || self.by_items) && last > asked => last,
            _ if self.by_items => self.caller,
            _ => asked,
        }
    }
}

/// Pairs calls and results. Messages of the frame are passed over; near-linear.
pub fn pair<'m, T: Spoken + 'm>(messages: impl Iterator<Item = (usize, &'m T)>, matching: Matching) -> Pairs {
    let mut found = Pairs::default();
    let mut ids = Ids::default();
    let mut round =
        Round { open: HashMap::default(), first: 0, caller: 0, caller_calls: false, last: None, by_items: false };
    let mut after_assistant = false;
    for (index, message) in messages.filter(|(_, message)| !message.role().is_frame()) {
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
                    found.calls.push(Call {
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
                        call.displaced = Some(behind);
                    } else {
                        matched = true;
                        round.by_items |= call.at.0 != round.caller;
                    }
                    call.fate = Fate::Answered((index, number));
                }
                Part::CacheMark => {}
                _ => only_results = false,
            }
        }
        after_assistant = is_assistant;
        if is_assistant {
            round.last = None;
            continue;
        }
        if !answers || !matched && !only_results {
            // Words end the round: what answers it from here on is displaced.
            round.give_up(&mut found.calls);
        } else if matched && only_results {
            // Results come before words: a stand-in must not follow a message that has both.
            round.last = Some(index);
        }
    }
    // What is still waiting at the very end is running now, not lost, unless somebody went on talking.
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

/// Ids of all calls so far, those given here included.
#[derive(Debug, Default)]
pub struct Ids {
    used: HashSet<String>,
    /// The number that was given last, by id.
    numbers: HashMap<String, u32>,
}

impl Ids {
    /// Marks an id as used. If it was already, gives another: `id-2`, `id-3`, …, in characters that every provider takes. What fits
    /// into `most` bytes still does afterwards.
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

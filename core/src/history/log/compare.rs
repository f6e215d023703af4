//! Compares two positions of a log: which messages the view gained, lost and changed, and their tokens.

use serde::Serialize;

use super::view::repaired;
use super::{Log, State};
use crate::error::{Code, Error, Result};
use crate::history::draft::{Draft, Entry as Row};
use crate::map::HashMap;
use crate::message::Role;

/// Tokens of a view by kind of content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Split {
    pub total: u64,
    /// System and developer messages, and the overhead of the list.
    pub frame: u64,
    pub user: u64,
    pub assistant: u64,
    pub tool: u64,
    /// Summaries and synthetic results: messages that the host did not have.
    pub inserted: u64,
    pub tools: u64,
}

/// One message that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Difference {
    pub id: String,
    pub role: Role,
    /// Tokens in the first view; 0 if it is not in it.
    pub before: u64,
    /// Tokens in the second view; 0 if it is not in it.
    pub after: u64,
}

/// The messages in which two views differ.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Comparison {
    /// In the order of the second view.
    pub gained: Vec<Difference>,
    /// In the order of the first view.
    pub lost: Vec<Difference>,
    pub changed: Vec<Difference>,
    pub before: Split,
    pub after: Split,
}

impl Log {
    /// Compares the views at two positions, when the log had `a` and `b` entries.
    ///
    /// # Errors
    /// [`Code::BadInput`] for a position behind the end.
    pub fn compare(&self, a: usize, b: usize) -> Result<Comparison> {
        for (name, position) in [("a", a), ("b", b)] {
            if position > self.len() {
                let why = format!("the log has {} entries, so there is no position {position}", self.len());
                return Err(Error::new(Code::BadInput, why).at(name));
            }
        }
        let (first, second) = (self.state_at(a), self.state_at(b));
        let (first, second) = (repaired(self.draft_of(&first)), repaired(self.draft_of(&second)));
        let index = |draft: &Draft| -> HashMap<String, usize> {
            let rows = draft.entries.iter().enumerate().filter(|(_, row)| row.is_in());
            rows.map(|(at, row)| (row.message.id.clone(), at)).collect()
        };
        let (in_first, in_second) = (index(&first), index(&second));
        let mut out =
            Comparison { gained: vec![], lost: vec![], changed: vec![], before: split(&first), after: split(&second) };
        for row in first.entries.iter().filter(|row| row.is_in()) {
            let there = in_second.get(&row.message.id).map(|&at| &second.entries[at]);
            let difference = Difference {
                id: row.message.id.clone(),
                role: row.message.role,
                before: row.after,
                after: there.map_or(0, |there| there.after),
            };
            match there {
                None => out.lost.push(difference),
                Some(there) if there.message != row.message => out.changed.push(difference),
                Some(_) => {}
            }
        }
        for row in second.entries.iter().filter(|row| row.is_in() && !in_first.contains_key(&row.message.id)) {
            let (id, role) = (row.message.id.clone(), row.message.role);
            out.gained.push(Difference { id, role, before: 0, after: row.after });
        }
        Ok(out)
    }

    /// Folds the first `position` entries again, in time proportional to their number. Messages are not counted again.
    pub(super) fn state_at(&self, position: usize) -> State {
        let mut state = State::default();
        for seq in 0..position {
            state.fold(&self.store, self.counting.meter(), seq);
        }
        state
    }
}

pub(super) fn split(draft: &Draft) -> Split {
    let totals = draft.after();
    let mut split = Split { total: totals.total, frame: totals.frame, tools: totals.tools, ..Split::default() };
    draft.entries.iter().filter(|row| row.is_in()).for_each(|row| split.add(row));
    split
}

impl Split {
    /// Adds a message by its role. System messages are part of the frame.
    pub(super) fn add(&mut self, row: &Row) {
        let sum = match row.message.role {
            Role::System | Role::Developer => return,
            _ if row.host_id().is_none() => &mut self.inserted,
            Role::User => &mut self.user,
            Role::Assistant => &mut self.assistant,
            Role::Tool => &mut self.tool,
        };
        *sum += row.after;
    }
}

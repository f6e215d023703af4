//! Checks the range of messages that a summary replaces, and extends it.

use std::collections::BTreeSet;

use super::Log;
use super::check::{Guarded, bad_edit};
use super::entry::{Range, id_of};
use crate::error::Result;
use crate::history::draft::is_empty;
use crate::history::edit::Thinking;
use crate::message::{Part, Role};

impl Log {
    pub(super) fn check_range(&self, mut range: Range, guarded: &Guarded) -> Result<Range> {
        let slot = |id: &String, path: &str| {
            self.live(id).ok_or_else(|| bad_edit(path, format!("there is no message {id:?} in the conversation")))
        };
        let (mut start, mut end) = (slot(&range.from, "edit.range.from")?, slot(&range.to, "edit.range.to")?);
        if start > end {
            return Err(bad_edit("edit.range", format!("{:?} comes after {:?}", range.from, range.to)));
        }
        loop {
            let was = (start, end);
            for at in [start, end] {
                let entries = &self.group(at).entries;
                start = entries.first().map_or(start, |&first| first.min(start));
                end = entries.last().map_or(end, |&last| last.max(end));
            }
            let before_end = self.state.outer.range(..=end).rev().map(|(&from, &(to, _))| (from, to));
            let met: Vec<_> = before_end.take_while(|&(_, to)| to >= start).collect();
            for (from, to) in met {
                (start, end) = (start.min(from), end.max(to));
            }
            if was == (start, end) {
                break;
            }
        }
        // The summary follows a system message at the start of the range, which stays anyway.
        let inside = || (start..=end).filter(|&at| self.is_live(at) && !self.store.message(at).role.is_frame());
        let (Some(first), Some(last)) = (inside().next(), inside().next_back()) else {
            return Err(bad_edit("edit.range", "there is nothing but system messages in the range"));
        };
        let mut carried = BTreeSet::new();
        for (at, id) in range.carried.iter().enumerate() {
            let path = format!("edit.range.carried[{at}]");
            let slot = slot(id, &path)?;
            if !(first..=last).contains(&slot) {
                return Err(bad_edit(path, format!("message {id:?} is not in the range")));
            }
            carried.extend(self.group(slot).entries.iter().copied());
        }
        // At most three groups are guarded, but a range may be as long as the conversation.
        let is_inside =
            |at: usize| (start..=end).contains(&at) && self.is_live(at) && !self.store.message(at).role.is_frame();
        let special: BTreeSet<usize> =
            [guarded.pending, guarded.request, guarded.round].into_iter().flatten().collect();
        for group in special {
            let entries = &self.state.grouper.groups[group].entries;
            if !entries.iter().any(|&at| is_inside(at)) {
                continue;
            }
            if guarded.pending == Some(group) {
                return Err(bad_edit("edit.range.to", "a call in the range waits for its result"));
            }
            if guarded.request == Some(group) {
                carried.extend(entries.iter().copied());
            } else if guarded.round == Some(group)
                && entries.iter().any(|&at| self.store.message(at).results().next().is_some())
            {
                return Err(bad_edit("edit.range.to", "the newest round of the newest request stays"));
            }
        }
        if inside().all(|at| carried.contains(&at) || self.state.is_pinned(at)) {
            return Err(bad_edit(
                "edit.range",
                "everything in the range is carried, so that there is nothing to replace",
            ));
        }
        let summary = &range.summary;
        let odd =
            |part: &Part| matches!(part, Part::ToolCall { .. } | Part::ToolResult { .. } | Part::Reasoning { .. });
        if !matches!(summary.role, Role::User | Role::Assistant) {
            return Err(bad_edit("edit.range.summary.role", "a summary is a message of the user or the assistant"));
        }
        if is_empty(&summary.parts) || summary.parts.iter().any(odd) {
            return Err(bad_edit(
                "edit.range.summary.parts",
                "a summary says something, and neither calls nor answers",
            ));
        }
        if let Some(reply) = &mut range.reply {
            if reply.role != Role::Assistant || is_empty(&reply.parts) || reply.parts.iter().any(odd) {
                return Err(bad_edit("edit.range.reply", "a reply is a text of the assistant's"));
            }
            reply.id = format!("{}:reply", id_of(self.len()));
        }
        let hides = |at: usize| (first..=last).contains(&at) && !carried.contains(&at) && !self.state.is_pinned(at);
        range.thinking = match range.thinking {
            Some(thinking) => {
                let (_, to) = self.check_thinking(&thinking, last)?;
                Some(thinking).filter(|_| !hides(to))
            }
            // Take over the reasoning of the newest range inside this one.
            None => {
                let inside =
                    self.state.outer.range(first..=last).rev().filter_map(|(_, (_, seq))| self.store.edit(*seq));
                let mut left = inside.filter_map(|edit| edit.range.as_ref()?.thinking.clone());
                left.find(|thinking| self.live(&thinking.to).is_some_and(|to| !hides(to)))
            }
        };
        let id = |at: usize| self.store.message(at).id.clone();
        range.summary.id = format!("{}:summary", id_of(self.len()));
        (range.from, range.to) = (id(first), id(last));
        range.carried = carried.into_iter().map(id).collect();
        Ok(range)
    }

    /// Returns the slots of the messages that give and receive the reasoning. `last` is the last slot of the range.
    pub(super) fn check_thinking(&self, thinking: &Thinking, last: usize) -> Result<(usize, usize)> {
        let slot = |id: &String, name: &str| {
            let path = format!("edit.range.thinking.{name}");
            self.live(id).ok_or_else(|| bad_edit(path, format!("there is no message {id:?} in the conversation")))
        };
        let (from, to) = (slot(&thinking.from, "from")?, slot(&thinking.to, "to")?);
        let is_thought = |part: &Part| matches!(part, Part::Reasoning { .. });
        if from > last {
            return Err(bad_edit("edit.range.thinking.from", "the thought is of a message behind the range"));
        }
        if !self.store.message(from).parts.get(thinking.part).is_some_and(is_thought) {
            return Err(bad_edit("edit.range.thinking.part", "this part of the message is no thought"));
        }
        let message = self.store.message(to);
        if message.role != Role::Assistant || message.calls().next().is_none() {
            return Err(bad_edit("edit.range.thinking.to", "what begins with a thought is a message that calls"));
        }
        if message.parts.iter().any(is_thought) {
            return Err(bad_edit("edit.range.thinking.to", "the message has thoughts of its own"));
        }
        Ok((from, to))
    }
}

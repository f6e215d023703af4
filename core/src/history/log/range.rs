//! Checks the range of messages that a summary replaces, and extends it.

use std::collections::BTreeSet;

use super::Log;
use super::check::{Guarded, bad_edit};
use super::entry::{Range, id_of};
use crate::error::Result;
use crate::history::draft::is_empty;
use crate::history::edit::Thinking;
use crate::map::ordered;
use crate::message::{Message, Part, Role};

impl Log {
    /// Returns the range with whole rounds, with everything that it carries, and with the ids of what it inserts.
    pub(super) fn check_range(&self, mut range: Range, guarded: &Guarded) -> Result<Range> {
        let (start, end) = (self.slot(&range.from, "edit.range.from")?, self.slot(&range.to, "edit.range.to")?);
        if start > end {
            return Err(bad_edit("edit.range", format!("{:?} comes after {:?}", range.from, range.to)));
        }
        let (start, end) = self.whole_rounds(start, end);
        // The summary follows a system message at the start of the range, which stays anyway.
        let inside = || (start..=end).filter(|&at| self.has_speech(at));
        let (Some(first), Some(last)) = (inside().next(), inside().next_back()) else {
            return Err(bad_edit("edit.range", "there is nothing but system messages in the range"));
        };
        let carried = self.carried(&range, (first, last), guarded)?;
        if inside().all(|at| carried.contains(&at) || self.state.is_pinned(at)) {
            return Err(bad_edit(
                "edit.range",
                "everything in the range is carried, so that there is nothing to replace",
            ));
        }
        check_inserted(&range)?;
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
        let own = id_of(self.len());
        range.summary.id = format!("{own}:summary");
        if let Some(reply) = &mut range.reply {
            reply.id = format!("{own}:reply");
        }
        (range.from, range.to) = (id(first), id(last));
        range.carried = carried.into_iter().map(id).collect();
        Ok(range)
    }

    fn slot(&self, id: &str, path: impl Into<String>) -> Result<usize> {
        self.live(id).ok_or_else(|| bad_edit(path, format!("there is no message {id:?} in the conversation")))
    }

    /// True for a live message that is no system message.
    fn has_speech(&self, at: usize) -> bool {
        self.is_live(at) && !self.store.message(at).role.is_frame()
    }

    /// Extends a range so that it cuts neither a round nor a range that an earlier edit replaced.
    fn whole_rounds(&self, mut start: usize, mut end: usize) -> (usize, usize) {
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
                return was;
            }
        }
    }

    /// Returns the slots that stay in a range from `first` to `last`: those of the groups that it names, and the newest
    /// request.
    fn carried(&self, range: &Range, (first, last): (usize, usize), guarded: &Guarded) -> Result<BTreeSet<usize>> {
        let mut carried = BTreeSet::new();
        for (at, id) in range.carried.iter().enumerate() {
            let path = format!("edit.range.carried[{at}]");
            let slot = self.slot(id, path.as_str())?;
            if !(first..=last).contains(&slot) {
                return Err(bad_edit(path, format!("message {id:?} is not in the range")));
            }
            carried.extend(self.group(slot).entries.iter().copied());
        }
        // At most three groups are guarded, but a range may be as long as the conversation.
        let special = ordered([guarded.pending, guarded.request, guarded.round].into_iter().flatten());
        for group in special {
            let entries = &self.state.grouper.groups[group].entries;
            if !entries.iter().any(|&at| (first..=last).contains(&at) && self.has_speech(at)) {
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
        Ok(carried)
    }

    /// Returns the slots of the messages that give and receive the reasoning. `last` is the last slot of the range.
    pub(super) fn check_thinking(&self, thinking: &Thinking, last: usize) -> Result<(usize, usize)> {
        let from = self.slot(&thinking.from, "edit.range.thinking.from")?;
        let to = self.slot(&thinking.to, "edit.range.thinking.to")?;
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

/// Checks the summary of a range and the reply to it.
fn check_inserted(Range { summary, reply, .. }: &Range) -> Result<()> {
    let odd = |part: &Part| matches!(part, Part::ToolCall { .. } | Part::ToolResult { .. } | Part::Reasoning { .. });
    if !matches!(summary.role, Role::User | Role::Assistant) {
        return Err(bad_edit("edit.range.summary.role", "a summary is a message of the user or the assistant"));
    }
    if is_empty(&summary.parts) || summary.parts.iter().any(odd) {
        return Err(bad_edit("edit.range.summary.parts", "a summary says something, and neither calls nor answers"));
    }
    let is_text =
        |reply: &Message| reply.role == Role::Assistant && !is_empty(&reply.parts) && !reply.parts.iter().any(odd);
    if !reply.as_ref().is_none_or(is_text) {
        return Err(bad_edit("edit.range.reply", "a reply is a text of the assistant's"));
    }
    Ok(())
}

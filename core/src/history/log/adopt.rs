//! Turns the edits of a compaction into edits of a log.
//!
//! A compaction works on the messages of a view, which may include earlier summaries, and lists the covered messages
//! one by one. A log names ranges of the history and the messages carried inside them.

use serde::Deserialize;

use super::entry::{Consumed, Edit, Range, seq_of, stands_in};
use super::fold::Shown;
use super::{Added, Log, Runs};
use crate::error::{Code, Error, Result};
use crate::history::edit::{self, Kind, Target, Thinking};
use crate::history::plan::PartEdit;
use crate::map::HashSet;
use crate::message::Message;
use crate::validity::pairs::origin_id;

/// The origin of a compaction's edits.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Made {
    /// The log position of the view that the edits were made from. Their targets must not have changed since. If
    /// absent, the edits were made from the current view.
    pub since: Option<usize>,
    pub trigger: Option<String>,
    pub plan_id: Option<String>,
    /// JSON text that the host stores with the compaction (model, usage, quality). It is stored with the first edit.
    pub json: Option<String>,
}

impl Log {
    /// Records the edits of a compaction of [`Log::messages`], in order: all of them or none.
    ///
    /// # Errors
    /// [`Code::BadEdit`] with the number of the edit, for messages that are not in the view any more, and for edits
    /// that a log does not accept. A compaction that shortens the newest request to make it fit does so for one request
    /// only.
    pub fn adopt(&mut self, edits: &[edit::Edit], time: i64) -> Result<Vec<Added>> {
        self.adopt_made(edits, &Made::default(), time)
    }

    /// Records edits that were made at an earlier position. Messages may have been added behind their targets since,
    /// but the targets themselves must be unchanged.
    ///
    /// # Errors
    /// As [`Log::adopt`]; [`Code::StalePlan`] with the name of what changed.
    pub fn adopt_made(&mut self, edits: &[edit::Edit], made: &Made, time: i64) -> Result<Vec<Added>> {
        if let Some(since) = made.since {
            self.check_untouched(edits.iter().flat_map(edit::Edit::ids), since)?;
        }
        let entries = self.len();
        let mut out = Vec::with_capacity(edits.len());
        for (at, edit) in edits.iter().enumerate() {
            let json = made.json.clone().filter(|_| at == 0);
            let translated = self.translated(edit).map(|edit| Edit {
                trigger: made.trigger.clone(),
                plan_id: made.plan_id.clone(),
                json,
                ..edit
            });
            match translated.and_then(|edit| self.edit(edit, time)) {
                Ok(added) => out.push(added),
                Err(error) => {
                    // Folding again is slower than restoring a copy of the state, but few edits are refused.
                    if self.len() > entries {
                        self.roll_back(self.state_at(entries), entries);
                    }
                    let path = error.path.as_deref().map_or(String::new(), |path| path.replacen("edit", "", 1));
                    return Err(error.at(format!("edits[{at}]{path}")));
                }
            }
        }
        Ok(out)
    }

    /// Returns the view with these edits, without recording them.
    ///
    /// # Errors
    /// As [`Log::adopt_made`].
    pub fn preview_adopted(&mut self, edits: &[edit::Edit], made: &Made) -> Result<Runs> {
        let (state, entries) = (self.state.clone(), self.len());
        self.adopt_made(edits, made, 0).map(|_| {
            let mut shown = self.view_in_runs();
            shown.view.position = entries;
            self.roll_back(state, entries);
            shown
        })
    }

    fn translated(&self, from: &edit::Edit) -> Result<Edit> {
        let mut edit = Edit {
            kind: from.kind,
            newer: from.newer.clone(),
            rule: from.rule.to_string(),
            author: from.author,
            ..Edit::default()
        };
        match from.kind {
            Kind::ReplaceRange => {
                let range = self.range_of(from)?;
                let ids: Vec<String> = self.covered_by_range(&range);
                edit.consumed = Some(Consumed { hash: self.fingerprint(&ids)?, ids });
                edit.range = Some(range);
            }
            Kind::Drop => {
                edit.targets = from.ids().filter(|id| self.live(id).is_some()).map(Target::message).collect();
            }
            _ => edit.targets = from.targets.iter().map(|target| self.target_of(target)).collect(),
        }
        Ok(edit)
    }

    /// Returns the range around the covered messages, from the position of the summary. Shown messages in it that are
    /// not covered are carried.
    fn range_of(&self, from: &edit::Edit) -> Result<Range> {
        let missing =
            |id: &str| Error::new(Code::BadEdit, format!("there is no message {id:?} in the view")).at("edit.targets");
        let mut covered = HashSet::default();
        let (mut start, mut end) = (usize::MAX, 0);
        for id in from.ids() {
            let (first, last) = self.place(id).ok_or_else(|| missing(id))?;
            (start, end) = (start.min(first), end.max(last));
            covered.extend(self.live(id));
        }
        if start > end {
            return Err(Error::new(Code::BadEdit, "the summary replaces nothing").at("edit.targets"));
        }
        // The summary follows the system prompt and may precede older messages that stay.
        if let Some(before) = &from.before {
            start = start.min(self.place(before).ok_or_else(|| missing(before))?.0);
        }
        let shown = self.state.visible.range(start..=end);
        let carried = shown
            .copied()
            .filter(|slot| !covered.contains(slot) && !self.store.message(*slot).role.is_frame())
            .map(|slot| self.store.message(slot).id.clone())
            .collect();
        let empty = || Error::new(Code::BadEdit, "a range needs a message that replaces it").at("edit.message");
        let summary: Message = from.message.clone().ok_or_else(empty)?;
        let id = |slot: usize| self.store.message(slot).id.clone();
        let thinking = from.thinking.as_ref().and_then(|thinking| self.thought(thinking, end));
        Ok(Range { from: id(start), to: id(end), summary, reply: from.reply.clone(), thinking, carried })
    }

    /// Translates reasoning to the log's messages. Returns `None` if it does not fit any more, because messages changed
    /// since.
    fn thought(&self, thinking: &Thinking, end: usize) -> Option<Thinking> {
        let slot = self.live(&thinking.from)?;
        let carried = |edit: &PartEdit| edit.from.clone().map(|from| (from, edit.part));
        let of_another = match &self.state.slots[slot].shown {
            Shown::Changed(changed) => changed.edits.get(thinking.part).and_then(carried),
            _ => None,
        };
        let (from, part) =
            of_another.unwrap_or_else(|| (thinking.from.clone(), self.part_of(&thinking.from, thinking.part)));
        let thinking = Thinking { from, part, to: thinking.to.clone() };
        self.check_thinking(&thinking, end).ok().map(|_| thinking)
    }

    /// Returns the ids of the messages that are shown now and that the range would hide.
    fn covered_by_range(&self, range: &Range) -> Vec<String> {
        let (Some(start), Some(end)) = (self.live(&range.from), self.live(&range.to)) else { return vec![] };
        let carried: HashSet<&String> = range.carried.iter().collect();
        let shown = self.state.visible.range(start..=end);
        shown
            .map(|&slot| self.store.message(slot))
            .filter(|message| !message.role.is_frame() && !carried.contains(&message.id))
            .map(|message| message.id.clone())
            .collect()
    }

    /// Returns the first and last slot of a message of the view: its own, or those that a summary replaces.
    pub(super) fn place(&self, id: &str) -> Option<(usize, usize)> {
        // What a repair made is at the place of its origin.
        if let Some(slot) = self.live(id).or_else(|| self.live(origin_id(id))) {
            return Some((slot, slot));
        }
        let span = self.state.edits.get(&seq_of(stands_in(id)?)?)?.span.as_ref()?;
        Some((span.start, span.end))
    }

    /// Returns a target of the view as a target of the host's message.
    fn target_of(&self, Target { message, part, to }: &Target) -> Target {
        let part = part.map(|part| self.part_of(message, part));
        Target { message: message.clone(), part, to: to.clone() }
    }

    /// Returns the index in the host's message of part `number` of the shown message.
    fn part_of(&self, id: &str, number: usize) -> usize {
        let edits = self.live(id).and_then(|slot| match &self.state.slots[slot].shown {
            Shown::Changed(changed) => changed.edits.get(number),
            _ => None,
        });
        match edits {
            // Reasoning from another message has the index after the message's own parts.
            Some(PartEdit { from: Some(_), .. }) => {
                self.live(id).map_or(number, |slot| self.store.message(slot).parts.len())
            }
            edit => edit.map_or(number, |edit| edit.part),
        }
    }
}

//! Edits of a compaction as edits of a log.
//!
//! A compaction works on the messages of a view, summaries of earlier ones among them, and names what it covers one by one. A log names
//! ranges of the history and what is carried inside them.

use serde::Deserialize;

use super::entry::{Becomes, Consumed, Edit, Kind, Range, Target, seq_of, stands_in};
use super::fold::Shown;
use super::{Added, Log, Runs};
use crate::error::{Code, Error, Result};
use crate::history::edit::{self, Thinking};
use crate::history::plan::PartEdit;
use crate::map::HashSet;
use crate::message::{Message, Part};

/// Where a compaction's edits come from.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Made {
    /// The position in the log of the view that they were made from. What they are about must not have changed since; without it, it is
    /// the view as it is now.
    pub since: Option<usize>,
    pub trigger: Option<String>,
    pub plan_id: Option<String>,
    /// What the host wants to keep of it (model, usage, quality), as JSON text; goes with the first edit.
    pub json: Option<String>,
}

impl Log {
    /// Records the edits of a compaction of [`Log::messages`], in order. All of them or none.
    ///
    /// # Errors
    /// [`Code::BadEdit`] with the number of the edit: for what a log may not have (a compaction that shortens the newest request to make it
    /// fit does so for one request only), and for messages that are not in the view any more.
    pub fn adopt(&mut self, edits: &[edit::Edit], time: i64) -> Result<Vec<Added>> {
        self.adopt_made(edits, &Made::default(), time)
    }

    /// The same for edits that were made a while ago: messages may have been added behind what they are about, and nothing else may have
    /// happened to it.
    ///
    /// # Errors
    /// As [`Log::adopt`]; [`Code::StalePlan`] naming what has changed.
    pub fn adopt_made(&mut self, edits: &[edit::Edit], made: &Made, time: i64) -> Result<Vec<Added>> {
        if let Some(since) = made.since {
            self.check_untouched(edits.iter().flat_map(|edit| &edit.targets), since)?;
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
                    // Folding again is slower than a copy of the state, but most edits are not refused.
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

    /// The view as these edits would leave it. Nothing is recorded.
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
            kind: match from.kind {
                edit::Kind::ReplaceRange => Kind::ReplaceRange,
                edit::Kind::Drop => Kind::Drop,
                edit::Kind::Truncate => Kind::Truncate,
                edit::Kind::ClearResult => Kind::ClearResult,
                edit::Kind::Supersede => Kind::Supersede,
                edit::Kind::ClearArguments => Kind::ClearArguments,
                edit::Kind::DropMedia => Kind::DropMedia,
                edit::Kind::DropReasoning => Kind::DropReasoning,
            },
            targets: vec![],
            range: None,
            newer: from.newer.clone(),
            rule: from.rule.to_string(),
            trigger: None,
            author: from.author,
            tokens_before: 0,
            tokens_after: 0,
            plan_id: None,
            consumed: None,
            json: None,
        };
        match from.kind {
            edit::Kind::ReplaceRange => {
                let range = self.range_of(from)?;
                let ids: Vec<String> = self.covered_by_range(&range);
                edit.consumed = Some(Consumed { hash: self.fingerprint(&ids)?, ids });
                edit.range = Some(range);
            }
            edit::Kind::Drop => {
                let target = |id: &String| Target { message: id.clone(), part: None, to: None };
                edit.targets = from.targets.iter().filter(|id| self.live(id).is_some()).map(target).collect();
            }
            kind => edit.targets = self.parts_of(kind, &from.texts),
        }
        Ok(edit)
    }

    /// The range around the covered messages, from where the summary stands; what is shown in it and not covered is carried.
    fn range_of(&self, from: &edit::Edit) -> Result<Range> {
        let missing =
            |id: &str| Error::new(Code::BadEdit, format!("there is no message {id:?} in the view")).at("edit.targets");
        let mut covered = HashSet::default();
        let (mut start, mut end) = (usize::MAX, 0);
        for id in &from.targets {
            let (first, last) = self.place(id).ok_or_else(|| missing(id))?;
            (start, end) = (start.min(first), end.max(last));
            covered.extend(self.live(id));
        }
        if start > end {
            return Err(Error::new(Code::BadEdit, "the summary stands for nothing").at("edit.targets"));
        }
        // The summary stands behind the frame, in front of older messages that stay.
        if let Some(before) = &from.before {
            start = start.min(self.place(before).ok_or_else(|| missing(before))?.0);
        }
        let shown = self.state.visible.range(start..=end);
        let carried = shown
            .copied()
            .filter(|slot| !covered.contains(slot) && !self.store.message(*slot).role.is_frame())
            .map(|slot| self.store.message(slot).id.clone())
            .collect();
        let empty = || Error::new(Code::BadEdit, "a range needs a message that stands for it").at("edit.message");
        let summary: Message = from.message.clone().ok_or_else(empty)?;
        let id = |slot: usize| self.store.message(slot).id.clone();
        let thinking = from.thinking.as_ref().and_then(|thinking| self.thought(thinking, end));
        Ok(Range { from: id(start), to: id(end), summary, reply: from.reply.clone(), thinking, carried })
    }

    /// The same thought by the message that it is of in the log. Nothing if it does not fit any more: messages may have changed since.
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

    /// Ids of the messages that a range would hide and that show now.
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

    /// First and last slot of a message of the view: its own, or those that a summary stands for.
    pub(super) fn place(&self, id: &str) -> Option<(usize, usize)> {
        // A stand-in for a lost result is where its call is.
        if let Some(slot) = self.live(id).or_else(|| self.live(id.split_once(":lost:")?.0)) {
            return Some((slot, slot));
        }
        let span = self.state.edits.get(&seq_of(stands_in(id)?)?)?.span.as_ref()?;
        Some((span.start, span.end))
    }

    /// One target for each part; what is said of things in one result is one target.
    fn parts_of(&self, kind: edit::Kind, texts: &[edit::Replacement]) -> Vec<Target> {
        let mut out: Vec<Target> = Vec::with_capacity(texts.len());
        for from in texts {
            let part = self.part_of(&from.message, from.part);
            let text = from.text.clone();
            if let Some(at) = from.item {
                let same = out.last_mut().filter(|last| last.message == from.message && last.part == Some(part));
                if let Some(Target { to: Some(Becomes::Content { items }), .. }) = same {
                    if let Some(item) = items.get_mut(at) {
                        *item = Some(text);
                    }
                    continue;
                }
                let content = self.live(&from.message).map(|slot| self.store.message(slot)).and_then(|message| {
                    message
                        .parts
                        .get(part)
                        .map(|part| if let Part::ToolResult { content, .. } = part { content.len() } else { 0 })
                });
                let mut items = vec![None; content.unwrap_or(0)];
                if let Some(item) = items.get_mut(at) {
                    *item = Some(text);
                }
                out.push(Target {
                    message: from.message.clone(),
                    part: Some(part),
                    to: Some(Becomes::Content { items }),
                });
                continue;
            }
            let to = match kind {
                edit::Kind::ClearArguments => Becomes::Arguments { arguments: text },
                edit::Kind::DropMedia => Becomes::Note { text },
                edit::Kind::DropReasoning => Becomes::Gone,
                _ => Becomes::Text { text },
            };
            out.push(Target { message: from.message.clone(), part: Some(part), to: Some(to) });
        }
        out
    }

    /// The part of the host's message that is part `number` of the message as it is shown.
    fn part_of(&self, id: &str, number: usize) -> usize {
        let edits = self.live(id).and_then(|slot| match &self.state.slots[slot].shown {
            Shown::Changed(changed) => changed.edits.get(number),
            _ => None,
        });
        match edits {
            // Its index is that behind the message's own parts.
            Some(PartEdit { from: Some(_), .. }) => {
                self.live(id).map_or(number, |slot| self.store.message(slot).parts.len())
            }
            edit => edit.map_or(number, |edit| edit.part),
        }
    }
}

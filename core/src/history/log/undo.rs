//! Undo and redo. Both append an entry, and the view is again byte for byte what it was before.

use serde::Serialize;

use super::check::unknown;
use super::entry::{Entry, id_of, seq_of};
use super::fold::Revoke;
use super::{Added, Log};
use crate::error::Result;
use crate::history::edit::{Author, Kind};

/// The outcome of an undo or redo.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Undone {
    #[serde(flatten)]
    pub added: Added,
    /// Id of the edit or rewind.
    pub target: String,
}

/// One edit of a log, and whether it is in force.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct EditRow {
    /// `e<position>`.
    pub id: String,
    pub kind: Kind,
    pub rule: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<String>,
    pub author: Author,
    /// Tokens of the targets before the edit, and of their replacements.
    pub tokens_before: u64,
    pub tokens_after: u64,
    /// Ids of the affected messages; first and last of a range.
    pub targets: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan_id: Option<String>,
    /// Id of the revoke or rewind that took it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_by: Option<String>,
}

/// A stored summary.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredSummary {
    /// From 1; never reused.
    pub number: u32,
    pub title: String,
    /// The path of its file, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// Milliseconds, by the host's clock.
    pub time: i64,
    /// Ids of the edits that it was stored for.
    pub edits: Vec<String>,
    /// Number of messages that its summary replaced, including those of older summaries.
    pub messages: usize,
    /// Tokens of the summary.
    pub tokens: u64,
    /// True while a rewind has removed the summarised messages.
    pub orphaned: bool,
}

impl Log {
    /// Takes back the named edit or rewind, or the newest one that can be taken back. Returns `None` if there is none.
    ///
    /// # Errors
    /// [`crate::error::Code::UnknownId`] if the named one is not in force, [`crate::error::Code::BadEdit`] for a rewind
    /// after which messages were added.
    pub fn undo(&mut self, id: Option<&str>, time: i64) -> Result<Option<Undone>> {
        let newest = || {
            let edits = self.state.edits.iter().filter(|(_, edit)| edit.in_force()).map(|(seq, _)| *seq);
            let slots = self.state.slots.len();
            let rewinds = self.state.rewinds.iter().filter(|(_, r)| r.revoked_by.is_none() && r.had == slots);
            edits.chain(rewinds.map(|(seq, _)| *seq)).max().map(id_of)
        };
        let is_known = |seq: &usize| self.state.edits.contains_key(seq) || self.state.rewinds.contains_key(seq);
        let found = match id {
            Some(id) => {
                seq_of(id).filter(is_known).ok_or_else(|| unknown("target", "edit or rewind", id))?;
                Some(id.to_string())
            }
            None => newest(),
        };
        self.revoke(found, time)
    }

    /// Restores the named edit, or what the named or newest undo took back. Without a name, an edit or rewind after the
    /// undo prevents it. Returns `None` if there is nothing to restore.
    ///
    /// # Errors
    /// As [`Log::undo`]; [`crate::error::Code::BadEdit`] if its range would overlap another.
    pub fn redo(&mut self, id: Option<&str>, time: i64) -> Result<Option<Undone>> {
        let open = || self.state.revokes.iter().rev().filter(|(_, revoke)| revoke.undone_by.is_none());
        let found = match id {
            // The id may name the edit that was taken back or the undo.
            Some(id) => {
                let named = |(seq, revoke): &(&usize, &Revoke)| id_of(revoke.target) == id || id_of(**seq) == id;
                let found = open().find(named).map(|(seq, _)| id_of(*seq));
                Some(found.ok_or_else(|| unknown("target", "undone edit or rewind", id))?)
            }
            None => {
                let edits = self.state.edits.keys().next_back();
                let made = edits.max(self.state.rewinds.keys().next_back()).copied().unwrap_or(0);
                open().next().filter(|(seq, _)| **seq > made).map(|(seq, _)| id_of(*seq))
            }
        };
        self.revoke(found, time)
    }

    /// Removes all messages behind `to` from the view (all messages without it). Edits that reach past it are revoked,
    /// which restores the messages that they covered. Checkpoints behind it are orphaned.
    ///
    /// # Errors
    /// [`crate::error::Code::UnknownId`] if the message is not in the conversation.
    pub fn rewind(&mut self, to: Option<&str>, time: i64) -> Result<Added> {
        self.push(Entry::Rewind { to: to.map(str::to_string) }, time)
    }

    /// Returns all edits, in log order.
    pub fn edits(&self) -> Vec<EditRow> {
        let rows = self.state.edits.iter().filter_map(|(&seq, laid)| {
            let edit = self.store.edit(seq)?;
            let targets = match &edit.range {
                Some(range) => vec![range.from.clone(), range.to.clone()],
                None => edit.targets.iter().map(|target| target.message.clone()).collect(),
            };
            Some(EditRow {
                id: id_of(seq),
                kind: edit.kind,
                rule: edit.rule.clone(),
                trigger: edit.trigger.clone(),
                author: edit.author,
                tokens_before: edit.tokens_before,
                tokens_after: edit.tokens_after,
                targets,
                plan_id: edit.plan_id.clone(),
                revoked_by: laid.revoked_by.or(laid.rewound_by).map(id_of),
            })
        });
        rows.collect()
    }

    /// Returns the positions of the edits in force, oldest first.
    pub fn edits_in_force(&self) -> impl DoubleEndedIterator<Item = usize> {
        self.state.edits.iter().filter(|(_, laid)| laid.in_force()).map(|(&seq, _)| seq)
    }

    /// Returns the id of the newest summary in force.
    pub fn newest_summary(&self) -> Option<String> {
        let is_range = |seq: &usize| self.store.edit(*seq).is_some_and(|edit| edit.kind == Kind::ReplaceRange);
        self.edits_in_force().rev().find(is_range).map(id_of)
    }

    /// Returns all stored summaries, by their numbers.
    pub fn checkpoints(&self) -> Vec<StoredSummary> {
        let orphaned = |stored: &super::fold::Stored| {
            let in_force = self.state.rewinds.range(stored.seq..).filter(|(_, r)| r.revoked_by.is_none());
            in_force.into_iter().any(|(_, rewind)| rewind.keep < stored.upto)
        };
        let rows = self.state.checkpoints.iter().filter_map(|stored| {
            let record = self.store.records.get(stored.seq)?;
            let Entry::Checkpoint { checkpoint } = &record.entry else { return None };
            let edits = checkpoint.edits.iter().filter_map(|id| self.state.edits.get(&seq_of(id)?)?.span.as_ref());
            let (messages, tokens) =
                edits.fold((0, 0), |(messages, tokens), span| (messages + span.covers, tokens + span.tokens));
            Some(StoredSummary {
                number: stored.number,
                title: checkpoint.title.clone(),
                path: checkpoint.path.clone(),
                time: record.time,
                edits: checkpoint.edits.clone(),
                messages,
                tokens,
                orphaned: orphaned(stored),
            })
        });
        rows.collect()
    }

    fn revoke(&mut self, id: Option<String>, time: i64) -> Result<Option<Undone>> {
        let Some(id) = id else { return Ok(None) };
        let added = self.push(Entry::Revoke { target: id.clone() }, time)?;
        let seq = seq_of(&id);
        let target = seq.and_then(|seq| self.state.revokes.get(&seq)).map_or(id, |revoke| id_of(revoke.target));
        Ok(Some(Undone { added, target }))
    }
}

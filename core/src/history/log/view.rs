//! The view: the history with the edits in force, repaired so that no provider refuses it.

use std::borrow::Cow;
use std::rc::Rc;

use serde::Serialize;

use super::compare::{Split, split};
use super::entry::Edit;
use super::fold::{Live, Shown, row};
use super::{Log, State};
use crate::error::Result;
use crate::history::draft::{Draft, Entry as Row};
use crate::history::pairs::repair;
use crate::history::plan::{Fate, PlanItem, Removal, Totals};
use crate::map::HashSet;
use crate::message::{Message, Role};
use crate::tokens::Origin;

/// The messages to send.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// Uses the host's ids. Contains no content except summaries and changed parts.
    pub plan: Vec<PlanItem>,
    /// The conversation without any edits.
    pub before: Totals,
    pub after: Totals,
    /// `after` by kind of content.
    pub split: Split,
    pub origin: Origin,
    /// Repairs in this view only, so that no provider refuses it.
    pub repaired: Vec<Removal>,
    /// The position in the log at which it was made.
    pub position: usize,
}

/// The effect of an edit that was not recorded.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// The edit in its recorded form: with an extended range, and with tokens.
    pub edit: Edit,
    /// Ids of messages that were added to the range.
    pub grown: Vec<String>,
    pub view: View,
    /// Tokens of the current view.
    pub total: u64,
}

impl Log {
    /// Returns the current view. Takes time proportional to the messages of the view, not to their texts.
    pub fn view(&self) -> View {
        let draft = self.repaired();
        View { plan: draft.plan(), ..self.view_of(draft) }
    }

    /// Returns the view of a draft, without a plan.
    pub(super) fn view_of(&self, draft: Draft) -> View {
        View { after: draft.after(), split: split(&draft), repaired: draft.removed, ..self.bare_view() }
    }

    /// Returns what does not depend on how messages are shown.
    pub(super) fn bare_view(&self) -> View {
        View {
            plan: vec![],
            before: self.history_totals(),
            after: Totals::default(),
            split: Split::default(),
            origin: self.origin,
            repaired: vec![],
            position: self.len(),
        }
    }

    /// Returns the tokens of these messages of the view, as they are shown. Messages outside the view count 0.
    pub fn tokens_of(&self, ids: &HashSet<String>) -> u64 {
        let draft = self.repaired();
        let shown = draft.entries.iter().filter(|row| row.is_in() && ids.contains(&row.message.id));
        shown.map(|row| row.after).sum()
    }

    /// Returns copies of the messages of the view.
    pub fn messages(&self) -> Vec<Message> {
        let draft = self.repaired();
        draft.messages()
    }

    /// Returns the messages of the view with their stored tokens. Copies only the texts of summaries and of repaired
    /// messages.
    pub fn counted_messages(&self) -> (Vec<Rc<Message>>, Vec<u64>) {
        let draft = self.repaired();
        let share = |message: Cow<Message>| match message {
            Cow::Borrowed(message) => self.shared(message),
            Cow::Owned(message) => Rc::new(message),
        };
        draft.entries.into_iter().filter(Row::is_in).map(|row| (share(row.message), row.after)).unzip()
    }

    /// Returns the original messages, oldest first, without rewound ones.
    pub fn history(&self) -> Vec<Rc<Message>> {
        let slots = self.state.slots.iter().enumerate();
        let there = slots.filter(|(_, slot)| !matches!(slot.shown, Shown::Rewound(_)));
        there.map(|(slot, _)| Rc::clone(self.store.shared(slot))).collect()
    }

    /// Returns a message of the view as a shared pointer.
    fn shared(&self, message: &Message) -> Rc<Message> {
        let slot = self.store.slots.get(&message.id).copied();
        let held = slot.map(|slot| match &self.state.slots[slot].shown {
            Shown::Changed(changed) => &changed.message,
            _ => self.store.shared(slot),
        });
        held.filter(|held| std::ptr::eq(&***held, message)).cloned().unwrap_or_else(|| Rc::new(message.clone()))
    }

    /// Returns the text of the newest request, as it is shown; empty if the view has none.
    pub fn newest_request(&self) -> String {
        let draft = self.draft();
        let requests = draft.entries.iter().rev().map(|row| &row.message);
        let of_user =
            |m: &&Cow<Message>| m.role == Role::User && m.results().next().is_none() && !self.has_summary(&m.id);
        requests.filter(of_user).map(|m| m.text()).find(|text| !text.trim().is_empty()).unwrap_or_default()
    }

    /// Returns the number of messages in the view before repair, without system messages.
    pub fn spoken(&self) -> usize {
        self.state.messages - self.state.frames_shown() + self.state.stand_ins()
    }

    /// Returns the view before repair, as a draft for the passes of one request. Texts are borrowed.
    pub fn draft(&self) -> Draft<'_> {
        self.draft_of(&self.state)
    }

    /// Returns the tokens of the view before repair, in constant time.
    pub fn totals(&self) -> Totals {
        let state = &self.state;
        let frame = self.counting.model.list_overhead() + state.frame;
        let conversation = state.conversation + state.summaries;
        let tools = self.counting.tools;
        Totals {
            messages: state.messages + state.stand_ins(),
            total: frame + conversation + tools,
            frame,
            conversation,
            tools,
        }
    }

    /// Returns the effect of an edit, without recording it.
    ///
    /// # Errors
    /// As [`Log::edit`].
    pub fn preview(&mut self, edit: Edit) -> Result<Preview> {
        let asked = edit.range.as_ref().map(|range| (self.live(&range.from), self.live(&range.to)));
        let total = self.totals().total;
        let (state, entries) = (self.state.clone(), self.chain.len());
        let added = self.edit(edit, 0);
        let view = self.view();
        let record = self.store.records.get(entries).cloned();
        self.roll_back(state, entries);
        added?;
        let Some(super::Record { entry: super::Entry::Edit { edit }, .. }) = record else {
            unreachable!("the record was added above")
        };
        let grown = match (&edit.range, asked) {
            (Some(range), Some((Some(from), Some(to)))) => {
                let (start, end) = (self.live(&range.from).unwrap_or(from), self.live(&range.to).unwrap_or(to));
                (start..=end)
                    .filter(|at| !(from..=to).contains(at) && self.is_live(*at))
                    .map(|at| self.store.message(at).id.clone())
                    .collect()
            }
            _ => vec![],
        };
        Ok(Preview { edit: *edit, grown, view: View { position: self.len(), ..view }, total })
    }

    /// Returns the view as a draft that no provider refuses.
    pub(super) fn repaired(&self) -> Draft<'_> {
        let draft = self.draft();
        if self.is_sound() { draft } else { repaired(draft) }
    }

    pub(super) fn draft_of<'a>(&'a self, state: &'a State) -> Draft<'a> {
        self.draft_from(state, 0)
    }

    /// Returns the part of the view that is in these slots, with summaries that begin there.
    pub(super) fn draft_from<'a>(&'a self, state: &'a State, slot: usize) -> Draft<'a> {
        // Most messages of a long log are hidden.
        let (visible, outer) = (state.visible.range(slot..), state.outer.range(slot..));
        let mut shown = visible.copied().chain(outer.map(|(slot, _)| *slot)).collect::<Vec<usize>>();
        let mut entries = Vec::with_capacity(shown.len());
        shown.sort_unstable();
        shown.dedup();
        for slot in shown {
            let Some(it) = state.slots.get(slot) else { continue };
            if let Some((_, seq)) = state.outer.get(&slot)
                && let Some(range) = self.store.edit(*seq).and_then(|edit| edit.range.as_ref())
            {
                let (all, reply) =
                    state.edits[seq].span.as_ref().map_or((0, 0), |span| (span.tokens, span.reply.unwrap_or(0)));
                let inserted = |message, tokens| Row::inserted(Cow::Borrowed(message), tokens, "summary");
                entries.push(inserted(&range.summary, all - reply));
                entries.extend(range.reply.as_ref().map(|message| inserted(message, reply)));
            }
            match &it.shown {
                Shown::Whole => entries.push(row(&self.store, slot)),
                Shown::Changed(changed) => entries.push(Row {
                    message: Cow::Borrowed(&*changed.message),
                    edits: Some(changed.edits.clone()),
                    fate: Fate::Changed,
                    rule: Some(changed.rule),
                    after: changed.tokens,
                    ..row(&self.store, slot)
                }),
                Shown::Dropped(_) | Shown::Covered(_) | Shown::Rewound(_) => {}
            }
        }
        Draft::of(entries, self.counting.meter(), self.origin)
    }

    /// Returns the tokens of the conversation without any edits, in constant time.
    pub fn history_totals(&self) -> Totals {
        let Live { frame, conversation, messages } = self.state.live;
        let frame = frame + self.counting.model.list_overhead();
        let tools = self.counting.tools;
        Totals { messages, total: frame + conversation + tools, frame, conversation, tools }
    }
}

/// Returns the draft, repaired so that no provider refuses it.
pub(super) fn repaired(mut draft: Draft) -> Draft {
    repair(&mut draft);
    // A text message with an orphan result ends a round only after the first repair removed that result.
    repair(&mut draft);
    draft
}

//! A conversation under edit: the host's messages with everything that was decided about them so far.
//!
//! Passes work on a [`Draft`] instead of on messages, so that nothing is copied that is not changed, every token is counted
//! once, and the plan, the totals and the report are read off one structure.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::plan::{Becomes, Fate, MessageFate, PartEdit, PlanItem, Removal, Totals};
use crate::message::{Message, Part};
use crate::tokens::{CostModel, Origin, Tokenizer};

/// What everything is counted with, and what the request costs besides its messages.
#[derive(Clone, Copy)]
pub struct Meter<'a> {
    pub model: CostModel,
    pub tokenizer: &'a dyn Tokenizer,
    /// Tokens of the tool definitions that are sent along.
    pub tools: u64,
    /// True for messages in the format of OpenAI Responses, in which each call is an item of its own.
    pub by_items: bool,
}

impl Meter<'_> {
    /// Tokens of one message.
    pub fn message(&self, message: &Message) -> u64 {
        self.model.message(message, self.tokenizer).tokens
    }

    /// Tokens of a text.
    pub fn text(&self, text: &str) -> u64 {
        self.tokenizer.count(text)
    }
}

/// One message of a draft.
#[derive(Clone)]
pub struct Entry<'a> {
    /// As it will be sent.
    pub message: Cow<'a, Message>,
    /// As the host has it; `None` if inserted.
    pub source: Option<&'a Message>,
    /// How the host's parts became the parts of `message`; `None` while untouched.
    pub edits: Option<Vec<PartEdit>>,
    pub fate: Fate,
    /// The rule behind the fate.
    pub rule: Option<&'static str>,
    /// Tokens of the host's message; 0 if inserted.
    pub before: u64,
    /// Tokens as it stands; 0 if it is gone.
    pub after: u64,
    /// True for a message that the host did not have.
    pub is_new: bool,
    /// Index of the host's message that its content comes from; 0 if there is none.
    pub number: usize,
    /// Id of the host's message that its parts were taken from, for an entry that holds moved parts of it. Then `is_new` is true.
    pub part_of: Option<String>,
    /// True for a record of another system with nothing beside it: a message of the user's that asks for nothing.
    pub is_record: bool,
}

/// Where parts belong: by entry and part, the entry behind which the part moves.
pub type Moves = BTreeMap<usize, BTreeMap<usize, usize>>;

impl Entry<'_> {
    /// True while the message is part of the result.
    pub fn is_in(&self) -> bool {
        !matches!(self.fate, Fate::Dropped | Fate::Covered)
    }

    /// What JavaScript does with it; nothing if it is gone.
    pub(super) fn item(&self) -> Option<PlanItem> {
        let id = || self.host_id().unwrap_or(&self.message.id).clone();
        match (self.fate, &self.edits) {
            (Fate::Dropped | Fate::Covered, _) => None,
            (Fate::Inserted, Some(parts)) if self.part_of.is_some() => Some(PlanItem::edit(id(), parts.clone())),
            (Fate::Inserted, _) => Some(PlanItem::insert(self.message.clone().into_owned())),
            (Fate::Changed, Some(parts)) => Some(PlanItem::edit(id(), parts.clone())),
            (Fate::Kept | Fate::Changed, _) => Some(PlanItem::keep(id())),
        }
    }

    /// Index of the host's message that its content comes from.
    pub(super) fn place(&self) -> Option<usize> {
        (!self.is_new || self.part_of.is_some()).then_some(self.number)
    }

    /// Id of the host's message that its content comes from; `None` for content that the host did not have.
    pub fn host_id(&self) -> Option<&String> {
        if self.is_new { self.part_of.as_ref() } else { Some(&self.message.id) }
    }
}

/// See the module.
#[derive(Clone)]
pub struct Draft<'a> {
    pub entries: Vec<Entry<'a>>,
    pub meter: Meter<'a>,
    /// Worst origin of any count in it.
    pub origin: Origin,
    /// In the order of decision.
    pub removed: Vec<Removal>,
}

impl<'a> Draft<'a> {
    /// A draft in which nothing was decided yet. Counts every message once.
    pub fn new(messages: &'a [Message], meter: Meter<'a>, origin: Origin) -> Draft<'a> {
        let mut worst = origin;
        let counts: Vec<u64> = messages
            .iter()
            .map(|message| {
                let cost = meter.model.message(message, meter.tokenizer);
                worst = worst.worst(cost.origin);
                cost.tokens
            })
            .collect();
        Draft::with_counts(messages, &counts, meter, worst)
    }

    /// The same from counts that are held already, one for each message.
    pub fn with_counts(
        messages: impl IntoIterator<Item = &'a Message>,
        counts: &[u64],
        meter: Meter<'a>,
        origin: Origin,
    ) -> Draft<'a> {
        let entries = messages
            .into_iter()
            .zip(counts)
            .enumerate()
            .map(|(number, (message, &tokens))| Entry {
                message: Cow::Borrowed(message),
                source: Some(message),
                edits: None,
                fate: Fate::Kept,
                rule: None,
                before: tokens,
                after: tokens,
                is_new: false,
                number,
                part_of: None,
                is_record: false,
            })
            .collect();
        Draft { entries, meter, origin, removed: Vec::new() }
    }

    /// Takes messages out, as one removal.
    pub fn drop_entries(&mut self, indices: &[usize], fate: Fate, rule: &'static str, why: impl Into<String>) {
        let mut tokens = 0;
        let mut ids = Vec::with_capacity(indices.len());
        for &index in indices {
            let entry = &mut self.entries[index];
            if !entry.is_in() {
                continue;
            }
            // A stand-in that goes again was never there: it frees nothing of the host's.
            if let Some(id) = entry.host_id() {
                tokens += entry.after;
                if ids.last() != Some(id) {
                    ids.push(id.clone());
                }
            }
            entry.after = 0;
            entry.fate = fate;
            entry.rule = Some(rule);
        }
        if !ids.is_empty() {
            self.removed.push(Removal::new(ids, rule, why, tokens));
        }
    }

    /// Rewrites a message part by part: `change` says what becomes of each part of the message as it stands. What that frees is one
    /// removal of the report.
    pub fn edit_parts(
        &mut self,
        index: usize,
        rule: &'static str,
        why: impl Into<String>,
        change: impl FnMut(&Part) -> Option<Becomes>,
    ) {
        let before = self.entries[index].after;
        let change = contents(change);
        let rewritten = self.rewrite(index, rule, change);
        self.report(index, before, rewritten, rule, why);
    }

    /// Gives calls and results other ids: `id` returns that of a part, if it changes.
    pub fn rename_calls(
        &mut self,
        index: usize,
        rule: &'static str,
        why: impl Into<String>,
        mut id: impl FnMut(&Part) -> Option<String>,
    ) {
        let before = self.entries[index].after;
        let rewritten = self.rewrite(index, rule, |part, edit| {
            let new = id(part)?;
            let mut part = part.clone();
            if let Part::ToolCall { call_id, .. } | Part::ToolResult { call_id, .. } = &mut part {
                call_id.clone_from(&new);
            }
            edit.call_id = Some(new);
            Some(Some(part))
        });
        self.report(index, before, rewritten, rule, why);
    }

    fn report(&mut self, index: usize, before: u64, rewritten: Rewrite, rule: &'static str, why: impl Into<String>) {
        match rewritten {
            Rewrite::Untouched => {}
            Rewrite::Empty => self.drop_entries(&[index], Fate::Dropped, rule, why),
            Rewrite::Done => {
                let entry = &self.entries[index];
                // Of what the host never had nothing of the host's is gone.
                let Some(id) = entry.host_id() else { return };
                let freed = before.saturating_sub(entry.after);
                self.removed.push(Removal::new(vec![id.clone()], rule, why, freed));
            }
        }
    }

    /// The same for a change that takes nothing away: it is no removal. Gives the tokens that it adds.
    pub fn annotate(&mut self, index: usize, rule: &'static str, change: impl FnMut(&Part) -> Option<Becomes>) -> u64 {
        let before = self.entries[index].after;
        self.rewrite(index, rule, contents(change));
        self.entries[index].after.saturating_sub(before)
    }

    /// `change` returns the part afterwards, `Some(None)` if it goes, and nothing if it stays as it is.
    fn rewrite(
        &mut self,
        index: usize,
        rule: &'static str,
        mut change: impl FnMut(&Part, &mut PartEdit) -> Option<Option<Part>>,
    ) -> Rewrite {
        let entry = &self.entries[index];
        let had: Vec<PartEdit> = match &entry.edits {
            Some(edits) => edits.clone(),
            None => (0..entry.message.parts.len()).map(PartEdit::keep).collect(),
        };
        let mut parts = Vec::with_capacity(had.len());
        let mut edits = Vec::with_capacity(had.len());
        let mut changed = false;
        for (part, mut edit) in entry.message.parts.iter().zip(had) {
            let change = change(part, &mut edit);
            changed |= change.is_some();
            if let Some(part) = change.unwrap_or_else(|| Some(part.clone())) {
                parts.push(part);
                edits.push(edit);
            }
        }
        if !changed {
            return Rewrite::Untouched;
        }
        if is_empty(&parts) {
            return Rewrite::Empty;
        }
        // Not cloned whole: the parts that change may be most of it.
        let Message { id, role, name, .. } = &*entry.message;
        let message = Message { id: id.clone(), role: *role, name: name.clone(), parts };
        let after = self.meter.message(&message);
        let entry = &mut self.entries[index];
        entry.message = Cow::Owned(message);
        if entry.host_id().is_some() {
            entry.edits = Some(edits);
        }
        if !entry.is_new {
            entry.fate = Fate::Changed;
        }
        entry.rule = Some(rule);
        entry.after = after;
        Rewrite::Done
    }

    /// Puts a part of another message in front of those of entry `index`: part `number` of the host's message `from`.
    pub fn lead(&mut self, index: usize, part: &Part, from: &str, number: usize, rule: &'static str) {
        let entry = &mut self.entries[index];
        let keep = |count: usize| (0..count).map(PartEdit::keep).collect();
        let mut edits = entry.edits.take().unwrap_or_else(|| keep(entry.message.parts.len()));
        edits.insert(0, PartEdit::carried(from, number));
        entry.message.to_mut().parts.insert(0, part.clone());
        entry.edits = Some(edits);
        entry.fate = Fate::Changed;
        entry.rule = Some(rule);
        entry.after = self.meter.message(&entry.message);
    }

    /// An entry of a message that the host did not have.
    fn inserted(&self, message: Message, rule: &'static str) -> Entry<'a> {
        let after = self.meter.message(&message);
        Entry {
            message: Cow::Owned(message),
            source: None,
            edits: None,
            fate: Fate::Inserted,
            rule: Some(rule),
            before: 0,
            after,
            is_new: true,
            number: 0,
            part_of: None,
            is_record: false,
        }
    }

    /// Puts new messages behind the entries whose indices stand beside them, ascending. One walk: tens of thousands of
    /// calls may have no result.
    pub fn insert_behind(&mut self, messages: Vec<(usize, Message)>, rule: &'static str) {
        let mut new = messages.into_iter().peekable();
        let old = std::mem::take(&mut self.entries);
        let mut entries = Vec::with_capacity(old.len() + new.len());
        for (index, entry) in old.into_iter().enumerate() {
            entries.push(entry);
            while let Some((_, message)) = new.next_if(|(behind, _)| *behind <= index) {
                entries.push(self.inserted(message, rule));
            }
        }
        self.entries = entries;
    }

    /// Puts a new message in front of entry `index`.
    pub fn insert(&mut self, index: usize, message: Message, rule: &'static str) {
        let entry = self.inserted(message, rule);
        // Few are put in, and twice the room for all would be kept for them.
        if self.entries.len() == self.entries.capacity() {
            self.entries.reserve_exact(self.entries.len() / 8 + 4);
        }
        self.entries.insert(index, entry);
    }

    /// Moves parts behind other entries. An entry of which no content stays moves whole; otherwise the moved parts become an entry of their
    /// own, with the id `<id>:moved:<n>`. A cache mark goes with the part before it.
    pub fn move_parts(&mut self, moves: Moves, rule: &'static str) {
        // By the entry behind which they go: the entries, with the index where they were.
        let mut arrivals: BTreeMap<usize, Vec<(usize, Option<Entry<'a>>)>> = BTreeMap::new();
        for (from, places) in moves {
            let parts = &self.entries[from].message.parts;
            let place_of = with_marks(parts, &places);
            let has_rest = parts
                .iter()
                .zip(&place_of)
                .any(|(part, place)| place.is_none() && !is_empty(std::slice::from_ref(part)));
            // The parts that go, by the entry behind which they go.
            let mut targets: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
            for (part, place) in place_of.iter().enumerate() {
                if let Some(place) = place {
                    targets.entry(*place).or_default().push(part);
                }
            }
            if !has_rest && let Some((target, _)) = targets.pop_first() {
                arrivals.entry(target).or_default().push((from, None));
            }
            for (number, (&target, parts)) in targets.iter().enumerate() {
                let taken = self.taken(from, number + 1, rule, parts);
                arrivals.entry(target).or_default().push((from, Some(taken)));
            }
            let mut part = 0;
            self.rewrite(from, rule, |_, _| {
                part += 1;
                let is_taken = place_of[part - 1].is_some_and(|place| targets.contains_key(&place));
                is_taken.then_some(None)
            });
        }
        let mut old: Vec<Option<Entry>> = std::mem::take(&mut self.entries).into_iter().map(Some).collect();
        for (from, entry) in arrivals.values_mut().flatten().filter(|(_, entry)| entry.is_none()) {
            *entry = old[*from].take().map(|entry| Entry { rule: Some(rule), ..entry });
        }
        for (index, entry) in old.into_iter().enumerate() {
            self.entries.extend(entry);
            let arrived = arrivals.remove(&index).into_iter().flatten();
            self.entries.extend(arrived.filter_map(|(_, entry)| entry));
        }
    }

    /// An entry of these parts of entry `from`.
    fn taken(&self, from: usize, number: usize, rule: &'static str, wanted: &[usize]) -> Entry<'a> {
        let entry = &self.entries[from];
        let Message { id, role, name, parts } = &*entry.message;
        let edit_of = |part| entry.edits.as_ref().map_or(PartEdit::keep(part), |edits| edits[part].clone());
        let message = Message {
            id: format!("{id}:moved:{number}"),
            role: *role,
            name: name.clone(),
            parts: wanted.iter().map(|&part| parts[part].clone()).collect(),
        };
        Entry {
            after: self.meter.message(&message),
            message: Cow::Owned(message),
            source: None,
            edits: Some(wanted.iter().copied().map(edit_of).collect()),
            fate: Fate::Inserted,
            rule: Some(rule),
            before: 0,
            is_new: true,
            number: entry.number,
            part_of: Some(entry.host_id().unwrap_or(id).clone()),
            is_record: false,
        }
    }

    /// Tokens of the request as it stands.
    pub fn total(&self) -> u64 {
        self.after().total
    }

    /// The request as it came.
    pub fn before(&self) -> Totals {
        self.totals(|entry| (!entry.is_new).then_some(entry.before))
    }

    /// The request as it stands.
    pub fn after(&self) -> Totals {
        self.totals(|entry| entry.is_in().then_some(entry.after))
    }

    fn totals(&self, count: impl Fn(&Entry) -> Option<u64>) -> Totals {
        let mut totals =
            Totals { frame: self.meter.model.list_overhead(), tools: self.meter.tools, ..Totals::default() };
        for entry in &self.entries {
            let Some(tokens) = count(entry) else { continue };
            totals.messages += 1;
            if entry.message.role.is_frame() {
                totals.frame += tokens;
            } else {
                totals.conversation += tokens;
            }
        }
        totals.total = totals.frame + totals.conversation + totals.tools;
        totals
    }

    /// What JavaScript is to do.
    pub fn plan(&self) -> Vec<PlanItem> {
        self.entries.iter().filter_map(Entry::item).collect()
    }

    /// One row for every message of the host and every inserted one that is in, in order.
    pub fn fates(&self) -> Vec<MessageFate> {
        self.entries
            .iter()
            .filter(|entry| entry.is_in() || !entry.is_new)
            .map(|entry| MessageFate {
                id: entry.message.id.clone(),
                role: entry.message.role,
                before: entry.before,
                after: entry.after,
                fate: entry.fate,
                rule: entry.rule,
            })
            .collect()
    }

    /// The resulting messages, for tests and for counting again.
    pub fn messages(&self) -> Vec<Message> {
        self.entries.iter().filter(|e| e.is_in()).map(|e| e.message.clone().into_owned()).collect()
    }
}

/// Where each part belongs; a cache mark goes with the part before it.
fn with_marks(parts: &[Part], places: &BTreeMap<usize, usize>) -> Vec<Option<usize>> {
    let mut last = None;
    let mut place = |(number, part): (usize, &Part)| {
        if !matches!(part, Part::CacheMark) {
            last = places.get(&number).copied();
        }
        last
    };
    parts.iter().enumerate().map(&mut place).collect()
}

/// Changes of contents as [`Draft::rewrite`] takes them.
fn contents(
    mut change: impl FnMut(&Part) -> Option<Becomes>,
) -> impl FnMut(&Part, &mut PartEdit) -> Option<Option<Part>> {
    move |part, edit| change(part).map(|to| edit.then(part, to))
}

/// What came of a change.
enum Rewrite {
    Untouched,
    /// Nothing would be left of the message; it is as it was.
    Empty,
    Done,
}

/// True if a provider would refuse a message of these parts as empty.
pub(super) fn is_empty(parts: &[Part]) -> bool {
    parts.iter().all(|part| match part {
        Part::Text { text } => text.trim_start().is_empty(),
        Part::CacheMark => true,
        _ => false,
    })
}

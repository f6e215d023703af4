//! A conversation under edit: the host's messages with all decisions about them so far.
//!
//! Passes work on a [`Draft`], not on messages. Only changed messages are copied, every token is counted once, and the
//! plan, the totals and the report come from one structure.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::plan::{Becomes, Fate, MessageFate, PartEdit, PlanItem, Removal, Totals};
use super::record::Records;
use crate::message::{Message, Part, Role};
use crate::tokens::{CostModel, Origin, Tokenizer};
use crate::validity::pairs::MOVED_MARK;
use crate::validity::{Provider, is_blank};

/// The tokenizer and cost model, and the tokens of a request besides its messages.
#[derive(Clone, Copy)]
pub struct Meter<'a> {
    pub model: CostModel,
    pub tokenizer: &'a dyn Tokenizer,
    /// Tokens of the tool definitions that are sent along.
    pub tools: u64,
    /// True for the format of OpenAI Responses, in which each call is an item of its own.
    pub by_items: bool,
    /// The provider of the request, else that of the messages' format. `None` if neither is known: then the messages
    /// are repaired so that any provider accepts them.
    pub provider: Option<Provider>,
}

impl Meter<'_> {
    /// Returns the tokens of one message.
    pub fn message(&self, message: &Message) -> u64 {
        self.model.message(message, self.tokenizer).tokens
    }

    /// Returns the tokens of a text.
    pub fn text(&self, text: &str) -> u64 {
        self.tokenizer.count(text)
    }

    /// Returns whether a call may have the id of an earlier call that has its result (OpenAI Chat).
    pub(super) fn may_repeat_ids(&self) -> bool {
        self.provider.is_some_and(|provider| provider.rules().ids_reusable)
    }

    /// Returns the totals of a request with messages of these roles and tokens.
    pub fn totals(&self, messages: impl Iterator<Item = (Role, u64)>) -> Totals {
        let mut totals = Totals { frame: self.model.list_overhead(), tools: self.tools, ..Totals::default() };
        for (role, tokens) in messages {
            totals.messages += 1;
            if role.is_frame() {
                totals.frame += tokens;
            } else {
                totals.conversation += tokens;
            }
        }
        totals.total = totals.frame + totals.conversation + totals.tools;
        totals
    }
}

/// One message of a draft.
#[derive(Clone)]
pub struct Entry<'a> {
    /// The message as it will be sent.
    pub message: Cow<'a, Message>,
    /// The host's message; `None` if inserted.
    pub source: Option<&'a Message>,
    /// How the host's parts became the parts of `message`; `None` while unchanged.
    pub edits: Option<Vec<PartEdit>>,
    pub fate: Fate,
    /// The rule behind the fate.
    pub rule: Option<&'static str>,
    /// Tokens of the host's message; 0 if inserted.
    pub before: u64,
    /// Current tokens; 0 if removed.
    pub after: u64,
    /// True for a message that the host did not have.
    pub is_new: bool,
    /// Index of the host's message with its content; 0 if there is none.
    pub number: usize,
    /// Id of the host's message from which its parts were moved, for an entry of moved parts. `is_new` is then true.
    pub part_of: Option<String>,
    /// True for a user message that holds only a record and so contains no request.
    pub is_record: bool,
}

impl<'a> Entry<'a> {
    /// Returns an entry for message `number` of the host, unchanged.
    pub(super) fn of_host(message: &'a Message, number: usize, tokens: u64) -> Entry<'a> {
        Entry {
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
        }
    }

    /// Returns an entry for a message that the host did not have.
    pub(super) fn inserted(message: Cow<'a, Message>, tokens: u64, rule: &'static str) -> Entry<'a> {
        Entry {
            message,
            source: None,
            edits: None,
            fate: Fate::Inserted,
            rule: Some(rule),
            before: 0,
            after: tokens,
            is_new: true,
            number: 0,
            part_of: None,
            is_record: false,
        }
    }
}

/// Targets of moves: for each entry and part, the entry behind which the part moves.
pub type Moves = BTreeMap<usize, BTreeMap<usize, usize>>;

impl Entry<'_> {
    /// Returns whether the message is part of the result.
    pub fn is_in(&self) -> bool {
        !matches!(self.fate, Fate::Dropped | Fate::Covered)
    }

    /// Returns the plan item for JavaScript, or `None` if the message is removed.
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

    /// Returns the index of the host's message with its content.
    pub(super) fn place(&self) -> Option<usize> {
        (!self.is_new || self.part_of.is_some()).then_some(self.number)
    }

    /// Returns the id of the host's message with its content; `None` for content that the host did not have.
    pub fn host_id(&self) -> Option<&String> {
        if self.is_new { self.part_of.as_ref() } else { Some(&self.message.id) }
    }
}

/// See the module.
#[derive(Clone)]
pub struct Draft<'a> {
    pub entries: Vec<Entry<'a>>,
    pub meter: Meter<'a>,
    /// The worst origin of any of its counts.
    pub origin: Origin,
    /// In the order of decision.
    pub removed: Vec<Removal>,
}

impl<'a> Draft<'a> {
    /// Creates a draft without any decisions. Counts every message once.
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

    /// Creates a draft from known counts, one for each message.
    pub fn with_counts(
        messages: impl IntoIterator<Item = &'a Message>,
        counts: &[u64],
        meter: Meter<'a>,
        origin: Origin,
    ) -> Draft<'a> {
        let counted = messages.into_iter().zip(counts).enumerate();
        let entries = counted.map(|(number, (message, &tokens))| Entry::of_host(message, number, tokens)).collect();
        Draft::of(entries, meter, origin)
    }

    /// Creates a draft of these entries.
    pub fn of(entries: Vec<Entry<'a>>, meter: Meter<'a>, origin: Origin) -> Draft<'a> {
        Draft { entries, meter, origin, removed: Vec::new() }
    }

    /// Returns a draft of the entries with these indices alone.
    pub fn excerpt(&self, indices: impl Iterator<Item = usize>) -> Draft<'a> {
        Draft::of(indices.map(|at| self.entries[at].clone()).collect(), self.meter, self.origin)
    }

    /// Removes messages, as one removal of the report.
    pub fn drop_entries(&mut self, indices: &[usize], fate: Fate, rule: &'static str, why: impl Into<String>) {
        let mut tokens = 0;
        let mut ids = Vec::with_capacity(indices.len());
        for &index in indices {
            let entry = &mut self.entries[index];
            if !entry.is_in() {
                continue;
            }
            // An inserted message that is removed again frees no tokens of the host's.
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

    /// Changes a message part by part. `change` returns how each current part changes; the index is that among the
    /// current parts. The freed tokens are one removal of the report.
    pub fn edit_parts<C: Into<PartEdit>>(
        &mut self,
        index: usize,
        rule: &'static str,
        why: impl Into<String>,
        mut change: impl FnMut(usize, &Part) -> Option<C>,
    ) {
        let before = self.entries[index].after;
        match self.rewrite(index, rule, &mut |number, part| change(number, part).map(Into::into)) {
            Rewrite::Untouched => {}
            Rewrite::Empty => self.drop_entries(&[index], Fate::Dropped, rule, why),
            Rewrite::Done => self.report(index, rule, why, before.saturating_sub(self.entries[index].after)),
        }
    }

    /// Adds a removal of one message to the report, unless the host did not have its content.
    pub fn report(&mut self, index: usize, rule: &'static str, why: impl Into<String>, tokens: u64) {
        if let Some(id) = self.entries[index].host_id() {
            self.removed.push(Removal::new(vec![id.clone()], rule, why, tokens));
        }
    }

    /// Changes a message without a removal in the report. Returns the tokens that the change adds.
    pub fn annotate(
        &mut self,
        index: usize,
        rule: &'static str,
        mut change: impl FnMut(&Part) -> Option<Becomes>,
    ) -> u64 {
        let before = self.entries[index].after;
        self.rewrite(index, rule, &mut |_, part| change(part).map(PartEdit::from));
        self.entries[index].after.saturating_sub(before)
    }

    /// Rewrites a message. `change` returns how the part with an index changes, if it does.
    fn rewrite(
        &mut self,
        index: usize,
        rule: &'static str,
        change: &mut dyn FnMut(usize, &Part) -> Option<PartEdit>,
    ) -> Rewrite {
        let entry = &self.entries[index];
        let had: Vec<PartEdit> = match &entry.edits {
            Some(edits) => edits.clone(),
            None => (0..entry.message.parts.len()).map(PartEdit::keep).collect(),
        };
        let mut parts = Vec::with_capacity(had.len());
        let mut edits = Vec::with_capacity(had.len());
        let mut changed = false;
        for ((number, part), mut edit) in entry.message.parts.iter().enumerate().zip(had) {
            let change = change(number, part);
            changed |= change.is_some();
            if let Some(part) = change.map_or_else(|| Some(part.clone()), |change| edit.then(part, change)) {
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
        // The message is not cloned as a whole, because the changed parts may be most of it.
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

    /// Inserts a part of another message before the parts of entry `index`: part `number` of the host's message `from`.
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

    /// Counts a message that the host did not have, and returns its entry.
    fn inserted(&self, message: Message, rule: &'static str) -> Entry<'a> {
        let tokens = self.meter.message(&message);
        Entry::inserted(Cow::Owned(message), tokens, rule)
    }

    /// Marks the messages that hold only a record.
    pub fn mark_records(&mut self, records: &Records) {
        for entry in &mut self.entries {
            entry.is_record |= records.is_alone(&entry.message);
        }
    }

    /// Inserts a new message before entry `index`.
    pub fn insert(&mut self, index: usize, message: Message, rule: &'static str) {
        let entry = self.inserted(message, rule);
        // Few messages are inserted, and the vector would otherwise double its capacity for them.
        if self.entries.len() == self.entries.capacity() {
            self.entries.reserve_exact(self.entries.len() / 8 + 4);
        }
        self.entries.insert(index, entry);
    }

    /// Moves parts behind other entries, and inserts `new` messages behind the entries with these indices. An entry
    /// that would have no content left moves as a whole. Otherwise the moved parts become an entry of their own, with
    /// the id `<id>:moved:<n>`. A cache mark goes with the part before it. Takes one walk, because tens of thousands of
    /// calls may have no result.
    pub fn arrange(
        &mut self,
        (moves, rule, why): (Moves, &'static str, &'static str),
        (new, new_rule): (Vec<(usize, Message)>, &'static str),
    ) {
        if moves.is_empty() && new.is_empty() {
            return;
        }
        // For each target entry, the entries that move behind it, with their former index.
        let mut arrivals: BTreeMap<usize, Vec<(usize, Option<Entry<'a>>)>> = BTreeMap::new();
        for (from, places) in moves {
            let parts = &self.entries[from].message.parts;
            let place_of = with_marks(parts, &places);
            let has_rest = parts
                .iter()
                .zip(&place_of)
                .any(|(part, place)| place.is_none() && !is_empty(std::slice::from_ref(part)));
            // For each target entry, the parts that move behind it.
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
            let before = self.entries[from].after;
            self.rewrite(from, rule, &mut |part, _| {
                let is_taken = place_of[part].is_some_and(|place| targets.contains_key(&place));
                is_taken.then_some(Becomes::Gone.into())
            });
            // What an entry of its own carries is counted there.
            self.report(from, rule, why, before.saturating_sub(self.entries[from].after));
        }
        for (behind, message) in new {
            arrivals.entry(behind).or_default().push((behind, Some(self.inserted(message, new_rule))));
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

    /// Returns an entry with these parts of entry `from`.
    fn taken(&self, from: usize, number: usize, rule: &'static str, wanted: &[usize]) -> Entry<'a> {
        let entry = &self.entries[from];
        let Message { id, role, name, parts } = &*entry.message;
        let edit_of = |part| entry.edits.as_ref().map_or(PartEdit::keep(part), |edits| edits[part].clone());
        let message = Message {
            id: format!("{id}{MOVED_MARK}{number}"),
            role: *role,
            name: name.clone(),
            parts: wanted.iter().map(|&part| parts[part].clone()).collect(),
        };
        Entry {
            edits: Some(wanted.iter().copied().map(edit_of).collect()),
            number: entry.number,
            part_of: Some(entry.host_id().unwrap_or(id).clone()),
            ..self.inserted(message, rule)
        }
    }

    /// Returns the current tokens of the request.
    pub fn total(&self) -> u64 {
        self.after().total
    }

    /// Returns the totals of the host's request.
    pub fn before(&self) -> Totals {
        self.totals(|entry| (!entry.is_new).then_some(entry.before))
    }

    /// Returns the current totals of the request.
    pub fn after(&self) -> Totals {
        self.totals(|entry| entry.is_in().then_some(entry.after))
    }

    fn totals(&self, count: impl Fn(&Entry) -> Option<u64>) -> Totals {
        let counted = self.entries.iter().filter_map(|entry| Some((entry.message.role, count(entry)?)));
        self.meter.totals(counted)
    }

    /// Returns the plan for JavaScript.
    pub fn plan(&self) -> Vec<PlanItem> {
        self.entries.iter().filter_map(Entry::item).collect()
    }

    /// Returns one row for every message of the host and every inserted message of the result, in order.
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

    /// Returns the resulting messages, for tests and for counting again.
    pub fn messages(&self) -> Vec<Message> {
        self.entries.iter().filter(|e| e.is_in()).map(|e| e.message.clone().into_owned()).collect()
    }
}

/// Returns the target of each part. A cache mark goes with the part before it.
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

/// The outcome of a change.
enum Rewrite {
    Untouched,
    /// Nothing would be left of the message, so it was not changed.
    Empty,
    Done,
}

/// Returns whether a provider would refuse a message with these parts as empty.
pub(super) fn is_empty(parts: &[Part]) -> bool {
    parts.iter().all(is_blank)
}

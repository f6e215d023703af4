//! Applies the rules of a provider to a draft.
//!
//! In: a draft and its [`Receiver`]. Out: [`Mended`], a plan for the host's messages after which the provider has
//! nothing to refuse, with the tokens of the messages as they are written. A pass that must meet a budget uses these
//! tokens, not those of the draft.

use std::borrow::Cow;

use serde::Serialize;

use super::draft::{Draft, Entry, Meter};
use super::plan::{PartEdit, PlanItem, Removal, Totals};
use super::written::{Written, joins, runs, whole};
use crate::map::HashMap;
use crate::message::{Message, Part, Role};
use crate::validity::{Finding, Provider, Settings, Target, check};

/// The provider that receives messages, and the format in which they are written.
#[derive(Debug, Clone, PartialEq)]
pub struct Receiver {
    pub target: Target,
    /// The provider in whose format the messages are; `None` for a format without a provider.
    pub written: Option<Provider>,
}

impl Receiver {
    /// Returns whether adjacent messages of the user are written as one.
    pub fn joins(&self) -> bool {
        joins(self.written)
    }
}

/// A draft repaired for its provider.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Mended {
    /// `None` if nothing was repaired: the plan of the draft is valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plan: Option<Vec<PlanItem>>,
    /// Tokens of the messages as they are written. Joined messages count as one.
    pub after: Totals,
    pub repair: Repair,
}

/// The changes that the provider's rules required.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Repair {
    /// In the order of the messages; empty if the provider accepts the draft as it is.
    pub changes: Vec<Removal>,
    /// The first call of a turn carries the signature of its reasoning. Only the host's message shows it.
    pub signatures: bool,
}

/// A plan under construction, and the messages as they are written.
struct Made<'a> {
    plan: Vec<PlanItem>,
    lines: Vec<Line<'a>>,
    /// Whether a message whose parts change their order is written as several, because the format has no list of parts.
    is_split: bool,
}

struct Line<'a> {
    message: Cow<'a, Message>,
    /// Index of the host's message.
    place: Option<usize>,
    /// Whether the plan joins it with the message before it.
    joins: bool,
    /// Tokens of the message; `None` if not known.
    tokens: Option<u64>,
}

/// Repairs a draft by the rules of its provider. Does not change the draft.
pub fn mend(draft: &Draft, receiver: &Receiver) -> Mended {
    if accepts(draft, receiver, false) { Mended::unchanged(draft, receiver) } else { Mended::repaired(draft, receiver) }
}

/// Returns whether the provider accepts a draft. With `is_rest`, it is the rest of a request whose beginning is known
/// to be accepted: a turn of the assistant begins here, and every call before it has its result.
pub fn accepts(draft: &Draft, receiver: &Receiver, is_rest: bool) -> bool {
    let target = &receiver.target;
    if !target.special.drop_tools.is_empty() {
        return false;
    }
    // For the rules, the known beginning is like one message of the user.
    let parts = vec![Part::Text { text: "x".into() }];
    let said = Message { id: String::new(), role: Role::User, name: None, parts };
    let entries = draft.entries.iter().filter(|entry| entry.is_in()).map(|entry| &*entry.message);
    let messages: Vec<&Message> = is_rest.then_some(&said).into_iter().chain(entries).collect();
    // An empty conversation stays empty: a repair adds no message if the host has none.
    let is_silent = draft.entries.iter().all(|entry| entry.message.role.is_frame());
    // Calls that are still running stay. Only the host can change tool definitions.
    check(&messages, target).iter().all(|Finding { tool, rule, .. }| {
        tool.is_some() || matches!(*rule, "tools-missing" | "pending-call") || is_silent && *rule == "no-messages"
    })
}

/// The messages of a draft as they are sent.
pub struct Sent {
    pub plan: Vec<PlanItem>,
    /// Tokens of the messages, tool definitions included.
    pub tokens: u64,
    /// See [`Repair::signatures`].
    pub signatures: bool,
}

impl Sent {
    /// Applies the rules of the receiver, if it is known.
    pub fn to(receiver: Option<&Receiver>, draft: &Draft) -> Sent {
        let Some(receiver) = receiver else {
            return Sent { plan: draft.plan(), tokens: draft.total(), signatures: false };
        };
        let Mended { plan, after, repair } = mend(draft, receiver);
        Sent { plan: plan.unwrap_or_else(|| draft.plan()), tokens: after.total, signatures: repair.signatures }
    }
}

impl Mended {
    /// Returns a draft that the provider accepts.
    pub fn unchanged(draft: &Draft, receiver: &Receiver) -> Mended {
        let written = receiver.written;
        let after = if joins(written) {
            let there = draft.entries.iter().filter(|entry| entry.is_in());
            let lines: Vec<Line> = there.map(|entry| Line::of(entry, false)).collect();
            totals(&lines, draft.meter, written)
        } else {
            draft.after()
        };
        Mended::as_is(after, receiver)
    }

    /// Returns a draft with these totals that the provider accepts.
    pub(super) fn as_is(after: Totals, receiver: &Receiver) -> Mended {
        let repair = Repair { changes: vec![], signatures: receiver.target.special.signatures };
        Mended { plan: None, after, repair }
    }

    /// Returns a draft with the repairs that its provider needs.
    pub fn repaired(draft: &Draft, receiver: &Receiver) -> Mended {
        let entries: Vec<&Entry> = draft.entries.iter().filter(|entry| entry.is_in()).collect();
        let messages: Vec<&Message> = entries.iter().map(|entry| &*entry.message).collect();
        let Receiver { target, written } = receiver;
        let written = *written;
        let is_split = written.is_some() && !joins(written);
        let mut made = Made { plan: vec![], lines: vec![], is_split };
        let repaired = crate::validity::repair(&messages, target, &Settings::default());
        let index: HashMap<&str, &Entry> = entries.iter().map(|entry| (entry.message.id.as_str(), *entry)).collect();
        for item in repaired.plan {
            made.item(item, &index);
        }
        let changes = repaired.changes.into_iter().map(|change| {
            let id = change.index.and_then(|at| entries.get(at)?.host_id().cloned());
            Removal::new(id.into_iter().collect(), change.rule, change.message, 0)
        });
        let repair = Repair { changes: changes.collect(), signatures: target.special.signatures };
        Mended { after: totals(&made.lines, draft.meter, written), plan: Some(made.plan), repair }
    }
}

impl<'a> Line<'a> {
    /// The line of an entry that stays as it is.
    fn of(entry: &'a Entry, joins: bool) -> Line<'a> {
        Line { message: Cow::Borrowed(&entry.message), place: entry.place(), joins, tokens: Some(entry.after) }
    }
}

impl<'a> Made<'a> {
    /// Keeps an entry of the draft.
    fn keep(&mut self, entry: &'a Entry, joins: bool) {
        let Some(mut item) = entry.item() else { return };
        let (PlanItem::Keep { joins: to, .. } | PlanItem::Edit { joins: to, .. } | PlanItem::Insert { joins: to, .. }) =
            &mut item;
        *to = joins;
        self.plan.push(item);
        self.lines.push(Line::of(entry, joins));
    }

    /// Adds an item of a plan for the draft as an item for the host's messages.
    fn item(&mut self, item: PlanItem, index: &HashMap<&str, &'a Entry>) {
        match item {
            PlanItem::Keep { id, joins } => {
                if let Some(entry) = index.get(id.as_str()) {
                    self.keep(entry, joins);
                }
            }
            PlanItem::Insert { message, joins } => {
                self.plan.push(PlanItem::Insert { message: message.clone(), joins });
                self.lines.push(Line { message: Cow::Owned(message), place: None, joins, tokens: None });
            }
            PlanItem::Edit { id, parts: changes, joins } => {
                let Some(entry) = index.get(id.as_str()) else { return };
                let mut parts = Vec::with_capacity(changes.len());
                let mut edits: Vec<PartEdit> = Vec::with_capacity(changes.len());
                for change in changes {
                    let known = entry.edits.as_ref().and_then(|edits| edits.get(change.part).cloned());
                    let mut edit = known.unwrap_or_else(|| PartEdit::keep(change.part));
                    let part = entry.message.parts.get(change.part);
                    if let Some(part) = part.and_then(|part| edit.then(part, change)) {
                        parts.push(part);
                        edits.push(edit);
                    }
                }
                self.edit(entry, id, parts, edits, joins);
            }
        }
    }

    fn edit(&mut self, entry: &Entry, id: String, parts: Vec<Part>, edits: Vec<PartEdit>, joins: bool) {
        let was = &*entry.message;
        let message = |parts| Message { id: id.clone(), role: was.role, name: was.name.clone(), parts };
        let Some(host) = entry.host_id() else {
            let message = message(parts);
            self.plan.push(PlanItem::Insert { message: message.clone(), joins });
            self.lines.push(Line { message: Cow::Owned(message), place: None, joins, tokens: None });
            return;
        };
        let mut runs: Vec<Vec<Part>> = Vec::new();
        let mut last: Option<usize> = None;
        for (part, edit) in parts.into_iter().zip(&edits) {
            let own = edit.from.is_none().then_some(edit.part);
            let is_behind = last.zip(own).is_none_or(|(last, own)| last < own);
            last = own.or(last);
            match runs.last_mut().filter(|_| is_behind || !self.is_split) {
                Some(run) => run.push(part),
                None => runs.push(vec![part]),
            }
        }
        for (number, run) in runs.into_iter().enumerate() {
            let (message, place) = (Cow::Owned(message(run)), entry.place());
            self.lines.push(Line { message, place, joins: joins || number > 0, tokens: None });
        }
        self.plan.push(PlanItem::Edit { id: host.clone(), parts: edits, joins });
    }
}

/// Counts the tokens of the messages as they are written in a provider's format.
fn totals(lines: &[Line], meter: Meter, written: Option<Provider>) -> Totals {
    let all = lines.iter().map(|line| Written { message: &line.message, place: line.place, joins: line.joins });
    let runs = runs(all, written);
    let mut is_joined = vec![false; lines.len()];
    runs.iter().flatten().for_each(|&at| is_joined[at] = true);
    let joined = runs.iter().map(|run| {
        let messages: Vec<&Message> = run.iter().map(|&at| &*lines[at].message).collect();
        let whole = whole(&messages);
        (whole.role, meter.message(&whole))
    });
    let alone = lines.iter().zip(&is_joined).filter(|(_, is_joined)| !**is_joined);
    let alone = alone.map(|(line, _)| (line.message.role, line.tokens.unwrap_or_else(|| meter.message(&line.message))));
    meter.totals(joined.chain(alone))
}

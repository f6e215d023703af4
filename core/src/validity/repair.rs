//! Repairs a conversation so that its provider has nothing to refuse.
//!
//! Each pass repairs one kind of finding. A repair can cause another finding, such as an empty message, so the passes
//! run until there is none. A conversation without findings stays the same.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Target;
use super::check::{Finding, check, is_blank, is_empty, is_thought, matching, media_trouble};
use super::pairs::{Fate, Pairs, Place, Spoken, pair};
use super::rules::Rules;
use super::slot::{Slot, plan};
use crate::map::{HashMap, HashSet};
use crate::message::edit::{Becomes, PlanItem};
use crate::message::{Message, Part, Role};

/// Returns the text that replaces an image or document that may not be sent; `None` for other parts.
pub fn media_placeholder(part: &Part) -> Option<&'static str> {
    match part {
        Part::Image { .. } => Some("[Image was attached]"),
        Part::Document { .. } => Some("[Document was attached]"),
        _ => None,
    }
}

/// The user message inserted when a conversation must not begin with the assistant.
pub const OPENING: &str = "[The beginning of this conversation is not shown.]";
/// The user message inserted when a conversation must not end with the assistant.
pub const CLOSING: &str = "Please continue.";

/// The assistant message inserted between a tool result and the user if the model requires one.
pub const BRIDGE: &str = "[No answer: the user went on.]";

/// Maximum count of rounds of passes; random conversations need three.
const MOST_ROUNDS: usize = 8;

/// How to repair results without a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Orphans {
    #[default]
    Drop,
    /// A note of the user replaces each, with its text.
    Text,
}

/// How to repair calls that will get no result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Lost {
    /// Adds a result that says so.
    #[default]
    Synthesize,
    Drop,
}

/// How to treat calls that may still be running.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Pending {
    #[default]
    Keep,
    Synthesize,
    Drop,
}

/// Options of a repair.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Settings {
    pub orphans: Orphans,
    pub lost_calls: Lost,
    pub pending: Pending,
    /// Removes reasoning, which only the model that wrote it can use.
    pub drop_thoughts: bool,
    /// The inserted first message of the user; default [`OPENING`].
    pub opening: Option<String>,
    /// The inserted last message of the user; default [`CLOSING`].
    pub closing: Option<String>,
    /// Text of the result added for a lost call; default [`LOST`](super::pairs::LOST).
    pub lost_text: Option<String>,
}

/// One row of the report.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Change {
    /// The rule that required the change.
    pub rule: &'static str,
    /// Index of the host's message, if the change is about one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub index: Option<usize>,
    /// Index of the part in that message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part: Option<usize>,
    /// A description of the change for people.
    pub message: String,
}

/// A repaired conversation.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Repaired {
    pub plan: Vec<PlanItem>,
    /// The changes, in the order of the messages.
    pub changes: Vec<Change>,
    /// The result, as far as the core can see it.
    #[serde(skip)]
    pub messages: Vec<Message>,
}

/// Repairs everything that [`check`] reports, except tool definitions, which only the host can change. Near-linear.
///
/// ```
/// use espalier::message::{Message, Part, Role};
/// use espalier::validity::{Provider, Settings, Target, check, repair};
/// let call = Part::ToolCall { call_id: "c1".into(), name: "run".into(), arguments: "{}".into() };
/// let said = Part::Text { text: "And now?".into() };
/// let messages = [(Role::Assistant, call), (Role::User, said)].map(|(role, part)| Message {
///     id: format!("{role:?}"), role, name: None, parts: vec![part],
/// });
/// let target = Target::new(Provider::Anthropic);
/// let repaired = repair(&messages, &target, &Settings::default());
/// assert_eq!(check(&repaired.messages, &target), []);
/// ```
pub fn repair<M: Borrow<Message>>(messages: &[M], target: &Target, settings: &Settings) -> Repaired {
    let messages: Vec<&Message> = messages.iter().map(Borrow::borrow).collect();
    let target = Target { pending: settings.pending != Pending::Keep, ..target.clone() };
    let mut work = Work {
        slots: messages.iter().enumerate().map(|(index, message)| Slot::of(index, message)).collect(),
        rules: target.provider.rules(),
        target: &target,
        settings,
        changes: Vec::new(),
    };
    work.strip();
    for _ in 0..MOST_ROUNDS {
        // Only the host can change tool definitions.
        let found: Vec<Finding> = check(&work.slots, &target);
        if found.iter().all(|finding| finding.tool.is_some() || finding.rule == "tools-missing") {
            break;
        }
        work.pass(&found);
    }
    let Work { slots, mut changes, .. } = work;
    crate::rank::sort(&mut changes, |change| crate::rank::place(change.part));
    crate::rank::sort(&mut changes, |change| crate::rank::place(change.index));
    let result = |(number, slot): (usize, &Slot)| Message {
        id: format!("r{number}"),
        role: slot.role,
        name: slot.name.map(str::to_string),
        parts: slot.parts().cloned().collect(),
    };
    let result = slots.iter().enumerate().map(result).collect();
    Repaired { plan: plan(slots, &messages), changes, messages: result }
}

pub(super) struct Work<'a, 't> {
    pub(super) slots: Vec<Slot<'a>>,
    pub(super) target: &'t Target,
    pub(super) rules: &'static Rules,
    pub(super) settings: &'t Settings,
    changes: Vec<Change>,
}

impl<'a> Work<'a, '_> {
    pub(super) fn log(&mut self, rule: &'static str, place: Option<Place>, message: impl Into<String>) {
        let (index, part) = (place.map(|p| p.0), place.map(|p| p.1));
        self.changes.push(Change { rule, index, part, message: message.into() });
    }

    fn log_slot(&mut self, rule: &'static str, index: Option<usize>, message: &str) {
        self.changes.push(Change { rule, index, part: None, message: message.to_string() });
    }

    pub(super) fn pairs(&self) -> Pairs {
        pair(self.slots.iter().enumerate(), matching(self.target))
    }

    /// Removes what the host or the rows of [`Special`](super::Special) exclude, even if the provider would accept it.
    fn strip(&mut self) {
        let names: HashSet<&str> = self.target.special.drop_tools.iter().map(String::as_str).collect();
        let mut gone: HashMap<Place, &'static str> = HashMap::default();
        if !names.is_empty() {
            for call in self.pairs().calls.iter().filter(|call| names.contains(call.name.as_str())) {
                gone.insert(call.at, "dropped-tool");
                if let Fate::Answered(result) = call.fate {
                    gone.insert(result, "dropped-tool");
                }
            }
        }
        if self.settings.drop_thoughts {
            for (index, slot) in self.slots.iter().enumerate().filter(|(_, slot)| slot.by_assistant()) {
                for (number, part) in slot.parts().enumerate() {
                    if matches!(part, Part::Reasoning { .. }) {
                        gone.insert((index, number), "dropped-thought");
                    }
                }
            }
        }
        if !gone.is_empty() {
            self.take_out(&gone, "taken out, as was asked for");
            self.drop_empty();
        }
    }

    fn pass(&mut self, found: &[Finding]) {
        let rules: HashSet<&str> = found.iter().map(|finding| finding.rule).collect();
        let any = |wanted: &[&str]| wanted.iter().any(|rule| rules.contains(rule));
        if any(&["media-model", "image-place", "bad-image"]) {
            self.media();
        }
        if any(&["call-role", "result-role"]) {
            self.roles();
        }
        if rules.contains("blank-text") {
            self.blank_texts();
        }
        if rules.contains("tool-name") {
            self.names();
        }
        self.drop_empty();
        if any(&["missing-id", "internal-id", "double-id", "call-id", "lost-call", "pending-call", "orphan-result"]) {
            self.pair_up();
            self.drop_empty();
        }
        if rules.contains("lone-thought") {
            self.lone_thoughts();
        }
        self.places();
        if self.rules.alternate && self.target.wire {
            self.merge();
        }
        if rules.contains("unanswered-result") {
            self.bridge();
        }
        self.ends();
    }

    /// Inserts a message of the assistant between a tool result and the user.
    fn bridge(&mut self) {
        let found = check(&self.slots, self.target);
        for index in found.iter().rev().filter(|it| it.rule == "unanswered-result").filter_map(|it| it.index) {
            self.slots.insert(index, Slot::says(Role::Assistant, BRIDGE));
            self.log_slot("unanswered-result", None, "the assistant says that it gave no answer");
        }
    }

    /// Removes parts with the cache marks after them.
    pub(super) fn take_out(&mut self, gone: &HashMap<Place, &'static str>, why: &str) {
        for index in 0..self.slots.len() {
            let mut log = Vec::new();
            let slot = &mut self.slots[index];
            let mut lost_calls = slot.lost_calls;
            let (mut number, mut last_gone) = (0, false);
            slot.pieces.retain(|piece| {
                let rule = gone.get(&(index, number));
                number += 1;
                if piece.is_mark() {
                    return !last_gone;
                }
                last_gone = rule.is_some();
                if let Some(rule) = rule {
                    log.push((*rule, piece.place()));
                    lost_calls |= matches!(*piece.part, Part::ToolCall { .. });
                }
                !last_gone
            });
            slot.lost_calls = lost_calls;
            for (rule, place) in log {
                self.log(rule, place, why);
            }
        }
    }

    fn drop_empty(&mut self) {
        let rules = self.rules;
        let goes = |slot: &Slot| is_empty(slot, rules) || slot.lost_calls && is_thought(slot);
        for slot in std::mem::take(&mut self.slots) {
            if goes(&slot) {
                self.log_slot("empty", slot.index(), "a message without content was left out");
            } else {
                self.slots.push(slot);
            }
        }
    }

    /// Replaces images and documents that may not be sent with notes.
    fn media(&mut self) {
        let target = self.target;
        let mut log = Vec::new();
        for slot in &mut self.slots {
            let role = slot.role;
            for piece in &mut slot.pieces {
                let trouble = media_trouble(&piece.part, role, false, target);
                if let Some(((rule, _), note)) = trouble.zip(media_placeholder(&piece.part)) {
                    log.push((rule, piece.place()));
                    piece.set(Becomes::note(note));
                    continue;
                }
                let Part::ToolResult { content, .. } = &*piece.part else { continue };
                let (mut items, place) = (vec![None; content.len()], piece.place());
                for (item, inner) in items.iter_mut().zip(content) {
                    if let Some((rule, _)) = media_trouble(inner, role, true, target) {
                        log.push((rule, place));
                        *item = media_placeholder(inner).map(String::from);
                    }
                }
                if items.iter().any(Option::is_some) {
                    piece.set(Becomes::Content { items });
                }
            }
        }
        for (rule, place) in log {
            self.log(rule, place, "a note replaces it");
        }
    }

    fn blank_texts(&mut self) {
        let mut gone = HashMap::default();
        for (index, slot) in self.slots.iter().enumerate().filter(|(_, slot)| !slot.role.is_frame()) {
            for (number, part) in slot.parts().enumerate() {
                if matches!(part, Part::Text { .. }) && is_blank(part) {
                    gone.insert((index, number), "blank-text");
                }
            }
        }
        self.take_out(&gone, "a blank text was left out");
    }

    fn lone_thoughts(&mut self) {
        let found = check(&self.slots, self.target);
        let lone: HashSet<usize> = found.iter().filter(|f| f.rule == "lone-thought").filter_map(|f| f.index).collect();
        for (index, slot) in std::mem::take(&mut self.slots).into_iter().enumerate() {
            if lone.contains(&index) {
                self.log_slot("lone-thought", slot.index(), "a thought that led to nothing was left out");
            } else {
                self.slots.push(slot);
            }
        }
    }

    /// Joins adjacent messages of one role.
    fn merge(&mut self) {
        let mut out: Vec<Slot<'a>> = Vec::with_capacity(self.slots.len());
        // The newest message outside the system prompt, and the messages that others were joined to.
        let mut last: Option<usize> = None;
        let mut grown: BTreeSet<usize> = BTreeSet::new();
        for slot in std::mem::take(&mut self.slots) {
            if slot.role.is_frame() {
                out.push(slot);
                continue;
            }
            match last.filter(|&last| out[last].by_assistant() == slot.by_assistant()) {
                Some(last) => {
                    self.log_slot("same-role", slot.index(), "put together with the message before it");
                    out[last].pieces.extend(slot.pieces);
                    out[last].lost_calls |= slot.lost_calls;
                    grown.insert(last);
                }
                None => {
                    last = Some(out.len());
                    out.push(slot);
                }
            }
        }
        for at in grown {
            let slot = &mut out[at];
            // Results come before other parts.
            let all = Slot::with(slot.role, None, std::mem::take(&mut slot.pieces));
            let (results, words) = all.split(|_, piece| piece.is_result());
            if slot.role != Role::Assistant && !words.is_empty() {
                slot.role = Role::User;
            }
            slot.pieces = results;
            slot.pieces.extend(words);
        }
        self.slots = out;
    }

    /// Repairs the roles of the first and the last message.
    fn ends(&mut self) {
        let first = self.slots.iter().position(|slot| !slot.role.is_frame());
        let opening = self.settings.opening.as_deref().unwrap_or(OPENING);
        let closing = self.settings.closing.as_deref().unwrap_or(CLOSING);
        match first {
            None => {
                self.slots.push(Slot::says(Role::User, closing));
                self.log_slot("no-messages", None, "the user asks to go on");
                return;
            }
            Some(first) if self.rules.first_user && self.slots[first].by_assistant() => {
                self.slots.insert(first, Slot::says(Role::User, opening));
                self.log_slot("first-role", None, "the user says something first");
            }
            Some(_) => {}
        }
        let found = check(&self.slots, self.target);
        let newest = self.slots.iter().rposition(|slot| !slot.role.is_frame());
        for finding in found.iter().filter(|finding| finding.index == newest) {
            match (finding.rule, finding.part, newest) {
                ("last-role", ..) => {
                    self.slots.push(Slot::says(Role::User, closing));
                    self.log_slot("last-role", None, "the user asks to go on");
                }
                ("prefill-space", Some(part), Some(newest)) => {
                    let piece = &mut self.slots[newest].pieces[part];
                    let Part::Text { text } = &*piece.part else { continue };
                    let (text, place) = (text.trim_end().to_string(), piece.place());
                    piece.set(Becomes::text(text));
                    self.log("prefill-space", place, "white space at its end was cut off");
                }
                _ => {}
            }
        }
    }
}

//! Repairs a conversation so that its provider has nothing to refuse.
//!
//! Each pass repairs one kind of finding. A repair can cause another finding, such as an empty message, so the passes
//! run until there is none. A conversation without findings stays the same.

use std::borrow::Borrow;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::Target;
use super::check::{
    Finding, check, id_trouble, is_blank, is_empty, is_thought, matching, media_trouble, without_suffix,
};
use super::order::{directly, into_their_turns, together};
use super::pairs::{Fate, Ids, LOST, MOST_OF_AN_ID, Pairs, Place, Spoken, pair};
use super::rules::{Last, Rules};
use super::slot::{Piece, Slot, plan};
use crate::map::{HashMap, HashSet};
use crate::message::edit::{Becomes, PlanItem};
use crate::message::{Message, Part, Role};

/// Replaces an image that may not be sent.
pub const NO_PICTURE: &str = "[Image was attached]";
/// Replaces a document that may not be sent.
pub const NO_DOCUMENT: &str = "[Document was attached]";
/// The user message inserted when a conversation must not begin with the assistant.
pub const OPENING: &str = "[The beginning of this conversation is not shown.]";
/// The user message inserted when a conversation must not end with the assistant.
pub const CLOSING: &str = "Please continue.";

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
    /// Text of the result added for a lost call; default [`LOST`].
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

struct Work<'a, 't> {
    slots: Vec<Slot<'a>>,
    target: &'t Target,
    rules: &'static Rules,
    settings: &'t Settings,
    changes: Vec<Change>,
}

impl<'a> Work<'a, '_> {
    fn log(&mut self, rule: &'static str, place: Option<Place>, message: impl Into<String>) {
        let (index, part) = (place.map(|p| p.0), place.map(|p| p.1));
        self.changes.push(Change { rule, index, part, message: message.into() });
    }

    fn log_slot(&mut self, rule: &'static str, index: Option<usize>, message: &str) {
        self.changes.push(Change { rule, index, part: None, message: message.to_string() });
    }

    fn pairs(&self) -> Pairs {
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
        self.ends();
    }

    /// Removes parts with the cache marks after them.
    fn take_out(&mut self, gone: &HashMap<Place, &'static str>, why: &str) {
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
        let note = |part: &Part| if matches!(part, Part::Image { .. }) { NO_PICTURE } else { NO_DOCUMENT };
        let mut log = Vec::new();
        for slot in &mut self.slots {
            let role = slot.role;
            for piece in &mut slot.pieces {
                if let Some((rule, _)) = media_trouble(&piece.part, role, false, target) {
                    log.push((rule, piece.place()));
                    piece.set(Becomes::note(note(&piece.part)));
                    continue;
                }
                let Part::ToolResult { content, .. } = &*piece.part else { continue };
                let (mut items, place) = (vec![None; content.len()], piece.place());
                for (item, inner) in items.iter_mut().zip(content) {
                    if let Some((rule, _)) = media_trouble(inner, role, true, target) {
                        log.push((rule, place));
                        *item = Some(note(inner).to_string());
                    }
                }
                if items.iter().any(Option::is_some) {
                    piece.set(Becomes::Content { items });
                }
            }
        }
        for (rule, place) in log {
            self.log(rule, place, "a note stands for it");
        }
    }

    /// Drops calls outside assistant messages. Moves misplaced results into their own message.
    fn roles(&mut self) {
        let own_results = self.target.own_results;
        for mut slot in std::mem::take(&mut self.slots) {
            let role = slot.role;
            let stays = |piece: &Piece| match &*piece.part {
                Part::ToolCall { .. } => role == Role::Assistant,
                Part::ToolResult { .. } => !role.is_frame() && (role != Role::Assistant || own_results),
                _ => true,
            };
            if slot.pieces.iter().all(stays) {
                self.slots.push(slot);
                continue;
            }
            let (kept, moved): (Vec<Piece>, Vec<Piece>) = slot.pieces.into_iter().partition(stays);
            for piece in &moved {
                if piece.is_result() {
                    self.log("result-role", piece.place(), "moved into a message of its own");
                } else {
                    self.log("call-role", piece.place(), "a call that the assistant did not make was left out");
                }
            }
            slot.pieces = kept;
            // Drops a message of the system prompt that has no parts left.
            if !slot.pieces.is_empty() {
                self.slots.push(slot);
            }
            let results: Vec<Piece> =
                moved.into_iter().filter(Piece::is_result).map(|piece| Piece::new(piece.part.into_owned())).collect();
            if !results.is_empty() {
                self.slots.push(Slot::with(Role::Tool, None, results));
            }
        }
    }

    fn blank_texts(&mut self) {
        let mut gone = HashMap::default();
        for (index, slot) in self.slots.iter().enumerate().filter(|(_, slot)| !slot.role.is_frame()) {
            for (number, part) in slot.parts().enumerate() {
                if matches!(part, Part::Text { .. }) && is_blank(part, self.rules) {
                    gone.insert((index, number), "blank-text");
                }
            }
        }
        self.take_out(&gone, "a blank text was left out");
    }

    fn names(&mut self) {
        let Rules { tool_name: charset, names_match, .. } = *self.rules;
        let pairs = self.pairs();
        for call in pairs.calls.iter().filter(|call| !self.target.takes_tool(&call.name)) {
            let name = charset.nearest(&call.name);
            let place = self.slots[call.at.0].pieces[call.at.1].place();
            self.slots[call.at.0].pieces[call.at.1].set_name(&name);
            if let Fate::Answered((index, part)) = call.fate {
                let piece = &mut self.slots[index].pieces[part];
                if names_match || matches!(&*piece.part, Part::ToolResult { name: Some(_), .. }) {
                    piece.set_name(&name);
                }
            }
            self.log("tool-name", place, format!("named {name:?}, which the provider takes"));
        }
    }

    /// Repairs ids, calls without results, and results without calls.
    fn pair_up(&mut self) {
        let pairs = self.pairs();
        self.rename(&pairs);
        let mut gone: HashMap<Place, &'static str> = HashMap::default();
        let mut stand_ins: Vec<(usize, Slot<'a>)> = Vec::new();
        let mut notes: Vec<(usize, Slot<'a>)> = Vec::new();
        for call in &pairs.calls {
            let (rule, synthesize, behind) = match (call.fate, self.settings.pending) {
                (Fate::Lost { behind }, _) => ("lost-call", self.settings.lost_calls == Lost::Synthesize, behind),
                (Fate::Pending, Pending::Synthesize) => ("pending-call", true, self.end_of_turn(call.at.0)),
                (Fate::Pending, Pending::Drop) => ("pending-call", false, call.at.0),
                (Fate::Answered(_), _) | (Fate::Pending, Pending::Keep) => continue,
            };
            if !synthesize {
                gone.insert(call.at, rule);
                continue;
            }
            let piece = &self.slots[call.at.0].pieces[call.at.1];
            let Part::ToolCall { call_id, name, .. } = &*piece.part else { continue };
            let text = self.settings.lost_text.as_deref().unwrap_or(LOST).to_string();
            let result = Part::ToolResult {
                call_id: call_id.clone(),
                name: (!name.is_empty()).then(|| name.clone()),
                content: vec![Part::Text { text }],
                is_error: true,
            };
            let place = piece.place();
            stand_ins.push((behind, Slot::with(Role::Tool, None, vec![Piece::new(result)])));
            self.log(rule, place, "a result that says so stands for the one that was not recorded");
        }
        for &(index, part) in &pairs.orphans {
            gone.insert((index, part), "orphan-result");
            if self.settings.orphans == Orphans::Text {
                let Part::ToolResult { content, name, .. } = &*self.slots[index].pieces[part].part else { continue };
                let said = texts(content);
                if !said.trim().is_empty() {
                    let from =
                        name.as_ref().filter(|name| !name.is_empty()).map_or(String::new(), |n| format!(" of {n}"));
                    notes.push((
                        self.end_of_turn(index),
                        Slot::says(&format!("[Result{from} without its call]\n{said}")),
                    ));
                }
            }
        }
        let why = match self.settings.orphans {
            Orphans::Text if !pairs.orphans.is_empty() => {
                "left out, or said by a note of the user: it has no counterpart"
            }
            _ => "left out: it has no counterpart",
        };
        self.take_out(&gone, why);
        // After the message they belong to, in order: first results, then notes.
        crate::rank::sort(&mut stand_ins, |(behind, _)| *behind as u64);
        crate::rank::sort(&mut notes, |(behind, _)| *behind as u64);
        let (mut stand_ins, mut notes) = (stand_ins.into_iter().peekable(), notes.into_iter().peekable());
        for (index, slot) in std::mem::take(&mut self.slots).into_iter().enumerate() {
            self.slots.push(slot);
            while let Some((_, slot)) = stand_ins.next_if(|(behind, _)| *behind == index) {
                self.slots.push(slot);
            }
            while let Some((_, slot)) = notes.next_if(|(behind, _)| *behind == index) {
                self.slots.push(slot);
            }
        }
    }

    /// Returns the last of the messages with results after a message. An insertion after it breaks no round.
    fn end_of_turn(&self, index: usize) -> usize {
        let follows =
            |slot: &Slot| slot.role.is_frame() || !slot.by_assistant() && slot.pieces.iter().any(Piece::is_result);
        (index..self.slots.len()).take_while(|&at| at == index || follows(&self.slots[at])).last().unwrap_or(index)
    }

    fn rename(&mut self, pairs: &Pairs) {
        let charset = self.rules.call_id;
        let most = if charset.most == usize::MAX { MOST_OF_AN_ID } else { charset.most };
        let mut ids = Ids::default();
        let troubles: Vec<Option<&'static str>> =
            pairs.calls.iter().map(|call| id_trouble(call, self.target).map(|(rule, _)| rule)).collect();
        // Valid ids are taken first, so that new ids avoid them.
        for (call, trouble) in pairs.calls.iter().zip(&troubles) {
            if trouble.is_none() {
                ids.take(&call.id, most);
            }
        }
        for (call, trouble) in pairs.calls.iter().zip(troubles) {
            let Some(rule) = trouble else { continue };
            let wanted = match rule {
                "missing-id" => format!("call_{}_{}", call.at.0, call.at.1),
                "internal-id" => charset.nearest(without_suffix(&call.id).unwrap_or(&call.id)),
                _ => charset.nearest(&call.id),
            };
            let id = ids.take(&wanted, most).unwrap_or(wanted);
            let place = self.slots[call.at.0].pieces[call.at.1].place();
            self.slots[call.at.0].pieces[call.at.1].set_call_id(&id);
            if let Fate::Answered((index, part)) = call.fate {
                self.slots[index].pieces[part].set_call_id(&id);
            }
            self.log(rule, place, format!("the call and its result got the id {id:?}"));
        }
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

    /// Moves results to the right place, in the turns that have a misplaced one.
    fn places(&mut self) {
        const RULES: [&str; 3] = ["result-place", "result-split", "words-before-result"];
        let found = check(&self.slots, self.target);
        let wrong: HashSet<usize> = found.iter().filter(|f| RULES.contains(&f.rule)).filter_map(|f| f.index).collect();
        if wrong.is_empty() || self.rules.results_anywhere {
            return;
        }
        let pairs = self.pairs();
        let moved = into_their_turns(&mut self.slots, &pairs);
        if !moved.is_empty() {
            moved.into_iter().for_each(|place| self.log("result-place", place, "moved to its call"));
            return self.places();
        }
        for finding in found.iter().filter(|f| RULES.contains(&f.rule)) {
            let place = finding.index.zip(finding.part).and_then(|(i, p)| self.slots[i].pieces[p].place());
            self.log(finding.rule, place, "put where the provider looks for it");
        }
        // The place of the call of each result.
        let asked: HashMap<Place, Place> = pairs
            .calls
            .iter()
            .filter_map(|call| if let Fate::Answered(result) = call.fate { Some((result, call.at)) } else { None })
            .collect();
        let mut slots = std::mem::take(&mut self.slots).into_iter().enumerate().peekable();
        while let Some((index, slot)) = slots.next() {
            if !slot.by_assistant() {
                self.slots.push(slot);
                continue;
            }
            // The assistant's run, then the other messages up to the next run. Either may contain messages of the
            // system prompt.
            let mut run = vec![(index, slot)];
            while let Some(next) = slots.next_if(|(_, slot)| slot.by_assistant() || slot.role.is_frame()) {
                run.push(next);
            }
            let mut answers = Vec::new();
            while let Some(next) = slots.next_if(|(_, slot)| !slot.by_assistant()) {
                answers.push(next);
            }
            if !answers.iter().any(|(index, _)| wrong.contains(index)) {
                self.slots.extend(run.into_iter().chain(answers).map(|(_, slot)| slot));
            } else if self.rules.direct {
                self.slots.extend(directly(run, answers, &asked));
            } else {
                let single = self.rules.single && self.target.wire;
                self.slots.extend(together(run, answers, &asked, single, self.rules.in_order));
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
                self.slots.push(Slot::says(closing));
                self.log_slot("no-messages", None, "the user asks to go on");
                return;
            }
            Some(first) if self.rules.first_user && self.slots[first].by_assistant() => {
                self.slots.insert(first, Slot::says(opening));
                self.log_slot("first-role", None, "the user says something first");
            }
            Some(_) => {}
        }
        let found = check(&self.slots, self.target);
        let newest = self.slots.iter().rposition(|slot| !slot.role.is_frame());
        for finding in found.iter().filter(|finding| finding.index == newest) {
            match (finding.rule, finding.part, newest) {
                ("last-role", ..) if self.rules.last != Last::Anybody => {
                    self.slots.push(Slot::says(closing));
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

/// Returns the text of a result.
fn texts(content: &[Part]) -> String {
    let texts =
        content.iter().filter_map(|part| if let Part::Text { text } = part { Some(text.as_str()) } else { None });
    texts.collect::<Vec<_>>().join("\n")
}

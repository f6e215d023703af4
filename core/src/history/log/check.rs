//! Checks entries before a log accepts them, so that they can be folded and calls and results still pair up.

use serde_json::Value;

use super::entry::{Checkpoint, Consumed, Edit, Entry, Pin, id_of, seq_of};
use super::text::pinned_text;
use super::{Log, Shown};
use crate::error::{Code, Error, Result};
use crate::history::draft::is_empty;
use crate::history::edit::{Kind, Target};
use crate::history::group::{Group, Kind as GroupKind};
use crate::history::plan::Becomes;
use crate::history::record::Records;
use crate::map::HashSet;
use crate::message::{Message, Part, Role};

fn bad(code: Code, path: impl Into<String>, why: impl Into<String>) -> Error {
    Error::new(code, why).at(path)
}

pub(super) fn bad_edit(path: impl Into<String>, why: impl Into<String>) -> Error {
    bad(Code::BadEdit, path, why)
}

/// Groups that no edit may remove now.
pub(super) struct Guarded {
    /// Group of the newest request.
    pub(super) request: Option<usize>,
    /// Group of the newest round, if it belongs to the newest request.
    pub(super) round: Option<usize>,
    /// The newest group, if some of its calls have no result yet.
    pub(super) pending: Option<usize>,
}

impl Log {
    /// Checks an entry and returns the form in which it is recorded.
    pub(super) fn admit(&self, entry: Entry) -> Result<Entry> {
        self.admitted(entry, true)
    }

    /// Checks an entry whose line has the expected hash. The messages that an edit was made from are then unchanged and
    /// need not be hashed again.
    pub(super) fn readmit(&self, entry: Entry) -> Result<Entry> {
        self.admitted(entry, false)
    }

    fn admitted(&self, entry: Entry, is_new: bool) -> Result<Entry> {
        match entry {
            Entry::Message { message } => {
                self.check_message(&message)?;
                Ok(Entry::Message { message })
            }
            Entry::Edit { edit } => Ok(Entry::Edit { edit: Box::new(self.check_edit(*edit, is_new)?) }),
            Entry::Revoke { target } => {
                self.check_revoke(&target)?;
                Ok(Entry::Revoke { target })
            }
            Entry::Pin { pin } => {
                self.check_pin(&pin)?;
                Ok(Entry::Pin { pin })
            }
            Entry::Unpin { target } => {
                let pin = seq_of(&target).filter(|seq| self.state.pins.contains_key(seq));
                pin.ok_or_else(|| unknown("target", "pin in force", &target))?;
                Ok(Entry::Unpin { target })
            }
            Entry::Rewind { to } => {
                if let Some(id) = &to {
                    self.live(id).ok_or_else(|| unknown("to", "message in the conversation", id))?;
                }
                Ok(Entry::Rewind { to })
            }
            Entry::Checkpoint { checkpoint } => {
                self.check_checkpoint(&checkpoint)?;
                Ok(Entry::Checkpoint { checkpoint })
            }
            Entry::Usage { ref json }
            | Entry::Plan { ref json }
            | Entry::Job { ref json }
            | Entry::Trim { ref json }
            | Entry::Note { ref json } => {
                check_json(json, "json", Code::BadInput)?;
                Ok(entry)
            }
        }
    }

    pub(super) fn check_message(&self, message: &Message) -> Result<()> {
        let id = &message.id;
        if id.is_empty() {
            return Err(bad(Code::BadMessage, "message.id", "a message needs an id"));
        }
        if seq_of(id.split(':').next().unwrap_or_default()).is_some() {
            let why = format!("the id {id:?} is of the form that entries of a log have (e0, e0:summary)");
            return Err(bad(Code::BadMessage, "message.id", why));
        }
        if self.store.slots.contains_key(id) {
            let why = format!("the log has a message {id:?} already, perhaps one that was rewound");
            return Err(bad(Code::DuplicateId, "message.id", why));
        }
        for (number, part) in message.parts.iter().enumerate() {
            let Part::ToolResult { content, .. } = part else { continue };
            let odd = content.iter().position(|item| {
                matches!(item, Part::ToolCall { .. } | Part::ToolResult { .. } | Part::Reasoning { .. })
            });
            if let Some(item) = odd {
                let path = format!("message.parts[{number}].content[{item}]");
                return Err(bad(
                    Code::BadMessage,
                    path,
                    "a result holds texts, pictures, documents and opaque parts only",
                ));
            }
        }
        Ok(())
    }

    fn check_checkpoint(&self, checkpoint: &Checkpoint) -> Result<()> {
        let next = self.next_checkpoint();
        if checkpoint.number != next {
            let why = format!("the next checkpoint is number {next}, since numbers are never used twice");
            return Err(bad(Code::BadInput, "checkpoint.number", why));
        }
        for (at, id) in checkpoint.edits.iter().enumerate() {
            let known = seq_of(id).is_some_and(|seq| self.state.edits.contains_key(&seq));
            known.then_some(()).ok_or_else(|| unknown(format!("checkpoint.edits[{at}]"), "edit", id))?;
        }
        Ok(())
    }

    fn check_pin(&self, pin: &Pin) -> Result<()> {
        let Some(id) = &pin.message else {
            return match (&pin.fact, pin.part, pin.range) {
                (Some(fact), None, None) if !fact.trim().is_empty() => Ok(()),
                _ => Err(bad(Code::BadInput, "pin", "a pin is about a message, or it is a fact in words")),
            };
        };
        if pin.fact.is_some() {
            return Err(bad(Code::BadInput, "pin.fact", "a pin is about a message or a fact, not both"));
        }
        let slot = self.live(id).ok_or_else(|| unknown("pin.message", "message in the conversation", id))?;
        let parts = &self.store.message(slot).parts;
        match (pin.part, pin.range) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(bad(Code::BadInput, "pin.part", "a range is one of a part")),
            (Some(part), range) => {
                let found = parts.get(part).ok_or_else(|| {
                    bad(Code::BadInput, "pin.part", format!("message {id:?} has {} parts", parts.len()))
                })?;
                let fits = range.is_none_or(|range| pinned_text(found, range).is_some());
                fits.then_some(()).ok_or_else(|| {
                    bad(Code::BadInput, "pin.range", "the range is empty or reaches past the end of the text")
                })
            }
        }
    }

    fn check_revoke(&self, target: &str) -> Result<()> {
        let none = || unknown("target", "edit, rewind or revocation in force", target);
        let seq = seq_of(target).ok_or_else(none)?;
        if let Some(edit) = self.state.edits.get(&seq) {
            return edit.in_force().then_some(()).ok_or_else(none);
        }
        if let Some(rewind) = self.state.rewinds.get(&seq) {
            if rewind.revoked_by.is_some() {
                return Err(none());
            }
            if rewind.had < self.state.slots.len() {
                return Err(bad_edit(
                    "target",
                    "messages were added since this rewind; going back to what it left behind would mix both",
                ));
            }
            return Ok(());
        }
        let revoke = self.state.revokes.get(&seq).filter(|revoke| revoke.undone_by.is_none()).ok_or_else(none)?;
        if self.state.rewinds.contains_key(&revoke.target) {
            let rewind = &self.state.rewinds[&revoke.target];
            if rewind.had < self.state.slots.len() {
                return Err(bad_edit("target", "messages were added since; rewind again instead"));
            }
            return Ok(());
        }
        let Some(edit) = self.state.edits.get(&revoke.target) else { return Err(none()) };
        if edit.rewound_by.is_some() {
            return Err(bad_edit("target", "the edit reaches past a point that the conversation was rewound to"));
        }
        let Some(span) = &edit.span else { return Ok(()) };
        for (other, span_of) in
            self.state.edits.iter().filter_map(|(seq, e)| Some((seq, e.span.as_ref().filter(|_| e.in_force())?)))
        {
            let apart = span.end < span_of.start || span_of.end < span.start;
            let inside = span.start >= span_of.start && span.end <= span_of.end;
            let around = span_of.start >= span.start && span_of.end <= span.end;
            if !(apart || inside || around) {
                return Err(bad_edit("target", format!("its range would overlap that of {}", id_of(*other))));
            }
        }
        Ok(())
    }

    pub(super) fn check_edit(&self, mut edit: Edit, is_new: bool) -> Result<Edit> {
        if edit.rule.is_empty() {
            return Err(bad_edit("edit.rule", "an edit names the rule behind it"));
        }
        if let Some(json) = &edit.json {
            check_json(json, "edit.json", Code::BadEdit)?;
        }
        if let Some(consumed) = &edit.consumed {
            self.check_consumed(consumed, is_new)?;
        }
        let guarded = self.guarded();
        match (edit.kind, edit.range.take()) {
            (Kind::Repair, _) => {
                return Err(bad_edit(
                    "edit.kind",
                    "repairs belong to one request; a view is repaired each time it is made",
                ));
            }
            (Kind::ReplaceRange, Some(range)) => {
                if !edit.targets.is_empty() {
                    return Err(bad_edit("edit.targets", "a range is named by its first and last message"));
                }
                edit.range = Some(self.check_range(range, &guarded)?);
            }
            (Kind::ReplaceRange, None) => return Err(bad_edit("edit.range", "this kind of edit needs a range")),
            (_, Some(_)) => return Err(bad_edit("edit.range", "only replace_range has a range")),
            (Kind::Drop, None) => self.check_drop(&edit.targets, &guarded)?,
            (kind, None) => self.check_parts(kind, &edit.targets, &guarded)?,
        }
        match (&edit.newer, edit.kind) {
            (Some(id), Kind::Supersede) => {
                let newer = self
                    .live(id)
                    .ok_or_else(|| bad_edit("edit.newer", format!("there is no message {id:?} in the conversation")))?;
                if edit.targets.iter().any(|target| self.store.slots.get(&target.message) >= Some(&newer)) {
                    return Err(bad_edit("edit.newer", "what supersedes a message comes after it"));
                }
            }
            (None, Kind::Supersede) => return Err(bad_edit("edit.newer", "supersede names the newer message")),
            (Some(_), _) => return Err(bad_edit("edit.newer", "only supersede names a newer message")),
            (None, _) => {}
        }
        Ok(edit)
    }

    fn check_consumed(&self, consumed: &Consumed, is_new: bool) -> Result<()> {
        if !is_new {
            let missing = consumed.ids.iter().position(|id| !self.store.slots.contains_key(id));
            return missing.map_or(Ok(()), |at| {
                let why = format!("there is no message with the id {:?}", consumed.ids[at]);
                Err(bad_edit(format!("edit.consumed.ids[{at}]"), why))
            });
        }
        let now = self.fingerprint(&consumed.ids).map_err(|error| {
            let path = format!("edit.consumed.{}", error.path.as_deref().unwrap_or("ids"));
            bad_edit(path, error.message)
        })?;
        if now != consumed.hash {
            return Err(bad(Code::StalePlan, "edit.consumed", "what the edit was made from has changed since"));
        }
        Ok(())
    }

    // ------------------------------------------------------------ drops

    fn check_drop(&self, targets: &[Target], guarded: &Guarded) -> Result<()> {
        let mut wanted = HashSet::default();
        for (at, target) in targets.iter().enumerate() {
            let path = format!("edit.targets[{at}]");
            let slot = self.target(target, &path)?;
            if target.part.is_some() || target.to.is_some() {
                return Err(bad_edit(path, "messages are dropped whole"));
            }
            if !wanted.insert(slot) {
                return Err(bad_edit(path, "the message is named twice"));
            }
            let group = self.state.slots[slot].group;
            let why = match Some(group) {
                it if it == guarded.request => "the newest request stays",
                it if it == guarded.pending => "a call of this round waits for its result",
                it if it == guarded.round => "the newest round of the newest request stays",
                _ if self.state.is_pinned(slot) => "it is pinned, or something of its round is",
                _ => continue,
            };
            return Err(bad_edit(format!("{path}.message"), why));
        }
        for (at, target) in targets.iter().enumerate() {
            let slot = self.target(target, "edit.targets")?;
            if let Some(&missing) = self.group(slot).entries.iter().find(|entry| !wanted.contains(entry)) {
                let why = format!("a round goes whole, and {:?} belongs to it", self.store.message(missing).id);
                return Err(bad_edit(format!("edit.targets[{at}].message"), why));
            }
        }
        if targets.is_empty() {
            return Err(bad_edit("edit.targets", "the edit targets nothing"));
        }
        Ok(())
    }

    // ------------------------------------------------------------ parts

    fn check_parts(&self, kind: Kind, targets: &[Target], guarded: &Guarded) -> Result<()> {
        if targets.is_empty() {
            return Err(bad_edit("edit.targets", "the edit targets nothing"));
        }
        let mut seen = HashSet::default();
        for (at, target) in targets.iter().enumerate() {
            let path = format!("edit.targets[{at}]");
            let slot = self.target(target, &path)?;
            let message = self.store.message(slot);
            let (Some(number), Some(to)) = (target.part, &target.to) else {
                return Err(bad_edit(path, "this kind of edit names a part and what it becomes"));
            };
            // Reasoning from another message has the index after the message's own parts.
            let led = self.state.lead(&self.store, slot).filter(|_| number == message.parts.len());
            let Some(part) = message.parts.get(number).or(led.map(|(part, _)| part)) else {
                return Err(bad_edit(format!("{path}.part"), format!("the message has {} parts", message.parts.len())));
            };
            if !seen.insert((slot, number)) {
                return Err(bad_edit(path, "the part is named twice"));
            }
            if let Err(why) = becomes(kind, part, to) {
                return Err(bad_edit(format!("{path}.to"), why));
            }
            let is_result = matches!(part, Part::ToolResult { .. });
            let group = Some(self.state.slots[slot].group);
            if group == guarded.request && message.role != Role::Assistant && !is_result {
                return Err(bad_edit(path, "the newest request stays as it is"));
            }
            if group == guarded.round && is_result && !matches!(kind, Kind::Truncate | Kind::Offload) {
                return Err(bad_edit(path, "results of the newest round may only be truncated or offloaded"));
            }
            if let Part::ToolCall { call_id, .. } = part
                && group == guarded.pending
                && self.state.grouper.waiting().contains_key(call_id)
            {
                return Err(bad_edit(path, "the call waits for its result"));
            }
            if !self.state.survives(&self.store, slot, number, to) {
                return Err(bad_edit(path, "it is pinned"));
            }
        }
        Ok(())
    }

    /// Returns the slot of a target, which must be in the view and outside the system prompt.
    fn target(&self, target: &Target, path: &str) -> Result<usize> {
        let path = format!("{path}.message");
        let id = &target.message;
        let slot =
            self.live(id).ok_or_else(|| bad_edit(&path, format!("there is no message {id:?} in the conversation")))?;
        if self.store.message(slot).role.is_frame() {
            return Err(bad_edit(path, "system messages are never edited"));
        }
        match self.state.slots[slot].shown {
            Shown::Whole | Shown::Changed(_) => Ok(slot),
            Shown::Covered(by) | Shown::Dropped(by) | Shown::Rewound(by) => {
                let is_covered = matches!(self.state.slots[slot].shown, Shown::Covered(_));
                let by = self.state.covered_by(&self.store, slot).filter(|_| is_covered).unwrap_or(by);
                Err(bad_edit(path, format!("{} took the message out of the view", id_of(by))))
            }
        }
    }

    // ------------------------------------------------------------ lookups

    /// Returns the slot of a message that was not rewound.
    pub(super) fn live(&self, id: &str) -> Option<usize> {
        self.store.slots.get(id).copied().filter(|&slot| self.is_live(slot))
    }

    pub(super) fn is_live(&self, slot: usize) -> bool {
        self.state.slots.get(slot).is_some_and(|slot| slot.rewound_by.is_none())
    }

    pub(super) fn group(&self, slot: usize) -> &Group {
        &self.state.grouper.groups[self.state.slots[slot].group]
    }

    fn guarded(&self) -> Guarded {
        let groups = &self.state.grouper.groups;
        let records = Records::Sealed.with(self.opening().record);
        let asks = |group: &Group| {
            group.has_request()
                && group.entries.iter().any(|&at| {
                    let message = self.store.message(at);
                    message.role != Role::Assistant && !is_empty(&message.parts) && !records.is_alone(message)
                })
        };
        let request = groups.iter().rposition(asks);
        let newest = groups.iter().rposition(|group| group.kind != GroupKind::Frame);
        let is_round = |at: &usize| groups[*at].kind != GroupKind::User;
        let last_round = groups.iter().rposition(|g| !matches!(g.kind, GroupKind::Frame | GroupKind::User));
        Guarded {
            request,
            round: last_round.filter(|&at| request.is_none_or(|request| at >= request)),
            pending: newest.filter(is_round).filter(|&at| groups[at].pending),
        }
    }
}

pub(super) fn unknown(path: impl Into<String>, what: &str, id: &str) -> Error {
    Error::new(Code::UnknownId, format!("there is no {what} with the id {id:?}")).at(path)
}

fn check_json(json: &str, path: &str, code: Code) -> Result<()> {
    let parsed = serde_json::from_str::<serde::de::IgnoredAny>(json);
    parsed.map(|_| ()).map_err(|error| Error::new(code, format!("this is not JSON: {error}")).at(path))
}

/// Returns an error if an edit of this kind must not change the part like this.
fn becomes(kind: Kind, part: &Part, to: &Becomes) -> std::result::Result<(), &'static str> {
    let items_fit = |content: &[Part], items: &[Option<String>]| {
        if content.len() != items.len() {
            return Err("one item for each part of the result's content");
        }
        let of_media = kind != Kind::DropMedia
            || content
                .iter()
                .zip(items)
                .all(|(was, is)| is.is_none() || matches!(was, Part::Image { .. } | Part::Document { .. }));
        of_media.then_some(()).ok_or("only pictures and documents become notes")
    };
    if !kind.fits(part, to) {
        return Err(match kind {
            Kind::ClearResult | Kind::Supersede => "a tool result becomes a text",
            Kind::ClearArguments => "the arguments of a call become other arguments",
            Kind::Truncate | Kind::Offload => "a text or a tool result becomes a text",
            Kind::DropMedia => "a picture or document becomes a note",
            Kind::DropReasoning => "only reasoning goes",
            Kind::ReplaceRange | Kind::Drop | Kind::Repair => "this kind of edit is not about parts",
        });
    }
    match (part, to) {
        (Part::ToolCall { arguments: was, .. }, Becomes::Arguments { arguments }) => {
            let Ok(is) = serde_json::from_str::<Value>(arguments) else { return Err("the new arguments are not JSON") };
            match serde_json::from_str::<Value>(was) {
                Ok(was) if !same_keys(&was, &is) => Err("the new arguments have other keys"),
                _ => Ok(()),
            }
        }
        // Providers refuse an empty text, but not a result without content.
        (Part::Text { text: was }, Becomes::Text { text }) => {
            let gone = text.trim().is_empty() && !was.trim().is_empty();
            (!gone).then_some(()).ok_or("nothing would be left of the text")
        }
        (Part::ToolResult { content, .. }, Becomes::Content { items }) => items_fit(content, items),
        (_, Becomes::Note { text }) => (!text.trim().is_empty()).then_some(()).ok_or("the note is empty"),
        _ => Ok(()),
    }
}

/// Returns whether keys and list lengths are the same on every level. The parser limits the depth to 128 levels.
fn same_keys(was: &Value, is: &Value) -> bool {
    match (was, is) {
        (Value::Object(was), Value::Object(is)) => {
            was.len() == is.len() && was.iter().all(|(key, was)| is.get(key).is_some_and(|is| same_keys(was, is)))
        }
        (Value::Array(was), Value::Array(is)) => {
            was.len() == is.len() && was.iter().zip(is).all(|(a, b)| same_keys(a, b))
        }
        (Value::Object(_) | Value::Array(_), _) | (_, Value::Object(_) | Value::Array(_)) => false,
        _ => true,
    }
}

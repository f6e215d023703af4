//! A conversation under repair: messages as lists of pieces that know where they came from.

use std::borrow::Cow;

use super::pairs::{Place, Spoken};
use super::plan::{Item, PartPlan};
use crate::message::{Message, Part, Role};

/// A part as it stands, and how it comes of the host's.
#[derive(Debug, Clone)]
pub(super) struct Piece<'a> {
    pub part: Cow<'a, Part>,
    /// The host's message, and what becomes of its part; `None` for a part that the host did not have.
    pub from: Option<(usize, PartPlan)>,
}

impl<'a> Piece<'a> {
    pub fn new(part: Part) -> Piece<'a> {
        Piece { part: Cow::Owned(part), from: None }
    }

    /// Where the host has it.
    pub fn place(&self) -> Option<Place> {
        self.from.as_ref().map(|(index, plan)| (*index, plan.part))
    }

    pub fn is_result(&self) -> bool {
        matches!(*self.part, Part::ToolResult { .. })
    }

    pub fn is_mark(&self) -> bool {
        matches!(*self.part, Part::CacheMark)
    }

    /// Another text in its place.
    pub fn set_note(&mut self, text: String) {
        if let Some((_, plan)) = &mut self.from {
            plan.note = Some(text.clone());
        }
        *self.part.to_mut() = Part::Text { text };
    }

    /// Another text of a text.
    pub fn set_text(&mut self, text: String) {
        if let Some((_, plan)) = &mut self.from {
            // What was made a note stays one.
            *if plan.note.is_some() { &mut plan.note } else { &mut plan.text } = Some(text.clone());
        }
        *self.part.to_mut() = Part::Text { text };
    }

    /// A text in the place of one item of a result.
    pub fn set_item(&mut self, item: usize, text: String) {
        if let Some((_, plan)) = &mut self.from {
            plan.items.push((item, text.clone()));
        }
        if let Part::ToolResult { content, .. } = self.part.to_mut()
            && let Some(inner) = content.get_mut(item)
        {
            *inner = Part::Text { text };
        }
    }

    pub fn set_call_id(&mut self, id: &str) {
        if let Some((_, plan)) = &mut self.from {
            plan.call_id = Some(id.to_string());
        }
        if let Part::ToolCall { call_id, .. } | Part::ToolResult { call_id, .. } = self.part.to_mut() {
            *call_id = id.to_string();
        }
    }

    pub fn set_name(&mut self, new: &str) {
        if let Some((_, plan)) = &mut self.from {
            plan.name = Some(new.to_string());
        }
        match self.part.to_mut() {
            Part::ToolCall { name, .. } => *name = new.to_string(),
            Part::ToolResult { name, .. } => *name = Some(new.to_string()),
            _ => {}
        }
    }
}

/// One message of the conversation as it stands.
#[derive(Debug, Clone)]
pub(super) struct Slot<'a> {
    pub role: Role,
    pub name: Option<&'a str>,
    pub pieces: Vec<Piece<'a>>,
    /// True once a call was taken out of it.
    pub lost_calls: bool,
    /// The host's message that it began as; tells of one without parts.
    host: Option<usize>,
}

impl Spoken for Slot<'_> {
    fn role(&self) -> Role {
        self.role
    }

    fn parts(&self) -> impl Iterator<Item = &Part> {
        self.pieces.iter().map(|piece| &*piece.part)
    }
}

impl<'a> Slot<'a> {
    pub fn of(index: usize, message: &'a Message) -> Slot<'a> {
        let piece = |(number, part): (usize, &'a Part)| Piece {
            part: Cow::Borrowed(part),
            from: Some((index, PartPlan::keep(number))),
        };
        let pieces = message.parts.iter().enumerate().map(piece).collect();
        Slot { host: Some(index), ..Slot::with(message.role, message.name.as_deref(), pieces) }
    }

    pub fn with(role: Role, name: Option<&'a str>, pieces: Vec<Piece<'a>>) -> Slot<'a> {
        Slot { role, name, pieces, lost_calls: false, host: None }
    }

    /// A message of the user that the host did not have.
    pub fn says(text: &str) -> Slot<'a> {
        Slot::with(Role::User, None, vec![Piece::new(Part::Text { text: text.to_string() })])
    }

    /// The host's message it comes from, if it does.
    pub fn index(&self) -> Option<usize> {
        self.pieces.iter().find_map(|piece| piece.from.as_ref().map(|(index, _)| *index)).or(self.host)
    }

    pub fn by_assistant(&self) -> bool {
        self.role == Role::Assistant
    }

    /// Takes out the results that `wanted` names, each with the marks behind it; the second list is the rest.
    pub fn split(self, mut wanted: impl FnMut(usize, &Piece) -> bool) -> (Vec<Piece<'a>>, Vec<Piece<'a>>) {
        let (mut taken, mut rest) = (Vec::new(), Vec::new());
        let mut takes = false;
        for (number, piece) in self.pieces.into_iter().enumerate() {
            takes = if piece.is_mark() { takes } else { wanted(number, &piece) };
            if takes { taken.push(piece) } else { rest.push(piece) }
        }
        (taken, rest)
    }
}

/// The plan that makes these slots of the host's messages. `fresh` gives ids for messages that the host did not have.
pub(super) fn plan(slots: Vec<Slot>, messages: &[Message]) -> Vec<Item> {
    let mut ids = NewIds::new(messages);
    let mut out = Vec::with_capacity(slots.len());
    for slot in slots {
        if let (true, Some(index)) = (slot.pieces.is_empty(), slot.host) {
            // The frame may be empty.
            out.push(Item::Keep { index, joins: false });
            continue;
        }
        let mut joins = false;
        let mut pieces = slot.pieces.into_iter().peekable();
        while let Some(piece) = pieces.next() {
            let of = piece.from.as_ref().map(|(index, _)| *index);
            let mut group = vec![piece];
            while let Some(next) = pieces.next_if(|next| next.from.as_ref().map(|(index, _)| *index) == of) {
                group.push(next);
            }
            out.push(item(of, group, slot.role, joins, messages, &mut ids));
            joins = true;
        }
    }
    out
}

fn item(of: Option<usize>, group: Vec<Piece>, role: Role, joins: bool, messages: &[Message], ids: &mut NewIds) -> Item {
    let Some(index) = of else {
        let parts: Vec<Part> = group.into_iter().map(|piece| piece.part.into_owned()).collect();
        let id = ids.next(&parts);
        return Item::Insert { message: Message { id, role, name: None, parts }, joins };
    };
    let parts: Vec<PartPlan> = group.into_iter().filter_map(|piece| piece.from.map(|(_, plan)| plan)).collect();
    let whole = messages.get(index).is_some_and(|message| message.parts.len() == parts.len())
        && parts.iter().enumerate().all(|(number, plan)| plan.part == number && plan.is_kept());
    if whole { Item::Keep { index, joins } } else { Item::Edit { index, parts, joins } }
}

/// Ids for messages that the host did not have.
struct NewIds<'m> {
    used: crate::map::HashSet<&'m str>,
    number: usize,
}

impl<'m> NewIds<'m> {
    fn new(messages: &'m [Message]) -> NewIds<'m> {
        NewIds { used: messages.iter().map(|message| message.id.as_str()).collect(), number: 0 }
    }

    fn next(&mut self, parts: &[Part]) -> String {
        let what = if parts.iter().any(|part| matches!(part, Part::ToolResult { .. })) { "result" } else { "text" };
        loop {
            self.number += 1;
            let id = format!("repair:{what}:{}", self.number);
            if !self.used.contains(id.as_str()) {
                return id;
            }
        }
    }
}

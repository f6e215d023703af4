//! A conversation under repair: messages as lists of pieces that keep their origin.

use std::borrow::Cow;

use super::pairs::{Place, Spoken};
use crate::message::edit::{PartEdit, PlanItem};
use crate::message::{Message, Part, Role};

/// A part in its current state, with its origin in the host's messages.
#[derive(Debug, Clone)]
pub(super) struct Piece<'a> {
    pub part: Cow<'a, Part>,
    /// Index of the host's message and the edit of its part; `None` for a new part.
    pub from: Option<(usize, PartEdit)>,
}

impl<'a> Piece<'a> {
    pub fn new(part: Part) -> Piece<'a> {
        Piece { part: Cow::Owned(part), from: None }
    }

    /// Returns the place of the part in the host's messages.
    pub fn place(&self) -> Option<Place> {
        self.from.as_ref().map(|(index, edit)| (*index, edit.part))
    }

    pub fn is_result(&self) -> bool {
        matches!(*self.part, Part::ToolResult { .. })
    }

    pub fn is_mark(&self) -> bool {
        self.part.is_mark()
    }

    /// Changes the part.
    pub fn set(&mut self, change: impl Into<PartEdit>) {
        let mut of_new = PartEdit::default();
        let edit = self.from.as_mut().map_or(&mut of_new, |(_, edit)| edit);
        if let Some(part) = edit.then(&self.part, change.into()) {
            self.part = Cow::Owned(part);
        }
    }
}

/// One message in its current state.
#[derive(Debug, Clone)]
pub(super) struct Slot<'a> {
    pub role: Role,
    pub name: Option<&'a str>,
    pub pieces: Vec<Piece<'a>>,
    /// Whether a call was removed from it.
    pub lost_calls: bool,
    /// Index of the host's message it began as. It identifies a message without parts.
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
            from: Some((index, PartEdit::keep(number))),
        };
        let pieces = message.parts.iter().enumerate().map(piece).collect();
        Slot { host: Some(index), ..Slot::with(message.role, message.name.as_deref(), pieces) }
    }

    pub fn with(role: Role, name: Option<&'a str>, pieces: Vec<Piece<'a>>) -> Slot<'a> {
        Slot { role, name, pieces, lost_calls: false, host: None }
    }

    /// Returns a new message.
    pub fn says(role: Role, text: &str) -> Slot<'a> {
        Slot::with(role, None, vec![Piece::new(Part::Text { text: text.to_string() })])
    }

    /// Returns the index of the host's message it comes from; `None` for a new message.
    pub fn index(&self) -> Option<usize> {
        self.pieces.iter().find_map(|piece| piece.from.as_ref().map(|(index, _)| *index)).or(self.host)
    }

    pub fn by_assistant(&self) -> bool {
        self.role == Role::Assistant
    }

    /// Splits the pieces into those that `wanted` accepts and the rest. A cache mark goes with the piece before it.
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

/// Returns the plan that turns the host's messages into these slots.
pub(super) fn plan(slots: Vec<Slot>, messages: &[&Message]) -> Vec<PlanItem> {
    let mut ids = NewIds::new(messages);
    let mut out = Vec::with_capacity(slots.len());
    for slot in slots {
        if let (true, Some(message)) = (slot.pieces.is_empty(), slot.host.and_then(|index| messages.get(index))) {
            // A message of the system prompt may be empty.
            out.push(PlanItem::keep(message.id.clone()));
            continue;
        }
        let mut groups: Vec<(Option<usize>, Vec<Piece>)> = Vec::new();
        for piece in slot.pieces {
            let of = piece.from.as_ref().map(|(index, _)| *index);
            match groups.last_mut().filter(|(last, _)| *last == of) {
                Some((_, group)) => group.push(piece),
                None => groups.push((of, vec![piece])),
            }
        }
        for (number, (of, group)) in groups.into_iter().enumerate() {
            let message = of.and_then(|index| messages.get(index).copied());
            out.push(item(message, group, slot.role, number > 0, &mut ids));
        }
    }
    out
}

fn item(of: Option<&Message>, group: Vec<Piece>, role: Role, joins: bool, ids: &mut NewIds) -> PlanItem {
    let Some(message) = of else {
        let parts: Vec<Part> = group.into_iter().map(|piece| piece.part.into_owned()).collect();
        let id = ids.next(&parts);
        return PlanItem::Insert { message: Message { id, role, name: None, parts }, joins };
    };
    let id = message.id.clone();
    let parts: Vec<PartEdit> = group.into_iter().filter_map(|piece| piece.from.map(|(_, edit)| edit)).collect();
    let whole = message.parts.len() == parts.len()
        && parts.iter().enumerate().all(|(number, edit)| edit.part == number && edit.is_kept());
    if whole { PlanItem::Keep { id, joins } } else { PlanItem::Edit { id, parts, joins } }
}

/// New ids for inserted messages.
struct NewIds<'m> {
    used: crate::map::HashSet<&'m str>,
    number: usize,
}

impl<'m> NewIds<'m> {
    fn new(messages: &[&'m Message]) -> NewIds<'m> {
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

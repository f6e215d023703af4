//! Orders the messages of one turn: the assistant's run, the results of its calls, then everything else.

use std::collections::BTreeMap;

use super::check::runs;
use super::pairs::{Fate, Pairs, Place};
use super::slot::{Piece, Slot};
use crate::map::HashMap;
use crate::message::Role;

/// Slots with the index they had when results were paired.
pub(super) type Numbered<'a> = Vec<(usize, Slot<'a>)>;

/// Moves results that follow a later assistant message into the turn of their call. Returns their places in the host's
/// messages.
pub(super) fn into_their_turns(slots: &mut Vec<Slot>, pairs: &Pairs) -> Vec<Option<Place>> {
    let runs = runs(slots.iter().map(|slot| (slot.by_assistant(), slot.role.is_frame())));
    let mut moved: HashMap<Place, usize> = HashMap::default();
    for call in &pairs.calls {
        if let (Fate::Answered(result), Some(behind)) = (call.fate, call.displaced)
            && runs[call.at.0] != runs[result.0]
        {
            moved.insert(result, behind);
        }
    }
    if moved.is_empty() {
        return Vec::new();
    }
    let mut places = Vec::with_capacity(moved.len());
    // Moved results by the index of the slot that they follow.
    let mut arrivals: BTreeMap<usize, Vec<Slot>> = BTreeMap::new();
    for (index, slot) in slots.iter_mut().enumerate() {
        let (role, name) = (slot.role, slot.name);
        let mut to = None;
        for (number, piece) in std::mem::take(&mut slot.pieces).into_iter().enumerate() {
            to = if piece.is_mark() { to } else { moved.get(&(index, number)).copied() };
            match to {
                Some(behind) => {
                    places.push(piece.place());
                    arrivals.entry(behind).or_default().push(Slot::with(role, name, vec![piece]));
                }
                None => slot.pieces.push(piece),
            }
        }
    }
    for (index, slot) in std::mem::take(slots).into_iter().enumerate() {
        if !slot.pieces.is_empty() || slot.role.is_frame() {
            slots.push(slot);
        }
        slots.extend(arrivals.remove(&index).into_iter().flatten());
    }
    places
}

/// Puts the results of each calling message directly after it, then everything else.
pub(super) fn directly<'a>(run: Numbered<'a>, answers: Numbered<'a>, asked: &HashMap<Place, Place>) -> Vec<Slot<'a>> {
    // Results by the index of the calling message.
    let mut results: HashMap<usize, Vec<Slot<'a>>> = HashMap::default();
    let mut rest = Vec::new();
    for (index, slot) in answers {
        let (role, name) = (slot.role, slot.name);
        if !(0..slot.pieces.len()).any(|number| asked.contains_key(&(index, number))) {
            rest.push(slot);
            continue;
        }
        let mut pieces = Vec::new();
        let mut takes = None;
        for (number, piece) in slot.pieces.into_iter().enumerate() {
            takes = if piece.is_mark() { takes } else { asked.get(&(index, number)).map(|call| call.0) };
            match takes {
                None => pieces.push(piece),
                Some(caller) => {
                    let of = results.entry(caller).or_default();
                    // Results of one message stay together.
                    match of.last_mut().filter(|slot: &&mut Slot| slot.index() == piece.place().map(|p| p.0)) {
                        Some(slot) if slot.index().is_some() => slot.pieces.push(piece),
                        _ => of.push(Slot::with(role, name, vec![piece])),
                    }
                }
            }
        }
        if !pieces.is_empty() {
            rest.push(Slot::with(role, name, pieces));
        }
    }
    let mut out = Vec::new();
    for (index, slot) in run {
        out.push(slot);
        out.extend(results.remove(&index).into_iter().flatten());
    }
    out.extend(rest);
    out
}

/// Puts all results after the run, then everything else. `single` puts the results into one message.
pub(super) fn together<'a>(
    run: Numbered<'a>,
    answers: Numbered<'a>,
    asked: &HashMap<Place, Place>,
    single: bool,
    in_order: bool,
) -> Vec<Slot<'a>> {
    let mut out: Vec<Slot> = run.into_iter().map(|(_, slot)| slot).collect();
    // Results with the place of their call. A cache mark stays with the result before it.
    let mut results: Vec<(Place, Vec<Piece>)> = Vec::new();
    let mut bearers: Vec<Slot> = Vec::new();
    // Everything else, in order. Parts from a message with results keep the index of its results in `bearers`.
    let mut rest: Vec<(Option<usize>, Slot)> = Vec::new();
    for (index, slot) in answers {
        let (role, name) = (slot.role, slot.name);
        if !(0..slot.pieces.len()).any(|number| asked.contains_key(&(index, number))) {
            rest.push((None, slot));
            continue;
        }
        let mut words = Vec::new();
        let mut takes = false;
        for (number, piece) in slot.pieces.into_iter().enumerate() {
            let call = asked.get(&(index, number));
            takes = if piece.is_mark() { takes } else { call.is_some() };
            match (call, results.last_mut()) {
                (Some(&call), _) => results.push((call, vec![piece])),
                (None, Some((_, pieces))) if takes => pieces.push(piece),
                _ => words.push(piece),
            }
        }
        bearers.push(Slot::with(role, name, Vec::new()));
        if !single && let Some(bearer) = bearers.last_mut() {
            bearer.pieces = sorted(&mut results, in_order);
        }
        if !words.is_empty() {
            rest.push((Some(bearers.len() - 1), Slot::with(role, name, words)));
        }
    }
    if single && let Some(bearer) = bearers.first_mut() {
        bearer.pieces = sorted(&mut results, in_order);
        bearers.truncate(1);
    }
    // Parts from the message with the newest results stay beside them, unless another message comes first.
    let newest = bearers.len().checked_sub(1);
    let beside = rest.first().is_some_and(|(of, _)| of.is_some() && (single || *of == newest));
    let mut rest = rest.into_iter().map(|(_, slot)| slot);
    if beside && let (Some(bearer), Some(words)) = (bearers.last_mut(), rest.next()) {
        if bearer.role == Role::Tool {
            bearer.role = words.role;
        }
        bearer.pieces.extend(words.pieces);
    }
    out.extend(bearers);
    out.extend(rest);
    out
}

/// Returns the results, sorted by their calls if `in_order`.
fn sorted<'a>(results: &mut Vec<(Place, Vec<Piece<'a>>)>, in_order: bool) -> Vec<Piece<'a>> {
    if in_order {
        crate::rank::sort(results, |((_, part), _)| *part as u64);
        crate::rank::sort(results, |((message, _), _)| *message as u64);
    }
    results.drain(..).flat_map(|(_, pieces)| pieces).collect()
}

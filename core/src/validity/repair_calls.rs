//! Repairs of calls and their results: who says them, names, ids, counterparts and places.

use super::check::{check, id_trouble, without_suffix};
use super::order::{directly, into_their_turns, together};
use super::pairs::{Fate, Ids, LOST, MOST_OF_AN_ID, Pairs, Place, stand_in};
use super::repair::{Lost, Orphans, Pending, Work};
use super::rules::Rules;
use super::slot::{Piece, Slot};
use crate::map::{HashMap, HashSet};
use crate::message::edit::PartEdit;
use crate::message::{Part, Role};

impl<'a> Work<'a, '_> {
    /// Drops calls outside assistant messages. Moves misplaced results into their own message.
    pub(super) fn roles(&mut self) {
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

    pub(super) fn names(&mut self) {
        let Rules { tool_name: charset, names_match, .. } = *self.rules;
        let pairs = self.pairs();
        for call in pairs.calls.iter().filter(|call| !self.target.takes_tool(&call.name)) {
            let name = charset.nearest(&call.name);
            let place = self.slots[call.at.0].pieces[call.at.1].place();
            self.slots[call.at.0].pieces[call.at.1].set(PartEdit::name(0, &name));
            if let Fate::Answered((index, part)) = call.fate {
                let piece = &mut self.slots[index].pieces[part];
                if names_match || matches!(&*piece.part, Part::ToolResult { name: Some(_), .. }) {
                    piece.set(PartEdit::name(0, &name));
                }
            }
            self.log("tool-name", place, format!("named {name:?}, which the provider takes"));
        }
    }

    /// Repairs ids, calls without results, and results without calls.
    pub(super) fn pair_up(&mut self) {
        let pairs = self.pairs();
        self.rename(&pairs);
        let ends = self.ends_of_turns();
        let mut gone: HashMap<Place, &'static str> = HashMap::default();
        let mut stand_ins: Vec<(usize, Slot<'a>)> = Vec::new();
        let mut notes: Vec<(usize, Slot<'a>)> = Vec::new();
        for call in &pairs.calls {
            let (rule, synthesize, behind) = match (call.fate, self.settings.pending) {
                (Fate::Lost { behind }, _) => ("lost-call", self.settings.lost_calls == Lost::Synthesize, behind),
                (Fate::Pending, Pending::Synthesize) => ("pending-call", true, ends[call.at.0]),
                (Fate::Pending, Pending::Drop) => ("pending-call", false, call.at.0),
                (Fate::Answered(_), _) | (Fate::Pending, Pending::Keep) => continue,
            };
            if !synthesize {
                gone.insert(call.at, rule);
                continue;
            }
            let piece = &self.slots[call.at.0].pieces[call.at.1];
            let Part::ToolCall { call_id, name, .. } = &*piece.part else { continue };
            let result = stand_in(call_id, name, self.settings.lost_text.as_deref().unwrap_or(LOST));
            let place = piece.place();
            stand_ins.push((behind, Slot::with(Role::Tool, None, vec![Piece::new(result)])));
            self.log(rule, place, "a result that says so replaces the one that was not recorded");
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
                        ends[index],
                        Slot::says(Role::User, &format!("[Result{from} without its call]\n{said}")),
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

    /// Returns for each message the last of the messages with results after it. An insertion after that one breaks no
    /// round.
    fn ends_of_turns(&self) -> Vec<usize> {
        let follows =
            |slot: &Slot| slot.role.is_frame() || !slot.by_assistant() && slot.pieces.iter().any(Piece::is_result);
        let mut ends: Vec<usize> = (0..self.slots.len()).collect();
        for at in (1..self.slots.len()).rev() {
            if follows(&self.slots[at]) {
                ends[at - 1] = ends[at];
            }
        }
        ends
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
            self.slots[call.at.0].pieces[call.at.1].set(PartEdit::call_id(0, &id));
            if let Fate::Answered((index, part)) = call.fate {
                self.slots[index].pieces[part].set(PartEdit::call_id(0, &id));
            }
            self.log(rule, place, format!("the call and its result got the id {id:?}"));
        }
    }

    /// Moves results to the right place, in the turns that have a misplaced one.
    pub(super) fn places(&mut self) {
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
        let asked: HashMap<Place, Place> =
            pairs.calls.iter().filter_map(|call| Some((call.result()?, call.at))).collect();
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
}

/// Returns the text of a result.
fn texts(content: &[Part]) -> String {
    let texts =
        content.iter().filter_map(|part| if let Part::Text { text } = part { Some(text.as_str()) } else { None });
    texts.collect::<Vec<_>>().join("\n")
}

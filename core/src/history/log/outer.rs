//! The ranges in effect: those in force that are not inside a larger one.

use std::cmp::Reverse;

use super::fold::{Span, State};
use crate::map::{ordered, ordered_map};

impl State {
    /// Returns the number of messages inserted by ranges.
    pub fn stand_ins(&self) -> usize {
        let replies = self.outer.values().filter_map(|(_, seq)| self.edits.get(seq)?.span.as_ref()?.reply);
        self.outer.len() + replies.count()
    }

    /// Updates the ranges in effect after these edits came into force or were taken back: the larger of two nested ones
    /// counts, the newer of two equal ones. Returns the slots of messages whose reasoning at the start changed.
    pub fn place_spans(&mut self, edits: &[usize]) -> Vec<usize> {
        let mut thinks = false;
        for &seq in edits {
            let edit = &self.edits[&seq];
            let Some(Span { start, end, .. }) = edit.span else { continue };
            let key = (start, Reverse(end), Reverse(seq));
            if edit.in_force() && self.spans.insert(key) {
                let before = self.outer.range(..=start).next_back();
                let is_inside = |(&from, &(to, by)): (&usize, &(usize, usize))| {
                    to >= start && (from, Reverse(to), Reverse(by)) < key
                };
                if !before.is_some_and(is_inside) {
                    thinks |= self.place_from(start);
                }
            } else if !edit.in_force() && self.spans.remove(&key) && self.outer.get(&start) == Some(&(end, seq)) {
                thinks |= self.place_from(start);
            }
        }
        if !thinks {
            return vec![];
        }
        let thinking = self.outer.values().filter_map(|(_, seq)| self.edits[seq].span.as_ref()?.thinking);
        let leads = ordered_map(thinking.map(|lead| (lead.to, lead)));
        let before = std::mem::replace(&mut self.leads, leads);
        let all = ordered(before.keys().chain(self.leads.keys()).copied());
        all.into_iter().filter(|slot| before.get(slot) != self.leads.get(slot)).collect()
    }

    /// Finds the ranges in effect from the slot `start` on, which none before it reaches, up to the first that was in
    /// effect before. Returns whether one that has come or gone keeps reasoning.
    fn place_from(&mut self, start: usize) -> bool {
        let State { edits, spans, outer, summaries, .. } = self;
        let span = |seq: &usize| edits[seq].span.as_ref();
        let tokens = |seq: &usize| span(seq).map_or(0, |span| span.tokens);
        let mut thinks = false;
        let (mut from, mut behind) = (start, start);
        loop {
            let next = spans.range((behind, Reverse(usize::MAX), Reverse(usize::MAX))..).next().copied();
            let until = next.map_or(usize::MAX, |(start, ..)| start);
            let old: Vec<usize> = outer.range(from..until).map(|(&at, _)| at).collect();
            let mut gone: Vec<usize> = old.iter().filter_map(|at| Some(outer.remove(at)?.1)).collect();
            let new = next.and_then(|(start, Reverse(end), Reverse(seq))| {
                let was = outer.insert(start, (end, seq)).map(|(_, was)| was);
                gone.extend(was.filter(|was| *was != seq));
                (from, behind) = (start + 1, end + 1);
                Some(seq).filter(|_| was != Some(seq))
            });
            *summaries -= gone.iter().map(tokens).sum::<u64>();
            *summaries += new.as_ref().map_or(0, tokens);
            thinks |= gone.iter().chain(&new).any(|seq| span(seq).is_some_and(|span| span.thinking.is_some()));
            if new.is_none() {
                return thinks;
            }
        }
    }
}

//! Selects which older turns to remove, and which of their rounds.
//!
//! In: the groups that may be removed, with their sizes. Out: units of a [`Selection`]. Turns are removed as a whole,
//! oldest first; the last of them loses only its oldest rounds if the rest of it fits. So no short request stays
//! without its answer, and of long ones (a pasted file) only that of the oldest turn. The newest of the removed turns
//! keep their request and answer if these are short. Takes linear time.

use super::class::Drop;
use super::select::Selection;
use super::shrink::FLOOR;

/// Requests and answers of turns whose other rounds are removed may take one part in `OUTLINES` of the goal.
const OUTLINES: u64 = 12;

/// What is left of an older turn and may be removed.
struct Turn {
    /// The request that opened the turn; `None` if it must stay or is removed already.
    opening: Option<usize>,
    /// Oldest first.
    rounds: Vec<usize>,
    /// Tokens of the request and all rounds.
    size: u64,
    /// Tokens of the request and the final answer; 0 if one of them is missing.
    outline: u64,
}

impl Turn {
    fn groups(&self) -> Vec<usize> {
        self.opening.iter().chain(&self.rounds).copied().collect()
    }

    /// Returns the pass that removes the turn as a whole.
    fn pass(&self) -> Drop {
        if self.opening.is_some() { Drop::OldTurn } else { Drop::OldRound }
    }
}

impl Selection<'_> {
    /// Removes older turns until the total is at most `goal`.
    pub(super) fn drop_turns(&mut self, goal: u64) {
        if self.total() <= goal {
            return;
        }
        let turns = self.older_turns();
        if self.has_priorities() { self.drop_by_priority(&turns, goal) } else { self.drop_by_age(&turns, goal) }
    }

    /// Selects older turns again, after the removal of rounds of the newest turn left room.
    pub(super) fn refill_turns(&mut self, goal: u64) {
        if self.total() < goal && self.took(Drop::CurrentRound) && self.took(Drop::OldTurn) {
            self.put_back(|pass| matches!(pass, Drop::OldTurn | Drop::OldRound));
            self.drop_turns(goal);
        }
    }

    /// Returns the turns before the newest request, without what must stay.
    fn older_turns(&self) -> Vec<Turn> {
        let mut turns: Vec<Turn> = Vec::new();
        let mut begins = true;
        for at in 0..self.groups.len() {
            let is_request = self.groups[at].opens();
            begins |= is_request;
            let Some(Drop::OldRound | Drop::OldRequest) = self.removable(at) else { continue };
            if begins {
                turns.push(Turn { opening: None, rounds: Vec::new(), size: 0, outline: 0 });
                begins = false;
            }
            let Some(turn) = turns.last_mut() else { continue };
            let size = self.size(at);
            turn.size += size;
            if is_request {
                turn.opening = Some(at);
            } else {
                turn.outline = match turn.opening {
                    Some(opening) if self.is_answer(at) => self.size(opening) + size,
                    _ => 0,
                };
                turn.rounds.push(at);
            }
        }
        turns
    }

    fn drop_by_age(&mut self, turns: &[Turn], goal: u64) {
        let room = goal / OUTLINES;
        // Long outlines are kept only if nothing else fits.
        let short = |turn: &Turn| if turn.outline <= room / 2 { turn.outline } else { 0 };
        // `rest`: tokens of everything that stays except outlines. `shown`: tokens of the outlines that stay, of turns
        // `from..at`. `thinned`: number of rounds that turn `at` loses.
        let mut rest = self.total();
        let (mut from, mut at, mut shown, mut thinned) = (0, 0, 0, 0);
        while at < turns.len() && rest + shown > goal {
            let turn = &turns[at];
            rest -= turn.size;
            if let Some((rounds, freed)) = self.fitting(turn, rest + shown, goal) {
                rest += turn.size - freed;
                thinned = rounds;
                break;
            }
            shown += short(turn);
            at += 1;
            if short(turn) == 0 {
                // An older turn's outline must not stay when a newer turn is removed as a whole.
                (from, shown) = (at, 0);
            }
            while shown > room {
                shown -= short(&turns[from]);
                from += 1;
            }
        }
        while from < at && rest + shown > goal {
            shown -= short(&turns[from]);
            from += 1;
        }
        // Removed outlines may have left room for more rounds.
        while thinned == 0 && at > 0 {
            let turn = &turns[at - 1];
            let outline = if from < at { short(turn) } else { 0 };
            let Some((rounds, freed)) = self.fitting(turn, rest + shown - outline, goal) else { break };
            rest += turn.size - freed;
            shown -= outline;
            (at, thinned) = (at - 1, rounds);
            from = from.min(at);
        }
        // A long request may stay without its rounds at the cut: without it much room would be wasted.
        let newest = at.checked_sub(1).map(|newest| &turns[newest]).filter(|turn| from == at || short(turn) == 0);
        let alone = newest.and_then(|turn| turn.opening).filter(|&request| {
            let size = self.size(request);
            size > room.max(FLOOR) && rest + shown + size <= goal
        });
        rest += alone.map_or(0, |request| self.size(request));
        let mut is_shown: Vec<bool> = (0..at).map(|turn| turn >= from && short(&turns[turn]) > 0).collect();
        // Room that is too small for a round may fit more outlines.
        for (turn, is_shown) in turns.iter().zip(&mut is_shown).rev() {
            if !*is_shown
                && turn.outline > 0
                && (alone.is_none() || turn.opening != alone)
                && rest + shown + turn.outline <= goal
            {
                shown += turn.outline;
                *is_shown = true;
            }
        }
        for (turn, is_shown) in turns.iter().zip(is_shown) {
            match turn.rounds.split_last() {
                Some((_, middle)) if is_shown => self.take(Drop::OldRound, middle.to_vec()),
                Some(_) if alone.is_some() && turn.opening == alone => self.take(Drop::OldRound, turn.rounds.clone()),
                _ => self.take(turn.pass(), turn.groups()),
            }
        }
        if let Some(turn) = turns.get(at) {
            turn.rounds[..thinned].iter().for_each(|&round| self.take(Drop::OldRound, vec![round]));
        }
    }

    /// Returns how many of a turn's oldest rounds must be removed so that it fits beside `others`, and their tokens.
    /// Returns `None` if nothing of the turn can stay: a request must not stay alone.
    fn fitting(&self, turn: &Turn, others: u64, goal: u64) -> Option<(usize, u64)> {
        let room = goal.checked_sub(others)?;
        let (mut rounds, mut freed) = (0, 0);
        while turn.size - freed > room {
            freed += self.size(*turn.rounds.get(rounds)?);
            rounds += 1;
        }
        let is_alone = turn.opening.is_some() && rounds > 0 && rounds == turn.rounds.len();
        (!is_alone).then_some((rounds, freed))
    }

    /// Removes the lowest priority first, and the oldest first among equals. A round with a lower priority than its
    /// turn is removed before the turn.
    fn drop_by_priority(&mut self, turns: &[Turn], goal: u64) {
        let mut steps: Vec<(f64, &Turn, Option<usize>)> = Vec::new();
        for turn in turns {
            let highest = self.highest(&turn.groups());
            let lower = turn.rounds.iter().filter(|&&round| self.highest(&[round]) < highest);
            steps.extend(lower.map(|&round| (self.highest(&[round]), turn, Some(round))));
            steps.push((highest, turn, None));
        }
        crate::rank::sort(&mut steps, |(priority, ..)| crate::rank::of(*priority));
        for (_, turn, round) in steps {
            if self.total() <= goal {
                return;
            }
            if let Some(round) = round {
                self.take(Drop::OldRound, vec![round]);
                continue;
            }
            let is_left = |at: &usize| self.is_left(*at);
            let rounds: Vec<usize> = turn.rounds.iter().copied().filter(is_left).collect();
            let size = turn.opening.iter().chain(&rounds).map(|&at| self.size(at)).sum();
            let turn = Turn { opening: turn.opening, rounds, size, outline: 0 };
            match self.fitting(&turn, self.total() - size, goal) {
                Some((rounds, _)) => turn.rounds[..rounds].iter().for_each(|&at| self.take(Drop::OldRound, vec![at])),
                None => self.take(turn.pass(), turn.groups()),
            }
        }
    }
}

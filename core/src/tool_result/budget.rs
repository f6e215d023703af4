//! What all results of one request may take together. Pure functions over sizes; whoever calls them makes the edits.

/// Weights by age in rounds: the newest round, the one before, all older ones.
const WEIGHTS: [u64; 3] = [4, 2, 1];
/// A level that has to fall falls at least to this share (in percent) of what it was, so that it seldom falls.
const FALL: u64 = 80;

/// One result, as far as its budget is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Tokens it has now, after the cuts made so far.
    pub tokens: u64,
    /// Rounds since: 0 for the newest round.
    pub age: usize,
}

/// What each result may have, in the order of the results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caps {
    pub caps: Vec<u64>,
    /// The water level: tokens for each unit of weight. `None` if it was never needed. Pass it to the next call.
    pub level: Option<u64>,
}

/// One level for all results: each gets at most level x weight, small ones stay whole, and together they take exactly `budget`.
/// Nothing happens within the budget. The level only falls; one that falls less than 20 % falls 20 %, and then they take less.
///
/// ```
/// use espalier::tool_result::budget::{Size, water_level};
/// let sizes = [Size { tokens: 900, age: 1 }, Size { tokens: 50, age: 1 }, Size { tokens: 900, age: 0 }];
/// let level = water_level(&sizes, 650, None);
/// assert_eq!(level.caps, [200, 50, 400]);
/// ```
pub fn water_level(results: &[Size], budget: u64, previous: Option<u64>) -> Caps {
    let total = results.iter().fold(0u64, |sum, result| sum.saturating_add(result.tokens));
    if total <= budget {
        return Caps { caps: results.iter().map(|result| result.tokens).collect(), level: previous };
    }
    let weight = |result: &Size| WEIGHTS[result.age.min(2)];
    let taken = |level: u64| -> u128 {
        results.iter().map(|result| u128::from(result.tokens.min(level.saturating_mul(weight(result))))).sum()
    };
    // The highest level at which all fit; at the next one they would not.
    let (mut level, mut over) = (0, u64::MAX);
    while over - level > 1 {
        let middle = level + (over - level) / 2;
        if taken(middle) <= u128::from(budget) {
            level = middle;
        } else {
            over = middle;
        }
    }
    // The level of the request before stays while it fits, so that results cut then are cut alike now.
    let most = match previous {
        Some(previous) if level >= previous => previous,
        Some(previous) => (u128::from(previous) * u128::from(FALL) / 100) as u64,
        None => u64::MAX,
    };
    let is_below = level > most;
    level = level.min(most);
    let mut caps: Vec<u64> =
        results.iter().map(|result| result.tokens.min(level.saturating_mul(weight(result)))).collect();
    if !is_below {
        // Less than one unit of level is left: a token for each unit of weight, the newest first.
        let mut spare = budget - caps.iter().sum::<u64>();
        let mut newest: Vec<usize> = (0..results.len()).collect();
        newest.reverse();
        crate::rank::sort(&mut newest, |&at| results[at].age as u64);
        for at in newest {
            let more = spare.min(weight(&results[at])).min(results[at].tokens - caps[at]);
            caps[at] += more;
            spare -= more;
        }
    }
    Caps { caps, level: Some(level) }
}

/// gemini-cli's rule: from the newest (the last) to the oldest, a result that crosses `budget` is to be cut, and counts with
/// `cut` tokens (what it has when cut); the walk goes on, so older small ones stay whole. True for each that is to be cut.
///
/// ```
/// use espalier::tool_result::budget::newest_first;
/// assert_eq!(newest_first(&[10, 60, 30], 50, |_| 5), [false, true, false]);
/// ```
pub fn newest_first(tokens: &[u64], budget: u64, cut: impl Fn(usize) -> u64) -> Vec<bool> {
    let mut out = vec![false; tokens.len()];
    let mut walk = Walk::new(tokens.to_vec(), budget);
    while let Some(at) = walk.next_over() {
        out[at] = true;
        walk.counts(cut(at));
    }
    out
}

/// The walk of [`newest_first`] step by step, for hosts that have to wait in between: what a result counts with is known only when it
/// was stored and cut.
///
/// ```
/// use espalier::tool_result::budget::Walk;
/// let mut walk = Walk::new(vec![10, 60, 30], 50);
/// assert_eq!(walk.next_over(), Some(1));
/// walk.counts(25); // 30 + 25 are over the budget already, and so the oldest one crosses it, too
/// assert_eq!((walk.next_over(), walk.used()), (Some(0), 55));
/// walk.counts(10);
/// assert_eq!((walk.next_over(), walk.used()), (None, 65));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walk {
    /// Those that were not walked over yet, oldest first.
    left: Vec<u64>,
    budget: u64,
    used: u64,
}

impl Walk {
    /// Over results given oldest first.
    pub fn new(tokens: Vec<u64>, budget: u64) -> Walk {
        Walk { left: tokens, budget, used: 0 }
    }

    /// The next result that crosses the budget; those before it fit and are counted. [`Walk::counts`] says what it counts with.
    pub fn next_over(&mut self) -> Option<usize> {
        while let Some(size) = self.left.pop() {
            let with = self.used.saturating_add(size);
            if with > self.budget {
                return Some(self.left.len());
            }
            self.used = with;
        }
        None
    }

    /// Counts the one that crossed: what is left of it, or all of it if it stays.
    pub fn counts(&mut self, tokens: u64) {
        self.used = self.used.saturating_add(tokens);
    }

    /// Tokens of those that were walked over.
    pub fn used(&self) -> u64 {
        self.used
    }
}

/// How many of the oldest results are outside the newest `protect` tokens: from the newest on sizes add up, and the one that crosses
/// `protect` and all older ones are outside.
///
/// ```
/// use espalier::tool_result::budget::outside;
/// assert_eq!(outside(&[40, 20, 30], 50), 1);
/// assert_eq!(outside(&[40, 20, 31], 50), 2);
/// ```
pub fn outside(tokens: &[u64], protect: u64) -> usize {
    let mut used = 0u64;
    let protected = tokens.iter().rev().take_while(|&&size| {
        used = used.saturating_add(size);
        used <= protect
    });
    tokens.len() - protected.count()
}

/// Which old results to replace by notes, oldest first. Results are given oldest first, those that take no part (exempt tools,
/// the latest turn, notes already) left out by the caller. The ones [`outside`] the newest `protect` tokens go together if that frees at
/// least `least` tokens, their notes taken off: each cut breaks a cached prefix. `note` tells what is left of a result; one whose note is
/// no smaller stays.
///
/// gemini-cli asks for [`prunable`] tokens instead, which is what goes without what comes.
///
/// ```
/// use espalier::tool_result::budget::clearable;
/// assert_eq!(clearable(&[40, 50], 50, 35, |_| 5), [0]);
/// assert!(clearable(&[40, 50], 50, 36, |_| 5).is_empty()); // 40 go and 5 come
/// ```
pub fn clearable(tokens: &[u64], protect: u64, least: u64, note: impl Fn(usize) -> u64) -> Vec<usize> {
    let out: Vec<usize> = (0..outside(tokens, protect)).filter(|&at| note(at) < tokens[at]).collect();
    let gain = out.iter().fold(0u64, |sum, &at| sum.saturating_add(tokens[at] - note(at)));
    if gain > 0 && gain >= least { out } else { Vec::new() }
}

/// gemini-cli's masking (50,000 and 30,000): how many of the oldest results are [`outside`] the newest `protect` tokens, if they have at
/// least `least` tokens, their notes not taken off; else none.
///
/// ```
/// use espalier::tool_result::budget::prunable;
/// assert_eq!((prunable(&[40, 50], 50, 40), prunable(&[40, 50], 50, 41)), (1, 0));
/// ```
pub fn prunable(tokens: &[u64], protect: u64, least: u64) -> usize {
    let end = outside(tokens, protect);
    let size = tokens[..end].iter().fold(0u64, |sum, &tokens| sum.saturating_add(tokens));
    if size >= least { end } else { 0 }
}

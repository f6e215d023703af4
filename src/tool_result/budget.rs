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
    let most = previous.map_or(u64::MAX, |previous| (u128::from(previous) * u128::from(FALL) / 100) as u64);
    let falls_further = level > most;
    level = level.min(most);
    let mut caps: Vec<u64> =
        results.iter().map(|result| result.tokens.min(level.saturating_mul(weight(result)))).collect();
    if !falls_further {
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
    let mut used = 0u64;
    let mut out = vec![false; tokens.len()];
    for (at, &size) in tokens.iter().enumerate().rev() {
        out[at] = used.saturating_add(size) > budget;
        used = used.saturating_add(if out[at] { cut(at) } else { size });
    }
    out
}

/// Which old results to replace by notes, oldest first. Results are given oldest first, those that take no part (exempt tools,
/// the latest turn, notes already) left out by the caller. From the newest on, sizes add up; the one that crosses `protect` and
/// all older ones can go, and go together if they free at least `least` tokens: each cut breaks a cached prefix.
///
/// `note` tells what is left of a result; one whose note is no smaller stays. gemini-cli: 50,000 and 30,000, by gross size.
pub fn clearable(tokens: &[u64], protect: u64, least: u64, note: impl Fn(usize) -> u64) -> Vec<usize> {
    let mut used = 0u64;
    let protected = tokens.iter().rev().take_while(|&&size| {
        used = used.saturating_add(size);
        used <= protect
    });
    let end = tokens.len() - protected.count();
    let out: Vec<usize> = (0..end).filter(|&at| note(at) < tokens[at]).collect();
    let gain = out.iter().fold(0u64, |sum, &at| sum.saturating_add(tokens[at] - note(at)));
    if gain > 0 && gain >= least { out } else { Vec::new() }
}

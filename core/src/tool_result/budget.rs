//! The maximum tokens of all results of one request together. Pure functions over sizes; the callers make the edits.

/// Weights by age in rounds: the newest round, the previous one, all older ones.
const WEIGHTS: [u64; 3] = [4, 2, 1];
/// A level that must fall falls at least to this percentage of its value, so that it seldom falls.
const FALL: u64 = 80;

/// The properties of a result that decide its cap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Tokens after the cuts made so far.
    pub tokens: u64,
    /// Number of rounds since: 0 for the newest round.
    pub age: usize,
}

/// The maximum tokens of each result, in the order of the results.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Caps {
    pub caps: Vec<u64>,
    /// The water level: tokens for each unit of weight. `None` if no level was ever needed. Pass it to the next call.
    pub level: Option<u64>,
}

/// Caps results by one level: each gets at most level x weight, small ones stay whole, and together they take exactly
/// `budget`. If all fit the budget, nothing changes. The level only falls. A fall of less than 20 % becomes 20 %; then
/// the results take less than the budget.
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
    let mut level = greatest(0, u64::MAX, |level| taken(level) <= u128::from(budget));
    // The previous request's level stays while the results fit, so that results cut then are cut in the same way now.
    let max = match previous {
        Some(previous) if level >= previous => previous,
        Some(previous) => (u128::from(previous) * u128::from(FALL) / 100) as u64,
        None => u64::MAX,
    };
    let is_below = level > max;
    level = level.min(max);
    let mut caps: Vec<u64> =
        results.iter().map(|result| result.tokens.min(level.saturating_mul(weight(result)))).collect();
    if !is_below {
        // Less than one unit of level is left: distribute one token for each unit of weight, the newest result first.
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

/// Returns the greatest cap that `fits`: `cap` fits or is the least there is, `over` does not fit or is not needed.
///
/// ```
/// use espalier::tool_result::budget::greatest;
/// assert_eq!(greatest(0, 100, |cap| cap * 3 <= 50), 16);
/// ```
pub fn greatest(mut cap: u64, mut over: u64, fits: impl Fn(u64) -> bool) -> u64 {
    while over - cap > 1 {
        let middle = cap + (over - cap) / 2;
        if fits(middle) {
            cap = middle;
        } else {
            over = middle;
        }
    }
    cap
}

/// Applies gemini-cli's rule. From the newest result (the last) to the oldest, a result that exceeds `budget` must be
/// cut and counts with `cut` tokens (its size after the cut); the walk continues, so older small results stay whole.
/// Returns true for each result to cut.
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

/// The walk of [`newest_first`] step by step, for hosts that must wait in between: the size of a cut result is known
/// only after it was stored and cut.
///
/// ```
/// use espalier::tool_result::budget::Walk;
/// let mut walk = Walk::new(vec![10, 60, 30], 50);
/// assert_eq!(walk.next_over(), Some(1));
/// walk.counts(25); // 30 + 25 exceed the budget already, so the oldest one exceeds it as well
/// assert_eq!((walk.next_over(), walk.used()), (Some(0), 55));
/// walk.counts(10);
/// assert_eq!((walk.next_over(), walk.used()), (None, 65));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Walk {
    /// Results that the walk has not reached, oldest first.
    left: Vec<u64>,
    budget: u64,
    used: u64,
}

impl Walk {
    /// Starts a walk over results, given oldest first.
    pub fn new(tokens: Vec<u64>, budget: u64) -> Walk {
        Walk { left: tokens, budget, used: 0 }
    }

    /// Returns the next result that exceeds the budget; results before it fit and are counted. [`Walk::counts`] must
    /// follow with its size.
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

    /// Counts the result that exceeded the budget: its size after the cut, or its full size if it stays.
    pub fn counts(&mut self, tokens: u64) {
        self.used = self.used.saturating_add(tokens);
    }

    /// Returns the tokens of the results counted so far.
    pub fn used(&self) -> u64 {
        self.used
    }
}

/// Returns how many of the oldest results are outside the newest `protect` tokens: sizes add up from the newest on; the
/// result that exceeds `protect` and all older ones are outside.
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

/// Applies gemini-cli's masking (50,000 and 30,000): returns how many of the oldest results are [`outside`] the newest
/// `protect` tokens, if they have at least `min` tokens without subtracting their notes; else 0.
///
/// ```
/// use espalier::tool_result::budget::prunable;
/// assert_eq!((prunable(&[40, 50], 50, 40), prunable(&[40, 50], 50, 41)), (1, 0));
/// ```
pub fn prunable(tokens: &[u64], protect: u64, min: u64) -> usize {
    let end = outside(tokens, protect);
    let size = tokens[..end].iter().fold(0u64, |sum, &tokens| sum.saturating_add(tokens));
    if size >= min { end } else { 0 }
}

//! Sorting where speed does not matter, with two routines for the whole crate. The standard library's sort is compiled
//! again, 7 kB of it, for every type and comparison.

use std::cmp::Ordering;

/// Sorts by a number, stably.
///
/// ```
/// use espalier::rank;
/// let mut words = vec!["three", "a", "one", "b"];
/// rank::sort(&mut words, |word| word.len() as u64);
/// assert_eq!(words, ["a", "b", "one", "three"]);
/// rank::sort(&mut words, |word| !(word.len() as u64)); // the longest first
/// assert_eq!(words, ["three", "one", "a", "b"]);
/// ```
pub fn sort<T>(items: &mut [T], mut rank: impl FnMut(&T) -> u64) {
    if let Some(mut order) = order(items.len(), &mut |at| rank(&items[at])) {
        put(&mut order, &mut |one, other| items.swap(one, other));
    }
}

/// Sorts by a comparison, stably.
///
/// ```
/// use espalier::rank;
/// let mut words = vec!["b", "three", "one", "a"];
/// rank::sort_by(&mut words, |one, other| one.cmp(other));
/// assert_eq!(words, ["a", "b", "one", "three"]);
/// ```
pub fn sort_by<T>(items: &mut [T], mut compare: impl FnMut(&T, &T) -> Ordering) {
    let mut order = order_by(items.len(), &mut |one, other| compare(&items[one], &items[other]));
    put(&mut order, &mut |one, other| items.swap(one, other));
}

/// Returns the index of the item that belongs first, second and so on; `None` if all are in order already.
#[inline(never)]
fn order(count: usize, rank: &mut dyn FnMut(usize) -> u64) -> Option<Vec<usize>> {
    let mut keys: Vec<(u64, usize)> = (0..count).map(|at| (rank(at), at)).collect();
    if keys.is_sorted() {
        return None;
    }
    keys.sort_unstable();
    Some(keys.into_iter().map(|(_, at)| at).collect())
}

#[inline(never)]
fn order_by(count: usize, compare: &mut dyn FnMut(usize, usize) -> Ordering) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|one, other| compare(*one, *other));
    order
}

/// Moves items to their positions by swapping two at a time, cycle by cycle.
#[inline(never)]
fn put(order: &mut [usize], swap: &mut dyn FnMut(usize, usize)) {
    for first in 0..order.len() {
        let mut at = first;
        loop {
            let from = std::mem::replace(&mut order[at], at);
            if from == first || from == at {
                break;
            }
            swap(at, from);
            at = from;
        }
    }
}

/// Returns a rank that orders numbers with fractions; negative zero comes before zero.
///
/// ```
/// use espalier::rank::of;
/// assert!(of(-1.5) < of(-0.0) && of(-0.0) < of(0.0) && of(2.0) < of(f64::INFINITY));
/// ```
pub fn of(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// Returns a rank that orders pairs by the first number, then by the second.
///
/// ```
/// use espalier::rank::pair;
/// assert!(pair(1, 9) < pair(2, 0) && pair(2, 0) < pair(2, 1));
/// ```
pub fn pair(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// Returns a rank that orders optional indices, `None` first.
pub fn place(at: Option<usize>) -> u64 {
    at.map_or(0, |at| at as u64 + 1)
}

//! Sorting where speed does not matter: one routine for all places. The standard library's is compiled anew, 7 kB of it, for every type
//! and comparison.

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
pub fn sort<T>(items: &mut Vec<T>, rank: impl FnMut(&T) -> u64) {
    let mut keys: Vec<(u64, usize)> = items.iter().map(rank).zip(0..).collect();
    if keys.is_sorted() {
        return;
    }
    keys.sort_unstable();
    let mut from: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(keys.iter().filter_map(|(_, at)| from.get_mut(*at).and_then(Option::take)));
}

/// A rank for a number with a fraction, in its order; negative zero is before zero.
///
/// ```
/// use espalier::rank::of;
/// assert!(of(-1.5) < of(-0.0) && of(-0.0) < of(0.0) && of(2.0) < of(f64::INFINITY));
/// ```
pub fn of(number: f64) -> u64 {
    let bits = number.to_bits();
    if bits >> 63 == 0 { bits | 1 << 63 } else { !bits }
}

/// A rank for a place that may be absent: before all others.
pub fn place(at: Option<usize>) -> u64 {
    at.map_or(0, |at| at as u64 + 1)
}

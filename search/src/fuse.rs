//! Joins rankings whose scores cannot be compared.

use espalier_core::map::HashMap;
use std::hash::Hash;

/// The constant of reciprocal rank fusion: the higher, the less first places count over later ones.
pub const RRF_K: f64 = 60.0;

/// Reciprocal rank fusion: an item scores 1 / (k + rank) in each ranking that has it, with ranks from 1. Best first; of
/// equal scores, the item at an earlier position of an earlier ranking. An item that a ranking repeats counts at its
/// first position.
///
/// ```
/// use espalier_search::{RRF_K, fuse};
/// let fused = fuse(&[&["a", "b", "c"], &["c", "a"]], RRF_K);
/// assert_eq!(fused.iter().map(|(item, _)| *item).collect::<Vec<_>>(), ["a", "c", "b"]);
/// ```
pub fn fuse<T: Copy + Eq + Hash>(rankings: &[&[T]], k: f64) -> Vec<(T, f64)> {
    let mut places: HashMap<T, (usize, usize)> = HashMap::default();
    let mut fused: Vec<(T, f64)> = Vec::new();
    for (number, ranking) in rankings.iter().enumerate() {
        for (rank, item) in ranking.iter().enumerate() {
            let score = 1.0 / (k + rank as f64 + 1.0);
            match places.get_mut(item) {
                None => {
                    places.insert(*item, (fused.len(), number));
                    fused.push((*item, score));
                }
                Some((place, last)) if *last != number => {
                    *last = number;
                    fused[*place].1 += score;
                }
                Some(_) => {}
            }
        }
    }
    fused.sort_by(|one, other| other.1.total_cmp(&one.1));
    fused
}

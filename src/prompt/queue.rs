//! A priority queue that sorts only as far as it is read.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Minimum number of entries that are sorted at a time.
const MIN_SORTED: usize = 256;

/// A queue that is usually read in part, lowest first. A heap would touch memory all over for each of a hundred
/// thousand entries.
pub struct Queue<T> {
    /// Unordered; no entry is below any of `sorted`.
    rest: Vec<T>,
    /// Highest first.
    sorted: Vec<T>,
    /// Entries that were added later.
    late: BinaryHeap<Reverse<T>>,
}

impl<T: Ord + Copy> From<Vec<T>> for Queue<T> {
    fn from(rest: Vec<T>) -> Queue<T> {
        Queue { rest, sorted: Vec::new(), late: BinaryHeap::new() }
    }
}

impl<T: Ord + Copy> Queue<T> {
    /// Returns the lowest entry.
    pub fn peek(&mut self) -> Option<T> {
        if self.sorted.is_empty() {
            self.sort_more();
        }
        match (self.sorted.last(), self.late.peek()) {
            (Some(sorted), Some(Reverse(late))) => Some(*sorted.min(late)),
            (sorted, late) => sorted.copied().or(late.map(|late| late.0)),
        }
    }

    pub fn pop(&mut self) -> Option<T> {
        let lowest = self.peek()?;
        if self.sorted.last() == Some(&lowest) { self.sorted.pop() } else { self.late.pop().map(|late| late.0) }
    }

    pub fn push(&mut self, item: T) {
        self.late.push(Reverse(item));
    }

    fn sort_more(&mut self) {
        let count = (self.rest.len() / 4).max(MIN_SORTED).min(self.rest.len());
        if count == 0 {
            return;
        }
        // Moves the lowest entries to the end, where they can be split off.
        let from = self.rest.len() - count;
        if from > 0 {
            self.rest.select_nth_unstable_by(from, |a, b| b.cmp(a));
        }
        self.sorted = self.rest.split_off(from);
        self.sorted.sort_unstable_by(|a, b| b.cmp(a));
    }
}

#[cfg(test)]
mod tests {
    use super::Queue;

    fn check(start: Vec<u32>, mut late: Vec<u32>) {
        let mut wanted: Vec<u32> = start.iter().chain(&late).copied().collect();
        wanted.sort_unstable();
        let mut queue = Queue::from(start);
        for item in late.drain(..) {
            queue.push(item);
        }
        let taken: Vec<u32> = std::iter::from_fn(|| queue.pop()).collect();
        assert_eq!(taken, wanted);
    }

    #[test]
    fn in_order_whenever_it_came() {
        check(vec![], vec![]);
        check(vec![2, 1, 1, 3], vec![1, 0, 9]);
        let scattered = |count: u32| (0..count).map(|at| at.wrapping_mul(2_654_435_761) % 1000).collect::<Vec<u32>>();
        for count in [1, 255, 256, 257, 1024, 5000] {
            check(scattered(count), scattered(count / 3));
        }
    }

    #[test]
    fn later_ones_may_be_the_lowest() {
        let mut queue = Queue::from((10..2000).collect::<Vec<u32>>());
        assert_eq!(queue.pop(), Some(10));
        queue.push(5);
        queue.push(1500);
        assert_eq!((queue.pop(), queue.pop()), (Some(5), Some(11)));
        assert_eq!(std::iter::from_fn(|| queue.pop()).filter(|item| *item == 1500).count(), 2);
    }
}

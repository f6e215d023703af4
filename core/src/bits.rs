//! A set of numbers below a fixed bound. Insert, remove, next and previous member take a few steps each.

/// Level 0 has a bit per number, every further level a bit per word of the one below it.
#[derive(Debug, Clone)]
pub struct Bits {
    levels: Vec<Vec<u64>>,
}

impl Bits {
    /// Returns the empty set of numbers below `bound`.
    pub fn new(bound: usize) -> Bits {
        let mut levels = Vec::new();
        let mut words = bound;
        loop {
            words = words.div_ceil(64).max(1);
            levels.push(vec![0; words]);
            if words == 1 {
                return Bits { levels };
            }
        }
    }

    #[inline]
    pub fn has(&self, at: u32) -> bool {
        self.levels[0].get(at as usize >> 6).is_some_and(|word| word >> (at & 63) & 1 == 1)
    }

    pub fn insert(&mut self, at: u32) {
        let mut at = at as usize;
        for level in &mut self.levels {
            level[at >> 6] |= 1 << (at & 63);
            at >>= 6;
        }
    }

    pub fn remove(&mut self, at: u32) {
        let mut at = at as usize;
        for level in &mut self.levels {
            let word = &mut level[at >> 6];
            *word &= !(1 << (at & 63));
            if *word != 0 {
                return;
            }
            at >>= 6;
        }
    }

    /// Returns the first member at or after `from`.
    pub fn next(&self, from: u32) -> Option<u32> {
        let mut at = from as usize;
        for (depth, level) in self.levels.iter().enumerate() {
            let word = level.get(at >> 6)? >> (at & 63);
            if word != 0 {
                at += word.trailing_zeros() as usize;
                return Some(self.descend(depth, at, |word| word.trailing_zeros()));
            }
            at = (at >> 6) + 1;
        }
        None
    }

    /// Returns the last member before `to`.
    pub fn prev(&self, to: u32) -> Option<u32> {
        let mut at = (to as usize).checked_sub(1)?;
        for (depth, level) in self.levels.iter().enumerate() {
            let word = level.get(at >> 6)? << (63 - (at & 63));
            if word != 0 {
                at -= word.leading_zeros() as usize;
                return Some(self.descend(depth, at, |word| 63 - word.leading_zeros()));
            }
            at = (at >> 6).checked_sub(1)?;
        }
        None
    }

    /// Returns the member below bit `at` of the level `depth`; `pick` chooses a bit in every word.
    fn descend(&self, depth: usize, mut at: usize, pick: impl Fn(u64) -> u32) -> u32 {
        for level in self.levels[..depth].iter().rev() {
            at = (at << 6) + pick(level[at]) as usize;
        }
        at as u32
    }
}

#[cfg(test)]
mod tests {
    use super::Bits;
    use std::collections::BTreeSet;

    #[test]
    fn neighbours_are_those_of_a_sorted_set() {
        for bound in [1_u32, 63, 64, 65, 4096, 5000, 300_000] {
            let (mut bits, mut set, mut seed) = (Bits::new(bound as usize), BTreeSet::new(), 7_u32);
            for _ in 0..2000 {
                seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let at = (seed >> 8) % bound;
                if seed & 0x40 == 0 {
                    bits.insert(at);
                    set.insert(at);
                } else {
                    bits.remove(at);
                    set.remove(&at);
                }
                let probe = (seed >> 3) % bound;
                assert_eq!(bits.has(probe), set.contains(&probe));
                assert_eq!(bits.next(probe), set.range(probe..).next().copied());
                assert_eq!(bits.prev(probe), set.range(..probe).next_back().copied());
            }
            assert_eq!(bits.next(bound), None);
        }
    }
}

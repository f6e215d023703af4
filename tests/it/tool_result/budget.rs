//! Budgets over results.

use espalier::tool_result::budget::{Size, newest_first, prunable, water_level};

#[test]
fn within_the_budget_nothing_happens() {
    let sizes = [Size { tokens: 10, age: 0 }, Size { tokens: 20, age: 3 }];
    let out = water_level(&sizes, 30, Some(7));
    assert_eq!((out.caps, out.level), (vec![10, 20], Some(7)));
    assert_eq!(water_level(&[], 0, None).caps, Vec::<u64>::new());
}

#[test]
fn the_sum_is_the_budget_and_small_ones_stay_whole() {
    for seed in 0..3000 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let most = [5, 100, 100_000][rng.usize(0..3)];
        let sizes: Vec<Size> =
            (0..rng.usize(1..30)).map(|_| Size { tokens: rng.u64(0..most), age: rng.usize(0..5) }).collect();
        let total: u64 = sizes.iter().map(|size| size.tokens).sum();
        let budget = rng.u64(0..=total);
        let out = water_level(&sizes, budget, None);
        assert_eq!(out.caps.iter().sum::<u64>(), budget, "{sizes:?} {budget}");
        let Some(level) = out.level else { continue };
        for (size, cap) in sizes.iter().zip(&out.caps) {
            let weight = [4, 2, 1][size.age.min(2)];
            assert!(*cap <= size.tokens && *cap <= (level + 1) * weight && *cap >= size.tokens.min(level * weight));
        }
        // A level that still fits stays, and cuts equally; one that need not fall does not rise.
        assert_eq!(water_level(&sizes, budget, Some(level)), out);
        let lower = water_level(&sizes, budget, Some(level / 2));
        assert!(lower.level == Some(level / 2) || budget == total, "{level} {lower:?}");
        // A level that falls, falls by a fifth.
        let previous = level + level / 10 + 1;
        let next = water_level(&sizes, budget, Some(previous));
        assert!(next.level <= Some(previous * 8 / 10) || budget == total, "{level} {next:?}");
        assert!(next.caps.iter().sum::<u64>() <= budget);
    }
}

#[test]
fn huge_sizes_do_not_overflow() {
    let sizes = [Size { tokens: u64::MAX, age: 0 }, Size { tokens: u64::MAX, age: 9 }];
    assert_eq!(water_level(&sizes, 1000, Some(u64::MAX)).caps.iter().sum::<u64>(), 1000);
    assert_eq!(newest_first(&[u64::MAX, u64::MAX], 5, |_| u64::MAX), [true, true]);
    assert_eq!(prunable(&[u64::MAX, u64::MAX], 5, 5), 2);
}

/// Sizes of the recorded cases (characters / 4, capped text 40,000 characters and a banner).
#[test]
fn newest_first_as_recorded() {
    let check = |tokens: &[u64], wanted: &[bool]| assert_eq!(newest_first(tokens, 50_000, |_| 10_041), wanted);
    check(&[20_000, 30_000], &[false, false]);
    check(&[60_000], &[true]);
    check(&[60_000; 6], &[true; 6]);
    check(&[30_000, 30_000], &[true, false]);
    check(&[12_000, 60_000, 25_000], &[false, true, false]);
}

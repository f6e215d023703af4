//! Sorting gives the same result as the standard library's stable sort.

use espalier::rank;

#[test]
fn any_list_is_sorted_stably() {
    fastrand::seed(7);
    for length in (0..40).chain([1_000]) {
        // Few keys, so that many items are equal.
        let items: Vec<(u32, String)> =
            (0..length).map(|at| (fastrand::u32(..1 + length / 3), format!("item {at}"))).collect();
        let mut wanted = items.clone();
        wanted.sort_by_key(|(key, _)| *key);
        let mut by_rank = items.clone();
        rank::sort(&mut by_rank, |(key, _)| u64::from(*key));
        assert_eq!(by_rank, wanted);
        let mut compared = items.clone();
        rank::sort_by(&mut compared, |one, other| one.0.cmp(&other.0));
        assert_eq!(compared, wanted);
        wanted.sort_by_key(|(key, _)| std::cmp::Reverse(*key));
        rank::sort(&mut by_rank, |(key, _)| !u64::from(*key));
        assert_eq!(
            by_rank.iter().map(|item| item.0).collect::<Vec<_>>(),
            wanted.iter().map(|item| item.0).collect::<Vec<_>>()
        );
    }
}

//! Pools, modes and budgets of provider items.

use espalier_inline::*;

#[test]
fn modes_bound_the_optional_pool() {
    for (name, optional) in
        [("minimal", 0), ("fillHalf", 50), ("double", 30), ("fill", 101), ("unheard-of", 0), ("", 0)]
    {
        let pools = Pools::new(Mode::from_name(name), 101, 30);
        assert_eq!(pools, Pools { mandatory: 101, optional }, "{name}");
    }
    assert_eq!(Pools::new(Mode::Double, 100, 5_000).optional, 100);
    assert_eq!(Pools::new(Mode::default(), 100, -1).optional, 0);
    for mode in [Mode::Minimal, Mode::FillHalf, Mode::Double, Mode::Fill] {
        for available in [0, -1, i64::MIN] {
            let mut pools = Pools::new(mode, available, 10);
            assert!(pools.is_exhausted() && pools.is_optional_exhausted());
            assert_eq!(take(&mut pools, &[(1.0, 1), (0.1, 1)], Crossing::Charge), [false, false]);
            assert_eq!(take(&mut pools, &[(1.0, 1), (0.1, 1)], Crossing::Skip), [false, false]);
        }
    }
}

#[test]
fn the_item_that_crosses() {
    let items = [(0.9, 60), (0.8, 50), (0.7, 10), (0.6, 10)];
    let mut pools = Pools::new(Mode::Fill, 100, 0);
    assert_eq!(take(&mut pools, &items, Crossing::Charge), [true, false, false, false]);
    assert_eq!(pools.mandatory, -10);
    let mut pools = Pools::new(Mode::Fill, 100, 0);
    assert_eq!(take(&mut pools, &items, Crossing::Skip), [true, false, true, true]);
    assert_eq!(pools.mandatory, 20);
    // An item with exactly the pool's size exhausts it.
    assert_eq!(take(&mut Pools::new(Mode::Fill, 10, 0), &[(1.0, 10)], Crossing::Charge), [false]);
    assert_eq!(take(&mut Pools::new(Mode::Fill, 10, 0), &[(1.0, 10)], Crossing::Skip), [true]);
    // The optional pool ends without the mandatory one.
    let mut pools = Pools::new(Mode::FillHalf, 100, 0);
    assert_eq!(take(&mut pools, &[(0.5, 30), (0.4, 30), (0.9, 10)], Crossing::Charge), [true, false, true]);
    assert_eq!(pools, Pools { mandatory: 30, optional: -20 });
}

#[test]
fn taken_sizes_stay_within_the_pool() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..2_000 {
        let items: Vec<(f64, i64)> = (0..random.usize(..20)).map(|_| (random.f64(), random.i64(-5..60))).collect();
        let mode = [Mode::Minimal, Mode::FillHalf, Mode::Double, Mode::Fill][random.usize(..4)];
        for crossing in [Crossing::Charge, Crossing::Skip] {
            let available = random.i64(0..300);
            let taken = take(&mut Pools::new(mode, available, random.i64(0..300)), &items, crossing);
            let used: i64 = taken.iter().zip(&items).filter(|(taken, _)| **taken).map(|(_, item)| item.1.max(0)).sum();
            assert!(used <= available);
        }
    }
}

#[test]
fn budgets_of_lengths() {
    assert_eq!(available_tokens(0), 7_936);
    assert_eq!([31_740, 31_741, 31_744, 31_745, 31_748].map(available_tokens), [1, 0, 0, 0, -1]);
    for length in 0..40_000 {
        assert_eq!(available_tokens(length), (8_192.0 - length as f64 / 4.0 - 256.0).trunc() as i64);
    }
    assert!(available_tokens(usize::MAX) < 0);
    assert_eq!(server_budgets(None), (28_672, 32_768));
    assert_eq!(server_budgets(Some(10)), (40, 32_768));
    assert!(has_room(300, 44) && !has_room(300, 45) && !has_room(i64::MIN, 1));
}

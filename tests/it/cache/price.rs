//! Prices, calculated by hand.

use espalier::cache::{Clearing, Prices, clearing, expected_cost};

const PLAN: Clearing =
    Clearing { cleared: 30_000, suffix: 20_000, replacement: 0, extra: 0.0, requests: 10.0, hit_rate: 1.0 };

fn close(one: f64, other: f64) -> bool {
    (one - other).abs() <= 1e-9 * one.abs().max(other.abs()).max(1.0)
}

#[test]
fn whether_clearing_pays() {
    let check = |prices: Prices, plan: Clearing, once: f64, each: f64, break_even: Option<u64>, pays: bool| {
        let decision = clearing(prices, plan).expect("in range");
        assert!(close(decision.once, once) && close(decision.per_request, each), "{decision:?}");
        assert!(close(decision.saved, plan.requests * each - once), "{decision:?}");
        assert_eq!((decision.break_even, decision.pays), (break_even, pays), "{decision:?}");
    };
    let usual = Prices::default();
    // 20,000 tokens after the gap are written again: 1.25 instead of 0.1. 30,000 at 0.1 are saved each time.
    check(usual, PLAN, 23_000.0, 3_000.0, Some(8), true);
    check(usual, Clearing { requests: 7.0, ..PLAN }, 23_000.0, 3_000.0, Some(8), false);
    // At the end of the conversation nothing has to be written again.
    check(usual, Clearing { suffix: 0, requests: 1.0, ..PLAN }, 0.0, 3_000.0, Some(1), true);
    // The cache has gone cold: everything is written in any case.
    check(usual, Clearing { hit_rate: 0.0, requests: 1.0, ..PLAN }, 0.0, 37_500.0, Some(1), true);
    // Half the time: p = 0.5 x 0.1 + 0.5 x 1.25 = 0.675.
    check(usual, Clearing { hit_rate: 0.5, requests: 1.0, ..PLAN }, 11_500.0, 20_250.0, Some(1), true);
    // A summary of 2,000 tokens that cost 6,000 to make: (2,000 + 20,000) x 1.15 + 6,000, and 28,000 x 0.1 each time.
    check(usual, Clearing { replacement: 2_000, extra: 6_000.0, ..PLAN }, 31_300.0, 2_800.0, Some(12), false);
    // Entries of one hour: 20,000 x 1.9.
    check(Prices { cache_write: 2.0, ..usual }, PLAN, 38_000.0, 3_000.0, Some(13), false);
    // Prices in dollars a token; writing costs nothing extra, a hit a half.
    let dollars = Prices { input: 2.5e-6, cache_read: 1.25e-6, cache_write: 2.5e-6, output: 1e-5 };
    check(dollars, PLAN, 0.025, 0.0375, Some(1), true);
    // The replacement is as long as the removed text.
    check(usual, Clearing { replacement: 30_000, ..PLAN }, 57_500.0, 0.0, None, false);
    check(usual, Clearing { replacement: 40_000, ..PLAN }, 69_000.0, -1_000.0, None, false);
    check(usual, Clearing { cleared: 0, suffix: 0, ..PLAN }, 0.0, 0.0, Some(1), false);
    check(usual, Clearing { requests: 0.0, ..PLAN }, 23_000.0, 3_000.0, Some(8), false);
    check(Prices { cache_read: 0.0, ..usual }, PLAN, 25_000.0, 0.0, None, false);
    // Exactly even: 10 x 0.1 is 1.
    let even = Clearing { cleared: 1, suffix: 0, extra: 1.0, ..PLAN };
    let decision = clearing(usual, even).expect("in range");
    assert_eq!(decision.break_even, Some(10));
}

/// Compares the formula with a simulation, request by request, with and without the change.
#[test]
fn the_formula_is_what_simulating_gives() {
    let mut rng = fastrand::Rng::with_seed(9);
    for _ in 0..500 {
        let prices = Prices { input: 1.0, cache_read: rng.f64(), cache_write: 1.0 + rng.f64(), output: 0.0 };
        let plan = Clearing {
            cleared: rng.u64(1..50_000),
            suffix: rng.u64(0..50_000),
            replacement: rng.u64(0..5_000),
            extra: rng.f64() * 1_000.0,
            requests: rng.u64(1..40) as f64,
            hit_rate: rng.f64(),
        };
        let standing = prices.standing(plan.hit_rate);
        let (mut keep, mut clear) = (0.0, plan.extra);
        for request in 0..plan.requests as u64 {
            keep += (plan.cleared + plan.suffix) as f64 * standing;
            let price = if request == 0 { prices.cache_write } else { standing };
            clear += (plan.replacement + plan.suffix) as f64 * price;
        }
        let decision = clearing(prices, plan).expect("in range");
        assert!(close(decision.saved, keep - clear), "{plan:?} {decision:?}");
        assert_eq!(decision.pays, decision.saved > 0.0);
        if let Some(least) = decision.break_even.filter(|_| decision.per_request > 0.0) {
            assert!(least as f64 * decision.per_request - decision.once >= -1e-6, "{decision:?}");
            assert!(least == 1 || (least - 1) as f64 * decision.per_request < decision.once, "{decision:?}");
        }
    }
}

#[test]
fn what_a_request_costs() {
    let check = |total, shared, marked, output, hit_rate, wanted: [f64; 5]| {
        let it = expected_cost(Prices::default(), total, shared, marked, output, hit_rate).expect("in range");
        let found = [it.cost, it.cache_read, it.cache_write, it.input, it.without_cache];
        assert!(found.iter().zip(wanted).all(|(one, other)| close(*one, other)), "{found:?} {wanted:?}");
        assert!(close(it.cache_read + it.cache_write + it.input, total as f64));
    };
    check(10_000, 8_000, 10_000, 0, 1.0, [800.0 + 2_500.0, 8_000.0, 2_000.0, 0.0, 10_000.0]);
    // The last 500 tokens are after the newest mark.
    check(10_000, 8_000, 9_500, 100, 1.0, [800.0 + 1_875.0 + 500.0 + 500.0, 8_000.0, 1_500.0, 500.0, 10_500.0]);
    check(10_000, 8_000, 10_000, 0, 0.0, [12_500.0, 0.0, 10_000.0, 0.0, 10_000.0]);
    check(10_000, 8_000, 10_000, 0, 0.5, [400.0 + 7_500.0, 4_000.0, 6_000.0, 0.0, 10_000.0]);
    // No marks, no cache.
    check(10_000, 0, 0, 0, 1.0, [10_000.0, 0.0, 0.0, 10_000.0, 10_000.0]);
    // More than the whole request.
    check(1_000, 5_000, 9_000, 0, 1.0, [100.0, 1_000.0, 0.0, 0.0, 1_000.0]);
    check(0, 0, 0, 0, 0.3, [0.0; 5]);
}

#[test]
fn what_is_out_of_range() {
    let check = |prices: Prices, plan: Clearing, path: &str| {
        let error = clearing(prices, plan).expect_err(path);
        assert_eq!((error.code.as_str(), error.path.as_deref()), ("bad_option", Some(path)));
    };
    let usual = Prices::default();
    check(Prices { input: -1.0, ..usual }, PLAN, "options.prices.input");
    check(Prices { cache_read: f64::NAN, ..usual }, PLAN, "options.prices.cacheRead");
    check(Prices { cache_write: f64::INFINITY, ..usual }, PLAN, "options.prices.cacheWrite");
    check(usual, Clearing { hit_rate: 1.1, ..PLAN }, "options.hitRate");
    check(usual, Clearing { hit_rate: f64::NAN, ..PLAN }, "options.hitRate");
    check(usual, Clearing { requests: -1.0, ..PLAN }, "options.requests");
    check(usual, Clearing { extra: f64::NAN, ..PLAN }, "options.extra");
    let error = expected_cost(usual, 1, 1, 1, 1, -0.1).expect_err("below 0");
    assert_eq!(error.path.as_deref(), Some("options.hitRate"));
}

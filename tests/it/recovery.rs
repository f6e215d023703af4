//! Refusals, what is learned from them, and providers that cut requests silently.

use espalier::history::prune::DropMedia;
use espalier::history::recovery::{Accepted, Kind, Learned, Next, Recovery, Refusal, Silence, Tries};
use fastrand::Rng;

fn refusal(kind: Kind, sent: u64) -> Refusal {
    Refusal {
        kind,
        used: None,
        limit: None,
        output: None,
        total: None,
        sent,
        has_media: false,
        buffer: None,
        date: Some("2026-11-21".into()),
    }
}

fn answer(sent: u64) -> Accepted {
    Accepted { model: "m".into(), sent, reported: None, predicted: None, bound: None, window: None, date: None }
}

/// Returns the limits of the retries for repeated equal refusals, if every request uses its whole limit.
fn limits(recovery: &mut Recovery, base: u64, kind: Kind, named: Option<u64>) -> Vec<Option<u64>> {
    let mut tries = recovery.begin("m", base, None);
    let mut out = Vec::new();
    for _ in 0..5 {
        let refused = Refusal { limit: named, ..refusal(kind, tries.limit) };
        let next = recovery.refused(&mut tries, &refused);
        out.push(if let Next::Retry { limit, .. } = next { Some(limit) } else { None });
        if out.last() == Some(&None) {
            return out;
        }
    }
    out
}

#[test]
fn without_a_number_the_buffer_doubles() {
    let mut recovery = Recovery::default();
    assert_eq!(
        limits(&mut recovery, 100_000, Kind::ContextLength, None),
        [Some(95_000), Some(85_500), Some(68_400), None]
    );
    assert_eq!(recovery.models["m"].buffer, 0.25);
    assert_eq!(recovery.limit("m", 100_000), 75_000, "it is kept for the next request");
    assert_eq!(recovery.limit("another", 100_000), 100_000);
    for _ in 0..10 {
        assert_eq!(recovery.accepted(&answer(1)), None);
    }
    assert_eq!(recovery.models["m"].buffer, 0.125);
    for _ in 0..100 {
        recovery.accepted(&answer(1));
    }
    assert_eq!(recovery, Recovery::default(), "what was learned without a number is forgotten again");
}

#[test]
fn a_named_limit_is_learned() {
    let mut recovery = Recovery::default();
    let mut tries = recovery.begin("m", 200_000, None);
    let refused = Refusal { limit: Some(100_000), ..refusal(Kind::ContextLength, 150_000) };
    assert!(matches!(recovery.refused(&mut tries, &refused), Next::Retry { limit: 100_000, .. }));
    assert_eq!((tries.retries, tries.limit), (1, 100_000));
    assert_eq!(recovery.limit("m", 200_000), 100_000);
    assert_eq!(recovery.limit("m", 50_000), 50_000, "it only narrows");
    assert_eq!(recovery.models["m"].date.as_deref(), Some("2026-11-21"));
    for _ in 0..100 {
        recovery.accepted(&answer(90_000));
    }
    assert_eq!(recovery.limit("m", 200_000), 100_000, "until the host clears it");
    recovery.clear("m");
    assert_eq!(recovery.limit("m", 200_000), 200_000);
}

#[test]
fn a_named_use_says_what_our_tokens_are_worth() {
    let mut recovery = Recovery::default();
    let mut tries = recovery.begin("m", 200_000, None);
    let refused = Refusal { used: Some(250_000), limit: Some(200_000), ..refusal(Kind::ContextLength, 200_000) };
    assert!(matches!(recovery.refused(&mut tries, &refused), Next::Retry { limit: 160_000, .. }));
    // A later report corrects it.
    recovery.accepted(&Accepted { reported: Some(176_000), ..answer(160_000) });
    assert_eq!(recovery.limit("m", 200_000), 181_818);
    // Fewer of their tokens than of ours: the limit stays the provider's.
    let fewer = Refusal { used: Some(110_000), limit: Some(100_000), ..refusal(Kind::ContextLength, 120_000) };
    recovery.refused(&mut tries, &fewer);
    assert_eq!(recovery.limit("m", 200_000), 100_000);
}

#[test]
fn a_limit_that_helps_nobody_is_no_end_of_it() {
    // Our count is below the named limit, and the request was refused nevertheless.
    let all = limits(&mut Recovery::default(), 100_000, Kind::ContextLength, Some(100_000));
    assert_eq!(all, [Some(95_000), Some(85_500), Some(68_400), None]);
    assert_eq!(limits(&mut Recovery::default(), 100_000, Kind::ContextLength, Some(0)).len(), 4);
    assert_eq!(limits(&mut Recovery::default(), 0, Kind::ContextLength, None), [None]);
}

#[test]
fn rates_and_other_errors_never_shrink() {
    for kind in [Kind::RateLimited, Kind::Other] {
        let mut recovery = Recovery::default();
        let mut tries = recovery.begin("m", 1_000, Some(500));
        let before = tries.clone();
        let next = recovery.refused(&mut tries, &Refusal { limit: Some(10), used: Some(2_000), ..refusal(kind, 900) });
        assert!(matches!(next, Next::PassOn { .. }), "{next:?}");
        assert_eq!((tries, recovery), (before, Recovery::default()));
    }
}

#[test]
fn bytes_are_saved_by_media_first() {
    let mut recovery = Recovery::default();
    let mut tries = recovery.begin("m", 1_000, None);
    let with_media = Refusal { has_media: true, ..refusal(Kind::BodySize, 900) };
    let mut step = |refusal: &Refusal| match recovery.refused(&mut tries, refusal) {
        Next::Retry { limit, drop_media, .. } => (limit, drop_media),
        other => panic!("{other:?}"),
    };
    assert_eq!(step(&with_media), (1_000, DropMedia::Old));
    assert_eq!(step(&with_media), (1_000, DropMedia::All));
    assert_eq!(step(&with_media), (855, DropMedia::All));
    assert_eq!(recovery.models["m"].limit, None, "a limit in bytes is none in tokens");
    let mut tries = recovery.begin("m", 1_000, None);
    let next = recovery.refused(&mut tries, &refusal(Kind::BodySize, 900));
    assert!(matches!(next, Next::Retry { limit: 810, drop_media: DropMedia::None, .. }), "{next:?}");
}

#[test]
fn the_output_is_asked_to_be_shorter_where_the_host_allows_it() {
    let refused = || Refusal { used: Some(190_000), limit: Some(200_000), ..refusal(Kind::OutputReserve, 190_000) };
    let mut recovery = Recovery::default();
    let mut tries = recovery.begin("m", 200_000, Some(32_000));
    let next = recovery.refused(&mut tries, &refused());
    let expected = Next::Retry { limit: 200_000, drop_media: DropMedia::None, output_reserve: Some(10_000) };
    assert_eq!(next, expected);
    assert_eq!(recovery.models["m"].limit, None);
    // Refused again, the prompt must shrink; it must also shrink if the output cannot be changed.
    let next = recovery.refused(&mut tries, &refused());
    assert!(matches!(next, Next::Retry { limit: 180_500, output_reserve: Some(10_000), .. }), "{next:?}");
    let mut tries = Recovery::default().begin("m", 200_000, None);
    let next = Recovery::default().refused(&mut tries, &refused());
    assert!(matches!(next, Next::Retry { limit: 180_500, output_reserve: None, .. }), "{next:?}");
    // Too little would be left for an answer. (A twentieth more by their count than by ours.)
    let mut tries = Recovery::default().begin("m", 200_000, Some(32_000));
    let full = Refusal { used: Some(199_500), ..refused() };
    let next = Recovery::default().refused(&mut tries, &full);
    assert!(matches!(next, Next::Retry { limit: 160_000, output_reserve: None, .. }), "{next:?}");
}

#[test]
fn more_output_than_the_model_can_write_cuts_no_input() {
    #[track_caller]
    fn check(reserve: Option<u64>, limit: Option<u64>, expected: Option<u64>) {
        let mut recovery = Recovery::default();
        let mut tries = recovery.begin("m", 200_000, reserve);
        let refused = || Refusal { output: Some(64_000), limit, ..refusal(Kind::OutputLimit, 190_000) };
        match recovery.refused(&mut tries, &refused()) {
            Next::Retry { limit, output_reserve, .. } => assert_eq!((limit, output_reserve), (200_000, expected)),
            next => assert!(expected.is_none() && matches!(next, Next::PassOn { .. }), "{next:?}"),
        }
        // It is lowered once.
        assert!(matches!(recovery.refused(&mut tries, &refused()), Next::PassOn { .. }));
        assert!(recovery.models.is_empty());
    }
    check(Some(64_000), Some(16_384), Some(16_384));
    check(Some(64_000), None, Some(32_000));
    for (reserve, limit) in
        [(None, Some(16_384)), (Some(8_000), Some(16_384)), (Some(64_000), Some(0)), (Some(1), None)]
    {
        check(reserve, limit, None);
    }
}

#[test]
fn a_limit_of_input_and_output_leaves_room_for_the_output() {
    #[track_caller]
    fn check(refused: Refusal, expected: Option<u64>) {
        let mut recovery = Recovery::default();
        let mut tries = recovery.begin("m", 200_000, None);
        match recovery.refused(&mut tries, &refused) {
            Next::Retry { limit, .. } => assert_eq!(Some(limit), expected),
            Next::PassOn { .. } => {
                assert_eq!((expected, tries.retries, tries.limit), (None, 0, 200_000));
                assert_eq!(recovery.models["m"], Learned::default());
            }
            Next::GiveUp { why } => panic!("{why}"),
        }
    }
    // Anthropic, "input length and max_tokens exceed context limit: 180000 + 64000 > 200000".
    let both = Refusal { used: Some(180_000), limit: Some(200_000), ..refusal(Kind::OutputReserve, 180_000) };
    check(Refusal { output: Some(64_000), ..both.clone() }, Some(136_000));
    // OpenAI names the output even if the input alone is too long.
    let long = Refusal { used: Some(9_338), limit: Some(8_192), ..refusal(Kind::ContextLength, 9_338) };
    check(Refusal { output: Some(4_000), ..long }, Some(4_192));
    // One request above the tokens of a minute: 4,096 of the 44,096 are output.
    let rate = Refusal { total: Some(44_096), limit: Some(30_000), ..refusal(Kind::ContextLength, 40_000) };
    check(rate.clone(), Some(25_904));
    // A rough count of the provider, below ours.
    check(Refusal { total: Some(39_000), ..rate.clone() }, Some(30_000));
    // No input would be small enough.
    check(Refusal { output: Some(5_000), used: Some(100), limit: Some(4_096), ..both }, None);
    check(Refusal { total: Some(u64::MAX), ..rate.clone() }, None);

    // If the output may be lowered, nothing of the input is lost.
    let recovery = &mut Recovery::default();
    let mut tries = recovery.begin("m", 200_000, Some(16_000));
    let next = recovery.refused(&mut tries, &Refusal { total: Some(36_000), sent: 20_000, ..rate });
    assert!(matches!(next, Next::Retry { limit: 200_000, output_reserve: Some(10_000), .. }), "{next:?}");
}

/// Applies reports in sequence; returns the finding for each, and the limit after the last, from 1,000,000.
fn noticed(answers: &[Accepted]) -> (Vec<Option<Silence>>, u64) {
    let mut recovery = Recovery::default();
    let kinds = answers.iter().map(|answer| recovery.accepted(answer).map(|silent| silent.kind)).collect();
    (kinds, recovery.limit("m", 1_000_000))
}

fn of(sent: u64, reported: u64) -> Accepted {
    Accepted { reported: Some(reported), predicted: Some(sent), ..answer(sent) }
}

#[test]
fn two_low_reports_that_agree_teach_a_limit() {
    use Silence::{Odd, OverWindow, Truncated};
    let low = [Some(Odd), Some(Truncated)];
    assert_eq!(noticed(&[of(10_000, 4_096), of(10_400, 4_096)]), (low.to_vec(), 4_096));
    // A server that drops whole messages does not stop at the same token each time.
    assert_eq!(noticed(&[of(10_000, 3_900), of(10_400, 4_096)]), (low.to_vec(), 4_096));
    // One alone, two that differ, and two with a usual one between them have no effect.
    let none = |answers: &[Accepted]| assert_eq!(noticed(answers).1, 1_000_000, "{answers:?}");
    none(&[of(10_000, 4_096)]);
    none(&[of(10_000, 4_096), of(10_400, 2_048)]);
    none(&[of(10_000, 4_096), of(10_200, 10_200), of(10_400, 4_096)]);
    // Nor do any number of reports of uncached tokens only.
    none(&[of(1_010, 26), of(1_036, 26), of(1_062, 26)]);
    none(&(1..50).map(|turn| of(turn * 2_000, 2_000)).collect::<Vec<_>>());
    // The floor is a share of the stated window.
    let wide = |sent, reported| Accepted { window: Some(1_000_000), ..of(sent, reported) };
    none(&[wide(100_000, 4_096), wide(100_400, 4_096)]);
    assert_eq!(noticed(&[wide(100_000, 32_000), wide(101_000, 32_000)]).1, 32_000);
    let over = Accepted { reported: Some(15_000), window: Some(12_000), ..answer(10_000) };
    assert_eq!(noticed(std::slice::from_ref(&over)), (vec![Some(OverWindow)], 12_000));
    assert_eq!(noticed(&[over.clone(), over]).1, 8_000, "by our count");
}

#[test]
fn a_limit_ends_when_a_report_contradicts_it() {
    let learned = [of(10_000, 4_096), of(10_400, 4_096)];
    let then = |more: &[Accepted]| noticed(&[&learned[..], more].concat()).1;
    assert_eq!(then(&[of(4_000, 4_000)]), 4_096);
    assert_eq!(then(&[of(4_090, 4_200)]), 4_200);
    assert_eq!(then(&[of(4_090, 9_000)]), 1_000_000, "it read more");
    assert_eq!(then(&[of(4_000, 1_100)]), 1_000_000, "nothing had to be cut");
    // Reports that are too low do not end a limit that the provider named.
    let mut recovery = Recovery::default();
    let mut tries = recovery.begin("m", 200_000, None);
    recovery.refused(&mut tries, &Refusal { limit: Some(100_000), ..refusal(Kind::ContextLength, 150_000) });
    recovery.accepted(&of(90_000, 26));
    assert_eq!(recovery.limit("m", 200_000), 100_000);
}

#[test]
fn answers_to_less_than_was_sent_are_noticed() {
    let first = |answer: Accepted| noticed(&[answer]).0[0];
    // Another encoding may be a quarter off, a calibrated one may not.
    assert_eq!(first(of(10_000, 7_500)), None);
    assert_eq!(first(Accepted { bound: Some(100), ..of(10_000, 7_500) }), Some(Silence::Odd));
    for usual in [
        of(10_000, 0),
        Accepted { bound: Some(0), ..of(10_000, 9_990) },
        Accepted { window: Some(12_000), ..of(10_000, 12_000) },
        Accepted { bound: Some(0), ..of(90, 30) },
    ] {
        assert_eq!(noticed(&[usual]), (vec![None], 1_000_000));
    }
}

#[test]
fn every_retry_is_smaller_and_there_are_three() {
    let mut rng = Rng::with_seed(1);
    let kinds = [Kind::ContextLength, Kind::OutputReserve, Kind::BodySize];
    for _ in 0..5_000 {
        let mut recovery = Recovery::default();
        for _ in 0..rng.usize(1..4) {
            let mut tries = recovery.begin("m", rng.u64(0..1 << 40), rng.bool().then(|| rng.u64(0..100_000)));
            let mut retries = 0;
            loop {
                let sent = rng.u64(0..=tries.limit);
                let some = |rng: &mut Rng| rng.bool().then(|| rng.u64(0..u64::MAX));
                let refused = Refusal {
                    used: some(&mut rng),
                    limit: some(&mut rng),
                    output: some(&mut rng),
                    total: some(&mut rng),
                    has_media: rng.bool(),
                    ..refusal(kinds[rng.usize(0..3)], sent)
                };
                let before: Tries = tries.clone();
                let Next::Retry { limit, .. } = recovery.refused(&mut tries, &refused) else { break };
                retries += 1;
                let other_way = tries.drop_media != before.drop_media || tries.output_lowered != before.output_lowered;
                assert!(other_way || limit as f64 <= sent as f64 * 0.95);
                assert!(limit <= tries.base && limit == tries.limit);
            }
            assert!(retries <= 3);
            // A stored state reads back equal.
            let text = serde_json::to_string(&recovery).unwrap();
            assert_eq!(serde_json::from_str::<Recovery>(&text).unwrap(), recovery);
        }
    }
}

#[test]
fn kept_data_that_makes_no_sense_does_no_harm() {
    let odd = |scale, buffer| {
        let learned = Learned { scale, buffer, ..Learned::default() };
        Recovery { models: [("m".to_string(), learned)].into() }.limit("m", 1_000)
    };
    assert_eq!(odd(f64::NAN, -3.0), 1_000);
    assert_eq!(odd(0.0, f64::INFINITY), 1_000);
    assert_eq!(odd(1e300, 99.0), 75);
}

#[test]
fn a_profile_says_how_much_is_left_free() {
    let mut recovery = Recovery::default();
    let mut tries = recovery.begin("m", 100_000, None);
    let mut next = || {
        let refused = Refusal { buffer: Some((0.1, 0.3)), ..refusal(Kind::ContextLength, 100_000) };
        recovery.refused(&mut tries, &refused);
        recovery.models["m"].buffer
    };
    assert_eq!([next(), next(), next()], [0.1, 0.2, 0.3]);
}

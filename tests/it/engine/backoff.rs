use espalier::compact::Status;
use espalier::compact::backoff::{Backoff, Now, Verdict};
use espalier::compact::profile::GEMINI_CLI;

fn now(requests: u64, tokens: u64, fingerprint: u64) -> Now {
    Now { requests, tokens, available: 100_000, fingerprint }
}

/// What is allowed after these endings.
fn check(endings: &[(Status, Now)], at: Now, wanted: Verdict) {
    let mut backoff = Backoff::default();
    for &(status, now) in endings {
        backoff.note(status, status == Status::Applied, now);
    }
    assert_eq!(backoff.may_try(at), wanted, "{endings:?} {at:?}");
}

#[test]
fn a_model_that_failed_rests_for_two_requests_or_some_tokens() {
    check(&[], now(0, 0, 1), Verdict::Try);
    for status in
        [Status::ModelFailed, Status::Timeout, Status::EmptySummary, Status::NoSummaryTag, Status::ToolCallInstead]
    {
        let failed = [(status, now(10, 50_000, 1))];
        check(&failed, now(11, 50_000, 1), Verdict::NotYet);
        check(&failed, now(11, 54_999, 1), Verdict::NotYet);
        check(&failed, now(11, 55_000, 1), Verdict::Try);
        check(&failed, now(12, 50_000, 1), Verdict::Try);
    }
}

#[test]
fn twice_in_a_row_means_without_it_until_one_is_applied() {
    let twice = [(Status::Timeout, now(1, 0, 1)), (Status::ModelFailed, now(3, 0, 1))];
    check(&twice, now(100, 0, 1), Verdict::Offline);
    let helped = [twice[0], twice[1], (Status::Applied, now(4, 0, 1))];
    check(&helped, now(5, 0, 1), Verdict::Try);
    let between = [twice[0], (Status::Applied, now(2, 0, 1)), twice[1]];
    check(&between, now(5, 0, 1), Verdict::Try);
}

#[test]
fn a_plan_that_gained_nothing_is_not_tried_again_unless_something_changed() {
    for status in [Status::NoGain, Status::Inflated] {
        let poor = [(status, now(1, 10_000, 7))];
        check(&poor, now(50, 19_999, 7), Verdict::Blocked);
        check(&poor, now(2, 20_000, 7), Verdict::Try);
        check(&poor, now(2, 10_000, 8), Verdict::Try);
    }
}

#[test]
fn what_is_no_failure_changes_nothing() {
    for status in [Status::Cancelled, Status::Unchanged, Status::NothingToCompact] {
        check(&[(status, now(1, 0, 1))], now(1, 0, 1), Verdict::Try);
    }
}

#[test]
fn a_rule_with_a_flag_cuts_only_after_a_summary_that_was_too_long() {
    let mut backoff = Backoff::new(GEMINI_CLI.failure);
    let mut check = |status, with_summary, wanted| {
        backoff.note(status, with_summary, now(1, 0, 1));
        assert_eq!(backoff.may_try(now(100, 1_000_000, 2)), wanted, "{status:?}");
    };
    check(Status::ModelFailed, false, Verdict::Try);
    check(Status::Inflated, false, Verdict::CutOnly);
    check(Status::Applied, false, Verdict::CutOnly);
    check(Status::Applied, true, Verdict::Try);
    check(Status::NoGain, false, Verdict::CutOnly);
    backoff.reset_flag();
    assert_eq!(backoff.may_try(now(100, 1_000_000, 2)), Verdict::Try);
}

use espalier::compact::Status;
use espalier::compact::profile::GEMINI_CLI;
use espalier::conversation::backoff::{Backoff, Now, Verdict};
use espalier::history::edit::Author;

fn now(requests: u64, tokens: u64, fingerprint: u64) -> Now {
    Now { requests, tokens, available: 100_000, fingerprint }
}

/// Checks what is allowed after these endings.
fn check(endings: &[(Status, Now)], at: Now, wanted: Verdict) {
    let mut backoff = Backoff::default();
    for &(status, now) in endings {
        backoff.note(status, (status == Status::Applied).then_some(Author::Model), now);
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

/// A model that fails in every compaction is asked more and more rarely, but never given up.
#[test]
fn a_model_that_keeps_failing_is_asked_ever_more_rarely() {
    let mut backoff = Backoff::default();
    let mut tries = Vec::new();
    for compaction in 1..=40_u64 {
        let at = now(compaction * 10, compaction * 20_000, compaction);
        if backoff.may_try(at) == Verdict::Try {
            tries.push(compaction);
            backoff.note(Status::ModelFailed, None, at);
        }
        // Rules write the summary, immediately or a moment later.
        backoff.note(Status::Applied, Some(Author::Rule), at);
    }
    assert_eq!(tries, [1, 2, 3, 5, 9, 17, 25, 33]);
    let at = now(1_000, 2_000_000, 99);
    let read: Backoff = serde_json::from_str(&serde_json::to_string(&backoff).unwrap()).unwrap();
    assert_eq!(read.may_try(at), backoff.may_try(at), "it is kept");
    // A used summary by the model ends the back-off; steps without a summary change nothing.
    let before = backoff.may_try(at);
    backoff.note(Status::Applied, None, at);
    assert_eq!(backoff.may_try(at), before);
    backoff.note(Status::Applied, Some(Author::Model), at);
    assert_eq!(backoff, Backoff::default());
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
    let mut check = |status, with_summary: bool, wanted| {
        backoff.note(status, with_summary.then_some(Author::Model), now(1, 0, 1));
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

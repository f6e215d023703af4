//! Long and hostile conversations: the work stays proportional, whatever repeats.

use espalier::message::Message;
use espalier::validity::{Provider, Settings, Target, check, repair};

use crate::support::{assistant, calls, numbered, result, user};

/// 20,000 messages of one kind each: calls with one id, orphans, unanswered calls, empty messages.
#[test]
fn one_fault_many_times() {
    let times = 20_000;
    let same = |make: fn() -> Message| numbered((0..times).map(|_| make()).collect());
    for messages in [same(|| calls(&["1"])), same(|| result("1", "x")), same(|| assistant("")), same(|| user("a"))] {
        for provider in Provider::ALL {
            let target = Target::new(provider);
            let repaired = repair(&messages, &target, &Settings::default());
            assert!(check(&repaired.messages, &Target { pending: false, ..target }).is_empty(), "{provider:?}");
        }
    }
}

/// One round of 20,000 parallel calls, answered from the last to the first, with ids that each occur twice.
#[test]
fn one_round_of_many_calls() {
    let ids: Vec<String> = (0..20_000).map(|n| format!("c{}", n / 2)).collect();
    let mut messages = vec![user("a"), calls(&ids.iter().map(String::as_str).collect::<Vec<_>>())];
    messages.extend(ids.iter().rev().map(|id| result(id, "x")));
    messages.push(user("b"));
    let messages = numbered(messages);
    for provider in Provider::ALL {
        let repaired = repair(&messages, &Target::new(provider), &Settings::default());
        assert!(check(&repaired.messages, &Target::new(provider)).is_empty(), "{provider:?}");
    }
}

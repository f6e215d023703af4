//! Long and hostile conversations: the work stays proportional, whatever repeats.

use espalier::message::{Message, Part};
use espalier::validity::{Provider, Settings, Target, check, repair, thin};

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

#[test]
fn the_form_without_texts() {
    let read = thin::read("s\tx\nu\t_\t#iVBO\t#@\t#0\tD\na\t?\t(c1\u{1}run\t(\\0009\u{1}a\\005cb\t!\nt\t[c1\u{1}\u{2}\u{1}.\u{1}#@\t[\u{1}\t>\t.\n").unwrap();
    assert_eq!(read.len(), 4);
    assert_eq!(read[2].calls().collect::<Vec<_>>(), ["c1", "\t"]);
    assert!(matches!(&read[2].parts[2], Part::ToolCall { name, .. } if name == "a\\b"));
    assert!(matches!(&read[3].parts[0], Part::ToolResult { name: None, content, .. } if content.len() == 2));
    assert!(matches!(&read[3].parts[1], Part::ToolResult { name: Some(name), .. } if name.is_empty()));
    for broken in ["z", "u\t", "u\tq", "a\t(c1", "a\t(\\zz\u{1}x", "a\t(\\d800\u{1}x", "\n"] {
        let error = thin::read(broken).unwrap_err();
        assert_eq!(error.path.as_deref(), Some("messages[0]"), "{broken:?}");
    }
}

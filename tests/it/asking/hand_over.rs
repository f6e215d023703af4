//! A record for another agent.

use super::*;

fn hand_over() -> Options {
    let asking = Asking { is_handover: true, ..Asking::default() };
    Options { budget: 1_000_000, model_limit: Some(1_000_000), asking, ..Options::default() }
}

#[test]
fn all_of_the_conversation_is_handed_over_and_none_of_it_changes() {
    let messages = agent(20);
    let (requests, done) = asked(&messages, hand_over(), |_| good());
    assert_eq!((done.status, requests.len(), done.edits.len()), (Status::Applied, 1, 0));
    assert!(done.plan.iter().all(|item| matches!(item, PlanItem::Keep { .. })));
    assert_eq!(
        done.covered.len(),
        messages.len() - 1,
        "the newest request and the newest round are in it, the frame is not"
    );
    let [request] = requests.as_slice() else { panic!() };
    assert_eq!((request.purpose, request.shape), (Purpose::Handoff, Shape::Full));
    assert!(request.system.contains("handed over") && !request.system.contains("outgrew"));
    assert!(done.summary.as_deref().is_some_and(|text| text.contains("All is well")));
    let record = done.record.unwrap();
    for fact in ["All is well", "Never touch the lexer.", "src/part1.rs"] {
        assert!(record.contains(fact), "{fact}");
    }
}

#[test]
fn results_in_its_input_have_two_thousand_tokens_at_most() {
    let mut messages = agent(4);
    for (id, words) in [("x", 20_000), ("y", 1_000)] {
        messages.push(call(id, "read_file", r#"{"path":"big.txt"}"#));
        messages.push(result(id, &"word ".repeat(words)));
    }
    let messages = numbered(messages);
    let (requests, _) = asked(&messages, hand_over(), |_| good());
    let mut sizes = requests[0].messages.iter().filter_map(|item| match item {
        PlanItem::Edit { parts, .. } => parts.iter().find_map(|part| match &part.to {
            Some(espalier::history::plan::Becomes::Text { text }) => Some(meter(&Quarter).text(text)),
            _ => None,
        }),
        _ => None,
    });
    let (size, more) = (sizes.next().unwrap(), sizes.next());
    assert!((1_500..=2_000).contains(&size), "{size}");
    assert_eq!(more, None, "what is shorter is whole");
}

#[test]
fn a_hand_over_that_fails_is_a_status() {
    let fails: [(fn() -> Answer, Status); 3] = [
        (|| Answer::Failed { reason: "down".into(), kind: Failure::Error }, Status::ModelFailed),
        (|| says("<summary></summary>"), Status::EmptySummary),
        (|| Answer::Cancelled, Status::Cancelled),
    ];
    for (answer, status) in fails {
        let (_, done) = asked(&agent(6), hand_over(), |_| answer());
        assert_eq!((done.status, done.summary, done.record), (status, None, None));
    }
    // Written by rules, if requested.
    let options = Options { offline_on_failure: true, ..hand_over() };
    let (_, done) = asked(&agent(6), options, |_| Answer::Failed { reason: "down".into(), kind: Failure::Error });
    assert_eq!(done.status, Status::Applied);
    assert!(done.record.is_some_and(|record| record.contains("Never touch the lexer.")));
    assert_eq!(done.model.unwrap().error.as_deref(), Some("down"));
    // Nothing to hand over.
    let (requests, done) = asked(&numbered(vec![system("Be brief.")]), hand_over(), |_| good());
    assert_eq!((requests.len(), done.status), (0, Status::NothingToCompact));
}

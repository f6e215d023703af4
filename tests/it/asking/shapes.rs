//! The shape of requests to the model.

use super::*;

#[test]
fn the_full_shape_sends_the_covered_messages_between_the_instructions() {
    let messages = agent(60);
    let (seen, done) = asked(&messages, plain(), |_| good());
    assert_eq!((seen.len(), seen[0].shape, done.status), (1, Shape::Full, Status::Applied));
    let PlanItem::Insert { message: first, .. } = &seen[0].messages[0] else { panic!("no instructions") };
    let Some(PlanItem::Insert { message: last, .. }) = seen[0].messages.last() else { panic!("no wish") };
    assert_eq!((first.role, last.role), (Role::System, Role::User));
    assert!(seen[0].messages[1..seen[0].messages.len() - 1].iter().all(|item| matches!(item, PlanItem::Keep { .. })));
    // Between them is the request, too, which stays in the conversation.
    assert_eq!(seen[0].messages.len(), done.covered.len() + 3);
    assert!(seen[0].with_tools && seen[0].temperature == Some(0.0));
    // Counted in the form in which it is sent.
    let out = carry_out(&messages, &seen[0].messages);
    let fresh: u64 = out.iter().map(|m| CostModel::Espalier.message(m, &Quarter).tokens).sum();
    assert_eq!(seen[0].prompt_tokens, fresh + TOOLS + CostModel::Espalier.list_overhead());
}

#[test]
fn the_fork_is_the_running_request_and_one_more_message() {
    let messages = agent(60);
    let warm = || with(Asking { is_warm: true, ..Asking::default() });
    let (seen, done) = asked(&messages, warm(), |_| good());
    assert_eq!((seen[0].shape, done.status), (Shape::Fork, Status::Applied));
    let keep: Vec<PlanItem> = messages.iter().map(|m| PlanItem::keep(m.id.clone())).collect();
    assert_eq!(seen[0].messages[..messages.len()], keep);
    assert_eq!((seen[0].messages.len(), seen[0].temperature, seen[0].max_tokens), (messages.len() + 1, None, None));
    // A request that does not fit, or with an open call, is not possible.
    let small = Options { model_limit: Some(20_000), ..warm() };
    assert_eq!(asked(&messages, small, |_| good()).0[0].shape, Shape::Full);
    let mut open = messages.clone();
    open.push(call("last", "bash", "{}"));
    let shape = asked(&numbered(open), warm(), |_| good()).0[0].shape;
    assert_eq!(shape, Shape::Full);
}

#[test]
fn a_fork_needs_the_tag_and_falls_back() {
    let messages = agent(60);
    let untagged = record(&EIGHT, "x").replace("<summary>", "").replace("</summary>", "");
    let shape = |shape| with(Asking { shape: Some(shape), ..Asking::default() });
    let (seen, done) = asked(&messages, shape(Shape::Fork), |_| says(&untagged));
    let shapes: Vec<Shape> = seen.iter().map(|request| request.shape).collect();
    assert_eq!(shapes, [Shape::Fork, Shape::Simple]);
    assert_eq!(done.status, Status::Applied);
    let (_, done) = asked(&messages, shape(Shape::Full), |_| says(&untagged));
    assert_eq!(done.model.unwrap().calls, 1);
}

#[test]
fn full_first_simple_on_failure() {
    let failed = |kind| Answer::Failed { reason: "no".into(), kind };
    for (answer, shapes, status) in [
        (failed(Failure::Error), vec![Shape::Full, Shape::Simple], Status::ModelFailed),
        (failed(Failure::Timeout), vec![Shape::Full], Status::Timeout),
        (failed(Failure::Unavailable), vec![Shape::Full], Status::ModelFailed),
        (says(""), vec![Shape::Full, Shape::Simple], Status::EmptySummary),
        (says("Sure!"), vec![Shape::Full, Shape::Simple], Status::NoSummaryTag),
        // The window is unknown: the request shrinks with each refusal.
        (
            Answer::TooLong { reason: "long".into(), limit: None },
            vec![Shape::Full, Shape::Full, Shape::Full, Shape::Simple],
            Status::ModelFailed,
        ),
        (Answer::TooLong { reason: "long".into(), limit: Some(10) }, vec![Shape::Full], Status::ModelFailed),
        (Answer::Cancelled, vec![Shape::Full], Status::Cancelled),
        (Answer::File { text: "?".into() }, vec![Shape::Full], Status::ModelFailed),
    ] {
        let (seen, done) = asked(&agent(60), plain(), |_| answer.clone());
        assert_eq!(seen.iter().map(|r| r.shape).collect::<Vec<_>>(), shapes, "{answer:?}");
        assert_eq!(done.status, status);
        assert!(done.edits.is_empty() && done.before == done.after);
        if status != Status::Cancelled {
            assert!(done.model.unwrap().asked.iter().all(|asked| asked.error.is_some()));
        }
    }
}

#[test]
fn without_definitions_calls_are_told_as_text() {
    let mut run = run_with(&agent(60), 0, Options { has_model: true, ..plain() });
    let Step::Ask { effects } = run.poll().unwrap() else { panic!("not asked") };
    let Effect::CallModel(request) = &effects[0].effect else { panic!() };
    assert_eq!(request.shape, Shape::Simple);
    assert!(request.prompt.contains("<call tool=\"read_file\">"));
}

#[test]
fn a_limit_that_the_refusal_names_is_kept_in_the_next_request() {
    let mut limit = None;
    let (seen, done) = asked(&agent(60), plain(), |request| match limit {
        None => {
            limit = Some(request.prompt_tokens / 2);
            Answer::TooLong { reason: "too long".into(), limit }
        }
        Some(limit) if request.prompt_tokens <= limit => good(),
        Some(_) => panic!("again too long"),
    });
    assert_eq!((seen.len(), done.status), (2, Status::Applied));
}

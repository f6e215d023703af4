//! Content that the model is not shown, and how its input is made to fit.

use super::*;
use espalier_testing::runs;

#[test]
fn no_model_sees_pictures_thoughts_orphans_client_tools_or_marks_on_ids() {
    let mut messages = agent(30);
    let image = Part::Image { media_type: None, data: Some("aGk=".into()), url: None, detail: None };
    messages.insert(2, Message { parts: vec![image.clone(), Part::Text { text: "see".into() }], ..user("") });
    messages.insert(
        3,
        Message { parts: vec![Part::Reasoning { text: "secret thought".into(), sealed: None }], ..assistant("") },
    );
    messages.insert(4, result("nobody", "an orphan"));
    messages.insert(5, call("t", "tool_search", "{}"));
    messages.insert(6, result("t", "found tools"));
    messages.insert(7, call("abc__vscode-17", "bash", "{}"));
    let mut shot = result("abc__vscode-17", "a picture:");
    if let Part::ToolResult { content, .. } = &mut shot.parts[0] {
        content.push(image);
    }
    messages.insert(8, shot);
    let messages = numbered(messages);
    for shape in [Shape::Full, Shape::Simple] {
        let options = with(Asking { shape: Some(shape), ..Asking::default() });
        let (seen, _) = asked(&messages, options, |_| good());
        let out = carry_out(&messages, &seen[0].messages);
        let text = format!("{out:?}");
        for gone in ["secret thought", "an orphan", "tool_search", "found tools", "__vscode", "aGk="] {
            assert!(!text.contains(gone), "{shape:?}: {gone}");
        }
        assert!(text.contains("[Image was attached]"), "{shape:?}");
        assert_eq!(valid(&out), Ok(()));
    }
}

#[test]
fn the_input_is_made_to_fit_in_order() {
    let messages = agent(60);
    let sent = |limit: u64| {
        let options = Options { model_limit: Some(limit), ..plain() };
        let (seen, done) = asked(&messages, options, |_| good());
        assert!(seen.iter().all(|request| request.prompt_tokens <= limit), "{limit}");
        assert_eq!(done.status, Status::Applied, "{limit}");
        (seen.len(), seen[0].shape, carry_out(&messages, &seen[0].messages))
    };
    let text = |out: &[Message]| format!("{out:?}");
    let (_, _, whole) = sent(60_000);
    assert!(!text(&whole).contains("(left out)") && !text(&whole).contains("recall"));
    // With capped results, the newest three rounds are whole.
    let (_, shape, capped) = sent(22_000);
    assert_eq!(shape, Shape::Full);
    assert!(text(&capped).contains("tokens left out") || text(&capped).contains("recall"), "{}", text(&capped));
    let newest: usize = capped.iter().rev().take(6).map(|m| text(std::slice::from_ref(m)).len()).sum();
    assert!(newest > 4_000);
    // Dropped from the middle: the oldest results stay longer than those in the middle.
    let (_, shape, dropped) = sent(13_000);
    assert_eq!(shape, Shape::Full);
    let left_out: Vec<usize> =
        (0..dropped.len()).filter(|&at| text(&dropped[at..=at]).contains("(left out)")).collect();
    assert!(!left_out.is_empty() && left_out[0] > 4, "{left_out:?}");
    // Piece by piece.
    let (calls, shape, _) = sent(3_000);
    assert!(calls <= 4 && shape == Shape::Simple, "{calls}");
}

#[test]
fn a_long_history_is_summarised_piece_by_piece() {
    let mut messages = vec![system("s"), user("Go.")];
    messages.extend((0..80).map(|n| assistant(&format!("Step {n}: {}", "words and words ".repeat(40)))));
    let messages = numbered(messages);
    let mut number = 0;
    let options = Options { model_limit: Some(6_500), target_share: Some(0.4), ..plain() };
    let (seen, done) = asked(&messages, options, |request| {
        number += 1;
        if number > 1 {
            assert!(
                request.prompt.contains(&format!("<earlier-record>\n## Conversation Overview\nPiece {}.", number - 1))
            );
            assert!(request.system.contains("earlier record"));
        }
        says(&record(&EIGHT, &format!("Piece {number}")))
    });
    assert!((2..=4).contains(&seen.len()), "{}", seen.len());
    assert_eq!(done.status, Status::Applied);
    assert!(done.summary.unwrap().contains(&format!("Piece {number}.")));
    // Every covered message was shown once.
    for id in &done.covered {
        assert_eq!(seen.iter().filter(|r| r.prompt.contains(&format!("<message id=\"{id}\""))).count(), 1, "{id}");
    }
}

/// A run of an agent has one request, which stays in the conversation. A record tells what the work was for.
#[test]
fn the_request_that_stays_is_shown() {
    let mut messages = vec![system("s"), user("Port the parser to Zig.")];
    messages.extend((0..80).map(|n| assistant(&format!("Step {n}: {}", "words and words ".repeat(40)))));
    let messages = numbered(messages);
    for shape in [Shape::Full, Shape::Simple] {
        let (seen, done) = asked(&messages, with(Asking { shape: Some(shape), ..Asking::default() }), |_| good());
        let out = carry_out(&messages, &seen[0].messages);
        assert_eq!(format!("{out:?}").matches("Port the parser to Zig.").count(), 1, "{shape:?}");
        assert_eq!((done.status, done.covered.contains(&"m1".to_string())), (Status::Applied, false), "{shape:?}");
        assert_eq!(valid(&out), Ok(()));
    }
}

#[test]
fn never_more_than_four_calls_and_always_a_valid_request() {
    let mut rng = fastrand::Rng::with_seed(11);
    for _ in 0..runs(1_500) {
        let most = rng.usize(0..60);
        let messages = random::conversation(&mut rng, most);
        let whole: u64 = messages.iter().map(|m| CostModel::Espalier.message(m, &Quarter).tokens).sum();
        let shape = [None, Some(Shape::Fork), Some(Shape::Full), Some(Shape::Simple)][rng.usize(0..4)];
        let verify = [Verify::Auto, Verify::Always, Verify::Never][rng.usize(0..3)];
        let limit = 1_000 + rng.u64(0..3_000);
        let options = Options {
            budget: TOOLS + rng.u64(0..=whole + 20),
            force: rng.bool(),
            offline_on_failure: rng.bool(),
            model_limit: Some(limit),
            asking: Asking { shape, verify, strict: rng.u32(0..4) == 0, ..Asking::default() },
            ..Options::default()
        };
        let budget = options.budget;
        let (seen, done) = driven(&messages, options, |_| match rng.u32(0..8) {
            0 => says(""),
            1 => says("<summary>\ncut"),
            2 => says("no"),
            3 => Answer::Failed { reason: "x".into(), kind: Failure::Error },
            4 => Answer::TooLong { reason: "x".into(), limit: Some(rng.u64(0..2_000)) },
            5 => says("<summary>see /nowhere/at/all.rs and 987654</summary>"),
            _ => good(),
        });
        assert!(seen.len() <= 4);
        for effect in &seen {
            let Effect::CallModel(request) = effect else { panic!() };
            assert!(request.prompt_tokens <= limit || request.shape == Shape::Simple);
            if request.shape != Shape::Fork {
                assert_eq!(valid(&carry_out(&messages, &request.messages)), Ok(()));
            }
        }
        let Ok(done) = done else { continue };
        match done.status {
            Status::Applied => assert!(done.after.total <= budget),
            _ => assert!(done.edits.is_empty()),
        }
    }
}

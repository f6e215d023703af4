//! Copilot CLI: one message of requests and summary, the snapshot, and the differences of ours.

use espalier::compact::asking::Trigger;
use espalier::compact::profile::COPILOT_CLI;
use espalier::compact::{Options, Status};
use espalier::effect::{Answer, Shape};
use espalier::message::{Message, Part, Role};

use super::{agent, asked, forced, profile, requests, says, summary};
use crate::prune::carry_out;
use crate::support::valid::check as valid;
use crate::support::{assistant, calls, numbered, result, user};

fn compacted(messages: &[Message], fields: &str) -> (Vec<Message>, String) {
    let rule = profile(&format!(r#"{{"name":"copilot-cli"{fields}}}"#));
    let (_, done) = asked(messages, 100, forced(rule, Trigger::Manual), |_| summary());
    let done = done.unwrap();
    assert_eq!(done.status, Status::Applied);
    (carry_out(messages, &done.plan), done.edits[0].message.as_ref().unwrap().text())
}

/// The history goes to the model unchanged, followed by the prompt, cached or not.
#[test]
fn the_running_request_is_what_is_summarised() {
    let messages = agent(20, 200);
    let (seen, done) = asked(&messages, 100, forced(COPILOT_CLI.clone(), Trigger::Manual), |_| summary());
    let found = requests(&seen);
    assert_eq!((found.len(), found[0].shape, found[0].messages.len()), (1, Shape::Fork, messages.len() + 1));
    assert_eq!(done.unwrap().status, Status::Applied);
    // The prompt names the messages that stay verbatim, so that an answer in flight does not contradict the summary.
    assert!(
        found[0].prompt.contains("newest messages of the conversation stay in it word for word"),
        "{}",
        found[0].prompt
    );
}

/// The newest request is also a separate message: in the reference the current task is only a part of a summary.
#[test]
fn the_newest_request_is_a_message_of_its_own() {
    let mut messages = agent(10, 200);
    messages.extend([assistant("Done."), user("And now the lexer.")]);
    messages.extend(agent(10, 200).split_off(2));
    let messages = numbered(messages);
    let (view, record) = compacted(&messages, "");
    assert!(view.iter().any(|message| message.role == Role::User && message.text() == "And now the lexer."));
    assert!(
        record.contains("<user_message>\nAnd now the lexer.") && record.contains("<user_message>\nFix the parser.")
    );
}

/// The requests in the record share a budget, the newest first; the reference repeats all of them in every compaction.
#[test]
fn requests_in_the_record_share_a_budget() {
    let mut messages = vec![];
    for n in 0..40 {
        messages.extend([user(&format!("request {n} {}", "word ".repeat(400))), assistant(&"done ".repeat(400))]);
    }
    let messages = numbered(messages);
    let (_, record) = compacted(&messages, "");
    let quoted: usize =
        record.split("<user_message>").skip(1).map(|text| text.split("</user_message>").next().unwrap().len()).sum();
    let all: usize = messages.iter().filter(|m| m.role == Role::User).map(|m| m.text().len()).sum();
    assert!(quoted * 4 < all, "{quoted} of {all}");
    assert!(record.contains("request 39 ") && record.contains("characters left out"));
    // A long request keeps its beginning and its end: as much of each as the profile says.
    let ends = |head: f64| {
        let long = numbered(vec![
            user(&format!("{}{}", "a".repeat(40_000), "b".repeat(40_000))),
            assistant("x"),
            user("go on"),
            assistant(&"y ".repeat(20_000)),
            assistant("z"),
        ]);
        let (_, record) = compacted(&long, &format!(r#","replacement":{{"headShare":{head}}}"#));
        (record.matches("aa").count(), record.matches("bb").count())
    };
    let (half, most) = (ends(0.5), ends(0.9));
    assert!(half.0.abs_diff(half.1) < 20 && most.0 > most.1 * 7, "{half:?} {most:?}");
}

/// A model that calls tools is refused; its text counts if it has any.
#[test]
fn calls_of_the_summariser_are_refused() {
    let messages = agent(20, 200);
    let run = |text: &str| {
        let answer = Answer::Model { text: text.into(), finish_reason: Some("tool_calls".into()) };
        asked(&messages, 100, forced(COPILOT_CLI.clone(), Trigger::Manual), |_| answer.clone())
    };
    let (seen, done) = run("");
    let done = done.unwrap();
    assert_eq!((done.status, requests(&seen).len()), (Status::ToolCallInstead, 2));
    assert!(requests(&seen)[1].prompt.contains("call no tool") && done.edits.is_empty());
    let (_, done) = run("<summary>\n## Overview\nAll is well.\n</summary>");
    assert_eq!(done.unwrap().status, Status::Applied);
}

/// One of two parallel results is lost: the reference's request is refused with 400.
#[test]
fn a_lost_result_of_two_is_made_up_for() {
    for lost in ["a", "b"] {
        let mut messages = agent(10, 200);
        messages.push(calls(&["a", "b"]));
        messages.extend(["a", "b"].iter().filter(|id| **id != lost).map(|id| result(id, "there")));
        messages.extend([assistant("Hm."), user("Go on.")]);
        let messages = numbered(messages);
        let (view, _) = compacted(&messages, "");
        assert_eq!(valid(&view), Ok(()), "without {lost}");
    }
}

/// Messages after the snapshot follow; a result whose call was covered does not.
#[test]
fn the_first_message_behind_the_summary_is_no_orphan() {
    let mut messages = agent(10, 200);
    messages.push(calls(&["x", "y"]));
    messages.extend([result("x", "one"), result("y", "two")]);
    let messages = numbered(messages);
    let (view, _) = compacted(&messages, "");
    assert_eq!(valid(&view), Ok(()));
    // The newest round is whole.
    let last: Vec<&str> = view.last().unwrap().results().collect();
    assert_eq!(last, ["y"]);
    assert!(view.iter().any(|message| matches!(message.parts[..], [Part::ToolCall { .. }, Part::ToolCall { .. }])));
}

/// A finished summary is not requested again before there are new messages.
#[test]
fn nothing_new_is_nothing_to_compact() {
    let messages = agent(20, 200);
    let (view, _) = compacted(&messages, "");
    let view = numbered(view);
    let options = Options { force: false, budget: 100_000, ..forced(COPILOT_CLI.clone(), Trigger::Overflow) };
    let (seen, done) = asked(&view, 100, options, |_| says("?"));
    assert_eq!((seen.len(), done.unwrap().status), (0, Status::Unchanged));
    let (seen, done) = asked(&view, 100, forced(COPILOT_CLI.clone(), Trigger::Manual), |_| says("?"));
    assert_eq!((seen.len(), done.unwrap().status), (0, Status::NothingToCompact));
}

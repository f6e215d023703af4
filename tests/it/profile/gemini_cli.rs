//! gemini-cli: when it compresses, where it splits, its requests and results; and the differences of ours.

use std::rc::Rc;

use espalier::compact::asking::{Asking, Trigger};
use espalier::compact::cut::choose;
use espalier::compact::profile::{Cut, GEMINI_CLI, Profile};
use espalier::compact::results::gemini::capped;
use espalier::compact::{Compacted, Compaction, Options, Outcome, Status};
use espalier::conversation::flag::Flag;
use espalier::effect::{Answer, Failure, Purpose, Step};
use espalier::history::draft::Draft;
use espalier::history::group::groups;
use espalier::message::{Message, Part, Role};
use espalier::tokens::{CostModel, Origin};
use serde_json::Value;

use super::{agent, asked, forced, profile, requests, says, summary, vectors};
use crate::prune::carry_out;
use crate::support::valid::check as valid;
use crate::support::{Quarter, assistant, call, meter, numbered, result, result_part, system, user};

const COMPRESS: &str = include_str!("../../fixtures/vectors/gemini-cli/compress.json");
const FORMAT: &str = include_str!("../../fixtures/vectors/gemini-cli/format-truncated.json");

// ---------------------------------------------------------------- the whole operation

/// Returns a text in the notation of the files for long ones.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        _ if value["$rep"].is_array() => {
            text(&value["$rep"][0]).repeat(value["$rep"][1].as_u64().unwrap_or_default() as usize)
        }
        _ if value["$cat"].is_array() => value["$cat"].as_array().unwrap().iter().map(text).collect(),
        other => other.to_string(),
    }
}

/// Returns turns as messages, with texts `factor` times as long, because a summary must be shorter than the messages
/// that it replaces.
pub fn history(turns: &Value, factor: usize) -> Vec<Message> {
    let mut open = Vec::new();
    let mut number = 0;
    let mut out = Vec::new();
    for turn in turns.as_array().unwrap() {
        let is_model = turn["role"] == "model";
        let mut message = if is_model { assistant("") } else { user("") };
        message.parts.clear();
        for part in turn["parts"].as_array().unwrap() {
            if part.get("text").is_some() {
                message.parts.push(Part::Text { text: text(&part["text"]).repeat(factor) });
            } else if part.get("functionCall").is_some() {
                number += 1;
                open.push(format!("c{number}"));
                let name = part["functionCall"]["name"].as_str().unwrap().to_string();
                let arguments = part["functionCall"]["args"].to_string();
                message.parts.push(Part::ToolCall { call_id: format!("c{number}"), name, arguments });
            } else if part.get("functionResponse").is_some() {
                let response = &part["functionResponse"]["response"];
                let said = response.get("output").or(response.get("content")).unwrap();
                // The reference gets responses without calls; here they would not be responses.
                if open.is_empty() {
                    number += 1;
                    let name = part["functionResponse"]["name"].as_str().unwrap();
                    out.push(call(&format!("c{number}"), name, "{}"));
                    open.push(format!("c{number}"));
                }
                message.role = Role::Tool;
                message.parts.push(result_part(&open.remove(0), &text(said)));
            } else {
                message.parts.push(Part::Image { media_type: None, data: None, url: None, detail: None });
            }
        }
        out.push(message);
    }
    numbered(out)
}

/// Our results for the rows in which ours differs on purpose: the reason in a word, the status, the requests to the
/// model.
const DIFFERENT: [(&str, &str, Option<Status>, usize); 9] = [
    ("peer-verify-blank-falls-back", "the only request and its answer stay", Some(Status::NothingToCompact), 0),
    ("inflated", "the only request and its answer stay", Some(Status::NothingToCompact), 0),
    ("inflation-equal-ok", "the only request and its answer stay", Some(Status::NothingToCompact), 0),
    ("env-context-counted", "the only request and its answer stay", Some(Status::NothingToCompact), 0),
    ("threshold-above-one", "refused when it is set", None, 0),
    ("pending-call-single-prompt", "rounds of a turn can be covered", Some(Status::Applied), 2),
    // One more request in the simple shape, immediately; then the second request.
    ("first-null-candidates", "an empty answer is asked for again", Some(Status::Applied), 3),
    ("llm-throws-first", "an error is a status, and the simple shape is tried", Some(Status::ModelFailed), 2),
    ("failed-not-smaller", "the flag is the conversation's", None, 0),
];

#[test]
fn compressing() {
    let mut differences = Vec::new();
    for case in vectors(COMPRESS, "cases") {
        let (id, input, expected) = (case["id"].as_str().unwrap(), &case["input"], &case["expected"]);
        let all: usize = case["history"].as_array().unwrap().iter().map(|turn| text(turn).len()).sum();
        let messages = history(&case["history"], if all < 1_000 { 300 } else { 1 });
        let is_forced = input["force"] == true;
        let threshold = input["threshold"].as_f64().unwrap_or(0.5);
        let ours = DIFFERENT.iter().find(|(name, ..)| *name == id);
        if ours.is_some() {
            differences.push(id.to_string());
        }
        let fields = format!(r#"{{"name":"gemini-cli","start":{{"warm":{threshold},"cold":{threshold}}}}}"#);
        let Ok(rule) = Profile::read(&fields, "p") else {
            assert_eq!((id, threshold), ("threshold-above-one", 1.5));
            continue;
        };
        if input["hasFailedCompressionAttempt"] == true {
            let mut flag = Flag::default();
            flag.note(Status::Inflated, false, false);
            assert!(!flag.may_ask(false) && flag.may_ask(true));
            // A command does not ask.
            if !is_forced {
                continue;
            }
        }
        let ratio = input["lastPromptTokenCount"].as_f64().unwrap() / input["tokenLimit"].as_f64().unwrap();
        let starts = is_forced || rule.starts(ratio, false, || unreachable!());
        let trigger = if is_forced { Trigger::Manual } else { Trigger::Threshold };
        let asking = Asking { trigger, verify: rule.summary.verify, ..Asking::default() };
        let limit = input["tokenLimit"].as_u64().unwrap().max(20_000);
        let options = Options {
            budget: limit,
            force: starts,
            model_limit: Some(limit),
            profile: rule,
            asking,
            ..Options::default()
        };
        let mut answers = input["llm"].as_array().unwrap().iter();
        let failing = input["llm"].as_array().unwrap().iter().find(|answer| answer["throws"].is_string());
        let mut last = String::from("<summary></summary>");
        let (seen, done) = asked(&messages, 100, options, |_| {
            let Some(answer) = answers.next().or(failing) else { return says(&last) };
            if answer["throws"].is_string() {
                return Answer::Failed { reason: "boom".into(), kind: Failure::Error };
            }
            last = format!(
                "<summary>{}</summary>",
                if answer["text"].is_null() { "".into() } else { text(&answer["text"]) }
            );
            says(&last)
        });
        let done = done.unwrap();
        let found = requests(&seen);
        if let Some((_, why, status, calls)) = ours {
            assert_eq!((status.as_ref(), found.len()), (Some(&done.status), *calls), "{id}: {why}");
            continue;
        }
        match expected["status"].as_str() {
            Some("COMPRESSED") => {
                assert!(done.status == Status::Applied && done.summary.is_some(), "{id} {:?}", done.steps)
            }
            Some("NOOP") => assert!(matches!(done.status, Status::Unchanged | Status::NothingToCompact), "{id}"),
            other => panic!("{id} {other:?}"),
        }
        let purposes: Vec<Purpose> = found.iter().map(|request| request.purpose).collect();
        let both = [Purpose::Summary, Purpose::Verify];
        assert_eq!(purposes, both[..expected["llmCalls"].as_array().unwrap().len()], "{id}");
        // No text of the conversation makes the summariser believe that there was an earlier record.
        assert!(found.iter().all(|request| !request.system.contains("begins with an earlier record")), "{id}");
        assert_eq!(valid(&carry_out(&messages, &done.plan)), Ok(()), "{id}");
    }
    assert_eq!(differences.len(), DIFFERENT.len());
}

// ---------------------------------------------------------------- the split

fn boundary(messages: Vec<Message>, rule: &Cut) -> Option<usize> {
    let messages = numbered(messages);
    let draft = Draft::new(&messages, meter(&Quarter), Origin::Exact);
    let groups = groups(&draft);
    choose(&draft, &groups, 0, rule, &[], |_| false).map(|cut| groups[cut.boundary].entries[0])
}

#[test]
fn one_turn_no_request_or_nothing_to_split() {
    let reference = Cut { split_inside_turn: false, ..GEMINI_CLI.cut };
    let turn = |rounds: usize| agent(rounds, 100);
    // A single turn: the reference finds no position.
    assert_eq!(boundary(turn(10), &reference), None);
    assert_eq!(boundary(turn(10), &GEMINI_CLI.cut), Some(16));
    assert_eq!(boundary(turn(0), &GEMINI_CLI.cut), None);
    let words = || (0..10).map(|_| assistant(&"word".repeat(100))).collect::<Vec<_>>();
    assert_eq!(boundary(words(), &reference), None);
    assert_eq!(boundary(words(), &GEMINI_CLI.cut), Some(7));
    assert_eq!(boundary(vec![], &GEMINI_CLI.cut), None);
    assert_eq!(boundary(vec![system("s")], &GEMINI_CLI.cut), None);
}

/// After a summary of a long turn its request is before the share: the rounds are split, and no summary is summarised
/// alone.
#[test]
fn a_turn_that_was_compacted_once_is_split_again() {
    let messages = agent(20, 200);
    let mut view = carry_out(&messages, &gemini("", &messages, summary()).plan);
    view.extend(agent(20, 200).split_off(2));
    let view = numbered(view);
    let done = gemini("", &view, summary());
    assert!(done.status == Status::Applied && done.covered.len() > 20, "{:?} {}", done.status, done.covered.len());
}

/// Exactly at the share it splits; the newest round stays where the reference keeps nothing.
#[test]
fn equality_splits_and_the_newest_round_stays() {
    let request = |size: usize| user(&"word".repeat(size));
    // 7 of 10 equal messages precede the request at 7; each costs the same.
    let mut messages: Vec<Message> = (0..10).map(|_| request(100)).collect();
    assert_eq!(boundary(messages.clone(), &GEMINI_CLI.cut), Some(7));
    messages[6] = request(99);
    assert_eq!(boundary(messages, &GEMINI_CLI.cut), Some(8));
    let ended = vec![request(10), assistant("a"), request(10), assistant(&"word".repeat(500))];
    assert_eq!(boundary(ended, &GEMINI_CLI.cut), Some(3));
}

/// A share of tokens, not of characters of JSON: ids, names and escapes have no weight.
#[test]
fn the_share_is_of_tokens() {
    // As JSON the first half is much longer: each of its characters is escaped.
    let mut messages: Vec<Message> = (0..5).map(|_| user(&"\u{1}".repeat(400))).collect();
    messages.extend((0..5).map(|_| user(&"word".repeat(100))));
    assert_eq!(boundary(messages, &GEMINI_CLI.cut), Some(7));
}

// ---------------------------------------------------------------- what is asked and left

fn gemini(fields: &str, messages: &[Message], answer: Answer) -> Compacted {
    let rule = profile(&format!(r#"{{"name":"gemini-cli"{fields}}}"#));
    asked(messages, 100, forced(rule, Trigger::Manual), |_| answer.clone()).1.unwrap()
}

#[test]
fn two_requests_and_an_acknowledgement_in_front_of_the_tail() {
    let messages = agent(20, 200);
    let (seen, done) = asked(&messages, 100, forced(GEMINI_CLI.clone(), Trigger::Manual), |_| summary());
    let done = done.unwrap();
    let purposes: Vec<Purpose> = requests(&seen).iter().map(|request| request.purpose).collect();
    assert_eq!(purposes, [Purpose::Summary, Purpose::Verify]);
    let view = carry_out(&messages, &done.plan);
    // The environment, the summary, the acknowledgement; then the request that stays and the tail.
    let roles: Vec<Role> = view.iter().map(|message| message.role).take(4).collect();
    assert_eq!(roles, [Role::System, Role::User, Role::Assistant, Role::User]);
    assert_eq!(view[2].text(), "Got it. Thanks for the additional context!");
    assert_eq!((view[0].text(), view[3].text()), (messages[0].text(), messages[1].text()));
    assert_eq!(valid(&view), Ok(()));
    // Counted in the form in which it is sent.
    assert_eq!(done.after.total, crate::prune::fresh(&view, &Quarter) + 100);
    // Other words, or none.
    let other = gemini(r#","replacement":{"acknowledgement":"Noted."}"#, &messages, summary());
    assert_eq!(carry_out(&messages, &other.plan)[2].text(), "Noted.");
    let none = gemini(r#","replacement":{"acknowledgement":null}"#, &messages, summary());
    assert_eq!(carry_out(&messages, &none.plan)[2].text(), messages[1].text());
}

/// Before the model's own words, nothing is inserted.
#[test]
fn no_acknowledgement_in_front_of_words_of_the_models() {
    let mut messages = agent(20, 200);
    messages[1].role = Role::Assistant;
    let done = gemini("", &messages, summary());
    let view = carry_out(&messages, &done.plan);
    assert_eq!((done.status, view[2].role), (Status::Applied, Role::Assistant));
    assert!(!view.iter().any(|message| message.text().starts_with("Got it.")));
}

#[test]
fn the_next_compaction_takes_the_acknowledgement_along() {
    let messages = agent(20, 200);
    let first = gemini("", &messages, summary());
    let mut view = carry_out(&messages, &first.plan);
    for n in 0..20 {
        let id = format!("again{n}");
        view.extend([call(&id, "look", &format!("{{\"n\":{n}}}")), result(&id, &"word".repeat(200))]);
    }
    let view = numbered(view);
    let (seen, done) = asked(&view, 100, forced(GEMINI_CLI.clone(), Trigger::Manual), |_| summary());
    assert!(requests(&seen)[0].system.contains("begins with an earlier record"));
    let again = carry_out(&view, &done.unwrap().plan);
    assert_eq!(again.iter().filter(|message| message.text().starts_with("Got it.")).count(), 1);
    assert_eq!(valid(&again), Ok(()));
}

/// A summary that is as long as the messages that it replaces is too long.
#[test]
fn an_equal_size_is_no_gain() {
    let messages = agent(20, 200);
    let mut sizes = (0usize, 20_000usize);
    let status = |words: usize| {
        let rule = profile(r#"{"name":"gemini-cli","summary":{"verify":"never","overlong":1000}}"#);
        let text = format!("<summary>\n## Overview\n{}\n</summary>", "word\n".repeat(words));
        asked(&messages, 100, forced(rule, Trigger::Manual), |_| says(&text)).1.unwrap()
    };
    while sizes.1 - sizes.0 > 1 {
        let middle = sizes.0.midpoint(sizes.1);
        if status(middle).status == Status::Applied { sizes.0 = middle } else { sizes.1 = middle }
    }
    let (well, poor) = (status(sizes.0), status(sizes.1));
    assert!(well.after.total < well.before.total && well.before.total - well.after.total <= 2, "{:?}", well.after);
    assert!(matches!(poor.status, Status::Inflated | Status::NoGain) && poor.after == poor.before);
}

/// Scratch work is removed, and the tag of the reference's snapshot in a text is only text.
#[test]
fn scratch_work_is_taken_off() {
    let reply = says("<scratchpad>hm <summary></scratchpad>\n<summary>\n## Overall Goal\nShip it.\n</summary>");
    assert_eq!(gemini("", &agent(20, 200), reply).summary.as_deref(), Some("## Overall Goal\nShip it."));
}

/// The input never begins with a result whose call is not in it.
#[test]
fn no_result_without_its_call_is_sent() {
    let mut messages = agent(20, 200);
    messages.insert(2, result("lost", "nobody asked"));
    let messages = numbered(messages);
    let (seen, _) = asked(&messages, 100, forced(GEMINI_CLI.clone(), Trigger::Manual), |_| summary());
    let sent = carry_out(&messages, &requests(&seen)[0].messages);
    assert!(!sent.iter().any(|message| message.results().any(|id| id == "lost")));
    assert_eq!(valid(&sent), Ok(()));
}

// ---------------------------------------------------------------- results of tools

/// Cut to 50,000 tokens from the newest on; a result whose cut frees too little, or would grow it, stays.
#[test]
fn results_are_cut_for_a_gain_and_never_grow() {
    let steps = |fields: &str, sizes: &[usize]| {
        let mut messages = vec![user("go")];
        for (n, size) in sizes.iter().enumerate() {
            let id = format!("c{n}");
            messages.extend([call(&id, "fetch", &format!("{{\"n\":{n}}}")), result(&id, &"word".repeat(*size))]);
        }
        let messages = numbered(messages);
        let profile = profile(&format!(r#"{{"name":"gemini-cli","ladder":["cap"],"shares":{{"relief":0}}{fields}}}"#));
        let whole = crate::prune::fresh(&messages, &Quarter);
        let options = Options { budget: whole, force: true, profile, ..Options::default() };
        let mut run =
            Compaction::new(messages.clone(), 0, CostModel::Espalier, Rc::new(Quarter), Origin::Exact, options);
        let Ok(Step::Done { result: done }) = run.poll() else { panic!("asked") };
        let view = carry_out(&messages, &done.plan);
        let grown = view.iter().zip(&messages).any(|(now, was)| now.text().len() > was.text().len());
        assert!(!grown && done.after.total <= done.before.total);
        (done.steps[0].outcome, done.edits.first().map_or(vec![], |edit| edit.ids().map(String::from).collect()))
    };
    // An older small result stays whole: a cut one counts with its remaining tokens.
    assert_eq!(steps("", &[1_000, 60_000, 30_000]), (Outcome::Applied, vec!["m4".to_string()]));
    // The results exceed the budget, and none is larger than its cut form: nothing would be freed, so nothing is done.
    assert_eq!(steps("", &[9_000, 9_000, 9_000, 9_000, 9_000, 9_000]).0, Outcome::NoGain);
    assert_eq!(steps(r#","gain":{"cap":{"share":0.9}}"#, &[1_000, 60_000, 30_000]).0, Outcome::NoGain);
    // A cap that nothing fits.
    assert_eq!(steps(r#","cap":{"each":0}"#, &[3, 60_000, 3]).1.len(), 1);
}

/// The texts of the reference's cut, except where it copies or doubles the text.
#[test]
fn the_form_of_a_cut_text() {
    let mut seen = 0;
    for case in vectors(FORMAT, "cases") {
        // A cap below 0 doubles the text there; no such cap exists here.
        let Some(cap) = case["cap"].as_u64() else { continue };
        let whole = text(&case["text"]);
        let found = capped(&whole, cap, case["file"].as_str().unwrap());
        let theirs = text(&case["expected"]["text"]);
        match cap {
            0 => assert!(found.len() < theirs.len() || whole.is_empty(), "{case}"),
            _ => assert_eq!(found, theirs, "{case}"),
        }
        seen += 1;
    }
    assert!(seen >= 4);
}

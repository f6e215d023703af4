//! A changed field changes its own effect, and nothing else.

use espalier::compact::asking::{Asking, Trigger};
use espalier::compact::{Options, Status};
use espalier::effect::{ModelRequest, Shape};
use espalier::message::Message;

use super::{agent, asked, forced, profile, requests, summary};
use crate::support::{call, numbered, result, system, user};

/// Returns the first request to the model under the default profile with these fields.
fn request(fields: &str, trigger: Trigger, messages: &[Message]) -> ModelRequest {
    let text =
        format!(r#"{{"ladder":["summary","offline","fit"],"summary":{{"verify":"never","fork":"never"{fields}}}}}"#);
    let options = Options { model_limit: Some(20_000), ..forced(profile(&text), trigger) };
    let (seen, _) = asked(messages, 100, options, |_| summary());
    requests(&seen)[0].clone()
}

#[test]
fn of_a_request_for_a_summary() {
    let messages = agent(20, 200);
    let plain = |fields: &str| request(fields, Trigger::Overflow, &messages);
    let usual = plain("");
    assert_eq!((usual.shape, usual.temperature), (Shape::Full, Some(0.0)));
    assert_eq!(plain(r#","temperature":0.375"#), ModelRequest { temperature: Some(0.375), ..usual.clone() });
    assert_eq!(plain(r#","argumentUnits":3,"simpleResults":0.1,"overlong":9,"handoffResults":1"#), usual);
    assert_eq!(plain(r#","overflowModes":["simple","full"]"#).shape, Shape::Simple);
    for (fork, of) in [
        ("warm", [Shape::Full, Shape::Full]),
        ("background", [Shape::Full, Shape::Fork]),
        ("always", [Shape::Fork, Shape::Fork]),
        ("never", [Shape::Full, Shape::Full]),
    ] {
        let shape = |trigger| request(&format!(r#","fork":"{fork}""#), trigger, &messages).shape;
        assert_eq!([shape(Trigger::Manual), shape(Trigger::Threshold)], of, "{fork}");
    }
}

#[test]
fn of_the_simple_shape() {
    let argument = "x".repeat(500);
    let mut messages = vec![system("s"), user("go")];
    for n in 0..12 {
        let id = format!("c{n}");
        messages.extend([call(&id, "look", &format!("{{\"q\":\"{n}{argument}\"}}")), result(&id, &"word".repeat(300))]);
    }
    let messages = numbered(messages);
    let simple_for = |trigger, fields: &str, rest: &str| {
        let text = format!(
            r#"{{"ladder":["summary","offline","fit"]{rest},"summary":{{"verify":"never","overflowModes":["simple"],"fork":"never"{fields}}}}}"#
        );
        let (seen, _) = asked(&messages, 100, forced(profile(&text), trigger), |_| summary());
        requests(&seen)[0].prompt.clone()
    };
    let simple = |fields: &str, rest: &str| simple_for(Trigger::Overflow, fields, rest);
    let shown = |prompt: &str| {
        let call = prompt.split("<call tool=\"look\">").nth(1).unwrap().split("</call>").next().unwrap().to_string();
        (call.encode_utf16().count(), call.ends_with('…'))
    };
    // 200 units and the mark.
    assert_eq!(shown(&simple("", "")), (201, true));
    assert_eq!(shown(&simple(r#","argumentUnits":30"#, "")), (31, true));
    assert!(!shown(&simple(r#","argumentUnits":600"#, "")).1);
    // A result has at most half of its max, the newest as well; without such a cap it is whole.
    let longest = |prompt: &str| {
        let results = prompt.split("<result>").skip(1).map(|rest| rest.split("</result>").next().unwrap());
        results.map(str::len).max().unwrap()
    };
    let cap = r#","cap":{"each":200}"#;
    assert!(longest(&simple("", "")) >= 1_200);
    let half = longest(&simple("", cap));
    assert!((300..=460).contains(&half), "{half}");
    assert!(longest(&simple(r#","simpleResults":1"#, cap)) > half + 200);
    // A command reads them whole.
    assert!(longest(&simple_for(Trigger::Manual, "", cap)) >= 1_200);
}

/// 105 % of the room, as in older builds of Copilot Chat: a history that is slightly too long is sent whole.
#[test]
fn of_the_room_of_the_full_shape() {
    let messages = agent(20, 200);
    let whole = request("", Trigger::Overflow, &messages).prompt_tokens;
    let full = |headroom: f64| {
        let text = format!(
            r#"{{"ladder":["summary","offline","fit"],"summary":{{"verify":"never","fork":"never","fullHeadroom":{headroom}}}}}"#
        );
        let options = Options { model_limit: Some(whole - 10), ..forced(profile(&text), Trigger::Overflow) };
        let (seen, _) = asked(&messages, 100, options, |_| summary());
        requests(&seen)[0].prompt_tokens
    };
    assert!(full(1.0) < whole);
    assert_eq!(full(1.05), whole);
}

/// A hook may postpone a compaction that can wait, if the profile allows it.
#[test]
fn of_the_hooks_veto() {
    let run = |veto: bool| {
        let text = format!(r#"{{"ladder":["summary","offline","fit"],"hook":{{"veto":{veto}}}}}"#);
        let options = forced(profile(&text), Trigger::Threshold);
        let options = Options { asking: Asking { pre_hook: true, ..options.asking }, ..options };
        super::hooked(&agent(20, 200), options, true).status
    };
    assert_eq!([run(true), run(false)], [Status::Skipped, Status::Applied]);
}

#[test]
fn modes_that_make_no_sense_are_refused() {
    for modes in ["[]", r#"["fork"]"#, r#"["full","full"]"#] {
        let text = format!(r#"{{"summary":{{"overflowModes":{modes}}}}}"#);
        let error = espalier::compact::profile::Profile::read(&text, "p").unwrap_err();
        assert_eq!(error.path.as_deref(), Some("p.summary.overflowModes"), "{modes}");
    }
}

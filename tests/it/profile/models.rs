//! Requirements of single models beyond their provider's rules: a row each, and rows of the host.

use espalier::compact::asking::Asking;
use espalier::compact::models::{KEEP_GOING, Rule, Traits};
use espalier::compact::{Options, asking::Trigger};
use espalier::effect::{ModelRequest, Shape};
use espalier::message::{Message, Part};
use espalier::validity::{Provider, Purpose, Row, Special};

use super::{agent, asked, forced, profile, requests, summary};
use crate::prune::carry_out;
use crate::support::valid::check as valid;
use crate::support::{call, numbered, result};

const AGAIN: &str = "Once more: text only.";

/// Returns the request for a summary in a shape, and the message that replaces the history.
fn run(messages: &[Message], model: &str, rules: &[Rule], mode: &str) -> (ModelRequest, String) {
    let rule = profile(&format!(
        r#"{{"ladder":["summary","offline","fit"],"summary":{{"verify":"never","overflowModes":["{mode}"]}}}}"#
    ));
    let options = forced(rule, Trigger::Manual);
    let asking = Asking { model: Some(model.into()), models: rules.to_vec(), ..options.asking };
    let (seen, done) = asked(messages, 100, Options { asking, ..options }, |_| summary());
    let message = done.unwrap().edits[0].message.as_ref().unwrap().text();
    (requests(&seen)[0].clone(), message)
}

#[test]
fn models_that_are_told_more() {
    let own = [Rule { model: "our-model".into(), text_only: true, keep_going: true, ..Rule::default() }];
    for (model, rules, again, goes_on) in [
        ("claude-opus-4.5", &[][..], true, false),
        ("anthropic/claude-opus-4.6", &[][..], true, false),
        ("claude-sonnet-4.5", &[][..], false, false),
        ("gpt-4.1", &[][..], false, true),
        ("gpt-4.1-mini", &[][..], false, false),
        ("gemini-2.5-pro", &[][..], false, false),
        ("our-model-2", &[][..], false, false),
        ("our-model-2", &own[..], true, true),
        ("gpt-4.1", &own[..], false, true),
    ] {
        for mode in ["full", "simple"] {
            let (request, message) = run(&agent(20, 200), model, rules, mode);
            assert_eq!(request.system.contains(AGAIN), again, "{model} {mode}");
            assert_eq!(message.ends_with(KEEP_GOING), goes_on, "{model} {mode}");
        }
        assert_eq!(Traits::of(Some(model), rules).text_only, again);
    }
}

/// Tool searches, open calls, orphaned results, pictures, ids with the host's ending: no summariser sees them.
#[test]
fn what_no_summariser_sees() {
    let mut messages = agent(10, 200);
    let picture = Part::Image { media_type: Some("image/png".into()), data: None, url: None, detail: None };
    messages[1].parts.push(picture);
    let odd = vec![
        call("s", "tool_search", "{\"query\":\"needle\"}"),
        result("s", "needle found"),
        call("k__vscode-7", "look", "{}"),
        result("k__vscode-7", "marked"),
        result("nobody", "orphan of a result"),
    ];
    messages.splice(4..4, odd);
    let messages = numbered(messages);
    // Without a pin, the request with the picture is covered as well.
    let mut covered = messages.clone();
    covered.push(crate::support::user("Go on."));
    let covered = numbered(covered);
    for (mode, shape) in [("full", Shape::Full), ("simple", Shape::Simple)] {
        let (request, _) = run(&covered, "claude-sonnet-4.5", &[], mode);
        assert_eq!(request.shape, shape);
        let sent = carry_out(&covered, &request.messages);
        assert_eq!(valid(&sent), Ok(()));
        let all = format!("{sent:?}");
        for gone in ["needle", "orphan of a result", "__vscode-", "Image {"] {
            assert!(!all.contains(gone), "{gone} in {mode}");
        }
        for there in ["[Image was attached]", "marked"] {
            assert!(all.contains(there), "{there} in {mode}");
        }
    }
}

/// The table of requests: rows match by provider, model and purpose, and hosts add their own.
#[test]
fn rows_of_requests() {
    let special = |provider, model: &str, purpose, rows: &[Row]| Special::of(provider, model, purpose, rows);
    use Provider::{Anthropic, Gemini, OpenAiChat};
    let search = special(Anthropic, "claude-sonnet-4.5", Purpose::Summary, &[]);
    assert!(search.drop_tools.contains(&"tool_search".into()) && search.no_pictures);
    assert!(special(Anthropic, "claude-sonnet-4.5", Purpose::Answer, &[]).drop_tools.is_empty());
    assert!(special(OpenAiChat, "gpt-4o", Purpose::Summary, &[]).no_pictures);
    assert!(!special(OpenAiChat, "gpt-4o", Purpose::Answer, &[]).no_pictures);
    assert!(special(OpenAiChat, "gpt-3.5-turbo", Purpose::Answer, &[]).text_only);
    assert!(special(Gemini, "gemini-3-pro", Purpose::Answer, &[]).signatures);
    let own =
        [Row { model: Some("blind-*".into()), text_only: true, drop_tools: vec!["look".into()], ..Row::default() }];
    let found = special(OpenAiChat, "blind-1", Purpose::Answer, &own);
    assert!(found.text_only && found.drop_tools == ["look"]);
    assert_eq!(special(Anthropic, "seeing-1", Purpose::Answer, &own), Special::default());
    let keeps = |provider, model: &str| special(provider, model, Purpose::Answer, &[]).keeps_reasoning;
    assert!(keeps(OpenAiChat, "seeing-1") && keeps(Anthropic, "moonshotai/Kimi-K3") && keeps(Gemini, "deepseek-v4"));
    assert!(!keeps(Anthropic, "claude-sonnet-4.5") && !keeps(Gemini, "gemini-3-pro"));
    let answers = |provider, model: &str| special(provider, model, Purpose::Answer, &[]).answers_results;
    assert!(["Devstral-Small-2", "mistral-large", "open-mixtral-8x22b"].iter().all(|model| answers(OpenAiChat, model)));
    assert!(!answers(OpenAiChat, "gpt-4o") && !answers(Anthropic, "mistral-large"));
}

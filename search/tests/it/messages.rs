//! Finding messages: questions that people ask about real sessions, and properties of any messages.

use espalier_search::{FoundMessage, Message, Messages, Speaker};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

fn fixture(path: &str) -> Value {
    let file = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../tests/fixtures").join(path);
    serde_json::from_str(&fs::read_to_string(file).expect("a fixture")).expect("JSON")
}

/// Collects the texts in the arguments of a call.
fn strings(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings(item, into)),
        Value::Object(fields) => {
            for (name, item) in fields {
                into.push(name.clone());
                strings(item, into);
            }
        }
        Value::Null => {}
        other => into.push(other.to_string()),
    }
}

fn called(call: &Value) -> String {
    let mut list = vec![call["function"]["name"].as_str().unwrap_or("").to_string()];
    let arguments = call["function"]["arguments"].as_str().unwrap_or("");
    match serde_json::from_str(arguments) {
        Ok(value) => strings(&value, &mut list),
        Err(_) => list.push(arguments.to_string()),
    }
    list.join("\n")
}

fn transcript(name: &str) -> Messages {
    let session = fixture(&format!("transcripts/{name}.json"));
    let mut calls: BTreeMap<String, String> = BTreeMap::new();
    let mut messages = Messages::default();
    let mut round = 0;
    for (number, message) in session["messages"].as_array().expect("messages").iter().enumerate() {
        let number = number as u32;
        let mut texts: Vec<String> = match &message["content"] {
            Value::String(text) => vec![text.clone()],
            Value::Array(parts) => parts.iter().filter_map(|part| Some(part["text"].as_str()?.to_string())).collect(),
            _ => Vec::new(),
        };
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let text = called(call);
            calls.insert(call["id"].as_str().unwrap_or("").to_string(), text.clone());
            texts.push(text);
        }
        let speaker = match message["role"].as_str() {
            Some("user") => Speaker::User,
            Some("assistant") => Speaker::Assistant,
            Some("tool") => Speaker::Tool,
            _ => Speaker::System,
        };
        if speaker != Speaker::Tool {
            round = number;
        }
        let about = message["tool_call_id"].as_str().and_then(|id| calls.get(id)).map_or("", String::as_str);
        let id = format!("m{number}");
        let text = texts.join("\n");
        messages.put(Message { id: &id, number, round, speaker, about, text: &text }).expect("it is taken");
    }
    messages
}

/// Returns the share of questions whose answer is in the first five, and in the first.
fn answered(set: &str) -> (f64, f64, Vec<String>) {
    let mut sessions: BTreeMap<String, Messages> = BTreeMap::new();
    let (mut asked, mut in_five, mut first, mut missed) = (0.0, 0.0, 0.0, Vec::new());
    for question in fixture("conversation-search/questions.json").as_array().expect("questions") {
        if question["set"] != set {
            continue;
        }
        let name = question["transcript"].as_str().expect("a name");
        let session = sessions.entry(name.to_string()).or_insert_with(|| transcript(name));
        let ask = question["ask"].as_str().expect("a question");
        let found = session.search(ask, 5);
        let answers: Vec<String> =
            question["answers"].as_array().expect("ids").iter().map(|number| format!("m{number}")).collect();
        let is_answer = |one: &FoundMessage<'_>| {
            answers
                .iter()
                .any(|id| one.id == id || one.with.contains(&id.as_str()) || one.repeats.contains(&id.as_str()))
        };
        asked += 1.0;
        match found.iter().position(is_answer) {
            Some(place) => {
                in_five += 1.0;
                first += f64::from(u8::from(place == 0));
            }
            None => missed
                .push(format!("{name}: {ask} {answers:?} {:?}", found.iter().map(|one| one.id).collect::<Vec<_>>())),
        }
    }
    (in_five / asked, first / asked, missed)
}

#[test]
fn questions_find_their_answer() {
    for set in ["tune", "judge"] {
        let (in_five, first, missed) = answered(set);
        println!("{set}: first five {in_five:.3}, first {first:.3}\n{}", missed.join("\n"));
        assert!(in_five >= 0.9 && first >= 0.45, "{set}: {in_five}, {first}\n{}", missed.join("\n"));
    }
}

fn said<'a>(number: u32, id: &'a str, text: &'a str) -> Message<'a> {
    Message { id, number, round: number, speaker: Speaker::User, about: "", text }
}

#[test]
fn any_order_of_changes_gives_the_answers_of_a_fresh_index() {
    let words = ["parser", "printer", "tokens", "budget", "settings", "compiler", "warning", "summary"];
    let text = |at: u32| -> String {
        (0..1 + at % 40)
            .map(|word| words[(at * 7 + word * word) as usize % words.len()])
            .collect::<Vec<_>>()
            .join(" \n")
    };
    for seed in 0..20 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut changed = Messages::default();
        let mut left: BTreeMap<u32, String> = BTreeMap::new();
        for _ in 0..200 {
            let number = random.u32(0..60);
            let id = format!("m{number}");
            if random.bool() {
                let text = text(random.u32(0..1_000));
                changed.put(said(number, &id, &text)).expect("it is taken");
                left.insert(number, text);
            } else {
                assert_eq!(changed.remove(&id), left.remove(&number).is_some());
            }
        }
        let mut fresh = Messages::default();
        for (number, text) in left.iter().rev() {
            fresh.put(said(*number, &format!("m{number}"), text)).expect("it is taken");
        }
        assert_eq!((changed.len(), changed.pieces()), (left.len(), fresh.pieces()));
        for query in ["Which parser?", "budget for tokens", "summaries of warnings", "nothing", ""] {
            assert_eq!(changed.search(query, 20), fresh.search(query, 20), "{seed}: {query}");
        }
    }
}

#[test]
fn ranges_are_in_the_text_and_hold_what_was_found() {
    let wide = "🦉".repeat(600);
    let filler = "filler line without it\n".repeat(200);
    let texts = [format!("{filler}the needle 🦉\n{filler}"), format!("{wide} needle {wide}"), "needle".to_string()];
    let mut messages = Messages::default();
    for (number, text) in (0..).zip(&texts) {
        messages.put(said(number, &format!("m{number}"), text)).expect("it is taken");
    }
    let found = messages.search("needle", 10);
    assert_eq!(found.len(), 3);
    for one in found {
        let number: usize = one.id[1..].parse().expect("a number");
        let units: Vec<u16> = texts[number].encode_utf16().collect();
        let lines = String::from_utf16(&units[one.start..one.end]).expect("whole characters");
        assert!(lines.contains("needle") && lines.len() <= 1_000, "{}: {lines}", one.id);
    }
}

#[test]
fn a_call_and_its_results_are_one_result() {
    let mut messages = Messages::default();
    let call = |id, number, speaker, about, text| Message { id, number, round: 3, speaker, about, text };
    messages.put(said(1, "m1", "Please look at the lighthouse.")).expect("it is taken");
    messages.put(call("m3", 3, Speaker::Assistant, "", "grep lighthouse")).expect("it is taken");
    messages.put(call("m4", 4, Speaker::Tool, "grep lighthouse", "a.txt: the lighthouse keeper")).expect("it is taken");
    messages.put(call("m5", 5, Speaker::Tool, "ls", "")).expect("it is taken");
    let found = messages.search("lighthouse keeper", 10);
    assert_eq!(found.iter().map(|one| one.id).collect::<Vec<_>>(), ["m4", "m1"]);
    assert_eq!(found[0].with, ["m3", "m5"]);
    assert!(messages.search("lighthouse", 0).is_empty() && messages.search("", 5).is_empty());
}

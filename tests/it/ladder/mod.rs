//! The steps that need no model: what they remove, what stays, what the report says.

mod aim;
mod chain;
mod cover;
mod cut;
mod fill;
mod profiles;
mod random;

use std::rc::Rc;

use espalier::compact::profile::{Profile, Rung};
use espalier::compact::{Compacted, Compaction, Options, Outcome, Status};
use espalier::effect::Step;
use espalier::history::edit::{Edit, Kind};
use espalier::map::HashSet;
use espalier::message::{Message, Part, Role};
use espalier::tokens::{CostModel, Origin, Tokenizer};

use crate::prune::carry_out;
use crate::support::{Chars, assistant, call, numbered, result, user};

/// Runs without a model.
pub fn compacted(messages: &[Message], options: Options, tokenizer: Rc<dyn Tokenizer>) -> Compacted {
    let mut run = Compaction::new(messages.to_vec(), 0, CostModel::Espalier, tokenizer, Origin::Exact, options);
    match run.poll().unwrap() {
        Step::Done { result } => result,
        Step::Ask { .. } => panic!("asked for a model"),
    }
}

/// Returns a profile with only these rungs, no protection except for the newest round, and no minimum gain.
fn only(rungs: &[Rung]) -> Profile {
    let text = format!(
        r#"{{"protect":{{"results":0,"rounds":1,"tokens":{{"share":0}}}},"shares":{{"relief":0}},
            "gain":{{"stale":{{"share":0}},"media":{{"share":0}},"clear":{{"share":0}}}},"ladder":{}}}"#,
        serde_json::to_string(rungs).unwrap()
    );
    Profile::read(&text, "profile").unwrap()
}

/// Applies a rung to a conversation that ends with a newest round; returns the edits and the remaining messages.
fn laid(rung: Rung, mut messages: Vec<Message>) -> (Vec<Edit>, Vec<Message>) {
    messages.extend([call("z", "other", "{}"), result("z", "newest")]);
    let messages = numbered(messages);
    let whole: u64 = crate::prune::fresh(&messages, &Chars);
    let options = Options { budget: whole - 1, profile: only(&[rung, Rung::Fit]), ..Options::default() };
    let done = compacted(&messages, options, Rc::new(Chars));
    assert_eq!(done.status, Status::Applied);
    let edits = done.edits.into_iter().filter(|edit| edit.kind != Kind::Drop).collect();
    (edits, carry_out(&messages, &done.plan))
}

/// Returns the ids of an edit's messages.
fn ids(edit: &Edit) -> Vec<String> {
    edit.ids().map(String::from).collect()
}

/// `expected`: kind, rule, targets, newer.
fn check(rung: Rung, messages: Vec<Message>, expected: &[(Kind, &str, &str, Option<&str>)]) {
    let (edits, _) = laid(rung, messages);
    let found: Vec<(Kind, &str, String, Option<&str>)> =
        edits.iter().map(|e| (e.kind, e.rule, ids(e).join(" "), e.newer.as_deref())).collect();
    let wanted: Vec<_> =
        expected.iter().map(|(kind, rule, ids, newer)| (*kind, *rule, ids.to_string(), *newer)).collect();
    assert_eq!(found, wanted);
}

fn long(word: &str) -> String {
    format!("{word} says little\n").repeat(40)
}

fn read(id: &str, path: &str, lines: Option<(u64, u64)>) -> Message {
    let range = lines.map_or(String::new(), |(from, to)| format!(r#","start_line":{from},"end_line":{to}"#));
    call(id, "read_file", &format!(r#"{{"path":"{path}"{range}}}"#))
}

fn text_of_result(message: &Message) -> String {
    let Some(Part::ToolResult { content, .. }) = message.parts.first() else { panic!("no result: {message:?}") };
    content.iter().map(|part| if let Part::Text { text } = part { text.as_str() } else { "" }).collect()
}

#[test]
fn the_same_bytes_again() {
    let same =
        || vec![call("a", "fetch", "{}"), result("a", &long("it")), call("b", "fetch", "{}"), result("b", &long("it"))];
    let mut messages = vec![user("go")];
    messages.extend(same());
    check(Rung::Stale, messages, &[(Kind::Supersede, "same-result", "m2", Some("m4"))]);
}

#[test]
fn reads_that_are_read_again() {
    let pair = |first: Option<(u64, u64)>, second: Option<(u64, u64)>| {
        vec![
            user("go"),
            read("a", "src/a.rs", first),
            result("a", &long("old")),
            read("b", "./src/a.rs", second),
            result("b", &long("new")),
            read("c", "src/b.rs", None),
            result("c", &long("other")),
        ]
    };
    let again: [(Kind, &str, &str, Option<&str>); 1] = [(Kind::Supersede, "repeated-read", "m2", Some("m4"))];
    check(Rung::Stale, pair(None, None), &again);
    check(Rung::Stale, pair(Some((1, 40)), None), &again);
    check(Rung::Stale, pair(Some((10, 20)), Some((1, 40))), &again);
    // The later one does not contain all of it.
    let none = |first, second| {
        let mut messages = numbered(pair(first, second));
        messages.extend([call("z", "other", "{}"), result("z", "newest")]);
        let messages = numbered(messages);
        let whole = crate::prune::fresh(&messages, &Chars);
        let options = Options { budget: whole - 1, profile: only(&[Rung::Stale, Rung::Fit]), ..Options::default() };
        let done = compacted(&messages, options, Rc::new(Chars));
        assert!(done.edits.iter().all(|edit| edit.kind == Kind::Drop), "{:?}", done.edits);
        assert_eq!(done.steps[0].outcome, Outcome::NoGain);
    };
    none(None, Some((1, 40)));
    none(Some((1, 40)), Some((20, 60)));
}

#[test]
fn reads_of_what_was_edited_later() {
    let messages = vec![
        user("go"),
        read("a", "src/a.rs", None),
        result("a", &long("old")),
        call("b", "str_replace", r#"{"path":"src/a.rs","old_str":"x","new_str":"y"}"#),
        result("b", "ok"),
        read("c", "src/a.rs", None),
        result("c", &long("new")),
        call("d", "bash", r#"{"command":"cat src/c.rs"}"#),
        result("d", &long("shown")),
        call("e", "bash", r#"{"command":"sed -i s/a/b/ src/c.rs"}"#),
        result("e", ""),
    ];
    check(
        Rung::Stale,
        messages,
        &[(Kind::Supersede, "edited-read", "m2", Some("m4")), (Kind::Supersede, "edited-read", "m8", Some("m10"))],
    );
}

#[test]
fn an_edit_that_failed_outdates_nothing() {
    let messages = numbered(vec![
        user("go"),
        read("a", "src/a.rs", None),
        result("a", &long("old")),
        call("b", "str_replace", r#"{"path":"src/a.rs","old_str":"x","new_str":"y"}"#),
        result("b", "Error: no match"),
        call("z", "other", "{}"),
        result("z", "newest"),
    ]);
    let whole = crate::prune::fresh(&messages, &Chars);
    let options = Options { budget: whole - 1, profile: only(&[Rung::Stale, Rung::Fit]), ..Options::default() };
    let done = compacted(&messages, options, Rc::new(Chars));
    assert!(done.edits.iter().all(|edit| edit.kind == Kind::Drop));
}

#[test]
fn failed_attempts_before_a_success_keep_their_first_and_last_error() {
    let failed = format!("error: first\n{}error: middle\n{}error: last\nexit code: 1", long("noise"), long("noise"));
    let messages = vec![
        user("go"),
        call("a", "bash", r#"{"command":"make all"}"#),
        result("a", &failed),
        call("b", "bash", r#"{"command":"make all"}"#),
        result("b", "done\nexit code: 0"),
    ];
    let (edits, view) = laid(Rung::Stale, messages);
    assert_eq!(edits[0].rule, "failed-attempt");
    let text = text_of_result(&view[2]);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[1..], ["error: first", "error: last"]);
    assert_eq!(
        lines[0],
        "[superseded: bash `make all`, 84 lines, 1,491 characters, exit code 1; it succeeded in m4; recall m2]"
    );
}

#[test]
fn another_script_with_the_same_beginning_supersedes_nothing() {
    let script = |words: &str| {
        let command = format!("python3 - <<'EOF'\n{}print({words})\nEOF", "import os\n".repeat(60));
        serde_json::json!({ "command": command }).to_string()
    };
    let failed = format!("error: first\n{}error: last\nexit code: 1", long("noise"));
    let superseded = |second: &str| {
        let (first, second) = (call("a", "bash", &script("1")), call("b", "bash", &script(second)));
        let answered = result("b", "done\nexit code: 0");
        let (edits, _) = laid(Rung::Stale, vec![user("go"), first, result("a", &failed), second, answered]);
        edits.iter().map(|edit| edit.rule).collect::<Vec<_>>()
    };
    assert_eq!((superseded("1"), superseded("2")), (vec!["failed-attempt"], vec![]));
}

#[test]
fn clearing_takes_all_old_results_and_long_arguments_at_once() {
    let body = "x".repeat(5_000);
    let messages = vec![
        user("go"),
        read("a", "src/a.rs", Some((3, 9))),
        result("a", &long("a")),
        call("b", "write_file", &format!(r#"{{"path":"src/b.rs","content":"{body}"}}"#)),
        result("b", &long("b")),
        call("c", "todo_write", r#"{"todos":[]}"#),
        result("c", &long("state")),
        call("d", "bash", r#"{"command":"make"}"#),
        result("d", &format!("{}error: no rule\nexit code: 2", long("d"))),
    ];
    let (edits, view) = laid(Rung::Clear, messages);
    let found: Vec<(Kind, String)> = edits.iter().map(|e| (e.kind, ids(e).join(" "))).collect();
    assert_eq!(found, [(Kind::ClearResult, "m2 m4 m8".into()), (Kind::ClearArguments, "m3".into())]);
    assert_eq!(
        text_of_result(&view[2]),
        "[cleared: read_file src/a.rs lines 3-9, 40 lines, 560 characters; recall m2]"
    );
    assert!(text_of_result(&view[8]).ends_with("exit code 2; recall m8]\nerror: no rule"));
    assert_eq!(text_of_result(&view[6]), long("state"));
    let Part::ToolCall { arguments, .. } = &view[3].parts[0] else { panic!() };
    let value: serde_json::Value = serde_json::from_str(arguments).unwrap();
    assert_eq!(value["path"], "src/b.rs");
    assert!(value["content"].as_str().unwrap().len() <= 500);
}

#[test]
fn what_the_host_exempts_and_keeps_stays() {
    let messages = numbered(vec![
        user("go"),
        call("a", "ours", "{}"),
        result("a", &long("a")),
        call("b", "fetch", "{}"),
        result("b", &long("b")),
        call("c", "fetch", "{}"),
        result("c", &long("c")),
        call("z", "other", "{}"),
        result("z", "newest"),
    ]);
    let options = Options {
        budget: crate::prune::fresh(&messages, &Chars) - 1,
        profile: only(&[Rung::Clear, Rung::Fit]),
        exempt: HashSet::from_iter(["ours".to_string()]),
        keep: HashSet::from_iter(["m4".to_string()]),
        ..Options::default()
    };
    let done = compacted(&messages, options, Rc::new(Chars));
    assert_eq!(ids(&done.edits[0]), ["m6"]);
}

#[test]
fn what_is_exempt_takes_nothing_of_what_is_protected() {
    // Room for the newest result and one long one.
    let protect = r#"{"protect":{"results":0,"rounds":1,"tokens":{"share":0,"minTokens":1000,"maxTokens":1000}},
        "shares":{"relief":0},"gain":{"clear":{"share":0}},"ladder":["clear","fit"]}"#;
    let cleared = |tool: &str| {
        let messages = numbered(vec![
            user("go"),
            call("a", "fetch", "{}"),
            result("a", &long("first")),
            call("b", "fetch", "{}"),
            result("b", &long("second")),
            call("c", tool, "{}"),
            result("c", &long("third")),
            call("z", "other", "{}"),
            result("z", "newest"),
        ]);
        let whole: u64 = crate::prune::fresh(&messages, &Chars);
        let profile = Profile::read(protect, "profile").unwrap();
        let exempt = HashSet::from_iter(["ours".to_string()]);
        let done =
            compacted(&messages, Options { budget: whole - 1, profile, exempt, ..Options::default() }, Rc::new(Chars));
        let cleared = done.edits.iter().filter(|edit| edit.kind == Kind::ClearResult);
        cleared.flat_map(ids).collect::<Vec<_>>()
    };
    assert_eq!(cleared("fetch"), ["m2", "m4"]);
    assert_eq!(cleared("ours"), ["m2"]);
    assert_eq!(cleared("todo_write"), ["m2"]);
}

#[test]
fn old_pictures_and_thoughts_go() {
    let image = || Part::Image { media_type: Some("image/png".into()), data: None, url: None, detail: None };
    let mut shown = user("look");
    shown.parts.push(image());
    let mut thought = assistant("I see.");
    thought.parts.insert(0, Part::Reasoning { text: long("hm"), sealed: None });
    let only_thought = Message { parts: vec![Part::Reasoning { text: long("hm"), sealed: None }], ..assistant("") };
    let mut picture = result("a", &long("it"));
    if let Part::ToolResult { content, .. } = &mut picture.parts[0] {
        content.push(image());
    }
    let messages = vec![shown, thought, only_thought, call("a", "look", "{}"), picture, user("go")];
    let (edits, view) = laid(Rung::Media, messages);
    let found: Vec<(Kind, String)> = edits.iter().map(|e| (e.kind, ids(e).join(" "))).collect();
    assert_eq!(found, [(Kind::DropMedia, "m0 m4".into()), (Kind::DropReasoning, "m1".into())]);
    assert!(matches!(&view[0].parts[1], Part::Text { text } if text.starts_with("[image left out: image/png")));
    assert_eq!(view[1].parts.len(), 1);
    assert!(matches!(view[2].parts[0], Part::Reasoning { .. }));
    assert!(text_of_result(&view[4]).contains("[image left out"));
}

#[test]
fn a_step_below_its_minimum_leaves_everything() {
    let mut messages = vec![user("go")];
    for id in ["a", "b"] {
        messages.extend([call(id, "fetch", "{}"), result(id, &long("it"))]);
    }
    messages.push(assistant(&"words ".repeat(20_000)));
    messages.extend([call("z", "other", "{}"), result("z", "newest")]);
    let messages = numbered(messages);
    let profile = Profile::read(r#"{"protect":{"results":0,"rounds":1,"tokens":{"share":0}}}"#, "p").unwrap();
    let options = Options { budget: 100_000, profile, ..Options::default() };
    let done = compacted(&messages, options, Rc::new(Chars));
    let steps: Vec<_> = done.steps.iter().map(|s| (s.step, s.outcome)).collect();
    assert_eq!(steps[0], ("stale", Outcome::NoGain));
    assert!(done.steps[0].why.contains("at least 1999 are asked for"), "{}", done.steps[0].why);
    assert!(done.edits.iter().all(|edit| edit.kind != Kind::Supersede));
}

#[test]
fn relief_ends_the_ladder_and_no_model_is_asked() {
    let mut messages = vec![user("Fix it.")];
    for n in 0..60 {
        let id = format!("c{n}");
        messages.extend([call(&id, "fetch", &format!(r#"{{"n":{n}}}"#)), result(&id, &long(&format!("page {n}")))]);
    }
    let messages = numbered(messages);
    let options =
        |force| Options { budget: 20_000, target_share: Some(0.4), has_model: true, force, ..Options::default() };
    let mut run =
        Compaction::new(messages.clone(), 0, CostModel::Espalier, Rc::new(Chars), Origin::Exact, options(false));
    let Step::Done { result } = run.poll().unwrap() else { panic!("asked") };
    assert_eq!((result.status, result.summary.is_some()), (Status::Applied, false));
    assert!(result.after.total <= 12_001 && result.quality.is_some());
    // A manual compaction wants a summary.
    let mut run = Compaction::new(messages, 0, CostModel::Espalier, Rc::new(Chars), Origin::Exact, options(true));
    assert!(matches!(run.poll().unwrap(), Step::Ask { .. }));
}

#[test]
fn a_rung_can_be_left_out_and_stand_behind_the_summary() {
    let mut messages = vec![user("Fix it.")];
    for n in 0..60 {
        let id = format!("c{n}");
        messages.extend([call(&id, "fetch", &format!(r#"{{"n":{n}}}"#)), result(&id, &long(&format!("page {n}")))]);
    }
    let messages = numbered(messages);
    let steps = |ladder: &str| {
        let profile = Profile::read(&format!(r#"{{"ladder":{ladder}}}"#), "profile").unwrap();
        let options = Options { budget: 20_000, profile, ..Options::default() };
        let done = compacted(&messages, options, Rc::new(Chars));
        done.steps.iter().map(|step| step.step).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(steps(r#"["summary","offline","clear","fit"]"#), "offline clear");
    assert_eq!(steps(r#"["fit"]"#), "fit");
    assert_eq!(steps(r#"["clear"]"#), "clear");
}

#[test]
fn roles_of_the_view_are_what_they_were() {
    let messages = vec![user("go"), call("a", "fetch", "{}"), result("a", &long("a"))];
    let (_, view) = laid(Rung::Clear, messages);
    assert_eq!(view[2].role, Role::Tool);
}

//! What becomes smaller, in which order, and how hosts can influence it.

use espalier::error::Code;
use espalier::history::plan::Fate;
use espalier::history::prune::{DropMedia, FLOOR, Limits, Pass, Picture, Pruned, prune};
use espalier::map::{HashMap, HashSet};
use espalier::message::{Message, Part, Role};
use espalier::tokens::Origin;

use super::{Cached, carry_out, fresh, invariants, limits, run};
use crate::support::{Chars, assistant, call, calls, meter, numbered, result, transcript, user};

/// Returns a result of `tokens` tokens; a line is ten of them.
fn output(id: &str, tokens: usize) -> Message {
    result(id, &(0..tokens / 10).map(|line| format!("{line:09}\n")).collect::<String>())
}

/// Returns the tokens of a message's content, by id.
fn after(pruned: &Pruned, id: &str) -> u64 {
    pruned.messages.iter().find(|row| row.id == id).map_or(0, |row| row.after)
}

fn rules(pruned: &Pruned) -> Vec<&'static str> {
    let mut rules: Vec<&str> = pruned.removed.iter().map(|r| r.rule).collect();
    rules.dedup();
    rules
}

fn round(id: &str, tokens: usize) -> [Message; 2] {
    [calls(&[id]), output(id, tokens)]
}

#[test]
fn one_giant_result_does_not_empty_the_conversation() {
    let messages = numbered([vec![user("a"), assistant("b"), user("c")], round("1", 50_000).to_vec()].concat());
    let pruned = run(&messages, &limits(4_000), &Chars);
    assert_eq!(rules(&pruned), ["oversize-result"]);
    // It gets the tokens that the rest leaves, not just its quarter.
    assert!(after(&pruned, "m4") > 3_500 && pruned.after.total <= 4_000);
    assert_eq!(pruned.removed[0].recall, "m4");
    let text = match &carry_out(&messages, &pruned.plan)[4].parts[0] {
        Part::ToolResult { content, .. } => content.clone(),
        other => panic!("{other:?}"),
    };
    assert!(matches!(&text[..], [Part::Text { text }] if text.contains("recall m4")));
}

#[test]
fn several_giants_share_what_the_rest_leaves() {
    let rounds = [round("1", 9_000), round("2", 7_000), round("3", 300)].concat();
    let messages = numbered([vec![user("a")], rounds].concat());
    let pruned = run(&messages, &limits(8_000), &Chars);
    assert_eq!(rules(&pruned), ["oversize-result"]);
    let (first, second) = (after(&pruned, "m2"), after(&pruned, "m4"));
    assert!(first.abs_diff(second) < 100 && first > 3_500, "{first} {second}");
    assert_eq!(after(&pruned, "m6"), 300 + 8);
}

#[test]
fn what_was_just_read_stays_whole_if_a_quarter_is_left() {
    let rounds = [round("1", 9_000), round("2", 5_000), round("3", 300)].concat();
    let messages = numbered([vec![user("a")], rounds].concat());
    let sizes = |limits: &Limits| {
        let pruned = run(&messages, limits, &Chars);
        [after(&pruned, "m2"), after(&pruned, "m4")]
    };
    let [first, second] = sizes(&limits(8_000));
    assert!((2_000..3_000).contains(&first) && second == 5_000 + 8, "{first} {second}");
    // It is more than three quarters, or results are shortened before anything is dropped: both have one length.
    let shrink = Limits { order: Some(Pass::SHRINK.to_vec()), ..limits(8_000) };
    for [first, second] in [sizes(&limits(6_600)), sizes(&shrink)] {
        assert!(first.abs_diff(second) < 100, "{first} {second}");
    }
}

#[test]
fn what_must_stay_shrinks_before_the_budget_is_refused() {
    // Three parallel calls in the newest round, none over its quarter.
    let messages = numbered(vec![
        user("a"),
        calls(&["1", "2", "3", "4", "5"]),
        output("1", 900),
        output("2", 900),
        output("3", 300),
        output("4", 900),
        output("5", 900),
    ]);
    let pruned = run(&messages, &limits(3_600), &Chars);
    assert_eq!(rules(&pruned), ["long-result"]);
    let sizes: Vec<u64> = (2..7).map(|n| after(&pruned, &format!("m{n}"))).collect();
    assert_eq!(sizes[2], 308, "small ones stay whole");
    assert!(sizes.iter().all(|&size| size > 300) && sizes[0].abs_diff(sizes[1]) < 30, "{sizes:?}");
    assert!(pruned.after.total > 3_400, "the level is as high as it can be: {}", pruned.after.total);

    let error = prune(&messages, meter(&Chars), Origin::Exact, &limits(900)).unwrap_err();
    assert_eq!((error.code, error.path.as_deref()), (Code::BudgetExceeded, Some("options.budget")));
    let details = error.budget.unwrap();
    assert!(details.needed <= 5 * (FLOOR + 8) + 100, "every result at its floor: {}", details.needed);
    assert_eq!(details.largest.len(), 5);
}

#[test]
fn results_shrink_first_when_the_host_says_so() {
    let rounds: Vec<Message> = (0..10).flat_map(|n| round(&n.to_string(), 1_000)).collect();
    let messages = numbered([vec![user("a")], rounds, vec![assistant("b"), user("c")]].concat());
    let shrink = Limits { order: Some(Pass::SHRINK.to_vec()), ..limits(6_000) };
    let pruned = run(&messages, &shrink, &Chars);
    assert_eq!(rules(&pruned), ["long-result"]);
    assert_eq!(pruned.after.messages, pruned.before.messages);
    assert_eq!(rules(&run(&messages, &limits(6_000), &Chars)), ["old-round"]);

    // If even the minimum is too much, groups are removed, and the rest is as large as possible.
    let pruned = run(&messages, &Limits { budget: 1_500, ..shrink }, &Chars);
    assert_eq!(rules(&pruned), ["oversize-result", "long-result", "old-round"]);
    let left: Vec<u64> = pruned.messages.iter().filter(|r| r.fate == Fate::Changed).map(|r| r.after).collect();
    assert!(pruned.after.total > 1_400 && left.len() == 6, "{} {left:?}", pruned.after.total);
}

#[test]
fn passes_can_be_skipped() {
    let messages = || numbered(vec![user("a"), assistant("b"), user("c"), assistant("d"), user("e")]);
    let only = |order: &[Pass], budget| {
        let limits = Limits { order: Some(order.to_vec()), ..limits(budget) };
        let left = prune(&messages(), meter(&Chars), Origin::Exact, &limits).map(|p| p.plan.len());
        left.map_err(|error| error.budget.unwrap().largest.iter().map(|c| c.why).collect::<Vec<_>>())
    };
    // Requests are removed with the rest of their turns.
    assert_eq!(only(&[Pass::Requests], 3 + 5 * 4), Ok(3));
    assert_eq!(only(&[Pass::Rounds], 3 + 5 * 3), Ok(3));
    assert_eq!(
        only(&[Pass::Rounds], 3 + 5),
        Err(vec!["its pass was skipped", "its pass was skipped", "newest request"])
    );
    assert_eq!(only(&[], 3 + 5 * 4).map_err(|why| why.len()), Err(5));
    assert_eq!(only(&[], 3 + 5 * 5), Ok(5));
}

#[test]
fn the_lowest_priority_goes_first() {
    let messages = numbered(vec![user("a"), assistant("b"), assistant("c"), assistant("d"), user("e")]);
    let left = |priorities: &[(&str, f64)]| {
        let priorities: HashMap<String, f64> = priorities.iter().map(|(id, p)| (id.to_string(), *p)).collect();
        let pruned = run(&messages, &Limits { priorities, ..limits(3 + 5 * 4) }, &Chars);
        pruned.removed.iter().flat_map(|r| r.ids.clone()).collect::<Vec<_>>()
    };
    assert_eq!(left(&[]), ["m1"]);
    assert_eq!(left(&[("m1", 1.0)]), ["m2"]);
    assert_eq!(left(&[("m3", -1.0)]), ["m3"]);
    // It has no effect between passes: requests are removed after rounds.
    assert_eq!(left(&[("m0", -9.0), ("m1", 1.0), ("m2", 1.0)]), ["m3"]);
}

#[test]
fn arguments_of_old_calls_are_shortened() {
    let long = serde_json::json!({ "path": "a.ts", "content": "x".repeat(9_000) }).to_string();
    let messages = numbered(vec![
        user("a"),
        call("1", "write", &long),
        result("1", "ok"),
        call("2", "write", &long),
        result("2", "ok"),
    ]);
    // The old call belongs to a round that the host keeps.
    let limits = Limits { keep: HashSet::from_iter(["m2".to_string()]), ..limits(13_000) };
    let pruned = run(&messages, &limits, &Chars);
    assert_eq!(rules(&pruned), ["long-arguments"]);
    let out = carry_out(&messages, &pruned.plan);
    let Part::ToolCall { arguments, .. } = &out[1].parts[0] else { panic!("a call") };
    let value: serde_json::Value = serde_json::from_str(arguments).unwrap();
    assert_eq!(value["path"], "a.ts");
    assert!(arguments.len() <= 2_000 && arguments.contains("recall m1"));
    assert_eq!(out[3], messages[3], "the newest call is what it was");
}

fn picture() -> Part {
    Part::Image { media_type: Some("image/png".into()), data: None, url: Some("https://x/y.png".into()), detail: None }
}

#[test]
fn media_outside_the_newest_round_become_notes() {
    let mut shown = user("look");
    shown.parts.push(picture());
    let mut screenshot = result("1", "taken");
    if let Part::ToolResult { content, .. } = &mut screenshot.parts[0] {
        content.push(picture());
    }
    let mut newest = screenshot.clone();
    if let Part::ToolResult { call_id, .. } = &mut newest.parts[0] {
        *call_id = "2".into();
    }
    let mut asked = user("and now?");
    asked.parts.push(picture());
    let messages = numbered(vec![shown, calls(&["1"]), screenshot, asked, calls(&["2"]), newest]);
    let all = Limits { keep: HashSet::from_iter(["m1".to_string()]), order: Some(vec![Pass::Media]), ..limits(0) };
    let whole = fresh(&messages, &Chars);
    let pruned = run(&messages, &Limits { budget: whole - 1_000, ..all.clone() }, &Chars);
    assert_eq!(rules(&pruned), ["media"]);
    let out = carry_out(&messages, &pruned.plan);
    assert!(out[0].text().contains("look\n[image left out: image/png, ") && out[0].text().ends_with("recall m0]"));
    let pictures = |message: &Message| {
        let inside = |part: &Part| match part {
            Part::ToolResult { content, .. } => content.iter().filter(|c| matches!(c, Part::Image { .. })).count(),
            part => usize::from(matches!(part, Part::Image { .. })),
        };
        message.parts.iter().map(inside).sum::<usize>()
    };
    let counts = |pruned: &Pruned| carry_out(&messages, &pruned.plan).iter().map(pictures).collect::<Vec<_>>();
    assert_eq!(counts(&pruned)[3..], [1, 0, 1]);
    let forced = |drop_media| counts(&run(&messages, &Limits { drop_media, ..limits(whole) }, &Chars));
    assert_eq!(forced(DropMedia::None), [1, 0, 1, 1, 0, 1]);
    assert_eq!(forced(DropMedia::Old), [0, 0, 0, 1, 0, 1]);
    assert_eq!(forced(DropMedia::All), [0, 0, 0, 1, 0, 0]);
}

/// Returns the only text of a result.
fn said(message: &Message) -> &str {
    match &message.parts[..] {
        [Part::ToolResult { content, .. }] => match &content[..] {
            [Part::Text { text }] => text,
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_a_command_said_of_errors_stays_in_both_passes() {
    let log = |id: &str| {
        // No line counts on from the one before it, so that none can be spared.
        let name = |line: u32| line.wrapping_mul(2_654_435_761);
        let lines =
            |from: u32| (from..from + 200).map(|line| format!("step {:08x} done\n", name(line))).collect::<String>();
        result(id, &format!("{}error[E{id}]: no such thing\n{}", lines(0), lines(200)))
    };
    let check = |tool: &str, arguments: &str, expected: bool| {
        let of = |ids: &[&str]| {
            let calls = ids.iter().map(|id| call(id, tool, arguments).parts.remove(0)).collect();
            Message { parts: calls, ..assistant("") }
        };
        for ids in [&["1"][..], &["1", "2", "3", "4", "5", "6", "7", "8"]] {
            let rounds = [vec![user("a"), of(ids)], ids.iter().map(|id| log(id)).collect()].concat();
            let messages = numbered(rounds);
            let whole = fresh(&messages, &Chars);
            // One result is oversize, eight are not.
            let pruned = run(&messages, &limits(if ids.len() == 1 { 1_000 } else { whole / 2 }), &Chars);
            assert_eq!(rules(&pruned), [if ids.len() == 1 { "oversize-result" } else { "long-result" }]);
            for message in &carry_out(&messages, &pruned.plan)[2..] {
                assert_eq!(said(message).contains("]: no such thing"), expected, "{tool}: {}", said(message));
            }
        }
    };
    check("bash", r#"{"command":"make"}"#, true);
    check("read_file", r#"{"path":"build.log"}"#, false);
}

#[test]
fn a_long_list_in_json_is_json_still() {
    let list: Vec<String> = (0..2_000).map(|n| format!("{{\"name\":\"item {n}\"}}")).collect();
    let cut = |tool: &str| {
        let call = Message { parts: call("1", tool, "{}").parts, ..assistant("") };
        let messages = numbered(vec![user("a"), call, result("1", &format!("[{}]", list.join(",")))]);
        let pruned = run(&messages, &limits(2_000), &Chars);
        assert!(pruned.after.total <= 2_000 && pruned.removed[0].recall == "m2");
        said(&carry_out(&messages, &pruned.plan)[2]).to_string()
    };
    let value: serde_json::Value = serde_json::from_str(&cut("get_items")).unwrap();
    assert_eq!(value[0]["name"], "item 0");
    // The output of a search is a table with all of them.
    assert_eq!(cut("search"), "name\nitem 0\nitem 1\n[1997 more, counting on]\nitem 1999");
}

#[test]
fn a_run_of_tests_is_reduced_before_anything_is_cut() {
    let log = |tests: usize| {
        let passed: String = (0..tests).map(|n| format!("test unit::case_{n} ... ok\n")).collect();
        format!("running {} tests\n{passed}test unit::last ... FAILED\n", tests + 1)
    };
    let reduced = |tests: usize, recall: &str| {
        let all = tests + 1;
        format!("running {all} tests\ntest unit::last ... FAILED\n[left out: {tests} passed tests; recall {recall}]")
    };
    let check = |tests: &[usize], budget: u64, expected: &[String]| {
        let run_of = |(at, tests): (usize, &usize)| {
            let id = at.to_string();
            [call(&id, "bash", r#"{"command":"cargo test"}"#), result(&id, &log(*tests))]
        };
        let messages = numbered([vec![user("a")], tests.iter().enumerate().flat_map(run_of).collect()].concat());
        let out = carry_out(&messages, &run(&messages, &limits(budget), &Chars).plan);
        let results: Vec<&str> = out.iter().filter(|message| message.role == Role::Tool).map(said).collect();
        assert!(results == expected, "{tests:?}");
    };
    check(&[600], 2_000, &[reduced(600, "m2")]);
    // What goes of the longer result is room for the other.
    check(&[500, 600], 20_000, &[log(500), reduced(600, "m4")]);
}

#[test]
fn noise_goes_before_words() {
    let noisy = format!("{}\x1b[31mdone\x1b[0m\n", "waiting\n".repeat(3_000));
    let messages = numbered(vec![user("a"), calls(&["1"]), result("1", &noisy)]);
    let out = carry_out(&messages, &run(&messages, &limits(2_000), &Chars).plan);
    assert_eq!(said(&out[2]), "waiting [3000 times]\ndone\n");
}

/// Returns a result with pictures of these sizes in KiB; its text comes first.
fn pictures(id: &str, sizes: &[u64]) -> (Message, Vec<u64>) {
    let mut message = result(id, "taken");
    if let Part::ToolResult { content, .. } = &mut message.parts[0] {
        content.extend(sizes.iter().map(|_| picture()));
    }
    (message, sizes.to_vec())
}

#[test]
fn pictures_in_results_are_limited_in_bytes_for_each_turn() {
    // Turns, in each of them results, in each of them pictures with sizes in KiB; `expected`: which of them are left.
    let check = |turns: &[&[&[u64]]], most: Option<u64>, keep: &[&str], expected: &str| {
        let (mut messages, mut pictured) = (vec![], vec![]);
        for turn in turns {
            messages.push(user("look"));
            for sizes in *turn {
                let id = messages.len().to_string();
                messages.push(calls(&[&id]));
                let (message, sizes) = pictures(&id, sizes);
                let of = |(item, kib): (usize, &u64)| Picture {
                    id: format!("m{}", messages.len()),
                    part: 0,
                    item: item + 1,
                    bytes: kib * 1_024,
                };
                pictured.extend(sizes.iter().enumerate().map(of));
                messages.push(message);
            }
        }
        let messages = numbered(messages);
        let limits = Limits {
            pictures: pictured.clone(),
            picture_bytes: most,
            keep: keep.iter().map(|id| id.to_string()).collect(),
            ..limits(u64::MAX)
        };
        let pruned = run(&messages, &limits, &Chars);
        let out = carry_out(&messages, &pruned.plan);
        let left: Vec<String> = out
            .iter()
            .filter(|message| message.results().next().is_some())
            .map(|message| match &message.parts[0] {
                Part::ToolResult { content, .. } => {
                    content[1..].iter().map(|item| if matches!(item, Part::Image { .. }) { 'x' } else { '.' }).collect()
                }
                _ => String::new(),
            })
            .collect();
        assert_eq!(left.join(" "), expected);
        assert!(pruned.removed.iter().all(|removal| removal.rule == "heavy-picture" && removal.tokens > 0));
        assert_eq!(fresh(&out, &Chars), pruned.after.total);
        invariants(&messages, &limits, &Chars);
    };
    check(&[&[&[1_000], &[1_000]]], None, &[], "x x");
    check(&[&[&[1_000], &[1_000], &[1_000]]], None, &[], ". x x");
    check(&[&[&[1_000, 1_000, 1_000]]], None, &[], ".xx");
    check(&[&[&[1_000, 1_000]], &[&[1_000, 1_000]]], None, &[], "xx xx");
    // A picture that is too large alone removes no other; pictures older than one that did not fit are removed as well.
    check(&[&[&[100], &[9_000], &[100]]], None, &[], "x . x");
    check(&[&[&[100], &[2_000], &[2_000]]], None, &[], ". . x");
    check(&[&[&[100], &[100]]], Some(102_400), &[], ". x");
    check(&[&[&[100], &[100]]], Some(0), &[], ". .");
    check(&[&[&[2_000], &[2_000]]], None, &["m2"], "x x");
}

#[test]
fn a_result_with_a_picture_is_shortened_around_it() {
    let mut screenshot = output("1", 9_000);
    if let Part::ToolResult { content, .. } = &mut screenshot.parts[0] {
        content.insert(0, picture());
    }
    let messages = numbered(vec![user("a"), calls(&["1"]), screenshot]);
    let pruned = run(&messages, &limits(4_000), &Chars);
    let out = carry_out(&messages, &pruned.plan);
    let Part::ToolResult { content, .. } = &out[2].parts[0] else { panic!("a result") };
    assert_eq!(content[0], picture());
    assert!(matches!(&content[1], Part::Text { text } if text.contains("recall m2")));
}

#[test]
fn a_result_that_got_another_id_can_be_shortened() {
    let rounds = [round("1", 100), round("1", 9_000)].concat();
    let messages = numbered([vec![user("a")], rounds].concat());
    let pruned = run(&messages, &limits(3_000), &Chars);
    let out = carry_out(&messages, &pruned.plan);
    let Part::ToolResult { call_id, content, .. } = &out[4].parts[0] else { panic!("a result") };
    assert_eq!(call_id, "1-2");
    assert!(matches!(&content[0], Part::Text { text } if text.contains("recall m4")));
    assert!(pruned.after.total <= 3_000);
}

#[test]
fn a_note_says_what_is_missing() {
    let messages = numbered(vec![user("a"), assistant(&"b".repeat(300)), user("c"), assistant("d"), user("e")]);
    let note = Limits { note: true, ..limits(200) };
    let pruned = run(&messages, &note, &Chars);
    let out = carry_out(&messages, &pruned.plan);
    assert_eq!(out[0].text(), "[2 earlier messages were left out; recall m0..m1]\nc");
    assert_eq!(pruned.notes[0].tokens, 50);
    assert_eq!(fresh(&out, &Chars), pruned.after.total);
    // No request follows the newest one.
    let rounds: Vec<Message> = (0..20).flat_map(|n| round(&n.to_string(), 200)).collect();
    let messages = numbered([vec![user("go on")], rounds].concat());
    let pruned = run(&messages, &Limits { note: true, ..limits(1_000) }, &Chars);
    let out = carry_out(&messages, &pruned.plan);
    assert!(out[0].text().starts_with("[32 later messages were left out; recall m1..m32]\ngo on"), "{}", out[0].text());
    assert!(pruned.after.total <= 1_000);
    // Without room for a note there is none.
    let messages = numbered(vec![user("a"), assistant("bbbb"), user("c")]);
    assert_eq!(run(&messages, &Limits { note: true, ..limits(15) }, &Chars).notes, []);
}

#[test]
fn results_that_the_host_keeps_stay_as_they_are() {
    let messages = numbered([vec![user("a")], round("1", 3_000).to_vec()].concat());
    let keep = Limits { keep: HashSet::from_iter(["m2".to_string()]), ..limits(2_000) };
    let error = prune(&messages, meter(&Chars), Origin::Exact, &keep).unwrap_err();
    assert_eq!(error.budget.unwrap().largest[0].id, "m2");
    invariants(&messages, &Limits { keep: HashSet::default(), ..keep }, &Chars);
}

#[test]
fn runs_on_a_single_prompt_prune_to_a_quarter() {
    for name in ["sweagent-marshmallow-1867", "openhands-ponyc-4593"] {
        let messages = transcript(name);
        let cached = Cached::default();
        let budget = fresh(&messages, &cached) / 4;
        let pruned = run(&messages, &limits(budget), &cached);
        let out = carry_out(&messages, &pruned.plan);
        let prompt = messages.iter().find(|m| m.role == Role::User).unwrap();
        assert!(out.contains(prompt) && pruned.after.total <= budget, "{name}");
    }
}

//! All tool results of a request: a common budget, clearing of old ones.

use std::rc::Rc;

use espalier::compact::placeholder::is_placeholder;
use espalier::compact::results::{Clearing, Done, Exempt, Options, Outcome, Results, Rule, Style, gemini};
use espalier::history::edit::Kind;
use espalier::history::plan::{Becomes, PlanItem};
use espalier::history::prune::Picture;
use espalier::map::{HashMap, HashSet};
use espalier::message::{Message, Part};
use espalier::tokens::{CostModel, Origin, Tokenizer};

use crate::support::{Quarter, call, calls, numbered, random, result, result_part, system, user};

fn options(rule: Rule) -> Options {
    Options {
        rule,
        style: Style::Espalier,
        exempt: Exempt::Usual,
        keep: HashSet::default(),
        bodies: HashMap::default(),
        pictures: vec![],
        picture_bytes: None,
    }
}

fn start(messages: &[Message], options: Options) -> Results {
    Results::new(messages.to_vec(), 0, CostModel::Espalier, Rc::new(Quarter), Origin::Exact, options)
}

fn done(messages: &[Message], rule: Rule) -> Done {
    start(messages, options(rule)).finish()
}

/// Returns the text of each result that the model reads afterwards.
fn texts(messages: &[Message], done: &Done) -> Vec<String> {
    let mut out = Vec::new();
    for message in messages {
        for (part, content) in message.parts.iter().enumerate() {
            let Part::ToolResult { content, .. } = content else { continue };
            let target = done.targets.iter().find(|t| t.message == message.id && t.part == Some(part));
            let text = match target.and_then(|target| target.to.as_ref()) {
                Some(Becomes::Text { text }) => text.clone(),
                Some(Becomes::Content { items }) => format!("{items:?}"),
                _ => match content.as_slice() {
                    [Part::Text { text }] => text.clone(),
                    other => format!("{other:?}"),
                },
            };
            out.push(text);
        }
    }
    out
}

/// Returns a command for each size, in tokens of [`Quarter`].
fn run(sizes: &[usize]) -> Vec<Message> {
    let mut messages = vec![system("You are an agent."), user("Fix the parser.")];
    for (at, size) in sizes.iter().enumerate() {
        let id = format!("c{at}");
        messages.push(call(&id, "bash", &format!(r#"{{"command":"make part{at}"}}"#)));
        messages.push(result(&id, &"word ".repeat(size * 4 / 5)));
    }
    numbered(messages)
}

fn clear(newest: usize, rounds: usize, min_kept_tokens: u64, least: u64) -> Rule {
    Rule::Clear(Clearing {
        newest,
        rounds,
        min_kept_tokens: Some(min_kept_tokens),
        min_freed_tokens: Some(least),
        ..Clearing::default()
    })
}

#[test]
fn old_results_become_a_line_and_the_newest_stay() {
    let messages = run(&[400, 400, 400, 400]);
    let done = done(&messages, clear(2, 0, 0, 0));
    assert_eq!((done.outcome, done.kind, done.rule), (Outcome::Changed, Kind::ClearResult, "clear-result"));
    let texts = texts(&messages, &done);
    assert_eq!(texts[0], "[cleared: bash `make part0`, 1 line, 1,600 characters; recall m3]");
    assert!(texts[1].starts_with("[cleared: ") && texts[2].starts_with("word") && texts[3].starts_with("word"));
    let handles: Vec<&str> = done.removed.iter().map(|removal| removal.recall.as_str()).collect();
    assert_eq!(handles, ["m3", "m5"]);
    assert_eq!(done.before.total - done.after.total, done.removed.iter().map(|removal| removal.tokens).sum::<u64>());
    assert_eq!(
        done.results.before - done.results.after,
        done.gone.iter().map(|gone| gone.before - gone.after).sum::<u64>()
    );
    // A cleared result is not cleared again, and does not count as clearable.
    let again: Vec<Message> = messages
        .iter()
        .cloned()
        .map(|mut message| {
            if let Some(Part::ToolResult { content, .. }) = message.parts.first_mut()
                && let Some(target) = done.targets.iter().find(|target| target.message == message.id)
                && let Some(Becomes::Text { text }) = &target.to
            {
                *content = vec![Part::Text { text: text.clone() }];
            }
            message
        })
        .collect();
    let second = start(&again, options(clear(2, 0, 0, 0))).finish();
    assert_eq!((second.outcome, second.targets.len()), (Outcome::WithinBudget, 0));
}

#[test]
fn what_is_protected_stays() {
    let messages = run(&[400, 400, 400, 400]);
    let cleared = |rule: Rule| done(&messages, rule).gone.len();
    assert_eq!(cleared(clear(0, 0, 0, 0)), 4);
    assert_eq!(cleared(clear(3, 0, 0, 0)), 1);
    assert_eq!(cleared(clear(0, 3, 0, 0)), 1);
    assert_eq!(cleared(clear(0, 0, 1_200, 0)), 1);
    assert_eq!(cleared(clear(0, 0, 1_199, 0)), 2);
    let keep = Options { keep: HashSet::from_iter(["m3".to_string()]), ..options(clear(0, 0, 0, 0)) };
    assert_eq!(start(&messages, keep).finish().gone.len(), 3);
    let exempt =
        Options { exempt: Exempt::Names(HashSet::from_iter(["bash".to_string()])), ..options(clear(0, 0, 0, 0)) };
    assert_eq!(start(&messages, exempt).finish().outcome, Outcome::WithinBudget);
    // A todo list is never cleared.
    let todo = numbered(vec![user("Go."), call("c", "todo_write", "{}"), result("c", &"- [ ] this\n".repeat(200))]);
    assert_eq!(done(&todo, clear(0, 0, 0, 0)).gone.len(), 0);
}

/// The cost of the replacement is subtracted.
#[test]
fn clearing_is_worth_its_gain_or_does_not_happen() {
    let messages = run(&[400, 400, 400]);
    let freed = done(&messages, clear(1, 0, 0, 0)).results;
    let gain = freed.before - freed.after;
    assert!(gain < 800);
    assert_eq!(done(&messages, clear(1, 0, 0, gain)).outcome, Outcome::Changed);
    let small = done(&messages, clear(1, 0, 0, gain + 1));
    assert_eq!((small.outcome, small.targets.len()), (Outcome::SmallGain, 0));
    assert!(small.plan.iter().all(|item| matches!(item, PlanItem::Keep { .. })));
    // A storage with long names uses up the gain; nothing is half done.
    let mut stored = start(&messages, options(clear(1, 0, 0, gain)));
    while stored.next().is_some() {
        stored.settle(Some("/a/rather/long/name/of/a/file/in/a/folder.txt"));
    }
    let stored = stored.finish();
    assert_eq!((stored.outcome, stored.removed.len()), (Outcome::SmallGain, 0));
    // Shares of the messages' room, if the host passes no values: here a fifth is 400 and a tenth 200.
    let frame = stored.before.frame + stored.before.tools;
    let shares = Clearing { budget: Some(2_000 + frame), ..Clearing::default() };
    assert_eq!(done(&messages, Rule::Clear(shares)).gone.len(), 2);
}

#[test]
fn nothing_is_cleared_below_the_line() {
    let messages = run(&[400, 400, 400]);
    let total = done(&messages, clear(0, 0, 0, 0)).before.total;
    let above = |min_request_tokens: u64| {
        Rule::Clear(Clearing {
            min_request_tokens,
            newest: 1,
            min_kept_tokens: Some(0),
            min_freed_tokens: Some(0),
            ..Clearing::default()
        })
    };
    assert_eq!(done(&messages, above(total)).outcome, Outcome::WithinBudget);
    assert_eq!(done(&messages, above(total - 1)).gone.len(), 2);
}

#[test]
fn all_results_get_one_level() {
    let messages = run(&[900, 50, 900]);
    let level = |budget: u64, previous: Option<u64>| done(&messages, Rule::Level { budget, previous });
    let first = level(650, None);
    assert_eq!(first.results.count, 3);
    assert!(first.results.after <= 650 && first.results.after >= 500, "{:?}", first.results);
    assert_eq!(first.gone.len(), 2);
    assert!(first.gone[0].after < first.gone[1].after, "the newest gets most");
    assert!(level(1_000, first.level).level < first.level.map(|level| level + 1));
    assert_eq!(level(1_850, None).outcome, Outcome::WithinBudget);
    // Kept results use their part first.
    let keep = Options {
        keep: HashSet::from_iter(["m3".to_string()]),
        ..options(Rule::Level { budget: 1_200, previous: None })
    };
    let kept = start(&messages, keep).finish();
    assert!(kept.results.after <= 1_200 && kept.gone.iter().all(|gone| gone.message != "m3"));
}

#[test]
fn newest_first_goes_on_behind_what_it_cut() {
    let messages = run(&[300, 2_000, 300]);
    let done = done(&messages, Rule::NewestFirst { budget: 1_000, cap: 200 });
    assert_eq!(done.gone.iter().map(|gone| gone.message.as_str()).collect::<Vec<_>>(), ["m5"]);
    assert!(done.gone[0].after <= 200);
    assert!(texts(&messages, &done)[1].contains("; recall m5]"));
}

/// A result that could not be stored stays, and uses up the budget.
#[test]
fn a_result_that_stays_counts() {
    let messages = run(&[300, 300, 2_000, 300]);
    let mut walk = start(&messages, options(Rule::NewestFirst { budget: 1_000, cap: 200 }));
    let mut asked = Vec::new();
    while let Some(going) = walk.next() {
        assert_eq!(walk.next(), Some(going.clone()), "the same until it is settled");
        asked.push(going.message.clone());
        walk.settle((going.message != "m7").then_some("/x"));
    }
    assert_eq!(asked, ["m7", "m5", "m3"]);
    let done = walk.finish();
    assert_eq!(
        done.gone.iter().map(|gone| (gone.message.as_str(), gone.recall.as_str())).collect::<Vec<_>>(),
        [("m3", "/x"), ("m5", "/x")]
    );
    assert_eq!(done.removed[0].recall, "/x");
}

/// Pictures of a result stay beside the note.
#[test]
fn only_the_texts_of_a_result_go() {
    let picture = Part::Image { media_type: None, data: None, url: Some("https://a.b/c.png".into()), detail: None };
    let mut mixed = result("c0", &"word ".repeat(400));
    if let Some(Part::ToolResult { content, .. }) = mixed.parts.first_mut() {
        content.push(picture);
    }
    let messages = numbered(vec![user("Look."), calls(&["c0"]), mixed]);
    let done = done(&messages, clear(0, 0, 0, 0));
    let Some(Becomes::Content { items }) = &done.targets[0].to else { panic!("{:?}", done.targets) };
    assert!(items[0].as_ref().is_some_and(|text| is_placeholder(text)) && items[1].is_none());
}

/// Independent of whether any text must be removed.
#[test]
fn pictures_beyond_their_bytes_become_notes() {
    let shown = |id: &str| {
        let picture = Part::Image { media_type: None, data: Some("data".into()), url: None, detail: None };
        let mut message = result(id, &"word ".repeat(400));
        if let Some(Part::ToolResult { content, .. }) = message.parts.first_mut() {
            content.push(picture);
        }
        message
    };
    let messages = numbered(vec![user("Look."), calls(&["c0"]), shown("c0"), calls(&["c1"]), shown("c1")]);
    let of = |at: usize| Picture { id: format!("m{at}"), part: 0, item: 1, bytes: 2_000_000 };
    let check = |rule: Rule, most: Option<u64>, keep: &[&str], noted: &[&str]| {
        let keep = keep.iter().map(|id| id.to_string()).collect();
        let options = Options { pictures: vec![of(2), of(4)], picture_bytes: most, keep, ..options(rule) };
        let done = start(&messages, options).finish();
        let found: Vec<&str> = done.pictures.iter().map(|target| target.message.as_str()).collect();
        assert_eq!(found, noted);
        assert_eq!(done.outcome == Outcome::Changed, !(noted.is_empty() && done.gone.is_empty()));
        let heavy: Vec<&str> =
            done.removed.iter().filter(|gone| gone.rule == "heavy-picture").map(|gone| gone.ids[0].as_str()).collect();
        assert_eq!(heavy, noted);
        let freed: u64 = done.removed.iter().map(|removal| removal.tokens).sum();
        assert_eq!(done.before.total - done.after.total, freed);
        // One plan has both: the note for the text, and that for the picture.
        let items = |id: &str| {
            done.plan.iter().find_map(|item| match item {
                PlanItem::Edit { id: of, parts, .. } if of == id => match &parts[0].to {
                    Some(Becomes::Content { items }) => Some(items.iter().map(Option::is_some).collect()),
                    _ => None,
                },
                _ => None,
            })
        };
        for id in ["m2", "m4"] {
            let wanted = [done.gone.iter().any(|gone| gone.message == id), noted.contains(&id)];
            let found: Vec<bool> = items(id).unwrap_or(vec![false; 2]);
            assert_eq!(found, wanted, "{id}");
        }
    };
    let enough = || Rule::Level { budget: 10_000, previous: None };
    check(enough(), None, &[], &["m2"]);
    check(enough(), Some(0), &[], &["m2", "m4"]);
    check(enough(), Some(u64::MAX), &[], &[]);
    check(enough(), None, &["m2"], &[]);
    check(clear(0, 0, 0, 0), None, &[], &["m2"]);
    check(clear(1, 0, 0, 0), Some(0), &[], &["m2", "m4"]);
    check(clear(9, 0, 0, 1_000), None, &[], &["m2"]);
}

#[test]
fn whatever_the_conversation() {
    for seed in 0..1_500 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let messages = random::conversation(&mut rng, 40);
        let rule = match rng.u8(0..3) {
            0 => Rule::Level { budget: rng.u64(0..3_000), previous: rng.bool().then(|| rng.u64(0..400)) },
            1 => Rule::NewestFirst { budget: rng.u64(0..3_000), cap: rng.u64(0..500) },
            _ => Rule::Clear(Clearing {
                min_request_tokens: rng.u64(0..2_000),
                newest: rng.usize(0..4),
                rounds: rng.usize(0..3),
                min_kept_tokens: rng.bool().then(|| rng.u64(0..500)),
                min_freed_tokens: rng.bool().then(|| rng.u64(0..200)),
                budget: rng.bool().then(|| rng.u64(0..5_000)),
                skip_latest: rng.bool(),
                gross: rng.bool(),
            }),
        };
        let style = if rng.u8(0..4) == 0 { Style::GeminiCli } else { Style::Espalier };
        let options = Options { style, ..options(rule.clone()) };
        let mut walk = start(&messages, options.clone());
        if rng.bool() {
            while walk.next().is_some() {
                walk.settle([None, Some("/some/file.txt")][rng.usize(0..2)]);
                if rng.u8(0..5) == 0 {
                    break;
                }
            }
        }
        let done = walk.finish();
        let context = format!("{seed}: {rule:?}");
        assert_eq!(done.outcome == Outcome::Changed, !done.gone.is_empty(), "{context}");
        assert_eq!(done.plan.len(), messages.len(), "{context}");
        let freed: u64 = done.removed.iter().map(|removal| removal.tokens).sum();
        if style == Style::Espalier {
            assert!(done.after.total <= done.before.total, "{context}");
            assert_eq!(done.before.total - done.after.total, freed, "{context}");
            assert!(done.gone.iter().all(|gone| gone.after < gone.before), "{context}");
        }
        if let (Style::Espalier, Rule::Level { budget, .. }) = (style, &rule)
            && done.gone.iter().all(|gone| !gone.recall.starts_with('/'))
            && done.gone.len() == start(&messages, options.clone()).finish().gone.len()
        {
            assert!(done.results.after <= *budget || done.gone.is_empty(), "{context}: {:?}", done.results);
        }
        // The same input gives the same output.
        assert_eq!(start(&messages, options.clone()).finish(), start(&messages, options).finish(), "{context}");
    }
}

#[test]
fn a_result_of_nothing_and_a_conversation_of_nothing() {
    for messages in [vec![], numbered(vec![user("hi")]), numbered(vec![calls(&["c"]), result("c", "")])] {
        for rule in
            [Rule::Level { budget: 0, previous: None }, Rule::NewestFirst { budget: 0, cap: 0 }, clear(0, 0, 0, 0)]
        {
            assert_eq!(done(&messages, rule).targets.len(), 0);
        }
    }
    // A result without a call, and two in one message.
    let mut two = result("a", &"word ".repeat(100));
    two.parts.push(result_part("b", &"word ".repeat(100)));
    let messages = numbered(vec![two]);
    assert_eq!(done(&messages, clear(0, 0, 0, 0)).gone.len(), 2);
}

/// Characters of gemini-cli are UTF-16 units; ours are never split.
#[test]
fn a_preview_keeps_characters_whole() {
    let text = "👍".repeat(1_000);
    let short = gemini::capped(&text, 7, "/f");
    assert!(short.contains("first 1 and last 6 characters") && short.ends_with("👍👍👍"));
    let masked = gemini::masked(Some("x"), &text, None, "/f");
    assert!(gemini::is_masked(&masked) && Quarter.count(&masked) < 300);
}

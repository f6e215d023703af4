//! Older turns are removed whole, and no request stays without its results.

use espalier::history::plan::Removal;
use espalier::history::prune::{Limits, Pass, prune};
use espalier::message::{Message, Part, Role};
use espalier::tokens::Origin;
use espalier_testing::runs;
use fastrand::Rng;

use super::{carry_out, fresh, limits, run};
use crate::support::{Chars, Quarter, TRANSCRIPTS, assistant, calls, meter, numbered, result, transcript, user};

/// The tokens of one letter.
const LETTER: u64 = 5;

fn check(messages: Vec<Message>, budget: u64, expected: &str) {
    let messages = numbered(messages);
    let out = carry_out(&messages, &run(&messages, &limits(budget), &Chars).plan);
    assert_eq!(out.iter().map(|m| m.id.as_str()).collect::<Vec<_>>().join(" "), expected, "within {budget}");
}

/// Returns a round of 26 tokens plus the length of its result.
fn round(id: &str, length: usize) -> Vec<Message> {
    vec![calls(&[id]), result(id, &"r".repeat(length))]
}

#[test]
fn a_talk_loses_its_oldest_questions_with_their_answers() {
    let talk = || vec![user("a"), assistant("b"), user("c"), assistant("d"), user("e"), assistant("f"), user("g")];
    check(talk(), 3 + 7 * LETTER, "m0 m1 m2 m3 m4 m5 m6");
    check(talk(), 3 + 6 * LETTER, "m2 m3 m4 m5 m6");
    check(talk(), 3 + 4 * LETTER, "m4 m5 m6");
    check(talk(), 3 + 2 * LETTER, "m6");
    // An unanswered question is a turn, too.
    check(vec![user("a"), user("b"), assistant("c"), user("d")], 3 + 3 * LETTER, "m1 m2 m3");
    check(vec![user("a"), user("b"), user("c")], 3 + 2 * LETTER, "m1 m2");
}

#[test]
fn the_oldest_turn_that_stays_loses_its_oldest_rounds() {
    let turn = |n: usize| {
        let ids = [n, n + 1, n + 2].map(|id| id.to_string());
        [vec![user("q")], round(&ids[0], 10), round(&ids[1], 10), vec![assistant(&"z".repeat(30))]].concat()
    };
    let talk = || [turn(0), turn(3), vec![user("now")]].concat();
    let whole = fresh(&numbered(talk()), &Chars);
    let one = fresh(&numbered(round("1", 10)), &Chars) - 3;
    let newer = "m6 m7 m8 m9 m10 m11 m12";
    check(talk(), whole - 1, &format!("m0 m3 m4 m5 {newer}"));
    check(talk(), whole - one, &format!("m0 m3 m4 m5 {newer}"));
    check(talk(), whole - one - 1, &format!("m0 m5 {newer}"));
    check(talk(), whole - 2 * one, &format!("m0 m5 {newer}"));
    check(talk(), whole - 2 * one - 1, newer);
    let outline = 5 + 34;
    check(talk(), whole - 2 * one - outline, newer);
    check(talk(), whole - 2 * one - outline - 1, "m6 m9 m10 m11 m12");
    // An interrupted turn keeps its last round with its request, or is removed.
    let talk = || [vec![user("q")], round("1", 10), round("2", 10), vec![user("now")]].concat();
    let whole = fresh(&numbered(talk()), &Chars);
    check(talk(), whole - 1, "m0 m3 m4 m5");
    check(talk(), whole - one - 1, "m5");
}

#[test]
fn short_questions_and_answers_of_the_newest_turns_that_go_stay() {
    // Three turns of 262 tokens of which 22 are question and answer.
    let turn = |n: usize| {
        let rounds = [0, 1].map(|at| round(&format!("{n}{at}"), 94));
        [vec![user("question")], rounds.concat(), vec![assistant("answer")]].concat()
    };
    let talk = || [turn(0), turn(1), turn(2), vec![user("now")]].concat();
    assert_eq!(fresh(&numbered(turn(0)), &Chars) - 3, 262);
    let newest = "m12 m13 m14 m15 m16 m17 m18";
    check(talk(), 3 + 7 + 262 + 2 * 22, &format!("m0 m5 m6 m11 {newest}"));
    check(talk(), 3 + 7 + 262 + 120 + 2 * 22, &format!("m0 m5 m6 m9 m10 m11 {newest}"));
    // They use at most a twelfth of the budget, or less than one more round needs.
    let chat = |n: usize| vec![user("question"), assistant(&format!("{n:060}"))];
    let talk = || [(0..40).flat_map(chat).collect(), turn(1), turn(2), vec![user("now")]].concat();
    check(talk(), 3 + 7 + 262 + 22 + 76, "m78 m79 m80 m85 m86 m87 m88 m89 m90 m91 m92");
    check(talk(), 3 + 7 + 262 + 22 + 76 - 1, "m80 m85 m86 m87 m88 m89 m90 m91 m92");
}

#[test]
fn a_long_request_stays_alone_where_its_answer_does_not_fit() {
    let long = "file ".repeat(100);
    let talk = || vec![user("a"), assistant("b"), user(&long), assistant(&"c".repeat(90)), user("d"), assistant("e")];
    let messages = || [talk(), vec![user("f")]].concat();
    let whole = fresh(&numbered(messages()), &Chars);
    check(messages(), whole - 2 * LETTER, "m2 m3 m4 m5 m6");
    check(messages(), whole - 20, "m0 m1 m2 m4 m5 m6");
    check(messages(), whole - 2 * LETTER - 94, "m2 m4 m5 m6");
    check(messages(), whole - 2 * LETTER - 94 - 1, "m0 m1 m4 m5 m6");
}

#[test]
fn room_that_rounds_of_the_newest_turn_leave_goes_to_older_turns() {
    let old = [vec![user("q")], round("a", 300), round("b", 10), vec![assistant("z")]].concat();
    let newest = [vec![user("now")], round("c", 400), round("d", 60), round("e", 60)].concat();
    let messages = || [old.clone(), newest.clone()].concat();
    // Without the first round of the newest turn there is room for two rounds of the previous one, not for three.
    check(messages(), 3 + 7 + 2 * (26 + 60) + 5 + (26 + 10) + 5 + 20, "m0 m3 m4 m5 m6 m9 m10 m11 m12");
}

#[test]
fn the_reasons_are_right_by_id() {
    let turn = |n: usize| [vec![user("q")], round(&n.to_string(), 100), vec![assistant("answer")]].concat();
    let messages = numbered([turn(0), turn(1), turn(2), vec![user("now")]].concat());
    let reasons = |limits: &Limits| {
        let pruned = run(&messages, limits, &Chars);
        let one = |removal: &Removal| format!("{} {}", removal.rule, removal.ids.join(" "));
        (pruned.removed.iter().map(one).collect::<Vec<_>>().join(", "), pruned.cut)
    };
    let (first, cut) = reasons(&limits(200));
    assert_eq!(first, "old-round m1 m2, old-round m5 m6");
    let (tight, tight_cut) = reasons(&limits(41));
    assert_eq!(tight, "old-turn m0 m1 m2 m3, old-round m5 m6, old-round m9 m10");
    // A removal repeated from an earlier cut has its original reason.
    for (budget, cut, expected) in [(200, cut, &first), (41, tight_cut, &tight)] {
        let held = Limits { previous: Some(cut), ..limits(budget) };
        assert_eq!(reasons(&held).0, *expected);
    }
}

/// Returns the older requests in `out` that were directly followed by rounds and have lost all of those. A long one, of
/// more than a twelfth of the budget, may be among them.
fn deserted(messages: &[Message], out: &[Message], budget: u64) -> Vec<String> {
    let is_left = |id: &str| out.iter().any(|message| message.id == id);
    let is_request = |m: &Message| m.role == Role::User && m.results().next().is_none();
    let spoken: Vec<&Message> = messages.iter().filter(|m| !m.role.is_frame()).collect();
    let newest = spoken.iter().rposition(|m| m.role == Role::User && !m.text().trim().is_empty()).unwrap_or(0);
    let mut found = Vec::new();
    for (at, request) in spoken[..newest].iter().enumerate().filter(|(_, m)| is_request(m) && is_left(&m.id)) {
        let mut turn = spoken[at + 1..newest].iter().take_while(|m| !is_request(m)).peekable();
        if turn.peek().is_some() && !turn.any(|m| is_left(&m.id)) {
            found.push((meter(&Quarter).message(request), request.id.clone()));
        }
    }
    let may_be_one = found.iter().position(|(size, _)| *size > (budget / 14).max(180));
    may_be_one.map(|at| found.remove(at));
    found.into_iter().map(|(_, id)| id).collect()
}

/// Returns requests, rounds and answers in any order and of any length.
fn history(rng: &mut Rng) -> Vec<Message> {
    let below = |rng: &mut Rng, few: usize, many: usize| {
        let most = if rng.bool() { few } else { many };
        rng.usize(0..most)
    };
    let words = |rng: &mut Rng| "w".repeat(1 + below(rng, 20, 400));
    let mut out = Vec::new();
    for turn in 0..rng.usize(1..20) {
        out.extend((0..=below(rng, 1, 3)).map(|_| user(&words(rng))));
        for number in 0..below(rng, 1, 6) {
            out.extend(round(&format!("{turn}-{number}"), rng.usize(0..600)));
        }
        if rng.u32(0..4) > 0 {
            out.push(assistant(&words(rng)));
        }
    }
    numbered(out)
}

#[test]
fn no_request_stays_without_what_came_of_it() {
    let mut rng = Rng::with_seed(3);
    let mut cut = 0;
    for _ in 0..runs(4_000) {
        let messages = history(&mut rng);
        let whole = fresh(&messages, &Quarter);
        let order = [None, Some(Pass::SHRINK.to_vec())][rng.usize(0..2)].clone();
        let budget = rng.u64(10..=whole + 10);
        let limits = Limits { order, note: rng.bool(), ..limits(budget) };
        let Ok(pruned) = prune(&messages, meter(&Quarter), Origin::Exact, &limits) else { continue };
        let out = carry_out(&messages, &pruned.plan);
        assert_eq!(deserted(&messages, &out, budget), [""; 0], "{}\n{}", super::sketch(&messages), super::sketch(&out));
        cut += usize::from(out.len() < messages.len());
        // None does when the talk continues with the earlier cut.
        let longer = numbered([messages, vec![assistant("so"), user("and?")]].concat());
        let held = Limits { previous: Some(pruned.cut), cache_step_share: 0.1, ..limits };
        let Ok(pruned) = prune(&longer, meter(&Quarter), Origin::Exact, &held) else { continue };
        let out = carry_out(&longer, &pruned.plan);
        assert_eq!(deserted(&longer, &out, budget), [""; 0], "{}\n{}", super::sketch(&longer), super::sketch(&out));
    }
    assert!(cut > runs(2_000), "{cut}");
}

#[test]
fn no_transcript_becomes_a_wall_of_requests() {
    for name in TRANSCRIPTS {
        let messages = transcript(name);
        let messages = carry_out(&messages, &run(&messages, &limits(u64::MAX), &Quarter).plan);
        let whole = fresh(&messages, &Quarter);
        for percent in [5, 10, 20, 40, 80] {
            let budget = whole * percent / 100;
            let limits = limits(budget);
            let Ok(pruned) = prune(&messages, meter(&Quarter), Origin::Exact, &limits) else { continue };
            let out = carry_out(&messages, &pruned.plan);
            assert_eq!(deserted(&messages, &out, budget), [""; 0], "{name} at {percent} %");
        }
    }
}

/// Returns an item of a tool that the provider runs: a call or its result.
fn served(id: &str) -> Message {
    let part = Part::Opaque { json: "{}".into(), tokens: None, sealed: None, call_id: Some(id.into()) };
    Message { parts: vec![part], ..assistant("") }
}

#[test]
fn a_program_of_the_provider_goes_with_its_result_and_what_is_between() {
    let turn = |n: usize| {
        let ids = [2 * n, 2 * n + 1].map(|id| id.to_string());
        let name = format!("p{n}");
        [vec![user("q"), served(&name)], round(&ids[0], 10), round(&ids[1], 10), vec![served(&name)]].concat()
    };
    let talk = numbered([turn(0), turn(1), vec![user("now")]].concat());
    let whole = fresh(&talk, &Chars);
    for budget in 20..whole {
        let Ok(planned) = prune(&talk, meter(&Chars), Origin::Exact, &limits(budget)) else { continue };
        let out = carry_out(&talk, &planned.plan);
        let ids: Vec<&str> = out.iter().map(|message| message.id.as_str()).collect();
        for program in [["m1", "m2", "m3", "m4", "m5", "m6"], ["m8", "m9", "m10", "m11", "m12", "m13"]] {
            let kept = program.iter().filter(|id| ids.contains(id)).count();
            assert!(kept == 0 || kept == program.len(), "within {budget}: {ids:?}");
        }
    }
}

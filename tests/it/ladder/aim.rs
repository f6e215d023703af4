//! The target of a summary: the order in which content yields, and the report if the target is out of reach.

use std::rc::Rc;

use espalier::compact::budget::Budget;
use espalier::compact::profile::{ESPALIER, Profile, Rung};
use espalier::compact::{Compacted, Cover, Options};
use espalier::message::Message;

use super::compacted;
use crate::support::{Quarter, call, numbered, result, user};

/// Returns an agent's run whose commands are all different; every third fails.
fn run(rounds: usize, lines: usize) -> Vec<Message> {
    let mut messages = vec![user("Never touch the lexer. Fix the parser.")];
    for n in 0..rounds {
        let id = format!("c{n}");
        messages.push(call(&id, "bash", &format!(r#"{{"command":"make part{n} --with option{n}"}}"#)));
        let end = if n % 3 == 0 { format!("error: part{n} has no rule\nexit code: 2") } else { "exit code: 0".into() };
        messages.push(result(&id, &format!("{}{end}", format!("line of part {n}\n").repeat(lines))));
    }
    numbered(messages)
}

fn done(messages: &[Message], budget: u64, profile: Profile) -> (Compacted, Budget) {
    let done = compacted(
        messages,
        Options { budget, profile, target_share: Some(0.4), ..Options::default() },
        Rc::new(Quarter),
    );
    let aim = done.aim.expect("a summary was made");
    assert!(done.after.total <= aim.target.max(aim.floor), "{} {aim:?}", done.after.total);
    let of = Budget::of(budget, done.before.frame, &ESPALIER, 0.4);
    assert_eq!((aim.target, aim.reached), (of.target, done.after.total <= of.target));
    (done, of)
}

/// Returns the default profile without the steps that would make a summary unnecessary.
fn no_cheap_steps() -> Profile {
    Profile { ladder: vec![Rung::Summary, Rung::Offline, Rung::Fit].into(), ..Profile::default() }
}

fn tail(done: &Compacted) -> u64 {
    done.quality.as_ref().and_then(|quality| quality.boundary.as_ref()).expect("a cut").tail
}

#[test]
fn with_few_facts_the_tail_has_its_share() {
    for budget in [8_000, 32_000] {
        let (done, of) = done(&run(budget as usize / 200, 60), budget, no_cheap_steps());
        let share = of.keep_recent as f64;
        let tail = tail(&done) as f64;
        assert!(done.aim.unwrap().reached && tail >= share * 0.5 && tail <= share * 1.25, "{tail} of {share}");
    }
}

#[test]
fn many_facts_take_room_of_the_tail_but_for_the_newest_round() {
    let messages = run(660, 30);
    let (done, of) = done(&messages, 32_000, no_cheap_steps());
    assert!(tail(&done) <= of.keep_recent, "{} of {}", tail(&done), of.keep_recent);
    let quality = done.quality.unwrap();
    for kind in ["commands", "errors"] {
        let found = quality.of(kind).unwrap();
        assert!(found.share() >= 0.8, "{found:?}");
    }
    let last = messages.last().unwrap().id.as_str();
    assert!(done.messages.iter().any(|row| row.id == last && row.after > 0), "the newest round is there");
}

/// In a small window the current work is worth more than lines about old work.
#[test]
fn in_a_small_window_part_of_the_tail_stays() {
    let (done, of) = done(&run(700, 30), 8_000, Profile::default());
    assert!(done.aim.unwrap().reached);
    assert!(tail(&done) >= of.keep_recent / 4, "{} of {}", tail(&done), of.keep_recent);
    let commands = done.quality.as_ref().unwrap().of("commands").unwrap();
    let counted: usize = done.ledger.iter().map(|shown| shown.left_out).sum();
    assert!(commands.recall > 100 && counted >= commands.recall, "{commands:?}: {counted}");
}

#[test]
fn a_newest_round_above_the_target_is_told_as_the_floor() {
    let mut messages = run(60, 30);
    messages.push(call("z", "bash", r#"{"command":"cat all"}"#));
    messages.push(result("z", &"what the file says\n".repeat(1_100)));
    let (done, of) = done(&numbered(messages), 10_000, Profile::default());
    let aim = done.aim.unwrap();
    assert!(!aim.reached && aim.must_keep > of.target, "{aim:?}");
    // Nothing removable is left beside it, and the record stays within its share.
    assert_eq!(done.after.total, aim.floor, "{aim:?}");
    assert!(done.after.total <= 10_000);
}

/// A file that was just read can be read again; facts that a record has no room for are lost.
#[test]
fn one_long_result_leaves_the_past_half_of_the_target() {
    let lines_of_past = |file: usize| {
        let mut messages = run(90, 30);
        messages.push(call("z", "read", r#"{"path":"src/all.rs"}"#));
        let text: String = (0..file).map(|line| format!("let part_{line} = read({line});\n")).collect();
        messages.push(result("z", &text));
        let messages = numbered(messages);
        let done = compacted(&messages, Options { budget: 6_000, ..Options::default() }, Rc::new(Quarter));
        assert!(done.after.total <= 6_000, "{}", done.after.total);
        let shown = |kind: &str| done.quality.as_ref().unwrap().of(kind).unwrap().own_line;
        (shown("commands") + shown("errors"), done.after.total)
    };
    let (few, with_little) = (lines_of_past(10), lines_of_past(750));
    assert!(with_little.0 * 2 > few.0, "{with_little:?} of {few:?}");
    assert!(with_little.1 > 5_700, "{with_little:?}");
}

#[test]
fn what_somebody_chose_has_no_target() {
    let messages = run(60, 30);
    let cover = Some(Cover { from: Some("m1".into()), to: Some("m80".into()) });
    let done = compacted(&messages, Options { budget: 100_000, cover, ..Options::default() }, Rc::new(Quarter));
    assert!(done.summary.is_some() && done.aim.is_none());
}

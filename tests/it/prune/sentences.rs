//! Sentences of the messages that a request omits.

use espalier::compact::facts::excerpt;
use espalier::history::prune::{Limits, Sentences, prune};
use espalier::message::{Message, Role};
use espalier::tokens::Origin;
use espalier_testing::runs;
use fastrand::Rng;

use super::{carry_out, fresh, limits, run};
use crate::support::{Chars, Quarter, assistant, calls, meter, numbered, random, result, user};

fn of(share: f64, budget: u64) -> Limits {
    Limits { sentences: Some(Sentences { share, excerpt }), ..limits(budget) }
}

fn talk() -> Vec<Message> {
    let filler = "Well, that is how it goes, you know, more or less as ever. ".repeat(4);
    let turn = |n: usize| {
        let fact = format!("{filler}My locker in hall {n} is number {}. {filler}", 400 + n);
        vec![user(&fact), assistant(&format!("{filler}So be it."))]
    };
    numbered([(0..20).flat_map(turn).collect(), vec![user("Where is my locker?")]].concat())
}

#[test]
fn what_was_left_out_still_says_what_matters() {
    let messages = talk();
    let pruned = run(&messages, &of(0.5, 3_000), &Chars);
    let out = carry_out(&messages, &pruned.plan);
    let first = out[0].text();
    assert!(first.starts_with("[3") && first.contains("messages were left out; recall m0..m3"), "{first}");
    assert!(first.contains("\nuser: … My locker in hall 3 is number 403."), "{first}");
    let [note] = &pruned.notes[..] else { panic!("one note") };
    assert!(first.starts_with(&format!("{}\n", note.text)) && note.text.ends_with(']'));
    let held = |out: &[Message]| {
        let all = out.iter().map(Message::text).collect::<String>();
        (0..20).filter(|n| all.contains(&format!("number {}.", 400 + n))).count()
    };
    let whole = carry_out(&messages, &run(&messages, &limits(3_000), &Chars).plan);
    assert!(held(&out) >= 18 && held(&whole) < 7, "{} {}", held(&out), held(&whole));
    // The newest request is still at the end, and the newest answers are whole.
    assert_eq!(out.last().map(Message::text).as_deref(), Some("Where is my locker?"));
    assert!(out.len() >= 5 && out[1..].iter().all(|message| messages.contains(message)));
}

#[test]
fn without_a_share_only_what_is_too_little_for_a_turn_is_used() {
    let messages = talk();
    let [small, plain] = [of(0.01, 3_000), limits(3_000)].map(|limits| run(&messages, &limits, &Chars));
    assert!(plain.after.messages.abs_diff(small.after.messages) <= 2 && small.after.total > plain.after.total);
}

#[test]
fn nothing_is_said_of_what_fits_or_says_nothing() {
    let whole = fresh(&talk(), &Chars);
    assert_eq!(run(&talk(), &of(0.5, whole), &Chars).notes, []);
    // Rounds of tools have no sentences: the room goes to messages.
    let rounds = (0..40).flat_map(|n| [calls(&[&n.to_string()]), result(&n.to_string(), &"r".repeat(50))]);
    let messages = numbered([vec![user("go")], rounds.collect(), vec![user("now")]].concat());
    assert_eq!(run(&messages, &of(0.5, 900), &Chars), run(&messages, &limits(900), &Chars));
}

#[test]
fn it_fits_whatever_is_said() {
    let mut rng = Rng::with_seed(9);
    let mut noted = 0;
    for _ in 0..runs(2_000) {
        let most = rng.usize(2..40);
        let messages = random::conversation(&mut rng, most);
        let budget = rng.u64(10..=fresh(&messages, &Quarter) + 10);
        let limits = Limits { note: rng.bool(), ..of(rng.f64(), budget) };
        let Ok(pruned) = prune(&messages, meter(&Quarter), Origin::Exact, &limits) else { continue };
        let out = carry_out(&messages, &pruned.plan);
        assert_eq!(fresh(&out, &Quarter), pruned.after.total);
        assert!(pruned.after.total <= budget);
        let is_newest = |m: &&Message| m.role == Role::User && !m.text().trim().is_empty();
        if let Some(newest) = messages.iter().rev().find(is_newest) {
            let kept = out.iter().find(|message| message.id == newest.id).expect("the newest request");
            assert!(kept.text().ends_with(&newest.text()));
        }
        let freed: u64 = pruned.removed.iter().map(|r| r.tokens).sum();
        let inserted: u64 = pruned.messages.iter().filter(|r| r.before == 0).map(|r| r.after).sum();
        let notes: u64 = pruned.notes.iter().map(|note| note.tokens).sum();
        assert_eq!(pruned.before.total + inserted + notes - freed, pruned.after.total);
        noted += usize::from(!pruned.notes.is_empty());
    }
    assert!(noted > runs(200), "{noted}");
}

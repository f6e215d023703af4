//! The facts of a history with more sentences than are compared with each other.

use espalier::compact::facts::{Facts, Speaker};

/// Letters instead of a number, which would be a figure.
fn word(mut number: usize) -> String {
    let mut word = String::from("talk");
    while number > 0 {
        word.push(char::from(b'a' + (number % 26) as u8));
        number /= 26;
    }
    word
}

#[test]
fn early_facts_stay_among_the_best_of_a_very_long_history() {
    let mut facts = Facts::default();
    let early = ["The account of Nora Vance is 48151623.", "The Zephyr contract ends on 2027-03-04."];
    for fact in early {
        facts.add("early", Speaker::User, fact);
    }
    for number in 0..20_000 {
        facts.add(&format!("m{number}"), Speaker::User, &format!("We then spoke about {} for a while.", word(number)));
    }
    let best: Vec<&str> = facts.ranked(60).into_iter().map(|fact| fact.sentence).collect();
    assert!(best.len() < 20, "{} facts", best.len());
    for fact in early {
        assert!(best.contains(&fact), "{fact} is not among {best:?}");
    }
}

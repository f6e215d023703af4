//! A later statement replaces an earlier one of the same key, and of no other.

use espalier::compact::facts::{Facts, Speaker};
use espalier::compact::ledger::{Ledger, Rules};

use crate::support::{numbered, user};

fn held(said: &[(Speaker, &str)]) -> Vec<String> {
    let mut facts = Facts::default();
    for (at, (speaker, text)) in said.iter().enumerate() {
        facts.add(&format!("m{at}"), *speaker, text);
    }
    let mut all = facts.ranked(1_000_000);
    all.sort_by_key(|fact| fact.index);
    all.into_iter().map(|fact| fact.sentence.to_string()).collect()
}

fn replaces(earlier: &str, later: &str) {
    let said =
        [(Speaker::User, earlier), (Speaker::User, "The weather was fine in the mountains."), (Speaker::User, later)];
    let held = held(&said);
    assert!(!held.contains(&earlier.to_string()), "{earlier:?} is still there beside {later:?}");
    assert!(held.contains(&later.to_string()), "{later:?} is gone");
}

fn both_stay(earlier: &str, later: &str) {
    let held = held(&[(Speaker::User, earlier), (Speaker::User, later)]);
    assert_eq!(held, [earlier, later]);
}

#[test]
fn the_newest_value_of_a_key_wins() {
    replaces("The budget is $500.", "The budget is $700.");
    replaces("The budget is $500.", "From now on the budget is 700 dollars.");
    replaces("The release date is 2027-03-04.", "The release date has changed to 2027-05-06.");
    replaces("The reviewer this week is Bea Frost.", "Carl Dorn is the reviewer now.");
    replaces("Deliver it on Monday, not earlier.", "Not Monday any more: deliver it on Wednesday.");
    replaces("At most three attempts.", "Actually, allow five attempts instead of three.");
    replaces("Das Budget ist 500 Euro.", "Das Budget ist jetzt 700 Euro.");
    replaces("联系人只能是王经理。", "联系人换成李女士，不再是王经理。");
}

#[test]
fn different_things_do_not_replace_each_other() {
    both_stay("Order 12 costs $5.", "Order 13 costs $7.");
    both_stay("The production database is in eu-north-1.", "The staging database is in us-west-2.");
    both_stay("Run unit tests with pytest.", "Run integration tests with make.");
    both_stay("We sold 5 boxes.", "We sold 7 boxes.");
    both_stay("Never touch the parser tests.", "Now fix the parser tests.");
    both_stay("Gate 5 closes at 10:00.", "Gate 6 closes at 10:30.");
}

#[test]
fn an_answer_or_a_question_does_not_replace_what_the_user_said() {
    let of = |speaker, later| held(&[(Speaker::User, "The budget is $500."), (speaker, later)]);
    assert!(of(Speaker::Assistant, "The budget is $900.").contains(&"The budget is $500.".to_string()));
    assert!(of(Speaker::Tool, "The budget is $900.").contains(&"The budget is $500.".to_string()));
    assert!(of(Speaker::User, "The budget is $900?").contains(&"The budget is $500.".to_string()));
}

#[test]
fn rules_and_requests_leave_with_what_they_said() {
    let messages = numbered(vec![user("The limit must be $500."), user("Go on."), user("The limit must be $700.")]);
    let ledger = Ledger::fold(&messages, &Rules::default());
    assert_eq!(ledger.constraints.len(), 1);
    assert_eq!(ledger.constraints[0].sentence, "The limit must be $700.");
    let replaced: Vec<bool> = ledger.requests.iter().map(|request| request.is_replaced).collect();
    assert_eq!(replaced, [true, false, false]);
}

#[test]
fn ten_thousand_requests_of_one_word_take_no_time() {
    let mut facts = Facts::default();
    for at in 0..10_000 {
        facts.add(&format!("m{at}"), Speaker::User, ["now", "go", "The cap is 5 now.", "no longer"][at % 4]);
    }
    assert!(facts.ranked(1_000).len() <= 4);
}

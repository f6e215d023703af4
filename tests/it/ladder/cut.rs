//! Which boundary is the cheapest.

use espalier::compact::cut::{Deed, choose};
use espalier::compact::profile::ESPALIER;
use espalier::history::draft::Draft;
use espalier::history::group::groups;
use espalier::tokens::Origin;

use crate::support::{Chars, assistant, meter, numbered, user};

/// One request and ten rounds of 100 tokens each, with a wanted tail of 300. `expected` is the first group of the tail.
fn check(deeds: &[(usize, Deed)], expected: usize) {
    let mut messages = vec![user("go")];
    messages.extend((0..10).map(|_| assistant(&"x".repeat(96))));
    let messages = numbered(messages);
    let draft = Draft::new(&messages, meter(&Chars), Origin::Exact);
    let groups = groups(&draft);
    let mut all = vec![Deed::default(); groups.len()];
    for &(at, deed) in deeds {
        all[at] = deed;
    }
    let cut = choose(&draft, &groups, 300, &ESPALIER.cut, &all, |_| false).unwrap();
    assert_eq!(cut.boundary, expected);
    assert_eq!(cut.carried, [0]);
    assert_eq!(cut.tail_tokens, (11 - expected as u64) * 100);
}

#[test]
fn an_edit_stays_with_its_check_and_a_failure_with_its_cure() {
    let edit = Deed { edits: true, ..Deed::default() };
    let run = Deed { runs: true, ..Deed::default() };
    let failure = Deed { fails: true, runs: true, ..Deed::default() };
    check(&[], 8);
    // Half the target is expensive, a third of it is not.
    check(&[(7, edit), (8, run)], 9);
    check(&[(7, edit)], 8);
    check(&[(8, run)], 8);
    check(&[(7, failure)], 8);
    check(&[(7, Deed { edits: true, ..failure }), (8, failure)], 9);
}

#[test]
fn the_tail_lies_between_half_and_five_quarters_of_the_target() {
    // The boundary after 400 tokens is outside the window, however cheap it would be.
    let dear = Deed { edits: true, runs: true, fails: true };
    check(&[(7, dear), (8, dear), (9, dear)], 8);
}

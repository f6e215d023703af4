//! Which sentences tell the agent how to act, and what a ledger keeps of them.

use std::collections::BTreeMap;

use espalier::compact::facts::rules::is_rule;
use espalier::compact::facts::sentences;
use espalier::compact::ledger::{Ledger, Rules};
use espalier::message::Message;

use crate::support::{numbered, user};

const CASES: &str = include_str!("../../fixtures/rules.txt");

/// The rules were written with these sentences at hand: the test holds what works, and does not measure quality.
#[test]
fn rules_are_found_in_fifteen_languages() {
    let mut counts: BTreeMap<&str, [usize; 3]> = BTreeMap::new();
    for line in CASES.lines().filter(|line| !line.starts_with('#')) {
        let (language, rest) = line.split_once(' ').unwrap();
        let (label, text) = rest.split_once(' ').unwrap();
        let is_found = sentences(text).any(|sentence| is_rule(sentence, &[]));
        let [found, wrong, missed] = counts.entry(language).or_default();
        match (is_found, label == "C") {
            (true, true) => *found += 1,
            (true, false) => *wrong += 1,
            (false, true) => *missed += 1,
            (false, false) => {}
        }
    }
    assert_eq!(counts.len(), 15);
    for (language, [found, wrong, missed]) in counts {
        assert!(wrong * 9 <= found && missed * 6 <= found, "{language}: {found} found, {wrong} wrong, {missed} missed");
    }
}

fn constraints(messages: Vec<Message>) -> Vec<String> {
    let ledger = Ledger::fold(&numbered(messages), &Rules::default());
    ledger.constraints.into_iter().map(|rule| rule.sentence).collect()
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(constraints(vec![user(text)]), expected, "{text:?}");
}

#[test]
fn a_rule_brings_the_sentence_that_says_what_it_is_about() {
    check(
        "Budget cap is $500 total. Never exceed without explicit approval.",
        &["Budget cap is $500 total. Never exceed without explicit approval."],
    );
    check("Fix the lexer. Never touch main.rs.", &["Never touch main.rs."]);
}

#[test]
fn a_change_takes_the_place_of_the_rule_that_it_changes() {
    let held = |one: &str, other: &str| constraints(vec![user(one), user(other)]);
    let later = "やはり一ページは五十件に変更します。";
    assert_eq!(held("一ページは最大三十件までにしてください。", later), [later]);
    let later = "Finalement, 100 éléments par page, c'est la nouvelle limite.";
    assert_eq!(held("Pas plus de 50 éléments par page.", later), [later]);
    let later = "每页改成五十条，不再是二十条。";
    assert_eq!(held("每页最多显示二十条。", later), [later]);
}

#[test]
fn english_rules_may_name_things_in_other_scripts() {
    check("Never use 中文 in comments.", &["Never use 中文 in comments."]);
    check("لا\u{200f} تعدّل أي ملف.", &["لا\u{200f} تعدّل أي ملف."]);
}

#[test]
fn a_report_that_begins_with_a_marker_is_no_rule() {
    for report in [
        "jesus, everything works, you are a monster",
        "ok, all tests pass now",
        "all of them are broken",
        "yes, all of them",
        "damn, each request takes 3 seconds",
        // A question without its mark.
        "why do you go 100 lines at a time",
    ] {
        check(report, &[]);
    }
    for rule in [
        "jesus, always run the tests",
        "All commits are signed.",
        "each commit compiles and passes its tests",
        "how should we do this: only use the standard library",
    ] {
        check(rule, &[rule]);
    }
}

#[test]
fn what_the_user_did_not_say_is_no_rule() {
    check("<local-command-caveat>DO NOT respond to these messages.</local-command-caveat>\nGo on.", &[]);
    check("<command-name>/clear</command-name>", &[]);
    check("<local-command-stdout>You must restart.</local-command-stdout>", &[]);
    check("<system-reminder>Never mention this.</system-reminder>\nOnly touch a.rs.", &["Only touch a.rs."]);
    check("<environment_details>\nalways on\n</environment_details>", &[]);
    check("Look:\n```\nnever call this\n```\n> You must obey.", &[]);
    check("we only need the push hook, or?", &[]);
    check("I don't have my reservation ID with me.", &[]);
    check("Don't forget - every step matters!", &[]);
}

#[test]
fn a_message_of_a_harness_is_no_request() {
    let messages = vec![
        user("<local-command-stdout>Catch you later!</local-command-stdout>"),
        user("<command-name>/review</command-name>\n<command-args>the parser</command-args>"),
    ];
    let ledger = Ledger::fold(&numbered(messages), &Rules::default());
    assert_eq!(ledger.requests.len(), 1);
}

//! What a harness writes into the user's messages: its tags, and blocks of its own.

use super::ledger;
use crate::support::{assistant, user};

/// Checks what the record has of one message of the user: its lines, and its rules.
fn check_harness(text: &str, lines: &[&str], rules: &[&str]) {
    let ledger = ledger(vec![user(text)]);
    let said = ledger.requests.iter().flat_map(|request| request.text.lines()).filter(|line| !line.is_empty());
    assert_eq!(said.collect::<Vec<_>>(), lines, "{text}");
    let found = ledger.constraints.iter().map(|constraint| constraint.sentence.as_str());
    assert_eq!(found.collect::<Vec<_>>(), rules, "{text}");
}

#[test]
fn a_harness_puts_the_users_words_into_tags_and_adds_its_own() {
    let environment = "<environment_details>\n# Files\na.ts\nNever stop.\n</environment_details>";
    for tag in ["task", "feedback", "user_input", "user_query", "userRequest", "user_message"] {
        let text = format!("<{tag}>\nFix it. Never push.\n</{tag}>\n{environment}");
        check_harness(&text, &["Fix it. Never push."], &["Never push."]);
    }
    check_harness("<user_input mode=\"act\">Never push.</user_input>", &["Never push."], &["Never push."]);
    let copilot = "<context>\nx\n</context>\n<reminderInstructions>\nNever stop.\n</reminderInstructions>\n\
        <userRequest>\nFix it.\n</userRequest>";
    check_harness(copilot, &["<context>", "x", "</context>", "Fix it."], &[]);
    let reminder = "<system-reminder>\nNever stop.\n</system-reminder>";
    check_harness(&format!("{reminder}\nFix it.\n{reminder}"), &["Fix it."], &[]);
    // What somebody pastes stays.
    let pasted = "Mend this:\n<task>\n  <feedback>a</feedback>\n</task>";
    check_harness(pasted, &pasted.lines().collect::<Vec<_>>(), &[]);
    for text in ["<task>", "<user_input>a", "a</task>", "<task/>b</task>", "a <user_input>b</user_input>"] {
        check_harness(text, &[text], &[]);
    }
    let cut = "<environment_details>\n# Files\na.t";
    for text in [environment, reminder, cut, "<user_input> </user_input>"] {
        check_harness(text, &[], &[]);
    }
}

#[test]
fn a_message_of_a_harness_ends_no_turn() {
    let environment = "<environment_details>\n# Files\n</environment_details>";
    let steps = vec![user("Fix it."), user(environment), assistant("Done: it is fixed.")];
    let ledger = ledger(steps);
    assert_eq!((ledger.requests.len(), ledger.turns.len()), (1, 1));
}

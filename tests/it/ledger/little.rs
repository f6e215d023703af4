//! Records in little room: what stays, and what takes no room.

use espalier::compact::ledger::render::{Shares, blocks};
use espalier::compact::ledger::{Ledger, Request, Rules};
use espalier::compact::offline::beside_lists;
use espalier::message::Message;
use espalier::tokens::Tokenizer;

use super::ledger;
use super::record::{read_back, record};
use crate::support::{Quarter, assistant, call, numbered, result, user};

const GOAL: &str = "Migrate the Harfang scheduler to tokio by Friday. The reviewer is Dilnoza.";
const LITTLE: Shares = Shares { user: 60, ledger: 80, entries: 160, least: 80, room: 300, is_last_told: false };

fn work(call_id: &str) -> Vec<Message> {
    let command = format!(r#"{{"command":"cargo test part{call_id}"}}"#);
    vec![call(call_id, "bash", &command), result(call_id, "ok"), assistant("The part works.")]
}

#[test]
fn messages_without_content_words_are_told_apart() {
    let has_content = |text: &str| Request::new("m1", text.into(), false).has_content();
    for text in ["ok", "OK!", "wow", "yes, please go on", "thanks, great", "?", "👍", "ja, weiter", "хорошо", "好的"]
    {
        assert!(!has_content(text), "{text}");
    }
    for text in ["no, not that one", "don't", "use tabs", "commit", "ok, now the lexer", "part 2", "stop"] {
        assert!(has_content(text), "{text}");
    }
}

#[test]
fn the_first_request_outlives_chatter_and_later_details() {
    let mut messages = vec![user(GOAL)];
    messages.extend(work("0"));
    for (at, text) in ["Now part two of it.", "wow", "And the third.", "ok", "great, thanks", "yes"].iter().enumerate()
    {
        messages.push(user(text));
        messages.extend(work(&format!("{at}a")));
    }
    let tight = Shares { user: 70, ledger: 0, entries: 0, least: 0, room: 70, is_last_told: false };
    let text = record(&ledger(messages), tight).text();
    assert!(text.contains("] Migrate the Harfang scheduler"), "{text}");
    assert!(text.contains("] And the third.") && !text.contains("] wow") && !text.contains("] ok"), "{text}");
}

#[test]
fn record_after_record_keeps_the_first_request_and_the_newest_rule() {
    let mut last = record(&ledger([vec![user(GOAL)], work("0")].concat()), LITTLE);
    for round in 0..20 {
        let mut messages = vec![last, user(&format!("Never touch file{round}.rs, please."))];
        messages.extend(work("a"));
        for text in ["ok", "wow", "Now look at the next one as well."] {
            messages.push(user(text));
            messages.extend(work("b"));
        }
        last = record(&Ledger::fold(&numbered(messages), &Rules::default()), LITTLE);
        let text = last.text();
        assert!(text.contains("Migrate the Harfang scheduler"), "{round}: {text}");
        assert!(text.contains(&format!(": Never touch file{round}.rs, please.")), "{round}: {text}");
        assert_eq!(read_back(&last).requests[0].text.find("Migrate"), Some(0));
    }
}

/// A goal that is older than all the lines that a record could hold.
#[test]
fn hundreds_of_later_requests_do_not_displace_the_first() {
    let mut messages = vec![user(GOAL)];
    messages.extend(work("0"));
    messages.extend((0..400).map(|n| user(&format!("Then read chapter {n} of the manual."))));
    let ledger = ledger(messages);
    for recalls in [true, false] {
        let made = blocks(&ledger, LITTLE, recalls, &Quarter);
        assert!(made.text.contains("[m0] Migrate"), "{}", made.text);
        let users = &made.shown[0];
        assert_eq!(users.lines + users.left_out, 401);
        assert!(!recalls || made.text.contains("more left out, between m4 and "), "{}", made.text);
    }
}

#[test]
fn a_block_is_not_only_a_count() {
    let mut messages = vec![user(GOAL)];
    for n in 0..30 {
        let id = n.to_string();
        messages.push(call(&id, "bash", &format!(r#"{{"command":"make target-number-{n} with-a-long-name"}}"#)));
        messages.push(result(&id, &format!("error: target {} is broken\nexit code: 2", "x".repeat(n + 1))));
    }
    let ledger = ledger(messages);
    let is_count_alone = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        lines
            .windows(3)
            .any(|three| three[0].starts_with('<') && three[1].starts_with('(') && three[2].starts_with("</"))
    };
    let tight = Shares { user: 20, ledger: 0, entries: 0, least: 0, room: 20, is_last_told: false };
    let made = blocks(&ledger, tight, false, &Quarter);
    assert!(!is_count_alone(&made.text) && !made.text.contains("<errors>"), "{}", made.text);
    // The report still counts them, and so does the record of an agent that can recall.
    assert!(made.shown.iter().any(|shown| shown.lines == 0 && shown.left_out > 0));
    assert!(is_count_alone(&blocks(&ledger, tight, true, &Quarter).text));
}

const SAID: &str = "\
Here are the flights:

1. **Flight HAT069**
   - Departure: 06:00
   - Arrival: 12:00
2. **Flight HAT083**
   - Departure: 01:00
   - Arrival: 07:00

HAT083 is the cheapest. Which flight shall I book?";

#[test]
fn in_little_room_the_last_sentences_stay_whole() {
    let ledger = ledger([vec![user(GOAL)], work("0"), vec![assistant(SAID)]].concat());
    let text = |max| beside_lists(&ledger, None, max, &Quarter);
    let (small, middle, large) = (text(50), text(90), text(400));
    assert!(small.ends_with("m4: … HAT083 is the cheapest. Which flight shall I book?"), "{small}");
    // Not the times of a flight without its number.
    assert!(middle.contains("m4: … 2. **Flight HAT083**\n   - Departure: 01:00"), "{middle}");
    assert!(large.contains(SAID), "{large}");
    for max in 48..200 {
        let text = text(max);
        assert!(Quarter.count(&text) <= max && !text.contains("[cut"), "{max}: {text}");
    }
}

#[test]
fn the_work_of_earlier_records_has_no_headings() {
    let begun = [vec![user(GOAL)], work("0")].concat();
    let mut ledger = ledger([begun.clone(), vec![assistant("The queue needs `JobQueue`. Let me read it:")]].concat());
    let mut texts = Vec::new();
    for said in ["I moved spawn() to src/pool.rs. I will run it.", "Which of them do you mean?", "Queue 7 hangs."] {
        let text = beside_lists(&ledger, Some(("m9", "Go on.")), 1_000, &Quarter);
        assert_eq!(text.matches("Active Work State").count(), 1, "{text}");
        assert!(text.contains("- m9 is the current request and stands outside this record word for word.\n"), "{text}");
        let made = format!(
            "<conversation-summary covers=\"9\" followed=\"1\">\n<summary>\n{text}\n</summary>\n</conversation-summary>"
        );
        let mut messages = vec![crate::support::record(&made), user("Next one.")];
        messages.extend(work("1"));
        messages.push(assistant(said));
        ledger = Ledger::fold(&numbered(messages), &Rules::default());
        texts.push(text);
    }
    let last = beside_lists(&ledger, None, 1_000, &Quarter);
    let (earlier, _) = last.split_once("\n\n## Active Work State").unwrap();
    // A question and an announcement without names are over; ids are those of other messages by now.
    assert_eq!(
        earlier,
        "## Earlier record\n~m4: The queue needs `JobQueue`. Let me read it:\n\
         ~m5: I moved spawn() to src/pool.rs. I will run it."
    );
}

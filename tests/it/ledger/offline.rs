//! How rules shorten a summary that a model, or rules, wrote earlier.

use espalier::compact::form::EIGHT;
use espalier::compact::ledger::{Ledger, Rules};
use espalier::compact::offline::{beside_lists, offline};
use espalier::message::Message;
use espalier::tokens::Tokenizer;

use crate::support::{Quarter, assistant, calls, numbered, record, user};

/// Returns a ledger with an earlier summary of `lines` lines in each section, and later messages.
fn ledger(name: &str, lines: usize) -> Ledger {
    let sections: Vec<String> = EIGHT
        .sections
        .iter()
        .map(|section| {
            let lines: Vec<String> =
                (0..lines).map(|n| format!("- {name}: {} has line {n:03}.", &section.name)).collect();
            format!("## {}\n{}", section.name, lines.join("\n"))
        })
        .collect();
    Ledger::fold(&behind(&sections.join("\n\n")), &Rules::default())
}

fn behind(summary: &str) -> Vec<Message> {
    numbered(vec![
        record(&format!(
            "<conversation-summary covers=\"9\" followed=\"1\">\n<summary>\n{summary}\n</summary>\n</conversation-summary>"
        )),
        user("Now mend the printer."),
        assistant("The printer prints twice because the queue is read twice. I will read it once."),
    ])
}

/// Returns the numbers of the lines that are left of a section.
fn left(text: &str, name: &str, section: &str) -> Vec<usize> {
    let start = format!("- {name}: {section} has line ");
    let numbers = text.lines().filter_map(|line| line.strip_prefix(&start)?.strip_suffix('.'));
    numbers.map(|number| number.parse().unwrap()).collect()
}

#[test]
fn sections_of_an_earlier_summary_stay_and_the_extract_stands_below_them() {
    let text = offline(&ledger("model", 2), None, 2_000, &Quarter);
    let (earlier, extract) = text.split_once("\n\n## Conversation Overview\n").unwrap();
    assert!(earlier.starts_with("## Earlier record\n## Conversation Overview\n- model"), "{text}");
    for section in EIGHT.sections.iter() {
        assert_eq!(left(earlier, "model", &section.name), [0, 1], "{text}");
        assert!(earlier.contains(&format!("## {}\n", section.name)));
    }
    assert!(extract.contains("Now mend the printer.") && !text.contains("left out"), "{text}");
}

/// The line about the current request is true of one request only, and of the newest record.
#[test]
fn one_request_is_the_current_one() {
    let first = offline(&ledger("model", 1), Some(("m1", "Mend the printer.")), 2_000, &Quarter);
    let again = Ledger::fold(&behind(&first), &Rules::default());
    let text = offline(&again, Some(("m9", "Now the scanner.")), 2_000, &Quarter);
    let current: Vec<&str> = text.lines().filter(|line| line.contains("is the current request")).collect();
    assert_eq!(current, ["- m9 is the current request and stands outside this record word for word."], "{text}");
}

#[test]
fn an_earlier_summary_that_is_too_long_loses_its_oldest_lines() {
    for max in [300, 600, 1_000, 2_000] {
        let text = offline(&ledger("model", 40), None, max, &Quarter);
        assert!(Quarter.count(&text) <= max, "{max}: {}", Quarter.count(&text));
        let kept: Vec<Vec<usize>> = EIGHT.sections.iter().map(|section| left(&text, "model", &section.name)).collect();
        for lines in &kept {
            let newest: Vec<usize> = (40 - lines.len()..40).collect();
            assert_eq!(*lines, newest, "{text}");
        }
        let gone = 8 * 40 - kept.iter().map(Vec::len).sum::<usize>();
        assert!(text.contains(&format!("({gone} older lines left out)")), "{text}");
        assert!(text.contains("Now mend the printer."), "{text}");
        assert!(max < 600 || kept.iter().all(|lines| !lines.is_empty()), "{text}");
    }
}

/// Rules write below earlier text: of two records the older one is shortened first, and the counts add up.
#[test]
fn of_records_of_records_the_oldest_goes_first() {
    let mut text = offline(&ledger("first", 6), None, 4_000, &Quarter);
    let mut last_gone = 0;
    for step in 0..6 {
        let again = Ledger::fold(&behind(&text), &Rules::default());
        text = offline(&again, None, 700, &Quarter);
        assert!(Quarter.count(&text) <= 700, "{step}");
        assert_eq!(text.matches("## Earlier record").count(), 1, "{text}");
        let first: usize = EIGHT.sections.iter().map(|section| left(&text, "first", &section.name).len()).sum();
        // The extract of the previous step says the same as this step's.
        let extracts = text.matches("Now mend the printer.").count();
        assert!(first == 0 || extracts >= (step + 2).min(3), "{step}: {first} old lines, {extracts}\n{text}");
        let gone = text.lines().find_map(|l| l.strip_prefix('(')?.strip_suffix(" older lines left out)")?.parse().ok());
        let gone: usize = gone.unwrap_or(0);
        assert!(gone >= last_gone, "{step}: {gone} after {last_gone}");
        last_gone = gone;
    }
    assert!(last_gone >= 48 && !text.contains("first:"), "{text}");
}

#[test]
fn words_without_sections_are_kept_too() {
    let words = "Things went on.\n".repeat(300);
    let text = offline(&Ledger::fold(&behind(&words), &Rules::default()), None, 400, &Quarter);
    assert!(text.starts_with("## Earlier record\n(") && text.contains("\nThings went on.\n"), "{text}");
    assert!(Quarter.count(&text) <= 400);
}

/// Models without a field for thoughts write them into their text.
#[test]
fn thoughts_in_front_of_an_answer_are_not_quoted() {
    let said = |text: &str| {
        let messages = numbered(vec![user("Who was it?"), assistant(text), calls(&["c"])]);
        let ledger = Ledger::fold(&messages, &Rules::default());
        assert!(ledger.facts.all().iter().all(|fact| !fact.sentence.contains("think>")));
        beside_lists(&ledger, None, 200, &Quarter)
    };
    let text = said("<think>\nPerhaps Ada did it. Let me look at the log of Monday.\n</think>\n\nThe log names Bo.");
    assert!(text.contains("The log names Bo.") && !text.contains("Ada"), "{text}");
    let text = said("<think>\nThe log of Monday names Bo, so it was Bo.\n</think>\n");
    assert!(text.contains("names Bo, so it was Bo."), "{text}");
}

/// Agents that answer in JSON end with a bracket.
#[test]
fn the_last_words_are_words() {
    let said = format!("{{\n  \"plan\": \"{}\",\n  \"is_done\": false\n}}", "Look at it again. ".repeat(200));
    let messages = numbered(vec![user("Do it."), calls(&["c"]), assistant(&said)]);
    let text = beside_lists(&Ledger::fold(&messages, &Rules::default()), None, 80, &Quarter);
    assert!(text.contains("is_done"), "{text}");
}

#[test]
fn a_cut_text_names_its_own_message() {
    let long: String = (0..200).map(|n| format!("Line {n} of the answer.\n")).collect();
    let messages = numbered(vec![user("List them."), calls(&["c"]), assistant(&long)]);
    let text = beside_lists(&Ledger::fold(&messages, &Rules::default()), None, 600, &Quarter);
    assert!(text.contains("; recall m2]"), "{text}");
}

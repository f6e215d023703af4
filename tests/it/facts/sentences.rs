//! Where sentences end, in any script.

use espalier::compact::facts::sentences;
use fastrand::Rng;

fn check(text: &str, expected: &[&str]) {
    assert_eq!(sentences(text).collect::<Vec<_>>(), expected, "{text:?}");
}

#[test]
fn a_sentence_ends_where_a_reader_ends_it() {
    check("", &[]);
    check(" \n\t ", &[]);
    check("One. Two! Three? Four", &["One.", "Two!", "Three?", "Four"]);
    check("It costs $3.50 at v1.2.3 of a.rs. Fine.", &["It costs $3.50 at v1.2.3 of a.rs.", "Fine."]);
    check("Dr. Lee, e.g. on Mondays, vs. J. Smith.", &["Dr. Lee, e.g. on Mondays, vs. J. Smith."]);
    check("She said \"Stop.\" Then she left.", &["She said \"Stop.\"", "Then she left."]);
    check("Really?! Yes... No.", &["Really?!", "Yes...", "No."]);
    check("1. First\n2. Second", &["1. First", "2. Second"]);
    check("No. I do not.", &["No.", "I do not."]);
    check("See No. 5 there.", &["See No. 5 there."]);
    check("The initials A.R. and B.S. match. Yes.", &["The initials A.R. and B.S. match.", "Yes."]);
    check("We ship to the U.S. The rest waits.", &["We ship to the U.S.", "The rest waits."]);
}

#[test]
fn other_scripts_have_other_stops() {
    check("不要改动它。好的！真的？", &["不要改动它。", "好的！", "真的？"]);
    check("「止めて。」と言った。次。", &["「止めて。」", "と言った。", "次。"]);
    check("수정하지 마세요. 네.", &["수정하지 마세요.", "네."]);
    check("यह है। वह है।", &["यह है।", "वह है।"]);
    check("هل هذا؟ نعم.", &["هل هذا؟", "نعم."]);
    check("Am 5. Mai, z.B. um 9 Uhr. Danke.", &["Am 5. Mai, z.B. um 9 Uhr.", "Danke."]);
    check("Это т.е. то. Да.", &["Это т.е. то.", "Да."]);
}

#[test]
fn wrapped_lines_are_one_sentence_and_items_of_lists_are_not() {
    let wrapped = "This sentence is long enough that somebody wrapped it at the\nend of the line. Next.";
    check(wrapped, &["This sentence is long enough that somebody wrapped it at the\nend of the line.", "Next."]);
    check("- one\n- two\nthree", &["- one", "- two", "three"]);
    check("A\r\nB\u{2028}C", &["A", "B", "C"]);
}

#[test]
fn nothing_is_lost_whatever_the_text() {
    let pieces =
        ["a", "B.", "。", "！", "...", " ", "\n", "e.g.", "\u{300}", "5.", "(", "\"", "…", "한", "\u{202e}", "-"];
    let mut rng = Rng::with_seed(3);
    for _ in 0..20_000 {
        let text: String = (0..rng.usize(0..24)).map(|_| pieces[rng.usize(0..pieces.len())]).collect();
        let all: Vec<&str> = sentences(&text).collect();
        let bare = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        assert_eq!(bare(&all.concat()), bare(&text), "{text:?}");
        assert!(all.iter().all(|sentence| !sentence.is_empty() && sentence.trim() == *sentence), "{text:?}");
    }
}

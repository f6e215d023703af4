//! Recent edits: which changes form one edit, which edits are shown.

use espalier_inline::*;

fn numbered(lines: usize) -> String {
    (0..lines).map(|line| format!("line {line}\n")).collect()
}

fn history(texts: &[&str]) -> EditHistory {
    let mut history = EditHistory::new(EditOptions::copilot_chat());
    for (index, text) in texts.iter().enumerate() {
        history.change("a.ts", text, index as u64 * 1_000);
    }
    history.settle(u64::MAX);
    history
}

fn render(history: &EditHistory) -> String {
    history.render("other.ts", 0, &[], EditForm::Unified).unwrap_or_default()
}

#[test]
fn additions_come_before_deletions() {
    let history = history(&["a\nb\nc\nd\ne\nf\ng\n", "a\nb\nc\nD\nD2\ne\nf\ng\n"]);
    let text = render(&history);
    let expected = "File: a.ts\n@@ -1,7 +1,8 @@\n a\n b\n c\n+D\n+D2\n-d --- IGNORE ---\n e\n f\n g\n";
    assert!(text.contains(expected), "{text}");
    assert_eq!(text.lines().count(), 13);
    let replaced = history.render("b", 0, &[], EditForm::SearchReplace).unwrap();
    assert!(
        replaced.contains("<<<<<<< SEARCH\na\nb\nc\nd\ne\nf\ng\n=======\na\nb\nc\nD\nD2\ne\nf\ng\n>>>>>>> REPLACE\n")
    );
    assert!(history.render("b", 0, &[], EditForm::Plain).unwrap().contains("\na\nb\nc\nD\nD2\ne\nf\ng\n"));
    assert_eq!(history.render("b", 0, &["a.ts"], EditForm::Plain), None);
}

#[test]
fn near_edits_merge_and_reverts_vanish() {
    let text = numbered(40);
    let one = text.replace("line 5\n", "five\n");
    let two = one.replace("line 6\n", "six\n");
    let far = one.replace("line 8\n", "eight\n");
    assert_eq!(history(&[&text, &one, &two]).edit_count("a.ts"), 1);
    assert_eq!(history(&[&text, &one, &far]).edit_count("a.ts"), 2);
    assert_eq!(history(&[&text, &one, &text]).edit_count("a.ts"), 0);
    assert_eq!(render(&history(&[&text, &one, &text])), "");
    // The second change undoes the first edit: only the second is left.
    let merged = render(&history(&[&text, &one, &two, &text.replace("line 6\n", "six\n")]));
    assert!(merged.contains("+six\n-line 6 --- IGNORE ---") && !merged.contains("five"), "{merged}");
}

#[test]
fn changes_within_the_debounce_time_are_one() {
    let mut history = EditHistory::new(EditOptions::copilot_chat());
    history.open("a.ts", "a\n\n\n\n\n\nb\n");
    history.change("a.ts", "A\n\n\n\n\n\nb\n", 0);
    history.change("a.ts", "A\n\n\n\n\n\nB\n", 499);
    assert_eq!((history.edit_count("a.ts"), history.next_ms()), (0, Some(999)));
    history.settle(999);
    assert_eq!((history.edit_count("a.ts"), history.next_ms()), (1, None));
}

#[test]
fn large_edits_reset() {
    let text = numbered(40);
    let one = text.replace("line 5\n", "five\n");
    let large = one.replace("line 20\n", &"x".repeat(2_001));
    let after = large.replace("line 35\n", "last\n");
    assert_eq!(history(&[&text, &one, &large]).edit_count("a.ts"), 0);
    assert_eq!(history(&[&text, &one, &large, &after]).edit_count("a.ts"), 1);
    let huge = "x".repeat(2 * 1024 * 1024 + 1);
    assert_eq!(history(&[&text, &one, &huge]).edit_count("a.ts"), 0);
    let many = text.replace("line 5\n", &"x\n".repeat(11));
    assert_eq!(render(&history(&[&text, &many])), "");
    assert_ne!(render(&history(&[&text, &text.replace("line 5\n", &"x\n".repeat(10))])), "");
    assert_eq!(render(&history(&[&text, &text.replace("line 5\n", "  line 5\n")])), "");
    assert_eq!(render(&history(&[&text, &text.replace("line 5\n", "line 5\n\n\n")])), "");
}

#[test]
fn edits_near_the_cursor_are_skipped() {
    let text = numbered(400);
    let history = history(&[&text, &text.replace("line 200\n", "two hundred\n")]);
    let is_shown = |line| history.render("a.ts", line, &[], EditForm::Unified).is_some();
    assert_eq!([100, 101, 200, 301, 302].map(is_shown), [true, false, false, false, true]);
}

#[test]
fn only_the_newest_edits_are_kept() {
    let mut texts = vec![numbered(200)];
    for edit in 0..12 {
        let next = texts.last().unwrap().replace(&format!("line {}\n", edit * 10), &format!("edit {edit}\n"));
        texts.push(next);
    }
    let history = history(&texts.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!(history.edit_count("a.ts"), 8);
    let text = render(&history);
    assert!(text.find("edit 4\n").unwrap() < text.find("edit 11\n").unwrap() && !text.contains("edit 3\n"));
}

#[test]
fn hostile_changes() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut history = EditHistory::new(EditOptions { max_files: 3, ..EditOptions::espalier() });
    for step in 0..3_000 {
        let path = ["a", "b", "c", "d\n", ""][random.usize(..5)];
        let lines = random.usize(..6);
        let text = crate::support::source(&mut random, lines);
        match random.usize(..8) {
            0 => history.open(path, &text),
            1 => history.close(path),
            _ => history.change(path, &text, random.u64(..step * 300 + 1)),
        }
        let _ = history.render(path, random.usize(..9), &[], EditForm::Unified);
        assert!(["a", "b", "c", "d\n", ""].iter().filter(|path| history.edit_count(path) > 8).count() == 0);
    }
}

//! Diffs, and the steps of reducing changed files, on documents folded by indentation.
//! `tests/js/documents/changed.test.ts` runs the same with real grammars.

use espalier::document::changed::diff::{Status, parse};
use espalier::document::changed::{Change, File, Reduced, Reduction, Settings, Step, changes, reduce, selected};
use espalier::document::outline::folds;
use espalier::document::{Overlay, fold};
use espalier::error::Code;
use espalier::tokens::Tokenizer;

/// Counts one token for each word or punctuation mark, and one for each line end.
struct Words;

impl Tokenizer for Words {
    fn count(&self, text: &str) -> u64 {
        let mut count = 0;
        let mut inside = false;
        for character in text.chars() {
            let word = character.is_alphanumeric();
            count += u64::from((!word && character != ' ') || (word && !inside));
            inside = word;
        }
        count
    }
}

fn settings(budget: u64) -> Settings<'static> {
    Settings { budget, ..Settings::default() }
}

/// Reduces files in which the given line ranges changed. Lines count from 1, and the last line is included.
fn reduced(files: &[(&str, &[(u32, u32)])], settings: Settings<'_>) -> espalier::error::Result<Reduction> {
    let overlays: Vec<Overlay> = files.iter().map(|(text, _)| fold(text, 4, false)).collect();
    let items: Vec<_> = files.iter().zip(&overlays).map(|((text, _), overlay)| folds(overlay, text)).collect();
    let asked: Vec<File> = (files.iter().zip(&overlays).zip(&items))
        .map(|(((text, lines), overlay), items)| File {
            name: "a.txt",
            text,
            language: "typescript",
            overlay,
            items,
            changes: lines.iter().map(|(first, last)| Change { start: first - 1, end: *last }).collect(),
        })
        .collect();
    reduce(&asked, &settings, &Words)
}

fn fits(files: &[(&str, &[(u32, u32)])], settings: Settings<'_>) -> Vec<Reduced> {
    match reduced(files, settings).unwrap() {
        Reduction::Fits { files, .. } => files,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn check(text: &str, lines: &[(u32, u32)], budget: u64, expected: &str) {
    let made = fits(&[(text, lines)], settings(budget));
    assert_eq!(made[0].text, expected);
    assert!(made[0].tokens <= budget);
}

const SERVICE: &str = "class A {
  one() {
    a b c d e f;
    a b c d e f;
  }
  two() {
    const x = 1;
    return y;
  }
  six() {
    a b c d e f;
    a b c d e f;
  }
}
";

#[test]
fn heads_and_ends_of_what_encloses_a_change_stay() {
    let drawing = "class A {
  // … 2-5 omitted
  two() {
    const x = 1;
    return y;
  }
  // … 10-13 omitted
}
";
    check(SERVICE, &[(7, 7)], 1_000, SERVICE);
    check(SERVICE, &[(7, 7)], 60, drawing);
    check(SERVICE, &[(7, 8)], 60, drawing);
    // Two changes in the same definition show it only once.
    check(SERVICE, &[(7, 7), (8, 8)], 60, drawing);
}

#[test]
fn changed_lines_are_all_that_is_left_in_the_end() {
    let long = SERVICE.replace("    a b", "    a b;\n    a b");
    check(&long, &[(10, 10)], 20, "// … 1-9 omitted\n    return y;\n  // … 11-18 omitted\n");
}

#[test]
fn a_place_where_lines_went_keeps_its_neighbours() {
    let text = "a\n".repeat(40);
    let made = fits(&[(&text, &[(21, 20)])], settings(24));
    assert_eq!(
        made[0].text,
        "// … 1-16 omitted\na\na\na\na\na\na\n// … 23-40 omitted\n"
            .replace("1-16", "1-18")
            .replace("a\na\na\na\na\na\n", "a\na\na\na\n")
    );
}

#[test]
fn a_stretch_that_is_cheaper_than_its_marker_stays() {
    let text = format!("x;\n{}b;\ny;\nz;\n{}", "a a a a a a a a a a;\n".repeat(9), "a a a a a a a;\n".repeat(9));
    let expected = "x;\n// … 2-10 omitted\nb;\ny;\nz;\n// … 14-22 omitted\n";
    check(&text, &[(1, 1), (11, 11), (13, 13)], 28, expected);
}

#[test]
fn what_came_down_in_vain_comes_up_again() {
    let small = "q;\n".repeat(12);
    let large = format!("r;\n{}", "a b c d e f;\n".repeat(60));
    let files: &[(&str, &[(u32, u32)])] = &[(&small, &[(1, 1)]), (&large, &[(1, 1)])];
    let made = fits(files, settings(80));
    assert_eq!(made[0].step, Step::Whole);
    assert_ne!(made[1].step, Step::Whole);
}

#[test]
fn a_file_without_changes_goes_first() {
    let text = "a b c d e f;\n".repeat(30);
    let made = fits(&[(&text, &[]), ("x;\ny;\n", &[(1, 1)])], settings(50));
    assert_eq!((made[0].step, made[0].text.as_str()), (Step::Dropped, ""));
    assert_eq!(made[1].text, "x;\ny;\n");
}

#[test]
fn batches_fit_and_are_at_most_as_many_as_allowed() {
    let texts: Vec<String> = (0..12).map(|at| format!("a b c {at};\n").repeat(20)).collect();
    let all: &[(u32, u32)] = &[(1, 20)];
    let files: Vec<(&str, &[(u32, u32)])> = texts.iter().map(|text| (text.as_str(), all)).collect();
    for (budget, least) in [(130, 12), (300, 6), (700, 3)] {
        match reduced(&files, settings(budget)).unwrap() {
            Reduction::Split { batches, .. } => {
                assert_eq!(batches.concat().len(), 12);
                for batch in batches {
                    let own: Vec<_> = batch.iter().map(|at| files[*at]).collect();
                    fits(&own, settings(budget));
                }
            }
            Reduction::TooMany { batches, .. } => assert_eq!((batches, budget), (least, 130)),
            other => panic!("{other:?}"),
        }
    }
    let error = reduced(&files, settings(50)).unwrap_err();
    assert_eq!((error.code, error.path.as_deref()), (Code::BudgetExceeded, Some("files[0]")));
    assert_eq!(error.budget.unwrap().needed, 120);
}

/// For random files and changes, the result never exceeds the budget, every changed line is shown, and every omitted
/// line belongs to exactly one marker.
#[test]
fn whatever_changed() {
    let mut random = fastrand::Rng::with_seed(7);
    for round in 0..400 {
        let count = random.u32(0..60);
        let mut depth = 0usize;
        let mut text = String::new();
        for line in 0..count {
            depth = (depth + random.usize(0..3)).saturating_sub(1).min(6);
            text += &"  ".repeat(depth);
            let end = ["\n", "\n", "\r\n", " {\n", "\n\n"][random.usize(0..5)];
            text += &format!("line {line} {}{end}", "w ".repeat(random.usize(0..9)));
        }
        if random.bool() {
            text = text.trim_end().to_string();
        }
        let total = text.lines().count() as u32;
        let mut lines: Vec<(u32, u32)> = (0..random.u32(0..4))
            .map(|_| {
                let first = random.u32(1..=total.max(1));
                (first, (first + random.u32(0..5)).saturating_sub(1).min(total))
            })
            .collect();
        lines.sort_unstable();
        let budget = random.u64(0..400);
        let numbered = Settings {
            annotation: random.bool().then_some(espalier::document::changed::Annotation::Changed),
            ..settings(budget)
        };
        match reduced(&[(&text, &lines)], numbered) {
            Ok(Reduction::Fits { files, tokens }) => {
                let [file] = files.as_slice() else { panic!("one file") };
                assert!(tokens <= budget && file.tokens == Words.count(&file.text), "round {round}");
                assert_eq!(file.text.matches(" omitted").count(), file.elisions.len(), "round {round}\n{}", file.text);
                if numbered.annotation.is_none() {
                    assert_eq!(rebuilt(file, &text), text, "round {round}");
                }
                let omitted: Vec<u32> = file.elisions.iter().flat_map(|elision| elision.lines.clone()).collect();
                for (first, last) in &lines {
                    let gone = file.step == Step::Dropped || (first - 1..*last).any(|line| omitted.contains(&line));
                    assert!(!gone || *first > *last || total == 0, "round {round}");
                }
            }
            Ok(other) => panic!("{other:?}"),
            Err(error) => assert_eq!(error.code, Code::BudgetExceeded),
        }
    }
}

/// Rebuilds the file from the remaining text and the ranges that the markers replace.
fn rebuilt(file: &Reduced, text: &str) -> String {
    if file.step == Step::Dropped {
        return text.to_string();
    }
    let mut made = String::new();
    let mut at = 0;
    for elision in &file.elisions {
        made += &file.text[at..elision.marker.0 as usize];
        made += &text[elision.start as usize..elision.end as usize];
        at = elision.marker.1 as usize;
    }
    made + &file.text[at..]
}

#[test]
fn diffs_of_git() {
    let diff = "From: somebody\n\ndiff --git a/old name.ts b/new name.ts\nsimilarity index 90%\nrename from old name.ts\n\
        rename to new name.ts\nindex 1..2 100644\n--- a/old name.ts\n+++ b/new name.ts\n@@ -1,3 +1,2 @@ class A {\n a\n--- b\n \n\
        \\ No newline at end of file\ndiff --git a/x.png b/x.png\nindex 1..2\nBinary files a/x.png and b/x.png differ\n\
        diff --git a/n.ts b/n.ts\nnew file mode 100644\n--- /dev/null\n+++ b/n.ts\n@@ -0,0 +1,2 @@\n+a\n+b\n\
        diff --git \"a/\\303\\244.ts\" \"b/\\303\\244.ts\"\ndeleted file mode 100644\n--- \"a/\\303\\244.ts\"\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    let files = parse(diff).unwrap();
    let short: Vec<_> =
        files.iter().map(|file| (file.path().unwrap(), file.status, file.binary, file.changes())).collect();
    assert_eq!(
        short,
        [
            ("new name.ts", Status::Renamed, false, vec![(1, 1)]),
            ("x.png", Status::Modified, true, vec![]),
            ("n.ts", Status::Added, false, vec![(0, 2)]),
            ("ä.ts", Status::Deleted, false, vec![(0, 0)]),
        ]
    );
    assert_eq!(files[0].old_path.as_deref(), Some("old name.ts"));
}

#[test]
fn diffs_without_heads_of_files_and_with_carriage_returns() {
    let files = parse("@@ -1,2 +1,2 @@\r\n a\r\n-b\r\n+B\r\n").unwrap();
    assert_eq!(files[0].changes(), [(1, 2)]);
    assert_eq!(changes("a\r\nB\r\n", &files[0]).unwrap(), [Change { start: 1, end: 2 }]);
    // A diff with line feeds, applied to a file that mixes both kinds of line end.
    assert_eq!(changes("a\nB", &files[0]).unwrap(), [Change { start: 1, end: 2 }]);
    assert!(parse("").unwrap().is_empty());
    assert!(parse("Only in a: b\n").unwrap().is_empty());
    let two = parse("--- a\t2020-01-01\n+++ a\t2020-01-02\n@@ -1 +1 @@\n-x\n+y\n--- b\n+++ b\n@@ -1 +1 @@\n-x\n+y\n")
        .unwrap();
    assert_eq!(two.iter().map(|file| file.path()).collect::<Vec<_>>(), [Some("a"), Some("b")]);
}

#[test]
fn diffs_that_make_no_sense_name_the_line() {
    for (diff, line) in [
        ("diff --cc a\n", 1),
        ("x\n@@@ -1 -1 +1 @@@\n", 2),
        ("@@ -1,2 +1,2 @@\n a\n", 1),
        ("@@ -1,1 +1,1 @@\n+a\n+b\n", 3),
        ("@@ -1,1 +1,1 @@\n?a\n", 2),
        ("@@ -1,2 +1,2 @@\n a\n b\n@@ -2 +2 @@\n-b\n+c\n", 4),
        ("@@ -4294967295,9 +1 @@\n", 1),
        ("@@ nothing @@\n", 1),
    ] {
        let error = parse(diff).unwrap_err();
        assert_eq!(error.code, Code::BadDiff, "{diff}");
        assert!(error.message.contains(&format!("line {line} of the diff")), "{diff}: {}", error.message);
    }
}

#[test]
fn diffs_of_another_file_are_refused() {
    let refused = |text: &str, diff: &str| changes(text, &parse(diff).unwrap()[0]).unwrap_err().message;
    let diff = "@@ -1,2 +1,2 @@\n a\n-b\n+B\n";
    assert!(refused("a\nb\n", diff).contains("line 2 reads \"B\", and the file reads \"b\" there"));
    assert!(refused("a\n", diff).contains("the file has 1 lines only"));
    assert!(refused("", "@@ -9,0 +10,1 @@\n+x\n").contains("has 0 lines only"));
}

#[test]
fn rubbish_is_read_or_refused() {
    let pieces = [
        "@@ -1,2 +1,2 @@\n",
        "@@",
        "-a\n",
        "+é😀\n",
        " b\n",
        "\n",
        "--- a/x\n",
        "+++ b/x\n",
        "diff --git a/x b/x\n",
        "\\ No",
        "\"",
        "\r",
        "@@ -0,0 +1 @@",
    ];
    let mut random = fastrand::Rng::with_seed(11);
    for _ in 0..20_000 {
        let diff: String = (0..random.usize(0..12)).map(|_| pieces[random.usize(0..pieces.len())]).collect();
        if let Ok(files) = parse(&diff) {
            for file in files {
                let _ = changes("a\nb\né😀\n", &file);
            }
        }
        let _ = espalier::document::changed::compatible::hunks(&diff);
    }
}

#[test]
fn selections_are_lines() {
    let lines =
        |start, end| selected("ab\ncd\nef", [(start, end)]).iter().map(|change| (change.start, change.end)).next();
    assert_eq!(lines(0, 0), Some((0, 1)));
    assert_eq!(lines(1, 3), Some((0, 1)));
    assert_eq!(lines(1, 4), Some((0, 2)));
    assert_eq!(lines(8, 8), Some((2, 3)));
}

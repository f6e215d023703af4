use espalier::document::fold;
use fastrand::Rng;

use super::{shown, sound};

fn check(text: &str, off_side: bool, wanted: &str) {
    let overlay = fold(text, 4, off_side);
    sound(&overlay, text);
    let wanted: String =
        wanted.lines().map(|line| line.strip_prefix("        ").unwrap_or(line).to_string() + "\n").collect();
    assert_eq!(shown(&overlay, text), wanted.trim_start_matches('\n'), "{text:?}");
}

#[test]
fn lines_and_folds() {
    check("", false, "FOLD \"\"");
    check("a", false, "FOLD \"a\"");
    check("a\nb", false, "FOLD \"a\\nb\"\n  LINE \"a\\n\"");
    check(
        "a {\n  b\n  c\n}\nd\n",
        false,
        r#"
        FOLD "a {\n  b\n  c\n}\nd\n"
          FOLD "a {\n  b\n  c\n}\n"
            LINE "  b\n"
            LINE "  c\n"
          LINE "d\n""#,
    );
    // Without a closing bracket, the last line of a fold is shown with it.
    check(
        "a\n  b\n  c\nd\n",
        false,
        r#"
        FOLD "a\n  b\n  c\nd\n"
          FOLD "a\n  b\n  c\n"
            LINE "  b\n"
          LINE "d\n""#,
    );
}

#[test]
fn what_closes_a_fold() {
    let closes = |line: &str| {
        let overlay = fold(&format!("a\n  b\n{line}\nc\n"), 4, false);
        overlay.nodes[1].end as usize == "a\n  b\n".len() + line.len() + 1
    };
    for line in ["}", "];", ")", "  }  ", "</div>", "</x", "\u{a0}}"] {
        assert!(closes(line), "{line}");
    }
    for line in ["}}", "};;", "} else {", "</ a>", "end", "})"] {
        assert!(!closes(line), "{line}");
    }
}

#[test]
fn tabs_go_to_the_next_multiple() {
    // Two spaces and a tab indent as far as one tab.
    let deeper = |text: &str| fold(text, 4, false).nodes.iter().filter(|node| node.parent == 0).count();
    assert_eq!(deeper("a\n\tb\n  \tc\nd"), deeper("a\n    b\n    c\nd"));
    assert_eq!(fold("a\n\tb\n  c\n", 2, false).nodes.len(), fold("a\n  b\n  c\n", 2, false).nodes.len());
}

#[test]
fn every_line_break_counts() {
    let lines = |text: &str| fold(text, 4, false).nodes.len();
    assert_eq!(lines("a\nb\nc\nd"), 4);
    assert_eq!(lines("a\r\nb\r\nc\r\nd"), 4);
    assert_eq!(lines("a\rb\rc\rd"), 4);
    assert_eq!(lines("a\r\n\nb"), 3);
}

#[test]
fn blank_lines_stay_out_of_off_side_folds() {
    check(
        "a:\n  b\n  c\n\nd\n",
        true,
        r#"
        FOLD "  b\n  c\n\nd\n"
          FOLD "  b\n  c\n"
          LINE "\n"
          LINE "d\n""#,
    );
}

#[test]
fn any_text_folds_soundly() {
    let mut rng = Rng::with_seed(7);
    for _ in 0..3_000 {
        let pieces = ["\n", "\r\n", "\r", "  ", "\t", "a", "}", "]", ");", "</b>", "😀", "\u{feff}", " "];
        let text: String = (0..rng.usize(0..40)).map(|_| pieces[rng.usize(..pieces.len())]).collect();
        for off_side in [false, true] {
            sound(&fold(&text, rng.usize(1..9), off_side), &text);
        }
    }
}

#[test]
fn deep_and_long_texts_take_linear_time() {
    let deep: String = (0..3_000).map(|depth| " ".repeat(depth) + "a\n").collect();
    sound(&fold(&deep, 4, false), &deep);
    let long = "a\n  b\n".repeat(100_000);
    sound(&fold(&long, 4, false), &long);
    let closed = "a\n b\n  c\n}\n".repeat(50_000);
    sound(&fold(&closed, 4, false), &closed);
}

#[test]
fn very_many_lines_are_several_to_a_node() {
    let kinds = |text: &str| {
        let overlay = fold(text, 4, false);
        let of = |kind: &str| overlay.nodes.iter().filter(|node| *overlay.kinds[node.kind as usize] == *kind).count();
        (of("FOLD"), of("LINE"))
    };
    // Each line has its own node as long as the number of nodes allows it.
    assert_eq!(kinds(&"function f() {\n  return 1;\n}\n".repeat(700_000)), (700_001, 700_000));
    assert_eq!(kinds(&"\n".repeat(5_000_000)), (1, 1_666_667));
    // A fold that is no longer than the lines sharing one node is not created. The last fold also contains the empty
    // line after it, so it is longer.
    assert_eq!(kinds(&"a\n b\n".repeat(2_500_000)).0, 2);
}

//! Markdown folds by its headings, and a summary shows the way to each line that it keeps.

use espalier::document::summary::{Document, Gauge, Options, Source, summarize};
use espalier::document::{Mode, Options as Parsing, Structure, fold, structure};
use fastrand::Rng;

use super::{shown, sound};

fn folded(text: &str) -> Structure {
    let made = structure(text, None, &Parsing { language: "markdown", ..Parsing::default() });
    sound(&made.overlay, text);
    made
}

fn check(text: &str, wanted: &str) {
    let wanted: String =
        wanted.lines().map(|line| line.strip_prefix("        ").unwrap_or(line).to_string() + "\n").collect();
    assert_eq!(shown(&folded(text).overlay, text), wanted.trim_start_matches('\n'), "{text:?}");
}

/// Summarises a document, in characters, around an offset.
fn summary(text: &str, at: Option<u32>, budget: u64) -> String {
    let found = folded(text);
    let source = Source::new(text);
    let selection = at.map(|at| (at, at));
    let document = Document { language: "markdown", selection, ..Document::new(&source, &found.overlay) };
    let options = Options { budget, gauge: Gauge::Characters, worth: 1, ..Options::default() };
    let made = summarize(&[document], &options).unwrap().remove(0);
    assert!(made.count <= budget);
    made.edits.apply(text)
}

#[test]
fn sections() {
    check(
        "# A\nb\n## C\nd\ne\n# F\ng\nh\n",
        r###"
        FOLD "# A\nb\n## C\nd\ne\n# F\ng\nh\n"
          SECTION "# A\nb\n## C\nd\ne\n"
            LINE "b\n"
            SECTION "## C\nd\ne\n"
              LINE "d\n"
              LINE "e\n"
          SECTION "# F\ng\nh\n"
            LINE "g\n"
            LINE "h\n""###,
    );
}

#[test]
fn what_is_a_heading() {
    let folds = |text: &str| folded(text).overlay.nodes.iter().filter(|node| node.parent == 0).count();
    for heading in ["# A", "###### A", "#\tA", "#", "A\n==", "A b\n---", "[A](b)\n------"] {
        assert!(folds(&format!("x\n\n{heading}\nb\nc\n")) < folds("x\n\nA\nA\nb\nc\n"), "{heading}");
    }
    for text in ["#A", "####### A", "| a |\n---", "* a\n---", "- a\n---", "\n---", "A\n--", "A\n=-"] {
        assert_eq!(folds(&format!("x\n\n{text}\nb\nc")), 3 + text.lines().count(), "{text}");
    }
}

#[test]
fn a_level_that_is_left_out_changes_nothing() {
    let depths = |text: &str| -> Vec<u32> { folded(text).overlay.nodes.iter().map(|node| node.parent).collect() };
    assert_eq!(depths("# A\nb\n## C\nd\ne\n## F\ng\nh\n"), depths("# A\nb\n#### C\nd\ne\n#### F\ng\nh\n"));
}

#[test]
fn what_is_in_a_block_of_code_is_no_heading() {
    let whole = |text: &str| format!("# A\n{text}\nb\nc\n");
    for code in ["```\n# x\n```", "```sh\n# x\n````", "~~~\n# x\n```\n# y\n~~~", "- a\n  ```\n# x\n  ```"] {
        let text = whole(code);
        let found = folded(&text).overlay;
        assert_eq!(found.nodes.iter().filter(|node| node.parent == 0).count(), 1, "{code}");
    }
    // A block that is still being written does not take the sections behind it.
    let text = whole("```\nx\n# B\ny\nz");
    assert_eq!(folded(&text).overlay.nodes.iter().filter(|node| node.parent == 0).count(), 2);
    // Fields at the start are data.
    let text = "---\ntitle: A\n---\n# B\nc\nd\n";
    assert_eq!(folded(text).overlay.nodes.iter().filter(|node| node.parent == 0).count(), 2);
}

#[test]
fn the_compatible_mode_folds_by_indentation_alone() {
    let options = Parsing { language: "markdown", mode: Mode::Compatible, ..Parsing::default() };
    let text = guide();
    assert_eq!(structure(&text, None, &options).overlay, fold(&text, 4, true));
}

/// A guide: sections of sections, each with lines of its own, lists and code.
fn guide() -> String {
    let part = |level: usize, name: String| {
        let lines = (0..6).map(|at| format!("Line {at} of {name}.\n")).collect::<String>();
        format!(
            "{} Section {name}\n\n{lines}\n- point {name}\n  more of it\n\n```js\n# code {name}\n  call();\n```\n\n",
            "#".repeat(level)
        )
    };
    let inner = |at: usize| part(2, format!("{at}.1")) + &part(3, format!("{at}.1.1")) + &part(2, format!("{at}.2"));
    (1..=5).map(|at| part(1, at.to_string()) + &inner(at)).collect()
}

#[test]
fn each_line_shows_below_its_heading() {
    let text = guide();
    let mut rng = Rng::with_seed(5);
    for budget in (60..text.len() as u64).step_by(7) {
        let at = (rng.u8(0..4) > 0).then(|| rng.usize(0..text.len()) as u32);
        let made = summary(&text, at, budget);
        let shows =
            |name: &str| made.lines().any(|line| line.starts_with('#') && line.ends_with(&format!("Section {name}")));
        for line in made.lines().filter(|line| line.starts_with("Line")) {
            let name = line.rsplit_once(" of ").map_or("", |(_, name)| name.trim_end_matches('.'));
            assert!(shows(name) || budget < 400, "{budget} {at:?}: {line}\n{made}");
        }
    }
}

#[test]
fn the_outline_comes_before_the_text_of_distant_sections() {
    let text = guide();
    let at = text.find("Line 3 of 3.2.").unwrap();
    let made = summary(&text, Some(at as u32), 900);
    assert!(made.contains("Line 3 of 3.2."), "{made}");
    let headings = made.lines().filter(|line| line.starts_with('#') && line.contains("Section")).count();
    assert!(headings >= 8, "{headings} of 20\n{made}");
}

#[test]
fn any_markdown_folds_soundly_and_in_linear_time() {
    let mut rng = Rng::with_seed(9);
    let pieces =
        ["\n", "\n", "# ", "## ", "```", "~~~", "````", "---", "===", "- ", "  ", "\t", "a", "\r\n", "\r", "é"];
    for _ in 0..3_000 {
        let text: String = (0..rng.usize(0..40)).map(|_| pieces[rng.usize(..pieces.len())]).collect();
        folded(&text);
    }
    for line in ["# a\n", "```\nx\n", "```\n~~~~\n", "a\n---\n", "---\n", "- a\n  b\n"] {
        folded(&line.repeat(100_000));
    }
    let fences: String = (3..1_500).rev().map(|length| "`".repeat(length) + "x\n").collect();
    folded(&fences);
}

//! Summaries to an exact budget, on random overlays. `tests/js/documents` runs the same with the grammars of the
//! package.

use std::rc::Rc;

use espalier::document::summary::{
    Document, Gauge, Imports, Layout, Layouts, Options, Prices, Source, Summary, WORDING, summarize,
    summarize_laid_out, usual,
};
use espalier::document::{Basis, Overlay, OverlayNode, Shared, Structure, Why, fold};
use espalier::error::Code;
use espalier::tokens::{EncodingName, Tokenizer};

use super::summary::random;
use crate::encodings::encoding;

/// Counts one token for each run of letters and digits, and one for every other character. Like a real encoding, its
/// counts add up at nearly every split.
struct Words;

impl Tokenizer for Words {
    fn count(&self, text: &str) -> u64 {
        let class = |c: char| match c {
            ' ' | '\t' => 0,
            c if c.is_alphanumeric() => 1,
            c => 2 + c as u32,
        };
        let mut last = None;
        text.chars().filter(|c| last.replace(class(*c)) != Some(class(*c)) || !c.is_alphanumeric()).count() as u64
    }
}

fn options(budget: u64, gauge: Gauge<'_>) -> Options<'_> {
    Options { budget, gauge, ..Options::default() }
}

fn document<'d>(source: &'d Source<'d>, overlay: &'d Overlay, selection: Option<(u32, u32)>) -> Document<'d> {
    Document { language: "typescript", selection, name: "a.ts", ..Document::new(source, overlay) }
}

/// Checks what must be true of every summary.
fn sound(text: &str, made: &Summary, options: &Options<'_>) {
    let written = made.edits.apply(text);
    assert_eq!(made.count, options.gauge.count(&written) as u64);
    assert!(made.count <= options.budget, "{written:?}: {} > {}", made.count, options.budget);
    let gone: Vec<(u32, u32)> =
        made.edits.list().iter().filter(|edit| edit.end > edit.start).map(|edit| (edit.start, edit.end)).collect();
    let said: Vec<(u32, u32)> = made.elisions.iter().map(|elision| (elision.start, elision.end)).collect();
    assert_eq!(gone, said, "{text:?} {written:?}");
    assert_eq!(written.matches(" omitted").count(), said.len(), "{written:?}");
    for elision in &made.elisions {
        let (first, last) = elision.lines;
        let named = if first == last { format!("… {first} omitted") } else { format!("… {first}-{last} omitted") };
        assert!(written.contains(&named), "{written:?} {elision:?}");
    }
}

#[test]
fn random_documents_at_any_budget() {
    let mut rng = fastrand::Rng::with_seed(5);
    for _ in 0..6_000 {
        let (text, overlay) = random(&mut rng);
        let source = Source::new(&text);
        let gauge = if rng.bool() { Gauge::Characters } else { Gauge::Tokens(&Words) };
        let places: Vec<u32> = text.char_indices().map(|(at, _)| at as u32).chain([text.len() as u32]).collect();
        let selection = rng.bool().then(|| {
            let (one, other) = (places[rng.usize(..places.len())], places[rng.usize(..places.len())]);
            (one.min(other), one.max(other))
        });
        let imports = [Imports::Usual, Imports::First, Imports::Last][rng.usize(..3)];
        let options = Options {
            numbered: rng.bool(),
            worth: rng.u32(1..10),
            imports,
            ..options(rng.u64(0..=gauge.count(&text) as u64 * 5 / 4 + 30), gauge)
        };
        match summarize(&[document(&source, &overlay, selection)], &options) {
            Ok(made) => {
                sound(&text, &made[0], &options);
                let whole = gauge.count(&text) as u64;
                if !options.numbered && options.budget >= whole && matches!(gauge, Gauge::Characters) {
                    assert_eq!(made[0].edits.apply(&text), text);
                }
            }
            Err(error) => {
                assert_eq!(error.code, Code::BudgetExceeded, "{error}");
                assert!(error.budget.unwrap().needed > 0);
            }
        }
    }
}

#[test]
fn elements_and_whatever_looks_like_them() {
    let mut rng = fastrand::Rng::with_seed(17);
    let pieces = [
        "<a>",
        "</a>",
        "<b x={1}/>",
        "<",
        "{",
        "}",
        "'",
        "\"",
        "`${",
        "`",
        "// ",
        "/*",
        "*/",
        "\n",
        "\n  ",
        "\r\n",
        "é😀",
        "text ",
        "\\",
    ];
    for _ in 0..3_000 {
        let text: String = (0..rng.usize(1..80)).map(|_| pieces[rng.usize(..pieces.len())]).collect();
        let places: Vec<u32> = text.char_indices().map(|(at, _)| at as u32).chain([text.len() as u32]).collect();
        let mut overlay = Overlay { kinds: vec!["root".into(), "jsx_element".into()], nodes: Vec::new() };
        overlay.nodes.push(OverlayNode { kind: 0, start: 0, end: text.len() as u32, parent: u32::MAX });
        // The random nodes are either nested or follow one another.
        let (mut from, mut to, mut parent) = (0, places.len() - 1, 0);
        while from < to && rng.u32(0..4) > 0 {
            let start = rng.usize(from..to);
            let end = rng.usize(start..=to);
            overlay.nodes.push(OverlayNode { kind: 1, start: places[start], end: places[end], parent });
            if rng.bool() {
                (from, to, parent) = (start, end, overlay.nodes.len() as u32 - 1);
            } else {
                from = end;
            }
        }
        let source = Source::new(&text);
        let at = places[rng.usize(..places.len())];
        let asked =
            Document { language: "typescriptreact", ..document(&source, &overlay, rng.bool().then_some((at, at))) };
        let options = options(rng.u64(20..200), Gauge::Characters);
        match summarize(&[asked], &options) {
            Ok(made) => sound(&text, &made[0], &options),
            Err(error) => assert_eq!(error.code, Code::BudgetExceeded),
        }
    }
}

#[test]
fn around_a_cursor_what_opens_and_closes_comes_first() {
    let rows: String = (0..40).map(|at| format!("    row({at});\n")).collect();
    let text = format!("mod a {{\n{rows}}}\n");
    let source = Source::new(&text);
    let overlay = Overlay {
        kinds: vec!["root".into(), "mod_item".into()],
        nodes: vec![
            OverlayNode { kind: 0, start: 0, end: text.len() as u32, parent: u32::MAX },
            OverlayNode { kind: 1, start: 0, end: text.len() as u32, parent: 0 },
        ],
    };
    let at = text.find("row(20)").unwrap() as u32;
    let check = |budget, wanted: &str| {
        let options = options(budget, Gauge::Characters);
        let made = summarize(&[document(&source, &overlay, Some((at, at)))], &options).unwrap().remove(0);
        sound(&text, &made, &options);
        assert_eq!(made.edits.apply(&text), wanted);
    };
    check(
        110,
        "mod a {\n    // … 2-19 omitted\n    row(18);\n    row(19);\n    row(20);\n    row(21);\n    // … 24-41 omitted\n}\n",
    );
    // If there is no room for that, only the row is shown.
    check(62, "// … 1-21 omitted\n    row(20);\n    // … 23-42 omitted\n");
}

#[test]
fn of_a_list_that_does_not_fit_parts_show() {
    let check = |text: &str, budget, wanted: &str| {
        let source = Source::new(text);
        let whole = |kind, parent| OverlayNode { kind, start: 0, end: text.len() as u32, parent };
        let kinds = vec!["root".into(), "statement".into()];
        let overlay = Overlay { kinds, nodes: vec![whole(0, u32::MAX), whole(1, 0)] };
        let options = Options { worth: 1, ..options(budget, Gauge::Characters) };
        let made = summarize(&[document(&source, &overlay, None)], &options).unwrap().remove(0);
        sound(text, &made, &options);
        assert_eq!(made.edits.apply(text), wanted);
    };
    let rows = |from: usize, to: usize| (from..to).map(|at| format!("    row({at}),\n")).collect::<String>();
    let list = format!("return {{\n  name: 1,\n  inner: [\n{}  ],\n  end: 2,\n}};\n", rows(0, 40));
    check(
        &list,
        110,
        "return {\n  name: 1,\n  inner: [\n    row(0),\n    row(1),\n    row(2),\n    // … 7-43 omitted\n  ],\n  end: 2,\n};\n",
    );
    // A bracket in a row of its own, and rows that end with one that is indented less.
    let class = format!("class A\n{{\n{}  last(),\n}}\n", rows(0, 40));
    check(&class, 70, "class A\n{\n    row(0),\n    row(1),\n    // … 5-42 omitted\n  last(),\n}\n");
    // An include guard around code that does not parse.
    let header = format!("#ifndef A_H\n#define A_H\nBEGIN_NAMESPACE\n{}#endif\n", rows(0, 40).replace("    ", ""));
    check(&header, 80, "#ifndef A_H\n#define A_H\nBEGIN_NAMESPACE\nrow(0),\n// … 5-43 omitted\n#endif\n");
}

#[test]
fn what_is_left_out_is_marked_at_its_place() {
    let text = "fn main() {\n    one();\n    two();\n    three();\n    four();\n    five();\n}\n";
    let overlay = fold(text, 4, false);
    let source = Source::new(text);
    let check = |budget, selection, wanted: &str| {
        let options = Options { worth: 1, ..options(budget, Gauge::Characters) };
        let made = summarize(&[document(&source, &overlay, selection)], &options).unwrap().remove(0);
        sound(text, &made, &options);
        assert_eq!(made.edits.apply(text), wanted);
    };
    check(20, None, "// … 1-7 omitted\n");
    check(50, None, "fn main() {\n    one();\n    // … 3-6 omitted\n}\n");
    let four = text.find("four").unwrap() as u32;
    check(69, Some((four, four)), "fn main() {\n    // … 2-4 omitted\n    four();\n    five();\n}\n");
    check(100, None, text);
}

#[test]
fn what_was_laid_out_serves_any_cursor_and_budget() {
    let mut rng = fastrand::Rng::with_seed(8);
    for _ in 0..300 {
        let (text, overlay) = random(&mut rng);
        let source = Source::new(&text);
        let base = Options { numbered: rng.bool(), ..options(0, Gauge::Tokens(&Words)) };
        let layout = Layout::new(&document(&source, &overlay, None), &base);
        let places: Vec<u32> = text.char_indices().map(|(at, _)| at as u32).chain([text.len() as u32]).collect();
        for _ in 0..6 {
            let at = places[rng.usize(..places.len())];
            let asked = document(&source, &overlay, rng.bool().then_some((at, at)));
            let options = Options { budget: rng.u64(0..=Words.count(&text) + 20), worth: rng.u32(1..10), ..base };
            let fresh = summarize(std::slice::from_ref(&asked), &options);
            assert_eq!(summarize_laid_out(&[asked], &[&layout], &options), fresh);
        }
    }
}

#[test]
fn layouts_are_kept_within_bounds() {
    let structure = |text: &str| -> Shared {
        Shared::new(Structure { overlay: fold(text, 4, false), basis: Basis::Indentation { why: Why::NoGrammar } })
    };
    let mut layouts = Layouts::default();
    let mut get = |text: &str, structure: &Shared, rest: &str| {
        let mut fresh = false;
        let source = Source::new(text);
        let layout: Rc<Layout> = layouts.get(structure, rest, || {
            fresh = true;
            Layout::new(&document(&source, &structure.overlay, None), &options(0, Gauge::Characters))
        });
        assert!(layout.memory() > text.len() / 10);
        fresh
    };
    let texts: Vec<String> = (0..60).map(|at| format!("a({at});\n").repeat(2_000)).collect();
    let structures: Vec<Shared> = texts.iter().map(|text| structure(text)).collect();
    assert!(get(&texts[0], &structures[0], "x"));
    assert!(!get(&texts[0], &structures[0], "x"));
    assert!(get(&texts[0], &structures[0], "numbered"), "another way of counting is another layout");
    for (text, structure) in texts.iter().zip(&structures) {
        get(text, structure, "x");
    }
    assert!(!get(&texts[59], &structures[59], "x"));
    assert!(get(&texts[0], &structures[0], "x"), "the oldest went");
    let huge = "a();\n".repeat(200_000);
    let of_huge = structure(&huge);
    assert!(get(&huge, &of_huge, "x") && get(&huge, &of_huge, "x"), "too large to be kept");
}

#[test]
fn costs_of_kinds_say_what_comes_first_and_what_never() {
    let text = "fn main() {\n    one();\n    two();\n}\nfn more() {\n    three();\n}\nlet it = be;\n";
    let overlay = fold(text, 4, false);
    let source = Source::new(text);
    let made = |prices: &[(Box<str>, Option<f64>)], budget, selection| {
        let asked = Document { prices: Prices::ByKind(prices), ..document(&source, &overlay, selection) };
        let options = Options { worth: 1, ..options(budget, Gauge::Characters) };
        let made = summarize(&[asked], &options).unwrap().remove(0);
        sound(text, &made, &options);
        made.edits.apply(text)
    };
    assert_eq!(made(&[], 1_000, None), text);
    // A kind without a price is never shown, even if there is room for it and however short it is.
    let never = [(Box::from("LINE"), None)];
    assert_eq!(
        made(&never, 1_000, None),
        "fn main() {\n    // … 2-3 omitted\n}\nfn more() {\n    // … 6 omitted\n}\n// … 8 omitted\n"
    );
    let never = [(Box::from("FOLD"), None)];
    assert_eq!(made(&never, 1_000, None), "// … 1-7 omitted\nlet it = be;\n");
    // A selected line is shown nevertheless.
    let three = text.find("three").unwrap() as u32;
    assert!(made(&never, 1_000, Some((three, three))).contains("    three();\n"));
    // The prices put lines before folds, although the lines are deeper.
    let first = [(Box::from("LINE"), Some(0.0)), (Box::from("FOLD"), Some(9.0))];
    assert!(made(&first, 75, None).contains("one();"));
}

#[test]
fn what_must_stay_and_does_not_fit_is_an_error() {
    let text = "a();\n".repeat(100);
    let (source, overlay) = (Source::new(&text), fold(&text, 4, false));
    let all = Some((0, text.len() as u32));
    let error = summarize(&[document(&source, &overlay, all)], &options(40, Gauge::Characters)).unwrap_err();
    let details = error.budget.unwrap();
    assert_eq!((details.budget, details.needed), (40, 500));
    assert_eq!(details.largest[0].id, "a.ts");
    let error = summarize(&[document(&source, &overlay, None)], &options(3, Gauge::Characters)).unwrap_err();
    assert_eq!((error.code, error.path.as_deref()), (Code::BudgetExceeded, Some("options.budget")));
    assert!(error.budget.unwrap().needed > 3);
}

#[test]
fn deep_and_wide_documents_take_near_linear_time() {
    let wide = "a();\n".repeat(60_000);
    let deep: String = (0..3_000).map(|depth| format!("{}if a {{\n", " ".repeat(depth % 400))).collect();
    let slashes = "//\n".repeat(60_000);
    for text in [wide, deep, slashes] {
        let (source, overlay) = (Source::new(&text), fold(&text, 4, false));
        for share in [0.25, 0.75] {
            let options = options((text.len() as f64 * share) as u64, Gauge::Characters);
            let at = text.len() as u32 / 2;
            let made = summarize(&[document(&source, &overlay, Some((at, at)))], &options).unwrap();
            sound(&text, &made[0], &options);
        }
    }
}

#[test]
fn costs_of_nodes_say_what_comes_first_and_what_never() {
    let text = "fn main() {\n    one();\n    two();\n}\nfn more() {\n    three();\n}\nlet it = be;\n";
    let (source, overlay) = (Source::new(text), fold(text, 4, false));
    let usual = usual(&document(&source, &overlay, None), false);
    assert_eq!(usual.len(), overlay.nodes.len());
    let made = |costs: &[f64], budget| {
        let options = Options { worth: 1, ..options(budget, Gauge::Characters) };
        let asked = Document { prices: Prices::ByNode(costs), ..document(&source, &overlay, None) };
        let made = summarize(&[asked], &options).unwrap().remove(0);
        sound(text, &made, &options);
        made.edits.apply(text)
    };
    assert_eq!(made(&usual, 1_000), text);
    let of = |word: &str| {
        let at = text.find(word).unwrap() as u32;
        overlay.nodes.iter().rposition(|node| node.start <= at && at < node.end).unwrap()
    };
    let mut never = usual.clone();
    never[of("two")] = f64::NAN;
    assert_eq!(made(&never, 1_000), text.replace("    two();\n", "    // … 3 omitted\n"));
    let mut first = vec![9.0; usual.len()];
    first[of("three")] = 0.0;
    assert!(made(&first, 70).contains("three();"));
}

#[test]
fn what_a_document_counts_is_what_its_text_counts() {
    let mut rng = fastrand::Rng::with_seed(11);
    for _ in 0..500 {
        let (text, overlay) = random(&mut rng);
        let source = Source::new(&text);
        let options = Options { numbered: rng.bool(), ..options(10_000, Gauge::Tokens(&Words)) };
        let made = summarize(&[document(&source, &overlay, None)], &options).unwrap().remove(0);
        assert_eq!(made.before, Words.count(&text));
    }
}

/// Counts of rows are reused where an encoding surely splits, and the sum must be what the encoding counts for the
/// whole text.
#[test]
fn summaries_count_what_encodings_count_of_them() {
    let lines = [
        "/",
        "//",
        "/)",
        "/** a",
        " * b */",
        "*/",
        "// c.",
        "///",
        "});",
        ")",
        "}",
        "};//",
        "x/",
        "7",
        "12345678",
        "a\u{301}",
        "…",
        "\u{3000}d",
        "é",
        "日本",
        "😀",
        "'s",
        "it's",
        "\u{a0}",
        "\tif (e) {",
        "    f(g)/",
        "\t/h/",
        "",
        "",
        "  ",
        "\u{85}",
        "end \t",
        "\"i\"",
        "#",
        "\u{2028}",
        "x\u{b}",
        "\u{c}",
    ];
    let mut rng = fastrand::Rng::with_seed(29);
    for name in [EncodingName::O200kBase, EncodingName::Cl100kBase] {
        let gauge = Gauge::Tokens(encoding(name));
        for _ in 0..3_000 {
            let end = ["\n", "\r\n", "\r"][rng.usize(..3)];
            let ends = |rng: &mut fastrand::Rng| if rng.u8(..8) == 0 { "\r" } else { end };
            let text: String =
                (0..rng.usize(1..60)).map(|_| lines[rng.usize(..lines.len())].to_string() + ends(&mut rng)).collect();
            let (source, overlay) = (Source::new(&text), fold(&text, 4, false));
            let whole = gauge.count(&text) as u64;
            let wording = [WORDING, "/{lines}/", "{lines}", "a1{lines}2b"][rng.usize(..4)];
            let worth = rng.u32(1..10);
            let options = Options { numbered: rng.bool(), wording, worth, ..options(rng.u64(0..=whole + 20), gauge) };
            let language = ["typescript", "python", "sql", ""][rng.usize(..4)];
            let selection = rng.bool().then(|| {
                let at = text.floor_char_boundary(rng.usize(..=text.len())) as u32;
                (at, at)
            });
            let document = Document { language, ..document(&source, &overlay, selection) };
            let Ok(made) = summarize(&[document], &options) else { continue };
            let written = made[0].edits.apply(&text);
            assert_eq!(made[0].count, gauge.count(&written) as u64, "{text:?} {written:?}");
            assert_eq!(made[0].before, whole, "{text:?}");
            assert!(made[0].count <= options.budget);
        }
    }
}

#[test]
fn numbers_count_a_token_for_three_digits() {
    for name in [EncodingName::O200kBase, EncodingName::Cl100kBase] {
        for number in (0..120_000).chain([9_999_999, 10_000_000, u32::MAX]) {
            let digits = number.to_string();
            assert_eq!(encoding(name).count(&digits), digits.len().div_ceil(3) as u64, "{number}");
        }
    }
}

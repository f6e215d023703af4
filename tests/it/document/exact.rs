//! Summaries to an exact budget, on random overlays; `tests/js/documents` runs the grammars of the package.

use espalier::document::summary::Source;
use espalier::document::summary::exact::{Document, Gauge, Imports, Options, Summary, WORDING, WORTH, summarize};
use espalier::document::{Overlay, fold};
use espalier::error::Code;
use espalier::tokens::Tokenizer;

use super::summary::random;

/// One token for each run of letters, digits or blanks, and for every other character: adds up nearly everywhere, as encodings do.
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
    Options { budget, gauge, numbered: false, wording: WORDING, imports: Imports::Usual, worth: WORTH }
}

fn document<'d>(source: &'d Source<'d>, overlay: &'d Overlay, selection: Option<(u32, u32)>) -> Document<'d> {
    Document { source, overlay, language: "typescript", comments: None, selection, name: "a.ts" }
}

/// What is true of every summary.
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

use espalier::document::outline::facts;
use espalier::document::parse::{Limits, Pruning, Units};
use espalier::document::trees::Trees;
use espalier::document::{Basis, Grammar, Mode, Options, structure, structure_with};
use espalier_testing::runs;
use fastrand::Rng;

fn json() -> tree_sitter::Language {
    tree_sitter_json::LANGUAGE.into()
}

fn grammar() -> Grammar {
    Grammar::of_host(json(), Some("(pair) @pair (array (_) @item)")).unwrap()
}

fn work(basis: Basis) -> u64 {
    match basis {
        Basis::Syntax { work, .. } => work,
        Basis::Indentation { .. } => panic!("there is a grammar"),
    }
}

fn lines(count: usize) -> String {
    (0..count).map(|at| format!("  \"key {at}\": [{at}, \"é😀\", {{\"x\": null}}],\n")).collect()
}

#[test]
fn after_an_edit_of_a_line_little_is_parsed() {
    let (grammar, mut trees) = (grammar(), Trees::default());
    let text = format!("{{\n{}  \"last\": 1\n}}\n", lines(2_000));
    for mode in [Mode::Default, Mode::Compatible] {
        let options = Options { mode, ..Options::default() };
        let whole = work(structure_with(&text, Some(&grammar), &options, &mut trees).basis);
        let mut edited = text.clone();
        for (old, new) in [
            ("key 1000", "a key of another length"),
            ("key 3\"", "x\""),
            ("  \"last\": 1\n", "  \"last\": 1,\n \"é\": 2\n"),
        ] {
            edited = edited.replacen(old, new, 1);
            let made = structure_with(&edited, Some(&grammar), &options, &mut trees);
            assert!(work(made.basis) * 10 < whole, "{} of {whole}", work(made.basis));
            assert_eq!(made.overlay, structure(&edited, Some(&grammar), &options).overlay);
        }
    }
}

#[test]
fn whatever_came_before_a_text_has_one_tree() {
    let mut rng = Rng::with_seed(11);
    let pieces =
        ["{", "}", "[", "]", ",", ":", "\"a\"", "1", "\n", " ", "é", "😀", "\"", "// c\n", "[1, 2]", "{\"k\": 3}"];
    let mut trees = Trees::default();
    let mut updated = 0;
    for _ in 0..runs(200) {
        let mut text = format!("{{\n{}  \"z\": 0}}\n", lines(rng.usize(3..40)));
        for units in [Units::Utf8, Units::Utf16] {
            trees.parse(&json(), &text, units, Limits::default(), &Pruning::default()).unwrap();
        }
        for _ in 0..40 {
            let places: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            let from = rng.usize(..places.len());
            let to = (from + rng.usize(..4)).min(places.len() - 1);
            let before = text.clone();
            text.replace_range(places[from]..places[to], pieces[rng.usize(..pieces.len())]);
            let mut broken = false;
            for units in [Units::Utf8, Units::Utf16] {
                let fresh = Trees::new(0).parse(&json(), &text, units, Limits::default(), &Pruning::default()).unwrap();
                let made = trees.parse(&json(), &text, units, Limits::default(), &Pruning::default()).unwrap();
                assert_eq!((&made.tree, made.has_errors), (&fresh.tree, fresh.has_errors), "{before:?} {text:?}");
                updated += usize::from(made.work < fresh.work);
                broken = fresh.has_errors;
            }
            // Broken text is usually repaired at once, as people do, but sometimes left for a while.
            if broken && rng.u8(..4) > 0 {
                text = before;
            }
        }
    }
    assert!(updated > runs(200) / 3, "{updated}");
}

#[test]
fn what_a_host_allows_does_not_depend_on_what_came_before() {
    let mut trees = Trees::default();
    let text = format!("{{\n{}  \"z\": 0}}\n", lines(500));
    let edited = text.replacen("key 7", "k", 1);
    let fresh =
        Trees::new(0).parse(&json(), &edited, Units::Utf8, Limits::default(), &Pruning::default()).unwrap().work;
    trees.parse(&json(), &text, Units::Utf8, Limits::default(), &Pruning::default()).unwrap();
    for text in [&text, &edited] {
        let limits = Limits { max_work: fresh / 2, ..Limits::default() };
        assert!(trees.parse(&json(), text, Units::Utf8, limits, &Pruning::default()).is_err());
        let limits = Limits { max_bytes: 10, ..Limits::default() };
        assert!(trees.parse(&json(), text, Units::Utf8, limits, &Pruning::default()).is_err());
    }
}

#[test]
fn structure_and_definitions_of_a_file_take_one_parse() {
    let (grammar, mut trees) = (grammar(), Trees::default());
    // A broken text also needs only one parse, because its tree serves the same text.
    for text in [format!("{{\n{}  \"z\": 0}}\n", lines(50)), format!("{{\n{}  \"z\": 0\n", lines(50))] {
        let options = Options::default();
        let made = structure_with(&text, Some(&grammar), &options, &mut trees);
        assert_eq!(trees.parsed(), 1);
        assert_eq!(facts(&text, Some(&grammar), &options, &mut trees).basis, made.basis);
        assert_eq!(trees.parsed(), 1);
        trees = Trees::default();
    }
}

#[test]
fn trees_are_kept_within_bounds() {
    let mut trees = Trees::new(20_000);
    let parse = |trees: &mut Trees, text: &str| {
        let before = trees.parsed();
        trees.parse(&json(), text, Units::Utf8, Limits::default(), &Pruning::default()).unwrap();
        trees.parsed() > before
    };
    let texts: Vec<String> = (1..7).map(|at| format!("[{}]", format!("{at}{at}{at}, ").repeat(1_200) + "0")).collect();
    for text in &texts {
        assert!(parse(&mut trees, text));
        assert!(!parse(&mut trees, text));
    }
    // There is room for about three trees, and a tree that is too large by itself is not kept.
    assert!(!parse(&mut trees, &texts[5]));
    assert!(parse(&mut trees, &texts[0]));
    let long = format!("[{}0]", "1, ".repeat(9_000));
    assert!(parse(&mut trees, &long) && parse(&mut trees, &long));
    trees.clear();
    assert!(parse(&mut trees, &texts[0]));
}

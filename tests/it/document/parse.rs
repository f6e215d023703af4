use espalier::document::parse::{Limits, Pruning, Stopped, Units, kinds};
use espalier::document::trees::Trees;
use espalier::document::{Basis, Grammar, Mode, Options, Why, structure};

use super::{shown, sound};

fn json() -> tree_sitter::Language {
    tree_sitter_json::LANGUAGE.into()
}

fn grammar() -> Grammar {
    Grammar::of_host(json(), Some("(pair) @pair (comment) @comment (array (_) @item)")).unwrap()
}

fn overlay(text: &str) -> String {
    let made = structure(text, Some(&grammar()), &Options::default());
    sound(&made.overlay, text);
    shown(&made.overlay, text)
}

#[test]
fn a_document_of_a_grammar_of_the_hosts() {
    let text = "{\n  \"a\": 1,\n  \"b\": [\n    2,\n    3\n  ]\n}\n";
    assert_eq!(
        overlay(text),
        r#"root "{\n  \"a\": 1,\n  \"b\": [\n    2,\n    3\n  ]\n}\n"
  pair "  \"a\": 1,\n"
  pair "  \"b\": [\n    2,\n    3\n  ]\n"
    number "    2,\n"
    number "    3\n"
"#
    );
}

#[test]
fn positions_are_bytes_whatever_the_parser_reads() {
    let text = "{\"é😀\": [1, \"日本\", 3], \"z\": 😀}";
    let tree = |units| Trees::new(0).parse(&json(), text, units, Limits::default(), &Pruning::default()).unwrap().tree;
    let (narrow, wide) = (tree(Units::Utf8), tree(Units::Utf16));
    let names = kinds(&json());
    for tree in [&narrow, &wide] {
        let strings: Vec<&str> = tree
            .nodes()
            .iter()
            .filter(|node| names.name(node.kind) == "string_content")
            .map(|node| &text[node.start as usize..node.end as usize])
            .collect();
        assert_eq!(strings, ["é😀", "日本", "z"]);
    }
    let compatible = Options { mode: Mode::Compatible, ..Options::default() };
    sound(&structure(text, Some(&grammar()), &compatible).overlay, text);
}

#[test]
fn work_is_counted_and_bounded() {
    let text = format!("[{}]", "1,".repeat(20_000) + "1");
    let parsed = |work| {
        Trees::new(0).parse(
            &json(),
            &text,
            Units::Utf8,
            Limits { max_work: work, ..Limits::default() },
            &Pruning::default(),
        )
    };
    let work = parsed(u64::MAX).unwrap().work;
    assert!(work > 100, "{work}");
    // Parsing the same text takes the same amount of work, and exactly that amount is enough.
    assert_eq!(parsed(work).unwrap().work, work);
    assert_eq!(parsed(work - 1).unwrap_err(), Stopped::TooHard);
    assert_eq!(parsed(0).unwrap_err(), Stopped::TooHard);
}

#[test]
fn without_a_tree_indentation_does_and_says_why() {
    let why = |text: &str, grammar: Option<&Grammar>, options: Options<'_>| {
        let made = structure(text, grammar, &options);
        sound(&made.overlay, text);
        match made.basis {
            Basis::Indentation { why } => Some(why),
            Basis::Syntax { .. } => None,
        }
    };
    let grammar = grammar();
    let text = "{\n  \"a\": [1, 2, 3]\n}\n".repeat(50);
    let options = Options::default();
    assert_eq!(why(&text, None, options), Some(Why::NoGrammar));
    assert_eq!(why(&text, Some(&grammar), options), None);
    let limits = |bytes, work| Options { limits: Limits { max_bytes: bytes, max_work: work }, ..options };
    assert_eq!(why(&text, Some(&grammar), limits(10, 40_000)), Some(Why::TooLong));
    assert_eq!(why(&text, Some(&grammar), limits(1 << 20, 0)), Some(Why::TooHard));
    let mute = Grammar::of_host(json(), None).unwrap();
    assert_eq!(why(&text, Some(&mute), options), Some(Why::NoQuery));
}

#[test]
fn broken_text_is_parsed_as_far_as_it_goes() {
    let made = structure("{\"a\": [1, 2", Some(&grammar()), &Options::default());
    assert!(matches!(made.basis, Basis::Syntax { has_errors: true, .. }));
    for text in ["", " ", "\u{feff}", "\0", "]]]]", "{\"a\"", "\u{fffd}\u{fffd}"] {
        overlay(text);
    }
}

#[test]
fn deep_trees_are_walked_without_recursion() {
    let text = "[".repeat(50_000) + &"]".repeat(50_000);
    let limits = Limits { max_work: u64::MAX, ..Limits::default() };
    let made = structure(&text, Some(&grammar()), &Options { limits, ..Options::default() });
    assert!(matches!(made.basis, Basis::Syntax { has_errors: false, .. }));
    sound(&made.overlay, &text);
}

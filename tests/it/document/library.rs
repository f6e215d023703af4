use espalier::document::library::{Answer, Library};
use espalier::error::{Code, Error, Result};

fn library() -> Library {
    Library::new(|name| Err(Error::new(Code::EncodingNotLoaded, name.as_str())))
}

/// Options of a structure as they are in a question: mode, width of a tab, maximum of bytes and of work.
const SETTINGS: [f64; 4] = [0.0, 4.0, 1e6, 1e9];

fn about(library: &mut Library, what: &str, text: &str, more: &[f64]) -> Result<Answer> {
    let numbers: Vec<f64> = SETTINGS.iter().chain(more).copied().collect();
    library.ask(what, &[text.to_owned(), "json".to_owned()], &numbers)
}

/// Returns the start and end of each node of an answer with a structure. Its first texts are the basis and the kinds.
fn nodes(answer: &Answer, basis: usize) -> Vec<[f64; 2]> {
    let kinds = answer.numbers[basis] as usize;
    let rows = answer.numbers[basis + 1 + kinds + 1..].as_chunks::<4>().0;
    rows.iter().map(|row| [row[1], row[2]]).collect()
}

#[test]
fn offsets_are_utf16_code_units() {
    let mut library = library();
    library.register("json", tree_sitter_json::LANGUAGE.into(), Some("(pair) @pair")).unwrap();
    let text = "{\"😀é\": 1,\n \"b\": [2]}";
    let answer = about(&mut library, "structure", text, &[0.0]).unwrap();
    // The basis of a parse is an empty text, whether there are errors, and the work.
    let units: Vec<u16> = text.encode_utf16().collect();
    let shown: Vec<String> = nodes(&answer, 3)
        .into_iter()
        .map(|[start, end]| String::from_utf16(&units[start as usize..end as usize]).unwrap())
        .collect();
    assert_eq!(shown, [text, "\"😀é\": 1,\n", " \"b\": [2]"]);
}

#[test]
fn facts_are_made_once_until_they_are_forgotten_or_the_grammar_changes() {
    let mut library = library();
    let made = |library: &mut Library| about(library, "facts", "{}", &[]).unwrap().numbers == [1.0];
    assert!(made(&mut library) && !made(&mut library));
    library.ask("forget", &[], &[]).unwrap();
    assert!(made(&mut library) && !made(&mut library));
    for _ in 0..2 {
        library.register("json", tree_sitter_json::LANGUAGE.into(), Some("(pair) @pair")).unwrap();
        assert!(made(&mut library) && !made(&mut library));
    }
}

#[test]
fn a_summary_within_a_budget_of_characters_needs_no_encoding() {
    let text = format!("first:\n{}last:\n  x\n", "  a line of the body\n".repeat(40));
    let texts = ["", "… {lines}", "", "", "", "", &text, ""].map(str::to_owned);
    let numbers: Vec<f64> =
        [200.0, 0.0, 0.0, 1.0].into_iter().chain(SETTINGS).chain([0.0, f64::NAN, f64::NAN]).collect();
    let answer = library().ask("summarize", &texts, &numbers).unwrap();
    let [tokens, before, edits, ..] = answer.numbers[..] else { panic!("{answer:?}") };
    assert!(tokens <= 200.0 && before == text.len() as f64 && edits > 0.0, "{answer:?}");
    let named = ["o200k_base", "… {lines}"].map(str::to_owned);
    assert_eq!(library().ask("summarize", &named, &numbers).unwrap_err().code, Code::EncodingNotLoaded);
}

#[test]
fn what_cannot_be_answered_is_an_error() {
    let mut library = library();
    assert_eq!(library.ask("weather", &[], &[]).unwrap_err().code, Code::BadInput);
    assert_eq!(library.add_file("cobol", |_| unreachable!()).unwrap_err().code, Code::UnknownLanguage);
    let refused = library.register("json", tree_sitter_json::LANGUAGE.into(), Some("(nothing) @x")).unwrap_err();
    assert_eq!(refused.path.as_deref(), Some("query"));
    // A question that ends early has zeros and empty texts instead.
    for what in ["structure", "costs", "summarizeCompatible", "reduce", "diff", "facts", "outline", "map"] {
        library.ask(what, &[], &[]).unwrap();
    }
    assert_eq!(library.ask("summarize", &[], &[]).unwrap_err().path.as_deref(), Some("options.marker"));
}

#[test]
fn a_file_is_linked_once() {
    let (mut library, mut links) = (library(), 0);
    for _ in 0..2 {
        let link = |name: &str| {
            links += 1;
            assert_eq!(name, "typescript");
            Ok(tree_sitter_json::LANGUAGE.into())
        };
        library.add_file("typescript", link).unwrap();
    }
    assert_eq!(links, 1);
}

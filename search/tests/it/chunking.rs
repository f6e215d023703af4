//! Chunks are the text, in parts that fit.

use crate::support::{Thirds, Words, text};
use espalier_core::tokens::Tokenizer;
use espalier_search::{Chunk, ChunkOptions, Definition, chunks};

fn cut(text: &str, definitions: &[Definition], budget: u32, tokenizer: &dyn Tokenizer) -> Vec<Chunk> {
    chunks(text, definitions, ChunkOptions { max_tokens: budget }, tokenizer).unwrap()
}

fn check(text: &str, definitions: &[Definition], budget: u32, tokenizer: &dyn Tokenizer) -> Vec<Chunk> {
    let found = cut(text, definitions, budget, tokenizer);
    let (mut end, mut end_utf16) = (0, 0);
    for chunk in &found {
        assert_eq!((chunk.start, chunk.start_utf16), (end, end_utf16));
        let part = &text[chunk.start..chunk.end];
        assert!(!part.is_empty());
        assert_eq!(u64::from(chunk.tokens), tokenizer.count(part));
        assert!(chunk.tokens <= budget, "{} of {budget}: {part:?}", chunk.tokens);
        assert_eq!(chunk.end_utf16 - chunk.start_utf16, part.encode_utf16().count());
        if !part.trim().is_empty() {
            let before = text[..chunk.start + part.len() - part.trim_start().len()].matches('\n').count();
            assert_eq!(chunk.first_line as usize, before, "{part:?}");
        }
        (end, end_utf16) = (chunk.end, chunk.end_utf16);
    }
    assert_eq!(end, text.len());
    found
}

#[test]
fn joined_chunks_are_the_text() {
    for seed in 0..60 {
        let random = &mut fastrand::Rng::with_seed(seed);
        let lines = random.usize(..300);
        let source = text(random, lines);
        let mut definitions = Vec::new();
        for _ in 0..random.usize(..20) {
            let (one, other) = (random.usize(..=source.len()), random.usize(..=source.len() + 9));
            definitions.push(Definition { name: "x".into(), start: one.min(other), end: one.max(other) });
        }
        for budget in [16, 50, 250] {
            check(&source, &[], budget, &Words);
            check(&source, &definitions, budget, &Words);
            check(&source, &definitions, budget, &Thirds);
        }
    }
}

#[test]
fn odd_texts() {
    let texts = [
        "".to_string(),
        "\n\n\n".repeat(1000),
        " ".repeat(10_000),
        "a".repeat(100_000),
        "word ".repeat(50_000),
        "\u{feff}text\r\n\r\nend".into(),
        "\u{a0}\n\u{3000}\n".repeat(50),
        "😀".repeat(3000),
        "{};".repeat(20_000),
        "\0\0\0".into(),
    ];
    for text in &texts {
        check(text, &[], 16, &Words);
        check(text, &[], 250, &Thirds);
    }
    assert!(cut("", &[], 250, &Words).is_empty());
    let error = chunks("text", &[], ChunkOptions { max_tokens: 15 }, &Words).unwrap_err();
    assert_eq!((error.code.as_str(), error.path.as_deref()), ("bad_option", Some("maxTokens")));
}

/// Returns functions of some lines each, with a comment before and a blank line after.
fn functions(count: usize) -> (String, Vec<Definition>) {
    let (mut text, mut definitions) = (String::from("mod all {\n"), Vec::new());
    for number in 0..count {
        text.push_str(&format!("    // Comment of {number}.\n"));
        let start = text.len() + 4;
        text.push_str(&format!("    fn f{number}() {{\n"));
        (0..number % 7).for_each(|line| text.push_str(&format!("        call({line}, {number});\n\n")));
        text.push_str("    }\n");
        definitions.push(Definition { name: format!("fn f{number}"), start, end: text.len() - 1 });
        text.push('\n');
    }
    text.push_str("}\n");
    definitions.push(Definition { name: "mod all".into(), start: 0, end: text.len() - 1 });
    (text, definitions)
}

#[test]
fn chunks_end_with_definitions_near_the_budget() {
    let (text, definitions) = functions(200);
    // A quarter of the budget is enough for the longest of them.
    let found = check(&text, &definitions, 280, &Words);
    assert!(found.len() > 20);
    for chunk in &found[1..] {
        let part = &text[chunk.start..chunk.end];
        assert!(part.starts_with("    // Comment of") || part.starts_with('}'), "{part:?}");
        assert_eq!(chunk.header, "mod all");
    }
}

#[test]
fn a_chunk_inside_a_definition_has_its_path() {
    let (text, definitions) = functions(7);
    let found = check(&text, &definitions, 16, &Words);
    let inside = found.iter().find(|chunk| text[chunk.start..].starts_with("        call(3, 6)")).unwrap();
    assert_eq!(inside.header, "mod all > fn f6");
}

#[test]
fn an_edit_leaves_chunks_elsewhere_as_they_are() {
    let random = &mut fastrand::Rng::with_seed(7);
    let before = text(random, 3000);
    let parts = |text: &str| -> Vec<String> {
        cut(text, &[], 250, &Words).iter().map(|chunk| text[chunk.start..chunk.end].to_string()).collect()
    };
    let old = parts(&before);
    let new = parts(&format!("one more line of text\n{before}"));
    let kept = old.iter().filter(|part| new.contains(part)).count();
    assert!(kept * 10 >= old.len() * 9, "{kept} of {}", old.len());
}

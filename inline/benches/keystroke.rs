//! A first request and the next keystrokes in a small document and in one of 1 MB, with 20 neighbour files of
//! 200,000 characters, 8 edits and 50 items: `cargo bench -p espalier-inline -- FOLDER`, sources by path.
//! `VOCABULARY` names a vocabulary file of o200k_base; without one a token is four bytes.

use espalier_core::tokens::{Encoding, EncodingName, Tokenizer};
use espalier_inline::*;
use std::path::Path;
use std::time::{Duration, Instant};

struct Quarters;

impl Tokenizer for Quarters {
    fn count(&self, text: &str) -> u64 {
        text.len().div_ceil(4) as u64
    }
}

impl Tokens for Quarters {}

fn main() {
    let Some(folder) = std::env::args().skip(1).find(|arg| !arg.starts_with("--")) else { return };
    let mut files = Vec::new();
    walk(Path::new(&folder), &mut files);
    files.sort();
    let vocabulary = std::env::var_os("VOCABULARY").and_then(|file| std::fs::read(file).ok());
    let mut large = files.clone();
    if let Some((_, document)) = large.first_mut() {
        *document = document.repeat(1_000_000 / document.len().max(1) + 1);
    }
    match vocabulary.and_then(|bytes| Encoding::load(EncodingName::O200kBase, &bytes).ok()) {
        Some(encoding) => [files, large].iter().for_each(|files| measure(files, &encoding, "o200k_base")),
        None => [files, large].iter().for_each(|files| measure(files, &Quarters, "four bytes each")),
    }
}

fn walk(folder: &Path, files: &mut Vec<(String, String)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() && !path.is_symlink() {
            walk(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs" || end == "ts") {
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            if (7_000..12_000).contains(&text.len()) || (files.is_empty() && text.len() > 20_000) {
                files.push((path.to_string_lossy().into_owned(), text));
            }
        }
    }
}

fn neighbours(files: &[(String, String)]) -> Vec<Neighbour<'_>> {
    (files.iter().enumerate())
        .map(|(index, (path, text))| Neighbour {
            path,
            scheme: "file",
            language: "rust",
            text,
            focused_ms: Some(index as u64),
            digest: Some(Digest::of(text)),
        })
        .collect()
}

fn measure<T: Tokens>(files: &[(String, String)], tokenizer: &T, name: &str) {
    let Some(((path, document), rest)) = files.split_first() else { return };
    let rest = &rest[..rest.len().min(20)];
    let chars: usize = rest.iter().map(|file| file.1.len()).sum();
    println!("{} neighbours, {chars} bytes; document {} bytes; tokens: {name}", rest.len(), document.len());
    let neighbours = neighbours(rest);
    let snippets: Vec<&str> = rest.iter().flat_map(|file| file.1.split("\n\n")).take(50).collect();
    let ids: Vec<String> = (0..snippets.len()).map(|id| id.to_string()).collect();
    let items: Vec<ProviderItem<'_>> = (snippets.iter().zip(&ids))
        .map(|(text, id)| ProviderItem {
            id,
            kind: ItemKind::Snippet,
            path: Some("src/server.rs"),
            text,
            priority: 0.8,
            weight: 1.0,
            arrived_ms: Some(0),
        })
        .collect();
    let mut edits = EditHistory::new(EditOptions::espalier());
    for (index, (path, text)) in rest.iter().take(8).enumerate() {
        edits.open(path, text);
        edits.change(path, &text.replacen("fn ", "pub(super) fn ", 1), index as u64 * 1_000);
    }
    edits.settle(u64::MAX);
    let options = Options::espalier();
    let middle = document.len() / 2;
    let line = document[..document.floor_char_boundary(middle)].rfind('\n').unwrap_or(0) + 1;
    let (mut first, mut next) = (Vec::new(), Vec::new());
    let mut shown = Context::default();
    for _ in 0..21 {
        let mut memory = Memory::default();
        let mut text = document.clone();
        let mut cursor = line;
        for (index, key) in "let total = stock.iter().sum();".chars().enumerate() {
            text.insert(cursor, key);
            cursor += key.len_utf8();
            let request = Request {
                path,
                language: "rust",
                text: &text,
                cursor: utf16_len(&text[..cursor]),
                neighbours: &neighbours,
                items: &items,
                edits: Some(&edits),
                visits: None,
                excluded: &[],
                now_ms: 0,
                fresh_chars: usize::MAX,
                options: &options,
            };
            let start = Instant::now();
            shown = inline_context(&request, tokenizer, &mut memory).unwrap_or_default();
            let took = start.elapsed();
            let counted = tokenizer.count(&(shown.context() + &shown.prefix)) + tokenizer.count(&shown.suffix);
            assert!(counted <= shown.tokens.limit && counted + shown.tokens.free == shown.tokens.limit);
            if index == 0 { first.push(took) } else { next.push(took) }
        }
    }
    println!("first request: {}; next keystroke: {}", times(&mut first), times(&mut next));
    let sent = shown.items.iter().filter(|item| item.dropped.is_none()).count();
    println!("{sent} items sent; {:?}", shown.tokens);
    let texts: Vec<&str> = rest.iter().map(|file| file.1.as_str()).collect();
    let limits = SimilarOptions::espalier("rust");
    let (mut cold, mut warm, mut stated) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..21 {
        let mut cache = SimilarCache::default();
        for times in [&mut cold, &mut warm] {
            let start = Instant::now();
            std::hint::black_box(similar(&mut cache, &document[..middle], &texts, &limits, usize::MAX));
            times.push(start.elapsed());
        }
    }
    for _ in 0..3 {
        let start = Instant::now();
        std::hint::black_box(as_stated(&document[..middle], &texts));
        stated.push(start.elapsed());
    }
    println!("similar: cold {}; warm {}; as stated {}", times(&mut cold), times(&mut warm), times(&mut stated));
}

/// The reference's rules, implemented literally: a set of words for each window.
fn as_stated(reference: &str, files: &[&str]) -> f64 {
    fn set<'a>(lines: &[&'a str]) -> std::collections::HashSet<&'a str> {
        let mut set = std::collections::HashSet::new();
        lines.iter().for_each(|line| {
            words(line, Alphabet::Ascii, |word| {
                set.insert(word);
            })
        });
        set
    }
    let lines: Vec<&str> = reference.split('\n').collect();
    let of_reference = set(&lines[lines.len().saturating_sub(60)..]);
    let mut best: f64 = 0.0;
    for file in files {
        let lines: Vec<&str> = file.split('\n').collect();
        for (start, end) in windows(lines.len(), 60) {
            let words = set(&lines[start..end]);
            let shared = words.intersection(&of_reference).count();
            best = best.max(shared as f64 / (words.len() + of_reference.len() - shared) as f64);
        }
    }
    best
}

fn times(times: &mut [Duration]) -> String {
    times.sort();
    let at = |share: usize| times.get(times.len() * share / 100).copied().unwrap_or_default();
    format!("median {:?}, p95 {:?}", at(50), at(95))
}

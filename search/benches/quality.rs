//! Ranking quality on labelled queries: `node benches/search/labelled.mjs`, then
//! `cargo bench -p espalier-search --bench quality -- build/corpus/labelled.json`. `VOCABULARY` names a vocabulary
//! file of o200k_base; without one a token is four bytes.
//!
//! Among the first ten chunks: the share of queries with a chunk of the answer's file, with one that has a line of the
//! answer, and with one that has its first line, its head.

use espalier_core::tokens::{Encoding, EncodingName, Tokenizer};
use espalier_search::{ChunkOptions, Definition, Index, Profile, Query};
use serde_json::Value;
use std::collections::HashMap;

const TOP: usize = 10;

struct Quarters;

impl Tokenizer for Quarters {
    fn count(&self, text: &str) -> u64 {
        text.len().div_ceil(4) as u64
    }
}

struct File {
    path: String,
    text: String,
    definitions: Vec<Definition>,
}

struct Labelled {
    query: String,
    path: String,
    /// First and last line; `None` if the answer is the whole file.
    lines: Option<(u32, u32)>,
    is_judged: bool,
}

fn main() {
    let Some(name) = std::env::args().skip(1).find(|arg| !arg.starts_with("--")) else { return };
    let Ok(bytes) = std::fs::read(&name) else { return println!("{name} cannot be read") };
    let Ok(set) = serde_json::from_slice::<Value>(&bytes) else { return println!("{name} is no JSON") };
    drop(bytes);
    let files: Vec<File> = set["files"].as_array().into_iter().flatten().map(file).collect();
    let queries: Vec<Labelled> = set["queries"].as_array().into_iter().flatten().map(labelled).collect();
    drop(set);
    let vocabulary = std::env::var_os("VOCABULARY").and_then(|file| std::fs::read(file).ok());
    let encoding = vocabulary.and_then(|bytes| Encoding::load(EncodingName::O200kBase, &bytes).ok());
    println!("{} files, {} queries", files.len(), queries.len());
    match &encoding {
        Some(encoding) => measure(&files, &queries, encoding),
        None => measure(&files, &queries, &Quarters),
    }
}

fn string(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn file(value: &Value) -> File {
    let text = string(&value["text"]);
    let definitions = value["definitions"].as_array().into_iter().flatten().map(|one| {
        let at = |name: &str| one[name].as_u64().unwrap_or_default() as usize;
        Definition { name: string(&one["name"]), start: at("start"), end: at("end") }
    });
    let mut definitions: Vec<Definition> = definitions.collect();
    in_bytes(&text, &mut definitions);
    File { path: string(&value["path"]), text, definitions }
}

/// Converts offsets, which are in UTF-16 code units, to bytes.
fn in_bytes(text: &str, definitions: &mut [Definition]) {
    if text.is_ascii() {
        return;
    }
    let mut bytes = Vec::with_capacity(text.len());
    for (at, character) in text.char_indices() {
        bytes.extend(std::iter::repeat_n(at, character.len_utf16()));
    }
    bytes.push(text.len());
    for one in definitions {
        one.start = bytes.get(one.start).copied().unwrap_or(text.len());
        one.end = bytes.get(one.end).copied().unwrap_or(text.len());
    }
}

fn labelled(value: &Value) -> Labelled {
    let line = |name: &str| value[name].as_u64().map(|line| line as u32);
    Labelled {
        query: string(&value["query"]),
        path: string(&value["path"]),
        lines: line("firstLine").zip(line("lastLine")),
        is_judged: value["half"] == "judged",
    }
}

fn measure(files: &[File], queries: &[Labelled], tokenizer: &impl Tokenizer) {
    println!("| | half | file in {TOP} | lines in {TOP} | head in {TOP} | MRR of lines | chunks |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    let options = ChunkOptions::default();
    let mut index = Index::new(Profile::COPILOT_CHAT);
    let mut lines = HashMap::new();
    for File { path, text, .. } in files {
        let (texts, ranges) = copilot_chunks(text, u64::from(options.max_tokens), tokenizer);
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let _ = index.put_chunks(path, "1", &texts);
        lines.insert(path.as_str(), ranges);
    }
    report("TF-IDF, its chunks", &index, queries, |path, position| {
        lines.get(path).and_then(|ranges| ranges.get(position as usize)).copied()
    });
    for (name, profile, has_definitions) in [
        ("TF-IDF, our line chunks", Profile::COPILOT_CHAT, false),
        ("BM25, line chunks", Profile::ESPALIER, false),
        ("BM25, definitions", Profile::ESPALIER, true),
    ] {
        let mut index = Index::new(profile);
        for File { path, text, definitions } in files {
            let definitions = if has_definitions { definitions.as_slice() } else { &[] };
            let _ = index.put(path, "1", text, definitions, options, tokenizer);
        }
        report(name, &index, queries, |_, _| None);
    }
}

/// Copilot Chat's chunks with their first and last lines: whole lines, cut to four characters a token, without
/// common indentation.
fn copilot_chunks(text: &str, budget: u64, tokenizer: &impl Tokenizer) -> (Vec<String>, Vec<(u32, u32)>) {
    let (mut texts, mut ranges) = (Vec::new(), Vec::new());
    let mut open: Vec<(u32, &str)> = Vec::new();
    let mut total = 0;
    let mut close = |open: &mut Vec<(u32, &str)>| {
        let indent = open.iter().map(|(_, line)| line.len() - line.trim_start().len()).min().unwrap_or(0);
        if let (Some(first), Some(last)) = (open.first(), open.last()) {
            ranges.push((first.0, last.0));
            texts.push(open.iter().map(|(_, line)| &line[indent..]).collect::<Vec<_>>().join("\n"));
        }
        open.clear();
    };
    for (number, line) in (0..).zip(text.lines()) {
        let end = line.char_indices().nth(4 * budget as usize).map_or(line.len(), |(at, _)| at);
        let line = line[..end].trim_end();
        if line.is_empty() {
            continue;
        }
        let tokens = tokenizer.count(line);
        if total + tokens > budget {
            close(&mut open);
            total = 0;
        }
        open.push((number, line));
        total += tokens;
    }
    close(&mut open);
    (texts, ranges)
}

/// The result for some queries.
#[derive(Default)]
struct Found {
    queries: f64,
    files: f64,
    lines: f64,
    heads: f64,
    reciprocal: f64,
}

fn report(name: &str, index: &Index, queries: &[Labelled], lines_of: impl Fn(&str, u32) -> Option<(u32, u32)>) {
    let mut halves = [Found::default(), Found::default()];
    for labelled in queries {
        let found = &mut halves[usize::from(labelled.is_judged)];
        found.queries += 1.0;
        let hits = index.search(&Query { max_results: TOP, ..Query::of(&labelled.query) });
        let located = hits.iter().filter_map(|hit| index.locate(hit.chunk));
        let (mut file, mut head) = (false, false);
        let mut place = None;
        for (at, hit) in located.enumerate().filter(|(_, hit)| hit.path == labelled.path) {
            file = true;
            let (first, last) = lines_of(hit.path, hit.position).unwrap_or((hit.first_line, hit.last_line));
            head |= labelled.lines.is_none_or(|answer| first <= answer.0 && last >= answer.0);
            if place.is_none() && labelled.lines.is_none_or(|answer| first <= answer.1 && last >= answer.0) {
                place = Some(at);
            }
        }
        found.files += f64::from(u8::from(file));
        found.lines += f64::from(u8::from(place.is_some()));
        found.heads += f64::from(u8::from(head));
        found.reciprocal += place.map_or(0.0, |at| 1.0 / (at + 1) as f64);
    }
    let chunks = index.state().chunks;
    for (half, found) in ["tuning", "judged"].iter().zip(halves) {
        let queries = found.queries.max(1.0);
        let shares = [found.files, found.lines, found.heads].map(|count| format!("{:.1} %", 100.0 * count / queries));
        let rank = found.reciprocal / queries;
        println!("| {name} | {half} ({queries}) | {} | {rank:.3} | {chunks} |", shares.join(" | "));
    }
}

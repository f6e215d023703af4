//! Ranking on this repository's own sources: the first sentence of a doc comment finds its function, with the comment
//! and the function's name removed. `benches/search` has the large version.

use crate::support::Words;
use espalier_search::{ChunkOptions, Index, Profile, Query};
use std::path::Path;

/// One of this many functions is a query.
const EVERY: usize = 12;

struct Labelled {
    query: String,
    path: String,
    line: u32,
}

fn walk(folder: &Path, files: &mut Vec<(String, String)>) {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            walk(&path, files);
        } else if path.extension().is_some_and(|end| end == "rs") {
            files.push((path.to_string_lossy().into_owned(), std::fs::read_to_string(&path).unwrap()));
        }
    }
}

/// Returns the text without some of its doc comments, and a query for each.
fn without_comments(path: &str, text: &str, count: &mut usize, queries: &mut Vec<Labelled>) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let is_comment = |at: usize| lines.get(at).is_some_and(|line| line.trim_start().starts_with("///"));
    let mut kept: Vec<&str> = Vec::new();
    let mut at = 0;
    while at < lines.len() {
        let end = (at..).find(|at| !is_comment(*at)).unwrap();
        let head = lines[end..].iter().find(|line| !line.trim_start().starts_with("#[")).unwrap_or(&"");
        let name = head.split_once("fn ").map(|(_, rest)| rest.split(['(', '<']).next().unwrap());
        let Some(name) = name.filter(|_| end > at) else {
            kept.push(lines[at]);
            at += 1;
            continue;
        };
        let comment = lines[at..end].iter().map(|line| line.trim_start().trim_start_matches('/').trim());
        let comment = comment.collect::<Vec<_>>().join(" ").replace('`', " ");
        let sentence = comment.split(". ").next().unwrap();
        let is_name = |word: &str| name.split('_').any(|part| word.eq_ignore_ascii_case(part));
        let words: Vec<&str> =
            sentence.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !is_name(word)).collect();
        *count += 1;
        if count.is_multiple_of(EVERY) && words.iter().filter(|word| word.len() > 4).count() >= 4 {
            queries.push(Labelled { query: words.join(" "), path: path.into(), line: kept.len() as u32 });
        } else {
            kept.extend(&lines[at..end]);
        }
        at = end;
    }
    kept.join("\n")
}

fn recall(profile: Profile, files: &[(String, String)], queries: &[Labelled]) -> usize {
    let mut index = Index::new(profile);
    for (path, text) in files {
        index.put(path, "1", text, &[], ChunkOptions::default(), &Words).unwrap();
    }
    let is_found = |one: &&Labelled| {
        let hits = index.search(&Query { max_results: 10, ..Query::of(&one.query) });
        let mut located = hits.iter().filter_map(|hit| index.locate(hit.chunk));
        located.any(|hit| hit.path == one.path && (hit.first_line..=hit.last_line).contains(&one.line))
    };
    queries.iter().filter(is_found).count()
}

#[test]
fn bm25_finds_at_least_as_many_of_our_own_functions_as_tf_idf() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = Vec::new();
    ["src", "../src", "../inline/src"].iter().for_each(|folder| walk(&root.join(folder), &mut sources));
    sources.sort();
    let (mut count, mut queries) = (0, Vec::new());
    let files: Vec<(String, String)> = (sources.iter())
        .map(|(path, text)| (path.clone(), without_comments(path, text, &mut count, &mut queries)))
        .collect();
    assert!(queries.len() >= 30, "{}", queries.len());
    let (ours, theirs) = (recall(Profile::ESPALIER, &files, &queries), recall(Profile::COPILOT_CHAT, &files, &queries));
    assert!(ours >= theirs, "{ours} against {theirs} of {}", queries.len());
}

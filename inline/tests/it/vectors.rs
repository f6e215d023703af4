//! Everything that the recorded vectors cover.

use crate::support::Units;
use espalier_inline::*;
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("data/completion-vectors.json")).unwrap()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap()
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap() as usize
}

#[test]
fn similar_files() {
    let vectors = vectors();
    let group = &vectors["similarFiles"];
    let mut cache = SimilarCache::default();
    for case in list(&group["cases"]) {
        let set = &group["optionSets"][case["options"].as_str().unwrap()];
        let is_subset = set["useSubsetMatching"].as_bool().unwrap_or(false);
        let options = SimilarOptions {
            window: number(&set["snippetLength"]),
            threshold: set["threshold"].as_f64().unwrap(),
            max_snippets: number(&set["maxTopSnippets"]),
            max_per_file: number(&set["maxSnippetsPerFile"]),
            max_files: number(&set["maxNumberOfFiles"]),
            max_chars: number(&set["maxCharPerFile"]) - 1,
            similarity: if is_subset { Similarity::Shared } else { Similarity::Jaccard },
            alphabet: Alphabet::Ascii,
            skips_licence: false,
        };
        let text = |name: &Value| group["documents"][name.as_str().unwrap()].as_str().unwrap();
        let files: Vec<&str> = list(&case["candidates"]).iter().map(text).collect();
        let units: Vec<u16> = text(&case["reference"]).encode_utf16().take(number(&case["offset"])).collect();
        let reference = String::from_utf16(&units).unwrap();
        let found = similar(&mut cache, &reference, &files, &options, usize::MAX).snippets;
        let found: Vec<_> = found.iter().map(|s| (s.file, s.start_line, s.end_line, s.score)).collect();
        let expected: Vec<_> = (list(&case["expected"]).iter())
            .map(|snippet| {
                let file = list(&case["candidates"]).iter().position(|name| *name == snippet["path"]).unwrap();
                (file, number(&snippet["startLine"]), number(&snippet["endLine"]), snippet["score"].as_f64().unwrap())
            })
            .collect();
        assert_eq!(found.len(), expected.len(), "{case} {found:?}");
        for (found, expected) in found.iter().zip(&expected) {
            assert_eq!((found.0, found.1, found.2), (expected.0, expected.1, expected.2), "{case}");
            assert!((found.3 - expected.3).abs() < 1e-11, "{case} {found:?}");
        }
    }
}

#[test]
fn windows_and_headlines() {
    let vectors = vectors();
    for case in list(&vectors["windows"]) {
        let expected: Vec<(usize, usize)> =
            list(&case["expected"]).iter().map(|pair| (number(&pair[0]), number(&pair[1]))).collect();
        assert_eq!(windows(number(&case["lines"]), number(&case["window"])), expected);
    }
    for case in list(&vectors["announce"]) {
        let count = if case["semantics"] == "snippet" { 1 } else { 2 };
        assert_eq!(announce(case["relativePath"].as_str().unwrap(), count), case["expected"].as_str().unwrap());
    }
}

#[test]
fn open_tabs() {
    let vectors = vectors();
    for case in list(&vectors["openTabs"]["cases"]) {
        let texts: Vec<String> = list(&case["documents"]).iter().map(|d| "x".repeat(number(&d["length"]))).collect();
        let files: Vec<Neighbour<'_>> = (list(&case["documents"]).iter().zip(&texts))
            .map(|(document, text)| Neighbour {
                path: document["uri"].as_str().unwrap(),
                scheme: document["uri"].as_str().unwrap().split(':').next().unwrap(),
                language: document["language"].as_str().unwrap(),
                text,
                focused_ms: document["accessed"].as_u64(),
                digest: None,
            })
            .collect();
        let options = NeighbourOptions { max_files: number(&case["max"]), ..NeighbourOptions::copilot_chat() };
        let language = case["language"].as_str().unwrap();
        let (found, unfit) = open_files(&files, case["current"].as_str().unwrap(), language, &options);
        let found_paths: Vec<&str> = found.iter().map(|&index| files[index].path).collect();
        let expected: Vec<&str> = list(&case["expected"]).iter().map(|path| path.as_str().unwrap()).collect();
        assert_eq!(found_paths, expected, "{}", case["id"]);
        assert_eq!(found.len() + unfit.len(), files.len());
    }
}

#[test]
fn elision() {
    let vectors = vectors();
    for case in list(&vectors["elision"]["cases"]) {
        let blocks: Vec<Block<'_>> = (list(&case["blocks"]).iter())
            .map(|block| Block {
                value: block["value"].as_str().unwrap(),
                weight: block["weight"].as_f64().unwrap(),
                chunks: block["chunks"].as_array().into_iter().flatten().filter_map(Value::as_str).collect(),
            })
            .collect();
        let limit = |name: &str| case[name].as_u64().unwrap();
        let suffix = case["suffix"].as_str().unwrap();
        let found = elide(&blocks, limit("prefixLimit"), suffix, limit("suffixLimit"), &Units);
        let expected = &case["expected"];
        if expected["error"].is_string() {
            assert_eq!(found.unwrap_err().code.as_str(), "bad_option");
            continue;
        }
        let found = found.unwrap();
        let kept: Vec<&str> = list(&expected["kept"]).iter().map(|value| value.as_str().unwrap()).collect();
        assert_eq!(found.kept, kept, "{}", case["id"]);
        assert_eq!(found.suffix, expected["suffix"].as_str().unwrap(), "{}", case["id"]);
        assert_eq!(found.kept.concat(), expected["prefix"].as_str().unwrap(), "{}", case["id"]);
        for (group, context) in list(&expected["context"]).iter().enumerate() {
            let of_group = |index: &usize| case["blocks"][*index]["index"].as_u64() == Some(group as u64);
            let text: String = (0..blocks.len()).filter(of_group).map(|index| found.kept[index]).collect();
            assert_eq!(text.trim(), context.as_str().unwrap(), "{}", case["id"]);
        }
    }
}

#[test]
fn last_lines_and_distances() {
    let vectors = vectors();
    for case in list(&vectors["trimLastLine"]) {
        let (text, spaces) = trim_last_line(case["input"].as_str().unwrap());
        assert_eq!(serde_json::json!([text, spaces]), case["expected"]);
    }
    for case in list(&vectors["editDistance"]) {
        let ids = |name: &str| list(&case[name]).iter().map(|id| id.as_u64().unwrap() as u32).collect::<Vec<_>>();
        assert_eq!(edit_distance(&ids("a"), &ids("b")), number(&case["expected"]));
    }
}

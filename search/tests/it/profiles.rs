//! Copilot Chat's ranking: recorded ones, and an independent implementation of its rules on random texts.

use crate::support::text;
use espalier_search::{Index, Profile, Query};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};

const VECTORS: &str = include_str!("data/tfidf-vectors.json");

#[test]
fn recorded_rankings() {
    let vectors: Value = serde_json::from_str(VECTORS).unwrap();
    let mut searches = 0;
    for scenario in vectors["scenarios"].as_array().unwrap() {
        let mut index = Index::new(Profile::COPILOT_CHAT);
        for step in scenario["steps"].as_array().unwrap() {
            let version = step["version"].as_u64().unwrap_or(1).to_string();
            for (path, contents) in step["add"].as_object().into_iter().flatten() {
                let texts: Vec<&str> = match contents {
                    Value::Array(texts) => texts.iter().filter_map(Value::as_str).collect(),
                    text => text.as_str().into_iter().collect(),
                };
                index.put_chunks(path, &version, &texts).unwrap();
            }
            for path in step["delete"].as_array().into_iter().flatten() {
                index.remove(path.as_str().unwrap());
            }
            let Some(text) = step["query"].as_str() else { continue };
            let options = &step["options"];
            let max_results = options["maxResults"].as_u64().map_or(usize::MAX, |max| max as usize);
            let query = Query { max_results, max_spread: options["maxSpread"].as_f64(), ..Query::of(text) };
            let found: Vec<(String, u64, f64)> = (index.search(&query).iter())
                .map(|hit| (index.locate(hit.chunk).unwrap(), hit.score))
                .map(|(found, score)| (found.path.to_string(), found.position.into(), score))
                .collect();
            let expected: Vec<(String, u64)> = (step["expected"].as_array().unwrap().iter())
                .map(|hit| (hit[0].as_str().unwrap().to_string(), hit[1].as_u64().unwrap()))
                .collect();
            let names: Vec<(String, u64)> = found.iter().map(|hit| (hit.0.clone(), hit.1)).collect();
            assert_eq!(names, expected, "{} {text:?}", scenario["id"]);
            for (hit, score) in found.iter().zip(step["scores"].as_array().unwrap()) {
                assert!((hit.2 - score.as_f64().unwrap()).abs() < 2e-9, "{} {text:?}", scenario["id"]);
            }
            searches += 1;
        }
    }
    assert!(searches >= 30);
}

/// The rules of the spec, implemented literally, without regard to speed.
struct Stated {
    chunks: Vec<(String, usize, HashMap<String, u64>)>,
}

fn is_word(character: char) -> bool {
    character.is_alphabetic() || character.is_numeric() || matches!(character, '_' | '$')
}

fn stated_terms(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    for run in text.split(|character| !is_word(character)) {
        let first = run.chars().next();
        let begins = first.is_some_and(|first| matches!(first, '_' | '$') || espalier_core::tokens::is_letter(first));
        if !begins || run.chars().count() < 3 {
            continue;
        }
        let characters: Vec<char> = run.chars().collect();
        let mut parts: Vec<String> = vec![String::new()];
        for (at, character) in characters.iter().enumerate() {
            let before = at.checked_sub(1).map(|at| characters[at]);
            let splits = before.is_some_and(|before| before.is_ascii_lowercase() || before == '$');
            if splits && character.is_ascii_uppercase() {
                parts.push(String::new());
            }
            parts.last_mut().unwrap().push(*character);
        }
        if parts.len() == 1 {
            parts.clear();
        }
        if run.contains('_') {
            parts.extend(run.split('_').map(str::to_string));
        }
        let stem = run.trim_end_matches(|character: char| character.is_ascii_digit());
        if stem.len() < run.len() && !stem.chars().any(|character| character.is_ascii_digit()) {
            parts.push(stem.to_string());
        }
        let mut terms = BTreeSet::from([run.to_lowercase()]);
        for part in parts {
            let letters: Vec<bool> =
                part.chars().map(|character| character.is_alphabetic() || matches!(character, '_' | '$')).collect();
            if letters.windows(3).any(|three| three.iter().all(|is_letter| *is_letter)) {
                terms.insert(part.to_lowercase());
            }
        }
        all.extend(terms);
    }
    all
}

impl Stated {
    fn put(&mut self, path: &str, texts: &[String]) {
        self.remove(path);
        for (position, text) in texts.iter().enumerate() {
            let mut counts = HashMap::new();
            stated_terms(text).into_iter().for_each(|term| *counts.entry(term).or_insert(0) += 1);
            self.chunks.push((path.to_string(), position, counts));
        }
    }

    fn remove(&mut self, path: &str) {
        self.chunks.retain(|chunk| chunk.0 != path);
    }

    fn search(&self, query: &str, max_results: usize, max_spread: f64) -> Vec<(String, usize, f64)> {
        let mut counts: HashMap<String, u64> = HashMap::new();
        stated_terms(query).into_iter().for_each(|term| *counts.entry(term).or_insert(0) += 1);
        let mut found = Vec::new();
        for (path, position, terms) in &self.chunks {
            let mut score = 0.0;
            for (term, count) in &counts {
                let df = self.chunks.iter().filter(|chunk| chunk.2.contains_key(term)).count();
                let idf = if df == 0 { 0.0 } else { ((self.chunks.len() as f64 + 1.0) / df as f64).ln() };
                score += terms.get(term).copied().unwrap_or(0) as f64 * idf * *count as f64 * idf;
            }
            if score > 0.0 {
                found.push((path.clone(), *position, score));
            }
        }
        found.sort_by(|one, other| other.2.total_cmp(&one.2));
        found.truncate(max_results);
        let best = found.first().map_or(0.0, |hit| hit.2);
        found.retain(|hit| hit.2 >= best * (1.0 - max_spread));
        found
    }
}

#[test]
fn the_rules_on_random_texts() {
    for seed in 0..40 {
        let random = &mut fastrand::Rng::with_seed(seed);
        let (mut index, mut stated) = (Index::new(Profile::COPILOT_CHAT), Stated { chunks: Vec::new() });
        for step in 0..60 {
            let path = format!("file{}", random.usize(..12));
            if random.usize(..4) == 0 {
                index.remove(&path);
                stated.remove(&path);
            } else {
                let texts: Vec<String> = (0..random.usize(..5)).map(|_| text(random, 3)).collect();
                let parts: Vec<&str> = texts.iter().map(String::as_str).collect();
                index.put_chunks(&path, &step.to_string(), &parts).unwrap();
                stated.put(&path, &texts);
            }
            let query = text(random, 1);
            let (max_results, spread) = (random.usize(1..30), random.f64());
            let ours = index.search(&Query { max_results, max_spread: Some(spread), ..Query::of(&query) });
            let theirs = stated.search(&query, max_results, spread);
            let all = stated.search(&query, usize::MAX, 1.0);
            assert_eq!(ours.len(), theirs.len(), "seed {seed}, step {step}");
            for (at, (hit, (path, position, score))) in ours.iter().zip(&theirs).enumerate() {
                assert!((hit.score - score).abs() < 1e-9 * score.max(1.0), "seed {seed}, step {step}, place {at}");
                let found = index.locate(hit.chunk).unwrap();
                // The literal implementation adds in another order, so scores that are equal here may differ there in
                // their last digit.
                let is_tied = all.iter().filter(|other| (other.2 - score).abs() < 1e-9).count() > 1;
                assert!(is_tied || (found.path, found.position as usize) == (path.as_str(), *position));
            }
        }
    }
}

//! Claims of a summary without support in its history.

use std::borrow::Borrow;

use super::literal::texts;
use crate::map::HashSet;
use crate::message::Message;

/// Maximum number of inventions that are listed.
const MAX_INVENTIONS: usize = 50;

/// Returns paths (by their last component), addresses and numbers of four or more digits in `summary` that do not occur
/// in the history.
pub fn inventions(summary: &str, history: &[impl Borrow<Message>]) -> Vec<String> {
    let claims: Vec<&str> = words(summary).filter(|word| is_claim(word)).collect();
    if claims.is_empty() {
        return vec![];
    }
    let text = texts(history);
    let mut known: HashSet<&str> = HashSet::default();
    for word in words(&text) {
        known.insert(word);
        known.insert(last_component(word));
        // Arguments are JSON text, so a name may follow an escaped line break.
        if let Some(rest) = word.strip_prefix(['n', 't', 'r']) {
            known.insert(rest);
        }
        known.extend(word.split(|c: char| !c.is_ascii_digit()).filter(|n| n.len() >= 4));
    }
    let mut out: Vec<String> = Vec::new();
    for claim in claims {
        let there = known.contains(claim) || known.contains(last_component(claim));
        if !there && out.len() < MAX_INVENTIONS && !out.iter().any(|o| o == claim) {
            out.push(claim.to_string());
        }
    }
    out
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '.' | '/' | '-' | ':' | '@' | '~' | '+' | '#')))
        .map(|word| word.trim_matches(['.', ':', '-', '#', '/', '+']))
        .filter(|word| !word.is_empty())
}

fn last_component(word: &str) -> &str {
    let word = word.rsplit('/').next().unwrap_or(word);
    // file.rs:12:5
    word.split(':').next().unwrap_or(word)
}

fn is_claim(word: &str) -> bool {
    let is_number = word.len() >= 4 && word.bytes().all(|b| b.is_ascii_digit());
    let is_address = word.contains("://");
    let name = last_component(word);
    let is_path = word.contains('/')
        && name.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty() && (1..=6).contains(&ending.len()) && ending.bytes().all(|b| b.is_ascii_alphanumeric())
        });
    is_number || is_address || is_path
}

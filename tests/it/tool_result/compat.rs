//! Copilot Chat's rule, compared with recorded results.

use espalier::tokens::{EncodingName, Tokenizer};
use espalier::tool_result::compat::{MARKER, truncate};
use serde_json::Value;

use super::Chars;
use crate::encodings::shared;

const CASES: &str = include_str!("../../fixtures/vectors/copilot-chat/tool-result-truncation.json");

fn content(recipe: &Value) -> String {
    if let Some(text) = recipe["literal"].as_str() {
        return text.into();
    }
    if let Some([text, count]) = recipe["repeat"].as_array().map(Vec::as_slice) {
        return text.as_str().unwrap().repeat(count.as_u64().unwrap() as usize);
    }
    if let Some(count) = recipe["lines"].as_u64() {
        return (0..count).map(|at| format!("line {at:06}\n")).collect();
    }
    recipe["concat"].as_array().unwrap().iter().map(content).collect()
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

#[test]
fn vectors() {
    let file: Value = serde_json::from_str(CASES).unwrap();
    let (mut checked, mut split) = (0, 0);
    for case in file["cases"].as_array().unwrap() {
        let Some(limit) = case["limitTokens"].as_u64().filter(|limit| *limit >= 50) else { continue };
        let bpe;
        let chars;
        let tokenizer: &dyn Tokenizer = match case["tokenizer"]["per"].as_u64() {
            Some(per) => {
                chars = Chars(per as usize);
                &chars
            }
            None => {
                bpe = shared(EncodingName::Cl100kBase);
                &*bpe
            }
        };
        let text = content(&case["content"]);
        let found = truncate(&text, limit, tokenizer);
        assert_eq!(found.is_some(), case["truncated"].as_bool().unwrap(), "{case}");
        let found = found.unwrap_or(text);
        if case["quirk"] == "splits-surrogates" {
            // Each half of a pair that the reference keeps is removed.
            assert_eq!(units(&found) as u64, case["outLength"].as_u64().unwrap() - 2, "{case}");
            split += 1;
        } else {
            assert_eq!(units(&found) as u64, case["outLength"].as_u64().unwrap(), "{case}");
            if let (Some(head), Some(tail)) = (case["headChars"].as_u64(), case["tailChars"].as_u64()) {
                let (before, behind) = found.split_once(MARKER).unwrap();
                assert_eq!((units(before) as u64, units(behind) as u64), (head, tail), "{case}");
            }
            if let Some(out) = case["out"].as_str() {
                assert_eq!(found, out);
            }
        }
        checked += 1;
    }
    assert_eq!((checked, split), (11, 1));
}

//! Tokenizers that need no vocabulary.

use espalier_core::tokens::Tokenizer;
use espalier_inline::{ItemKind, Neighbour, Options, ProviderItem, Request, Tokens};

/// A token for each UTF-16 code unit.
pub struct Units;

impl Tokenizer for Units {
    fn count(&self, text: &str) -> u64 {
        text.encode_utf16().count() as u64
    }
}

impl Tokens for Units {}

/// Counts of parts that do not add up: a third of the bytes, rounded up.
pub struct Thirds;

impl Tokenizer for Thirds {
    fn count(&self, text: &str) -> u64 {
        text.len().div_ceil(3) as u64
    }
}

impl Tokens for Thirds {}

const PARTS: [&str; 18] = [
    "let", "value", "élan", "中文", "🦀", "x", "return", "parse", "(", ")", "{", "}", "\t", "  ", " ", "stock", "=",
    "\u{FEFF}",
];

/// Lines of code-like words that repeat across texts, with characters of every width.
pub fn source(random: &mut fastrand::Rng, lines: usize) -> String {
    let mut text = String::new();
    for _ in 0..lines {
        for _ in 0..random.usize(..12) {
            text.push_str(PARTS[random.usize(..PARTS.len())]);
            text.push_str([" ", "", "_", "."][random.usize(..4)]);
        }
        text.push_str(["\n", "\n", "\n", "\r\n", "\n\n", "\n\t\n"][random.usize(..6)]);
    }
    text
}

/// Returns a request for a document without any other input.
pub fn request<'a>(text: &'a str, cursor: usize, options: &'a Options) -> Request<'a> {
    Request {
        path: "src/current.ts",
        language: "typescript",
        text,
        cursor,
        neighbours: &[],
        items: &[],
        edits: None,
        visits: None,
        excluded: &[],
        now_ms: 0,
        fresh_chars: usize::MAX,
        options,
    }
}

pub fn neighbour<'a>(path: &'a str, text: &'a str, focused_ms: u64) -> Neighbour<'a> {
    Neighbour { path, scheme: "file", language: "typescript", text, focused_ms: Some(focused_ms), digest: None }
}

pub fn snippet<'a>(id: &'a str, text: &'a str, priority: f64) -> ProviderItem<'a> {
    let (kind, path) = (ItemKind::Snippet, Some("src/other.ts"));
    ProviderItem { id, kind, path, text, priority, weight: 1.0, arrived_ms: Some(0) }
}

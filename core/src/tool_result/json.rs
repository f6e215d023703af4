//! Cuts JSON so that it stays JSON: long lists keep their first and last items, long texts their ends, and both what is
//! about errors in their middle if that is wanted.

use std::ops::Range;

use super::errors::{GAP, SHARE, find, is_error, select};
use super::seam::{Snap, end_of_head, start_of_tail};
use super::tape::{Kind, Node, read};
use super::truncate::Keep;
use crate::map::HashMap;
use crate::tokens::Tokenizer;

/// Pairs of maximum items of a list and maximum bytes of a text, tried from the largest on. The last ones leave little
/// more than the names of fields.
#[rustfmt::skip]
const STEPS: [(usize, usize); 13] = [
    (200, 4_000), (100, 2_000), (50, 1_000), (25, 600), (12, 400), (8, 240), (5, 160), (3, 100), (2, 60), (1, 40),
    (1, 16), (1, 0), (0, 0),
];

/// Number of tries between two steps, and the share of the limit that suffices.
const TRIES: usize = 7;
const ENOUGH: f64 = 0.97;

/// Returns `text` as compact JSON of at most `limit` tokens, if it is JSON (an object or a list) and can be shortened
/// that far.
///
/// ```
/// use espalier::tokens::Tokenizer;
/// use espalier::tool_result::{Keep, json::shorten};
/// struct Quarters;
/// impl Tokenizer for Quarters {
///     fn count(&self, text: &str) -> u64 {
///         text.len().div_ceil(4) as u64
///     }
/// }
/// let list = format!("[{}0]", "1,".repeat(999));
/// let short = shorten(&list, 30, Keep::Ends, &Quarters).unwrap();
/// assert!(short.starts_with("[1,1,") && short.contains("\"[cut: ") && short.ends_with(",0]"));
/// assert!(serde_json::from_str::<Vec<serde_json::Value>>(&short).is_ok());
/// assert!(shorten("no JSON", 30, Keep::Ends, &Quarters).is_none());
/// ```
pub fn shorten(text: &str, limit: u64, keep: Keep, tokenizer: &dyn Tokenizer) -> Option<String> {
    if !text.trim_start().starts_with(['{', '[']) {
        return None;
    }
    let nodes = read(text)?;
    let longest = nodes.iter().filter(|node| node.kind == Kind::List).map(|node| node.items).max().unwrap_or(0);
    let errors = keep == Keep::Errors;
    let mut cutter = Cutter { text, nodes, errors, decoded: HashMap::default(), failed: HashMap::default(), tokenizer };
    let mut at = |items: usize, characters: usize| {
        let mut out = String::new();
        cutter.write(0, items, characters, &mut out);
        // Counts only as far as the limit.
        let fit = tokenizer.prefix_within(&out, limit);
        (fit.offset == out.len()).then_some((out, fit.tokens))
    };
    let (fits, (mut best, mut tokens)) =
        STEPS.iter().enumerate().find_map(|(step, &(items, characters))| Some((step, at(items, characters)?)))?;
    // Finds the maximum number of items between this step and the one above it, alternating a guess by the items' cost
    // so far with bisection.
    let (mut low, characters) = STEPS[fits];
    let mut high = fits.checked_sub(1).map_or(longest + 1, |above| STEPS[above].0);
    for turn in 0..TRIES {
        if high.saturating_sub(low) <= 1 || tokens as f64 >= limit as f64 * ENOUGH {
            break;
        }
        let guess = (low as f64 * limit as f64 / tokens.max(1) as f64 * ENOUGH) as usize;
        let middle = if turn % 2 == 0 { guess } else { low + (high - low) / 2 }.clamp(low + 1, high - 1);
        match at(middle, characters) {
            Some(made) => (low, (best, tokens)) = (middle, made),
            None => high = middle,
        }
    }
    Some(best)
}

/// A decoded text and its lines about errors; `None` if it cannot be decoded.
type Decoded = Option<(String, Vec<Range<usize>>)>;

struct Cutter<'a> {
    text: &'a str,
    nodes: Vec<Node>,
    /// Whether what is about errors stays.
    errors: bool,
    /// Long texts by the index of their node.
    decoded: HashMap<usize, Decoded>,
    /// Indices of the items of long lists that are about errors, by the index of the list's node.
    failed: HashMap<usize, Vec<usize>>,
    tokenizer: &'a dyn Tokenizer,
}

/// Fewest characters of a text in which a share is left for lines about errors.
const MIN_CHARACTERS: usize = 160;
/// Characters of a token, for the share of a text's room.
const TOKEN: usize = 4;

impl Cutter<'_> {
    // Recursion is safe here: the reader accepts at most 128 levels.
    fn write(&mut self, number: usize, items: usize, characters: usize, out: &mut String) {
        let Some(&node) = self.nodes.get(number) else { return };
        match node.kind {
            Kind::Other => out.push_str(&self.text[node.start..node.end]),
            Kind::Text => self.write_text(number, node, characters, out),
            Kind::Object => {
                out.push('{');
                let mut child = number + 1;
                for pair in 0..node.items {
                    if pair > 0 {
                        out.push(',');
                    }
                    let name = self.nodes[child];
                    out.push_str(&self.text[name.start..name.end]);
                    out.push(':');
                    self.write(name.next, items, characters, out);
                    child = self.nodes[name.next].next;
                }
                out.push('}');
            }
            Kind::List => {
                out.push('[');
                let cut = node.items > items + 1;
                let middle = if cut { self.failed_between(number, items) } else { Vec::new() };
                let ends = items - middle.len();
                let head = if cut { ends.div_ceil(2) } else { node.items };
                let tail = if cut { node.items - (ends - head) } else { node.items };
                let mut kept = middle.into_iter().peekable();
                let mut child = number + 1;
                let mut missing = 0;
                for at in 0..node.items {
                    if at >= head && at < tail && kept.next_if_eq(&at).is_none() {
                        missing += 1;
                    } else {
                        write_gap(&mut missing, out);
                        if !out.ends_with('[') {
                            out.push(',');
                        }
                        self.write(child, items, characters, out);
                    }
                    child = self.nodes[child].next;
                }
                write_gap(&mut missing, out);
                out.push(']');
            }
        }
    }

    /// Returns the items between the ends of a list that are about errors, at most a share of `items`.
    fn failed_between(&mut self, number: usize, items: usize) -> Vec<usize> {
        let max = if self.errors { items.div_ceil(SHARE as usize) } else { 0 };
        // One item that stays is the first.
        if max == 0 || items < 3 {
            return Vec::new();
        }
        let (text, nodes) = (self.text, &self.nodes);
        let failed = self.failed.entry(number).or_insert_with(|| {
            let mut child = number + 1;
            (0..nodes[number].items)
                .filter(|_| {
                    let from = child;
                    child = nodes[child].next;
                    // Names of fields say nothing: `"error": null` is none.
                    let is_name = |at: usize| text[nodes[at].end..].trim_start().starts_with(':');
                    (from..child).any(|at| {
                        nodes[at].kind == Kind::Text && !is_name(at) && is_error(&text[nodes[at].start..nodes[at].end])
                    })
                })
                .collect()
        });
        let (head, tail) = ((items - max).div_ceil(2), nodes[number].items - (items - max) / 2);
        failed.iter().copied().filter(|at| (head..tail).contains(at)).take(max).collect()
    }

    fn write_text(&mut self, number: usize, node: Node, characters: usize, out: &mut String) {
        let written = &self.text[node.start..node.end];
        // Escapes are longer than the characters that they encode.
        if written.len() <= characters + 42 {
            return out.push_str(written);
        }
        let keeps = self.errors && characters >= MIN_CHARACTERS;
        let errors = self.errors;
        let decoded = self.decoded.entry(number).or_insert_with(|| {
            let text: String = serde_json::from_str(written).ok()?;
            let lines = if errors { find(&text) } else { Vec::new() };
            Some((text, lines))
        });
        match decoded {
            Some((text, lines)) if text.len() > characters + 40 => {
                let share = if keeps && !lines.is_empty() { characters / SHARE as usize } else { 0 };
                let half = (characters - share) / 2;
                let end = end_of_head(text, half, Snap::Characters);
                let start = start_of_tail(text, text.len() - half, Snap::Characters);
                let from = lines.partition_point(|line| line.start < end);
                let to = lines.partition_point(|line| line.end <= start).max(from);
                let kept = select(text, &lines[from..to], end, (share / TOKEN) as u64, self.tokenizer).text;
                let missing = text[end..start].chars().count().saturating_sub(kept.chars().count());
                let kept = if kept.is_empty() { kept } else { format!("\n{GAP}\n{kept}\n{GAP}\n") };
                let short = format!("{}[cut: {missing} characters]{kept}{}", &text[..end], &text[start..]);
                out.push_str(&serde_json::Value::String(short).to_string());
            }
            // A text that is short once decoded, or half of a surrogate pair: unchanged.
            _ => out.push_str(written),
        }
    }
}

/// Writes how many items are missing, if any are.
fn write_gap(missing: &mut usize, out: &mut String) {
    if *missing > 0 {
        let comma = if out.ends_with('[') { "" } else { "," };
        out.push_str(&format!("{comma}\"[cut: {missing} items]\""));
        *missing = 0;
    }
}

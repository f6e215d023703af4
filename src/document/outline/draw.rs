//! Draws outlines: one line per definition, nested by indentation, within a budget of tokens.

use super::facts::Facts;
use super::items::Item;
use crate::document::changed::lines::Lines;
use crate::document::syntax::NONE;
use crate::tokens::Tokenizer;

/// The maximum characters of a definition in its line. Longer ones are values, not signatures.
const LONGEST: usize = 160;

/// An outline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// The lines. The last one is a note if some are missing.
    pub text: String,
    /// The tokens of `text`.
    pub tokens: u64,
    /// The indices of the definitions shown.
    pub shown: Vec<u32>,
    /// The number of missing definitions.
    pub missing: usize,
}

/// Returns the outline of a document in at most `budget` tokens. Outer definitions come before inner ones, then the
/// order of the document decides. Definitions local to a function are left out. With `numbers`, each line begins with
/// its line number in the document, from 1.
pub fn outline(text: &str, facts: &Facts, numbers: bool, budget: u64, tokenizer: &dyn Tokenizer) -> Outline {
    let lines = numbers.then(|| Lines::new(text));
    let items: Vec<u32> = listed(facts).collect();
    let mut places = vec![NONE; facts.items.len()];
    let mut depths = vec![0; facts.items.len()];
    let mut entries = Vec::with_capacity(items.len());
    for at in &items {
        let item = &facts.items[*at as usize];
        let parent = places.get(item.parent as usize).copied().unwrap_or(NONE);
        let depth = depths.get(item.parent as usize).map_or(0, |depth| depth + 1);
        (places[*at as usize], depths[*at as usize]) = (entries.len() as u32, depth);
        let number = lines.as_ref().map(|lines| format!("{}: ", lines.of(item.declared) + 1)).unwrap_or_default();
        entries.push(Entry { parent, line: format!("{number}{}{}\n", indent(depth), signature(text, item)) });
    }
    let mut order: Vec<u32> = (0..entries.len() as u32).collect();
    crate::rank::sort(&mut order, |at| depths[items[*at as usize] as usize] as u64);
    let filled = fill(&entries, &order, budget, tokenizer);
    Outline {
        shown: filled.shown.iter().zip(&items).filter(|(shown, _)| **shown).map(|(_, item)| *item).collect(),
        missing: filled.missing,
        tokens: filled.tokens,
        text: filled.text,
    }
}

/// Returns the definitions of an outline: those that are not local to a function.
pub(super) fn listed(facts: &Facts) -> impl Iterator<Item = u32> {
    let items = facts.items.iter().zip(0..);
    items.filter(|(item, _)| !item.local && item.code < item.end).map(|(_, at)| at)
}

/// The maximum indentation. Code can be nested without limit.
pub(super) fn indent(depth: usize) -> String {
    "  ".repeat(depth.min(20))
}

/// Returns a definition without its body, in one line.
pub(super) fn signature(text: &str, item: &Item) -> String {
    let head = text.get(item.declared as usize..item.head as usize).unwrap_or_default();
    let mut line = String::new();
    for word in head.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
        if line.len() > LONGEST * 4 {
            break;
        }
    }
    // The bracket that opens the body.
    if item.head < item.end {
        line.truncate(line.trim_end_matches([' ', '{', '(', '[']).len());
    }
    // `typedef struct { … } Name;`
    if item.name.0 >= item.tail && item.tail < item.end {
        line.push(' ');
        line += text.get(item.name.0 as usize..item.name.1 as usize).unwrap_or_default();
    }
    if let Some((end, _)) = line.char_indices().nth(LONGEST) {
        line.truncate(end);
        line.push('…');
    }
    line
}

/// A line that can show if its parent does.
pub(super) struct Entry {
    pub parent: u32,
    pub line: String,
}

/// The shown part of some lines.
pub(super) struct Filled {
    pub shown: Vec<bool>,
    pub text: String,
    pub tokens: u64,
    pub missing: usize,
}

/// How often tokens are redistributed that the sum of the lines overstates.
const ROUNDS: usize = 3;

/// Shows as many lines as fit, in the order of `order`. Lines that do not fit are skipped. The last line says how many
/// are missing.
pub(super) fn fill(entries: &[Entry], order: &[u32], budget: u64, tokenizer: &dyn Tokenizer) -> Filled {
    let all = Filled::of(entries, vec![true; entries.len()], tokenizer);
    if all.tokens <= budget {
        return all;
    }
    let costs: Vec<u64> = entries.iter().map(|entry| tokenizer.count(&entry.line)).collect();
    let note = tokenizer.count(&note(entries.len()));
    let mut room = budget.saturating_sub(note);
    let mut shown = vec![false; entries.len()];
    let mut came: Vec<u32> = Vec::new();
    let mut best = Filled::of(entries, shown.clone(), tokenizer);
    for _ in 0..ROUNDS {
        let before = came.len();
        for at in order {
            let mut chain = Vec::new();
            let mut up = *at;
            while shown.get(up as usize) == Some(&false) {
                chain.push(up);
                up = entries[up as usize].parent;
            }
            let cost: u64 = chain.iter().map(|at| costs[*at as usize]).sum();
            if !chain.is_empty() && cost <= room {
                room -= cost;
                chain.iter().for_each(|at| shown[*at as usize] = true);
                came.extend(chain.iter().rev());
            }
        }
        if came.len() == before {
            break;
        }
        let made = Filled::of(entries, shown.clone(), tokenizer);
        if made.tokens > budget {
            break;
        }
        room = budget - made.tokens;
        best = made;
    }
    // Lines can count slightly more together than one by one, which is rare.
    while best.shown.iter().all(|shown| !shown) && !came.is_empty() {
        let last = came.pop().unwrap_or_default();
        shown[last as usize] = false;
        let made = Filled::of(entries, shown.clone(), tokenizer);
        if made.tokens <= budget {
            best = made;
        }
    }
    if best.tokens > budget {
        // Not even the note fits.
        best = Filled { shown: vec![false; entries.len()], text: String::new(), tokens: 0, missing: entries.len() };
    }
    best
}

impl Filled {
    fn of(entries: &[Entry], shown: Vec<bool>, tokenizer: &dyn Tokenizer) -> Filled {
        let mut text = String::new();
        let visible = entries.iter().zip(&shown).filter(|(_, shown)| **shown);
        visible.for_each(|(entry, _)| text += &entry.line);
        let missing = shown.iter().filter(|shown| !**shown).count();
        if missing > 0 {
            text += &note(missing);
        }
        Filled { tokens: tokenizer.count(&text), text, shown, missing }
    }
}

fn note(missing: usize) -> String {
    format!("… {missing} more\n")
}

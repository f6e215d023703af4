//! Draws the map of a repository: the most important definitions by file, within a budget of tokens.

use super::category::Category;
use super::draw::{Entry, fill, indent, listed, signature};
use super::facts::Facts;
use super::walk::Graph;
use crate::document::syntax::NONE;
use crate::map::{HashMap, HashSet};
use crate::tokens::Tokenizer;

/// The weight of a name that was mentioned, or that a file of the conversation mentions.
const MENTIONED: f64 = 10.0;
const FOCUSED: f64 = 50.0;
/// The minimum length of a name of several words that is almost always unambiguous.
const TELLING: usize = 8;
/// The maximum number of files that define a meaningful name.
const COMMON: usize = 5;

/// A file of a repository.
#[derive(Debug, Clone, Copy)]
pub struct File<'f> {
    /// Its path in the map.
    pub path: &'f str,
    /// Its text.
    pub text: &'f str,
    /// Its definitions and names.
    pub facts: &'f Facts,
    /// Whether the conversation is about the file. What it refers to comes first. It is not in the map, since the host
    /// shows it anyway.
    pub focus: bool,
    /// Whether the file was mentioned.
    pub mentioned: bool,
}

/// The map of a repository.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Map {
    /// The lines: paths with definitions under them. The last one is a note if some are missing.
    pub text: String,
    /// The tokens of `text`.
    pub tokens: u64,
    /// Files by index with their importance, the most important first. The sum is 1.
    pub ranks: Vec<(u32, f64)>,
    /// The shown definitions in the order of the map: indices of file and item.
    pub shown: Vec<(u32, u32)>,
    /// The number of missing lines.
    pub missing: usize,
}

/// Draws the map of `files` in at most `budget` tokens. `mentioned` are the names that were mentioned: their
/// definitions come before all others.
pub fn map(files: &[File<'_>], mentioned: &[&str], budget: u64, tokenizer: &dyn Tokenizer) -> Map {
    if files.is_empty() {
        return Map::default();
    }
    let names = Names::new(files);
    let graph = graph(files, &names, mentioned);
    let ranks = graph.walk();
    let mut order: Vec<u32> = (0..files.len() as u32).collect();
    crate::rank::sort(&mut order, |file| !crate::rank::of(ranks.files[*file as usize]));
    let asked: HashSet<u32> = mentioned.iter().filter_map(|name| names.numbers.get(name)).copied().collect();
    let definers: HashSet<u32> = asked.iter().flat_map(|name| &names.definers[*name as usize]).copied().collect();
    let mut drawn = order.clone();
    crate::rank::sort(&mut drawn, |file| u64::from(!definers.contains(file)));

    // Lines in the order of the drawing: files that define a mentioned name, then files by rank; definitions by place.
    let mut entries: Vec<Entry> = Vec::new();
    let mut places: Vec<Option<(u32, u32)>> = Vec::new();
    let mut scores: Vec<f64> = Vec::new();
    let mut is_asked: Vec<bool> = Vec::new();
    for number in &drawn {
        let file = &files[*number as usize];
        if file.focus {
            continue;
        }
        let heading = entries.len() as u32;
        entries.push(Entry { parent: NONE, line: format!("{}:\n", one_line(file.path)) });
        places.push(None);
        let rank = ranks.files[*number as usize];
        // The name of a file matters, but less than its content.
        scores.push(rank * 1e-3);
        is_asked.push(false);
        let mut lines = vec![NONE; file.facts.items.len()];
        let mut depths = vec![0; file.facts.items.len()];
        let count = file.facts.items.len() as f64;
        for at in listed(file.facts) {
            let item = &file.facts.items[at as usize];
            let parent = lines.get(item.parent as usize).copied().filter(|line| *line != NONE).unwrap_or(heading);
            let depth = depths.get(item.parent as usize).map_or(1, |depth| depth + 1);
            (lines[at as usize], depths[at as usize]) = (entries.len() as u32, depth);
            let name = names.of(file, at);
            is_asked.push(name.is_some_and(|name| asked.contains(&name)));
            let through = name.map_or(0.0, |name| ranks.names[name as usize]);
            entries.push(Entry { parent, line: format!("{}{}\n", indent(depth), signature(file.text, item)) });
            places.push(Some((*number, at)));
            // Of definitions that are not referred to, the outer ones of important files come first.
            scores.push(through + rank * 1e-2 / count / depth as f64);
        }
    }
    let mut wanted: Vec<u32> = (0..entries.len() as u32).collect();
    crate::rank::sort(&mut wanted, |line| !crate::rank::of(scores[*line as usize]));
    crate::rank::sort(&mut wanted, |line| u64::from(!is_asked[*line as usize]));
    let filled = fill(&entries, &wanted, budget, tokenizer);
    Map {
        shown: filled.shown.iter().zip(&places).filter(|(shown, _)| **shown).filter_map(|(_, place)| *place).collect(),
        ranks: order.iter().map(|file| (*file, ranks.files[*file as usize])).collect(),
        text: filled.text,
        tokens: filled.tokens,
        missing: filled.missing,
    }
}

/// A path with a line break would look like two paths.
fn one_line(path: &str) -> String {
    path.replace(['\n', '\r'], " ")
}

/// The names that are defined anywhere, by index.
struct Names<'n> {
    numbers: HashMap<&'n str, u32>,
    /// For each name the files that define it, ascending.
    definers: Vec<Vec<u32>>,
    /// Whether a name belongs to fields and cases only.
    members: Vec<bool>,
}

impl<'n> Names<'n> {
    fn new(files: &[File<'n>]) -> Names<'n> {
        let mut names = Names { numbers: HashMap::default(), definers: Vec::new(), members: Vec::new() };
        for (file, number) in files.iter().zip(0..) {
            for at in listed(file.facts) {
                let Some(name) = word(file, at) else { continue };
                let next = names.definers.len() as u32;
                let known = *names.numbers.entry(name).or_insert(next);
                if known == next {
                    names.definers.push(Vec::new());
                    names.members.push(true);
                }
                let category = file.facts.items[at as usize].category;
                names.members[known as usize] &= matches!(category, Category::Variant | Category::Property);
                let definers = &mut names.definers[known as usize];
                if definers.last() != Some(&number) {
                    definers.push(number);
                }
            }
        }
        names
    }

    fn of(&self, file: &File<'n>, item: u32) -> Option<u32> {
        self.numbers.get(word(file, item)?).copied()
    }
}

/// Returns the last word of a definition's name, by which others mention it. Headings are words of ordinary texts.
fn word<'n>(file: &File<'n>, item: u32) -> Option<&'n str> {
    let item = file.facts.items.get(item as usize)?;
    if item.category == Category::Section {
        return None;
    }
    let (start, end) = item.name;
    let name = file.text.get(start as usize..end as usize)?;
    let last = name.rsplit(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '?' | '!' | '#'))).next()?;
    (!last.is_empty()).then_some(last)
}

fn graph(files: &[File<'_>], names: &Names<'_>, mentioned: &[&str]) -> Graph {
    let mut weights: Vec<f64> = vec![1.0; names.definers.len()];
    for (name, number) in &names.numbers {
        let weight = &mut weights[*number as usize];
        if name.chars().count() >= TELLING && is_compound(name) {
            *weight *= 10.0;
        }
        if name.starts_with('_') {
            *weight *= 0.1;
        }
        // `None` and `name` mean something else nearly everywhere.
        if names.members[*number as usize] {
            *weight *= 0.1;
        }
        if names.definers[*number as usize].len() > COMMON {
            *weight *= 0.1;
        }
        if mentioned.contains(name) {
            *weight *= MENTIONED;
        }
    }
    let mut graph = Graph { definers: names.definers.clone(), ..Graph::default() };
    for (file, number) in files.iter().zip(0..) {
        let mut mentions = Vec::new();
        for (name, count) in file.facts.names() {
            // A single letter is nearly always a variable, not the definition of that name elsewhere.
            if name.chars().nth(1).is_none() && !mentioned.contains(&name) {
                continue;
            }
            let Some(name) = names.numbers.get(name) else { continue };
            // A file that defines a name mostly means its own definition.
            if graph.definers[*name as usize].binary_search(&number).is_err() {
                mentions.push((*name, weights[*name as usize] * f64::from(count).sqrt()));
            }
        }
        graph.mentions.push(mentions);
        let mut start = 1.0;
        if file.focus {
            start *= FOCUSED;
        }
        if file.mentioned {
            start *= MENTIONED;
        }
        graph.starts.push(start);
    }
    // A name that was mentioned matters even if no file mentions it.
    for name in mentioned.iter().filter_map(|name| names.numbers.get(name)) {
        let most = FOCUSED * MENTIONED;
        for file in &graph.definers[*name as usize] {
            let start = &mut graph.starts[*file as usize];
            *start = (*start * MENTIONED).min(most);
        }
    }
    graph
}

/// Returns whether a name has several words: `snake_case`, `camelCase`.
fn is_compound(name: &str) -> bool {
    let inside = name.trim_start_matches('_');
    inside.contains('_') || (inside.chars().any(char::is_lowercase) && inside.chars().skip(1).any(char::is_uppercase))
}

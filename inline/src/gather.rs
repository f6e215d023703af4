//! Collects the items of a prompt before anything is cut: the kind and weight of each, and the excluded ones.

use crate::context::{Item, ItemKind, Kind, ProviderItem, Reason, Request};
use crate::elide::clamped;
use crate::neighbours::{Neighbour, Unfit, open_files};
use crate::options::Options;
use crate::pools::{CHARS_PER_TOKEN, LOW_WATER, Pools, available_tokens, take};
use crate::similar::{Digest, SimilarCache, SimilarOptions, announce, similar_known};
use crate::text::{count_feeds, one_line, utf16_len};
use espalier_core::map::HashSet;
use espalier_core::tokens::Tokenizer;

/// Weights of the kinds; the current file weighs 1.
const RECENT_EDITS: f64 = 0.99;
const SNIPPET: f64 = 0.9;
const SIMILAR: f64 = 0.8;
const MARKER: f64 = 0.7;
const DIAGNOSTIC: f64 = 0.65;
const TRAIT: f64 = 0.6;

/// An item that may be sent.
pub(crate) struct Candidate {
    pub kind: Kind,
    pub id: String,
    pub text: String,
    pub weight: f64,
    /// A block in a chunk does not come back after it was dropped: Copilot Chat's rule for snippets.
    pub chunk: Option<String>,
    pub lines: Option<(usize, usize)>,
    pub score: Option<f64>,
}

impl Candidate {
    pub fn item(&self, kept: &str, tokens: u64) -> Item {
        Item {
            kind: self.kind,
            id: self.id.clone(),
            text: kept.to_string(),
            weight: self.weight,
            is_cut: !kept.is_empty() && kept.len() < self.text.len(),
            tokens,
            lines: self.lines,
            score: self.score,
            dropped: kept.is_empty().then_some(Reason::NoRoom),
        }
    }
}

/// The collected items.
#[derive(Default)]
pub(crate) struct Gathered {
    /// In prompt order.
    pub candidates: Vec<Candidate>,
    pub dropped: Vec<Item>,
    /// The time at which pending items are late.
    pub next_ms: Option<u64>,
}

impl Gathered {
    fn push(&mut self, kind: Kind, id: &str, text: String, weight: f64) {
        let (id, chunk) = (id.to_string(), None);
        self.candidates.push(Candidate { kind, id, text, weight, chunk, lines: None, score: None });
    }

    fn in_chunk(&mut self, exact: bool) {
        let name = self.candidates.len().to_string();
        if let Some(last) = self.candidates.last_mut().filter(|_| !exact) {
            last.chunk = Some(name);
        }
    }

    fn drop(&mut self, kind: Kind, id: &str, weight: f64, reason: Reason) {
        let (id, text) = (id.to_string(), String::new());
        let dropped = Some(reason);
        let is_cut = false;
        self.dropped.push(Item { kind, id, text, weight, is_cut, tokens: 0, lines: None, score: None, dropped });
    }
}

fn kind_of(item: &ProviderItem<'_>) -> (Kind, f64) {
    let (kind, weight) = match item.kind {
        ItemKind::Snippet => (Kind::Snippet, SNIPPET),
        ItemKind::Trait => (Kind::Trait, TRAIT),
        ItemKind::Diagnostic => (Kind::Diagnostic, DIAGNOSTIC),
    };
    (kind, weight * clamped(item.weight))
}

/// Collects all items; `before` is the text before the cursor, `limit` the prefix's budget in tokens.
pub(crate) fn gather<T: Tokenizer + ?Sized>(
    request: &Request<'_>,
    before: &str,
    limit: u64,
    tokenizer: &T,
    cache: &mut SimilarCache,
) -> Gathered {
    let mut gathered = Gathered::default();
    let mut items = arrived_items(request, &mut gathered);
    keep_pooled(request, &mut items, limit, tokenizer, &mut gathered);
    let marker = format!("Path: {}\n", one_line(request.path));
    gathered.push(Kind::Marker, request.path, marker, MARKER);
    for kind in [ItemKind::Trait, ItemKind::Diagnostic] {
        for item in items.iter().filter(|item| item.kind == kind) {
            let (name, weight) = kind_of(item);
            gathered.push(name, item.id, with_feed(item.text), weight);
        }
    }
    items.retain(|item| item.kind == ItemKind::Snippet);
    snippets(&items, request.options.exact, &mut gathered);
    let is_c = matches!(request.language, "c" | "cpp");
    let is_instead = !items.is_empty() && !is_c && !request.options.similar_beside_snippets;
    neighbours(request, before, is_instead, cache, &mut gathered);
    if let Some(edits) = request.edits {
        let line = count_feeds(before);
        if let Some(text) = edits.render(request.path, line, request.excluded, request.options.edit_form) {
            gathered.push(Kind::RecentEdits, request.path, text, RECENT_EDITS);
        }
    }
    gathered
}

/// Returns the items that arrived in time, without duplicates, most important first.
fn arrived_items<'a>(request: &Request<'a>, gathered: &mut Gathered) -> Vec<ProviderItem<'a>> {
    let mut ids: HashSet<&str> = HashSet::default();
    let mut texts: HashSet<(Option<&str>, &str)> = HashSet::default();
    let excluded: HashSet<&str> = request.excluded.iter().copied().collect();
    let mut items = Vec::new();
    let provider_ms = request.options.provider_ms.min(request.options.building_ms);
    for item in request.items {
        let reason = match item.arrived_ms {
            _ if item.path.is_some_and(|path| excluded.contains(path)) => Reason::Excluded,
            None if request.now_ms < provider_ms => {
                gathered.next_ms = Some(provider_ms);
                Reason::Pending
            }
            Some(arrived) if arrived <= provider_ms && arrived > request.now_ms => {
                gathered.next_ms = Some(provider_ms);
                Reason::Pending
            }
            None => Reason::Late,
            Some(arrived) if arrived > provider_ms => Reason::Late,
            Some(_) if item.text.trim().is_empty() => Reason::Empty,
            Some(_) if ids.contains(item.id) || !texts.insert((item.path, item.text)) => Reason::Duplicate,
            Some(_) => {
                ids.insert(item.id);
                items.push(*item);
                continue;
            }
        };
        let (kind, weight) = kind_of(item);
        gathered.drop(kind, item.id, weight, reason);
    }
    if request.options.exact {
        items.sort_by(|a, b| clamped(b.priority).total_cmp(&clamped(a.priority)));
    }
    items
}

/// Keeps the items that fit the pools.
fn keep_pooled<T: Tokenizer + ?Sized>(
    request: &Request<'_>,
    items: &mut Vec<ProviderItem<'_>>,
    limit: u64,
    tokenizer: &T,
    gathered: &mut Gathered,
) {
    let options = request.options;
    let length = utf16_len(request.text);
    let available = available(options, length, limit);
    let sizes: Vec<(f64, i64)> = (items.iter())
        .map(|item| {
            let size = if !options.exact {
                utf16_len(item.text) as u64
            } else {
                let fit = tokenizer.prefix_within(item.text, limit);
                if fit.offset < item.text.len() { limit.saturating_add(1) } else { fit.tokens }
            };
            (clamped(item.priority), i64::try_from(size).unwrap_or(i64::MAX))
        })
        .collect();
    let units = if options.exact { 1 } else { CHARS_PER_TOKEN };
    let document = (length as i64).saturating_mul(units) / CHARS_PER_TOKEN;
    let mut pools = Pools::new(options.mode, available.saturating_mul(units), document);
    let taken = take(&mut pools, &sizes, options.crossing);
    let mut index = 0;
    items.retain(|item| {
        let is_taken = taken.get(index).copied().unwrap_or(false);
        index += 1;
        if !is_taken {
            let (kind, weight) = kind_of(item);
            gathered.drop(kind, item.id, weight, Reason::PoolUsedUp);
        }
        is_taken
    });
}

/// Returns the maximum tokens of provider items. The default profile keeps their share beside long documents as well.
fn available(options: &Options, length: usize, limit: u64) -> i64 {
    if !options.exact {
        return available_tokens(length);
    }
    let quarters = i64::try_from(length / 4).unwrap_or(i64::MAX);
    let window = i64::try_from(options.window).unwrap_or(i64::MAX);
    let share = (options.context_share * limit as f64) as i64;
    (window.saturating_sub(quarters).saturating_sub(LOW_WATER)).max(share).min(limit as i64)
}

fn with_feed(text: &str) -> String {
    if text.ends_with('\n') { text.to_string() } else { format!("{text}\n") }
}

/// Adds the snippets of providers, grouped by file, the most important last.
fn snippets(items: &[ProviderItem<'_>], exact: bool, gathered: &mut Gathered) {
    let mut paths: Vec<&str> = Vec::new();
    let mut seen: HashSet<&str> = HashSet::default();
    let mut order: Vec<&ProviderItem<'_>> = items.iter().collect();
    order.sort_by(|a, b| clamped(a.weight).total_cmp(&clamped(b.weight)));
    // A file takes the position of its most important snippet.
    for item in order.iter().rev() {
        let path = item.path.unwrap_or(item.id);
        if seen.insert(path) {
            paths.push(path);
        }
    }
    paths.reverse();
    let places: espalier_core::map::HashMap<&str, usize> =
        paths.iter().enumerate().map(|(place, path)| (*path, place)).collect();
    let mut groups: Vec<Vec<&ProviderItem<'_>>> = vec![Vec::new(); paths.len()];
    for item in order {
        if let Some(&place) = places.get(item.path.unwrap_or(item.id)) {
            groups[place].push(item);
        }
    }
    for (path, group) in paths.iter().zip(groups) {
        for item in group {
            let text = format!("{}\n{}", announce(&one_line(path), 1), with_feed(item.text));
            let (kind, weight) = kind_of(item);
            gathered.push(kind, item.id, text, weight);
            gathered.in_chunk(exact);
        }
    }
}

/// Returns the limits of similar snippets.
pub(crate) fn limits(request: &Request<'_>) -> SimilarOptions {
    request.options.similar.unwrap_or_else(|| match request.options.exact {
        true => SimilarOptions::espalier(request.language),
        false => SimilarOptions::copilot_chat(request.language),
    })
}

fn neighbours(
    request: &Request<'_>,
    before: &str,
    is_instead: bool,
    cache: &mut SimilarCache,
    gathered: &mut Gathered,
) {
    let options = request.options;
    let visits = request.visits.map(|visits| visits.last_visits()).unwrap_or_default();
    let excluded: HashSet<&str> = request.excluded.iter().copied().collect();
    let mut files: Vec<Neighbour<'_>> = Vec::new();
    for file in request.neighbours {
        if excluded.contains(file.path) {
            gathered.drop(Kind::Neighbour, file.path, SIMILAR, Reason::Excluded);
        } else {
            let focused_ms = file.focused_ms.max(visits.get(file.path).copied());
            files.push(Neighbour { focused_ms, ..*file });
        }
    }
    let (fit, unfit) = open_files(&files, request.path, request.language, &options.neighbours);
    for (index, reason) in unfit {
        gathered.drop(Kind::Neighbour, files[index].path, SIMILAR, Reason::Unfit(reason));
    }
    if is_instead {
        let paths = fit.iter().map(|&index| files[index].path);
        return paths.for_each(|path| gathered.drop(Kind::Neighbour, path, SIMILAR, Reason::SnippetsInstead));
    }
    let limits = limits(request);
    let texts: Vec<(&str, Digest)> = (fit.iter().map(|&index| &files[index]))
        .map(|file| (file.text, file.digest.unwrap_or_else(|| Digest::of(file.text))))
        .collect();
    let fresh = if request.now_ms < options.building_ms { request.fresh_chars } else { 0 };
    let found = similar_known(cache, before, &texts, &limits, fresh);
    let mut reasons = vec![Some(Reason::NotSimilar); fit.len()];
    found.skipped.iter().for_each(|&file| reasons[file] = Some(Reason::NotCompared));
    found.surplus.iter().for_each(|&file| reasons[file] = Some(Reason::Unfit(Unfit::TooMany)));
    found.not_reached.iter().for_each(|&file| reasons[file] = Some(Reason::NotReached));
    for snippet in found.snippets {
        let path = files[fit[snippet.file]].path;
        reasons[snippet.file] = None;
        let lines: Vec<&str> = texts[snippet.file].0.split('\n').collect();
        let body = lines[snippet.start_line..snippet.end_line].join("\n");
        let text = format!("{}\n{}", announce(&one_line(path), 1), with_feed(&body));
        let (kind, id) = (Kind::SimilarSnippet, path.to_string());
        let (lines, score) = (Some((snippet.start_line, snippet.end_line)), Some(snippet.score));
        gathered.candidates.push(Candidate { kind, id, text, weight: SIMILAR, chunk: None, lines, score });
        gathered.in_chunk(options.exact);
    }
    for (file, reason) in reasons.into_iter().enumerate() {
        if let Some(reason) = reason {
            gathered.drop(Kind::Neighbour, files[fit[file]].path, SIMILAR, reason);
        }
    }
}

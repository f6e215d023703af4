//! The summary without a model, by rules alone; deterministic.
//!
//! [`offline`] fills eight sections from the ledger and by extraction. If the ledger's lists follow the text,
//! [`beside_lists`] writes only what no list contains: the earlier record, the current work, and the next step.

use std::collections::BTreeSet;

use super::earlier_summaries::{CURRENT, EARLIER_RECORD, within};
use super::form::EIGHT;
use super::ledger::text::{ELLIPSIS, clip};
use super::ledger::{Command, Failure, File, Ledger, Request, one_line, sentences};
use crate::map::{HashMap, ordered};
use crate::message::tool_map::Mark;
use crate::tokens::Tokenizer;
use crate::tool_result::shorten;

/// Maximum bytes of a tool's name.
const TOOL_BYTES: usize = 80;

/// Maximum bytes of one extracted sentence or quoted line; longer ones are skipped or cut.
const SENTENCE_BYTES: usize = 400;
/// Maximum changed names listed for one file.
const SYMBOLS: usize = 6;

/// Share of the summary for earlier summaries, in percent: a model may have written them, and they may say what no rule
/// could.
const EARLIER: u64 = 60;
/// Minimum tokens for the assistant's last text to be useful.
const MIN_ACTIVE: u64 = 16;
/// Tokens below which the last text keeps its last sentences: a few words of its beginning and its end say less.
const LITTLE: u64 = 200;
/// Minimum bytes of a sentence that is cut.
const MIN_CUT: usize = 24;

/// Writes a summary of at most `max` tokens. `current` is the newest request (its id and text) if it stays beside the
/// summary.
pub fn offline(ledger: &Ledger, current: Option<(&str, &str)>, max: u64, tokenizer: &dyn Tokenizer) -> String {
    let earlier = within(&ledger.earlier, max * EARLIER / 100, tokenizer);
    let earlier = if earlier.is_empty() { earlier } else { format!("## {EARLIER_RECORD}\n{earlier}\n\n") };
    let budget = max.saturating_sub(tokenizer.count(&earlier));
    // Sections in order of worth: with a small budget the last ones are left out.
    let worth: [(usize, Vec<String>); 8] = [
        (0, overview(ledger, current)),
        (5, active(ledger)),
        (7, plan(ledger)),
        (6, operations(ledger)),
        (3, problems(ledger)),
        (2, status(ledger)),
        (4, progress(ledger, budget, tokenizer)),
        (1, foundation(ledger)),
    ];
    let mut sections: [Vec<String>; 8] = Default::default();
    let headings: u64 = EIGHT.sections.iter().map(|s| tokenizer.count(&format!("## {}\n\n", s.name))).sum();
    let mut left = budget.saturating_sub(headings);
    // Three rounds: every section gets its best lines before any section gets its last ones.
    for round in 0..3 {
        for (section, lines) in &worth {
            let (from, to) = [(0, 2), (2, 8), (8, usize::MAX)][round];
            for line in lines.iter().skip(from).take(to - from) {
                let cost = tokenizer.count(line) + 1;
                if cost <= left {
                    left -= cost;
                    sections[*section].push(line.clone());
                }
            }
        }
    }
    let mut out = String::new();
    for (section, lines) in EIGHT.sections.iter().map(|s| &s.name).zip(sections) {
        if !lines.is_empty() {
            out.push_str(&format!("## {section}\n{}\n\n", lines.join("\n")));
        }
    }
    let out = format!("{earlier}{}", out.trim_end());
    let out = out.trim_end().to_string();
    match shorten(&out, max, "the history", tokenizer) {
        Some(short) => short.text,
        None => out,
    }
}

/// Minimum tokens for a text beside the lists to be useful.
const MIN_TEXT: u64 = 48;
/// Tokens from which on a text beside the lists names the current request, which is in sight.
const OVERVIEW: u64 = 250;

/// Writes what the ledger's lists do not contain, in at most `max` tokens. The assistant's last text stays as it was,
/// line by line.
pub fn beside_lists(ledger: &Ledger, current: Option<(&str, &str)>, max: u64, tokenizer: &dyn Tokenizer) -> String {
    if max < MIN_TEXT {
        return String::new();
    }
    let earlier = within(&ledger.earlier, max * EARLIER / 100, tokenizer);
    let mut sections: Vec<String> = Vec::new();
    let heading = |section: usize| &*EIGHT.sections[section].name;
    if !earlier.is_empty() {
        sections.push(format!("## {EARLIER_RECORD}\n{earlier}"));
    }
    // In a conversation without tools the newest request follows within sight.
    let overview = current.filter(|_| !ledger.tools.is_empty()).map(|(id, _)| current_line(id));
    let overview = overview.map(|line| format!("## {}\n{line}", heading(0)));
    // In little room it stands only for a text that says nothing else.
    sections.extend(overview.clone().filter(|_| max >= OVERVIEW));
    let plan = if ledger.plan.is_some() { vec![] } else { plan(ledger) };
    // What an older text announced is done by now.
    let newest = ledger.said.last().map_or("", |(id, _)| id);
    let plan = plan
        .first()
        .filter(|line| line.strip_prefix("- ").is_some_and(|line| line.starts_with(&format!("{newest}: "))))
        .map(|line| format!("## {}\n{line}", heading(7)));
    let of = |text: &str| tokenizer.count(text) + 2;
    let used: u64 = sections.iter().chain(&plan).map(|section| of(section)).sum();
    let left = max.saturating_sub(used + of(heading(5)) + 4);
    let active = ledger.said.last().filter(|_| left >= MIN_ACTIVE);
    let active = active.and_then(|(id, text)| last_words(id, text.trim(), left.min(max / 2), tokenizer));
    if let Some(active) = &active {
        sections.push(format!("## {}\n{active}", heading(5)));
    }
    // The current work may already name the next step.
    sections.extend(plan.filter(|plan| {
        let next = plan.split_once(": ").map_or(plan.as_str(), |(_, next)| next);
        active.as_ref().is_none_or(|active| !active.contains(next))
    }));
    if sections.is_empty() {
        sections.extend(overview);
    }
    if sections.is_empty() && ledger.tools.is_empty() {
        return String::new();
    }
    if sections.is_empty() {
        return offline(ledger, current, max, tokenizer);
    }
    let out = sections.join("\n\n");
    match shorten(&out, max, "the history", tokenizer) {
        Some(short) => short.text,
        None => out,
    }
}

/// Returns whether a text that [`beside_lists`] wrote contains the assistant's last text, possibly shortened.
pub fn tells_last(ledger: &Ledger, text: &str) -> bool {
    let Some((id, _)) = ledger.said.last() else { return false };
    text.lines().any(|line| line.strip_prefix(&**id).is_some_and(|rest| rest.starts_with(": ")))
}

/// Returns a text with its id in at most `max` tokens: the whole text; in little room its last sentences, which say
/// what was found and what comes next; else its beginning and its end.
fn last_words(id: &str, text: &str, max: u64, tokenizer: &dyn Tokenizer) -> Option<String> {
    let whole = format!("{id}: {text}");
    let Some(short) = shorten(&whole, max, id, tokenizer) else { return Some(whole) };
    if max >= LITTLE {
        return Some(short.text);
    }
    let fits = |text: &String| tokenizer.count(text) <= max;
    let all: Vec<&str> = sentences(text).filter(|sentence| sentence.contains(char::is_alphanumeric)).collect();
    let from = |sentence: &str| whole_item(text, sentence.as_ptr() as usize - text.as_ptr() as usize);
    let ends = all.iter().rev().map(|sentence| format!("{id}: {ELLIPSIS} {}", from(sentence))).take_while(fits);
    ends.last().or_else(|| {
        let last = all.last()?;
        let halves = std::iter::successors(Some(last.len() / 2), |bytes| Some(bytes / 2));
        let mut cuts = halves.take_while(|bytes| *bytes >= MIN_CUT).map(|bytes| format!("{id}: {}", clip(last, bytes)));
        cuts.find(fits)
    })
}

/// Returns a text from `start` on, or from the next line that is not indented: the rest of an item of a list does not
/// say what it describes.
fn whole_item(text: &str, start: usize) -> &str {
    let (before, end) = text.split_at(start);
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    if !text[line..].starts_with([' ', '\t']) {
        return end;
    }
    let mut offset = 0;
    for line in end.split_inclusive('\n') {
        if offset > 0 && !line.starts_with([' ', '\t']) && line.contains(char::is_alphanumeric) {
            return &end[offset..];
        }
        offset += line.len();
    }
    end
}

fn overview(ledger: &Ledger, current: Option<(&str, &str)>) -> Vec<String> {
    // The earlier record describes events before an earlier compaction.
    let mut own = ledger.requests.iter().filter(|r| !r.is_earlier);
    let quote = |r: &Request| format!("- {}: {}", r.id, one_line(&r.text, SENTENCE_BYTES));
    let mut lines: Vec<String> = own.next().map(quote).into_iter().collect();
    lines.extend(own.next_back().map(quote));
    if let Some((id, _)) = current {
        lines.push(current_line(id));
    }
    lines
}

/// The request itself is beside the record, so the line does not repeat its words.
fn current_line(id: &str) -> String {
    format!("- {id}{CURRENT}stands outside this record word for word.")
}

fn foundation(ledger: &Ledger) -> Vec<String> {
    let mut tools = ledger.tools.clone();
    crate::rank::sort(&mut tools, |(_, calls)| !(*calls as u64));
    let mut lines = Vec::new();
    if !tools.is_empty() {
        let named = |(name, n): &(String, usize)| format!("{} ({n})", one_line(name, TOOL_BYTES));
        let list: Vec<String> = tools.iter().take(12).map(named).collect();
        lines.push(format!("- Tools called: {}", list.join(", ")));
    }
    let mut kinds: HashMap<&str, usize> = HashMap::default();
    for file in &ledger.files {
        if let Some((stem, ending)) = file.path.rsplit_once('.')
            && !stem.is_empty()
            && ending.len() <= 5
            && ending.chars().all(char::is_alphanumeric)
        {
            *kinds.entry(ending).or_default() += 1;
        }
    }
    let mut kinds: Vec<_> = kinds.into_iter().collect();
    crate::rank::sort_by(&mut kinds, |a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
    if !kinds.is_empty() {
        let list: Vec<String> = kinds.iter().take(8).map(|(ending, n)| format!(".{ending} ({n})")).collect();
        lines.push(format!("- Files by kind: {}", list.join(", ")));
    }
    lines
}

fn status(ledger: &Ledger) -> Vec<String> {
    let mut names: HashMap<&str, Vec<&str>> = HashMap::default();
    for symbol in ledger.symbols.iter().rev() {
        let names = names.entry(&symbol.path).or_default();
        if names.len() < SYMBOLS {
            names.push(&symbol.name);
        }
    }
    let mut files: Vec<&File> = ledger.files.iter().filter(|f| f.is_changed()).collect();
    crate::rank::sort(&mut files, |file| !(file.at as u64));
    let line = |file: &&File| {
        let names = names.get(file.path.as_str()).map_or(String::new(), |names| format!(": {}", names.join(", ")));
        format!("- {} ({}){names}", file.path, file.marks())
    };
    files.iter().map(line).collect()
}

fn problems(ledger: &Ledger) -> Vec<String> {
    let mut errors: Vec<&Failure> = ledger.errors.iter().collect();
    // Open errors first, the newest in front.
    crate::rank::sort_by(&mut errors, |one, other| (one.resolved, other.at).cmp(&(other.resolved, one.at)));
    let line = |error: &&Failure| {
        let state = if error.resolved { "solved" } else { "open" };
        let times = if error.count > 1 { format!(", {} times", error.count) } else { String::new() };
        let place = error.place.as_ref().map_or(String::new(), |place| format!(", at {place}"));
        format!("- {} ({state}{times}{place}, {})", error.line, error.id)
    };
    errors.iter().map(line).collect()
}

fn active(ledger: &Ledger) -> Vec<String> {
    ledger
        .said
        .last()
        .map(|(id, text)| {
            let mut lines: Vec<String> =
                sentences(text).filter(|s| s.len() <= SENTENCE_BYTES).map(|s| format!("- {s}")).collect();
            if let Some(first) = lines.first_mut() {
                *first = format!("- {id}: {}", &first[2..]);
            }
            lines
        })
        .unwrap_or_default()
}

fn operations(ledger: &Ledger) -> Vec<String> {
    let mut commands: Vec<&Command> = ledger.commands.iter().collect();
    crate::rank::sort(&mut commands, |command| !(command.at as u64));
    commands.iter().take(10).map(|command| format!("- {}", command.to_line(usize::MAX, true))).collect()
}

fn plan(ledger: &Ledger) -> Vec<String> {
    if let Some(plan) = &ledger.plan {
        let open = plan.items.iter().filter(|(mark, _)| *mark != Mark::Done);
        return open.map(|(mark, what)| format!("- {} {what}", mark.as_str())).collect();
    }
    // The last intention the assistant stated.
    ledger
        .said
        .iter()
        .rev()
        .find_map(|(id, text)| {
            sentences(text)
                .filter(|sentence| intends(sentence))
                .last()
                .map(|s| format!("- {id}: {}", one_line(s, SENTENCE_BYTES)))
        })
        .into_iter()
        .collect()
}

/// True for a sentence that says what its speaker is about to do.
pub(super) fn intends(sentence: &str) -> bool {
    ["I'll ", "I will ", "Next", "Let me ", "Now ", "let's ", "Let's "].iter().any(|mark| sentence.contains(mark))
}

/// Number of sentences at the beginning and at the end of a text that may be quoted; details lie between them.
const FIRST_SENTENCES: usize = 2;
const LAST_SENTENCES: usize = 3;
/// Maximum sentences that may turn out too long before the search for a shorter one ends.
const MISSES: usize = 50;

/// A sentence that may be quoted.
struct Candidate<'a> {
    /// Index of the text, and of the sentence in it.
    text: usize,
    position: usize,
    /// Weight of its place: conclusions come last, intentions first.
    place: f64,
    id: &'a str,
    sentence: &'a str,
    /// Ordered, so that sums over them are the same on every run.
    terms: BTreeSet<String>,
}

/// Returns the assistant's most informative sentences, oldest first.
fn progress(ledger: &Ledger, budget: u64, tokenizer: &dyn Tokenizer) -> Vec<String> {
    let candidates: Vec<Candidate> =
        ledger.said.iter().enumerate().flat_map(|(at, (id, text))| candidates(at, id, text)).collect();
    let mut uses: HashMap<&str, usize> = HashMap::default();
    for term in candidates.iter().flat_map(|c| &c.terms) {
        *uses.entry(term).or_default() += 1;
    }
    let texts = ledger.said.len().max(1) as f64;
    let mut scored: Vec<(f64, &Candidate)> = Vec::new();
    for candidate in candidates.iter().filter(|c| c.terms.len() >= 4) {
        // A term used again is worth more than one that is merely rare.
        let worth = |term: &String| match uses.get(term.as_str()).copied().unwrap_or(1) {
            1 => 0.5,
            n => libm::log(texts / n as f64).max(0.0),
        };
        let rarity = candidate.terms.iter().map(worth).sum::<f64>() / (candidate.terms.len() as f64).sqrt();
        let recency = 0.5 + 0.5 * candidate.text as f64 / texts;
        scored.push((rarity * candidate.place * recency, candidate));
    }
    // Ties keep the order of the conversation.
    crate::rank::sort(&mut scored, |(score, _)| !crate::rank::of(*score));
    let mut left = budget / 3;
    let mut chosen: Vec<(usize, usize, String)> = Vec::new();
    let mut misses = 0;
    for (_, candidate) in scored {
        // The shortest meaningful line has about this many tokens. With little room left, counting more lines rarely
        // finds one that fits.
        if left < 6 || misses == MISSES {
            break;
        }
        let line = format!("- {}: {}", candidate.id, candidate.sentence);
        let cost = tokenizer.count(&line) + 1;
        if cost <= left {
            left -= cost;
            chosen.push((candidate.text, candidate.position, line));
        } else {
            misses += 1;
        }
    }
    crate::rank::sort_by(&mut chosen, |one, other| (one.0, one.1).cmp(&(other.0, other.1)));
    chosen.into_iter().map(|(.., line)| line).collect()
}

fn candidates<'a>(at: usize, id: &'a str, text: &'a str) -> Vec<Candidate<'a>> {
    let all: Vec<&str> = sentences(text).collect();
    all.iter()
        .enumerate()
        .filter(|(position, sentence)| {
            let outer = *position < FIRST_SENTENCES || *position + LAST_SENTENCES >= all.len();
            outer && sentence.len() <= SENTENCE_BYTES
        })
        .map(|(position, sentence)| Candidate {
            text: at,
            position,
            place: match position {
                _ if position + 1 == all.len() => 1.5,
                0 => 1.2,
                _ => 1.0,
            },
            id,
            sentence,
            terms: ordered(terms(sentence)),
        })
        .collect()
}

fn terms(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|t| t.len() >= 3).map(str::to_lowercase)
}

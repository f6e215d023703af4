//! Writes the working set and the names as text, within a budget of tokens.
//!
//! In: a [`WorkingSet`], what the view already shows, a budget. Out: whole lines of the files in their latest state,
//! from where the work is: around the newest edits and reads, and where names in use occur. A file begins with its
//! path; `@ 120` before lines is the number of the first one, `…` marks lines without a known number. "(may have
//! changed)" follows a path or a number if a later command may have changed the lines. Start reading at [`Ranked`].

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::rc::Rc;

use super::WorkingSet;
use super::files::File;
use super::names::left_after;
use super::view::View;
use crate::rank;
use crate::tokens::Tokenizer;

/// Weights of lines.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Share of a line's weight that its neighbour gets.
    pub near: f64,
    /// Weight of an edited line, relative to one that was read.
    pub edited: f64,
    /// Maximum weight that the names of a line and of those around it add.
    pub names: f64,
    /// Number of messages after which a read or an edit counts half.
    pub half_life: f64,
    /// Weight of a file that was last used long ago, relative to one in use.
    pub file: f64,
    /// Weight of a file that one call wrote before work moved on to the next such file, relative to one in use: the
    /// sources it was written from are what is worked on. Measured on the lines that the next 20 calls need, at 16,000
    /// tokens: 3 points.
    pub filed: f64,
    /// Maximum characters of a line; longer lines are cut.
    pub longest: usize,
    /// Maximum share of the budget for one file. Measured on the lines that the next 20 calls need: a limit of half
    /// costs 3 to 13 points.
    pub share: f64,
    /// Weight of a thing without a file, relative to a line that was just read.
    pub thing: f64,
}

impl Default for Weights {
    fn default() -> Weights {
        Weights {
            near: 0.995,
            edited: 1.0,
            names: 0.25,
            half_life: 22.0,
            file: 0.5,
            filed: 0.5,
            longest: 300,
            share: 1.0,
            thing: 2.0,
        }
    }
}

/// The names and lines of a working set, best first.
pub struct Ranked<'s> {
    set: &'s WorkingSet,
    weights: Weights,
    names: OnceCell<Vec<&'s str>>,
    lines: Rc<Order>,
}

/// The lines of a working set in the order of their worth. Ranking reads all that is held, megabytes in a long
/// conversation, and a plan writes several records until one fits: so the lines are ranked once, at their first use.
#[derive(Default)]
pub struct Order(OnceCell<Vec<Candidate>>);

/// Returns the bytes that [`Ranked::files`] could show.
pub fn held_bytes(set: &WorkingSet) -> u64 {
    let things = set.entities.all.iter();
    let of_things = things.map(|thing| thing.state.len() + thing.since.iter().map(String::len).sum::<usize>());
    (set.bytes() + of_things.sum::<usize>()) as u64
}

/// A line that can be shown.
#[derive(Clone, Copy)]
struct Candidate {
    file: usize,
    /// Index in the file: runs come before loose text.
    at: usize,
    /// The run in the file, loose ones behind the others, and the line in it.
    run: usize,
    line: usize,
    number: Option<u64>,
    is_stale: bool,
    score: f64,
}

/// Suffix of the path of a file, or the number of a line, that a later command may have changed.
const STALE: &str = " (may have changed)";
/// Suffix of the number of a line that is certain, in a file of which most lines may have changed.
const FRESH: &str = " (as it is)";
/// Lines with fewer bytes, without surrounding blanks (empty lines, brackets), are shown only between others.
const MIN_LINE_BYTES: usize = 4;
/// Maximum number of consecutive lines of that kind that are shown.
const MAX_BETWEEN: u64 = 3;
/// Maximum bytes of all of them, without surrounding blanks.
const MAX_BETWEEN_BYTES: usize = 9;
/// Number of lines on each side whose names count for a line, so that regions are chosen and not scattered lines.
const AROUND: usize = 5;

/// Maximum characters of the state of a thing.
const MAX_STATE: usize = 6_000;

impl<'s> Ranked<'s> {
    pub fn of(set: &'s WorkingSet, weights: Weights) -> Ranked<'s> {
        Ranked::in_order(set, weights, Rc::default())
    }

    /// The same with the order of an earlier one, which had the same set and weights.
    pub fn in_order(set: &'s WorkingSet, weights: Weights, lines: Rc<Order>) -> Ranked<'s> {
        Ranked { set, weights, names: OnceCell::new(), lines }
    }

    /// Writes the names block: at most `budget` tokens, most used names first, without those that the view already has.
    pub fn names(&self, view: &View, budget: u64, tokenizer: &dyn Tokenizer) -> String {
        let mut out = String::new();
        let mut left = budget;
        let ranked = self.names.get_or_init(|| self.set.names.ranked(self.set.now()));
        for name in ranked.iter().filter(|name| !view.has_name(name)) {
            // A tokenizer reads a name together with the blank before it.
            let cost = tokenizer.count(&format!(" {name}"));
            if cost > left {
                break;
            }
            left -= cost;
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(name);
        }
        out
    }

    /// Writes the files and things of the working set: at most `budget` tokens.
    pub fn files(&self, view: &View, budget: u64, tokenizer: &dyn Tokenizer) -> String {
        let Ranked { set, weights, .. } = self;
        let mut left = budget;
        let mut spent: Vec<u64> = vec![0; set.files.len() + set.entities.all.len()];
        let max = (budget as f64 * weights.share) as u64;
        let mut chosen: Vec<Candidate> = Vec::new();
        for &candidate in self.lines.0.get_or_init(|| lines(set, weights)) {
            if left < 4 {
                break;
            }
            if text_of(set, &candidate).trim().lines().all(|line| view.has_line(line)) {
                continue;
            }
            let mut cost = tokenizer.count(shortened(set, &candidate, weights)) + 1;
            if spent[candidate.file] == 0 {
                cost += tokenizer.count(title(set, candidate.file)) + 6;
            }
            if cost > left || spent[candidate.file] + cost > max && candidate.file < set.files.len() {
                continue;
            }
            left -= cost;
            spent[candidate.file] += cost;
            chosen.push(candidate);
        }
        loop {
            let text = write_lines(set, &mut chosen, weights);
            let count = tokenizer.count(&text);
            if count <= budget || chosen.is_empty() {
                return text;
            }
            // Heads and gaps may cost more than the estimate.
            rank::sort_by(&mut chosen, best_first);
            let keep = chosen.len() - (chosen.len() as u64 * (count - budget) / count.max(1)).max(1) as usize;
            chosen.truncate(keep);
        }
    }
}

/// Returns the lines of the files and things that can be shown, best first.
fn lines(set: &WorkingSet, weights: &Weights) -> Vec<Candidate> {
    let now = set.now();
    let age = |at: u32| left_after_half(now.saturating_sub(at), weights.half_life);
    let mut candidates: Vec<Candidate> = Vec::new();
    let newest_written = set.files.iter().filter(|file| is_written_once(file)).map(|file| file.last).max().unwrap_or(0);
    for (of, file) in set.files.iter().enumerate() {
        if file.is_deleted || file.held() == 0 {
            continue;
        }
        let of_file = weights.file + (1.0 - weights.file) * age(file.last);
        let is_filed = is_written_once(file) && file.last < newest_written;
        let activity = age(file.last) * of_file * if is_filed { weights.filed } else { 1.0 };
        let mut at = 0;
        for (place, run) in file.runs.iter().chain(&file.loose).enumerate() {
            let is_loose = place >= file.runs.len();
            let first = candidates.len();
            for (offset, line) in run.lines.iter().enumerate() {
                let own = age(line.seen.max(line.edited));
                let edited = if line.edited > 0 { weights.edited * age(line.edited) } else { 0.0 };
                let number = (!is_loose).then(|| run.start + offset as u64);
                let score = own + edited;
                let is_stale = set.is_stale(file, line);
                candidates.push(Candidate { file: of, at, run: place, line: offset, number, is_stale, score });
                at += 1;
            }
            spread_weights(&mut candidates[first..], weights.near);
            let used: Vec<f64> = run.lines.iter().map(|line| names_in(set, &line.text, now)).collect();
            for (at, candidate) in candidates[first..].iter_mut().enumerate() {
                let around = &used[at.saturating_sub(AROUND)..(at + AROUND + 1).min(used.len())];
                let used = around.iter().sum::<f64>() / around.len() as f64;
                candidate.score = activity * (candidate.score + weights.names * used);
            }
            at += 1;
        }
    }
    for (number, thing) in set.entities.all.iter().enumerate() {
        // An answered question is less likely to be needed than a thing.
        let score = age(thing.last) * weights.thing * if thing.is_thing { 1.0 } else { 0.5 };
        let file = set.files.len() + number;
        for at in 0..=thing.since.len() {
            candidates.push(Candidate { file, at, run: 0, line: 0, number: None, is_stale: false, score });
        }
    }
    candidates.retain(|candidate| text_of(set, candidate).trim().len() >= MIN_LINE_BYTES);
    rank::sort_by(&mut candidates, best_first);
    candidates
}

/// True for a file that one call wrote and that no later call read or changed.
fn is_written_once(file: &File) -> bool {
    file.reads == 0 && file.edits <= 1 && file.held() > 0
}

fn left_after_half(messages: u32, half_life: f64) -> f64 {
    let scaled = f64::from(messages) * f64::from(super::names::HALF_LIFE) / half_life;
    left_after(scaled as u32)
}

/// Gives the neighbours of a heavy line a part of its weight.
fn spread_weights(lines: &mut [Candidate], near: f64) {
    let mut weight = 0.0f64;
    for line in lines.iter_mut() {
        weight = line.score.max(weight * near);
        line.score = weight;
    }
    weight = 0.0;
    for line in lines.iter_mut().rev() {
        weight = line.score.max(weight * near);
        line.score = weight;
    }
}

/// Returns how much the names of a line are in use, from 0 to 1.
fn names_in(set: &WorkingSet, line: &str, now: u32) -> f64 {
    let mut used = 0.0f64;
    super::names::each(line, |name, _| used = used.max(set.names.use_of(name, now)));
    used / (used + 5.0)
}

/// Returns the text of a line, or of a state of a thing.
fn text_of<'s>(set: &'s WorkingSet, &Candidate { file, at, run, line, .. }: &Candidate) -> &'s str {
    match set.files.get(file) {
        Some(file) if run < file.runs.len() => &file.runs[run].lines[line].text,
        Some(file) => &file.loose[run - file.runs.len()].lines[line].text,
        None => {
            let thing = &set.entities.all[file - set.files.len()];
            if at == 0 { &thing.state } else { &thing.since[at - 1] }
        }
    }
}

fn shortened<'s>(set: &'s WorkingSet, candidate: &Candidate, weights: &Weights) -> &'s str {
    let longest = if candidate.file < set.files.len() { weights.longest } else { MAX_STATE };
    let text = text_of(set, candidate);
    text.char_indices().nth(longest).map_or(text, |(end, _)| &text[..end])
}

/// Compares by score; of equals the earlier one of the earlier file comes first.
fn best_first(one: &Candidate, other: &Candidate) -> Ordering {
    other.score.total_cmp(&one.score).then((one.file, one.at).cmp(&(other.file, other.at)))
}

/// Writes the chosen lines by file, in the order of the file; the file that was used last comes first.
fn write_lines(set: &WorkingSet, chosen: &mut [Candidate], weights: &Weights) -> String {
    let last = |file: usize| match set.files.get(file) {
        Some(file) => file.last,
        None => set.entities.all[file - set.files.len()].last,
    };
    let place = |candidate: &Candidate| (u32::MAX - last(candidate.file), candidate.file, candidate.at);
    rank::sort_by(chosen, |one, other| place(one).cmp(&place(other)));
    let mut out = String::new();
    for lines in chosen.chunk_by(|one, other| one.file == other.file) {
        out.push_str(title(set, lines[0].file));
        let is_stale = lines.iter().filter(|line| line.is_stale).count() * 2 > lines.len();
        out.push_str(if is_stale { STALE } else { "" });
        out.push('\n');
        let mut before: Option<&Candidate> = None;
        for line in lines {
            let follows = before.is_some_and(|before| before.at + 1 == line.at && before.is_stale == line.is_stale);
            if line.file < set.files.len() && !follows {
                match before.and_then(|before| short_lines(&set.files[line.file], before, line)) {
                    Some(between) => between.for_each(|text| out.extend([text, "\n"])),
                    None => {
                        match line.number {
                            Some(number) => out.push_str(&format!("@ {number}")),
                            None => out.push('…'),
                        }
                        out.push_str(match (line.is_stale, is_stale) {
                            (true, false) => STALE,
                            (false, true) => FRESH,
                            _ => "",
                        });
                        out.push('\n');
                    }
                }
            }
            out.push_str(shortened(set, line, weights));
            out.push('\n');
            before = Some(line);
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Returns the lines between two chosen ones, if they are few and cost less than a line number.
fn short_lines<'s>(
    file: &'s File,
    before: &Candidate,
    line: &Candidate,
) -> Option<impl Iterator<Item = &'s str> + use<'s>> {
    let (from, to) = (before.number? + 1, line.number?);
    if before.is_stale != line.is_stale || to < from || to - from > MAX_BETWEEN {
        return None;
    }
    let run = file.runs.iter().find(|run| run.start <= from && to < run.start + run.lines.len() as u64)?;
    let between = &run.lines[(from - run.start) as usize..(to - run.start) as usize];
    let is_short = between.iter().map(|line| line.text.trim().len()).sum::<usize>() <= MAX_BETWEEN_BYTES;
    is_short.then(|| between.iter().map(|line| &*line.text))
}

/// Returns the title of a file or a thing.
fn title(set: &WorkingSet, file: usize) -> &str {
    match set.files.get(file) {
        Some(file) => &file.path,
        None => &set.entities.all[file - set.files.len()].key,
    }
}

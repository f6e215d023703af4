//! The latest known content of one file.
//!
//! In: lines that results show, and the steps of changes. Out: runs of known lines with their numbers, with gaps where
//! nothing is known. A step whose place is not known leaves behind loose text, and numbers that it may have moved are
//! given up. Each line knows the message that last confirmed it.

use std::rc::Rc;

pub use super::lines::Line;
use super::lines::{DISTINCT, MAX_NUMBER, align, edited, matches, moved, split, whole_lines};
use crate::message::change::Change;

/// Loose pieces that a file keeps.
const LOOSE: usize = 24;
/// Lines at the end of what is shown in which one must be as it was: then nothing behind them has moved.
const ANCHOR: usize = 5;
/// Lines on each side of a doubtful place that become doubtful, too.
const NEAR: usize = 3;

/// Consecutive lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Number of the first line; of loose lines the number that it once had, or 0.
    pub start: u64,
    pub lines: Vec<Line>,
}

impl Run {
    fn end(&self) -> u64 {
        self.start.saturating_add(self.lines.len() as u64)
    }
}

/// See the module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct File {
    pub path: String,
    /// Runs with numbers, in order, with a gap between any two.
    pub runs: Vec<Run>,
    /// Text that is somewhere in the file.
    pub loose: Vec<Run>,
    /// Number of lines of the file, if that is known.
    pub total: Option<u64>,
    /// Number of the last message that may have changed it in a way that nobody saw.
    pub doubted: u32,
    /// Number of the last message that read or changed it.
    pub last: u32,
    /// Number of the last message that changed it.
    pub changed: u32,
    pub reads: u32,
    pub edits: u32,
    pub is_deleted: bool,
}

/// Where a text begins in a run, and how it was found.
#[derive(Debug, Clone, Copy)]
struct Place {
    is_loose: bool,
    run: usize,
    line: usize,
}

impl File {
    /// True if all lines are known.
    pub fn is_whole(&self) -> bool {
        match (self.total, self.runs.as_slice()) {
            (Some(0), []) => true,
            (Some(total), [run]) => run.start == 1 && run.lines.len() as u64 == total,
            _ => false,
        }
    }

    /// Number of lines held.
    pub fn held(&self) -> usize {
        self.runs.iter().chain(&self.loose).map(|run| run.lines.len()).sum()
    }

    /// Bytes of the lines held.
    pub fn bytes(&self) -> usize {
        self.runs.iter().chain(&self.loose).flat_map(|run| &run.lines).map(|line| line.text.len() + 40).sum()
    }

    /// A line by its number, if it is known.
    pub fn line(&self, number: u64) -> Option<&Line> {
        let run = self.runs.iter().rev().find(|run| run.start <= number)?;
        run.lines.get(usize::try_from(number - run.start).ok()?)
    }

    /// Forgets all text.
    pub fn forget(&mut self) {
        (self.runs, self.loose, self.total) = (vec![], vec![], None);
    }

    /// Takes in lines that a result shows, with ascending numbers. `total` is the number of lines of the file.
    pub fn show(&mut self, lines: &[(u64, String)], total: Option<u64>, now: u32) {
        self.is_deleted = false;
        if let Some(total) = total {
            self.total = Some(total);
            self.cut(total.saturating_add(1), u64::MAX);
        }
        let is_number = |(number, _): &(u64, String)| (1..MAX_NUMBER).contains(number);
        let mut rest = &lines[..lines.iter().position(|line| !is_number(line)).unwrap_or(lines.len())];
        while let Some(((first, _), _)) = rest.split_first() {
            let count = rest.iter().zip(*first..).take_while(|((number, _), expected)| number == expected).count();
            let (block, behind) = rest.split_at(count.max(1));
            self.show_block(*first, block, now);
            rest = behind;
        }
        if self.is_whole() {
            self.loose.clear();
        }
    }

    fn show_block(&mut self, first: u64, block: &[(u64, String)], now: u32) {
        let end = first.saturating_add(block.len() as u64);
        let lines: Vec<Line> = block
            .iter()
            .enumerate()
            .map(|(at, (_, text))| {
                let number = first + at as u64;
                let known = self.line(number).filter(|line| *line.text == **text);
                match known {
                    Some(line) => Line { text: Rc::clone(&line.text), seen: now, edited: line.edited },
                    None => Line { text: text.as_str().into(), seen: now, edited: self.edited_elsewhere(text) },
                }
            })
            .collect();
        // What the file has here differs: lines around it may have moved, nobody knows where to.
        let differs = |(number, text): &(u64, String)| self.line(*number).is_some_and(|line| *line.text != **text);
        if block.iter().any(differs) {
            let is_same = |(number, text): &&(u64, String)| {
                text.trim().len() >= DISTINCT && self.line(*number).is_some_and(|line| *line.text == **text)
            };
            let (stays_before, stays_behind) = (
                block.iter().take(ANCHOR).any(|line| is_same(&line)),
                block.iter().rev().take(ANCHOR).any(|line| is_same(&line)),
            );
            if !stays_behind {
                self.unplace_from(end);
                self.total = self.total.filter(|_| end.checked_sub(1) == self.total);
            }
            if !stays_before {
                self.unplace_before(first);
            }
        }
        self.cut(first, end - 1);
        self.place_loose(first, &lines);
        self.insert_run(Run { start: first, lines });
    }

    /// When a line of loose text was edited: it is that line, most likely.
    fn edited_elsewhere(&self, text: &str) -> u32 {
        let is_distinct = text.trim().len() >= DISTINCT;
        let same = |line: &&Line| *line.text == *text;
        let found = is_distinct.then(|| self.loose.iter().flat_map(|run| &run.lines).find(same)).flatten();
        found.map_or(0, |line| line.edited)
    }

    /// Gives up the numbers of lines from `number` on.
    fn unplace_from(&mut self, number: u64) {
        let behind = self.take(number, u64::MAX);
        for run in behind {
            self.add_loose(run);
        }
    }

    /// A difference in the middle of a run says nothing of the lines before it, unless they may have changed, too.
    fn unplace_before(&mut self, number: u64) {
        let doubted = self.doubted;
        let is_doubtful = |run: &Run| run.start < number && run.lines.iter().any(|line| line.seen <= doubted);
        if doubted > 0 && self.runs.iter().any(is_doubtful) {
            for run in self.take(1, number - 1) {
                let is_fresh = run.lines.iter().all(|line| line.seen > doubted);
                if is_fresh { self.insert_run(run) } else { self.add_loose(run) }
            }
        }
    }

    fn add_loose(&mut self, run: Run) {
        if run.lines.iter().all(|line| line.text.trim().is_empty()) {
            return;
        }
        self.loose.push(run);
        if self.loose.len() > LOOSE {
            self.loose.remove(0);
        }
    }

    /// Removes lines by number; later ones keep theirs.
    fn cut(&mut self, from: u64, to: u64) {
        drop(self.take(from, to));
    }

    /// The same; returns them.
    fn take(&mut self, from: u64, to: u64) -> Vec<Run> {
        let mut kept = Vec::new();
        let mut taken = Vec::new();
        for mut run in std::mem::take(&mut self.runs) {
            if run.end() <= from || run.start > to {
                kept.push(run);
                continue;
            }
            let (start, end) = (run.start, run.end());
            if end > to.saturating_add(1) {
                let lines = run.lines.split_off((to + 1 - start) as usize);
                kept.push(Run { start: to + 1, lines });
            }
            if start < from {
                let lines = run.lines.split_off((from - start) as usize);
                kept.push(Run { start, lines: std::mem::take(&mut run.lines) });
                run = Run { start: from, lines };
            }
            taken.push(run);
        }
        kept.sort_by_key(|run| run.start);
        self.runs = kept;
        taken
    }

    /// Puts a run where no line is known, and joins it with its neighbours.
    fn insert_run(&mut self, run: Run) {
        if run.lines.is_empty() {
            return;
        }
        let at = self.runs.partition_point(|other| other.start < run.start);
        self.runs.insert(at, run);
        for at in [at + 1, at] {
            if at > 0 && at < self.runs.len() && self.runs[at - 1].end() == self.runs[at].start {
                let lines = self.runs.remove(at).lines;
                self.runs[at - 1].lines.extend(lines);
            }
        }
    }

    /// Finds the numbers of loose lines that these lines show, and forgets loose text that is in them.
    fn place_loose(&mut self, first: u64, shown: &[Line]) {
        let mut at = 0;
        while at < self.loose.len() {
            match align(&self.loose[at].lines, shown) {
                Some(offset) => {
                    let run = self.loose.remove(at);
                    let start = first as i128 + offset;
                    let end = first + shown.len() as u64;
                    // Lines outside of what is shown get numbers, where none are known.
                    for (number, line) in (start..).zip(run.lines) {
                        let Ok(number) = u64::try_from(number) else { continue };
                        let is_beyond = self.total.is_some_and(|total| number > total);
                        if number > 0 && !is_beyond && !(first..end).contains(&number) && self.line(number).is_none() {
                            self.insert_run(Run { start: number, lines: vec![line] });
                        }
                    }
                }
                None => at += 1,
            }
        }
    }

    /// Applies a step of a change. `source` is the file that a move takes its content from.
    pub fn change(&mut self, change: &Change, now: u32) {
        match change {
            Change::Write { text } => self.write(text, now),
            Change::Replace { old, new, all } => self.replace(old, new, *all, now),
            Change::Insert { after: Some(after), text } => self.insert(*after, text, now),
            Change::Insert { after: None, text } => self.append(text, now),
            Change::Lines { from, to, text } => {
                self.is_deleted = false;
                self.lines(*from, *to, &whole_lines(text), now);
            }
            Change::Hunk { at, old, new } => self.hunk(*at, old, new, now),
            Change::Somewhere { text } => {
                self.doubted = now;
                self.loosen(&whole_lines(text), now);
            }
            Change::Delete => {
                self.forget();
                self.is_deleted = true;
            }
            Change::MovedFrom { .. } => self.doubted = now,
        }
        (self.changed, self.last) = (now, now);
        self.edits += 1;
    }

    fn write(&mut self, text: &str, now: u32) {
        let known: Vec<Line> = self.runs.drain(..).flat_map(|run| run.lines).collect();
        let known: crate::map::HashMap<Rc<str>, Line> = known.into_iter().map(|l| (Rc::clone(&l.text), l)).collect();
        // Texts that stay are shared.
        let line = |text: &&str| match known.get(*text) {
            Some(line) => Line { text: Rc::clone(&line.text), seen: now, edited: line.edited },
            None => Line { text: (*text).into(), seen: now, edited: if known.is_empty() { 0 } else { now } },
        };
        let lines: Vec<Line> = whole_lines(text).iter().map(line).collect();
        self.forget();
        self.is_deleted = false;
        self.total = Some(lines.len() as u64);
        self.insert_run(Run { start: 1, lines });
    }

    /// The same content as another file.
    pub fn copy_of(&mut self, other: &File, now: u32) {
        (self.runs, self.loose, self.total) = (other.runs.clone(), other.loose.clone(), other.total);
        (self.doubted, self.is_deleted) = (other.doubted, false);
        (self.changed, self.last) = (now, now);
    }

    pub fn append(&mut self, text: &str, now: u32) {
        let lines: Vec<Line> = whole_lines(text).iter().map(|text| edited(text, now)).collect();
        match self.total {
            Some(total) => {
                self.total = Some(total + lines.len() as u64);
                self.insert_run(Run { start: total + 1, lines });
            }
            None => self.add_loose(Run { start: 0, lines }),
        }
        (self.changed, self.last) = (now, now);
    }

    fn insert(&mut self, after: u64, text: &str, now: u32) {
        if after >= MAX_NUMBER {
            return self.loosen(&whole_lines(text), now);
        }
        let lines = whole_lines(text);
        self.shift(after.saturating_add(1), lines.len() as i128);
        let lines: Vec<Line> = lines.iter().map(|text| edited(text, now)).collect();
        self.insert_run(Run { start: after.saturating_add(1), lines });
    }

    fn lines(&mut self, from: u64, to: u64, new: &[&str], now: u32) {
        let from = from.clamp(1, MAX_NUMBER);
        let to = to.min(self.total.unwrap_or(MAX_NUMBER)).clamp(from - 1, MAX_NUMBER);
        if to >= from {
            self.cut(from, to);
        }
        let removed = (to + 1 - from) as i128;
        self.shift(to.saturating_add(1), new.len() as i128 - removed);
        let lines = new.iter().map(|text| edited(text, now)).collect();
        self.insert_run(Run { start: from, lines });
    }

    /// Moves lines from `number` on; a run that goes across it is divided.
    fn shift(&mut self, number: u64, by: i128) {
        self.total = self.total.map(|total| moved(total, by));
        if by == 0 {
            return;
        }
        let behind = if number == 0 { std::mem::take(&mut self.runs) } else { self.take(number, u64::MAX) };
        for mut run in behind {
            run.start = moved(run.start, by);
            self.insert_run(run);
        }
    }

    /// Numbers behind an unknown place are given up if it changed their count.
    fn moved_somewhere(&mut self, by: i128) {
        if by == 0 {
            return;
        }
        self.total = self.total.map(|total| moved(total, by));
        // The first run begins the file: what is in it did not match, so the place is behind it.
        let stays = self.runs.first().filter(|run| run.start == 1).map_or(1, Run::end);
        self.unplace_from(stays);
    }

    fn loosen(&mut self, new: &[&str], now: u32) {
        let lines = new.iter().map(|text| edited(text, now)).collect();
        self.add_loose(Run { start: 0, lines });
    }

    fn replace(&mut self, old: &str, new: &str, all: bool, now: u32) {
        let (old, new) = (split(old), split(new));
        let by = new.len() as i128 - old.len() as i128;
        let places = self.places(&old);
        if places.is_empty() {
            if let Some(place) = self.place_of_trimmed(&old) {
                // The tool found it in spite of its blanks; those of the new text are the tool's.
                self.put(place, old.len(), &new, now, true);
                return self.doubt(place, new.len());
            }
            return self.replaced_somewhere(&old, &new, by, now);
        }
        let is_ambiguous = !all && places.len() > 1;
        let mut chosen = places;
        if !all {
            chosen.truncate(1);
        }
        // From the end, so that places stay where they are.
        for place in chosen.iter().rev() {
            self.put_in(*place, &old, &new, all, now);
            if is_ambiguous {
                self.doubt(*place, new.len());
            }
        }
        if all && !self.is_whole() && by != 0 {
            // It may occur in the gaps.
            let first = self.runs.first().filter(|run| run.start == 1).map_or(1, Run::end);
            self.unplace_from(first);
            self.total = None;
        }
    }

    /// The text that was replaced is not among the known lines.
    fn replaced_somewhere(&mut self, old: &[&str], new: &[&str], by: i128, now: u32) {
        if self.is_whole() {
            // It must be there: something else changed the file.
            self.doubted = now;
        }
        // Near a gap even a short line may be a part of it.
        let is_shown = |line: &Line, is_edge: bool| {
            let is_same = |text: &&&str| ***text == *line.text && (is_edge || text.trim().len() >= DISTINCT);
            let first = old.first().is_some_and(|text| !text.is_empty() && line.text.ends_with(*text));
            let last = old.last().is_some_and(|text| !text.is_empty() && line.text.starts_with(*text));
            old.iter().any(|text| is_same(&text)) || is_edge && (first || last)
        };
        for run in self.runs.iter_mut().chain(&mut self.loose) {
            let count = run.lines.len();
            let is_edge = |at: usize| at < old.len() || count - at <= old.len();
            let lines = run.lines.iter().enumerate();
            let doubtful: Vec<usize> =
                lines.filter(|(at, line)| is_shown(line, is_edge(*at))).map(|(at, _)| at).collect();
            for at in doubtful {
                let end = (at + NEAR + 1).min(count);
                run.lines[at.saturating_sub(NEAR)..end].iter_mut().for_each(|line| line.seen = 0);
            }
        }
        self.moved_somewhere(by);
        // Its first and last line may be parts of lines.
        let inner = if new.len() > 2 { &new[1..new.len() - 1] } else { new };
        let is_cut = new.len() > 2 && old.first() != new.first();
        self.loosen(if is_cut { inner } else { new }, now);
    }

    /// Where a text that may begin and end within lines is.
    fn places(&self, old: &[&str]) -> Vec<Place> {
        let mut out = Vec::new();
        let runs = self.runs.iter().map(|run| (false, run)).enumerate();
        let loose = self.loose.iter().map(|run| (true, run)).enumerate();
        for (number, (is_loose, run)) in runs.chain(loose) {
            let is_last = !is_loose && self.total.is_some_and(|total| run.end() == total + 1);
            let mut line = 0;
            while line < run.lines.len() {
                if matches(&run.lines[line..], old, is_last) {
                    out.push(Place { is_loose, run: number, line });
                    line += old.len().saturating_sub(2);
                }
                line += 1;
            }
        }
        out
    }

    fn place_of_trimmed(&self, old: &[&str]) -> Option<Place> {
        let mut old = old;
        while old.last().is_some_and(|line| line.trim().is_empty()) && old.len() > 1 {
            old = &old[..old.len() - 1];
        }
        if old.iter().all(|line| line.trim().len() < DISTINCT) {
            return None;
        }
        let same = |(line, text): (&Line, &&str)| line.text.trim() == text.trim();
        self.runs.iter().enumerate().find_map(|(run, lines)| {
            let mut windows = lines.lines.windows(old.len());
            let line = windows.position(|window| window.iter().zip(old).all(same))?;
            Some(Place { is_loose: false, run, line })
        })
    }

    fn run_at(&mut self, place: Place) -> &mut Run {
        if place.is_loose { &mut self.loose[place.run] } else { &mut self.runs[place.run] }
    }

    /// Replaces a text that begins in a line of a run.
    fn put_in(&mut self, place: Place, old: &[&str], new: &[&str], all: bool, now: u32) {
        let run = self.run_at(place);
        let first = Rc::clone(&run.lines[place.line].text);
        let [first_old, .., last_old] = old else {
            let (text, old) = (first, old.first().copied().unwrap_or_default());
            let put = new.join("\n");
            let text = if all { text.replace(old, &put) } else { text.replacen(old, &put, 1) };
            return self.put(place, 1, &split(&text), now, false);
        };
        let before = &first[..first.len().saturating_sub(first_old.len())];
        let last = run.lines.get(place.line + old.len() - 1).map(|line| Rc::clone(&line.text));
        let behind = last.as_deref().map_or("", |last| &last[last_old.len().min(last.len())..]);
        let text = format!("{before}{}{behind}", new.join("\n"));
        match last {
            Some(_) => self.put(place, old.len(), &split(&text), now, false),
            // The old text ends with the file.
            None => self.put(place, old.len() - 1, &whole_lines(&text), now, false),
        }
    }

    /// Replaces `count` lines of a run; lines that are the same keep when they were edited.
    fn put(&mut self, place: Place, count: usize, new: &[&str], now: u32, is_rough: bool) {
        let run = self.run_at(place);
        let end = (place.line + count).min(run.lines.len());
        let old: Vec<Line> = run.lines[place.line..end].to_vec();
        let same_before = old.iter().zip(new).take_while(|(line, text)| *line.text == ***text).count();
        let room = old.len().min(new.len()) - same_before;
        let same_behind =
            old.iter().rev().zip(new.iter().rev()).take(room).take_while(|(line, text)| *line.text == ***text).count();
        let middle = &new[same_before..new.len() - same_behind];
        let lines: Vec<Line> = middle.iter().map(|text| edited(text, now)).collect();
        run.lines.splice(place.line + same_before..end - same_behind, lines);
        // The tool has just read what it replaced.
        let seen = if is_rough { 0 } else { now };
        let shown = place.line..(place.line + new.len()).min(run.lines.len());
        run.lines[shown].iter_mut().for_each(|line| line.seen = seen);
        let by = new.len() as i128 - (end - place.line) as i128;
        if place.is_loose {
            return self.moved_by_loose(by);
        }
        self.total = self.total.map(|total| moved(total, by));
        for run in &mut self.runs[place.run + 1..] {
            run.start = moved(run.start, by);
        }
        if self.runs[place.run].lines.is_empty() {
            self.runs.remove(place.run);
        }
        self.join();
    }

    /// A change in loose text moves the numbers of what is behind it, wherever that is.
    fn moved_by_loose(&mut self, by: i128) {
        self.loose.retain(|run| !run.lines.is_empty());
        self.moved_somewhere(by);
    }

    fn join(&mut self) {
        let mut at = 1;
        while at < self.runs.len() {
            if self.runs[at - 1].end() == self.runs[at].start {
                let lines = self.runs.remove(at).lines;
                self.runs[at - 1].lines.extend(lines);
            } else {
                at += 1;
            }
        }
    }

    /// Marks lines around a place as doubtful.
    fn doubt(&mut self, place: Place, count: usize) {
        if place.run >= if place.is_loose { self.loose.len() } else { self.runs.len() } {
            return;
        }
        let run = self.run_at(place);
        let end = (place.line + count + NEAR).min(run.lines.len());
        let start = place.line.saturating_sub(NEAR).min(end);
        run.lines[start..end].iter_mut().for_each(|line| line.seen = 0);
    }

    /// Replaces whole lines, at the place that is nearest to line `at`.
    fn hunk(&mut self, at: Option<u64>, old: &[String], new: &[String], now: u32) {
        let new: Vec<&str> = new.iter().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        let old: Vec<&str> = old.iter().map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        let by = new.len() as i128 - old.len() as i128;
        let at = at.filter(|at| *at < MAX_NUMBER);
        if old.is_empty() {
            return match at {
                Some(at) => self.insert(at.saturating_sub(1), &new.join("\n"), now),
                None => self.append(&new.join("\n"), now),
            };
        }
        let is_here = |window: &[Line], trim: bool| {
            window
                .iter()
                .zip(&old)
                .all(|(line, text)| *line.text == **text || trim && line.text.trim_end() == text.trim_end())
        };
        for trim in [false, true] {
            let mut found: Vec<(u64, Place)> = Vec::new();
            let runs = self.runs.iter().map(|run| (false, run)).enumerate();
            let loose = self.loose.iter().map(|run| (true, run)).enumerate();
            for (number, (is_loose, run)) in runs.chain(loose) {
                for (line, window) in run.lines.windows(old.len()).enumerate() {
                    if is_here(window, trim) {
                        let number_of = run.start.saturating_add(line as u64);
                        let far = at.filter(|_| !is_loose).map_or(u64::MAX, |at| number_of.abs_diff(at));
                        found.push((far, Place { is_loose, run: number, line }));
                    }
                }
            }
            // The first of equally near ones.
            if let Some((_, place)) = found.iter().min_by_key(|(far, _)| *far).copied() {
                self.put(place, old.len(), &new, now, false);
                if at.is_none() && found.len() > 1 {
                    self.doubt(place, new.len());
                }
                return;
            }
        }
        match at {
            // Nothing known contradicts the number.
            Some(at) if (at..).zip(&old).all(|(at, text)| self.line(at).is_none_or(|line| *line.text == **text)) => {
                self.lines(at, at.saturating_add(old.len() as u64).saturating_sub(1), &new, now);
            }
            _ => self.replaced_somewhere(&old, &new, by, now),
        }
    }
}

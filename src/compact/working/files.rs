//! The latest known content of one file.
//!
//! In: lines that results show, and the steps of changes. Out: runs of known lines with their numbers, and gaps where
//! nothing is known. A step with an unknown position leaves loose text, and the numbers that it may have moved are
//! removed. Each line has the number of the message that last confirmed it. Start reading at [`File::show`].

use std::rc::Rc;

pub use super::lines::Line;
use super::lines::{DISTINCT, MAX_NUMBER, align};

/// Maximum number of loose runs of a file.
const MAX_LOOSE: usize = 24;
/// If one of the last `ANCHOR` shown lines is unchanged, the lines behind them have not moved.
const ANCHOR: usize = 5;
/// Consecutive lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Number of the first line; for loose lines a former number, or 0.
    pub start: u64,
    pub lines: Vec<Line>,
}

impl Run {
    pub(super) fn end(&self) -> u64 {
        self.start.saturating_add(self.lines.len() as u64)
    }
}

/// See the module.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct File {
    pub path: String,
    /// Runs with numbers, in order, separated by gaps.
    pub runs: Vec<Run>,
    /// Text at an unknown position of the file.
    pub loose: Vec<Run>,
    /// Number of lines of the file, if known.
    pub total: Option<u64>,
    /// Number of the last message that may have changed the file invisibly.
    pub doubted: u32,
    /// Number of the last message that read or changed it.
    pub last: u32,
    /// Number of the last message that changed it.
    pub changed: u32,
    pub reads: u32,
    pub edits: u32,
    pub is_deleted: bool,
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

    /// Returns the number of known lines.
    pub fn held(&self) -> usize {
        self.runs.iter().chain(&self.loose).map(|run| run.lines.len()).sum()
    }

    /// Returns the bytes of the known lines.
    pub fn bytes(&self) -> usize {
        self.runs.iter().chain(&self.loose).flat_map(|run| &run.lines).map(|line| line.text.len() + 40).sum()
    }

    /// Returns a line by its number, if it is known.
    pub fn line(&self, number: u64) -> Option<&Line> {
        let run = self.runs.iter().rev().find(|run| run.start <= number)?;
        run.lines.get(usize::try_from(number - run.start).ok()?)
    }

    /// Returns the lowest message number that confirms a line beyond doubt.
    pub(super) fn fresh(&self) -> u32 {
        self.doubted.max(1)
    }

    /// True if nothing contradicts a line since it was confirmed.
    pub(super) fn is_fresh(&self, line: &Line) -> bool {
        line.seen >= self.fresh()
    }

    /// Removes all text.
    pub fn forget(&mut self) {
        (self.runs, self.loose, self.total) = (vec![], vec![], None);
    }

    /// Adds lines that a result shows, with ascending numbers. `total` is the number of lines of the file.
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
        // The file differs here, so lines around may have moved by an unknown distance.
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

    /// Returns the message that edited an equal line of loose text, which is probably the same line; 0 if there is
    /// none.
    fn edited_elsewhere(&self, text: &str) -> u32 {
        let is_distinct = text.trim().len() >= DISTINCT;
        let same = |line: &&Line| *line.text == *text;
        let found = is_distinct.then(|| self.loose.iter().flat_map(|run| &run.lines).find(same)).flatten();
        found.map_or(0, |line| line.edited)
    }

    /// Removes the numbers of lines from `number` on.
    pub(super) fn unplace_from(&mut self, number: u64) {
        let behind = self.take(number, u64::MAX);
        for run in behind {
            self.add_loose(run);
        }
    }

    /// Removes the numbers of the lines before `number` if they may have changed as well. A difference in the middle of
    /// a run alone is no evidence about the lines before it.
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

    pub(super) fn add_loose(&mut self, run: Run) {
        if run.lines.iter().all(|line| line.text.trim().is_empty()) {
            return;
        }
        self.loose.push(run);
        if self.loose.len() > MAX_LOOSE {
            self.loose.remove(0);
        }
    }

    /// Removes lines by number; later ones keep their numbers.
    pub(super) fn cut(&mut self, from: u64, to: u64) {
        drop(self.take(from, to));
    }

    /// Removes lines by number, and returns them; later ones keep their numbers.
    pub(super) fn take(&mut self, from: u64, to: u64) -> Vec<Run> {
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
        crate::rank::sort(&mut kept, |run| run.start);
        self.runs = kept;
        taken
    }

    /// Inserts a run where no line is known, and joins it with its neighbours.
    pub(super) fn insert_run(&mut self, run: Run) {
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

    /// Finds the numbers of loose lines that `shown` includes, and removes their loose text. Fresh lines next to them
    /// get numbers as well. Stale lines and those beyond them do not: their count may have changed.
    fn place_loose(&mut self, first: u64, shown: &[Line]) {
        let mut rest = Vec::new();
        for mut run in std::mem::take(&mut self.loose) {
            let Some(offset) = align(&run.lines, shown) else {
                rest.push(run);
                continue;
            };
            let count = run.lines.len();
            let from = usize::try_from(-offset).unwrap_or(0).min(count);
            let to = usize::try_from(shown.len() as i128 - offset).unwrap_or(0).clamp(from, count);
            let is_bound = |at: usize| run.lines.get(at).is_some_and(|line| self.is_fresh(line));
            let (is_bound_before, is_bound_behind) = (is_bound(from), to > 0 && is_bound(to - 1));
            let number = |at: usize| u64::try_from(i128::from(first) + offset + at as i128).ok();
            let mut behind = to;
            while is_bound_behind && behind < count && self.place_line(number(behind), &run.lines[behind]) {
                behind += 1;
            }
            let mut before = from;
            while is_bound_before && before > 0 && self.place_line(number(before - 1), &run.lines[before - 1]) {
                before -= 1;
            }
            let lines = run.lines.split_off(behind);
            run.lines.truncate(before);
            rest.extend(
                [run, Run { start: 0, lines }].into_iter().filter(|run| run.lines.iter().any(|l| self.is_fresh(l))),
            );
        }
        rest.into_iter().for_each(|run| self.add_loose(run));
    }

    /// Inserts a loose line under its number; returns false if the number is impossible.
    fn place_line(&mut self, number: Option<u64>, line: &Line) -> bool {
        let is_in_file = |number: &u64| *number > 0 && self.total.is_none_or(|total| *number <= total);
        let Some(number) = number.filter(is_in_file).filter(|_| self.is_fresh(line)) else { return false };
        match self.line(number) {
            Some(known) => known.text == line.text,
            None => {
                self.insert_run(Run { start: number, lines: vec![line.clone()] });
                true
            }
        }
    }
}

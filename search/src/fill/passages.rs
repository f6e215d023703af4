//! Decides which hits fit, and joins those that overlap or touch.

use super::count::Sheet;
use super::render::{closing, heading, rendered};
use super::{FillFile, FillHit, FillOptions, Filled, Large, LeftOut, Passage, Why};
use espalier_core::map::HashSet;
use espalier_core::tokens::Tokenizer;
use std::ops::Range;

/// Minimum tokens of the beginning of a hit that is shown.
const MIN_CUT: u64 = 16;

/// A part of a file that is in the result.
struct Taken {
    range: Range<usize>,
    tokens: u64,
    hits: Vec<usize>,
}

/// A possible passage.
struct Joined {
    range: Range<usize>,
    /// The passages that it replaces.
    of: Range<usize>,
    tokens: u64,
    /// Tokens of all other passages.
    others: u64,
}

struct Summary {
    hit: usize,
    tokens: u64,
    rendered: String,
}

/// The result so far.
pub(super) struct Passages<'a, T: ?Sized> {
    tokenizer: &'a T,
    hits: &'a [FillHit],
    sheets: Vec<Sheet<'a>>,
    /// Byte range of each hit; `None` for one outside its file.
    ranges: Vec<Option<Range<usize>>>,
    /// Passages of each file, in the order of the text. They neither overlap nor touch.
    taken: Vec<Vec<Taken>>,
    summaries: Vec<Summary>,
    tokens: u64,
}

impl<'a, T: Tokenizer + ?Sized> Passages<'a, T> {
    pub fn new(files: &[FillFile<'a>], hits: &'a [FillHit], tokenizer: &'a T) -> Passages<'a, T> {
        let has_cuts = tokenizer.has_cuts();
        let sheets: Vec<Sheet<'a>> = files.iter().map(|file| Sheet::new(file, has_cuts)).collect();
        let ranges = hits.iter().map(|hit| sheets[hit.file].bytes(hit.start, hit.end)).collect();
        let taken = files.iter().map(|_| Vec::new()).collect();
        Passages { tokenizer, hits, sheets, ranges, taken, summaries: Vec::new(), tokens: 0 }
    }

    pub fn large(&mut self, options: FillOptions) -> Vec<Large> {
        let share = options.share();
        let mut large = Vec::new();
        for hit in 0..self.hits.len() {
            if self.is_larger(hit, share)
                && let Some(range) = &self.ranges[hit]
            {
                // Assumes the longest reasonable fence.
                let sheet = &self.sheets[self.hits[hit].file];
                let around = [heading(sheet.path, &sheet.lines(range), 4), closing("", 4)].concat();
                let budget = share.saturating_sub(self.tokenizer.count(&around) + 1);
                large.push(Large { hit, budget });
            }
        }
        large
    }

    fn is_larger(&mut self, hit: usize, max: u64) -> bool {
        let Some(range) = self.ranges[hit].clone() else { return false };
        self.sheets[self.hits[hit].file].count(&range, max, self.tokenizer).is_none()
    }

    pub fn fill(&mut self, options: FillOptions, summaries: &[(usize, &str)]) {
        let share = options.share();
        let mut waiting = Vec::new();
        for hit in 0..self.hits.len() {
            if self.ranges[hit].is_none() {
                continue;
            }
            if !self.is_larger(hit, share) {
                if !self.add(hit, options.budget) {
                    waiting.push(hit);
                }
                continue;
            }
            let room = options.budget.saturating_sub(self.tokens).min(share);
            let summary = summaries.iter().find(|(of, _)| *of == hit);
            if !summary.is_some_and(|(_, text)| self.add_summary(hit, text, room)) {
                self.add_beginning(hit, room);
                waiting.push(hit);
            }
        }
        // Every hit that joins two passages frees room.
        loop {
            let before = waiting.len();
            waiting.retain(|hit| !self.add(*hit, options.budget));
            if waiting.len() == before {
                break;
            }
        }
        for hit in waiting {
            self.add_beginning(hit, options.budget.saturating_sub(self.tokens));
        }
    }

    fn add(&mut self, hit: usize, budget: u64) -> bool {
        let Some(range) = self.ranges[hit].clone() else { return false };
        match self.try_join(self.hits[hit].file, range, budget) {
            Some(joined) => self.take(hit, joined),
            None => false,
        }
    }

    /// Returns a range joined with the passages that it overlaps or touches, if everything stays within the budget.
    fn try_join(&mut self, file: usize, mut range: Range<usize>, budget: u64) -> Option<Joined> {
        let (taken, text) = (&self.taken[file], self.sheets[file].text);
        let is_blank = |start: usize, end: usize| start >= end || text[start..end].trim().is_empty();
        let mut first = taken.partition_point(|one| one.range.end < range.start);
        let mut behind = taken.partition_point(|one| one.range.start <= range.end).max(first);
        if first > 0 && is_blank(taken[first - 1].range.end, range.start) {
            first -= 1;
        }
        if taken.get(behind).is_some_and(|next| is_blank(range.end, next.range.start)) {
            behind += 1;
        }
        let mut others = self.tokens;
        for one in &taken[first..behind] {
            range = range.start.min(one.range.start)..range.end.max(one.range.end);
            others -= one.tokens;
        }
        let tokens = self.sheets[file].count(&range, budget.checked_sub(others)?, self.tokenizer)?;
        Some(Joined { range, of: first..behind, tokens, others })
    }

    fn take(&mut self, hit: usize, joined: Joined) -> bool {
        let taken = &mut self.taken[self.hits[hit].file];
        let mut hits: Vec<usize> = taken[joined.of.clone()].iter().flat_map(|one| one.hits.iter().copied()).collect();
        if !hits.contains(&hit) {
            hits.push(hit);
        }
        hits.sort_unstable();
        self.tokens = joined.others + joined.tokens;
        taken.splice(joined.of, [Taken { range: joined.range, tokens: joined.tokens, hits }]);
        true
    }

    /// Adds as many lines from the beginning of a hit as fit into `room` more tokens; of a first line that does not
    /// fit, its beginning.
    fn add_beginning(&mut self, hit: usize, room: u64) {
        let file = self.hits[hit].file;
        let Some(range) = self.ranges[hit].clone() else { return };
        if room < MIN_CUT {
            return;
        }
        let held: u64 = self.taken[file].iter().map(|one| one.tokens).sum();
        let text = &self.sheets[file].text[range.clone()];
        let longest = range.start + self.tokenizer.prefix_within(text, room + held).offset;
        let ends = self.sheets[file].ends(range.start..longest);
        // Longer beginnings usually have more tokens; each that is used was counted.
        let budget = self.tokens + room;
        let (mut low, mut high, mut best) = (0, ends.len(), None);
        while low < high {
            let middle = (low + high) / 2;
            let part = self.sheets[file].trimmed(range.start..ends[middle]);
            let Some(joined) = part.and_then(|part| self.try_join(file, part, budget)) else {
                high = middle;
                continue;
            };
            (low, best) = (middle + 1, Some(joined));
        }
        if let Some(best) = best
            && best.others + best.tokens >= self.tokens + MIN_CUT
        {
            self.take(hit, best);
        }
    }

    fn add_summary(&mut self, hit: usize, text: &str, room: u64) -> bool {
        let Some(range) = &self.ranges[hit] else { return false };
        if text.trim().is_empty() {
            return false;
        }
        let sheet = &self.sheets[self.hits[hit].file];
        let rendered = rendered(sheet.path, &sheet.lines(range), text);
        let tokens = self.tokenizer.count(&rendered);
        if tokens > room {
            return false;
        }
        self.tokens += tokens;
        self.summaries.push(Summary { hit, tokens, rendered });
        true
    }

    pub fn finish(mut self, budget: u64) -> Filled {
        let mut passages = self.passages();
        passages.sort_by_key(|passage| passage.hits[0]);
        if !self.tokenizer.has_cuts() {
            // Counts of passages need not add up.
            loop {
                let whole: String = passages.iter().map(|passage| passage.rendered.as_str()).collect();
                self.tokens = self.tokenizer.count(&whole);
                if self.tokens <= budget || passages.pop().is_none() {
                    break;
                }
            }
        }
        let there: HashSet<usize> = passages.iter().flat_map(|passage| passage.hits.iter().copied()).collect();
        let left_out = (0..self.hits.len()).filter(|hit| !there.contains(hit)).map(|hit| self.left_out(hit)).collect();
        Filled { passages, tokens: self.tokens, left_out }
    }

    fn passages(&self) -> Vec<Passage> {
        let mut passages = Vec::new();
        for (file, taken) in self.taken.iter().enumerate() {
            for Taken { range, tokens, hits } in taken {
                let sheet = &self.sheets[file];
                let is_whole = |hit: &usize| {
                    self.ranges[*hit].as_ref().is_some_and(|own| range.start <= own.start && own.end <= range.end)
                };
                let rendered = rendered(sheet.path, &sheet.lines(range), &sheet.text[range.clone()]);
                let is_cut = !hits.iter().all(is_whole);
                passages.push(self.passage(range, *tokens, hits.clone(), (is_cut, None), rendered));
            }
        }
        for Summary { hit, tokens, rendered } in &self.summaries {
            let Some(range) = &self.ranges[*hit] else { continue };
            passages.push(self.passage(range, *tokens, vec![*hit], (true, Some(*hit)), rendered.clone()));
        }
        passages
    }

    fn passage(
        &self,
        range: &Range<usize>,
        tokens: u64,
        hits: Vec<usize>,
        (is_cut, summary): (bool, Option<usize>),
        rendered: String,
    ) -> Passage {
        let file = self.hits[hits[0]].file;
        let sheet = &self.sheets[file];
        let lines = sheet.lines(range);
        Passage {
            file,
            start: sheet.unit(range.start),
            end: sheet.unit(range.end),
            first_line: lines.start,
            last_line: lines.end - 1,
            tokens,
            score: hits.iter().map(|hit| self.hits[*hit].score).fold(f64::NEG_INFINITY, f64::max),
            hits,
            is_cut,
            summary,
            rendered,
        }
    }

    fn left_out(&self, hit: usize) -> LeftOut {
        match &self.ranges[hit] {
            Some(range) => {
                let lines = self.sheets[self.hits[hit].file].lines(range);
                LeftOut { hit, first_line: lines.start, last_line: lines.end - 1, why: Why::Budget }
            }
            None => LeftOut { hit, first_line: 0, last_line: 0, why: Why::Range },
        }
    }
}

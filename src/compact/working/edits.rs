//! Applies the steps of a change to the known content of a file.
//!
//! In: a [`File`] and a [`Change`] that succeeded. Out: the same file afterwards. A step with a certain position edits
//! the known lines. Any other step costs knowledge: lines that it may have touched become stale, and lines behind it
//! lose their numbers if it changed their count. Start reading at [`File::change`].

use std::ops::Range;
use std::rc::Rc;

use super::files::{File, Run};
use super::lines::{DISTINCT, Line, MAX_NUMBER, edited, matches, moved, split, whole_lines};
use crate::message::change::Change;

/// Number of lines on each side of a doubtful position that also become stale.
const NEAR: usize = 3;

/// The position at which a text begins.
#[derive(Debug, Clone, Copy)]
struct Place {
    is_loose: bool,
    run: usize,
    line: usize,
}

/// Lines of a run.
struct Span {
    is_loose: bool,
    run: usize,
    lines: Range<usize>,
    /// True if the text begins before the first known line.
    is_behind: bool,
}

impl File {
    /// Applies a step of a change.
    pub fn change(&mut self, change: &Change, now: u32) {
        match change {
            Change::Write { text } => self.write(text, now),
            Change::Replace { old, new, all } => self.replace(old, new, *all, now),
            Change::Insert { after: Some(after), text } => self.insert(*after, text, now),
            Change::Insert { after: None, text } => self.append(text, now),
            Change::Lines { from, to, text } => {
                self.is_deleted = false;
                // The step does not contain the text that it removes.
                self.loose.iter_mut().flat_map(|run| &mut run.lines).for_each(|line| line.seen = 0);
                self.lines(*from, *to, &whole_lines(text), now);
            }
            Change::Hunk { at, old, new } => self.hunk(*at, old, new, now),
            Change::Somewhere { text } => {
                self.doubted = now;
                self.add_loose_lines(&whole_lines(text), now);
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
        // Unchanged lines share their text with the known ones.
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

    /// Replaces the content by that of another file.
    pub fn copy_of(&mut self, other: &File, now: u32) {
        (self.runs, self.loose, self.total) = (other.runs.clone(), other.loose.clone(), other.total);
        (self.doubted, self.is_deleted) = (other.doubted, false);
        (self.changed, self.last) = (now, now);
    }

    /// Adds lines at the end.
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
            return self.add_loose_lines(&whole_lines(text), now);
        }
        let sides = [after, after.saturating_add(1)].map(|number| {
            let line = self.line(number).filter(|line| self.is_fresh(line));
            line.map(|line| Rc::clone(&line.text))
        });
        self.mark_divided_loose(&sides);
        let lines = whole_lines(text);
        self.shift(after.saturating_add(1), lines.len() as i128);
        let lines: Vec<Line> = lines.iter().map(|text| edited(text, now)).collect();
        self.insert_run(Run { start: after.saturating_add(1), lines });
    }

    /// Marks loose lines that may be the lines on the `sides` of an insertion: lines may have been inserted between
    /// them.
    fn mark_divided_loose(&mut self, sides: &[Option<Rc<str>>; 2]) {
        let may_be = |line: &Line, side: &Option<Rc<str>>| side.as_ref().is_none_or(|text| *text == line.text);
        for run in &mut self.loose {
            for at in 1..run.lines.len() {
                if may_be(&run.lines[at - 1], &sides[0]) && may_be(&run.lines[at], &sides[1]) {
                    (run.lines[at - 1].seen, run.lines[at].seen) = (0, 0);
                }
            }
        }
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

    /// Moves lines from `number` on, and divides a run that contains `number`.
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

    /// Returns the number of the first line that an edit at an unknown position may have moved. Fresh lines that begin
    /// the file have not moved: none of them contains the edited text. A stale line may contain it.
    fn first_possibly_moved(&self) -> u64 {
        let Some(run) = self.runs.first().filter(|run| run.start == 1) else { return 1 };
        let stale = run.lines.iter().position(|line| !self.is_fresh(line));
        stale.map_or(run.end(), |stale| run.start + stale as u64)
    }

    /// Removes the numbers behind an unknown position if the edit changed the number of lines.
    fn remove_moved_numbers(&mut self, by: i128) {
        if by != 0 {
            self.total = self.total.map(|total| moved(total, by));
            self.unplace_from(self.first_possibly_moved());
        }
    }

    fn add_loose_lines(&mut self, new: &[&str], now: u32) {
        let lines = new.iter().map(|text| edited(text, now)).collect();
        self.add_loose(Run { start: 0, lines });
    }

    fn replace(&mut self, old: &str, new: &str, all: bool, now: u32) {
        let (old, new) = (split(old), split(new));
        let by = new.len() as i128 - old.len() as i128;
        if all {
            return self.replace_all(&old, &new, by, now);
        }
        // Tools refuse a text that occurs twice, so a known occurrence is the only one.
        let mut places = self.find_text(&old, self.fresh());
        let is_fresh = !places.is_empty();
        if !is_fresh && is_distinct(&old) {
            places = self.find_text(&old, 1);
        }
        let numbered: Vec<Place> = places.iter().filter(|place| !place.is_loose).copied().collect();
        match numbered.as_slice() {
            [place] if !self.may_begin_earlier(*place, &old, &new) => {
                self.mark_shared_edges(&old, Some(&new), is_fresh);
                self.mark_loose(&places, old.len());
                self.replace_text_at(*place, &old, &new, false, (now, now));
            }
            [] if !places.is_empty() => {
                self.mark_shared_edges(&old, Some(&new), false);
                for place in places.iter().rev() {
                    self.replace_text_at(*place, &old, &new, false, (now, now));
                }
                self.loose.retain(|run| !run.lines.is_empty());
                self.remove_moved_numbers(by);
            }
            [] => self.replace_trimmed(&old, &new, now),
            _ => {
                numbered.iter().for_each(|place| self.mark_doubtful(*place, old.len()));
                self.mark_loose(&places, old.len());
                self.replace_unplaced(&old, &new, false, now);
            }
        }
    }

    /// True if all lines are known, and none is stale.
    fn is_known(&self) -> bool {
        self.is_whole() && self.runs.iter().flat_map(|run| &run.lines).all(|line| self.is_fresh(line))
    }

    fn replace_all(&mut self, old: &[&str], new: &[&str], by: i128, now: u32) {
        let is_known = self.is_known();
        let (places, fresh) = (self.find_text(old, 1), self.fresh());
        self.mark_shared_edges(old, Some(new), false);
        // Starts at the end, so that earlier positions stay valid.
        for place in places.iter().rev() {
            let lines = self.run_at(*place).lines[place.line..].iter().take(old.len());
            let is_fresh = lines.into_iter().all(|line| line.seen >= fresh);
            self.replace_text_at(*place, old, new, true, (now, if is_fresh { now } else { 0 }));
        }
        self.loose.retain(|run| !run.lines.is_empty());
        if places.is_empty() {
            self.add_loose_parts(new, now);
        }
        if by != 0 && !is_known {
            // The text may also occur in the gaps.
            self.unplace_from(self.first_possibly_moved());
            self.total = None;
        }
    }

    /// Replaces a text that differs in blanks: some tools ignore blanks when they search. The blanks of the new text
    /// are the tool's, so its lines become doubtful.
    fn replace_trimmed(&mut self, old: &[&str], new: &[&str], now: u32) {
        let (lines, put) = match (old, new) {
            ([old @ .., ""], [new @ .., ""]) => (old, new),
            both => both,
        };
        let same = |(line, text): (&Line, &&str)| line.seen > 0 && line.text.trim() == text.trim();
        let found = self.runs.iter().enumerate().find_map(|(run, known)| {
            let mut windows = known.lines.windows(lines.len().max(1));
            let line = windows.position(|window| window.iter().zip(lines).all(same))?;
            Some(Place { is_loose: false, run, line })
        });
        match found.filter(|_| is_distinct(lines)) {
            Some(place) => {
                self.mark_shared_edges(old, Some(new), false);
                self.replace_lines_at(place, lines.len(), put, (now, 0));
                self.mark_doubtful(place, put.len());
            }
            None => self.replace_unplaced(old, new, false, now),
        }
    }

    /// Handles a replaced text that has no certain position among the known lines.
    fn replace_unplaced(&mut self, old: &[&str], new: &[&str], is_lines: bool, now: u32) {
        let by = new.len() as i128 - old.len() as i128;
        if self.is_whole() && self.runs.iter().flat_map(|run| &run.lines).all(|line| line.seen > 0) {
            // The text must have been in the file, so something else has changed the file.
            self.doubted = now;
        }
        self.mark_shared_edges(old, Some(new).filter(|_| !is_lines), false);
        self.remove_moved_numbers(by);
        if is_lines { self.add_loose_lines(new, now) } else { self.add_loose_parts(new, now) }
    }

    /// Keeps a new text as loose lines. The first and the last may be parts of lines, so they do not help to place
    /// their neighbours.
    fn add_loose_parts(&mut self, new: &[&str], now: u32) {
        let last = new.len().saturating_sub(1);
        let seen = |at: usize| if at == 0 || at == last { 0 } else { now };
        let lines = new.iter().enumerate().map(|(at, text)| Line { seen: seen(at), ..edited(text, now) }).collect();
        self.add_loose(Run { start: 0, lines });
    }

    /// Returns stretches of fresh lines between stale ones; with a `floor` of 1, stretches of lines that nothing
    /// contradicts.
    fn segments(&self, floor: u32) -> impl Iterator<Item = (Place, &[Line])> {
        let runs = self.runs.iter().map(|run| (false, run)).enumerate();
        let loose = self.loose.iter().map(|run| (true, run)).enumerate();
        runs.chain(loose).flat_map(move |(number, (is_loose, run))| {
            let mut line = 0;
            run.lines.split(move |line| line.seen < floor).map(move |lines| {
                let place = Place { is_loose, run: number, line };
                line += lines.len() + 1;
                (place, lines)
            })
        })
    }

    /// Returns the positions of a text that may begin and end within lines.
    fn find_text(&self, old: &[&str], floor: u32) -> Vec<Place> {
        let mut out = Vec::new();
        for (first, lines) in self.segments(floor) {
            let ends_file = || {
                let run = &self.runs[first.run];
                self.total == Some(run.end() - 1) && first.line + lines.len() == run.lines.len()
            };
            let is_last = !first.is_loose && ends_file();
            let (begin, end) = (old.first().map_or(0, |text| text.len()), old.last().map_or(0, |text| text.len()));
            let mut free = 0;
            for at in 0..lines.len() {
                if at >= free && matches(&lines[at..], old, is_last) {
                    out.push(Place { line: first.line + at, ..first });
                    // Another occurrence may begin in the last line, after the end of this one.
                    let last = at + old.len() - 1;
                    let has_room = lines.get(last).is_some_and(|line| line.text.len() >= begin + end);
                    free = if has_room { last } else { last + 1 };
                }
            }
        }
        out
    }

    /// Returns fresh lines at the edges of the known content that a text may include if it begins or ends beside them.
    /// With `new`, the replacement, the text may begin and end within lines; without it, the text consists of whole
    /// lines.
    fn overlaps(&self, old: &[&str], new: Option<&[&str]>) -> Vec<Span> {
        let mut out = Vec::new();
        let last = old.len().saturating_sub(1);
        // If both texts begin or end with a line break, the line beside it does not change.
        let is_kept = |text: Option<&&str>, other: Option<&&str>| text.is_some_and(|t| t.is_empty() && other == text);
        let keeps_first = new.is_some_and(|new| is_kept(old.first(), new.first()));
        let keeps_last = new.is_some_and(|new| is_kept(old.last(), new.last()));
        let is_same = |index: usize, line: &Line, text: &str| match index {
            0 if new.is_some() => line.text.ends_with(text),
            index if index == last && new.is_some() => line.text.starts_with(text),
            _ => *line.text == *text,
        };
        for (first, lines) in self.segments(self.fresh()) {
            let begins_file = !first.is_loose && first.line == 0 && self.runs[first.run].start == 1;
            // Pairs of the number of lines of the text before the first shared line, and the index of that line.
            let behind = (1..old.len()).map(|skipped| (skipped, 0));
            let behind = behind.filter(|(skipped, _)| !(begins_file || *skipped == last && keeps_last));
            let before = (lines.len().saturating_sub(last)..lines.len()).map(|at| (0, at));
            let before = before.filter(|(_, at)| !(at + 1 == lines.len() && keeps_first));
            for (skipped, at) in behind.chain(before) {
                let count = (lines.len() - at).min(old.len() - skipped);
                let mut shared = lines[at..].iter().zip(&old[skipped..]).zip(skipped..);
                if count > 0 && shared.all(|((line, text), index)| is_same(index, line, text)) {
                    let from = first.line + at;
                    let (is_loose, run) = (first.is_loose, first.run);
                    out.push(Span { is_loose, run, lines: from..from + count, is_behind: skipped > 0 });
                }
            }
        }
        out
    }

    /// True if the text may begin before this position, in unknown lines, and end in it.
    fn may_begin_earlier(&self, place: Place, old: &[&str], new: &[&str]) -> bool {
        let is_here =
            |span: &Span| !span.is_loose && span.run == place.run && span.is_behind && span.lines.contains(&place.line);
        self.overlaps(old, Some(new)).iter().any(is_here)
    }

    /// Marks the lines that a text may share with the edges of the known content.
    fn mark_shared_edges(&mut self, old: &[&str], new: Option<&[&str]>, only_loose: bool) {
        for span in self.overlaps(old, new) {
            if span.is_loose || !only_loose {
                let run = if span.is_loose { &mut self.loose[span.run] } else { &mut self.runs[span.run] };
                run.lines[span.lines].iter_mut().for_each(|line| line.seen = 0);
            }
        }
    }

    /// Marks loose lines that contain a text which was edited elsewhere.
    fn mark_loose(&mut self, places: &[Place], count: usize) {
        for place in places.iter().filter(|place| place.is_loose) {
            self.loose[place.run].lines[place.line..].iter_mut().take(count).for_each(|line| line.seen = 0);
        }
    }

    fn run_at(&mut self, place: Place) -> &mut Run {
        if place.is_loose { &mut self.loose[place.run] } else { &mut self.runs[place.run] }
    }

    /// Replaces a text that begins in a line of a run. `marks` are the messages that edited and that confirmed the
    /// lines.
    fn replace_text_at(&mut self, place: Place, old: &[&str], new: &[&str], all: bool, marks: (u32, u32)) {
        let run = self.run_at(place);
        let first = Rc::clone(&run.lines[place.line].text);
        let [first_old, .., last_old] = old else {
            let (text, old) = (first, old.first().copied().unwrap_or_default());
            let put = new.join("\n");
            let text = if all { text.replace(old, &put) } else { text.replacen(old, &put, 1) };
            return self.replace_lines_at(place, 1, &split(&text), marks);
        };
        let before = first.strip_suffix(first_old).unwrap_or(&first);
        let last = run.lines.get(place.line + old.len() - 1).map(|line| Rc::clone(&line.text));
        let behind = last.as_deref().and_then(|last| last.strip_prefix(last_old)).unwrap_or_default();
        let text = format!("{before}{}{behind}", new.join("\n"));
        match last {
            Some(_) => self.replace_lines_at(place, old.len(), &split(&text), marks),
            // The old text ends at the end of the file.
            None => self.replace_lines_at(place, old.len() - 1, &whole_lines(&text), marks),
        }
    }

    /// Replaces `count` lines of a run; identical lines keep the message that last edited them. A loose run may become
    /// empty.
    fn replace_lines_at(&mut self, place: Place, count: usize, new: &[&str], (now, seen): (u32, u32)) {
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
        // The tool has just read the text that it replaced.
        let shown = place.line..(place.line + new.len()).min(run.lines.len());
        run.lines[shown].iter_mut().for_each(|line| line.seen = seen);
        if place.is_loose {
            return;
        }
        let by = new.len() as i128 - (end - place.line) as i128;
        self.total = self.total.map(|total| moved(total, by));
        for run in &mut self.runs[place.run + 1..] {
            run.start = moved(run.start, by);
        }
        if self.runs[place.run].lines.is_empty() {
            self.runs.remove(place.run);
        }
        self.join();
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

    /// Marks the lines around a position as doubtful.
    fn mark_doubtful(&mut self, place: Place, count: usize) {
        if place.run >= if place.is_loose { self.loose.len() } else { self.runs.len() } {
            return;
        }
        let run = self.run_at(place);
        let end = (place.line + count + NEAR).min(run.lines.len());
        let start = place.line.saturating_sub(NEAR).min(end);
        run.lines[start..end].iter_mut().for_each(|line| line.seen = 0);
    }

    /// Replaces whole lines. Tools search for them at line `at`, then around it; without a number they take the first
    /// match.
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
        let is_distinct = is_distinct(&old);
        let places = self.find_lines(&old, is_distinct);
        let numbered: Vec<(u64, Place)> = places
            .iter()
            .filter(|place| !place.is_loose)
            .map(|place| (self.runs[place.run].start.saturating_add(place.line as u64), *place))
            .collect();
        let far = |number: u64| at.map_or(0, |at| number.abs_diff(at));
        let nearest =
            numbered.iter().min_by_key(|(number, _)| far(*number)).map(|(number, place)| (far(*number), *place));
        let is_only = numbered.len() == 1 && (is_distinct || self.is_known()) || at.is_some() && self.is_whole();
        match (at, nearest) {
            (Some(_), Some((0, place))) => self.apply_hunk(place, &places, &old, &new, now),
            (_, Some((_, place))) if is_only => self.apply_hunk(place, &places, &old, &new, now),
            (Some(at), _) if self.may_hold(at, &old) => {
                numbered.iter().for_each(|(_, place)| self.mark_doubtful(*place, old.len()));
                self.mark_shared_edges(&old, None, true);
                self.mark_loose(&places, old.len());
                let is_there = |(at, text): (u64, &&str)| {
                    let line = self.line(at).filter(|line| *line.text == **text && line.text.trim().len() >= DISTINCT);
                    line.is_some_and(|line| self.is_fresh(line))
                };
                let is_confirmed = (at..).zip(&old).any(is_there);
                self.lines(at, at.saturating_add(old.len() as u64).saturating_sub(1), &new, now);
                if !is_confirmed {
                    // The line numbers in patches are often wrong.
                    self.mark_stale(at, new.len() as u64);
                }
            }
            (_, None) if is_distinct && !places.is_empty() => {
                self.mark_shared_edges(&old, None, false);
                places.iter().rev().for_each(|place| self.replace_lines_at(*place, old.len(), &new, (now, now)));
                self.loose.retain(|run| !run.lines.is_empty());
                self.remove_moved_numbers(by);
            }
            _ => {
                numbered.iter().for_each(|(_, place)| self.mark_doubtful(*place, old.len()));
                self.mark_loose(&places, old.len());
                self.replace_unplaced(&old, &new, true, now);
            }
        }
    }

    fn apply_hunk(&mut self, place: Place, places: &[Place], old: &[&str], new: &[&str], now: u32) {
        self.mark_shared_edges(old, None, true);
        self.mark_loose(places, old.len());
        self.replace_lines_at(place, old.len(), new, (now, now));
    }

    /// True if no fresh line contradicts that `old` is at line `at`.
    fn may_hold(&self, at: u64, old: &[&str]) -> bool {
        let is_other = |line: &Line, text: &str| self.is_fresh(line) && *line.text != *text;
        !(at..).zip(old).any(|(at, text)| self.line(at).is_some_and(|line| is_other(line, text)))
    }

    /// Marks `count` lines from `number` on as stale.
    fn mark_stale(&mut self, number: u64, count: u64) {
        let is_here = |number_of: u64| number_of.checked_sub(number).is_some_and(|index| index < count);
        for run in &mut self.runs {
            let lines = run.lines.iter_mut().zip(run.start..);
            lines.filter(|(_, number)| is_here(*number)).for_each(|(line, _)| line.seen = 0);
        }
    }

    /// Returns the positions of whole lines: in fresh lines if there is a match, else in others. A match with the same
    /// trailing blanks takes precedence.
    fn find_lines(&self, old: &[&str], is_distinct: bool) -> Vec<Place> {
        let floors = [(self.fresh(), true), (1, is_distinct)];
        for (floor, _) in floors.into_iter().filter(|(_, is_tried)| *is_tried) {
            for trim in [false, true] {
                let is_same =
                    |line: &Line, text: &str| *line.text == *text || trim && line.text.trim_end() == text.trim_end();
                let is_here = |window: &[Line]| window.iter().zip(old).all(|(line, text)| is_same(line, text));
                let mut out = Vec::new();
                for (first, lines) in self.segments(floor) {
                    let found = lines.windows(old.len()).enumerate().filter(|(_, window)| is_here(window));
                    out.extend(found.map(|(at, _)| Place { line: first.line + at, ..first }));
                }
                if !out.is_empty() {
                    return out;
                }
            }
        }
        vec![]
    }
}

/// True if one of these lines probably occurs only once.
fn is_distinct(old: &[&str]) -> bool {
    old.iter().any(|line| line.trim().len() >= DISTINCT)
}

//! The text of a message: its line breaks, and its exact count while leaves are removed and come back.
//!
//! Counts add up across cuts (see `tokens::join`), so the text is kept as segments from one cut to the next. Removing
//! or restoring a leaf changes only the segments that touch it; a leaf without any cut is part of its neighbours'
//! segments. Start reading at [`Content`].

use super::counts::{Builtin, Counts, Sent};
use super::draft::{Draft, What};
use super::living::Living;
use super::piece::LeafKind;
use super::tree::{Kind, Line, Tree};
use crate::message::Role;
use crate::tokens::meet;

/// The data that all functions here read.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub draft: &'a Draft,
    pub tree: &'a Tree,
    pub living: &'a Living,
}

impl<'a> View<'a> {
    fn text(self, place: u32) -> &'a str {
        self.tree.text(self.draft, place)
    }

    /// Returns whether a text is empty, and whether it ends a line.
    fn ending(self, place: u32) -> (bool, bool) {
        match &self.draft.node(self.tree.source(place)).what {
            What::Text(text) => (text.length == 0, text.ends_line),
            _ => (true, false),
        }
    }

    fn is_text(self, place: u32) -> bool {
        matches!(self.tree.kind(place), Kind::Text { .. })
    }

    /// Returns the last leaf before `place`, but not before `start`.
    fn before(self, start: u32, place: u32) -> Option<u32> {
        self.living.leaves.prev(place).filter(|leaf| *leaf >= start)
    }

    /// True if, in the subtree at `start`, the text at `place` (its parent's first child) follows text of the same run:
    /// text beside one of its ancestors, without an element between them.
    fn continues(self, start: u32, place: u32) -> bool {
        let mut element = self.tree.parent(place);
        while element > start {
            let parent = self.tree.parent(element);
            let mut from = element;
            while let Some(node) = self.living.nodes.prev(from).filter(|node| *node > parent) {
                if self.tree.parent(node) != parent {
                    return false;
                }
                match self.tree.kind(node) {
                    Kind::Text { .. } => return true,
                    Kind::Container { .. } | Kind::Message => return false,
                    Kind::Other(_) => from = node,
                }
            }
            element = parent;
        }
        false
    }

    /// True if a line break precedes the text at `place`. `so_far` describes the part up to there as (is empty, ends
    /// with a line break); it is called only if needed.
    fn breaks(self, start: u32, place: u32, so_far: impl FnOnce() -> (bool, bool)) -> bool {
        let Kind::Text { line, .. } = self.tree.kind(place) else { return false };
        let wanted = match line {
            Line::No => false,
            Line::Always => true,
            Line::UnlessContinuing => !self.continues(start, place),
        };
        wanted && so_far() == (false, false)
    }

    /// Returns the current state of a message.
    pub fn sent(self, message: u32) -> Sent {
        let mut sent =
            Sent { node: self.tree.source(message), dropped_calls: self.living.dropped(message), content: Vec::new() };
        let (mut empty, mut ended, mut last) = (true, false, None);
        let end = self.tree.end(message);
        let mut at = message;
        while let Some(leaf) = self.living.leaves.next(at).filter(|leaf| *leaf < end) {
            at = leaf + 1;
            let kind = self.tree.kind(leaf);
            if matches!(kind, Kind::Text { .. }) {
                if !matches!(last, Some(Kind::Text { .. })) {
                    (empty, ended) = (true, false);
                }
                let breaks = self.breaks(message, leaf, || (empty, ended));
                let (nothing, ends_line) = self.ending(leaf);
                if breaks || !nothing {
                    (empty, ended) = (false, ends_line || nothing);
                }
                sent.content.push((self.tree.source(leaf), breaks));
            } else {
                // Only the last of consecutive breakpoints counts.
                let breakpoint = Kind::Other(LeafKind::Breakpoint);
                if kind == breakpoint && last == Some(breakpoint) {
                    sent.content.pop();
                }
                sent.content.push((self.tree.source(leaf), false));
            }
            last = Some(kind);
        }
        sent
    }
}

/// The counted content of a message, or of a subtree within one.
pub struct Content {
    start: u32,
    end: u32,
    role: Option<Role>,
    /// True if all texts are counted as one, whatever separates them.
    joined: bool,
    /// Number of living leaves other than text.
    others: u32,
    others_cost: f64,
    texts_cost: u64,
    segments: Vec<Segment>,
}

/// The counts of the segments that begin in a text.
#[derive(Clone, Copy, Default)]
struct Segment {
    /// Tokens from its first cut to its last.
    middle: u32,
    /// Tokens from the cut where it begins to its first cut.
    lead: u32,
    /// Tokens from its last cut (or its beginning, if it has no cut inside) to the next cut of the message.
    tail: u32,
    /// Offsets of the first and the last cut inside it.
    inside: Option<(u32, u32)>,
    /// True if a line break precedes it.
    breaks: bool,
    /// Set if it begins with a cut: before the line break, or behind it.
    begins: Option<Begin>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Begin {
    Before,
    Behind,
}

impl Content {
    pub fn new(view: View, counts: &mut Counts, start: u32, role: Option<Role>) -> Content {
        let end = view.tree.end(start);
        let mut content = Content {
            start,
            end,
            role,
            joined: true,
            others: 0,
            others_cost: 0.0,
            texts_cost: 0,
            segments: Vec::new(),
        };
        content.build(view, counts);
        content
    }

    /// Returns all tokens.
    pub fn total(&self) -> f64 {
        self.texts_cost as f64 + self.others_cost
    }

    fn build(&mut self, view: View, counts: &mut Counts) {
        (self.others, self.others_cost, self.texts_cost) = (0, 0.0, 0);
        self.segments = vec![Segment::default(); (self.end - self.start) as usize];
        let mut leaves = Vec::new();
        let mut at = self.start;
        while let Some(leaf) = self.next(view, at) {
            at = leaf + 1;
            if view.is_text(leaf) {
                leaves.push(leaf);
            } else {
                self.add_other(view, counts, leaf, 1);
            }
        }
        let Some(builtin) = counts.builtin() else { return };
        self.joined = builtin.joins(self.role, self.others > 0);
        let mut last = None;
        for &leaf in &leaves {
            self.measure(view, counts, leaf);
            self.begin(view, leaf, &mut last);
        }
        let Some(builtin) = counts.builtin() else { return };
        for &leaf in &leaves {
            self.count_lead(view, builtin, leaf);
            self.count_tail(view, builtin, leaf);
        }
    }

    fn segment(&self, place: u32) -> Segment {
        self.segments[(place - self.start) as usize]
    }

    fn segment_mut(&mut self, place: u32) -> &mut Segment {
        &mut self.segments[(place - self.start) as usize]
    }

    fn next(&self, view: View, from: u32) -> Option<u32> {
        view.living.leaves.next(from).filter(|leaf| *leaf < self.end)
    }

    /// Returns the text before `place` that is counted jointly with the content at `place`.
    fn text_before(&self, view: View, place: u32) -> Option<u32> {
        let mut at = place;
        loop {
            let leaf = view.before(self.start, at)?;
            if view.is_text(leaf) {
                return Some(leaf);
            }
            if !self.joined {
                return None;
            }
            at = leaf;
        }
    }

    /// Returns the text at or behind `from` that is counted jointly with the content before it.
    fn text_behind(&self, view: View, from: u32) -> Option<u32> {
        let mut at = from;
        loop {
            let leaf = self.next(view, at)?;
            if view.is_text(leaf) {
                return Some(leaf);
            }
            if !self.joined {
                return None;
            }
            at = leaf + 1;
        }
    }

    fn add_other(&mut self, view: View, counts: &Counts, place: u32, sign: i32) {
        let (Some(builtin), Some(leaf)) = (counts.builtin(), view.tree.leaf(view.draft, place)) else { return };
        if leaf.is_stated() || builtin.mode.carries(self.role, leaf) {
            self.others = self.others.saturating_add_signed(sign);
            self.others_cost += f64::from(sign) * builtin.part(self.role, leaf);
        }
    }

    /// Records a text's own cuts and the count between them.
    fn measure(&mut self, view: View, counts: &mut Counts, place: u32) {
        let Some(counted) = counts.measured(view.draft, view.tree.source(place)) else { return };
        let segment = self.segment_mut(place);
        *segment = Segment::default();
        if let Some((first, last, middle)) = counted.inside() {
            segment.inside = Some((first as u32, last as u32));
            segment.middle = middle as u32;
        }
        self.texts_cost += u64::from(segment.middle);
    }

    /// Describes the texts before `place` up to other content: whether they are empty, and whether they end a line.
    fn so_far(&self, view: View, place: u32) -> (bool, bool) {
        let mut at = place;
        while let Some(leaf) = view.before(self.start, at).filter(|leaf| view.is_text(*leaf)) {
            let text = view.text(leaf);
            if !text.is_empty() {
                return (false, text.ends_with('\n'));
            }
            if self.segment(leaf).breaks {
                return (false, true);
            }
            at = leaf;
        }
        (true, false)
    }

    /// Determines how a text begins. `last` is the previous text for which that was done, with what [`Content::so_far`]
    /// returns behind it: without it, each of many empty texts would go back over all others.
    fn begin(&mut self, view: View, place: u32, last: &mut Option<(u32, (bool, bool))>) {
        let is_next = |(leaf, _): &(u32, _)| view.before(self.start, place) == Some(*leaf);
        let before = last.filter(is_next).map_or_else(|| self.so_far(view, place), |(_, so_far)| so_far);
        let (breaks, begins) = self.beginning(view, place, before);
        let text = view.text(place);
        let so_far = match breaks {
            _ if !text.is_empty() => (false, text.ends_with('\n')),
            true => (false, true),
            false => before,
        };
        *last = Some((place, so_far));
        let segment = self.segment_mut(place);
        (segment.breaks, segment.begins) = (breaks, begins);
    }

    /// Returns whether a line break precedes a text, and the position of the cut with which it begins.
    fn beginning(&self, view: View, place: u32, so_far: (bool, bool)) -> (bool, Option<Begin>) {
        let breaks = view.breaks(self.start, place, || so_far);
        let Some(before) = self.text_before(view, place) else { return (breaks, Some(Begin::Before)) };
        let (before, text) = (view.text(before).as_bytes(), view.text(place).as_bytes());
        let Some(&last) = before.last() else { return (breaks, None) };
        let begins = match breaks {
            true if meet(last, b"\n") => Some(Begin::Before),
            true if meet(b'\n', text) => Some(Begin::Behind),
            false if meet(last, text) => Some(Begin::Before),
            _ => None,
        };
        (breaks, begins)
    }

    fn count_lead(&mut self, view: View, builtin: &Builtin, place: u32) {
        let segment = self.segment(place);
        let (Some(begins), Some((first, _))) = (segment.begins, segment.inside) else { return };
        let mut text = String::new();
        if segment.breaks && begins == Begin::Before {
            text.push('\n');
        }
        text.push_str(&view.text(place)[..first as usize]);
        let lead = builtin.encoding.count(&text);
        self.texts_cost += lead;
        self.segment_mut(place).lead = lead as u32;
    }

    fn count_tail(&mut self, view: View, builtin: &Builtin, place: u32) {
        let segment = self.segment(place);
        let mut text = String::new();
        match (segment.inside, segment.begins) {
            (Some((_, last)), _) => text.push_str(&view.text(place)[last as usize..]),
            (None, Some(begins)) => {
                if segment.breaks && begins == Begin::Before {
                    text.push('\n');
                }
                text.push_str(view.text(place));
            }
            // The text is part of a segment that begins before it.
            (None, None) => return,
        }
        let mut at = place + 1;
        while let Some(next) = self.text_behind(view, at) {
            let segment = self.segment(next);
            if segment.breaks && segment.begins != Some(Begin::Before) {
                text.push('\n');
            }
            if segment.begins.is_some() {
                break;
            }
            match segment.inside {
                Some((first, _)) => {
                    text.push_str(&view.text(next)[..first as usize]);
                    break;
                }
                None => text.push_str(view.text(next)),
            }
            at = next + 1;
        }
        let tail = builtin.encoding.count(&text);
        self.texts_cost += tail;
        self.segment_mut(place).tail = tail as u32;
    }

    /// Subtracts the counts of a removed leaf. [`Content::mend`] must follow.
    pub fn leave(&mut self, view: View, counts: &Counts, place: u32) {
        if view.is_text(place) {
            let Segment { middle, lead, tail, .. } = std::mem::take(self.segment_mut(place));
            self.texts_cost -= u64::from(middle) + u64::from(lead) + u64::from(tail);
        } else {
            self.add_other(view, counts, place, -1);
        }
    }

    /// Adds the counts of a restored leaf. [`Content::mend`] must follow.
    pub fn join(&mut self, view: View, counts: &mut Counts, place: u32) {
        if view.is_text(place) {
            self.measure(view, counts, place);
        } else {
            self.add_other(view, counts, place, 1);
        }
    }

    /// Recounts the boundary between the text before `at` and the content at `at` or behind.
    pub fn mend(&mut self, view: View, counts: &mut Counts, at: u32) {
        let Some(builtin) = counts.builtin() else { return };
        if self.joined != builtin.joins(self.role, self.others > 0) {
            return self.build(view, counts);
        }
        // An empty text may also change how the next line begins.
        let mut changed = Vec::new();
        let (mut from, mut last) = (at, None);
        while let Some(place) = self.text_behind(view, from) {
            self.begin(view, place, &mut last);
            let segment = self.segment_mut(place);
            let mut old = std::mem::take(&mut segment.lead);
            if segment.inside.is_none() {
                old += std::mem::take(&mut segment.tail);
            }
            self.texts_cost -= u64::from(old);
            changed.push(place);
            if !view.text(place).is_empty() {
                break;
            }
            from = place + 1;
        }
        for place in changed {
            let segment = self.segment(place);
            if segment.begins.is_some() {
                self.count_lead(view, builtin, place);
                if segment.inside.is_none() {
                    self.count_tail(view, builtin, place);
                }
            }
        }
        // The segment that ends here begins at the previous cut.
        let mut owner = self.text_before(view, at);
        while let Some(place) = owner {
            let segment = self.segment_mut(place);
            if segment.inside.is_some() || segment.begins.is_some() {
                let old = std::mem::take(&mut segment.tail);
                self.texts_cost -= u64::from(old);
                self.count_tail(view, builtin, place);
                break;
            }
            owner = self.text_before(view, place);
        }
    }
}

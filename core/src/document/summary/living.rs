//! The nodes that were chosen so far, and how long their text is.
//!
//! The text of a node is that of its children, and something between two of them where others are left out. Adding a node changes
//! only what stands beside it and beside its ancestors, so lengths are kept up to date without writing anything.

use std::iter::successors;

use super::super::syntax::NONE;
use super::Settings;
use super::dense::Dense;
use super::render::{self, Mark};
use super::source::Source;
use crate::bits::Bits;

/// The text of a node as far as lengths and its neighbours are concerned.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Shown {
    pub units: i64,
    pub feeds: i64,
    /// The stretch of the document that it is, if it is one.
    pub plain: Option<(u32, u32)>,
}

/// The choice of one document.
#[derive(Debug)]
pub(super) struct Living<'d> {
    pub source: &'d Source<'d>,
    pub tree: &'d Dense,
    settings: Settings,
    lives: Vec<bool>,
    shown: Vec<Shown>,
    /// Children that show, as the tree has them one behind the other.
    visible: Bits,
    /// All of it. Of a node that was chosen earlier `shown` says only whether and as what it shows, no longer how long it is.
    units: i64,
    feeds: i64,
}

impl<'d> Living<'d> {
    pub fn new(source: &'d Source<'d>, tree: &'d Dense, settings: Settings) -> Living<'d> {
        let (lives, shown) = (vec![false; tree.nodes.len()], vec![Shown::default(); tree.nodes.len()]);
        Living { source, tree, settings, lives, shown, visible: Bits::new(tree.nodes.len()), units: 0, feeds: 0 }
    }

    /// UTF-16 units of the text.
    pub fn units(&self) -> u64 {
        self.units.max(0) as u64
    }

    /// Line feeds in the text.
    pub fn feeds(&self) -> u64 {
        self.feeds.max(0) as u64
    }

    /// Chooses a node and its ancestors; gives those that were not chosen yet.
    pub fn add(&mut self, node: u32) -> Vec<u32> {
        let mut added = Vec::new();
        // A gap shows with its parent.
        let gap = self.tree.nodes[node as usize];
        let mut at = if gap.is_gap() { gap.parent } else { node };
        while at != NONE && !self.lives[at as usize] {
            self.lives[at as usize] = true;
            added.push(at);
            at = self.tree.nodes[at as usize].parent;
        }
        let Some((top, below)) = added.split_last() else { return added };
        // From below: a node is complete when its parent looks at it.
        for at in below {
            self.shown[*at as usize] = self.whole(*at);
        }
        let mut child = *top;
        let mut shown = self.whole(child);
        self.units += shown.units;
        self.feeds += shown.feeds;
        loop {
            let parent = self.tree.nodes[child as usize].parent;
            let was = self.shown[child as usize];
            if parent == NONE {
                self.shown[child as usize] = shown;
                return added;
            }
            // What stands beside it sees only whether it shows, and as what.
            if (was.units > 0) == (shown.units > 0) && was.plain == shown.plain {
                return added;
            }
            shown = self.replace(parent, child, shown);
            child = parent;
        }
    }

    /// Takes nodes back.
    pub fn forget(&mut self, added: &[u32]) {
        for node in added {
            self.lives[*node as usize] = false;
        }
        self.visible = Bits::new(self.tree.nodes.len());
        self.shown.fill(Shown::default());
        for at in (0..self.tree.nodes.len() as u32).rev() {
            if self.lives[at as usize] && !self.tree.nodes[at as usize].is_gap() {
                self.shown[at as usize] = self.whole(at);
            }
        }
        let whole = self.shown.first().copied().unwrap_or_default();
        (self.units, self.feeds) = (whole.units, whole.feeds);
    }

    /// The text of a node that was just chosen, from its gaps and from children that were chosen with it.
    fn whole(&mut self, at: u32) -> Shown {
        let node = self.tree.nodes[at as usize];
        if node.count == 0 {
            return self.stretch(node.start, node.end);
        }
        let first = node.first;
        for child in self.tree.children(at) {
            let node = self.tree.nodes[*child as usize];
            if node.is_gap() {
                self.shown[*child as usize] = self.stretch(node.start, node.end);
            }
            if self.shown[*child as usize].units > 0 {
                self.visible.insert(first + node.place);
            }
        }
        let places: Vec<u32> = self.places(at).collect();
        let mut shown = self.joints(at, &places);
        for place in &places {
            let child = self.shown[self.child(at, *place) as usize];
            shown.units += child.units;
            shown.feeds += child.feeds;
        }
        Shown { plain: self.plain(at), ..shown }
    }

    fn stretch(&self, start: u32, end: u32) -> Shown {
        Shown {
            units: self.source.units(start, end) as i64,
            feeds: self.source.feeds(start, end) as i64,
            plain: Some((start, end)),
        }
    }

    /// Replaces what a child of a node that shows already is; gives what the node is with it.
    fn replace(&mut self, parent: u32, child: u32, now: Shown) -> Shown {
        let place = self.tree.nodes[child as usize].place;
        let before = self.around(parent, place);
        let old = self.joints(parent, &before);
        self.shown[child as usize] = now;
        if now.units > 0 {
            self.visible.insert(self.tree.nodes[parent as usize].first + place);
        }
        let after = self.around(parent, place);
        let new = self.joints(parent, &after);
        self.units += new.units - old.units;
        self.feeds += new.feeds - old.feeds;
        let whole = self.shown[parent as usize];
        Shown { units: whole.units.max(now.units), plain: self.plain(parent), ..whole }
    }

    /// A child and those that show on either side of it: as far as a change of it can be felt.
    fn around(&self, parent: u32, place: u32) -> Vec<u32> {
        let node = self.tree.nodes[parent as usize];
        let at = node.first + place;
        let before = self.visible.prev(at).and_then(|before| before.checked_sub(node.first));
        let itself = self.visible.has(at).then_some(place);
        let behind = self.showing(parent, place + 1);
        [before, itself, behind].into_iter().flatten().collect()
    }

    /// The first child that shows at a place or behind it.
    fn showing(&self, of: u32, from: u32) -> Option<u32> {
        let node = self.tree.nodes[of as usize];
        let place = self.visible.next(node.first + from)? - node.first;
        (place < node.count).then_some(place)
    }

    /// What stands between children that show, together.
    fn joints(&self, parent: u32, places: &[u32]) -> Shown {
        let mut sum = Shown::default();
        for pair in places.windows(2) {
            let &[one, other] = pair else { continue };
            let Some(mark) = self.between(parent, one, other) else { continue };
            let (first, second) = (self.child(parent, one), self.child(parent, other));
            for cut in [mark.end.zip(self.end(first)), self.start(second).zip(mark.start)].into_iter().flatten() {
                sum.units -= self.source.units(cut.0, cut.1) as i64;
                sum.feeds -= self.source.feeds(cut.0, cut.1) as i64;
            }
            sum.units += mark.text.encode_utf16().count() as i64;
            sum.feeds += mark.text.matches('\n').count() as i64;
        }
        sum
    }

    fn start(&self, node: u32) -> Option<u32> {
        self.shown[node as usize].plain.map(|(start, _)| start)
    }

    fn end(&self, node: u32) -> Option<u32> {
        self.shown[node as usize].plain.map(|(_, end)| end)
    }

    /// The mark between two children that show, if there is one. Those between them do not show.
    pub fn between(&self, parent: u32, one: u32, other: u32) -> Option<Mark> {
        if other <= one + 1 {
            return None;
        }
        let [first, second] = [one, other].map(|place| self.child(parent, place));
        let (before, after) = (self.shown[first as usize].plain, self.shown[second as usize].plain);
        let range = (
            self.tree.nodes[self.child(parent, one + 1) as usize],
            self.tree.nodes[self.child(parent, other - 1) as usize],
        );
        render::mark(self.source, self.settings, before, after, range)
    }

    /// The places of the children that show.
    pub fn places(&self, of: u32) -> impl Iterator<Item = u32> {
        successors(self.showing(of, 0), move |place| self.showing(of, place + 1))
    }

    /// The child of a node at a place.
    pub fn child(&self, of: u32, place: u32) -> u32 {
        self.tree.children(of).get(place as usize).copied().unwrap_or_default()
    }

    /// The stretch of the document that a node is, if it is one.
    pub fn plain(&self, of: u32) -> Option<(u32, u32)> {
        let mut places = self.places(of);
        let (only, None) = (places.next()?, places.next()) else { return None };
        self.shown[self.child(of, only) as usize].plain
    }
}

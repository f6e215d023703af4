//! The costs of messages and limited subtrees while nodes are removed and come back.

use super::content::{Content, View};
use super::counts::{Counts, Question};
use super::draft::NONE;
use super::living::Unit;
use super::map::Map;
use super::tree::{Kind, Line};

/// Costs by place. An empty message is not sent and costs nothing.
#[derive(Default)]
pub struct Costs {
    contents: Map<Content>,
    messages: Map<f64>,
    /// A subtree inside a message, counted like the message's text.
    inside: Option<(u32, Content)>,
}

/// A message's cost before and after a change; NaN if it is unknown.
#[derive(Debug, Clone, Copy)]
pub struct Changed {
    pub message: u32,
    pub before: f64,
    pub after: f64,
}

/// The way in which a limit inside a message is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inside {
    /// By the text that the subtree contributes.
    Exact,
    /// By its parts: each is counted alone, plus one token for each that may begin a line. This is the reference's
    /// rule.
    Bounds,
}

impl Costs {
    /// Returns the tokens of the subtree at `place`, or the questions to ask first.
    pub fn total(&mut self, view: View, counts: &mut Counts, place: u32, inside: Inside) -> Result<f64, Vec<Question>> {
        let message = view.tree.message[place as usize];
        if message != NONE && message != place {
            return match inside {
                Inside::Exact if counts.builtin().is_some() => {
                    let role = view.tree.shape(view.draft, message).and_then(|shape| shape.role);
                    let (_, content) = self
                        .inside
                        .take_if(|(at, _)| *at == place)
                        .unwrap_or_else(|| (place, Content::new(view, counts, place, role)));
                    let total = content.total();
                    self.inside = Some((place, content));
                    Ok(total)
                }
                _ => bounds(view, counts, place),
            };
        }
        let (mut sum, mut questions) = (0.0, Vec::new());
        for message in view.tree.messages(place..view.tree.end(place)) {
            match self.message(view, counts, message) {
                Some(cost) => sum += cost,
                None => questions.push(Question::Message(view.sent(message))),
            }
        }
        if questions.is_empty() { Ok(sum) } else { Err(questions) }
    }

    /// Returns the tokens of one message; `None` if the host must count it.
    pub fn message(&mut self, view: View, counts: &mut Counts, message: u32) -> Option<f64> {
        if !view.living.has(message) || view.living.is_empty(view.tree, message) {
            return Some(0.0);
        }
        if let Some(known) = self.messages.get(&message) {
            return Some(*known);
        }
        let shape = view.tree.shape(view.draft, message)?;
        let base = counts.base(view.tree.source(message), shape, &view.living.dropped(message));
        counts.builtin()?;
        let content = self.contents.entry(message).or_insert_with(|| Content::new(view, counts, message, shape.role));
        let total = base? + content.total();
        self.messages.insert(message, total);
        Some(total)
    }

    /// Stores the host's count of a message in its current state.
    pub fn set(&mut self, message: u32, count: f64) {
        self.messages.insert(message, count);
    }

    /// Returns a message's count if it is known, else NaN.
    pub fn known(&self, message: u32) -> f64 {
        self.messages.get(&message).copied().unwrap_or(f64::NAN)
    }

    /// Returns the counts of messages in another tree; `to` maps their places.
    pub fn moved(&self, to: impl Fn(u32) -> Option<u32>) -> Costs {
        let moved = self.messages.iter().filter_map(|(message, count)| Some((to(*message)?, *count)));
        Costs { messages: moved.collect(), ..Costs::default() }
    }

    /// Returns the messages that a change touches, with their costs before it. Must be called before the change is
    /// recorded.
    fn changed_messages(&self, view: View, unit: &Unit) -> Vec<Changed> {
        let inside = unit.removed.iter().map(|(place, _)| *place);
        let mut messages: Vec<u32> = inside
            .flat_map(|place| match view.tree.message[place as usize] {
                NONE => view.tree.messages(place..view.tree.end(place)).collect(),
                message => vec![message],
            })
            .chain(unit.calls.iter().map(|(message, _)| *message))
            .collect();
        crate::rank::sort(&mut messages, |message| u64::from(*message));
        messages.dedup();
        let changed = |message: u32| Changed { message, before: self.known(message), after: f64::NAN };
        messages.into_iter().map(changed).collect()
    }

    /// Records a removal that has happened.
    pub fn removed(&mut self, view: View, counts: &mut Counts, unit: &Unit) -> Vec<Changed> {
        let mut changed = self.changed_messages(view, unit);
        for change in &changed {
            self.messages.remove(&change.message);
            if !view.living.has(change.message) {
                self.contents.remove(&change.message);
            }
        }
        let Costs { contents, inside, .. } = self;
        inside.take_if(|(place, _)| !view.living.has(*place));
        let leaves = unit.cleared.iter().filter(|place| view.tree.kind(**place).is_leaf());
        for &leaf in leaves {
            for content in around(contents, inside, view, leaf) {
                content.leave(view, counts, leaf);
            }
        }
        for &(place, _) in &unit.removed {
            for content in around(contents, inside, view, place) {
                content.mend(view, counts, view.tree.end(place));
            }
        }
        self.settle(view, counts, &mut changed);
        changed
    }

    /// Records a removal that was undone.
    pub fn revived(&mut self, view: View, counts: &mut Counts, unit: &Unit) -> Vec<Changed> {
        let mut changed = self.changed_messages(view, unit);
        for change in &changed {
            self.messages.remove(&change.message);
        }
        let Costs { contents, inside, .. } = self;
        let leaves: Vec<u32> = unit.cleared.iter().copied().filter(|place| view.tree.kind(*place).is_leaf()).collect();
        for &leaf in &leaves {
            for content in around(contents, inside, view, leaf) {
                content.join(view, counts, leaf);
            }
        }
        for &place in leaves.iter().chain(unit.removed.iter().map(|(place, _)| place)) {
            for content in around(contents, inside, view, place) {
                content.mend(view, counts, place);
                content.mend(view, counts, view.tree.end(place));
            }
        }
        self.settle(view, counts, &mut changed);
        changed
    }

    fn settle(&mut self, view: View, counts: &mut Counts, changed: &mut [Changed]) {
        if counts.builtin().is_some() {
            for change in changed {
                change.after = self.message(view, counts, change.message).unwrap_or(f64::NAN);
            }
        }
    }
}

/// Returns the contents that contain a place of a living message.
fn around<'a>(
    contents: &'a mut Map<Content>,
    inside: &'a mut Option<(u32, Content)>,
    view: View,
    place: u32,
) -> impl Iterator<Item = &'a mut Content> {
    let message = view.tree.message[place as usize];
    let content = if message == NONE { None } else { contents.get_mut(&message) };
    let within = inside.as_mut().filter(|(at, _)| (*at..view.tree.end(*at)).contains(&place));
    content.into_iter().chain(within.map(|(_, content)| content))
}

/// Returns the sum of the bounds of a subtree's leaves.
fn bounds(view: View, counts: &mut Counts, place: u32) -> Result<f64, Vec<Question>> {
    let (mut sum, mut questions, mut at) = (0.0, Vec::new(), place);
    while let Some(leaf) = view.living.leaves.next(at).filter(|leaf| *leaf < view.tree.end(place)) {
        at = leaf + 1;
        match bound(view, counts, leaf) {
            Some(tokens) => sum += tokens,
            None => questions.push(Counts::leaf_question(view.draft, view.tree.source(leaf))),
        }
    }
    if questions.is_empty() { Ok(sum) } else { Err(questions) }
}

/// Returns a leaf's own tokens, plus one if it may begin a line.
pub fn bound(view: View, counts: &mut Counts, leaf: u32) -> Option<f64> {
    let tokens = counts.leaf(view.draft, view.tree.source(leaf))?;
    let line = !matches!(view.tree.kind(leaf), Kind::Text { line: Line::No, .. } | Kind::Other(_));
    Some(tokens + f64::from(u8::from(line)))
}

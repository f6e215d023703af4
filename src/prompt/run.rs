//! Rendering as an operation: poll it, answer its questions, poll again.
//!
//! In: the operations of a tree, options, answers of the host. Out: messages and reports. Start reading at
//! [`Prompt::poll`].

use super::NodeId;
use super::costs::Inside;
use super::counts::{Counter, Counts, Question};
use super::cut::{self, Cut, Outcome};
use super::draft::Draft;
use super::layout::{self, Event, Growable, Layout};
use super::piece::Op;
use super::trace::NodeReport;
use super::tree::Malformed;
use crate::error::{Code, Error, Result};

/// Options of rendering a tree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Maximum tokens of the messages.
    pub budget: f64,
    /// The way in which limits inside messages are counted.
    pub inside: Inside,
    /// True if calls and results are removed together, whatever they are kept with; false if only calls that are kept
    /// with an element are removed with it.
    pub bind_calls: bool,
    /// Puts removed nodes back while they fit.
    pub backfill: bool,
    /// Records the events of the layout for a tracer.
    pub traced: bool,
    /// Counts everything for layout, even if no budget depends on it.
    pub thorough: bool,
    /// Cuts the tree to its budget; otherwise it is only laid out.
    pub cut: bool,
}

/// A request to the host.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// Render these elements with these budgets, and answer with what they yield.
    Render(Vec<(NodeId, f64)>),
    /// Render this expandable element again, with this budget.
    Grow(NodeId, f64),
    Count(Vec<Question>),
}

/// The state of the operation.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Answer this by its number. Polling again before that returns the same request.
    Ask(u32, Ask),
    /// The rendered tree is not a valid prompt.
    Malformed(Malformed),
    Done,
}

/// A prompt tree during and after rendering.
///
/// ```
/// use espalier::message::Role;
/// use espalier::prompt::{Ask, Call, Counter, Element, Inside, Literal, MessageShape, Op, Options, Prompt, Shape, Step};
/// # fn main() -> Result<(), espalier::error::Error> {
/// let shape = MessageShape { role: Some(Role::User), name: None, calls: vec![], call_id: None, in_layout: true };
/// let message = Element { shape: Shape::Message(shape), ..Element::default() };
/// let text = |text: &str, priority| Op::Text { text: text.into(), priority, new_line: true, literal: Literal::Whole };
/// let tree = vec![
///     Op::Open(Box::default()),
///     Op::Open(Box::new(message)),
///     text("less important", 1.0),
///     text("more important", 2.0),
///     Op::Close,
///     Op::Close,
/// ];
/// let options = Options { budget: 20.0, inside: Inside::Exact, bind_calls: true, backfill: false, traced: false, thorough: false, cut: true };
/// let mut prompt = Prompt::new(tree, Counter::Host, options)?;
/// while let Step::Ask(id, Ask::Count(questions)) = prompt.poll()? {
///     // A tokenizer with ten tokens for the content of any message.
///     let counts: Vec<f64> = questions.iter().map(|q| match q {
///         espalier::prompt::Question::Message(sent) => 3.0 + 10.0 * sent.content.len() as f64,
///         _ => 10.0,
///     }).collect();
///     prompt.resume_counts(id, &counts)?;
/// }
/// let outcome = prompt.outcome();
/// assert_eq!(outcome.tokens, 13.0);
/// assert_eq!(outcome.removals[0].node, 2);
/// # Ok(()) }
/// ```
pub struct Prompt {
    draft: Draft,
    counts: Counts,
    layout: Layout,
    options: Options,
    laid_out: bool,
    cut: Option<Cut>,
    growth: Option<Growth>,
    open: Option<(u32, Ask)>,
    next_id: u32,
}

/// An element that is being grown.
struct Growth {
    growable: Growable,
    /// Its previous first child.
    before: NodeId,
    layout: Layout,
}

impl Prompt {
    /// Starts with the root element; `ops` may contain the known part of its content.
    ///
    /// # Errors
    /// [`Code::BadInput`] if the list is not one element.
    pub fn new(ops: Vec<Op>, counter: Counter, options: Options) -> Result<Prompt> {
        let mut draft = Draft::default();
        draft.add(super::draft::NONE, ops)?;
        if draft.element(0).is_none() {
            return Err(Error::new(Code::BadInput, "a prompt begins with an element"));
        }
        let mut layout = Layout::new(options.traced, options.thorough);
        layout.start(&draft, 0, options.budget);
        Ok(Prompt {
            draft,
            counts: Counts::new(counter),
            layout,
            options,
            laid_out: false,
            cut: None,
            growth: None,
            open: None,
            next_id: 0,
        })
    }

    /// Returns what is needed next.
    ///
    /// # Errors
    /// [`Code::BadInput`] for a list of pieces that does not close what it opens.
    pub fn poll(&mut self) -> Result<Step> {
        if let Some((id, ask)) = &self.open {
            return Ok(Step::Ask(*id, ask.clone()));
        }
        let ask = match self.advance() {
            Ok(Some(ask)) => ask,
            Ok(None) => return Ok(Step::Done),
            Err(malformed) => return Ok(Step::Malformed(malformed)),
        };
        let id = self.next_id;
        self.next_id += 1;
        self.open = Some((id, ask.clone()));
        Ok(Step::Ask(id, ask))
    }

    fn advance(&mut self) -> std::result::Result<Option<Ask>, Malformed> {
        if !self.laid_out {
            match self.layout.advance(&self.draft, &mut self.counts) {
                layout::Next::Render(elements) => return Ok(Some(Ask::Render(elements))),
                layout::Next::Count(questions) => return Ok(Some(Ask::Count(questions))),
                layout::Next::Done { .. } => self.laid_out = true,
            }
        }
        if !self.options.cut {
            return Ok(None);
        }
        if let Some(growth) = &mut self.growth {
            match growth.layout.advance(&self.draft, &mut self.counts) {
                layout::Next::Render(elements) => return Ok(Some(Ask::Render(elements))),
                layout::Next::Count(questions) => return Ok(Some(Ask::Count(questions))),
                layout::Next::Done { consumed } => {
                    let (growable, before) = (growth.growable, growth.before);
                    self.growth = None;
                    if let Some(cut) = &mut self.cut {
                        cut.grew(growable, before, consumed);
                    }
                }
            }
        }
        let cut = match &mut self.cut {
            Some(cut) => cut,
            none => none.insert(start(&self.draft, &self.layout, self.options)?),
        };
        match cut.advance(&mut self.draft, &mut self.counts, &self.layout.growables)? {
            cut::Next::Count(questions) => Ok(Some(Ask::Count(questions))),
            cut::Next::Grow(node, budget) => Ok(Some(Ask::Grow(node, budget))),
            cut::Next::Done => Ok(None),
        }
    }

    /// Answers [`Ask::Render`] or [`Ask::Grow`] with what each element yields, in the order of the request; a `Close`
    /// follows every list except the last.
    ///
    /// `counts` may be empty. Otherwise it answers in advance what layout would ask about every node that it has not
    /// asked about, in the order of nodes: messages that layout counts ([`Question::Base`]) and literals, except those
    /// of spliced trees.
    ///
    /// # Errors
    /// [`Code::UnknownEffect`] if no request of that kind is open under this number; [`Code::BadInput`] for a list of
    /// pieces that does not close what it opens, or counts that do not match.
    pub fn resume_rendered(&mut self, id: u32, yielded: Vec<Op>, counts: &[f64]) -> Result<()> {
        match self.take(id)? {
            Ask::Render(elements) => self.draft.add_each(elements.iter().map(|(node, _)| *node), yielded)?,
            Ask::Grow(node, budget) => {
                let from = self.draft.len();
                let before = self.draft.detach(node);
                let growable = self.layout.growables.iter().find(|growable| growable.node == node);
                let growable = growable.copied().unwrap_or(Growable { node, consumed: 0.0 });
                self.growth = Some(Growth { growable, before, layout: Layout::again(node, budget, from) });
                self.draft.add(node, yielded)?;
            }
            Ask::Count(_) => {
                return Err(Error::new(Code::UnknownEffect, format!("effect {id} does not ask to render")));
            }
        }
        if counts.is_empty() {
            return Ok(());
        }
        let layout = self.growth.as_mut().map_or(&mut self.layout, |growth| &mut growth.layout);
        let questions = layout.unasked(&self.draft, &mut self.counts);
        self.counts.answer(&questions, counts)
    }

    /// Answers [`Ask::Count`] with one number for each question.
    ///
    /// # Errors
    /// As [`Prompt::resume_rendered`]; [`Code::BadInput`] for answers that do not match the questions.
    pub fn resume_counts(&mut self, id: u32, answers: &[f64]) -> Result<()> {
        let Ask::Count(questions) = self.take(id)? else {
            return Err(Error::new(Code::UnknownEffect, format!("effect {id} does not ask for counts")));
        };
        self.counts.answer(&questions, answers)?;
        if let Some(cut) = &mut self.cut {
            cut.answer(&questions, answers);
        }
        Ok(())
    }

    fn take(&mut self, id: u32) -> Result<Ask> {
        match self.open.take_if(|(open, _)| *open == id) {
            Some((_, ask)) => Ok(ask),
            None => Err(Error::new(Code::UnknownEffect, format!("effect {id} is not open"))),
        }
    }

    /// Cuts the same tree to another budget; poll again. No element is rendered again, except that expandable ones are
    /// asked for content for the room that they get.
    pub fn recut(&mut self, budget: f64) {
        if let Some(cut) = self.cut.take() {
            cut.ungrow(&mut self.draft);
        }
        self.growth = None;
        self.open = None;
        self.options.budget = budget;
        self.options.cut = true;
    }

    /// Returns the result. It is empty before rendering is done.
    pub fn outcome(&mut self) -> Outcome {
        match &mut self.cut {
            Some(cut) => cut.outcome(&self.draft, &mut self.counts),
            None => Outcome::default(),
        }
    }

    /// Returns the messages before any removal or growth.
    pub fn original(&mut self) -> Outcome {
        if let Some(cut) = &self.cut {
            // The finished cut reads nodes, not the links between them.
            cut.ungrow(&mut self.draft);
        }
        let uncut = Options { budget: f64::INFINITY, backfill: false, ..self.options };
        match start(&self.draft, &Layout::default(), uncut) {
            Ok(cut) => Outcome { messages: cut.messages(&self.draft), ..Outcome::default() },
            Err(_) => Outcome::default(),
        }
    }

    /// Reports on every node, in the order of the tree.
    pub fn nodes(&mut self) -> Vec<NodeReport> {
        match &mut self.cut {
            Some(cut) => cut.nodes(&self.draft, &mut self.counts),
            None => Vec::new(),
        }
    }

    /// Returns for each of these nodes its place in the tree; `-1 - place` if it is removed, and NaN if it was never in
    /// the tree.
    pub fn places(&self, nodes: &[NodeId]) -> Vec<f64> {
        let place = |node: &NodeId| {
            let cut = self.cut.as_ref()?;
            let place = cut.tree.place(*node)?;
            Some(if cut.living.has(place) { f64::from(place) } else { -1.0 - f64::from(place) })
        };
        nodes.iter().map(|node| place(node).unwrap_or(f64::NAN)).collect()
    }

    /// Returns for each [`Ask::Grow`] of this cut, in order: true if its content is in the tree, false if it did not
    /// fit and the previous content is.
    pub fn growth_kept(&self) -> &[bool] {
        self.cut.as_ref().map_or(&[], |cut| &cut.growth_kept)
    }

    /// Returns the layout events since the last call, for a tracer.
    pub fn take_events(&mut self) -> Vec<Event> {
        self.layout.events.as_mut().map(std::mem::take).unwrap_or_default()
    }

    /// Returns the first node whose counts layout has not requested: the counts for [`Prompt::resume_rendered`] begin
    /// here.
    pub fn uncounted(&self) -> usize {
        self.growth.as_ref().map_or(&self.layout, |growth| &growth.layout).asked
    }

    /// Returns the number of nodes, which is the number of the next one.
    pub fn len(&self) -> usize {
        self.draft.len()
    }

    /// Always false, because there is a root.
    pub fn is_empty(&self) -> bool {
        self.draft.len() == 0
    }

    /// Returns the elements that can grow, in the order in which they were rendered.
    pub fn growables(&self) -> &[Growable] {
        &self.layout.growables
    }
}

fn start(draft: &Draft, layout: &Layout, options: Options) -> std::result::Result<Cut, Malformed> {
    let mut limits = vec![(0, options.budget)];
    limits.extend(layout.limits.iter().copied());
    Cut::new(draft, limits, options)
}

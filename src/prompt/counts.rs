//! The costs of single nodes, counted here or by the host's tokenizer.

use std::rc::Rc;

use super::NodeId;
use super::draft::{Draft, What};
use super::layout::{has_base, texts};
use super::piece::{Leaf, LeafKind, Literal, MessageShape, Mode, Shape};
use crate::error::{Code, Error, Result};
use crate::message::{Message, Part, Role};
use crate::tokens::{CostModel, Counted, Encoding, Tokenizer};

/// The tokenizer that counts.
pub enum Counter {
    Builtin(Builtin),
    /// The host counts and answers [`Question`]s.
    Host,
}

/// Counts with one of our own encodings.
pub struct Builtin {
    pub encoding: Rc<Encoding>,
    /// The same encoding, with the model's prices of pictures.
    pub tokenizer: Rc<dyn Tokenizer>,
    pub model: CostModel,
    pub mode: Mode,
}

/// A count that the host's tokenizer must supply.
#[derive(Debug, Clone, PartialEq)]
pub enum Question {
    /// Tokens of a text node.
    Text(NodeId),
    /// Tokens of one of the literals of a text node.
    Literal(NodeId, u32),
    /// Tokens of content other than text.
    Part(NodeId),
    /// Tokens of a message of this kind without content.
    Base(NodeId),
    /// Tokens of a message with the content that it has now.
    Message(Sent),
}

/// A message in the state in which it is sent.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Sent {
    pub node: NodeId,
    /// Indices of removed calls.
    pub dropped_calls: Vec<u32>,
    /// Content in order, and whether a line break precedes it.
    pub content: Vec<(NodeId, bool)>,
}

/// Known counts. Unknown ones are NaN.
pub struct Counts {
    pub counter: Counter,
    /// By node: whole text nodes, and content other than text.
    leaves: Vec<f64>,
    measured: Vec<Option<Counted>>,
    bases: Vec<f64>,
    /// For texts with several literals: their sum.
    literals: Vec<f64>,
}

impl Counts {
    pub fn new(counter: Counter) -> Counts {
        Counts { counter, leaves: Vec::new(), measured: Vec::new(), bases: Vec::new(), literals: Vec::new() }
    }

    pub fn builtin(&self) -> Option<&Builtin> {
        match &self.counter {
            Counter::Builtin(builtin) => Some(builtin),
            Counter::Host => None,
        }
    }

    /// Returns a text node's count with the data for joining it to others.
    pub fn measured(&mut self, draft: &Draft, node: NodeId) -> Option<Counted> {
        let Counter::Builtin(builtin) = &self.counter else { return None };
        let slot = slot(&mut self.measured, node, None);
        Some(*slot.get_or_insert_with(|| builtin.encoding.measure(draft.text(node))))
    }

    /// Returns the tokens of one leaf, if they are known.
    pub fn leaf(&mut self, draft: &Draft, node: NodeId) -> Option<f64> {
        let known = *slot(&mut self.leaves, node, f64::NAN);
        if !known.is_nan() {
            return Some(known);
        }
        let count = match draft.leaf(node) {
            Some(leaf) => match (leaf.kind, &self.counter) {
                (LeafKind::Breakpoint, _) => 0.0,
                (LeafKind::Opaque, Counter::Host) => leaf.tokens,
                (_, Counter::Host) => return None,
                (_, Counter::Builtin(builtin)) => builtin.part(Some(Role::User), leaf),
            },
            None => self.measured(draft, node)?.total as f64,
        };
        *slot(&mut self.leaves, node, f64::NAN) = count;
        Some(count)
    }

    /// Returns the question whose answer [`Counts::leaf`] lacks.
    pub fn leaf_question(draft: &Draft, node: NodeId) -> Question {
        if draft.leaf(node).is_some() { Question::Part(node) } else { Question::Text(node) }
    }

    /// Returns what layout charges an element for its own words: an empty message of its kind, its literals, and
    /// content that states its tokens.
    pub fn literals(&mut self, draft: &Draft, node: NodeId) -> Option<f64> {
        let mut sum = 0.0;
        if let Some(element) = draft.element(node)
            && has_base(element)
            && let Shape::Message(shape) = &element.shape
        {
            sum += self.base(node, shape, &[])?;
        }
        for text in texts(draft, node) {
            sum += self.literal(draft, text)?;
        }
        if let Counter::Builtin(builtin) = &self.counter {
            let leaves = draft.children(node).filter_map(|child| draft.leaf(child));
            sum += leaves.filter(|leaf| leaf.is_stated()).map(|leaf| builtin.part(None, leaf)).sum::<f64>();
        }
        Some(sum)
    }

    fn literal(&mut self, draft: &Draft, node: NodeId) -> Option<f64> {
        let What::Text(text) = &draft.node(node).what else { return Some(0.0) };
        match (&text.literal, &self.counter) {
            (Literal::None, _) => Some(0.0),
            (Literal::Whole, _) => self.leaf(draft, node),
            (Literal::Spans(_), Counter::Host) => {
                let known = *slot(&mut self.literals, node, f64::NAN);
                (!known.is_nan()).then_some(known)
            }
            (Literal::Spans(spans), Counter::Builtin(builtin)) => {
                let (text, mut at, mut sum) = (draft.text(node), 0, 0);
                for &(len, counts) in spans {
                    let end = text.floor_char_boundary(at + len as usize);
                    if counts {
                        sum += builtin.encoding.count(&text[at..end]);
                    }
                    at = end;
                }
                Some(sum as f64)
            }
        }
    }

    /// Returns all questions whose answers [`Counts::literals`] lacks for the nodes from `from` on.
    pub fn literal_questions(&mut self, draft: &Draft, from: usize) -> Vec<Question> {
        let mut questions = Vec::new();
        for id in from..draft.len() {
            let id = id as NodeId;
            match &draft.node(id).what {
                What::Element(element) if has_base(element) && !element.spliced => questions.push(Question::Base(id)),
                What::Text(text) if draft.element(draft.node(id).parent).is_some_and(|parent| !parent.spliced) => {
                    match &text.literal {
                        Literal::None => {}
                        Literal::Whole => questions.push(Question::Text(id)),
                        Literal::Spans(spans) => {
                            *slot(&mut self.literals, id, f64::NAN) = 0.0;
                            let counted = spans.iter().enumerate().filter(|(_, (_, counts))| *counts);
                            questions.extend(counted.map(|(nth, _)| Question::Literal(id, nth as u32)));
                        }
                    }
                }
                _ => {}
            }
        }
        questions
    }

    /// Returns the tokens of a message without content and without the dropped calls; `None` if the host must count it.
    pub fn base(&mut self, node: NodeId, shape: &MessageShape, dropped: &[u32]) -> Option<f64> {
        let known = *slot(&mut self.bases, node, f64::NAN);
        if !known.is_nan() && dropped.is_empty() {
            return Some(known);
        }
        let Counter::Builtin(builtin) = &self.counter else { return None };
        let count = builtin.base(shape, dropped) as f64;
        if dropped.is_empty() {
            *slot(&mut self.bases, node, f64::NAN) = count;
        }
        Some(count)
    }

    /// Stores the host's answers; the caller stores counts of messages.
    ///
    /// # Errors
    /// [`Code::BadInput`] if the number of answers differs from the number of questions, or if an answer is not a
    /// count.
    pub fn answer(&mut self, questions: &[Question], answers: &[f64]) -> Result<()> {
        if questions.len() != answers.len() {
            let message = format!("{} counts were expected, and {} were returned", questions.len(), answers.len());
            return Err(Error::new(Code::BadInput, message));
        }
        if let Some(bad) = answers.iter().find(|count| !(count.is_finite() && **count >= 0.0)) {
            let message = format!("the tokenizer returned {bad}, which is not a number of tokens");
            return Err(Error::new(Code::BadInput, message).at("tokenizer"));
        }
        for (question, &count) in questions.iter().zip(answers) {
            match question {
                Question::Text(node) | Question::Part(node) => *slot(&mut self.leaves, *node, f64::NAN) = count,
                Question::Literal(node, _) => *slot(&mut self.literals, *node, 0.0) += count,
                Question::Base(node) => *slot(&mut self.bases, *node, f64::NAN) = count,
                Question::Message(_) => {}
            }
        }
        Ok(())
    }
}

impl Builtin {
    /// Returns the tokens that content other than text adds to a message of this role.
    pub fn part(&self, role: Option<Role>, leaf: &Leaf) -> f64 {
        if !leaf.is_stated() && !self.mode.carries(role, leaf) {
            return 0.0;
        }
        match &leaf.part {
            Some(part) => self.model.content(role.unwrap_or(Role::User), part, &*self.tokenizer).tokens as f64,
            None => leaf.tokens,
        }
    }

    fn base(&self, shape: &MessageShape, dropped: &[u32]) -> u64 {
        let role = shape.role.unwrap_or(Role::User);
        let mut parts = Vec::new();
        if role == Role::Tool {
            let call_id = shape.call_id.clone().unwrap_or_default();
            parts.push(Part::ToolResult { call_id, name: None, content: Vec::new(), is_error: false });
        }
        for (at, call) in shape.calls.iter().enumerate() {
            if !dropped.contains(&(at as u32)) {
                let (call_id, name, arguments) = (call.call_id.clone(), call.name.clone(), call.arguments.clone());
                parts.push(Part::ToolCall { call_id, name, arguments });
            }
        }
        let name = if role == Role::Tool { None } else { shape.name.clone() };
        self.model.message(&Message { id: String::new(), role, name, parts }, &*self.tokenizer).tokens
    }

    /// True if a message's texts are counted as one, whatever separates them.
    pub fn joins(&self, role: Option<Role>, has_other_content: bool) -> bool {
        !has_other_content || !self.model.counts_mixed(role.unwrap_or(Role::User))
    }
}

fn slot<T: Clone>(list: &mut Vec<T>, node: NodeId, empty: T) -> &mut T {
    let at = node as usize;
    if at >= list.len() {
        list.resize((at + 1).next_power_of_two().max(1024), empty);
    }
    &mut list[at]
}

//! Prompt trees, counted with the built-in encodings; `tests/js/prompt` compares them with the reference, counted by
//! hosts.

mod exact;
mod hostile;
mod large;
mod random;

use espalier::message::{Message, Part, Role};
use espalier::prompt::{
    Ask, Builtin, Counter, Element, Inside, Leaf, LeafKind, Literal, MessageShape, Mode, Op, Options, Outcome, Prompt,
    Sent, Shape, Step,
};
use espalier::tokens::{CostModel, EncodingName, Tokenizer};
use std::rc::Rc;

use crate::encodings;

/// A list of ops with the nodes that they create, so that results can be read back.
#[derive(Default)]
pub struct Tree {
    pub ops: Vec<Op>,
    nodes: Vec<Node>,
}

#[derive(Clone)]
enum Node {
    Element(Element),
    Text(String),
    Leaf(Leaf),
}

impl Tree {
    pub fn open(&mut self, element: Element) -> &mut Tree {
        self.nodes.push(Node::Element(element.clone()));
        self.ops.push(Op::Open(Box::new(element)));
        self
    }

    pub fn close(&mut self) -> &mut Tree {
        self.ops.push(Op::Close);
        self
    }

    pub fn message(&mut self, role: Role, priority: Option<f64>) -> &mut Tree {
        self.open(Element { shape: Shape::Message(shape(role)), priority, ..Element::default() })
    }

    pub fn text(&mut self, text: &str, priority: f64, new_line: bool) -> &mut Tree {
        self.nodes.push(Node::Text(text.into()));
        self.ops.push(Op::Text { text: text.into(), priority, new_line, literal: Literal::Whole });
        self
    }

    pub fn leaf(&mut self, leaf: Leaf) -> &mut Tree {
        self.nodes.push(Node::Leaf(leaf.clone()));
        self.ops.push(Op::Leaf(Box::new(leaf)));
        self
    }

    pub fn opaque(&mut self, json: &str, tokens: Option<u64>, priority: f64) -> &mut Tree {
        let part = Some(Part::Opaque { json: json.into(), tokens, sealed: None, call_id: None });
        self.leaf(Leaf { kind: LeafKind::Opaque, priority, part, tokens: tokens.unwrap_or(0) as f64 })
    }

    pub fn breakpoint(&mut self) -> &mut Tree {
        self.leaf(Leaf { kind: LeafKind::Breakpoint, priority: f64::MAX, part: None, tokens: 0.0 })
    }

    /// Returns the tokens of messages, assembled and counted again.
    pub fn fresh(&self, messages: &[Sent], model: CostModel, tokenizer: &dyn Tokenizer) -> f64 {
        messages.iter().map(|sent| model.message(&self.read(sent), tokenizer).tokens as f64).sum()
    }

    fn read(&self, sent: &Sent) -> Message {
        let Node::Element(Element { shape: Shape::Message(shape), .. }) = &self.nodes[sent.node as usize] else {
            panic!("{} is no message", sent.node)
        };
        let mut content: Vec<Part> = Vec::new();
        for &(node, breaks) in &sent.content {
            match &self.nodes[node as usize] {
                Node::Text(text) => {
                    let line = if breaks { "\n" } else { "" };
                    match content.last_mut() {
                        Some(Part::Text { text: before }) => before.push_str(&format!("{line}{text}")),
                        _ => content.push(Part::Text { text: format!("{line}{text}") }),
                    }
                }
                Node::Leaf(leaf) => content.push(leaf.part.clone().unwrap_or(Part::CacheMark)),
                Node::Element(_) => panic!("an element among the content"),
            }
        }
        let role = shape.role.expect("a role");
        let calls = shape.calls.iter().enumerate().filter(|(at, _)| !sent.dropped_calls.contains(&(*at as u32)));
        let calls = calls.map(|(_, call)| Part::ToolCall {
            call_id: call.call_id.clone(),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        });
        let parts = match role {
            Role::Tool => {
                let call_id = shape.call_id.clone().unwrap_or_default();
                vec![Part::ToolResult { call_id, name: None, content, is_error: false }]
            }
            _ => content.into_iter().chain(calls).collect(),
        };
        Message { id: String::new(), role, name: shape.name.clone().filter(|_| role != Role::Tool), parts }
    }
}

pub fn shape(role: Role) -> MessageShape {
    MessageShape { role: Some(role), name: None, calls: vec![], call_id: None, in_layout: role != Role::Tool }
}

pub fn options(budget: f64) -> Options {
    Options {
        budget,
        inside: Inside::Exact,
        bind_calls: false,
        backfill: false,
        traced: false,
        thorough: false,
        cut: true,
    }
}

pub fn builtin(name: EncodingName, model: CostModel) -> Counter {
    let encoding = encodings::shared(name);
    Counter::Builtin(Builtin { tokenizer: encoding.clone(), encoding, model, mode: Mode::Raw })
}

/// Renders completely.
pub fn finish(prompt: &mut Prompt) -> Outcome {
    match prompt.poll().unwrap() {
        Step::Done => prompt.outcome(),
        other => panic!("{other:?}"),
    }
}

/// Renders with a host that counts a quarter of the bytes, plus 3 for a message.
pub fn finish_counted(tree: &Tree, prompt: &mut Prompt) -> Outcome {
    loop {
        match prompt.poll().unwrap() {
            Step::Ask(id, Ask::Count(questions)) => {
                let counts: Vec<f64> = questions.iter().map(|question| tree.quarter(question)).collect();
                prompt.resume_counts(id, &counts).unwrap();
            }
            Step::Done => return prompt.outcome(),
            other => panic!("{other:?}"),
        }
    }
}

impl Tree {
    fn quarter(&self, question: &espalier::prompt::Question) -> f64 {
        use espalier::prompt::Question;
        let tokens = |text: &str| text.len().div_ceil(4) as f64;
        match question {
            Question::Text(node) => match &self.nodes[*node as usize] {
                Node::Text(text) => tokens(text),
                _ => 0.0,
            },
            Question::Message(sent) => {
                let message = self.read(sent);
                let texts = message.parts.iter().filter_map(|part| match part {
                    Part::Text { text } => Some(text.as_str()),
                    _ => None,
                });
                3.0 + tokens(&texts.collect::<String>())
            }
            Question::Base(_) => 3.0,
            Question::Literal(..) | Question::Part(_) => 0.0,
        }
    }
}

pub fn encoding(name: EncodingName) -> Rc<espalier::tokens::Encoding> {
    encodings::shared(name)
}

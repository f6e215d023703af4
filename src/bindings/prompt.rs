//! Prompt trees: an operation that is polled and answered. Every answer returns the next request, so that a group of
//! elements takes one crossing, with everything that its elements yield.
//!
//! Trees cross as two flat values, numbers and text, because a prompt may have a hundred thousand nodes. The numbers,
//! one record per [`Op`] (lengths are in UTF-16 units of the text, which contains everything in order; NaN means
//! "unset"):
//!
//! ```text
//! 0                                                                        close
//! 1 flags priority basis grow reserveKind reserve limit keepWith shape …    open; shape 0: container
//!     shape 1: message: role inLayout calls keepWith* length-of-JSON {name?, calls?, callId?}
//!     shape 2: leaf: kind tokens length-of-JSON (a part)
//! 2 length priority newLine spans (length counts)*                          text; spans 0: all of it, -1: none of it is a literal
//! 4 length priority newLine spans (length counts)* endsLine blank           text that the host counts, and that does not cross
//! 3 kind priority tokens length-of-JSON                                     content other than text
//! ```
//!
//! Steps are numbers as well:
//!
//! ```text
//! 0 tokens removed failed (node calls dropped* contents (node*2 + breaks)*)*    done, with the messages; failed: see `failure`
//! 1 id uncounted (node budget)*                                                 render these; layout has not requested counts
//! 2 id uncounted node budget                                                    of nodes from `uncounted` on; grow this
//! 3 id (0 node | 1 node literal | 2 node | 3 node | 4 message)*                 count these: text, literal, part, empty message,
//!                                                                               message (as in 0)
//! 4 node                                                                        content outside a message
//! 5 node                                                                        alternatives that are not two
//! ```

use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::decode::{from_json, into_js, options_from_js};
use super::error::JsResult;
use super::options::Counting;
use crate::error::{Code, Error, Result};
use crate::message::{Part, Role};
use crate::prompt::{
    Ask, Builtin, Call, Counter, Element, Inside, Leaf, LeafKind, Literal, Malformed, MessageShape, Mode, Op, Options,
    Question, Reserve, Sent, Shape, Step, Wording,
};

/// Options of counting messages in the engine.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CountingOptions {
    counting: Counting,
    #[serde(default)]
    mode: Mode,
    /// True if the budget is for the messages alone, not for a whole request.
    #[serde(default)]
    messages_only: bool,
}

/// Bits of the constructor's `flags`.
mod flag {
    pub const EXACT_LIMITS: u32 = 1;
    pub const BIND_CALLS: u32 = 2;
    pub const BACKFILL: u32 = 4;
    pub const TRACED: u32 = 8;
    pub const LAYOUT_ONLY: u32 = 16;
    /// Counts everything for layout, even if no budget depends on it.
    pub const THOROUGH: u32 = 32;
}

/// A prompt during and after rendering. `poll` returns what is needed next, as does every answer.
#[wasm_bindgen]
pub struct Prompt {
    inner: crate::prompt::Prompt,
    /// Tokens of the request besides its messages.
    overhead: f64,
}

#[wasm_bindgen]
impl Prompt {
    /// Creates a prompt. `counting` is undefined if the host counts.
    #[wasm_bindgen(constructor)]
    pub fn new(numbers: &[f64], text: &[u8], budget: f64, flags: u32, counting: JsValue) -> JsResult<Prompt> {
        let (counter, overhead) = match counting.is_undefined() {
            true => (Counter::Host, 0.0),
            false => {
                let options: CountingOptions = options_from_js(&counting)?;
                builtin(&options.counting, options.mode, options.messages_only)?
            }
        };
        let ops = read(numbers, text)?;
        let has = |bit: u32| flags & bit != 0;
        let options = Options {
            budget: budget - overhead,
            inside: if has(flag::EXACT_LIMITS) { Inside::Exact } else { Inside::Bounds },
            bind_calls: has(flag::BIND_CALLS),
            backfill: has(flag::BACKFILL),
            traced: has(flag::TRACED),
            thorough: has(flag::THOROUGH),
            cut: !has(flag::LAYOUT_ONLY),
        };
        let inner = crate::prompt::Prompt::new(ops, counter, options)?;
        Ok(Prompt { inner, overhead })
    }

    /// Returns the next step, as numbers.
    pub fn poll(&mut self) -> JsResult<Vec<f64>> {
        let step = self.inner.poll()?;
        Ok(match step {
            Step::Done => self.done(),
            Step::Malformed(Malformed::Stray(node)) => vec![4.0, f64::from(node)],
            Step::Malformed(Malformed::Alternative(node)) => vec![5.0, f64::from(node)],
            Step::Ask(id, Ask::Render(elements)) => {
                let mut list = vec![1.0, f64::from(id), self.inner.uncounted() as f64];
                list.extend(elements.iter().flat_map(|&(node, budget)| [f64::from(node), budget]));
                list
            }
            Step::Ask(id, Ask::Grow(node, budget)) => {
                vec![2.0, f64::from(id), self.inner.len() as f64, f64::from(node), budget]
            }
            Step::Ask(id, Ask::Count(questions)) => {
                let mut list = vec![3.0, f64::from(id)];
                questions.iter().for_each(|question| put_question(question, &mut list));
                list
            }
        })
    }

    /// Answers effect `id` with what its elements yield, in order and separated by closes, and with the counts that
    /// layout would request, or none of them. Returns the next step.
    #[wasm_bindgen(js_name = answerRendered)]
    pub fn answer_rendered(&mut self, id: u32, numbers: &[f64], text: &[u8], counts: &[f64]) -> JsResult<Vec<f64>> {
        let yielded = read(numbers, text)?;
        self.inner.resume_rendered(id, yielded, counts)?;
        self.poll()
    }

    /// Answers effect `id` with one count for each question. Returns the next step.
    #[wasm_bindgen(js_name = answerCounts)]
    pub fn answer_counts(&mut self, id: u32, counts: &[f64]) -> JsResult<Vec<f64>> {
        self.inner.resume_counts(id, counts)?;
        self.poll()
    }

    /// Cuts the same tree to another budget. Poll again.
    pub fn recut(&mut self, budget: f64) {
        self.inner.recut(budget - self.overhead);
    }

    /// Returns `{ limit, allowed, needed, largest }` of a finished prompt, if a limit cannot be met.
    pub fn failure(&mut self) -> JsResult {
        let failure = self.inner.outcome().failure.map(|mut failure| {
            let around = if failure.limit == 0 { self.overhead } else { 0.0 };
            failure.allowed += around;
            failure.needed += around;
            failure
        });
        into_js(&failure)
    }

    /// Returns the messages before any removal, as in the last step.
    pub fn original(&mut self) -> Vec<f64> {
        let mut list = Vec::new();
        self.inner.original().messages.iter().for_each(|sent| put_sent(sent, &mut list));
        list
    }

    /// Returns the removals, in order.
    pub fn removals(&mut self) -> JsResult {
        into_js(&self.inner.outcome().removals)
    }

    /// Reports on every node, in the order of the tree.
    pub fn nodes(&mut self) -> JsResult {
        into_js(&self.inner.nodes())
    }

    /// Returns for each of these nodes its place in the tree: `-1 - place` if it is removed, and NaN if it was never in
    /// the tree.
    pub fn places(&self, nodes: &[u32]) -> Vec<f64> {
        self.inner.places(nodes)
    }

    /// Returns for each request to grow, in order: 1 if its content is in the tree, 0 if it did not fit and the
    /// previous content is.
    #[wasm_bindgen(js_name = growthKept)]
    pub fn growth_kept(&self) -> Vec<u8> {
        self.inner.growth_kept().iter().map(|kept| u8::from(*kept)).collect()
    }

    /// Returns the layout events since the last call, for a tracer: distributed budgets, and numbers of spliced
    /// elements.
    pub fn events(&mut self) -> JsResult {
        into_js(&self.inner.take_events())
    }
}

impl Prompt {
    fn done(&mut self) -> Vec<f64> {
        let outcome = self.inner.outcome();
        let failed = f64::from(u8::from(outcome.failure.is_some()));
        let mut list = vec![0.0, outcome.tokens + self.overhead, f64::from(outcome.removed), failed];
        outcome.messages.iter().for_each(|sent| put_sent(sent, &mut list));
        list
    }
}

/// Returns the engine's counter, and the tokens of a request besides its messages.
pub(super) fn builtin(counting: &Counting, mode: Mode, messages_only: bool) -> Result<(Counter, f64)> {
    let counter = counting.counter()?;
    let overhead = if messages_only { 0 } else { counter.cost_model.list_overhead() + counter.tools.total };
    let (encoding, tokenizer, model) = (counting.built_in()?, counter.tokenizer, counter.cost_model);
    Ok((Counter::Builtin(Builtin { encoding, tokenizer, model, mode }), overhead as f64))
}

/// Returns the role with this number in vscode-prompt-tsx.
pub(super) fn role(number: f64) -> Option<Role> {
    let number = usize::try_from(number as i64).ok()?;
    [Role::System, Role::User, Role::Assistant, Role::Tool].get(number).copied()
}

fn put_question(question: &Question, list: &mut Vec<f64>) {
    match question {
        Question::Text(node) => list.extend([0.0, f64::from(*node)]),
        Question::Literal(node, nth) => list.extend([1.0, f64::from(*node), f64::from(*nth)]),
        Question::Part(node) => list.extend([2.0, f64::from(*node)]),
        Question::Base(node) => list.extend([3.0, f64::from(*node)]),
        Question::Message(sent) => {
            list.push(4.0);
            put_sent(sent, list);
        }
    }
}

fn put_sent(sent: &Sent, list: &mut Vec<f64>) {
    list.extend([f64::from(sent.node), sent.dropped_calls.len() as f64]);
    list.extend(sent.dropped_calls.iter().map(|call| f64::from(*call)));
    list.push(sent.content.len() as f64);
    list.extend(sent.content.iter().map(|(node, breaks)| f64::from(*node) * 2.0 + f64::from(u8::from(*breaks))));
}

fn read(numbers: &[f64], text: &[u8]) -> Result<Vec<Op>> {
    let text = std::str::from_utf8(text).map_err(|_| malformed())?;
    let mut input = Input { numbers: numbers.iter(), text, ascii: text.is_ascii() };
    let mut list = Vec::new();
    while let Some(&code) = input.numbers.next() {
        list.push(match code as i64 {
            0 => Op::Close,
            1 => Op::Open(Box::new(input.element()?)),
            2 => input.text_op(true)?,
            4 => input.text_op(false)?,
            3 => {
                let (kind, priority) = (input.number()?, input.priority()?);
                Op::Leaf(Box::new(input.leaf(kind, priority.unwrap_or(crate::prompt::MAX_PRIORITY))?))
            }
            _ => return Err(malformed()),
        });
    }
    Ok(list)
}

struct Input<'a> {
    numbers: std::slice::Iter<'a, f64>,
    text: &'a str,
    ascii: bool,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", default)]
struct Fields {
    name: Option<String>,
    calls: Vec<Call>,
    call_id: Option<String>,
}

impl<'a> Input<'a> {
    fn number(&mut self) -> Result<f64> {
        self.numbers.next().copied().ok_or_else(malformed)
    }

    fn optional(&mut self) -> Result<Option<f64>> {
        Ok(Some(self.number()?).filter(|number| !number.is_nan()))
    }

    /// Reads a priority; negative zero becomes zero.
    fn priority(&mut self) -> Result<Option<f64>> {
        Ok(self.optional()?.map(|priority| priority + 0.0))
    }

    /// Returns the next `units` UTF-16 units of the text.
    fn take(&mut self, units: f64) -> Result<&'a str> {
        let units = units as usize;
        let bytes = if self.ascii {
            units
        } else {
            let (mut left, mut bytes) = (units, 0);
            for c in self.text.chars() {
                if left == 0 {
                    break;
                }
                left = left.saturating_sub(c.len_utf16());
                bytes += c.len_utf8();
            }
            bytes
        };
        let (taken, rest) = self.text.split_at_checked(bytes).ok_or_else(malformed)?;
        self.text = rest;
        Ok(taken)
    }

    fn json<T: serde::de::DeserializeOwned>(&mut self) -> Result<Option<T>> {
        let length = self.number()?;
        if length == 0.0 {
            return Ok(None);
        }
        let text = self.take(length)?;
        from_json(text, "prompt", Code::BadInput).map(Some)
    }

    fn text_op(&mut self, here: bool) -> Result<Op> {
        let (length, priority) = (self.number()?, self.priority()?.unwrap_or(crate::prompt::MAX_PRIORITY));
        let (new_line, spans) = (self.number()? != 0.0, self.number()?);
        let text = if here { self.take(length)? } else { "" };
        let literal = match spans as i64 {
            0 => Literal::Whole,
            -1 => Literal::None,
            spans => {
                let mut list = Vec::new();
                let mut rest = Input { numbers: [].iter(), text, ascii: self.ascii };
                for _ in 0..spans {
                    let length = self.number()?;
                    let bytes = if here { rest.take(length)?.len() } else { length as usize };
                    list.push((bytes as u32, self.number()? != 0.0));
                }
                Literal::Spans(list)
            }
        };
        let text = if here {
            text.into()
        } else {
            let (ends_line, blank) = (self.number()? != 0.0, self.number()? != 0.0);
            Wording::Elsewhere { length: length as u32, ends_line, blank }
        };
        Ok(Op::Text { text, priority, new_line, literal })
    }

    fn leaf(&mut self, kind: f64, priority: f64) -> Result<Leaf> {
        let kind = match kind as i64 {
            0 => LeafKind::Image,
            1 => LeafKind::Document,
            2 => LeafKind::Opaque,
            3 => LeafKind::Breakpoint,
            _ => return Err(malformed()),
        };
        let tokens = self.optional()?.unwrap_or(0.0);
        Ok(Leaf { kind, priority, tokens, part: self.json::<Part>()? })
    }

    fn element(&mut self) -> Result<Element> {
        let flags = self.number()? as u32;
        let priority = self.priority()?;
        let (basis, grow) = (self.number()?, self.optional()?.map_or(f64::INFINITY, |grow| grow + 0.0));
        let (reserve_kind, reserve) = (self.number()?, self.number()?);
        let (limit, keep_with) = (self.optional()?, self.optional()?);
        let shape = match self.number()? as i64 {
            0 => Shape::Container,
            1 => Shape::Message(self.message()?),
            2 => {
                let kind = self.number()?;
                Shape::Leaf(self.leaf(kind, priority.unwrap_or(crate::prompt::MAX_PRIORITY))?)
            }
            _ => return Err(malformed()),
        };
        let flag = |bit: u32| flags & bit != 0;
        Ok(Element {
            shape,
            priority,
            pass_priority: flag(1),
            chunk: flag(2),
            legacy: flag(4),
            alternate: flag(8),
            dynamic: flag(16),
            expandable: flag(32),
            spliced: flag(64),
            basis,
            grow,
            reserve: match reserve_kind as i64 {
                1 => Some(Reserve::Tokens(reserve)),
                2 => Some(Reserve::Share(reserve)),
                _ => None,
            },
            limit,
            keep_with: keep_with.map(|id| id as u32),
        })
    }

    fn message(&mut self) -> Result<MessageShape> {
        let role = role(self.number()?);
        let in_layout = self.number()? != 0.0;
        let kept_with = (0..self.number()? as usize).map(|_| self.optional()).collect::<Result<Vec<_>>>()?;
        let Fields { name, calls, call_id } = self.json()?.unwrap_or_default();
        let mut fields = calls.into_iter();
        let call = |keep_with: Option<f64>| Call {
            keep_with: keep_with.map(|id| id as u32),
            ..fields.next().unwrap_or_default()
        };
        Ok(MessageShape { role, name, calls: kept_with.into_iter().map(call).collect(), call_id, in_layout })
    }
}

fn malformed() -> Error {
    Error::new(Code::BadInput, "the encoded pieces are malformed")
}

//! Prompt trees: an operation that is polled and answered.
//!
//! Trees cross as two flat values, numbers and text, since a prompt may have a hundred thousand nodes. The numbers, one record
//! per [`Op`] (lengths are in UTF-16 units of the text, which holds everything in order; NaN is "unset"):
//!
//! ```text
//! 0                                                                        close
//! 1 flags priority basis grow reserveKind reserve limit keepWith shape …    open; shape 0: container
//!     shape 1: message: role inLayout length-of-JSON {name?, calls?, callId?}
//!     shape 2: leaf: kind tokens length-of-JSON (a part)
//! 2 length priority newLine spans (length counts)*                          text; spans 0: all of it, -1: none of it is a literal
//! 4 length priority newLine spans (length counts)* endsLine blank           text that the host counts, and that is not there
//! 3 kind priority tokens length-of-JSON                                     content other than text
//! ```

use js_sys::{Float64Array, Object, Reflect, Uint32Array};
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::decode::{from_js, from_json, into_js};
use super::error::to_js;
use super::options::Counting;
use crate::error::{Code, Error, Result};
use crate::message::{Part, Role};
use crate::prompt::{
    Ask, Builtin, Call, Counter, Element, Inside, Leaf, LeafKind, Literal, Malformed, MessageShape, Mode, Op, Options,
    Question, Reserve, Sent, Shape, Step, Wording,
};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PromptOptions {
    budget: f64,
    /// Absent: the host counts.
    #[serde(default)]
    counting: Option<Counting>,
    #[serde(default)]
    mode: String,
    #[serde(default)]
    exact_limits: bool,
    #[serde(default)]
    bind_calls: bool,
    #[serde(default)]
    backfill: bool,
    #[serde(default)]
    epochs: bool,
    #[serde(default)]
    layout_only: bool,
    /// Counts everything for layout, whether a budget depends on it or not.
    #[serde(default)]
    thorough: bool,
    /// The budget is for the messages alone, not for a whole request.
    #[serde(default)]
    messages_only: bool,
}

/// A prompt being rendered, or rendered. `poll` says what is needed next; the answers take it.
#[wasm_bindgen]
pub struct Prompt {
    inner: crate::prompt::Prompt,
    /// Tokens of the request besides its messages.
    overhead: f64,
}

#[wasm_bindgen]
impl Prompt {
    #[wasm_bindgen(constructor)]
    pub fn new(numbers: &[f64], text: &[u8], options: JsValue) -> std::result::Result<Prompt, JsValue> {
        let options: PromptOptions = from_js(options, "options", Code::BadOption)?;
        let mode = mode(&options.mode).map_err(to_js)?;
        let (counter, overhead) = match options.counting {
            None => (Counter::Host, 0.0),
            Some(counting) => {
                let counter = counting.counter().map_err(to_js)?;
                let overhead = match options.messages_only {
                    true => 0,
                    false => counter.cost_model.list_overhead() + counter.tools.total,
                };
                let encoding = counting.built_in().map_err(to_js)?;
                let (tokenizer, model) = (counter.tokenizer, counter.cost_model);
                (Counter::Builtin(Builtin { encoding, tokenizer, model, mode }), overhead as f64)
            }
        };
        let ops = read(numbers, text).map_err(to_js)?;
        let options = Options {
            budget: options.budget - overhead,
            inside: if options.exact_limits { Inside::Exact } else { Inside::Bounds },
            bind_calls: options.bind_calls,
            backfill: options.backfill,
            epochs: options.epochs,
            thorough: options.thorough,
            cut: !options.layout_only,
        };
        let inner = crate::prompt::Prompt::new(ops, counter, options).map_err(to_js)?;
        Ok(Prompt { inner, overhead })
    }

    /// `{ type: "render", id, nodes, budgets }`, `{ type: "children", id, node }`, `{ type: "grow", id, node, budget }`, `{ type: "count", id, questions }`,
    /// `{ type: "stray" | "alternative", node }` or `{ type: "done" }`.
    pub fn poll(&mut self) -> std::result::Result<JsValue, JsValue> {
        let step = self.inner.poll().map_err(to_js)?;
        let object = Object::new();
        let put = |key: &str, value: JsValue| Reflect::set(&object, &key.into(), &value).map(|_| ());
        match step {
            Step::Done => put("type", "done".into())?,
            Step::Malformed(malformed) => {
                let (name, node) = match malformed {
                    Malformed::Stray(node) => ("stray", node),
                    Malformed::Alternative(node) => ("alternative", node),
                };
                put("type", name.into())?;
                put("node", node.into())?;
            }
            Step::Ask(id, ask) => {
                put("id", id.into())?;
                match ask {
                    Ask::Render(elements) => {
                        let nodes: Vec<u32> = elements.iter().map(|(node, _)| *node).collect();
                        let budgets: Vec<f64> = elements.iter().map(|(_, budget)| *budget).collect();
                        put("type", "render".into())?;
                        put("nodes", Uint32Array::from(&nodes[..]).into())?;
                        put("budgets", Float64Array::from(&budgets[..]).into())?;
                    }
                    Ask::Children(node) => {
                        put("type", "children".into())?;
                        put("node", node.into())?;
                    }
                    Ask::Grow(node, budget) => {
                        put("type", "grow".into())?;
                        put("node", node.into())?;
                        put("budget", budget.into())?;
                    }
                    Ask::Count(questions) => {
                        let mut list = Vec::new();
                        questions.iter().for_each(|question| ask_count(question, &mut list));
                        put("type", "count".into())?;
                        put("questions", Uint32Array::from(&list[..]).into())?;
                    }
                }
            }
        }
        Ok(object.into())
    }

    /// The elements of effect `id` were rendered.
    #[wasm_bindgen(js_name = answerRendered)]
    pub fn answer_rendered(&mut self, id: u32) -> std::result::Result<(), JsValue> {
        self.inner.resume_rendered(id).map_err(to_js)
    }

    /// What the element of effect `id` yields.
    #[wasm_bindgen(js_name = answerChildren)]
    pub fn answer_children(&mut self, id: u32, numbers: &[f64], text: &[u8]) -> std::result::Result<(), JsValue> {
        let children = read(numbers, text).map_err(to_js)?;
        self.inner.resume_children(id, children).map_err(to_js)
    }

    /// One count for each question of effect `id`.
    #[wasm_bindgen(js_name = answerCounts)]
    pub fn answer_counts(&mut self, id: u32, counts: &[f64]) -> std::result::Result<(), JsValue> {
        self.inner.resume_counts(id, counts).map_err(to_js)
    }

    /// Cuts the same tree to another budget. Poll again.
    pub fn recut(&mut self, budget: f64) {
        self.inner.recut(budget - self.overhead);
    }

    /// `{ messages, tokens, removed, failure? }`; messages as one list: node, number of dropped calls, those, number of contents,
    /// and twice each content's node, plus one if a line end goes before it.
    pub fn outcome(&mut self) -> std::result::Result<JsValue, JsValue> {
        let outcome = self.inner.outcome();
        let object = Object::new();
        let put = |key: &str, value: JsValue| Reflect::set(&object, &key.into(), &value).map(|_| ());
        put("messages", all_sent(&outcome.messages).into())?;
        put("tokens", (outcome.tokens + self.overhead).into())?;
        put("removed", outcome.removed.into())?;
        if let Some(failure) = outcome.failure {
            let found = Object::new();
            let put_found = |key: &str, value: JsValue| Reflect::set(&found, &key.into(), &value).map(|_| ());
            let around = if failure.limit == 0 { self.overhead } else { 0.0 };
            put_found("limit", failure.limit.into())?;
            put_found("allowed", (failure.allowed + around).into())?;
            put_found("needed", (failure.needed + around).into())?;
            put_found("largest", into_js(&failure.largest)?)?;
            put("failure", found.into())?;
        }
        Ok(object.into())
    }

    /// The messages before anything was removed, in the same form.
    pub fn original(&mut self) -> Uint32Array {
        all_sent(&self.inner.original().messages)
    }

    /// What was removed, in order.
    pub fn removals(&mut self) -> std::result::Result<JsValue, JsValue> {
        into_js(&self.inner.outcome().removals)
    }

    /// What became of every node, in the order of the tree.
    pub fn nodes(&mut self) -> std::result::Result<JsValue, JsValue> {
        into_js(&self.inner.nodes())
    }

    /// For each of these nodes its place in the order of the tree: negative, less one, if it is gone, and NaN if it was
    /// never part of it.
    pub fn places(&self, nodes: &[u32]) -> Vec<f64> {
        self.inner.places(nodes)
    }

    /// Budgets that were handed out since the last call.
    pub fn epochs(&mut self) -> std::result::Result<JsValue, JsValue> {
        into_js(&self.inner.take_epochs())
    }
}

fn mode(name: &str) -> Result<Mode> {
    match name {
        "" | "raw" => Ok(Mode::Raw),
        "openai" => Ok(Mode::OpenAi),
        "vscode" => Ok(Mode::VsCode),
        "vscodeData" => Ok(Mode::VsCodeData),
        "anthropic" => Ok(Mode::Anthropic),
        "gemini" => Ok(Mode::Gemini),
        _ => Err(Error::new(Code::BadOption, format!("there is no mode {name:?}")).at("options.mode")),
    }
}

fn ask_count(question: &Question, list: &mut Vec<u32>) {
    match question {
        Question::Text(node) => list.extend([0, *node]),
        Question::Literal(node, nth) => list.extend([1, *node, *nth]),
        Question::Part(node) => list.extend([2, *node]),
        Question::Base(node) => list.extend([3, *node]),
        Question::Message(sent) => {
            list.push(4);
            put_sent(sent, list);
        }
    }
}

fn put_sent(sent: &Sent, list: &mut Vec<u32>) {
    list.extend([sent.node, sent.dropped_calls.len() as u32]);
    list.extend(&sent.dropped_calls);
    list.push(sent.content.len() as u32);
    list.extend(sent.content.iter().map(|(node, breaks)| node * 2 + u32::from(*breaks)));
}

fn all_sent(messages: &[Sent]) -> Uint32Array {
    let mut list = Vec::new();
    messages.iter().for_each(|sent| put_sent(sent, &mut list));
    Uint32Array::from(&list[..])
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
    calls: Vec<FieldCall>,
    call_id: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FieldCall {
    call_id: String,
    name: String,
    arguments: String,
    #[serde(default)]
    keep_with: Option<u32>,
}

impl<'a> Input<'a> {
    fn number(&mut self) -> Result<f64> {
        self.numbers.next().copied().ok_or_else(malformed)
    }

    fn optional(&mut self) -> Result<Option<f64>> {
        Ok(Some(self.number()?).filter(|number| !number.is_nan()))
    }

    /// Negative zero is zero.
    fn priority(&mut self) -> Result<Option<f64>> {
        Ok(self.optional()?.map(|priority| priority + 0.0))
    }

    /// The next `units` UTF-16 units of the text.
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
        let role = match self.number()? as i64 {
            0 => Some(Role::System),
            1 => Some(Role::User),
            2 => Some(Role::Assistant),
            3 => Some(Role::Tool),
            _ => None,
        };
        let in_layout = self.number()? != 0.0;
        let Fields { name, calls, call_id } = self.json()?.unwrap_or_default();
        let call = |call: FieldCall| Call {
            call_id: call.call_id,
            name: call.name,
            arguments: call.arguments,
            keep_with: call.keep_with,
        };
        Ok(MessageShape { role, name, calls: calls.into_iter().map(call).collect(), call_id, in_layout })
    }
}

fn malformed() -> Error {
    Error::new(Code::BadInput, "the encoded pieces are malformed")
}

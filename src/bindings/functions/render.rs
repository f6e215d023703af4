//! `render` for hosts without the package's JavaScript.

use js_sys::futures::future_to_promise;
use js_sys::{Array, Function, JsString, Object, Promise};
use wasm_bindgen::prelude::*;

use super::super::error::to_js;
use super::super::options::Counting;
use super::super::prompt::builtin;
use super::super::read::js_name;
use super::options::{RENDER, model};
use super::plain::Value;
use super::tree::{Node, Tree};
use super::value::{
    self, Result, assign, bad, checked, coded, get, given, is_nullish, json, known, list, object, set, set_some,
};
use super::wait::{Ending, Signal, within};
use crate::error::{Code, Error};
use crate::prompt::{Ask, Failure, Inside, MAX_PRIORITY, Malformed, Mode, NodeId, Op, Options, Prompt, Sent, Step};

/// Renders a prompt tree to a request that fits its budget. Options and results are those of `render` in the package.
///
/// Rejects with `budget_exceeded` if the content that must stay does not fit, `empty_prompt`, `bad_element`,
/// `text_outside_message`, `bad_option`; with the value that `host.render` throws; with the signal's reason.
#[wasm_bindgen(js_name = render, unchecked_return_type = "Promise<CoreRendered>")]
pub fn render(
    #[wasm_bindgen(unchecked_param_type = "PromptTree")] tree: JsValue,
    #[wasm_bindgen(unchecked_param_type = "CoreRenderOptions")] options: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "RenderHost")] host: JsValue,
) -> Promise {
    future_to_promise(async move { Rendering::begin(&tree, &options, &host)?.run().await })
}

struct Rendering {
    tree: Tree,
    prompt: Prompt,
    host: Option<Function>,
    signal: Option<Signal>,
    /// Tokens of the request besides its messages.
    overhead: f64,
    budget: f64,
    is_raw: bool,
}

impl Rendering {
    fn begin(tree: &JsValue, options: &JsValue, host: &JsValue) -> Result<Rendering> {
        known(options, RENDER, "options")?;
        let budget = get(options, "budget")?;
        let Some(budget) = budget.as_f64().filter(|budget| !budget.is_nan()) else {
            return Err(bad("options.budget", "a number of tokens", &budget));
        };
        let format = given(options, "format")?.unwrap_or_else(|| "openai-chat".into());
        let is_raw = format == "raw";
        if !is_raw && format != "openai-chat" {
            return Err(bad("options.format", "\"openai-chat\" or \"raw\"", &format));
        }
        let signal = Signal::of(options)?;
        let fields = assign(&Object::new(), options)?;
        for name in ["encoding", "costModel"] {
            checked(&fields, name, "options", "a name", JsValue::is_string)?;
        }
        set(&fields, "format", format);
        set(&fields, "model", model(options, "model")?.0);
        set(&fields, "tools", tools(&get(options, "tools")?)?);
        let counting = Counting::of(&fields).map_err(to_js)?;
        let mode = if is_raw { Mode::Raw } else { Mode::OpenAi };
        let (counter, overhead) = builtin(&counting, mode, false).map_err(to_js)?;
        let backfill = value::flag(options, "backfill")?.unwrap_or(false);
        let host = match is_nullish(host) {
            true => None,
            false => {
                known(host, "render", "host")?;
                value::function(host, "render", "host")?
            }
        };
        if Signal::is_aborted(signal.as_ref()) {
            return Err(signal.map_or(JsValue::UNDEFINED, |signal| signal.reason()));
        }
        let (tree, ops) = Tree::read(tree, host.is_some())?;
        let options = Options {
            budget: budget - overhead,
            inside: Inside::Exact,
            bind_calls: true,
            backfill,
            traced: false,
            thorough: false,
            cut: true,
        };
        let prompt = Prompt::new(ops, counter, options).map_err(to_js)?;
        Ok(Rendering { tree, prompt, host, signal, overhead, budget, is_raw })
    }

    async fn run(mut self) -> Result {
        loop {
            match self.prompt.poll().map_err(to_js)? {
                Step::Done => return self.done(),
                Step::Malformed(malformed) => return Err(self.malformed(malformed)),
                Step::Ask(id, Ask::Render(elements)) => self.ask(id, &elements).await?,
                Step::Ask(id, Ask::Grow(node, budget)) => self.ask(id, &[(node, budget)]).await?,
                // The engine counts by itself.
                Step::Ask(..) => return Err(to_js(Error::new(Code::UnknownEffect, "nothing is counted by the host"))),
            }
        }
    }

    /// Asks the host for the content of all components together, and answers with it.
    async fn ask(&mut self, id: u32, elements: &[(NodeId, f64)]) -> Result<()> {
        let call = |_: &JsValue| {
            let asked = Array::new();
            for &(node, budget) in elements {
                let (Some(host), Node::Component(name, props)) = (&self.host, self.tree.node(node)) else { continue };
                let endpoint = object(&[("modelMaxPromptTokens", self.budget.into())]);
                let sizing = object(&[("tokenBudget", budget.into()), ("endpoint", endpoint.into())]);
                let made = host.call3(&JsValue::UNDEFINED, name, props, &sizing);
                asked.push(&made.unwrap_or_else(|thrown| Promise::reject(&thrown).into()));
            }
            Ok(Promise::all(&asked).into())
        };
        let made = match within(None, "", self.signal.as_ref(), &call).await {
            Ending::Answered(made) => made,
            Ending::Threw(thrown) => return Err(thrown),
            Ending::Aborted | Ending::Late => {
                return Err(self.signal.as_ref().map_or(JsValue::UNDEFINED, Signal::reason));
            }
        };
        let mut ops = Vec::new();
        for (at, (&(node, _), made)) in elements.iter().zip(made.unchecked_into::<Array>().iter()).enumerate() {
            if at > 0 {
                ops.push(Op::Close);
            }
            if is_nullish(&made) {
                continue;
            }
            if made.is_string() {
                self.tree.text(node, &Value::Host(made), MAX_PRIORITY, false, &mut ops)?;
                continue;
            }
            // A tree in the form of renderElementJSON, a node, or a list of nodes.
            let inner = get(&made, "node")?;
            let value = Value::read(if inner.is_object() { inner } else { made });
            let nodes = value.items().unwrap_or_else(|| Box::new(std::iter::once(value)));
            self.tree.children(node, nodes, &mut ops)?;
        }
        self.prompt.resume_rendered(id, ops, &[]).map_err(to_js)
    }

    fn done(&mut self) -> Result {
        let outcome = self.prompt.outcome();
        if let Some(failure) = outcome.failure {
            return Err(self.exceeded(failure)?);
        }
        let messages = self.messages(&outcome.messages)?;
        let removed = outcome.removed;
        if outcome.messages.is_empty() {
            return Err(self.empty(removed));
        }
        Ok(object(&[
            ("request", object(&[("messages", messages.into())]).into()),
            ("tokens", (outcome.tokens + self.overhead).into()),
            ("budget", self.budget.into()),
            ("format", if self.is_raw { "raw" } else { "openai-chat" }.into()),
            ("removed", removed.into()),
        ])
        .into())
    }

    fn messages(&self, sent: &[Sent]) -> Result<Array> {
        sent.iter().filter_map(|sent| self.message(sent).transpose()).collect()
    }

    fn message(&self, sent: &Sent) -> Result<Option<JsValue>> {
        let Node::Message { props, calls } = self.tree.node(sent.node) else { return Ok(None) };
        let role = props.field("role")?;
        let (number, pieces, message) = (role.number(), self.pieces(sent), Object::new().unchecked_into::<Message>());
        if self.is_raw {
            message.set_role(&role.host()?);
            message.set_content(&parts(&pieces));
        } else {
            let is_role = |number: &f64| (0.0..=TOOL).contains(number) && number.fract() == 0.0;
            let Some(number) = number.filter(is_role) else { return Ok(None) };
            let has_parts = number == USER || number == TOOL;
            let is_text = !has_parts || !pieces.iter().any(Piece::is_part);
            message.set_role(&js_name(["system", "user", "assistant", "tool"][number as usize])[0]);
            message.set_content(&if is_text { joined(&pieces).into() } else { openai_parts(&pieces)? });
        }
        let prop = |name: &'static str, is: fn(&Value) -> bool| {
            let value = props.field(name)?;
            if is(&value) { value.host().map(Some) } else { Ok(None) }
        };
        if number == Some(TOOL) {
            let id = prop("toolCallId", |id| !matches!(id, Value::Absent))?;
            set_some(&message, if self.is_raw { "toolCallId" } else { "tool_call_id" }, id);
        } else {
            set_some(&message, "name", prop("name", Value::is_truthy)?);
        }
        let calls = calls.iter().flat_map(Array::iter).zip(0..).filter(|(_, at)| !sent.dropped_calls.contains(at));
        let calls = calls.map(|(call, _)| self.call(&call)).collect::<Result<Vec<_>>>()?;
        if number == Some(ASSISTANT) && !calls.is_empty() {
            set(&message, if self.is_raw { "toolCalls" } else { "tool_calls" }, calls);
        }
        Ok(Some(message.into()))
    }

    /// Returns the content of a message. Adjacent texts are one piece, apart from those of the host.
    fn pieces(&self, sent: &Sent) -> Vec<Piece> {
        let mut pieces = Vec::new();
        for &(node, breaks) in &sent.content {
            let line = if breaks { "\n" } else { "" };
            match self.tree.node(node) {
                Node::Text(start, end) => {
                    let words = self.tree.words(*start, *end);
                    match pieces.last_mut() {
                        Some(Piece::Text(last)) => last.extend([line, words]),
                        _ => pieces.push(Piece::Text([line, words].concat())),
                    }
                }
                Node::HostText(text) => pieces.extend([Piece::Text(line.to_owned()), Piece::HostText(text.clone())]),
                Node::Part(part) => pieces.push(Piece::Part(part.clone())),
                _ => {}
            }
        }
        pieces
    }

    fn call(&self, call: &JsValue) -> Result {
        let (id, function) = (("id", get(call, "id")?), ("function", get(call, "function")?));
        let made = match self.is_raw {
            true => [function, id, ("type", get(call, "type")?)],
            false => [id, function, ("type", "function".into())],
        };
        Ok(object(&made).into())
    }

    fn exceeded(&mut self, failure: Failure) -> Result {
        let around = if failure.limit == 0 { self.overhead } else { 0.0 };
        let (allowed, needed) = (failure.allowed + around, failure.needed + around);
        let limit = self.tree.readable(failure.limit);
        let largest = Array::new();
        let mut most = Vec::new();
        for (node, tokens) in failure.largest {
            let path = self.tree.readable(node);
            most.push(format!("{path} ({tokens})"));
            largest.push(&object(&[("path", path.into()), ("tokens", tokens.into())]));
        }
        let most = if most.is_empty() { String::new() } else { format!(" Largest: {}.", most.join(", ")) };
        let error = coded(
            "budget_exceeded",
            &format!(
                "No lowest priority node found (path: {limit}). {needed} tokens may not be removed, but the budget is \
                 {allowed}.{most}"
            ),
            &limit,
        );
        error.set_name("BudgetExceededError");
        let details = object(&[
            ("limit", limit.into()),
            ("budget", allowed.into()),
            ("needed", needed.into()),
            ("largest", largest.into()),
        ]);
        set(&error, "details", details);
        let original = self.prompt.original();
        let messages = self.messages(&original.messages)?;
        set(&error, "messages", messages);
        Ok(error.into())
    }

    fn empty(&self, removed: u32) -> JsValue {
        let (message, path) = if removed > 0 {
            let budget = self.budget;
            let why = "Raise options.budget, or make the prompt smaller.";
            (
                format!("Every message of the prompt was removed to meet its budget of {budget} tokens. {why}"),
                "options.budget",
            )
        } else {
            let why = "Put text, an image, a document or tool calls into a message element.";
            (format!("The prompt has no message with content. {why}"), "prompt")
        };
        let error = coded("empty_prompt", &message, path);
        let details = object(&[("budget", self.budget.into()), ("removed", removed.into())]);
        set(&error, "details", details);
        error.into()
    }

    fn malformed(&self, malformed: Malformed) -> JsValue {
        let (node, code, why) = match malformed {
            Malformed::Stray(node) => {
                let text = match self.tree.node(node) {
                    Node::Text(start, end) => Some(self.tree.words(*start, *end).to_owned()),
                    Node::HostText(text) => Some(String::from(text)),
                    _ => None,
                };
                let why = text.map_or("Cannot have content outside a ChatMessage.".to_owned(), |text| {
                    format!("Cannot have a text node outside a ChatMessage. Text: \"{text}\"")
                });
                (node, "text_outside_message", why)
            }
            Malformed::Alternative(node) => {
                (node, "bad_element", "Invalid number of children for EmptyAlternate flag".to_owned())
            }
        };
        self.tree.refuse(node, code, &why)
    }
}

/// `type` of the parts of a raw message.
const IMAGE: u32 = 0;
const TEXT: u32 = 1;
const OPAQUE: u32 = 2;
/// Roles of a raw message.
const USER: f64 = 1.0;
const ASSISTANT: f64 = 2.0;
const TOOL: f64 = 3.0;

#[wasm_bindgen]
extern "C" {
    /// A message, whose fields are set in one crossing each.
    type Message;

    #[wasm_bindgen(method, setter)]
    fn set_role(this: &Message, role: &JsValue);

    #[wasm_bindgen(method, setter)]
    fn set_content(this: &Message, content: &JsValue);
}

/// A piece of the content of a message.
enum Piece {
    Text(String),
    HostText(JsString),
    /// The part of a raw message.
    Part(JsValue),
}

impl Piece {
    fn is_part(&self) -> bool {
        matches!(self, Piece::Part(_))
    }
}

/// Returns the text of all texts.
fn joined(pieces: &[Piece]) -> JsString {
    let texts = pieces.iter().filter_map(|piece| match piece {
        Piece::Text(text) => Some(JsString::from(text.as_str())),
        Piece::HostText(text) => Some(text.clone()),
        Piece::Part(_) => None,
    });
    texts.reduce(|before, text| before.concat(&text)).unwrap_or_default()
}

/// Returns the parts of a raw message.
fn parts(pieces: &[Piece]) -> Array {
    let runs = pieces.chunk_by(|a, b| !a.is_part() && !b.is_part());
    let part = |run: &[Piece]| match run {
        [Piece::Part(part)] => part.clone(),
        texts => object(&[("type", TEXT.into()), ("text", joined(texts).into())]).into(),
    };
    runs.map(part).collect()
}

/// Returns the parts in OpenAI's form; one text if there are only texts. Documents have no form there.
fn openai_parts(pieces: &[Piece]) -> Result {
    let (out, texts) = (Array::new(), Array::new());
    for part in parts(pieces).iter() {
        let kind = get(&part, "type")?;
        let made: JsValue = if kind == IMAGE {
            object(&[("type", "image_url".into()), ("image_url", get(&part, "imageUrl")?)]).into()
        } else if kind == OPAQUE {
            get(&part, "value")?
        } else if kind == TEXT {
            object(&[("type", "text".into()), ("text", get(&part, "text")?)]).into()
        } else {
            continue;
        };
        if made.is_truthy() {
            if get(&made, "type")? == "text" {
                texts.push(&get(&made, "text")?);
            }
            out.push(&made);
        }
    }
    Ok(if texts.length() == out.length() { texts.join("").into() } else { out.into() })
}

/// Returns the definitions of tools in the core's form, wherever a provider puts their three fields.
fn tools(given: &JsValue) -> Result<Array> {
    let out = Array::new();
    if is_nullish(given) {
        return Ok(out);
    }
    let Some(list) = list(given) else { return Err(bad("options.tools", "a list of tool definitions", given)) };
    for (at, tool) in list.iter().enumerate() {
        let path = format!("options.tools[{at}]");
        if !tool.is_object() {
            return Err(bad(&path, "an object", &tool));
        }
        let function = get(&tool, "function")?;
        let from = if function.is_object() { &function } else { &tool };
        let made = Object::new();
        let name = get(from, "name")?.as_string().or(get(from, "type")?.as_string());
        set(&made, "name", name.unwrap_or_else(|| format!("tool {at}")));
        set_some(&made, "description", get(from, "description")?.as_string());
        let names = ["parameters", "input_schema", "inputSchema", "parametersJsonSchema", "schema"];
        let schemas = names.into_iter().map(|name| get(from, name)).collect::<Result<Vec<_>>>()?;
        if let Some(schema) = schemas.iter().find(|schema| !is_nullish(schema)) {
            set(&made, "schema", schema.as_string().map_or_else(|| json(schema, &path, Code::BadOption), Ok)?);
        }
        out.push(&made);
    }
    Ok(out)
}

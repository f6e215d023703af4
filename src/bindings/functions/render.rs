//! `render` for hosts without the package's JavaScript.

use js_sys::futures::future_to_promise;
use js_sys::{Array, Function, JsString, Object, Promise};
use wasm_bindgen::prelude::*;

use super::super::error::to_js;
use super::super::prompt::builtin;
use super::super::read::js_name;
use super::options::{RENDER, model};
use super::plain::{Items, Value};
use super::tree::{Node, Tree};
use super::value::{self, Result, bad, coded, get, given, is_nullish, json, known, list, set, set_some};
use super::wait::{Signal, answered};
use crate::error::{Code, Error};
use crate::prompt::{Ask, Failure, Inside, MAX_PRIORITY, Malformed, NodeId, Op, Options, Prompt, Sent, Step};

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
        let counting = Object::new();
        set(&counting, "format", format);
        for name in ["encoding", "costModel"] {
            match given(options, name)? {
                Some(value) if !value.is_string() => return Err(bad(&format!("options.{name}"), "a name", &value)),
                value => set_some(&counting, name, value),
            }
        }
        set_some(&counting, "model", model(options, "model")?.0);
        set(&counting, "tools", tools(&get(options, "tools")?)?);
        let all = Object::new();
        set(&all, "counting", counting);
        set(&all, "mode", if is_raw { "raw" } else { "openai" });
        let (counter, overhead) = builtin(all.into())?;
        let backfill = value::flag(options, "backfill")?.unwrap_or(false);
        let host = match is_nullish(host) {
            true => None,
            false => {
                known(host, &["render"], "host")?;
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
        let asked = Array::new();
        for &(node, budget) in elements {
            let (Some(host), Node::Component(name, props)) = (&self.host, self.tree.node(node)) else { continue };
            let sizing = Object::new();
            set(&sizing, "tokenBudget", budget);
            let endpoint = Object::new();
            set(&endpoint, "modelMaxPromptTokens", self.budget);
            set(&sizing, "endpoint", endpoint);
            let made = host.call3(&JsValue::UNDEFINED, name, props, &sizing);
            asked.push(&made.unwrap_or_else(|thrown| Promise::reject(&thrown).into()));
        }
        let made = answered(Promise::all(&asked).into(), self.signal.as_ref()).await?;
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
            let nodes = value.items().unwrap_or(Items::One(Some(value)));
            self.tree.children(node, nodes, &mut ops)?;
        }
        self.prompt.resume_rendered(id, ops, &[]).map_err(to_js)
    }

    fn done(&mut self) -> Result {
        let outcome = self.prompt.outcome();
        if let Some(failure) = outcome.failure {
            return Err(self.exceeded(failure)?);
        }
        let messages = Array::new();
        for sent in &outcome.messages {
            if let Some(message) = self.message(sent)? {
                messages.push(&message);
            }
        }
        let removed = outcome.removed;
        if outcome.messages.is_empty() {
            return Err(self.empty(removed));
        }
        let request = Object::new();
        set(&request, "messages", &messages);
        let rendered = Object::new();
        set(&rendered, "request", request);
        set(&rendered, "tokens", outcome.tokens + self.overhead);
        set(&rendered, "budget", self.budget);
        set(&rendered, "format", if self.is_raw { "raw" } else { "openai-chat" });
        set(&rendered, "removed", removed);
        Ok(rendered.into())
    }

    fn message(&self, sent: &Sent) -> Result<Option<JsValue>> {
        let Node::Message { props, calls } = self.tree.node(sent.node) else { return Ok(None) };
        let content = self.content(sent);
        let calls: Vec<JsValue> = calls
            .iter()
            .flat_map(Array::iter)
            .zip(0..)
            .filter(|(_, at)| !sent.dropped_calls.contains(at))
            .map(|(call, _)| self.call(&call))
            .collect::<Result<_>>()?;
        let message = if self.is_raw { raw(props, content, calls)? } else { openai(props, content, calls)? };
        Ok(message.map(Into::into))
    }

    /// Returns the text of a message, or the parts of a raw one if not all of them are texts.
    fn content(&self, sent: &Sent) -> Content {
        let mut run = Run::default();
        let mut parts = None;
        for &(node, breaks) in &sent.content {
            match self.tree.node(node) {
                Node::Text(start, end) => run.add(breaks, self.tree.words(*start, *end)),
                Node::HostText(text) => {
                    run.add(breaks, "");
                    run.join(text);
                }
                Node::Part(part) => {
                    let parts = parts.get_or_insert_with(Array::new);
                    if let Some(text) = run.take() {
                        parts.push(&text_part(&text));
                    }
                    parts.push(part);
                }
                _ => {}
            }
        }
        match (parts, run.take()) {
            (None, text) => Content::Text(text),
            (Some(parts), text) => {
                if let Some(text) = text {
                    parts.push(&text_part(&text));
                }
                Content::Parts(parts)
            }
        }
    }

    fn call(&self, call: &JsValue) -> Result {
        let made = Object::new();
        let (id, function) = (get(call, "id")?, get(call, "function")?);
        if self.is_raw {
            set(&made, "function", function);
            set(&made, "id", id);
            set(&made, "type", get(call, "type")?);
        } else {
            set(&made, "id", id);
            set(&made, "function", function);
            set(&made, "type", "function");
        }
        Ok(made.into())
    }

    fn exceeded(&mut self, failure: Failure) -> Result {
        let around = if failure.limit == 0 { self.overhead } else { 0.0 };
        let (allowed, needed) = (failure.allowed + around, failure.needed + around);
        let limit = self.tree.readable(failure.limit);
        let largest = Array::new();
        let mut most = Vec::new();
        for (node, tokens) in failure.largest {
            let path = self.tree.readable(node);
            let one = Object::new();
            most.push(format!("{path} ({tokens})"));
            set(&one, "path", path);
            set(&one, "tokens", tokens);
            largest.push(&one);
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
        let details = Object::new();
        set(&details, "limit", limit);
        set(&details, "budget", allowed);
        set(&details, "needed", needed);
        set(&details, "largest", largest);
        set(&error, "details", details);
        let messages = Array::new();
        for sent in self.prompt.original().messages {
            if let Some(message) = self.message(&sent)? {
                messages.push(&message);
            }
        }
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
        let details = Object::new();
        set(&details, "budget", self.budget);
        set(&details, "removed", removed);
        set(&error, "details", details);
        error.into()
    }

    fn malformed(&self, malformed: Malformed) -> JsValue {
        match malformed {
            Malformed::Stray(node) => {
                let path = self.tree.path(node);
                let text = match self.tree.node(node) {
                    Node::Text(start, end) => Some(self.tree.words(*start, *end).to_owned()),
                    Node::HostText(text) => Some(String::from(text)),
                    _ => None,
                };
                let said = text.map_or("Cannot have content outside a ChatMessage.".to_owned(), |text| {
                    format!("Cannot have a text node outside a ChatMessage. Text: \"{text}\"")
                });
                coded("text_outside_message", &format!("{said} (at tsx element {path})"), &path).into()
            }
            Malformed::Alternative(node) => {
                let path = self.tree.path(node);
                let message = format!("Invalid number of children for EmptyAlternate flag (at tsx element {path})");
                coded("bad_element", &message, &path).into()
            }
        }
    }
}

/// `type` of the parts of a raw message.
const IMAGE: u32 = 0;
const TEXT: u32 = 1;
const OPAQUE: u32 = 2;
/// Roles of a raw message.
const ASSISTANT: f64 = 2.0;
const TOOL: f64 = 3.0;

#[wasm_bindgen]
extern "C" {
    /// A message, whose fields are set in one crossing each.
    type Message;

    #[wasm_bindgen(method, setter)]
    fn set_role(this: &Message, role: &JsString);

    #[wasm_bindgen(method, setter)]
    fn set_content(this: &Message, content: &JsValue);
}

/// The content of a message. An absent text is not an empty one.
enum Content {
    Text(Option<JsValue>),
    Parts(Array),
}

/// Texts that are joined.
#[derive(Default)]
struct Run {
    /// The text before `text`.
    host: Option<JsString>,
    text: String,
    has_any: bool,
}

impl Run {
    fn add(&mut self, breaks: bool, text: &str) {
        self.has_any = true;
        if breaks {
            self.text.push('\n');
        }
        self.text.push_str(text);
    }

    fn join(&mut self, text: &JsString) {
        let before = JsString::from(std::mem::take(&mut self.text));
        let before = self.host.take().map_or(before.clone(), |host| host.concat(&before));
        self.host = Some(before.concat(text));
    }

    /// Returns the text, if there is any.
    fn take(&mut self) -> Option<JsValue> {
        if !std::mem::take(&mut self.has_any) {
            return None;
        }
        let text = JsValue::from(self.text.as_str());
        self.text.clear();
        Some(self.host.take().map_or(text.clone(), |host| host.concat(&text).into()))
    }
}

fn text_part(text: &JsValue) -> Object {
    let part = Object::new();
    set(&part, "type", TEXT);
    set(&part, "text", text);
    part
}

fn raw(props: &Value, content: Content, calls: Vec<JsValue>) -> Result<Option<Object>> {
    let role = props.field("role")?;
    let number = role.number();
    let message = Object::new();
    set(&message, "role", role.host()?);
    let parts = match content {
        Content::Parts(parts) => parts,
        Content::Text(text) => text.iter().map(|text| JsValue::from(text_part(text))).collect(),
    };
    set(&message, "content", parts);
    if number == Some(TOOL) {
        set_some(&message, "toolCallId", call_id(props)?);
    } else {
        set_some(&message, "name", name(props)?);
    }
    if number == Some(ASSISTANT) && !calls.is_empty() {
        set(&message, "toolCalls", calls);
    }
    Ok(Some(message))
}

fn call_id(props: &Value) -> Result<Option<JsValue>> {
    match props.field("toolCallId")? {
        Value::Absent => Ok(None),
        id => id.host().map(Some),
    }
}

fn name(props: &Value) -> Result<Option<JsValue>> {
    let name = props.field("name")?;
    if name.is_truthy() { name.host().map(Some) } else { Ok(None) }
}

fn openai(props: &Value, content: Content, calls: Vec<JsValue>) -> Result<Option<Object>> {
    let number = props.field("role")?.number();
    let Some(number) = number.filter(|number| (0.0..=TOOL).contains(number) && number.fract() == 0.0) else {
        return Ok(None);
    };
    let message = Object::new();
    let role = js_name(["system", "user", "assistant", "tool"][number as usize]);
    message.unchecked_ref::<Message>().set_role(&role[0]);
    let has_parts = number == 1.0 || number == TOOL;
    let content = match content {
        Content::Text(text) => text.unwrap_or_else(|| "".into()),
        Content::Parts(parts) if has_parts => openai_parts(&parts)?,
        Content::Parts(parts) => words(&parts)?.into(),
    };
    message.unchecked_ref::<Message>().set_content(&content);
    if number == TOOL {
        set_some(&message, "tool_call_id", call_id(props)?);
        return Ok(Some(message));
    }
    set_some(&message, "name", name(props)?);
    if number == ASSISTANT && !calls.is_empty() {
        set(&message, "tool_calls", calls);
    }
    Ok(Some(message))
}

/// Returns the joined text of the text parts.
fn words(parts: &Array) -> Result<JsString> {
    let texts = Array::new();
    for part in parts.iter() {
        if get(&part, "type")? == TEXT {
            texts.push(&get(&part, "text")?);
        }
    }
    Ok(texts.join(""))
}

/// Returns the parts in OpenAI's form; one text if there are only texts. Documents have no form there.
fn openai_parts(parts: &Array) -> Result {
    let out = Array::new();
    let mut is_text = true;
    for part in parts.iter() {
        let kind = get(&part, "type")?;
        let made: JsValue = if kind == IMAGE {
            let image = Object::new();
            set(&image, "type", "image_url");
            set(&image, "image_url", get(&part, "imageUrl")?);
            image.into()
        } else if kind == OPAQUE {
            get(&part, "value")?
        } else if kind == TEXT {
            let text = Object::new();
            set(&text, "type", "text");
            set(&text, "text", get(&part, "text")?);
            text.into()
        } else {
            continue;
        };
        if made.is_falsy() {
            continue;
        }
        is_text = is_text && get(&made, "type")? == "text";
        out.push(&made);
    }
    if !is_text {
        return Ok(out.into());
    }
    let texts = Array::new();
    for part in out.iter() {
        texts.push(&get(&part, "text")?);
    }
    Ok(texts.join("").into())
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
        for name in ["parameters", "input_schema", "inputSchema", "parametersJsonSchema", "schema"] {
            let schema = get(from, name)?;
            if !is_nullish(&schema) {
                let text = schema.as_string().map_or_else(|| json(&schema, &path, Code::BadOption), Ok)?;
                set(&made, "schema", text);
                break;
            }
        }
        out.push(&made);
    }
    Ok(out)
}

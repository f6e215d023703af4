//! The host's side of a compaction: its model, its hooks, its files. The counterpart of `js/engine/drive.ts` in the
//! package.

use std::cell::Cell;

use js_sys::{Array, Error as JsError, Function, Object};
use wasm_bindgen::prelude::*;

use super::super::compact::HostTimeouts;
use super::super::decode::{from_js, into_js, into_json};
use super::super::error::to_js;
use super::history::History;
use super::options;
use super::value::{self, Result, bad, get, given, is_nullish, list, set, set_some, string, text};
use super::wait::{Call, Ending, Signal, within};
use crate::effect::{Answer, Effect, Failure, HookCall, ModelRequest, Shape};
use crate::error::Code;

/// Maximum UTF-16 code units of a reply.
const MAX_REPLY: u32 = 2_000_000;
/// Codes of errors that every request meets, whatever its form.
const UNAVAILABLE: [&str; 5] = ["auth", "rate_limited", "overloaded", "network", "no_key"];
/// Codes of errors for a request that is too long.
const TOO_LONG: [&str; 3] = ["context_length", "output_reserve", "body_size"];

/// The callbacks of one compaction, and their reports.
pub struct Host {
    pub history: History,
    llm: Option<Function>,
    signal: Option<Signal>,
    on_progress: Option<Function>,
    hooks: JsValue,
    read_file: Option<Function>,
    job: Option<JsValue>,
    tools: Array,
    host_timeouts: HostTimeouts,
    usage: Array,
    request_ids: Array,
    service_ids: Array,
    status: Cell<Option<f64>>,
}

impl Host {
    /// Reads the callbacks from the options.
    ///
    /// # Errors
    /// `bad_option` for a callback that is not a function, and for a value that is not a signal.
    pub fn of(fields: &JsValue, history: History, llm: Option<Function>, usual: HostTimeouts) -> Result<Host> {
        let number = |name: &'static str| options::number(fields, name, "options");
        let host_timeouts = HostTimeouts {
            model: number("timeoutMs")?.unwrap_or(usual.model),
            hook: number("hookTimeoutMs")?.unwrap_or(usual.hook),
            ..usual
        };
        Ok(Host {
            history,
            llm,
            signal: Signal::of(fields)?,
            on_progress: value::function(fields, "onProgress", "options")?,
            hooks: options::hooks(fields)?,
            read_file: value::function(fields, "readFile", "options")?,
            job: given(fields, "jobId")?,
            tools: list(&get(fields, "tools")?).unwrap_or_default(),
            host_timeouts,
            usage: Array::new(),
            request_ids: Array::new(),
            service_ids: Array::new(),
            status: Cell::new(None),
        })
    }

    /// Carries out an effect. A callback that throws or times out is an answer like any other.
    ///
    /// # Errors
    /// Any value that `onProgress` throws.
    pub async fn answer(&self, id: u32, effect: &Effect) -> Result<Answer> {
        match effect {
            Effect::CallModel(request) => self.call_model(id, request).await,
            Effect::RunHook(hook) => self.run_hook(hook).await,
            Effect::ReadFile { path } => self.read_file(path).await,
        }
    }

    /// Waits for a callback, if there is one.
    async fn wait(&self, call: Option<Call<'_>>, ms: u64, late: &str) -> Ending {
        match call {
            Some(call) => within(ms as f64, timeout(late), self.signal.as_ref(), call).await,
            None => Ending::Answered(JsValue::UNDEFINED),
        }
    }

    /// Adds the data that the model's provider reported to the model's part of the report.
    pub fn complete(&self, model: &JsValue) {
        if !model.is_object() {
            return;
        }
        set(model, "usage", &self.usage);
        set(model, "requestIds", &self.request_ids);
        if self.service_ids.length() > 0 {
            set(model, "serviceRequestIds", &self.service_ids);
        }
        set_some(model, "statusCode", self.status.get());
    }

    fn progress(&self, kind: &str, complete: impl FnOnce(&Object)) -> Result<()> {
        let Some(on_progress) = &self.on_progress else { return Ok(()) };
        let event = Object::new();
        set(&event, "type", kind);
        complete(&event);
        on_progress.call1(&JsValue::UNDEFINED, &event).map(drop)
    }

    async fn call_model(&self, id: u32, effect: &ModelRequest) -> Result<Answer> {
        let Some(llm) = &self.llm else { return Ok(failed("no llm callback was passed", Failure::Error)) };
        if Signal::is_aborted(self.signal.as_ref()) {
            return Ok(Answer::Cancelled);
        }
        let request = self.request(id, effect)?;
        self.progress("model", |event| {
            set(event, "id", id);
            set(event, "promptTokens", effect.prompt_tokens as f64);
        })?;
        let late = format!("the model did not answer within {} ms", self.host_timeouts.model);
        let call = Call { callback: llm, this: &JsValue::UNDEFINED, argument: &request, holds_signal: true };
        let reply = match self.wait(Some(call), self.host_timeouts.model, &late).await {
            Ending::Aborted => return Ok(Answer::Cancelled),
            Ending::Late => return Ok(failed(&late, Failure::Timeout)),
            Ending::Threw(error) => return Ok(self.answer_to_error(&error)),
            Ending::Answered(reply) => reply,
        };
        let answer = self.reply(&reply).unwrap_or_else(|error| self.answer_to_error(&error));
        if let Answer::Model { text, .. } = &answer {
            let length = text.encode_utf16().count() as f64;
            self.progress("answered", |event| {
                set(event, "id", id);
                set(event, "characters", length);
            })?;
        }
        Ok(answer)
    }

    /// Returns the request in the form for the host's callback.
    fn request(&self, id: u32, effect: &ModelRequest) -> Result<Object> {
        let request = Object::new();
        let sends = effect.with_tools && self.tools.length() > 0;
        let is_simple = effect.shape == Shape::Simple;
        set(&request, "id", id);
        set(&request, "tag", "conversation-compaction");
        set(&request, "purpose", into_js(&effect.purpose)?);
        set(&request, "shape", into_js(&effect.shape)?);
        set(&request, "system", &effect.system);
        set(&request, "prompt", &effect.prompt);
        set(&request, "promptTokens", effect.prompt_tokens as f64);
        let params = Object::new();
        for settings in [&request, &params] {
            set_some(settings, "maxTokens", effect.max_tokens.map(|tokens| tokens as f64));
            set_some(settings, "temperature", effect.temperature);
        }
        // A fork is the running request: with another choice of tools, the cache would treat it as another request.
        if sends && effect.shape != Shape::Fork {
            set(&params, "toolChoice", "none");
        }
        set(&request, "params", params);
        if sends {
            set(&request, "tools", &self.tools);
        }
        set_some(&request, "jobId", self.job.clone());
        set(&request, "format", if is_simple { "openai-chat" } else { "espalier" });
        set(
            &request,
            "messages",
            if is_simple {
                Array::of2(&said("system", &effect.system), &said("user", &effect.prompt))
            } else {
                self.history.rebuild(&effect.messages)?
            },
        );
        Ok(request)
    }

    /// Reads the answer of the callback.
    fn reply(&self, reply: &JsValue) -> Result<Answer> {
        let given = if reply.is_string() { reply.clone() } else { get(reply, "text")? };
        let usage = get(reply, "usage")?;
        if usage.is_object() {
            self.usage.push(&usage);
        }
        for (name, ids) in [("requestId", &self.request_ids), ("serviceRequestId", &self.service_ids)] {
            if let Some(id) = text(reply, name)? {
                ids.push(&id.into());
            }
        }
        let reply_text = if given.is_null() { Some(String::new()) } else { given.as_string() };
        let Some(text) = reply_text else {
            return Ok(failed("the llm callback must return a text or { text }", Failure::Error));
        };
        let length = given.dyn_ref::<js_sys::JsString>().map_or(0, js_sys::JsString::length);
        if length > MAX_REPLY {
            let why = format!("the reply has {length} characters; a summary of more than {MAX_REPLY} is not read");
            return Ok(failed(&why, Failure::Error));
        }
        let reason = get(reply, "finishReason")?;
        let finish_reason = if is_nullish(&reason) { None } else { string(&reason) };
        Ok(Answer::Model { text, finish_reason })
    }

    /// Converts any thrown value into an answer.
    fn answer_to_error(&self, error: &JsValue) -> Answer {
        let field = |object: &JsValue, name: &'static str| get(object, name).unwrap_or_default();
        let details = field(error, "details");
        let statuses = [field(error, "status"), field(error, "statusCode"), field(&details, "status")];
        let status = statuses.iter().find_map(|status| status.as_f64().filter(|status| status.fract() == 0.0));
        if status.is_some() {
            self.status.set(status);
        }
        let reason = sentence(error);
        let code = field(error, "code").as_string().unwrap_or_default();
        if TOO_LONG.contains(&code.as_str()) {
            let limit = field(&details, "limit").as_f64().filter(|_| code == "context_length");
            let limit = limit.filter(|limit| limit.fract() == 0.0 && *limit >= 0.0).map(|limit| limit as u64);
            return Answer::TooLong { reason, limit };
        }
        let kind = match code.as_str() {
            "timeout" => Failure::Timeout,
            code if UNAVAILABLE.contains(&code) => Failure::Unavailable,
            _ => Failure::Error,
        };
        Answer::Failed { reason, kind }
    }

    async fn run_hook(&self, hook: &HookCall) -> Result<Answer> {
        let event: JsValue = js_sys::JSON::parse(&into_json(hook)?)?;
        let name = match hook {
            HookCall::PreCompact { .. } => "preCompact",
            HookCall::PostCompact { .. } => "postCompact",
        };
        js_sys::Reflect::delete_property(event.unchecked_ref::<Object>(), &"name".into())?;
        let trigger = get(&event, "trigger")?;
        if self.host_timeouts.two_triggers {
            let by_hand = trigger == "manual" || trigger == "range";
            set(&event, "trigger", if by_hand { "manual" } else { "auto" });
        }
        let ms = self.host_timeouts.hook;
        let late = format!("the hook {name} did not end within {ms} ms");
        let callback = value::function(&self.hooks, name, "options.hooks")?;
        let call = callback.as_ref().map(|callback| Call {
            callback,
            this: &self.hooks,
            argument: &event,
            holds_signal: false,
        });
        let answer = match self.wait(call, ms, &late).await {
            Ending::Aborted => return Ok(Answer::Cancelled),
            Ending::Late => failed(&late, Failure::Timeout),
            Ending::Threw(error) => self.answer_to_local_error(&error),
            Ending::Answered(given) => {
                let given = if matches!(hook, HookCall::PreCompact { .. }) { given } else { JsValue::UNDEFINED };
                self.read_hook_reply(&given).unwrap_or_else(|error| self.answer_to_local_error(&error))
            }
        };
        self.progress("hook", |event| {
            set(event, "name", name);
            let (outcome, why) = match &answer {
                Answer::Failed { reason, kind: Failure::Timeout } => ("timeout", Some(reason)),
                Answer::Failed { reason, .. } => ("failed", Some(reason)),
                _ => ("done", None),
            };
            set(event, "outcome", outcome);
            set_some(event, "why", why);
        })?;
        Ok(answer)
    }

    /// Reads the reply of a hook.
    fn read_hook_reply(&self, given: &JsValue) -> Result<Answer> {
        let nothing = Answer::Hook { instructions: None, keep: vec![], blocks: vec![], skip: false };
        if is_nullish(given) {
            return Ok(nothing);
        }
        if !given.is_object() {
            return Err(bad("hooks.preCompact", "nothing or an object", given));
        }
        let keep = self.history.kept(&get(given, "pins")?, "options.keep")?;
        let wish = Object::new();
        for name in ["instructions", "blocks", "skip"] {
            set_some(&wish, name, value::given(given, name)?.filter(|value| !value.is_null()));
        }
        set(&wish, "type", "hook");
        set(&wish, "keep", keep);
        from_js(wish.into(), "hooks.preCompact", Code::BadOption).map_err(to_js)
    }

    async fn read_file(&self, path: &str) -> Result<Answer> {
        let ms = self.host_timeouts.hook;
        let late = format!("{path} was not read within {ms} ms");
        let (this, argument) = (JsValue::UNDEFINED, path.into());
        let call = self.read_file.as_ref();
        let call = call.map(|callback| Call { callback, this: &this, argument: &argument, holds_signal: false });
        Ok(match self.wait(call, ms, &late).await {
            Ending::Aborted => Answer::Cancelled,
            Ending::Late => failed(&late, Failure::Timeout),
            Ending::Threw(error) => self.answer_to_local_error(&error),
            Ending::Answered(given) if is_nullish(&given) => failed("there is no such file", Failure::Error),
            Ending::Answered(given) => match given.as_string() {
                Some(text) => Answer::File { text },
                None => failed("readFile must return a text", Failure::Error),
            },
        })
    }

    /// Converts an error that a hook or a reader of files throws, which says nothing about requests.
    fn answer_to_local_error(&self, error: &JsValue) -> Answer {
        let status = self.status.get();
        let answer = match self.answer_to_error(error) {
            Answer::TooLong { reason, .. } => failed(&reason, Failure::Error),
            other => other,
        };
        self.status.set(status);
        answer
    }
}

fn failed(reason: &str, kind: Failure) -> Answer {
    Answer::Failed { reason: reason.to_owned(), kind }
}

/// Returns the abort reason of a callback's signal after a timeout.
fn timeout(late: &str) -> JsValue {
    let error = JsError::new(late);
    error.set_name("EspalierError");
    set(&error, "code", "timeout");
    error.into()
}

fn said(role: &str, content: &str) -> JsValue {
    let message = Object::new();
    set(&message, "role", role);
    set(&message, "content", content);
    message.into()
}

fn sentence(error: &JsValue) -> String {
    let own = match error.dyn_ref::<JsError>() {
        Some(error) => {
            let field = |name: &'static str| {
                get(error, name).ok().and_then(|text| string(&text)).filter(|text| !text.is_empty())
            };
            field("message").or_else(|| field("name"))
        }
        None => string(error),
    };
    own.unwrap_or_else(|| "the callback threw a value that cannot be shown".to_owned())
}

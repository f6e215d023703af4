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
use super::value::{self, Result, bad, get, given, is_nullish, list, object, set, set_some, string, text};
use super::wait::{Ending, Signal, within};
use crate::effect::{Answer, Effect, Failure, HookCall, ModelRequest, Shape};
use crate::error::Code;

/// Maximum UTF-16 code units of a reply.
const MAX_REPLY: u32 = 2_000_000;
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
            Effect::ReadFile { path } => Ok(self.read_file(path).await),
        }
    }

    /// Calls the host, and interprets its answer with `read`. `on_error` receives any value that either throws.
    async fn ask(
        &self,
        (ms, late): (u64, String),
        call: &dyn Fn(&JsValue) -> Result,
        read: &dyn Fn(&JsValue) -> Result<Answer>,
        on_error: &dyn Fn(&JsValue),
    ) -> Answer {
        let answer = match within(Some(ms), &late, self.signal.as_ref(), call).await {
            Ending::Aborted => Ok(Answer::Cancelled),
            Ending::Late => Ok(failed(&late, "timeout")),
            Ending::Threw(error) => Err(error),
            Ending::Answered(given) => read(&given),
        };
        answer.unwrap_or_else(|error| {
            on_error(&error);
            let limit = field(&field(&error, "details"), "limit").as_f64();
            Answer::failed(sentence(&error), &field(&error, "code").as_string().unwrap_or_default(), limit)
        })
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

    fn progress(&self, event: &[(&'static str, JsValue)]) -> Result<()> {
        let Some(on_progress) = &self.on_progress else { return Ok(()) };
        on_progress.call1(&JsValue::UNDEFINED, &object(event)).map(drop)
    }

    async fn call_model(&self, id: u32, effect: &ModelRequest) -> Result<Answer> {
        let Some(llm) = &self.llm else { return Ok(failed("no llm callback was passed", "")) };
        if Signal::is_aborted(self.signal.as_ref()) {
            return Ok(Answer::Cancelled);
        }
        let request = self.request(id, effect)?;
        let tokens = ("promptTokens", JsValue::from(effect.prompt_tokens as f64));
        self.progress(&[("type", "model".into()), ("id", id.into()), tokens])?;
        let ms = self.host_timeouts.model;
        let call = |context: &JsValue| {
            set(&request, "signal", get(context, "signal")?);
            llm.call2(&JsValue::UNDEFINED, &request, context)
        };
        let late = format!("the model did not answer within {ms} ms");
        let (read, on_error) = (|reply: &JsValue| self.reply(reply), |error: &JsValue| self.note_status(error));
        let answer = self.ask((ms, late), &call, &read, &on_error).await;
        if let Answer::Model { text, .. } = &answer {
            let length = ("characters", JsValue::from(text.encode_utf16().count() as f64));
            self.progress(&[("type", "answered".into()), ("id", id.into()), length])?;
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
            return Ok(failed("the llm callback must return a text or { text }", ""));
        };
        let length = given.dyn_ref::<js_sys::JsString>().map_or(0, js_sys::JsString::length);
        if length > MAX_REPLY {
            let why = format!("the reply has {length} characters; a summary of more than {MAX_REPLY} is not read");
            return Ok(failed(&why, ""));
        }
        let reason = get(reply, "finishReason")?;
        let finish_reason = if is_nullish(&reason) { None } else { string(&reason) };
        Ok(Answer::Model { text, finish_reason })
    }

    /// Keeps the HTTP status of an error.
    fn note_status(&self, error: &JsValue) {
        let statuses = [field(error, "status"), field(error, "statusCode"), field(&field(error, "details"), "status")];
        let status = statuses.iter().find_map(|status| status.as_f64().filter(|status| status.fract() == 0.0));
        self.status.set(status.or(self.status.get()));
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
        let callback = value::function(&self.hooks, name, "options.hooks")?;
        let call = |context: &JsValue| call_some(callback.as_ref(), &self.hooks, &event, context);
        let read = |given: &JsValue| match hook {
            HookCall::PreCompact { .. } => self.read_hook_reply(given),
            HookCall::PostCompact { .. } => self.read_hook_reply(&JsValue::UNDEFINED),
        };
        let answer = self.ask((ms, format!("the hook {name} did not end within {ms} ms")), &call, &read, &|_| ()).await;
        if answer == Answer::Cancelled {
            return Ok(answer);
        }
        let (outcome, why) = match &answer {
            Answer::Failed { reason, kind: Failure::Timeout } => ("timeout", Some(reason)),
            Answer::Failed { reason, .. } | Answer::TooLong { reason, .. } => ("failed", Some(reason)),
            _ => ("done", None),
        };
        let event = [("type", "hook".into()), ("name", name.into()), ("outcome", outcome.into())];
        let why = why.map(|why| ("why", why.into()));
        self.progress(&event.into_iter().chain(why).collect::<Vec<_>>())?;
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

    async fn read_file(&self, path: &str) -> Answer {
        let ms = self.host_timeouts.hook;
        let call = |context: &JsValue| call_some(self.read_file.as_ref(), &JsValue::UNDEFINED, &path.into(), context);
        let read = |given: &JsValue| {
            Ok(match given.as_string() {
                Some(text) => Answer::File { text },
                None if is_nullish(given) => failed("there is no such file", ""),
                None => failed("readFile must return a text", ""),
            })
        };
        self.ask((ms, format!("{path} was not read within {ms} ms")), &call, &read, &|_| ()).await
    }
}

fn call_some(callback: Option<&Function>, this: &JsValue, argument: &JsValue, context: &JsValue) -> Result {
    callback.map_or(Ok(JsValue::UNDEFINED), |callback| callback.call2(this, argument, context))
}

fn failed(reason: &str, code: &str) -> Answer {
    Answer::failed(reason.to_owned(), code, None)
}

/// Returns a field of any value that was thrown.
fn field(object: &JsValue, name: &'static str) -> JsValue {
    get(object, name).unwrap_or_default()
}

fn said(role: &str, content: &str) -> JsValue {
    object(&[("role", role.into()), ("content", content.into())]).into()
}

fn sentence(error: &JsValue) -> String {
    let shown = |name| get(error, name).ok().and_then(|text| string(&text)).filter(|text| !text.is_empty());
    let own = match error.is_instance_of::<JsError>() {
        true => shown("message").or_else(|| shown("name")),
        false => string(error),
    };
    own.unwrap_or_else(|| "the callback threw a value that cannot be shown".to_owned())
}

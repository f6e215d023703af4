//! The machine of a conversation. JavaScript keeps its state as JSON text, so that a lost instance can be created
//! again.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::decode::{from_js, from_json};
use super::error::to_js;
use super::history::into_json;
use super::log::EventLog;
use crate::compact::profile::Profile;
use crate::conversation::backoff::{Backoff, Verdict};
use crate::conversation::job::Phase;
use crate::conversation::{Around, Ended, Finish, Finished, Look, Machine, Model, OddUsage, Request, RequestStep};
use crate::conversation::{Settings, StartJob, State};
use crate::error::{Code, Result as Outcome};
use crate::history::log::entry::RecordKind;
use crate::history::log::{Log, Runs};
use crate::history::plan::Totals;
use crate::history::recovery::{Next, Refusal};
use crate::tagged::needed;
use crate::tokens::Origin;

/// The view of the host: its totals, and the origin of its counts.
#[derive(Deserialize, Clone, Copy)]
struct Shown {
    after: Totals,
    origin: Origin,
}

enum Event {
    Model { model: Model },
    Settings { settings: Settings },
    Weigh { model: Model, ours: u64, tools: u64 },
    Look { shown: Option<Shown>, around: Around },
    Request { shown: Option<Shown>, around: Around, request: Request },
    Sent { id: String, tokens: u64, frame: String, shared: Vec<String> },
    Answered { tokens: u64, date: String, is_managed: bool, number: Option<u64> },
    Refused { refusal: Refusal },
    Unfit,
    Verdict { shown: Option<Shown>, requests: u64 },
    Ended { shown: Option<Shown>, ended: Ended },
    Finish { shown: Option<Shown>, around: Around, finish: Finish },
    StartJob { shown: Option<Shown>, start: StartJob },
    SettleJob { job: u32, error: Option<String> },
    TakeJob,
    CancelJob,
    Reopen { backoff: Option<Backoff>, job: u32, is_ready: bool },
}

espalier_core::tagged! {
    Event {
        model = "model": Model,
        settings = "settings": Settings,
        ours = "ours": u64,
        tools = "tools": u64,
        shown = "shown": Option<Shown>,
        around = "around": Around,
        request = "request": Request,
        id = "id": String,
        tokens = "tokens": u64,
        frame = "frame": String,
        shared = "shared": Vec<String>,
        date = "date": String,
        is_managed = "isManaged": bool,
        number = "number": Option<u64>,
        refusal = "refusal": Refusal,
        requests = "requests": u64,
        ended = "ended": Ended,
        finish = "finish": Finish,
        start = "start": StartJob,
        job = "job": u32,
        error = "error": Option<String>,
        backoff = "backoff": Option<Backoff>,
        is_ready = "isReady": bool,
    }
    "model" [model] => Event::Model { model: needed(model, "model")? },
    "settings" [settings] => Event::Settings { settings: needed(settings, "settings")? },
    "weigh" [model, ours, tools] => Event::Weigh {
        model: needed(model, "model")?,
        ours: needed(ours, "ours")?,
        tools: needed(tools, "tools")?,
    },
    "look" [shown, around] => Event::Look { shown: shown.flatten(), around: needed(around, "around")? },
    "request" [shown, around, request] => Event::Request {
        shown: shown.flatten(),
        around: needed(around, "around")?,
        request: needed(request, "request")?,
    },
    "sent" [id, tokens, frame, shared] => Event::Sent {
        id: needed(id, "id")?,
        tokens: needed(tokens, "tokens")?,
        frame: needed(frame, "frame")?,
        shared: shared.unwrap_or_default(),
    },
    "answered" [tokens, date, is_managed, number] => Event::Answered {
        tokens: needed(tokens, "tokens")?,
        date: needed(date, "date")?,
        is_managed: is_managed.unwrap_or_default(),
        number: number.flatten(),
    },
    "refused" [refusal] => Event::Refused { refusal: needed(refusal, "refusal")? },
    "unfit" [] => Event::Unfit,
    "verdict" [shown, requests] => Event::Verdict { shown: shown.flatten(), requests: needed(requests, "requests")? },
    "ended" [shown, ended] => Event::Ended { shown: shown.flatten(), ended: needed(ended, "ended")? },
    "finish" [shown, around, finish] => Event::Finish {
        shown: shown.flatten(),
        around: needed(around, "around")?,
        finish: needed(finish, "finish")?,
    },
    "startJob" [shown, start] => Event::StartJob { shown: shown.flatten(), start: needed(start, "start")? },
    "settleJob" [job, error] => Event::SettleJob { job: needed(job, "job")?, error: error.flatten() },
    "takeJob" [] => Event::TakeJob,
    "cancelJob" [] => Event::CancelJob,
    "reopen" [backoff, job, is_ready] => Event::Reopen {
        backoff: backoff.flatten(),
        job: needed(job, "job")?,
        is_ready: is_ready.unwrap_or_default(),
    },
}

/// The answer to an event, which decides the fields that are set.
#[derive(Serialize, Default)]
#[serde(rename_all = "camelCase")]
struct Answer {
    phase: Option<Phase>,
    /// The view, if the host does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    view: Option<Runs>,
    /// New lines of the log, in order.
    lines: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    look: Option<Look>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<RequestStep>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weighed: Option<Weighed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    finished: Option<Finished>,
    /// Tokens of the messages that the request shares with the previous one.
    #[serde(skip_serializing_if = "Option::is_none")]
    shared: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    odd: Option<OddUsage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
    /// The job that was started or adopted, or that must be aborted.
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<u32>,
    /// True if the limit of the model is another one now.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_other_limit: Option<bool>,
    /// False for a job other than the running one.
    #[serde(skip_serializing_if = "Option::is_none")]
    settled: Option<bool>,
}

/// The view under another model.
#[derive(Serialize)]
struct Weighed {
    /// Tokens of the next request by the provider's count, with its bound.
    current: u64,
    /// Maximum tokens of the request by the provider's count, and the same in ours.
    request: u64,
    budget: u64,
}

/// See `conversation::Machine`.
#[wasm_bindgen]
pub struct ConversationMachine {
    inner: Machine,
}

#[wasm_bindgen]
impl ConversationMachine {
    /// Creates a machine. `profile` is the JSON text of a name or of fields, `state` the last result of `step`.
    #[wasm_bindgen(constructor)]
    pub fn new(profile: &str, state: &str) -> Result<ConversationMachine, JsValue> {
        let profile = Profile::read(profile, "options.profile").map_err(to_js)?;
        let state: State = from_json(state, "state", Code::BadInput).map_err(to_js)?;
        Ok(ConversationMachine { inner: Machine::new(profile, state).map_err(to_js)? })
    }

    /// Handles an event. Returns its answer and the new state, both as JSON text; an event that changes nothing returns
    /// no state.
    pub fn step(&mut self, log: &mut EventLog, event: JsValue, time: f64) -> Result<Vec<String>, JsValue> {
        let event: Event = from_js(event, "event", Code::BadInput)?;
        let changes = !matches!(event, Event::Look { .. } | Event::Weigh { .. });
        let mut answer = take(&mut self.inner, log.inner_mut(), event, time as i64).map_err(to_js)?;
        answer.phase = Some(self.inner.jobs().phase());
        let state = changes.then(|| into_json(self.inner.state())).transpose()?;
        Ok([into_json(&answer)?].into_iter().chain(state).collect())
    }
}

fn take(machine: &mut Machine, log: &mut Log, event: Event, time: i64) -> Outcome<Answer> {
    let mut answer = Answer::default();
    match event {
        Event::Model { model } => machine.set_model(model),
        Event::Settings { settings } => machine.set(settings)?,
        Event::Weigh { model, ours, tools } => {
            let other = machine.with_model(model);
            let (predicted, request) = (other.predict(ours), other.limit(tools)?.request);
            let current = predicted.tokens + predicted.bound;
            answer.weighed = Some(Weighed { current, request, budget: other.ours(request) });
        }
        Event::Look { shown, around } => {
            let (after, origin) = answer.show(log, shown);
            answer.look = Some(machine.look(log, after, origin, around)?);
        }
        Event::Request { shown, around, request } => {
            let (after, origin) = answer.show(log, shown);
            answer.request = Some(machine.request(log, after, origin, around, request)?);
        }
        Event::Sent { id, tokens, frame, shared } => {
            answer.shared = Some(log.tokens_as_added(&shared)?);
            machine.sent(id, tokens, frame);
        }
        Event::Answered { tokens, date, is_managed, number } => {
            let before = machine.window();
            match is_managed {
                true => machine.managed(tokens),
                false => answer.odd = machine.answered(tokens, &date)?,
            }
            answer.is_other_limit = Some(machine.window() != before);
            if let Some(request) = number {
                // These names are those of stored logs.
                let json = format!(r#"{{"request":{request},"promptTotal":{tokens}}}"#);
                answer.lines.push(log.record(RecordKind::Usage, json, time)?.line);
            }
        }
        Event::Refused { refusal } => answer.next = Some(machine.refused(refusal)),
        Event::Unfit => answer.is_other_limit = Some(machine.unfit()),
        Event::Verdict { shown, requests } => {
            let (after, _) = answer.show(log, shown);
            answer.verdict = Some(machine.verdict(log, after, requests, false)?);
        }
        Event::Ended { shown, ended } => {
            let (after, _) = answer.show(log, shown);
            machine.ended(log, after, &ended)?;
        }
        Event::Finish { shown, around, finish } => {
            let shown = shown.map(|shown| (shown.after, shown.origin));
            let (mut finished, view) = machine.finish(log, &finish, shown, around, time)?;
            answer.lines = std::mem::take(&mut finished.lines);
            (answer.finished, answer.view) = (Some(finished), view);
        }
        Event::StartJob { shown, start } => {
            let (after, _) = answer.show(log, shown);
            if let Some((job, verdict)) = machine.start_job(log, after, start)? {
                (answer.job, answer.verdict) = (Some(job), Some(verdict));
            }
        }
        Event::SettleJob { job, error } => {
            answer.settled = Some(machine.jobs().settle(job, error.map_or(Ok(job), Err)));
        }
        Event::TakeJob => answer.job = machine.jobs().take(),
        Event::CancelJob => answer.job = machine.jobs().cancel(),
        Event::Reopen { backoff, job, is_ready } => machine.reopen(backoff, job, is_ready),
    }
    Ok(answer)
}

impl Answer {
    /// Returns totals and origin of the view, and adds the view to the answer if the host does not have it.
    fn show(&mut self, log: &Log, shown: Option<Shown>) -> (Totals, Origin) {
        if let Some(Shown { after, origin }) = shown {
            return (after, origin);
        }
        let runs = log.view_in_runs();
        let view = (runs.view.after, runs.view.origin);
        self.view = Some(runs);
        view
    }
}

//! The events of a conversation: each is one call of the machine, and has one answer.

use serde::{Deserialize, Serialize};

use super::backoff::{Backoff, Verdict};
use super::job::Phase;
use super::{
    Around, Ended, Finish, Finished, Look, Machine, Model, OddUsage, Request, RequestStep, Settings, StartJob,
};
use crate::error::Result;
use crate::history::log::entry::RecordKind;
use crate::history::log::{Log, Runs};
use crate::history::plan::Totals;
use crate::history::recovery::{Next, Refusal};
use crate::tagged::needed;
use crate::tokens::Origin;

/// The view of the host: its totals, and the origin of its counts.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Shown {
    pub after: Totals,
    pub origin: Origin,
}

/// An event of the host. Its fields are those of the methods that handle it.
#[derive(Debug, Clone)]
pub enum Event {
    Model { model: Model },
    Settings { settings: Settings },
    Weigh { model: Model, ours: u64, tools: u64 },
    Look { shown: Option<Shown>, around: Around },
    Request { shown: Option<Shown>, around: Around, request: Request },
    Sent { id: String, tokens: u64, frame: String, shared: Vec<String> },
    Answered { tokens: u64, date: String, is_managed: bool, record: Option<String> },
    Refused { refusal: Refusal },
    Unfit,
    Verdict { shown: Option<Shown>, requests: u64 },
    Ended { shown: Option<Shown>, ended: Ended },
    Finish { shown: Option<Shown>, around: Around, finish: Box<Finish> },
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
        record = "record": Option<String>,
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
    "answered" [tokens, date, is_managed, record] => Event::Answered {
        tokens: needed(tokens, "tokens")?,
        date: needed(date, "date")?,
        is_managed: is_managed.unwrap_or_default(),
        record: record.flatten(),
    },
    "refused" [refusal] => Event::Refused { refusal: needed(refusal, "refusal")? },
    "unfit" [] => Event::Unfit,
    "verdict" [shown, requests] => Event::Verdict { shown: shown.flatten(), requests: needed(requests, "requests")? },
    "ended" [shown, ended] => Event::Ended { shown: shown.flatten(), ended: needed(ended, "ended")? },
    "finish" [shown, around, finish] => Event::Finish {
        shown: shown.flatten(),
        around: needed(around, "around")?,
        finish: Box::new(needed(finish, "finish")?),
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

/// The answer to an event, whose type decides which fields are set.
#[derive(Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    pub phase: Option<Phase>,
    /// The view, if the host does not have it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<Runs>,
    /// New lines of the log, in order.
    pub lines: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub look: Option<Look>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestStep>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weighed: Option<Weighed>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finished: Option<Finished>,
    /// Tokens of the messages that the request shares with the previous one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub shared: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub odd: Option<OddUsage>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next: Option<Next>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// The job that was started or adopted, or that must be aborted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub job: Option<u32>,
    /// True if the limit of the model is another one now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_other_limit: Option<bool>,
    /// False for a job other than the running one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settled: Option<bool>,
}

/// The view under another model.
#[derive(Debug, Serialize)]
pub struct Weighed {
    /// Tokens of the next request by the provider's count, with its bound.
    pub current: u64,
    /// Maximum tokens of the request by the provider's count, and the same in ours.
    pub request: u64,
    pub budget: u64,
}

impl Event {
    /// Returns false for an event that only asks.
    pub fn changes(&self) -> bool {
        !matches!(self, Event::Look { .. } | Event::Weigh { .. })
    }
}

impl Machine {
    /// Handles an event. `time` is recorded with new entries of the log.
    ///
    /// # Errors
    /// Those of the methods of the machine that the event calls.
    pub fn step(&mut self, log: &mut Log, event: Event, time: i64) -> Result<Answer> {
        let mut answer = Answer::default();
        match event {
            Event::Model { model } => self.set_model(model),
            Event::Settings { settings } => self.set(settings)?,
            Event::Weigh { model, ours, tools } => {
                let other = self.with_model(model);
                let (predicted, request) = (other.predict(ours), other.limit(tools)?.request);
                let current = predicted.tokens + predicted.bound;
                answer.weighed = Some(Weighed { current, request, budget: other.ours(request) });
            }
            Event::Look { shown, around } => {
                let (after, origin) = answer.show(log, shown);
                answer.look = Some(self.look(log, after, origin, around)?);
            }
            Event::Request { shown, around, request } => {
                let (after, origin) = answer.show(log, shown);
                answer.request = Some(self.request(log, after, origin, around, request)?);
            }
            Event::Sent { id, tokens, frame, shared } => {
                answer.shared = Some(log.tokens_as_added(&shared)?);
                self.sent(id, tokens, frame);
            }
            Event::Answered { tokens, date, is_managed, record } => {
                let before = self.window();
                match is_managed {
                    true => self.managed(tokens),
                    false => answer.odd = self.answered(tokens, &date)?,
                }
                answer.is_other_limit = Some(self.window() != before);
                if let Some(json) = record {
                    answer.lines.push(log.record(RecordKind::Usage, json, time)?.line);
                }
            }
            Event::Refused { refusal } => answer.next = Some(self.refused(refusal)),
            Event::Unfit => answer.is_other_limit = Some(self.unfit()),
            Event::Verdict { shown, requests } => {
                let (after, _) = answer.show(log, shown);
                answer.verdict = Some(self.verdict(log, after, requests, false)?);
            }
            Event::Ended { shown, ended } => {
                let (after, _) = answer.show(log, shown);
                self.ended(log, after, &ended)?;
            }
            Event::Finish { shown, around, finish } => {
                let shown = shown.map(|shown| (shown.after, shown.origin));
                let (mut finished, view) = self.finish(log, &finish, shown, around, time)?;
                answer.lines = std::mem::take(&mut finished.lines);
                (answer.finished, answer.view) = (Some(finished), view);
            }
            Event::StartJob { shown, start } => {
                let (after, _) = answer.show(log, shown);
                if let Some((job, verdict)) = self.start_job(log, after, start)? {
                    (answer.job, answer.verdict) = (Some(job), Some(verdict));
                }
            }
            Event::SettleJob { job, error } => {
                answer.settled = Some(self.jobs().settle(job, error.map_or(Ok(job), Err)));
            }
            Event::TakeJob => answer.job = self.jobs().take(),
            Event::CancelJob => answer.job = self.jobs().cancel(),
            Event::Reopen { backoff, job, is_ready } => self.reopen(backoff, job, is_ready),
        }
        answer.phase = Some(self.jobs().phase());
        Ok(answer)
    }
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

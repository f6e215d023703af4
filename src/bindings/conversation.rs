//! What a conversation decides: limits, lines, jobs, when to try again. All state is JSON text that the host keeps, so that nothing is
//! lost with an instance.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::decode::from_json;
use super::error::to_js;
use super::history::into_json;
use super::options::tokens;
use crate::compact::Status;
use crate::compact::backoff::{Backoff, Now, Verdict};
use crate::compact::job::{Jobs, Next, Phase};
use crate::compact::profile::Profile;
use crate::compact::window::Sizes;
use crate::error::{Code, Result as Outcome};
use crate::history::edit::Author;
use crate::tagged::needed;

type Answer = Result<String, JsValue>;

/// `text` is the JSON text of a name or of fields.
fn profile(text: &str) -> Outcome<Profile> {
    Profile::read(text, "options.profile")
}

/// Whether a background compaction starts. `draw` is in [0, 1).
#[wasm_bindgen(js_name = "startsBackground")]
pub fn starts_background(text: &str, ratio: f64, is_warm: bool, draw: f64) -> Result<bool, JsValue> {
    Ok(profile(text).map_err(to_js)?.starts(ratio, is_warm, || draw))
}

/// How full a request is taken to be, in tokens: see `Measured::of`. `sent` is what the reported one had by our count.
#[wasm_bindgen(js_name = "measuredTokens")]
pub fn measured_tokens(text: &str, used: f64, own: f64, reported: Option<f64>, sent: f64) -> Result<f64, JsValue> {
    let whole = |value: f64| tokens(value, "usage").map_err(to_js);
    let reported = reported.map(|reported| Ok::<_, JsValue>((whole(reported)?, whole(sent)?))).transpose()?;
    Ok(profile(text).map_err(to_js)?.measured.of(whole(used)?, whole(own)?, reported) as f64)
}

/// What a request may have: `limit`, which ratios are of, and `request`, which it must not exceed, tools included. `picked` is the user's
/// context size, `own` the user's threshold.
#[wasm_bindgen(js_name = "requestLimit")]
pub fn request_limit(
    text: &str,
    max: f64,
    picked: Option<f64>,
    own: Option<f64>,
    tools: f64,
) -> Result<Vec<f64>, JsValue> {
    let profile = profile(text).map_err(to_js)?;
    let max = tokens(max, "options.model").map_err(to_js)?;
    let tools = tokens(tools, "options.tools").map_err(to_js)?;
    let found = profile.request(Sizes { max, picked, ..Sizes::default() }, own, tools).map_err(to_js)?;
    Ok(vec![found.limit as f64, (found.messages + tools).min(found.limit) as f64])
}

enum JobEvent {
    /// Of a conversation that was read from storage.
    Reload {
        last: u32,
    },
    Start {
        stale: bool,
    },
    Settle {
        job: u32,
        error: Option<String>,
    },
    Request {
        ratio: f64,
        overflows: bool,
    },
    Take,
    Cancel,
}

espalier_core::tagged! {
    JobEvent {
        last = "last": u32,
        stale = "stale": bool,
        job = "job": u32,
        error = "error": Option<String>,
        ratio = "ratio": f64,
        overflows = "overflows": bool,
    }
    "reload" [last] => JobEvent::Reload { last: needed(last, "last")? },
    "start" [stale] => JobEvent::Start { stale: stale.unwrap_or_default() },
    "settle" [job, error] => JobEvent::Settle { job: needed(job, "job")?, error: error.flatten() },
    "request" [ratio, overflows] => JobEvent::Request { ratio: needed(ratio, "ratio")?, overflows: needed(overflows, "overflows")? },
    "take" [] => JobEvent::Take,
    "cancel" [] => JobEvent::Cancel,
}

#[derive(Serialize)]
struct JobStep {
    state: Jobs<u32>,
    phase: Phase,
    /// Of the job that was started, taken, or has to be aborted.
    #[serde(skip_serializing_if = "Option::is_none")]
    job: Option<u32>,
    /// False for a settlement that changed nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    settled: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next<u32>>,
}

/// One event of the job of a conversation. Results stay with the host, by the number of their job.
#[wasm_bindgen(js_name = "jobStep")]
pub fn job_step(state: Option<String>, text: &str, event: &str) -> Answer {
    let profile = profile(text).map_err(to_js)?;
    let state = state.map(|text| from_json(&text, "state", Code::BadInput)).transpose().map_err(to_js)?;
    let event: JobEvent = from_json(event, "event", Code::BadInput).map_err(to_js)?;
    let mut state: Jobs<u32> = state.unwrap_or_default();
    let (mut job, mut settled, mut next) = (None, None, None);
    match event {
        JobEvent::Reload { last } => state = Jobs::after(last),
        JobEvent::Start { stale } => job = state.start(|_| stale),
        JobEvent::Settle { job, error } => settled = Some(state.settle(job, error.map_or(Ok(job), Err))),
        JobEvent::Request { ratio, overflows } => next = Some(state.at_request(&profile, ratio, overflows)),
        JobEvent::Take => job = state.take(),
        JobEvent::Cancel => job = state.cancel(),
    }
    into_json(&JobStep { phase: state.phase(), state, job, settled, next })
}

enum BackoffEvent {
    MayTry {
        now: Now,
    },
    Note {
        status: Status,
        /// Who wrote the summary that was put in place.
        summary: Option<Author>,
        now: Now,
    },
    /// Of a conversation that was read from storage.
    Reload,
}

espalier_core::tagged! {
    BackoffEvent { status = "status": Status, summary = "summary": Author, now = "now": Now }
    "mayTry" [now] => BackoffEvent::MayTry { now: needed(now, "now")? },
    "note" [status, summary, now] => BackoffEvent::Note {
        status: needed(status, "status")?,
        summary,
        now: needed(now, "now")?,
    },
    "reload" [] => BackoffEvent::Reload,
}

#[derive(Serialize)]
struct BackoffStep {
    state: Backoff,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Verdict>,
}

/// Whether to try, or how a try ended.
#[wasm_bindgen(js_name = "backoffStep")]
pub fn backoff_step(state: Option<String>, text: &str, event: &str) -> Answer {
    let profile = profile(text).map_err(to_js)?;
    let state = state.map(|text| from_json(&text, "state", Code::BadInput)).transpose().map_err(to_js)?;
    let mut state = state.unwrap_or_else(Backoff::default).by_rule(profile.failure);
    let verdict = match from_json(event, "event", Code::BadInput).map_err(to_js)? {
        BackoffEvent::MayTry { now } => Some(state.may_try(now)),
        BackoffEvent::Note { status, summary, now } => {
            state.note(status, summary, now);
            None
        }
        BackoffEvent::Reload => {
            state.reset_flag();
            None
        }
    };
    into_json(&BackoffStep { state, verdict })
}

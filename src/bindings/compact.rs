//! Compaction: an operation that is polled and answered.

use std::rc::Rc;

use js_sys::{Array, Reflect};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::decode::{from_js, into_json, options_from_js};
use super::error::JsResult;
use super::options::{Counter, Counting, messages};
use super::validity;
use crate::compact::asking::{Asking, Verify};
use crate::compact::form::Form;
use crate::compact::held::Held;
use crate::compact::ledger::escape::escape;
use crate::compact::ledger::gist::Gists;
use crate::compact::profile::load::check_ladder;
use crate::compact::profile::{Profile, Rung, explain};
use crate::compact::{Compacted, Counted, Options};
use crate::effect::{Answer, Ask, Step};
use crate::error::{Code, Result};
use crate::history::limits::{ModelLimits, Source, limit};
use crate::history::log::Log;
use crate::history::prune;
use crate::message::Message;
use crate::tokens::CostModel;

/// Options that are not those of the core. JavaScript has checked numbers and filled in defaults.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Further {
    /// Limits of the model that writes the summary.
    #[serde(default)]
    llm_limits: ModelLimits,
    /// JSON text: a name, or fields.
    profile: Option<String>,
    /// The rungs in order.
    ladder: Option<Vec<Rung>>,
    /// The profile whose sections are requested, if they are not those of the profile.
    record_profile: Option<String>,
    verify: Option<Verify>,
    receiver: Option<validity::Options>,
}

/// Decodes the options, and the timeouts of their profile.
fn decoded(from: &JsValue, model: Option<String>) -> JsResult<(Options, HostTimeouts)> {
    let further: Further = options_from_js(from)?;
    let mut options: Options = options_from_js(from)?;
    if let Some(text) = further.profile {
        options.profile = Profile::read(&text, "options.profile")?;
    }
    if let Some(ladder) = further.ladder {
        check_ladder(&ladder, "options.ladder")?;
        options.profile.ladder = ladder.into();
    }
    options.receiver = further.receiver.map(validity::Options::receiver).transpose()?;
    // An object of its own, because JavaScript copies objects with many fields slowly; its fields are options.
    let asking = Reflect::get(from, &"asking".into())?;
    options.asking = Asking {
        model,
        form: further.record_profile.as_deref().map(Form::of_profile),
        verify: further.verify.unwrap_or(options.profile.summary.verify),
        ..from_js(asking, "options", Code::BadOption)?
    };
    // Stated, or by the model's name: a larger request is only refused.
    let name = options.asking.asked_model.as_deref();
    let limits = name.map_or(further.llm_limits, |name| further.llm_limits.named(name));
    let known = Some(limit(None, &limits)).filter(|limit| limit.source != Source::AssumedLimit);
    options.model_limit = options.model_limit.or(known.map(|limit| limit.tokens));
    let timeouts = HostTimeouts::of(&options.profile);
    Ok((options, timeouts))
}

/// The report of a compaction.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    #[serde(flatten)]
    pub compacted: Compacted,
    pub budget: u64,
    /// The encoding that counted, or `host` for the host's own tokenizer. One of `EncodingName` or `host`.
    encoding: &'static str,
    cost_model: CostModel,
}

/// A compaction that waits for answers of the host. Freeing it loses nothing.
#[wasm_bindgen]
pub struct Compaction {
    inner: crate::compact::Compaction,
    budget: u64,
    encoding: &'static str,
    cost_model: CostModel,
    /// True if the caller has no messages to rebuild and needs only edits.
    edits_only: bool,
    timeouts: HostTimeouts,
    /// Effects of the newest step that are not answered yet.
    open: usize,
}

/// A step. It crosses as JSON text, because the report may cover thousands of messages.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Crossing {
    Ask { effects: Vec<Ask>, timeouts: HostTimeouts },
    Done { result: Box<Report> },
}

/// Begins a compaction: `[step, compaction]`. `step` is JSON text: `{ type: "ask", effects, timeouts }`, or
/// `{ type: "done", result }`, and then there is no compaction to answer.
#[wasm_bindgen(js_name = "beginCompaction", unchecked_return_type = "[string, Compaction | undefined]")]
pub fn begin_compaction(conversation: JsValue, options: JsValue) -> JsResult<Array> {
    begin(messages(conversation)?, &options)?.first()
}

#[wasm_bindgen]
impl Compaction {
    /// Answers effect `id`. Returns the next step once all effects are answered.
    pub fn resume(&mut self, id: u32, answer: JsValue) -> JsResult<Option<String>> {
        let answer: Answer = from_js(answer, "answer", Code::BadInput)?;
        self.answer(id, answer)?;
        self.open = self.open.saturating_sub(1);
        if self.open == 0 { self.crossing().map(Some) } else { Ok(None) }
    }
}

impl Compaction {
    pub(super) fn gists(&self) -> Rc<Gists> {
        self.inner.gists()
    }

    pub(super) fn timeouts(&self) -> HostTimeouts {
        self.timeouts
    }

    /// Returns the first step, and the compaction if it asks something.
    pub(super) fn first(mut self) -> JsResult<Array> {
        let step = self.crossing()?;
        let waits = self.open > 0;
        Ok(Array::of2(&step.into(), &if waits { self.into() } else { JsValue::UNDEFINED }))
    }

    fn crossing(&mut self) -> JsResult<String> {
        into_json(&match self.step()? {
            Step::Ask { effects } => {
                self.open = effects.len();
                Crossing::Ask { effects, timeouts: self.timeouts }
            }
            Step::Done { result } => Crossing::Done { result: Box::new(result) },
        })
    }

    /// Returns what is needed next, or the result.
    pub(super) fn step(&mut self) -> Result<Step<Report>> {
        Ok(match self.inner.poll()? {
            Step::Ask { effects } => Step::Ask { effects },
            Step::Done { result } => Step::Done {
                result: Report {
                    compacted: Compacted { plan: if self.edits_only { vec![] } else { result.plan }, ..result },
                    budget: self.budget,
                    encoding: self.encoding,
                    cost_model: self.cost_model,
                },
            },
        })
    }

    pub(super) fn answer(&mut self, id: u32, answer: Answer) -> Result<()> {
        self.inner.resume(id, answer)
    }
}

/// Timeouts and options of the host's side of a compaction, by its profile.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HostTimeouts {
    /// Milliseconds for a call of the model.
    pub model: u64,
    /// Milliseconds for a hook or a file.
    pub hook: u64,
    /// True if hooks get the trigger only as `auto` or `manual`.
    pub two_triggers: bool,
}

impl HostTimeouts {
    fn of(profile: &Profile) -> HostTimeouts {
        let timeouts = &profile.timeouts_ms;
        HostTimeouts { model: timeouts.model, hook: timeouts.hook, two_triggers: profile.hook.two_triggers }
    }
}

/// Begins a compaction of decoded messages.
pub(super) fn begin(conversation: Vec<Message>, options: &JsValue) -> JsResult<Compaction> {
    let make = |Counter { tools, cost_model, tokenizer, origin, .. }: Counter, options: Options| {
        crate::compact::Compaction::new(conversation, tools.total, cost_model, tokenizer, origin, options)
    };
    begun(options, Box::new(make))
}

/// Begins a compaction of counted messages. `beside` is what earlier compactions computed about them.
pub(super) fn of_held(held: &prune::Held, beside: Rc<Held>, options: &JsValue) -> JsResult<Compaction> {
    let make = |Counter { tools, cost_model, tokenizer, origin, .. }: Counter, options: Options| {
        let (messages, counts) = held.counted();
        let counted = Counted { origin: held.worst(origin), tools: tools.total, cost_model, tokenizer };
        crate::compact::Compaction::of_held(messages, counts, counted, beside, options)
    };
    begun(options, Box::new(make))
}

/// Begins a compaction that `make` creates. It is boxed: generic, this code would be in the engine twice.
fn begun(
    options: &JsValue,
    make: Box<dyn FnOnce(Counter, Options) -> crate::compact::Compaction + '_>,
) -> JsResult<Compaction> {
    let counting = Counting::of(options)?;
    let counter = counting.counter()?;
    let (mut options, timeouts) = decoded(options, counting.model)?;
    options.by_items = counter.by_items;
    options.provider = options.receiver.as_ref().map(|receiver| receiver.target.provider).or(counter.provider);
    let (budget, encoding, cost_model) = (options.budget, counter.name, counter.cost_model);
    let inner = make(counter, options);
    Ok(Compaction { inner, budget, encoding, cost_model, edits_only: false, timeouts, open: 0 })
}

/// Begins a compaction of the view of a log with known counts: no message crosses the boundary, and none is counted
/// again.
pub(super) fn of_log(log: &Log, encoding: &'static str, options: &JsValue) -> JsResult<Compaction> {
    let counting = Counting::of(options)?;
    let (options, timeouts) = decoded(options, counting.model)?;
    let (budget, cost_model, edits_only) = (options.budget, log.counting().model, !options.is_request);
    let inner = crate::compact::Compaction::of_log(log, options);
    Ok(Compaction { inner, budget, encoding, cost_model, edits_only, timeouts, open: 0 })
}

/// Escapes the tags of a record in quoted text, see [`escape`].
#[wasm_bindgen(js_name = "escapeTags")]
pub fn escape_tags(text: &str) -> String {
    escape(text)
}

/// Returns all fields of a profile, as JSON text; `profile` is the JSON text of a name or of the fields that differ.
#[wasm_bindgen(js_name = "readProfile")]
pub fn read_profile(profile: &str, path: &str) -> JsResult<String> {
    into_json(&Profile::read(profile, path)?)
}

/// Returns the fields in which two profiles differ, as JSON text.
#[wasm_bindgen(js_name = "explainProfiles")]
pub fn explain_profiles(a: &str, b: &str) -> JsResult<String> {
    into_json(&explain(&Profile::read(a, "a")?, &Profile::read(b, "b")?))
}

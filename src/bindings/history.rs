//! Counting and pruning conversations.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::decode::{from_js, from_json, into_js, into_json, into_parsed};
use super::error::to_js;
use super::options::{Counting, messages, tokens};
use super::validity;
use crate::error::{Code, Error, Result};
use crate::history::draft::Draft;
use crate::history::limits::{Limit, ModelLimits, Source, limit};
use crate::history::plan::{PlanItem, Totals};
use crate::history::prune::{self as core, DropMedia, Limits, Pass, Picture, Pruned, Sentences};
use crate::history::record::Records;
use crate::history::recovery::{Accepted, Next, Recovery, Refusal, SilentOverflow, Tries};
use crate::map::HashSet;
use crate::message::{Message, Role};
use crate::tokens::{CostModel, Origin, ToolCost};

/// Tokens of a request, message by message.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CountReport {
    #[serde(flatten)]
    totals: Totals,
    /// The encoding that counted, or `host` for the host's own tokenizer. One of `EncodingName` or `host`.
    encoding: &'static str,
    cost_model: CostModel,
    origin: Origin,
    per_message: Vec<MessageCount>,
    per_tool: Vec<ToolCost>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct MessageCount {
    id: String,
    role: Role,
    tokens: u64,
}

/// Returns the cost of a conversation, in total and by message.
#[wasm_bindgen(js_name = "countMessages")]
pub fn count_messages(conversation: JsValue, options: JsValue) -> std::result::Result<JsValue, JsValue> {
    let conversation = messages(conversation)?;
    let options: Counting = from_js(options, "options", Code::BadOption)?;
    let counter = options.counter().map_err(to_js)?;
    let draft = Draft::new(&conversation, counter.meter(), counter.origin);
    let per_message = draft
        .entries
        .iter()
        .map(|entry| MessageCount { id: entry.message.id.clone(), role: entry.message.role, tokens: entry.before })
        .collect();
    into_parsed(&CountReport {
        totals: draft.before(),
        encoding: counter.name,
        cost_model: counter.cost_model,
        origin: draft.origin,
        per_message,
        per_tool: counter.tools.per_tool.clone(),
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PruneOptions {
    /// Decoded separately: the derive macro reads inlined fields twice, with code generated twice.
    #[serde(skip)]
    counting: Counting,
    #[serde(default)]
    budget: Option<f64>,
    /// Limits of the model, for requests without a budget.
    #[serde(default)]
    limits: LimitOptions,
    #[serde(default)]
    headroom: f64,
    #[serde(default)]
    keep: Vec<String>,
    #[serde(default)]
    backfill: bool,
    #[serde(default)]
    order: Option<Vec<Pass>>,
    /// Pairs of id and number.
    #[serde(default)]
    priorities: Vec<(String, f64)>,
    #[serde(default)]
    note: bool,
    #[serde(default)]
    sentence_share: f64,
    /// JSON text.
    #[serde(default)]
    previous: Option<String>,
    #[serde(default)]
    cache_step_share: f64,
    #[serde(default)]
    drop_media: DropMedia,
    /// JSON text, as `previous`.
    #[serde(default)]
    pictures: Option<String>,
    #[serde(default)]
    picture_bytes: Option<f64>,
    /// Whom the result is for, if that is known.
    #[serde(default)]
    receiver: Option<validity::Options>,
    #[serde(default)]
    thinking: Option<Vec<String>>,
}

impl PruneOptions {
    pub(super) fn decode(options: JsValue) -> std::result::Result<PruneOptions, JsValue> {
        let counting = from_js(options.clone(), "options", Code::BadOption)?;
        Ok(PruneOptions { counting, ..from_js(options, "options", Code::BadOption)? })
    }

    /// Returns the budget and its source.
    fn limit(&self) -> Result<Limit> {
        let budget = self.budget.map(|budget| tokens(budget, "options.budget")).transpose()?;
        Ok(limit(budget, &self.limits.read("options.model")?))
    }

    /// Returns the limits of the core, and the source of the budget.
    fn limits(self) -> Result<(Limits, Source)> {
        let Limit { tokens: budget, source } = self.limit()?;
        let previous = self.previous.map(|text| from_json(&text, "options.previous", Code::BadOption)).transpose()?;
        let pictures = self.pictures.map(|text| from_json(&text, "options", Code::BadOption)).transpose()?;
        let picture_bytes = self.picture_bytes.map(|bytes| tokens(bytes, "options.maxImageBytes")).transpose()?;
        let limits = Limits {
            budget,
            headroom: tokens(self.headroom, "options.headroom")?,
            keep: self.keep.into_iter().collect(),
            backfill: self.backfill,
            order: self.order,
            priorities: self.priorities.into_iter().collect(),
            note: self.note,
            sentences: (self.sentence_share > 0.0)
                .then_some(Sentences { share: self.sentence_share, excerpt: crate::compact::facts::excerpt }),
            previous,
            cache_step_share: self.cache_step_share,
            drop_media: self.drop_media,
            pictures: pictures.unwrap_or_default(),
            picture_bytes,
            written: self.counting.written(),
            receiver: self.receiver.map(|receiver| receiver.receiver()).transpose()?,
            records: Records::Sealed,
            thinking: self.thinking.map(|ids| ids.into_iter().collect()),
        };
        Ok((limits, source))
    }
}

/// The known limits of a model, in tokens.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct LimitOptions {
    max_prompt_tokens: Option<f64>,
    max_context_window_tokens: Option<f64>,
    output_reserve: Option<f64>,
    name: Option<String>,
}

impl LimitOptions {
    /// Checks the limits. `path` is the option that states them.
    pub fn read(&self, path: &str) -> Result<ModelLimits> {
        let known =
            |value: Option<f64>, name: &str| value.map(|value| tokens(value, &format!("{path}.{name}"))).transpose();
        let limits = ModelLimits {
            max_prompt_tokens: known(self.max_prompt_tokens, "maxPromptTokens")?,
            max_context_window_tokens: known(self.max_context_window_tokens, "maxContextWindowTokens")?,
            output_reserve: known(self.output_reserve, "outputReserve")?,
            ..ModelLimits::default()
        };
        Ok(self.name.as_deref().map_or(limits, |name| limits.named(name)))
    }
}

/// The report of pruning.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PruneReport {
    #[serde(flatten)]
    pruned: Pruned,
    budget: u64,
    /// The encoding that counted, or `host` for the host's own tokenizer. One of `EncodingName` or `host`.
    encoding: &'static str,
    cost_model: CostModel,
    limit_source: Source,
}

/// Cuts one request to a budget: returns a plan for the host's messages, and the report.
#[wasm_bindgen(js_name = "prunePlan")]
pub fn prune(conversation: JsValue, options: JsValue) -> std::result::Result<JsValue, JsValue> {
    let conversation = messages(conversation)?;
    into_parsed(&report(&conversation, PruneOptions::decode(options)?, None)?)
}

/// Cuts decoded messages: returns the plan, and the report without it. `pictures` are those of the results.
pub(super) fn pruned(
    conversation: &[Message],
    options: PruneOptions,
    pictures: Vec<Picture>,
) -> std::result::Result<(Vec<PlanItem>, JsValue), JsValue> {
    let mut report = report(conversation, options, Some(pictures))?;
    let plan = std::mem::take(&mut report.pruned.plan);
    let report = into_parsed(&report)?;
    js_sys::Reflect::delete_property(report.unchecked_ref::<js_sys::Object>(), &"plan".into())?;
    Ok((plan, report))
}

fn report(
    conversation: &[Message],
    options: PruneOptions,
    pictures: Option<Vec<Picture>>,
) -> std::result::Result<PruneReport, JsValue> {
    let counter = options.counting.counter().map_err(to_js)?;
    let (mut limits, limit_source) = options.limits().map_err(to_js)?;
    if let Some(pictures) = pictures {
        limits.pictures = pictures;
    }
    let pruned = core::prune(conversation, counter.meter(), counter.origin, &limits).map_err(to_js)?;
    Ok(PruneReport {
        pruned,
        budget: limits.budget,
        limit_source,
        encoding: counter.name,
        cost_model: counter.cost_model,
    })
}

/// A growing conversation with its counts: no message is counted twice.
#[wasm_bindgen]
pub struct HeldConversation {
    messages: Vec<Message>,
    counts: Vec<u64>,
    marks: Vec<u64>,
    origins: Vec<Origin>,
    ids: HashSet<String>,
    counting: Counting,
}

#[wasm_bindgen]
impl HeldConversation {
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> std::result::Result<HeldConversation, JsValue> {
        let counting: Counting = from_js(options, "options", Code::BadOption)?;
        counting.counter().map_err(to_js)?;
        Ok(HeldConversation {
            messages: vec![],
            counts: vec![],
            marks: vec![],
            origins: vec![],
            ids: HashSet::default(),
            counting,
        })
    }

    /// Removes all messages except the first `length`, then adds these.
    pub fn splice(&mut self, length: usize, added: JsValue) -> std::result::Result<(), JsValue> {
        let added = messages(added)?;
        let counter = self.counting.counter().map_err(to_js)?;
        for message in self.messages.drain(length.min(self.messages.len())..) {
            self.ids.remove(&message.id);
        }
        let length = self.messages.len();
        self.counts.truncate(length);
        self.marks.truncate(length);
        self.origins.truncate(length);
        if let Some(message) = added.iter().find(|message| self.ids.contains(&message.id)) {
            let error = Error::new(Code::DuplicateId, format!("two messages have the id {:?}", message.id));
            return Err(to_js(error.at("messages")));
        }
        for message in added {
            let cost = counter.cost_model.message(&message, &*counter.encoding);
            self.ids.insert(message.id.clone());
            self.counts.push(cost.tokens);
            self.origins.push(cost.origin);
            self.marks.push(core::fingerprint(&message));
            self.messages.push(message);
        }
        Ok(())
    }

    /// Like `prune`. The report is JSON text, which crosses faster when there are many messages.
    pub fn prune(&self, options: JsValue) -> std::result::Result<String, JsValue> {
        let options = PruneOptions::decode(options)?;
        let counter = options.counting.counter().map_err(to_js)?;
        let (limits, limit_source) = options.limits().map_err(to_js)?;
        reserve(self.messages.len() * REPORT);
        let origin = self.origins.iter().fold(counter.origin, |worst, &origin| worst.worst(origin));
        let pruned = core::prune_held(&self.messages, &self.counts, &self.marks, counter.meter(), origin, &limits)
            .map_err(to_js)?;
        let (encoding, cost_model) = (counter.name, counter.cost_model);
        into_json(&PruneReport { pruned, budget: limits.budget, encoding, cost_model, limit_source })
    }
}

/// Returns the maximum tokens of a request and its source: `{ tokens, source }`. All limits are in tokens.
#[wasm_bindgen(js_name = "limitOf")]
pub fn limit_of(budget: Option<f64>, limits: JsValue) -> std::result::Result<JsValue, JsValue> {
    let limits: LimitOptions = from_js(limits, "options.model", Code::BadOption)?;
    let budget = budget.map(|budget| tokens(budget, "options.budget")).transpose().map_err(to_js)?;
    into_js(&limit(budget, &limits.read("options.model").map_err(to_js)?))
}

/// Begins a request of `model` that may have `base` tokens if nothing was learned. State and tries cross as JSON text.
#[wasm_bindgen(js_name = "recoveryBegin")]
pub fn recovery_begin(
    state: &str,
    model: &str,
    base: f64,
    output_reserve: Option<f64>,
) -> std::result::Result<String, JsValue> {
    let state: Recovery = from_json(state, "recovery", Code::BadInput).map_err(to_js)?;
    let base = tokens(base, "base").map_err(to_js)?;
    let reserve = output_reserve.map(|reserve| tokens(reserve, "outputReserve")).transpose().map_err(to_js)?;
    into_json(&state.begin(model, base, reserve))
}

#[derive(Serialize)]
struct Refused {
    state: Recovery,
    tries: Tries,
    next: Next,
}

/// Applies a refusal: returns `{ state, tries, next }`.
#[wasm_bindgen(js_name = "recoveryRefused")]
pub fn recovery_refused(state: &str, tries: &str, refusal: &str) -> std::result::Result<String, JsValue> {
    let mut state: Recovery = from_json(state, "recovery", Code::BadInput).map_err(to_js)?;
    let mut tries: Tries = from_json(tries, "tries", Code::BadInput).map_err(to_js)?;
    let refusal: Refusal = from_json(refusal, "refusal", Code::BadInput).map_err(to_js)?;
    let next = state.refused(&mut tries, &refusal);
    into_json(&Refused { state, tries, next })
}

#[derive(Serialize)]
struct Took {
    state: Recovery,
    #[serde(skip_serializing_if = "Option::is_none")]
    silent: Option<SilentOverflow>,
}

/// Applies an answer: returns `{ state, silent? }`.
#[wasm_bindgen(js_name = "recoveryAccepted")]
pub fn recovery_accepted(state: &str, answer: &str) -> std::result::Result<String, JsValue> {
    let mut state: Recovery = from_json(state, "recovery", Code::BadInput).map_err(to_js)?;
    let answer: Accepted = from_json(answer, "answer", Code::BadInput).map_err(to_js)?;
    let silent = state.accepted(&answer);
    into_json(&Took { state, silent })
}

/// Approximate bytes of processing a message and reporting on it.
const REPORT: usize = 1_024;

/// Reserves memory in one step. Growing page by page is expensive beside a large JavaScript heap, which is then
/// garbage-collected repeatedly.
fn reserve(bytes: usize) {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(bytes)));
}

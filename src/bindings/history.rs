//! Counting and pruning conversations.

use std::rc::Rc;

use js_sys::Array;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::compact::of_held;
use super::decode::{from_js, from_json, into_js, into_json, into_parsed, options_from_js};
use super::error::JsResult;
use super::options::{Counter, Counting, messages, tokens};
use super::validity;
use crate::compact::held::Held as Beside;
use crate::compact::ledger::gist::Gists;
use crate::error::{Code, Result};
use crate::history::draft::Draft;
use crate::history::limits::{Limit, ModelLimits, Source, limit};
use crate::history::plan::{PlanItem, Totals};
use crate::history::prune::{self as core, Brief, Held, Limits, Pruned, Sentences};
use crate::history::record::Records;
use crate::history::recovery::{Accepted, Recovery, Refusal, Tries};
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
pub fn count_messages(conversation: JsValue, options: JsValue) -> JsResult {
    let conversation = messages(conversation)?;
    let options = Counting::of(&options)?;
    let counter = options.counter()?;
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

/// Options that are not those of the core.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Further {
    budget: Option<u64>,
    /// Limits of the model, for requests without a budget.
    #[serde(default)]
    limits: ModelLimits,
    #[serde(default)]
    sentence_share: f64,
    /// Whom the result is for, if that is known.
    receiver: Option<validity::Options>,
}

pub(super) struct PruneOptions {
    counting: Counting,
    pub limits: Limits,
    limit_source: Source,
}

impl PruneOptions {
    pub(super) fn decode(options: &JsValue) -> Result<PruneOptions> {
        let counting = Counting::of(options)?;
        let further: Further = options_from_js(options)?;
        let known = counting.model.as_deref().map_or(further.limits, |name| further.limits.named(name));
        let Limit { tokens: budget, source: limit_source } = limit(further.budget, &known);
        let share = Some(further.sentence_share).filter(|share| *share > 0.0);
        let limits = Limits {
            budget,
            sentences: share.map(|share| Sentences { share, excerpt: crate::compact::facts::excerpt }),
            written: counting.written(),
            receiver: further.receiver.map(validity::Options::receiver).transpose()?,
            records: Records::Sealed,
            ..options_from_js(options)?
        };
        Ok(PruneOptions { counting, limits, limit_source })
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
pub fn prune(conversation: JsValue, options: &JsValue) -> JsResult {
    let conversation = messages(conversation)?;
    into_parsed(&prune_all(&conversation, PruneOptions::decode(options)?)?)
}

fn prune_all(conversation: &[Message], options: PruneOptions) -> Result<PruneReport> {
    let prune = |counter: &Counter, limits: &Limits| {
        Ok((core::prune(conversation, counter.meter(), counter.origin, limits)?, ()))
    };
    Ok(report(options, prune)?.0)
}

/// Cuts decoded messages: returns the plan, and the report without it.
pub(super) fn pruned(conversation: &[Message], options: PruneOptions) -> JsResult<(Vec<PlanItem>, JsValue)> {
    let mut report = prune_all(conversation, options)?;
    let plan = std::mem::take(&mut report.pruned.plan);
    let report = into_parsed(&report)?;
    js_sys::Reflect::delete_property(report.unchecked_ref::<js_sys::Object>(), &"plan".into())?;
    Ok((plan, report))
}

/// Prunes by these options; returns the report, and what else `prune` returns.
fn report<E>(
    options: PruneOptions,
    prune: impl FnOnce(&Counter, &Limits) -> Result<(Pruned, E)>,
) -> Result<(PruneReport, E)> {
    let PruneOptions { counting, limits, limit_source } = options;
    let counter = counting.counter()?;
    let (pruned, further) = prune(&counter, &limits)?;
    let (encoding, cost_model) = (counter.name, counter.cost_model);
    Ok((PruneReport { pruned, budget: limits.budget, encoding, cost_model, limit_source }, further))
}

/// A report on messages that JavaScript has as well: its `plan` and `messages` are brief.
#[derive(Serialize)]
struct HeldReport {
    #[serde(flatten)]
    report: PruneReport,
    #[serde(flatten)]
    brief: Brief,
}

/// A growing conversation with its counts: no message is counted twice.
#[wasm_bindgen]
#[derive(Default)]
pub struct HeldConversation {
    held: Held,
    counting: Counting,
    /// What compactions computed about the messages.
    beside: Rc<Beside>,
    gists: Option<Rc<Gists>>,
}

#[wasm_bindgen]
impl HeldConversation {
    #[wasm_bindgen(constructor)]
    pub fn new(options: JsValue) -> JsResult<HeldConversation> {
        let counting = Counting::of(&options)?;
        counting.counter()?;
        Ok(HeldConversation { counting, ..HeldConversation::default() })
    }

    /// Removes all messages except the first `length`, then adds these. Returns the tokens of each added one.
    pub fn splice(&mut self, length: usize, added: JsValue) -> JsResult<Vec<f64>> {
        let counter = self.counting.counter()?;
        let counts = self.held.splice(length, messages(added)?, counter.meter())?;
        Ok(counts.iter().map(|&tokens| tokens as f64).collect())
    }

    /// Like `prune`. The report is JSON text, which crosses faster when there are many messages.
    pub fn prune(&self, options: JsValue) -> JsResult<String> {
        reserve(self.held.len() * REPORT);
        let (report, brief) = report(PruneOptions::decode(&options)?, |counter, limits| {
            self.held.prune(counter.meter(), counter.origin, limits)
        })?;
        into_json(&HeldReport { report, brief })
    }

    /// Like `beginCompaction`, but neither counts nor reads what an earlier call counted and read.
    #[wasm_bindgen(js_name = "beginCompaction", unchecked_return_type = "[string, Compaction | undefined]")]
    pub fn begin_compaction(&mut self, options: &JsValue) -> JsResult<Array> {
        let compaction = of_held(&self.held, Rc::clone(&self.beside), options)?;
        self.gists = Some(compaction.gists());
        compaction.first()
    }
}

/// Returns the maximum tokens of a request and its source: `{ tokens, source }`. All limits are in tokens.
#[wasm_bindgen(js_name = "limitOf")]
pub fn limit_of(budget: Option<f64>, limits: JsValue, model: Option<String>) -> JsResult {
    let limits: ModelLimits = from_js(limits, "options.model", Code::BadOption)?;
    let budget = budget.map(|budget| tokens(budget, "options.budget")).transpose()?;
    into_js(&limit(budget, &model.map_or(limits, |name| limits.named(&name))))
}

/// Begins a request of `model` that may have `base` tokens if nothing was learned. State and tries cross as JSON text.
#[wasm_bindgen(js_name = "recoveryBegin")]
pub fn recovery_begin(state: &str, model: &str, base: f64, output_reserve: Option<f64>) -> JsResult<String> {
    let state: Recovery = from_json(state, "recovery", Code::BadInput)?;
    let base = tokens(base, "base")?;
    let reserve = output_reserve.map(|reserve| tokens(reserve, "outputReserve")).transpose()?;
    into_json(&state.begin(model, base, reserve))
}

/// Applies a refusal: returns `[state, tries, next]`.
#[wasm_bindgen(js_name = "recoveryRefused")]
pub fn recovery_refused(state: &str, tries: &str, refusal: &str) -> JsResult<String> {
    let mut state: Recovery = from_json(state, "recovery", Code::BadInput)?;
    let mut tries: Tries = from_json(tries, "tries", Code::BadInput)?;
    let refusal: Refusal = from_json(refusal, "refusal", Code::BadInput)?;
    let next = state.refused(&mut tries, &refusal);
    into_json(&(state, tries, next))
}

/// Applies an answer: returns `[state, silent]`; `silent` may be null.
#[wasm_bindgen(js_name = "recoveryAccepted")]
pub fn recovery_accepted(state: &str, answer: &str) -> JsResult<String> {
    let mut state: Recovery = from_json(state, "recovery", Code::BadInput)?;
    let answer: Accepted = from_json(answer, "answer", Code::BadInput)?;
    let silent = state.accepted(&answer);
    into_json(&(state, silent))
}

/// Approximate bytes of processing a message and reporting on it.
const REPORT: usize = 1_024;

/// Reserves memory in one step. Growing page by page is expensive beside a large JavaScript heap, which is then
/// garbage-collected repeatedly.
fn reserve(bytes: usize) {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(bytes)));
}

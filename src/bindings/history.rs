//! Counting and pruning conversations.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::decode::{from_js, from_json, into_js, into_json, into_parsed, options_from_js};
use super::error::JsResult;
use super::options::{Counter, Counting, messages, tokens};
use super::validity;
use crate::error::{Code, Error, Result};
use crate::history::draft::Draft;
use crate::history::limits::{Limit, ModelLimits, Source, limit};
use crate::history::plan::{Fate, MessageFate, PlanItem, Totals};
use crate::history::prune::{self as core, Limits, Pruned, Sentences};
use crate::history::record::Records;
use crate::history::recovery::{Accepted, Recovery, Refusal, Tries};
use crate::history::sound::Sound;
use crate::map::HashMap;
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
    report(options, &|counter, limits| core::prune(conversation, counter.meter(), counter.origin, limits))
}

/// Cuts decoded messages: returns the plan, and the report without it.
pub(super) fn pruned(conversation: &[Message], options: PruneOptions) -> JsResult<(Vec<PlanItem>, JsValue)> {
    let mut report = prune_all(conversation, options)?;
    let plan = std::mem::take(&mut report.pruned.plan);
    let report = into_parsed(&report)?;
    js_sys::Reflect::delete_property(report.unchecked_ref::<js_sys::Object>(), &"plan".into())?;
    Ok((plan, report))
}

type Prune<'a> = &'a dyn Fn(&Counter, &Limits) -> Result<Pruned>;

fn report(options: PruneOptions, prune: Prune) -> Result<PruneReport> {
    let PruneOptions { counting, limits, limit_source } = options;
    let counter = counting.counter()?;
    let pruned = prune(&counter, &limits)?;
    Ok(PruneReport {
        pruned,
        budget: limits.budget,
        encoding: counter.name,
        cost_model: counter.cost_model,
        limit_source,
    })
}

/// A report on messages that JavaScript has as well: `plan` and `messages` are empty.
#[derive(Serialize)]
struct HeldReport {
    #[serde(flatten)]
    report: PruneReport,
    items: Vec<Item>,
    rows: Vec<Row>,
}

/// Items of a plan: the number of the first of several kept messages and their number, or one item.
#[derive(Serialize)]
#[serde(untagged)]
enum Item {
    Kept(usize, usize),
    One(PlanItem),
}

/// Rows of a report: first message, number, fate and rule of several that are whole or gone, or one row.
#[derive(Serialize)]
#[serde(untagged)]
enum Row {
    Same(usize, usize, Fate, Option<&'static str>),
    One(MessageFate),
}

/// A growing conversation with its counts: no message is counted twice.
#[wasm_bindgen]
#[derive(Default)]
pub struct HeldConversation {
    messages: Vec<Message>,
    counts: Vec<u64>,
    marks: Vec<u64>,
    origins: Vec<Origin>,
    sound: Sound,
    /// Numbers of the messages.
    ids: HashMap<String, usize>,
    counting: Counting,
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
        let added = messages(added)?;
        let counter = self.counting.counter()?;
        for message in self.messages.drain(length.min(self.messages.len())..) {
            self.ids.remove(&message.id);
        }
        let length = self.messages.len();
        if length < self.counts.len() {
            self.sound = Sound::default();
            self.messages.iter().for_each(|message| self.sound.push(message, None, counter.meter()));
        }
        self.counts.truncate(length);
        self.marks.truncate(length);
        self.origins.truncate(length);
        if let Some(message) = added.iter().find(|message| self.ids.contains_key(&message.id)) {
            let error = Error::new(Code::DuplicateId, format!("two messages have the id {:?}", message.id));
            return Err(error.at("messages").into());
        }
        for message in added {
            self.sound.push(&message, None, counter.meter());
            let cost = counter.cost_model.message(&message, &*counter.encoding);
            self.ids.insert(message.id.clone(), self.messages.len());
            self.counts.push(cost.tokens);
            self.origins.push(cost.origin);
            self.marks.push(core::fingerprint(&message));
            self.messages.push(message);
        }
        Ok(self.counts[length..].iter().map(|&tokens| tokens as f64).collect())
    }

    /// Like `prune`. The report is JSON text, which crosses faster when there are many messages, and contains only what
    /// JavaScript does not know: see [`HeldReport`].
    pub fn prune(&self, options: JsValue) -> JsResult<String> {
        reserve(self.messages.len() * REPORT);
        let mut report = report(PruneOptions::decode(&options)?, &|counter, limits| {
            let origin = self.origins.iter().fold(counter.origin, |worst, &origin| worst.worst(origin));
            core::prune_held(&self.messages, &self.counts, &self.marks, &self.sound, counter.meter(), origin, limits)
        })?;
        let items = self.items(std::mem::take(&mut report.pruned.plan));
        let rows = self.rows(std::mem::take(&mut report.pruned.messages));
        into_json(&HeldReport { report, items, rows })
    }
}

impl HeldConversation {
    fn items(&self, plan: Vec<PlanItem>) -> Vec<Item> {
        let mut items: Vec<Item> = Vec::new();
        let mut next = 0;
        for item in plan {
            let kept = match &item {
                PlanItem::Keep { id, joins: false } => self.number(id, next),
                _ => None,
            };
            next = kept.map_or(next, |number| number + 1);
            match (kept, items.last_mut()) {
                (Some(number), Some(Item::Kept(first, count))) if *first + *count == number => *count += 1,
                (Some(number), _) => items.push(Item::Kept(number, 1)),
                (None, _) => items.push(Item::One(item)),
            }
        }
        items
    }

    fn rows(&self, fates: Vec<MessageFate>) -> Vec<Row> {
        let mut rows: Vec<Row> = Vec::new();
        let mut next = 0;
        for fate in fates {
            let known = self.number(&fate.id, next).filter(|&number| {
                let left = if fate.fate == Fate::Kept { fate.before } else { 0 };
                let is_whole_or_gone = matches!(fate.fate, Fate::Kept | Fate::Dropped) && fate.after == left;
                is_whole_or_gone && fate.before == self.counts[number] && fate.role == self.messages[number].role
            });
            next = known.map_or(next, |number| number + 1);
            match (known, rows.last_mut()) {
                (Some(number), Some(Row::Same(first, count, same, rule)))
                    if *first + *count == number && (*same, *rule) == (fate.fate, fate.rule) =>
                {
                    *count += 1;
                }
                (Some(number), _) => rows.push(Row::Same(number, 1, fate.fate, fate.rule)),
                (None, _) => rows.push(Row::One(fate)),
            }
        }
        rows
    }

    /// Returns the number of a message, which is `next` more often than not.
    fn number(&self, id: &str, next: usize) -> Option<usize> {
        let is_next = self.messages.get(next).is_some_and(|message| message.id == id);
        if is_next { Some(next) } else { self.ids.get(id).copied() }
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

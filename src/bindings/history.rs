//! Counting and pruning conversations.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::decode::{from_js, into_js};
use super::error::to_js;
use super::options::{Counting, messages, tokens};
use crate::error::{Code, Error, Result};
use crate::history::draft::Draft;
use crate::history::limits::{Limit, ModelLimits, Source, limit};
use crate::history::plan::Totals;
use crate::history::prune::{self as core, Cut, DropMedia, Limits, Pass, Pruned};
use crate::history::recovery::{Accepted, Next, Recovery, Refusal, SilentOverflow, Tries};
use crate::message::{Message, Role};
use crate::tokens::{CostModel, EncodingName, Origin, ToolCost};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct CountReport {
    #[serde(flatten)]
    totals: Totals,
    encoding: EncodingName,
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

/// What a conversation costs, in all and message by message.
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
    into_js(&CountReport {
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
struct PruneOptions {
    #[serde(flatten)]
    counting: Counting,
    #[serde(default)]
    budget: Option<f64>,
    #[serde(default)]
    model_limits: ModelLimits,
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
    previous: Option<Cut>,
    #[serde(default)]
    cache_step: f64,
    #[serde(default)]
    drop_media: DropMedia,
}

impl PruneOptions {
    fn decode(options: JsValue) -> std::result::Result<PruneOptions, JsValue> {
        from_js(options, "options", Code::BadOption)
    }

    /// The limits, and who said so.
    fn limits(self) -> Result<(Limits, Source)> {
        let budget = self.budget.map(|budget| tokens(budget, "options.budget")).transpose()?;
        let Limit { tokens: budget, source } = limit(budget, &self.model_limits);
        let limits = Limits {
            budget,
            headroom: tokens(self.headroom, "options.headroom")?,
            keep: self.keep.into_iter().collect(),
            backfill: self.backfill,
            order: self.order,
            priorities: self.priorities.into_iter().collect(),
            note: self.note,
            previous: self.previous,
            cache_step: self.cache_step,
            drop_media: self.drop_media,
        };
        Ok((limits, source))
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PruneReport {
    #[serde(flatten)]
    pruned: Pruned,
    budget: u64,
    limit_source: Source,
    encoding: EncodingName,
    cost_model: CostModel,
}

/// Cuts one request to a budget.
#[wasm_bindgen]
pub fn prune(conversation: JsValue, options: JsValue) -> std::result::Result<JsValue, JsValue> {
    let conversation = messages(conversation)?;
    let options = PruneOptions::decode(options)?;
    let counter = options.counting.counter().map_err(to_js)?;
    let (limits, limit_source) = options.limits().map_err(to_js)?;
    let pruned = core::prune(&conversation, counter.meter(), counter.origin, &limits).map_err(to_js)?;
    let (budget, encoding, cost_model) = (limits.budget, counter.name, counter.cost_model);
    into_js(&PruneReport { pruned, budget, limit_source, encoding, cost_model })
}

/// A conversation that grows, with its counts: what was counted once is not counted again.
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
            ids: HashSet::new(),
            counting,
        })
    }

    /// Forgets all messages but the first `length`, then adds these.
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

    /// As `prune`; the report comes as JSON text, which crosses faster when there are many messages.
    pub fn prune(&self, options: JsValue) -> std::result::Result<String, JsValue> {
        let options = PruneOptions::decode(options)?;
        let counter = options.counting.counter().map_err(to_js)?;
        let (limits, limit_source) = options.limits().map_err(to_js)?;
        let origin = self.origins.iter().fold(counter.origin, |worst, &origin| worst.worst(origin));
        let pruned = core::prune_held(&self.messages, &self.counts, &self.marks, counter.meter(), origin, &limits)
            .map_err(to_js)?;
        let (budget, encoding, cost_model) = (limits.budget, counter.name, counter.cost_model);
        let report = PruneReport { pruned, budget, limit_source, encoding, cost_model };
        serde_json::to_string(&report).map_err(|error| to_js(Error::new(Code::BadInput, error.to_string())))
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LimitOptions {
    #[serde(default)]
    budget: Option<f64>,
    #[serde(default)]
    model_limits: ModelLimits,
}

/// What a request may have and who says so: `{ tokens, source }`.
#[wasm_bindgen(js_name = "limitOf")]
pub fn limit_of(options: JsValue) -> std::result::Result<JsValue, JsValue> {
    let LimitOptions { budget, model_limits } = from_js(options, "options", Code::BadOption)?;
    let budget = budget.map(|budget| tokens(budget, "options.budget")).transpose().map_err(to_js)?;
    into_js(&limit(budget, &model_limits))
}

/// What happens to requests, as JavaScript tells it.
#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "camelCase", rename_all_fields = "camelCase")]
enum Event {
    /// Answered by `tries`.
    Begin {
        model: String,
        base: f64,
        output_reserve: Option<f64>,
    },
    /// Answered by `tries` and `next`.
    Refused {
        tries: Tries,
        refusal: Refusal,
    },
    /// Answered by `silent`, if there was something to notice.
    Accepted {
        answer: Accepted,
    },
    Clear {
        model: String,
    },
}

#[derive(Serialize)]
struct Recovered {
    state: Recovery,
    #[serde(skip_serializing_if = "Option::is_none")]
    tries: Option<Tries>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<Next>,
    #[serde(skip_serializing_if = "Option::is_none")]
    silent: Option<SilentOverflow>,
}

/// Takes an event into what was learned of models (`undefined` to begin): `{ state, tries?, next?, silent? }`.
#[wasm_bindgen]
pub fn recover(state: JsValue, event: JsValue) -> std::result::Result<JsValue, JsValue> {
    let mut state: Recovery = if state.is_undefined() || state.is_null() {
        Recovery::default()
    } else {
        from_js(state, "recovery", Code::BadInput)?
    };
    let (mut tries, mut next, mut silent) = (None, None, None);
    match from_js(event, "event", Code::BadInput)? {
        Event::Begin { model, base, output_reserve } => {
            let base = tokens(base, "event.base").map_err(to_js)?;
            let reserve = output_reserve.map(|reserve| tokens(reserve, "event.outputReserve")).transpose();
            tries = Some(state.begin(&model, base, reserve.map_err(to_js)?));
        }
        Event::Refused { tries: mut of_request, refusal } => {
            next = Some(state.refused(&mut of_request, &refusal));
            tries = Some(of_request);
        }
        Event::Accepted { answer } => silent = state.accepted(&answer),
        Event::Clear { model } => state.clear(&model),
    }
    into_js(&Recovered { state, tries, next, silent })
}

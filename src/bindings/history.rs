//! Counting and pruning conversations.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::decode::{from_js, into_js};
use super::error::to_js;
use super::options::{Counting, messages, tokens};
use crate::error::Code;
use crate::history::draft::Draft;
use crate::history::plan::Totals;
use crate::history::prune::{Limits, Pruned};
use crate::message::Role;
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
pub fn count_messages(conversation: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
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
    budget: f64,
    #[serde(default)]
    headroom: f64,
    #[serde(default)]
    keep: Vec<String>,
    #[serde(default)]
    backfill: bool,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PruneReport {
    #[serde(flatten)]
    pruned: Pruned,
    budget: u64,
    encoding: EncodingName,
    cost_model: CostModel,
}

/// Cuts one request to a budget.
#[wasm_bindgen]
pub fn prune(conversation: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
    let conversation = messages(conversation)?;
    let options: PruneOptions = from_js(options, "options", Code::BadOption)?;
    let limits = Limits {
        budget: tokens(options.budget, "options.budget").map_err(to_js)?,
        headroom: tokens(options.headroom, "options.headroom").map_err(to_js)?,
        keep: options.keep.into_iter().collect(),
        backfill: options.backfill,
    };
    let counter = options.counting.counter().map_err(to_js)?;
    let pruned =
        crate::history::prune::prune(&conversation, counter.meter(), counter.origin, &limits).map_err(to_js)?;
    into_js(&PruneReport { pruned, budget: limits.budget, encoding: counter.name, cost_model: counter.cost_model })
}

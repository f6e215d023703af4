//! Cache marks, shared prefixes and their prices.

use js_sys::Array;
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::decode::{from_js, into_js, item_from_js, options_from_js};
use super::error::JsResult;
use super::options::{Counting, messages};
use crate::cache::{self as core, Comparison, FateRow, Layout, Lifetime, PartFact, Prices, ToolFact};
use crate::error::Code;
use crate::message::Message;
use crate::tokens::{Cost, CostModel, Tokenizer, prior_factor};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MarkOptions {
    /// Id of the newest summary; summaries of this package are recognised without it.
    summary: Option<String>,
    /// The model whose tokens the minimum is in, if known.
    minimum_model: Option<String>,
}

/// Facts are numbers, because there may be one for each part of a long conversation: 0 for no mark, 1 for one of five
/// minutes, 2 for one of an hour.
fn mark(number: u32) -> Option<Lifetime> {
    match number {
        0 => None,
        1 => Some(Lifetime::FiveMinutes),
        _ => Some(Lifetime::OneHour),
    }
}

/// A tokenizer for operations that count nothing.
struct Nothing;

impl Tokenizer for Nothing {
    fn count(&self, _: &str) -> u64 {
        0
    }
}

/// Places cache marks: JavaScript has removed the marks from the
/// messages and passes them as facts. `tool_facts` has two numbers for each tool (1 if it is
/// deferred, its mark), `part_facts` four for each part that differs from the default (message, part + 1, 1 if it can
/// carry a mark, its mark).
#[wasm_bindgen(js_name = "placeMarks")]
pub fn place_marks(
    conversation: JsValue,
    counting: JsValue,
    given: JsValue,
    tool_facts: &[u32],
    part_facts: &[u32],
) -> JsResult {
    let conversation = messages(conversation)?;
    let counting = Counting::of(&counting)?;
    let options: MarkOptions = options_from_js(&given)?;
    let factor = options.minimum_model.as_deref().map_or(1.0, prior_factor);
    let tool_fact = |fact: &[u32; 2]| ToolFact { deferred: fact[0] == 1, mark: mark(fact[1]) };
    let part_fact = |fact: &[u32; 4]| PartFact {
        message: fact[0] as usize,
        part: fact[1].checked_sub(1).map(|part| part as usize),
        can: fact[2] == 1,
        mark: mark(fact[3]),
    };
    let mut layout: Layout = options_from_js(&given)?;
    layout.tools = tool_facts.as_chunks().0.iter().map(tool_fact).collect();
    layout.parts = part_facts.as_chunks().0.iter().map(part_fact).collect();
    layout.summary = core::newest_summary(&conversation, options.summary.as_deref());
    layout.minimum = (layout.minimum as f64 / factor).ceil() as u64;
    let tools = counting.tools();
    let placed = if layout.minimum == 0 {
        core::place(&conversation, tools, &layout, CostModel::default(), &Nothing)
    } else {
        let counter = counting.counter()?;
        core::place(&conversation, tools, &layout, counter.cost_model, counter.meter().tokenizer)
    };
    into_js(&placed)
}

/// Returns the minimum tokens of a prefix that a model's provider caches.
#[wasm_bindgen(js_name = "minimumPrefix")]
pub fn minimum_prefix(model: &str) -> f64 {
    core::minimum_prefix(model) as f64
}

/// The reports of the two requests, if the host has them.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Reports {
    rows: Option<Vec<FateRow>>,
    previous_rows: Option<Vec<FateRow>>,
}

/// Returns the prefix that two requests share. Messages are decoded in pairs, and no further than the first difference.
/// `identical` messages at the beginning are the same host objects in both; `counts` are the costs of the newer
/// request's messages, or empty.
#[wasm_bindgen(js_name = "stablePrefix")]
pub fn stable_prefix(
    previous: &Array,
    next: &Array,
    previous_counting: JsValue,
    counting: JsValue,
    reports: JsValue,
    identical: u32,
    counts: &[f64],
) -> JsResult {
    let before = Counting::of(&previous_counting)?;
    let counting = Counting::of(&counting)?;
    let reports: Reports = options_from_js(&reports)?;
    let counter = counting.counter()?;
    let mut comparison = Comparison::new(counter.cost_model, &*counter.tokenizer);
    comparison.tools(before.tools(), counting.tools());
    let newer = |at: u32| item_from_js::<Message>(next, at, "messages", Code::BadMessage);
    for at in 0.. {
        let counted = counts.get(at as usize).map(|count| Cost::exact(*count as u64));
        if at < identical && at < next.length() {
            let cost = match counted {
                Some(cost) => cost,
                None => newer(at)?.map_or(Cost::ZERO, |it| counter.cost_model.message(&it, &*counter.tokenizer)),
            };
            comparison.same(cost);
            continue;
        }
        let older = item_from_js::<Message>(previous, at, "previous", Code::BadMessage)?;
        if !comparison.step(older.as_ref(), newer(at)?.as_ref(), counted) {
            break;
        }
    }
    let mut shared = comparison.finish();
    shared.origin = shared.origin.worst(counter.origin);
    if let Some(rows) = &reports.rows {
        shared.blame(rows, reports.previous_rows.as_deref().unwrap_or_default());
    }
    into_js(&shared)
}

/// Returns the expected cost of a request.
#[wasm_bindgen(js_name = "cacheCost")]
pub fn cache_cost(prices: JsValue, total: f64, shared: f64, marked: f64, output: f64, hit_rate: f64) -> JsResult {
    let prices: Prices = from_js(prices, "prices", Code::BadOption)?;
    let [total, shared, marked, output] = [total, shared, marked, output].map(|tokens| tokens as u64);
    into_js(&core::expected_cost(prices, total, shared, marked, output, hit_rate)?)
}

/// Decides whether it pays to clear a part of a cached prefix.
#[wasm_bindgen(js_name = "clearingPays")]
pub fn clearing_pays(prices: JsValue, plan: JsValue) -> JsResult {
    let prices: Prices = from_js(prices, "prices", Code::BadOption)?;
    into_js(&core::clearing(prices, options_from_js(&plan)?)?)
}

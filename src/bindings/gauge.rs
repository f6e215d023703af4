//! Calibration and the breakdown. A calibration is plain data that the host keeps, so a lost instance loses nothing.

use serde::Deserialize;
use wasm_bindgen::prelude::*;

use super::decode::{from_js, into_js, options_from_js};
use super::error::JsResult;
use super::options::{Counting, messages, tokens};
use crate::error::Code;
use crate::message::{Part, Role};
use crate::tokens::{self as core, Calibration, Label, Request, Room};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct BreakdownOptions {
    #[serde(default)]
    room: Room,
    /// Tags of user text and the label of their content; by default a table of common ones.
    tags: Option<Vec<(String, Label)>>,
}

/// Returns the tokens of a request by category.
#[wasm_bindgen]
pub fn breakdown(conversation: JsValue, options: JsValue) -> JsResult {
    let conversation = messages(conversation)?;
    let counting = Counting::of(&options)?;
    let options: BreakdownOptions = options_from_js(&options)?;
    let counter = counting.counter()?;
    let own: Option<Vec<(&str, Label)>> =
        options.tags.as_ref().map(|tags| tags.iter().map(|(tag, label)| (tag.as_str(), *label)).collect());
    let tags = own.as_deref().unwrap_or(core::TAGS);
    let tools = counting.tools();
    let mut split = core::breakdown(&conversation, tools, counter.cost_model, tags, options.room, &*counter.tokenizer);
    split.origin = split.origin.worst(counter.origin);
    into_js(&split)
}

/// Returns the cost of one part alone: `{ tokens, origin }`.
#[wasm_bindgen(js_name = "countPart")]
pub fn count_part(part: JsValue, role: JsValue, options: JsValue) -> JsResult {
    let part: Part = from_js(part, "part", Code::BadInput)?;
    let role: Role = from_js(role, "options.role", Code::BadOption)?;
    let options = Counting::of(&options)?;
    let counter = options.counter()?;
    let mut cost = counter.cost_model.part(role, &part, &*counter.tokenizer);
    cost.origin = cost.origin.worst(counter.origin);
    into_js(&cost)
}

/// Records a request in a calibration (`undefined` to begin one for `model`): returns the new state.
#[wasm_bindgen(js_name = "calibrationSent")]
pub fn calibration_sent(state: JsValue, model: &str, request: JsValue) -> JsResult {
    let mut state = calibration(state, model)?;
    state.sent(from_js::<Request>(request, "request", Code::BadInput)?);
    into_js(&state)
}

/// Learns from the provider's count of request `id`: returns `[state, outcome]`.
#[wasm_bindgen(js_name = "calibrationReported")]
pub fn calibration_reported(state: JsValue, model: &str, id: &str, reported: f64) -> JsResult {
    let mut state = calibration(state, model)?;
    let outcome = state.report(id, tokens(reported, "report.tokens")?);
    into_js(&(state, outcome))
}

/// Predicts the provider's count if ours is `counted` tokens: `{ tokens, bound, origin }`.
#[wasm_bindgen]
pub fn predict(state: JsValue, model: &str, counted: f64) -> JsResult {
    let counted = tokens(counted, "tokens")?;
    into_js(&calibration(state, model)?.predict(counted))
}

/// Returns the provider's tokens for each of ours, according to a calibration.
#[wasm_bindgen(js_name = "calibratedFactor")]
pub fn calibrated_factor(state: JsValue, model: &str) -> JsResult<f64> {
    Ok(calibration(state, model)?.k())
}

/// Returns a calibration that begins with a factor learned earlier.
#[wasm_bindgen(js_name = "calibrationFrom")]
pub fn calibration_from(model: &str, factor: f64) -> JsResult {
    into_js(&Calibration::with_k(model, factor))
}

fn calibration(state: JsValue, model: &str) -> JsResult<Calibration> {
    if state.is_undefined() || state.is_null() {
        return Ok(Calibration::new(model));
    }
    Ok(from_js(state, "calibration", Code::BadInput)?)
}

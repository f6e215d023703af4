//! Calibration and the breakdown. A calibration is plain data that the host keeps, so a lost instance loses nothing.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::decode::{from_js, into_js};
use super::error::to_js;
use super::options::{Counting, messages, tokens};
use crate::error::Code;
use crate::message::{Part, Role};
use crate::tagged::needed;
use crate::tokens::{self as core, Calibration, Label, Outcome, Request, Room};

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
pub fn breakdown(conversation: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
    let conversation = messages(conversation)?;
    let counting: Counting = from_js(options.clone(), "options", Code::BadOption)?;
    let options: BreakdownOptions = from_js(options, "options", Code::BadOption)?;
    let counter = counting.counter().map_err(to_js)?;
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
pub fn count_part(part: JsValue, role: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
    let part: Part = from_js(part, "part", Code::BadInput)?;
    let role: Role = from_js(role, "options.role", Code::BadOption)?;
    let options: Counting = from_js(options, "options", Code::BadOption)?;
    let counter = options.counter().map_err(to_js)?;
    let mut cost = counter.cost_model.part(role, &part, &*counter.tokenizer);
    cost.origin = cost.origin.worst(counter.origin);
    into_js(&cost)
}

/// An event between host and provider.
enum Event {
    Sent { id: String, model: String, frame: String, tokens: f64 },
    Reported { id: String, tokens: f64 },
}

espalier_core::tagged! {
    Event { id = "id": String, model = "model": String, frame = "frame": String, tokens = "tokens": f64 }
    "sent" [id, model, frame, tokens] => Event::Sent {
        id: needed(id, "id")?,
        model: needed(model, "model")?,
        frame: frame.unwrap_or_default(),
        tokens: needed(tokens, "tokens")?,
    },
    "reported" [id, tokens] => Event::Reported { id: needed(id, "id")?, tokens: needed(tokens, "tokens")? },
}

#[derive(Serialize)]
struct Calibrated {
    state: Calibration,
    #[serde(skip_serializing_if = "Option::is_none")]
    outcome: Option<Outcome>,
}

/// Applies an event to a calibration (`undefined` to begin one for `model`): returns `{ state, outcome? }`.
#[wasm_bindgen]
pub fn calibrate(state: JsValue, model: &str, event: JsValue) -> Result<JsValue, JsValue> {
    let mut state = calibration(state, model)?;
    let outcome = match from_js(event, "event", Code::BadInput)? {
        Event::Sent { id, model, frame, tokens: counted } => {
            let tokens = tokens(counted, "event.tokens").map_err(to_js)?;
            state.sent(Request { id, model, frame, tokens });
            None
        }
        Event::Reported { id, tokens: reported } => {
            Some(state.report(&id, tokens(reported, "event.tokens").map_err(to_js)?))
        }
    };
    into_js(&Calibrated { state, outcome })
}

/// Predicts the provider's count if ours is `counted` tokens: `{ tokens, bound, origin }`.
#[wasm_bindgen]
pub fn predict(state: JsValue, model: &str, counted: f64) -> Result<JsValue, JsValue> {
    let counted = tokens(counted, "tokens").map_err(to_js)?;
    into_js(&calibration(state, model)?.predict(counted))
}

/// Returns the provider's tokens for each of ours, according to a calibration.
#[wasm_bindgen(js_name = "calibratedFactor")]
pub fn calibrated_factor(state: JsValue, model: &str) -> Result<f64, JsValue> {
    Ok(calibration(state, model)?.k())
}

/// Returns a calibration that begins with a factor learned earlier.
#[wasm_bindgen(js_name = "calibrationFrom")]
pub fn calibration_from(model: &str, factor: f64) -> Result<JsValue, JsValue> {
    into_js(&Calibration::with_k(model, factor))
}

fn calibration(state: JsValue, model: &str) -> Result<Calibration, JsValue> {
    if state.is_undefined() || state.is_null() {
        return Ok(Calibration::new(model));
    }
    from_js(state, "calibration", Code::BadInput)
}

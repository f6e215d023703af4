//! Calibration and the breakdown. A calibration is plain data that the host keeps: nothing is lost with an instance.

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
    /// Tags of user text and what they hold; without it a table of common ones.
    tags: Option<Vec<(String, Label)>>,
}

/// Where the tokens of a request go.
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

/// What one part costs by itself: `{ tokens, origin }`.
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

/// What happened between host and provider.
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

/// Takes an event into a calibration (`undefined` to begin one for `model`): `{ state, outcome? }`.
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

/// What the provider will count where we count `counted` tokens: `{ tokens, bound, origin }`.
#[wasm_bindgen]
pub fn predict(state: JsValue, model: &str, counted: f64) -> Result<JsValue, JsValue> {
    let counted = tokens(counted, "tokens").map_err(to_js)?;
    into_js(&calibration(state, model)?.predict(counted))
}

/// Tokens of the provider for each of ours, as far as a calibration knows.
#[wasm_bindgen(js_name = "calibratedFactor")]
pub fn calibrated_factor(state: JsValue, model: &str) -> Result<f64, JsValue> {
    Ok(calibration(state, model)?.k())
}

/// A calibration that begins with a factor learned before.
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

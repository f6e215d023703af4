//! The machine of a conversation. JavaScript keeps its state as JSON text, so that a lost instance can be created
//! again.

use wasm_bindgen::prelude::*;

use super::decode::{from_js, from_json, into_json};
use super::error::JsResult;
use super::log::EventLog;
use crate::compact::profile::Profile;
use crate::conversation::{Event, Machine, State};
use crate::error::Code;

/// See `conversation::Machine`.
#[wasm_bindgen]
pub struct ConversationMachine {
    inner: Machine,
}

#[wasm_bindgen]
impl ConversationMachine {
    /// Creates a machine. `profile` is the JSON text of a name or of fields, `state` the last result of `step`.
    #[wasm_bindgen(constructor)]
    pub fn new(profile: &str, state: &str) -> JsResult<ConversationMachine> {
        let profile = Profile::read(profile, "options.profile")?;
        let state: State = from_json(state, "state", Code::BadInput)?;
        Ok(ConversationMachine { inner: Machine::new(profile, state)? })
    }

    /// Handles an event. Returns its answer and the new state, both as JSON text; an event that changes nothing returns
    /// no state.
    pub fn step(&mut self, log: &mut EventLog, event: JsValue, time: f64) -> JsResult<Vec<String>> {
        let event: Event = from_js(event, "event", Code::BadInput)?;
        let changes = event.changes();
        let answer = self.inner.step(log.inner_mut(), event, time as i64)?;
        let state = changes.then(|| into_json(self.inner.state())).transpose()?;
        Ok([into_json(&answer)?].into_iter().chain(state).collect())
    }
}

//! Messages of a conversation at the boundary. `js/search/message-index.ts` checks the arguments.

use espalier_count::error::{put, to_js};
use espalier_search::{FoundMessage, Message, Messages, Speaker};
use js_sys::{Array, Object};
use wasm_bindgen::prelude::*;

/// An index over the messages of a conversation.
#[wasm_bindgen]
#[derive(Default)]
pub struct MessageIndex {
    messages: Messages,
}

#[wasm_bindgen]
impl MessageIndex {
    #[wasm_bindgen(constructor)]
    pub fn new() -> MessageIndex {
        MessageIndex::default()
    }

    /// Adds a message, or replaces the one with its id. `speaker`: 0 system, 1 user, 2 assistant, 3 tool.
    pub fn put(
        &mut self,
        id: &str,
        number: u32,
        round: u32,
        speaker: u8,
        about: &str,
        text: &str,
    ) -> Result<(), JsValue> {
        let speaker = match speaker {
            0 => Speaker::System,
            1 => Speaker::User,
            2 => Speaker::Assistant,
            _ => Speaker::Tool,
        };
        self.messages.put(Message { id, number, round, speaker, about, text }).map_err(to_js)
    }

    /// Removes a message. Returns false if it was not there.
    pub fn remove(&mut self, id: &str) -> bool {
        self.messages.remove(id)
    }

    /// Returns rounds that answer a question, best first.
    pub fn search(&self, query: &str, max: u32) -> Array {
        self.messages.search(query, max as usize).iter().map(found).collect()
    }
}

fn found(one: &FoundMessage<'_>) -> JsValue {
    let ids = |list: &[&str]| -> Array { list.iter().map(|id| JsValue::from_str(id)).collect() };
    let object: JsValue = Object::new().into();
    put(&object, "id", one.id.into());
    put(&object, "score", one.score.into());
    put(&object, "start", (one.start as f64).into());
    put(&object, "end", (one.end as f64).into());
    put(&object, "with", ids(&one.with).into());
    put(&object, "repeats", ids(&one.repeats).into());
    object
}

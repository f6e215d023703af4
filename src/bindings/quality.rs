//! Measures how much of a history other messages retain.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::decode::{into_js, options_from_js};
use super::error::JsResult;
use super::options::{Counting, messages};
use crate::compact::ledger::Rules;
use crate::compact::quality::{Needed, Quality, needed_later, quality as measured};

#[derive(Deserialize)]
struct Options {
    ledger: Rules,
    /// A model's text in the view.
    summary: Option<String>,
}

/// What a view retains of a history, and what of it was needed.
#[derive(Serialize)]
struct Measured {
    #[serde(flatten)]
    quality: Quality,
    /// With `continuation`: number of facts outside the view that were used again, and how many of those the view
    /// holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    needed: Option<Needed>,
}

/// Measures a view against its history and, given the messages after both, how much of the messages outside the view
/// was needed.
#[wasm_bindgen]
pub fn quality(history: JsValue, view: JsValue, continuation: JsValue, options: JsValue) -> JsResult {
    let counting = Counting::of(&options)?;
    let Options { ledger, summary } = options_from_js(&options)?;
    let counter = counting.counter()?;
    let history = messages(history)?;
    let view = messages(view)?;
    let quality = measured(&history, &view, &ledger, summary.as_deref(), &*counter.tokenizer);
    let needed = if continuation.is_undefined() {
        None
    } else {
        let later = messages(continuation)?;
        let shown: crate::map::HashSet<&str> = view.iter().map(|message| message.id.as_str()).collect();
        let covered: Vec<_> = history.iter().filter(|message| !shown.contains(message.id.as_str())).cloned().collect();
        Some(needed_later(&covered, &view, &later, &ledger))
    };
    into_js(&Measured { quality, needed })
}

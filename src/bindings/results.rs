//! All tool results of a request: an operation that names each result to shorten or clear, and accepts where the host
//! has stored it.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use super::decode::{into_js, options_from_js};
use super::error::JsResult;
use super::options::{Counter, Counting, messages};
use crate::compact::results::{Done, Results};
use crate::tokens::CostModel;

/// The report of smaller tool results.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    #[serde(flatten)]
    done: Done,
    /// The encoding that counted, or `host` for the host's own tokenizer. One of `EncodingName` or `host`.
    encoding: &'static str,
    cost_model: CostModel,
}

/// See [`Results`]. `next` and `settle` alternate while the host stores results; `finish` returns the plan.
#[wasm_bindgen]
pub struct ResultEdits {
    inner: Option<Results>,
    encoding: &'static str,
    cost_model: CostModel,
}

#[wasm_bindgen]
impl ResultEdits {
    #[wasm_bindgen(constructor)]
    pub fn new(conversation: JsValue, options: &JsValue) -> JsResult<ResultEdits> {
        let conversation = messages(conversation)?;
        let counting = Counting::of(options)?;
        let Counter { name: encoding, tokenizer, cost_model, tools, origin, .. } = counting.counter()?;
        let inner = Results::new(conversation, tools.total, cost_model, tokenizer, origin, options_from_js(options)?);
        Ok(ResultEdits { inner: Some(inner), encoding, cost_model })
    }

    /// Returns the next result to replace; `undefined` at the end.
    #[wasm_bindgen(js_name = next)]
    pub fn following(&mut self) -> JsResult {
        into_js(&self.inner.as_mut().and_then(Results::next))
    }

    /// Sets where the result is stored; without that it stays.
    pub fn settle(&mut self, recall: Option<String>) {
        if let Some(inner) = &mut self.inner {
            inner.settle(recall.as_deref());
        }
    }

    /// Returns plan and report, once.
    pub fn finish(&mut self) -> JsResult {
        let (encoding, cost_model) = (self.encoding, self.cost_model);
        into_js(&self.inner.take().map(|inner| Report { done: inner.finish(), encoding, cost_model }))
    }
}

//! All tool results of a request: an operation that names each result to shorten or clear, and accepts where the host
//! has stored it.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::decode::{from_js, from_json, into_js};
use super::error::to_js;
use super::options::{Counting, messages};
use crate::compact::results::{Clearing, Done, Exempt, Options, Results, Rule, Style};
use crate::error::Code;
use crate::tokens::CostModel;

/// Numbers are checked in JavaScript.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResultOptions {
    rule: RuleName,
    /// Maximum tokens of all results; for `clear`, of the request.
    budget: Option<f64>,
    level: Option<f64>,
    #[serde(default)]
    max_result_tokens: f64,
    #[serde(default)]
    min_request_tokens: f64,
    #[serde(default)]
    newest: u32,
    #[serde(default)]
    rounds: u32,
    min_kept_tokens: Option<f64>,
    min_freed_tokens: Option<f64>,
    /// True if counts and texts follow gemini-cli.
    gemini: bool,
    #[serde(default)]
    skip_latest: bool,
    exempt: Option<Vec<String>>,
    keep: Vec<String>,
    /// Message, part, JSON.
    bodies: Vec<(String, u32, String)>,
    /// JSON text.
    pictures: Option<String>,
    picture_bytes: Option<f64>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum RuleName {
    WaterLevel,
    NewestFirst,
    Clear,
}

impl ResultOptions {
    fn rule(&self) -> Rule {
        let whole = |number: Option<f64>| number.map(|number| number as u64);
        let budget = whole(self.budget);
        match self.rule {
            RuleName::WaterLevel => Rule::Level { budget: budget.unwrap_or(0), previous: whole(self.level) },
            RuleName::NewestFirst => {
                Rule::NewestFirst { budget: budget.unwrap_or(0), cap: self.max_result_tokens as u64 }
            }
            RuleName::Clear => Rule::Clear(Clearing {
                min_request_tokens: self.min_request_tokens as u64,
                newest: self.newest as usize,
                rounds: self.rounds as usize,
                min_kept_tokens: whole(self.min_kept_tokens),
                min_freed_tokens: whole(self.min_freed_tokens),
                budget,
                skip_latest: self.skip_latest,
                gross: self.gemini,
            }),
        }
    }
}

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
    pub fn new(conversation: JsValue, options: JsValue) -> Result<ResultEdits, JsValue> {
        let conversation = messages(conversation)?;
        let counting: Counting = from_js(options.clone(), "options", Code::BadOption)?;
        let options: ResultOptions = from_js(options, "options", Code::BadOption)?;
        let counter = counting.counter().map_err(to_js)?;
        let rule = options.rule();
        let pictures = options.pictures.map(|text| from_json(&text, "options", Code::BadOption)).transpose();
        let inner = Results::new(
            conversation,
            counter.tools.total,
            counter.cost_model,
            counter.tokenizer,
            counter.origin,
            Options {
                rule,
                style: if options.gemini { Style::GeminiCli } else { Style::Espalier },
                exempt: options.exempt.map_or(Exempt::Usual, |names| Exempt::Names(names.into_iter().collect())),
                keep: options.keep.into_iter().collect(),
                pictures: pictures.map_err(to_js)?.unwrap_or_default(),
                picture_bytes: options.picture_bytes.map(|bytes| bytes as u64),
                bodies: options.bodies.into_iter().map(|(id, part, body)| ((id, part as usize), body)).collect(),
            },
        );
        Ok(ResultEdits { inner: Some(inner), encoding: counter.name, cost_model: counter.cost_model })
    }

    /// Returns the next result to replace; `undefined` at the end.
    #[wasm_bindgen(js_name = next)]
    pub fn following(&mut self) -> Result<JsValue, JsValue> {
        match self.inner.as_mut().and_then(Results::next) {
            Some(going) => into_js(&going),
            None => Ok(JsValue::UNDEFINED),
        }
    }

    /// Sets where the result is stored; without that it stays.
    pub fn settle(&mut self, recall: Option<String>) {
        if let Some(inner) = &mut self.inner {
            inner.settle(recall.as_deref());
        }
    }

    /// Returns plan and report, once.
    pub fn finish(&mut self) -> Result<JsValue, JsValue> {
        match self.inner.take() {
            Some(inner) => {
                into_js(&Report { done: inner.finish(), encoding: self.encoding, cost_model: self.cost_model })
            }
            None => Ok(JsValue::UNDEFINED),
        }
    }
}

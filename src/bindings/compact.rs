//! Compaction: an operation that is polled and answered.

use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::decode::{from_js, into_js};
use super::error::to_js;
use super::options::{Counting, messages, tokens};
use crate::compact::asking::{Asking, Trigger, Verify};
use crate::compact::context::Breadcrumb;
use crate::compact::form::Form;
use crate::compact::ledger::Rules;
use crate::compact::models::Rule;
use crate::compact::{Compacted, Options};
use crate::effect::{Answer, Block, Shape, Step};
use crate::error::Code;
use crate::tokens::{CostModel, EncodingName};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CompactOptions {
    #[serde(flatten)]
    counting: Counting,
    budget: f64,
    #[serde(default)]
    focus: Option<String>,
    #[serde(default)]
    force: bool,
    #[serde(default)]
    offline_on_failure: bool,
    #[serde(default)]
    keep: Vec<String>,
    #[serde(default)]
    has_model: bool,
    #[serde(default)]
    model_limit: Option<f64>,
    #[serde(default)]
    ledger: Option<Rules>,
    #[serde(default)]
    asking: AskingOptions,
}

/// How the model is asked. JavaScript has checked numbers and filled in what is absent.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AskingOptions {
    trigger: Trigger,
    shape: Option<Shape>,
    is_warm: bool,
    /// The profile whose sections are asked for.
    sections: Option<String>,
    verify: Verify,
    strict: bool,
    asked_model: Option<String>,
    models: Vec<Rule>,
    additions: Vec<String>,
    pre_hook: bool,
    post_hook: bool,
    blocks: Vec<Block>,
    breadcrumb: Option<Breadcrumb>,
    reads_files: bool,
}

impl AskingOptions {
    fn asking(self, model: Option<String>) -> Asking {
        Asking {
            trigger: self.trigger,
            shape: self.shape,
            is_warm: self.is_warm,
            form: self.sections.as_deref().map(Form::of_profile),
            verify: self.verify,
            strict: self.strict,
            model,
            asked_model: self.asked_model,
            models: self.models,
            additions: self.additions,
            pre_hook: self.pre_hook,
            post_hook: self.post_hook,
            blocks: self.blocks,
            breadcrumb: self.breadcrumb.unwrap_or_default(),
            reads_files: self.reads_files,
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Report {
    #[serde(flatten)]
    compacted: Compacted,
    budget: u64,
    encoding: EncodingName,
    cost_model: CostModel,
}

/// One compaction. `poll` says what is needed next, `resume` takes the answer; freeing it loses nothing.
#[wasm_bindgen]
pub struct Compaction {
    inner: crate::compact::Compaction,
    budget: u64,
    encoding: EncodingName,
    cost_model: CostModel,
}

#[wasm_bindgen]
impl Compaction {
    #[wasm_bindgen(constructor)]
    pub fn new(conversation: JsValue, options: JsValue) -> Result<Compaction, JsValue> {
        let conversation = messages(conversation)?;
        let options: CompactOptions = from_js(options, "options", Code::BadOption)?;
        let budget = tokens(options.budget, "options.budget").map_err(to_js)?;
        let limit = options.model_limit.map(|limit| tokens(limit, "options.llmBudget")).transpose().map_err(to_js)?;
        let asking = options.asking.asking(options.counting.model.clone());
        let counter = options.counting.counter().map_err(to_js)?;
        let inner = crate::compact::Compaction::new(
            conversation,
            counter.tools.total,
            counter.cost_model,
            counter.tokenizer,
            counter.origin,
            Options {
                budget,
                focus: options.focus,
                force: options.force,
                offline_on_failure: options.offline_on_failure,
                keep: options.keep.into_iter().collect(),
                has_model: options.has_model,
                model_limit: limit,
                rules: options.ledger.unwrap_or_default(),
                asking,
            },
        );
        Ok(Compaction { inner, budget, encoding: counter.name, cost_model: counter.cost_model })
    }

    /// `{ type: "ask", effects }` or `{ type: "done", result }`.
    pub fn poll(&mut self) -> Result<JsValue, JsValue> {
        match self.inner.poll().map_err(to_js)? {
            Step::Ask { effects } => into_js(&Step::<()>::Ask { effects }),
            Step::Done { result } => into_js(&Step::Done {
                result: Report {
                    compacted: result,
                    budget: self.budget,
                    encoding: self.encoding,
                    cost_model: self.cost_model,
                },
            }),
        }
    }

    /// Answers effect `id`.
    pub fn resume(&mut self, id: u32, answer: JsValue) -> Result<(), JsValue> {
        let answer: Answer = from_js(answer, "answer", Code::BadInput)?;
        self.inner.resume(id, answer).map_err(to_js)
    }
}

//! Compaction: an operation that is polled and answered.

use js_sys::Array;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::decode::{from_js, into_json};
use super::error::to_js;
use super::history::LimitOptions;
use super::options::{Counting, messages, tokens};
use super::validity;
use crate::cache::Prices;
use crate::compact::asking::{Asking, Trigger, Verify};
use crate::compact::context::Breadcrumb;
use crate::compact::form::Form;
use crate::compact::ledger::Rules;
use crate::compact::ledger::escape::escape;
use crate::compact::models::Rule;
use crate::compact::profile::load::check_ladder;
use crate::compact::profile::{Profile, Rung, explain};
use crate::compact::{Compacted, Cover, Options};
use crate::effect::{Answer, Ask, Block, Shape, Step};
use crate::error::{Code, Error, Result};
use crate::history::limits::limit;
use crate::history::log::Log;
use crate::message::Message;
use crate::tokens::CostModel;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CompactOptions {
    budget: f64,
    #[serde(default)]
    target_share: Option<f64>,
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
    /// Limits of the model that writes the summary.
    #[serde(default)]
    llm_limits: LimitOptions,
    #[serde(default)]
    ledger: Option<Rules>,
    /// JSON text: a name, or fields.
    #[serde(default)]
    profile: Option<String>,
    /// The rungs in order.
    #[serde(default)]
    ladder: Option<Vec<String>>,
    #[serde(default)]
    exempt: Vec<String>,
    #[serde(default)]
    asking: AskingOptions,
    #[serde(default)]
    cover: Option<Cover>,
    /// Input, cache read, cache write, output; checked in JavaScript.
    #[serde(default)]
    prices: Vec<f64>,
    /// Ids of messages whose thoughts are not carried; absent if no thoughts are carried.
    #[serde(default)]
    thinking: Option<Vec<String>>,
    /// True if a compaction of a log returns one request, and not only edits.
    #[serde(default)]
    is_request: bool,
    /// Whom the result is for, if that is known.
    #[serde(default)]
    receiver: Option<validity::Options>,
}

impl CompactOptions {
    /// Returns the options of the core.
    fn options(self, model: Option<String>) -> Result<Options> {
        let budget = tokens(self.budget, "options.budget")?;
        let own = self.model_limit.map(|limit| tokens(limit, "options.maxLlmTokens")).transpose()?;
        let limits = self.llm_limits.read("options.llmModel")?;
        let model_limit = own.or_else(|| limits.is_stated().then(|| limit(None, &limits).tokens));
        let profile = self.profile()?;
        let prices = match self.prices[..] {
            [input, cache_read, cache_write, output] => Prices { input, cache_read, cache_write, output },
            _ => Prices::default(),
        };
        Ok(Options {
            budget,
            target_share: self.target_share,
            focus: self.focus,
            force: self.force,
            offline_on_failure: self.offline_on_failure,
            keep: self.keep.into_iter().collect(),
            has_model: self.has_model,
            model_limit,
            rules: self.ledger.unwrap_or_default(),
            asking: self.asking.asking(&profile, model),
            profile,
            exempt: self.exempt.into_iter().collect(),
            cover: self.cover,
            prices,
            thinking: self.thinking.map(|ids| ids.into_iter().collect()),
            by_items: false,
            provider: None,
            is_request: self.is_request,
            receiver: self.receiver.map(|receiver| receiver.receiver()).transpose()?,
        })
    }

    fn profile(&self) -> Result<Profile> {
        let profile = self.profile.as_ref().map(|text| Profile::read(text, "options.profile")).transpose()?;
        let mut profile = profile.unwrap_or_default();
        if let Some(names) = &self.ladder {
            let rung = |(at, name): (usize, &String)| {
                Rung::named(name).ok_or_else(|| {
                    let why =
                        format!("there is no step {name:?}; there are {}", Rung::ALL.map(Rung::as_str).join(", "));
                    Error::new(Code::BadOption, why).at(format!("options.ladder[{at}]"))
                })
            };
            let ladder = names.iter().enumerate().map(rung).collect::<Result<Vec<Rung>>>()?;
            check_ladder(&ladder, "options.ladder")?;
            profile.ladder = ladder.into();
        }
        Ok(profile)
    }
}

/// Options of asking the model. JavaScript has checked numbers and filled in defaults.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct AskingOptions {
    trigger: Trigger,
    shape: Option<Shape>,
    is_warm: bool,
    /// The profile whose sections are requested, if they are not those of the profile.
    record_profile: Option<String>,
    verify: Option<Verify>,
    strict: bool,
    asked_model: Option<String>,
    models: Vec<Rule>,
    additions: Vec<String>,
    pre_hook: bool,
    post_hook: bool,
    blocks: Vec<Block>,
    breadcrumb: Option<Breadcrumb>,
    reads_files: bool,
    is_handover: bool,
}

impl AskingOptions {
    fn asking(self, profile: &Profile, model: Option<String>) -> Asking {
        Asking {
            trigger: self.trigger,
            shape: self.shape,
            is_warm: self.is_warm,
            form: self.record_profile.as_deref().map(Form::of_profile),
            verify: self.verify.unwrap_or(profile.summary.verify),
            strict: self.strict,
            is_handover: self.is_handover,
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

/// The report of a compaction.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Report {
    #[serde(flatten)]
    pub compacted: Compacted,
    pub budget: u64,
    /// The encoding that counted, or `host` for the host's own tokenizer. One of `EncodingName` or `host`.
    encoding: &'static str,
    cost_model: CostModel,
}

/// A compaction that waits for answers of the host. Freeing it loses nothing.
#[wasm_bindgen]
pub struct Compaction {
    inner: crate::compact::Compaction,
    budget: u64,
    encoding: &'static str,
    cost_model: CostModel,
    /// True if the caller has no messages to rebuild and needs only edits.
    edits_only: bool,
    timeouts: HostTimeouts,
    /// Effects of the newest step that are not answered yet.
    open: usize,
}

/// A step. It crosses as JSON text, because the report may cover thousands of messages.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Crossing {
    Ask { effects: Vec<Ask>, timeouts: HostTimeouts },
    Done { result: Box<Report> },
}

/// Begins a compaction: `[step, compaction]`. `step` is JSON text: `{ type: "ask", effects, timeouts }`, or
/// `{ type: "done", result }`, and then there is no compaction to answer.
#[wasm_bindgen(js_name = "beginCompaction", unchecked_return_type = "[string, Compaction | undefined]")]
pub fn begin_compaction(conversation: JsValue, options: JsValue) -> std::result::Result<Array, JsValue> {
    begin(messages(conversation)?, options)?.first()
}

#[wasm_bindgen]
impl Compaction {
    /// Answers effect `id`. Returns the next step once all effects are answered.
    pub fn resume(&mut self, id: u32, answer: JsValue) -> std::result::Result<Option<String>, JsValue> {
        let answer: Answer = from_js(answer, "answer", Code::BadInput)?;
        self.answer(id, answer).map_err(to_js)?;
        self.open = self.open.saturating_sub(1);
        if self.open == 0 { self.crossing().map(Some) } else { Ok(None) }
    }
}

impl Compaction {
    pub(super) fn timeouts(&self) -> HostTimeouts {
        self.timeouts
    }

    /// Returns the first step, and the compaction if it asks something.
    pub(super) fn first(mut self) -> std::result::Result<Array, JsValue> {
        let step = self.crossing()?;
        let waits = self.open > 0;
        Ok(Array::of2(&step.into(), &if waits { self.into() } else { JsValue::UNDEFINED }))
    }

    fn crossing(&mut self) -> std::result::Result<String, JsValue> {
        into_json(&match self.step().map_err(to_js)? {
            Step::Ask { effects } => {
                self.open = effects.len();
                Crossing::Ask { effects, timeouts: self.timeouts }
            }
            Step::Done { result } => Crossing::Done { result: Box::new(result) },
        })
    }

    /// Returns what is needed next, or the result.
    pub(super) fn step(&mut self) -> Result<Step<Report>> {
        Ok(match self.inner.poll()? {
            Step::Ask { effects } => Step::Ask { effects },
            Step::Done { result } => Step::Done {
                result: Report {
                    compacted: Compacted { plan: if self.edits_only { vec![] } else { result.plan }, ..result },
                    budget: self.budget,
                    encoding: self.encoding,
                    cost_model: self.cost_model,
                },
            },
        })
    }

    pub(super) fn answer(&mut self, id: u32, answer: Answer) -> Result<()> {
        self.inner.resume(id, answer)
    }
}

/// Timeouts and options of the host's side of a compaction, by its profile.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct HostTimeouts {
    /// Milliseconds for a call of the model.
    pub model: u64,
    /// Milliseconds for a hook or a file.
    pub hook: u64,
    /// True if hooks get the trigger only as `auto` or `manual`.
    pub two_triggers: bool,
}

impl HostTimeouts {
    fn of(profile: &Profile) -> HostTimeouts {
        let timeouts = &profile.timeouts_ms;
        HostTimeouts { model: timeouts.model, hook: timeouts.hook, two_triggers: profile.hook.two_triggers }
    }
}

/// Begins a compaction of decoded messages.
pub(super) fn begin(conversation: Vec<Message>, options: JsValue) -> std::result::Result<Compaction, JsValue> {
    let counting: Counting = from_js(options.clone(), "options", Code::BadOption)?;
    let options: CompactOptions = from_js(options, "options", Code::BadOption)?;
    let counter = counting.counter().map_err(to_js)?;
    let options = options.options(counting.model).map_err(to_js)?;
    let receiver = options.receiver.as_ref().map(|receiver| receiver.target.provider);
    let options = Options { by_items: counter.by_items, provider: receiver.or(counter.provider), ..options };
    let (budget, timeouts) = (options.budget, HostTimeouts::of(&options.profile));
    let inner = crate::compact::Compaction::new(
        conversation,
        counter.tools.total,
        counter.cost_model,
        counter.tokenizer,
        counter.origin,
        options,
    );
    let (encoding, cost_model) = (counter.name, counter.cost_model);
    Ok(Compaction { inner, budget, encoding, cost_model, edits_only: false, timeouts, open: 0 })
}

/// Begins a compaction of the view of a log with known counts: no message crosses the boundary, and none is counted
/// again.
pub(super) fn of_log(log: &Log, encoding: &'static str, options: JsValue) -> std::result::Result<Compaction, JsValue> {
    let counting: Counting = from_js(options.clone(), "options", Code::BadOption)?;
    let options: CompactOptions = from_js(options, "options", Code::BadOption)?;
    let options = options.options(counting.model).map_err(to_js)?;
    let (budget, cost_model, timeouts) = (options.budget, log.counting().model, HostTimeouts::of(&options.profile));
    let edits_only = !options.is_request;
    let inner = crate::compact::Compaction::of_log(log, options);
    Ok(Compaction { inner, budget, encoding, cost_model, edits_only, timeouts, open: 0 })
}

/// Escapes the tags of a record in quoted text, see [`escape`].
#[wasm_bindgen(js_name = "escapeTags")]
pub fn escape_tags(text: &str) -> String {
    escape(text)
}

/// Returns all fields of a profile, as JSON text; `profile` is the JSON text of a name or of the fields that differ.
#[wasm_bindgen(js_name = "readProfile")]
pub fn read_profile(profile: &str, path: &str) -> std::result::Result<String, JsValue> {
    text(&Profile::read(profile, path).map_err(to_js)?)
}

/// Returns the fields in which two profiles differ, as JSON text.
#[wasm_bindgen(js_name = "explainProfiles")]
pub fn explain_profiles(a: &str, b: &str) -> std::result::Result<String, JsValue> {
    let [a, b] = [(a, "a"), (b, "b")].map(|(text, path)| Profile::read(text, path).map_err(to_js));
    text(&explain(&a?, &b?))
}

/// Encodes as text, in which an absent number is `null` and stays so when it is read again.
fn text<T: Serialize>(value: &T) -> std::result::Result<String, JsValue> {
    serde_json::to_string(value).map_err(|error| to_js(Error::new(Code::BadInput, error.to_string())))
}

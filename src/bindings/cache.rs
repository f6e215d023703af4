//! Cache marks, shared prefixes and their prices.

use js_sys::Array;
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use super::decode::{from_js, into_js};
use super::error::to_js;
use super::options::{Counting, messages, tokens};
use crate::cache::{
    self as core, Clearing, Comparison, FateRow, Layout, Lifetime, Newest, PartFact, Place, Prices, Profile, Scheme,
    ToolFact,
};
use crate::error::Code;
use crate::history::prune::SUMMARY_TAG;
use crate::message::{Message, Part, Role, Tool};
use crate::tokens::{Cost, CostModel, Tokenizer, prior_factor};

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MarkOptions {
    #[serde(flatten)]
    counting: Counting,
    profile: Profile,
    scheme: Scheme,
    max: f64,
    prefix_lifetime: Lifetime,
    message_lifetime: Lifetime,
    tool_facts: Vec<ToolFact>,
    part_facts: Vec<PartFact>,
    previous: Option<Newest>,
    /// Id of the newest summary; one of our own is recognised.
    summary: Option<String>,
    /// In tokens of the provider.
    minimum: f64,
    /// Whose tokens those are, where the model is known.
    minimum_model: Option<String>,
}

/// A place as JavaScript sees it: `{ tool }` or `{ message, index, part? }`. It has taken the marks out of the messages: they come
/// as facts.
#[derive(Serialize)]
#[serde(untagged)]
enum PlaceJs<'a> {
    Tool {
        tool: usize,
    },
    Message {
        message: &'a str,
        index: usize,
        #[serde(skip_serializing_if = "Option::is_none")]
        part: Option<usize>,
    },
}

#[derive(Serialize)]
struct MarkJs<'a> {
    #[serde(flatten)]
    place: PlaceJs<'a>,
    lifetime: Lifetime,
    why: &'static str,
}

#[derive(Serialize)]
struct UnmarkedJs<'a> {
    #[serde(flatten)]
    place: PlaceJs<'a>,
    why: &'static str,
}

#[derive(Serialize)]
struct PlacementJs<'a> {
    marks: Vec<MarkJs<'a>>,
    unmarked: Vec<UnmarkedJs<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    newest: Option<Newest>,
}

/// Stands in for a tokenizer where nothing is counted.
struct Nothing;

impl Tokenizer for Nothing {
    fn count(&self, _: &str) -> u64 {
        0
    }
}

/// Where cache marks go: `{ marks, unmarked, newest? }`.
#[wasm_bindgen(js_name = "placeMarks")]
pub fn place_marks(conversation: JsValue, options: JsValue) -> Result<JsValue, JsValue> {
    let conversation = messages(conversation)?;
    let options: MarkOptions = from_js(options, "options", Code::BadOption)?;
    let minimum = tokens(options.minimum, "options.minimumPrefix").map_err(to_js)?;
    let factor = options.minimum_model.as_deref().map_or(1.0, prior_factor);
    let layout = Layout {
        profile: options.profile,
        scheme: options.scheme,
        max: tokens(options.max, "options.max").map_err(to_js)? as usize,
        prefix_lifetime: options.prefix_lifetime,
        message_lifetime: options.message_lifetime,
        tools: options.tool_facts,
        parts: options.part_facts,
        previous: options.previous,
        summary: summary(&conversation, options.summary.as_deref()),
        minimum: (minimum as f64 / factor).ceil() as u64,
    };
    let tools = options.counting.tools();
    let placed = if layout.minimum == 0 {
        core::place(&conversation, tools, &layout, CostModel::default(), &Nothing)
    } else {
        let counter = options.counting.counter().map_err(to_js)?;
        core::place(&conversation, tools, &layout, counter.cost_model, counter.meter().tokenizer)
    };
    let place = |place: Place| match place {
        Place::Tool(tool) => PlaceJs::Tool { tool },
        Place::Message { message, part } => {
            PlaceJs::Message { message: &conversation[message].id, index: message, part }
        }
    };
    let marks =
        placed.marks.iter().map(|mark| MarkJs { place: place(mark.place), lifetime: mark.lifetime, why: mark.why });
    let unmarked = placed.unmarked.iter().map(|gone| UnmarkedJs { place: place(gone.place), why: gone.why });
    into_js(&PlacementJs { marks: marks.collect(), unmarked: unmarked.collect(), newest: placed.newest })
}

fn summary(messages: &[Message], given: Option<&str>) -> Option<usize> {
    messages.iter().rposition(|message| match given {
        Some(id) => message.id == id,
        None => {
            let first =
                message.parts.iter().find_map(|part| if let Part::Text { text } = part { Some(text) } else { None });
            message.role == Role::User && first.is_some_and(|text| text.starts_with(SUMMARY_TAG))
        }
    })
}

/// Tokens that a prefix needs to be cached by a model.
#[wasm_bindgen(js_name = "minimumPrefix")]
pub fn minimum_prefix(model: &str) -> f64 {
    core::minimum_prefix(model) as f64
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct PrefixOptions {
    #[serde(flatten)]
    counting: Counting,
    previous_tools: Vec<Tool>,
    /// Messages at the beginning that are the host's same objects in both requests.
    identical: f64,
    /// What the messages of the newer request cost, where the host holds that already.
    counts: Option<Vec<f64>>,
    rows: Option<Vec<FateRow>>,
    previous_rows: Option<Vec<FateRow>>,
}

/// What two requests share. Messages are decoded in pairs, and no further than the first difference.
#[wasm_bindgen(js_name = "stablePrefix")]
pub fn stable_prefix(previous: &Array, next: &Array, options: JsValue) -> Result<JsValue, JsValue> {
    let options: PrefixOptions = from_js(options, "options", Code::BadOption)?;
    let counter = options.counting.counter().map_err(to_js)?;
    let mut comparison = Comparison::new(counter.cost_model, counter.meter().tokenizer);
    comparison.tools(&options.previous_tools, options.counting.tools());
    let message = |list: &Array, at: u32, name: &str| -> Result<Option<Message>, JsValue> {
        if at >= list.length() {
            return Ok(None);
        }
        from_js(list.get(at), &format!("{name}[{at}]"), Code::BadMessage).map(Some)
    };
    let mut at = 0;
    loop {
        let counted = match options.counts.as_ref().and_then(|counts| counts.get(at as usize)) {
            Some(&count) => Some(Cost::exact(tokens(count, &format!("options.counts[{at}]")).map_err(to_js)?)),
            None => None,
        };
        if f64::from(at) < options.identical && at < next.length() {
            let cost = match counted {
                Some(cost) => cost,
                None => message(next, at, "messages")?
                    .map_or(Cost::ZERO, |message| counter.cost_model.message(&message, &*counter.tokenizer)),
            };
            comparison.same(cost);
            at += 1;
            continue;
        }
        let (before, after) = (message(previous, at, "previous")?, message(next, at, "messages")?);
        if !comparison.step(before.as_ref(), after.as_ref(), counted) {
            break;
        }
        at += 1;
    }
    let mut shared = comparison.finish();
    shared.origin = shared.origin.worst(counter.origin);
    if let Some(rows) = &options.rows {
        shared.blame(rows, options.previous_rows.as_deref().unwrap_or_default());
    }
    into_js(&shared)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CostOptions {
    prices: Prices,
    total: f64,
    shared: f64,
    marked: f64,
    output: f64,
    hit_rate: f64,
}

/// What a request is expected to cost.
#[wasm_bindgen(js_name = "cacheCost")]
pub fn cache_cost(options: JsValue) -> Result<JsValue, JsValue> {
    let o: CostOptions = from_js(options, "options", Code::BadOption)?;
    let whole = |value: f64, name: &str| tokens(value, &format!("options.{name}")).map_err(to_js);
    let (total, shared) = (whole(o.total, "total")?, whole(o.shared, "shared")?);
    let (marked, output) = (whole(o.marked, "marked")?, whole(o.output, "output")?);
    into_js(&core::expected_cost(o.prices, total, shared, marked, output, o.hit_rate).map_err(to_js)?)
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ClearingOptions {
    prices: Prices,
    cleared: f64,
    suffix: f64,
    replacement: f64,
    extra: f64,
    requests: f64,
    hit_rate: f64,
}

/// Whether it pays to clear a part of a cached prefix.
#[wasm_bindgen(js_name = "clearingPays")]
pub fn clearing_pays(options: JsValue) -> Result<JsValue, JsValue> {
    let o: ClearingOptions = from_js(options, "options", Code::BadOption)?;
    let whole = |value: f64, name: &str| tokens(value, &format!("options.{name}")).map_err(to_js);
    let plan = Clearing {
        cleared: whole(o.cleared, "cleared")?,
        suffix: whole(o.suffix, "suffix")?,
        replacement: whole(o.replacement, "replacement")?,
        extra: o.extra,
        requests: o.requests,
        hit_rate: o.hit_rate,
    };
    into_js(&core::clearing(o.prices, plan).map_err(to_js)?)
}

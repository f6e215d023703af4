//! `compact` for hosts without the package's JavaScript.

use std::cell::RefCell;
use std::rc::Rc;

use js_sys::futures::{JsFuture, future_to_promise};
use js_sys::{Array, Function, JSON, Object, Promise, Reflect};
use wasm_bindgen::prelude::*;

use super::super::compact::{Compaction, Report, begin};
use super::super::decode::into_json;
use super::super::error::to_js;
use super::callbacks::Host;
use super::history::History;
use super::options::{COMPACT, complete_compact, fields};
use super::value::{Result, bad, coded, get, set};
use crate::compact::Status;
use crate::effect::Step;

/// Replaces older history of neutral messages by a summary, written by `llm`, or by rules without it. Options and
/// results are those of `compact` in the package, except that `llm` is an argument.
///
/// Rejects with the errors of `prune`; with `compaction_failed` if the model fails, `onFailure` is `leave` and the
/// request does not fit.
#[wasm_bindgen(js_name = compact, unchecked_return_type = "Promise<CompactResult<NeutralMessage[]>>")]
pub fn compact(
    #[wasm_bindgen(unchecked_param_type = "readonly NeutralMessage[]")] messages: JsValue,
    #[wasm_bindgen(unchecked_param_type = "CoreCompactOptions")] options: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "Llm")] llm: JsValue,
) -> Promise {
    future_to_promise(async move {
        let (operation, host) = start(&messages, &options, llm)?;
        run(operation, Rc::new(host)).await
    })
}

fn start(messages: &JsValue, options: &JsValue, llm: JsValue) -> Result<(Compaction, Host)> {
    let llm: Option<Function> = match llm.is_undefined() {
        true => None,
        false => Some(llm.dyn_into().map_err(|llm| bad("llm", "a function", &llm))?),
    };
    let fields = fields(options, COMPACT)?;
    let (history, read) = History::read(messages)?;
    complete_compact(&fields, &history, llm.is_some())?;
    let operation = begin(read, &fields)?;
    let host = Host::of(&fields, history, llm, operation.timeouts())?;
    Ok((operation, host))
}

/// Polls and answers the operation until it is done.
async fn run(mut operation: Compaction, host: Rc<Host>) -> Result {
    loop {
        match operation.step().map_err(to_js)? {
            Step::Done { result } => return done(result, &host),
            Step::Ask { effects } => {
                let answers = Rc::new(RefCell::new(Vec::new()));
                let all: Array = effects
                    .into_iter()
                    .map(|ask| {
                        let (host, answers) = (Rc::clone(&host), Rc::clone(&answers));
                        future_to_promise(async move {
                            let answer = host.answer(ask.id, &ask.effect).await?;
                            answers.borrow_mut().push((ask.id, answer));
                            Ok(JsValue::UNDEFINED)
                        })
                    })
                    .collect();
                JsFuture::from(Promise::all(&all)).await?;
                for (id, answer) in answers.take() {
                    operation.answer(id, answer).map_err(to_js)?;
                }
            }
        }
    }
}

fn done(mut result: Report, host: &Host) -> Result {
    let plan = std::mem::take(&mut result.compacted.plan);
    let (status, needed, budget) = (result.compacted.status, result.compacted.after.total, result.budget);
    let report = JSON::parse(&into_json(&result)?)?;
    let edits = get(&report, "edits")?;
    for name in ["plan", "edits"] {
        Reflect::delete_property(report.unchecked_ref::<Object>(), &name.into())?;
    }
    host.complete(&get(&report, "model")?);
    // An unchanged request must not be sent if it does not fit. After an abort nothing is sent.
    if needed > budget && status != Status::Cancelled {
        return Err(unfit(&report, needed, budget));
    }
    let made = Object::new();
    set(&made, "status", get(&report, "status")?);
    set(&made, "messages", host.history.rebuild(&plan)?);
    set(&made, "edits", edits);
    set(&made, "report", report);
    Ok(made.into())
}

fn unfit(report: &JsValue, needed: u64, budget: u64) -> JsValue {
    let field = |object: &JsValue, name: &'static str| get(object, name).unwrap_or_default();
    let status = field(report, "status").as_string().unwrap_or_default();
    let steps: Array = field(report, "steps").unchecked_into();
    let last = steps.iter().last().unwrap_or_default();
    let why = field(&field(report, "model"), "error").as_string().or_else(|| field(&last, "why").as_string());
    let message = format!(
        "Nothing was changed ({status}: {}), and the request has {needed} tokens where the budget allows {budget}. \
         Without onFailure: \"leave\" rules write the summary",
        why.unwrap_or_else(|| status.clone()),
    );
    let error = coded("compaction_failed", &message, "options.budget");
    let details = Object::new();
    set(&details, "status", status);
    set(&details, "budget", budget as f64);
    set(&details, "needed", needed as f64);
    set(&details, "report", report);
    set(&error, "details", details);
    error.into()
}

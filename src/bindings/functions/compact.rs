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
use super::value::{Result, bad, coded, get, object, set};
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
    if !llm.is_undefined() && !llm.is_function() {
        return Err(bad("llm", "a function", &llm));
    }
    let llm = llm.dyn_into::<Function>().ok();
    let fields = fields(options, COMPACT)?;
    let (history, read) = History::read(messages)?;
    complete_compact(&fields, &history, llm.is_some())?;
    let operation = begin(read, &fields)?;
    let host = Host::of(&fields, history, llm, operation.timeouts())?;
    Ok((operation, host))
}

/// Polls and answers the operation until it is done.
async fn run(operation: Compaction, host: Rc<Host>) -> Result {
    let operation = Rc::new(RefCell::new(operation));
    loop {
        let step = operation.borrow_mut().step().map_err(to_js)?;
        let effects = match step {
            Step::Done { result } => return done(result, &host),
            Step::Ask { effects } => effects,
        };
        let answers = effects.into_iter().map(|ask| {
            let (host, operation) = (Rc::clone(&host), Rc::clone(&operation));
            future_to_promise(async move {
                let answer = host.answer(ask.id, &ask.effect).await?;
                operation.borrow_mut().answer(ask.id, answer).map_err(to_js)?;
                Ok(JsValue::UNDEFINED)
            })
        });
        JsFuture::from(Promise::all(&answers.collect::<Array>())).await?;
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
    let (status, messages) = (get(&report, "status")?, host.history.rebuild(&plan)?);
    let made = [("status", status), ("messages", messages.into()), ("edits", edits), ("report", report)];
    Ok(object(&made).into())
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
    let details = object(&[
        ("status", status.into()),
        ("budget", (budget as f64).into()),
        ("needed", (needed as f64).into()),
        ("report", report.clone()),
    ]);
    set(&error, "details", details);
    error.into()
}

//! `prune` for hosts without the package's JavaScript.

use js_sys::Object;
use wasm_bindgen::prelude::*;

use super::super::error::to_js;
use super::super::history::{PruneOptions, pruned};
use super::history::History;
use super::options::{PRUNE, complete_prune, fields};
use super::value::{Result, get, object, set};
use crate::history::prune::Picture;

/// Cuts a request of neutral messages to a budget. Options and results are those of `prune` in the package.
///
/// Throws `bad_option`, `bad_message`, `duplicate_id`, `budget_exceeded`, `encoding_not_loaded`.
#[wasm_bindgen(js_name = prune, unchecked_return_type = "PruneResult<NeutralMessage[]>")]
pub fn prune(
    #[wasm_bindgen(unchecked_param_type = "readonly NeutralMessage[]")] messages: JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "CorePruneOptions")] options: JsValue,
) -> Result {
    let options = if options.is_undefined() { Object::new().into() } else { options };
    let fields = fields(&options, PRUNE)?;
    let (history, read) = History::read(&messages)?;
    complete_prune(&fields, &history)?;
    let max = get(&fields, "maxImageBytes")?.as_f64();
    let is_limited = max.is_none_or(f64::is_finite);
    if !is_limited {
        set(&fields, "maxImageBytes", JsValue::UNDEFINED);
    }
    let mut options = PruneOptions::decode(&fields).map_err(to_js)?;
    options.limits.pictures = if is_limited { Picture::in_results(&read) } else { vec![] };
    let (plan, report) = pruned(&read, options)?;
    Ok(object(&[("messages", history.rebuild(&plan)?.into()), ("report", report)]).into())
}

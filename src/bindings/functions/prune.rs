//! `prune` for hosts without the package's JavaScript.

use js_sys::Object;
use wasm_bindgen::prelude::*;

use super::super::history::{PruneOptions, pruned};
use super::history::History;
use super::options::{PRUNE, complete_prune, fields};
use super::value::{Result, get, set, set_some};
use crate::history::prune::{PICTURE_BYTES, Picture};
use crate::message::{Message, Part};

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
    set_some(&fields, "pictureBytes", max.filter(|max| max.is_finite()));
    let pictures = pictures(&read, max.unwrap_or(PICTURE_BYTES as f64));
    let options = PruneOptions::decode(fields.into())?;
    let (plan, report) = pruned(&read, options, pictures)?;
    let result = Object::new();
    set(&result, "messages", history.rebuild(&plan)?);
    set(&result, "report", report);
    Ok(result.into())
}

/// Returns the pictures in results, if their total bytes exceed the maximum of a request.
fn pictures(messages: &[Message], max: f64) -> Vec<Picture> {
    let mut found = Vec::new();
    let mut sum = 0;
    for message in messages {
        for (part, result) in message.parts.iter().enumerate() {
            let Part::ToolResult { content, .. } = result else { continue };
            for (item, inner) in content.iter().enumerate() {
                let Part::Image { data: Some(data), url: None, .. } = inner else { continue };
                let base64 = if data.starts_with("data:") { data.find(',').map_or(0, |comma| comma + 1) } else { 0 };
                let bytes = (data.len() - base64) as u64 / 4 * 3;
                sum += bytes;
                if bytes > 0 {
                    found.push(Picture { id: message.id.clone(), part, item, bytes });
                }
            }
        }
    }
    if sum as f64 > max { found } else { vec![] }
}

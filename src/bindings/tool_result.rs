//! Tool results at the boundary. Options are numbers and texts that JavaScript has checked.

use wasm_bindgen::prelude::*;

use super::decode::into_js;
use super::error::JsResult;
use super::tokens::loaded;
use crate::error::Result;
use crate::tokens::{EncodingName, Tokenizer};
use crate::tool_result::budget::{self, Size};
use crate::tool_result::reduce::{Earlier, Source, reduce};
use crate::tool_result::schema::{Shape, Style};
use crate::tool_result::seam::Snap;
use crate::tool_result::{Keep, Marker, Rules, Truncated, compat};

fn encoding(name: &str) -> Result<std::rc::Rc<crate::tokens::Encoding>> {
    EncodingName::from_name(name).and_then(loaded)
}

/// Shortens a text, see [`crate::tool_result::truncate()`]. `flags`: 1 errors, 2 whole use instead of line ends, 4
/// JSON, 8 cleaning, 16 `marker` is the host's own marker and not the handle of the whole text; `command`: see
/// [`Rules::command`]. The text is absent from the result if it is unchanged.
#[wasm_bindgen]
pub fn truncate(
    text: &str,
    limit: f64,
    head_share: f64,
    flags: u32,
    command: Option<String>,
    marker: &str,
    encoding_name: &str,
) -> JsResult {
    let encoding = encoding(encoding_name)?;
    let rules = Rules {
        limit: limit as u64,
        head_share,
        keep: if flags & 1 != 0 { Keep::Errors } else { Keep::Ends },
        snap: if flags & 2 != 0 { Snap::Characters } else { Snap::Lines },
        json: flags & 4 != 0,
        clean: flags & 8 != 0,
        command: command.as_deref(),
        marker: if flags & 16 != 0 { Marker::Own(marker) } else { Marker::Counts { recall: marker } },
    };
    into_js(&crate::tool_result::truncate(text, rules, &*encoding))
}

/// Reduces the output of a command, see [`crate::tool_result::reduce`]; `names` and `texts` are those of the earlier
/// results. `undefined` if it stays as it is.
#[wasm_bindgen(js_name = reduceOutput)]
pub fn reduce_output(
    text: &str,
    command: &str,
    recall: &str,
    names: Vec<String>,
    texts: Vec<String>,
    encoding_name: &str,
) -> JsResult {
    let encoding = encoding(encoding_name)?;
    let earlier: Vec<Earlier> = names.iter().zip(&texts).map(|(name, text)| Earlier { name, text }).collect();
    into_js(&reduce(text, Source { command, recall, earlier: &earlier }, &*encoding))
}

/// Applies Copilot Chat's rule, for limits from 50 on.
#[wasm_bindgen(js_name = truncateAsCopilotChat)]
pub fn truncate_as_copilot_chat(text: &str, limit: f64, encoding_name: &str) -> JsResult {
    let encoding = encoding(encoding_name)?;
    let before = encoding.count(text);
    let text = compat::truncate(text, limit as u64, &*encoding);
    let tokens = text.as_deref().map_or(before, |text| encoding.count(text));
    let cut = before.saturating_sub(tokens);
    into_js(&Truncated { text, tokens, before, cut, ..Truncated::default() })
}

/// Returns the schema of a JSON text (or, if `lines`, of JSON Lines) in at most `max` tokens; for a separate file if
/// that is 0.
#[wasm_bindgen(js_name = jsonSchema)]
pub fn json_schema(text: &str, lines: bool, max: f64, copilot: bool, encoding_name: &str) -> JsResult<Option<String>> {
    let encoding = encoding(encoding_name)?;
    let shape = if lines { Shape::of_lines(text) } else { Shape::of(text) };
    let style = if copilot { Style::CopilotChat } else { Style::Espalier };
    Ok(shape.and_then(|shape| match max as u64 {
        0 => Some(shape.file(style, &*encoding)),
        max => shape.within(style, max, &*encoding),
    }))
}

/// Returns the maximum tokens of each result; see [`budget::water_level`]. The level is the last number, -1 if there is
/// none.
#[wasm_bindgen(js_name = waterLevel)]
pub fn water_level(tokens: &[f64], ages: &[u32], max: f64, previous: f64) -> Vec<f64> {
    let sizes: Vec<Size> =
        tokens.iter().zip(ages).map(|(tokens, age)| Size { tokens: *tokens as u64, age: *age as usize }).collect();
    let found = budget::water_level(&sizes, max as u64, (previous >= 0.0).then_some(previous as u64));
    let caps = found.caps.into_iter().map(|cap| cap as f64);
    caps.chain([found.level.map_or(-1.0, |level| level as f64)]).collect()
}

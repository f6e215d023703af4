//! Converts options of hosts into those of the core's operations.

use js_sys::{Array, JSON, Object};
use wasm_bindgen::prelude::*;

use super::super::decode::into_js;
use super::super::options::tokens;
use super::history::History;
use super::value::{
    self, Result, assign, bad, check_names, checked, entries, get, given, is_nullish, json, known, list, put, set, text,
};
use crate::bindings::error::to_js;
use crate::error::Code;
use crate::history::limits::ModelLimits;
use crate::history::prune::Pass;

/// The options of [`super::prune`].
pub const PRUNE: &str = "format encoding model costModel tools budget headroom keep backfill order priorities note \
    sentenceShare previous cacheStepShare dropMedia maxImageBytes provider serverManaged";
/// The options of [`super::compact`].
pub const COMPACT: &str = "format encoding model costModel tools budget targetShare focus force onFailure keep signal \
    maxLlmTokens timeoutMs onProgress ledger profile ladder protect exempt trigger shape cacheWarm recordProfile \
    verify strict llmModel modelRules instructions blocks transcript recallTool readFile hooks hookTimeoutMs jobId \
    cover prices";
/// The options of [`super::render`].
pub const RENDER: &str = "budget format encoding model costModel tools backfill signal";
/// The fields of a model.
const MODEL: &str = "name maxPromptTokens maxInputTokens maxContextWindowTokens outputReserve defaultTier surcharge";

/// The share by which a cut that has to move moves further than needed: that of the package.
const CACHE_STEP_SHARE: f64 = 0.5;

/// Profiles whose sections a summary can have.
const RECORD_PROFILES: [&str; 4] = ["espalier", "copilot-chat", "gemini-cli", "copilot-cli"];

/// Returns a copy of the options, which the rest of this file completes.
pub fn fields(options: &JsValue, names: &'static str) -> Result<Object> {
    known(options, names, "options")?;
    match given(options, "format")? {
        None => {}
        Some(format) if format == "espalier" => {}
        Some(format) => return Err(bad("options.format", "\"espalier\", the neutral model", &format)),
    }
    let fields = assign(&Object::new(), options)?;
    set(&fields, "format", "espalier");
    Ok(fields)
}

/// Returns a number of tokens from the options.
pub fn number(options: &JsValue, name: &'static str, within: &str) -> Result<Option<u64>> {
    let is_number = |value: &JsValue| value.as_f64().is_some();
    let number =
        checked(options, name, within, "a whole number, 0 or more", is_number)?.and_then(|value| value.as_f64());
    number.map(|number| tokens(number, &format!("{within}.{name}"))).transpose().map_err(to_js)
}

/// Returns a model's name and limits, from a name or an object.
pub fn model(options: &JsValue, name: &'static str) -> Result<(Option<String>, ModelLimits)> {
    let path = format!("options.{name}");
    let Some(model) = given(options, name)? else { return Ok((None, ModelLimits::default())) };
    if let Some(name) = model.as_string() {
        return Ok((Some(name), ModelLimits::default()));
    }
    if !model.is_object() {
        return Err(bad(&path, "the name of a model or its limits", &model));
    }
    check_names(&model, MODEL, &path, false)?;
    let of = |name: &'static str| number(&model, name, &path);
    let limits = ModelLimits {
        max_prompt_tokens: of("maxPromptTokens")?.or(of("maxInputTokens")?),
        max_context_window_tokens: of("maxContextWindowTokens")?,
        output_reserve: of("outputReserve")?,
        ..ModelLimits::default()
    };
    let name = checked(&model, "name", &path, "the name of a model", JsValue::is_string)?;
    Ok((name.and_then(|name| name.as_string()), limits))
}

/// Adds the limits of the model in `option` to `fields` as `name`. Returns the model's name.
fn set_limits(fields: &JsValue, option: &'static str, name: &'static str) -> Result<Option<String>> {
    let (model, limits) = model(fields, option)?;
    set(fields, name, into_js(&limits)?);
    Ok(model)
}

/// Completes the options of `prune`.
pub fn complete_prune(fields: &JsValue, history: &History) -> Result<()> {
    number(fields, "budget", "options")?;
    let name = set_limits(fields, "model", "limits")?;
    set(fields, "model", name);
    value::flag(fields, "serverManaged")?;
    for name in ["sentenceShare", "cacheStepShare"] {
        let is_share = |share: &JsValue| share.as_f64().is_some_and(|share| (0.0..=1.0).contains(&share));
        checked(fields, name, "options", "a number from 0 to 1", is_share)?;
    }
    if given(fields, "previous")?.is_some() && given(fields, "cacheStepShare")?.is_none() {
        set(fields, "cacheStepShare", CACHE_STEP_SHARE);
    }
    set_keep(fields, history)?;
    let order = get(fields, "order")?;
    if let Some(name) = order.as_string() {
        let passes = match name.as_str() {
            "drop" => Pass::DROP,
            "shrink" => Pass::SHRINK,
            _ => return Err(bad("options.order", "\"drop\", \"shrink\" or a list of passes", &order)),
        };
        set(fields, "order", into_js(&passes)?);
    }
    let wanted = "an object of numbers by message id";
    if let Some(priorities) = checked(fields, "priorities", "options", wanted, JsValue::is_object)? {
        let pairs = entries(&priorities)?;
        for pair in pairs.iter() {
            let pair: Array = pair.unchecked_into();
            if pair.get(1).as_f64().is_none_or(f64::is_nan) {
                let name = pair.get(0).as_string().unwrap_or_default();
                return Err(bad(&format!("options.priorities.{name}"), "a number", &pair.get(1)));
            }
        }
        set(fields, "priorities", pairs);
    }
    if let Some(previous) = given(fields, "previous")? {
        set(fields, "previous", JSON::parse(&json(&previous, "options.previous", Code::BadOption)?)?);
    }
    if let Some(provider) = given(fields, "provider")? {
        let name = provider.as_string().unwrap_or_default();
        crate::validity::Provider::from_name(&name).map_err(|error| to_js(error.at("options.provider")))?;
        set(fields, "format", provider);
        set(fields, "written", "espalier");
    }
    Ok(())
}

fn set_keep(fields: &JsValue, history: &History) -> Result<()> {
    let ids = history.kept(&get(fields, "keep")?, "options.keep")?;
    set(fields, "keep", ids);
    Ok(())
}

/// Completes the options of a compaction, which asks a model if there is one.
pub fn complete_compact(fields: &JsValue, history: &History, has_model: bool) -> Result<()> {
    if number(fields, "budget", "options")?.is_none() {
        return Err(bad("options.budget", "a whole number, 0 or more", &JsValue::UNDEFINED));
    }
    number(fields, "maxLlmTokens", "options")?;
    let is_share = |target: &JsValue| target.as_f64().is_some_and(|target| target > 0.0 && target <= 1.0);
    checked(fields, "targetShare", "options", "a share above 0, at most 1", is_share)?;
    let is_known = |on_failure: &JsValue| *on_failure == "offline" || *on_failure == "leave";
    let on_failure = checked(fields, "onFailure", "options", "\"leave\" or \"offline\"", is_known)?;
    let on_failure = on_failure.unwrap_or_else(|| "offline".into());
    set(fields, "offlineOnFailure", on_failure == "offline");
    set(fields, "hasModel", has_model);
    set_keep(fields, history)?;
    if let Some(cover) = given(fields, "cover")? {
        known(&cover, "from to", "options.cover")?;
        let range = Object::new();
        for name in ["from", "to"] {
            let Some(item) = given(&cover, name)? else { continue };
            let path = format!("options.cover.{name}");
            set(&range, name, history.id(&item).ok_or_else(|| bad(&path, "the id or index of a message", &item))?);
        }
        set(fields, "cover", range);
    }
    value::set_some(fields, "askedModel", set_limits(fields, "llmModel", "llmLimits")?);
    value::set_some(fields, "profile", profile(fields)?);
    set(fields, "ledger", ledger(fields)?);
    complete_asking(fields)?;
    check_prices(fields)?;
    if is_nullish(&get(fields, "exempt")?) {
        set(fields, "exempt", Array::new());
    }
    set(fields, "thinking", others(history)?);
    Ok(())
}

/// Returns the profile as JSON text, with the options about protection.
fn profile(fields: &JsValue) -> Result<Option<String>> {
    let wanted = "{ results, rounds, tokens, turn }";
    let protect = checked(fields, "protect", "options", wanted, JsValue::is_object)?;
    let is_profile = |given: &JsValue| given.is_string() || given.is_object() && !Array::is_array(given);
    let profile = checked(fields, "profile", "options", "a name or an object", is_profile)?;
    let Some(given) = profile.or_else(|| protect.as_ref().map(|_| "espalier".into())) else { return Ok(None) };
    let Some(protect) = protect else { return json(&given, "options.profile", Code::BadOption).map(Some) };
    let all = Object::new();
    match given.as_string() {
        Some(name) => set(&all, "name", name),
        None => drop(assign(&all, &given)?),
    }
    let both = assign(&Object::new(), &get(&all, "protect")?)?;
    set(&all, "protect", assign(&both, &protect)?);
    json(&all, "options.profile", Code::BadOption).map(Some)
}

/// Returns the rules, with the facts in the definitions of tools.
fn ledger(fields: &JsValue) -> Result<Object> {
    let rules = Object::new();
    if let Some(given) = given(fields, "ledger")? {
        known(&given, "root tools dialect markers facts", "options.ledger")?;
        assign(&rules, &given)?;
    }
    let read_only = Object::new();
    for tool in list(&get(fields, "tools")?).unwrap_or_default().iter() {
        let function = get(&tool, "function")?;
        let body = if is_nullish(&function) { &tool } else { &function };
        let own = get(body, "annotations")?;
        let hints = if is_nullish(&own) { get(&tool, "annotations")? } else { own };
        let name = get(body, "name")?;
        if !name.is_string() {
            continue;
        }
        match get(&hints, "readOnlyHint")?.as_bool() {
            Some(is) => put(&read_only, &name, &is.into()),
            None if get(&hints, "destructiveHint")? == true => put(&read_only, &name, &false.into()),
            None => {}
        }
    }
    set(&rules, "readOnly", read_only);
    Ok(rules)
}

/// Completes the options of asking the model.
fn complete_asking(fields: &JsValue) -> Result<()> {
    for name in ["focus", "recallTool", "jobId"] {
        checked(fields, name, "options", "a text", JsValue::is_string)?;
    }
    let wanted = format!("one of {}", RECORD_PROFILES.join(", "));
    checked(fields, "recordProfile", "options", &wanted, |name| RECORD_PROFILES.iter().any(|known| *name == **known))?;
    if given(fields, "trigger")?.is_none() {
        let is_manual = get(fields, "force")? == true || text(fields, "focus")?.is_some();
        set(fields, "trigger", if is_manual { "manual" } else { "overflow" });
    }
    if let Some(one) = given(fields, "instructions")?.filter(JsValue::is_string) {
        set(fields, "instructions", Array::of1(&one));
    }
    let hooks = hooks(fields)?;
    set(fields, "preHook", given(&hooks, "preCompact")?.is_some());
    set(fields, "postHook", given(&hooks, "postCompact")?.is_some());
    set(fields, "readsFiles", given(fields, "readFile")?.is_some());
    let breadcrumb = Object::new();
    if let Some(transcript) = given(fields, "transcript")? {
        known(&transcript, "path lines tool argument", "options.transcript")?;
        if text(&transcript, "path")?.is_none() {
            return Err(bad("options.transcript.path", "a path", &get(&transcript, "path")?));
        }
        assign(&breadcrumb, &transcript)?;
    }
    value::set_some(&breadcrumb, "recall", given(fields, "recallTool")?);
    set(fields, "transcript", breadcrumb);
    set(fields, "asking", fields);
    Ok(())
}

/// Returns the host's hooks, an object of functions.
pub fn hooks(options: &JsValue) -> Result {
    let Some(hooks) = given(options, "hooks")? else { return Ok(JsValue::UNDEFINED) };
    check_names(&hooks, "preCompact postCompact", "options.hooks", false)?;
    for name in ["preCompact", "postCompact"] {
        value::function(&hooks, name, "options.hooks")?;
    }
    Ok(hooks)
}

fn check_prices(fields: &JsValue) -> Result<()> {
    let Some(prices) = given(fields, "prices")? else { return Ok(()) };
    known(&prices, "input cacheRead cacheWrite output", "options.prices")?;
    for name in ["input", "cacheRead", "cacheWrite", "output"] {
        let is_price = |price: &JsValue| price.as_f64().is_some_and(|price| price.is_finite() && price >= 0.0);
        checked(&prices, name, "options.prices", "a number, 0 or more", is_price)?;
    }
    Ok(())
}

/// Returns the ids of the messages by another model than that of the newest one: only that model can read their
/// thoughts.
fn others(history: &History) -> Result<Array> {
    let models: Vec<_> = history.list.iter().map(|message| get(&message, "model")).collect::<Result<_>>()?;
    let newest = models.iter().rev().find(|model| model.is_string());
    let is_other = |model: &JsValue| model.is_string() && Some(model) != newest;
    Ok(models.iter().zip(&history.ids).filter(|(model, _)| is_other(model)).map(|(_, id)| JsValue::from(id)).collect())
}

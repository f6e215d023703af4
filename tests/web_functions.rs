//! The functions of `espalier/core`, in Node and in headless Chrome: they return the same as the package (recorded by
//! `tests/js/core/recorded.test.ts`), and failing callbacks leave the engine usable.
#![cfg(target_family = "wasm")]

use espalier::bindings::functions::{compact::compact, prune::prune, render::render};
use espalier::bindings::tokens;
use espalier::tokens::EncodingName;
use js_sys::futures::JsFuture;
use js_sys::{Function, JSON, Promise, Reflect};
use serde::Deserialize;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::*;

const CALLS: &str = include_str!("fixtures/functions.json");
const CONVERSATIONS: [(&str, &str); 3] = [
    ("tau-airline-0", include_str!("fixtures/neutral/tau-airline-0.json")),
    ("sweagent-marshmallow-1867", include_str!("fixtures/neutral/sweagent-marshmallow-1867.json")),
    ("cline-sidebar", include_str!("fixtures/neutral/cline-sidebar.json")),
];

#[derive(Deserialize)]
struct Call {
    call: String,
    input: serde_json::Value,
    options: serde_json::Value,
    reply: Option<String>,
    hash: String,
}

fn load() {
    if !tokens::has_encoding("o200k_base").unwrap() {
        tokens::load_encoding("o200k_base", &espalier_vocabulary::file(EncodingName::O200kBase)).unwrap();
    }
}

fn js(json: &str) -> JsValue {
    JSON::parse(json).unwrap()
}

fn conversation(name: &str) -> JsValue {
    js(CONVERSATIONS.iter().find(|(known, _)| *known == name).expect("a fixture").1)
}

fn field(value: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(value.clone(), |value, key| Reflect::get(&value, &key.into()).unwrap())
}

fn text(value: &JsValue, path: &str) -> String {
    field(value, path).as_string().unwrap_or_else(|| panic!("{path} is no text"))
}

/// Returns the FNV-1a hash of the JSON text.
fn hash(value: &JsValue) -> String {
    let text = String::from(JSON::stringify(value).unwrap());
    let sum =
        text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    format!("{sum:016x}")
}

/// Returns a function of one argument.
fn function(body: &str) -> Function {
    Function::new_with_args("request", body)
}

async fn settled(promise: Promise) -> Result<JsValue, JsValue> {
    JsFuture::from(promise).await
}

async fn result(call: &Call) -> JsValue {
    let options = js(&call.options.to_string());
    let reply = call.reply.as_ref().map(|reply| {
        let reply = serde_json::to_string(reply).unwrap();
        JsValue::from(function(&format!("return Promise.resolve({reply})")))
    });
    let input = || call.input.as_str().map_or_else(|| js(&call.input.to_string()), conversation);
    match call.call.as_str() {
        "prune" => prune(input(), options),
        "compact" => settled(compact(input(), options, reply.unwrap_or_default())).await,
        _ => settled(render(input(), options, JsValue::UNDEFINED)).await,
    }
    .unwrap()
}

#[wasm_bindgen_test]
async fn the_functions_return_what_the_package_returned() {
    load();
    let calls: Vec<Call> = serde_json::from_str(CALLS).unwrap();
    for call in &calls {
        assert_eq!(hash(&result(call).await), call.hash, "{} {} {}", call.call, call.options, call.reply.is_some());
    }
}

#[wasm_bindgen_test]
async fn a_model_that_fails_is_an_answer_and_the_engine_goes_on() {
    load();
    for body in ["throw new Error('down')", "return Promise.reject('down')", "return 7", "return new Promise(() => {})"]
    {
        let options = js(r#"{"budget":4000,"timeoutMs":20}"#);
        let made = settled(compact(conversation("tau-airline-0"), options, function(body).into())).await.unwrap();
        assert_eq!(text(&made, "status"), "applied");
        assert!(field(&made, "report.model.error").is_string(), "{body}");
    }
    let pruned = prune(conversation("tau-airline-0"), js(r#"{"budget":4000}"#)).unwrap();
    assert!(field(&pruned, "report.after.total").as_f64().unwrap() <= 4000.0);
}

#[wasm_bindgen_test]
async fn an_abort_ends_a_model_that_never_answers() {
    load();
    let controller = Function::new_no_args("return new AbortController()").call0(&JsValue::NULL).unwrap();
    let options = js(r#"{"budget":4000}"#);
    Reflect::set(&options, &"signal".into(), &field(&controller, "signal")).unwrap();
    let abort = Function::new_with_args("controller", "setTimeout(() => controller.abort(), 5)");
    abort.call1(&JsValue::NULL, &controller).unwrap();
    let made = compact(conversation("tau-airline-0"), options, function("return new Promise(() => {})").into());
    assert_eq!(text(&settled(made).await.unwrap(), "status"), "cancelled");
}

#[wasm_bindgen_test]
async fn wrong_values_are_rejected_with_code_and_path() {
    load();
    let conversation = || conversation("tau-airline-0");
    for (options, path) in [
        ("{}", "options.budget"),
        (r#"{"budget":"9"}"#, "options.budget"),
        (r#"{"budget":9,"profle":"espalier"}"#, "options.profle"),
        (r#"{"budget":9,"signal":{}}"#, "options.signal"),
        (r#"{"budget":9,"cover":{"from":"none"}}"#, "options.cover.from"),
    ] {
        let error = settled(compact(conversation(), js(options), JsValue::UNDEFINED)).await.unwrap_err();
        assert!(error.is_instance_of::<js_sys::Error>());
        assert_eq!((text(&error, "code").as_str(), text(&error, "path").as_str()), ("bad_option", path));
    }
    let error = settled(compact(conversation(), js(r#"{"budget":9}"#), 7.into())).await.unwrap_err();
    assert_eq!((text(&error, "code").as_str(), text(&error, "path").as_str()), ("bad_option", "llm"));
    let error = settled(render(js("{}"), js(r#"{"budget":9}"#), JsValue::UNDEFINED)).await.unwrap_err();
    assert_eq!(text(&error, "code"), "bad_element");
    let error = prune(js("7"), js(r#"{"budget":9}"#)).unwrap_err();
    assert_eq!((text(&error, "code").as_str(), text(&error, "path").as_str()), ("bad_message", "messages"));
}

#[wasm_bindgen_test]
async fn a_component_gets_its_budget_and_its_content_is_cut() {
    load();
    let tree = r#"{"node":{"type":1,"ctor":1,"props":{"role":1},"children":[
        {"type":1,"ctor":2,"component":"Log","props":{"flexGrow":1,"priority":1}},
        {"type":2,"text":"Why does this fail?","lineBreakBefore":true}]}}"#;
    let host = js_sys::Object::new();
    let body = "return Promise.resolve({ type: 2, text: 'word '.repeat(sizing.tokenBudget / 2), priority: 1 })";
    let render_ = Function::new_with_args("name, props, sizing", body);
    Reflect::set(&host, &"render".into(), &render_).unwrap();
    let made = settled(render(js(tree), js(r#"{"budget":100}"#), host.clone().into())).await.unwrap();
    let tokens = field(&made, "tokens").as_f64().unwrap();
    assert!((50.0..=100.0).contains(&tokens), "{tokens}");
    let fails = Function::new_no_args("throw new Error('mine')");
    Reflect::set(&host, &"render".into(), &fails).unwrap();
    let error = settled(render(js(tree), js(r#"{"budget":100}"#), host.into())).await.unwrap_err();
    assert_eq!(text(&error, "message"), "mine");
}

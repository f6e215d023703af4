//! The wasm contract, in Node and in headless Chrome: what JavaScript may pass, what it gets, and that wasm returns the
//! same results as native code.
#![cfg(target_family = "wasm")]

use std::cell::OnceCell;
use std::rc::Rc;

use espalier::bindings::compact::{Compaction, begin_compaction};
use espalier::bindings::{history, prompt::Prompt, tokens};
use espalier::tokens::{Encoding, EncodingName};
use espalier_testing::golden;
use js_sys::{JSON, Reflect};
use wasm_bindgen::convert::TryFromJsValue;
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::*;

fn vocabulary_file() -> Rc<Vec<u8>> {
    thread_local! {
        static FILE: OnceCell<Rc<Vec<u8>>> = const { OnceCell::new() };
    }
    FILE.with(|file| file.get_or_init(|| Rc::new(espalier_vocabulary::file(EncodingName::O200kBase))).clone())
}

fn load() {
    if !tokens::has_encoding("o200k_base").unwrap() {
        tokens::load_encoding("o200k_base", &vocabulary_file()).unwrap();
    }
}

fn js(json: &str) -> JsValue {
    JSON::parse(json).unwrap()
}

fn field(value: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(value.clone(), |value, key| Reflect::get(&value, &key.into()).unwrap())
}

fn text(value: &JsValue, path: &str) -> String {
    let found = field(value, path);
    found.as_string().unwrap_or_else(|| panic!("{path} is {found:?}"))
}

const TWO: &str = r#"[{"id":"m0","role":"user","parts":[{"type":"text","text":"a b c d e f g h"}]},
                      {"id":"m1","role":"assistant","parts":[{"type":"text","text":"ok"}]}]"#;

/// Checks a refused call: code and path of the error.
fn refused(result: Result<JsValue, impl Into<JsValue>>, code: &str, path: &str) {
    let error: JsValue = result.expect_err("it was accepted").into();
    assert!(error.is_instance_of::<js_sys::Error>());
    assert_eq!(text(&error, "name"), "EspalierError");
    assert_eq!(
        (text(&error, "code").as_str(), text(&error, "path").as_str()),
        (code, path),
        "{}",
        text(&error, "message")
    );
}

#[wasm_bindgen_test]
fn errors_name_the_field_to_blame() {
    load();
    let options = || js(r#"{"budget":100}"#);
    let prune = |messages: &str| history::prune(js(messages), &options());
    refused(prune(r#"[{"id":"m0","role":"boss","parts":[]}]"#), "bad_message", "messages[0].role");
    refused(
        prune(r#"[{"id":"m0","role":"user","parts":[]},{"id":7,"role":"user","parts":[]}]"#),
        "bad_message",
        "messages[1].id",
    );
    refused(prune(r#"[{"id":"m0","role":"user","parts":"text"}]"#), "bad_message", "messages[0].parts");
    refused(
        prune(r#"[{"id":"a","role":"user","parts":[]},{"id":"a","role":"user","parts":[]}]"#),
        "duplicate_id",
        "messages[1].id",
    );
    refused(prune("7"), "bad_message", "messages");
    for (budget, path) in
        [("-1", "options.budget"), ("1.5", "options.budget"), ("\"7\"", "options.budget"), ("1e300", "options.budget")]
    {
        refused(history::prune(js(TWO), &js(&format!("{{\"budget\":{budget}}}"))), "bad_option", path);
    }
    refused(
        history::prune(js(TWO), &js(r#"{"budget":9,"encoding":"p50k_base"}"#)),
        "unknown_encoding",
        "options.encoding",
    );
    refused(history::prune(js(TWO), &js(r#"{"budget":9,"costModel":"free"}"#)), "bad_option", "options.costModel");
    refused(history::prune(js(TWO), &js(r#"{"budget":3}"#)), "budget_exceeded", "options.budget");
}

#[wasm_bindgen_test]
fn an_exceeded_budget_names_the_largest() {
    load();
    let error = JsValue::from(history::prune(js(TWO), &js(r#"{"budget":3}"#)).unwrap_err());
    assert_eq!(text(&error, "details.largest.0.id"), "m0");
    assert!(field(&error, "details.needed").as_f64().unwrap() > 3.0);
}

#[wasm_bindgen_test]
fn an_encoding_must_be_loaded() {
    refused_code(history::count_messages(js(TWO), js(r#"{"encoding":"cl100k_base"}"#)), "encoding_not_loaded");
    refused_code(tokens::load_encoding("cl100k_base", &vocabulary_file()).map(|()| JsValue::NULL), "bad_vocabulary");
    let half = &vocabulary_file()[..1000];
    refused_code(tokens::load_encoding("o200k_base", half).map(|()| JsValue::NULL), "bad_vocabulary");
    load();
    assert_eq!(tokens::count("hello world", "o200k_base"), Ok(2.0));
}

fn refused_code(result: Result<JsValue, impl Into<JsValue>>, code: &str) {
    assert_eq!(text(&result.expect_err("it was accepted").into(), "code"), code);
}

#[wasm_bindgen_test]
fn reports_are_plain_objects() {
    load();
    let report = history::count_messages(js(TWO), js("{}")).unwrap();
    assert_eq!(text(&report, "encoding"), "o200k_base");
    assert_eq!(text(&report, "costModel"), "espalier");
    assert_eq!(text(&report, "origin"), "exact");
    assert_eq!(text(&report, "perMessage.1.role"), "assistant");
    let pruned = history::prune(js(TWO), &js(r#"{"budget":100}"#)).unwrap();
    assert_eq!(text(&pruned, "plan.0.type"), "keep");
    assert_eq!(text(&pruned, "messages.0.fate"), "kept");
}

#[wasm_bindgen_test]
fn a_compaction_is_polled_and_answered() {
    load();
    let round = r#"{"id":"ID","role":"assistant","parts":[{"type":"text","text":"TEXT"}]}"#;
    let mut messages = vec![round.replace("ID", "m0").replace("assistant", "user").replace("TEXT", "go")];
    messages.extend((1..40).map(|i| round.replace("ID", &format!("m{i}")).replace("TEXT", &"word ".repeat(60))));
    let messages = js(&format!("[{}]", messages.join(",")));
    let options = js(r#"{"budget":1500,"maxLlmTokens":100000,"hasModel":true,"verify":"never","asking":{}}"#);
    let begun = begin_compaction(messages, options).unwrap();
    let step = js(&begun.get(0).as_string().unwrap());
    let mut run = Compaction::try_from_js_value(begun.get(1)).unwrap();
    assert_eq!(text(&step, "effects.0.effect.type"), "callModel");
    assert_eq!(text(&step, "effects.0.effect.purpose"), "summary");
    assert_eq!(text(&step, "effects.0.effect.shape"), "full");
    assert_eq!(text(&step, "effects.0.effect.messages.0.message.role"), "system");
    assert_eq!(text(&step, "effects.0.effect.messages.1.type"), "keep");
    assert_eq!(field(&step, "effects.0.effect.withTools").as_bool(), Some(false));
    refused_code(run.resume(9, js(r#"{"type":"cancelled"}"#)).map(|_| JsValue::NULL), "unknown_effect");
    refused_code(run.resume(0, js(r#"{"type":"maybe"}"#)).map(|_| JsValue::NULL), "bad_input");
    let answer = js(r#"{"type":"model","text":"<summary>Words were said.</summary>","finishReason":"stop"}"#);
    let done = js(&run.resume(0, answer).unwrap().unwrap());
    assert_eq!(text(&done, "result.status"), "applied");
    assert_eq!(text(&done, "result.summary"), "Words were said.");
    assert_eq!(text(&done, "result.edits.0.kind"), "replace_range");
}

#[wasm_bindgen_test]
fn lone_surrogates_are_counted_not_refused() {
    load();
    let messages = js(r#"[{"id":"m0","role":"user","parts":[{"type":"text","text":"a\ud800b"}]}]"#);
    let report = history::count_messages(messages, js("{}")).unwrap();
    let same = tokens::count("a\u{fffd}b", "o200k_base").unwrap();
    assert_eq!(field(&report, "total").as_f64(), Some(3.0 + 4.0 + same));
}

#[wasm_bindgen_test]
fn wasm_computes_what_native_code_computed() {
    let encoding = Rc::new(Encoding::load(EncodingName::O200kBase, &vocabulary_file()).unwrap());
    assert_eq!(golden::lines(&encoding), golden::RECORDED);
}

/// Returns a user message with two texts of priorities 2 and 1, as flat numbers and the bytes of their text.
fn two_texts() -> (Vec<f64>, Vec<u8>) {
    let unset = f64::NAN;
    let open = |shape: &[f64]| [&[1.0, 0.0, unset, 1.0, unset, 0.0, 0.0, unset, unset], shape].concat();
    let numbers = [
        open(&[0.0]),
        open(&[1.0, 1.0, 1.0, 0.0, 0.0]),
        vec![2.0, 5.0, 2.0, 1.0, 0.0],
        vec![2.0, 3.0, 1.0, 1.0, 0.0],
        vec![0.0, 0.0],
    ];
    (numbers.concat(), "first2nd".into())
}

#[wasm_bindgen_test]
fn a_prompt_is_polled_and_cut_again() {
    load();
    let (numbers, bytes) = two_texts();
    let counting = js(r#"{"counting":{},"mode":"openai"}"#);
    let mut prompt = Prompt::new(&numbers, &bytes, 100.0, 0, counting).unwrap();
    let whole = prompt.poll().unwrap();
    let [done, tokens, removed, failed] = whole[..4] else { panic!() };
    assert_eq!([done, removed, failed], [0.0; 3]);
    prompt.recut(tokens - 1.0);
    let cut = prompt.poll().unwrap();
    assert_eq!([cut[0], cut[2], cut[3]], [0.0, 1.0, 0.0]);
    assert!(cut[1] < tokens);
    // Message 1 without dropped calls, with one content, which is text 2 and begins no line.
    assert_eq!(cut[4..], [1.0, 0.0, 1.0, 4.0]);
}

#[wasm_bindgen_test]
fn elements_and_counts_are_answered_in_one_call() {
    load();
    let unset = f64::NAN;
    let open = |flags: f64, shape: &[f64]| [&[1.0, flags, unset, 1.0, unset, 0.0, 0.0, unset, unset], shape].concat();
    const DYNAMIC: f64 = 16.0;
    let root = [open(DYNAMIC, &[0.0]), vec![0.0]].concat();
    let mut prompt = Prompt::new(&root, b"", 50.0, 0, JsValue::UNDEFINED).unwrap();
    // Render node 0 with the whole budget; layout has counted nothing yet.
    assert_eq!(prompt.poll().unwrap(), [1.0, 0.0, 0.0, 0.0, 50.0]);
    let text = vec![4.0, 5.0, 1.0, 1.0, 0.0, 0.0, 0.0];
    let message = [open(0.0, &[1.0, 1.0, 1.0, 0.0, 0.0]), text.clone()].concat();
    // A message with a text and two elements: the message's 3 and the text's 7 are subtracted from their budgets.
    let own = [open(DYNAMIC, &[0.0]), vec![0.0]].concat();
    let yielded = [message, own.clone(), own, vec![0.0]].concat();
    assert_eq!(prompt.answer_rendered(0, &yielded, b"", &[3.0, 7.0]).unwrap(), [1.0, 1.0, 5.0, 3.0, 20.0, 4.0, 20.0]);
    refused_code(prompt.answer_rendered(0, &[], b"", &[]).map(|_| JsValue::NULL), "unknown_effect");
    // Both answers in one list; the whole message is counted next, with all three texts.
    let both = [text.clone(), vec![0.0], text].concat();
    let asked = prompt.answer_rendered(1, &both, b"", &[]).unwrap();
    assert_eq!(asked, [3.0, 2.0, 4.0, 1.0, 0.0, 3.0, 4.0, 11.0, 13.0]);
    assert_eq!(prompt.answer_counts(2, &[30.0]).unwrap(), [0.0, 30.0, 0.0, 0.0, 1.0, 0.0, 3.0, 4.0, 11.0, 13.0]);
}

#[wasm_bindgen_test]
fn answers_that_do_not_fit_a_prompt_are_refused() {
    load();
    let unset = f64::NAN;
    let root = [1.0, 16.0, unset, 1.0, unset, 0.0, 0.0, unset, unset, 0.0, 0.0];
    let refused = |numbers: &[f64], counts: &[f64]| {
        let mut prompt = Prompt::new(&root, b"", 50.0, 0, JsValue::UNDEFINED).unwrap();
        prompt.poll().unwrap();
        refused_code(prompt.answer_rendered(0, numbers, b"", counts).map(|_| JsValue::NULL), "bad_input");
    };
    // A superfluous close; counts without questions; an element that is not closed.
    refused(&[0.0], &[]);
    refused(&[], &[1.0]);
    refused(&root[..10], &[]);
}

#[wasm_bindgen_test]
fn a_prompt_that_is_none_is_refused() {
    load();
    let (numbers, bytes) = two_texts();
    let options = || js(r#"{"counting":{}}"#);
    let made =
        |numbers: &[f64], bytes: &[u8], options| Prompt::new(numbers, bytes, 10.0, 0, options).map(|_| JsValue::NULL);
    refused_code(made(&numbers[..numbers.len() - 1], &bytes, options()), "bad_input");
    refused_code(made(&numbers, &bytes[..3], options()), "bad_input");
    refused_code(made(&numbers, b"\xff\xfe2345678", options()), "bad_input");
    refused_code(made(&[9.0], &bytes, options()), "bad_input");
    refused(made(&numbers, &bytes, js(r#"{"counting":{},"mode":"loud"}"#)), "bad_option", "options.mode");
    let mut prompt = Prompt::new(&numbers, &bytes, 10.0, 0, options()).unwrap();
    refused_code(prompt.answer_rendered(7, &[], b"", &[]).map(|_| JsValue::NULL), "unknown_effect");
    assert_eq!(prompt.poll().unwrap()[0], 0.0);
}

//! Grammars are linked into the running engine, in Node and in headless Chrome, in a debug build:
//! `wasm-pack test --node -- --test web_documents`.

#![cfg(target_family = "wasm")]

use espalier::bindings::document;
use js_sys::{Reflect, Uint8Array, Uint32Array, WebAssembly::Module};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

#[cfg(feature = "web-tests-in-browser")]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);

macro_rules! grammar {
    ($name:literal) => {
        include_bytes!(concat!("../node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter-", $name, ".wasm"))
    };
}

/// The three that differ most: a large table, a scanner that allocates, and one that calls character classes.
const GRAMMARS: [(&str, &[u8]); 3] =
    [("python", grammar!("python")), ("ruby", grammar!("ruby")), ("javascript", grammar!("javascript"))];

fn module(bytes: &[u8]) -> JsValue {
    Module::new(&Uint8Array::from(bytes)).unwrap().into()
}

fn structure(language: &str, text: &str) -> JsValue {
    document::document_structure(text, language, &[0.0, 4.0, 1_000_000.0, 40_000.0]).unwrap()
}

fn field(value: &JsValue, path: &str) -> JsValue {
    path.split('.').fold(value.clone(), |value, key| Reflect::get(&value, &key.into()).unwrap())
}

fn string(value: &JsValue, path: &str) -> String {
    field(value, path).as_string().unwrap_or_default()
}

fn load() {
    for (name, bytes) in GRAMMARS {
        document::link_grammar(name, &module(bytes)).unwrap();
    }
}

#[wasm_bindgen_test]
fn grammars_are_linked_and_parse() {
    load();
    for (language, text, kind) in [
        ("python", "def f(x):\n    return 1\n", "function_definition"),
        ("ruby", "x = <<~A\n  hi #{1}\nA\ndef f; end\n", "method"),
        ("javascript", "class A { b() { return `é😀`; } }\n", "class_declaration"),
    ] {
        let made = structure(language, text);
        assert_eq!(string(&made, "basis.path"), "syntax", "{language}");
        assert_eq!(field(&made, "basis.hasErrors"), JsValue::FALSE, "{language}");
        let kinds: js_sys::Array = field(&made, "kinds").unchecked_into();
        assert!(kinds.includes(&kind.into(), 0), "{language}: {kinds:?}");
    }
}

#[wasm_bindgen_test]
fn memory_grows_under_a_parse() {
    load();
    let text = "a(b, [c, { d: e }]);\n".repeat(20_000);
    let nodes: Uint32Array = field(&structure("javascript", &text), "nodes").unchecked_into();
    assert_eq!(nodes.length(), 4 * 20_001);
}

#[wasm_bindgen_test]
fn what_is_no_grammar_is_refused() {
    let empty = module(b"\0asm\x01\0\0\0");
    for (name, module) in [("python", &empty), ("python", &JsValue::NULL), ("go", &module(GRAMMARS[0].1))] {
        let error = document::link_grammar(name, module).unwrap_err();
        assert_eq!(string(&error, "code"), "bad_grammar");
    }
    assert_eq!(string(&document::link_grammar("cobol", &empty).unwrap_err(), "code"), "unknown_language");
    assert!(!document::has_grammar("go"));
}

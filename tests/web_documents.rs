//! Grammars are linked into the running engine, in Node and in headless Chrome, in a debug build:
//! `wasm-pack test --node -- --test web_documents`.

#![cfg(target_family = "wasm")]

use espalier::bindings::document;
use js_sys::{Array, Float64Array, Reflect, Uint8Array, WebAssembly::Module};
use wasm_bindgen::prelude::*;
use wasm_bindgen_test::wasm_bindgen_test;

macro_rules! grammar {
    ($name:literal) => {
        include_bytes!(concat!("../node_modules/@vscode/tree-sitter-wasm/wasm/tree-sitter-", $name, ".wasm"))
    };
}

/// The three most different ones: a large table, a scanner that allocates, and one that calls character classes.
const GRAMMARS: [(&str, &[u8]); 3] =
    [("python", grammar!("python")), ("ruby", grammar!("ruby")), ("javascript", grammar!("javascript"))];

fn module(bytes: &[u8]) -> JsValue {
    Module::new(&Uint8Array::from(bytes)).unwrap().into()
}

/// Returns the numbers of an answer, and its texts joined.
fn structure(language: &str, text: &str) -> (Vec<f64>, String) {
    let asked = [0.0, 4.0, 1_000_000.0, 40_000.0];
    let answer: Array = document::documents("structure", vec![text.into(), language.into()], &asked).unwrap().into();
    (Float64Array::from(answer.get(0)).to_vec(), answer.get(1).as_string().unwrap())
}

fn code(error: impl Into<JsValue>) -> String {
    Reflect::get(&error.into(), &"code".into()).unwrap().as_string().unwrap_or_default()
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
        let (numbers, kinds) = structure(language, text);
        // There is no reason to fold by indentation, and no error.
        assert_eq!(numbers[..2], [0.0, 0.0], "{language}: {kinds}");
        assert!(kinds.contains(kind), "{language}: {kinds}");
    }
}

#[wasm_bindgen_test]
fn memory_grows_under_a_parse() {
    load();
    let text = "a(b, [c, { d: e }]);\n".repeat(20_000);
    let (numbers, kinds) = structure("javascript", &text);
    assert_eq!(kinds, "rootexpression_statement");
    // Basis, kinds and their lengths, and the number of nodes, each of them four numbers.
    let nodes = &numbers[6..];
    assert_eq!((nodes[0], nodes.len()), (20_001.0, 1 + 4 * 20_001));
}

#[wasm_bindgen_test]
fn what_is_no_grammar_is_refused() {
    let empty = module(b"\0asm\x01\0\0\0");
    for (name, module) in [("python", &empty), ("python", &JsValue::NULL), ("go", &module(GRAMMARS[0].1))] {
        let error = document::link_grammar(name, module).unwrap_err();
        assert_eq!(code(error), "bad_grammar");
    }
    assert_eq!(code(document::link_grammar("cobol", &empty).unwrap_err()), "unknown_language");
}

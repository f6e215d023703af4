//! WebAssembly counts like native code and like tiktoken-rs (which also runs in WebAssembly here): `wasm-pack test
//! --node -- --test web_tokens`.

#![cfg(target_family = "wasm")]

use espalier::tokens::{Encoding, EncodingName};
use espalier_testing::random::Random;
use espalier_vocabulary as vocabulary;
use wasm_bindgen_test::wasm_bindgen_test;

fn check(encoding: &Encoding, text: &str) {
    let wanted = vocabulary::oracle(encoding.name()).encode_ordinary(text);
    assert_eq!(encoding.count(text), wanted.len() as u64, "count of {text:?}");
    assert_eq!(encoding.encode(text), wanted, "ids of {text:?}");
    assert_eq!(encoding.decode(&wanted).as_deref(), Ok(text.as_bytes()), "{text:?}");
}

fn oracle(name: EncodingName) {
    let encoding = Encoding::load(name, &vocabulary::file(name)).expect("our own file loads");
    for text in ["", "Hello world!", "a\u{FEFF}b \u{85} ſ it'ſ IT'S", "<|endoftext|>", "  \n  x\r\n\r\n"] {
        check(&encoding, text);
    }
    for seed in 0..2_000 {
        check(&encoding, &Random::new(seed).text(12));
    }
    for unit in ["a", " ", "\n", "=", "日本", "😀", "e\u{301}"] {
        check(&encoding, &unit.repeat(2_000));
    }
    // Longer than a window, with and without cuts.
    let mut random = Random::new(3);
    check(&encoding, &(0..10_000).map(|_| random.text(3)).collect::<String>());
    for most in [0, 1, 10, 100] {
        let text = "The quick brown fox — ".repeat(40);
        let fit = encoding.prefix_within(&text, most);
        assert_eq!(encoding.count(&text[..fit.offset]), fit.tokens);
    }
}

#[wasm_bindgen_test]
fn o200k_base() {
    oracle(EncodingName::O200kBase);
}

#[wasm_bindgen_test]
fn cl100k_base() {
    oracle(EncodingName::Cl100kBase);
}

#[wasm_bindgen_test]
fn damaged_vocabularies_are_refused() {
    let file = vocabulary::file(EncodingName::Cl100kBase);
    let error = Encoding::load(EncodingName::Cl100kBase, &file[..file.len() / 2]).err().expect("truncated");
    assert_eq!(error.code.as_str(), "bad_vocabulary");
}

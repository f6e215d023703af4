//! Counts and ids equal those of tiktoken-rs.

use super::random::Random;
use crate::encodings::{encoding, vocabulary};
use espalier::tokens::EncodingName;

fn check(name: EncodingName, text: &str) {
    let wanted = vocabulary::oracle(name).encode_ordinary(text);
    let ours = encoding(name);
    let name = name.as_str();
    assert_eq!(ours.count(text), wanted.len() as u64, "{name}: count of {text:?}");
    assert_eq!(ours.encode(text), wanted, "{name}: ids of {text:?}");
    assert_eq!(ours.decode(&wanted).as_deref(), Ok(text.as_bytes()), "{name}: {text:?}");
}

/// Random strings per encoding: few in every run, 200,000 with `ESPALIER_NIGHTLY=1`.
fn amount() -> u64 {
    if std::env::var_os("ESPALIER_NIGHTLY").is_some() { 200_000 } else { 20_000 }
}

#[test]
fn random_texts() {
    for name in EncodingName::ALL {
        for seed in 0..amount() {
            check(name, &Random::new(seed).text(12));
        }
    }
}

//! Long runs of a few bytes are counted as all other text.

use espalier::tokens::EncodingName;
use fastrand::Rng;

use crate::encodings::shared;

const UNITS: [&str; 24] = [
    "-", "=", "/", "#", "*", "_", ".", "~", "+", "!", " ", "\n", "\t", "a", "ab", "-=", "\r\n", "é", "/*", "─", "漢",
    "*-_", "<!-", "💡",
];

#[test]
fn pieces_with_long_runs_have_the_tokens_of_tiktoken() {
    let mut rng = Rng::with_seed(20);
    for name in [EncodingName::O200kBase, EncodingName::Cl100kBase] {
        let reference = match name {
            EncodingName::O200kBase => tiktoken_rs::o200k_base_singleton(),
            EncodingName::Cl100kBase => tiktoken_rs::cl100k_base_singleton(),
        };
        let encoding = shared(name);
        for round in 0..600 {
            let mut text = String::new();
            for _ in 0..rng.usize(1..4) {
                let unit = UNITS[if round < 24 { round } else { rng.usize(0..UNITS.len()) }];
                let bytes = [rng.usize(1..40), rng.usize(900..1_200), rng.usize(1_000..3_000)][rng.usize(0..3)];
                text.push_str(&unit.repeat(bytes / unit.len() + 1));
            }
            let expected = reference.encode_ordinary(&text);
            assert_eq!(encoding.encode(&text), expected, "{} {text:?}", name.as_str());
            assert_eq!(encoding.count(&text), expected.len() as u64);
        }
    }
}

//! Encodings that are not built in (feature `tiktoken-rs`).

use espalier::error::Code;
use espalier::tokens::{OtherEncoding, Tokenizer};

/// Returns every byte, and `ab` as a separate token.
fn vocabulary() -> Vec<(Vec<u8>, u32)> {
    let mut tokens: Vec<(Vec<u8>, u32)> = (0..=255).map(|byte| (vec![byte], u32::from(byte))).collect();
    tokens.push((b"ab".to_vec(), 256));
    tokens
}

#[test]
fn the_older_encodings_count_as_tiktoken_does() {
    for (ours, theirs) in [
        (OtherEncoding::p50k_base().unwrap(), tiktoken_rs::p50k_base().unwrap()),
        (OtherEncoding::r50k_base().unwrap(), tiktoken_rs::r50k_base().unwrap()),
    ] {
        for text in ["", "Hello world!", "    indented\n\n", "дом 家 💡", "<|endoftext|>"] {
            assert_eq!(ours.encode(text), theirs.encode_ordinary(text), "{text:?}");
            assert_eq!(ours.count(text), theirs.encode_ordinary(text).len() as u64);
        }
    }
}

#[test]
fn a_vocabulary_of_ones_own_counts() {
    let encoding = OtherEncoding::custom(vocabulary(), r"\w+|\s+|\S").unwrap();
    assert_eq!(encoding.encode("abc ab"), [256, u32::from(b'c'), u32::from(b' '), 256]);
}

#[test]
fn a_vocabulary_that_cannot_work_is_refused() {
    let refused = |tokens: Vec<(Vec<u8>, u32)>, pattern: &str| {
        assert_eq!(OtherEncoding::custom(tokens, pattern).err().map(|e| e.code), Some(Code::BadVocabulary));
    };
    refused(vec![], r"\w+");
    refused(vocabulary().split_off(1), r"\w+");
    refused([vocabulary(), vec![(b"ab".to_vec(), 300)]].concat(), r"\w+");
    refused([vocabulary(), vec![(b"cd".to_vec(), 7)]].concat(), r"\w+");
    refused([vocabulary(), vec![(vec![], 300)]].concat(), r"\w+");
    refused(vocabulary(), r"(unclosed");
}

//! Vocabularies from tiktoken-rs, and in [`classes`] character classes from regex-syntax. `src/bin` writes them to
//! files; tests compare the engine with them.

pub mod classes;

use espalier_core::tokens::EncodingName;
use espalier_core::tokens::vocab::{self, BYTE_TOKEN};
use std::collections::HashMap;
use tiktoken_rs::CoreBPE;

/// The oracle of an encoding.
pub fn oracle(name: EncodingName) -> &'static CoreBPE {
    match name {
        EncodingName::O200kBase => tiktoken_rs::o200k_base_singleton(),
        EncodingName::Cl100kBase => tiktoken_rs::cl100k_base_singleton(),
    }
}

/// The tokens of an encoding by rank, and the pair that each merges from.
pub fn pairs(name: EncodingName) -> vocab::Pairs {
    let count = match name {
        EncodingName::O200kBase => 199_998,
        EncodingName::Cl100kBase => 100_256,
    };
    let bpe = oracle(name);
    let tokens: Vec<Vec<u8>> =
        (0..count).map(|id| bpe.decode_bytes(&[id]).expect("every id below the count is a token")).collect();
    let ranks: HashMap<&[u8], u32> = tokens.iter().zip(0..).map(|(token, id)| (token.as_slice(), id)).collect();
    tokens.iter().zip(0..).map(|(token, id)| split(token, id, &ranks)).collect()
}

/// The last merge of a token: merge its bytes by rank, with tokens below its own rank only, until two are left.
fn split(token: &[u8], id: u32, ranks: &HashMap<&[u8], u32>) -> [u32; 2] {
    if let [byte] = token {
        return [u32::from(*byte), BYTE_TOKEN];
    }
    let mut ends: Vec<usize> = (0..=token.len()).collect();
    while ends.len() > 3 {
        let rank = |at: usize| ranks.get(&token[ends[at]..ends[at + 2]]).copied().filter(|rank| *rank < id);
        let best = (0..ends.len() - 2).filter_map(|at| rank(at).map(|rank| (rank, at))).min();
        let (_, at) = best.unwrap_or_else(|| panic!("token {id} is no merge of two others"));
        ends.remove(at + 1);
    }
    [ranks[&token[..ends[1]]], ranks[&token[ends[1]..]]]
}

/// Returns the vocabulary file of an encoding, deflated quickly: for tests.
pub fn file(name: EncodingName) -> Vec<u8> {
    let planes = vocab::planes(&pairs(name));
    vocab::write(name, &planes, Some(&miniz_oxide::deflate::compress_to_vec(&planes, 10)))
}

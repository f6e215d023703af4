//! Vocabulary files: damaged or hostile ones are refused with a sentence, without a panic.

use crate::encodings::vocabulary_file;
use espalier::tokens::vocab::{self, BYTE_TOKEN};
use espalier::tokens::{Encoding, EncodingName};
use espalier_testing::random::Random;

const NAME: EncodingName = EncodingName::Cl100kBase;

fn refused(file: &[u8], why: &str) {
    let error = Encoding::load(NAME, file).err().unwrap_or_else(|| panic!("accepted, though {why}"));
    assert_eq!(error.code.as_str(), "bad_vocabulary");
    assert!(error.message.contains(why), "{:?} does not say {why:?}", error.message);
}

/// Returns a file with these pairs after the 256 bytes, with a correct checksum.
fn made_of(pairs: &[[u32; 2]]) -> Vec<u8> {
    let mut all: Vec<[u32; 2]> = (0..256).map(|byte| [byte, BYTE_TOKEN]).collect();
    all.extend(pairs);
    vocab::write(NAME, &vocab::planes(&all), None)
}

#[test]
fn damaged_files() {
    let file = vocabulary_file(NAME);
    refused(b"", "too few");
    refused(&file[..20], "too few");
    refused(b"<!DOCTYPE html><title>404 Not Found</title>", "not a vocabulary file");
    refused(&file[..file.len() / 2], "does not inflate");
    refused(&file[..file.len() - 1], "does not inflate");
    let with = |at: usize, value: u8| {
        let mut file = file.to_vec();
        file[at] = value;
        file
    };
    refused(&with(4, 9), "version 9");
    refused(&with(5, 7), "packing 7");
    refused(&with(8, b'p'), "pl100k_base");
    refused(&with(26, 0xFF), "tokens");
    refused(&with(30, file[30] ^ 1), "checksum");
    refused(vocabulary_file(EncodingName::O200kBase), "o200k_base");
}

#[test]
fn every_kind_of_damage_is_noticed() {
    let file = vocabulary_file(NAME);
    for seed in 0..60 {
        let mut random = Random::new(seed);
        let mut damaged = file.to_vec();
        let at = random.below(file.len());
        damaged[at] ^= 1 << random.below(8);
        // The two unused bytes of the header and the last bits of the data have no meaning.
        if at != 6 && at != 7 && at + 1 < file.len() {
            assert!(Encoding::load(NAME, &damaged).is_err(), "byte {at}");
        }
    }
}

#[test]
fn hostile_files() {
    refused(&made_of(&[[0, 256]]), "higher rank");
    refused(&made_of(&[[0, 0xFF_FFFE]]), "higher rank");
    refused(&made_of(&[[7, BYTE_TOKEN]]), "earlier token");
    refused(&made_of(&[[300, BYTE_TOKEN]]), "not a byte");
    refused(&made_of(&[[97, 98], [97, 98]]), "bytes of another");
    refused(&made_of(&[[97, 98], [98, 99], [256, 99], [97, 257]]), "bytes of another");
    // Doubling a token seven times over is too long at the eighth.
    let doubling: Vec<[u32; 2]> =
        (0..20).map(|step| if step == 0 { [97, 97] } else { [255 + step, 255 + step] }).collect();
    refused(&made_of(&doubling), "longer than 128");
    let mut no_z: Vec<[u32; 2]> = (0..255).map(|byte| [byte, BYTE_TOKEN]).collect();
    no_z.push([0, 1]);
    refused(&vocab::write(NAME, &vocab::planes(&no_z), None), "no token for byte 255");
    refused(&vocab::write(NAME, &[], None), "0 tokens");
    // Twins that differ from the ninth byte on, or by zeros at the end.
    let long: Vec<[u32; 2]> = vec![[97, 97], [256, 256], [257, 257], [258, 0], [259, 98], [0, 98], [258, 261]];
    refused(&made_of(&long), "bytes of another");
}

#[test]
fn other_vocabularies_are_refused() {
    refused(&made_of(&[[97, 98], [256, 99]]), "not the published");
}

#[test]
fn raw_planes_load_too() {
    let pairs = espalier_vocabulary::pairs(NAME);
    let raw = vocab::write(NAME, &vocab::planes(&pairs), None);
    let encoding = Encoding::load(NAME, &raw).expect("raw planes");
    assert_eq!(encoding.encode("hello world"), [15339, 1917]);
    assert!(encoding.memory() < 8_000_000, "{} bytes", encoding.memory());
}

#[test]
fn the_file_is_the_same_every_time() {
    assert_eq!(espalier_vocabulary::file(NAME), vocabulary_file(NAME));
}

#[test]
fn character_classes_are_those_of_the_pinned_tables() {
    let ours = include_bytes!("../../../core/src/tokens/classes.bin");
    assert!(espalier_vocabulary::classes::encoded() == ours, "run the `classes` binary of espalier-vocabulary");
}

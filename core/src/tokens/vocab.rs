//! The vocabulary file: merge pairs in byte planes, deflated, after a header.
//!
//! Every token of both encodings is one byte or the merge of two tokens of lower rank, so the list of pairs is the
//! whole vocabulary, and its smallest known form (o200k_base: 729 kB deflated, against 1,693 kB for the rank file).
//!
//! | offset | bytes | what |
//! |---|---|---|
//! | 0 | 4 | `ESPV` |
//! | 4 | 1 | format version, 1 |
//! | 5 | 1 | packing of the planes: 0 raw, 1 deflate |
//! | 6 | 2 | zero |
//! | 8 | 16 | encoding name, padded with zeros |
//! | 24 | 4 | number of tokens n, little endian |
//! | 28 | 8 | checksum of the raw planes, little endian (see [`checksum`]) |
//! | 36 | | planes: the low, middle and high bytes of all left ids (n bytes each), then those of all right ids |
//!
//! A token of one byte has that byte as its left id and [`BYTE_TOKEN`] as its right one.

use super::EncodingName;
use super::inflate::inflate;
use crate::error::{Code, Error, Result};
use std::borrow::Cow;

const MAGIC: &[u8; 4] = b"ESPV";
const VERSION: u8 = 1;
const RAW: u8 = 0;
const DEFLATED: u8 = 1;
const HEADER: usize = 36;

/// The right id of a token that is a single byte.
pub const BYTE_TOKEN: u32 = 0xFF_FFFF;

/// Maximum tokens of a vocabulary: ids take 18 bits in the tables.
pub(super) const MAX_TOKENS: usize = (1 << 18) - 2;

/// The merge pairs of a vocabulary, by rank.
pub type Pairs = Vec<[u32; 2]>;

/// Returns the merge pairs as byte planes: low, middle and high bytes of all left ids, then of all right ids.
pub fn planes(pairs: &[[u32; 2]]) -> Vec<u8> {
    let mut planes = Vec::with_capacity(pairs.len() * 6);
    for side in 0..2 {
        for shift in [0, 8, 16] {
            planes.extend(pairs.iter().map(|pair| (pair[side] >> shift) as u8));
        }
    }
    planes
}

/// Writes a vocabulary file around `planes`; `deflated` is their packed form (raw deflate without a wrapper), if there
/// is one.
pub fn write(name: EncodingName, planes: &[u8], deflated: Option<&[u8]>) -> Vec<u8> {
    let body = deflated.unwrap_or(planes);
    let mut file = Vec::with_capacity(HEADER + body.len());
    file.extend_from_slice(MAGIC);
    file.extend_from_slice(&[VERSION, if deflated.is_some() { DEFLATED } else { RAW }, 0, 0]);
    let mut padded = [0; 16];
    padded[..name.as_str().len()].copy_from_slice(name.as_str().as_bytes());
    file.extend_from_slice(&padded);
    file.extend_from_slice(&((planes.len() / 6) as u32).to_le_bytes());
    file.extend_from_slice(&checksum(planes).to_le_bytes());
    file.extend_from_slice(body);
    file
}

/// Reads a vocabulary file of the encoding `name`; returns the planes and their checksum.
///
/// # Errors
/// [`Code::BadVocabulary`] if the file is truncated, damaged, of another version or of another encoding. Building the
/// tables checks that the pairs form a vocabulary.
pub fn read(name: EncodingName, file: &[u8]) -> Result<(Cow<'_, [u8]>, u64)> {
    let bad =
        |what: String| Error::new(Code::BadVocabulary, format!("the {} vocabulary is unusable: {what}", name.as_str()));
    let Some((header, body)) = file.split_at_checked(HEADER) else {
        return Err(bad(format!("{} bytes are too few for a vocabulary file", file.len())));
    };
    if &header[..4] != MAGIC {
        return Err(bad(
            "it is not a vocabulary file of this package (perhaps it is the error page of a server)".into()
        ));
    }
    if header[4] != VERSION {
        return Err(bad(format!("its format is version {}, this package reads version {VERSION}", header[4])));
    }
    let found = String::from_utf8_lossy(&header[8..24]);
    let found = found.trim_end_matches('\0');
    if found != name.as_str() {
        return Err(bad(format!("the file contains the vocabulary {found:?}")));
    }
    let count = u32::from_le_bytes([header[24], header[25], header[26], header[27]]) as usize;
    if !(256..=MAX_TOKENS).contains(&count) {
        return Err(bad(format!("it has {count} tokens, which is impossible")));
    }
    let planes = match header[5] {
        RAW => Cow::Borrowed(body),
        DEFLATED => match inflate(body, count * 6) {
            Some(planes) => Cow::Owned(planes),
            None => return Err(bad("it does not inflate; the file is truncated or damaged".into())),
        },
        packing => return Err(bad(format!("its packing {packing} is unknown"))),
    };
    if planes.len() != count * 6 {
        return Err(bad(format!(
            "it has {} bytes of tokens instead of {}; the file is truncated",
            planes.len(),
            count * 6
        )));
    }
    let mut sum = [0; 8];
    sum.copy_from_slice(&header[28..36]);
    let sum = u64::from_le_bytes(sum);
    if checksum(&planes) != sum {
        return Err(bad("its checksum is wrong; the file is damaged".into()));
    }
    Ok((planes, sum))
}

/// Returns the checksum of the published vocabulary (made from tiktoken-rs 0.12, whose rank files are OpenAI's).
fn published(name: EncodingName) -> u64 {
    match name {
        EncodingName::O200kBase => 0x9240_DD1E_1813_AC4D,
        EncodingName::Cl100kBase => 0x00BF_F637_5305_2C02,
    }
}

/// Checks that planes with this checksum are the published vocabulary: a count with any other is not the provider's.
///
/// # Errors
/// [`Code::BadVocabulary`] if they are not.
pub fn check_published(name: EncodingName, sum: u64) -> Result<()> {
    if sum == published(name) {
        return Ok(());
    }
    let message = format!("the vocabulary is sound, but it is not the published {} vocabulary", name.as_str());
    Err(Error::new(Code::BadVocabulary, message))
}

/// Returns a fast 64-bit checksum against damage in transit (not against attacks: the tables are checked separately).
/// Eight bytes at a time are mixed in by xor, multiplication with an odd constant (2^64 / golden ratio) and a shift.
pub fn checksum(bytes: &[u8]) -> u64 {
    let mix = |sum: u64, word: u64| {
        let sum = (sum ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        sum ^ sum >> 32
    };
    let (words, rest) = bytes.as_chunks::<8>();
    let sum = words.iter().fold(bytes.len() as u64, |sum, word| mix(sum, u64::from_le_bytes(*word)));
    rest.iter().fold(sum, |sum, byte| mix(sum, u64::from(*byte)))
}

//! Encodings that are not built in: p50k_base, r50k_base, and vocabularies of the host. Feature `tiktoken-rs`.
//!
//! They run on the reference implementation itself: it is six to twenty times slower than the built-in encodings and
//! adds 330 kB of regular expression engine (brotli) to a wasm. The published package is built without this feature.

use tiktoken_rs::CoreBPE;

use super::Tokenizer;
use crate::error::{Code, Error, Result};
use crate::map::HashSet;

/// An encoding that uses tiktoken-rs.
pub struct OtherEncoding(CoreBPE);

impl OtherEncoding {
    /// `p50k_base`: text-davinci-002 and -003, the first Codex models.
    ///
    /// ```
    /// use espalier::tokens::{OtherEncoding, Tokenizer};
    /// let encoding = OtherEncoding::p50k_base().unwrap();
    /// assert_eq!(encoding.count("Hello world!"), 3);
    /// ```
    pub fn p50k_base() -> Result<OtherEncoding> {
        tiktoken_rs::p50k_base().map(OtherEncoding).map_err(|error| unusable(error.to_string()))
    }

    /// `r50k_base`: GPT-3 and older.
    pub fn r50k_base() -> Result<OtherEncoding> {
        tiktoken_rs::r50k_base().map(OtherEncoding).map_err(|error| unusable(error.to_string()))
    }

    /// Creates an encoding from a vocabulary of the host: the bytes of each token with its rank, and the regular
    /// expression that splits text into pieces (the syntax of the crate `fancy-regex`).
    ///
    /// # Errors
    /// [`Code::BadVocabulary`] if a byte or a rank is missing or occurs twice, or if the expression is invalid.
    pub fn custom(tokens: Vec<(Vec<u8>, u32)>, pattern: &str) -> Result<OtherEncoding> {
        let mut bytes: HashSet<&[u8]> = HashSet::default();
        let mut ranks: HashSet<u32> = HashSet::default();
        for (token, rank) in &tokens {
            if token.is_empty() || !bytes.insert(token) || !ranks.insert(*rank) {
                return Err(unusable(format!("the token of rank {rank} is empty or occurs twice")));
            }
        }
        // Any text must be encodable, if necessary byte by byte.
        if let Some(missing) = (0..=u8::MAX).find(|byte| !bytes.contains([*byte].as_slice())) {
            return Err(unusable(format!("no token is the single byte {missing}")));
        }
        CoreBPE::new(tokens.into_iter().collect(), Default::default(), pattern)
            .map(OtherEncoding)
            .map_err(|error| unusable(error.to_string()))
    }

    /// Returns the ids of the tokens of `text`.
    pub fn encode(&self, text: &str) -> Vec<u32> {
        self.0.encode_ordinary(text)
    }
}

impl Tokenizer for OtherEncoding {
    fn count(&self, text: &str) -> u64 {
        self.0.encode_ordinary(text).len() as u64
    }
}

fn unusable(what: String) -> Error {
    Error::new(Code::BadVocabulary, format!("the vocabulary cannot be used: {what}"))
}

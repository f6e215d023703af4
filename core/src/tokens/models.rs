//! Names of encodings, and the encoding of each model.

use super::Origin;
use crate::error::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// An encoding with a public vocabulary.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum EncodingName {
    /// 199,998 tokens: gpt-4o and all later models. `o200k_harmony` has the same text tokens.
    #[serde(rename = "o200k_base")]
    O200kBase,
    /// 100,256 tokens: gpt-4, gpt-3.5-turbo, the embedding models.
    #[serde(rename = "cl100k_base")]
    Cl100kBase,
}

impl EncodingName {
    /// All encodings, in the order of their format numbers.
    pub const ALL: [EncodingName; 2] = [EncodingName::O200kBase, EncodingName::Cl100kBase];

    /// Returns the usual name of the encoding.
    pub fn as_str(self) -> &'static str {
        match self {
            EncodingName::O200kBase => "o200k_base",
            EncodingName::Cl100kBase => "cl100k_base",
        }
    }

    /// Returns the encoding with this name. Names of other libraries, such as `o200k_harmony`, are unknown.
    ///
    /// # Errors
    /// [`Code::UnknownEncoding`], which lists the encodings.
    ///
    /// ```
    /// use espalier::tokens::EncodingName;
    /// assert_eq!(EncodingName::from_name("cl100k_base"), Ok(EncodingName::Cl100kBase));
    /// assert_eq!(EncodingName::from_name("p50k").unwrap_err().code.as_str(), "unknown_encoding");
    /// ```
    pub fn from_name(name: &str) -> Result<EncodingName> {
        match name {
            "o200k_base" => Ok(EncodingName::O200kBase),
            "cl100k_base" => Ok(EncodingName::Cl100kBase),
            _ => Err(Error::new(
                Code::UnknownEncoding,
                format!("there is no encoding {name:?}; use \"o200k_base\" or \"cl100k_base\""),
            )),
        }
    }
}

use EncodingName::{Cl100kBase, O200kBase};

/// Models whose encoding is public, by exact name. Source: the table `MODEL_TO_ENCODING` of tiktoken 0.12.
const EXACT: &[(&str, EncodingName)] = &[
    ("o1", O200kBase),
    ("o3", O200kBase),
    ("o4-mini", O200kBase),
    ("gpt-5", O200kBase),
    ("gpt-4.1", O200kBase),
    ("gpt-4o", O200kBase),
    ("gpt-4", Cl100kBase),
    ("gpt-3.5-turbo", Cl100kBase),
    ("gpt-3.5", Cl100kBase),
    ("gpt-35-turbo", Cl100kBase),
    ("davinci-002", Cl100kBase),
    ("babbage-002", Cl100kBase),
    ("text-embedding-ada-002", Cl100kBase),
    ("text-embedding-3-small", Cl100kBase),
    ("text-embedding-3-large", Cl100kBase),
];

/// Models by the beginning of the name; the first that matches applies. Source: `MODEL_PREFIX_TO_ENCODING` of tiktoken
/// 0.12 (`gpt-5` also covers its `gpt-5.x` successors there).
const PREFIXES: &[(&str, EncodingName)] = &[
    ("o1-", O200kBase),
    ("o3-", O200kBase),
    ("o4-mini-", O200kBase),
    ("gpt-5", O200kBase),
    ("gpt-4.5-", O200kBase),
    ("gpt-4.1-", O200kBase),
    ("chatgpt-4o-", O200kBase),
    ("gpt-4o-", O200kBase),
    ("gpt-oss-", O200kBase),
    ("codex-", O200kBase),
    ("gpt-4-", Cl100kBase),
    ("gpt-3.5-turbo-", Cl100kBase),
    ("gpt-35-turbo-", Cl100kBase),
    ("ft:gpt-4o", O200kBase),
    ("ft:gpt-4.1", O200kBase),
    ("ft:gpt-4", Cl100kBase),
    ("ft:gpt-3.5-turbo", Cl100kBase),
    ("ft:davinci-002", Cl100kBase),
    ("ft:babbage-002", Cl100kBase),
];

/// Returns the encoding for a model's text. [`Origin::Exact`] if it is the model's own; [`Origin::Prior`] if the model
/// has no public one (or is unknown) and `o200k_base` replaces it.
///
/// A name may contain the path of a router (`openai/gpt-4o`); only its last segment counts.
///
/// ```
/// use espalier::tokens::{encoding_for_model, EncodingName, Origin};
/// assert_eq!(encoding_for_model("gpt-4-turbo"), (EncodingName::Cl100kBase, Origin::Exact));
/// assert_eq!(encoding_for_model("claude-sonnet-4"), (EncodingName::O200kBase, Origin::Prior));
/// ```
pub fn encoding_for_model(model: &str) -> (EncodingName, Origin) {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let exact = EXACT.iter().find(|(known, _)| *known == name);
    let found = exact.or_else(|| PREFIXES.iter().find(|(prefix, _)| name.starts_with(prefix)));
    match found {
        Some((_, encoding)) => (*encoding, Origin::Exact),
        None => (O200kBase, Origin::Prior),
    }
}

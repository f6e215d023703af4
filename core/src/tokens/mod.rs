//! Counting: encodings, exact counts, and the costs of messages, tools, pictures and documents.
//!
//! In: text, [`crate::message::Message`]s and [`crate::message::Tool`]s. Out: token counts with their [`Origin`], which
//! says how they were obtained. Anything that counts text is a [`Tokenizer`]; the cost models use only that trait.
//! Start reading at [`Encoding`].
//!
//! How a text is counted: `cut` divides it where counts add up, `padded` adds padding after each window, `scan` splits
//! it into pieces (with the character classes of `class`), `pieces` caches counts of pieces, `bpe` encodes the others
//! with the `tables` (`trie`: all tokens; the pairs that merge), which are built from a vocabulary file (`vocab`,
//! `inflate`, `spelling`). On top of these, `fit` cuts a text to a number of tokens, and `join` adds counts.
//!
//! Every function is linear in the length of the text, for any text, and agrees with tiktoken, ids included.

mod bpe;
mod breakdown;
mod calibrate;
mod class;
mod cost;
mod cut;
mod document;
mod embedded;
mod encoding;
mod escapes;
mod estimate;
mod fit;
pub mod image;
mod inflate;
mod join;
mod models;
mod origin;
#[cfg(feature = "tiktoken-rs")]
mod other;
mod padded;
mod pdf;
mod pieces;
mod runs;
mod scan;
mod spelling;
mod tables;
mod trie;
pub mod vocab;

pub use breakdown::{Breakdown, Label, Room, Share, TAGS, breakdown};
pub use calibrate::{Calibration, Outcome, Prediction, Request, prior_factor};
pub use class::is_letter;
pub use cost::{Cost, CostModel, ToolCost, ToolsCost};
pub use cut::meet;
pub use cut::{is_cut, last_cut};
pub use document::document_cost;
pub use encoding::Encoding;
pub use estimate::{Estimate, Estimator};
pub use fit::Fit;
pub use join::Counted;
pub use models::{EncodingName, encoding_for_model};
pub use origin::Origin;
#[cfg(feature = "tiktoken-rs")]
pub use other::OtherEncoding;
pub use padded::PADDING;
pub use pdf::document_of;

use std::rc::Rc;

use self::image::{ImageModel, Picture, Size, SizeOf};

/// A tokenizer: counts the tokens of texts. Must be pure: the same text always has the same count.
pub trait Tokenizer {
    /// Returns the tokens of `text`; special-token text counts as ordinary text.
    fn count(&self, text: &str) -> u64;

    /// Returns a name that identifies the counts, wherever a text is counted; `None` for a tokenizer of the host.
    fn known_as(&self) -> Option<&'static str> {
        None
    }

    /// True if counts add up at every [cut](is_cut) and between letters or digits and the punctuation after them, and
    /// if three digits are one token. Then the counts of parts can be reused.
    fn has_cuts(&self) -> bool {
        false
    }

    /// Returns the formula for the model's pictures.
    fn images(&self) -> ImageModel {
        ImageModel::default()
    }

    /// Returns the size of a picture whose data do not contain it, if it is known.
    fn image_size(&self, _picture: Picture) -> Option<Size> {
        None
    }

    /// Returns the longest, or almost longest, beginning of `text` with at most `max` tokens. Counts once for each
    /// step of a bisection.
    fn prefix_within(&self, text: &str, max: u64) -> Fit {
        fit::by_halving(text.len(), max, |bytes| {
            let end = text.floor_char_boundary(bytes);
            (end, self.count(&text[..end]))
        })
    }

    /// Returns the longest, or almost longest, end of `text`; `offset` is its start.
    fn suffix_within(&self, text: &str, max: u64) -> Fit {
        let fit = fit::by_halving(text.len(), max, |bytes| {
            let start = text.ceil_char_boundary(text.len() - bytes);
            (text.len() - start, self.count(&text[start..]))
        });
        Fit { offset: text.len() - fit.offset, ..fit }
    }
}

/// A tokenizer together with the formula for a model's pictures, and the sizes that the host knows.
///
/// ```
/// use std::rc::Rc;
/// use espalier::message::{Part, Role};
/// use espalier::tokens::image::{ImageModel, Size};
/// use espalier::tokens::{CostModel, Seeing, Tokenizer};
/// struct Bytes;
/// impl Tokenizer for Bytes {
///     fn count(&self, text: &str) -> u64 { text.len() as u64 }
/// }
/// let size_of = Rc::new(|_: espalier::tokens::image::Picture| Some(Size { width: 750, height: 100 }));
/// let claude = Seeing { tokenizer: Bytes, images: ImageModel::Anthropic, size_of: Some(size_of) };
/// let url = Some("https://example.com/a.png".to_owned());
/// let picture = Part::Image { media_type: None, data: None, url, detail: None };
/// assert_eq!(CostModel::Espalier.part(Role::User, &picture, &claude).tokens, 100);
/// ```
pub struct Seeing<T> {
    pub tokenizer: T,
    pub images: ImageModel,
    pub size_of: Option<Rc<SizeOf>>,
}

impl<T: Tokenizer> Tokenizer for Seeing<T> {
    fn count(&self, text: &str) -> u64 {
        self.tokenizer.count(text)
    }

    fn known_as(&self) -> Option<&'static str> {
        self.tokenizer.known_as()
    }

    fn has_cuts(&self) -> bool {
        self.tokenizer.has_cuts()
    }

    fn images(&self) -> ImageModel {
        self.images
    }

    fn image_size(&self, picture: Picture) -> Option<Size> {
        self.size_of.as_ref().and_then(|size_of| size_of(picture))
    }

    fn prefix_within(&self, text: &str, max: u64) -> Fit {
        self.tokenizer.prefix_within(text, max)
    }

    fn suffix_within(&self, text: &str, max: u64) -> Fit {
        self.tokenizer.suffix_within(text, max)
    }
}

impl<T: Tokenizer + ?Sized> Tokenizer for Rc<T> {
    fn count(&self, text: &str) -> u64 {
        (**self).count(text)
    }

    fn known_as(&self) -> Option<&'static str> {
        (**self).known_as()
    }

    fn has_cuts(&self) -> bool {
        (**self).has_cuts()
    }

    fn images(&self) -> ImageModel {
        (**self).images()
    }

    fn image_size(&self, picture: Picture) -> Option<Size> {
        (**self).image_size(picture)
    }

    fn prefix_within(&self, text: &str, max: u64) -> Fit {
        (**self).prefix_within(text, max)
    }

    fn suffix_within(&self, text: &str, max: u64) -> Fit {
        (**self).suffix_within(text, max)
    }
}

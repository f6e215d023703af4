//! Counts of texts that plans ask for repeatedly: lines, and text that users pasted.

use std::cell::RefCell;
use std::rc::Rc;

use super::Held;
use crate::map::HashMap;
use crate::tokens::image::{ImageModel, Picture, Size};
use crate::tokens::{Fit, Tokenizer};

/// Maximum bytes of a text whose count is kept.
const MAX_BYTES: usize = 65_536;

/// Tokens of texts, and the last plan that asked for each.
#[derive(Default)]
pub(super) struct Counts {
    known: RefCell<HashMap<Box<str>, (u64, u32)>>,
}

impl Counts {
    /// Evicts counts that neither `plan` nor the one before it used.
    pub(super) fn begin(&self, plan: u32) {
        self.known.borrow_mut().retain(|_, (_, asked)| plan.wrapping_sub(*asked) <= 2);
    }

    fn count(&self, text: &str, plan: u32, tokenizer: &dyn Tokenizer) -> u64 {
        let mut known = self.known.borrow_mut();
        if let Some((tokens, asked)) = known.get_mut(text) {
            *asked = plan;
            return *tokens;
        }
        let tokens = tokenizer.count(text);
        known.insert(Box::from(text), (tokens, plan));
        tokens
    }
}

/// A tokenizer that remembers counts: a plan counts the same lines several times, and the next plan counts most of them
/// again.
pub struct Remembering {
    pub inner: Rc<dyn Tokenizer>,
    pub held: Rc<Held>,
}

impl Tokenizer for Remembering {
    fn count(&self, text: &str) -> u64 {
        if text.len() <= MAX_BYTES {
            self.held.counts.count(text, self.held.plans.get(), &*self.inner)
        } else {
            self.inner.count(text)
        }
    }

    fn known_as(&self) -> Option<&'static str> {
        self.inner.known_as()
    }

    fn images(&self) -> ImageModel {
        self.inner.images()
    }

    fn image_size(&self, picture: Picture) -> Option<Size> {
        self.inner.image_size(picture)
    }

    fn prefix_within(&self, text: &str, max: u64) -> Fit {
        self.inner.prefix_within(text, max)
    }

    fn suffix_within(&self, text: &str, max: u64) -> Fit {
        self.inner.suffix_within(text, max)
    }
}

//! Estimates, which are used only if the caller asks for one, and always marked as such ([`Origin::Estimate`]).

use super::{Cost, Origin, Tokenizer};
use crate::error::{Code, Error, Result};
use serde::{Deserialize, Serialize};

/// A rule that estimates the tokens of a text. Lengths are in UTF-16 code units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Estimator {
    /// A quarter of the length, rounded up: the common rule.
    Quarter,
    /// Three quarters of the length, rounded up: an upper estimate, from Copilot Chat's edit and read tools.
    ThreeQuarters,
    /// gemini-cli: 0.25 for each unit up to 127, 1.3 for each other one, rounded down; a quarter of the length above
    /// 100,000.
    Gemini,
    /// The exact count of three windows of 4,096 units, extrapolated. A text that is not longer is counted whole.
    #[default]
    Sample,
}

/// An estimated count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Estimate {
    pub tokens: u64,
    /// The possible error in tokens, if the rule knows it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<u64>,
    pub origin: Origin,
}

impl Estimate {
    fn guess(tokens: u64) -> Estimate {
        Estimate { tokens, bound: None, origin: Origin::Estimate }
    }

    /// Returns only tokens and origin.
    pub fn cost(self) -> Cost {
        Cost { tokens: self.tokens, origin: self.origin }
    }
}

/// Units of a sample window, and the number of windows.
const WINDOW: usize = 4_096;
const WINDOWS: usize = 3;

/// Length above which gemini-cli ignores the characters.
const GEMINI_LONG: u64 = 100_000;

impl Estimator {
    /// Returns the rule with this name: `quarter`, `three-quarters`, `gemini` or `sample`.
    ///
    /// # Errors
    /// [`Code::BadOption`], which lists the rules.
    pub fn from_name(name: &str) -> Result<Estimator> {
        match name {
            "quarter" => Ok(Estimator::Quarter),
            "three-quarters" => Ok(Estimator::ThreeQuarters),
            "gemini" => Ok(Estimator::Gemini),
            "sample" => Ok(Estimator::Sample),
            _ => Err(Error::new(
                Code::BadOption,
                format!(
                    "there is no estimator {name:?}; use \"quarter\", \"three-quarters\", \"gemini\" or \"sample\""
                ),
            )),
        }
    }

    /// Estimates the tokens of `text`. Only [`Estimator::Sample`] calls the tokenizer, for at most 12,288 units of
    /// text.
    ///
    /// ```
    /// use espalier::tokens::{Estimator, Tokenizer};
    /// struct Words;
    /// impl Tokenizer for Words {
    ///     fn count(&self, text: &str) -> u64 { text.split_whitespace().count() as u64 }
    /// }
    /// assert_eq!(Estimator::Quarter.estimate("hello", &Words).tokens, 2);
    /// assert_eq!(Estimator::Gemini.estimate("aaaa日", &Words).tokens, 2);
    /// let sampled = Estimator::Sample.estimate(&"word ".repeat(20_000), &Words);
    /// assert!(sampled.tokens.abs_diff(20_000) <= sampled.bound.unwrap());
    /// ```
    pub fn estimate(self, text: &str, tokenizer: &dyn Tokenizer) -> Estimate {
        match self {
            Estimator::Quarter => Estimate::guess(units(text).div_ceil(4)),
            Estimator::ThreeQuarters => Estimate::guess((units(text) * 3).div_ceil(4)),
            Estimator::Gemini => Estimate::guess(gemini(text)),
            Estimator::Sample => sample(text, tokenizer),
        }
    }
}

/// Returns the length in UTF-16 code units.
fn units(text: &str) -> u64 {
    text.chars().map(|character| character.len_utf16() as u64).sum()
}

fn gemini(text: &str) -> u64 {
    let length = units(text);
    if length > GEMINI_LONG {
        return length / 4;
    }
    let narrow = text.bytes().filter(u8::is_ascii).count() as u64;
    (narrow * 25 + (length - narrow) * 130) / 100
}

/// Samples windows at the beginning, in the middle and at the end. The bound is the largest distance of a window's rate
/// from the mean, plus one token for each edge of a window, extrapolated like the count.
fn sample(text: &str, tokenizer: &dyn Tokenizer) -> Estimate {
    let length = units(text) as usize;
    if length <= WINDOW * WINDOWS {
        return Estimate { tokens: tokenizer.count(text), bound: Some(0), origin: Origin::Exact };
    }
    let starts = [0, (length - WINDOW) / 2, length - WINDOW];
    let mut windows = [(0usize, 0usize); WINDOWS];
    let mut unit = 0;
    for (at, character) in text.char_indices() {
        for (window, start) in windows.iter_mut().zip(starts) {
            if unit <= start {
                window.0 = at;
            }
            if unit < start + WINDOW {
                window.1 = at + character.len_utf8();
            }
        }
        unit += character.len_utf16();
    }
    let counts = windows.map(|(start, end)| {
        let window = &text[start..end];
        (tokenizer.count(window), units(window).max(1))
    });
    let (tokens, sampled) = counts.iter().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
    let whole = length as f64;
    let mean = tokens as f64 / sampled as f64;
    let spread = counts.iter().map(|(tokens, units)| (*tokens as f64 / *units as f64 - mean).abs()).fold(0.0, f64::max);
    let edges = (2 * WINDOWS) as f64 / sampled as f64;
    let bound = ((spread + edges) * whole).ceil() as u64;
    Estimate { tokens: (mean * whole).round() as u64, bound: Some(bound), origin: Origin::Estimate }
}

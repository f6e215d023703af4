//! What a request is expected to cost with a cache, and whether it pays to change a cached prefix.
//!
//! Let u be the price of a plain input token, r of one read from the cache, w of one written to it, and h the chance
//! that the prefix is still in the cache when the next request comes. A token of a stable prefix then costs, in every
//! request,
//!
//! ```text
//! p = h r + (1 - h) w
//! ```
//!
//! Clearing N tokens before a suffix of S tokens, and inserting R tokens instead, makes R + S tokens new: they are
//! written once, at w instead of p, and from then on every request has N - R tokens less. Over n requests, this one
//! included, and with X for the cost of the clearing itself (a summary's model call):
//!
//! ```text
//! saved(n) = n (N - R) p - (R + S)(w - p) - X
//! ```
//!
//! It pays if saved(n) > 0, which holds for every n above
//!
//! ```text
//! n* = ((R + S)(w - p) + X) / ((N - R) p)
//! ```
//!
//! Prices are the host's, relative or absolute: results have the unit of the prices.

use serde::{Deserialize, Serialize};

use crate::error::{Code, Error, Result};

/// Prices of one token. The defaults are Anthropic's, relative to plain input: a hit costs a tenth, writing an entry of
/// five minutes a quarter more (an entry of one hour twice the price), output five times as much.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Prices {
    pub input: f64,
    pub cache_read: f64,
    pub cache_write: f64,
    pub output: f64,
}

impl Default for Prices {
    fn default() -> Prices {
        Prices { input: 1.0, cache_read: 0.1, cache_write: 1.25, output: 5.0 }
    }
}

impl Prices {
    /// Refuses invalid prices.
    ///
    /// # Errors
    /// [`Code::BadOption`] with the path of the price.
    pub fn check(self) -> Result<Prices> {
        let named = [
            ("input", self.input),
            ("cacheRead", self.cache_read),
            ("cacheWrite", self.cache_write),
            ("output", self.output),
        ];
        for (name, price) in named {
            not_negative(price, &format!("prices.{name}"))?;
        }
        Ok(self)
    }

    /// Returns the mean cost of a token of a stable prefix that is still cached with this probability.
    pub fn standing(&self, hit_rate: f64) -> f64 {
        hit_rate * self.cache_read + (1.0 - hit_rate) * self.cache_write
    }
}

/// The expected cost of one request.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Expected {
    /// The total, in the unit of the prices.
    pub cost: f64,
    /// Expected tokens that are read from the cache, written to it, and paid as plain input.
    pub cache_read: f64,
    pub cache_write: f64,
    pub input: f64,
    /// The cost of the same request without a cache.
    pub without_cache: f64,
}

/// Returns the expected cost of a request of `total` prompt tokens. The previous request had cached `shared` of them;
/// `marked` of them precede the newest mark, so that they are written if they are not read. `output` tokens are
/// expected.
///
/// ```
/// use espalier::cache::{Prices, expected_cost};
/// let expected = expected_cost(Prices::default(), 10_000, 8_000, 10_000, 0, 1.0).unwrap();
/// assert_eq!(expected.cost, 800.0 + 2_500.0);
/// assert_eq!(expected.without_cache, 10_000.0);
/// ```
///
/// # Errors
/// [`Code::BadOption`] with the path of the field that is out of range.
pub fn expected_cost(
    prices: Prices,
    total: u64,
    shared: u64,
    marked: u64,
    output: u64,
    hit_rate: f64,
) -> Result<Expected> {
    let prices = prices.check()?;
    share(hit_rate, "hitRate")?;
    let (total, output) = (total as f64, output as f64);
    let (shared, marked) = ((shared as f64).min(total), (marked as f64).min(total));
    let cache_read = shared * hit_rate;
    // On a miss the shared prefix is written again, up to the mark.
    let cache_write = hit_rate * (marked - shared).max(0.0) + (1.0 - hit_rate) * marked;
    let input = total - cache_read - cache_write;
    let spent = output * prices.output;
    Ok(Expected {
        cost: input * prices.input + cache_read * prices.cache_read + cache_write * prices.cache_write + spent,
        cache_read,
        cache_write,
        input,
        without_cache: total * prices.input + spent,
    })
}

/// A change of a cached prefix that is under consideration.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Clearing {
    /// N: tokens that the change removes.
    pub cleared: u64,
    /// S: tokens after the first of them that stay.
    pub suffix: u64,
    /// R: tokens that the change inserts.
    pub replacement: u64,
    /// X: the cost of the change itself, in the unit of the prices.
    pub extra: f64,
    /// n: expected number of requests, the next one included. May be a fraction.
    pub requests: f64,
    /// h: the chance that the prefix is still cached, from 0 to 1.
    pub hit_rate: f64,
}

impl Default for Clearing {
    fn default() -> Clearing {
        Clearing { cleared: 0, suffix: 0, replacement: 0, extra: 0.0, requests: 10.0, hit_rate: 1.0 }
    }
}

/// Says whether a change pays.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Decision {
    pub pays: bool,
    /// Savings over the expected requests; negative if the change costs more than it saves.
    pub saved: f64,
    /// The cost of the change, once.
    pub once: f64,
    /// The savings with every request.
    pub per_request: f64,
    /// Min number of requests (at least 1) after which the change costs nothing; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub break_even: Option<u64>,
}

/// Decides whether clearing pays now. The module's documentation has the formula.
///
/// ```
/// use espalier::cache::{Clearing, Prices, clearing};
/// let plan = Clearing { cleared: 20_000, suffix: 10_000, replacement: 0, extra: 0.0, requests: 5.0, hit_rate: 1.0 };
/// let decision = clearing(Prices::default(), plan).unwrap();
/// // Once: 10,000 tokens at 1.25 - 0.1. With each request: 20,000 tokens at 0.1.
/// assert_eq!((decision.once, decision.per_request, decision.break_even), (11_500.0, 2_000.0, Some(6)));
/// assert!(!decision.pays);
/// ```
///
/// # Errors
/// [`Code::BadOption`] with the path of the field that is out of range.
pub fn clearing(prices: Prices, plan: Clearing) -> Result<Decision> {
    let prices = prices.check()?;
    share(plan.hit_rate, "hitRate")?;
    not_negative(plan.requests, "requests")?;
    not_negative(plan.extra, "extra")?;
    let standing = prices.standing(plan.hit_rate);
    let (cleared, suffix, replacement) = (plan.cleared as f64, plan.suffix as f64, plan.replacement as f64);
    let once = (replacement + suffix) * (prices.cache_write - standing) + plan.extra;
    let per_request = (cleared - replacement) * standing;
    let saved = plan.requests * per_request - once;
    let break_even = if once <= per_request {
        Some(1)
    } else if per_request > 0.0 {
        // Allows for rounding errors: 0.1 + 0.2 is not 0.3, and a value just above a whole number is that number.
        let min = once / per_request;
        Some((min - min.abs() * 1e-12).ceil() as u64)
    } else {
        None
    };
    Ok(Decision { pays: saved > 0.0, saved, once, per_request, break_even })
}

fn not_negative(value: f64, path: &str) -> Result<()> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(Error::new(Code::BadOption, format!("{path} must be a number, 0 or more, and is {value}"))
        .at(format!("options.{path}")))
}

fn share(value: f64, path: &str) -> Result<()> {
    if (0.0..=1.0).contains(&value) {
        return Ok(());
    }
    Err(Error::new(Code::BadOption, format!("{path} must be a number from 0 to 1, and is {value}"))
        .at(format!("options.{path}")))
}

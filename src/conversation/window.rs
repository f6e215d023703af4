//! The size of a request: the model's window, the user's threshold and context size, the ratio for triggers.

use crate::compact::profile::{Measured, Profile};
use crate::error::{Code, Error, Result};

/// Minimum threshold that is read as tokens and not as a share.
const MIN_ABSOLUTE: f64 = 100.0;

/// Returns the user's threshold in tokens of a window: `None` if it is unset (not a number, 0 or less). Up to 1 it is a
/// share of 1; from 100 on it is tokens, and is not rounded.
///
/// # Errors
/// [`Code::BadThreshold`] between 1 and 100: a share in percent, or tokens that no request fits; the meaning is
/// unclear.
///
/// ```
/// use espalier::conversation::window::threshold;
/// assert_eq!(threshold(0.8, 128_000), Ok(Some(102_400.0)));
/// assert_eq!(threshold(100_000.0, 128_000), Ok(Some(100_000.0)));
/// assert_eq!(threshold(80.0, 128_000).unwrap_err().code.as_str(), "bad_threshold");
/// ```
pub fn threshold(value: f64, window: u64) -> Result<Option<f64>> {
    if value.is_nan() || value <= 0.0 {
        return Ok(None);
    }
    if value <= 1.0 {
        return Ok(Some((window as f64 * value).floor().max(1.0)));
    }
    if value < MIN_ABSOLUTE {
        let message = format!("a threshold is a share up to 1, or {MIN_ABSOLUTE} tokens and more; {value} is neither");
        return Err(Error::new(Code::BadThreshold, message).at("options.threshold"));
    }
    Ok(Some(value))
}

/// The inputs of choosing a context size.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sizes {
    /// Maximum tokens of the model's prompt.
    pub max: u64,
    /// The user's choice; any value that is not a positive finite number is none.
    pub picked: Option<f64>,
    /// The model's default tier.
    pub default_tier: Option<u64>,
    /// True if tokens above the default tier cost more.
    pub surcharge: bool,
    pub prefer_long: bool,
}

/// Returns the effective window: the user's choice, else the default tier unless long context is preferred and free;
/// never more than the model's own.
pub fn effective(sizes: Sizes) -> f64 {
    let picked = sizes.picked.filter(|size| size.is_finite() && *size > 0.0);
    let tier =
        sizes.default_tier.filter(|tier| *tier > 0 && (sizes.surcharge || !sizes.prefer_long)).map(|tier| tier as f64);
    picked.or(tier).unwrap_or(f64::INFINITY).min(sizes.max as f64)
}

/// Limits of a request, in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Room {
    /// The denominator of ratios.
    pub limit: u64,
    /// Maximum tokens of messages, without the tools.
    pub messages: u64,
}

impl Profile {
    /// Returns the limits of a request, from the model, the user's choice of size and the user's own threshold (see
    /// [`threshold`]).
    ///
    /// # Errors
    /// [`Code::BadThreshold`].
    ///
    /// ```
    /// use espalier::{compact::profile::COPILOT_CHAT, conversation::window::Sizes};
    /// let room = COPILOT_CHAT.request(Sizes { max: 200_000, ..Sizes::default() }, Some(0.5), 20_000).unwrap();
    /// assert_eq!((room.limit, room.messages), (100_000, 72_000));
    /// ```
    pub fn request(&self, sizes: Sizes, own: Option<f64>, tools: u64) -> Result<Room> {
        let window = effective(sizes);
        let own = own.map(|value| threshold(value, window as u64)).transpose()?.flatten();
        let limit = own.unwrap_or(window).min(window).floor() as u64;
        Ok(Room { limit, messages: self.for_messages(limit, tools) })
    }

    /// Returns the maximum tokens of messages within a limit of the whole request. `tools` is the cost of the tool
    /// definitions, 0 if there are none.
    ///
    /// ```
    /// use espalier::compact::profile::{COPILOT_CHAT, ESPALIER};
    /// assert_eq!(ESPALIER.for_messages(200_000, 20_000), 180_000);
    /// assert_eq!(COPILOT_CHAT.for_messages(200_000, 20_000), 162_000);
    /// ```
    pub fn for_messages(&self, limit: u64, tools: u64) -> u64 {
        if tools == 0 {
            return limit;
        }
        ((limit.saturating_sub(tools) as f64 * self.with_tools).floor() as u64).max(1)
    }
}

impl Measured {
    /// Returns the size of a request of `used` tokens by this rule. `reported` are the server's count and our own count
    /// of the newest answered request; `own` is our count of this one. A request that is smaller than that one has lost
    /// messages since, so the server's count does not apply to it.
    ///
    /// ```
    /// use espalier::compact::profile::Measured;
    /// assert_eq!(Measured::Predicted.of(100, 90, Some((150, 80))), 100);
    /// assert_eq!(Measured::AtLeastReported.of(100, 90, Some((150, 80))), 150);
    /// assert_eq!(Measured::Reported.of(100, 90, Some((70, 80))), 70);
    /// assert_eq!(Measured::Reported.of(100, 90, Some((70, 95))), 100);
    /// ```
    pub fn of(self, used: u64, own: u64, reported: Option<(u64, u64)>) -> u64 {
        let reported = reported.filter(|&(_, sent)| own >= sent).map(|(reported, _)| reported);
        match (self, reported) {
            (Measured::AtLeastReported, Some(reported)) => used.max(reported),
            (Measured::Reported, Some(reported)) => reported,
            _ => used,
        }
    }
}

/// Returns the used share of `limit`; 0 without a limit.
pub fn ratio(used: u64, limit: u64) -> f64 {
    if limit == 0 { 0.0 } else { used as f64 / limit as f64 }
}

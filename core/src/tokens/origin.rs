//! The origin of a count.

use serde::{Deserialize, Serialize};

/// How a count was obtained, from the best origin to the worst. Two counts of different origin must not be compared.
///
/// ```
/// use espalier::tokens::Origin;
/// assert_eq!(Origin::Exact.worst(Origin::Estimate), Origin::Estimate);
/// assert_eq!(Origin::Prior.as_str(), "prior");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// Counted with the model's own public encoding.
    Exact,
    /// Predicted from counts that the provider reported.
    Calibrated,
    /// Counted with a substitute encoding, because the model has no public one, and not yet calibrated.
    Prior,
    /// Estimated, because some of it cannot be counted.
    Estimate,
}

impl Origin {
    /// Returns the name that hosts see.
    pub fn as_str(self) -> &'static str {
        match self {
            Origin::Exact => "exact",
            Origin::Calibrated => "calibrated",
            Origin::Prior => "prior",
            Origin::Estimate => "estimate",
        }
    }

    /// Returns the origin of a sum of two counts, which is the worse of both.
    pub fn worst(self, other: Origin) -> Origin {
        self.max(other)
    }
}

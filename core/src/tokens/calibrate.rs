//! Calibrates counts with the counts that the provider reports.
//!
//! In: our count of each request as it was sent, and later the provider's count of its prompt. Out: a prediction of the
//! provider's count for the next request, with a bound. A provider's count is an invisible overhead (hidden system
//! text, tool framing) plus k times our own. The newest report anchors the line, so that the overhead cancels; k is
//! fitted over the reports. The state is plain data: a host stores it, and passes it in again after a restart.

use super::{EncodingName, Origin, encoding_for_model};
use serde::{Deserialize, Serialize};

/// Factor of a report's weight for each newer report.
const FORGETTING: f64 = 0.98;
/// Maximum number of reports; the oldest has a weight of 0.08.
const MAX_POINTS: usize = 128;
/// Minimum number of reports for fitting k, and the minimum spread of our counts (relative to their mean).
const MIN_POINTS: usize = 3;
const SPREAD: f64 = 0.05;
/// Minimum spread for fitting k, in tokens: between small requests, an overhead that varies would pass for k.
const MIN_SPREAD: f64 = 128.0;
/// Bounds of k.
const K: (f64, f64) = (0.5, 2.5);
/// Maximum number of reports in a row that are far from the prediction, the last of which starts a new line.
const MAX_STRAYS: u8 = 3;
/// Maximum number of one-step errors.
const MAX_ERRORS: usize = 32;
/// Maximum number of requests whose report is awaited.
const MAX_PENDING: usize = 64;
/// The minimum bound, in tokens, and the maximum, as a share of our count. A larger error is no reason to leave more
/// room: it means that the reports do not belong to these requests.
const MIN_BOUND: f64 = 16.0;
const MAX_BOUND: f64 = 0.3;
/// Error of a prediction for each token of distance from the newest report: with a fitted k, and with an assumed one.
const DRIFT: f64 = 0.02;
const PRIOR_DRIFT: f64 = 0.3;

/// A request as it was sent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Request {
    /// The host's id of this request; its report must have the same.
    pub id: String,
    pub model: String,
    /// A hash of the frame (system text and tools), or anything that changes when they do.
    #[serde(default)]
    pub frame: String,
    /// Our count of the request.
    pub tokens: u64,
}

/// The effect of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Outcome {
    /// It moved the line.
    Used,
    /// No request with this id was sent: the call for a title or of a sub-agent shares the account, not the prompt.
    Ignored,
    /// The count is far from the prediction; it is set aside until the next report confirms it or not.
    SetAside,
    /// The second of two outliers that agree: earlier reports no longer apply.
    Restarted,
}

/// The expected count of the provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Prediction {
    pub tokens: u64,
    /// The true count is within this many tokens in 19 of 20 cases. Add it if a limit must hold.
    pub bound: u64,
    pub origin: Origin,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
struct Point {
    ours: f64,
    theirs: f64,
}

/// The state learned from reports.
///
/// ```
/// use espalier::tokens::{Calibration, Outcome, Request};
/// let mut calibration = Calibration::new("claude-sonnet-4");
/// for tokens in [1_000, 2_000, 3_000, 4_000] {
///     let id = format!("request {tokens}");
///     calibration.sent(Request { id: id.clone(), model: "claude-sonnet-4".into(), frame: String::new(), tokens });
///     // A provider that counts 1.2 times our tokens, and 500 that we do not see.
///     assert_eq!(calibration.report(&id, tokens * 6 / 5 + 500), Outcome::Used);
/// }
/// let next = calibration.predict(5_000);
/// assert!(next.tokens.abs_diff(6_500) <= next.bound);
/// ```
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Calibration {
    model: String,
    frame: String,
    k: f64,
    /// True once k comes from reports (or from a host that stored it).
    fitted: bool,
    /// True if the newest report has this frame.
    anchored: bool,
    points: Vec<Point>,
    errors: Vec<f64>,
    aside: Option<Point>,
    /// Number of reports that were set aside since the last one that was used.
    #[serde(default)]
    strays: u8,
    pending: Vec<Request>,
}

/// Returns whether a line with this k goes through both points, within 2 %.
fn agree(k: f64, first: Point, second: Point) -> bool {
    let expected = first.theirs + k * (second.ours - first.ours);
    (second.theirs - expected).abs() <= 0.02 * second.theirs
}

/// Returns the assumed number of the provider's tokens for each of ours, before any report: 1 if the encoding is the
/// model's own, else a value measured on recorded coding sessions (Claude 1.04 to 1.67, a Llama model 1.03 to 1.11).
pub fn prior_factor(model: &str) -> f64 {
    let model = model.to_ascii_lowercase();
    if model.contains("claude") {
        1.3
    } else if model.contains("llama") {
        1.07
    } else {
        1.0
    }
}

impl Calibration {
    /// Returns a calibration without reports.
    pub fn new(model: &str) -> Calibration {
        Calibration {
            model: model.to_owned(),
            frame: String::new(),
            k: prior_factor(model),
            fitted: false,
            anchored: false,
            points: Vec::new(),
            errors: Vec::new(),
            aside: None,
            strays: 0,
            pending: Vec::new(),
        }
    }

    /// Starts from a k that was learned earlier (see [`Calibration::k`]). A k that is out of range or not a number is
    /// ignored.
    pub fn with_k(model: &str, k: f64) -> Calibration {
        let mut calibration = Calibration::new(model);
        if k >= K.0 && k <= K.1 {
            (calibration.k, calibration.fitted) = (k, true);
        }
        calibration
    }

    /// Returns the provider's tokens for each of ours. Worth storing per model.
    pub fn k(&self) -> f64 {
        self.k
    }

    /// Records a request, so that its report can be matched.
    pub fn sent(&mut self, request: Request) {
        self.pending.retain(|known| known.id != request.id);
        if self.pending.len() >= MAX_PENDING {
            self.pending.remove(0);
        }
        self.pending.push(request);
    }

    /// Records the provider's count of the prompt of the request `id`.
    pub fn report(&mut self, id: &str, tokens: u64) -> Outcome {
        let Some(at) = self.pending.iter().position(|request| request.id == id) else { return Outcome::Ignored };
        let request = self.pending.remove(at);
        let point = Point { ours: request.tokens as f64, theirs: tokens as f64 };
        if request.model != self.model {
            let pending = std::mem::take(&mut self.pending);
            *self = Calibration { pending, ..Calibration::new(&request.model) };
        }
        if request.frame != self.frame {
            // The overhead differs, k is the same.
            self.frame = request.frame;
            (self.anchored, self.aside, self.strays) = (false, None, 0);
            self.points.clear();
        }
        // No tokenizer in use makes less than half of our tokens, so the provider did not read, or does not report, the
        // rest.
        if point.theirs < K.0 * point.ours {
            return Outcome::SetAside;
        }
        self.take(point)
    }

    fn take(&mut self, point: Point) -> Outcome {
        let mut outcome = Outcome::Used;
        if self.anchored {
            let (expected, bound) = self.line(point.ours);
            let error = (point.theirs - expected).abs();
            if error > 0.1 * point.theirs && error > 5.0 * bound {
                let prior = prior_factor(&self.model);
                let is_last = self.strays + 1 >= MAX_STRAYS;
                match self.aside {
                    Some(aside) if agree(self.k, aside, point) => self.points = vec![aside],
                    // The fitted k is what is wrong.
                    Some(aside) if is_last || agree(prior, aside, point) => {
                        self.points = vec![aside];
                        (self.k, self.fitted) = (prior, false);
                    }
                    _ => {
                        self.aside = Some(point);
                        self.strays += 1;
                        return Outcome::SetAside;
                    }
                }
                self.errors.clear();
                outcome = Outcome::Restarted;
            } else {
                if self.errors.len() >= MAX_ERRORS {
                    self.errors.remove(0);
                }
                self.errors.push(error);
            }
        }
        (self.aside, self.strays) = (None, 0);
        self.anchored = true;
        if self.points.len() >= MAX_POINTS {
            self.points.remove(0);
        }
        self.points.push(point);
        self.fit();
        outcome
    }

    /// Fits k by weighted least squares.
    fn fit(&mut self) {
        if self.points.len() < MIN_POINTS {
            return;
        }
        let (mut weight, mut sums) = (1.0, [0.0; 3]);
        for point in self.points.iter().rev() {
            sums = [sums[0] + weight, sums[1] + weight * point.ours, sums[2] + weight * point.theirs];
            weight *= FORGETTING;
        }
        let (ours, theirs) = (sums[1] / sums[0], sums[2] / sums[0]);
        let (mut weight, mut square, mut product) = (1.0, 0.0, 0.0);
        for point in self.points.iter().rev() {
            square += weight * (point.ours - ours) * (point.ours - ours);
            product += weight * (point.ours - ours) * (point.theirs - theirs);
            weight *= FORGETTING;
        }
        // The spread is the standard deviation of our counts.
        if (square / sums[0]).sqrt() > MIN_SPREAD.max(SPREAD * ours) {
            self.k = (product / square).clamp(K.0, K.1);
            self.fitted = true;
        }
    }

    /// Returns prediction and bound on the line through the newest report.
    fn line(&self, ours: f64) -> (f64, f64) {
        let Some(last) = self.points.last() else { return (self.k * ours, PRIOR_DRIFT * ours) };
        let distance = (ours - last.ours).abs();
        let drift = if self.fitted || self.is_exact() { DRIFT } else { PRIOR_DRIFT };
        let bound = MIN_BOUND.max(1.5 * self.usual_error()) + drift * distance;
        // Far below the newest report, an assumed k can predict less than the possible min.
        let expected = (last.theirs + self.k * (ours - last.ours)).max(K.0 * ours);
        (expected, bound.min(MIN_BOUND.max(MAX_BOUND * ours)))
    }

    /// Returns the 95th percentile of the one-step errors.
    fn usual_error(&self) -> f64 {
        let mut errors = self.errors.clone();
        crate::rank::sort(&mut errors, |error| crate::rank::of(*error));
        let rank = (errors.len() * 95).div_ceil(100);
        rank.checked_sub(1).and_then(|at| errors.get(at)).copied().unwrap_or(0.0)
    }

    /// True if an error bound has its maximum for `tokens` of ours: reports vary too much to predict the next one.
    pub fn is_widest(bound: u64, tokens: u64) -> bool {
        bound as f64 > MIN_BOUND && bound as f64 >= (MAX_BOUND * tokens as f64).floor()
    }

    fn is_exact(&self) -> bool {
        let (_, origin): (EncodingName, Origin) = encoding_for_model(&self.model);
        origin == Origin::Exact
    }

    /// Predicts the provider's count of a request of which we count `tokens`.
    pub fn predict(&self, tokens: u64) -> Prediction {
        let ours = tokens as f64;
        let (expected, bound, origin) = if self.anchored {
            let (expected, bound) = self.line(ours);
            (expected, bound, Origin::Calibrated)
        } else if self.is_exact() {
            (ours, (DRIFT * ours).max(MIN_BOUND), Origin::Exact)
        } else {
            (self.k * ours, (PRIOR_DRIFT * ours).max(MIN_BOUND), Origin::Prior)
        };
        Prediction { tokens: expected.max(0.0).round() as u64, bound: bound.ceil() as u64, origin }
    }
}

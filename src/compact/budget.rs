//! The arithmetic of one compaction: how the tokens that messages may use are shared out.

/// Shares and bounds, in tokens. All are derived from `A`, what messages may use beside the frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Input tokens of a request.
    pub limit: u64,
    /// What messages may use: limit - frame - tools.
    pub available: u64,
    /// Newest messages that stay verbatim: 0.15 A, at most 40,000.
    pub keep_recent: u64,
    /// Older messages of the user, verbatim: 0.10 A, at most 20,000.
    pub user: u64,
    /// The rest of the ledger: 0.05 A, at most 12,000.
    pub ledger: u64,
    /// What the ledger may grow to so that every entry has a line of its own: 0.30 A, at most 40,000. Measured on a run of an agent of
    /// 400,000 tokens: 0.05 A of 40,000 holds 8 % of its error lines and 9 % of its commands, 0.30 A of 32,000 holds 83 and 81 %.
    /// With the tail, the summary and the user's messages this stays below 0.60 A, where a compaction counts as a relief.
    pub entries: u64,
    /// The summary text: 0.04 A, within 512..8,000, and never more than a quarter of A.
    pub summary: u64,
    /// A summary must free this much, or it is not worth the broken cache: 0.05 A.
    pub min_gain: u64,
}

/// Fewest messages worth a summary.
pub const MIN_COVERED: usize = 2;
/// Share of the covered tokens that a summary must free.
pub const MIN_GAIN_OF_COVERED: f64 = 0.20;
/// A reply may exceed the asked length by this factor before it is cut.
pub const OVERLONG: f64 = 1.5;

impl Budget {
    /// ```
    /// use espalier::compact::budget::Budget;
    /// let budget = Budget::new(128_000, 8_000);
    /// assert_eq!((budget.available, budget.keep_recent, budget.summary), (120_000, 18_000, 4_800));
    /// ```
    pub fn new(limit: u64, frame: u64) -> Budget {
        let available = limit.saturating_sub(frame);
        let share = |percent: u64, most: u64| (available.saturating_mul(percent) / 100).min(most);
        Budget {
            limit,
            available,
            keep_recent: share(15, 40_000),
            user: share(10, 20_000),
            ledger: share(5, 12_000),
            entries: share(30, 40_000),
            summary: share(4, 8_000).max(512).min(available / 4),
            min_gain: available / 20,
        }
    }
}

//! The arithmetic of one compaction: how the tokens for messages are divided.

use super::profile::{ESPALIER, Profile, Rung};

/// A window size and a percentage: lists weigh that much more for tokens beyond this size. In a small window code is
/// worth more than lists; a larger one has room for both. Measured at 16,000 tokens: 82 % of commands and 63 % of error
/// lines instead of 65 and 48, for 5 points of the lines that the next calls need; at 32,000 no such line is lost.
const LARGE: u64 = 8_000;
const MORE_OF_LARGE: u64 = 108;

/// Minimum tokens for messages at which a record explains itself at length: in less room that would take from what it
/// says.
const BRIEF: u64 = 4_000;

/// Shares and bounds, in tokens. A profile's shares derive all of them from `A`, the tokens for messages beside the
/// frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Input tokens of a request.
    pub limit: u64,
    /// Tokens for messages: limit - frame - tools.
    pub available: u64,
    /// The steps end once a cheap step brings the request down to this.
    pub relief: u64,
    /// The size that a summary aims for.
    pub target: u64,
    /// Newest messages that stay verbatim.
    pub keep_recent: u64,
    /// Files and things in their latest state.
    pub working: u64,
    /// Names in use, such as paths and identifiers.
    pub names: u64,
    /// Older messages of the user, verbatim.
    pub user: u64,
    /// The rest of the ledger.
    pub ledger: u64,
    /// The ceiling to which the ledger may grow so that most errors and commands have a line of their own.
    pub entries: u64,
    /// Error lines that stay when their results are cleared.
    pub error_lines: u64,
    /// The summary text; never more than a quarter of A.
    pub summary: u64,
    /// The minimum that a summary must free to be worth the broken cache.
    pub min_gain: u64,
    /// Newest results that no rule may clear.
    pub protected: u64,
    gains: [u64; 4],
}

impl Budget {
    /// ```
    /// use espalier::compact::budget::Budget;
    /// let budget = Budget::new(128_000, 8_000);
    /// assert_eq!((budget.available, budget.keep_recent, budget.summary), (120_000, 23_640, 4_800));
    /// assert_eq!((budget.relief, budget.target), (126_200, 126_200));
    /// ```
    pub fn new(limit: u64, frame: u64) -> Budget {
        Budget::of(limit, frame, &ESPALIER, ESPALIER.shares.target)
    }

    /// Computes the budget for a profile and a target, a share of the tokens for messages.
    pub fn of(limit: u64, frame: u64, profile: &Profile, target: f64) -> Budget {
        let available = limit.saturating_sub(frame);
        let Profile { shares, gain, protect, .. } = profile;
        let above_frame = |share: f64| frame.saturating_add((available as f64 * share + 1e-6) as u64).min(limit);
        let room = above_frame(target).saturating_sub(frame);
        Budget {
            limit,
            available,
            // A target that fills the room needs no more relief than to fit.
            relief: above_frame(shares.relief.max(target)),
            target: above_frame(target),
            keep_recent: shares.keep_recent.tokens(room),
            working: shares.working.tokens(room),
            names: shares.names.tokens(room),
            user: shares.users.tokens(available),
            ledger: shares.ledger.tokens(available),
            entries: shares.entries.tokens(available + available.saturating_sub(LARGE) * MORE_OF_LARGE / 100),
            error_lines: shares.error_lines.tokens(available),
            summary: shares.summary.tokens(available).min(available / 4),
            min_gain: gain.summary.tokens(available),
            protected: protect.tokens.tokens(available),
            gains: [gain.stale, gain.media, gain.cap, gain.clear].map(|gain| gain.tokens(available)),
        }
    }

    /// Returns whether a record says in a few words what it is.
    pub fn is_brief(&self) -> bool {
        self.available < BRIEF
    }

    /// Returns the minimum that a cheap step must free.
    pub fn least_gain(&self, rung: Rung) -> u64 {
        let [stale, media, cap, clear] = self.gains;
        match rung {
            Rung::Stale => stale,
            Rung::Media => media,
            Rung::Cap => cap,
            Rung::Clear => clear,
            Rung::Summary | Rung::Offline => self.min_gain,
            Rung::Fit => 0,
        }
    }
}

//! The arithmetic of one compaction: how the tokens that messages may use are shared out.

use super::profile::{ESPALIER, Profile, Rung};

/// Window whose tokens beyond count more for lists, and by how many percent. In a small window code is worth more than
/// lists; in a larger one there is room for both. Measured at 16,000 tokens: 82 % of commands and 63 % of error lines
/// instead of 65 and 48, for 5 points of the lines that the next calls need; at 32,000 no such line is lost.
const LARGE: u64 = 8_000;
const MORE_OF_LARGE: u64 = 108;

/// Shares and bounds, in tokens. All are derived from `A`, what messages may use beside the frame, by the shares of a profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// Input tokens of a request.
    pub limit: u64,
    /// What messages may use: limit - frame - tools.
    pub available: u64,
    /// A cheap step that gets the request here ends the ladder.
    pub relief: u64,
    /// What a summary aims for.
    pub target: u64,
    /// Newest messages that stay verbatim.
    pub keep_recent: u64,
    /// Files and things in their latest state.
    pub working: u64,
    /// Names in use.
    pub names: u64,
    /// Older messages of the user, verbatim.
    pub user: u64,
    /// The rest of the ledger.
    pub ledger: u64,
    /// What the ledger may grow to so that most errors and commands have a line of their own.
    pub entries: u64,
    /// Error lines that stay although their results are cleared.
    pub error_lines: u64,
    /// The summary text; never more than a quarter of A.
    pub summary: u64,
    /// A summary must free this much, or it is not worth the broken cache.
    pub min_gain: u64,
    /// Newest results that no rule clears.
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

    /// The same by another profile and with another target, a share of what messages may use.
    pub fn of(limit: u64, frame: u64, profile: &Profile, target: f64) -> Budget {
        let available = limit.saturating_sub(frame);
        let Profile { shares, gain, protect, .. } = profile;
        let above_frame = |share: f64| frame.saturating_add((available as f64 * share + 1e-6) as u64).min(limit);
        let room = above_frame(target).saturating_sub(frame);
        Budget {
            limit,
            available,
            // What fills the room needs no more relief than to fit it.
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

    /// What a cheap step must free.
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

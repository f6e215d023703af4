//! gemini-cli's memory of a failure: after a summary that was longer than what it stood for, no model is asked any more
//! until a compaction succeeds; results are still cut.
//!
//! | ended | flag afterwards |
//! |---|---|
//! | applied, with a summary | cleared |
//! | applied by cutting results alone | as it was |
//! | inflated | set, unless by hand |
//! | anything else, errors too | as it was |

use serde::{Deserialize, Serialize};

use crate::compact::Status;

/// Set after a failure of that kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Flag(bool);

impl Flag {
    /// True if it is set.
    pub fn is_set(self) -> bool {
        self.0
    }

    /// Whether a model may be asked: by hand always.
    pub fn may_ask(self, by_hand: bool) -> bool {
        by_hand || !self.0
    }

    /// How a compaction ended; `with_summary` tells whether one was put in place.
    ///
    /// ```
    /// use espalier::{compact::Status, conversation::flag::Flag};
    /// let mut flag = Flag::default();
    /// flag.note(Status::Inflated, false, false);
    /// assert!(!flag.may_ask(false) && flag.may_ask(true));
    /// flag.note(Status::Applied, true, false);
    /// assert!(flag.may_ask(false));
    /// ```
    pub fn note(&mut self, status: Status, with_summary: bool, by_hand: bool) {
        match status {
            Status::Applied if with_summary => self.0 = false,
            // No gain is what an equal size is here.
            Status::Inflated | Status::NoGain => self.0 |= !by_hand,
            _ => {}
        }
    }

    /// The conversation began anew, or was opened again.
    pub fn reset(&mut self) {
        self.0 = false;
    }
}
